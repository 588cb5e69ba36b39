"""Gradients of losses in closed form: of a score by its terms, of the terms of upright boxes by their coordinates.

They equal what automatic differentiation makes of the formulas, with half of the gradient to each of two equal corners.
In eager torch one function with a known gradient takes a third of the time of the graph of the formula.

A score declares `partials`: ``partials(t, *, eps, xp)`` -> its value and its derivative by each term that it asks for.
"""

import math
from typing import Any

from omniou._kernels.arithmetic import quotient, shared, spanned, total
from omniou._kernels.boxes import Boxes, BoxTerms, aspects
from omniou._lib import backends
from omniou._lib.types import Namespace

Partials = dict[str, Any]
# Of low and high corners, (D, ...) each.
Ends = tuple[Any, Any]


class KeptTerms(BoxTerms):
    """Terms whose lengths are computed once, since both the value and the gradient need them."""

    def _lengths(self, length: Any) -> Any:
        name = f"_kept_{length.__name__}"
        if name not in vars(self):
            setattr(self, name, super()._lengths(length))
        return getattr(self, name)

    def pull(self, partials: Partials, /, *, both: bool) -> list[Ends]:
        """Derivatives by terms -> by the minimum and maximum corners of the first set, or of both, (D, ...) each."""
        a, b, xp = self._a, self._b, self._xp
        low, high = a.low - b.low, a.high - b.high
        # Whose corner an intersection or a hull ends at: half more, or less, than half.
        beyond_low, beyond_high = 0.5 * xp.sign(low), 0.5 * xp.sign(high)
        gap = xp.minimum(a.high, b.high) - xp.maximum(a.low, b.low)
        meet = partials["intersection"] * _others(self._lengths(shared), xp=xp) * (0.5 + 0.5 * xp.sign(gap))
        hull = self._hull(partials)
        distance = partials.get("centre_distance_squared")
        apart = None if distance is None else (0.5 * distance) * (low + high)
        by_sides = self._sides(partials, both=both)
        derivatives = [_moved(_ends((meet, hull), (0.5 + beyond_low, 0.5 - beyond_high)), apart, by_sides[0])]
        if both:
            away = None if apart is None else -apart
            derivatives.append(_moved(_ends((meet, hull), (0.5 - beyond_low, 0.5 + beyond_high)), away, by_sides[1]))
        return derivatives

    def _hull(self, partials: Partials, /) -> Any:
        """The derivative by the sides of the hull (D, ...)."""
        lengths, derivative = self._lengths(spanned) if self._asks(partials, "hull") else None, None
        if "hull" in partials:
            derivative = partials["hull"] * _others(lengths, xp=self._xp)
        if "hull_diagonal_squared" in partials:
            derivative = _plus(derivative, (2.0 * partials["hull_diagonal_squared"]) * lengths)
        return _plus(derivative, partials["hull_sides"]) if "hull_sides" in partials else derivative

    def _sides(self, partials: Partials, /, *, both: bool) -> list[Any]:
        """The derivatives by the sides of both sets (D, ...)."""
        derivatives = []
        for boxes, area, of_sides in ((self._a, "area_a", "sides_a"), (self._b, "area_b", "sides_b"))[: 1 + both]:
            of_one = None
            if area in partials:
                of_one = partials[area] * _others(boxes.high - boxes.low, xp=self._xp)
            derivatives.append(_plus(of_one, partials[of_sides]) if of_sides in partials else of_one)
        if "aspect_difference" in partials:
            turned = _by_aspects(self._a, self._b, partials["aspect_difference"], xp=self._xp)
            derivatives = [_plus(x, y) for x, y in zip(derivatives, turned, strict=False)]
        return derivatives

    @staticmethod
    def _asks(partials: Partials, prefix: str, /) -> bool:
        return any(name.startswith(prefix) for name in partials)


def _ends(by: tuple[Any, Any], inside: tuple[Any, Any], /) -> Ends:
    """Derivatives by the sides of intersection and hull -> by minimum and maximum corners.

    `inside`: the share of the intersection's low and high ends that is the corner's; the hull has the rest.
    """
    (meet, hull), (low_inside, high_inside) = by, inside
    low, high = -meet * low_inside, meet * high_inside
    return (low, high) if hull is None else (low - hull * (1.0 - low_inside), high + hull * (1.0 - high_inside))


