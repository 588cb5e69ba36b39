"""Single-object tracking: hand-worked frames, slow references of the toolkits' rules, bad input."""

import dataclasses
import math

import numpy as np
import pytest

from omniou.tracking import single
from tests.helpers import array
from tests.tracking import single_reference as reference

# IoU 1, 1 and 1 / 3; errors of 0, 0 and 5 pixels, the last one half of the width.
TRUTH = {"car": [[0, 0, 10, 10], [5, 0, 10, 10], [10, 0, 10, 10]]}
FOUND = {"car": [[0, 0, 10, 10], [5, 0, 10, 10], [15, 0, 10, 10]]}
SIZE = (60, 50)


def random_boxes(seed, frames=60):
    """A box that wanders over the edges of an image of 60 x 50, and what a tracker made of it."""
    random = np.random.default_rng(seed)
    corner = np.cumsum(random.normal(0, 4, (frames, 2)), axis=0) + 15
    truth = np.concatenate([corner, random.uniform(8, 20, (frames, 2))], axis=1)
    found = truth + random.normal(0, 1, (frames, 4)) * np.geomspace(0.1, 5, frames)[:, None]
    found[::9, 2] = 0
    found[:, 2:] = np.maximum(found[:, 2:], 0)
    return truth.round(3), found.round(3)


def test_otb_hand_worked():
    result = single.evaluate(TRUTH, FOUND)
    # IoU 1 exceeds 20 of 21 thresholds, IoU 1 / 3 seven of them: 0 to 0.3.
    assert result.summary["AUC"] == pytest.approx((20 + 20 + 7) / 21 / 3, abs=1e-15)
    assert result.summary["precision"] == 1
    assert result.summary["normalised_precision"] == pytest.approx(2 / 3)
    # Of the thresholds 0 to 0.5 only the last one reaches an error of half of the width.
    assert result.summary["normalised_precision_auc"] == pytest.approx((51 + 51 + 1) / 51 / 3)
    assert result.summary["AO"] == pytest.approx(7 / 9)
    assert result.summary["SR50"] == result.summary["SR75"] == pytest.approx(2 / 3)
    assert result.curves.precision[[0, 4, 5]].tolist() == pytest.approx([2 / 3, 2 / 3, 1])
    assert result.counts == {"sequences": 1, "frames": 3, "given": 1, "missed": 0, "first": 0, "absent": 0, "empty": 0}


def test_truth_as_prediction_has_auc_of_20_of_21():
    for protocol in ("otb", "lasot"):
        assert single.evaluate(TRUTH, TRUTH, protocol=protocol).summary["AUC"] == pytest.approx(0.952381, abs=1e-6)
    result = single.evaluate(TRUTH, TRUTH, protocol="got10k", image_sizes=SIZE)
    assert result.summary["AUC"] == pytest.approx(100 / 101)
    assert result.summary["AO"] == result.summary["SR75"] == 1


def test_iou_equal_to_a_threshold_is_no_success():
    # IoU 10 / 20.
    result = single.evaluate({"a": [[0, 0, 10, 1]] * 2}, {"a": [[0, 0, 10, 1], [0, 0, 20, 1]]}, protocol=count_all())
    assert result.summary["SR50"] == 0.5
    assert result.frames["a"].overlap.tolist() == [1, 0.5]


def test_error_equal_to_a_threshold_is_precise():
    shifted = {"a": [[0, 0, 100, 100], [20, 0, 100, 100]]}
    result = single.evaluate({"a": [[0, 0, 100, 100]] * 2}, shifted)
    assert result.summary["precision"] == 1
    assert result.summary["normalised_precision"] == 1


def test_first_frame_by_protocol():
    truth, found = {"a": [[0, 0, 10, 10]] * 2}, {"a": [[50, 0, 10, 10], [0, 0, 10, 10]]}
    rates = {first: single.evaluate(truth, found, protocol=count_all(first_frame=first)) for first in FIRST}
    assert {first: (x.summary["AO"], x.counts["frames"]) for first, x in rates.items()} == FIRST


FIRST = {"given": (1.0, 2), "count": (0.5, 2), "exclude": (1.0, 1)}


