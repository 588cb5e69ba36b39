"""Mean average precision of rotated boxes, polygons and 3-D boxes, by hand."""

import math

import pytest
import torch
from torch import tensor

from omniou_integrations.torchmetrics import DetectionEvaluation, MeanAveragePrecision

# An object, and what covers 5 / 8 of it: 3 of the 10 thresholds are met.
SHAPES = {
    "rotated": ([5.0, 5, 8, 4, math.pi / 2], [5.0, 5, 8, 2.5, math.pi / 2]),
    "polygons": ([[0.0, 0], [4, 0], [4, 4], [0, 4]], [[0.0, 0], [4, 0], [4, 2.5], [0, 2.5]]),
    "boxes3d": ([0.0, 0, 0, 4, 2, 2, 0.5], [0.0, 0, 0.375, 4, 2, 1.25, 0.5]),
    "intervals": ([3.0, 11], [3.0, 8]),
    "bev": ([0.0, 0, 0, 4, 4, 2, 0.5], [0.0, 0, 9, 4, 2.5, 2, 0.5]),
}


def samples(kind):
    target, found = SHAPES[kind]
    label, none = {"labels": tensor([1])}, {"labels": tensor([], dtype=torch.int64)}
    preds = [{"boxes": tensor([found]), "scores": tensor([0.5])} | label]
    empty = torch.zeros((0, *tensor(target).shape))
    preds.append({"boxes": empty, "scores": tensor([])} | none)
    return preds, [{"boxes": tensor([target])} | label, {"boxes": empty} | none]


@pytest.mark.parametrize("kind", SHAPES)
def test_other_kinds_of_shapes(kind):
    metric = MeanAveragePrecision(iou_type=kind, extended_summary=True)
    preds, target = samples(kind)
    metric.update(preds[1:], target[1:])
    metric.update(preds, target)
    result = metric.compute()
    assert result["map"].item() == pytest.approx(0.3)
    assert result["ious"][1, 1].item() == pytest.approx(0.625)
    given = [{**target[0], "area": tensor([2000.0])}]
    assert MeanAveragePrecision(iou_type=kind)(preds[:1], given)["map_medium"].item() == pytest.approx(0.3)
    assert DetectionEvaluation(iou_type=kind)(preds, target)["AP"].item() == pytest.approx(0.3)


def test_polygons_of_different_lengths():
    label, score = {"labels": tensor([0])}, {"scores": tensor([0.5])}
    triangle, square = tensor([[[0.0, 0], [4, 0], [4, 4]]]), tensor([[[0.0, 0], [4, 0], [4, 4], [0, 4]]])
    metric = MeanAveragePrecision(iou_type="polygons", iou_thresholds=[0.5])
    for x, y in ((square, triangle), (triangle, triangle)):
        metric.update([{"boxes": x} | label | score], [{"boxes": y} | label])
    assert metric.compute()["map"].item() == 1.0


def test_3d_and_birds_eye_view_together():
    preds, target = samples("bev")
    result = MeanAveragePrecision(iou_type=("boxes3d", "bev"))(preds, target)
    assert result["boxes3d_map"].item() == 0.0  # 9 above
    assert result["bev_map"].item() == pytest.approx(0.3)
    kitti = MeanAveragePrecision("kitti", iou_type="boxes3d")
    row = tensor([[1.5, 1.6, 3.9, 1.0, 1.5, 20.0, 0.3]])
    label = {"labels": tensor([0])}
    assert kitti([{"boxes": row, "scores": tensor([0.5])} | label], [{"boxes": row} | label])["map"].item() == 1.0


def test_rules_by_default_are_those_of_the_kind():
    preds, target = samples("intervals")
    names = list(DetectionEvaluation(iou_type="intervals")(preds, target))
    assert names == ["AP", "AP50", "AP75", "AP95", "AR"]
    thumos = DetectionEvaluation(iou_type="intervals", protocol="thumos14")
    assert thumos(preds, target)["AP"].item() == pytest.approx(0.8)


def test_boundaries_of_masks():
    mask, label = torch.ones((1, 20, 20), dtype=torch.bool), {"labels": tensor([0])}
    half = mask.clone()
    half[:, 14:] = False
    found, truth = [{"masks": half, "scores": tensor([0.5])} | label], [{"masks": mask} | label]
    # 14 / 20 of the pixels; boundaries are one pixel wide, have 64 and 76 pixels and share 46.
    assert MeanAveragePrecision(iou_type="segm")(found, truth)["map"].item() == pytest.approx(0.5)
    result = MeanAveragePrecision(iou_type="boundary", extended_summary=True)(found, truth)
    assert result["ious"][0, 0].item() == pytest.approx(46 / 94)
    assert result["map"].item() == 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"iou_type": "obb"}, "`iou_type` must be one of 'bbox', 'segm', 'boundary', 'rotated'"),
        ({"iou_type": ("bbox", "rotated")}, "`iou_type` must name kinds whose 'boxes' are the same rows"),
        ({"iou_type": "rotated", "compat": True}, "`iou_type` must be one of 'bbox', 'segm', got 'rotated'"),
        ({"iou_type": "rotated", "keep_boxes": True}, "`iou_type` must be one of 'bbox', 'segm', got 'rotated'"),
        ({"iou_type": "rotated", "box_format": "xywh"}, "`box_format` must be one of 'cxcywhr'"),
        ({"iou_type": "bbox", "box_format": "xyzxyz"}, "`box_format` must be one of 'xyxy'"),
    ],
)
def test_wrong_kinds_raise(options, message):
    with pytest.raises(ValueError, match=message):
        MeanAveragePrecision(**options)


def test_rows_of_wrong_length_raise():
    preds, target = samples("rotated")
    preds[0]["boxes"] = preds[0]["boxes"][:, :4]
    with pytest.raises(ValueError, match=r"`preds\[0\]\['boxes'\]` must have shape \(N, 5\), got \(1, 4\)"):
        MeanAveragePrecision(iou_type="rotated").update(preds, target)
