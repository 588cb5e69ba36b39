"""Intervals in time by the rules of ActivityNet, THUMOS14 and HACS."""

import dataclasses
import pickle

import numpy as np
import pytest

from omniou import boxes, detection, geometry
from omniou.detection import ACTIVITYNET, HACS, THUMOS14, Detections, Targets
from tests.benchmarks.temporal import INTERVALS, intervals
from tests.detection import activitynet_reference as reference

EXACT = {"rtol": 0, "atol": 1e-12}


def evaluated(truth, found, **options):
    """Intervals of one class and video; those that were found have a score as their third number."""
    zeros = [0] * len(truth), [0] * len(found)
    detections = Detections([x[:2] for x in found], [x[2] for x in found], zeros[1], zeros[1])
    return detection.evaluate(Targets(truth, zeros[0], zeros[0]), detections, kind="intervals", **options)


def sample(seed, objects=40, predictions=300):
    rng = np.random.default_rng(seed)
    begin = rng.uniform(0, 60, objects)
    truth = np.stack([begin, begin + rng.uniform(1, 30, objects)], axis=1)
    near = rng.integers(objects, size=predictions)
    moved = truth[near] + rng.normal(0, rng.choice([0.2, 2, 8], (predictions, 1)), (predictions, 2))
    found = np.sort(moved, axis=1) + np.asarray([0, 0.01])
    labels, videos = rng.integers(4, size=objects), rng.integers(6, size=objects)
    # Some in other videos, one of which has no objects, and some of a class that has none.
    at = np.where(rng.random(predictions) < 0.8, videos[near], rng.integers(7, size=predictions))
    said = np.where(rng.random(predictions) < 0.8, labels[near], rng.integers(5, size=predictions))
    return Targets(truth, labels, videos), Detections(found, rng.permutation(predictions) / predictions, said, at)


@pytest.mark.parametrize("protocol", ["activitynet", "thumos14"])
@pytest.mark.parametrize("seed", range(6))
def test_ap_equals_official_rule_for_distinct_scores(protocol, seed):
    targets, detections = sample(seed)
    thresholds = {"activitynet": np.linspace(0.5, 0.95, 10), "thumos14": np.linspace(0.3, 0.7, 5)}[protocol]

    result = detection.evaluate(targets, detections, kind="intervals", protocol=protocol)

    expected = reference.mean_average_precision(targets, detections, thresholds)
    assert result.protocol.iou_thresholds == tuple(thresholds)
    known = np.isin(result.classes, targets.labels)
    np.testing.assert_allclose(result.per_class["AP"][known], expected.mean(axis=0), **EXACT)
    assert np.isnan(result.per_class["AP"][~known]).all()
    assert result.summary["AP"] == pytest.approx(expected.mean(), rel=0, abs=1e-12)
    assert result.summary["AP50"] == pytest.approx(expected[list(thresholds).index(0.5)].mean(), rel=0, abs=1e-12)


@pytest.mark.parametrize(("seed", "most"), [(0, 100), (1, 20), (2, 5), (3, 1000)])
def test_average_recall_equals_official_rule(seed, most):
    targets, detections = sample(seed)

    found = detection.evaluate(targets, detections, kind="intervals").proposals(most)

    recall, numbers, area = reference.average_recall(targets, detections, most, np.linspace(0.5, 0.95, 10))
    np.testing.assert_allclose(found.recall, recall, **EXACT)
    np.testing.assert_allclose(found.numbers, numbers, rtol=1e-12)
    assert found.area == pytest.approx(area, rel=0, abs=1e-12)


def test_average_recall_by_hand():
    # The first proposal covers one of two objects, the second none, the third the other: 2 of 3 at a mean of 3.
    result = evaluated([(0, 10), (20, 30)], [(0, 10, 0.9), (50, 60, 0.8), (20, 30, 0.7)])
    found = result.proposals(3)

    assert found.numbers[[0, -1]].tolist() == [0.03, 3]
    assert found.average_recall[[32, 33, 98, 99]].tolist() == [0, 0.5, 0.5, 1]
    assert np.isnan(evaluated([(0, 10)], []).proposals().area)


def test_one_proposal_covers_several_objects():
    found = evaluated([(0, 10), (0, 11)], [(0, 10.5, 0.9)]).proposals(1)

    assert found.recall[0, -1] == 1
    with pytest.raises(ValueError, match="`most` must be a positive integer, got 0"):
        evaluated([(0, 10)], [(0, 10, 0.9)]).proposals(0)


