"""Masks from polygons."""

import itertools
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

from omniou._lib import accel, threads
from omniou.rle import _compiled
from omniou.rle import _pixels as kernels
from omniou.rle._coco import read_sizes, short
from omniou.rle._columns import RunTable, concat
from omniou.rle._host import TILE, MaskError, batches, numpy, place_dtype

# Limit of the columns of pixels that the outlines of a mask pass: beyond it, they would take gigabytes.
LONG = 2**26
# Masks whose corners are read at once.
MANY = 2**10
# Numbers of a polygon that has an area: three points.
FEWEST = 6


class Outlines(NamedTuple):
    """The polygons of N masks."""

    points: Any  # (K, 2) corners
    first: Any  # (P + 1,) the first corner of each polygon
    part: Any  # (N + 1,) the first polygon of each mask


def rasterise(polygons: Sequence[Any], sizes: Any) -> RunTable:
    """Polygons of each mask -> the pixels that are inside any of them."""
    sizes = read_sizes(sizes)
    if len(polygons) != len(sizes):
        raise ValueError(f"`polygons` and `sizes` must have one length, got {len(polygons)} and {len(sizes)}")
    tables = []
    for start in range(0, len(polygons), MANY):
        some, of_some = polygons[start : start + MANY], sizes[start : start + MANY, :]
        try:
            tables += _drawn(_outlines(some, of_some), of_some)
        except MaskError as error:
            raise MaskError(start + error.row, error.field, error.fault) from None
    return concat(tables)


def _drawn(outlines: Outlines, sizes: Any) -> list[RunTable]:
    xp = numpy()
    edges = None if accel.SWITCH == "numba" else _edges(outlines, sizes)
    passed = _compiled.passed(*outlines, sizes) if edges is None else _of_masks(edges.count, outlines)
    if (passed > LONG).any():
        row = int(xp.argmax(passed))
        raise MaskError(row, "", f"the outlines pass {passed[row]} columns of pixels, more than {LONG}")

    def work(start: int, stop: int) -> RunTable:
        if edges is None:
            part = outlines.part[start : stop + 1]
            return _compiled.draw(outlines.points, outlines.first, part, sizes[start:stop, :], passed[start:stop])
        return _drawn_part(edges, outlines, sizes, start, stop)

    return threads.mapped(work, batches(passed + 1, TILE), threads=_compiled.cpus())


def _edges(outlines: Outlines, sizes: Any) -> kernels.OutlineEdges:
    xp = numpy()
    points, first, part = outlines
    polygon = xp.repeat(xp.arange(first.size - 1), xp.diff(first))
    widths = xp.repeat(sizes[:, 1], xp.diff(part))
    return kernels.edges(points, polygon, first, widths, xp=xp)


def _of_masks(counts: Any, outlines: Outlines) -> Any:
    """Columns that edges pass -> that masks pass (N,)."""
    xp = numpy()
    total = xp.cumulative_sum(counts, include_initial=True)
    return xp.diff(xp.take(total, xp.take(outlines.first, outlines.part)))


def _drawn_part(edges: kernels.OutlineEdges, outlines: Outlines, sizes: Any, start: int, stop: int) -> RunTable:
    """The masks from one to another."""
    xp = numpy()
    low, high = (int(outlines.part[row]) for row in (start, stop))
    of_edges = slice(int(outlines.first[low]), int(outlines.first[high]))
    some = kernels.OutlineEdges(*(x[of_edges] for x in edges))
    some = some._replace(part=some.part - low)
    height, width = sizes[start:stop, 0], sizes[start:stop, 1]
    mask_ids = xp.repeat(xp.arange(stop - start), xp.diff(outlines.part[start : stop + 1]))
    on, off, begin = kernels.runs(some, mask_ids, xp.take(height, mask_ids), height * width, xp=xp)
    dtype = place_dtype(int((height * width).max()))
    return RunTable(sizes[start:stop, :], xp.astype(on, dtype), xp.astype(off, dtype), begin)


