"""All pairs in tiles: how large they are, where their temporaries lie, who works on them."""

import contextlib
import functools
import itertools
import sys
from collections.abc import Iterator
from typing import Any

from omniou._lib import backends
from omniou._lib.types import Namespace

# The temporaries of a tile should stay in cache, and the calls stay few.
TILE_BYTES = 2**20  # of one temporary in NumPy
TILE_EAGER = 2**17
TILE_ACCELERATOR = 2**24

# From here on a row counts as long, and this long is long enough.
LONG, ROW = 2**8, 2**12

# What stays with the process: blocks up to the first, the most that glibc takes, and together up to the second.
KEPT_BLOCK, KEPT = 2**25, 2**28
# What is left at the end of a heap, usually; and what the heap of a thread that is not the first is at the most.
_USUAL_PAD, _HEAP = 2**17, 2**26
_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_THRESHOLD = -1, -2, -3  # of malloc.h


def fills(xp: Namespace) -> bool:
    """Whether results may be filled part by part.

    JAX and Dask fuse or chunk what is one expression, and what is filled in place breaks autograd and tracing.
    """
    match backends.library(xp):
        case "jax" | "dask":
            return False
        case "torch":
            return bool(vars(xp).get("fills"))
    return True


def tile_elements(size: int, /, *, dtype: Any, xp: Namespace) -> int | None:
    """How many of `size` results to compute at once; None for all of them, in one expression."""
    if not fills(xp):
        return None
    match backends.library(xp):
        case "numpy":
            tile = TILE_BYTES // xp.dtype(dtype).itemsize
        case "torch" if not xp.sees_values:
            tile = TILE_ACCELERATOR
        case _:
            tile = TILE_EAGER
    # Little is gained by tiles that are not filled, and calls are spent.
    return None if size <= tile // 2 else tile


def turns(n: int, m: int, *, xp: Namespace) -> bool:
    """Whether a block of n rows and m columns is computed the other way round, for the sake of long rows."""
    return backends.library(xp) == "numpy" and m < LONG <= n


def block(short: int, long: int, tile: int, /) -> tuple[int, int]:
    """Height and width of a block of about `tile` of short x long pairs: equal parts of the rows, or all of them."""
    width = max(1, -(-long // max(1, long // max(ROW, tile // max(1, short)))))
    return min(short, max(1, tile // width)), width


def batches(weights: Any, most: int, /, *, xp: Namespace) -> list[tuple[int, int]]:
    """Weights (N,) -> rows from, to: of a weight of about `most`, one row at least."""
    if weights.shape[0] == 0:
        return []
    total = xp.cumulative_sum(weights, include_initial=True)
    cuts = xp.searchsorted(total, xp.arange(most, int(total[-1]), most)).tolist()
    return list(itertools.pairwise(sorted({0, *cuts, weights.shape[0]})))


@contextlib.contextmanager
def long_rows(xp: Namespace) -> Iterator[None]:
    """Inside, NumPy takes rows as they are.

    Else it copies those that are shorter than its buffer side by side, where one operand lacks an axis: three times
    the work, and what is the same all along a row is no longer known to be.
    """
    if not bounds(xp):
        yield
        return
    usual = xp.setbufsize(16)  # the least it takes
    try:
        yield
    finally:
        xp.setbufsize(usual)


def keep_temporaries(*, xp: Namespace) -> None:
    """Let the allocator keep the memory of temporaries from one tile, or call, to the next.

    glibc hands large blocks, and much free memory at the end of the heap, back to the system, where each page costs a
    fault when it is next touched.
    """
    if backends.library(xp) in ("numpy", "torch") and fills(xp):
        _keep_freed_memory()


@functools.cache
def _keep_freed_memory() -> None:
    libc = _glibc()
    if libc is not None:
        for option, most in ((_M_MMAP_THRESHOLD, KEPT_BLOCK), (_M_TRIM_THRESHOLD, KEPT)):
            libc.mallopt(option, most)


@contextlib.contextmanager
def keep_heaps() -> Iterator[None]:
    """Inside, threads keep what they free: else each heap that a thread has emptied is handed back as a whole."""
    libc = _glibc()
    if libc is None:
        yield
        return
    libc.mallopt(_M_TOP_PAD, _HEAP)
    try:
        yield
    finally:
        libc.mallopt(_M_TOP_PAD, _USUAL_PAD)


@functools.cache
def _glibc() -> Any:
    """The C library, if it is glibc."""
    import ctypes

    found = ctypes.CDLL(None) if sys.platform == "linux" else None
    return found if hasattr(found, "gnu_get_libc_version") else None


@backends.remember
def overwriting(xp: Namespace) -> Namespace:
    """The namespace inside a tile: what is made there and not needed again is written over, where a library can."""
    return backends.variant(xp, overwrites=True) if backends.library(xp) in ("numpy", "torch") else xp


@backends.remember
def with_long_rows(xp: Namespace) -> Namespace:
    """The same where rows are long: NumPy is quickest with bounds that hold all along them."""
    if backends.library(xp) != "numpy":
        return xp
    numpy = sys.modules["numpy"]
    return backends.variant(xp, clip=numpy.clip, setbufsize=numpy.setbufsize, bounds=True)


def bounds(xp: Namespace) -> bool:
    """Whether the namespace clips by bounds without an axis faster than it compares."""
    return bool(vars(xp).get("bounds"))


def overwrites(xp: Namespace) -> bool:
    return bool(vars(xp).get("overwrites"))


def threads(xp: Namespace) -> int:
    """How many threads the namespace asks for."""
    return int(vars(xp).get("threads", 1))
