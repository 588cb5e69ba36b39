"""Evaluation by the distance of centres: values by hand, a slow reference, ranges, addition, and what is doubtful."""

import dataclasses
import math
import pickle

import numpy as np
import pytest

from omniou import centres
from omniou._results import comparing
from tests.centres import reference, scenes

CAR = dataclasses.replace(centres.NUSCENES, classes=(centres.CentreClass(name="car", range=50.0),))
STILL = "vehicle.parked"
AT_2M = 2  # place of the distance


def table(kind, xs, **columns):
    """Cars of one sample on the x axis."""
    count = len(xs)
    defaults = {
        "boxes": [[x, 0, 0, 4, 2, 1.5, 0] for x in xs],
        "labels": ["car"] * count,
        "samples": [0] * count,
        "velocities": np.zeros((count, 2)),
        "attributes": [STILL] * count,
        "from_ego": np.zeros((count, 2)),
    }
    return kind(**defaults | columns)


def evaluated(truth, found, scores=None, rules=CAR, **columns):
    scores = [1 - k / 100 for k in range(len(found))] if scores is None else scores
    targets = table(centres.CentreTargets, truth)
    return centres.evaluate(targets, table(centres.CentreDetections, found, scores=scores, **columns), rules=rules)


def ap(result):
    return round(float(result.ap[0, AT_2M]), 6)


def error(result, name="ATE"):
    return round(float(result.mean_errors[0, list(centres.CentreClass(name="").errors).index(name)]), 6)


TRUTH = [0, 10]


@pytest.mark.parametrize(
    ("truth", "found", "scores", "expected"),
    [
        (TRUTH, [0], None, 0.444444),  # half of the recalls
        (TRUTH, [30, 0, 10], [0.95, 0.9, 0.8], 0.400617),  # the curve is not made monotone
        (TRUTH, [2, 12], None, 0.0),  # exactly at the distance
        (TRUTH, [1.999, 11.999], None, 1.0),
        (range(0, 100, 10), [0.5], None, 0.0),  # a recall of .1 does not count
        (range(0, 90, 10), [0.5], None, 0.011111),
        ([0], [30, 0], [0.5, 0.5], 0.993827),  # of equal scores the later row ranks first
        ([0], [0, 30], [0.5, 0.5], 0.2),
        ([0, 1.5], [0.1, 0.1], None, 1.0),  # the second takes the farther object
        (TRUTH, [], None, 0.0),
    ],
)
def test_ap_at_2_m_by_hand(truth, found, scores, expected):
    assert ap(evaluated(list(truth), found, scores)) == expected


def test_translation_error_of_a_recall_that_is_not_reached_is_1():
    assert error(evaluated(range(0, 100, 10), [0.5])) == 1
    assert error(evaluated(range(0, 90, 10), [0.5])) == 0.5


def test_second_detection_takes_the_farther_object():
    assert error(evaluated([0, 1.5], [0.1, 0.1])) == pytest.approx(0.284, abs=5e-4)


def test_score_of_0_counts_for_ap_and_not_for_errors():
    result = evaluated([0], [0.4], [0.0])
    assert ap(result) == 1
    assert error(result) == 1
    assert [x.code for x in result.findings] == ["true-positives-of-score-0"]


def test_velocity_error_is_0_before_the_first_known_velocity():
    result = evaluated(TRUTH, TRUTH, velocities=[[math.nan, math.nan], [3, 0]])
    assert error(result, "AVE") == 0.85
    (finding,) = result.findings
    assert finding.code == "unknown-velocity"
    assert finding.text.startswith("1 of 2 true positives")


def test_class_without_any_velocity_has_velocity_error_1():
    result = evaluated(TRUTH, TRUTH, velocities=None)
    assert error(result, "AVE") == 1
    assert "detections without velocity: 2" in result.findings[0].evidence


def test_barrier_is_the_same_from_both_sides():
    rules = dataclasses.replace(CAR, classes=tuple(x for x in centres.NUSCENES.classes if x.name in {"car", "barrier"}))
    for name, expected in (("car", math.pi - 0.1), ("barrier", 0.1)):
        columns = {"labels": [name], "from_ego": [[0, 0]]}
        truth = centres.CentreTargets(boxes=[[0, 0, 0, 4, 2, 1, 0]], samples=[0], **columns)
        boxes = [[0, 0, 0, 4, 2, 1, math.pi - 0.1]]
        found = centres.CentreDetections(boxes=boxes, samples=[0], scores=[1], **columns)
        per_class = centres.evaluate(truth, found, rules=rules).per_class
        assert per_class["AOE"][rules.names.index(name)] == pytest.approx(expected)


