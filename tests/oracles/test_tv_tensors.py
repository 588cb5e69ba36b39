"""torchvision's own boxes, in every format that its conversion knows."""

import itertools

import pytest
import torch

from tests.torchvision_ops import ops  # isort: skip  (before anything imports torchvision)

from torchvision import tv_tensors
from torchvision.transforms.v2.functional import convert_bounding_box_format

from omniou import boxes, detection, losses, rotated
from omniou_integrations.torchmetrics import MeanAveragePrecision

UPRIGHT = ("XYXY", "XYWH", "CXCYWH")
ROTATED = ("CXCYWHR", "XYWHR", "XYXYXYXY")
FIRST = torch.tensor([[10.0, 10, 20, 20], [0, 0, 8, 6]])
SECOND = torch.tensor([[15.0, 10, 25, 20], [1, 1, 9, 6]])
TURNED = torch.tensor([[10.0, 10, 6, 4, 30], [5, 5, 4, 3, 80]])
ONE = torch.tensor([0, 1])


def knowing(rows, source, format):
    known = tv_tensors.BoundingBoxes(rows, format=source, canvas_size=(40, 50))
    return convert_bounding_box_format(known, new_format=format)


@pytest.mark.parametrize("formats", [*itertools.product(UPRIGHT, UPRIGHT)], ids="-".join)
def test_upright_boxes_of_torchvision(formats):
    a, b = (knowing(x, "XYXY", format) for x, format in zip((FIRST, SECOND), formats, strict=True))
    torch.testing.assert_close(boxes.iou(a, b), ops.box_iou(FIRST, SECOND).diagonal())
    torch.testing.assert_close(losses.giou(a, b), ops.generalized_box_iou_loss(FIRST, SECOND))
    same = knowing(FIRST, "XYXY", formats[1])
    for box_format in ("xyxy", "cxcywh"):
        metric = MeanAveragePrecision(box_format=box_format, iou_thresholds=[0.99])
        metric.update(
            [{"boxes": a, "scores": torch.tensor([0.9, 0.8]), "labels": ONE}], [{"boxes": same, "labels": ONE}]
        )
        assert metric.compute()["map"] == pytest.approx(1.0)


@pytest.mark.parametrize("formats", [*itertools.product(ROTATED, ROTATED)], ids="-".join)
def test_rotated_boxes_of_torchvision(formats):
    a, b = (knowing(TURNED, "CXCYWHR", format) for format in formats)
    assert rotated.iou(a, b).tolist() == pytest.approx([1.0, 1.0], abs=1e-4)
    corners = knowing(TURNED, "CXCYWHR", "XYXYXYXY").as_subclass(torch.Tensor)
    assert rotated.iou(a, corners, format="xyxyxyxy").tolist() == pytest.approx([1.0, 1.0], abs=1e-4)
    truth, found = [{"boxes": a, "labels": ONE}], [{"boxes": b, "labels": ONE, "scores": torch.tensor([0.9, 0.8])}]
    assert detection.evaluate(truth, found, kind="rotated").summary["AP"] == pytest.approx(1.0)


def test_torch_compile_of_boxes_of_torchvision():
    a, b = knowing(FIRST, "XYXY", "XYWH"), knowing(SECOND, "XYXY", "CXCYWH")
    compiled = torch.compile(losses.giou, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(a, b), ops.generalized_box_iou_loss(FIRST, SECOND))
