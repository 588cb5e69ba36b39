"""One-to-one matching of predictions and targets by score: greedy, and Hungarian.

Greedy takes the pair of the best score first, and the first of equal ones.
"""

from collections.abc import Callable, Container, Mapping
from typing import Any, NamedTuple

import numpy as np

from omniou import matching
from omniou_integrations._shared.columns import BoxTable


class Paired(NamedTuple):
    """The scores of matched predictions and targets, and how many are unmatched."""

    values: Any  # scores (P,) of the pairs
    misses: int  # unmatched predictions and targets


def paired(
    predictions: BoxTable,
    targets: BoxTable,
    scores: Mapping[str, Callable[..., Any]],
    /,
    *,
    distances: Container[str] = (),
) -> dict[str, Paired]:
    """Greedy pairs of boxes of one image and label by each score, without the objects that are crowds or ignored.

    Pairs are formed until no candidate is left, so their number does not depend on the score. `distances` names
    the scores of which the lowest is the best.
    """
    kept = np.ones(len(targets.labels), dtype=bool)
    for left_out in (targets.crowd, targets.ignore):
        kept &= True if left_out is None else ~left_out
    corners, labels, images = (x[kept] for x in targets[:3])
    rows, columns = candidates((predictions.images, predictions.labels), (images, labels))
    results = {}
    for name, score in scores.items():
        values = score(predictions.boxes[rows], corners[columns])
        values = values[greedy_listed(-values if name in distances else values, rows, columns)]
        results[name] = Paired(values, len(predictions.labels) + len(labels) - 2 * len(values))
    return results


def greedy(score: Any, allowed: Any, /, *, xp: Any) -> Any:
    """(..., N, M) scores and booleans -> (..., N, M) booleans, at most one true in each row and column."""
    # NaN ranks last.
    known = xp.where(xp.isnan(score), float(xp.finfo(score.dtype).min), score)
    matched = matching.greedy(known, where=allowed)
    return matched[..., None] == xp.arange(score.shape[-1], device=score.device)


def hungarian(score: Any, allowed: Any, /) -> Any:
    """(B, N, M) scores and booleans in NumPy -> (B, N, M) booleans, at most one true in each row and column.

    As many pairs as can be, and of all such choices the one of the highest sum.
    """
    value = score.astype(np.float64)
    known = allowed & ~np.isnan(value)
    low = np.min(value, axis=(1, 2), keepdims=True, where=known, initial=0.0)
    high = np.max(value, axis=(1, 2), keepdims=True, where=known, initial=0.0)
    # The cost of a NaN exceeds what all other pairs can gain.
    value = np.where(np.isnan(value), low - (high - low + 1.0) * (min(score.shape[1:]) + 1), value)
    matched = matching.hungarian(value, where=allowed, maximize=True, partial=True)
    return matched[..., None] == np.arange(score.shape[-1])


def candidates(a: tuple[Any, ...], b: tuple[Any, ...], /) -> tuple[Any, Any]:
    """Candidate pairs: rows (P,), (P,) of two tables in NumPy that agree in every column.

    Columns of integers, (N,) each of the first table and (M,) each of the second. Rising by row of the first, then of
    the second.
    """
    key = np.zeros(len(a[0]) + len(b[0]), np.int64)
    for pair in zip(a, b, strict=True):
        values, place = np.unique(np.concatenate(pair), return_inverse=True)
        key = key * max(len(values), 1) + place
    n = len(a[0])
    order = np.argsort(key[n:], kind="stable")
    first, end = (np.searchsorted(key[n:], key[:n], side, sorter=order) for side in ("left", "right"))
    count = end - first
    start = np.cumsum(count) - count  # of each row's candidates in the list of all
    rows = np.repeat(np.arange(n), count)
    return rows, order[np.arange(len(rows)) + np.repeat(first - start, count)]


def greedy_listed(score: Any, rows: Any, columns: Any, /) -> Any:
    """`greedy` for a list of candidate pairs: scores (P,) of rows (P,) and columns (P,) -> booleans (P,)."""
    taken = np.zeros(len(score), dtype=bool)
    left = np.argsort(-score, kind="stable")  # NaN comes last
    best_of_row, best_of_column = (np.empty(x.max(initial=0) + 1, np.int64) for x in (rows, columns))
    while len(left):
        row, column = rows[left], columns[left]
        for best, place in ((best_of_row, row), (best_of_column, column)):
            best[place[::-1]] = left[::-1]  # the last write wins: the best pair
        mutual = left[(best_of_row[row] == left) & (best_of_column[column] == left)]
        taken[mutual] = True
        best_of_row[rows[mutual]] = best_of_column[columns[mutual]] = -1
        left = left[(best_of_row[row] >= 0) & (best_of_column[column] >= 0)]
    return taken
