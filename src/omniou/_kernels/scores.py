"""Each score once: a formula over the terms of a geometry.

A formula gives parts: an overlap, and penalties that are subtracted from it. `eps` is added to every denominator; it is
0 unless a peer's number is to be reproduced.
"""

import operator
from collections.abc import Mapping
from typing import Any, Protocol

from omniou._kernels.arithmetic import joined, magnitude, quotient, relu, total
from omniou._kernels.boxes import Axes, by_axis, several_by_axis
from omniou._lib import backends
from omniou._lib.arrays import axes
from omniou._lib.types import Namespace

Partials = dict[str, Any]
Parts = tuple[Any, ...]


class Terms(Protocol):
    """The terms of two shapes. A geometry gives the terms it can, each computed when it is asked for."""

    @property
    def area_a(self) -> Any: ...
    @property
    def area_b(self) -> Any: ...
    def intersection(self) -> Any: ...
    def hull(self) -> Any: ...
    def hull_diagonal_squared(self) -> Any: ...
    def hull_sides(self) -> Any: ...  # D arrays (...), or one array (D, ...)
    def sides_a(self) -> Any: ...  # likewise
    def sides_b(self) -> Any: ...  # likewise
    def centre_distance_squared(self) -> Any: ...
    def centre_differences(self) -> Any: ...  # likewise
    def corner_distances_squared(self) -> Any: ...  # likewise, two: between the low and between the high corners
    def aspect_difference(self) -> Any: ...
    def gaussians(self) -> Any: ...  # `_kernels.gaussian.Gaussians`
    def scaled(self, ratio: float) -> "Terms": ...  # of both shapes, scaled about their centres


def combined(formula: Any, t: Terms, /, *, options: Mapping[str, Any], xp: Namespace) -> Any:
    """A formula, terms of (...) -> score (...). Of the options, `power` and `inner` are those of every score."""
    own = dict(options)
    exponent, inner = own.pop("power", 1.0), own.pop("inner", 1.0)
    parts = formula(t, **own, xp=xp)
    if inner != 1.0:
        # Inner-IoU: the overlap is that of the scaled shapes, the penalties stay.
        parts = (formula(t.scaled(inner), **own, xp=xp)[0], *parts[1:])
    if exponent != 1.0:
        parts = tuple(power(x, exponent, xp=xp) for x in parts)
    score = parts[0]
    for penalty in parts[1:]:
        score = score - penalty
    return score


def intersection(t: Terms, /, *, xp: Namespace) -> Parts:  # noqa: ARG001  (one signature for all scores)
    return (t.intersection(),)


def union(t: Terms, /, *, xp: Namespace) -> Parts:
    return (_union(t, t.intersection(), xp=xp),)


def iou(t: Terms, /, *, eps: float, xp: Namespace) -> Parts:
    return (_iou(t, eps=eps, xp=xp),)


def iof(t: Terms, /, *, eps: float, xp: Namespace) -> Parts:
    inter = t.intersection()
    # An empty first shape must not hide a NaN in the second.
    return (quotient(inter, _plus(t.area_a + 0.0 * inter, eps), xp=xp),)


def iomin(t: Terms, /, *, eps: float, xp: Namespace) -> Parts:
    inter = t.intersection()
    # Areas of 0 must not hide a NaN in a centre, which the areas of many geometries do not depend on.
    return (quotient(inter, _plus(xp.minimum(t.area_a, t.area_b) + 0.0 * inter, eps), xp=xp),)


def dice(t: Terms, /, *, eps: float, xp: Namespace) -> Parts:
    inter = t.intersection()
    return (quotient(2.0 * inter, _plus((t.area_a + t.area_b) + 0.0 * inter, eps), xp=xp),)


def tiou(t: Terms, /, *, eps: float, xp: Namespace) -> Parts:
    return (quotient(xp.minimum(t.area_a, t.area_b), _plus(t.hull(), eps), xp=xp),)


