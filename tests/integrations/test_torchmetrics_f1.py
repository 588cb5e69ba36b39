"""Precision, recall and F1 of detections by hand, and as `Result.operating_points` has them."""

import math

import numpy as np
import pytest
import torch
from torch import tensor

from omniou import detection
from omniou_integrations.torchmetrics import PrecisionRecallF1

BOXES = tensor([[0.0, 0, 10, 10], [20, 20, 30, 30], [40, 40, 50, 50], [60, 60, 70, 70]])
# Class 0: found at 0.9 and 0.3, missed once, a false alarm at 0.6. Class 1: found at 0.5. Class 2: a false alarm.
TARGET = [
    {"boxes": BOXES[:3], "labels": tensor([0, 0, 0])},
    {"boxes": BOXES[:1], "labels": tensor([1])},
]
PREDS = [
    {"boxes": BOXES[[0, 1, 3]], "scores": tensor([0.9, 0.3, 0.6]), "labels": tensor([0, 0, 0])},
    {"boxes": BOXES[:2], "scores": tensor([0.5, 0.95]), "labels": tensor([1, 2])},
]


def numbers(metric):
    return {name: x.item() for name, x in metric.compute().items()}


def updated(metric):
    for k in range(2):
        metric.update(PREDS[k : k + 1], TARGET[k : k + 1])
    return metric


def test_numbers_at_a_threshold():
    """At 0.4: class 0 has one of two and one of three, class 1 one of one."""
    macro = numbers(updated(PrecisionRecallF1(0.4, class_metrics=True)))
    expected = {"precision": 0.75, "recall": 2 / 3, "f1": 0.7, "score_threshold": 0.4}
    expected |= {"precision/cl_0": 1 / 2, "recall/cl_0": 1 / 3, "f1/cl_0": 2 / 5}
    expected |= {"precision/cl_1": 1.0, "recall/cl_1": 1.0, "f1/cl_1": 1.0}
    expected |= {"precision/cl_2": 0.0, "recall/cl_2": math.nan, "f1/cl_2": math.nan}
    assert macro == pytest.approx(expected, nan_ok=True)
    micro = numbers(updated(PrecisionRecallF1(0.4, average="micro")))
    assert micro == pytest.approx({"precision": 0.5, "recall": 0.5, "f1": 0.5, "score_threshold": 0.4})
    # A score of exactly the threshold counts, also one that float32 has rounded down.
    assert numbers(updated(PrecisionRecallF1(0.9, class_metrics=True)))["recall/cl_0"] == pytest.approx(1 / 3)
    assert updated(PrecisionRecallF1(0.5, output="tensor")).compute().item() == pytest.approx(0.7)


def test_numbers_at_the_best_threshold():
    """All of 0.3 and better: two of three of class 0, both precision and recall."""
    metric = updated(PrecisionRecallF1())
    assert numbers(metric)["f1"] == pytest.approx((2 / 3 + 1) / 2)
    assert numbers(metric)["score_threshold"] == pytest.approx(0.3)
    assert numbers(updated(PrecisionRecallF1([0.8, 0.4])))["score_threshold"] == pytest.approx(0.4)
    assert numbers(updated(PrecisionRecallF1(iou_threshold=1.0)))["f1"] == pytest.approx(5 / 6)


def test_numbers_equal_operating_points():
    rng = np.random.default_rng(0)
    targets, found = [], []
    for _ in range(30):
        corner = rng.uniform(0, 60, (5, 2))
        boxes = np.concatenate([corner, corner + rng.uniform(10, 30, (5, 2))], axis=1)
        labels = rng.integers(0, 3, 5)
        targets.append({"boxes": boxes, "labels": labels, "iscrowd": rng.integers(0, 5, 5) == 0})
        moved = {"boxes": boxes + rng.normal(0, 4, (5, 4)), "labels": labels, "scores": rng.integers(0, 1000, 5) / 1000}
        found.append(moved)
    points = detection.evaluate(targets, found, protocol="coco").operating_points(
        scores=[k / 1000 for k in range(1001)]
    )
    metric = PrecisionRecallF1()
    as_tensors = [[{name: torch.from_numpy(x) for name, x in row.items()} for row in side] for side in (found, targets)]
    metric.update(*as_tensors)
    assert numbers(metric)["f1"] == pytest.approx(points.common_f1)
    assert numbers(metric)["score_threshold"] == pytest.approx(points.common_score)
    metric = PrecisionRecallF1(0.4)
    metric.update(*as_tensors)
    assert numbers(metric)["recall"] == pytest.approx(np.nanmean(points.recall[:, 400]))
    assert numbers(metric)["precision"] == pytest.approx(np.nanmean(points.precision[:, 400]))


def test_state_is_counts_that_merge():
    parts = [PrecisionRecallF1(), PrecisionRecallF1(), PrecisionRecallF1()]
    for k in range(2):
        parts[k].update(PREDS[k : k + 1], TARGET[k : k + 1])
        parts[2].merge_state(parts[k])
    assert numbers(parts[2]) == numbers(updated(PrecisionRecallF1()))
    size = [x.numel() for x in parts[2].metric_state.values()]
    parts[2].update(PREDS * 50, TARGET * 50)
    assert [x.numel() for x in parts[2].metric_state.values()] == size


def test_nothing_is_nan():
    metric = PrecisionRecallF1()
    metric.update([{"boxes": BOXES[:0], "scores": tensor([]), "labels": tensor([])}], [TARGET[0]])
    assert numbers(metric) == pytest.approx(
        {"precision": math.nan, "recall": 0.0, "f1": 0.0, "score_threshold": 1.0}, nan_ok=True
    )
    metric = PrecisionRecallF1(num_classes=2)
    metric.update(PREDS[:0], TARGET[:0])
    assert all(math.isnan(x) for x in numbers(metric).values())


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"score_threshold": "0.5"}, TypeError, "`score_threshold` must be a number"),
        ({"score_threshold": []}, ValueError, "`score_threshold` must be a number or a list"),
        ({"iou_threshold": 1.5}, ValueError, "iou_thresholds"),
        ({"average": "weighted"}, ValueError, "`average` must be one of 'macro', 'micro'"),
    ],
)
def test_wrong_options_raise(options, error, message):
    with pytest.raises(error, match=message):
        PrecisionRecallF1(**options)


def test_scores_of_other_scales_need_thresholds():
    percents = [{**x, "scores": x["scores"] * 100} for x in PREDS]
    with pytest.raises(ValueError, match=r"scores must lie in \[0, 1\] .* pass a list of thresholds"):
        PrecisionRecallF1().update(percents, TARGET)
    assert PrecisionRecallF1([30.0, 50.0])(percents, TARGET)["f1"].item() == pytest.approx(5 / 6)
    with pytest.raises(ValueError, match=r"labels must lie in 0 \.\.\. 9999"):
        PrecisionRecallF1().update(PREDS[:1], [{**TARGET[0], "labels": tensor([1, 0, 10**6])}])
