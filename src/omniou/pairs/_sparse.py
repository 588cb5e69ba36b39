"""Only the pairs whose score is above a threshold."""

from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple

from omniou._catalogue.pruning import Pruning, pruning
from omniou._lib import backends, checks, ordering
from omniou._lib.arrays import widest_integer
from omniou._lib.types import ArrayLike, ArrayT
from omniou.pairs._arguments import Sets, check_groups, read
from omniou.pairs._fixed import Above, all_above
from omniou.pairs._near import Near, group_numbers, near
from omniou.pairs._search import Grouped, ReadShapes, close_pairs, pairs_of_groups, shapes_of
from omniou.pairs._tiles import tiles


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
        leaves out more of them. Any other score is computed for all pairs of a group, in parts.

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
    checks.instance("inclusive", inclusive, bool, "true or false")
    checks.count("memory", memory)
    if size is not None:
        checks.count("size", size)
    sets = read(score, a, b, options, groups=(groups_a, groups_b), higher_is_better=higher_is_better)
    above = Above(threshold, inclusive, sets.higher_is_better)
    if not sets.has_values():
        rows, columns, values, count = all_above(sets, above, size)
        return SparsePairs(rows, columns, values, count)
    close = near(sets)
    i, j, values = _found(close, above, memory)
    if size is not None and i.shape[0] > size:
        msg = f"`size` must be at least {i.shape[0]}, the number of pairs above the threshold, got {size}"
        raise ValueError(msg)
    return _returned(close, i, j, values, size)


def _returned(close: Near, i: Any, j: Any, values: Any, size: int | None, /) -> SparsePairs[Any]:
    """Pairs in the caller's library, padded to a size."""
    sets, given = close.sets, close.given
    xp, count = sets.xp, i.shape[0]
    if given.follows_gradients():
        scores = given.score(
            *(given.xp.take(x, close.home(at), axis=0) for x, at in ((given.a, i), (given.b, j))), **given.options
        )
    else:
        scores = close.returned(values)
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


def _found(close: Near, above: Above, memory: int, /) -> tuple[Any, Any, Any]:
    """Rows of both sets and scores, (P,) each."""
    sets, xp = close.sets, close.sets.xp
    n, m, parts = _parts(close, above)
    kept, count = [], 0
    for i, j, values, done in parts:
        kept.append((i, j, values))
        count += i.shape[0]
        held = count * (16 + xp.finfo(values.dtype).bits // 8)
        if held > memory:
            msg = (
                f"`memory` must be at least about {held / max(done, 1e-9):.2g} bytes for the pairs above the "
                f"threshold, by an estimate after {100 * done:.3g} % of the search, got {memory}: raise the threshold, "
                "compare by groups, or use `pairwise_max`, `pairwise_topk` or `pairwise_count`"
            )
            raise ValueError(msg)
    device = backends.device(sets.a, xp=xp)
    if not kept:
        none = xp.zeros(0, dtype=xp.int64, device=device)
        return none, none, xp.zeros(0, dtype=xp.float32, device=device)
    i, j, values = (xp.concat(list(x)) if len(kept) > 1 else x[0] for x in zip(*kept, strict=True))
    i, j = (xp.astype(x, xp.int64, copy=False) for x in (i, j))
    order = ordering.rising(i * m + j, n * m, xp=xp)
    return tuple(xp.take(x, order) for x in (i, j, values))


def _parts(close: Near, above: Above, /) -> tuple[int, int, Iterator[tuple[Any, Any, Any, float]]]:
    """Number of rows of both sets; then pairs above the threshold, and the share of the work that is done."""
    sets = close.sets
    shapes = shapes_of(sets)
    n, m = _rows(sets) if shapes is None else (shapes.n, shapes.m)
    check_groups(sets, n, m)
    groups = group_numbers(sets, n, m)
    limits = None if shapes is None else _limits(sets, shapes, above)
    if shapes is None or (limits is None and sets.groups_a is None):
        return n, m, _of_tiles(close, above, groups)
    return n, m, _of_blocks(close, above, shapes, groups, limits)


def _limits(sets: Sets, shapes: ReadShapes, above: Above, /) -> Pruning | None:
    """What pairs above the threshold have in common, if anything."""
    declaration, bits = sets.declaration, sets.xp.finfo(shapes.plan.compute).bits
    if declaration is None or declaration.score is None or declaration.geometry is None or not above.higher_is_better:
        return None
    given = dict(shapes.plan.options)
    return pruning(
        declaration.score, declaration.geometry, given, above.threshold, inclusive=above.inclusive, bits=int(bits)
    )


def _of_blocks(
    close: Near, above: Above, shapes: ReadShapes, groups: Grouped, limits: Pruning | None, /
) -> Iterator[tuple[Any, Any, Any, float]]:
    xp = close.sets.xp
    blocks = pairs_of_groups(groups, xp=xp) if limits is None else close_pairs(shapes, groups, limits, xp=xp)
    for block in blocks:
        values = close.rounded(shapes.scores(block.a, block.b))
        chosen = xp.nonzero(above(values))[0]
        yield *(xp.take(x, chosen) for x in (block.a, block.b, values)), block.done


def _of_tiles(close: Near, above: Above, groups: Grouped, /) -> Iterator[tuple[Any, Any, Any, float]]:
    xp = close.sets.xp
    for tile in tiles(close.sets, groups):
        values = close.rounded(tile.scores)
        i, j = xp.nonzero(above(values))
        flat = xp.reshape(values, (-1,))
        yield xp.take(tile.rows, i), xp.take(tile.columns, j), xp.take(flat, i * values.shape[1] + j), tile.done


def _rows(sets: Sets, /) -> tuple[int, int]:
    """Rows of both sets of a score that only knows itself what it takes."""
    empty = sets.dense(*(x[:0, ...] for x in (sets.a, sets.b)))
    if empty.ndim != 2:
        shapes = " and ".join(str(tuple(x.shape)) for x in (sets.a, sets.b))
        msg = f"`a` and `b` must be two sets without leading axes, got shapes {shapes}: use `groups_a` and `groups_b`"
        raise ValueError(msg)
    return sets.a.shape[0], sets.b.shape[0]
