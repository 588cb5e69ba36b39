"""Pairs on the host that overlap, of shapes by falling score."""

from typing import Any

from omniou._kernels.suppression import Rule
from omniou.nms import _sets
from omniou.nms._arguments import Call
from omniou.pairs import pairwise

# Rows of the matrix of all pairs that are computed at once.
_ROWS = 256


def overlapping(call: Call, rows: Any, rule: Rule, /) -> tuple[Any, Any, Any]:
    """Places (K,) by falling score -> pairs of one group above a threshold, i before j, numbers of `rows`, by i; overlaps."""
    xp, size = call.xp, rows.shape[0]
    group, _ = _sets.one_group(tuple(xp.take(x, rows) for x in call.groups), size, xp=xp)
    shapes = _sets.take(call.shapes, rows, xp=xp)
    none = xp.zeros(0, dtype=xp.int64)
    parts: list[tuple[Any, Any, Any]] = []
    for start in range(0, size, _ROWS):
        some, rest = (_sets.take(shapes, xp.arange(start, stop), xp=xp) for stop in (min(start + _ROWS, size), size))
        overlap = pairwise(call.score, some, rest, **call.options)
        over = rule.over(overlap, xp=xp) & (group[start : start + _ROWS, None] == group[None, start:])
        i, j = xp.nonzero(xp.triu(over, k=1))
        parts.append((i + start, j + start, overlap[i, j]))
    if not parts:
        return none, none, xp.zeros(0)
    first, second, overlaps = (xp.concat(x) for x in zip(*parts, strict=True))
    return first, second, overlaps
