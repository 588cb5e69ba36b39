"""Arithmetic whose values and gradients stay finite where the plain operator's do not."""

from typing import Any

from omniou._lib import backends
from omniou._lib.types import Namespace


def quotient(n: Any, d: Any, /, *, xp: Namespace) -> Any:
    """n / d for d >= 0, and 0 with gradient 0 where d is (nearly) 0; NaN passes through."""
    # Written this way round so that a NaN is not tiny; subnormal divisors overflow, hence not `d <= 0`.
    tiny = d < float(xp.finfo(d.dtype).smallest_normal)
    if backends.surely_none(tiny, xp=xp):
        return n / d
    # The inner `where` keeps 0 / 0 out of the graph, whose gradient would be NaN however it is masked after.
    return xp.where(tiny, 0.0, backends.divide(n, xp.where(tiny, 1.0, d), xp=xp))


def product(x: Any, /) -> Any:
    """(D, ...) -> (...), for the few axes that a geometry has."""
    out = x[0, ...]
    for axis in range(1, x.shape[0]):
        out = out * x[axis, ...]
    return out


def total(x: Any, /) -> Any:
    """(D, ...) -> (...), for the few axes that a geometry has."""
    out = x[0, ...]
    for axis in range(1, x.shape[0]):
        out = out + x[axis, ...]
    return out
