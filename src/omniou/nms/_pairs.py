"""Pairs on the host that overlap too much: of one group, found by their bounds where the score has such."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from omniou._catalogue.pruning import Pruning
from omniou._kernels.suppression import Rule
from omniou._lib import indexing, ordering, overlapping
from omniou._lib.types import Namespace
from omniou.pairs import pairwise, pairwise_sparse
from omniou.pairs._arguments import Above, Sets, near, read
from omniou.pairs._found import found, limits_of
from omniou.pairs._search import ReadShapes, extents_of, shapes_of, taken

# Pairs that are held at once, of at most 24 bytes.
_MOST = 2**26
_BYTES = 24 * _MOST


@dataclasses.dataclass(frozen=True, eq=False)
class OverlapTest:
    """When two of one group overlap too much."""

    score: Callable[..., Any]
    options: Mapping[str, Any]
    rule: Rule
    xp: Namespace

    def matrix(self, shapes: Any, group: Any, /) -> Any:
        """N shapes and their groups (N,), from 0 on -> booleans (N, N)."""
        over = self.rule.over(pairwise(self.score, shapes, shapes, **self.options), xp=self.xp)
        return over & (group[:, None] == group[None, :]) if group.any() else over

    def pairs(self, a: Any, b: Any, group_a: Any, group_b: Any, /) -> tuple[Any, Any, Any]:
        """(N,), (M,) shapes and their groups -> rows (P,), (P,), by the first and then the second; overlaps (P,)."""
        found = pairwise_sparse(
            self.score,
            a,
            b,
            self.rule.threshold,
            groups_a=group_a,
            groups_b=group_b,
            inclusive=self.rule.inclusive,
            memory=_BYTES,
            higher_is_better=True,
            **self.options,
        )
        return found.a, found.b, found.values


def falling(compare: OverlapTest, shapes: Any, group: Any, /, *, most: int = _MOST) -> tuple[Any, Any, Any]:
    """N shapes by falling score, their groups (N,) -> pairs i < j (P,), (P,), by i and then j; overlaps (P,).

    TooManyError if they are more than `most`.
    """
    above = Above(compare.rule.threshold, compare.rule.inclusive, higher_is_better=True)
    return within(compare.score, shapes, group, above, options=compare.options, most=most)


# Bytes of a pair that `found` holds.
_PAIR_BYTES = 24


class TooManyError(Exception):
    """More pairs than were asked for."""


def within(
    score: Callable[..., Any],
    x: Any,
    group: Any,
    above: Above,
    /,
    *,
    options: Mapping[str, Any],
    most: int,
) -> tuple[Any, Any, Any]:
    """N shapes and their groups (N,) in NumPy -> rows i < j of one group (P,), (P,), by i and then j; scores (P,).

    Scored as (i, j). TooManyError if they are more than `most`.
    """
    sets = read(score, x, x, options, groups=(group, group), higher_is_better=above.higher_is_better)
    close = near(sets)
    shapes = shapes_of(close.sets)
    limits = None if shapes is None else limits_of(close.sets, shapes, above)
    if shapes is not None and limits is not None:
        return _swept(close.sets, shapes, limits, above, most)
    pairs, xp = found(close, above, 2 * most * _PAIR_BYTES), close.sets.xp
    if pairs.done < 1:
        raise TooManyError
    chosen = xp.nonzero(pairs.a < pairs.b)[0]
    return xp.take(pairs.a, chosen), xp.take(pairs.b, chosen), xp.take(pairs.values, chosen)


def _swept(sets: Sets, shapes: ReadShapes, limits: Pruning, above: Above, most: int, /) -> tuple[Any, Any, Any]:
    xp, group, count = sets.xp, sets.groups_a, 0
    ids = indexing.distinct(group, xp=xp)
    # Bounds of one set are narrowed alike, whichever shape of a pair comes first.
    share = limits.share_a if limits.share_a == limits.share_b else 0.0
    number = indexing.place(ids, group, xp=xp)[0]
    rows, extents = extents_of(shapes.bounds(shapes.a, xp=xp), number, share, xp=xp)
    order, _, blocks = overlapping.within(extents, max(1, ids.shape[0]), ratio=limits.ratio, xp=xp)
    rows = xp.take(rows, order)
    ordered = taken(shapes.a, rows, xp=xp)
    shapes = shapes._replace(a=ordered, b=ordered)
    parts = []
    for one, other, _ in blocks:
        i, j = xp.take(rows, one), xp.take(rows, other)
        turned = i > j
        values = shapes.scores(xp.where(turned, other, one), xp.where(turned, one, other))
        chosen = xp.nonzero(above(values))[0]
        pairs = (xp.where(turned, j, i), xp.where(turned, i, j), values)
        parts.append(tuple(xp.take(y, chosen) for y in pairs))
        count += chosen.shape[0]
        if count > most:
            raise TooManyError
    if not parts:
        none = xp.zeros(0, dtype=xp.int64)
        return none, none, xp.zeros(0, dtype=shapes.plan.compute)
    i, j, values = (xp.concat(list(y)) for y in zip(*parts, strict=True))
    size = group.shape[0]
    order = ordering.rising(i * size + j, size * size, xp=xp)
    return xp.take(i, order), xp.take(j, order), xp.take(values, order)