def test_errors_of_one_pair_by_hand():
    # Centres 3-4-5 apart in tenths; half of the volume shared; a quarter turn; 3-4-5 m/s; another attribute.
    result = evaluated(
        [0],
        [0],
        boxes=[[0.3, 0.4, 9, 2, 2, 1.5, math.pi / 2]],
        velocities=[[3, 4]],
        attributes=["vehicle.moving"],
    )
    assert result.mean_errors[0].tolist() == pytest.approx([0.5, 0.5, math.pi / 2, 5, 1])
    expected = (5 * result.summary["mAP"] + 0.5 + 0.5 + 0 + 0 + 0) / 10
    assert result.summary["NDS"] == pytest.approx(expected)


def test_classes_without_errors_have_nan():
    per_class = evaluated([], [], rules=centres.NUSCENES).per_class
    lacking = {x.name: [e for e, column in per_class.items() if math.isnan(column[k])] for k, x in enumerate(RULES)}
    assert {name: x for name, x in lacking.items() if x} == {
        "traffic_cone": ["AOE", "AVE", "AAE"],
        "barrier": ["AVE", "AAE"],
    }


RULES = centres.NUSCENES.classes


@pytest.mark.parametrize("seed", range(12))
def test_equals_the_slow_reference(seed):
    rows = scenes.scene(seed, names=reference.CLASSES[:3] if seed % 3 == 0 else reference.CLASSES)
    expected, result = reference.evaluate(*rows), centres.evaluate(*scenes.tables(*rows))
    np.testing.assert_allclose(result.ap, list(expected["ap"].values()), rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.mean_errors, list(expected["errors"].values()), rtol=0, atol=1e-12)
    assert result.summary["mAP"] == pytest.approx(expected["mAP"], abs=1e-12)
    assert result.summary["NDS"] == pytest.approx(expected["NDS"], abs=1e-12)


def test_one_pair_at_a_time_in_memory_gives_the_same(monkeypatch):
    from omniou._lib import overlapping

    rows = scenes.tables(*scenes.scene(3))
    expected = centres.evaluate(*rows)
    monkeypatch.setattr(overlapping, "NUMPY_PAIRS", 7)
    assert np.array_equal(centres.evaluate(*rows).matches, expected.matches)


def test_ground_truth_as_detections_shows_what_is_dropped():
    points = [3, 0, -1, 5]
    targets = table(centres.CentreTargets, [0, 10, 20, 30], points=points, from_ego=[[0, 0]] * 3 + [[50, 0]])
    found = table(centres.CentreDetections, [0, 10, 20, 30], scores=[1] * 4, from_ego=[[0, 0]] * 3 + [[50, 0]])
    result = centres.evaluate(targets, found, rules=CAR)
    assert result.counts["objects"] == 4
    assert result.counts["objects without points"] == 1
    assert result.counts["objects out of range"] == result.counts["detections out of range"] == 1
    assert ap(result) < 1


def test_class_without_objects_counts_0_or_is_excluded():
    targets, found = scenes.tables(*scenes.scene(1, names=["car", "bus"]))
    result = centres.evaluate(targets, found)
    absent = [x for x in result.findings if x.code == "classes-without-objects"]
    assert absent[0].text.startswith("8 of 10 classes")
    assert result.summary["mAP"] == pytest.approx(float(result.ap[[0, 2]].mean()) / 5)
    other = centres.evaluate(targets, found, rules=dataclasses.replace(centres.NUSCENES, absent="exclude"))
    assert other.summary["mAP"] == pytest.approx(float(result.ap[[0, 2]].mean()))
    assert np.isnan(other.ap[1]).all()
    assert "classes-without-objects" not in [x.code for x in other.findings]


def test_objects_in_bicycle_racks_are_dropped():
    # A rack of 4 x 2 x 2, turned by a quarter: it reaches 1 along x and 2 along y, borders included.
    rules = dataclasses.replace(CAR, classes=tuple(x for x in RULES if x.name in {"car", "bicycle"}))
    places = [[0, 2, 0], [0, 2.01, 0], [1, 0, 1], [0, 0, 1.01], [0, 0, 0]]
    labels = ["bicycle"] * 4 + ["car"]
    boxes = [[*xyz, 1, 1, 1, 0] for xyz in places]
    columns = {"boxes": boxes, "labels": labels, "samples": ["a"] * 5, "from_ego": np.zeros((5, 2))}
    racks = centres.CentreRacks([[0, 0, 0, 4, 2, 2, math.pi / 2], [0, 0, 0, 9, 9, 9, 0]], ["a", "b"])
    result = centres.evaluate(
        *(centres.CentreTargets(**columns), centres.CentreDetections(**columns, scores=[0.5] * 5)),
        rules=rules,
        racks=racks,
    )
    assert result.counts["objects in racks"] == result.counts["detections in racks"] == 2
    assert result.objects.tolist() == [1, 2]


