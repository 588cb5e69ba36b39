"""BDD100K: eight classes; crowds and similar classes are regions in which tracks are not punished."""

from types import MappingProxyType

from omniou._doctor.columns import np
from omniou.tracking.benchmarks._benchmark import Benchmark, KeptRows
from omniou.tracking.benchmarks._match import EPS, HALF, matched, share_inside
from omniou.tracking.benchmarks._table import BothTables

GROUPS = MappingProxyType(
    {
        "HUMAN": ("pedestrian", "rider"),
        "VEHICLE": ("car", "truck", "bus", "train"),
        "BIKE": ("motorcycle", "bicycle"),
    }
)
CLASSES = ("pedestrian", "rider", "car", "bus", "truck", "train", "motorcycle", "bicycle")
# Their objects are regions, as crowds are.
REGIONS = ("other person", "trailer", "other vehicle")


def rules(both: BothTables) -> tuple[KeptRows, KeptRows]:
    """Exclude unmatched tracks that lie in one region by more than half."""
    for table in both:
        table.check_boxes()
    truth, tracks = (KeptRows(table.classes({})) for table in both)
    crowd = both.truth.column("crowd", 0.0) != 0
    other = np.isin(truth.classes, REGIONS)
    regions = both.truth.take(np.flatnonzero(crowd | other))
    for name in CLASSES:
        objects = both.truth.take(np.flatnonzero((truth.classes == name) & ~crowd))
        rows = np.flatnonzero(tracks.classes == name)
        match = matched(objects, both.tracks.take(rows))
        unmatched = rows[np.setdiff1d(np.arange(len(rows)), match.tracks)]
        inside = share_inside(both.tracks.take(unmatched), regions) > HALF + EPS
        tracks.drop_rows(unmatched[inside], "unmatched, inside a crowd or an object of another class")
    truth.drop(crowd, "regions, crowd")
    for kept in (truth, tracks):
        kept.drop_other_classes(CLASSES)
    return truth, tracks


BENCHMARKS = (
    Benchmark(
        "bdd100k",
        "BDD100K: eight classes, without crowds",
        rules,
        CLASSES,
        files="scalabel",
        first_frame=0,
        averaged=True,
        groups=GROUPS,
    ),
)
