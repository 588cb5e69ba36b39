"""Tables by the compiled loops of `omniou._accel`, in threads; None where arrays are to do it."""

from collections.abc import Callable
from typing import Any

from omniou._lib import accel, threads
from omniou.rle._columns import RunTable, batches, numpy, place_dtype

# Runs of a job: with fewer, starting a thread costs more than it saves.
JOB = 2**16


def cpus() -> int:
    """How many threads to work in: compiled loops let others run, small calls of NumPy wait for each other."""
    return threads.most() if accel.SWITCH == "numba" else 1


def fixed(*arrays: Any) -> tuple[Any, ...]:
    """NumPy arrays, contiguous and read-only: numba compiles a function anew for every other kind of array."""
    views = tuple((x if x.flags.c_contiguous else x.copy()).view() for x in arrays)
    for x in views:
        x.flags.writeable = False
    return views


def decode(text: Any, stops: Any, sizes: Any) -> RunTable | None:
    """Texts, one after the other, each of which ends where `stops` (N,) says; None also if any is bad."""
    loops, xp = accel.loops(), numpy()
    if loops is None:
        return None
    pixels = xp.prod(sizes, axis=1)
    start, end, counts = _room(text.size // 2, pixels)
    text, stops, pixels = fixed(text.view(xp.uint8), stops, pixels)
    runs = loops.decode(text, stops, pixels, start, end, counts)
    return None if runs < 0 else _table(sizes, runs, start, end, counts)


def passed(points: Any, first: Any, part: Any, sizes: Any) -> Any:
    """Columns that the outlines of masks pass (N,)."""
    return accel.loops().passed(*fixed(points, first, part, sizes[:, 1]))


def draw(points: Any, first: Any, part: Any, sizes: Any, passed: Any) -> RunTable:
    """Corners (K, 2), where polygons (P + 1,) and those of masks (N + 1,) start, columns that masks pass (N,)."""
    loops, xp = accel.loops(), numpy()
    start, end, counts = _room(int(xp.sum(passed)) // 2, xp.prod(sizes, axis=1))
    points, first, part, shapes = fixed(points, first, part, sizes)
    runs = loops.draw(points, first, part, shapes, int(xp.max(passed)), start, end, counts)
    return _table(sizes, runs, start, end, counts)


def areas(masks: Any) -> Any:
    """Return the areas (N,), or None without compiled loops."""
    loops, xp = accel.loops(), numpy()
    if loops is None:
        return None
    start, end, first = fixed(masks.start, masks.end, masks.first)
    out = xp.empty(first.size - 1, dtype=xp.int64)
    _each(xp.diff(first), lambda low, high: loops.areas(start, end, first[low : high + 1], out[low:high]))
    return out


def extents(masks: Any) -> Any:
    """Return the extents (N, 4), or None without compiled loops."""
    loops, xp = accel.loops(), numpy()
    if loops is None:
        return None
    start, end, first, heights = fixed(masks.start, masks.end, masks.first, masks.sizes[:, 0])
    out = xp.empty((heights.size, 4), dtype=xp.int64)

    def work(low: int, high: int) -> None:
        loops.extents(start, end, first[low : high + 1], heights[low:high], out[low:high, :])

    _each(xp.diff(first), work)
    return out


def intersections(a: Any, b: Any, rows: Any, others: Any) -> Any:
    """Pixels (P,) that masks of pairs of rows share."""
    loops, xp = accel.loops(), numpy()
    if loops is None:
        return None
    out = xp.empty(rows.size, dtype=xp.int64)
    one, other = (fixed(x.start, x.end, x.first) for x in (a, b))
    rows, others = fixed(rows, others)
    runs = xp.take(xp.diff(a.first), rows) + xp.take(xp.diff(b.first), others)

    def work(low: int, high: int) -> None:
        loops.shared(one, other, rows[low:high], others[low:high], out[low:high])

    _each(runs, work)
    return out


def _each(runs: Any, work: Callable[[int, int], None]) -> None:
    """Call `work` for ranges of masks with `runs` (N,) each, about the same number of runs in each job."""
    threads.each(work, batches(runs + 1, JOB), threads=cpus(), few=1)


def _room(runs: int, pixels: Any) -> tuple[Any, Any, Any]:
    """Places for starts and ends of so many runs at the most, and for how many each mask has."""
    xp = numpy()
    dtype = place_dtype(int(xp.max(pixels)) if pixels.size else 0)
    return xp.empty(runs, dtype=dtype), xp.empty(runs, dtype=dtype), xp.empty(pixels.size, dtype=xp.int64)


def _table(sizes: Any, runs: int, start: Any, end: Any, counts: Any) -> RunTable:
    on = start[:runs], end[:runs]
    if 2 * runs < start.size:  # less than half of the buffers is used: free them
        on = on[0].copy(), on[1].copy()
    return RunTable(sizes, *on, numpy().cumulative_sum(counts, include_initial=True))
