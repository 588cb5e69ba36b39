"""Average precision from histograms of scores: T thresholds, K classes, B bins from low scores to high."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from omniou._kernels.arithmetic import quotient
from omniou._kernels.curves import Scale, scale, share, where_objects
from omniou._lib import backends, indexing
from omniou._lib.arrays import widest_floating, widest_integer
from omniou._lib.types import Namespace


def bins(scores: Any, low: float, high: float, count: int, /, *, xp: Namespace) -> Any:
    """(...) -> number of the bin (...); scores beyond the ends are in the outermost."""
    place = xp.astype(xp.floor((scores - low) * (count / (high - low))), widest_integer(xp))
    return xp.minimum(xp.maximum(place, xp.zeros_like(place)), xp.full_like(place, count - 1))


def average_precision(objects: Any, hits: Any, counted: Any, points: Sequence[float], /, *, xp: Namespace) -> Any:
    """Objects (K,), hits (T, K, B), all that count (T, K, B), points of recall -> AP (T, K), NaN without objects."""
    dtype = widest_floating(xp)
    # A quotient of float32 reaches points that the same of float64 narrowly misses, such as 7 * 0.01 by 7 / 100.
    raised = points if dtype == xp.float64 else [_raised(point) for point in points]
    recalls = xp.asarray(raised, dtype=dtype, device=backends.device(objects, xp=xp))
    return xp.mean(precision(hits, counted, scale(objects, recalls, xp=xp), xp=xp), axis=-1)


def _raised(point: float) -> float:
    """A point of recall that float32 reaches where float64 reaches the given one."""
    meant = Fraction(point).limit_denominator(1000)
    return point if float(meant) >= point else point * (1.0 + 2.0**-22)


def precision(hits: Any, counted: Any, scale: Scale, /, *, xp: Namespace) -> Any:
    """Hits (T, K, B), all that count (T, K, B) -> the best precision at or after each recall (T, K, R).

    Inside a bin hits are taken to be spread evenly. Precision then rises or falls all through a bin, so that it is
    best at its end, or where a recall is reached inside it.
    """
    hit, all_ = xp.flip(hits, axis=-1), xp.flip(counted, axis=-1)
    # Summed as integers: float32 cannot count beyond 2**24.
    until, seen = (xp.cumulative_sum(x, axis=-1) for x in (hit, all_))
    at_end = xp.where(hit > 0, share(until, xp.maximum(seen, xp.ones_like(seen)), scale.points.dtype, xp=xp), 0.0)
    best = xp.flip(indexing.cumulative_maximum(xp.flip(at_end, axis=-1), xp=xp), axis=-1)
    need = xp.maximum(scale.need, xp.ones_like(scale.need))
    need = xp.broadcast_to(need[None, ...], (hits.shape[0], *need.shape))
    place = _first_that_reaches(until, need, xp=xp)
    reached = place < until.shape[-1]
    place = xp.where(reached, place, xp.zeros_like(place))
    here, there, end, of_bin, most = (_pick(x, place, xp=xp) for x in (hit, until, seen, all_, best))
    of_hits = share(need - (there - here), xp.maximum(here, xp.ones_like(here)), most.dtype, xp=xp)
    passed = xp.astype(end - of_bin, most.dtype) + of_hits * xp.astype(of_bin, most.dtype)
    inside = quotient(xp.astype(need, most.dtype), passed, xp=xp)
    return where_objects(xp.where(reached, xp.maximum(inside, most), xp.zeros_like(most)), scale.none, xp=xp)


def _first_that_reaches(until: Any, need: Any, /, *, xp: Namespace) -> Any:
    """Rising counts (T, K, B), counts (T, K, R) -> the first bin that reaches each (T, K, R), or B."""
    size = until.shape[-1]
    place = xp.zeros_like(need)
    # A search by halves in all rows at once, the largest step first; `place` bins are known to be too low.
    for power in range(size.bit_length() - 1, -1, -1):
        next_ = xp.minimum(place + 2**power, xp.full_like(place, size))
        place = xp.where(_pick(until, next_ - 1, xp=xp) < need, next_, place)
    return place


def _pick(x: Any, place: Any, /, *, xp: Namespace) -> Any:
    """(T, K, B), places (T, K, R) -> (T, K, R)."""
    every = xp.arange(x.shape[0] * x.shape[1], dtype=place.dtype, device=backends.device(place, xp=xp))
    rows = xp.reshape(every * x.shape[2], (*x.shape[:2], 1))
    return xp.reshape(xp.take(xp.reshape(x, (-1,)), xp.reshape(place + rows, (-1,))), place.shape)
