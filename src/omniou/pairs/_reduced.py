"""The best of the second set for each of the first, and how many are above a threshold."""

import functools
from collections.abc import Callable
from typing import Any, Generic, NamedTuple

from omniou._lib import backends, checks
from omniou._lib.types import ArrayLike, ArrayT
from omniou.pairs._arguments import Above, Sets, read
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
    """Find the best of `b` for each of `a`, without the matrix of all pairs.

    Parameters
    ----------
    score : callable
        A score, such as `boxes.iou`, or a function made of scores.
    a, b : array, shape (..., N, K) and (..., M, K)
        Two sets; leading axes broadcast. For boxes K = 2 * D. Masks have the shape (..., N, height, width).
    groups_a, groups_b : array of integers, shape (..., N) and (..., M), optional
        Groups of the rows, such as the numbers of images: only pairs of equal groups are compared.
    higher_is_better : bool, optional
        The direction of a function made of scores; a score has its own: the best is the lowest distance.
    **options
        Options of the score: `format` and so on.

    Returns
    -------
    Best
        `values` and `indices` (..., N). If scores are equal, the first is the best. NaN is the best only where every
        score of the row is NaN. Without anything to compare with, the index is -1 and the value NaN. In the library and
        on the device of the input; gradients flow through `values`.

        The matrix is never held, unless it is small, or arrays are traced or differentiated along leading axes. The
        IoU, IoF, IoMin and Dice of shapes need only the pairs whose upright bounds overlap.

    Raises
    ------
    ValueError
        If groups have another length than the rows, or `higher_is_better` is not known.
    TypeError
        If groups are not integers; otherwise what the score raises.

    Examples
    --------
    >>> from omniou import boxes, pairwise_max
    >>> best = pairwise_max(boxes.iou, [[0, 0, 2, 2], [5, 5, 9, 9]], [[0, 0, 1, 1], [0, 0, 2, 1]])
    >>> best.values.tolist(), best.indices.tolist()
    ([0.5, 0.0], [1, 0])
    """
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
    """Find the best k of `b` for each of `a`, without the matrix of all pairs.

    Parameters
    ----------
    score : callable
        A score, such as `boxes.iou`, or a function made of scores.
    a, b : array, shape (..., N, K) and (..., M, K)
        Two sets; leading axes broadcast.
    k : int
        At least 1.
    groups_a, groups_b : array of integers, shape (..., N) and (..., M), optional
        Groups of the rows: only pairs of equal groups are compared.
    higher_is_better : bool, optional
        The direction of a function made of scores; a score has its own.
    **options
        Options of the score: `format` and so on.

    Returns
    -------
    Best
        `values` and `indices` (..., N, k), the best first; of equal scores the one with the lower index first, NaN
        last. Where there are fewer than k, the rest has the index -1 and the value NaN.

    Raises
    ------
    ValueError
        If `k` is less than 1; otherwise as `pairwise_max`.
    TypeError
        The same as `pairwise_max`.

    Examples
    --------
    >>> from omniou import boxes, pairwise_topk
    >>> best = pairwise_topk(boxes.iou, [[0, 0, 2, 2]], [[0, 0, 1, 1], [0, 0, 2, 1]], 3)
    >>> best.values.tolist(), best.indices.tolist()
    ([[0.5, 0.25, nan]], [[1, 0, -1]])
    """
    k = checks.count("k", k)
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
    """Count the rows of `b` whose score is above a threshold, for each of `a`, without the matrix of all pairs.

    Parameters
    ----------
    score : callable
        A score, such as `boxes.iou`, or a function made of scores.
    a, b : array, shape (..., N, K) and (..., M, K)
        Two sets; leading axes broadcast.
    threshold : float
        Compared in the dtype of the scores. For a distance, pairs below the threshold are above it: better.
    groups_a, groups_b : array of integers, shape (..., N) and (..., M), optional
        Groups of the rows: only pairs of equal groups are compared.
    inclusive : bool
        Whether to count pairs that are at the threshold.
    higher_is_better : bool, optional
        The direction of a function made of scores; a score has its own.
    **options
        Options of the score: `format` and so on.

    Returns
    -------
    array of int64, shape (..., N)
        NaN is never above a threshold. int32 in JAX without 64-bit numbers.

    Raises
    ------
    ValueError
        If `threshold` is not finite; otherwise as `pairwise_max`.
    TypeError
        The same as `pairwise_max`.

    Examples
    --------
    >>> from omniou import boxes, pairwise_count
    >>> pairwise_count(boxes.iou, [[0, 0, 2, 2], [5, 5, 9, 9]], [[0, 0, 1, 1], [0, 0, 2, 1]], 0.3).tolist()
    [1, 0]
    """
    threshold = checks.number("threshold", threshold)
    inclusive = checks.flag("inclusive", inclusive)
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
    """Return the best with scores (N, k) that torch records."""
    xp, (n, k) = sets.xp, ranked.places.shape
    columns = xp.reshape(ranked.places, (-1,))
    there = columns >= 0
    rows = xp.repeat(xp.arange(n, device=backends.device(columns, xp=xp)), k)
    scores = sets.of_pairs(rows[there], columns[there])
    values = xp.full_like(xp.reshape(ranked.values, (-1,)), float("nan")).masked_scatter(there, scores)
    return Ranked(xp.reshape(values, (n, k)), ranked.places)
