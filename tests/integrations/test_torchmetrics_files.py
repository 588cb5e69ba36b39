"""`tm_to_coco` and `coco_to_tm`: inputs of `MeanAveragePrecision` to COCO files and back."""

import json

import pytest
import torch

from omniou_integrations.torchmetrics import MeanAveragePrecision
from tests.integrations.samples import images, sample

pytest.importorskip("msgspec")

LABEL = torch.tensor([3])


def written(metric, folder):
    metric.tm_to_coco(str(folder / "map"))
    return [json.loads((folder / f"map_{side}.json").read_text()) for side in ("preds", "target")]


@pytest.mark.parametrize(
    ("box_format", "box"), [("xyxy", [1, 2, 4, 7]), ("yxyx", [2, 1, 7, 4]), ("cxcywh", [2.5, 4.5, 3, 5])]
)
@pytest.mark.parametrize("compat", [False, True])
def test_tm_to_coco_of_boxes(tmp_path, box_format, box, compat):
    if compat and box_format == "yxyx":
        pytest.skip("torchmetrics has no yxyx")
    metric = MeanAveragePrecision(box_format, keep_boxes=True, compat=compat)
    truth = sample([box, box], [3, 4]) | {"iscrowd": torch.tensor([0, 1]), "area": torch.tensor([9.0, 0.0])}
    metric.update(
        [sample([box], [5]) | {"scores": torch.tensor([0.5])}, sample([]) | {"scores": torch.zeros(0)}], [truth] * 2
    )

    preds, target = written(metric, tmp_path)

    assert preds == [{"image_id": 0, "category_id": 5, "bbox": [1, 2, 3, 5], "score": 0.5}]
    assert target["images"] == [{"id": 0}, {"id": 1}]
    assert target["categories"] == [{"id": k, "name": str(k)} for k in (3, 4, 5)]
    assert target["annotations"] == [
        {"id": 1, "image_id": 0, "category_id": 3, "bbox": [1, 2, 3, 5], "area": 9, "iscrowd": 0},
        {"id": 2, "image_id": 0, "category_id": 4, "bbox": [1, 2, 3, 5], "area": 15, "iscrowd": 1},
        {"id": 3, "image_id": 1, "category_id": 3, "bbox": [1, 2, 3, 5], "area": 9, "iscrowd": 0},
        {"id": 4, "image_id": 1, "category_id": 4, "bbox": [1, 2, 3, 5], "area": 15, "iscrowd": 1},
    ]


def test_tm_to_coco_of_masks(tmp_path):
    """A mask of 4 x 5 pixels, four of them set: run lengths 5, 2, 2, 2, 9 down the columns."""
    mask = torch.zeros(1, 4, 5, dtype=torch.bool)
    mask[0, 1:3, 1:3] = True
    metric = MeanAveragePrecision(iou_type="segm", keep_boxes=True)
    metric.update([{"masks": mask, "labels": LABEL, "scores": torch.tensor([1.0])}], [{"masks": mask, "labels": LABEL}])

    preds, target = written(metric, tmp_path)

    shape = {"segmentation": {"size": [4, 5], "counts": "52207"}, "bbox": [1, 1, 2, 2]}
    assert preds == [{"image_id": 0, "category_id": 3, "score": 1} | shape]
    assert target["images"] == [{"id": 0, "height": 4, "width": 5}]
    assert target["annotations"] == [{"id": 1, "image_id": 0, "category_id": 3, "area": 4, "iscrowd": 0} | shape]