def giou(t: Terms, /, *, eps: float, xp: Namespace) -> Parts:
    inter, hull = t.intersection(), t.hull()
    union = _union(t, inter, xp=xp)
    # The hull is empty only when both shapes are: the quotient is then 0, and so is its gradient.
    filled = quotient(inter, _plus(union, eps), xp=xp)
    return filled, quotient(hull - union, _plus(hull, eps), xp=xp)


def diou(t: Terms, /, *, eps: float, xp: Namespace) -> Parts:
    return _iou(t, eps=eps, xp=xp), _distance(t, eps=eps, xp=xp)


def eiou(t: Terms, /, *, eps: float, xp: Namespace) -> Parts:

    def unlike(a: Any, b: Any, hull: Any) -> Any:
        difference = a - b
        return quotient(difference * difference, _plus(hull * hull, eps), xp=xp)

    sides = (axes(x) for x in (t.sides_a(), t.sides_b(), t.hull_sides()))
    return *diou(t, eps=eps, xp=xp), total(by_axis(unlike, *sides), xp=xp)


def ciou(t: Terms, /, *, eps: float, detach_alpha: bool, alpha_above: float | None, xp: Namespace) -> Parts:
    overlap = _iou(t, eps=eps, xp=xp)
    v = t.aspect_difference()
    alpha = _where_above(overlap, alpha_above, quotient(v, _plus(1.0 - overlap + v, eps), xp=xp), xp=xp)
    if detach_alpha:
        alpha = backends.stop_gradient(alpha, xp=xp)
    return overlap, _distance(t, eps=eps, xp=xp), alpha * v


def siou(t: Terms, /, *, eps: float, theta: float, xp: Namespace) -> Parts:
    between, hull = axes(t.centre_differences()), axes(t.hull_sides())
    x, y = (magnitude(d, xp=xp) for d in between)
    # The sine of twice the angle of the line between the centres: 0 along an axis, 1 along a diagonal.
    angle = quotient(2.0 * x * y, _plus(x * x + y * y, eps), xp=xp)
    shares = [quotient(d, _plus(side, eps), xp=xp) for d, side in zip(between, hull, strict=True)]
    distance = total([-xp.expm1((angle - 2.0) * (share * share)) for share in shares], xp=xp)
    shape = total([power(-xp.expm1(-x), theta, xp=xp) for x in _sides_unlike(t, eps=eps, xp=xp)], xp=xp)
    return _iou(t, eps=eps, xp=xp), 0.5 * (distance + shape)


def mpdiou(t: Terms, /, *, eps: float, image_sides: Any, xp: Namespace) -> Parts:
    diagonal = _plus(sum(side * side for side in axes(image_sides)), eps)
    return _iou(t, eps=eps, xp=xp), *(
        quotient(x, diagonal + 0.0 * x, xp=xp) for x in axes(t.corner_distances_squared())
    )


def shape_iou(t: Terms, /, *, eps: float, scale: float, xp: Namespace) -> Parts:
    weights = _side_weights(axes(t.sides_b()), scale, xp=xp)
    # The difference along an axis is weighted by the other side of the target.
    apart = total(by_axis(lambda weight, x: weight * x * x, weights, axes(t.centre_differences())), xp=xp)
    distance = quotient(apart, _plus(t.hull_diagonal_squared(), eps), xp=xp)
    unlike = _sides_unlike(t, eps=eps, xp=xp)
    shape = total(by_axis(lambda weight, x: power(-xp.expm1(-weight * x), 4.0, xp=xp), weights, unlike), xp=xp)
    return _iou(t, eps=eps, xp=xp), distance, 0.5 * shape


def wiou(t: Terms, /, *, eps: float, xp: Namespace) -> Parts:
    overlap = _iou(t, eps=eps, xp=xp)
    diagonal = backends.stop_gradient(_plus(t.hull_diagonal_squared(), eps), xp=xp)
    return overlap, xp.expm1(quotient(t.centre_distance_squared(), diagonal, xp=xp)) * (1.0 - overlap)


