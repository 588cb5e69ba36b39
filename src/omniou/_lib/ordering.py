"""Orders with one rule for equal values: many rows by one sort of packed integers, and the largest of each row."""

import math
from typing import Any

import array_api_compat as compat

from omniou._lib import backends, indexing
from omniou._lib.arrays import widest_integer
from omniou._lib.types import Namespace

# Bits of an int64 without its sign.
_BITS = 63
# Bits for a score, by those of its dtype: with fewer, most ties would be broken after the sort; with more, the product
# would round, up to a number that reaches into the major key.
_FEWEST, _MOST = 12, {32: 20, 64: 40}


def rising(keys: Any, bound: int, /, *, xp: Namespace) -> Any:
    """Integers (N,) in [0, bound) -> rows (N,) by key; of equal keys as they come."""
    size = keys.shape[0]
    low = _width(size)
    if _width(bound) + low > _BITS:
        return xp.argsort(keys, stable=True)
    packed = indexing.in_parts(lambda part: (keys[part] << low) | _numbers(part, keys, xp=xp), size, xp=xp)
    return xp.sort(packed, stable=False) & ((1 << low) - 1)


def falling(major: Any, bound: int, scores: Any, /, *, last: bool = False, xp: Namespace) -> Any:
    """Integers (N,) in [0, bound), scores (N,) -> rows by major, then falling score, then as they come.

    With `last`, of equal major and score the row that comes last is the first.
    """
    size = major.shape[0]
    if last:  # a stable sort of the reversed rows
        return size - 1 - falling(xp.flip(major), bound, xp.flip(scores), xp=xp)
    if size < 2:
        return _numbers(slice(0, size), major, xp=xp)
    low = _width(size)
    if xp.finfo(scores.dtype).bits < 32:  # float16 ends below the scale
        scores = xp.astype(scores, xp.float32)
    free = min(_MOST[int(xp.finfo(scores.dtype).bits)], _BITS - low - _width(bound))
    best, worst = float(xp.max(scores)), float(xp.min(scores))
    scale = (2**free - 1) / (best - worst) if free >= _FEWEST and best > worst else 0.0
    if free < _FEWEST or not (math.isfinite(best - worst) and math.isfinite(scale)):
        return _by_keys(major, scores, xp=xp)

    def packed(part: slice) -> Any:
        # Quantisation is monotonic: it never reverses an order, it only creates ties.
        steps = xp.astype((best - scores[part]) * scale, xp.int64)
        return (((major[part] << free) | steps) << low) | _numbers(part, major, xp=xp)

    keys = xp.sort(indexing.in_parts(packed, size, xp=xp), stable=False)
    return _mended(keys, low, scores, xp=xp)


def _mended(keys: Any, low: int, scores: Any, /, *, xp: Namespace) -> Any:
    """Rising keys, whose low bits are rows (N,) -> the rows; of equal keys by score."""
    mask = (1 << low) - 1
    # Keys are compared without the row number in their low bits.
    tied = indexing.in_parts(lambda part: (keys[1:][part] ^ keys[:-1][part]) <= mask, keys.shape[0] - 1, xp=xp)
    second = xp.nonzero(tied)[0] + 1
    after, before = (xp.take(scores, xp.take(keys, at) & mask) for at in (second, second - 1))
    if not xp.any(after > before):
        return keys & mask
    no = xp.zeros(1, dtype=xp.bool, device=compat.device(keys))
    doubtful = xp.nonzero(xp.concat([no, tied]) | xp.concat([tied, no]))[0]
    some = xp.take(keys, doubtful)
    order = _by_keys(some >> low, xp.take(scores, some & mask), xp=xp)
    return indexing.put(keys & mask, doubtful, xp.take(some & mask, order), xp=xp)


def _by_keys(major: Any, scores: Any, /, *, xp: Namespace) -> Any:
    order = xp.argsort(-scores, stable=True)
    return xp.take(order, xp.argsort(xp.take(major, order), stable=True))


def _width(count: int) -> int:
    """Bits of the numbers below `count`."""
    return max(1, (count - 1).bit_length())


def _numbers(part: slice, like: Any, /, *, xp: Namespace) -> Any:
    return xp.arange(part.start, part.stop, dtype=xp.int64, device=compat.device(like))


# More rounds than this cost more than a stable sort of all.
_ROUNDS = 32


def best(x: Any, count: int, /, *, xp: Namespace) -> Any:
    """(..., A) -> places (..., count) of the largest, falling; of equal ones the first, on every library."""
    if backends.library(xp) == "jax":
        import jax

        # The lower index first, as documented.
        return xp.astype(jax.lax.top_k(x, count)[1], widest_integer(xp))
    if count > _ROUNDS:
        return xp.argsort(-x, axis=-1, stable=True)[..., :count]
    # torch.topk has no order of equal numbers, and a stable sort of all takes ten times as long.
    every = xp.arange(x.shape[-1], device=backends.device(x, xp=xp))
    every = every[(None,) * (x.ndim - 1) + (...,)]
    places = []
    for turn in range(count):
        places.append(xp.argmax(x, axis=-1, keepdims=True))
        if turn + 1 < count:
            x = _without(x, places[-1], every, own=turn > 0, xp=xp)
    return xp.concat(places, axis=-1)


def _without(x: Any, place: Any, every: Any, /, *, own: bool, xp: Namespace) -> Any:
    """(..., A) with minus infinity at one place of each row; written over where it is our own."""
    if backends.library(xp) == "numpy":
        x = x if own else xp.array(x)
        xp.put_along_axis(x, place, -float("inf"), axis=-1)
        return x
    return xp.where(every == place, -float("inf"), x)


def highest(x: Any, count: int, /, *, xp: Namespace) -> Any:
    """(..., A) -> the largest values (..., count), in any order."""
    match backends.library(xp):
        case "numpy":
            return xp.partition(x, x.shape[-1] - count, axis=-1)[..., x.shape[-1] - count :]
        case "torch":
            return x.topk(count, dim=-1).values
    return xp.take_along_axis(x, best(x, count, xp=xp), axis=-1)
