"""Counts beyond 2**31 where a library has only integers of 32 bits."""

from typing import Any, NamedTuple, Self

from omniou._lib import backends

# Bits of the lower part: sums of up to 2**11 counters, part by part, do not overflow.
BITS = 20


class SplitCounts(NamedTuple):
    """Counts in two arrays of int32, where the library has no wider integer: JAX without ``jax_enable_x64``.

    A pytree: it passes `jit`, `scan`, `vmap` and `psum`, which adds it part by part. Adding two with ``+`` carries, so
    that counts are exact up to 2**51, about 10**15 pixels. Sums part by part are exact for up to 2,048 counters;
    add them to another with ``+``, such as an empty one, to carry.

    Attributes
    ----------
    high, low : array of int32
        The counts are ``high * 2**20 + low``.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou.segmentation import SplitCounts
    >>> many = SplitCounts.of(np.asarray([2**31 - 1], dtype=np.int32))
    >>> (many + many + many).tolist()
    [6442450941]
    """

    high: Any
    low: Any

    @classmethod
    def of(cls, counts: Any) -> Self:
        """Split an array of integers of at least 0."""
        return cls(counts >> BITS, counts & (2**BITS - 1))

    @property
    def shape(self) -> tuple[Any, ...]:
        """The shape of the counts."""
        return tuple(self.low.shape)

    def __add__(self, other: Any) -> Self:
        """The sum of both, carried."""
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, SplitCounts):
            raise TypeError(f"a SplitCounts adds to another alone, got {type(other).__name__}")
        low = self.low + other.low
        carried: Self = self._replace(high=self.high + other.high + (low >> BITS), low=low & (2**BITS - 1))
        return carried

    def __radd__(self, other: Any) -> Self:
        """The sum of both; Python's `sum` of a list starts with 0."""
        return self + other

    def sum(self, axis: int | tuple[int, ...]) -> Self:
        """Sum over axes of at most 2,048 elements together."""
        xp = backends.array_namespace(self.low)
        high, low = (xp.sum(x, axis=axis, dtype=x.dtype) for x in self)
        carried: Self = self._replace(high=high + (low >> BITS), low=low & (2**BITS - 1))
        return carried

    def astype(self, dtype: Any) -> Any:
        """The counts as floats, rounded."""
        xp = backends.array_namespace(self.low)
        return xp.astype(self.high, dtype) * float(2**BITS) + xp.astype(self.low, dtype)

    def tolist(self) -> Any:
        """Python's integers, exact."""
        return _joined(self.high.tolist(), self.low.tolist())


def _joined(high: Any, low: Any) -> Any:
    if isinstance(low, list):
        return [_joined(*pair) for pair in zip(high, low, strict=True)]
    return (high << BITS) + low
