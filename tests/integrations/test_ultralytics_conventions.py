"""Ultralytics' own numbers, by the options of its convention."""

import numpy as np
import pytest
import torch
from ultralytics.utils import ops
from ultralytics.utils.metrics import batch_probiou, bbox_iou, box_iou, probiou
from ultralytics.utils.nms import TorchNMS

from omniou import boxes, conventions, gaussian, losses, pairwise, rotated
from tests.nms.scenes import THRESHOLDS, assert_same_kept

OURS = conventions["ultralytics"]


@pytest.fixture(params=[2e4, 640.0, 1.0, 0.03])
def sets(request):
    rng = np.random.default_rng(0)
    low = rng.uniform(0, 0.6 * request.param, (2, 60, 2))
    side = rng.uniform(0.03 * request.param, 0.6 * request.param, (2, 60, 2))
    return torch.tensor(np.concatenate([low, low + side], axis=-1))


def test_scores(sets):
    a, b = sets
    ours = pairwise(boxes.iou, a.float(), b.float(), **OURS)
    torch.testing.assert_close(ours, box_iou(a, b), rtol=2e-5, atol=1e-6)
    side = float((a[:, 2:] - a[:, :2]).min())
    for score, flag in ((boxes.iou, None), (boxes.giou, "GIoU"), (boxes.diou, "DIoU"), (boxes.ciou, "CIoU")):
        flags = {flag: True} if flag else {}
        # 1e-7 in the heights of corners.
        theirs = bbox_iou(a, b, xywh=False, **flags)[:, 0]
        ours = score(a, b, **OURS.of(score))
        torch.testing.assert_close(ours, theirs, rtol=0, atol=5e-7 / side)
        # Centres and sides are exact.
        a_c, b_c = (boxes.convert(x, "xyxy", "cxcywh") for x in (a, b))
        theirs = bbox_iou(a_c, b_c, **flags)[:, 0]
        torch.testing.assert_close(
            score(a_c, b_c, **{**OURS.of(score), "format": "cxcywh"}), theirs, rtol=1e-8, atol=1e-11
        )


def test_loss_and_gradient_of_ciou(sets):
    pred, target = sets
    results = []
    for loss in (
        lambda p: losses.ciou(p, target, **OURS.of(losses.ciou)),
        lambda p: 1.0 - bbox_iou(p, target, xywh=False, CIoU=True)[:, 0],
    ):
        p = pred.clone().requires_grad_()
        value = loss(p)
        results.append((value, *torch.autograd.grad(value.sum(), p)))
    side = float((pred[:, 2:] - pred[:, :2]).min())
    torch.testing.assert_close(*results, rtol=1e-6 / min(side, 1.0), atol=1e-6 / min(side, 1.0))


def test_probiou():
    rng = np.random.default_rng(0)
    a, b = (torch.tensor(rng.uniform([0, 0, 1, 1, -3], [6, 6, 8, 8, 3], (60, 5))) for _ in range(2))
    for x, y in ((a, b), (a, a)):
        ours = gaussian.probiou(x, y, **OURS.of(gaussian.probiou))
        torch.testing.assert_close(ours, probiou(x, y)[:, 0], rtol=0, atol=1e-6)


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_suppression(threshold):
    def keep(rows, scores, threshold):
        return TorchNMS.nms(torch.tensor(rows), torch.tensor(scores), threshold).tolist()

    assert_same_kept("ultralytics", keep, threshold)


def test_rotated_suppression_by_boxes_that_are_suppressed():
    """The second is suppressed, and still suppresses the third."""
    rows = torch.tensor([[0.0, 0, 10, 10, 0], [2.2, 0, 10, 10, 0], [4.4, 0, 10, 10, 0]])
    overlaps = [float(probiou(rows[i : i + 1], rows[j : j + 1])) for i, j in ((0, 1), (1, 2), (0, 2))]
    threshold = (overlaps[1] + overlaps[2]) / 2
    assert overlaps[2] < threshold < overlaps[1]
    scores = torch.tensor([0.9, 0.8, 0.7])
    assert TorchNMS.fast_nms(rows, scores, threshold, iou_func=batch_probiou).tolist() == [0]
    assert "still suppresses" in OURS.rules["suppression"]


def test_examples():
    validation, corners = OURS.examples
    a, b = (torch.tensor([x]).double() for x in validation.arguments)
    assert box_iou(a, b).item() == pytest.approx(validation.value)
    a, b = (torch.tensor([x]).double() for x in corners.arguments)
    assert bbox_iou(a, b, xywh=False).item() == pytest.approx(corners.value) == pytest.approx(0.998981, abs=5e-7)


def test_angle():
    box = torch.tensor([3.0, 4.0, 6.0, 2.0, 0.4], dtype=torch.float64)
    own = rotated.convert(box, "cxcywhr", "cxcywhr", **OURS.angle)
    ours, theirs = (x.numpy().round(9).tolist() for x in (rotated.corners(own), ops.xywhr2xyxyxyxy(box[None])[0]))
    assert sorted(ours) == sorted(theirs)
