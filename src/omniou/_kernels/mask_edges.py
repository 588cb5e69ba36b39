"""Edges of masks: erosion, dilation, boundaries, and the counts that compare them."""

import dataclasses
import math
from typing import Any, NamedTuple

from omniou._kernels.arithmetic import quotient
from omniou._kernels.masks import Counted, MaskPlan, filled, hard_pixels, joined_invalid, marked
from omniou._kernels.pixels import PixelCounts
from omniou._lib import backends
from omniou._lib.arrays import cast
from omniou._lib.types import Namespace


@dataclasses.dataclass(frozen=True)
class NearEdges:
    """Counts of the pixels of both masks near their edges."""

    radius: int

    def __call__(self, a: Any, b: Any, /, *, plan: MaskPlan, xp: Namespace) -> Counted:
        p, q = (boundary(x, radius=self.radius, threshold=plan.threshold, xp=xp) for x in (a, b))
        counts = PixelCounts(*hard_pixels(p, q, plan=plan, xp=xp), lambda: math.prod(a.shape[-2:]), plan.compute)
        return Counted(counts, joined_invalid(a, b, pairs=plan.pairs, xp=xp))


@dataclasses.dataclass(frozen=True)
class Trimap:
    """Counts of the pixels of both masks near the outline of the second."""

    radius: int

    def __call__(self, a: Any, b: Any, /, *, plan: MaskPlan, xp: Namespace) -> Counted:
        p, q = (filled(x, threshold=plan.threshold, xp=xp) for x in (a, b))
        band = within(q, self.radius, xp=xp) & within(~q, self.radius, xp=xp)
        inter, _, second = hard_pixels(p, q & band, plan=plan, xp=xp)
        first, _, total = hard_pixels(p, band, plan=plan, xp=xp)
        counts = PixelCounts(inter, first, second, lambda: total, plan.compute)
        return Counted(counts, joined_invalid(a, b, pairs=plan.pairs, xp=xp))


class Contours(NamedTuple):
    """Pixels of the outlines of two masks, and those that lie close to the other outline, integers (...)."""

    outline_a: Any
    close_a: Any
    outline_b: Any
    close_b: Any
    invalid: Any


@dataclasses.dataclass(frozen=True)
class OfContours:
    """Counts of the pixels of outlines, and of those within a distance of the other outline."""

    radius: int

    def __call__(self, a: Any, b: Any, /, *, plan: MaskPlan, xp: Namespace) -> Contours:
        p, q = (contour(filled(x, threshold=plan.threshold, xp=xp), xp=xp) for x in (a, b))
        near_p, near_q = (within_disk(x, self.radius, xp=xp) for x in (p, q))
        close_a, outline_a, _ = hard_pixels(p, near_q, plan=plan, xp=xp)
        close_b, _, outline_b = hard_pixels(near_p, q, plan=plan, xp=xp)
        return Contours(outline_a, close_a, outline_b, close_b, joined_invalid(a, b, pairs=plan.pairs, xp=xp))


@dataclasses.dataclass(frozen=True)
class BoundaryF:
    """Harmonic mean of the shares of both outlines that lie close to the other."""

    zero_division: float

    def __call__(self, t: Contours, /, *, plan: MaskPlan, xp: Namespace) -> Any:
        outline_a, close_a, outline_b, close_b = (cast(x, plan.compute, xp=xp) for x in t[:4])
        precision, recall = quotient(close_a, outline_a, xp=xp), quotient(close_b, outline_b, xp=xp)
        out = quotient(2.0 * precision * recall, precision + recall, xp=xp)
        out = xp.where(outline_a + outline_b == 0, self.zero_division, out)
        return marked(out, t.invalid, plan=plan, xp=xp)


def boundary(x: Any, /, *, radius: int, threshold: float | None, xp: Namespace) -> Any:
    """Masks (..., height, width) -> their pixels within `radius` rows and columns of one that is off or outside."""
    on = filled(x, threshold=threshold, xp=xp)
    return on & ~_windows(on, radius, union=False, xp=xp)


def within(x: Any, radius: int, /, *, xp: Namespace) -> Any:
    """Booleans (..., height, width) -> the pixels within `radius` rows and columns of a true one."""
    return _windows(x, radius, union=True, xp=xp)


def within_disk(x: Any, radius: int, /, *, xp: Namespace) -> Any:
    """Booleans (..., height, width) -> the pixels within `radius` of a true one, from centre to centre."""
    height = x.shape[-2]
    tall = _padded(x, radius, -2, xp=xp)
    out: Any = None
    for dy in range(-radius, radius + 1):
        row = _across(
            tall[..., radius + dy : radius + dy + height, :], math.isqrt(radius**2 - dy**2), -1, union=True, xp=xp
        )
        out = row if out is None else out | row
    return out


def contour(x: Any, /, *, xp: Namespace) -> Any:
    """Booleans (..., height, width) -> whether the pixel below, to the right or below to the right differs.

    The edge of the image is not a contour.
    """
    if 0 in x.shape[-2:]:
        return x
    tall = xp.concat([x, x[..., -1:, :]], axis=-2)
    wide = xp.concat([tall, tall[..., -1:]], axis=-1)
    right, below, both = wide[..., :-1, 1:], wide[..., 1:, :-1], wide[..., 1:, 1:]
    return (x ^ right) | (x ^ below) | (x ^ both)


def erode(pixels: Any, radius: int, stride: int, /) -> Any:
    """Booleans (K,), `stride` of which make a column -> (K - 2 * radius * (stride + 1),).

    True where all within `radius` rows and columns are true: the first result is for the pixel `radius` columns and
    rows on. Columns and masks that follow each other must be apart by one pixel, or column, that is false.
    """
    count = 2 * radius + 1
    return _runs(_runs(pixels, count, 1, 0, union=False), count, stride, 0, union=False)


def _windows(x: Any, radius: int, /, *, union: bool, xp: Namespace) -> Any:
    """Whether all, or any, within `radius` rows and columns are true; outside is false."""
    return _across(_across(x, radius, -1, union=union, xp=xp), radius, -2, union=union, xp=xp)


def _across(x: Any, radius: int, axis: int, /, *, union: bool, xp: Namespace) -> Any:
    # A window that reaches out of the image on both sides sees all of it, and false outside.
    radius = min(radius, x.shape[axis])
    return _runs(_padded(x, radius, axis, xp=xp), 2 * radius + 1, 1, axis, union=union)


def _padded(x: Any, radius: int, axis: int, /, *, xp: Namespace) -> Any:
    shape = list(x.shape)
    shape[axis] = radius
    edge = xp.zeros(tuple(shape), dtype=x.dtype, device=backends.device(x, xp=xp))
    return xp.concat([edge, x, edge], axis=axis)


def _runs(x: Any, count: int, step: int, axis: int, /, *, union: bool) -> Any:
    """All, or any, of each and those 1, 2 ... `count` - 1 steps after it, along an axis that gets shorter by these."""
    seen = 1
    while seen < count:
        # Twice as many as before, or what is left of them.
        more = min(seen, count - seen) * step
        here, there = _slice(x, 0, x.shape[axis] - more, axis), _slice(x, more, x.shape[axis], axis)
        x = here | there if union else here & there
        seen += more // step
    return x


def _slice(x: Any, start: int, stop: int, axis: int, /) -> Any:
    return x[(*(slice(None),) * (axis % x.ndim), slice(start, stop), ...)]
