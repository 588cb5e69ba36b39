"""Precision, recall and F1 that `Evaluator.update` returns."""

import dataclasses
import math

import pytest

from omniou import detection
from omniou.detection._matcher import Matcher
from tests.helpers import numbers

np = pytest.importorskip("numpy")

BOX, FAR = [0, 0, 10, 10], [50, 50, 60, 60]
TARGETS = [
    {"boxes": [BOX, FAR], "labels": [1, 2], "iscrowd": [0, 0]},
    {"boxes": [BOX, FAR], "labels": [1, 1], "iscrowd": [0, 1]},
    {"boxes": [], "labels": [], "iscrowd": []},
]
# Image 0: a true positive, a wrong class, a duplicate below 0.5. Image 1: IoU 0.6; inside a crowd. Image 2: no objects.
DETECTIONS = [
    {"boxes": [BOX, FAR, BOX], "scores": [0.9, 0.5, 0.3], "labels": [1, 1, 1]},
    {"boxes": [[0, 0, 10, 6], FAR], "scores": [0.75, 0.8], "labels": [1, 1]},
    {"boxes": [BOX], "scores": [0.95], "labels": [2]},
]


def points(summary):
    return summary.true_positives, summary.false_positives, summary.false_negatives


@pytest.mark.parametrize(
    ("options", "counts"),
    [
        ({}, (2, 2, 1)),  # a score of exactly 0.5 counts
        ({"score_threshold": 0.0}, (2, 3, 1)),
        ({"score_threshold": 0.8}, (1, 1, 2)),
        ({"score_threshold": 1.5}, (0, 0, 3)),
        ({"iou_threshold": 0.65}, (1, 3, 2)),
        ({"iou_threshold": 0.6000000001}, (2, 2, 1)),  # 0.6 of `arange`, which an IoU of 0.6 reaches
    ],
)
def test_summary_by_hand(options, counts):
    summary = detection.Evaluator().update(TARGETS, DETECTIONS, batch_summary=True, **options)
    hits, false, missed = counts
    assert points(summary) == counts
    assert summary.recall == hits / 3
    assert summary.f1 == 2 * hits / (2 * hits + false + missed)
    assert math.isnan(summary.precision) if hits + false == 0 else summary.precision == hits / (hits + false)


def test_summary_of_nothing_is_nan():
    evaluator = detection.Evaluator()
    for targets, detections, counts in (([], [], (0, 0, 0)), (TARGETS[2:], DETECTIONS[2:], (0, 1, 0))):
        summary = evaluator.update(targets, detections, batch_summary=True)
        assert points(summary) == counts
        assert math.isnan(summary.recall)
        assert math.isnan(summary.f1)
    padding = {"boxes": [BOX, BOX], "labels": [1, -1]}
    summary = evaluator.update([padding], [padding | {"scores": [0.9, 0.9]}], batch_summary=True)
    assert points(summary) == (1, 0, 0)


def random_images(seed, count):
    rng = np.random.default_rng(seed)
    targets, detections = [], []
    for _ in range(count):
        size = rng.integers(0, 6)
        low = rng.uniform(0, 60, (size, 2))
        boxes = np.concatenate([low, low + rng.uniform(5, 40, (size, 2))], axis=1)
        labels = rng.integers(0, 3, size)
        targets.append({"boxes": boxes, "labels": labels, "iscrowd": rng.integers(0, 8, size) == 0})
        of = rng.integers(0, size, 12) if size else np.zeros(0, int)
        found = boxes[of] + rng.normal(0, 3, (len(of), 4))
        found[:, 2:] = np.maximum(found[:, 2:], found[:, :2])
        scores = rng.integers(0, 20, len(of)) / 20
        detections.append({"boxes": found, "labels": (labels[of] + (rng.random(len(of)) < 0.1)) % 3, "scores": scores})
    return targets, detections


def of_class(images, label):
    """The rows of a class."""
    keep = [np.asarray(row["labels"]) == label for row in images]
    return [{name: x[some] for name, x in row.items()} for row, some in zip(images, keep, strict=True)]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"protocol": "voc2010"},
        {"protocol": dataclasses.replace(detection.COCO, max_detections=(1, 2), tie_policy="last")},
        {"keep_boxes": True, "protocol": "open_images"},
    ],
)
@pytest.mark.parametrize("score", [0.0, 0.35, 0.8])
def test_summary_of_a_class_equals_operating_points_and_counts_add_up(options, score):
    targets, detections = random_images(3, 6)
    rules = {name: x for name, x in options.items() if name != "keep_boxes"}
    counts = []
    for label in range(3):
        some = of_class(targets, label), of_class(detections, label)
        summary = detection.Evaluator(**options).update(*some, batch_summary=True, score_threshold=score)
        table = detection.evaluate(*some, **rules).operating_points(0.5, [score])
        np.testing.assert_array_equal(summary[:3], [x[0, 0] for x in (table.precision, table.recall, table.f1)])
        counts.append(points(summary))
    summary = detection.Evaluator(**options).update(targets, detections, batch_summary=True, score_threshold=score)
    assert points(summary) == tuple(map(sum, zip(*counts, strict=True)))
    agnostic = {"batch_summary": True, "score_threshold": score}
    summary = detection.Evaluator(**options, class_agnostic=True).update(targets, detections, **agnostic)
    table = detection.evaluate(targets, detections, **rules, class_agnostic=True).operating_points(0.5, [score])
    np.testing.assert_array_equal(summary[:3], [x[0, 0] for x in (table.precision, table.recall, table.f1)])


