"""Adapters read boxes in the format that they know, and refuse masked arrays by name."""

import numpy as np
import pytest
import torch

from omniou_integrations.jax import DetectionAP
from omniou_integrations.keras import BoxIoU, GIoULoss, MaskDiceLoss, SegmentationScore
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


ROWS = np.array([[0.0, 0, 2, 2]], np.float32)
MASKED = np.ma.masked_array(ROWS, [[False, True, False, False]])
LABELS = np.ma.masked_array([[0]], [[True]])
PLAIN = {"boxes": ROWS[None], "labels": np.array([[0]]), "scores": np.array([[0.5]])}
CASES = {
    "loss": (lambda: GIoULoss()(MASKED, ROWS), "`y_true` is a masked array"),
    "weight": (lambda: GIoULoss()(ROWS, ROWS, sample_weight=LABELS[0]), "`sample_weight` is a masked array"),
    "score": (lambda: BoxIoU().update_state(ROWS, MASKED), "`y_pred` is a masked array"),
    "labels": (lambda: SegmentationScore(2).update_state(LABELS, [[0]]), "`y_true` is a masked array"),
    "masks": (lambda: MaskDiceLoss()(LABELS[..., None, None], LABELS.data), "`y_true` is a masked array"),
    "jax": (
        lambda: DetectionAP.empty(2).update({"boxes": ROWS[None], "labels": LABELS}, PLAIN),
        r"`targets\['labels'\]` is a masked array",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_masked_arrays_are_refused_by_name(case):
    call, message = CASES[case]
    with pytest.raises(TypeError, match=message):
        call()
