"""The arithmetic of kernels inside a tile of NumPy, where nothing is differentiated: temporaries are written over.

They lie in arrays that serve again in the next tile. Fresh ones are of a size that the C library gives back to the
system each time: of 5000 x 5000 boxes in a process that has just started, most of the time would go to new pages.
"""

import functools
import math
import operator
import sys
import threading
from collections.abc import Sequence
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
        return self._numpy.maximum(low, high) - low

    def spanned(self, low_a: Any, high_a: Any, low_b: Any, high_b: Any, /) -> Any:
        return self._numpy.maximum(high_a, high_b) - self._numpy.minimum(low_a, low_b)

    def joined(self, area_a: Any, area_b: Any, inter: Any, /) -> Any:
        return (area_a - inter) + area_b

    def product(self, x: Any, /) -> Any:
        return functools.reduce(operator.mul, x)

    def total(self, x: Any, /) -> Any:
        return functools.reduce(operator.add, x)


class Scratch(threading.local):
    """Arrays of one tile, handed out in the order in which the last tile of this thread took them."""

    def __init__(self) -> None:
        self._arrays: list[Any] = []
        self._next = 0

    def rewind(self) -> None:
        """Take back all scratch arrays that were handed out."""
        self._next = 0

    def array(self, shape: Sequence[int], dtype: Any, /) -> Any:
        """An array of any content."""
        number, self._next = self._next, self._next + 1
        size = math.prod(shape)
        if number == len(self._arrays):
            self._arrays.append(None)
        if (x := self._arrays[number]) is None or x.size < size or x.dtype != dtype:
            x = self._arrays[number] = sys.modules["numpy"].empty(size, dtype=dtype)
        return x[:size].reshape(shape)


class InPlace(AtHand):
    """Arithmetic that writes into scratch arrays."""

    def __init__(self, numpy: Any, scratch: Scratch) -> None:
        super().__init__(numpy)
        self._scratch = scratch

    def quotient(self, n: Any, d: Any, least: float, /) -> Any:
        if n.shape == d.shape and d.size and d.min() >= least:
            return self._numpy.divide(n, d, out=self._scratch.array(d.shape, d.dtype))
        return super().quotient(n, d, least)

    def shared(self, low_a: Any, high_a: Any, low_b: Any, high_b: Any, /) -> Any:
        low, high = self._of("maximum", low_a, low_b), self._of("minimum", high_a, high_b)
        self._numpy.maximum(low, high, out=high)
        high -= low
        return high

    def spanned(self, low_a: Any, high_a: Any, low_b: Any, high_b: Any, /) -> Any:
        high = self._of("maximum", high_a, high_b)
        high -= self._of("minimum", low_a, low_b)
        return high

    def joined(self, area_a: Any, area_b: Any, inter: Any, /) -> Any:
        out = self._of("subtract", area_a, inter)
        out += area_b
        return out

    def product(self, x: Any, /) -> Any:
        return functools.reduce(operator.imul, x)

    def total(self, x: Any, /) -> Any:
        return functools.reduce(operator.iadd, x)

    def _of(self, name: str, a: Any, b: Any, /) -> Any:
        shape = self._numpy.broadcast_shapes(a.shape, b.shape)
        return getattr(self._numpy, name)(a, b, out=self._scratch.array(shape, a.dtype))


def namespace(xp: Any, scratch: Scratch, /) -> backends.Namespace:
    """NumPy's namespace inside a tile."""
    return backends.Namespace(xp, arithmetic=InPlace(sys.modules["numpy"], scratch))


@functools.cache
def at_hand(xp: Any, /) -> backends.Namespace:
    """NumPy's namespace for small arrays: its own functions, without the checks of wrappers, which cost as much."""
    numpy = sys.modules["numpy"]
    names = ("sign", "maximum", "minimum", "where", "concat", "stack", "ones_like")
    own = {name: getattr(numpy, name) for name in names}
    own["permute_dims"] = numpy.transpose
    return backends.Namespace(xp, arithmetic=AtHand(numpy), **own)
