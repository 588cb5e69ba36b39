"""Read the similarities of a caller's own: a matrix for each image, listed pairs, or a function of payloads."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import array_api_compat as compat

from omniou import boxes
from omniou._inputs.dicts import kept_rows, taken
from omniou._inputs.ground_truth import GroundTruthLike
from omniou._inputs.inputs import SHAPES, Detections, Targets
from omniou._lib import backends, formats, host

np: Any = backends.numpy_namespace()
# The columns of listed pairs, in the order of their rows.
COLUMNS = ("images", "detections", "objects", "values")
# What a function is called with: the payload, or else the shapes.
PAYLOADS = tuple(reversed(SHAPES))


class Given(NamedTuple):
    """The arguments of a call."""

    similarity: Any
    targets: Any
    detections: Any
    first: int  # id of the first image of lists of dictionaries
    names: Mapping[str, int]  # ids of images that have names
    only_names: bool  # whether the caller knows no ids of these
    thresholds: Sequence[float]


class Side(NamedTuple):
    """The rows of one table, as the caller counts them."""

    places: Any  # (N,) in their images
    counts: Mapping[int, int]  # rows of each image, with padding
    payload: Callable[[int], Any]  # of an image
    padding: Mapping[int, list[int]]  # places of padding, in the images that have some


class ListedValues(NamedTuple):
    """Pairs with a value, as the caller counts them."""

    images: Any
    detections: Any
    objects: Any
    values: Any


def array(x: Any) -> Any:
    return host.to_numpy({"images": x})[1]["images"]


def without_shapes(table: Any, /) -> Any:
    """A table whose payload are its shapes, unless it has one. Shapes of a file, whose format is known, give areas."""
    if isinstance(table, GroundTruthLike):
        truth: Any = table
        return dataclasses.replace(truth, targets=without_shapes(truth.targets))
    if not isinstance(table, Targets | Detections):
        return table
    format: Any = table.format
    area, payload = table.area, next((x for name in PAYLOADS if (x := getattr(table, name)) is not None), None)
    if area is None and format in formats.NAMES and table.masks is not None:
        area = table.masks.area()
    elif area is None and format in formats.NAMES and table.boxes is not None:
        area = boxes.area(table.boxes, format=format)
    none: dict[str, Any] = dict.fromkeys((*SHAPES[:-1], "kind", "format"))
    return dataclasses.replace(table, **none | {"payload": payload, "area": area})


def side(name: str, images: Any, given: Given, /) -> Side:
    table = getattr(given, name)
    if isinstance(table, Sequence):
        lengths, kept = kept_rows(table)
        places = np.concatenate([np.zeros(0, dtype=np.int64), *(np.asarray(x, dtype=np.int64) for x in kept)])
        counts = {given.first + k: length for k, length in enumerate(lengths)}
        padded = {
            given.first + k: sorted({*range(length)} - {*real})
            for k, (length, real) in enumerate(zip(lengths, kept, strict=True))
            if len(real) < length
        }
        first = given.first
        return Side(places, counts, lambda x: _of_dict(name, x - first, table[x - first], counts[x]), padded)
    images = array(images)
    order = np.argsort(images, stable=True)
    ids, first, sizes = np.unique(images[order], return_index=True, return_counts=True)
    places = np.zeros(images.shape, dtype=np.int64)
    places[order] = np.arange(images.shape[0]) - np.repeat(first, sizes)
    rows = dict(zip(ids.tolist(), np.split(order, first[1:]), strict=True)) if ids.size else {}
    counts = dict(zip(ids.tolist(), sizes.tolist(), strict=True))
    return Side(places, counts, lambda x: _of_table(name, table, rows[x]), {})


def _of_dict(name: str, number: int, row: Mapping[str, Any], count: int, /) -> Any:
    key = next((key for key in PAYLOADS if row.get(key) is not None), None)
    if key is None:
        raise ValueError(
            f"`{name}[{number}]` must have the key 'payload', which the function `similarity` is called with"
        )
    payload = row[key]
    if (isinstance(payload, Sequence) or getattr(payload, "shape", None)) and len(payload) != count:
        raise ValueError(f"`{name}[{number}][{key!r}]` must have an entry for each label, {count}, got {len(payload)}")
    return payload


def _of_table(name: str, table: Any, rows: Any, /) -> Any:
    if table.payload is None:
        raise ValueError(f"`{name}.payload` must be given: the function `similarity` is called with it")
    return taken(host.column(f"{name}.payload", table.payload), rows.tolist())


def listed(given: Given, objects: Side, detections: Side, evaluated: list[int], /) -> ListedValues:
    """All pairs that have a value, checked."""
    x = () if given.similarity is None else given.similarity
    both = [k for k in evaluated if objects.counts.get(k) and detections.counts.get(k)]
    if callable(x):
        found = {k: x(objects.payload(k), detections.payload(k)) for k in both}
        items = {(f"`similarity` of image {k}", k): m for k, m in found.items()}
        return _of_matrices(items, objects, detections, given.thresholds)
    dicts = isinstance(given.targets, Sequence)
    columns = _columns(x, may_be_matrices=dicts and bool(both))
    if columns is not None:
        return _of_columns(columns, given, objects, detections)
    if isinstance(x, Mapping):
        items = {(f"`similarity[{k!r}]`", _image(k, given)): m for k, m in x.items()}
        known = {*evaluated, *objects.counts, *detections.counts}
        if unknown := [k for (k, image), m in items.items() if image not in known and m is not None and len(m)]:
            raise ValueError(f"{unknown[0]} is of an image that has no rows in the tables")
        items = {(k, image): m for (k, image), m in items.items() if image in known}
        if missing := [k for k in both if k not in {image for _, image in items}]:
            raise ValueError(
                f"`similarity` must have a matrix for image {named(missing[0], given)}, which has rows in both tables"
            )
    elif dicts:
        if len(x) != len(given.targets):
            raise ValueError(f"`similarity` must have a matrix for each image, {len(given.targets)}, got {len(x)}")
        items = {(f"`similarity[{k}]`", given.first + k): m for k, m in enumerate(x)}
    else:
        raise TypeError(
            "`similarity` must be a mapping of image ids to matrices for tables, rows of image, detection, object and "
            f"value, or a function, got {type(x).__name__}"
        )
    return _of_matrices(items, objects, detections, given.thresholds)


def _image(key: Any, given: Given, /) -> Any:
    """The id of an image that a caller names."""
    if key in given.names:
        return given.names[key]
    if given.only_names and not isinstance(key, str):
        name = next(iter(given.names))
        raise ValueError(f"`similarity` must name images as the tables do, such as {name!r}, got {key!r}")
    return key if isinstance(key, str) or not isinstance(given.targets, Sequence) else key + given.first


def _columns(x: Any, /, *, may_be_matrices: bool) -> tuple[Any, ...] | None:
    """The four columns of listed pairs; None for matrices."""
    if isinstance(x, Mapping) or hasattr(x, "columns"):
        keys = set(x.columns if hasattr(x, "columns") else x)
        if missing := [name for name in COLUMNS if name not in keys]:
            if len(missing) < len(COLUMNS) or not isinstance(x, Mapping):
                raise ValueError(f"`similarity` must have the columns {', '.join(COLUMNS)}, and lacks {missing[0]!r}")
            return None
        return tuple(x[name] for name in COLUMNS)
    if hasattr(x, "shape"):
        if len(x.shape) == 3:
            return None
        if len(x.shape) != 2 or x.shape[1] != len(COLUMNS):
            raise ValueError(
                "`similarity` must be a list or a mapping of a matrix for each image, or rows (P, 4) of image, "
                f"detection, object and value, got shape {tuple(x.shape)}"
            )
        x = np.asarray(host.column("similarity", x))
        return tuple(x[:, k].tolist() if x.dtype == object else x[:, k] for k in range(len(COLUMNS)))
    if not isinstance(x, Sequence) or isinstance(x, str):
        raise TypeError(f"`similarity` must be matrices, listed pairs or a function, got {type(x).__name__}")
    if not x and may_be_matrices:
        raise ValueError(
            "`similarity` must not be an empty list, of no matrices or of no pairs: pass a matrix for each image, or "
            "numpy.zeros((0, 4)) if nothing matches"
        )
    if all(_is_row(row) for row in x):
        return tuple(zip(*x, strict=True)) if x else ((),) * len(COLUMNS)
    return None


def _is_row(x: Any, /) -> bool:
    if hasattr(x, "shape"):
        return tuple(x.shape) == (len(COLUMNS),)
    return isinstance(x, Sequence) and len(x) == len(COLUMNS) and not any(hasattr(y, "__len__") for y in x[1:])


def _of_columns(columns: Sequence[Any], given: Given, objects: Side, detections: Side, /) -> ListedValues:
    images = host.column("similarity", columns[0])
    images = images.tolist() if hasattr(images, "tolist") else list(images)
    if given.only_names or (images and isinstance(images[0], str)):
        images = [_image(x, given) for x in images]
        if unknown := [x for x in images if isinstance(x, str)]:
            raise ValueError(f"`similarity` lists pairs of the image {unknown[0]!r}, which has no rows in the tables")
        images = np.asarray(images, dtype=np.int64)
    else:
        images = _whole("images", columns[0]) + (given.first if isinstance(given.targets, Sequence) else 0)
    places = [_whole(name, x) for name, x in zip(COLUMNS[1:3], columns[1:3], strict=True)]
    values = _checked("`similarity` values", _numbers("`similarity` values", columns[3], given.thresholds))
    if len({x.shape for x in (images, *places, values)}) > 1 or values.ndim != 1:
        shapes = ", ".join(f"{x.shape} of {name}" for name, x in zip(COLUMNS, (images, *places, values), strict=True))
        raise ValueError(f"`similarity` must have four columns of one length, got shapes {shapes}")
    for name, at, side in zip(COLUMNS[1:3], places, (detections, objects), strict=True):
        known, inverse = np.unique(images, return_inverse=True)
        counts = np.asarray([side.counts.get(x, 0) for x in known.tolist()], dtype=np.int64)[inverse]
        if (bad := (at < 0) | (at >= counts)).any():
            row = int(np.argmax(bad))
            raise ValueError(
                f"`similarity` lists {name[:-1]} {at[row]} of image {named(int(images[row]), given)} in row {row}, and "
                f"the image has {counts[row]}, counted from 0"
            )
    return ListedValues(images, places[0], places[1], values)


def _of_matrices(
    items: Mapping[tuple[str, int], Any], objects: Side, detections: Side, thresholds: Sequence[float], /
) -> ListedValues:
    parts = [(np.zeros(0, dtype=np.int64),) * 3 + (np.zeros(0),)]
    for (name, image), given in items.items():
        shape = objects.counts.get(image, 0), detections.counts.get(image, 0)
        matrix = np.zeros(shape) if given is None and 0 in shape else _numbers(name, given, thresholds)
        matrix = matrix.reshape(shape) if 0 in shape and matrix.shape in {(0,), (1, 0)} else matrix
        if matrix.shape != shape:
            hint = "; its transpose fits" if matrix.shape == shape[::-1] else ""
            hint = hint or "; a function may be written as `lambda a, b: [[f(x, y) for y in b] for x in a]`"
            raise ValueError(f"{name} must have shape {shape}, objects by detections, got {matrix.shape}{hint}")
        # Distances of padding may be NaN.
        matrix[objects.padding.get(image, []), :] = matrix[:, detections.padding.get(image, [])] = 0.0
        place, detection = (x.ravel() for x in np.indices(shape))
        parts.append((np.full(place.shape, image), detection, place, _checked(name, matrix).ravel()))
    return ListedValues(*map(np.concatenate, zip(*parts, strict=True)))


def _numbers(name: str, x: Any, thresholds: Sequence[float] = (), /) -> Any:
    """An array or nested lists of any library -> float64 in NumPy.

    In a narrower dtype, what equals a threshold there becomes the threshold: 0.7 of float32 is 0.699999988 in float64.
    """
    if x is None:
        raise TypeError(f"{name} must be a matrix of numbers, got None")
    if hasattr(x, "filled") and x.mask.any():
        raise TypeError(
            f"{name} is a masked array: pass `x.filled(-inf)` for pairs that never match, or `x.filled(inf)` of "
            "distances"
        )
    try:
        array = np.asarray(host.column(name.strip("`"), x))
    except ValueError:
        raise ValueError(f"{name} must be a matrix of numbers, got rows of several lengths") from None
    floating = array.dtype.kind == "f" or array.dtype.name == "bfloat16"
    if not floating and array.dtype.kind not in "bui" and array.size:
        raise TypeError(f"{name} must hold numbers, got {array.dtype}")
    values = array.astype(np.float64)
    if floating and array.dtype.itemsize < values.dtype.itemsize:
        like = x if compat.is_array_api_obj(x) else array  # which may be bfloat16, that NumPy does not know
        xp = backends.array_namespace(like)
        for threshold in thresholds:
            values = np.where(array == float(xp.asarray(threshold, dtype=like.dtype)), threshold, values)
    return values


def _whole(name: str, x: Any, /) -> Any:
    given = np.asarray(host.column("similarity", x))
    x = given if given.dtype.kind in "iu" else _numbers(f"`similarity` {name}", x)
    if x.dtype.kind == "f":
        most = 2 / np.finfo(given.dtype).eps if given.dtype.kind == "f" else np.inf
        bad = ~(np.abs(x) < most) | (x != np.floor(x))
        if bad.any():
            row = int(np.argmax(bad))
            raise ValueError(
                f"`similarity` must have whole numbers below {most:.0e} as {name}, got {x[row]} in row {row}: rows are "
                "image, detection, object and value. The matrix of a single image comes in a list or a mapping"
            )
    return x.astype(np.int64)


def _checked(name: str, values: Any, /) -> Any:
    if (bad := np.isnan(values)).any():
        raise ValueError(f"{name}{list(map(int, np.argwhere(bad)[0]))} must be a number, got nan")
    return values


def named(image: int, given: Given, /) -> str:
    """An image as the caller names it."""
    if isinstance(given.targets, Sequence):
        return str(image - given.first)
    return next((repr(name) for name, number in given.names.items() if number == image), str(image))
