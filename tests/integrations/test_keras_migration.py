"""Differences from KerasCV as docs/keras.md lists them, worked out by hand."""

import math

import numpy as np
import pytest

from omniou import boxes, pairwise
from omniou_integrations.keras import BoxIoU, CIoULoss, GIoULoss, IoULoss
from tests.integrations.keras_cases import numbers, scored

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy:DeprecationWarning")

A, B = [0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 2.0, 2.0]


def test_ciou_loss_has_published_aspect_term():
    # IoU 4 / 10, squared distance of the centres over that of the hull's diagonal 0.25 / 25, and two aspects:
    difference = math.atan(4 / 2) - math.atan(2 / 3)
    right, wrong = 4 / math.pi**2 * difference**2, (4 / math.pi**2 * difference) ** 2
    assert wrong / right == pytest.approx(0.405285, abs=1e-6)
    losses = [1 - 0.4 + 0.01 + v * v / (1 - 0.4 + v) for v in (right, wrong)]
    assert losses == pytest.approx([0.626823, 0.613042], abs=1e-6)

    actual = CIoULoss()([[1.0, 0, 3, 3]], [[0.0, 0, 4, 2]])
    assert float(actual) == pytest.approx(losses[0], abs=1e-6)


def test_giou_loss_of_batches_of_boxes():
    # GIoU of corner-to-corner squares is 0 - 2 / 4. The first two axes of (image, true box, predicted box) pair the
    # true box 0 of image 0, and 1 of image 1, with all predictions of their image: half of these are wrong.
    batch = np.asarray([[A, B], [A, B]])
    theirs = 1 - np.diagonal(pairwise(boxes.giou, batch, batch)).mean(axis=-1)
    assert theirs.tolist() == [0.75, 0.75]

    assert numbers(GIoULoss(reduction=None)(batch, batch)).tolist() == [[0, 0], [0, 0]]
    assert float(GIoULoss()(batch, batch)) == 0
    # The loss of a single wrong prediction is in its element alone.
    wrong = np.asarray([[A, B], [A, A]])
    assert numbers(GIoULoss(reduction=None)(batch, wrong)).tolist() == [[0, 0], [0, 1.5]]


def test_log_loss_is_mean_of_logs():
    target, pred = [[0.0, 0, 2, 2], [0, 0, 2, 2]], [[0.0, 0, 2, 2], [0, 0, 1, 1]]  # IoU 1 and 1/4
    assert -math.log((1 + 1 / 4) / 2) == pytest.approx(0.4700, abs=1e-4)

    assert float(IoULoss(log=True)(target, pred)) == pytest.approx((0 + math.log(4)) / 2)
    assert math.log(4) / 2 == pytest.approx(0.6931, abs=1e-4)
    assert float(IoULoss()(target, pred)) == pytest.approx(1 - (1 + 1 / 4) / 2)


def test_iou_of_small_boxes():
    box = [[0.0, 0.0, 1e-4, 1e-4]]
    with_an_epsilon = 1e-8 / (1e-8 + 1e-7)
    assert with_an_epsilon == pytest.approx(0.0909, abs=1e-4)

    metric = BoxIoU()
    metric.update_state(box, box)
    assert float(metric.result()) == pytest.approx(1)
    assert float(CIoULoss()(box, box)) == pytest.approx(0, abs=1e-6)


def test_class_0_is_evaluated():
    truth = {"boxes": np.asarray([[A, B]]), "classes": np.asarray([[1.0, 0.0]])}
    detections = {"boxes": np.asarray([[A]]), "classes": np.asarray([[1]]), "confidence": np.asarray([[0.9]])}
    detections["num_detections"] = np.asarray([1])

    # One class has AP 1, the other 0. Without the dropped object the mean would be 1.
    result = scored(detections, truth, class_names=["zero", "one"])
    names = ["val_map", "val_map/zero", "val_map/one"]
    assert [result[name] for name in names] == pytest.approx([0.5, 0, 1])


def test_image_without_predictions_lowers_recall():
    truth = {"boxes": np.asarray([[A], [A]]), "classes": np.asarray([[1], [1]])}
    detections = {"boxes": np.asarray([[A], [A]]), "classes": np.asarray([[1], [1]])}
    detections |= {"confidence": np.asarray([[0.9], [0.9]]), "num_detections": np.asarray([1, 0])}

    # Recall 1/2: 51 of 101 points.
    assert scored(detections, truth)["val_map"] == pytest.approx(51 / 101)


def test_area_range_without_objects_is_nan():
    truth = {"boxes": np.asarray([[A]]), "labels": np.asarray([[1]])}
    detections = truth | {"scores": np.asarray([[0.0]])}

    result = scored(detections, truth, results=["map", "map_large"])
    assert result["val_map"] == pytest.approx(1), "a detection of score 0 counts"
    assert math.isnan(result["val_map_large"])