@pytest.mark.parametrize("keeps", [False, True])
def test_summary_changes_no_number(xp, keeps):
    plain, told = (detection.Evaluator("voc2010", keep_boxes=keeps) for _ in range(2))
    for k in range(4):
        targets, detections = random_images(k, 3)
        moved = [[{name: xp.asarray(x) for name, x in row.items()} for row in side] for side in (targets, detections)]
        assert plain.update(*moved) is None
        summary = told.update(*moved, batch_summary=k % 2 == 0)
        assert (summary is None) == (k % 2 == 1)
    one, other = plain.compute(), told.compute()
    assert one.summary == other.summary
    for name in ("precision", "recall", "scores"):
        np.testing.assert_array_equal(numbers(getattr(one, name)), numbers(getattr(other, name)))
    if keeps:
        np.testing.assert_array_equal(numbers(one.matches.objects), numbers(other.matches.objects))


def test_batch_is_matched_once(monkeypatch):
    calls = []
    matched = Matcher.matched
    monkeypatch.setattr(Matcher, "matched", lambda self, x: calls.append(len(x)) or matched(self, x))
    evaluator = detection.Evaluator()
    evaluator.update(TARGETS, DETECTIONS, batch_summary=True)
    evaluator.update(TARGETS, DETECTIONS, batch_summary=True)
    _ = evaluator.compute().summary
    assert calls == [1, 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_summary": True, "iou_threshold": 0.62}, "`iou_threshold` must be one of the protocol's"),
        ({"batch_summary": True, "score_threshold": "high"}, "`score_threshold` must be a number"),
        ({"batch_summary": 1}, "`batch_summary` must be True or False"),
        ({"score_threshold": 0.5}, "`score_threshold` is for a summary"),
        ({"iou_threshold": 0.5}, "`iou_threshold` is for a summary"),
    ],
)
def test_wrong_options_change_nothing(options, message):
    evaluator = detection.Evaluator()
    with pytest.raises((TypeError, ValueError), match=message):
        evaluator.update(TARGETS, DETECTIONS, **options)
    assert evaluator.state.counts["images"] == 0


def test_percents_next_to_a_threshold_below_one_are_refused():
    percents = [row | {"scores": [100 * x for x in row["scores"]]} for row in DETECTIONS]
    evaluator = detection.Evaluator()
    with pytest.raises(ValueError, match=r"`score_threshold` is 0\.5, but scores go from 30 to 95: .* give 50"):
        evaluator.update(TARGETS, percents, batch_summary=True)
    assert evaluator.state.counts["images"] == 0
    summary = evaluator.update(TARGETS, percents, batch_summary=True, score_threshold=50)
    assert points(summary) == (2, 2, 1)
    # A model that starts to learn scores below 1 %.
    low = [row | {"scores": [0.9 * x for x in row["scores"]]} for row in DETECTIONS]
    assert points(evaluator.update(TARGETS, low, batch_summary=True, score_threshold=50)) == (0, 0, 3)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("score", [0.9, 0.13, 0.7, 0.3, 0.5])
def test_a_score_meets_a_threshold_in_its_own_bits(dtype, score):
    # In 32 bits 0.9, 0.13 and 0.7 are lower, 0.3 higher, and 0.5 the same.
    boxes = np.asarray([[20.0 * k, 0, 20 * k + 10, 10] for k in range(4)])
    targets = [{"boxes": boxes, "labels": np.ones(4, int)}]
    found = [{"boxes": boxes, "labels": np.ones(4, int), "scores": np.full(4, score, dtype)}]
    summary = detection.Evaluator().update(targets, found, batch_summary=True, score_threshold=score)
    assert points(summary) == (4, 0, 0)
    assert summary.score_threshold == score
    result = detection.evaluate(targets, found)
    assert numbers(result.operating_points(scores=[score]).recall).tolist() == [[1]]
    assert numbers(result.operating_points().recall)[0].tolist() == [x / 100 <= score for x in range(101)]
    assert result.operating_points().common_score == score
    for given in (score, None, result.operating_points().common_score, result.least_score()):
        assert numbers(result.confusion(score=given).counts).tolist() == [[4, 0], [0, 0]]
    assert numbers(result.calibration(score=score).counts).sum() == 4
    assert numbers(result.empty_images(scores=[score]).recall).tolist() == [1]
    assert numbers(result.empty_images(scores=[score]).image_f1).tolist() == [1]


def test_a_score_of_64_bits_below_a_threshold_does_not_meet_it():
    found = [{"boxes": [BOX, FAR], "scores": [float(np.float32(0.9)), 0.1], "labels": [1, 2]}]
    summary = detection.Evaluator().update(TARGETS[:1], found, batch_summary=True, score_threshold=0.9)
    assert points(summary) == (0, 0, 2)
