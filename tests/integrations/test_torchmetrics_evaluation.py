"""`DetectionEvaluation`: numbers by name or by a function, worked out by hand."""

import pickle

import pytest
import torch
from torchmetrics import MetricCollection

from omniou_integrations.torchmetrics import DetectionEvaluation

BOXES = torch.tensor([[0.0, 0, 10, 10], [20, 20, 30, 30]])
# The first detection matches; the second has the box of an object, but another class.
PREDS = [{"boxes": BOXES, "scores": torch.tensor([0.9, 0.8]), "labels": torch.tensor([0, 1])}]
TARGET = [{"boxes": BOXES, "labels": torch.tensor([0, 0])}]


def value(numbers, **options):
    return DetectionEvaluation(numbers, **options)(PREDS, TARGET)


def test_numbers_by_name():
    # F1 is best at the score of the hit, 0.9: the detection of another class scores less.
    confusion = value("confusion", num_classes=3)
    assert confusion["confusion"].tolist() == [[1, 0, 0, 1], [0] * 4, [0] * 4, [0] * 4]
    assert confusion["score"] == pytest.approx(0.9)  # of 0.00, 0.01, ...
    counts = value(lambda result: result.confusion(0.25).counts, num_classes=3)
    assert counts.tolist() == [[1, 1, 0, 0], [0] * 4, [0] * 4, [0] * 4]
    errors = value("errors")
    assert (errors["classification_count"], errors["missed_count"]) == (1, 0)
    assert errors["ap"] == pytest.approx(51 / 101)
    assert errors["classification_cost"] == pytest.approx(50 / 101)
    # At the best score: one hit, no false positive, one missed object: (0 + 0 + 1) / 2.
    assert value("lrp")["oLRP"] == 0.5
    assert value("calibration")["calibration_error"] == pytest.approx((0.1 + 0.8) / 2)
    points = value("operating_points")
    assert points["f1"] == pytest.approx(2 / 3)
    assert points["score_per_class"][0] == pytest.approx(0.9)
    assert value("summary", protocol="voc2010") == {"AP": 0.5, "AR": 0.5}


def test_numbers_by_function():
    assert value(lambda result: result.mean_iou[0])[0] == 1
    assert value(lambda result: result.summary["AP50"]) == pytest.approx(51 / 101)


def test_class_agnostic_matches_across_classes():
    assert value("summary", protocol="voc2010", class_agnostic=True) == {"AP": 1, "AR": 1}
    assert value("confusion", class_agnostic=True)["confusion"].tolist() == [[2, 0], [0, 0]]


def test_pickle_round_trip():
    metric = DetectionEvaluation("lrp")
    metric.update(PREDS, TARGET)
    assert pickle.loads(pickle.dumps(metric)).compute() == metric.compute()  # noqa: S301  (our own)


def test_collection_shares_one_state():
    metrics = MetricCollection({name: DetectionEvaluation(name) for name in ("lrp", "calibration", "summary")})
    metrics.update(PREDS, TARGET)
    assert list(metrics.compute_groups.values()) == [["calibration", "lrp", "summary"]]
    metrics.update(PREDS, TARGET)
    assert metrics.compute()["oLRP"] == 0.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"numbers": "tide"}, "`numbers` must be one of 'summary', 'lrp', .*, got 'tide'"),
        ({"protocol": "voc"}, "`protocol` must be one of 'coco', .*, got 'voc'"),
        ({"iou_type": "obb"}, "`iou_type` must be one of 'bbox', 'segm', .*, got 'obb'"),
        ({"box_format": "xy"}, "`box_format` must be one of"),
        ({"num_classes": 0}, "`num_classes` must be a positive integer, got 0"),
    ],
)
def test_invalid_options_raise(options, message):
    with pytest.raises(ValueError, match=message):
        DetectionEvaluation(**options)
