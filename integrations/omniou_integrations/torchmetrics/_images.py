"""Convert samples of torchmetrics, a dictionary for each image, to the state of `MeanAveragePrecision`."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import torch
from torch import Tensor

from omniou import detection
from omniou._catalogue.geometry import Geometry
from omniou._inputs import dicts
from omniou._inputs.dicts import Key, Values
from omniou._inputs.kinds import KINDS, SHAPE_KINDS, ShapeRows, settled, with_keypoints, with_masks
from omniou._inputs.shapes import Pairs, Shapes
from omniou._lib import checks
from omniou._lib.backends import numpy_namespace
from omniou.boxes import GEOMETRY
from omniou.detection import Protocol, Result
from omniou_integrations._shared.images import Images, ImageTable
from omniou_integrations._shared.parts import MetricPart, Overlaps, numpy
from omniou_integrations.torchmetrics._samples import COUNTS, Columns, at_once, fetched, keys
from omniou_integrations.torchmetrics._samples import read as read_samples

# torchmetrics' choices of `iou_type`, which have files of COCO.
Coco: TypeAlias = Literal["bbox", "segm"]


def kinds(iou_type: Any, known: Iterable[str] = SHAPE_KINDS) -> tuple[Any, ...]:
    """Return the kinds to compare, in the given order."""
    kinds = (iou_type,) if isinstance(iou_type, str) else tuple(dict.fromkeys(iou_type))
    for kind in kinds:
        if with_keypoints(kind):
            listed = ", ".join(map(repr, known))
            raise ValueError(
                f"`iou_type` must be one of {listed}, got {kind!r}: its metric is KeypointAveragePrecision"
            )
        checks.choice("iou_type", kind, known)
    if not kinds:
        raise ValueError(f"`iou_type` must name at least one kind, got {iou_type!r}")
    if len({tuple(x.formats.items()) for x in map(KINDS.get, kinds) if isinstance(x, Geometry)}) > 1:
        raise ValueError(f"`iou_type` must name kinds whose 'boxes' are the same rows of numbers, got {iou_type!r}")
    return kinds


def geometry_of(kinds: Iterable[str]) -> Geometry:
    """Return the geometry of the rows of 'boxes'."""
    return next((x for x in map(KINDS.get, kinds) if isinstance(x, Geometry)), GEOMETRY)


def shares(name: str, given: Any, otherwise: Sequence[float]) -> list[float]:
    """Check thresholds; return them in the given order."""
    values = _listed(name, given, otherwise)
    if not values or len(set(values)) < len(values) or not all(0 <= x <= 1 for x in values):
        raise ValueError(f"`{name}` must be different numbers in [0, 1], got {given!r}")
    return values


def limits(given: Any, *, compat: bool) -> list[int]:
    """Check the limits of detections; return them in rising order."""
    values = _listed("max_detection_thresholds", given, detection.COCO.max_detections)
    if not values or not all(type(x) is int and x > 0 for x in values):
        raise ValueError(f"`max_detection_thresholds` must be positive integers, got {given!r}")
    if compat and len(values) != 3:  # in the words of torchmetrics, which callers may match
        raise ValueError(
            f"When providing a list of max detection thresholds it should have length 3 with `compat`, got {given!r}"
        )
    return sorted(set(values))


def _listed(name: str, given: Any, otherwise: Sequence[Any]) -> list[Any]:
    values = checks.several(otherwise if given is None else given)
    if values is None or not all(type(x) in {int, float} for x in values):
        raise TypeError(f"`{name}` must be a list of numbers, got {given!r}")
    return list(values)


def rounded(protocol: Protocol) -> Protocol:
    """Return the protocol with torchmetrics' thresholds, which float32 has rounded."""
    iou, recall = (torch.linspace(a, b, n).tolist() for a, b, n in ((0.5, 0.95, 10), (0.0, 1.0, 101)))
    return dataclasses.replace(protocol, iou_thresholds=tuple(iou), recall_points=tuple(recall))


