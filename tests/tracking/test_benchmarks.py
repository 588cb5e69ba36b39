"""Rules of data sets, by values worked out by hand; `tests/oracles/test_tracking_benchmarks.py` has TrackEval."""

import numpy as np
import pytest

from omniou import tracking
from omniou.rle import Masks
from omniou.tracking import Tracks, benchmarks
from tests.helpers import array

BOX = [100.0, 100.0, 140.0, 180.0]


def rows(boxes, labels=None, *, frames=None, ids=None, **columns):
    return Tracks(
        boxes=np.array(boxes, dtype=float).reshape(-1, 4),
        frames=[1] * len(boxes) if frames is None else frames,
        ids=list(range(1, len(boxes) + 1)) if ids is None else ids,
        labels=labels,
        columns=columns,
    )


def kept(name, truth, tracks):
    """Ids that remain, and how many rows were left out for which reason."""
    prepared = benchmarks.apply(name, truth, tracks)
    return prepared.ground_truth.ids.tolist(), prepared.tracks.ids.tolist(), prepared.counts()


@pytest.mark.parametrize(
    ("name", "label", "confidence", "objects", "tracks"),
    [
        ("mot17", 1, 1, [1], [1]),
        ("mot17", 1, 0, [], [1]),
        ("mot17", 3, 0, [], [1]),
        ("mot17", 7, 0, [], []),
        ("mot17", 7, 1, [], []),
        ("mot17", 6, 0, [], [1]),
        ("mot20", 6, 0, [], []),
        ("mot16", 12, 0, [], []),
        ("dancetrack", 1, 1, [1], [1]),
        ("sportsmot", 2, 1, [], []),
        ("mot15", 7, 1, [1], [1]),
        ("mot15", 1, 0.5, [], [1]),  # cut to 0, as TrackEval does
    ],
)
def test_mot_challenge_class_decides_and_not_confidence(name, label, confidence, objects, tracks):
    truth = rows([BOX], [label], confidence=np.array([confidence]))

    assert kept(name, truth, rows([BOX]))[:2] == (objects, tracks)


def test_mot17_track_between_pedestrian_and_distractor_is_dropped():
    """Its IoU is .667 with the pedestrian and .905 with the distractor, whose match leaves the pedestrian missed."""
    truth = rows([BOX, [110, 100, 150, 180]], [1, 8])
    prepared = benchmarks.apply("mot17", truth, rows([[108, 100, 148, 180]]))

    assert prepared.counts()["tracks"] == {"matched to an object of class distractor": 1}
    result = tracking.evaluate(
        prepared.ground_truth, prepared.tracks, classes=prepared.classes, sequences={"sequence": 1}
    )
    assert (result.summary["CLR_FN"], result.summary["CLR_FP"], result.summary["GT_Dets"]) == (1, 0, 1)


def test_mot17_assignment_has_the_highest_sum():
    """Track 1 overlaps the distractor more, but 1 with the pedestrian and 2 with the distractor have the higher sum."""
    pytest.importorskip("scipy", reason="assignment is SciPy's")
    truth = rows([[0, 0, 100, 10], [20, 0, 120, 10]], [1, 7])
    tracks = rows([[15, 0, 115, 10], [45, 0, 145, 10]])

    assert kept("mot17", truth, tracks)[1] == [1]
    assert kept("mot17", truth, rows([[15, 0, 115, 10]]))[1] == []


@pytest.mark.parametrize(("side", "left"), [(5.0, []), (5.0 - 1e-9, [1])])
def test_mot17_overlap_of_one_half_matches(side, left):
    truth = rows([[0, 0, 10, 10]], [7])

    assert kept("mot17", truth, rows([[0, 0, side, 10]]))[1] == left


def test_mot17_rows_of_other_frames_and_sequences_do_not_match():
    truth = Tracks(boxes=[BOX], frames=[1], ids=[1], labels=[7], sequences=["a"])
    tracks = Tracks(
        boxes=[BOX] * 3, frames=[1, 2, 1], ids=[5, 6, 7], sequences=["a", "a", "b"], scores=np.array([0.1, 0.2, 0.3])
    )
    prepared = benchmarks.apply("mot17", truth, tracks)

    assert prepared.tracks.ids.tolist() == [6, 7]
    assert prepared.tracks.sequences.tolist() == ["a", "b"]
    assert prepared.tracks.scores.tolist() == [0.2, 0.3]
    assert [(x.side, x.rows.tolist()) for x in prepared.dropped] == [("ground_truth", [0]), ("tracks", [0])]


