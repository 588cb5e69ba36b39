"""The rules that MOTChallenge's data sets share; they differ in the classes of distractors."""

from collections.abc import Mapping
from types import MappingProxyType

from omniou.detection.doctor._numpy import Column, np
from omniou.tracking.benchmarks._benchmark import BenchmarkRules, KeptRows
from omniou.tracking.benchmarks._match import matched
from omniou.tracking.benchmarks._table import BothTables, RuleError, RuleTable

PEDESTRIAN = "pedestrian"
CLASSES = (PEDESTRIAN,)
NAMES: Mapping[int, str] = MappingProxyType(
    {
        1: PEDESTRIAN,
        2: "person on vehicle",
        3: "car",
        4: "bicycle",
        5: "motorbike",
        6: "non-motorised vehicle",
        7: "static person",
        8: "distractor",
        9: "occluder",
        10: "occluder on the ground",
        11: "occluder full",
        12: "reflection",
        13: "crowd",
    }
)
# Classes whose objects resemble pedestrians: a tracker is neither rewarded nor punished for following them.
DISTRACTORS = frozenset({2, 7, 8, 12})
_NOT_COUNTED = "confidence 0"


def with_distractors(distractors: frozenset[int]) -> BenchmarkRules:
    """Exclude tracks on distractors, and objects that are not pedestrians or are marked by confidence 0."""
    similar = [NAMES[x] for x in sorted(distractors)]

    def rules(both: BothTables) -> tuple[KeptRows, KeptRows]:
        tracks = _tracks(both.tracks)
        _check_classes(both.truth)
        truth = KeptRows(both.truth.classes(NAMES))
        on_distractor = np.isin(truth.classes, similar)
        match = matched(both.truth, both.tracks, relevant=on_distractor)
        for name in similar:
            rows = match.tracks[truth.classes[match.truth] == name]
            tracks.drop_rows(rows, f"matched to an object of class {name}")
        truth.drop_other_classes(CLASSES)
        truth.drop(_marked(both.truth), _NOT_COUNTED)
        return truth, tracks

    return rules


def without_classes(both: BothTables) -> tuple[KeptRows, KeptRows]:
    """Exclude objects that are marked by confidence 0; there are no classes."""
    both.truth.check_boxes()
    truth = KeptRows(np.full(len(both.truth), PEDESTRIAN))
    truth.drop(_marked(both.truth), _NOT_COUNTED)
    return truth, _tracks(both.tracks)


def _tracks(table: RuleTable) -> KeptRows:
    """All are of one class, which trackers write as 1, 0 or -1."""
    table.check_boxes()
    for row, label in enumerate(table.labels or ()):
        if not isinstance(label, str) and label > 1:
            name = NAMES.get(int(label), "unknown")
            fault = f"class {label} ({name}), but only pedestrians, class 1, are evaluated: remove other classes"
            raise RuleError(table.side, row, fault)
    return KeptRows(np.full(len(table), PEDESTRIAN))


def _check_classes(table: RuleTable) -> None:
    table.check_boxes()
    for row, label in enumerate(table.labels or ()):
        if label not in NAMES:
            fault = f"class {label} is not one of MOTChallenge's, 1 to {max(NAMES)}; protocol 'mot15' uses no classes"
            raise RuleError(table.side, row, fault)


def _marked(table: RuleTable) -> Column:
    """Which objects do not count: their confidence is 0, as a whole number."""
    marked: Column = np.trunc(table.column("confidence", missing=1.0)) == 0
    return marked
