"""Arithmetic whose values and gradients stay finite where the plain operator's do not."""

import functools
import math
import operator
from collections.abc import Sequence
from typing import Any

from omniou._lib import backends
from omniou._lib.arrays import cast
from omniou._lib.types import Namespace


def quotient(n: Any, d: Any, /, *, xp: Namespace) -> Any:
    """n / d for d >= 0, and 0 with gradient 0 where d is (nearly) 0; NaN passes through."""
    # Subnormal divisors overflow, hence not 0.
    least = float(xp.finfo(d.dtype).smallest_normal)
    return own.quotient(n, d, least) if (own := _own(xp=xp)) else backends.divide(n, d, least, xp=xp)


def shared(low_a: Any, high_a: Any, low_b: Any, high_b: Any, /, *, xp: Namespace) -> Any:
    """The length that two intervals share: never negative, and half of the gradient where they touch."""
    if own := _own(xp=xp):
        return own.shared(low_a, high_a, low_b, high_b)
    low, high = xp.maximum(low_a, low_b), xp.minimum(high_a, high_b)
    return xp.maximum(low, high) - low


def spanned(low_a: Any, high_a: Any, low_b: Any, high_b: Any, /, *, xp: Namespace) -> Any:
    """The length of the least interval around two."""
    if own := _own(xp=xp):
        return own.spanned(low_a, high_a, low_b, high_b)
    return xp.maximum(high_a, high_b) - xp.minimum(low_a, low_b)


def joined(area_a: Any, area_b: Any, inter: Any, /, *, xp: Namespace) -> Any:
    """What two shapes cover together."""
    if own := _own(xp=xp):
        return own.joined(area_a, area_b, inter)
    # Not a + b - inter: that rounds the larger sum first, and near-identical boxes lose up to a unit more.
    return (area_a - inter) + area_b


def product(x: Any, /, *, xp: Namespace) -> Any:
    """(D, ...), made for this -> (...)."""
    return own.product(x) if (own := _own(xp=xp)) else functools.reduce(operator.mul, axes(x))


def total(x: Any, /, *, xp: Namespace) -> Any:
    """(D, ...), made for this -> (...)."""
    return own.total(x) if (own := _own(xp=xp)) else functools.reduce(operator.add, axes(x))


def narrowed(x: Any, dtype: Any, /, *, xp: Namespace) -> Any:
    """(...) -> the same in a dtype that may be narrower, whose largest number stands for finite ones beyond it."""
    if xp.finfo(dtype).bits < 32:
        limit = float(xp.finfo(dtype).max)
        beyond = (x > limit) & (x < math.inf)
        # By a factor that is held constant, so that the gradient keeps its direction.
        x = x * backends.stop_gradient(xp.where(beyond, limit / xp.where(beyond, x, 1.0), 1.0), xp=xp)
    return cast(x, dtype, xp=xp)


def axes(x: Any, /) -> Sequence[Any]:
    """(D, ...) -> D arrays (...)."""
    return [x[axis, ...] for axis in range(x.shape[0])]


def _own(*, xp: Namespace) -> Any:
    """The same in place, inside a tile."""
    return xp.arithmetic if isinstance(xp, backends.Namespace) else None