def _iou(t: Terms, /, *, eps: float, xp: Namespace) -> Any:
    inter = t.intersection()
    return quotient(inter, _plus(_union(t, inter, xp=xp), eps), xp=xp)


def _sides_unlike(t: Terms, /, *, eps: float, xp: Namespace) -> Axes:
    """Differences of the sides over the longer one, in [0, 1]."""

    def unlike(a: Any, b: Any) -> Any:
        return quotient(magnitude(a - b, xp=xp), _plus(xp.maximum(a, b), eps), xp=xp)

    return by_axis(unlike, axes(t.sides_a()), axes(t.sides_b()))


def _side_weights(sides: Axes, scale: float, /, *, xp: Namespace) -> Axes:
    """Two sides -> twice the share that the other side's power has in the sum of both."""
    if not scale:
        return tuple([xp.ones_like(side) for side in sides])

    def weight(share: Any, other_share: Any, own: Any, other: Any) -> Any:
        return xp.where(share + other_share <= 0, 1.0, quotient(2.0 * other, own + other, xp=xp))

    # Of shares, since a power of a side may leave the dtype's range.
    shares = by_axis(lambda side, other: quotient(side, other + side, xp=xp), sides, sides[::-1])
    powers = tuple([power(share, scale, xp=xp) for share in shares])
    return by_axis(weight, shares, shares[::-1], powers, powers[::-1])


def power(x: Any, exponent: float, /, *, xp: Namespace) -> Any:
    """x^power of x >= 0, with gradient 0 at 0."""
    # Rounding may leave a penalty a little below 0.
    x = relu(x, xp=xp)
    tiny = x < float(xp.finfo(x.dtype).smallest_normal)
    return xp.where(tiny, 0.0, xp.where(tiny, 1.0, x) ** exponent)


# Derivatives by the terms, for `_kernels.gradients`: each gives the score and {term: derivative}.


def iou_partials(t: Terms, /, *, eps: float, xp: Namespace) -> tuple[Any, Partials]:
    union = _plus(_union(t, t.intersection(), xp=xp), eps)
    score, over = quotient(t.intersection(), union, xp=xp), _over(union, xp=xp)
    by_area = -score * over
    return score, {"intersection": over - by_area, "area_a": by_area, "area_b": by_area}


def iof_partials(t: Terms, /, *, eps: float, xp: Namespace) -> tuple[Any, Partials]:
    area = _plus(t.area_a + 0.0 * t.intersection(), eps)
    score, over = quotient(t.intersection(), area, xp=xp), _over(area, xp=xp)
    return score, {"intersection": over, "area_a": -score * over}


def iomin_partials(t: Terms, /, *, eps: float, xp: Namespace) -> tuple[Any, Partials]:
    least = _plus(xp.minimum(t.area_a, t.area_b), eps)
    score, over = quotient(t.intersection(), least, xp=xp), _over(least, xp=xp)
    smaller = 0.5 * backends.sign(t.area_b - t.area_a, xp=xp)  # 1/2 where it is the first, 0 where both are
    by_area = -score * over
    return score, {"intersection": over, "area_a": by_area * (0.5 + smaller), "area_b": by_area * (0.5 - smaller)}


def dice_partials(t: Terms, /, *, eps: float, xp: Namespace) -> tuple[Any, Partials]:
    areas = _plus(t.area_a + t.area_b, eps)
    score, over = quotient(2.0 * t.intersection(), areas, xp=xp), _over(areas, xp=xp)
    by_area = -score * over
    return score, {"intersection": 2.0 * over, "area_a": by_area, "area_b": by_area}


