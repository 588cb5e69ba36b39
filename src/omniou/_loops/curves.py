"""Curves of precision and recall, class after class. What the columns are, `_kernels.curves` and `detection` say.

T thresholds, K classes, A area ranges, R points of recall, M detections, of which E match an object.
"""

from typing import Any

import numpy as np

from omniou._loops import fixed
from omniou._loops.compiler import compiled
from omniou._loops.ordering import by_score

_EPS = float(np.finfo(np.float64).eps)


@compiled
def by_class(labels: Any, scores: Any, place: Any, rows: Any, values: Any) -> None:
    """Classes and scores (M,), where each class goes (K,), which is spent.

    Rows by class, as they came, and their scores are written (M,).
    """
    for row in range(labels.size):
        at = place[labels[row]]
        rows[at], values[at] = row, scores[row]
        place[labels[row]] = at + 1


@compiled
def rank(first: Any, low: int, high: int, rows: Any, values: Any) -> None:
    """Where each class starts (K + 1,), classes from one to another, of which these (M,) are put in order."""
    for k in range(low, high):
        by_score(rows[first[k] : first[k + 1]], values[first[k] : first[k + 1]])


@compiled
def touched(rows: Any, some: Any, place: Any, which: Any) -> None:
    """Rows (M,), some rows (E,) -> where those are (E,), rising, and which of them each is (E,)."""
    # Little is looked up in any order far faster than much: a byte of each row, and half a number of few.
    known, number, total = np.zeros(rows.size, np.bool_), np.empty(rows.size, np.int32), 0
    for k in range(some.size):
        known[some[k]], number[some[k]] = True, k
    for at in range(rows.size):
        if known[rows[at]]:
            place[total], which[total] = at, number[rows[at]]
            total += 1


@compiled
def ranks(rows: Any, first: Any, image: Any, images: int, out: Any) -> None:
    """Rows (M,), where each class starts (K + 1,), image of each detection (M,) -> place in image and class (M,)."""
    last, seen = np.full(images, -1), np.zeros(images, np.int64)
    for k in range(first.size - 1):
        for at in range(first[k], first[k + 1]):
            here = image[rows[at]]
            if last[here] != k:
                last[here], seen[here] = k, 0
            out[at] = seen[here]
            seen[here] += 1


@compiled
def hits(won: Any, thresholds: int, ranks: Any, limit: int, first: Any, out: Any) -> None:
    """Bits (E,) of hits, places in image and class (E,), where each class starts (K + 1,) -> hits (T, K)."""
    for k in range(first.size - 1):
        for t in range(thresholds):
            total = 0
            for e in range(first[k], first[k + 1]):
                total += ((won[e] >> t) & 1) * (ranks[e] < limit)
            out[t, k] = total


@compiled
def curves(
    bits: Any, listed: Any, starts: Any, place: Any, area: int, limit: int, need: Any, low: int, high: int, out: Any
) -> None:
    """Classes from one to another, in one area range.

    Bits of thresholds, (E,) and (E,): hits, and matches to what is ignored. Of all detections the bits of area ranges
    that do not hold them (M,), and their places in image and class (M,), or none (0,) where the limit plays no part.
    Where each class starts, and the end, (K + 1,) among all and (K + 1,) among those that match, and where these are
    (E,). True positives that reach each recall (K, R + 1). Precision (T, K, R), the detection that reaches each recall,
    or -1 (T, K, R), and hits (T, K) are written.
    """
    first, head = starts
    size = 1
    for k in range(low, high):
        size = max(size, head[k + 1] - head[k])
    some = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    falling = np.empty(size), np.empty(size, np.int64)
    precision, at, hits = out
    for k in range(low, high):
        number = _count(listed, place[head[k] : head[k + 1]], first[k], area, limit, some)
        for t in range(hits.shape[0]):
            hits[t, k] = _walk(bits, t, head[k], number, some, falling)
            _read_off(falling, hits[t, k], need[k], precision[t, k], at[t, k])


@compiled
def _count(listed: Any, place: Any, start: int, area: int, limit: int, some: Any) -> int:
    """How many of those that match are within the limit.

    Of these are written: their numbers, whether the range does not hold them, how many it holds up to and with each.
    """
    outside, ranks = listed
    which, beyond, inside = some
    number, total, at = 0, 0, start
    for k in range(place.size):
        while at <= place[k]:
            kept = ranks.size == 0 or ranks[at] < limit
            total += kept & (((outside[at] >> area) & 1) == 0)
            at += 1
        if ranks.size == 0 or ranks[place[k]] < limit:
            which[number], beyond[number], inside[number] = k, (outside[place[k]] >> area) & 1, total
            number += 1
    return number


@compiled
def _walk(bits: Any, t: int, head: int, number: int, some: Any, falling: Any) -> int:
    """Hits at one threshold; precision at each, and its number, are written."""
    won, spared = bits
    which, beyond, inside = some
    values, numbers = falling
    hits, more = 0, 0
    for k in range(number):
        hit, less = (won[head + which[k]] >> t) & 1, (spared[head + which[k]] >> t) & 1
        # A hit counts wherever it lies itself, and what matches an object that is ignored does not.
        more += hit * beyond[k] - less * (1 - beyond[k])
        # Written over by what comes next, unless it is a hit: no branch that nobody can foresee.
        numbers[hits], values[hits] = head + which[k], inside[k] + more
        hits += hit
    for k in range(hits):
        values[k] = (k + 1) / (values[k] + _EPS)
    return hits


@compiled
def _read_off(falling: Any, hits: int, need: Any, precision: Any, at: Any) -> None:
    """The best precision where each recall is reached, or after; 0 where it is not."""
    values, numbers = falling
    best, before = 0.0, hits
    for point in range(precision.size - 1, -1, -1):
        reached = need[point + 1] - 1
        if reached >= hits:
            precision[point], at[point] = 0.0, -1
            continue
        while before > reached:
            before -= 1
            best = max(best, values[before])
        precision[point], at[point] = best, numbers[reached]


def try_out() -> None:
    """As `rle.try_out`."""
    zero, ones, first, none = fixed(np.zeros(1, np.int64), np.ones(1), np.asarray([0, 1]), np.zeros(0, np.int64))
    rows, values, need = np.empty(1, np.int64), np.empty(1), fixed(np.ones((1, 2), np.int64))[0]
    by_class(zero, ones, np.zeros(1, np.int64), rows, values)
    rank(first, 0, 1, rows, values)
    (rows,) = fixed(rows)
    touched(rows, zero, np.empty(1, np.int64), np.empty(1, np.int64))
    ranks(rows, first, zero, 1, np.empty(1, np.int64))
    hits(zero, 1, zero, 1, first, np.empty((1, 1), np.int64))
    out = np.empty((1, 1, 2))[..., 1:], np.empty((1, 1, 1), np.int64), np.empty((1, 1), np.int64)
    for dtype in (np.uint8, np.int64):
        (outside,) = fixed(zero.astype(dtype))
        curves((zero, zero), (outside, none), (first, first), zero, 0, 1, need, 0, 1, out)
