"""The arithmetic of kernels inside a tile of NumPy, where nothing is differentiated: temporaries are written over.

They lie in scratch memory that each thread keeps for its next tile and its next call. The C library gives fresh memory
of this size back to the system each time: 200 x 300 pairs in float32 took 496 page faults, four fifths of the time.
"""

import contextlib
import functools
import operator
import sys
import threading
from collections.abc import Iterator, Sequence
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


# Bytes of scratch memory that a thread keeps between calls. GIoU of 2-D boxes needs 4 MiB.
KEPT = 2**23


class InPlace(AtHand):
    """Arithmetic that writes into scratch memory."""

    def __init__(self, numpy: Any) -> None:
        super().__init__(numpy)
        self._buffers: list[Any] = []
        self._next = 0

    def array(self, shape: Sequence[int], dtype: Any, /) -> Any:
        """An array of any content. The arrays of a tile lie in the memory of the last tile's, in the same order."""
        number, self._next = self._next, self._next + 1
        if number == len(self._buffers):
            self._buffers.append(self._numpy.empty(shape, dtype=dtype))
        try:
            return self._numpy.ndarray(shape, dtype, self._buffers[number])
        except TypeError:  # the memory is too small
            self._buffers[number] = self._numpy.empty(shape, dtype=dtype)
            return self._buffers[number]

    def rewind(self) -> None:
        """Take back all arrays that were handed out, and forget the memory beyond the limit."""
        self._next, size = 0, 0
        for number, x in enumerate(self._buffers):
            size += x.nbytes
            if size > KEPT:
                del self._buffers[number:]
                break

    def quotient(self, n: Any, d: Any, least: float, /) -> Any:
        if n.shape == d.shape and d.size and d.min() >= least:
            return self._numpy.divide(n, d, out=self.array(d.shape, d.dtype))
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
        return getattr(self._numpy, name)(a, b, out=self.array(self._numpy.broadcast(a, b).shape, a.dtype))


_kept = threading.local()


@contextlib.contextmanager
def tile(xp: Any, /) -> Iterator[backends.Namespace]:
    """NumPy's namespace inside a tile, whose `arithmetic` is an `InPlace` of this thread."""
    # Taken away meanwhile: a tile may begin inside a tile, in a caller's own geometry or in a signal handler.
    inside = vars(_kept).pop("inside", None) or backends.Namespace(xp, arithmetic=InPlace(sys.modules["numpy"]))
    try:
        yield inside
    finally:
        inside.arithmetic.rewind()
        _kept.inside = inside


@functools.cache
def at_hand(xp: Any, /) -> backends.Namespace:
    """NumPy's namespace for small arrays: its own functions, without the checks of wrappers, which cost as much."""
    numpy = sys.modules["numpy"]
    names = ("sign", "maximum", "minimum", "where", "concat", "stack", "ones_like")
    own = {name: getattr(numpy, name) for name in names}
    own["permute_dims"] = numpy.transpose
    return backends.Namespace(xp, arithmetic=AtHand(numpy), **own)
