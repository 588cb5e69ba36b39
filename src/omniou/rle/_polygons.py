"""Masks from polygons, by the rule of COCO's own tools.

Corners are rounded to fifths of a pixel, and an outline goes from one to the next in steps of a fifth along the longer
side. Where it passes the middle of a column of pixels, the inside starts or ends, at the nearer edge of a pixel. That
is the rule of cocoapi's `maskApi.c` (Lin and Dollár, 2014), with its floating-point expressions, so each pixel is
the same; the points in between, of which there are many times as many, are never made.
"""

import itertools
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

import array_api_compat as compat

from omniou._lib import accel, indexing, threads
from omniou._lib.types import Namespace
from omniou.rle import _compiled, _runs
from omniou.rle._coco import read_sizes, short
from omniou.rle._columns import TILE, MaskError, RunTable, batches, concat, numpy, place_dtype

# Steps to a pixel; and the last one before the middle of a pixel, where steps of one are rounded down.
FINE, MIDDLE = 5, 2
# Limit of the columns of pixels that the outlines of a mask pass: beyond it, they would take gigabytes.
LONG = 2**23
# Masks whose corners are read at once.
MANY = 2**10
# Numbers of a polygon that has an area: three points.
FEWEST = 6
# Limit of coordinates that are clipped to the image: in steps they fit into 32 bits, as in pycocotools.
FAR = 2.0**28


class Outlines(NamedTuple):
    """The polygons of N masks."""

    points: Any  # (K, 2) corners
    first: Any  # (P + 1,) the first corner of each polygon
    part: Any  # (N + 1,) the first polygon of each mask


class OutlineEdges(NamedTuple):
    """E edges, in steps: from their left end if flat, from their upper end if steep."""

    part: Any  # (E,) number of the polygon
    x: Any  # of float64, as are the next two
    y: Any
    slope: Any  # along the shorter side for one step along the longer
    steep: Any
    left: Any  # the first column whose middle is passed
    count: Any  # how many of the image there are


def rasterise(polygons: Sequence[Any], sizes: Any, *, clip: bool = False) -> RunTable:
    """Polygons of each mask -> the pixels that are inside any of them; `clip`: polygons may be anywhere."""
    sizes = read_sizes(sizes)
    if len(polygons) != len(sizes):
        raise ValueError(f"`polygons` and `sizes` must have one length, got {len(polygons)} and {len(sizes)}")
    tables = []
    for start in range(0, len(polygons), MANY):
        some, of_some = polygons[start : start + MANY], sizes[start : start + MANY, :]
        try:
            tables += _drawn(_outlines(some, of_some, clip=clip), of_some)
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


def _edges(outlines: Outlines, sizes: Any) -> OutlineEdges:
    xp = numpy()
    points, first, part = outlines
    polygon = xp.repeat(xp.arange(first.size - 1), xp.diff(first))
    widths = xp.repeat(sizes[:, 1], xp.diff(part))
    return edges(points, polygon, first, widths, xp=xp)


def _of_masks(counts: Any, outlines: Outlines) -> Any:
    """Columns that edges pass -> that masks pass (N,)."""
    xp = numpy()
    total = xp.cumulative_sum(counts, include_initial=True)
    return xp.diff(xp.take(total, xp.take(outlines.first, outlines.part)))


def _drawn_part(edges: OutlineEdges, outlines: Outlines, sizes: Any, start: int, stop: int) -> RunTable:
    """The masks from one to another."""
    xp = numpy()
    low, high = (int(outlines.part[row]) for row in (start, stop))
    of_edges = slice(int(outlines.first[low]), int(outlines.first[high]))
    some = OutlineEdges(*(x[of_edges] for x in edges))
    some = some._replace(part=some.part - low)
    height, width = sizes[start:stop, 0], sizes[start:stop, 1]
    mask_ids = xp.repeat(xp.arange(stop - start), xp.diff(outlines.part[start : stop + 1]))
    on, off, begin = runs(some, mask_ids, xp.take(height, mask_ids), height * width, xp=xp)
    dtype = place_dtype(int((height * width).max()))
    return RunTable(sizes[start:stop, :], xp.astype(on, dtype), xp.astype(off, dtype), begin)


