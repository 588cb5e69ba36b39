"""Sorting of packed integers, by what is the fastest here."""

import functools
import itertools
import os
import time
from collections.abc import Callable
from typing import Any

import array_api_compat as compat

from omniou._lib import indexing, threads
from omniou._lib.types import Namespace

# Keys that two threads sort faster than one, even if halves of them have to be told apart first.
_MANY = 2**17
# Keys that are worth a look at how this machine sorts.
_SOME = 2**14
# Bits that are sorted at once; keys whose temporaries stay in the cache, and blocks of more than that at the most.
_DIGIT, _BLOCK, _BLOCKS = 16, 2**15, 64
# Keys of which a few are looked at to cut all into lots of about one size.
_SAMPLE = 2**11


def ascending(keys: Any, low: int = 0, /, *, xp: Namespace) -> Any:
    """Integers (N,) of at least 0 -> the same, rising; `keys` itself may be overwritten.

    In their `low` lowest bits they rise already, if so many are given.
    """
    if not compat.is_numpy_namespace(xp):
        return xp.sort(keys, stable=False)
    size = keys.shape[0]
    if by_digits(size, xp=xp):
        top = int(xp.max(keys)).bit_length()
        return (_by_digits if size <= 4 * _BLOCK else _in_blocks)(keys, low, top, xp=xp)
    if size < _MANY or _cpus() == 1:
        keys.sort()
        return keys
    keys.partition(size // 2)
    threads.each(lambda half: half.sort(), [(keys[: size // 2],), (keys[size // 2 :],)], threads=2, few=1)
    return keys


def by_digits(size: int, /, *, xp: Namespace) -> bool:
    """Whether so many keys are sorted by digits, each of which takes its time: then few bits are better than many."""
    return size >= _SOME and compat.is_numpy_namespace(xp) and _digits_are_faster(xp)


def _by_digits(keys: Any, low: int, top: int, /, *, xp: Namespace) -> Any:
    """By the bits from `low` to `top`, the lowest digit first: numbers of 16 bits NumPy sorts by radix."""
    for shift in range(low, top, _DIGIT):
        keys = xp.take(keys, _order(keys, shift, xp=xp))
    return keys


def _in_blocks(keys: Any, low: int, top: int, /, *, xp: Namespace) -> Any:
    """The same for many: each block by its highest digit, then what all blocks have between two such digits."""
    shift, block = max(low, top - _DIGIT), max(_BLOCK, keys.shape[0] // _BLOCKS)
    starts = range(0, keys.shape[0], block)
    sample = xp.sort(keys[:: max(1, keys.shape[0] // _SAMPLE)], stable=False) >> shift
    cuts = indexing.distinct(sample[:: max(1, sample.shape[0] // len(starts))], xp=xp)
    blocks: dict[int, list[Any]] = {}
    lots: dict[int, Any] = {}

    def cut(number: int, start: int) -> None:
        some = keys[start : start + block]
        some = xp.take(some, _order(some, shift, xp=xp))
        places = indexing.to_list(xp.searchsorted(some, cuts << shift))
        blocks[number] = [some[a:b] for a, b in itertools.pairwise([0, *places, some.shape[0]])]

    def gather(number: int) -> None:
        lots[number] = _by_digits(xp.concat([blocks[k][number] for k in range(len(starts))]), low, top, xp=xp)

    cpus = min(2, _cpus())
    threads.each(cut, list(enumerate(starts)), threads=cpus, few=1)
    threads.each(gather, [(k,) for k in range(len(blocks[0]))], threads=cpus, few=1)
    return xp.concat([lots[k] for k in range(len(lots))])


def _order(keys: Any, shift: int, /, *, xp: Namespace) -> Any:
    return xp.argsort(xp.astype(keys >> shift, xp.uint16), stable=True)


def _cpus() -> int:
    return os.cpu_count() or 1


@functools.cache
def _digits_are_faster(xp: Namespace, /) -> bool:
    """Tried once, in two milliseconds. They lose by far where NumPy's sort is good.

    It is not where it knows no vectors of the processor's, nor on AMD's Zen 4, which is slow to store some lanes of a
    register, as the sort for AVX-512 does all the time (numpy/numpy#32690).
    """
    keys = (xp.arange(_SOME, dtype=xp.int64) * 2654435761) & (2**32 - 1)  # scattered, as Knuth's hashes are
    return _least_time(lambda: _by_digits(keys, 0, 32, xp=xp)) < _least_time(lambda: xp.sort(keys, stable=False))


def _least_time(work: Callable[[], Any]) -> float:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)
