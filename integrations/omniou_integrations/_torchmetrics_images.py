"""From torchmetrics' samples, a dict for each image, to what `MeanAveragePrecision` keeps of them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from omniou import boxes, detection
from omniou.detection import Protocol, dicts
from omniou.detection.dicts import Columns, Key
from omniou.rle import overlap
from omniou_integrations._images import Images, Table
from omniou_integrations._parts import Overlaps, Part, numpy
from omniou_integrations._torchmetrics_samples import keys
from omniou_integrations._torchmetrics_samples import read as read_samples

_SHAPES = {"bbox": "boxes", "segm": "masks"}


class Reading(NamedTuple):
    """All that decides what is kept."""

    protocol: Protocol
    kinds: tuple[Any, ...]
    box_format: Any
    averages: tuple[str, ...]  # "macro": each class on its own; "micro": all as one
    overlaps: bool  # whether all IoU are kept
    num_classes: int | None
    compat: bool

    def rules(self) -> dict[str, tuple[Protocol, str]]:
        """Protocol and kind of each state, by name."""
        return {f"{average}.{kind}": (self.protocol, kind) for average in self.averages for kind in self.kinds}


class Ids(NamedTuple):
    """What is evaluated, rising."""

    classes: Any
    images: Any


def read(preds: Any, target: Any, reading: Reading) -> Images:
    """Check samples, and concatenate them to columns."""
    dicts.check_lists(preds=preds, target=target)
    shapes = [_SHAPES[kind] for kind in reading.kinds]
    sides = {"target": (target, keys("targets", *shapes)), "preds": (preds, keys("detections", *shapes))}
    rows = {side: read_samples(side, *given, reading.num_classes) for side, given in sides.items()}
    if "masks" in shapes:
        _check_masks(rows["preds"], rows["target"])
    tables = [_table(side, rows[side], declared, reading) for side, (_, declared) in sides.items()]
    return Images(len(preds), *tables)


def _check_masks(preds: Sequence[Columns], target: Sequence[Columns]) -> None:
    for i, (found, truth) in enumerate(zip(preds, target, strict=True)):
        a, b = found["masks"], truth["masks"]
        if len(a) and len(b) and a.shape[1:] != b.shape[1:]:
            sizes = f"{tuple(a.shape[1:])} and {tuple(b.shape[1:])}"
            msg = f"`preds[{i}]['masks']` and `target[{i}]['masks']` must have one height and width, got {sizes}"
            raise ValueError(msg)


def surplus(images: Images, reading: Reading) -> int:
    """Number of detections beyond the limit of an image and class; as torchmetrics counts them, of an image."""
    found, limit = images.found, reading.protocol.max_detections[-1]
    counts = np.bincount(found.images)
    if limit is None or counts.max(initial=0) <= limit:
        return 0
    if "micro" not in reading.averages and not reading.compat:
        counts = np.unique(np.stack([found.images, found.labels]), axis=1, return_counts=True)[1]
    return int(np.maximum(counts - limit, 0).sum())


def tables(images: Images, reading: Reading) -> tuple[detection.Targets[Any], detection.Detections[Any]]:
    """What `omniou.detection` takes."""
    _, truth, found = images
    # The evaluator measures areas itself, but with both kinds the area of an object is that of its mask for boxes too.
    area = None if truth.area is None and len(reading.kinds) == 1 else area_of(truth, reading)
    return (
        detection.Targets(truth.boxes, truth.labels, truth.images, truth.crowd, area, masks=truth.masks),
        detection.Detections(found.boxes, found.scores, found.labels, found.images, masks=found.masks),
    )


def evaluated(images: Images, reading: Reading) -> Part:
    """Match the detections of whole images with their objects."""
    number, truth, found = images
    sizes = np.asarray([number, len(truth.labels), len(found.labels)])
    labels = np.unique(np.concatenate([truth.labels, found.labels]))
    if reading.num_classes is not None:
        labels = np.arange(reading.num_classes)
    # With masks alone, theirs looks at no image without objects, whatever was found there.
    skips = reading.compat and reading.kinds == ("segm",)
    numbers = np.unique(truth.images) if skips else np.arange(number)
    states, overlaps = {}, {}
    for average in reading.averages:
        averaged, classes = images, labels
        if average == "micro":
            truth, found = (x._replace(labels=np.zeros_like(x.labels)) for x in (images.truth, images.found))
            averaged, classes = Images(number, truth, found), np.asarray([0])
        for kind in reading.kinds:
            name = f"{average}.{kind}"
            states[name] = _matched(averaged, kind, Ids(classes, numbers), reading)
            if reading.overlaps:
                overlaps[name] = _overlaps(averaged, kind, reading)
    return Part(sizes, labels, states, overlaps)


def _matched(images: Images, kind: Any, ids: Ids, reading: Reading) -> Any:
    evaluator: detection.Evaluator[Any] = detection.Evaluator(
        reading.protocol, kind=kind, format=format_of(reading), classes=ids.classes
    )
    evaluator.update(*tables(images, reading), images=ids.images)
    return evaluator.state


def format_of(reading: Reading) -> Any:
    """Of the boxes that were read."""
    return "xywh" if reading.compat else reading.box_format


def _table(side: str, rows: Sequence[Columns], declared: Sequence[Key], reading: Reading) -> Table:
    for key in declared:
        if key.optional and any(key.column in row for row in rows):  # zeros where an image lacks it
            rows = [{key.column: torch.zeros_like(row["labels"])} | row for row in rows]
        if key.column == "masks":
            rows = [row | {"masks": row["masks"].cpu().numpy()} for row in rows]
    columns = dicts.joined(side, rows, declared)
    arrays = {name: numpy(x) for name, x in columns.items() if isinstance(x, Tensor)}
    images, nothing = np.asarray(columns["images"], dtype=np.int64), np.zeros(0)
    crowd, area = arrays.get("crowd"), arrays.get("area")
    table = Table(
        _boxes(arrays.get("boxes", nothing), reading) if "bbox" in reading.kinds else None,
        columns.get("masks"),
        arrays.get("labels", nothing).astype(np.int64),
        images,
        arrays.get("scores", nothing) if side == "preds" else None,
        None if crowd is None else (crowd != 0).astype(np.uint8),
        None if area is None else area.astype(np.float64),
    )
    for name, x in (("boxes", table.boxes), ("scores", table.scores), ("area", table.area)):
        if x is not None:
            _check_finite(side, name, x, images)
    return table


def _boxes(x: Any, reading: Reading) -> Any:
    x = x.reshape(-1, 4)
    if not reading.compat or reading.box_format == "xywh":
        return x
    # As torchvision converts them: in their own dtype, and by way of corners.
    if reading.box_format == "cxcywh":
        half = x[:, 2:] * x.dtype.type(0.5) if np.issubdtype(x.dtype, np.floating) else x[:, 2:] * np.float32(0.5)
        x = np.concatenate([x[:, :2] - half, x[:, :2] + half], axis=1)
    return np.concatenate([x[:, :2], x[:, 2:] - x[:, :2]], axis=1)


def _check_finite(side: str, key: str, x: Any, images: Any) -> None:
    good = np.isfinite(x) if key != "scores" else ~np.isnan(x)
    if not good.all():
        row = int(np.argmin(good.all(axis=1) if x.ndim == 2 else good))
        wanted = "numbers" if key == "scores" else "finite"
        msg = f"`{side}[{images[row]}]['{key}']` must be {wanted}, got {x[row].tolist()}"
        raise ValueError(msg)


def area_of(truth: Table, reading: Reading) -> Any:
    """Area of each object: the given one where it is positive, or else that of its mask, or else of its box."""
    if truth.masks is not None:
        own = truth.masks.area()
    elif reading.compat:
        own = np.prod(truth.boxes[:, 2:].astype(np.float64), axis=1)
    else:
        own = boxes.area(truth.boxes.astype(np.float64), format=reading.box_format)
    return own if truth.area is None else np.where(truth.area > 0, truth.area, own)


def _overlaps(images: Images, kind: str, reading: Reading) -> Overlaps:
    """All IoU inside each image and label, of the best detections up to the last limit."""
    _, truth, found = images
    keys = np.concatenate([np.stack([x.images, x.labels], axis=1) for x in (truth, found)])
    groups, number = np.unique(keys, axis=0, return_inverse=True)
    of_truth, of_found = np.split(number.reshape(-1), [len(truth.labels)])
    objects = np.argsort(of_truth, kind="stable")
    order = np.lexsort([-found.scores.astype(np.float64), of_found])
    first = np.searchsorted(of_found[order], np.arange(len(groups)))
    rank = np.arange(len(order)) - first[of_found[order]]
    order = order[rank < (reading.protocol.max_detections[-1] or len(order))]
    n, m = (np.bincount(x, minlength=len(groups)) for x in (of_found[order], of_truth))
    # Each detection with each object of its group, in the order of the objects.
    each = m[of_found[order]]
    rows = np.repeat(order, each)
    start = np.repeat((np.cumsum(m) - m)[of_found[order]] - (np.cumsum(each) - each), each)
    columns = objects[start + np.arange(len(rows))]
    values = _iou(images, (rows, columns), kind, reading)
    some = (n > 0) & (m > 0)
    return Overlaps(groups[some, 0], groups[some, 1], n[some], m[some], values.astype(np.float32))


def _iou(images: Images, pairs: tuple[Any, Any], kind: str, reading: Reading) -> Any:
    (_, truth, found), (rows, columns) = images, pairs
    crowd = np.zeros(len(columns), dtype=bool) if truth.crowd is None else truth.crowd[columns] != 0
    if kind == "segm":
        return overlap(found.masks, rows, truth.masks, columns, crowd)
    ours, theirs = (x.astype(np.float64) for x in (found.boxes[rows], truth.boxes[columns]))
    of_union, of_first = (score(ours, theirs, format=format_of(reading)) for score in (boxes.iou, boxes.iof))
    return np.where(crowd, of_first, of_union)
