"""Polygons of V vertices, in either order.

The part of the plane under an edge and above a base line, counted with the sign of its direction, sums to the polygon.
The area that two polygons share is so the sum, over all pairs of edges, of what both have under them: the integral of
the lower of two straight lines. Nothing is clipped or sorted, and nothing is decided by rounding.
"""

import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from omniou._kernels.arithmetic import magnitude, mean_negative, quotient, relu
from omniou._kernels.boxes import Bounds
from omniou._lib.arrays import cast, stacked_columns_of
from omniou._lib.types import Namespace

# x and y of the corners of a quadrilateral around its outline, if they are given row by row.
_AROUND = (0, 1, 2, 3, 6, 7, 4, 5)


class Polygons(NamedTuple):
    """The canonical form."""

    x: Any  # (V, ...) vertices, from the first one
    y: Any
    left: Any  # (...) the first vertex
    bottom: Any
    area: Any  # (...)


def canonical(columns: Any, _image_sides: Any, /, *, layout: Any, xp: Namespace) -> Polygons:  # noqa: ARG001
    """(2V, ...) columns x, y, x, y, ... -> Polygons of (...)."""
    count = columns.shape[0] // 2
    left, bottom = columns[0, ...], columns[1, ...]
    x = xp.stack([columns[2 * k, ...] - left for k in range(count)])
    y = xp.stack([columns[2 * k + 1, ...] - bottom for k in range(count)])
    return Polygons(x, y, left, bottom, magnitude(_signed_area(x, y, xp=xp), xp=xp))


def _signed_area(x: Any, y: Any, /, *, xp: Namespace) -> Any:
    """(V, ...) -> (...): by the shoelace formula, positive where x turns towards y."""
    return 0.5 * xp.sum(x * xp.roll(y, -1, axis=0) - xp.roll(x, -1, axis=0) * y, axis=0)


def bounds(p: Polygons, /, *, xp: Namespace) -> Bounds:
    """Upright boxes around polygons, with the areas of these."""
    low, high = (
        xp.stack([p.left + extreme(p.x, axis=0), p.bottom + extreme(p.y, axis=0)]) for extreme in (xp.min, xp.max)
    )
    return Bounds(low, high, p.area)


def outline(p: Polygons, /, *, xp: Namespace) -> list[tuple[Any, Any]]:  # noqa: ARG001  (as that of others)
    """V vertices, each x and y (...)."""
    return [(p.left + p.x[k, ...], p.bottom + p.y[k, ...]) for k in range(p.x.shape[0])]


class PolygonTerms:
    """The terms of two sets of polygons (...) that broadcast: see `scores.Terms`."""

    def __init__(self, a: Polygons, b: Polygons, /, *, xp: Namespace) -> None:
        self._a, self._b, self._xp = a, b, xp
        self.area_a, self.area_b = a.area, b.area
        # Vertices of both (V, ...) from the first one of b: differences are exact for polygons far from the origin.
        dx, dy = (a.left - b.left)[None, ...], (a.bottom - b.bottom)[None, ...]
        none = xp.zeros_like(dx + dy)
        self._vertices_a, self._vertices_b = (a.x + dx, a.y + dy), (b.x + none, b.y + none)

    def intersection(self) -> Any:
        xp = self._xp
        # Any base line serves, for areas under it cancel: one near both keeps rounding small.
        base = xp.maximum(*(xp.min(y, axis=0, keepdims=True) for _, y in (self._vertices_a, self._vertices_b)))
        edges_a, edges_b = (_edges(x, y - base, xp=xp) for x, y in (self._vertices_a, self._vertices_b))
        first, second = (
            PolygonEdges(*(z[:, None, ...] for z in edges_a)),
            PolygonEdges(*(z[None, ...] for z in edges_b)),
        )
        # The sign is that of both directions together.
        area = magnitude(xp.sum(xp.sum(_under_both(first, second, xp=xp), axis=0), axis=0), xp=xp)
        return self._where_bounds_overlap(xp.minimum(area, xp.minimum(self.area_a, self.area_b)))

    def hull(self) -> Any:
        points = [(x[k, ...], y[k, ...]) for x, y in (self._vertices_a, self._vertices_b) for k in range(x.shape[0])]
        hull = hull_area(points, xp=self._xp)
        # Of a perfect match half of the gradient goes to each, which no choice of chords would give.
        same = [self._xp.all(p == q, axis=0) for p, q in zip(self._vertices_a, self._vertices_b, strict=True)]
        return self._xp.where(same[0] & same[1], 0.5 * (self.area_a + self.area_b), hull)

    def _where_bounds_overlap(self, area: Any, /) -> Any:
        """The area, and exactly 0 of polygons that are apart in x or in y."""
        xp, (x, y) = self._xp, zip(self._vertices_a, self._vertices_b, strict=True)
        ordered = [*itertools.permutations(x), *itertools.permutations(y)]
        apart = functools.reduce(xp.logical_or, [xp.min(p, axis=0) >= xp.max(q, axis=0) for p, q in ordered])
        return xp.where(apart, 0.0, area + 0.0)  # the sum makes 0 of -0