class Settings(NamedTuple):
    """The options that decide what the state holds."""

    protocol: Protocol
    kinds: tuple[Any, ...]
    box_format: Any
    averages: tuple[str, ...]  # "macro": each class on its own; "micro": all as one
    overlaps: bool  # whether all IoU are kept
    num_classes: int | None
    compat: bool

    @property
    def geometry(self) -> Geometry:
        """The geometry of the rows of boxes."""
        return geometry_of(self.kinds)

    def rules(self) -> dict[str, tuple[Protocol, str]]:
        """Protocol and kind of each state, by name."""
        return {f"{average}.{kind}": (self.protocol, kind) for average in self.averages for kind in self.kinds}


class SampleIds(NamedTuple):
    """Ids of the evaluated images and classes, ascending."""

    classes: Any
    images: Any


def read(preds: Any, target: Any, settings: Settings) -> Images:
    """Check samples, and concatenate them to columns."""
    dicts.check_lists(preds=preds, target=target)
    shapes = ["masks" if with_masks(kind) else "boxes" for kind in settings.kinds]
    shapes, own = list(dict.fromkeys(shapes)), settings.geometry
    numbers = own.numbers if own.axes == 2 else own.length(settings.box_format)
    of_rows = ShapeRows(own, settings.box_format)
    declared = {
        "target": keys("targets", *shapes, numbers=numbers, rows=of_rows),
        "preds": keys("detections", *shapes, numbers=numbers, rows=of_rows),
    }
    lists = {"target": target, "preds": preds}
    columns = None if "masks" in shapes else at_once(lists, declared, settings.num_classes)
    if columns is None:
        instead = COUNTS if settings.compat else ""
        columns = _one_by_one(lists, declared, settings.num_classes, instead)
    return Images(len(preds), *(_table(side, columns[side], settings) for side in lists))


def _one_by_one(
    lists: Mapping[str, Sequence[Any]], declared: Mapping[str, Sequence[Key]], num_classes: int | None, instead: str
) -> dict[str, Columns]:
    """Check image by image, and concatenate."""
    near = fetched(lists, {key.names[0] for some in declared.values() for key in some})
    rows = {side: read_samples(side, near[side], some, num_classes, instead=instead) for side, some in declared.items()}
    if any(key.column == "masks" for key in declared["target"]):
        check_sizes(rows["preds"], rows["target"])
    columns: dict[str, Columns] = {}
    for side, given in rows.items():
        images = given
        for key in declared[side]:
            if key.optional and any(key.column in x for x in images):  # zeros where an image lacks it
                images = [{key.column: torch.zeros_like(x["labels"])} | x if "labels" in x else x for x in images]
            if key.column == "masks":
                images = [x | {"masks": x["masks"].cpu().numpy()} for x in images]
        lengths = dicts.lengths_of(images, declared[side])
        columns[side] = Columns(dicts.concatenated(side, images, declared[side], lengths), lengths)
    return columns


def check_sizes(preds: Sequence[Values], target: Sequence[Values]) -> None:
    """Raise unless the masks of an image have one size."""
    for i, (detections, targets) in enumerate(zip(preds, target, strict=True)):
        a, b = detections["masks"], targets["masks"]
        if len(a) and len(b) and a.shape[1:] != b.shape[1:]:
            sizes = f"{tuple(a.shape[1:])} and {tuple(b.shape[1:])}"
            raise ValueError(
                f"`preds[{i}]['masks']` and `target[{i}]['masks']` must have one height and width, got {sizes}"
            )


def surplus(images: Images, settings: Settings) -> int:
    """Count detections over the limit of each image and class; with `compat`, of each image, as in torchmetrics."""
    detections, limit = images.detections, settings.protocol.max_detections[-1]
    counts = np.bincount(detections.images)
    if limit is None or counts.max(initial=0) <= limit:
        return 0
    if "micro" not in settings.averages and not settings.compat:
        full = counts[detections.images] > limit
        counts = _counts_of_pairs(detections.images[full], detections.labels[full])
    return int(np.maximum(counts - limit, 0).sum())


