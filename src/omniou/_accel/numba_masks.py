"""Run-length masks by loops that numba, the extra `fast`, compiles: text, extents, overlaps, polygons.

`rle._runs` explains the tables, `rle._polygons` the rule of polygons. Floating-point expressions are the same as there,
and so are the pixels.
"""

import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a function when it is first called, once for a machine; while it runs, other threads can."""
    return cast("Function", numba.njit(nogil=True, cache=True)(function))


# Bits of a number in one character, the character for 0, bits of the longest number.
_BITS, _ZERO, _LONGEST = 5, 48, 40


@compiled
def decode(text: Any, stops: Any, pixels: Any, start: Any, end: Any, counts: Any) -> int:
    """Characters (K,) of uint8, where those of each mask end (N,), pixels of the images -> how many runs.

    The runs, into (K // 2,), and how many each mask has, (N,), are written. -1 if a text is none of a mask.
    """
    runs, at = 0, 0
    for mask in range(stops.shape[0]):
        head, place, begin, on = runs, 0, 0, False
        before, older, number = 0, 0, 0
        while at < stops[mask]:
            length, at = _number(text, at, stops[mask])
            if number > 2:
                length += older
            older, before, number = before, length, number + 1
            place += length
            if at < 0 or length < 0 or place > pixels[mask]:
                return -1
            if on and place > begin:
                # Runs with nothing between them are one.
                if runs == head or end[runs - 1] < begin:
                    start[runs] = begin
                    runs += 1
                end[runs - 1] = place
            begin, on = place, not on
        if place != pixels[mask]:
            return -1
        counts[mask] = runs - head
    return runs


@compiled
def _number(text: Any, at: int, stop: int) -> tuple[int, int]:
    """A number of a text, and the place behind it: -1 if there is none."""
    number, shift = 0, 0
    while at < stop and shift < _LONGEST:
        character = int(text[at]) - _ZERO
        if character < 0 or character > 63:
            break
        number |= (character & 31) << shift
        shift += _BITS
        at += 1
        if character & 32 == 0:
            # The highest bit of the last character is a sign.
            return (number - (1 << shift) if character & 16 else number), at
    return 0, -1


@compiled
def areas(start: Any, end: Any, first: Any, out: Any) -> None:
    """Runs (R,), where those of masks start (N + 1,) -> pixels (N,)."""
    for mask in range(out.shape[0]):
        total = 0
        for run in range(first[mask], first[mask + 1]):
            total += int(end[run]) - int(start[run])
        out[mask] = total


@compiled
def extents(start: Any, end: Any, first: Any, heights: Any, out: Any) -> None:
    """Runs (R,), where those of masks start (N + 1,) -> low x and y, high x and y (N, 4), 0 for a mask of none."""
    for mask in range(heights.shape[0]):
        low, high, height = first[mask], first[mask + 1], heights[mask]
        if low == high:
            out[mask, :] = 0
            continue
        top, bottom = height, 0
        for run in range(low, high):
            edge = start[run] // height * height
            over = end[run] > edge + height  # the run holds the last row of a column and the first row of the next
            top = min(top, 0 if over else start[run] - edge)
            bottom = max(bottom, height if over else end[run] - edge)
        out[mask, 0] = start[low] // height
        out[mask, 1] = top
        out[mask, 2] = (end[high - 1] - 1) // height + 1
        out[mask, 3] = bottom


@compiled
def shared(a: Any, b: Any, rows: Any, others: Any, out: Any) -> None:
    """Two tables, each start, end and first; rows of both (P,) -> pixels that their masks share (P,)."""
    start, end, first = a
    start_b, end_b, first_b = b
    for pair in range(rows.shape[0]):
        i, last = first[rows[pair]], first[rows[pair] + 1]
        j, last_b = first_b[others[pair]], first_b[others[pair] + 1]
        total = 0
        if i < last and j < last_b:
            # Runs that end before the other mask's run starts are skipped.
            i += np.searchsorted(end[i:last], start_b[j])
            j += np.searchsorted(end_b[j:last_b], start[min(i, last - 1)])
        while i < last and j < last_b:
            total += max(min(end[i], end_b[j]) - max(start[i], start_b[j]), 0)
            # Which side advances is unpredictable, so it is computed as a number instead of a branch.
            a_ends_first = end[i] < end_b[j]
            i += a_ends_first
            j += not a_ends_first
        out[pair] = total


# Up to this many places in one column are sorted by insertion.
_SEVERAL = 32
# Steps to a pixel, and the last one before its middle: those of `rle._polygons`, as a test compares.
FINE, MIDDLE = 5, 2


@compiled
def passed(points: Any, first: Any, part: Any, widths: Any) -> Any:
    """Corners (K, 2), where polygons (P + 1,) and those of masks (N + 1,) start -> columns that outlines pass (N,)."""
    out = np.zeros(widths.shape[0], np.int64)
    for mask in range(widths.shape[0]):
        for polygon in range(part[mask], part[mask + 1]):
            x = _steps(points[first[polygon + 1] - 1, 0])
            for corner in range(first[polygon], first[polygon + 1]):
                before, x = x, _steps(points[corner, 0])
                left, right = _columns(before, x, widths[mask])
                out[mask] += max(right - left, 0)
    return out


@compiled
def _steps(coordinate: float) -> int:
    return math.trunc(FINE * coordinate + 0.5)


@compiled
def _columns(x: int, other: int, width: int) -> tuple[int, int]:
    """Return the columns whose middles are passed between two corners: from, to."""
    low, high = min(x, other) + MIDDLE, max(x, other) + MIDDLE
    return max(low, 0) // FINE, min(max(high, 0) // FINE, width)


@compiled
def draw(points: Any, first: Any, part: Any, sizes: Any, room: int, start: Any, end: Any, counts: Any) -> int:
    """Corners as above, heights and widths (N, 2), the most columns that a mask passes -> how many runs.

    The runs, into half as many as columns are passed, and how many each mask has, (N,), are written.
    """
    column, place, keys = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    on, off, slots = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room + 2, np.int64)
    runs = 0
    for mask in range(sizes.shape[0]):
        height, width = sizes[mask, 0], sizes[mask, 1]
        pairs, head = 0, runs
        for polygon in range(part[mask], part[mask + 1]):
            outline = points[first[polygon] : first[polygon + 1], :]
            count = _passings(outline, height, width, column, place)
            _sort(column, place, count, height, slots, keys)
            # An outline is closed, so starts and ends alternate.
            for k in range(0, count, 2):
                on[pairs], off[pairs] = keys[k], keys[k + 1]
                pairs += 1
        if part[mask + 1] - part[mask] > 1:
            # A pixel is on if it is in any polygon, so starts and ends need not be paired.
            _rise(on[:pairs])
            _rise(off[:pairs])
        for k in range(pairs):
            if runs > head and on[k] <= end[runs - 1]:
                end[runs - 1] = off[k]
            elif off[k] > on[k]:
                start[runs], end[runs] = on[k], off[k]
                runs += 1
        counts[mask] = runs - head
    return runs


@compiled
def _rise(keys: Any) -> None:
    """Sort in place. Numba's usual sort takes the square of their number, where they rise twice."""
    keys[:] = keys[np.argsort(keys, kind="mergesort")]


@compiled
def _passings(outline: Any, height: int, width: int, column: Any, place: Any) -> int:
    """Corners (K, 2) of a polygon -> how many columns it passes, and which, and at which pixel."""
    count, last = 0, outline.shape[0] - 1
    next_x, next_y = _steps(outline[last, 0]), _steps(outline[last, 1])
    for corner in range(outline.shape[0]):
        x, y = next_x, next_y
        next_x, next_y = _steps(outline[corner, 0]), _steps(outline[corner, 1])
        left, right = _columns(x, next_x, width)
        if left >= right:
            continue
        dx, dy = next_x - x, next_y - y
        steep = abs(dy) > abs(dx)
        back = (dy if steep else dx) < 0
        from_x, from_y = (float(next_x), float(next_y)) if back else (float(x), float(y))
        slope = dx / dy if steep else dy / dx
        for at in range(left, right):
            middle = float(FINE * at + MIDDLE)
            along = _along_steep(from_x, from_y, slope, middle) if steep else _along_flat(from_x, from_y, slope, middle)
            column[count] = at
            place[count] = min(int(max(along, 0.0) * (1 / FINE) + 0.5), height)
            count += 1
    return count


@compiled
def _along_flat(x: float, y: float, slope: float, middle: float) -> float:
    return float(math.trunc((middle - x + (slope < 0)) * slope + y + 0.5))


@compiled
def _along_steep(x: float, y: float, slope: float, middle: float) -> float:
    past, rising = middle + 1.0, slope > 0
    t = float(math.ceil((past - 0.5 - x) / slope))
    t -= (x + slope * (t - 1.0) + 0.5 >= past) == rising
    return y + t - ((x + slope * t + 0.5 >= past) == rising)


@compiled
def _sort(column: Any, place: Any, count: int, height: int, slots: Any, keys: Any) -> None:
    """Pixels of the image, rising: columns by how many each has, and the few of a column one by one."""
    if count == 0:
        return
    left, right = column[0], column[0]
    for k in range(count):
        left, right = min(left, column[k]), max(right, column[k])
    slots[: right - left + 2] = 0
    most = 0
    for k in range(count):
        slot = column[k] - left + 1
        slots[slot] += 1
        most = max(most, slots[slot])
    for k in range(right - left):
        slots[k + 1] += slots[k]
    for k in range(count):
        slot = column[k] - left
        keys[slots[slot]] = column[k] * height + place[k]
        slots[slot] += 1
    if most > _SEVERAL:
        _rise(keys[:count])
        return
    for k in range(1, count):
        key, slot = keys[k], k
        while slot > 0 and keys[slot - 1] > key:
            keys[slot] = keys[slot - 1]
            slot -= 1
        keys[slot] = key
