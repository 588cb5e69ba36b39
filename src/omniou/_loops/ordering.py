"""Rows by falling score, as they came where scores are equal."""

import math
from typing import Any

import numpy as np

from omniou._loops.compiler import compiled

# Rows that are put in order one by one. Bits of what many are sorted by first, so many at once; how far a row is then
# moved on average before all are sorted anew.
_SEVERAL, _BITS, _DIGIT, _MOVES = 48, 22, 11, 8
# Where those bits are in an integer, above the place of the row.
_ABOVE = 40


@compiled
def by_score(rows: Any, scores: Any) -> None:
    """Rows (N,), as they came, and their scores (N,), none of them NaN: both are put in order."""
    size = rows.size
    if size <= _SEVERAL:
        _one_by_one(rows, scores, size * size)
        return
    best, worst = float(np.max(scores)), float(np.min(scores))
    scale = (2**_BITS - 1) / (best - worst) if best > worst else 0.0
    if math.isfinite(best - worst) and math.isfinite(scale):
        _by_steps(rows, scores, best, scale)
        if _one_by_one(rows, scores, _MOVES * size):
            return
        # As they came, they still are where scores are equal.
    _by_merging(rows, scores)


@compiled
def _by_steps(rows: Any, scores: Any, best: float, scale: float) -> None:
    """By what a few bits tell of scores: it rises with them or stays, so that no order is turned."""
    keys, other = np.empty(scores.size, np.int64), np.empty(scores.size, np.int64)
    for k in range(scores.size):
        keys[k] = (int((best - scores[k]) * scale) << _ABOVE) | k
    place = np.empty(2**_DIGIT, np.int64)
    for shift in range(_ABOVE, _ABOVE + _BITS, _DIGIT):
        place[:] = 0
        for key in keys:
            place[(key >> shift) & (2**_DIGIT - 1)] += 1
        before = 0
        for digit in range(2**_DIGIT):
            before, place[digit] = before + place[digit], before
        for key in keys:
            digit = (key >> shift) & (2**_DIGIT - 1)
            other[place[digit]] = key
            place[digit] += 1
        keys, other = other, keys
    places = keys & (2**_ABOVE - 1)
    rows[:], scores[:] = rows[places], scores[places]


@compiled
def _one_by_one(rows: Any, scores: Any, moves: int) -> bool:
    """Put in order what nearly is, by so many moves at the most -> whether these were enough."""
    for k in range(1, rows.size):
        row, score, at = rows[k], scores[k], k
        while at > 0 and scores[at - 1] < score:
            rows[at], scores[at] = rows[at - 1], scores[at - 1]
            at -= 1
        rows[at], scores[at] = row, score
        moves -= k - at
        if moves < 0:
            return False
    return True


@compiled
def _by_merging(rows: Any, scores: Any) -> None:
    """Halves of halves."""
    size, width = rows.size, 1
    other, others = rows.copy(), scores.copy()
    while width < size:
        for low in range(0, size, 2 * width):
            middle, high = min(low + width, size), min(low + 2 * width, size)
            left, right = low, middle
            for k in range(low, high):
                first = right == high or (left < middle and scores[left] >= scores[right])
                at = left if first else right
                other[k], others[k] = rows[at], scores[at]
                left, right = left + first, right + (not first)
        rows[:], scores[:] = other, others
        width *= 2