def giou_partials(t: Terms, /, *, eps: float, xp: Namespace) -> tuple[Any, Partials]:
    inter, hull = t.intersection(), t.hull()
    union = _union(t, inter, xp=xp)
    filled, over = quotient(inter, _plus(union, eps), xp=xp), _over(_plus(union, eps), xp=xp)
    free, over_hull = quotient(hull - union, _plus(hull, eps), xp=xp), _over(_plus(hull, eps), xp=xp)
    by_area = over_hull - filled * over
    by_hull = (free - 1.0) * over_hull
    return filled - free, {"intersection": over - by_area, "area_a": by_area, "area_b": by_area, "hull": by_hull}


def diou_partials(t: Terms, /, *, eps: float, xp: Namespace) -> tuple[Any, Partials]:
    overlap, partials = iou_partials(t, eps=eps, xp=xp)
    apart, by_distance = _distance_partials(t, eps=eps, xp=xp)
    return overlap - apart, partials | by_distance


def _distance_partials(t: Terms, /, *, eps: float, xp: Namespace) -> tuple[Any, Partials]:
    diagonal = _plus(t.hull_diagonal_squared(), eps)
    apart, over = quotient(t.centre_distance_squared(), diagonal, xp=xp), _over(diagonal, xp=xp)
    return apart, {"centre_distance_squared": -over, "hull_diagonal_squared": apart * over}


def eiou_partials(t: Terms, /, *, eps: float, xp: Namespace) -> tuple[Any, Partials]:
    score, partials = diou_partials(t, eps=eps, xp=xp)

    def of_axis(a: Any, b: Any, hull: Any) -> tuple[Any, Any, Any]:
        difference, square = a - b, _plus(hull * hull, eps)
        unlike = quotient(difference * difference, square, xp=xp)
        by_side = 2.0 * quotient(difference, square, xp=xp)
        return unlike, by_side, 2.0 * unlike * quotient(hull, square, xp=xp)

    unlike, by_side, by_hull = several_by_axis(of_axis, t.sides_a(), t.sides_b(), t.hull_sides())
    partials |= {"sides_a": by_axis(operator.neg, by_side), "sides_b": by_side, "hull_sides": by_hull}
    return score - total(unlike, xp=xp), partials


def ciou_partials(
    t: Terms, /, *, eps: float, detach_alpha: bool, alpha_above: float | None, xp: Namespace
) -> tuple[Any, Partials]:
    overlap, partials = iou_partials(t, eps=eps, xp=xp)
    apart, by_distance = _distance_partials(t, eps=eps, xp=xp)
    v = t.aspect_difference()
    divisor = _plus(1.0 - overlap + v, eps)
    alpha = _where_above(overlap, alpha_above, quotient(v, divisor, xp=xp), xp=xp)
    by_aspect = -alpha
    if not detach_alpha:
        # alpha falls by alpha / divisor as v is in the divisor, and rises so with the overlap.
        over = _where_above(overlap, alpha_above, _over(divisor, xp=xp), xp=xp)
        by_aspect = by_aspect - v * (1.0 - alpha) * over
        share = 1.0 - v * alpha * over
        partials |= {name: partials[name] * share for name in ("intersection", "area_a", "area_b")}
    return overlap - apart - alpha * v, {**partials, **by_distance, "aspect_difference": by_aspect}


def _where_above(overlap: Any, least: float | None, x: Any, /, *, xp: Namespace) -> Any:
    """(...) -> x where the overlap is above `least`, and 0 elsewhere; NaN in the overlap stays in x."""
    return x if least is None else xp.where(overlap <= least, 0.0, x)


def _over(d: Any, /, *, xp: Namespace) -> Any:
    """1 / d, and 0 where d is (nearly) 0."""
    return quotient(xp.ones_like(d), d, xp=xp)


def _union(t: Terms, inter: Any, /, *, xp: Namespace) -> Any:
    return joined(t.area_a, t.area_b, inter, xp=xp)


def _distance(t: Terms, /, *, eps: float, xp: Namespace) -> Any:
    return quotient(t.centre_distance_squared(), _plus(t.hull_diagonal_squared(), eps), xp=xp)


def _plus(divisor: Any, eps: float, /) -> Any:
    return divisor + eps if eps else divisor
