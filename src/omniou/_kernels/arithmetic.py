"""Arithmetic whose values and gradients stay finite where the plain operator's do not."""

import functools
import operator
from collections.abc import Sequence
from typing import Any

from omniou._lib import backends
from omniou._lib.types import Namespace


def quotient(n: Any, d: Any, /, *, xp: Namespace) -> Any:
    """n / d for d >= 0, and 0 with gradient 0 where d is (nearly) 0; NaN passes through."""
    # Subnormal divisors overflow, hence not 0.
    return backends.divide(n, d, float(xp.finfo(d.dtype).smallest_normal), xp=xp)


def shared(low_a: Any, high_a: Any, low_b: Any, high_b: Any, /, *, xp: Namespace) -> Any:
    """The length that two intervals share: never negative, and half of the gradient where they touch."""
    low, high = xp.maximum(low_a, low_b), xp.minimum(high_a, high_b)
    return xp.maximum(low, high) - low


def spanned(low_a: Any, high_a: Any, low_b: Any, high_b: Any, /, *, xp: Namespace) -> Any:
    """The length of the least interval around two."""
    return xp.maximum(high_a, high_b) - xp.minimum(low_a, low_b)


def product(x: Any, /) -> Any:
    """(D, ...) -> (...)."""
    return functools.reduce(operator.mul, axes(x))


def total(x: Any, /) -> Any:
    """(D, ...) -> (...)."""
    return functools.reduce(operator.add, axes(x))


def axes(x: Any, /) -> Sequence[Any]:
    """(D, ...) -> D arrays (...)."""
    return [x[axis, ...] for axis in range(x.shape[0])]
