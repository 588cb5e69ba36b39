"""Pixels."""

import math
from typing import Any

from omniou._kernels.arithmetic import quotient
from omniou._lib import backends
from omniou._lib.arrays import cast
from omniou._lib.types import Namespace

# Pixels of all masks that are turned into numbers at once, where that can be done in parts.
PIXELS = 2**22
# Up to here float32 counts pixels exactly.
EXACT = 2**24


def iou(a: Any, b: Any, /, *, compute: Any, result: Any, xp: Namespace) -> Any:
    """(..., height, width) of any numbers or booleans, broadcast -> (...)."""
    p, q = _filled(a, xp=xp), _filled(b, xp=xp)
    inter, union = (cast(xp.count_nonzero(x, axis=(-2, -1)), compute, xp=xp) for x in (p & q, p | q))
    return cast(quotient(inter, union, xp=xp), result, xp=xp)


def pairwise_iou(a: Any, b: Any, /, *, compute: Any, result: Any, xp: Namespace) -> Any:
    """(..., N, height, width), (..., M, height, width) -> (..., N, M)."""
    p, q = (xp.reshape(_filled(x, xp=xp), (*x.shape[:-2], math.prod(x.shape[-2:]))) for x in (a, b))
    inter: Any = 0.0
    for part in _parts(p, q, xp=xp):
        # The product of two matrices counts what they share.
        number = xp.float32 if part.stop - part.start <= EXACT else compute
        left, right = (xp.astype(x[..., part], number) for x in (p, q))
        inter = cast(left @ xp.matrix_transpose(right), compute, xp=xp) + inter
    areas = [cast(xp.count_nonzero(x, axis=-1), compute, xp=xp) for x in (p, q)]
    union = areas[0][..., :, None] + areas[1][..., None, :] - inter
    return cast(quotient(inter, union, xp=xp), result, xp=xp)


def _filled(x: Any, /, *, xp: Namespace) -> Any:
    return x if x.dtype == xp.bool else x != 0


def _parts(p: Any, q: Any, /, *, xp: Namespace) -> list[slice]:
    """Slices of the pixels of two sets of masks, few of them at a time in libraries that compute at once."""
    pixels = p.shape[-1]
    masks = math.prod(p.shape[:-1]) + math.prod(q.shape[:-1])
    step = max(1, PIXELS // max(masks, 1) if backends.computes_at_once(xp) else pixels)
    return [slice(start, min(start + step, pixels)) for start in range(0, pixels, step)]


def erode(pixels: Any, radius: int, stride: int, /) -> Any:
    """Booleans (K,), `stride` of which make a column -> (K - 2 * radius * (stride + 1),).

    True where all within `radius` rows and columns are true: the first result is for the pixel `radius` columns and
    rows on. Columns and masks that follow each other must be apart by one pixel, or column, that is false.
    """
    return _all_of(_all_of(pixels, 2 * radius + 1, 1), 2 * radius + 1, stride)


def _all_of(x: Any, count: int, step: int, /) -> Any:
    """Whether it and all at 1, 2 ... `count` - 1 steps after it are true, (K,) -> (K - (count - 1) * step,)."""
    seen = 1
    while seen < count:
        # Twice as many as before, or what is left of them.
        more = min(seen, count - seen)
        x = x[: x.shape[0] - more * step] & x[more * step :]
        seen += more
    return x
