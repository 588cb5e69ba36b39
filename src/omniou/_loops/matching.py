"""Detections that have objects in their group, and which of these they take. The rules are in `detection.match`."""

from typing import Any

import numpy as np

from omniou._loops import fixed
from omniou._loops.compiler import compiled
from omniou._loops.ordering import by_score

# No divisor is below it: as in `_kernels.arithmetic`.
_LEAST = float(np.finfo(np.float64).smallest_normal)


@compiled
def suitors(groups: Any, scores: Any, classes: int, wanted: Any, rows: Any, numbers: Any, ranks: Any) -> int:
    """Groups (M,), by image, and scores (M,); K; groups that have objects, rising (G,) -> detections that are in these.

    By group and falling score their rows, the numbers of the groups, and the places there, into (M,), are written.
    """
    number, place = _numbers(groups, classes, wanted), np.zeros(wanted.size + 1, np.int64)
    for k in number:
        place[k + 1] += k >= 0
    place = np.cumsum(place)
    total = place[-1]
    values = np.empty(total)
    for row in range(groups.size):
        k = number[row]
        if k >= 0:
            rows[place[k]], values[place[k]] = row, scores[row]
            place[k] += 1
    start = 0
    for k in range(wanted.size):
        stop = place[k]
        by_score(rows[start:stop], values[start:stop])
        for at in range(start, stop):
            numbers[at], ranks[at] = k, at - start
        start = stop
    return total


@compiled
def _numbers(groups: Any, classes: int, wanted: Any) -> Any:
    """As above -> number of the group (M,), -1 where it has no objects."""
    out, of_class = np.empty(groups.size, np.int64), np.full(classes, -1)
    row, first = 0, 0
    while row < groups.size:
        low = groups[row] // classes * classes
        while first < wanted.size and wanted[first] < low:
            first += 1
        last = first
        while last < wanted.size and wanted[last] < low + classes:
            of_class[wanted[last] - low] = last
            last += 1
        while row < groups.size and groups[row] < low + classes:
            out[row] = of_class[groups[row] - low]
            row += 1
        for k in range(first, last):
            of_class[wanted[k] - low] = -1
    return out


@compiled
def match(
    found: Any, numbers: Any, wanted: Any, first: Any, crowd: Any, counts: Any, least: Any, bits: Any, out: Any
) -> None:
    """What each suitor takes.

    Low and high corners (D, C), areas (C,) and numbers of groups (C,) of the suitors; the same corners and areas of the
    objects, where those of each group start, and the end (G + 1,), crowds, and the bits where each counts (N,); T
    thresholds, and the bits (T + 1,) of so many of them. Bits (2, C) are written: matched, and matched to what is
    ignored.
    """
    low, high, area = found
    low_b, high_b, area_b = wanted
    size = 1
    for k in range(first.size - 1):
        size = max(size, first[k + 1] - first[k])
    overlap, objects, taken = np.empty(size), np.empty(size, np.int64), np.zeros(crowd.size, np.int64)
    for row in range(numbers.size):
        offers = 0
        # Not in a function of its own: to hand arrays over so often takes as long as all else. Of equal overlaps the
        # later object comes first.
        for at in range(first[numbers[row] + 1] - 1, first[numbers[row]] - 1, -1):
            shared = 1.0
            for axis in range(low.shape[0]):
                side = min(high[axis, row], high_b[axis, at]) - max(low[axis, row], low_b[axis, at])
                shared *= max(side, 0.0)
            union = area[row] if crowd[at] else area[row] + area_b[at] - shared
            value = shared / union if union >= _LEAST else 0.0
            if value >= least[0]:
                overlap[offers], objects[offers] = value, at
                offers += 1
        if offers > 1:
            by_score(objects[:offers], overlap[:offers])
        matched, ignored = 0, 0
        # What counts comes before all that is ignored; a crowd, which is, stays free for any number.
        for spared in range(2):
            for k in range(offers):
                at = objects[k]
                some = bits[np.searchsorted(least, overlap[k], side="right")] & (~counts[at] if spared else counts[at])
                win = some & ~(matched | taken[at])
                matched |= win
                ignored |= win if spared else 0
                taken[at] |= 0 if crowd[at] else win
        out[0, row], out[1, row] = matched, ignored


def try_out() -> None:
    """As `rle.try_out`."""
    one, ones, none = fixed(np.zeros(1, np.int64), np.ones(1), np.zeros(1, dtype=np.bool_))
    corners, first = fixed(np.ones((2, 1)), np.asarray([0, 1]))
    suitors(one, ones, 1, one, *(np.empty(1, np.int64) for _ in range(3)))
    boxes = corners, corners, ones
    match(boxes, one, boxes, first, none, one, ones, first, np.empty((2, 1), np.int64))
