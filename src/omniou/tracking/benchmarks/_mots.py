"""MOTSChallenge (pedestrians as masks) and KITTI MOTS (cars, too): one set of rules for other classes."""

from collections.abc import Mapping
from types import MappingProxyType

from omniou._doctor.columns import np
from omniou.tracking.benchmarks._benchmark import Benchmark, BenchmarkRules, KeptRows
from omniou.tracking.benchmarks._match import EPS, HALF, matched, share_inside
from omniou.tracking.benchmarks._table import BothTables, RuleTable

CAR, PEDESTRIAN, IGNORED = "car", "pedestrian", "ignore region"
NAMES: Mapping[int, str] = MappingProxyType({1: CAR, 2: PEDESTRIAN, 10: IGNORED})
# The similarity of pairs below one half: the number of matches counts before their similarity.
_FORBIDDEN = -10000.0


def of_classes(classes: tuple[str, ...]) -> BenchmarkRules:
    """Exclude unmatched tracks that lie in the ignored region of their frame by more than half."""

    def rules(both: BothTables) -> tuple[KeptRows, KeptRows]:
        for table in both:
            if table.masks is None:
                raise ValueError(f"`{table.side}.masks` is missing: the rules compare masks")
        truth, tracks = (KeptRows(table.classes(NAMES)) for table in both)
        regions = _regions(both.truth.take(np.flatnonzero(truth.classes == IGNORED)))
        for name in classes:
            objects = both.truth.take(np.flatnonzero(truth.classes == name))
            rows = np.flatnonzero(tracks.classes == name)
            match = matched(objects, both.tracks.take(rows), forbidden=_FORBIDDEN)
            unmatched = rows[np.setdiff1d(np.arange(len(rows)), match.tracks)]
            inside = share_inside(both.tracks.take(unmatched), regions) > HALF + EPS
            tracks.drop_rows(unmatched[inside], "unmatched, inside an ignored region")
        for kept in (truth, tracks):
            kept.drop_other_classes(classes)
        return truth, tracks

    return rules


def _regions(table: RuleTable) -> RuleTable:
    """The union of the ignored regions of each frame."""
    if table.masks is None or not len(table):
        return table
    first = np.unique(table.frame, return_index=True)[1]
    one = table.take(first)  # of each frame, by rising number, as `merge` returns them
    return RuleTable(
        side=one.side,
        boxes=one.boxes,
        masks=table.masks.merge(table.frame),
        frame=one.frame,
        ids=one.ids,
        labels=None,
        columns={},
    )


_MOTS, _KITTI_MOTS = (PEDESTRIAN,), (CAR, PEDESTRIAN)

BENCHMARKS = (
    Benchmark(
        "mots", "MOTSChallenge: pedestrians as masks", of_classes(_MOTS), _MOTS, files="mots", sequences=r"MOTS20-\d+"
    ),
    Benchmark(
        "kitti_mots",
        "KITTI MOTS: cars and pedestrians as masks",
        of_classes(_KITTI_MOTS),
        _KITTI_MOTS,
        files="mots",
        first_frame=0,
        sequences=r"\d{4}",
    ),
)
