"""All pairs of a group as matrices of bounded size, under any score."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from omniou._lib import indexing, ordering
from omniou._lib.types import Namespace
from omniou.pairs._arguments import Sets
from omniou.pairs._search import Grouped

# Scores that are computed at once.
_AT_ONCE = 2**22


class Tile(NamedTuple):
    """Scores of some rows with others."""

    rows: Any  # (P,) rising
    columns: Any  # (Q,) rising
    scores: Any  # (P, Q)
    done: float  # share of all pairs


def tiles(sets: Sets, groups: Grouped, /) -> Iterator[Tile]:
    """All pairs of each group, group by group, then by rows, then by columns."""
    xp = sets.xp
    (order_a, first_a), (order_b, first_b) = (_by_group(x, groups.number, xp=xp) for x in groups[:2])
    pairs = [(first_a[k + 1] - first_a[k]) * (first_b[k + 1] - first_b[k]) for k in range(groups.number)]
    total, done = max(1, sum(pairs)), 0
    for k in range(groups.number):
        if pairs[k] == 0:
            continue
        ours, theirs = order_a[first_a[k] : first_a[k + 1]], order_b[first_b[k] : first_b[k + 1]]
        width = min(theirs.shape[0], _AT_ONCE)
        height = max(1, _AT_ONCE // width)
        for i in range(0, ours.shape[0], height):
            for j in range(0, theirs.shape[0], width):
                rows, columns = (x[k : min(k + s, x.shape[0])] for x, k, s in ((ours, i, height), (theirs, j, width)))
                done += rows.shape[0] * columns.shape[0]
                scores = sets.dense(*(_taken(sets, x, at) for x, at in ((sets.a, rows), (sets.b, columns))))
                yield Tile(rows, columns, scores, done / total)


def _by_group(group: Any, groups: int, /, *, xp: Namespace) -> tuple[Any, list[int]]:
    """Groups (N,), or -1 -> rows by group, without what has none, and where each group starts (groups + 1)."""
    rows = xp.nonzero(group >= 0)[0]
    ids = xp.take(group, rows)
    first = indexing.starts(indexing.counts(ids, groups, xp=xp), xp=xp)
    return xp.take(rows, ordering.rising(ids, groups, xp=xp)), indexing.to_list(first)


def _taken(sets: Sets, x: Any, rows: Any, /) -> Any:
    """Some rows of a set, rising."""
    if sets.of_runs():
        return x.take(rows)
    return x if rows.shape[0] == x.shape[0] else sets.xp.take(x, rows, axis=0)
