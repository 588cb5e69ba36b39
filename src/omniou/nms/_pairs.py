"""Pairs on the host that overlap too much: of one group, found by their bounds where the score has such."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from omniou._kernels.suppression import Rule
from omniou._lib.types import Namespace
from omniou.pairs import pairwise, pairwise_sparse
from omniou.pairs._fixed import Above
from omniou.pairs._within import within

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
        """N shapes and their groups (N,) -> booleans (N, N)."""
        over = self.rule.over(pairwise(self.score, shapes, shapes, **self.options), xp=self.xp)
        return over & (group[:, None] == group[None, :])

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
