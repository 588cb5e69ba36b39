"""Arithmetic whose values and gradients stay finite where the plain operator's do not."""

import functools
import operator
from collections.abc import Sequence
from typing import Any

from omniou._lib import backends, tiles
from omniou._lib.types import Namespace


def quotient(n: Any, d: Any, /, *, xp: Namespace, above: Any = None, spent: bool = False) -> Any:
    """n / d for d >= 0, and 0 with gradient 0 where d is (nearly) 0; NaN passes through.

    `above`: a smaller array that broadcasts, of which d is known to be nowhere below, and n nowhere above d: cheaper.
    `spent`: nobody needs n after, which was made for this and has the shape of the result.
    """
    # Subnormal divisors overflow, hence not 0.
    least = float(xp.finfo(d.dtype).smallest_normal)
    if backends.surely_above(d if above is None else above, least, xp=xp):
        if spent and tiles.overwrites(xp):
            n /= d
            return n
        return n / d
    return backends.divide(n, d, least, share=above is not None, xp=xp)


def shared(low_a: Any, high_a: Any, low_b: Any, high_b: Any, /, *, xp: Namespace) -> Any:
    """The length that two intervals share: never negative, and half of the gradient where they touch."""
    if tiles.bounds(xp):
        # The part of one interval that lies within the other.
        low, high, low_b, high_b = _bounds_first(low_a, high_a, low_b, high_b)
        out = xp.clip(high_b, low, high)
        out -= xp.clip(low_b, low, high)
        return out
    low, high = xp.maximum(low_a, low_b), xp.minimum(high_a, high_b)
    if backends.library(xp) == "jax":
        return xp.maximum(high - low, 0.0)  # quicker by what a constant saves
    if tiles.overwrites(xp):
        xp.maximum(low, high, out=high)
        high -= low
        return high
    return xp.maximum(low, high) - low


def spanned(low_a: Any, high_a: Any, low_b: Any, high_b: Any, /, *, xp: Namespace) -> Any:
    """The length of the least interval around two."""
    if tiles.bounds(xp):
        low, high, low_b, high_b = _bounds_first(low_a, high_a, low_b, high_b)
        out = xp.clip(high_b, high, xp.inf)
        out -= xp.clip(low_b, -xp.inf, low)
        return out
    return xp.maximum(high_a, high_b) - xp.minimum(low_a, low_b)


def _bounds_first(low_a: Any, high_a: Any, low_b: Any, high_b: Any, /) -> tuple[Any, Any, Any, Any]:
    """The interval first whose ends are the same all along a row, if one is."""
    return (low_b, high_b, low_a, high_a) if low_b.shape[-1] == 1 else (low_a, high_a, low_b, high_b)


def product(axes: Sequence[Any], /, *, xp: Namespace) -> Any:
    """A few (...), made for this -> (...)."""
    return functools.reduce(operator.imul if tiles.overwrites(xp) else operator.mul, axes)


def total(axes: Sequence[Any], /, *, xp: Namespace) -> Any:
    """A few (...), made for this -> (...)."""
    return functools.reduce(operator.iadd if tiles.overwrites(xp) else operator.add, axes)