@pytest.mark.parametrize("kinds", ["bbox", "segm", ("bbox", "segm")])
def test_tm_to_coco_and_coco_to_tm_round_trip(tmp_path, kinds):
    preds, target = images(3, 12)
    metric = MeanAveragePrecision(iou_type=kinds, keep_boxes=True)
    for k in range(0, 12, 5):
        metric.update(preds[k : k + 5], target[k : k + 5])
    written(metric, tmp_path)

    again = MeanAveragePrecision.coco_to_tm(str(tmp_path / "map_preds.json"), str(tmp_path / "map_target.json"), kinds)
    numbers = MeanAveragePrecision("xywh", iou_type=kinds)(*again)

    assert len(again[0]) == len(again[1]) == 12
    torch.testing.assert_close(numbers, metric.compute(), rtol=0, atol=0, equal_nan=True)
    usual = MeanAveragePrecision(iou_type=kinds)(preds, target)
    torch.testing.assert_close(metric.compute(), usual, rtol=0, atol=0, equal_nan=True)


def test_coco_to_tm_keys_and_dtypes(tmp_path):
    """An image without objects is kept with its detections."""
    annotation = {"id": 7, "image_id": 9, "category_id": 2, "bbox": [1, 2, 3, 4], "area": 12, "iscrowd": 1}
    target = {"images": [{"id": 9}, {"id": 8}], "annotations": [annotation], "categories": [{"id": 2}]}
    preds = [{"image_id": 8, "category_id": 2, "bbox": [0, 0, 1, 1], "score": 0.25}]
    for name, content in (("p", preds), ("t", target)):
        (tmp_path / name).write_text(json.dumps(content))

    pred, truth = MeanAveragePrecision().coco_to_tm(str(tmp_path / "p"), str(tmp_path / "t"), "bbox")

    by_size = sorted(zip(pred, truth, strict=True), key=lambda pair: -len(pair[1]["labels"]))
    (none, first), (second, nothing) = by_size
    assert {key: (x.dtype, x.tolist()) for key, x in first.items()} == {
        "boxes": (torch.float32, [[1, 2, 3, 4]]),
        "iscrowd": (torch.int32, [1]),
        "area": (torch.float32, [12]),
        "labels": (torch.int32, [2]),
    }
    assert {key: (x.dtype, x.tolist()) for key, x in second.items()} == {
        "boxes": (torch.float32, [[0, 0, 1, 1]]),
        "scores": (torch.float32, [0.25]),
        "labels": (torch.int32, [2]),
    }
    assert none["boxes"].shape == nothing["boxes"].shape == (0, 4)


def test_tm_to_coco_of_two_processes(tmp_path):
    """A fake `dist_sync_fn` returns the state twice, as of two processes with equal data: images are interleaved."""
    preds, target = images(5, 4)
    metric, alone = MeanAveragePrecision(keep_boxes=True), MeanAveragePrecision(keep_boxes=True)
    metric.update(preds, target)
    for pred, truth in zip(preds, target, strict=True):
        alone.update([pred, pred], [truth, truth])
    folders = [tmp_path / name for name in "ab"]
    for folder in folders:
        folder.mkdir()

    metric.distributed_available_fn, metric.dist_sync_fn = lambda: True, lambda x, group=None: [x, x]  # noqa: ARG005
    torch.testing.assert_close(metric.compute(), alone.compute(), rtol=0, atol=0, equal_nan=True)
    metric.sync(metric.dist_sync_fn, distributed_available=metric.distributed_available_fn)
    assert written(metric, folders[0]) == written(alone, folders[1])


def test_tm_to_coco_without_images(tmp_path):
    preds, target = written(MeanAveragePrecision(keep_boxes=True), tmp_path)

    assert preds == target["images"] == target["annotations"] == []


def test_tm_to_coco_without_kept_boxes_raises(tmp_path):
    with pytest.raises(ValueError, match="`keep_boxes` must be True for `tm_to_coco`, got False"):
        MeanAveragePrecision().tm_to_coco(str(tmp_path / "map"))


def test_coco_to_tm_of_invalid_options_raises():
    with pytest.raises(ValueError, match="`iou_type` must be one of 'bbox', 'segm', got 'mask'"):
        MeanAveragePrecision.coco_to_tm("p", "t", "mask")
    with pytest.raises(ValueError, match="`backend` must be one of"):
        MeanAveragePrecision.coco_to_tm("p", "t", "bbox", "coco")