def _outlines(polygons: Sequence[Any], sizes: Any) -> Outlines:
    """Lists of numbers -> corners; MaskError for the first invalid list."""
    xp = numpy()
    corners = _regular(polygons, sizes)
    if corners is None:
        polygons = [
            _checked(row, parts, height, width)
            for row, (parts, (height, width)) in enumerate(zip(polygons, sizes.tolist(), strict=True))
        ]
        columns = list(itertools.chain.from_iterable(polygons))
        corners = xp.concat(columns).reshape(-1, 2), xp.asarray([x.size // 2 for x in columns])
    parts = xp.fromiter(map(len, polygons), dtype=xp.int64, count=len(polygons))
    return _assembled(*corners, parts)


def _assembled(points: Any, corners: Any, parts: Any) -> Outlines:
    """... how many corners each polygon has (P,), and how many polygons each mask (N,)."""
    xp = numpy()
    return Outlines(points, *(xp.cumulative_sum(x, include_initial=True) for x in (corners, parts)))


def _regular(polygons: Sequence[Any], sizes: Any) -> tuple[Any, Any] | None:
    """The same if all lists are valid, checked at once; else None."""
    xp = numpy()
    if not (set(map(type, polygons)) <= {list} and all(polygons)):
        return None
    parts = list(itertools.chain.from_iterable(polygons))
    if not set(map(type, parts)) <= {list}:
        return None
    counts = xp.fromiter(map(len, parts), dtype=xp.int64, count=len(parts))
    try:
        # Half of the time of `asarray`.
        packed = struct.pack(f"{int(xp.sum(counts))}d", *itertools.chain.from_iterable(parts))
    except struct.error:
        return None
    values = xp.frombuffer(packed, dtype=xp.float64)
    points = _good_points(values, counts, xp.fromiter(map(len, polygons), dtype=xp.int64), sizes)
    return None if points is None else (points, counts // 2)


def _good_points(values: Any, counts: Any, parts: Any, sizes: Any) -> Any:
    """Corners (K, 2), if polygons have three at least, and lie near their images: `_checked` for all at once.

    `counts` (P,) numbers of each polygon, `parts` (N,) polygons of each mask.
    """
    xp = numpy()
    if ((counts < FEWEST) | (counts % 2 == 1)).any():
        return None
    points = values.reshape(-1, 2)
    first = (xp.cumulative_sum(counts) - counts) // 2
    low, high = xp.minimum.reduceat(points, first), xp.maximum.reduceat(points, first)
    sides = xp.repeat(xp.flip(sizes, axis=1), parts, axis=0)
    good = ((low >= -sides) & (low <= sides) & (high >= 0) & (high <= 2 * sides)).all()
    return points if good else None


def _checked(row: int, parts: Any, height: int, width: int) -> list[Any]:
    """The polygons of one mask as columns x, y, x, y, ...; stray points have no pixels, and are excluded."""
    xp = numpy()
    if not isinstance(parts, (list, tuple)) or not parts:
        raise MaskError(row, "", f"expected a list of polygons, got {short(parts)}")
    columns, stray = [], None
    for number, part in enumerate(parts):
        field = f"[{number}]"
        try:
            points = xp.asarray(part, dtype=xp.float64)
        except (TypeError, ValueError, OverflowError):
            points = None
        if points is None or points.ndim != 1:
            raise MaskError(row, field, f"expected a list of numbers x, y, x, y, ..., got {short(part)}")
        if points.size < FEWEST:
            stray = stray or (field, points.size)
            continue
        if points.size % 2:
            raise MaskError(row, field, f"expected x and y of each point, got {points.size} numbers")
        _check_inside(row, field, points, (width, height))
        columns.append(points)
    if stray and not columns:
        raise MaskError(row, stray[0], f"expected x and y of at least 3 points, got {stray[1]} numbers")
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
