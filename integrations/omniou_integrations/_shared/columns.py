"""Read boxes of a batch of images in NumPy into columns: padded arrays, or a dictionary for each image."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from omniou import boxes
from omniou._catalogue import shape_calls as calls
from omniou._catalogue.geometry import Geometry
from omniou._inputs import dicts
from omniou._inputs.dicts import Key
from omniou._inputs.kinds import ShapeRows

_HINT = "give scores, or ask for no average precision with `results=()`"


def keys(
    table: str, geometry: Geometry = boxes.GEOMETRY, format: str | None = None, offset: float = 0.0
) -> tuple[Key, ...]:
    """Keys of a table whose shapes are in a format of the geometry, its first by default.

    Labels and flags may be floats, as models and padding give them: `check_whole` checks labels without padding.
    """
    numbers = geometry.length(format or geometry.default_format)
    rows = ShapeRows(geometry, format, offset)
    return dicts.keys(table, "boxes", numbers=numbers, holds=dicts.NUMBERS, rows=rows)


NAMES = dicts.names(*keys("targets"), *keys("detections"))


class Reading(NamedTuple):
    """The format of the boxes, and whether predictions must have scores."""

    format: str
    offset: float
    image_size: Any  # (height, width); the key of the targets that has it for each image; or None
    scored: bool
    geometry: Geometry = boxes.GEOMETRY

    @property
    def absolute(self) -> str:
        """The format of the columns."""
        return self.geometry.absolute(self.format)

    @property
    def targets(self) -> tuple[Key, ...]:
        """Keys of the targets."""
        return keys("targets", self.geometry, self.format, self.offset)

    @property
    def predictions(self) -> tuple[Key, ...]:
        """Keys of the predictions."""
        declared = keys("detections", self.geometry, self.format, self.offset)
        if not self.scored:
            return tuple(key for key in declared if key.column != "scores")
        return tuple(key._replace(hint=_HINT if key.column == "scores" else "") for key in declared)


class BoxTable(NamedTuple):
    """K boxes of B images, without padding."""

    boxes: Any  # (K, numbers of a shape), in the absolute format
    labels: Any  # (K,)
    images: Any  # (K,), in 0 ... B - 1
    scores: Any = None  # (K,), where they were asked for
    crowd: Any = None
    ignore: Any = None
    area: Any = None


class Read(NamedTuple):
    """A batch of B images."""

    detections: BoxTable
    targets: BoxTable
    images: int


def is_dicts(x: Any) -> bool:
    """Whether this is a batch of detections, not an array: a dict, or a list with one for each image."""
    return isinstance(x, Mapping) or (isinstance(x, list) and bool(x) and all(isinstance(row, Mapping) for row in x))


def read(predictions: Any, targets: Any, reading: Reading) -> Read:
    """Predictions and targets, each in one of the two forms."""
    predicted, images = _flat("predictions", predictions, reading.predictions)
    true, count = _flat("targets", targets, reading.targets)
    if images != count:
        raise ValueError(f"predictions and targets must be of the same images, got {images} and {count}")
    size = reading.image_size
    if isinstance(size, str):
        size = _sizes(targets, size, count)
    return Read(_columns("predictions", predicted, reading, size), _columns("targets", true, reading, size), count)


def _flat(name: str, batch: Any, declared: Sequence[Key]) -> tuple[dict[str, Any], int]:
    """Columns (K, ...) by name, without padding, and how many images they are of."""
    if isinstance(batch, Mapping):
        flat = _real(name, _arrays(name, batch, declared), declared, ("batch", "N"))
        return flat, len(batch["boxes"])
    called = [f"{name}[{i}]" for i in range(len(batch))]
    rows = [_real(x, _arrays(x, row, declared), declared, ("N",)) for x, row in zip(called, batch, strict=True)]
    flat = dicts.joined(name, rows, declared)
    empty = {"boxes": np.zeros([0, *map(int, declared[0].rest)], np.float32)}
    return {key: np.asarray(x) if len(x) else empty.get(key, np.zeros(0, int)) for key, x in flat.items()}, len(rows)


def _arrays(name: str, batch: Any, declared: Sequence[Key]) -> Any:
    """A dictionary of arrays; anything else as it is, which the reader refuses."""
    if not isinstance(batch, Mapping):
        return batch
    known = {*NAMES, "num_detections"}
    given = {key: x for key, x in batch.items() if key in known and x is not None}
    return {key: np.asarray(dicts.numbers(f"{name}[{key!r}]", x, declared[0])) for key, x in given.items()}


def _real(name: str, batch: Any, declared: Sequence[Key], axes: tuple[str, ...]) -> dict[str, Any]:
    """Drop the rows of padding."""
    columns = dicts.checked(name, batch, declared, axes)
    shape = columns["boxes"].shape[: len(axes)]
    # A NaN label is not padding: it shows that the model has diverged.
    real = ~dicts.is_padding(columns["labels"])
    if batch.get("num_detections") is not None:
        real &= np.arange(shape[-1]) < _counts(name, batch["num_detections"], shape[:-1])[..., None]
    if len(axes) == 2:
        columns["images"] = np.broadcast_to(np.arange(shape[0])[:, None], shape)
    return {column: x[real] for column, x in columns.items()}


def _columns(name: str, flat: dict[str, Any], reading: Reading, size: Any) -> BoxTable:
    columns = BoxTable(**flat | {"boxes": flat["boxes"].astype(np.float64)})
    if name == "predictions" and has_diverged(columns):
        return columns
    _check_values(name, columns)
    shapes = columns.boxes
    if reading.format != reading.absolute:
        per_box = size[columns.images] if np.ndim(size) == 2 else size
        given = {"image_size": per_box, "options": {"offset": reading.offset}}
        shapes = calls.conversion(reading.geometry, shapes, reading.format, reading.absolute, **given)
    crowd, ignore = (x if x is None else x != 0 for x in (columns.crowd, columns.ignore))
    return columns._replace(boxes=shapes, labels=columns.labels.astype(np.int64), crowd=crowd, ignore=ignore)


def _check_values(name: str, columns: BoxTable) -> None:
    finite = np.isfinite(columns.boxes).all(axis=-1)
    if not finite.all():
        raise ValueError(
            f"`{name}['boxes']` must be finite, got {columns.boxes[~finite][0].tolist()}: give padding the label -1"
        )
    check_whole(name, columns.labels)


def check_whole(name: str, labels: Any) -> None:
    """Raise unless all labels are integers, of any dtype."""
    whole = np.isfinite(labels) & (labels == np.trunc(labels)) & (labels.dtype.kind != "b")
    if not whole.all():
        raise TypeError(f"`{name}['labels']` must hold integers, got {labels[~whole][0]} of dtype {labels.dtype}")


def has_diverged(predictions: BoxTable) -> bool:
    """Whether a prediction is not finite."""
    floats = (
        x for x in (predictions.boxes, predictions.scores, predictions.labels) if x is not None and x.dtype.kind == "f"
    )
    return not all(np.isfinite(x).all() for x in floats)


def _counts(name: str, counts: Any, lead: tuple[int, ...]) -> Any:
    if counts.size != np.prod(lead, dtype=int) or counts.dtype.kind not in "iuf":
        raise ValueError(
            f"`{name}['num_detections']` must be a number for each image, of shape {lead}, got {counts.shape}"
        )
    return counts.reshape(lead)


def _sizes(targets: Any, key: str, images: int) -> Any:
    """(B, 2) sizes of images, out of the targets."""
    rows = [targets] if isinstance(targets, Mapping) else targets
    for row in rows:
        if key not in row:
            raise ValueError(
                f"`targets` must have the key {key!r} with (height, width), as `image_size` says, got {_listing(row)}"
            )
    sizes = np.asarray(targets[key] if isinstance(targets, Mapping) else [row[key] for row in rows])
    if sizes.shape != (images, 2) or sizes.dtype.kind not in "iuf":
        raise ValueError(
            f"`targets[{key!r}]` must be (height, width) of each image, of shape ({images}, 2), got {sizes.shape}"
        )
    return sizes


def _listing(batch: Mapping[str, Any]) -> str:
    return ", ".join(map(repr, batch)) or "nothing"
