"""Trace outlines of masks as polygons with few points, since a page has many of them.

The edges between a pixel that is on and one that is off are joined into closed lines, with the mask on their right. A
line through points that nearly lie on it is made straight (Douglas and Peucker, 1973).
"""

from collections import defaultdict
from typing import Any

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[Any]

# The longer side, in pixels, of a traced mask: of larger masks, every second, third, ... pixel is used.
_SIDE = 160
# The largest distance of a simplified outline from the edge of the mask, as a share of the longer side.
_TOLERANCE = 0.015
# The same in pixels, where that is more, and its limit for small masks as a share of their longer side.
_PIXEL, _OF_SMALL = 1.0, 0.06
# Steps along the edges of a pixel, clockwise on a screen: right, down, left, up.
_STEPS = np.asarray([(1, 0), (0, 1), (-1, 0), (0, -1)])


def contours(mask: Points, /) -> list[Points]:
    """Mask (height, width) of booleans -> closed polygons (K, 2) of x and y, the longest first; also around holes."""
    stride = -(-max(*mask.shape, 1) // _SIDE)
    small = mask[::stride, ::stride]
    side = max(small.shape)
    tolerance = max(_TOLERANCE * side, min(_PIXEL, _OF_SMALL * side)) + 0.5 * (stride > 1)
    lines = sorted(_traced(small), key=_length, reverse=True)
    limit = np.asarray([mask.shape[1], mask.shape[0]])
    return [np.minimum(_simplified(line, tolerance) * stride, limit) for line in lines]


def _length(line: Points) -> float:
    return float(np.abs(np.diff(line, axis=0, append=line[:1])).sum())


def _traced(mask: Points) -> list[Points]:
    """Closed lines along the edges of the pixels, as the points where they turn."""
    padded = np.pad(mask, 1)
    inside = padded[1:-1, 1:-1]
    # For each side of a pixel, in the order of `_STEPS`: whether it is an edge, and its start relative to the pixel's
    # top-left corner. The one pixel (0, 0) gives steps right from (0, 0), down from (1, 0), left from (1, 1), and up
    # from (0, 1).
    sides = (
        (inside & ~padded[:-2, 1:-1], (0, 0)),
        (inside & ~padded[1:-1, 2:], (1, 0)),
        (inside & ~padded[2:, 1:-1], (1, 1)),
        (inside & ~padded[1:-1, :-2], (0, 1)),
    )
    leaving: dict[tuple[int, int], list[int]] = defaultdict(list)
    for direction, (edges, (right, down)) in enumerate(sides):
        for y, x in np.argwhere(edges).tolist():
            leaving[x + right, y + down].append(direction)
    lines = []
    while leaving:
        start = next(iter(leaving))
        lines.append(_closed(leaving, start))
    return lines


def _closed(leaving: dict[tuple[int, int], list[int]], start: tuple[int, int]) -> Points:
    """Follow the edges from a point until they come back; they are used up."""
    points, at, before = [], start, -1
    while at in leaving:
        ways = leaving[at]
        # Where two pixels touch by a corner, the line turns right: around one pixel, and not across to the other.
        way = max(ways, key=lambda way: (way - before) % 4 == 1) if len(ways) > 1 else ways[0]
        ways.remove(way)
        if not ways:
            del leaving[at]
        if way != before:
            points.append(at)
        step = _STEPS[way]
        at, before = (at[0] + int(step[0]), at[1] + int(step[1])), way
    return np.asarray(points, dtype=np.float64)


def _simplified(line: Points, tolerance: float) -> Points:
    """A closed line without the points that lie within the tolerance of a straight line between others."""
    far = int(np.argmax(((line - line[0]) ** 2).sum(axis=1)))
    closed = np.concatenate([line, line[:1]])
    kept = np.zeros(len(closed), dtype=bool)
    kept[[0, far]] = True
    parts = [(0, far), (far, len(line))]
    while parts:
        start, stop = parts.pop()
        if stop - start < 2:
            continue
        away = _distances(closed[start + 1 : stop], closed[start], closed[stop])
        worst = start + 1 + int(np.argmax(away))
        if away.max() > tolerance:
            kept[worst] = True
            parts += [(start, worst), (worst, stop)]
    return closed[:-1][kept[:-1]]


def _distances(points: Points, start: Points, stop: Points) -> Points:
    """Distances (K,) of points (K, 2) from the segment between two points."""
    along = stop - start
    length = float(np.hypot(*along))
    offset = points - start
    if length == 0:
        return np.hypot(offset[:, 0], offset[:, 1])
    return np.abs(along[0] * offset[:, 1] - along[1] * offset[:, 0]) / length