def test_boxes_in_another_format():
    truth = rows([[100, 100, 40, 80]], [7])

    assert len(benchmarks.apply("mot17", truth, truth_as_track(truth), format="xywh").tracks.frames) == 0


def truth_as_track(truth):
    return rows(truth.boxes)


@pytest.mark.parametrize(
    ("label", "occluded", "truncated", "objects", "tracks"),
    [
        ("Car", 2, 0, [1], [1]),
        ("Car", 3, 0, [], []),
        ("Car", 0, 0.5, [1], [1]),
        ("Car", 0, 1, [], []),
        ("Van", 0, 0, [], []),
        ("Truck", 0, 0, [], [1]),
    ],
)
def test_kitti_hard_objects_and_neighbours_do_not_count(label, occluded, truncated, objects, tracks):
    truth = rows([BOX], [label], occluded=np.array([occluded]), truncated=np.array([truncated]))

    assert kept("kitti", truth, rows([BOX], ["Car"]))[:2] == (objects, tracks)


@pytest.mark.parametrize("label", ["Person", "Person_sitting"])
def test_kitti_takes_both_names_of_sitting_persons(label):
    assert kept("kitti", rows([BOX], [label]), rows([BOX], ["Pedestrian"]))[1] == []


@pytest.mark.parametrize(("height", "left"), [(25, []), (25.5, [1])])
def test_kitti_unmatched_low_tracks_do_not_count(height, left):
    assert kept("kitti", rows([BOX], ["Car"]), rows([[300, 0, 340, height]], ["Car"]))[1] == left
    low = [300, 0, 340, height]
    assert kept("kitti", rows([low], ["Car"]), rows([low], ["Car"]))[1] == [1]


@pytest.mark.parametrize(("end", "left"), [(20, [1]), (20.5, [])])
def test_kitti_unmatched_tracks_inside_a_region_do_not_count(end, left):
    """A track of width 40, of which the region covers a half, or more."""
    truth = rows([[0, 0, end, 100]], ["DontCare"], ids=[-1])
    *_, counts = kept("kitti", truth, tracks := rows([[0, 0, 40, 80]], ["Car"]))

    assert kept("kitti", truth, tracks)[1] == left
    assert counts["ground_truth"] == {"regions, DontCare": 1}


def test_kitti_counts_negative_ids_and_other_classes():
    truth = rows([BOX, BOX, BOX], ["Car", "Cyclist", "Car"], ids=[1, 2, -5])
    tracks = rows([BOX, BOX], ["cyclist", "car"], ids=[1, -1])

    *ids, counts = kept("kitti", truth, tracks)

    assert ids == [[1], []]
    assert counts == {
        "ground_truth": {"negative id": 1, "class cyclist": 1},
        "tracks": {"negative id": 1, "class cyclist": 1},
    }


def test_kitti_takes_ids_that_are_names():
    assert kept("kitti", rows([BOX], ["Car"], ids=["a"]), rows([BOX], ["Car"], ids=["-1"]))[:2] == (["a"], ["-1"])


def masks(*pictures):
    return Masks.from_dense(np.array(pictures))


ROW = np.arange(8)[None, :]


def mask_rows(*spans, labels):
    return Tracks(
        boxes=None,
        frames=[1] * len(spans),
        ids=list(range(1, len(spans) + 1)),
        labels=labels,
        masks=masks(*[(low <= ROW) & (high > ROW) for low, high in spans]),
    )


@pytest.mark.parametrize(("end", "left"), [(6, [1, 2]), (7, [1])])
def test_mots_unmatched_tracks_inside_the_ignored_region_do_not_count(end, left):
    """The second track is from 4 to 8, of which the region from 4 on covers a half, or more."""
    truth = mask_rows((0, 2), (4, end), labels=[2, 10])
    tracks = mask_rows((0, 2), (4, 8), labels=[2, 2])

    assert kept("mots", truth, tracks)[:2] == ([1], left)


def test_kitti_mots_has_cars_and_mots_has_not():
    truth, tracks = mask_rows((0, 2), labels=[1]), mask_rows((0, 2), labels=[1])

    assert kept("kitti_mots", truth, tracks)[:2] == ([1], [1])
    assert kept("mots", truth, tracks)[:2] == ([], [])


