"""Masks that are given as polygons."""

import itertools
import struct
from collections.abc import Sequence
from typing import Any

from omniou._kernels import polygons as kernels
from omniou.rle._coco import Table, concat, read_sizes, short
from omniou.rle._host import TILE, MaskError, batches, numpy, place_dtype

# Columns of pixels that the outlines of a mask may pass, beyond which they are no picture's, and cost gigabytes.
LONG = 2**26
# Masks whose corners are taken up at once.
MANY = 2**10


def rasterise(polygons: Sequence[Any], sizes: Any) -> Table:
    """Polygons of each mask -> the pixels that are inside any of them."""
    sizes = read_sizes(sizes)
    if len(polygons) != len(sizes):
        msg = f"`polygons` and `sizes` must have one length, got {len(polygons)} and {len(sizes)}"
        raise ValueError(msg)
    tables = []
    for start in range(0, len(polygons), MANY):
        try:
            tables += _rasterise(polygons[start : start + MANY], sizes[start : start + MANY, :])
        except MaskError as error:
            raise MaskError(start + error.row, error.field, error.fault) from None
    return concat(tables)


def _rasterise(polygons: Sequence[Any], sizes: Any) -> list[Table]:
    xp = numpy()
    points, counts = _points(polygons, sizes)
    parts = xp.fromiter(map(len, polygons), dtype=xp.int64, count=len(polygons))
    owner = xp.repeat(xp.arange(len(polygons)), parts)
    first = xp.cumulative_sum(counts, include_initial=True)
    edges = kernels.edges(points, xp.repeat(xp.arange(owner.size), counts), first, sizes[owner, 1], xp=xp)
    # Where the polygons, and the edges, of each mask start.
    part = xp.cumulative_sum(parts, include_initial=True)
    edge = xp.take(first, part)
    weights = xp.diff(xp.take(xp.cumulative_sum(edges.count, include_initial=True), edge))
    if (weights > LONG).any():
        row = int(xp.argmax(weights))
        raise MaskError(row, "", f"the outlines pass {weights[row]} columns of pixels, more than {LONG}")
    tables = []
    for start, stop in batches(weights + 1, TILE):
        some = kernels.Edges(*(x[edge[start] : edge[stop]] for x in edges))
        of_parts = owner[part[start] : part[stop]]
        height, width = sizes[start:stop, 0], sizes[start:stop, 1]
        outlines = some._replace(part=some.part - part[start])
        on, off, begin = kernels.runs(outlines, of_parts - start, sizes[of_parts, 0], height * width, xp=xp)
        dtype = place_dtype(int((height * width).max()))
        tables.append(Table(sizes[start:stop, :], xp.astype(on, dtype), xp.astype(off, dtype), begin))
    return tables


def _points(polygons: Sequence[Any], sizes: Any) -> tuple[Any, Any]:
    """Corners (K, 2) of all polygons of all masks, and how many each polygon has."""
    xp = numpy()
    found = _regular(polygons, sizes)
    if found is None:
        columns = [
            column
            for row, (parts, (height, width)) in enumerate(zip(polygons, sizes.tolist(), strict=True))
            for column in _checked(row, parts, height, width)
        ]
        found = xp.concat(columns).reshape(-1, 2), xp.asarray([x.size // 2 for x in columns])
    return found


def _regular(polygons: Sequence[Any], sizes: Any) -> tuple[Any, Any] | None:
    """The same, if all are good lists of lists of numbers: a look at all of them at once."""
    xp = numpy()
    if not (set(map(type, polygons)) <= {list} and all(polygons)):
        return None
    parts = list(itertools.chain.from_iterable(polygons))
    if not set(map(type, parts)) <= {list}:
        return None
    counts = xp.fromiter(map(len, parts), dtype=xp.int64, count=len(parts))
    if ((counts < 6) | (counts % 2 == 1)).any():
        return None
    try:
        # Half of the time of `asarray`.
        packed = struct.pack(f"{int(xp.sum(counts))}d", *itertools.chain.from_iterable(parts))
    except struct.error:
        return None
    points = xp.frombuffer(packed, dtype=xp.float64).reshape(-1, 2)
    first = (xp.cumulative_sum(counts) - counts) // 2
    low, high = xp.minimum.reduceat(points, first), xp.maximum.reduceat(points, first)
    sides = xp.repeat(xp.flip(sizes, axis=1), xp.fromiter(map(len, polygons), dtype=xp.int64), axis=0)
    good = ((low >= -sides) & (low <= sides) & (high >= 0) & (high <= 2 * sides)).all()
    return (points, counts // 2) if good else None


def _checked(row: int, parts: Any, height: int, width: int) -> list[Any]:
    """The polygons of one mask as columns x, y, x, y, ..."""
    xp = numpy()
    if not isinstance(parts, (list, tuple)) or not parts:
        raise MaskError(row, "", f"expected a list of polygons, got {short(parts)}")
    columns = []
    for number, part in enumerate(parts):
        field = f"[{number}]"
        try:
            points = xp.asarray(part, dtype=xp.float64)
        except (TypeError, ValueError, OverflowError):
            points = None
        if points is None or points.ndim != 1:
            raise MaskError(row, field, f"expected a list of numbers x, y, x, y, ..., got {short(part)}")
        if points.size < 6 or points.size % 2:
            raise MaskError(row, field, f"expected x and y of at least 3 points, got {points.size} numbers")
        _check_inside(row, field, points, (width, height))
        columns.append(points)
    return columns


def _check_inside(row: int, field: str, points: Any, sides: tuple[int, int]) -> None:
    """Coordinates may leave the image, by no more than its own size; the polygon as a whole may not."""
    xp = numpy()
    for axis, (name, side) in enumerate(zip("xy", sides, strict=True)):
        low, high = float(xp.min(points[axis::2])), float(xp.max(points[axis::2]))
        if not (low >= -side and high <= 2 * side):  # written so that NaN fails
            raise MaskError(row, field, f"{name} goes from {low:g} to {high:g}, far out of an image of {side} pixels")
        if low > side or high < 0:
            raise MaskError(row, field, f"out of the image: {name} from {low:g} to {high:g} of {side} pixels")
