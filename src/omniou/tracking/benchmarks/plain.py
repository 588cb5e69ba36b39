"""No rules: every row counts, each class separately."""

from omniou.detection.doctor._numpy import np
from omniou.tracking.benchmarks._benchmark import Benchmark, KeptRows
from omniou.tracking.benchmarks._table import BothTables


def rules(both: BothTables) -> tuple[KeptRows, KeptRows]:
    """Leave out nothing."""
    truth, tracks = (KeptRows(np.full(len(x), "object") if x.labels is None else x.classes({})) for x in both)
    return truth, tracks


BENCHMARK = Benchmark("plain", "no rules: every row counts, each class separately", rules)
