"""The arithmetic of kernels inside a tile of NumPy, where nothing is differentiated: temporaries are written over.

At 1000 x 1000 boxes of float32 all pairs take half of the time that they take with fresh temporaries.
"""

import functools
import operator
import sys
from typing import Any

from omniou._lib import backends


class AtHand:
    """`_kernels.arithmetic` where values may be looked at."""

    def __init__(self, numpy: Any) -> None:
        self._numpy = numpy

    def quotient(self, n: Any, d: Any, least: float, /) -> Any:
        # A search for the smallest divisor takes one pass, masking four. The comparison is false for NaN, which masks.
        return n / d if d.size and d.min() >= least else backends.divide(n, d, least, xp=self._numpy)

    def shared(self, low_a: Any, high_a: Any, low_b: Any, high_b: Any, /) -> Any:
        low, high = self._numpy.maximum(low_a, low_b), self._numpy.minimum(high_a, high_b)
        self._numpy.maximum(low, high, out=high)
        high -= low
        return high

    def spanned(self, low_a: Any, high_a: Any, low_b: Any, high_b: Any, /) -> Any:
        high = self._numpy.maximum(high_a, high_b)
        high -= self._numpy.minimum(low_a, low_b)
        return high

    def product(self, x: Any, /) -> Any:
        return functools.reduce(operator.mul, x)

    def total(self, x: Any, /) -> Any:
        return functools.reduce(operator.add, x)


class InPlace(AtHand):
    """The same, writing over what is made for it."""

    def product(self, x: Any, /) -> Any:
        return functools.reduce(operator.imul, x)

    def total(self, x: Any, /) -> Any:
        return functools.reduce(operator.iadd, x)


@functools.cache
def namespace(xp: Any, /) -> backends.Namespace:
    """NumPy's namespace inside a tile."""
    return backends.Namespace(xp, arithmetic=InPlace(sys.modules["numpy"]))


@functools.cache
def at_hand(xp: Any, /) -> backends.Namespace:
    """NumPy's namespace for small arrays: its own functions, without the checks of wrappers, which cost as much."""
    numpy = sys.modules["numpy"]
    names = ("sign", "maximum", "minimum", "where", "concat", "ones_like")
    own = {name: getattr(numpy, name) for name in names}
    own |= {"permute_dims": numpy.transpose, "flip": _flip}
    return backends.Namespace(xp, arithmetic=AtHand(numpy), **own)


def _flip(x: Any, /, *, axis: int) -> Any:
    return x[::-1] if axis == 0 else sys.modules["numpy"].flip(x, axis)