def test_results_of_two_sets_of_samples_add_to_the_result_of_both():
    rows = scenes.scene(5, samples=8)
    parts = [[[x for x in side if (x["sample"] < 4) == first] for side in rows] for first in (True, False)]
    ordered = [[*parts[0][k], *parts[1][k]] for k in (0, 1)]
    whole = centres.evaluate(*scenes.tables(*ordered))
    added = sum(centres.evaluate(*scenes.tables(*x)) for x in parts)
    assert added.summary == whole.summary
    assert np.array_equal(added.precision, whole.precision)
    assert np.array_equal(added.error_curves, whole.error_curves)
    assert added.counts == whole.counts
    assert np.array_equal(added.matches, whole.matches)


# Two of eight samples differ, so of the four ways to exchange them two have the observed difference: p is 1/2.
def test_ties_between_samples_keep_their_order_in_permutations():
    def of_model(right):
        samples, scores = list(range(8)), [0.5] * 8
        found = table(centres.CentreDetections, [10.0 if x else 30.0 for x in right], samples=samples, scores=scores)
        return centres.evaluate(table(centres.CentreTargets, [10.0] * 8, samples=samples), found, rules=CAR)

    one, other = of_model([1, 0, 0, 1, 1, 1, 0, 0]), of_model([1, 0, 0, 0, 1, 0, 0, 0])
    for models in ((one, other), (other, one)):
        exchanged = comparing.exchanged(*models, ["mAP"], samples=1000, seed=0)["mAP"]
        assert comparing.tested([exchanged], 0.95)[0][2] == 0.5


def test_adding_one_sample_twice_raises():
    result = evaluated(TRUTH, TRUTH)
    with pytest.raises(ValueError, match="must have different samples, got 0 in both"):
        result + result
    with pytest.raises(ValueError, match="must have the same `rules`"):
        result + evaluated([], [], rules=dataclasses.replace(CAR, ap_weight=1))
    with pytest.raises(TypeError):
        result + 3


def test_within_a_range_of_the_ego_vehicle():
    # The objects are 9 and 31 m away. The first is found by a detection 11 m away, which belongs to its range.
    rules = dataclasses.replace(CAR, distances=(1.0, 4.0), error_distance=4.0)
    targets = table(centres.CentreTargets, [9, 31], from_ego=[[9, 0], [31, 0]])
    found = table(centres.CentreDetections, [11, 40], scores=[0.9, 0.8], from_ego=[[11, 0], [40, 0]])
    result = centres.evaluate(targets, found, rules=rules)
    near, far, nothing = result.within(0, 10), result.within(10), result.within(20, 30)
    assert [round(float(x), 3) for x in near.ap[0]] == [0, 1]
    assert near.mean_errors[0, 0] == 2
    assert near.objects.tolist() == far.objects.tolist() == [1]
    # At 1 m the detection at 11 m matches nothing, and is a false positive of the far range.
    assert far.counted.tolist() == [[True, True], [False, True]]
    assert math.isnan(nothing.summary["mAP"])
    assert math.isnan(nothing.summary["NDS"])
    assert "out of range" not in str(near)


def test_within_needs_distances_and_limits():
    rules = dataclasses.replace(CAR, classes=(centres.CentreClass(name="car"),))
    result = evaluated(TRUTH, TRUTH, rules=rules)
    with pytest.raises(ValueError, match="`low` must be below `high`"):
        result.within(3, 2)
    bare = centres.evaluate(
        table(centres.CentreTargets, [0], from_ego=None),
        table(centres.CentreDetections, [0], scores=[1], from_ego=None),
        rules=rules,
    )
    assert bare.ap[0].tolist() == pytest.approx([1] * 4)
    with pytest.raises(ValueError, match="`within` needs distances from the ego vehicle"):
        bare.within(0, 10)


def test_result_is_shown_and_pickled():
    result = evaluated(TRUTH, TRUTH)
    assert repr(result).startswith("Result of 2 detections, 2 objects, 1 sample, 1 class\n  NDS 1.000")
    values = result.to_dict()
    assert values["summary"]["mAP"] == pytest.approx(1)
    assert values["per_class"][0]["objects"] == 2
    again = pickle.loads(pickle.dumps(result))  # noqa: S301
    assert again.summary == result.summary


