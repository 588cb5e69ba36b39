"""Average precision from histograms of scores: T thresholds, K classes, B bins from low scores to high."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from omniou._kernels.arithmetic import quotient
from omniou._lib import backends, indexing, tracers
from omniou._lib.arrays import widest_floating, widest_integer
from omniou._lib.types import Namespace


def bins(scores: Any, low: float, high: float, count: int, /, *, xp: Namespace) -> Any:
    """(...) -> number of the bin (...); scores beyond the ends are in the outermost."""
    limits = xp.asarray(edges(low, high, count), dtype=xp.float32, device=backends.device(scores, xp=xp))
    place = xp.searchsorted(xp.astype(limits, scores.dtype), scores, side="right")
    return xp.astype(place, widest_integer(xp))


@functools.lru_cache
def edges(low: float, high: float, count: int, /) -> list[float]:
    """Where the bins from 2 on begin: half of them are as if of equal width, the others close in on the high end.

    Scores of confident models crowd together there: between 0.99 and 1 are 167 of 1024 bins. Compared in float32, so
    that all libraries put a score into one bin.
    """
    narrow = count // 2
    even = [k / (count - narrow) for k in range(1, count - narrow)]
    closing = [1.0 - (1.0 - k / (narrow + 1)) ** 4 for k in range(1, narrow + 1)]
    return sorted(low + (high - low) * share for share in even + closing)


def average_precision(objects: Any, hits: Any, counted: Any, points: Sequence[float], /, *, xp: Namespace) -> Any:
    """Objects (K,), hits (T, K, B), all that count (T, K, B), recall thresholds -> AP (T, K), NaN without objects."""
    best = precision(hits, counted, needed(objects, points, xp=xp), xp=xp)
    return where_objects(xp.mean(best, axis=-1), objects == 0, xp=xp)


def needed(objects: Any, points: Sequence[float], /, *, xp: Namespace) -> Any:
    """Objects (K,), recall thresholds -> true positives that reach each (K, R), at least 1.

    As their quotient in float64 would, but in integers: float32 is too coarse for it, and compilers round a division
    as they like.
    """
    # 7 * 0.01 is a little above 7 / 100, so that a recall of 7 / 100 does not reach it.
    need = _products(objects, points, lambda over, under, point: under - (over / under >= point), xp=xp)
    return xp.maximum(need, xp.ones_like(need))


def within(objects: Any, points: Sequence[float], /, *, xp: Namespace) -> Any:
    """Objects (K,), recall thresholds -> the most true positives whose recall is at most each (K, R), as `needed`."""
    return _products(objects, points, lambda over, under, point: -(over / under > point), xp=xp)


def _products(
    objects: Any, points: Sequence[float], more: Callable[[int, int, float], int], /, *, xp: Namespace
) -> Any:
    """Objects (K,) times recall thresholds (R,), fractions, and `more` over their denominators -> integers (K, R)."""
    fractions = _fractions(tuple(points), 2**31 if xp.iinfo(objects.dtype).bits == 64 else 2**15)
    columns = [[over, under, more(over, under, point)] for (over, under), point in zip(fractions, points, strict=True)]
    over, under, extra = (
        xp.asarray(column, dtype=objects.dtype, device=backends.device(objects, xp=xp))[None, :]
        for column in map(list, zip(*columns, strict=True))
    )
    whole = objects[:, None] // under
    rest = objects[:, None] - whole * under  # apart, so that no product overflows
    return whole * over + (rest * over + extra) // under


@tracers.constant
def _fractions(points: tuple[float, ...], limit: int) -> tuple[tuple[int, int], ...]:
    from fractions import Fraction  # 3 ms that only sketches need

    return tuple([Fraction(point).limit_denominator(limit).as_integer_ratio() for point in points])


def precision(hits: Any, counted: Any, need: Any, /, *, xp: Namespace) -> Any:
    """Hits (T, K, B), all that count (T, K, B), hits of a recall (K, R) -> the best precision from there (T, K, R).

    Inside a bin hits are taken to be spread evenly. Precision then rises or falls all through a bin, so it is
    best at its end, or where a recall is reached inside it.
    """
    dtype = widest_floating(xp)
    hit, all_ = xp.flip(hits, axis=-1), xp.flip(counted, axis=-1)
    # Summed as integers: float32 cannot count beyond 2**24.
    until, seen = (xp.cumulative_sum(x, axis=-1) for x in (hit, all_))
    at_end = xp.where(hit > 0, share(until, xp.maximum(seen, xp.ones_like(seen)), dtype, xp=xp), 0.0)
    best = indexing.cumulative_maximum(at_end, xp=xp, from_end=True)
    need = xp.broadcast_to(need[None, ...], (hits.shape[0], *need.shape))
    rows = math.prod(until.shape[:2])
    flat = (xp.reshape(x, (rows, x.shape[-1])) for x in (until, need))
    first = indexing.first_at_least(*flat, xp=xp)
    place = xp.astype(xp.reshape(first, need.shape), need.dtype)
    reached = place < until.shape[-1]
    place = xp.where(reached, place, xp.zeros_like(place))
    here, there, end, of_bin, most = (_pick(x, place, xp=xp) for x in (hit, until, seen, all_, best))
    of_hits = share(need - (there - here), xp.maximum(here, xp.ones_like(here)), dtype, xp=xp)
    passed = xp.astype(end - of_bin, dtype) + of_hits * xp.astype(of_bin, dtype)
    inside = quotient(xp.astype(need, dtype), passed, xp=xp)
    return xp.where(reached, xp.maximum(inside, most), xp.zeros_like(most))


def _pick(x: Any, place: Any, /, *, xp: Namespace) -> Any:
    """(T, K, B), places (T, K, R) -> (T, K, R)."""
    every = xp.arange(x.shape[0] * x.shape[1], dtype=place.dtype, device=backends.device(place, xp=xp))
    rows = xp.reshape(every * x.shape[2], (*x.shape[:2], 1))
    return xp.reshape(xp.take(xp.reshape(x, (-1,)), xp.reshape(place + rows, (-1,))), place.shape)


def share(number: Any, objects: Any, dtype: Any, /, *, xp: Namespace) -> Any:
    """Integers -> their quotients as floats."""
    return xp.astype(number, dtype) / xp.astype(objects, dtype)


def where_objects(x: Any, none: Any, /, *, xp: Namespace) -> Any:
    """(T, K, ...) with NaN for classes without objects."""
    nothing = xp.astype(none, x.dtype)
    nothing = xp.where(none, xp.full_like(nothing, float("nan")), nothing)
    return x + xp.reshape(nothing, (1, -1) + (1,) * (x.ndim - 2))
