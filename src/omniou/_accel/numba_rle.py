"""Run-length masks by compiled loops: text, extents, overlaps. What a table is, `rle._runs` says."""

from typing import Any

import numpy as np

from omniou._accel.numba_compiler import compiled

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
            ours = end[i] < end_b[j]
            i += ours
            j += not ours
        out[pair] = total
