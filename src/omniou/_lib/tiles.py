"""All pairs in tiles: how large they are, where their temporaries lie, who works on them."""

from typing import Any

from omniou._lib import backends
from omniou._lib.types import Namespace

# Elements in a tile: the temporaries of a score should stay in cache, and the calls stay few.
TILE_NUMPY = 2**17
TILE_EAGER = 2**17
TILE_ACCELERATOR = 2**24


def spread(x: Any, block: tuple[int, ...], *, xp: Namespace) -> Any:
    """`x` with its last axes written out to `block` where that is faster than broadcasting, else as it is.

    NumPy's minimum and maximum use SIMD only where both operands are contiguous. Its sum does not mind, so that
    columns without an axis in front, the areas, stay as they are.
    """
    if backends.library(xp) != "numpy" or x.ndim == len(block):
        return x
    return xp.ascontiguousarray(xp.broadcast_to(x, (*x.shape[: -len(block)], *block)))


def narrow(rows: Any, *, xp: Namespace) -> Any:
    """The columns of a tile's rows as they were before they were spread: for what is dear, and the same all along."""
    return rows._make([x[..., :1] for x in rows]) if overwrites(xp) else rows


def keep_temporaries(*, xp: Namespace) -> None:
    """Let the allocator keep the memory of temporaries from one tile to the next.

    glibc hands blocks above a threshold back to the system, where each page costs a fault when it is next touched;
    it raises the threshold to the largest block below 32 MiB that it has seen freed. This one is never touched.
    """
    if backends.library(xp) in ("numpy", "torch"):
        xp.empty(2**24, dtype=xp.uint8)


def tile_elements(size: int, /, *, xp: Namespace) -> int | None:
    """How many of `size` results to compute at once; None for all of them, in one expression.

    JAX and Dask fuse or chunk it themselves, and a result filled in place would break autograd and tracing.
    """
    if size <= TILE_NUMPY:
        return None
    match backends.library(xp):
        case "jax" | "dask":
            return None
        case "numpy":
            return TILE_NUMPY
        case "torch" if not vars(xp).get("fills"):
            return None
        case "torch" if not xp.sees_values:
            return TILE_ACCELERATOR
    return TILE_EAGER


@backends.remember
def overwriting(xp: Namespace) -> Namespace:
    """The namespace inside a tile: what is made there and not needed again is written over, where a library can."""
    return backends.variant(xp, overwrites=True) if backends.library(xp) in ("numpy", "torch") else xp


def overwrites(xp: Namespace) -> bool:
    return bool(vars(xp).get("overwrites"))


def threads(xp: Namespace) -> int:
    """How many threads the namespace asks for."""
    return int(vars(xp).get("threads", 1))
