"""Pairs and reductions as one expression of fixed sizes, for tracers and compilers."""

from typing import Any, NamedTuple

from omniou._lib import backends
from omniou._lib.arrays import widest_integer
from omniou.pairs._arguments import Sets, check_groups


class Above(NamedTuple):
    """A threshold: which scores are better."""

    threshold: float
    inclusive: bool
    higher_is_better: bool

    def __call__(self, values: Any, /) -> Any:
        """Scores (...) -> booleans (...), false for NaN. The threshold is compared in their dtype."""
        if self.higher_is_better:
            return values >= self.threshold if self.inclusive else values > self.threshold
        return values <= self.threshold if self.inclusive else values < self.threshold


def matrix(sets: Sets, /) -> tuple[Any, Any]:
    """Scores (..., N, M), and which pairs are compared, booleans (..., N, M) or None for all."""
    scores = sets.dense(sets.a, sets.b)
    *leading, n, m = scores.shape
    check_groups(sets, n, m, tuple(leading))
    if sets.groups_a is None:
        return scores, None
    a, b = sets.groups_a, sets.groups_b
    return scores, sets.xp.broadcast_to(a[..., :, None] == b[..., None, :], scores.shape)


def all_above(sets: Sets, above: Above, size: int | None, /) -> tuple[Any, Any, Any, Any]:
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
    places = xp.where(found, xp.astype(xp.searchsorted(before, every), integer), xp.zeros_like(every))
    values = xp.take(xp.reshape(scores, (-1,)), places)
    rows = (xp.where(found, x, xp.full_like(x, -1)) for x in (places // m, places % m))
    return *rows, xp.where(found, values, xp.full_like(values, float("nan"))), before[-1]