class PolygonEdges(NamedTuple):
    """Edges from left to right, (V, ...) each."""

    x: Any  # of the left end
    y: Any
    end: Any  # x of the right end
    rise: Any  # y of the right end less that of the left one
    sign: Any  # 1, or -1 for an edge that ran from right to left


def _edges(x: Any, y: Any, /, *, xp: Namespace) -> PolygonEdges:
    """Vertices (V, ...) -> the edges that end in them."""
    before, below = xp.roll(x, 1, axis=0), xp.roll(y, 1, axis=0)
    turned = before > x
    left, end, bottom, top = (xp.where(turned, *z) for z in ((x, before), (before, x), (y, below), (below, y)))
    return PolygonEdges(left, bottom, end, top - bottom, xp.where(turned, -xp.ones_like(x), xp.ones_like(x)))


def _under_both(a: PolygonEdges, b: PolygonEdges, /, *, xp: Namespace) -> Any:
    """The signed area (...) between the base line and the lower of two edges, where both are."""
    left, right = xp.maximum(a.x, b.x), xp.minimum(a.end, b.end)
    (a_left, a_right), (b_left, b_right) = ([_height(edge, x, xp=xp) for x in (left, right)] for edge in (a, b))
    mean = 0.5 * (b_left + b_right) + mean_negative(a_left - b_left, a_right - b_right, xp=xp)
    return a.sign * b.sign * relu(right - left, xp=xp) * mean


def _height(edge: PolygonEdges, x: Any, /, *, xp: Namespace) -> Any:
    """y (...) of an edge at x, as far as it reaches."""
    past, reach = x - edge.x, edge.end - edge.x
    # A share far beyond the edge may overflow, and its gradient would be 0 * inf.
    beyond = past > reach
    share = quotient(xp.where(beyond | (past < 0), 0.0, past), reach, xp=xp)
    share = xp.where(beyond, 1.0, xp.minimum(relu(share, xp=xp), xp.ones_like(share)))
    return edge.y + share * edge.rise


def area(x: Any, _image_sides: Any, /, *, layout: Any, dtypes: tuple[Any, Any], xp: Namespace) -> Any:
    """(..., 2V) -> (...)."""
    compute, result = dtypes
    return cast(canonical(stacked_columns_of(x, dtype=compute, xp=xp), None, layout=layout, xp=xp).area, result, xp=xp)


def doubts(columns: Any, /, *, layout: Any, xp: Namespace) -> dict[str, Any]:
    """(2V, ...) -> quadrilaterals whose corners go around once if they are taken row by row, by words (...)."""
    if columns.shape[0] != len(_AROUND):
        return {}
    rows = xp.permute_dims(columns, (*range(1, columns.ndim), 0))
    around = xp.stack([rows[..., k] for k in _AROUND], axis=-1)
    given, turned = (
        functools.reduce(xp.logical_or, faults(x, None, layout=layout, dtype=columns.dtype, xp=xp).values())
        for x in (rows, around)
    )
    words = "cross themselves: are their corners in order around the outline, and not row by row?"
    return {words: given & ~turned}


