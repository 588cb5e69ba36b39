"""Arithmetic whose values and gradients stay finite where the plain operator's do not."""

import functools
import operator
from typing import Any

from omniou._lib import backends
from omniou._lib.types import Namespace


def quotient(n: Any, d: Any, /, *, xp: Namespace, above: Any = None) -> Any:
    """n / d for d >= 0, and 0 with gradient 0 where d is (nearly) 0; NaN passes through.

    `above`: a smaller array that broadcasts, of which d is known to be nowhere below: cheaper to look at.
    """
    # Subnormal divisors overflow, hence not 0.
    least = float(xp.finfo(d.dtype).smallest_normal)
    if backends.surely_above(d if above is None else above, least, xp=xp):
        return n / d
    # Written this way round so that a NaN is not tiny.
    tiny = d < least
    # The inner `where` keeps 0 / 0 out of the graph, whose gradient would be NaN however it is masked after.
    return xp.where(tiny, 0.0, backends.divide(n, xp.where(tiny, 1.0, d), xp=xp))


def product(x: Any, /, *, xp: Namespace) -> Any:
    """(D, ...) -> (...), for the few axes that a geometry has."""
    return functools.reduce(operator.mul, xp.unstack(x))


def total(x: Any, /, *, xp: Namespace) -> Any:
    """(D, ...) -> (...), for the few axes that a geometry has."""
    return functools.reduce(operator.add, xp.unstack(x))
