"""J and F of video object segmentation: hand-worked masks, a slow reference, the cases of DAVIS's users, bad input."""

import itertools
import math

import numpy as np
import pytest

from omniou.tracking import video_objects
from tests.helpers import array
from tests.tracking import video_reference as reference

pytest.importorskip("scipy", reason="assignment is SciPy's")

NUMBERS = ("J-Mean", "J-Recall", "J-Decay", "F-Mean", "F-Recall", "F-Decay")


def moving(shift, frames=5, label=1):
    """A square of 20 pixels in an image of 40 x 40."""
    maps = np.zeros((frames, 40, 40), dtype=np.uint8)
    maps[:, 10:30, 10 + shift : 30 + shift] = label
    return maps


def random_maps(seed, objects, frames=6):
    """Label maps of blobs that overlap, come and go, and reach the border; and what a model made of them."""
    random = np.random.default_rng(seed)
    rows, columns = np.mgrid[:14, :18]
    maps = np.zeros((2, frames, 14, 18), dtype=np.int64)
    for side, t, label in itertools.product(range(2), range(frames), range(1, objects + 1)):
        if t == 0 or random.uniform() < 0.8:
            y, x = np.array([4 + 4 * label, 5 * label]) + random.normal(0, 1 + side, 2)
            maps[side, t][(rows - y) ** 2 / 9 + (columns - x) ** 2 / 6 < 1.5] = label
    return maps


def test_shifted_square_hand_worked():
    result = video_objects.evaluate({"a": moving(0)}, {"a": moving(5)})
    # 15 of 25 columns in both; 3 frames of 5 count; the radius is ceil(0.008 * 56.6) = 1.
    assert result.summary["J-Mean"] == 15 / 25
    assert result.summary["J-Recall"] == 1
    assert result.summary["J-Decay"] == result.summary["F-Decay"] == 0
    # Outlines have 79 pixels: 20 columns and 20 rows, twice, less what they share. Of the rows 20 - 5 columns and one
    # more at each end are close; of the columns, those that touch the rows of the other outline.
    f = reference.contour(*(x[0].tolist() for x in (moving(0) == 1, moving(5) == 1)), 1)
    assert result.summary["F-Mean"] == pytest.approx(f, abs=1e-15)
    assert result.summary["J&F"] == pytest.approx((0.6 + f) / 2)
    assert result.counts == {"sequences": 1, "objects": 1, "frames": 3, "unpredicted": 0, "unassigned": 0}
    assert "J&F" in repr(result)


@pytest.mark.parametrize("seed", range(4))
def test_semi_supervised_equals_slow_reference(seed):
    truth, found = random_maps(seed, 2)
    result = video_objects.evaluate({"a": truth}, {"a": found})
    for label in (1, 2):
        expected = reference.semi_supervised(truth.tolist(), found.tolist(), label, 1)
        own = result.per_object[f"a_{label}"]
        assert {x: own[x] for x in NUMBERS} == pytest.approx(expected, abs=1e-12)


def test_means_are_over_objects_not_sequences():
    one, two = np.zeros((2, 3, 10, 10), dtype=int)
    one[:, :5], two[:, :5, :5], two[:, 5:, 5:] = 1, 1, 2
    result = video_objects.evaluate({"one": one, "two": two}, {"one": one, "two": np.zeros_like(two)})
    assert result.summary["J-Mean"] == pytest.approx(1 / 3)
    assert {name: x["J-Mean"] for name, x in result.per_sequence.items()} == {"one": 1, "two": 0}
    assert result.counts["unpredicted"] == 2


def falling(frames):
    """J falls from 1 to 0 in even steps, over so many frames that count: rows of the object that are found."""
    truth, found = np.zeros((2, frames, frames - 1, 1), dtype=np.uint8)
    truth[:] = 1
    for t in range(frames):
        found[t, : frames - 1 - t] = 1
    return ({"a": np.concatenate([x[:1], x, x[-1:]])} for x in (truth, found))


@pytest.mark.parametrize(("frames", "exact", "uint8"), [(100, 0.7475, 0.7475), (300, 0.7492, math.nan)])
def test_decay_of_long_sequences(frames, exact, uint8):
    truth, found = falling(frames)
    assert video_objects.evaluate(truth, found).summary["J-Decay"] == pytest.approx(exact, abs=5e-5)
    truth, found = falling(frames)
    other = video_objects.evaluate(truth, found, decay="uint8").summary["J-Decay"]
    assert other == pytest.approx(uint8, abs=5e-5, nan_ok=True)