def _moved(by: Ends, apart: Any, side: Any, /) -> Ends:
    """The terms with derivatives by the centre and by the sides."""
    low, high = by
    if apart is not None:
        low, high = low + apart, high + apart
    return (low, high) if side is None else (low - side, high + side)


def _plus(x: Any, y: Any, /) -> Any:
    return y if x is None else x if y is None else x + y


def _others(x: Any, /, *, xp: Namespace) -> Any:
    """(D, ...) -> of each axis the product of the other axes (D, ...)."""
    match x.shape[0]:
        case 1:
            return xp.ones_like(x)
        case 2:
            return xp.flip(x, axis=0)
    return xp.roll(x, 1, axis=0) * xp.roll(x, 2, axis=0)


def _by_aspects(a: Boxes, b: Boxes, partial: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """The derivative by the aspect difference -> by the sides of both sets (D, ...)."""
    aspects_a, aspects_b = aspects(a.high - a.low, xp=xp), aspects(b.high - b.low, xp=xp)
    if not aspects_a:
        return None, None
    scale = 8.0 / math.pi**2 / len(aspects_a) * partial
    least = float(xp.finfo(a.low.dtype).smallest_normal)
    derivatives = []
    for boxes, sign in ((a, scale), (b, -scale)):
        side = boxes.high - boxes.low
        by_side: list[Any] = [None] * side.shape[0]
        for (p, i, j), (q, *_) in zip(aspects_a, aspects_b, strict=True):
            w, h = side[i, ...], side[j, ...]
            square = w * w + h * h
            slope = backends.divide(sign * (p - q), square, least, xp=xp)
            by_side[i], by_side[j] = _plus(by_side[i], slope * h), _plus(by_side[j], -slope * w)
        derivatives.append(xp.stack(by_side))
    return derivatives[0], derivatives[1]


def of_corners(stated: Ends, by: Ends, /, *, xp: Namespace) -> Ends:
    """The derivative by a canonical box -> by its corners as they are stated, where an inverted one is empty."""
    (low, high), (by_low, by_high) = stated, by
    proper = 0.5 + 0.5 * xp.sign(high - low)
    return by_low + by_high * (1.0 - proper), by_high * proper


def of_columns(by: Ends, /, *, layout: Any, xp: Namespace) -> Any:
    """The derivative by corners (D, ...) -> by the numbers of the format (..., 2D)."""
    first, second = by
    if layout.kind == "corner_sides":
        first = first + second
    elif layout.kind == "centre_sides":
        first, second = first + second, 0.5 * (second - first)
    if layout.reverse:
        first, second = xp.flip(first, axis=0), xp.flip(second, axis=0)
    columns = xp.concat([first, second], axis=0)
    return xp.permute_dims(columns, (*range(1, columns.ndim), 0))


def with_inversion(value: Any, stated: list[Ends], by: list[Ends], /, *, xp: Namespace) -> tuple[Any, list[Ends]]:
    """Losses (...), corners of both, derivatives by them -> the same with the cost of inverted predictions."""
    (low, high), (low_b, high_b) = stated
    inverted = low > high
    top, bottom = xp.maximum(low_b, high_b), xp.minimum(low_b, high_b)
    hull = xp.where(inverted, xp.maximum(low, top) - xp.minimum(high, bottom), 1.0)
    share = quotient(xp.where(inverted, low - high, 0.0), hull, xp=xp)
    over = quotient(xp.where(inverted, xp.ones_like(low), 0.0), hull, xp=xp)
    beyond_top, beyond_bottom = 0.5 * xp.sign(low - top), 0.5 * xp.sign(bottom - high)
    by_low, by_high = by[0]
    derivatives = [
        (
            by_low + over * (1.0 - share * (0.5 + beyond_top)),
            by_high + over * (share * (0.5 + beyond_bottom) - 1.0),
        )
    ]
    if len(by) > 1:
        # The hull's ends that are the target's, half to each of two equal corners.
        nearer = 0.5 * xp.sign(high_b - low_b)
        by_top, by_bottom = -over * share * (0.5 - beyond_top), over * share * (0.5 - beyond_bottom)
        by_low, by_high = by[1]
        derivatives.append(
            (
                by_low + by_top * (0.5 - nearer) + by_bottom * (0.5 + nearer),
                by_high + by_top * (0.5 + nearer) + by_bottom * (0.5 - nearer),
            )
        )
    return value + total(share, xp=xp), derivatives
