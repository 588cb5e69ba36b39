"""Integrals of clamped straight lines: areas of intersections without clipping, sorting or tolerances.

By Green's theorem the area of a polygon is the integral of y dx along its edges. Cut to a rectangle, y is clamped; cut
to another polygon, y is the lower of two lines. Both integrals have closed forms that are continuous in every vertex.
"""

from typing import Any

from omniou._kernels.arithmetic import quotient
from omniou._lib.arrays import ranked
from omniou._lib.types import Namespace


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