def test_missing_object_scores_zero_and_extra_label_is_an_error():
    truth = np.concatenate([moving(0)[:, :, :20], 2 * moving(0)[:, :, :20]], axis=2)
    found = np.where(truth == 2, 0, truth)
    result = video_objects.evaluate({"a": truth}, {"a": found})
    assert {name: (x["J-Mean"], x["F-Mean"]) for name, x in result.per_object.items()} == {"a_1": (1, 1), "a_2": (0, 0)}
    assert result.tracks["a"].predicted.tolist() == [1, 0]
    with pytest.raises(
        ValueError, match=r"`predictions\['a'\]` must have the labels of the ground truth, \[1\], got 2"
    ):
        video_objects.evaluate({"a": found}, {"a": truth})


def test_missing_scipy_is_named_before_any_work(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "scipy.optimize", None)
    with pytest.raises(ImportError, match=r'`task="unsupervised"` needs SciPy: pip install scipy'):
        video_objects.evaluate({}, {}, task="unsupervised")
    assert video_objects.evaluate({"a": moving(0)}, {"a": moving(0)}).summary["J&F"] == 1


@pytest.mark.parametrize("frames", [0, 1, 2])
def test_sequence_too_short_for_the_cut(frames):
    told = f'must have at least 3 frames: first and last do not count, got {frames}; task="unsupervised" counts every'
    with pytest.raises(ValueError, match=told):
        video_objects.evaluate({"a": moving(0)[:frames]}, {"a": moving(0)[:frames]})


def test_border_of_the_image_is_no_boundary():
    full, corners = np.ones((3, 6, 6), dtype=int), np.zeros((3, 3, 6, 6), dtype=int)
    places = [slice(0, 2), slice(2, 4), slice(4, 6)]
    for k, place in enumerate(places):
        corners[k][:, place, place] = 1
    assert reference.outline(full[0].tolist()) == set()
    # 2 x 2 pixels at the top left, in the middle, at the bottom right: 3, 8 and 5 pixels of outline.
    assert [len(reference.outline(x[0].tolist())) for x in corners] == [3, 8, 5]
    assert video_objects.evaluate({"a": full}, {"a": full}).summary["F-Mean"] == 1
    # Against a mask that fills the image, which has no outline, any outline is wrong.
    assert video_objects.evaluate({"a": full}, {"a": corners[0]}).summary["F-Mean"] == 0


def test_absent_from_both_is_right():
    truth, found = moving(0), moving(0)
    truth[2] = found[2] = 0
    found[3] = 0
    result = video_objects.evaluate({"a": truth}, {"a": found})
    assert result.tracks["a"].J.tolist() == result.tracks["a"].F.tolist() == [[1, 1, 0]]


def test_unsupervised_assigns_labels_one_to_one():
    truth = np.concatenate([moving(0)[:, :, :20], 2 * moving(0)[:, :, :20]], axis=2)
    found = np.select([truth == 1, truth == 2], [7, 3])
    found[:, :2, :2] = 9  # a prediction too many costs nothing
    result = video_objects.evaluate({"a": truth}, {"a": found}, task="unsupervised")
    assert result.summary["J&F"] == 1
    assert result.tracks["a"].predicted.tolist() == [7, 3]
    assert result.counts == {"sequences": 1, "objects": 2, "frames": 5, "unpredicted": 0, "unassigned": 1}
    one = video_objects.evaluate({"a": truth}, {"a": np.where(truth == 1, 7, 0)}, task="unsupervised")
    assert one.tracks["a"].predicted.tolist() == [7, 0]
    assert one.summary["J-Mean"] == 0.5
    with pytest.raises(ValueError, match=r"must have at most 2 labels \(`max_proposals`\), got 3"):
        video_objects.evaluate({"a": truth}, {"a": found}, task="unsupervised", max_proposals=2)


