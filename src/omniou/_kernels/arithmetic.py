"""Arithmetic whose values and gradients stay finite where the plain operator's do not."""

import functools
import operator
from typing import Any

from omniou._lib import backends, tiles
from omniou._lib.types import Namespace


def quotient(n: Any, d: Any, /, *, xp: Namespace, above: Any = None, spent: bool = False) -> Any:
    """n / d for d >= 0, and 0 with gradient 0 where d is (nearly) 0; NaN passes through.

    `above`: a smaller array that broadcasts, of which d is known to be nowhere below: cheaper to look at.
    `spent`: nobody needs n after, which was made for this and has the shape of the result.
    """
    # Subnormal divisors overflow, hence not 0.
    least = float(xp.finfo(d.dtype).smallest_normal)
    if backends.surely_above(d if above is None else above, least, xp=xp):
        if spent and tiles.overwrites(xp):
            n /= d
            return n
        return n / d
    return backends.divide(n, d, least, xp=xp)


def extent(low: Any, high: Any, /, *, xp: Namespace) -> Any:
    """max(low, high) - low of two arrays made for this: never negative, and half of the gradient where they touch."""
    if tiles.overwrites(xp):
        xp.maximum(low, high, out=high)
        high -= low
        return high
    return xp.maximum(low, high) - low


def product(x: Any, /, *, xp: Namespace) -> Any:
    """(D, ...) made for this -> (...), for the few axes that a geometry has."""
    return functools.reduce(operator.imul if tiles.overwrites(xp) else operator.mul, xp.unstack(x))


def total(x: Any, /, *, xp: Namespace) -> Any:
    """(D, ...) made for this -> (...), for the few axes that a geometry has."""
    return functools.reduce(operator.iadd if tiles.overwrites(xp) else operator.add, xp.unstack(x))
