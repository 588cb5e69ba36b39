"""Detections of boxes in COCO's JSON, as columns."""

from typing import Any

import numpy as np

from omniou._loops import fixed
from omniou._loops.compiler import compiled
from omniou._loops.syntax import DIGITS, after, blanks, digits, number

_QUOTE, _ESCAPE, _COMMA, _COLON, _OPEN, _CLOSE, _BEGIN, _END, _MINUS, _ZERO = (ord(c) for c in '"\\,:[]{}-0')
# Fields, by number; all others have the next one.
_NAMES = tuple(np.frombuffer(name, dtype=np.uint8) for name in (b"image_id", b"category_id", b"bbox", b"score"))
_BOX, _SCORE, _OTHER = 2, 3, 4


@compiled
def detections(text: Any, at: int, stop: int, ids: Any, values: Any, doubtful: Any) -> tuple[int, int]:
    """Characters (K,) of uint8, from where to where there are records with commas between them -> how many records.

    Image and category, into (R, 2), box and score, into (R, 5), are written; and of numbers that are for others to
    read, where they start and end, their record and place in it, into (H, 4): how many they are is the second result.
    -1 if there is no record, or anything but integers for ids, four numbers for a box and one for a score, each of them
    once, and numbers or plain strings for all else: good or bad.
    """
    row, doubts = 0, 0
    at = blanks(text, at, stop)
    while at >= 0:
        at, doubts = _record(text, at, stop, row, ids, values, doubtful, doubts)
        row += 1
        if at == stop:
            return row, doubts
        at = after(text, at, stop, _COMMA)
    return -1, 0


@compiled
def _record(
    text: Any, at: int, stop: int, row: int, ids: Any, values: Any, doubtful: Any, doubts: int
) -> tuple[int, int]:
    """The place behind a record and blanks, -1 if it is none that is meant here, and doubtful numbers up to there."""
    met, at = 0, after(text, at, stop, _BEGIN)
    while at >= 0:
        field, at = _field(text, at, stop)
        if field != _OTHER and (met >> field) & 1:
            return -1, doubts
        met |= 1 << field
        if field < _BOX:
            ids[row, field], at = _integer(text, at, stop)
        elif field == _BOX:
            at = after(text, at, stop, _OPEN)
            at, doubts = _numbers(text, at, stop, row, 0, 4, values, doubtful, doubts)
            at = after(text, at, stop, _CLOSE)
        elif field == _SCORE:
            at, doubts = _numbers(text, at, stop, row, 4, 5, values, doubtful, doubts)
        else:
            at = _other(text, at, stop)
        if not 0 <= at < stop:
            return -1, doubts
        if text[at] == _END:
            whole = (met & (1 << _OTHER) - 1) == (1 << _OTHER) - 1
            return (blanks(text, at + 1, stop) if whole else -1), doubts
        at = after(text, at, stop, _COMMA)
    return -1, doubts


@compiled
def _field(text: Any, at: int, stop: int) -> tuple[int, int]:
    """The number of a field, and the place where its value starts; -1 if there is none."""
    if not 0 <= at < stop or text[at] != _QUOTE:
        return _OTHER, -1
    found, end = _OTHER, -1
    for k in range(_OTHER):
        name = _NAMES[k]
        behind = at + 1 + name.size
        if behind < stop and text[at + 1] == name[0] and text[behind] == _QUOTE:
            same = True
            for place in range(1, name.size):
                same &= text[at + 1 + place] == name[place]
            if same:
                found, end = k, behind + 1
    if found == _OTHER:
        end = _string(text, at, stop)
    return found, (after(text, blanks(text, end, stop), stop, _COLON) if end >= 0 else -1)


@compiled
def _string(text: Any, at: int, stop: int) -> int:
    """The place behind a string of printable characters of ASCII, -1 if there is none."""
    if not 0 <= at < stop or text[at] != _QUOTE:
        return -1
    at += 1
    while at < stop and 32 <= text[at] < 127 and text[at] != _ESCAPE:
        at += 1
        if text[at - 1] == _QUOTE:
            return at
    return -1


@compiled
def _integer(text: Any, at: int, stop: int) -> tuple[int, int]:
    """An integer of few digits, and the place behind it and blanks; -1 if there is none."""
    if not 0 <= at < stop:
        return 0, -1
    begin = at + (text[at] == _MINUS)
    value, end = digits(text, 0, begin, stop)
    if not 0 < end - begin <= DIGITS or (text[begin] == _ZERO and end > begin + 1):
        return 0, -1
    return (value if begin == at else -value), blanks(text, end, stop)


@compiled
def _numbers(
    text: Any, at: int, stop: int, row: int, first: int, last: int, values: Any, doubtful: Any, doubts: int
) -> tuple[int, int]:
    """The place behind numbers and blanks, -1 if they are not there, and doubtful numbers up to there."""
    for k in range(first, last):
        at = after(text, at, stop, _COMMA) if k > first else at
        values[row, k], end, nearest = number(text, at, stop)
        if end < 0 or (not nearest and doubts == doubtful.shape[0]):
            return -1, doubts
        if not nearest:
            doubtful[doubts, 0], doubtful[doubts, 1], doubtful[doubts, 2], doubtful[doubts, 3] = at, end, row, k
            doubts += 1
        at = blanks(text, end, stop)
    return at, doubts


@compiled
def _other(text: Any, at: int, stop: int) -> int:
    """The place behind the value of a field that plays no part, and blanks; -1 if it is no plain one."""
    if not 0 <= at < stop:
        return -1
    end = _string(text, at, stop) if text[at] == _QUOTE else number(text, at, stop)[1]
    return blanks(text, end, stop) if end >= 0 else -1


def try_out() -> None:
    """As `rle.try_out`."""
    (text,) = fixed(np.frombuffer(b'{"image_id":1}', dtype=np.uint8))
    detections(text, 0, text.size, np.empty((1, 2), np.int64), np.empty((1, 5)), np.empty((1, 4), np.int64))