def _counts_of_pairs(images: Any, labels: Any) -> Any:
    """Count how often each pair of an image and a label occurs.

    A pair becomes one integer, image * span + label: with labels below 10, image 3 and label 5 are 35.
    """
    low, span = int(labels.min()), int(labels.max()) - int(labels.min()) + 1
    if span > 2**31:  # so that a pair fits an integer: image 3 and label 5 of 10 are 35
        (known, labels), low = np.unique(labels, return_inverse=True), 0
        span = len(known)
    return np.unique(images * span + (labels - low), return_counts=True)[1]


def tables(images: Images, settings: Settings) -> tuple[detection.Targets[Any], detection.Detections[Any]]:
    """Convert to the tables of `omniou.detection`."""
    _, targets, detections = images
    # The evaluator measures areas itself, but with both kinds the area of an object is that of its mask for boxes too.
    area = None if targets.area is None and len(settings.kinds) == 1 else area_of(targets, settings)
    return (
        detection.Targets(targets.boxes, targets.labels, targets.images, targets.crowd, area, masks=targets.masks),
        detection.Detections(
            detections.boxes, detections.scores, detections.labels, detections.images, masks=detections.masks
        ),
    )


def evaluated(images: Images, settings: Settings) -> MetricPart:
    """Match the detections of whole images with their objects."""
    number, targets, detections = images
    sizes = np.asarray([number, len(targets.labels), len(detections.labels)])
    labels = np.unique(np.concatenate([targets.labels, detections.labels]))
    if settings.num_classes is not None:
        labels = np.arange(settings.num_classes)
    # With masks only, torchmetrics skips images without objects, regardless of their detections.
    skips = settings.compat and settings.kinds == ("segm",)
    numbers = np.unique(targets.images) if skips else np.arange(number)
    states, overlaps = {}, {}
    for average in settings.averages:
        averaged, classes = images, labels
        if average == "micro":
            targets, detections = (
                x._replace(labels=np.zeros_like(x.labels)) for x in (images.targets, images.detections)
            )
            averaged, classes = Images(number, targets, detections), np.asarray([0])
        for kind in settings.kinds:
            name = f"{average}.{kind}"
            states[name] = _matched(averaged, kind, SampleIds(classes, numbers), settings)
            if settings.overlaps:
                overlaps[name] = _overlaps(averaged, kind, settings)
    return MetricPart(sizes, labels, states, overlaps)


def _matched(images: Images, kind: Any, ids: SampleIds, settings: Settings) -> Any:
    evaluator: detection.Evaluator[Any] = detection.Evaluator(
        settings.protocol, kind=kind, format=format_of(settings, kind), classes=ids.classes
    )
    evaluator.update(*tables(images, settings), images=ids.images)
    return evaluator.state


def result_of(images: Images, settings: Settings, classes: Any) -> Result[Any]:
    """Evaluate whole images by the first kind; `classes` default to the labels that occur."""
    kind = settings.kinds[0]
    return detection.evaluate(
        *tables(images, settings),
        protocol=settings.protocol,
        kind=kind,
        format=format_of(settings, kind),
        classes=classes,
        images=range(images.number),
    )


def format_of(settings: Settings, kind: str) -> Any:
    """Return the format of the boxes that were read; None for masks."""
    if with_masks(kind):
        return None
    return "xywh" if settings.compat else settings.box_format


def _table(argument: str, columns: Columns, settings: Settings) -> ImageTable:
    values, lengths = columns
    arrays = {name: numpy(x) for name, x in values.items() if isinstance(x, Tensor)}
    images, nothing = np.repeat(np.arange(len(lengths)), lengths), np.zeros(0)
    crowd, area = arrays.get("crowd"), arrays.get("area")
    has_boxes = not all(map(with_masks, settings.kinds))
    table = ImageTable(
        boxes=_boxes(arrays.get("boxes", nothing), settings) if has_boxes else None,
        masks=values.get("masks"),
        labels=arrays.get("labels", nothing).astype(np.int64),
        images=images,
        scores=arrays.get("scores", nothing) if argument == "preds" else None,
        crowd=None if crowd is None else (crowd != 0).astype(np.uint8),
        area=None if area is None else area.astype(np.float64),
    )
    for name, x in (("boxes", table.boxes), ("scores", table.scores), ("area", table.area)):
        if x is not None:
            _check_finite(argument, name, x, images)
    return table


