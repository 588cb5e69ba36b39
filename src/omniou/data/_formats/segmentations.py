"""The masks of COCO's records as one table."""

import itertools
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from omniou.data import _json
from omniou.data._errors import InputError
from omniou.data._formats.coco_records import Segmentation
from omniou.rle import MaskError, Masks

Column = npt.NDArray[Any]

# Record, field, what is wrong with it.
Fault: TypeAlias = Callable[[int, str, str], InputError]

# Bytes of JSON that are decoded at once: Python's numbers are many times as large, and fit the cache so.
_BLOCK = 2**19


def read(segmentations: Sequence[Any], sizes: Column, fault: Fault, *, relative: bool) -> Masks:
    """Segmentations, all or none undecoded, and the size (N, 2) of the image of each -> masks in their order.

    Polygons are in shares of the image's sides, if `relative`.
    """
    lengths: Any = _lengths(segmentations)

    def work(start: int, stop: int) -> Masks:
        def named(row: int, field: str, what: str) -> InputError:
            return fault(start + row, field, what)

        part, of_part = segmentations[start:stop], sizes[start:stop]
        return _read(_decoded(part, named), of_part, named, relative=relative)

    return Masks.concat([work(start, stop) for start, stop in _blocks(len(segmentations), lengths)])


def some(segmentations: Sequence[Any], rows: Column) -> Sequence[Any]:
    """The segmentations of some rows, which rise."""
    return segmentations if rows.size == len(segmentations) else [segmentations[row] for row in rows.tolist()]


def _lengths(segmentations: Sequence[Any]) -> Column | None:
    """Bytes of each, if they are undecoded."""
    if not _is_raw(segmentations):
        return None
    views: Iterable[memoryview] = map(memoryview, segmentations)
    return np.fromiter(map(len, views), dtype=np.int64, count=len(segmentations))


def _blocks(count: int, lengths: Column | None) -> list[tuple[int, int]]:
    """From, to; one at least."""
    if lengths is None:
        return [(0, count)]
    total = lengths.cumsum()
    cuts = np.searchsorted(total, np.arange(0, total[-1], _BLOCK)).tolist()
    return list(itertools.pairwise(sorted({*cuts, count})))


def _is_raw(segmentations: Sequence[Any]) -> bool:
    return bool(segmentations) and isinstance(segmentations[0], msgspec.Raw)


def _decoded(segmentations: Sequence[Any], fault: Fault) -> Sequence[Any]:
    if not _is_raw(segmentations):
        return segmentations
    try:
        return _decoded_all(segmentations)
    except msgspec.DecodeError:
        return [_one(row, x, fault) for row, x in enumerate(segmentations)]


def _decoded_all(segmentations: Sequence[msgspec.Raw]) -> list[Segmentation]:
    return msgspec.json.decode(b"[%b]" % b",".join(segmentations), type=list[Segmentation])


def _one(row: int, segmentation: msgspec.Raw, fault: Fault) -> Segmentation:
    try:
        return msgspec.json.decode(segmentation, type=Segmentation)
    except msgspec.DecodeError as error:
        what, field = _json.fault_of(error)
        raise _at(row, field, what, fault) from None


def _at(row: int, field: str, what: str, fault: Fault) -> InputError:
    dot = "." if field and not field.startswith("[") else ""
    return fault(row, f"segmentation{dot}{field}", what)


def _read(segmentations: Sequence[Any], sizes: Column, fault: Fault, *, relative: bool) -> Masks:
    kinds = map(operator.is_, map(type, segmentations), itertools.repeat(dict))
    flags = np.fromiter(kinds, dtype=bool, count=len(segmentations))
    lengths, polygons = np.flatnonzero(flags), np.flatnonzero(~flags)
    _check_drawable(polygons, sizes, fault)
    records, drawn = some(segmentations, lengths), some(segmentations, polygons)
    if relative:
        drawn = [_scaled(x, size) for x, size in zip(drawn, sizes[polygons], strict=True)]
    tables = [
        _table(lengths, lambda: Masks.from_coco(records), fault),
        _table(polygons, lambda: Masks.from_polygons(drawn, sizes[polygons].astype(np.int64)), fault),
    ]
    masks = Masks.concat([x for x in tables if len(x)] or tables[:1])
    if min(lengths.size, polygons.size):
        masks = masks.take(np.argsort(np.concatenate([lengths, polygons])))
    _check_sizes(masks, sizes, fault)
    return masks


def _scaled(polygons: list[list[float]], size: Column) -> list[list[float]]:
    # An odd number of coordinates is reported by the function that draws.
    sides = size[::-1].tolist()
    return [[x * side for x, side in zip(polygon, itertools.cycle(sides))] for polygon in polygons]


def _table(rows: Column, make: Callable[[], Masks], fault: Fault) -> Masks:
    if not rows.size:
        return Masks.from_coco([])
    try:
        return make()
    except MaskError as error:
        raise _at(int(rows[error.row]), error.field, error.fault, fault) from None


def _check_drawable(rows: Column, sizes: Column, fault: Fault) -> None:
    """Raise for a polygon in an image whose size is unknown or not in whole pixels."""
    bad = ~_drawable(sizes[rows])
    if bad.any():
        row = int(rows[bad.argmax()])
        height, width = sizes[row].tolist()
        got = "" if np.isnan(sizes[row]).any() else f" in whole pixels, got {height:.15g} and {width:.15g}"
        raise fault(row, "segmentation", f"polygons need the height and width of their image{got}")


def _drawable(sizes: Column) -> Column:
    return ((sizes == np.floor(sizes)) & (sizes < 2**53)).all(axis=1)  # a comparison with NaN is false, so NaN is bad


def _check_sizes(masks: Masks, sizes: Column, fault: Fault) -> None:
    """Raise for a mask whose size differs from the size of its image, if that is known."""
    bad = _differ(masks, sizes)
    if bad.any():
        row = int(bad.argmax())
        height, width = sizes[row].tolist()
        expected = f"expected the image's height and width, [{height:.15g}, {width:.15g}]"
        raise fault(row, "segmentation.size", f"{expected}, got {masks.sizes[row].tolist()}")


def _differ(masks: Masks, sizes: Column) -> Column:
    return ((masks.sizes != sizes) & ~np.isnan(sizes)).any(axis=1)
