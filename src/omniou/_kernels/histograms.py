"""Average precision from histograms of scores: T thresholds, K classes, B bins from low scores to high."""

from typing import Any

import array_api_compat as compat

from omniou._kernels.arithmetic import quotient
from omniou._kernels.curves import Scale, where_objects
from omniou._lib import indexing
from omniou._lib.types import Namespace


def bins(scores: Any, low: float, high: float, count: int, /, *, xp: Namespace) -> Any:
    """(N,) -> number of the bin (N,); scores beyond the ends are in the outermost."""
    place = xp.astype(xp.floor((scores - low) * (count / (high - low))), xp.int64)
    return xp.minimum(xp.maximum(place, xp.zeros_like(place)), xp.full_like(place, count - 1))


def precision(hits: Any, counted: Any, scale: Scale, /, *, xp: Namespace) -> Any:
    """Hits (T, K, B), all that count (T, K, B) -> the best precision at or after each recall (T, K, R).

    Inside a bin hits are taken to be spread evenly. Precision then rises or falls all through a bin, so that it is
    best at its end, or where a recall is reached inside it.
    """
    dtype = scale.points.dtype
    hit, all_ = (xp.astype(xp.flip(x, axis=-1), dtype) for x in (hits, counted))
    until, seen = xp.cumulative_sum(hit, axis=-1), xp.cumulative_sum(all_, axis=-1)
    at_end = xp.where(hit > 0, until / xp.where(seen > 0, seen, xp.ones_like(seen)), xp.zeros_like(until))
    best = xp.flip(indexing.cumulative_maximum(xp.flip(at_end, axis=-1), xp=xp), axis=-1)
    need = xp.astype(xp.maximum(scale.need, xp.ones_like(scale.need)), dtype)
    need = xp.broadcast_to(need[None, ...], (hits.shape[0], *need.shape))
    place = _first_that_reaches(until, need, xp=xp)
    reached = place < until.shape[-1]
    place = xp.where(reached, place, xp.zeros_like(place))
    here, there, end, most = (_pick(x, place, xp=xp) for x in (hit, until, seen, best))
    of_bin = _pick(all_, place, xp=xp)
    share = (need - (there - here)) / xp.where(here > 0, here, xp.ones_like(here))
    inside = quotient(need, end - of_bin + share * of_bin, xp=xp)
    return where_objects(xp.where(reached, xp.maximum(inside, most), xp.zeros_like(most)), scale.none, xp=xp)


def _first_that_reaches(until: Any, need: Any, /, *, xp: Namespace) -> Any:
    """Rising counts (T, K, B), counts (T, K, R) -> the first bin that reaches each (T, K, R), or B."""
    size = until.shape[-1]
    rows = until.shape[0] * until.shape[1]
    # One search for all rows: each is lifted above the one before. Counts are whole numbers far below 2**53.
    most = xp.max(until) + 2.0 if rows * size else 1.0
    lift = xp.reshape(xp.arange(rows, dtype=until.dtype, device=compat.device(until)) * most, (*until.shape[:2], 1))
    flat = xp.reshape(until + lift, (-1,))
    wanted = xp.minimum(need, xp.zeros_like(need) + most - 1.0) + lift
    at = xp.reshape(xp.searchsorted(flat, xp.reshape(wanted, (-1,))), need.shape)
    return at - xp.reshape(xp.arange(rows, dtype=at.dtype, device=compat.device(at)) * size, (*until.shape[:2], 1))


def _pick(x: Any, place: Any, /, *, xp: Namespace) -> Any:
    """(T, K, B), places (T, K, R) -> (T, K, R)."""
    every = xp.arange(x.shape[0] * x.shape[1], dtype=place.dtype, device=compat.device(place))
    rows = xp.reshape(every * x.shape[2], (*x.shape[:2], 1))
    return xp.reshape(xp.take(xp.reshape(x, (-1,)), xp.reshape(place + rows, (-1,))), place.shape)