def test_bdd100k_crowds_and_other_classes_are_regions_of_all_classes():
    wide = [0, 0, 100, 100]
    truth = rows(
        [wide, [200, 0, 300, 100], [400, 0, 440, 40]], ["car", "other vehicle", "bus"], crowd=[True, False, False]
    )
    tracks = rows([[10, 10, 50, 50], [210, 0, 250, 50], [400, 0, 440, 40], [500, 0, 540, 40]], ["bus"] * 4)

    *ids, counts = kept("bdd100k", truth, tracks)

    assert ids == [[3], [3, 4]]
    assert counts["tracks"] == {"unmatched, inside a crowd or an object of another class": 2}
    assert counts["ground_truth"] == {"regions, crowd": 1, "class other vehicle": 1}


def test_plain_leaves_out_nothing():
    truth = rows([BOX, BOX], [1, 7], confidence=np.array([0, 0]))

    assert kept("plain", truth, truth) == ([1, 2], [1, 2], {"ground_truth": {}, "tracks": {}})


def test_plain_has_one_class_where_a_side_has_no_classes():
    prepared = benchmarks.apply("plain", rows([BOX, BOX], [1, 7]), rows([BOX]))
    assert (prepared.ground_truth.labels.tolist(), prepared.tracks.labels.tolist()) == (["object"] * 2, ["object"])

    prepared = benchmarks.apply("plain", rows([BOX, BOX], ["Car", "Bus"]), rows([BOX], ["car"]))
    assert (prepared.ground_truth.labels.tolist(), prepared.tracks.labels.tolist()) == (["car", "bus"], ["car"])


@pytest.mark.parametrize("name", benchmarks.NAMES)
def test_empty_tables(name):
    none = Tracks(
        boxes=np.zeros((0, 4)), frames=[], ids=[], masks=masks(ROW > 0).take(np.zeros(0, dtype=int)), labels=[]
    )

    assert kept(name, none, none)[:2] == ([], [])


def test_class_that_is_not_evaluated_names_the_row():
    truth = rows([BOX], [1])
    with pytest.raises(benchmarks.RuleError, match=r"`tracks`: row 1: class 3 \(car\), but only pedestrians, class 1"):
        benchmarks.apply("mot17", truth, rows([BOX, BOX], [-1, 3]))
    with pytest.raises(benchmarks.RuleError, match="`ground_truth`: row 0: class 14 is not one of MOTChallenge's"):
        benchmarks.apply("mot17", rows([BOX], [14]), truth)
    with pytest.raises(benchmarks.RuleError, match=r"the rules need the class of each row: 1 \(pedestrian\)"):
        benchmarks.apply("mot17", rows([BOX]), truth)


def test_missing_boxes_or_masks_raise():
    truth = rows([BOX], [2])
    with pytest.raises(ValueError, match=r"`ground_truth\.masks` is missing: the rules compare masks"):
        benchmarks.apply("mots", truth, truth)
    with pytest.raises(ValueError, match=r"`ground_truth\.boxes` is missing: the rules compare boxes"):
        benchmarks.apply("mot17", mask_rows((0, 2), labels=[1]), rows([BOX]))
    with pytest.raises(ValueError, match=r"`tracks\.boxes` must have shape \(1, 4\), a box for each row, got \(1, 5\)"):
        benchmarks.apply("mot17", truth, Tracks(boxes=np.zeros((1, 5)), frames=[1], ids=[1]))


def test_unknown_name_is_guessed():
    with pytest.raises(ValueError, match="did you mean 'mot17'"):
        benchmarks.apply("MOT17", rows([BOX]), rows([BOX]))


def test_every_benchmark_has_its_name():
    assert [x.name for x in benchmarks.every()] == list(benchmarks.NAMES)


def test_arrays_of_any_library(xp):
    if xp.__name__.startswith("dask"):
        pytest.skip("dask: rows that remain depend on values")
    boxes, numbers = array(xp, [BOX, BOX], "float32"), array(xp, [1, 7], "int32")
    truth = Tracks(boxes=boxes, frames=array(xp, [1, 2], "int32"), ids=numbers, labels=numbers)

    assert kept("mot17", truth, Tracks(boxes=boxes, frames=array(xp, [1, 2], "int32"), ids=numbers))[:2] == ([1], [1])
