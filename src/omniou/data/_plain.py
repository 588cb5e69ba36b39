"""Detections of boxes that are written plainly, from the text at once to columns."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou import _loops
from omniou._loops import fixed

Column = npt.NDArray[Any]

# Characters of a record at the least; numbers in a block whose nearest one of float64 Python finds.
_RECORD, _DOUBTFUL = 50, 2**12


def reader(data: bytes) -> Callable[[int, int], tuple[Column, Column] | None] | None:
    """What reads the records from here to there: ids (N, 2) of image and category, and (N, 5) of box and score.

    It gives None where a record is bad, or not plain; and there is no reader where msgspec is to do all.
    """
    _loops.met(characters=len(data))
    loops = _loops.get("records")
    if loops is None:
        return None
    (text,) = fixed(np.frombuffer(data, dtype=np.uint8))

    def read(start: int, stop: int) -> tuple[Column, Column] | None:
        most = (stop - start) // _RECORD + 1
        ids, values, doubtful = np.empty((most, 2), np.int64), np.empty((most, 5)), np.empty((_DOUBTFUL, 4), np.int64)
        rows, doubts = loops.detections(text, start, stop, ids, values, doubtful)
        if rows < 0:
            return None
        for begin, end, row, place in doubtful[:doubts].tolist():
            values[row, place] = float(data[begin:end])
            if not math.isfinite(values[row, place]):
                return None
        return ids[:rows], values[:rows]

    return read
