"""Pairs of one set whose score is above a threshold, each once: what suppression compares."""

from collections.abc import Callable, Mapping
from typing import Any

from omniou._lib import indexing, ordering, overlapping
from omniou.pairs._arguments import read
from omniou.pairs._fixed import Above
from omniou.pairs._near import near
from omniou.pairs._search import _extents, _taken, shapes_of
from omniou.pairs._sparse import _limits, pairwise_sparse


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
    xp, shapes = sets.xp, shapes_of(near(sets).sets)
    limits = None if shapes is None else _limits(sets, shapes, above)
    parts, count = [], 0
    if shapes is None or limits is None:
        found = pairwise_sparse(
            score,
            x,
            x,
            above.threshold,
            groups_a=group,
            groups_b=group,
            inclusive=above.inclusive,
            memory=2 * most * 24,
            higher_is_better=above.higher_is_better,
            **options,
        )
        chosen = xp.nonzero(found.a < found.b)[0]
        return tuple(xp.take(y, chosen) for y in found[:3])
    share = limits.share_a if limits.share_a == limits.share_b else 0.0
    ids = indexing.distinct(group, xp=xp)
    rows, own = _extents(shapes.bounds(shapes.a, xp=xp), indexing.place(ids, group, xp=xp)[0], share, xp=xp)
    order, _, blocks = overlapping.within(own, max(1, ids.shape[0]), ratio=limits.ratio, xp=xp)
    rows = xp.take(rows, order)
    ordered = _taken(shapes.a, rows, xp=xp)
    shapes = shapes._replace(a=ordered, b=ordered)
    for one, other, _ in blocks:
        i, j = xp.take(rows, one), xp.take(rows, other)
        turned = i > j
        i, j = xp.where(turned, j, i), xp.where(turned, i, j)
        values = shapes.scores(xp.where(turned, other, one), xp.where(turned, one, other))
        chosen = xp.nonzero(above(values))[0]
        parts.append(tuple(xp.take(y, chosen) for y in (i, j, values)))
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