def test_equal_scores_rank_last_first():
    hit, miss = (0, 10, 0.5), (20, 30, 0.5)

    assert evaluated([(0, 10)], [hit, miss]).summary["AP"] == 0.5
    assert evaluated([(0, 10)], [miss, hit]).summary["AP"] == 1
    first = dataclasses.replace(ACTIVITYNET, tie_policy="file")
    assert evaluated([(0, 10)], [hit, miss], protocol=first).summary["AP"] == 1


def test_equal_scores_of_two_videos_rank_last_video_first():
    targets = Targets([(0, 10), (0, 10)], [0, 0], [0, 1])
    for hit, ap in ((0, 0.25), (1, 0.5)):
        ends = [(0, 10), (0, 10)]
        ends[1 - hit] = (50, 60)
        result = detection.evaluate(targets, Detections(ends, [0.5, 0.5], [0, 0], [0, 1]), kind="intervals")
        assert result.summary["AP"] == ap


def test_ties_are_the_same_in_parts_matches_errors_and_limits():
    rng = np.random.default_rng(0)
    targets, found = sample(0)
    found = dataclasses.replace(found, scores=rng.integers(0, 4, 300) / 4)
    protocol = dataclasses.replace(ACTIVITYNET, max_detections=(3, None))
    whole = detection.evaluate(targets, found, kind="intervals", protocol=protocol)
    evaluator = detection.Evaluator(protocol, kind="intervals", keep_boxes=True)
    for video in (4, 1, 6, 0, 2, 5, 3):
        own, of = targets.images == video, found.images == video
        evaluator.update(
            Targets(targets.boxes[own], targets.labels[own], targets.images[own]),
            Detections(found.boxes[of], found.scores[of], found.labels[of], found.images[of]),
        )

    assert evaluator.compute().summary == whole.summary
    assert whole.errors().ap == pytest.approx(whole.summary["AP50"])
    assert int(whole.matches.hits[0].sum()) == round(float((whole.recall[0, :, 0, -1] * whole.objects[:, 0])[:4].sum()))
    # Reversed rows of reversed videos, ranked first to last, are the same list.
    flipped = Targets(targets.boxes[::-1], targets.labels[::-1], 6 - targets.images[::-1])
    other = Detections(found.boxes[::-1], found.scores[::-1], found.labels[::-1], 6 - found.images[::-1])
    first = dataclasses.replace(protocol, tie_policy="file")
    assert detection.evaluate(flipped, other, kind="intervals", protocol=first).summary == pytest.approx(whole.summary)


def test_limit_keeps_last_of_equal_scores():
    one = dataclasses.replace(ACTIVITYNET, max_detections=(1,))

    assert evaluated([(0, 10)], [(0, 10, 0.5), (20, 30, 0.5)], protocol=one).summary["AP"] == 0
    assert evaluated([(0, 10)], [(20, 30, 0.5), (0, 10, 0.5)], protocol=one).summary["AP"] == 1


def test_second_prediction_of_an_object_is_a_false_positive():
    found = [(0, 10, 0.9), (0, 10, 0.8), (20, 30, 0.7)]

    result = evaluated([(0, 10), (20, 30)], found)

    assert result.summary["AP"] == pytest.approx(0.833333, abs=1e-6)
    assert result.matches.hits[0].tolist() == [True, False, True]


def test_prediction_takes_next_object_where_its_best_is_taken():
    found = [(0, 10, 0.9), (0, 10, 0.8)]

    assert evaluated([(0, 10), (0, 11)], found).summary["AP50"] == 1


@pytest.mark.parametrize("interval", [(5, 5), (7, 5)])
def test_intervals_that_do_not_last_are_refused(interval):
    message = rf"`targets\.boxes\[1\]` must end after it begins, got \[{interval[0]}\.0, 5\.0\]"
    with pytest.raises(ValueError, match=message):
        evaluated([(0, 1), interval], [(0, 1, 0.5)])
    with pytest.raises(ValueError, match=r"`detections\.boxes\[0\]` must end after it begins"):
        evaluated([(0, 1)], [(*interval, 0.5)])
    with pytest.raises(ValueError, match=r"`targets\.boxes\[0\]` must end after it begins, got \[3\.0, 0\.0\]"):
        evaluated([(3, 0)], [(0, 1, 0.5)], format="xw")
    with pytest.raises(ValueError, match="must be finite"):
        evaluated([(0, float("nan"))], [(0, 1, 0.5)])


