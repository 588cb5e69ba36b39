"""Pairs on the host that overlap too much: of one group, found by their bounds where the score has such."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from omniou._kernels.suppression import Rule
from omniou._lib.types import Namespace
from omniou.pairs import pairwise, pairwise_sparse
from omniou.pairs._fixed import Above
from omniou.pairs._within import within
from omniou.rle import Masks

# Tables of masks are compared in tiles of so many rows.
_ROWS = 256
# Pairs, of 24 bytes each.
_MOST = 2**27


@dataclasses.dataclass(frozen=True, eq=False)
class Comparison:
    """When two of one group overlap too much."""

    score: Callable[..., Any]
    options: Mapping[str, Any]
    rule: Rule
    xp: Namespace

    def matrix(self, shapes: Any, group: Any, /) -> Any:
        """N shapes and their groups (N,) -> booleans (N, N)."""
        over = self.rule.over(pairwise(self.score, shapes, shapes, **self.options), xp=self.xp)
        return over & (group[:, None] == group[None, :])

    def pairs(self, a: Any, b: Any, group_a: Any, group_b: Any, /) -> tuple[Any, Any, Any]:
        """(N,), (M,) shapes and their groups -> rows (P,), (P,), by the first and then the second; overlaps (P,)."""
        if isinstance(a, Masks):
            return self._of_tables(a, b, group_a, group_b)
        found = pairwise_sparse(
            self.score,
            a,
            b,
            self.rule.threshold,
            groups_a=group_a,
            groups_b=group_b,
            inclusive=self.rule.inclusive,
            higher_is_better=True,
            **self.options,
        )
        return found.a, found.b, found.values

    def _of_tables(self, a: Masks, b: Masks, group_a: Any, group_b: Any, /) -> tuple[Any, Any, Any]:
        xp, parts = self.xp, []
        for start in range(0, max(1, len(a)), _ROWS):
            rows = xp.arange(start, min(start + _ROWS, len(a)))
            overlap = pairwise(self.score, a.take(rows), b, **self.options)
            over = self.rule.over(overlap, xp=xp) & (xp.take(group_a, rows)[:, None] == group_b[None, :])
            i, j = xp.nonzero(over)
            parts.append((i + start, j, overlap[i, j]))
        first, second, overlaps = (xp.concat(x) for x in zip(*parts, strict=True))
        return first, second, overlaps


def falling(compare: Comparison, shapes: Any, group: Any, /, *, most: int = _MOST) -> tuple[Any, Any, Any]:
    """N shapes by falling score, their groups (N,) -> pairs i < j (P,), (P,), by i and then j; overlaps (P,).

    TooManyError if they are more than `most`.
    """
    if isinstance(shapes, Masks):
        first, second, overlap = compare.pairs(shapes, shapes, group, group)
        chosen = compare.xp.nonzero(first < second)[0]
        return first[chosen], second[chosen], overlap[chosen]
    above = Above(compare.rule.threshold, compare.rule.inclusive, higher_is_better=True)
    return within(compare.score, shapes, group, above, options=compare.options, most=most)