def count_all(**changes):
    return dataclasses.replace(single.OTB, **{"name": "own", "first_frame": "count"} | changes)


def test_absent_frames_are_excluded_or_missed():
    truth = {"a": [[0, 0, 10, 10], [float("nan")] * 4, [0, 0, 10, 10]]}
    found = {"a": [[0, 0, 10, 10], [3, 3, 3, 3], [0, 0, 10, 10]]}
    absent = {"a": [0, 1, 0]}
    excluded = single.evaluate(truth, found, absent=absent)
    assert excluded.summary["AO"] == excluded.summary["precision"] == 1
    assert (excluded.counts["frames"], excluded.counts["absent"], excluded.counts["missed"]) == (2, 1, 0)
    assert np.isnan(excluded.frames["a"].overlap).tolist() == [False, True, False]
    missed = single.evaluate(truth, found, absent=absent, protocol="lasot")
    assert missed.summary["AO"] == missed.summary["precision"] == pytest.approx(2 / 3)
    assert (missed.counts["frames"], missed.counts["absent"], missed.counts["missed"]) == (3, 0, 1)
    assert single.evaluate(truth, found, cover={"a": [1, 0, 0.2]}).summary == excluded.summary


def test_clip_as_got10k_keeps_the_side():
    truth, found = {"a": [[0, 0, 30, 10]] * 2}, {"a": [[0, 0, 30, 10], [-10, 0, 30, 10]]}

    def overlap(clip):
        rules = dataclasses.replace(single.GOT10K, clip=clip)
        return single.evaluate(truth, found, protocol=rules, image_sizes={"a": SIZE}).summary["AO"]

    assert overlap("got10k") == 1
    assert overlap("image") == pytest.approx(20 / 30)
    assert overlap("none") == pytest.approx(20 / 40)


@pytest.mark.parametrize("seed", range(3))
def test_otb_and_lasot_equal_slow_references(seed):
    pairs = {f"s{k}": random_boxes(10 * seed + k, 40 + k) for k in range(3)}
    truth, found = ({name: x[side] for name, x in pairs.items()} for side in (0, 1))
    assert_equal(single.evaluate(truth, found), {x: reference.otb(*pairs[x]) for x in pairs})
    absent = {name: np.arange(len(x)) % 7 == 3 for name, x in truth.items()}
    result = single.evaluate(truth, found, protocol="lasot", absent=absent)
    assert_equal(result, {x: reference.lasot(*pairs[x], absent[x]) for x in pairs})


def assert_equal(result, expected):
    for name, numbers in expected.items():
        assert {x: result.per_sequence[name][x] for x in numbers} == pytest.approx(numbers, abs=1e-12)
    for number in next(iter(expected.values())):
        assert result.summary[number] == pytest.approx(
            reference.mean([x[number] for x in expected.values()]), abs=1e-12
        )


def test_got10k_equals_slow_reference():
    pairs = {f"s{k}": random_boxes(k, 30 + 20 * k) for k in range(3)}
    cover = {name: np.arange(len(x[0])) % 5 for name, x in pairs.items()}
    result = single.evaluate(
        {name: x[0] for name, x in pairs.items()},
        {name: x[1] for name, x in pairs.items()},
        protocol="got10k",
        cover=cover,
        image_sizes=SIZE,
    )
    expected = reference.got10k([(*(y.tolist() for y in pairs[x]), cover[x].tolist(), SIZE) for x in pairs])
    assert {x: result.summary[x] for x in expected} == pytest.approx(expected, abs=1e-12)
    assert result.counts["first"] == 3
    assert result.counts["absent"] == sum((x[1:] == 0).sum() for x in cover.values())
    # The mean over sequences is another number: frames have equal weight here.
    assert result.summary["AO"] != pytest.approx(reference.mean([x["AO"] for x in result.per_sequence.values()]))


def test_mean_leaves_out_a_sequence_of_which_no_frame_counts():
    truth, found = TRUTH | {"gone": [[0, 0, 0, 0]]}, FOUND | {"gone": [[1, 1, 1, 1]]}
    result = single.evaluate(truth, found, absent={"gone": [True]})
    assert result.summary == single.evaluate(TRUTH, FOUND).summary
    assert math.isnan(result.per_sequence["gone"]["AUC"])
    assert result.to_dict()["per_sequence"]["gone"]["AUC"] is None
    assert result.counts["absent"] == 1
    assert result.curves.success.tolist() == single.evaluate(TRUTH, FOUND).curves.success.tolist()


