"""One dictionary per image, as torchvision and torchmetrics hand them over, flattened to columns."""

from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import Any, NamedTuple

import array_api_compat as compat

from omniou.detection.columns import Detections, Targets
from omniou.rle import Masks

# Key of a dictionary -> column.
_TARGETS = {
    "boxes": "boxes",
    "masks": "masks",
    "labels": "labels",
    "iscrowd": "crowd",
    "crowd": "crowd",
    "area": "area",
    "ignore": "ignore",
}
_DETECTIONS = {"boxes": "boxes", "masks": "masks", "scores": "scores", "labels": "labels"}
_OPTIONAL = ("iscrowd", "crowd", "area", "ignore")


class Flat(NamedTuple):
    """Columns of whole images, and the ids of those."""

    targets: Targets[Any]
    detections: Detections[Any]
    images: list[int]


def are_dicts(targets: Any, detections: Any) -> bool:
    """Whether both arguments are lists of dictionaries; an error if only one of them is."""
    kinds = [not isinstance(x, Targets | Detections) for x in (targets, detections)]
    if kinds[0] != kinds[1]:
        msg = (
            "`targets` and `detections` must both be tables or both be lists of dictionaries, got "
            f"{type(targets).__name__} and {type(detections).__name__}"
        )
        raise TypeError(msg)
    return kinds[0]


def flatten(targets: Any, detections: Any, first: int, kind: str) -> Flat:
    """Dictionaries of images, numbered from `first` -> columns."""
    for name, x in (("targets", targets), ("detections", detections)):
        if not isinstance(x, Sequence) or not all(isinstance(one, Mapping) for one in x):
            msg = f"`{name}` must be a table or a list of dictionaries, one for each image, got {type(x).__name__}"
            raise TypeError(msg)
    if len(targets) != len(detections):
        msg = f"`targets` and `detections` must have one entry for each image, got {len(targets)} and {len(detections)}"
        raise ValueError(msg)
    ids = list(range(first, first + len(targets)))
    shape, other = ("boxes", "masks") if kind == "bbox" else ("masks", "boxes")
    tables = []
    for name, rows, keys in (("targets", targets, _TARGETS), ("detections", detections, _DETECTIONS)):
        wanted = {key: column for key, column in keys.items() if key != other}
        tables.append({other: None} | _columns(name, rows, wanted, ids, shape))
    return Flat(Targets(**tables[0]), Detections(**tables[1]), ids)


def _columns(
    table: str, rows: Sequence[Mapping[str, Any]], keys: Mapping[str, str], ids: list[int], shape: str
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    lengths = [_length(table, number, row, shape) for number, row in enumerate(rows)]
    for key, column in keys.items():
        if key in _OPTIONAL and not any(key in row for row in rows):
            continue
        parts = [
            _part(table, number, row, key, length)
            for number, (row, length) in enumerate(zip(rows, lengths, strict=True))
        ]
        some = {number: parts[number] for number, length in enumerate(lengths) if length}
        found[column] = _joined_masks(some.values()) if key == "masks" else _joined(table, key, some)
    found["images"] = [i for i, length in zip(ids, lengths, strict=True) for _ in range(length)]
    return found


def _length(table: str, number: int, row: Mapping[str, Any], shape: str) -> int:
    if shape not in row:
        msg = f"`{table}[{number}]` must have the key {shape!r}, got {', '.join(map(repr, row)) or 'nothing'}"
        raise ValueError(msg)
    return _shape(table, number, shape, row[shape])[0]


def _part(table: str, number: int, row: Mapping[str, Any], key: str, length: int) -> Any:
    if key not in row:
        hint = ": give it for every image, or for none" if key in _OPTIONAL else ""
        msg = f"`{table}[{number}]` must have the key {key!r}, got {', '.join(map(repr, row))}{hint}"
        raise ValueError(msg)
    shape = _shape(table, number, key, row[key])
    if shape[0] != length:
        msg = f"`{table}[{number}]['{key}']` must have one entry for each of the {length} shapes, got shape {shape}"
        raise ValueError(msg)
    return row[key]


def _shape(table: str, number: int, key: str, x: Any) -> tuple[int, ...]:
    shape = tuple(x.shape) if hasattr(x, "shape") else (len(x),) if isinstance(x, Sized) else ()
    if not shape:
        msg = f"`{table}[{number}]['{key}']` must be an array or a list, got {x!r}"
        raise TypeError(msg)
    return shape


def _joined(table: str, key: str, parts: Mapping[int, Any]) -> Any:
    """Arrays or lists by the number of their image, one after the other."""
    arrays = list(parts.values())
    if not (arrays and all(hasattr(x, "dtype") for x in arrays)):
        return [row for part in arrays for row in (part.tolist() if hasattr(part, "tolist") else part)]
    try:
        return compat.array_namespace(*arrays).concat(arrays)
    except (TypeError, ValueError, RuntimeError) as error:
        names = [f"`{table}[{number}]['{key}']`" for number in parts]
        for describe, kind in ((_library, TypeError), (_shape_of_each, ValueError)):
            for name, x in zip(names, arrays, strict=True):
                if describe(x) != describe(arrays[0]):
                    msg = f"{name} must be as {names[0]} is, {describe(arrays[0])}, got {describe(x)}"
                    raise kind(msg) from None
        msg = f"{names[0]} and those of other images cannot be joined: {str(error).splitlines()[0]}"
        raise TypeError(msg) from None


def _library(x: Any) -> str:
    device = f" on {compat.device(x)}" if compat.is_array_api_obj(x) else ""
    return f"{type(x).__module__}.{type(x).__qualname__}{device}"


def _shape_of_each(x: Any) -> str:
    return f"of shape ({', '.join(('N', *map(str, x.shape[1:])))})"


def _joined_masks(parts: Iterable[Any]) -> Masks:
    """Dense masks, COCO's records of run lengths, or tables of them, as one table."""
    tables = []
    for x in parts:
        if isinstance(x, Masks):
            tables.append(x)
        else:
            tables.append(Masks.from_dense(x) if hasattr(x, "dtype") else Masks.from_coco(x))
    return Masks.concat(tables) if tables else Masks.from_coco([])
