"""One-to-one pairs out of a matrix of scores, for adapters that must decide which prediction answers which target."""

from typing import Any

import numpy as np


def greedy(score: Any, allowed: Any, /, *, xp: Any) -> Any:
    """(..., N, M) scores and booleans -> (..., N, M) booleans, at most one true in each row and column.

    As if pairs were taken one by one, the best score first and of equal ones the first in the matrix. Pairs that are
    the best of their row and of their column do not wait for each other, so a few rounds do.
    """
    n, m = score.shape[-2:]
    rows, columns = xp.arange(n, device=score.device)[:, None], xp.arange(m, device=score.device)
    nothing = -float("inf")
    # A NaN is not better than a number: it is paired last.
    left = xp.where(allowed, xp.where(xp.isnan(score), float(xp.finfo(score.dtype).min), score), nothing)
    taken = xp.zeros_like(allowed)
    for _ in range(min(n, m)):
        best_column, best_row = xp.argmax(left, axis=-1), xp.argmax(left, axis=-2)
        mutual = (best_column[..., None] == columns) & (best_row[..., None, :] == rows) & (left > nothing)
        if not xp.any(mutual):
            break
        taken = taken | mutual
        gone = xp.any(mutual, axis=-1, keepdims=True) | xp.any(mutual, axis=-2, keepdims=True)
        left = xp.where(gone, nothing, left)
    return taken


def hungarian(score: Any, allowed: Any, /) -> Any:
    """(B, N, M) scores and booleans in NumPy -> (B, N, M) booleans, at most one true in each row and column.

    As many pairs as can be, and of all such choices the one of the highest sum.
    """
    solve = _solver()
    taken = np.zeros_like(allowed)
    for image in range(len(score)):
        value = score[image].astype(np.float64)
        known = value[allowed[image] & ~np.isnan(value)]
        low, high = (known.min(), known.max()) if known.size else (0.0, 0.0)
        # Worse than what a change of all other pairs could win: a NaN, and worse still what is no pair.
        step = (high - low + 1.0) * (min(value.shape) + 1)
        value[np.isnan(value)] = low - step
        value[~allowed[image]] = low - step * (min(value.shape) + 2)
        rows, columns = solve(value, maximize=True)
        taken[image, rows, columns] = True
    return taken & allowed


def _solver() -> Any:
    try:
        from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        msg = "`pairing='hungarian'` needs SciPy: pip install scipy"
        raise ModuleNotFoundError(msg) from None
    return linear_sum_assignment
