"""MOTChallenge's data sets and those with its files and rules: MOT15, MOT16, MOT17, MOT20, DanceTrack and SportsMOT.

Tracks on distractors are neither rewarded nor punished. The data sets differ in the classes of their distractors; MOT15
has no classes. All objects of DanceTrack are dancers and all of SportsMOT players, both written as class 1.
"""

from collections.abc import Mapping
from types import MappingProxyType

from omniou._doctor.columns import Column, np
from omniou.tracking.benchmarks._benchmark import Benchmark, BenchmarkRules, KeptRows
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
# A distractor in MOT20 only.
NON_MOTORISED_VEHICLE = 6


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
        _drop_marked(truth, both.truth)
        return truth, tracks

    return rules


def without_classes(both: BothTables) -> tuple[KeptRows, KeptRows]:
    """Exclude objects that are marked by confidence 0; there are no classes."""
    both.truth.check_boxes()
    truth = KeptRows(np.full(len(both.truth), PEDESTRIAN))
    _drop_marked(truth, both.truth)
    return truth, _tracks(both.tracks)


def _tracks(table: RuleTable) -> KeptRows:
    """Give all tracks one class. Trackers write it as 1, 0 or -1."""
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


def _drop_marked(kept: KeptRows, table: RuleTable) -> None:
    """Exclude objects with a confidence of 0, and with one that TrackEval cuts to 0, such as 0.9."""
    confidence: Column = table.column("confidence", missing=1.0)
    kept.drop(confidence == 0, "confidence 0")
    cut = (np.trunc(confidence) == 0) & kept.rows
    if cut.any():
        values = dict.fromkeys(f"{x:g}" for x in (confidence[cut].min(), confidence[cut].max()))
        kept.drop(cut, f"confidence {' to '.join(values)}, cut to 0")


# Sequences of both halves: training and test.
_MOT15_SEQUENCES = (
    "ADL-Rundle-[1368]",
    "AVG-TownCentre",
    "ETH-(Bahnhof|Crossing|Jelmoli|Linthescher|Pedcross2|Sunnyday)",
    r"KITTI-1[3679]",
    "PETS09-S2L[12]",
    "TUD-(Campus|Crossing|Stadtmitte)",
    "Venice-[12]",
)
_MOT17_RULES = with_distractors(DISTRACTORS)

BENCHMARKS = (
    Benchmark(
        "mot15",
        "MOT15: no classes, objects with confidence 0 do not count",
        without_classes,
        CLASSES,
        sequences="|".join(_MOT15_SEQUENCES),
    ),
    Benchmark(
        "mot16",
        "MOT16: pedestrians, tracks on distractors are left out",
        _MOT17_RULES,
        CLASSES,
        sequences=r"MOT16-\d+(-\w+)?",
    ),
    Benchmark(
        "mot17",
        "MOT17: pedestrians, tracks on distractors are left out",
        _MOT17_RULES,
        CLASSES,
        sequences=r"MOT17-\d+(-\w+)?",
    ),
    Benchmark(
        "mot20",
        "MOT20: as MOT17, and non-motorised vehicles (class 6) are distractors",
        with_distractors(DISTRACTORS | {NON_MOTORISED_VEHICLE}),
        CLASSES,
        sequences=r"MOT20-\d+",
    ),
    Benchmark(
        "dancetrack",
        "DanceTrack: files and rules of MOT17",
        _MOT17_RULES,
        CLASSES,
        sequences=r"dancetrack\d+",
    ),
    Benchmark(
        "sportsmot",
        "SportsMOT: files and rules of MOT17",
        _MOT17_RULES,
        CLASSES,
        sequences=r"v_[\w-]{11}_c\d+",
    ),
)