def test_tiou_that_meets_a_threshold_matches():
    result = evaluated([(0, 1)], [(0, 0.6, 0.5)])

    assert ACTIVITYNET.iou_thresholds[8] == 0.8999999999999999
    assert result.matches.hits[:, 0].tolist() == [True, True, True, *[False] * 7]
    assert result.matches.overlaps[0, 0] == 0.6


def test_nothing_is_clipped():
    assert evaluated([(0, 20)], [(0, 30, 0.5)]).matches.overlaps[0, 0] == 20 / 30


def test_class_of_predictions_only_is_counted_and_class_without_predictions_is_zero():
    targets = Targets([(0, 10), (0, 10)], [0, 1], [0, 0])
    result = detection.evaluate(targets, Detections([(0, 10), (0, 9)], [0.5, 0.6], [0, 7], [0, 0]), kind="intervals")

    assert result.summary["AP"] == 0.5
    assert result.state.counts["detections"] == 2


def test_rules_and_words_of_the_kind():
    result = evaluated([(0, 10)], [(0, 10, 0.5)])

    assert result.protocol == ACTIVITYNET == HACS
    assert repr(result).startswith("Result of 1 detection, 1 object, 1 video, 1 class")
    assert "1 video," in result._repr_html_()
    assert evaluated([(0, 10)], [(0, 10, 0.5)], protocol="coco").protocol == detection.COCO
    assert list(THUMOS14.iou_thresholds) == np.linspace(0.3, 0.7, 5).tolist()
    names = detection.evaluate(*sample(0), kind="intervals", protocol="thumos14").summary
    assert list(names) == ["AP", "AP30", "AP40", "AP50", "AP60", "AP70", "AR"]


def test_formats_and_geometry_of_intervals():
    corners = evaluated([(2, 5)], [(2, 4, 0.5)])
    sides = evaluated([(2, 3)], [(2, 2, 0.5)], format="xw")
    centres = evaluated([(3.5, 3)], [(3, 2, 0.5)], format="cxw")

    assert corners.summary == sides.summary == centres.summary
    assert pickle.loads(pickle.dumps(boxes.INTERVALS)) is boxes.INTERVALS  # noqa: S301
    with pytest.raises(ValueError, match=r"`targets\.boxes` must have shape \(N, 2\), got \(1, 4\)"):
        evaluated([(0, 1, 2, 3)], [(0, 1, 0.5)])


def test_scores_and_losses_of_intervals():
    scores = geometry.functions(boxes.INTERVALS)

    assert float(scores["iou"]([0, 10], [5, 10], format="xw")) == pytest.approx(1 / 3)
    assert float(scores["giou"]([0, 10], [20, 30])) == pytest.approx(-1 / 3)
    assert float(geometry.losses(boxes.INTERVALS)["iou"]([0.0, 10], [0.0, 5])) == 0.5
    result = evaluated([(0, 10)], [(0, 9, 0.5)], score="giou")
    assert result.matches.overlaps[0, 0] == 0.9
    assert "1 video," in repr(result)


def test_check_of_arrays_finds_frames_for_seconds():
    targets, found = sample(0)
    frames = dataclasses.replace(found, boxes=found.boxes * 25)

    assert detection.check(targets, found, kind="intervals") == []
    codes = [x.code for x in detection.check(targets, frames, kind="intervals")]
    assert codes == ["intervals-unit"]


@pytest.mark.parametrize("name", INTERVALS)
def test_check_finds_units_frame_rates_and_shifts(name):
    code, words, change = INTERVALS[name]
    targets, found = intervals()
    (finding,) = detection.check(targets, dataclasses.replace(found, boxes=change(found.boxes)), kind="intervals")
    assert finding.code == code
    assert words in f"{finding.text}; {finding.hint}"


@pytest.mark.parametrize("noise", [0.05, 5, 40])
def test_check_does_not_accuse_poor_intervals(noise):
    for seed in range(6):
        assert detection.check(*intervals(seed, noise=noise), kind="intervals") == []
