"""Boxes of a batch of images, as detectors give them in NumPy, brought to flat columns and checked."""

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import numpy as np

from omniou import boxes
from omniou._lib.formats import BoxFormat

# Columns of objects that need not be there, by their keys.
_OPTIONAL = {"iscrowd": "crowd", "crowd": "crowd", "ignore": "ignore", "area": "area"}
_SPELLINGS = {"boxes": ("boxes",), "labels": ("labels", "classes"), "scores": ("scores", "confidence")}
KEYS = {*_OPTIONAL, *(key for keys in _SPELLINGS.values() for key in keys)}


class Reading(NamedTuple):
    """How boxes are given, and whether predictions must have scores."""

    format: BoxFormat
    offset: float
    image_size: Any  # (height, width); the key of the targets that has it for each image; or None
    scored: bool

    @property
    def absolute(self) -> BoxFormat:
        """The format of the columns."""
        return cast("BoxFormat", self.format.removeprefix("rel_"))


class Columns(NamedTuple):
    """K boxes of B images, without padding."""

    boxes: Any  # (K, 4), in the absolute format
    labels: Any  # (K,)
    images: Any  # (K,), in 0 ... B - 1
    scores: Any = None  # (K,), where they were asked for
    crowd: Any = None
    ignore: Any = None
    area: Any = None


class Read(NamedTuple):
    """A batch of B images."""

    found: Columns
    truth: Columns
    images: int


def is_dicts(x: Any) -> bool:
    """Whether this is a batch of detections, not an array: a dict, or a list with one for each image."""
    return isinstance(x, Mapping) or (isinstance(x, list) and bool(x) and all(isinstance(row, Mapping) for row in x))


def read(found: Any, truth: Any, reading: Reading) -> Read:
    """Predictions and targets, each in one of the two forms."""
    required = ("boxes", "labels", "scores") if reading.scored else ("boxes", "labels")
    ours, images = _flat("predictions", found, required)
    theirs, count = _flat("targets", truth, ("boxes", "labels"))
    if images != count:
        msg = f"predictions and targets must be of the same images, got {images} and {count}"
        raise ValueError(msg)
    size = reading.image_size
    if isinstance(size, str):
        size = _sizes(truth, size, count)
    return Read(_columns("predictions", ours, reading, size), _columns("targets", theirs, reading, size), count)


def _flat(side: str, batch: Any, required: tuple[str, ...]) -> tuple[dict[str, Any], int]:
    """Columns (K, ...) by name, and how many images they are of."""
    if isinstance(batch, Mapping):
        flat = _real(side, batch, required, ("batch", "boxes"))
        return flat, len(batch["boxes"])
    rows = [_real(f"{side}[{i}]", row, required, ("boxes",)) for i, row in enumerate(batch)]
    for i, row in enumerate(rows):
        if row.keys() != rows[0].keys():
            mine, first = (", ".join(repr(name) for name in x if name != "images") for x in (row, rows[0]))
            msg = f"`{side}` must have the same keys for each image, got {mine} in {i} and {first} in 0"
            raise ValueError(msg)
        row["images"] += i
    return {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}, len(rows)


def entries(
    side: str, batch: Mapping[str, Any], required: tuple[str, ...], axes: tuple[str, ...], *, optional: bool
) -> dict[str, tuple[str, Any]]:
    """Key and array of each column, all checked to be numbers: boxes (*axes, 4), and one for each of them.

    `optional` says whether to take what objects may have beyond what is required.
    """
    given = {name: _entry(side, batch, *_SPELLINGS[name]) for name in required}
    if optional:
        given |= {name: (key, np.asarray(batch[key])) for key, name in _OPTIONAL.items() if key in batch}
    key, corners = given["boxes"]
    if corners.shape == (0,) and len(axes) == 1:
        corners = np.zeros((0, 4), np.float32)  # how an image without boxes is often written
    if corners.ndim != len(axes) + 1 or corners.shape[-1] != 4:
        msg = f"`{side}['boxes']` must have shape ({', '.join(axes)}, 4), got {corners.shape}"
        raise ValueError(msg)
    _check_numbers(side, given, corners.shape[:-1])
    return given | {"boxes": (key, corners)}