def _boxes(x: Any, settings: Settings) -> Any:
    geometry = settings.geometry
    x = x.reshape(len(x), -1) if len(x) else x.reshape(0, geometry.length(settings.box_format))
    if not settings.compat or settings.box_format == "xywh":
        return x
    # As torchvision converts them: in their own dtype, and by way of corners.
    if settings.box_format == "cxcywh":
        half = x[:, 2:] * x.dtype.type(0.5) if np.issubdtype(x.dtype, np.floating) else x[:, 2:] * np.float32(0.5)
        x = np.concatenate([x[:, :2] - half, x[:, :2] + half], axis=1)
    return np.concatenate([x[:, :2], x[:, 2:] - x[:, :2]], axis=1)


def _check_finite(argument: str, key: str, x: Any, images: Any) -> None:
    good = np.isfinite(x) if key != "scores" else ~np.isnan(x)
    if not good.all():
        row = int(np.argmin(good.all(axis=1) if x.ndim == 2 else good))
        requirement = "numbers" if key == "scores" else "finite"
        raise ValueError(f"`{argument}[{images[row]}]['{key}']` must be {requirement}, got {x[row].tolist()}")


def shapes_of(table: ImageTable, kind: Any, settings: Settings) -> Shapes:
    """Return the shapes of a table, as the evaluator reads them."""
    compared = settled(kind, format_of(settings, kind), 0.0, None)
    column = table.masks if compared.column == "masks" else table.boxes.astype(np.float64)
    return compared.read(compared.column, column, xp=numpy_namespace())


def area_of(targets: ImageTable, settings: Settings) -> Any:
    """Return the area of each object: the given area if it is positive, else its mask's, else its box's."""
    own = targets.masks.area() if targets.masks is not None else shapes_of(targets, settings.kinds[0], settings).area
    return own if targets.area is None else np.where(targets.area > 0, targets.area, own)


def _overlaps(images: Images, kind: str, settings: Settings) -> Overlaps:
    """Compute all IoU inside each image and label, for the best detections up to the last limit."""
    _, targets, detections = images
    keys = np.concatenate([np.stack([x.images, x.labels], axis=1) for x in (targets, detections)])
    groups, number = np.unique(keys, axis=0, return_inverse=True)
    of_targets, of_detections = np.split(number.reshape(-1), [len(targets.labels)])
    objects = np.argsort(of_targets, kind="stable")
    order = np.lexsort([-detections.scores.astype(np.float64), of_detections])
    first = np.searchsorted(of_detections[order], np.arange(len(groups)))
    rank = np.arange(len(order)) - first[of_detections[order]]
    order = order[rank < (settings.protocol.max_detections[-1] or len(order))]
    n, m = (np.bincount(x, minlength=len(groups)) for x in (of_detections[order], of_targets))
    # Each detection with each object of its group, in the order of the objects: with objects 4 and 7 in the group of
    # detections 0 and 1, `rows` are 0 0 1 1 and `columns` 4 7 4 7.
    each = m[of_detections[order]]
    rows = np.repeat(order, each)
    start = np.repeat((np.cumsum(m) - m)[of_detections[order]] - (np.cumsum(each) - each), each)
    columns = objects[start + np.arange(len(rows))]
    values = _iou(images, (rows, columns), kind, settings)
    some = (n > 0) & (m > 0)
    return Overlaps(groups[some, 0], groups[some, 1], n[some], m[some], values.astype(np.float32))


def _iou(images: Images, pairs: tuple[Any, Any], kind: str, settings: Settings) -> Any:
    (_, targets, detections), (rows, columns) = images, pairs
    crowd = np.zeros(len(columns), dtype=bool) if targets.crowd is None else targets.crowd[columns] != 0
    detected, objects = (shapes_of(x, kind, settings) for x in (detections, targets))
    return detected.overlap(objects, Pairs(rows, columns, crowd), 0.0)
