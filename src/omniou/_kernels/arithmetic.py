"""Arithmetic whose values and gradients stay finite where the plain operator's do not, and means of clamped lines.

The means give areas of intersections without clipping, sorting or tolerances: by Green's theorem the area of a polygon
is the integral of y dx along its edges. Cut to a rectangle, y is clamped; cut to another polygon, y is the lower of two
lines. Both integrals have closed forms that are continuous in every vertex.
"""

import functools
import math
import operator
from typing import Any

from omniou._lib import backends
from omniou._lib.arrays import axes, cast, ranked
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
    """The area of the union of two shapes."""
    if own := _own(xp=xp):
        return own.joined(area_a, area_b, inter)
    # Not a + b - inter: that rounds the larger sum first, and near-identical boxes lose up to a unit more.
    return (area_a - inter) + area_b


def product(x: Any, /, *, xp: Namespace) -> Any:
    """D arrays (...) or an array (D, ...), made for this -> (...)."""
    return own.product(x) if (own := _own(xp=xp)) else functools.reduce(operator.mul, axes(x))


def total(x: Any, /, *, xp: Namespace) -> Any:
    """D arrays (...) or an array (D, ...), made for this -> (...)."""
    return own.total(x) if (own := _own(xp=xp)) else functools.reduce(operator.add, axes(x))


def narrowed(x: Any, dtype: Any, /, *, xp: Namespace) -> Any:
    """(...) -> the same in a dtype that may be narrower, whose largest number stands for finite ones beyond it."""
    if xp.finfo(dtype).bits < 32:
        limit = float(xp.finfo(dtype).max)
        beyond = (x > limit) & (x < math.inf)
        # By a factor that is held constant, so that the gradient keeps its direction.
        x = x * backends.stop_gradient(xp.where(beyond, limit / xp.where(beyond, x, 1.0), 1.0), xp=xp)
    return cast(x, dtype, xp=xp)


def _own(*, xp: Namespace) -> Any:
    """Return the arithmetic in place of a tile, or None."""
    return xp.arithmetic if isinstance(xp, backends.Namespace) else None


def relu(x: Any, /, *, xp: Namespace) -> Any:
    """(...) -> (...), with half of the gradient at 0."""
    return xp.maximum(x, xp.zeros_like(x))


def clamp(x: Any, limit: Any, /, *, xp: Namespace) -> Any:
    """(...), limits (...) of at least 0 -> x in [-limit, limit]."""
    limit = ranked(limit, x.ndim, xp=xp)
    return xp.minimum(xp.maximum(x, -limit), limit)


def magnitude(x: Any, /, *, xp: Namespace) -> Any:
    """The absolute value, with gradient 0 at 0."""
    return xp.maximum(x, -x)


def mean_clamped(a: Any, b: Any, limit: Any, /, *, xp: Namespace) -> Any:
    """The mean of a straight line from a to b (...), clamped to [-limit, limit]."""
    in_a, in_b = clamp(a, limit, xp=xp), clamp(b, limit, xp=xp)
    return _mean(in_a, in_b, magnitude(a - in_a, xp=xp), magnitude(b - in_b, xp=xp), magnitude(b - a, xp=xp), xp=xp)


def mean_negative(a: Any, b: Any, /, *, xp: Namespace) -> Any:
    """The mean of the part below 0 of a straight line from a to b (...)."""
    above_a, above_b = relu(a, xp=xp), relu(b, xp=xp)
    return _mean(a - above_a, b - above_b, above_a, above_b, magnitude(b - a, xp=xp), xp=xp)


def _mean(in_a: Any, in_b: Any, cut_a: Any, cut_b: Any, rise: Any, /, *, xp: Namespace) -> Any:
    # The clamped line is flat over the shares of it that were cut off. Written as a correction of the mean of both
    # ends, rounding changes the result by no more than the last bits, whichever ends are found to be inside.
    return 0.5 * ((in_a + in_b) + (in_b - in_a) * quotient(cut_b - cut_a, rise, xp=xp))