def test_empty_tables_score_0():
    result = centres.evaluate(
        centres.CentreTargets([], [], [], from_ego=[]), centres.CentreDetections([], [], [], [], from_ego=[])
    )
    assert result.summary["NDS"] == result.summary["mAP"] == 0
    assert result.summary["mATE"] == 1


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"scores": [0.5, math.nan]}, r"`detections.scores\[1\]` must be finite, got nan"),
        ({"scores": [0.5, -1]}, r"`detections.scores\[1\]` must be at least 0, got -1.0"),
        ({"scores": [0.5]}, "columns of `detections` must have one length"),
        ({"boxes": [[0] * 7] * 2}, r"`detections.boxes\[0\]` must have sides above 0"),
        ({"boxes": [[0, 0, 0, 1, 1, math.inf, 0]] * 2}, r"`detections.boxes\[0\]` must be finite"),
        ({"boxes": [[0] * 10] * 2}, r"must have shape \(N, 7\) in the format 'xyzlwhr', got \(2, 10\)"),
        ({"boxes": [[0] * 4] * 2}, r"must have shape \(N, 7\) or \(N, 10\), got \(2, 4\)"),
        ({"labels": ["car", "cra"]}, r"`detections.labels\[1\]` must be one of the rules' names, got 'cra'"),
        ({"labels": [0, 1]}, r"`detections.labels\[1\]` must be below 1"),
        ({"labels": [0.5, 0]}, "`detections.labels` must hold integers"),
        ({"attributes": ["vehicle.parked", "parked"]}, r"`detections.attributes\[1\]` must be one of"),
        ({"velocities": [[0, 0], [math.inf, 0]]}, r"`detections.velocities\[1\]` must be finite or NaN"),
        ({"from_ego": None}, "`detections.from_ego` must be given: the rules have ranges"),
        ({"samples": ["a", "b"]}, "ids of samples must be all integers or all strings"),
        ({"boxes": [[0, 0, 0, 1, 1, 1, 90]] * 2}, "must have a yaw in radians, within two turns"),
        ({"labels": 0}, "`detections.labels` must have a row for each box, got one value, 0"),
        ({"labels": [None, "car"]}, r"`detections.labels\[0\]` must be a string or an integer, got None"),
        ({"samples": [0.5, 1]}, "`detections.samples` must hold integers or strings"),
    ],
)
def test_bad_column_is_named(columns, message):
    found = table(centres.CentreDetections, TRUTH, **{"scores": [0.5, 0.4]} | columns)
    with pytest.raises((TypeError, ValueError), match=message):
        centres.evaluate(table(centres.CentreTargets, TRUTH), found, rules=CAR)


def test_quaternion_of_length_0_is_refused():
    box = [0, 0, 0, 1, 1, 1]
    found = table(centres.CentreDetections, [0], scores=[1], boxes=[[*box, 0, 0, 0, 0]])
    targets = table(centres.CentreTargets, [0], boxes=[[*box, 1, 0, 0, 0]])
    with pytest.raises(ValueError, match=r"`detections.boxes\[0\]` must have a quaternion that is not 0"):
        centres.evaluate(targets, found, rules=CAR, format="nuscenes")


def test_sample_that_is_not_listed_is_named():
    targets = table(centres.CentreTargets, TRUTH, samples=["a", "b"])
    found = table(centres.CentreDetections, TRUTH, scores=[1, 1], samples=["a", "c"])
    with pytest.raises(ValueError, match=r"`detections\.samples` has 1 sample that `samples` does not list: 'c'"):
        centres.evaluate(targets, found, rules=CAR, samples=["a", "b"])


def test_more_detections_than_allowed_are_refused():
    rules = dataclasses.replace(CAR, max_detections=2)
    with pytest.raises(ValueError, match="at most 2 rows in a sample, got 3 in 0"):
        evaluated(TRUTH, [0, 1, 2], rules=rules)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("classes", ("car",), "`classes` must be a tuple of CentreClass, got str"),
        ("distances", 2.0, "`distances` must be a tuple of numbers"),
        ("classes", (), "`classes` must have distinct names"),
        ("distances", (2.0, 1.0), "`distances` must be rising numbers"),
        ("error_distance", 3.0, "`error_distance` must be one of"),
        ("min_recall", 1.0, "`min_recall` must be"),
        ("absent", "skip", "`absent` must be one of"),
        ("max_detections", 0, "`max_detections` must be a positive integer"),
    ],
)
def test_bad_rules_are_refused(field, value, message):
    with pytest.raises((TypeError, ValueError), match=message):
        dataclasses.replace(CAR, **{field: value})
