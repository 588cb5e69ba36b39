"""Only the pairs whose score is above a threshold."""

from collections.abc import Callable
from typing import Any, Generic, NamedTuple

from omniou._lib import backends, checks, host
from omniou._lib.arrays import widest_integer
from omniou._lib.types import ArrayLike, ArrayT
from omniou.pairs._arguments import Above, Near, Sets, matrix, near, read
from omniou.pairs._found import FoundPairs, found


class SparsePairs(NamedTuple, Generic[ArrayT]):
    """Pairs of two sets, by row of the first, then of the second.

    Attributes
    ----------
    a, b : array of int64, shape (P,)
        Rows of both sets; -1 for padding. int32 in JAX without 64-bit numbers.
    values : array, shape (P,)
        Scores; NaN for padding.
    count : array of integers, shape ()
        How many pairs there are, also where `size` has no place for all.
    """

    a: ArrayT
    b: ArrayT
    values: ArrayT
    count: ArrayT  # type: ignore[assignment]  # hides the method of tuples


def pairwise_sparse(
    score: Callable[..., Any],
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    threshold: float,
    /,
    *,
    groups_a: Any = None,
    groups_b: Any = None,
    inclusive: bool = False,
    size: int | None = None,
    memory: int = 2**31,
    higher_is_better: bool | None = None,
    **options: Any,
) -> SparsePairs[ArrayT]:
    """Find the pairs of two sets whose score is above a threshold, without the matrix of all pairs.

    Parameters
    ----------
    score : callable
        A score, such as `boxes.iou`, or a function made of scores: ``lambda a, b: boxes.iou(a, b) ** 2``.
    a, b : array, shape (N, K) and (M, K)
        Two sets; for boxes K = 2 * D. Masks have the shape (N, height, width), polygons (N, vertices, 2).
    threshold : float
        Compared in the dtype of the scores. For a distance, pairs below the threshold are above it: better.
    groups_a, groups_b : array of integers, shape (N,) and (M,), optional
        Groups of the rows, such as the numbers of images, or of images and classes: only pairs of equal groups are
        compared. Any int64.
    inclusive : bool
        Whether to include pairs that are at the threshold.
    size : int, optional
        Length of the result, padded by -1 and NaN. It must be given inside ``jax.jit``.
    memory : int
        Bytes that the result may have.
    higher_is_better : bool, optional
        The direction of a function made of scores; a score has its own.
    **options
        Options of the score: `format` and so on.

    Returns
    -------
    SparsePairs
        Rows `a` and `b`, `values` and `count`. Pairs are sorted by row of `a`, then of `b`. A pair with NaN is never
        above a threshold. In the library and on the device of the input; gradients flow through `values`.

        Where a score of disjoint shapes cannot be above the threshold, as IoU, GIoU, DIoU and CIoU at thresholds from
        0 on, only pairs whose upright bounds overlap are scored; the time grows with their number. A threshold above 0
        excludes more of them. Any other score is computed for all pairs of a group, in parts.

    Raises
    ------
    ValueError
        If `size` is less than the number of pairs, which `count` states where arrays are traced; if the result would
        have more bytes than `memory`; if the sets have leading axes, or groups do not fit.
    TypeError
        If groups are not integers; otherwise what the score raises.

    Examples
    --------
    >>> from omniou import boxes, pairwise_sparse
    >>> pairs = pairwise_sparse(boxes.iou, [[0, 0, 2, 2], [5, 5, 9, 9]], [[0, 0, 2, 1], [2, 0, 4, 2]], 0)
    >>> pairs.a.tolist(), pairs.b.tolist(), pairs.values.tolist()
    ([0], [0], [0.5])
    """
    threshold = checks.number("threshold", threshold)
    inclusive = checks.flag("inclusive", inclusive)
    memory = checks.count("memory", memory)
    if size is not None:
        size = checks.count("size", size)
    sets = read(score, a, b, options, groups=(groups_a, groups_b), higher_is_better=higher_is_better)
    above = Above(threshold, inclusive, sets.higher_is_better)
    if not sets.has_values():
        rows, columns, values, count = _all_above(sets, above, size)
        return SparsePairs(rows, columns, values, count)
    close = near(sets)
    with host.quiet(sets.xp):
        i, j, values = _within(memory, found(close, above, memory))
    if size is not None and i.shape[0] > size:
        raise ValueError(f"`size` must be at least {i.shape[0]}, the number of pairs above the threshold, got {size}")
    return _returned(close, i, j, values, size)


