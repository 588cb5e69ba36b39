"""From torchmetrics' samples, a dict for each image, to what `MeanAveragePrecision` keeps of them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from omniou import boxes, detection
from omniou.detection import Protocol
from omniou.rle import Masks, overlap
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


class Table(NamedTuple):
    """One side of a batch, in NumPy."""

    boxes: Any
    masks: Any
    labels: Any
    images: Any
    scores: Any = None
    crowd: Any = None
    area: Any = None


class Sides(NamedTuple):
    """Both sides."""

    truth: Table
    found: Table


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


def sides_of(preds: Sequence[Any], target: Sequence[Any], reading: Reading) -> Sides:
    """Both sides as columns, images numbered from 0."""
    truth, found = _table("target", target, reading), _table("preds", preds, reading)
    truth = truth._replace(**_optional(target, truth, reading))
    return Sides(truth, found._replace(scores=_finite("preds", "scores", _column(preds, "scores"), found.images)))


def complete(sides: Sides, reading: Reading) -> Sides:
    """With the columns that may be missing, so that all batches have the same."""
    truth = sides.truth
    crowd = np.zeros(len(truth.labels), dtype=np.uint8) if truth.crowd is None else truth.crowd.astype(np.uint8)
    area = _own_area(truth, reading) if truth.area is None else truth.area
    return sides._replace(truth=truth._replace(crowd=crowd, area=area))


def evaluated(preds: Sequence[Any], target: Sequence[Any], reading: Reading) -> Part:
    """Match the detections of whole images with their objects."""
    truth, found = sides_of(preds, target, reading)
    sizes = np.asarray([len(preds), len(truth.labels), len(found.labels)])
    labels = np.unique(np.concatenate([truth.labels, found.labels]))
    if reading.num_classes is not None:
        labels = np.arange(reading.num_classes)
    # With masks alone, theirs looks at no image without objects, whatever was found there.
    skips = reading.compat and reading.kinds == ("segm",)
    images = np.unique(truth.images) if skips else np.arange(len(preds))
    states, overlaps = {}, {}
    for average in reading.averages:
        sides, classes = Sides(truth, found), labels
        if average == "micro":
            sides, classes = Sides(*(x._replace(labels=np.zeros_like(x.labels)) for x in sides)), np.asarray([0])
        for kind in reading.kinds:
            name = f"{average}.{kind}"
            states[name] = _matched(sides, kind, Ids(classes, images), reading)
            if reading.overlaps:
                overlaps[name] = _overlaps(sides, kind, reading)
    return Part(sizes, labels, states, overlaps)


def _matched(sides: Sides, kind: Any, ids: Ids, reading: Reading) -> Any:
    truth, found = sides
    evaluator: detection.Evaluator[Any] = detection.Evaluator(
        reading.protocol, kind=kind, format=_format(reading), classes=ids.classes
    )
    evaluator.update(
        detection.Targets(truth.boxes, truth.labels, truth.images, truth.crowd, truth.area, masks=truth.masks),
        detection.Detections(found.boxes, found.scores, found.labels, found.images, masks=found.masks),
        images=ids.images,
    )
    return evaluator.state


def _format(reading: Reading) -> Any:
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


def _optional(target: Sequence[Any], truth: Table, reading: Reading) -> dict[str, Any]:
    """Crowds and areas; None where the evaluator's own will do."""
    crowd, area = (_filled(target, key) for key in ("iscrowd", "area"))
    crowd = crowd if crowd is None else crowd != 0
    if area is None:
        # The area of an object is that of its mask where there is one, for the boxes too.
        return {"crowd": crowd, "area": truth.masks.area() if len(reading.kinds) > 1 else None}
    area = _finite("target", "area", area.astype(np.float64), truth.images)
    return {"crowd": crowd, "area": np.where(area > 0, area, _own_area(truth, reading))}


def _own_area(truth: Table, reading: Reading) -> Any:
    """The area of each mask, or else of each box."""
    if truth.masks is not None:
        return truth.masks.area()
    if reading.compat:
        return np.prod(truth.boxes[:, 2:].astype(np.float64), axis=1)
    return boxes.area(truth.boxes.astype(np.float64), format=reading.box_format)


def _filled(target: Sequence[Any], key: str) -> Any:
    """A column that some samples have, zero for the others; None where none has it."""
    if not any(key in sample for sample in target):
        return None
    return _column([{key: sample.get(key, torch.zeros_like(sample["labels"]))} for sample in target], key)


def _overlaps(sides: Sides, kind: str, reading: Reading) -> Overlaps:
    """All IoU inside each image and label, of the best detections up to the last limit."""
    truth, found = sides
    keys = np.concatenate([np.stack([x.images, x.labels], axis=1) for x in sides])
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
    values = _iou(sides, (rows, columns), kind, reading)
    some = (n > 0) & (m > 0)
    return Overlaps(groups[some, 0], groups[some, 1], n[some], m[some], values.astype(np.float32))


def _iou(sides: Sides, pairs: tuple[Any, Any], kind: str, reading: Reading) -> Any:
    (truth, found), (rows, columns) = sides, pairs
    crowd = np.zeros(len(columns), dtype=bool) if truth.crowd is None else truth.crowd[columns]
    if kind == "segm":
        return overlap(found.masks, rows, truth.masks, columns, crowd)
    ours, theirs = (x.astype(np.float64) for x in (found.boxes[rows], truth.boxes[columns]))
    of_union, of_first = (score(ours, theirs, format=_format(reading)) for score in (boxes.iou, boxes.iof))
    return np.where(crowd, of_first, of_union)
