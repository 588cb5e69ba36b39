"""A synthetic data set of the size of COCO val2017: 5,000 images, 80 classes, 36,781 objects. `--smoke`: a fiftieth."""

import itertools
import sys
from typing import Any, NamedTuple

import numpy as np
import torch

from omniou import detection

IMAGES, CLASSES, OBJECTS = (100, 80, 735) if "--smoke" in sys.argv else (5000, 80, 36781)


class Data(NamedTuple):
    """Ground truth and detections, boxes as (x, y, width, height)."""

    targets: detection.Targets[Any]
    detections: detection.Detections[Any]


def data(detections: int, *, images: int = IMAGES, objects: int = OBJECTS, crowds: float = 0.01) -> Data:
    """`detections` of which a fifth lie near an object, often of its class; the rest anywhere."""
    rng = np.random.default_rng(detections)
    image = np.sort(rng.integers(images, size=objects))
    # The share of the class of rank k is proportional to 1 / k.
    share = 1.0 / np.arange(1, CLASSES + 1)
    label = rng.choice(CLASSES, size=objects, p=share / share.sum()) + 1
    boxes = _boxes(rng, objects)
    near = rng.integers(objects, size=detections // 5)
    side = boxes[near, 2:]
    jittered = boxes[near] + rng.normal(0, 0.1, (near.size, 4)) * np.concatenate([side, side], axis=1)
    jittered[:, 2:] = np.maximum(jittered[:, 2:], 1.0)
    elsewhere = detections - near.size
    pred = np.concatenate([jittered, _boxes(rng, elsewhere)])
    pred_image = np.concatenate([image[near], rng.integers(images, size=elsewhere)])
    other = rng.choice(CLASSES, size=detections, p=share / share.sum()) + 1
    pred_label = np.where(rng.random(detections) < 0.9, np.concatenate([label[near], other[near.size :]]), other)
    score = np.concatenate([rng.beta(4, 2, near.size), rng.beta(1, 4, elsewhere)])
    order = np.argsort(pred_image, kind="stable")
    crowd, area = rng.random(objects) < crowds, boxes[:, 2] * boxes[:, 3] * 0.7
    return Data(
        detection.Targets(boxes, label, image, crowd=crowd, area=area),
        detection.Detections(pred[order], score[order], pred_label[order], pred_image[order]),
    )


def _boxes(rng: np.random.Generator, n: int) -> Any:
    side = np.exp(rng.normal(4.0, 0.9, (n, 2))).clip(4, 400)
    low = rng.uniform(0, 1, (n, 2)) * np.maximum([640.0, 480.0] - side, 1.0)
    return np.concatenate([low, side], axis=1)


def as_coco(tables: Data) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The same as the dictionaries of COCO's files."""
    t, d = tables
    rows = zip(*(np.asarray(x).tolist() for x in (t.images, t.labels, t.boxes, t.area, t.crowd)), strict=True)
    truth = {
        "images": [{"id": i, "width": 640, "height": 480} for i in range(IMAGES)],
        "categories": [{"id": k, "name": str(k)} for k in range(1, CLASSES + 1)],
        "annotations": [
            {"id": n, "image_id": i, "category_id": k, "bbox": box, "area": area, "iscrowd": int(crowd)}
            for n, (i, k, box, area, crowd) in enumerate(rows, start=1)
        ],
    }
    rows = zip(*(np.asarray(x).tolist() for x in (d.images, d.labels, d.boxes, d.scores)), strict=True)
    return truth, [{"image_id": i, "category_id": k, "bbox": box, "score": s} for i, k, box, s in rows]


def as_dicts(tables: Data) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Predictions and targets as torchmetrics takes them: tensors, boxes as corners."""
    t, d = (
        {"images": x.images, "boxes": np.concatenate([x.boxes[:, :2], x.boxes[:, :2] + x.boxes[:, 2:]], axis=1)}
        | {name: getattr(x, name) for name in names}
        for x, names in ((tables.targets, ("labels",)), (tables.detections, ("labels", "scores")))
    )
    return _per_image(d), _per_image(t)


def _per_image(columns: dict[str, Any]) -> list[dict[str, Any]]:
    first = np.searchsorted(columns["images"], np.arange(IMAGES + 1))
    parts = [slice(*pair) for pair in itertools.pairwise(first)]
    arrays = {name: torch.from_numpy(x) for name, x in columns.items() if name != "images"}
    return [{name: x[part].to(x.dtype) for name, x in arrays.items()} for part in parts]