def _real(side: str, batch: Mapping[str, Any], required: tuple[str, ...], axes: tuple[str, ...]) -> dict[str, Any]:
    """The rows that are no padding."""
    given = entries(side, batch, required, axes, optional=side.startswith("targets"))
    shape = given["boxes"][1].shape[:-1]
    # NaN is no padding, so that a model that has diverged is noticed.
    real = ~(given["labels"][1] < 0)
    if batch.get("num_detections") is not None:
        real &= np.arange(shape[-1]) < _counts(side, batch["num_detections"], shape[:-1])[..., None]
    images = np.broadcast_to(np.arange(shape[0])[:, None] if len(axes) == 2 else 0, shape)
    columns = {name: x for name, (_, x) in given.items()} | {"images": images}
    return {name: x[real] for name, x in columns.items()}


def _check_numbers(side: str, given: dict[str, tuple[str, Any]], shape: tuple[int, ...]) -> None:
    for key, x in given.values():
        if x.dtype.kind not in "biuf":
            msg = f"`{side}[{key!r}]` must hold numbers, got dtype {x.dtype}"
            raise TypeError(msg)
        if key != "boxes" and x.shape != shape:
            msg = f"`{side}[{key!r}]` must have shape {shape}, a number for each box, got {x.shape}"
            raise ValueError(msg)


def _columns(side: str, flat: dict[str, Any], reading: Reading, size: Any) -> Columns:
    columns = Columns(**flat | {"boxes": flat["boxes"].astype(np.float64)})
    if side == "predictions" and has_diverged(columns):
        return columns
    _check_values(side, columns)
    corners = columns.boxes
    if reading.format != reading.absolute:
        per_box = size[columns.images] if np.ndim(size) == 2 else size
        corners = boxes.convert(corners, reading.format, reading.absolute, offset=reading.offset, image_size=per_box)
    crowd, ignore = (x if x is None else x != 0 for x in (columns.crowd, columns.ignore))
    return columns._replace(boxes=corners, labels=columns.labels.astype(np.int64), crowd=crowd, ignore=ignore)


def _check_values(side: str, columns: Columns) -> None:
    finite = np.isfinite(columns.boxes).all(axis=-1)
    if not finite.all():
        msg = f"`{side}['boxes']` must be finite, got {columns.boxes[~finite][0].tolist()}: give padding the label -1"
        raise ValueError(msg)
    check_whole(side, columns.labels)


def check_whole(side: str, labels: Any) -> None:
    """Raise unless all labels are integers, of whatever dtype."""
    whole = np.isfinite(labels) & (labels == np.trunc(labels)) & (labels.dtype.kind != "b")
    if not whole.all():
        msg = f"`{side}['labels']` must hold integers, got {labels[~whole][0]} of dtype {labels.dtype}"
        raise TypeError(msg)


def has_diverged(found: Columns) -> bool:
    """Whether a prediction is not finite."""
    floats = (x for x in (found.boxes, found.scores, found.labels) if x is not None and x.dtype.kind == "f")
    return not all(np.isfinite(x).all() for x in floats)


def _entry(side: str, batch: Mapping[str, Any], *keys: str) -> tuple[str, Any]:
    for key in keys:
        if batch.get(key) is not None:
            return key, np.asarray(batch[key])
    hint = ": give scores, or ask for no average precision with `results=()`" if "scores" in keys else ""
    msg = f"`{side}` must have the key {' or '.join(map(repr, keys))}, got {_listing(batch)}{hint}"
    raise ValueError(msg)


def _counts(side: str, given: Any, lead: tuple[int, ...]) -> Any:
    counts = np.asarray(given)
    if counts.size != np.prod(lead, dtype=int) or counts.dtype.kind not in "iuf":
        msg = f"`{side}['num_detections']` must be a number for each image, of shape {lead}, got {counts.shape}"
        raise ValueError(msg)
    return counts.reshape(lead)


def _sizes(truth: Any, key: str, images: int) -> Any:
    """(B, 2) sizes of images, out of the targets."""
    rows = [truth] if isinstance(truth, Mapping) else truth
    for row in rows:
        if key not in row:
            msg = f"`targets` must have the key {key!r} with (height, width), as `image_size` says, got {_listing(row)}"
            raise ValueError(msg)
    sizes = np.asarray(truth[key] if isinstance(truth, Mapping) else [row[key] for row in rows])
    if sizes.shape != (images, 2) or sizes.dtype.kind not in "iuf":
        msg = f"`targets[{key!r}]` must be (height, width) of each image, of shape ({images}, 2), got {sizes.shape}"
        raise ValueError(msg)
    return sizes


def _listing(batch: Mapping[str, Any]) -> str:
    return ", ".join(map(repr, batch)) or "nothing"
