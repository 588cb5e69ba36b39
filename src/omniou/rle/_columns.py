"""The columns of `Masks`, and what is done to all of them alike."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from omniou._lib import indexing
from omniou.rle._host import numpy


class RunTable(NamedTuple):
    """The columns of `Masks`."""

    sizes: Any
    start: Any
    end: Any
    first: Any


def take(table: Any, rows: Any) -> RunTable:
    """Some masks."""
    xp = numpy()
    first, at = indexing.segments(table.first, rows, xp=xp)
    return RunTable(xp.take(table.sizes, rows, axis=0), xp.take(table.start, at), xp.take(table.end, at), first)


def between(table: Any, low: int, high: int) -> RunTable:
    """The masks from one to another, which share the memory of the runs."""
    first = table.first[low : high + 1]
    runs = slice(int(first[0]), int(first[-1]))
    return RunTable(table.sizes[low:high, :], table.start[runs], table.end[runs], first - first[0])


def concat(tables: Sequence[Any]) -> RunTable:
    """The masks of all tables, one table after the other."""
    xp = numpy()
    if len(tables) == 1:
        return tables[0]
    nothing = xp.zeros(0, dtype=xp.int32)
    tables = tables or [RunTable(xp.zeros((0, 2), dtype=xp.int64), nothing, nothing, xp.zeros(1, dtype=xp.int64))]
    shifts = xp.cumulative_sum(xp.asarray([t.start.size for t in tables]), include_initial=True).tolist()
    first = [t.first[:-1] + shift for t, shift in zip(tables, shifts, strict=False)]
    sizes, start, end = (xp.concat([getattr(t, field) for t in tables]) for field in RunTable._fields[:3])
    return RunTable(sizes, start, end, xp.concat([*first, xp.asarray(shifts[-1:], dtype=xp.int64)]))
