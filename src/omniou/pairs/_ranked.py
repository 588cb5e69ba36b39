"""The best of each row of a matrix of scores, in fixed sizes: NaN is last, and if scores are equal, the first."""

import math
from typing import Any, NamedTuple

import array_api_compat as compat

from omniou._lib import backends
from omniou._lib.types import Namespace

# Best scores of a row that are found one after the other, faster than by a sort.
_FEW = 16


class Ranked(NamedTuple):
    """The best of each row, (..., k): places -1 and values NaN where there are none."""

    values: Any
    places: Any


def best(scores: Any, same: Any, k: int, /, *, higher_is_better: bool, xp: Namespace) -> Ranked:
    """Scores (..., N, M), which of them are compared, or None for all -> the best k of each row (..., N, k)."""
    m = scores.shape[-1]
    if m == 0:
        shape = (*scores.shape[:-1], k)
        device = backends.device(scores, xp=xp)
        nothing = xp.full(shape, math.nan, dtype=scores.dtype, device=device)
        return Ranked(nothing, xp.full(shape, -1, dtype=xp.int64, device=device))
    valid = ~xp.isnan(scores) if same is None else same & ~xp.isnan(scores)
    key = scores if higher_is_better else -scores
    key = xp.where(valid, key, xp.full_like(key, -math.inf))
    if k == 1:
        places, there = _first(key, valid, same, xp=xp)
    else:
        places, there = _sorted(key, valid, same, min(k, m), xp=xp)
    values = xp.take_along_axis(scores, places, axis=-1)
    values = xp.where(there, values, xp.full_like(values, math.nan))
    places = xp.where(there, places, xp.full_like(places, -1))
    return _padded(Ranked(values, places), k, xp=xp)


def _first(key: Any, valid: Any, same: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """The first of the best (..., 1), and whether there is any."""
    hit = valid & (key == xp.max(key, axis=-1, keepdims=True))
    # Where all are NaN, the first of them.
    compared = xp.ones_like(valid) if same is None else same
    hit = xp.where(xp.any(hit, axis=-1, keepdims=True), hit, compared)
    places = xp.argmax(xp.astype(hit, xp.int8), axis=-1, keepdims=True)
    return places, xp.any(hit, axis=-1, keepdims=True)


def _sorted(key: Any, valid: Any, same: Any, k: int, /, *, xp: Namespace) -> tuple[Any, Any]:
    order = xp.argsort(-key, axis=-1, stable=True)
    # An infinite score has the key of NaN and of padding, so that these are told apart by a second sort.
    rank = xp.astype(~valid, xp.int8)
    rank = rank if same is None else rank + xp.astype(~same, xp.int8)
    ranks = xp.take_along_axis(rank, order, axis=-1)
    second = xp.argsort(ranks, axis=-1, stable=True)[..., :k]
    return xp.take_along_axis(order, second, axis=-1), xp.take_along_axis(ranks, second, axis=-1) < 2


def _padded(ranked: Ranked, k: int, /, *, xp: Namespace) -> Ranked:
    *shape, size = ranked.values.shape
    if size == k:
        return ranked
    device = backends.device(ranked.values, xp=xp)
    fill = zip(ranked, (math.nan, -1), strict=True)
    more = (xp.full((*shape, k - size), value, dtype=x.dtype, device=device) for x, value in fill)
    return Ranked(*(xp.concat([x, y], axis=-1) for x, y in zip(ranked, more, strict=True)))


def best_of_tile(scores: Any, k: int, /, *, higher_is_better: bool, xp: Namespace) -> Ranked:
    """Return the same as `best` for scores (P, Q), Q at least 1, faster: values may be looked at."""
    writes = compat.is_numpy_namespace(xp) or compat.is_torch_namespace(xp)
    if not writes or min(k, scores.shape[1]) > _FEW:
        return best(scores, None, k, higher_is_better=higher_is_better, xp=xp)
    key, worst = (scores, -math.inf) if higher_is_better else (-scores, -math.inf)
    rows = xp.arange(scores.shape[0], device=backends.device(scores, xp=xp))
    key = xp.asarray(key, copy=True) if k > 1 and higher_is_better else key
    places = []
    for _ in range(min(k, scores.shape[1])):
        places.append(xp.argmax(key, axis=-1))  # NaN, if there is one
        if bool(xp.any(xp.isnan(key[rows, places[-1]]))) or (k > 1 and bool(xp.any(key[rows, places[-1]] == worst))):
            return best(scores, None, k, higher_is_better=higher_is_better, xp=xp)
        if k > 1:
            key[rows, places[-1]] = worst
    chosen = xp.stack(places, axis=-1)
    return _padded(Ranked(xp.take_along_axis(scores, chosen, axis=-1), chosen), k, xp=xp)


def merged(one: Ranked, other: Ranked, /, *, higher_is_better: bool, xp: Namespace) -> Ranked:
    """The best of both (P, k), of which the first has the lower places among equal scores."""
    values, places = (xp.concat([x, y], axis=-1) for x, y in zip(one, other, strict=True))
    k = one.values.shape[-1]
    chosen = best(values, places >= 0, k, higher_is_better=higher_is_better, xp=xp)
    at = xp.where(chosen.places >= 0, chosen.places, xp.zeros_like(chosen.places))
    taken = xp.take_along_axis(places, at, axis=-1)
    return Ranked(chosen.values, xp.where(chosen.places >= 0, taken, xp.full_like(taken, -1)))
