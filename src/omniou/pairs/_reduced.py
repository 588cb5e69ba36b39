"""The best of the second set for each of the first, and how many are above a threshold."""

import functools
from collections.abc import Callable
from typing import Any, Generic, NamedTuple

from omniou._lib import backends, checks
from omniou._lib.types import ArrayLike, ArrayT
from omniou.pairs._arguments import Sets, read
from omniou.pairs._fixed import Above
from omniou.pairs._ranked import Ranked
from omniou.pairs._reduce import best_dense, best_in_parts, count_dense, count_in_parts, reduced


class Best(NamedTuple, Generic[ArrayT]):
    """The best of the second set for each row of the first.

    Attributes
    ----------
    values : array, shape (..., N) or (..., N, k)
        Scores; NaN where there is nothing to compare with.
    indices : array of int64, shape (..., N) or (..., N, k)
        Rows of the second set; -1 where there are none. int32 in JAX without 64-bit numbers.
    """

    values: ArrayT
    indices: ArrayT


def pairwise_max(
    score: Callable[..., Any],
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    groups_a: Any = None,
    groups_b: Any = None,
    higher_is_better: bool | None = None,
    **options: Any,
) -> Best[ArrayT]:
    """Find the best of `b` for each of `a`, without the matrix of all pairs."""
    sets = read(score, a, b, options, groups=(groups_a, groups_b), higher_is_better=higher_is_better)
    ranked = _best(sets, 1)
    return Best(*(x[..., 0] for x in ranked))


def pairwise_topk(
    score: Callable[..., Any],
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    k: int,
    /,
    *,
    groups_a: Any = None,
    groups_b: Any = None,
    higher_is_better: bool | None = None,
    **options: Any,
) -> Best[ArrayT]:
    """Find the best k of `b` for each of `a`, without the matrix of all pairs."""
    checks.count("k", k)
    sets = read(score, a, b, options, groups=(groups_a, groups_b), higher_is_better=higher_is_better)
    return Best(*_best(sets, k))


def pairwise_count(
    score: Callable[..., Any],
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    threshold: float,
    /,
    *,
    groups_a: Any = None,
    groups_b: Any = None,
    inclusive: bool = False,
    higher_is_better: bool | None = None,
    **options: Any,
) -> ArrayT:
    """Count the rows of `b` whose score is above a threshold, for each of `a`, without the matrix of all pairs."""
    threshold = checks.number("threshold", threshold)
    checks.instance("inclusive", inclusive, bool, "true or false")
    sets = read(score, a, b, options, groups=(groups_a, groups_b), higher_is_better=higher_is_better)
    above = Above(threshold, inclusive, sets.higher_is_better)
    dense, in_parts = (functools.partial(x, above=above) for x in (count_dense, count_in_parts))
    counts: ArrayT = reduced(sets, dense, in_parts).counts
    return counts


def _best(sets: Sets, k: int, /) -> Ranked:
    dense, in_parts = (functools.partial(x, k=k) for x in (best_dense, best_in_parts))
    ranked: Ranked = reduced(sets, dense, in_parts)
    if sets.has_values() and sets.follows_gradients() and not ranked.values.requires_grad:
        return _followed(sets, ranked)
    return ranked


def _followed(sets: Sets, ranked: Ranked, /) -> Ranked:
    """The same with scores (N, k) that torch records."""
    xp, (n, k) = sets.xp, ranked.places.shape
    columns = xp.reshape(ranked.places, (-1,))
    there = columns >= 0
    rows = xp.repeat(xp.arange(n, device=backends.device(columns, xp=xp)), k)
    scores = sets.of_pairs(rows[there], columns[there])
    values = xp.full_like(xp.reshape(ranked.values, (-1,)), float("nan")).masked_scatter(there, scores)
    return Ranked(xp.reshape(values, (n, k)), ranked.places)
