"""Which pixels are inside polygons, by the rule of COCO's own tools.

Corners are rounded to fifths of a pixel, and an outline goes from one to the next in steps of a fifth along the longer
side. Where it passes the middle of a column of pixels, the inside starts or ends, at the nearer edge of a pixel. That
is the rule of cocoapi's `maskApi.c` (Lin and Dollár, 2014), with its floating-point expressions, so each pixel is
the same; the points in between, of which there are many times as many, are never made.
"""

from typing import Any, NamedTuple

import array_api_compat as compat

from omniou._lib import indexing
from omniou._lib.types import Namespace
from omniou.rle import _runs

# Steps to a pixel; and the last one before the middle of a pixel, where steps of one are rounded down.
FINE, MIDDLE = 5, 2


class OutlineEdges(NamedTuple):
    """E edges, in steps: from their left end if flat, from their upper end if steep."""

    part: Any  # (E,) number of the polygon
    x: Any  # of float64, as are the next two
    y: Any
    slope: Any  # along the shorter side for one step along the longer
    steep: Any
    left: Any  # the first column whose middle is passed
    count: Any  # how many of the image there are


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
