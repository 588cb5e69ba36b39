"""Gradients of losses in closed form: of a score by its terms, of the terms of upright boxes by their coordinates.

They equal what automatic differentiation makes of the formulas, with half of the gradient to each of two equal corners.
In eager torch one function with a known gradient takes a third of the time of the graph of the formula.

A score declares `partials`: ``partials(t, *, eps, xp)`` -> its value and its derivative by each term that it asks for.
"""

import itertools
import math
import operator
from typing import Any

from omniou._kernels.arithmetic import quotient, shared, spanned, total
from omniou._kernels.boxes import Axes, Boxes, BoxTerms, as_rows, aspects, by_axis, several_by_axis, turned
from omniou._lib import backends
from omniou._lib.arrays import axes
from omniou._lib.types import Namespace

Partials = dict[str, Any]
# Of minimum and maximum corners.
Ends = tuple[Axes, Axes]


class KeptTerms(BoxTerms):
    """Terms whose lengths are computed once, since both the value and the gradient need them."""

    def _lengths(self, length: Any) -> Axes:
        name = f"_kept_{length.__name__}"
        if name not in vars(self):
            setattr(self, name, super()._lengths(length))
        kept: Axes = getattr(self, name)
        return kept

    def pull(self, partials: Partials, /, *, both: bool) -> list[Ends]:
        """Derivatives by terms -> by the minimum and maximum corners of the first set, or of both."""
        a, b, xp = self._a, self._b, self._xp
        meet = times(partials["intersection"], _others(self._lengths(shared), xp=xp))
        sides = [_none(meet) if x is None else x for x in (self._hull(partials), *self._sides(partials, both=both))]
        distance = partials.get("centre_distance_squared")
        half = None if distance is None else 0.5 * distance

        def of_axis(low_a: Any, high_a: Any, low_b: Any, high_b: Any, *by: Any) -> list[Any]:
            meet, hull, *by_sides = by
            low, high = low_a - low_b, high_a - high_b
            # Whose corner an intersection or a hull ends at: half more, or less, than half.
            beyond_low, beyond_high = 0.5 * backends.sign(low, xp=xp), 0.5 * backends.sign(high, xp=xp)
            gap = xp.minimum(high_a, high_b) - xp.maximum(low_a, low_b)
            ends = meet * (0.5 + 0.5 * backends.sign(gap, xp=xp)), hull
            apart = None if half is None else half * (low + high)
            out = [*_moved(_ends(ends, (0.5 + beyond_low, 0.5 - beyond_high)), apart, by_sides[0])]
            if both:
                away = None if apart is None else -apart
                out += _moved(_ends(ends, (0.5 - beyond_low, 0.5 + beyond_high)), away, by_sides[1])
            return out

        low, high, *of_b = several_by_axis(of_axis, a.low, a.high, b.low, b.high, meet, *sides)
        return [(low, high), (of_b[0], of_b[1])] if both else [(low, high)]

    def _hull(self, partials: Partials, /) -> Axes | None:
        """The derivative by the sides of the hull."""
        lengths, derivative = self._lengths(spanned) if self._asks(partials, "hull") else (), None
        if "hull" in partials:
            derivative = times(partials["hull"], _others(lengths, xp=self._xp))
        if "hull_diagonal_squared" in partials:
            derivative = _plus(derivative, times(2.0 * partials["hull_diagonal_squared"], lengths))
        return _plus(derivative, partials.get("hull_sides"))

    def _sides(self, partials: Partials, /, *, both: bool) -> list[Axes | None]:
        """The derivatives by the sides of both sets."""
        derivatives = []
        for boxes, area, of_sides in ((self._a, "area_a", "sides_a"), (self._b, "area_b", "sides_b"))[: 1 + both]:
            of_one = None
            if area in partials:
                sides = by_axis(operator.sub, boxes.high, boxes.low)
                of_one = times(partials[area], _others(sides, xp=self._xp))
            derivatives.append(_plus(of_one, partials.get(of_sides)))
        if "aspect_difference" in partials:
            turned = _by_aspects(self._a, self._b, partials["aspect_difference"], xp=self._xp)
            derivatives = [_plus(x, y) for x, y in zip(derivatives, turned, strict=False)]
        return derivatives

    @staticmethod
    def _asks(partials: Partials, prefix: str, /) -> bool:
        return any(name.startswith(prefix) for name in partials)


def _ends(by: tuple[Any, Any], inside: tuple[Any, Any], /) -> tuple[Any, Any]:
    """Derivatives by the side of intersection and hull along an axis -> by its minimum and maximum corner.

    `inside`: the share of the intersection's low and high end that is the corner's; the hull has the rest.
    """
    (meet, hull), (low_inside, high_inside) = by, inside
    low, high = -meet * low_inside, meet * high_inside
    return (low, high) if hull is None else (low - hull * (1.0 - low_inside), high + hull * (1.0 - high_inside))


def _moved(by: tuple[Any, Any], apart: Any, side: Any, /) -> tuple[Any, Any]:
    """The terms with derivatives by the centre and by the side."""
    low, high = by
    if apart is not None:
        low, high = low + apart, high + apart
    return (low, high) if side is None else (low - side, high + side)