@pytest.mark.parametrize("protocol", single.PROTOCOLS)
def test_empty_input(protocol):
    for truth in ({}, {"a": []}, {"a": np.zeros((0, 4))}):
        result = single.evaluate(truth, truth, protocol=protocol, image_sizes=SIZE)
        assert all(math.isnan(x) for x in result.summary.values())
        assert np.isnan(result.curves.success).all()
        assert result.counts["frames"] == 0
        assert "AUC" in repr(result)


def test_arrays_of_any_library(xp):
    truth, found = ({name: array(xp, x, "float32") for name, x in side.items()} for side in (TRUTH, FOUND))
    assert single.evaluate(truth, found).summary == single.evaluate(TRUTH, FOUND).summary


def test_format():
    truth = {"a": [[0, 0, 10, 10], [5, 0, 15, 10]]}
    assert single.evaluate(truth, truth, format="xyxy").summary["AO"] == 1


BAD = [
    ({"b": FOUND["car"]}, {}, "`predictions` must have every sequence of both mappings, but lacks 'car'"),
    (TRUTH | {"b": FOUND["car"]}, {}, "`ground_truth` must have every sequence of both mappings, but lacks 'b'"),
    ({"car": FOUND["car"][:2]}, {}, "must have a box for each of the 3 frames of the ground truth, got 2"),
    ({"car": [[0, 0, 1]] * 3}, {}, r"`predictions\['car'\]` must have shape \(frames, 4\), got \(3, 3\)"),
    ({"car": [*FOUND["car"][:2], [0, math.nan, 1, 1]]}, {}, r"`predictions\['car'\]\[2\]` is not finite in \[0.0, nan"),
    ({"car": [*FOUND["car"][:2], [0, math.inf, 1, 1]]}, {}, r"`predictions\['car'\]\[2\]` is not finite"),
    ({"car": [[0, 0, 1, -1]] * 3}, {}, r"`predictions\['car'\]\[0\]` has a negative side .* is `format` right"),
    (FOUND, {"protocol": "got10k"}, r"`image_sizes` must have the \(width, height\) of 'car'"),
    (FOUND, {"protocol": "OTB"}, "did you mean 'otb'"),
    (FOUND, {"absent": {"cat": [0, 0, 0]}}, "`absent` must have names of sequences, got 'cat'"),
    (FOUND, {"absent": {"car": [0, 0]}}, "`absent` or `cover` of 'car' must have a number for each of 3 frames"),
    (FOUND, {"absent": {"car": [0, 2, 0]}}, r"`absent\['car'\]\[1\]` must be among booleans, or 0 and 1, got 2"),
    (FOUND, {"cover": {"car": [0, math.nan, 0]}}, r"`cover\['car'\]\[1\]` must be among finite numbers, got nan"),
    (FOUND, {"cover": {}, "absent": {}}, "`absent` and `cover` say the same"),
]


@pytest.mark.parametrize(("found", "options", "message"), BAD)
def test_bad_input(found, options, message):
    with pytest.raises(ValueError, match=message):
        single.evaluate(TRUTH, found, **options)


def test_empty_truth_is_refused_where_the_object_is_there():
    with pytest.raises(ValueError, match=r"`ground_truth\['car'\]\[1\]` is empty .* say so by `absent=`"):
        single.evaluate({"car": [[0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 1, 1]]}, FOUND)
    with pytest.raises(TypeError, match="`predictions` must be a mapping"):
        single.evaluate(TRUTH, FOUND["car"])
    with pytest.raises(TypeError, match=r"`predictions\['car'\]` must hold integers or real floating"):
        single.evaluate(TRUTH, {"car": np.ones((3, 4), dtype=bool)})


@pytest.mark.parametrize("field", ["first_frame", "absent", "empty", "clip", "mean"])
def test_protocol_refuses_unknown_choices(field):
    with pytest.raises(ValueError, match=f"`{field}` must be one of"):
        single.SingleProtocol(name="own", **{field: "never"})
