"""From torchmetrics' samples, a dict for each image, to what `MeanAveragePrecision` keeps of them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from omniou import boxes, detection
from omniou.detection import Protocol
from omniou.rle import Masks, overlap
from omniou_integrations._images import Images, Table
from omniou_integrations._parts import Overlaps, Part, numpy
from omniou_integrations._torchmetrics_samples import (
    AREA,
    CROWD,
    LABELS,
    MASKS,
    SCORES,
    boxes_of,
    check_classes,
    check_samples,
    check_sides,
)

_KEYS = {"bbox": ("boxes", boxes_of(4)), "segm": ("masks", MASKS)}


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


def check(preds: Any, target: Any, reading: Reading) -> None:
    """Raise unless the samples fit."""
    check_sides(preds, target)
    shapes = dict(_KEYS[kind] for kind in reading.kinds)
    check_samples("preds", preds, shapes | {"scores": SCORES, "labels": LABELS})
    check_samples("target", target, shapes | {"labels": LABELS}, {"iscrowd": CROWD, "area": AREA})
    if reading.num_classes is not None:
        for side, samples in (("preds", preds), ("target", target)):
            check_classes(side, samples, reading.num_classes)
    if "masks" not in shapes:
        return
    for i, (found, truth) in enumerate(zip(preds, target, strict=True)):
        a, b = found["masks"], truth["masks"]
        if len(a) and len(b) and a.shape[1:] != b.shape[1:]:
            sizes = f"{tuple(a.shape[1:])} and {tuple(b.shape[1:])}"
            msg = f"`preds[{i}]['masks']` and `target[{i}]['masks']` must have one height and width, got {sizes}"
            raise ValueError(msg)


def read(preds: Sequence[Any], target: Sequence[Any], reading: Reading) -> Images:
    """Checked samples as columns."""
    truth, found = _table("target", target, reading), _table("preds", preds, reading)
    crowd, area = (_filled(target, key) for key in ("iscrowd", "area"))
    if crowd is not None:
        crowd = (crowd != 0).astype(np.uint8)
    if area is not None:
        area = _finite("target", "area", area.astype(np.float64), truth.images)
    scores = _finite("preds", "scores", _column(preds, "scores"), found.images)
    return Images(len(preds), truth._replace(crowd=crowd, area=area), found._replace(scores=scores))


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


def _table(side: str, samples: Sequence[Any], reading: Reading) -> Table:
    counts = [sample["labels"].shape[0] for sample in samples]
    images = np.repeat(np.arange(len(samples)), np.asarray(counts, dtype=np.int64))
    labels = _column(samples, "labels").astype(np.int64)
    corners = masks = None
    if "bbox" in reading.kinds:
        corners = _finite(side, "boxes", _boxes(samples, reading), images)
    if "segm" in reading.kinds:
        given = [Masks.from_dense(sample["masks"].cpu().numpy()) for sample in samples if len(sample["masks"])]
        masks = Masks.concat(given) if given else Masks.from_coco([])
    return Table(corners, masks, labels, images)


def _column(samples: Sequence[Any], key: str) -> Any:
    """What all samples have under a key, one after the other; nothing is 1-D."""
    # An empty tensor is often a float one, whatever the others are: it has no say.
    given = [sample[key] for sample in samples if sample[key].shape[0]]
    return numpy(torch.cat(given)) if given else np.zeros(0)


def _boxes(samples: Sequence[Any], reading: Reading) -> Any:
    x = _column(samples, "boxes").reshape(-1, 4)
    if not reading.compat or reading.box_format == "xywh":
        return x
    # As torchvision converts them: in their own dtype, and by way of corners.
    if reading.box_format == "cxcywh":
        half = x[:, 2:] * x.dtype.type(0.5) if np.issubdtype(x.dtype, np.floating) else x[:, 2:] * np.float32(0.5)
        x = np.concatenate([x[:, :2] - half, x[:, :2] + half], axis=1)
    return np.concatenate([x[:, :2], x[:, 2:] - x[:, :2]], axis=1)


def _finite(side: str, key: str, x: Any, images: Any) -> Any:
    good = np.isfinite(x) if key != "scores" else ~np.isnan(x)
    if good.all():
        return x
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


def _filled(target: Sequence[Any], key: str) -> Any:
    """A column that some samples have, zero for the others; None where none has it."""
    if not any(key in sample for sample in target):
        return None
    return _column([{key: sample.get(key, torch.zeros_like(sample["labels"]))} for sample in target], key)


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