def times(factor: Any, x: Any, /) -> Any:
    """A factor (...) times an array (...), or times each of several."""
    return by_axis(lambda y: factor * y, x)


def _plus(x: Axes | None, y: Axes | None, /) -> Axes | None:
    return y if x is None else x if y is None else by_axis(operator.add, x, y)


def _none(like: Axes, /) -> Axes:
    return (None,) * len(like) if isinstance(like, tuple) else None


def _others(x: Axes, /, *, xp: Namespace) -> Axes:
    """Of each axis the product of the other axes."""
    if not isinstance(x, tuple):
        return turned(x, xp=xp) if x.shape[0] == 2 else xp.stack(_others(axes(x), xp=xp))
    match x:
        case (only,):
            return (xp.ones_like(only),)
        case (first, second):
            return second, first
    first, second, third = x
    return third * second, first * third, second * first


def _by_aspects(a: Boxes, b: Boxes, partial: Any, /, *, xp: Namespace) -> tuple[Axes | None, Axes | None]:
    """The derivative by the aspect difference -> by the sides of both sets."""
    stacked = not isinstance(a.low, tuple)
    sides = [axes(by_axis(operator.sub, x.high, x.low)) for x in (a, b)]
    aspects_a, aspects_b = (aspects(x, xp=xp) for x in sides)
    if not aspects_a:
        return None, None
    scale = 8.0 / math.pi**2 / len(aspects_a) * partial
    least = float(xp.finfo(a.area.dtype).smallest_normal)
    derivatives = []
    for side, sign in zip(sides, (scale, -scale), strict=True):
        by_side: list[list[Any]] = [[] for _ in side]
        for (p, i, j), (q, *_) in zip(aspects_a, aspects_b, strict=True):
            w, h = side[i], side[j]
            square = w * w + h * h
            slope = backends.divide(sign * (p - q), square, least, xp=xp)
            by_side[i].append(slope * h)
            by_side[j].append(-slope * w)
        of_one = tuple([total(x, xp=xp) for x in by_side])
        derivatives.append(xp.stack(of_one) if stacked else of_one)
    return derivatives[0], derivatives[1]


def of_corners(stated: Ends, by: Ends, /, *, xp: Namespace) -> Ends:
    """The derivative by a canonical box -> by its corners as they are stated, where an inverted one is empty."""

    def of_axis(low: Any, high: Any, by_low: Any, by_high: Any) -> tuple[Any, Any]:
        proper = 0.5 + 0.5 * backends.sign(high - low, xp=xp)
        return by_low + by_high * (1.0 - proper), by_high * proper

    by_low, by_high = several_by_axis(of_axis, *stated, *by)
    return by_low, by_high


def of_columns(by: Ends, /, *, layout: Any, xp: Namespace) -> Any:
    """The derivative by corners -> by the numbers of the format (..., 2D)."""
    first, second = by
    if layout.kind == "corner_sides":
        first = by_axis(operator.add, first, second)
    elif layout.kind == "centre_sides":
        first, second = by_axis(operator.add, first, second), by_axis(lambda p, q: 0.5 * (q - p), first, second)
    if layout.reverse:
        first, second = turned(first, xp=xp), turned(second, xp=xp)
    return as_rows(first, second, xp=xp)


def with_inversion(value: Any, stated: list[Ends], by: list[Ends], /, *, xp: Namespace) -> tuple[Any, list[Ends]]:
    """Losses (...), corners of both, derivatives by them -> the same with the cost of inverted predictions."""

    def of_axis(low: Any, high: Any, low_b: Any, high_b: Any, *by: Any) -> list[Any]:
        by_low, by_high, *by_b = by
        inverted = low > high
        top, bottom = xp.maximum(low_b, high_b), xp.minimum(low_b, high_b)
        hull = xp.where(inverted, xp.maximum(low, top) - xp.minimum(high, bottom), 1.0)
        share = quotient(xp.where(inverted, low - high, 0.0), hull, xp=xp)
        over = quotient(xp.where(inverted, xp.ones_like(low), 0.0), hull, xp=xp)
        beyond_top, beyond_bottom = 0.5 * backends.sign(low - top, xp=xp), 0.5 * backends.sign(bottom - high, xp=xp)
        by_low = by_low + over * (1.0 - share * (0.5 + beyond_top))
        by_high = by_high + over * (share * (0.5 + beyond_bottom) - 1.0)
        if not by_b:
            return [share, by_low, by_high]
        # The hull's ends that are the target's, half to each of two equal corners.
        nearer = 0.5 * backends.sign(high_b - low_b, xp=xp)
        by_top, by_bottom = -over * share * (0.5 - beyond_top), over * share * (0.5 - beyond_bottom)
        by_low_b = by_b[0] + by_top * (0.5 - nearer) + by_bottom * (0.5 + nearer)
        by_high_b = by_b[1] + by_top * (0.5 + nearer) + by_bottom * (0.5 - nearer)
        return [share, by_low, by_high, by_low_b, by_high_b]

    ends = itertools.chain(*stated, *by)
    shares, *derivatives = several_by_axis(of_axis, *ends)
    return value + total(shares, xp=xp), list(zip(derivatives[::2], derivatives[1::2], strict=True))
