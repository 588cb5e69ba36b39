"""The greedy rule on the host: shapes by falling score, each kept one suppresses what it overlaps too much.

Shapes are taken in blocks. A block is first compared with what is kept of the blocks before, and what is left of it with
itself: in a crowd little is kept, so that few pairs are ever compared.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from omniou._kernels.suppression import Rule
from omniou._lib.types import Namespace
from omniou.nms import _sets
from omniou.pairs import pairwise

# Shapes that are compared with each other at once.
_BLOCK = 512


@dataclasses.dataclass(frozen=True, eq=False)
class Comparison:
    """When two of one group overlap too much."""

    score: Callable[..., Any]
    options: Mapping[str, Any]
    rule: Rule
    xp: Namespace

    def over(self, a: Any, b: Any, group_a: Any, group_b: Any, /) -> Any:
        """(N,), (M,) shapes and their groups -> booleans (N, M)."""
        overlap = pairwise(self.score, a, b, **self.options)
        return self.rule.over(overlap, xp=self.xp) & (group_a[:, None] == group_b[None, :])


def owners(shapes: Any, group: Any, compare: Comparison, /) -> Any:
    """N shapes by falling score, and their groups (N,) -> the kept one that each belongs to (N,): its own place, or of
    those that suppress it the first.
    """
    xp, size = compare.xp, group.shape[0]
    owner = xp.arange(size)
    kept = owner[:0]
    for start in range(0, size, _BLOCK):
        rows = xp.arange(start, min(start + _BLOCK, size))
        rows = _left_by(kept, rows, owner, shapes, group, compare)
        own = _sets.take(shapes, rows, xp=xp), xp.take(group, rows)
        inside = _resolved(compare.over(own[0], own[0], own[1], own[1]), xp=xp)
        owner[rows] = xp.take(rows, inside)
        kept = xp.concat([kept, rows[inside == xp.arange(rows.shape[0])]])
    return owner


def _left_by(kept: Any, rows: Any, owner: Any, shapes: Any, group: Any, compare: Comparison, /) -> Any:
    """Those of some rows that nothing kept suppresses; `owner` is set for the others."""
    xp = compare.xp
    for start in range(0, kept.shape[0], _BLOCK):
        some = kept[start : start + _BLOCK]
        ours, theirs = (_sets.take(shapes, x, xp=xp) for x in (some, rows))
        over = compare.over(ours, theirs, xp.take(group, some), xp.take(group, rows))
        hit = xp.any(over, axis=0)
        owner[rows[hit]] = some[xp.argmax(over[:, hit], axis=0)]
        rows = rows[~hit]
    return rows


def _resolved(over: Any, /, *, xp: Namespace) -> Any:
    """Pairs that overlap too much (N, N) -> the kept one that each belongs to (N,)."""
    size = over.shape[0]
    owner, later = xp.arange(size), xp.arange(size)
    over = over & (later[:, None] < later[None, :])
    for k in xp.nonzero(xp.any(over, axis=1))[0].tolist():
        if owner[k] == k:
            mine = over[k, :] & (owner == later)
            owner[mine] = k
    return owner