def _all_above(sets: Sets, above: Above, size: int | None, /) -> tuple[Any, Any, Any, Any]:
    """Rows of both sets and scores of the pairs above a threshold, (size,) each, and their number ()."""
    if size is None:
        raise ValueError(
            "`size` must be given where arrays are traced, since the number of pairs depends on values, got None"
        )
    xp = sets.xp
    scores, same = matrix(sets)
    if scores.ndim != 2:
        raise ValueError(
            f"`a` and `b` must be two sets without leading axes, got scores of shape {tuple(scores.shape)}"
        )
    mask = above(scores) if same is None else above(scores) & same
    m = scores.shape[1]
    integer = widest_integer(xp)
    device = backends.device(scores, xp=xp)
    # The k-th pair is where the number of pairs so far reaches k.
    before = backends.cumulative_sum(xp.reshape(mask, (-1,)), dtype=integer, xp=xp)
    if before.shape[0] == 0:
        none = xp.full((size,), -1, dtype=integer, device=device)
        return none, none, xp.full((size,), float("nan"), dtype=scores.dtype, device=device), xp.sum(before)
    every = xp.arange(1, size + 1, dtype=integer, device=device)
    found = every <= before[-1]
    wanted = xp.where(found, every, before[-1])  # under vmap of each image: torch would expand `every`, and warn
    places = xp.where(found, xp.astype(xp.searchsorted(before, wanted), integer), xp.zeros_like(every))
    values = xp.take(xp.reshape(scores, (-1,)), places)
    rows = (xp.where(found, x, xp.full_like(x, -1)) for x in (places // m, places % m))
    return *rows, xp.where(found, values, xp.full_like(values, float("nan"))), before[-1]


def _returned(close: Near, i: Any, j: Any, values: Any, size: int | None, /) -> SparsePairs[Any]:
    """Pairs in the caller's library, padded to a size."""
    sets, given = close.sets, close.given
    xp, count = sets.xp, i.shape[0]
    scores = given.of_pairs(close.home(i), close.home(j)) if given.follows_gradients() else close.returned(values)
    if size is not None:
        missing = size - count
        none = xp.full(missing, -1, dtype=i.dtype, device=backends.device(i, xp=xp))
        i, j = (xp.concat([x, none]) for x in (i, j))
        device = backends.device(scores, xp=given.xp)
        scores = given.xp.concat([scores, given.xp.full(missing, float("nan"), dtype=scores.dtype, device=device)])
    integer = widest_integer(given.xp)
    number = given.xp.asarray(count, dtype=integer, device=backends.device(scores, xp=given.xp))
    i, j = (given.xp.astype(close.home(x), integer, copy=False) for x in (i, j))
    return SparsePairs(i, j, scores, number)


def _within(memory: int, pairs: FoundPairs, /) -> tuple[Any, Any, Any]:
    """Rows of both sets and scores, unless they are too many."""
    if pairs.done < 1.0:
        raise ValueError(
            f"`memory` must be at least about {pairs.held / max(pairs.done, 1e-9):.2g} bytes for the pairs above the "
            f"threshold, by an estimate after {100 * pairs.done:.3g} % of the search, got {memory}: raise the "
            "threshold, compare by groups, or use `pairwise_max`, `pairwise_topk` or `pairwise_count`"
        )
    return pairs.a, pairs.b, pairs.values
