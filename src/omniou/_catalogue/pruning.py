"""Find pairs that cannot score above a threshold, by the bounds and areas of their shapes.

Every score that declares `Score.at_most` is an overlap less penalties, which are never negative: it is at most that
overlap, taken to the same `power`. Disjoint shapes have the overlap 0. Where an IoU is above t, the intersection is
more than the share t of either area, and so the smaller area is more than the share t of the larger one. Dice is
2 IoU / (1 + IoU), and so above t where IoU is above t / (2 - t).
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from omniou._catalogue.geometry import Geometry
from omniou._catalogue.score import Score
from omniou._lib.overlapping import Extents
from omniou._lib.types import Namespace

# Shares are lowered by this, the accuracy of closed forms of rotated shapes, so that rounding loses no pair.
_SLACK = {32: 1e-3, 64: 1e-6}


class Pruning(NamedTuple):
    """Lower bounds that hold for every pair above a threshold."""

    share_a: float  # of a side of the first bounds that the intersection covers
    share_b: float
    ratio: float  # of the smaller to the larger area


def pruning(
    score: Score, geometry: Geometry, options: Mapping[str, Any], threshold: float, /, *, inclusive: bool, bits: int
) -> Pruning | None:
    """Return lower bounds for pairs above a threshold; None if disjoint shapes may be above it."""
    if not score.at_most or options.get("inner", 1.0) > 1.0 or threshold < 0 or (inclusive and threshold == 0):
        return None
    # An infinite score is possible by no overlap; a threshold above 1 finds nothing, as 1 nearly does.
    least = min(threshold, 1.0) ** (1.0 / options.get("power", 1.0)) * (1.0 - _SLACK[bits])
    if score.at_most == "dice":
        least = least / (2.0 - least)
    share = _side(least, geometry.slab)
    match score.at_most:
        case "iomin":
            return Pruning(0.0, 0.0, 0.0)
        case "iof":  # of the first area only, which then counts for both in `narrowed`
            return Pruning(min(1.0, 2.0 * share), 0.0, 0.0)
    return Pruning(share, share, least)


def _side(share: float, slab: int) -> float:
    """Return the least share of a side that a part of the shape covers if it has a share of the area.

    See `Geometry.slab`: a part with 0.75 of the area covers 0.75 of each side of a box, and 0.5 of a convex shape.
    """
    return 1.0 - (1.0 - share) ** (1.0 / slab) if slab else 0.0


def narrowed(bounds: Any, share: float, groups: Any, /, *, xp: Namespace) -> Extents:
    """Bounds made narrower about their centres: those of pairs that share so much of their sides still overlap.

    Two intervals of lengths p and q whose centres are d apart share (p + q) / 2 - d at most. If that is at least s p
    and at least s q, it is at least s (p + q) / 2, and so d is at most (1 - s) (p + q) / 2: intervals shortened to
    1 - s of their lengths still overlap. If it is at least s p only, d is at most ((1 - 2 s) p + q) / 2.
    """
    low, high = bounds.low, bounds.high
    if share > 0:
        # Coordinates far from the origin have rounding errors; bounds are widened by them.
        rounding = 4.0 * float(xp.finfo(low.dtype).eps) * (xp.abs(low) + xp.abs(high))
        by = 0.5 * share * (high - low) - rounding
        by = xp.where((by > 0) & (by < math.inf), by, xp.zeros_like(by))
        low, high = low + by, high - by
    return Extents(low, high, groups, bounds.area)
