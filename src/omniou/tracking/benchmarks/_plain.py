"""No rules: every row counts, each class separately if both sides have classes."""

from omniou._doctor.columns import np
from omniou.tracking.benchmarks._benchmark import Benchmark, KeptRows
from omniou.tracking.benchmarks._table import BothTables

_ONE = "object"


def rules(both: BothTables) -> tuple[KeptRows, KeptRows]:
    """Exclude nothing; where one side has no classes, all rows are of one class."""
    has_classes = not any(x.labels is None and len(x) for x in both)
    truth, tracks = (KeptRows(x.classes({}) if has_classes else np.full(len(x), _ONE)) for x in both)
    return truth, tracks


BENCHMARKS = (Benchmark("plain", "no rules: every row counts, each class separately", rules),)
