"""One-to-one assignment of rows to columns in fixed-size array operations."""

from typing import Any

from omniou._lib import backends, loops
from omniou._lib.arrays import ranked
from omniou._lib.types import Namespace


def greedy(score: Any, allowed: Any, /, *, integer: Any, xp: Namespace) -> Any:
    """Scores and booleans (..., N, M) -> column of each row (..., N), -1 for none.

    The highest score first; of equal ones the first row, and then the first column.
    """
    n, m = score.shape[-2:]
    device = backends.device(score, xp=xp)
    rows = ranked(xp.arange(n, dtype=integer, device=device)[:, None], score.ndim, xp=xp)
    columns = ranked(xp.arange(m, dtype=integer, device=device), score.ndim, xp=xp)
    matched = xp.full(score.shape[:-1], -1, dtype=integer, device=device)
    if 0 in score.shape:
        return matched
    nothing = xp.asarray(-float("inf"), dtype=score.dtype, device=device)
    # Comparisons are false for NaN, which matches nothing.
    left = xp.where(allowed & (score > nothing), score, nothing)

    def step(state: Any) -> Any:
        # A pair that is the best of both its row and its column is taken before any other of either. All such pairs
        # are taken at once: a few rounds suffice unless scores form a chain.
        left, matched = state
        column = xp.astype(xp.argmax(left, axis=-1), integer)
        row = xp.astype(xp.argmax(left, axis=-2), integer)
        mutual = (column[..., None] == columns) & (row[..., None, :] == rows) & (left > nothing)
        taken = xp.any(mutual, axis=-1)
        gone = taken[..., None] | xp.any(mutual, axis=-2)[..., None, :]
        return xp.where(gone, nothing, left), xp.where(taken, column, matched)

    return loops.rounds(step, (left, matched), lambda state: xp.any(state[0] > nothing), min(n, m), xp=xp)[1]
