"""Each score once: a formula over the terms of a geometry.

`eps` is added to every denominator; it is 0 unless a peer's number is to be reproduced.
"""

from typing import Any, Protocol

from omniou._kernels.arithmetic import quotient, total
from omniou._lib import backends
from omniou._lib.types import Namespace


class Terms(Protocol):
    """What two shapes have in common. A geometry gives the terms it can, each computed when it is asked for."""

    @property
    def area_a(self) -> Any: ...
    @property
    def area_b(self) -> Any: ...
    def intersection(self) -> Any: ...
    def hull(self) -> Any: ...
    def hull_diagonal_squared(self) -> Any: ...
    def hull_sides(self) -> Any: ...  # (D, ...)
    def sides_a(self) -> Any: ...  # (D, ...)
    def sides_b(self) -> Any: ...  # (D, ...)
    def centre_distance_squared(self) -> Any: ...
    def aspect_difference(self) -> Any: ...


def intersection(t: Terms, /, *, eps: float, xp: Namespace) -> Any:  # noqa: ARG001  (one signature for all scores)
    return t.intersection()


def union(t: Terms, /, *, eps: float, xp: Namespace) -> Any:  # noqa: ARG001
    return _union(t, t.intersection())


def iou(t: Terms, /, *, eps: float, xp: Namespace) -> Any:
    inter = t.intersection()
    return quotient(inter, _plus(_union(t, inter), eps), xp=xp)


def iof(t: Terms, /, *, eps: float, xp: Namespace) -> Any:
    inter = t.intersection()
    # An empty first shape must not hide a NaN in the second.
    return quotient(inter, _plus(t.area_a + 0.0 * inter, eps), xp=xp)


def iomin(t: Terms, /, *, eps: float, xp: Namespace) -> Any:
    return quotient(t.intersection(), _plus(xp.minimum(t.area_a, t.area_b), eps), xp=xp)


def dice(t: Terms, /, *, eps: float, xp: Namespace) -> Any:
    return quotient(2.0 * t.intersection(), _plus(t.area_a + t.area_b, eps), xp=xp)


def giou(t: Terms, /, *, eps: float, xp: Namespace) -> Any:
    inter, hull = t.intersection(), t.hull()
    union = _union(t, inter)
    # The hull is empty only when both shapes are: the quotient is then 0, and so is its gradient.
    filled = quotient(inter, _plus(union, eps), xp=xp)
    return filled - quotient(hull - union, _plus(hull, eps), xp=xp)


def diou(t: Terms, /, *, eps: float, xp: Namespace) -> Any:
    return iou(t, eps=eps, xp=xp) - _distance(t, eps=eps, xp=xp)


def eiou(t: Terms, /, *, eps: float, xp: Namespace) -> Any:
    difference, hull = t.sides_a() - t.sides_b(), t.hull_sides()
    return diou(t, eps=eps, xp=xp) - total(quotient(difference * difference, _plus(hull * hull, eps), xp=xp), xp=xp)


def ciou(t: Terms, /, *, eps: float, detach_alpha: bool, xp: Namespace) -> Any:
    overlap = iou(t, eps=eps, xp=xp)
    v = t.aspect_difference()
    alpha = quotient(v, _plus(1.0 - overlap + v, eps), xp=xp)
    if detach_alpha:
        alpha = backends.stop_gradient(alpha, xp=xp)
    return overlap - _distance(t, eps=eps, xp=xp) - alpha * v


def _union(t: Terms, inter: Any, /) -> Any:
    # Not a + b - inter: that rounds the larger sum first, and near-identical boxes lose up to a unit more.
    return (t.area_a - inter) + t.area_b


def _distance(t: Terms, /, *, eps: float, xp: Namespace) -> Any:
    return quotient(t.centre_distance_squared(), _plus(t.hull_diagonal_squared(), eps), xp=xp)


def _plus(divisor: Any, eps: float, /) -> Any:
    return divisor + eps if eps else divisor