def faults(x: Any, _image_sides: Any, /, *, layout: Any, dtype: Any, xp: Namespace) -> dict[str, Any]:
    """(..., 2V) polygons -> what can be wrong with one, and where it is: (...) booleans."""
    columns = stacked_columns_of(x, dtype=dtype, xp=xp)
    p = canonical(columns, None, layout=layout, xp=xp)
    dx, dy = (z - xp.roll(z, 1, axis=0) for z in (p.x, p.y))
    bends, turns = _bends(dx, dy, xp=xp)
    # Rounding bends an edge of three vertices in a line a little.
    size = xp.max(p.x, axis=0) - xp.min(p.x, axis=0) + xp.max(p.y, axis=0) - xp.min(p.y, axis=0)
    slack = 16.0 * float(xp.finfo(dtype).eps) * size * size
    crooked = xp.any(bends > slack, axis=0) & xp.any(bends < -slack, axis=0)
    return {
        "is not finite: NaN or infinity": xp.any(~xp.isfinite(columns), axis=0),
        "is not convex": crooked,
        "crosses itself": ~crooked & (xp.abs(turns) > 1.5),
    }


def _bends(dx: Any, dy: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Edges (V, ...), some of no length -> cross products of each with the next (V, ...), and turns in all (...)."""
    bends, angle = [], 0.0
    last_x, last_y = dx[-1, ...], dy[-1, ...]
    for k in range(dx.shape[0] - 2, -1, -1):
        empty = (last_x == 0) & (last_y == 0)
        last_x, last_y = xp.where(empty, dx[k, ...], last_x), xp.where(empty, dy[k, ...], last_y)
    for k in range(dx.shape[0]):
        x, y = dx[k, ...], dy[k, ...]
        empty = (x == 0) & (y == 0)
        cross, dot = last_x * y - last_y * x, last_x * x + last_y * y
        bends.append(xp.where(empty, 0.0, cross))
        angle = angle + xp.where(empty, 0.0, xp.atan2(cross, xp.where(empty, 1.0, dot)))
        last_x, last_y = xp.where(empty, last_x, x), xp.where(empty, last_y, y)
    return xp.stack(bends), angle / (2.0 * math.pi)


Point = tuple[Any, Any]


def hull_area(points: Sequence[Point], /, *, xp: Namespace) -> Any:
    """P points, x and y of one shape (...) each -> area (...).

    Between the points, sorted by x, the hull is as high as the highest chord over a point, and as low as the lowest.
    """
    x, y = (xp.stack(list(values)) for values in zip(*_sorted_by_x(points, xp=xp), strict=True))
    heights = [_hull_height(x, y, k, xp=xp) for k in range(x.shape[0])]
    return sum(0.5 * (x[k + 1, ...] - x[k, ...]) * (heights[k] + heights[k + 1]) for k in range(x.shape[0] - 1))


def _hull_height(x: Any, y: Any, k: int, /, *, xp: Namespace) -> Any:
    """The height of the hull over the k-th of the points (P, ...), which rise in x (...)."""
    here, last = y[k, ...], x.shape[0] - 1
    if k in (0, last):
        # Nothing is left or right of it; and where other points are over it, no area is between them.
        return xp.zeros_like(here)
    # Chords from each point on the left to each on the right, at this one: (k, P - 1 - k, ...).
    left, right = slice(None, k), slice(k + 1, None)
    x0, y0, x1, y1 = x[left, None, ...], y[left, None, ...], x[None, right, ...], y[None, right, ...]
    share = quotient(x[k, None, None, ...] - x0, x1 - x0, xp=xp)
    # Exact at both ends: points that coincide are then ties.
    chords = y0 * (1.0 - share) + y1 * share
    top, bottom = (extreme(extreme(chords, axis=0), axis=0) for extreme in (xp.max, xp.min))
    return xp.maximum(top, here) - xp.minimum(bottom, here)


def _sorted_by_x(points: Sequence[Point], /, *, xp: Namespace) -> list[Point]:
    """Sort points by x, in a network of exchanges: a sort along a first axis would be slower."""
    points = list(points)
    for i, j in _exchanges(len(points)):
        (x0, y0), (x1, y1) = points[i], points[j]
        turn = x0 > x1
        points[i] = xp.where(turn, x1, x0), xp.where(turn, y1, y0)
        points[j] = xp.where(turn, x0, x1), xp.where(turn, y0, y1)
    return points


def _exchanges(count: int, /) -> list[tuple[int, int]]:
    """Places to compare in turn so that `count` values are sorted: Batcher's merge exchange, 19 of 8."""
    top = 1 << max(0, (count - 1).bit_length() - 1)
    pairs, p = [], top
    while p > 0:
        q, r, d = top, 0, p
        while True:
            pairs += [(i, i + d) for i in range(count - d) if i & p == r]
            if q == p:
                break
            d, q, r = q - p, q >> 1, p
        p >>= 1
    return pairs
