"""The area of the convex hull of a few points: the integral of the upper envelope of all chords less the lower one."""

from collections.abc import Sequence
from typing import Any

from omniou._kernels.arithmetic import quotient
from omniou._lib.types import Namespace

Point = tuple[Any, Any]


def hull_area(points: Sequence[Point], /, *, xp: Namespace) -> Any:
    """P points, x and y of one shape (...) each -> area (...).

    Between the points, sorted by x, the hull is as high as the highest chord over a point, and as low as the lowest.
    """
    x, y = (xp.stack(list(values)) for values in zip(*_sorted(points, xp=xp), strict=True))
    heights = [_height(x, y, k, xp=xp) for k in range(x.shape[0])]
    return sum(0.5 * (x[k + 1, ...] - x[k, ...]) * (heights[k] + heights[k + 1]) for k in range(x.shape[0] - 1))


def _height(x: Any, y: Any, k: int, /, *, xp: Namespace) -> Any:
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


def _sorted(points: Sequence[Point], /, *, xp: Namespace) -> list[Point]:
    """By x, in a network of exchanges: a sort along a first axis would be slower."""
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
