"""The greedy rule on the host: shapes by falling score, each kept one suppresses what it overlaps too much.

All pairs that overlap too much are found at once where they are few. In a crowd they are too many: then shapes are
taken in blocks. A block is compared with itself, and what is left of all others with what is kept of it, so the
crowd is gone before it is ever compared with itself.
"""

from typing import Any

from omniou._lib.types import Namespace
from omniou.nms import _arguments
from omniou.nms._pairs import OverlapTest, TooManyError, falling

# Shapes up to which the matrix of all pairs is faster than a search.
_FEW = 256
# Shapes of a block, and of the sample that says how many pairs there are.
_BLOCK = 2**11
# Pairs for each shape that are found at once, at most; but so many in all.
_PAIRS, _FEWEST_PAIRS = 32, 2**22
# Steps that decide all shapes whose better neighbours are decided; after these, one shape at a time.
_STEPS = 30


def owners(shapes: Any, group: Any, compare: OverlapTest, /) -> Any:
    """N shapes by falling score, and their groups (N,) -> the kept one that each belongs to (N,).

    That is itself, or the best of those that suppress it.
    """
    xp, size = compare.xp, group.shape[0]
    if size <= _FEW:
        return _of_matrix(compare.matrix(shapes, group), xp=xp)
    budget = max(_PAIRS * size, _FEWEST_PAIRS)
    owner, left, step = xp.arange(size), xp.arange(size), size
    if size > _BLOCK and _estimate(shapes, group, compare) > budget:
        step = _BLOCK
    while left.shape[0]:
        block, rest = left[:step], left[step:]
        own = _arguments.take(shapes, block, xp=xp), xp.take(group, block)
        try:
            first, second, _ = falling(compare, *own, most=budget)
        except TooManyError:  # than the sample said
            step = max(_BLOCK, min(step, left.shape[0]) // 8)
            continue
        inside = _of_pairs(first, second, block.shape[0], xp=xp)
        owner[block] = xp.take(block, inside)
        kept = block[inside == xp.arange(block.shape[0])]
        left, step = _left_by(kept, rest, owner, shapes, group, compare=compare), 2 * step
    return owner


def _estimate(shapes: Any, group: Any, compare: OverlapTest, /) -> float:
    """About how many pairs overlap too much, by a sample."""
    xp, size = compare.xp, group.shape[0]
    sample = xp.arange(0, size, max(1, size // _BLOCK))
    first, _, _ = falling(compare, _arguments.take(shapes, sample, xp=xp), xp.take(group, sample))
    return float(first.shape[0]) * (size / sample.shape[0]) ** 2


def _left_by(kept: Any, rows: Any, owner: Any, shapes: Any, group: Any, /, *, compare: OverlapTest) -> Any:
    """Return the rows that no newly kept shape suppresses; `owner` is set for the others."""
    xp = compare.xp
    if rows.shape[0] == 0:
        return rows
    suppressors, others = (_arguments.take(shapes, x, xp=xp) for x in (kept, rows))
    first, second, _ = compare.pairs(suppressors, others, xp.take(group, kept), xp.take(group, rows))
    # The order is reversed, since the last value written to a place stays: the best owner.
    owner[rows[second[::-1]]] = kept[first[::-1]]
    free = xp.ones(rows.shape[0], dtype=xp.bool)
    free[second] = False
    return rows[free]


def _of_matrix(over: Any, /, *, xp: Namespace) -> Any:
    """Whether two overlap too much (N, N) -> owners (N,)."""
    size = over.shape[0]
    owner, every = xp.arange(size), xp.arange(size)
    over &= every[:, None] < every[None, :]
    for k in xp.nonzero(xp.any(over, axis=1))[0].tolist():
        if owner[k] == k:
            owner[over[k, :] & (owner == every)] = k
    return owner


def _of_pairs(first: Any, second: Any, size: int, /, *, xp: Namespace) -> Any:
    """Pairs i < j that overlap too much, by i -> owners (size,)."""
    # A shape that is no second of any undecided pair has nothing better left beside it, and is kept: its seconds are
    # gone. Of pairs 0-1, 1-2 and 3-4, the shapes 0 and 3 are kept and 1 and 4 gone in one step; then 1-2 is decided,
    # since 1 is gone, and 2 is kept.
    gone = xp.zeros(size, dtype=xp.bool)
    i, j = first, second
    for _ in range(_STEPS):
        if i.shape[0] == 0:
            break
        open_ = xp.zeros(size, dtype=xp.bool)
        open_[j] = True
        gone[j[~open_[i]]] = True
        rest = open_[i] & ~gone[i] & ~gone[j]
        i, j = i[rest], j[rest]
    state = gone.tolist() if i.shape[0] else []
    for one, other in zip(i.tolist(), j.tolist(), strict=True):
        if not state[one]:
            state[other] = True
    gone = xp.asarray(state, dtype=xp.bool) if state else gone
    owner, by_kept = xp.arange(size), ~gone[first]
    # The order is reversed, since the last value written to a place stays: the best owner.
    owner[second[by_kept][::-1]] = first[by_kept][::-1]
    return owner
