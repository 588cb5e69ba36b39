"""Sorting of packed integers, by what is the fastest here."""

import functools
import os
import time
from collections.abc import Callable
from typing import Any

import array_api_compat as compat

from omniou._lib import threads
from omniou._lib.types import Namespace

# Keys that two threads sort faster than one, even if halves of them have to be told apart first.
_MANY = 2**17
# Keys that are worth a look at how this machine sorts.
_SOME = 2**14
_DIGIT = 16


def ascending(keys: Any, low: int = 0, /, *, xp: Namespace) -> Any:
    """Integers (N,) of at least 0 -> the same, rising; `keys` itself may be overwritten.

    In their `low` lowest bits they rise already, if so many are given.
    """
    if not compat.is_numpy_namespace(xp):
        return xp.sort(keys, stable=False)
    if by_digits(keys.shape[0], xp=xp):
        return _by_digits(keys, low, xp=xp)
    if keys.shape[0] < _MANY or (os.cpu_count() or 1) == 1:
        keys.sort()
        return keys
    middle = keys.shape[0] // 2
    keys.partition(middle)
    threads.each(lambda half: half.sort(), [(keys[:middle],), (keys[middle:],)], threads=2, few=1)
    return keys


def by_digits(size: int, /, *, xp: Namespace) -> bool:
    """Whether so many keys are sorted by digits, each of which takes its time: then few bits are better than many."""
    return size >= _SOME and compat.is_numpy_namespace(xp) and _digits_are_faster(xp)


def _by_digits(keys: Any, low: int, /, *, xp: Namespace) -> Any:
    for shift in range(low, int(xp.max(keys)).bit_length(), _DIGIT):
        # NumPy sorts 16 bits by radix.
        order = xp.argsort(xp.astype(keys >> shift, xp.uint16), stable=True)
        keys = xp.take(keys, order)
    return keys


@functools.cache
def _digits_are_faster(xp: Namespace, /) -> bool:
    """Tried once, in two milliseconds: they are where NumPy sorts by AVX-512 on AMD's Zen 4, and lose by far elsewhere.

    That processor is slow to store some lanes of a register, which this sort does all the time (numpy/numpy#32690).
    """
    keys = (xp.arange(_SOME, dtype=xp.int64) * 2654435761) & (2**32 - 1)  # scattered, as Knuth's hashes are
    return _least_time(lambda: _by_digits(keys, 0, xp=xp)) < _least_time(lambda: xp.sort(keys, stable=False))


def _least_time(work: Callable[[], Any]) -> float:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)