def _outlines(polygons: Sequence[Any], sizes: Any, *, clip: bool) -> Outlines:
    """Lists of numbers -> corners; MaskError for the first invalid list."""
    xp = numpy()
    corners = _regular(polygons, sizes, clip=clip)
    if corners is None:
        polygons = [
            _checked(row, parts, None if clip else (width, height))
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


def _regular(polygons: Sequence[Any], sizes: Any, *, clip: bool) -> tuple[Any, Any] | None:
    """Read all lists at once, or return None if one is invalid."""
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
    points = _good_points(values, counts, xp.fromiter(map(len, polygons), dtype=xp.int64), None if clip else sizes)
    return None if points is None else (points, counts // 2)


def _good_points(values: Any, counts: Any, parts: Any, sizes: Any) -> Any:
    """Corners (K, 2), if polygons have three at least, and lie near their images: `_checked` for all at once.

    `counts` (P,) numbers of each polygon, `parts` (N,) polygons of each mask. `sizes` is None if they may lie anywhere.
    """
    xp = numpy()
    if ((counts < FEWEST) | (counts % 2 == 1)).any():
        return None
    points = values.reshape(-1, 2)
    if sizes is None:
        return points if (xp.abs(points) <= FAR).all() else None
    first = (xp.cumulative_sum(counts) - counts) // 2
    low, high = xp.minimum.reduceat(points, first), xp.maximum.reduceat(points, first)
    sides = xp.repeat(xp.flip(sizes, axis=1), parts, axis=0)
    good = ((low >= -sides) & (low <= sides) & (high >= 0) & (high <= 2 * sides)).all()
    return points if good else None


def _checked(row: int, parts: Any, sides: tuple[int, int] | None) -> list[Any]:
    """The polygons of one mask as columns x, y, x, y, ...; stray points have no pixels, and are excluded.

    `sides`: width and height of the image; None if polygons may lie anywhere, and be stray points only.
    """
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
        if points.size % 2:
            raise MaskError(row, field, f"expected x and y of each point, got {points.size} numbers")
        if points.size < FEWEST:
            stray = stray or (field, points.size)
            continue
        _check_inside(row, field, points, sides)
        columns.append(points)
    if sides is None and not columns:
        return [xp.zeros(2)]  # a point, which has no pixels
    if stray and not columns:
        raise MaskError(row, stray[0], f"expected x and y of at least 3 points, got {stray[1]} numbers")
    return columns


def _check_inside(row: int, field: str, points: Any, sides: tuple[int, int] | None) -> None:
    """Coordinates may leave the image, by no more than its own size; the polygon as a whole may not."""
    xp = numpy()
    if sides is None:
        if not (xp.abs(points) <= FAR).all():  # written so that NaN fails
            raise MaskError(row, field, "expected coordinates of at most 2**28, and no NaN")
        return
    for axis, (name, side) in enumerate(zip("xy", sides, strict=True)):
        low, high = float(xp.min(points[axis::2])), float(xp.max(points[axis::2]))
        if not (low >= -side and high <= 2 * side):  # written so that NaN fails
            raise MaskError(row, field, f"{name} goes from {low:g} to {high:g}, far out of an image of {side} pixels")
        if low > side or high < 0:
            raise MaskError(row, field, f"out of the image: {name} from {low:g} to {high:g} of {side} pixels")


def edges(points: Any, part: Any, first: Any, widths: Any, /, *, xp: Namespace) -> OutlineEdges:
    """Corners (E, 2), numbers of their polygons, where these start (P + 1,), widths (P,) of the images -> edges."""
    # Rounded towards 0, as in C; the exact position outside of the image does not matter.
    corners = xp.trunc(FINE * points + 0.5)
    after = xp.arange(1, part.shape[0] + 1, device=compat.device(part))
    after[first[1:] - 1] = first[:-1]
    (x, y), (next_x, next_y) = ((p[:, 0], p[:, 1]) for p in (corners, xp.take(corners, after, axis=0)))
    dx, dy = next_x - x, next_y - y
    steep = xp.abs(dy) > xp.abs(dx)
    left, right = (xp.floor((end + MIDDLE) / FINE) for end in (xp.minimum(x, next_x), xp.maximum(x, next_x)))
    left = xp.maximum(left, xp.zeros_like(left))
    count = xp.minimum(right, xp.astype(xp.take(widths, part), right.dtype)) - left
    back = xp.where(steep, dy, dx) < 0
    longer, rise = xp.where(steep, dy, dx), xp.where(steep, dx, dy)
    slope = rise / xp.where(longer == 0, xp.ones_like(longer), longer)
    x, y = (xp.where(back, end, start) for start, end in ((x, next_x), (y, next_y)))
    left, count = (xp.astype(q, xp.int64) for q in (left, xp.maximum(count, xp.zeros_like(count))))
    return OutlineEdges(part, x, y, slope, steep, left, count)


def runs(table: OutlineEdges, mask_ids: Any, heights: Any, pixels: Any, /, *, xp: Namespace) -> tuple[Any, Any, Any]:
    """Edges of whole masks; of the polygons (P,) the mask, ascending, and the height; pixels of each mask (N,).

    Gives start and end (R,) of the runs of the masks, each the union of its polygons, and where those of each mask
    start (N + 1,).
    """
    bits = int(xp.max(pixels)).bit_length()
    keys = [_passings(table, heights, bits, steep=steep, xp=xp) for steep in (False, True)]
    keys = xp.sort(xp.concat(keys), stable=False)
    # An outline is closed: it passes each column as often one way as the other, so that a polygon's places are pairs,
    # a start and an end.
    start, end = keys[0::2], keys[1::2]
    if mask_ids.shape[0] > pixels.shape[0]:
        mask, low = xp.take(mask_ids, start >> bits) << bits, (1 << bits) - 1
        start, end = (xp.sort(mask + (x & low)) for x in (start, end))  # stable, since the most of it is in order
    return _runs.united(start, end, bits, pixels.shape[0], xp=xp)


def _passings(table: OutlineEdges, heights: Any, bits: int, /, *, steep: bool, xp: Namespace) -> Any:
    """Where outlines pass the middles of columns: number of the polygon, and in the low bits the place in the image."""
    some = xp.nonzero((table.steep == steep) & (table.count > 0))[0]
    table = OutlineEdges(*(xp.take(x, some) for x in table))
    before = xp.cumulative_sum(table.count, include_initial=True)
    edge = indexing.segment_ids(before, xp=xp)
    # Columns of all edges are counted through: what belongs to an edge is moved back by those before it.
    column, first = xp.arange(edge.shape[0], dtype=edge.dtype, device=compat.device(edge)), table.left - before[:-1]
    step, start = xp.astype(column, table.slope.dtype) * FINE, xp.astype(FINE * first + MIDDLE, table.slope.dtype)
    y = (_along_steep if steep else _along_flat)(table, start, edge, step, xp=xp)
    # From steps to pixels: no multiple of 1/5 is halfway between two pixels.
    y = xp.maximum(y, xp.zeros_like(y))
    y *= 1 / FINE
    y += 0.5
    height = xp.take(heights, table.part)
    key = xp.take((table.part << bits) + first * height, edge)
    height = xp.take(height, edge)
    key += xp.minimum(xp.astype(y, key.dtype), height)
    height *= column
    key += height
    return key


def _along_flat(table: OutlineEdges, before: Any, edge: Any, step: Any, /, *, xp: Namespace) -> Any:
    """The upper one of the two points next to a middle: that before it, or that after it where the edge goes up.

    `before` (E,) and `step` (T,): the last step before a middle is the sum of both. `edge` (T,): whose.
    """
    upper = before - table.x + xp.astype(table.slope < 0, table.x.dtype)
    upper, y, slope = (xp.take(x, edge) for x in (upper, table.y, table.slope))
    upper += step
    upper *= slope
    upper += y
    upper += 0.5
    return xp.trunc(upper)


def _along_steep(table: OutlineEdges, before: Any, edge: Any, step: Any, /, *, xp: Namespace) -> Any:
    """The last point before the one past a middle: by a division, and two comparisons that correct its rounding."""
    past, x, y, slope = (xp.take(x, edge) for x in (before + 1.0, table.x, table.y, table.slope))
    past, rising = past + step, slope > 0

    def passed(t: Any) -> Any:
        return xp.astype((x + slope * t + 0.5 >= past) == rising, t.dtype)

    t = xp.ceil((past - 0.5 - x) / slope)
    t = t - passed(t - 1.0)
    return y + t - passed(t)
