"""Metrics read boxes in the format that they know."""

import pytest
import torch

from omniou_integrations.torchmetrics import HOTA, IntersectionOverUnion, MeanAveragePrecision


class KnowingBoxes(torch.Tensor):
    """What torchvision's `BoundingBoxes` are to omniou."""

    format, canvas_size = "XYWH", (40, 50)


BOXES = torch.tensor([[10.0, 10, 10, 10]]).as_subclass(KnowingBoxes)
CORNERS = torch.tensor([[10.0, 10, 20, 20]])
IMAGE = {"labels": torch.tensor([0]), "scores": torch.tensor([0.5])}
FRAME = {"ids": torch.tensor([0]), "frame": 0, "sequence": "a"}


@pytest.mark.parametrize("format", ["xyxy", "xywh", "cxcywh"])
@pytest.mark.parametrize("compat", [False, True])
def test_torchmetrics_read_boxes_in_the_format_that_they_know(compat, format):
    metrics = (MeanAveragePrecision(box_format=format, compat=compat, iou_thresholds=[0.99]), "map", IMAGE)
    for metric, key, rest in (metrics, (IntersectionOverUnion(box_format=format, compat=compat), "iou", IMAGE)):
        metric.update([{"boxes": BOXES} | rest], [{"boxes": BOXES} | rest])
        assert metric.compute()[key] == pytest.approx(1.0)
    metric = HOTA(box_format=format, output="tensor")
    metric.update([{"boxes": BOXES} | FRAME], [{"boxes": BOXES} | FRAME])
    assert metric.compute() == pytest.approx(1.0)
    metric = MeanAveragePrecision()
    metric.update([{"boxes": BOXES} | IMAGE], [{"boxes": CORNERS} | IMAGE])
    assert metric.compute()["map"] == pytest.approx(1.0)
