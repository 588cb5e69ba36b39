"""KITTI tracking: cars and pedestrians; hard objects, small tracks and regions do not count."""

from typing import NamedTuple

from omniou._doctor.columns import Column, np
from omniou.tracking.benchmarks._benchmark import Benchmark, KeptRows
from omniou.tracking.benchmarks._match import EPS, HALF, matched, share_inside
from omniou.tracking.benchmarks._table import BothTables, RuleTable

CLASSES = ("car", "pedestrian")
REGION = "dontcare"
# Classes whose objects resemble a class that counts.
# TrackEval calls a sitting person "person", KITTI's files "Person_sitting".
NEIGHBOURS = {"car": ("van",), "pedestrian": ("person", "person_sitting")}
MOST_OCCLUDED, MOST_TRUNCATED, LEAST_HEIGHT = 2, 0, 25


class _OfClass(NamedTuple):
    """Objects of a class, and those that resemble them."""

    table: RuleTable
    hard: Column
    other: Column


def rules(both: BothTables) -> tuple[KeptRows, KeptRows]:
    """Exclude tracks on objects that do not count, and unmatched tracks that are small or inside a region."""
    for table in both:
        table.check_boxes()
    truth, tracks = (KeptRows(table.classes({})) for table in both)
    region = truth.classes == REGION
    regions = both.truth.take(np.flatnonzero(region))
    for kept, table in zip((truth, tracks), both, strict=True):
        # Regions have the id -1.
        is_region = kept.classes == REGION
        if table.ids.dtype.kind == "i":
            kept.drop((table.ids < 0) & ~is_region, "negative id")
    hard = (np.trunc(both.truth.column("occluded", 0.0)) > MOST_OCCLUDED) | (
        np.trunc(both.truth.column("truncated", 0.0)) > MOST_TRUNCATED
    )
    for name in CLASSES:
        of_class = np.flatnonzero(np.isin(truth.classes, (name, *NEIGHBOURS[name])) & truth.rows)
        objects = _OfClass(both.truth.take(of_class), hard[of_class], truth.classes[of_class] != name)
        own = np.flatnonzero((tracks.classes == name) & tracks.rows)
        _drop_tracks(objects, both.tracks.take(own), regions, own, tracks)
    truth.drop(region, "regions, DontCare")
    tracks.drop_other_classes(CLASSES)
    truth.drop_other_classes(CLASSES)
    truth.drop(hard, "occluded or truncated")
    return truth, tracks


def _drop_tracks(objects: _OfClass, tracks: RuleTable, regions: RuleTable, rows: Column, kept: KeptRows) -> None:
    match = matched(objects.table, tracks)
    kept.drop_rows(rows[match.tracks[objects.other[match.truth]]], "matched to a van or a sitting person")
    kept.drop_rows(rows[match.tracks[objects.hard[match.truth]]], "matched to an occluded or truncated object")
    unmatched = np.setdiff1d(np.arange(len(rows)), match.tracks)
    left = tracks.take(unmatched)
    low = left.boxes[:, 3] - left.boxes[:, 1] <= LEAST_HEIGHT + EPS
    kept.drop_rows(rows[unmatched[low]], f"unmatched, height of at most {LEAST_HEIGHT} pixels")
    inside = share_inside(left, regions) > HALF + EPS
    kept.drop_rows(rows[unmatched[inside]], "unmatched, inside a region DontCare")


BENCHMARKS = (
    Benchmark(
        "kitti",
        "KITTI tracking: cars and pedestrians, without DontCare and hard objects",
        rules,
        CLASSES,
        files="kitti",
        first_frame=0,
    ),
)