def test_assignment_by_j_and_by_both():
    # Label 1 covers more of the object, label 2 has its outline.
    truth, found = np.zeros((2, 2, 60, 60), dtype=int)
    truth[:, 10:50, 10:50] = 1
    found[:, 10:50, 10:50], found[:, 13:47, 13:47] = 2, 1
    by_j, by_both = (
        video_objects.evaluate({"a": truth}, {"a": found}, task="unsupervised", assign=x) for x in ("J", "J&F")
    )
    assert (by_j.tracks["a"].predicted.tolist(), by_both.tracks["a"].predicted.tolist()) == ([1], [2])
    assert by_j.summary["J-Mean"] > by_both.summary["J-Mean"]
    assert by_j.summary["J&F"] < by_both.summary["J&F"]


def test_void_counts_on_neither_side():
    truth, found = moving(0), moving(0)
    truth[:, :10] = 255
    found[:, 5:10] = 1
    assert video_objects.evaluate({"a": truth}, {"a": found}).summary["J&F"] == 1
    assert video_objects.evaluate({"a": truth}, {"a": found}, task="unsupervised", void=None).summary["J&F"] < 1


def test_maps_of_0_and_255_are_ambiguous():
    maps = {"a": moving(0, label=255)}
    for task in ("semi-supervised", "unsupervised"):
        with pytest.raises(ValueError, match=r"`ground_truth\['a'\]` has only the labels 0 and 255: pass void=None"):
            video_objects.evaluate(maps, maps, task=task)
        assert video_objects.evaluate(maps, maps, task=task, void=None).summary["J&F"] == 1


@pytest.mark.parametrize("task", ["semi-supervised", "unsupervised"])
def test_empty_input(task):
    none = np.zeros((4, 8, 8), dtype=int)
    for truth in ({}, {"a": none}):
        result = video_objects.evaluate(truth, truth, task=task)
        assert all(math.isnan(x) for x in result.summary.values())
        assert result.counts["objects"] == 0
        assert result.to_dict()["summary"]["J&F"] is None


def test_unsupervised_sequence_without_frames_or_predictions():
    none = np.zeros((0, 8, 8), dtype=int)
    assert video_objects.evaluate({"a": none}, {"a": none}, task="unsupervised").counts["frames"] == 0
    result = video_objects.evaluate({"a": moving(0)}, {"a": 0 * moving(0)}, task="unsupervised")
    assert result.summary["J&F"] == 0
    assert result.counts["unpredicted"] == 1


def test_arrays_of_any_library(xp):
    truth, found = ({"a": array(xp, x.tolist(), "int32")} for x in (moving(0), moving(3)))
    expected = video_objects.evaluate({"a": moving(0)}, {"a": moving(3)}).summary
    assert video_objects.evaluate(truth, found).summary == expected


BAD = [
    ({"b": moving(0)}, {}, ValueError, "`predictions` must have every sequence of both mappings, but lacks 'a'"),
    (
        {"a": moving(0)[:3]},
        {},
        ValueError,
        r"must have one shape \(frames, height, width\), got .*5, 40, 40.* and .*3, 40",
    ),
    ({"a": moving(0)[0]}, {}, ValueError, "must have one shape"),
    ({"a": moving(0) / 2}, {}, TypeError, r"`predictions\['a'\]` must hold labels, integers, got dtype float64"),
    ({"a": -moving(0).astype(int)}, {}, ValueError, r"`predictions\['a'\]` must have labels from 0 on, got -1"),
    ({"a": moving(0)}, {"task": "semi"}, ValueError, "`task` must be one of 'semi-supervised', 'unsupervised'"),
    ({"a": moving(0)}, {"decay": "uint"}, ValueError, "`decay` must be one of 'exact', 'uint8'"),
    ({"a": moving(0)}, {"tolerance": 1.5}, ValueError, "`tolerance` must be a whole number of pixels"),
    ({"a": moving(0)}, {"void": "255"}, TypeError, "`void` must be an integer"),
]


@pytest.mark.parametrize(("found", "options", "error", "message"), BAD)
def test_bad_input(found, options, error, message):
    with pytest.raises(error, match=message):
        video_objects.evaluate({"a": moving(0)}, found, **options)


def test_object_that_comes_later_is_refused_where_the_first_frame_is_given():
    truth = moving(0)
    truth[3, :5, :5] = 2
    with pytest.raises(ValueError, match=r"must have all objects in its first frame, .* but lacks 2 there"):
        video_objects.evaluate({"a": truth}, {"a": truth})
    assert video_objects.evaluate({"a": truth}, {"a": truth}, task="unsupervised").counts["objects"] == 2
