"""Write the inputs of `MeanAveragePrecision` as COCO's JSON files, and read such files as its inputs."""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from omniou import boxes
from omniou._lib import outputs
from omniou._lib.extras import install_line
from omniou_integrations._shared.images import Images, ImageTable
from omniou_integrations.torchmetrics._images import Settings, area_of, format_of

Samples = list[dict[str, Tensor]]


def write(images: Images, name: str, settings: Settings) -> None:
    """Write ``{name}_target.json``, COCO's ground truth, and ``{name}_preds.json``, COCO's results."""
    number, truth, detections = images
    sizes = {image: {"id": image} for image in range(number)}
    for table in (detections, truth):
        if table.masks is not None:
            pairs = zip(table.images.tolist(), table.masks.sizes.tolist(), strict=True)
            sizes |= {image: {"id": image, "height": height, "width": width} for image, (height, width) in pairs}
    crowd = np.zeros(len(truth.labels), np.int64) if truth.crowd is None else truth.crowd
    facts = {"area": area_of(truth, settings), "iscrowd": crowd.astype(np.int64)}
    labels = np.unique(np.concatenate([truth.labels, detections.labels])).tolist()
    target = {
        "info": {},
        "images": list(sizes.values()),
        "annotations": [{"id": k} | record for k, record in enumerate(_records(truth, facts, settings), 1)],
        "categories": [{"id": label, "name": str(label)} for label in labels],
    }
    preds = _records(detections, {"score": detections.scores}, settings)
    for side, content in (("preds", preds), ("target", target)):
        outputs.write(Path(f"{name}_{side}.json"), json.dumps(content).encode())


def _records(table: ImageTable, more: dict[str, Any], settings: Settings) -> list[dict[str, Any]]:
    """Return the rows of a table as COCO's records, by rising image."""
    columns = {"image_id": table.images, "category_id": table.labels} | more
    if table.boxes is None:
        columns["bbox"] = table.masks.boxes("xywh")
    else:
        columns["bbox"] = boxes.convert(table.boxes.astype(np.float64), format_of(settings, "bbox"), "xywh")
    lists = {name: x.tolist() for name, x in columns.items()}
    if table.masks is not None:
        lists["segmentation"] = table.masks.to_coco()
    records = [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
    return sorted(records, key=lambda record: record["image_id"])


def read(preds: Path | str, target: Path | str, kinds: Collection[str]) -> tuple[Samples, Samples]:
    """Read files of results and of ground truth: predictions and targets of each image that the latter lists."""
    try:
        from omniou import data
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"`coco_to_tm` needs {error.name}: {install_line('cli')}", name=error.name) from None
    options = [data.Options(kind="segm" if kind == "segm" else "bbox") for kind in kinds]
    truths = [data.read_ground_truth(target, "coco", x) for x in options]
    results = [data.read_detections(preds, truth, "coco", x) for truth, x in zip(truths, options, strict=True)]
    targets, detections, ids = [truth.targets for truth in truths], results[0], truths[0].images
    objects: Any = targets[0]
    none = np.zeros(len(objects.labels))
    crowd, area = (none if x is None else x for x in (objects.crowd, objects.area))
    facts = {"iscrowd": np.asarray(crowd, np.int32), "area": np.asarray(area, np.float32)}
    scores = {"scores": np.asarray(detections.scores, np.float32)}
    predictions = _samples(_shapes(kinds, results) | scores, detections, ids)
    return predictions, _samples(_shapes(kinds, targets) | facts, objects, ids)


def _shapes(kinds: Collection[str], tables: Collection[Any]) -> dict[str, Any]:
    names = {"bbox": "boxes", "segm": "masks"}
    return {names[kind]: getattr(table, names[kind]) for kind, table in zip(kinds, tables, strict=True)}


def _samples(columns: dict[str, Any], table: Any, ids: Any) -> Samples:
    columns = columns | {"labels": np.asarray(table.labels, np.int32)}
    order = np.argsort(table.images, kind="stable")
    first, end = (np.searchsorted(table.images[order], ids, side) for side in ("left", "right"))
    rows = [order[a:b] for a, b in zip(first, end, strict=True)]
    return [{key: _tensor(key, column, some) for key, column in columns.items()} for some in rows]


def _tensor(key: str, column: Any, rows: Any) -> Tensor:
    if key == "boxes":
        return torch.from_numpy(np.asarray(column[rows], np.float32))
    if key != "masks":
        return torch.from_numpy(column[rows])
    pixels = column.take(rows).to_dense() if len(rows) else np.zeros((0, 0, 0))
    return torch.from_numpy(pixels.astype(np.uint8))
