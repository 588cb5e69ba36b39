"""Pairs of upright boxes that overlap, in time and memory that grow with their number: a sweep over strips.

Both sets are sorted by x, the first axis. The second axis is cut into strips twice as high as a box is on average, and
a box is listed in each strip that it reaches, so boxes far apart in y are never compared. In a strip, the boxes
that start within another one along x are a range of the sorted list: two binary searches find it.
"""

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import array_api_compat as compat

from omniou._lib import indexing, ordering
from omniou._lib.types import Namespace

# Pairs that are compared along the other axes at once: NumPy's temporaries fit the cache, calls of torch cost more.
NUMPY_PAIRS, OTHER_PAIRS = 2**16, 2**20
# Boxes of a strip and group below which more strips cost more than they save.
_FEWEST = 8
# Strips are higher than a box on average by this: half of the boxes reach two. Lower ones have fewer pairs to compare,
# and more entries: at 10^5 x 10^5 boxes 1 takes 1.2 times as long.
_HEIGHT = 2.0
# Entries that infinite boxes add, at most, for each box.
_ENTRIES = 2
# Boxes of the sample that says where strips start and end, so that an outlier does not stretch them.
_SAMPLE = 2**12


class Extents(NamedTuple):
    """Upright boxes of finite or infinite corners, none of them NaN."""

    low: Any  # (D, N)
    high: Any  # (D, N)
    group: Any  # (N,) integers in [0, groups)
    size: Any  # (N,) at least 0


class Block(NamedTuple):
    """Some of the pairs, and the share of all work that is done with them."""

    a: Any  # (P,) rows
    b: Any  # (P,)
    done: float


class Sweep(NamedTuple):
    """The pairs that overlap. Boxes are numbered anew, so those close in space are close in memory."""

    order_a: Any  # (N,) rows in the new order
    order_b: Any  # (M,)
    blocks: Iterator[Block]  # in the new order


class _Strips(NamedTuple):
    """Strips along the second axis."""

    number: int
    start: float
    height: float


class _Entries(NamedTuple):
    """Boxes in each strip that they reach, by group, strip and start along x."""

    keys: Any  # (R,) rising: cell, then place of the box in the order of starts
    cells: Any  # (R,) group and strip
    places: Any  # (R,)
    boxes: Any  # (R,) in the order of first entries
    low: Any  # (D - 1, R) along the other axes
    high: Any  # (D - 1, R)
    size: Any  # (R,)
    is_first: Any  # (R,) whether it is the first strip of the box
    starts: Any  # (N,) rising, along x
    ends: Any  # (N,) in the order of the starts
    bits: int  # of a place
    order: Any  # (N,) rows of the boxes in that order


def sweep(a: Extents, b: Extents, groups: int, /, *, ratio: float, xp: Namespace) -> Sweep:
    """Pairs of one group that overlap along every axis, each once, in any order.

    `ratio`: of both sizes, the smaller over the larger, at least.
    """
    if 0 in (a.group.shape[0], b.group.shape[0]):
        return Sweep(xp.zeros_like(a.group), xp.zeros_like(b.group), iter(()))
    strips = _strips(a, b, groups, xp=xp)
    entries_a, entries_b = (_entries(x, strips, xp=xp) for x in (a, b))
    return Sweep(entries_a.order, entries_b.order, _blocks(entries_a, entries_b, ratio, xp=xp))


def _blocks(a: _Entries, b: _Entries, ratio: float, /, *, xp: Namespace) -> Iterator[Block]:
    # Either the second starts within the first, or the first starts within the second.
    within_a, within_b = _ranges(a, b, xp=xp)
    searches = [(a, b, *within_a, False), (b, a, *within_b, True)]
    before = [indexing.starts(count, xp=xp) for _, _, _, count, _ in searches]
    total, done = max(1, sum(int(x[-1]) for x in before)), 0
    for (one, other, start, count, turned), first in zip(searches, before, strict=True):
        for i, j in _cuts(first, xp=xp):
            here, there = _close((one, other), slice(i, j), start[i:j], count[i:j], ratio=ratio, xp=xp)
            done += int(first[j] - first[i])
            yield Block(*((there, here) if turned else (here, there)), done / total)


def within(x: Extents, groups: int, /, *, ratio: float, xp: Namespace) -> Sweep:
    """Pairs of one set and one group that overlap along every axis, each once and either way round."""
    if x.group.shape[0] == 0:
        return Sweep(xp.zeros_like(x.group), xp.zeros_like(x.group), iter(()))
    entries = _entries(x, _strips(x, x, groups, xp=xp), xp=xp)
    return Sweep(entries.order, entries.order, _blocks_within(entries, ratio, xp=xp))


def _blocks_within(x: _Entries, ratio: float, /, *, xp: Namespace) -> Iterator[Block]:
    # What starts after one and within it follows it in the list of the strip.
    stop = xp.searchsorted(x.starts, x.ends, side="left")
    stop = xp.take(xp.astype(stop, x.keys.dtype), x.places)
    start = xp.arange(1, x.keys.shape[0] + 1, dtype=x.keys.dtype, device=compat.device(x.keys))
    count = xp.searchsorted(x.keys, (x.cells << x.bits) | stop) - start
    count = xp.where(count > 0, count, xp.zeros_like(count))
    before = indexing.starts(count, xp=xp)
    total = max(1, int(before[-1]))
    for i, j in _cuts(before, xp=xp):
        here, there = _close((x, x), slice(i, j), start[i:j], count[i:j], ratio=ratio, xp=xp)
        yield Block(here, there, int(before[j]) / total)


def _close(
    entries: tuple[_Entries, _Entries], part: slice, start: Any, count: Any, /, *, ratio: float, xp: Namespace
) -> tuple[Any, Any]:
    """Entries whose ranges along x are known -> rows of the pairs that overlap along the other axes, too."""
    one, other = entries
    some = xp.nonzero(count > 0)[0]
    before = indexing.starts(xp.take(count, some), xp=xp)
    ids = xp.take(some, indexing.segment_ids(before, xp=xp)) if some.shape[0] else some
    every = xp.arange(ids.shape[0], dtype=ids.dtype, device=compat.device(ids))
    others = every + xp.take(start - indexing.starts(count, xp=xp)[:-1], ids)

    def repeated(x: Any) -> Any:
        return xp.take(x[part], ids)

    # Two boxes may share several strips. Both are in the later one of their first strips, and the pair counts only
    # there: boxes in strips 2-5 and 4-7 share 4 and 5, and 4 is the first strip of the second.
    close = repeated(one.is_first) | xp.take(other.is_first, others)
    for axis in range(one.low.shape[0]):
        close &= repeated(one.low[axis, :]) < xp.take(other.high[axis, :], others)
        close &= xp.take(other.low[axis, :], others) < repeated(one.high[axis, :])
    if ratio > 0:
        sizes_a, sizes_b = repeated(one.size), xp.take(other.size, others)
        close &= xp.minimum(sizes_a, sizes_b) >= ratio * xp.maximum(sizes_a, sizes_b)
    chosen = xp.nonzero(close)[0]
    return xp.take(one.boxes[part], xp.take(ids, chosen)), xp.take(other.boxes, xp.take(others, chosen))


def _strips(a: Extents, b: Extents, groups: int, /, *, xp: Namespace) -> _Strips:
    count = a.group.shape[0] + b.group.shape[0]
    number = max(1, count // (_FEWEST * groups))
    if a.low.shape[0] == 1 or number == 1:
        return _Strips(1, 0.0, 1.0)
    sample = xp.concat([x[:: max(1, x.shape[0] // _SAMPLE)] for x in (a.low[1, :], b.low[1, :])])
    sample = xp.sort(sample[xp.isfinite(sample)])
    if sample.shape[0] == 0:
        return _Strips(1, 0.0, 1.0)
    start, stop = (float(sample[k]) for k in (sample.shape[0] // 100, -1 - sample.shape[0] // 100))
    heights = xp.concat([x.high[1, :] - x.low[1, :] for x in (a, b)])
    finite = xp.isfinite(heights)
    infinite = count - int(xp.count_nonzero(finite))
    if infinite:
        heights = xp.where(finite, heights, xp.zeros_like(heights))
        number = min(number, _ENTRIES * count // infinite)
    height = max(_HEIGHT * float(xp.mean(heights)), (stop - start) / number)
    if not 0 < height < float("inf"):
        return _Strips(1, 0.0, 1.0)
    return _Strips(max(1, min(number, int((stop - start) / height) + 1)), start, height)


def _reach(x: Extents, strips: _Strips, /, *, xp: Namespace) -> tuple[Any, Any]:
    """First and last strip of each box (N,)."""
    number, start, height = strips
    if number == 1:
        zero = xp.zeros_like(x.group)
        return zero, zero

    def strip(y: Any) -> Any:
        # What lies beyond the strips is in the first or in the last.
        return xp.astype(xp.clip((y - start) / height, 0.0, number - 1.0), x.group.dtype)

    return strip(x.low[1, :]), strip(x.high[1, :])


def _entries(x: Extents, strips: _Strips, /, *, xp: Namespace) -> _Entries:
    order = xp.argsort(x.low[0, :])
    low, high = (xp.take(y, order, axis=1) for y in (x.low, x.high))
    group, size = (xp.take(y, order) for y in (x.group, x.size))
    first, last = _reach(Extents(low, high, group, size), strips, xp=xp)
    count = last - first + 1
    places = indexing.segment_ids(indexing.starts(count, xp=xp), xp=xp)
    cells = xp.take(group * strips.number, places) + indexing.concatenated_ranges(first, count, xp=xp)
    # The place of box 5 in cell 3 of at most 8 boxes is the key 3 * 8 + 5, and one sort orders both.
    bits = int(order.shape[0]).bit_length()
    keys = xp.sort((cells << bits) | places)
    places, cells = keys & ((1 << bits) - 1), keys >> bits
    is_first = cells == xp.take(group * strips.number + first, places)
    ordered = xp.take(places, xp.nonzero(is_first)[0])
    every = xp.arange(order.shape[0], dtype=places.dtype, device=compat.device(places))
    numbers = indexing.put(xp.zeros_like(every), ordered, every, xp=xp)
    return _Entries(
        keys=keys,
        cells=cells,
        places=places,
        boxes=xp.take(numbers, places),
        low=xp.take(low[1:, :], places, axis=1) if low.shape[0] > 1 else low[:0, :],
        high=xp.take(high[1:, :], places, axis=1) if low.shape[0] > 1 else high[:0, :],
        size=xp.take(size, places),
        is_first=is_first,
        starts=low[0, :],
        ends=high[0, :],
        bits=bits,
        order=xp.take(order, ordered),
    )


def _ranges(a: _Entries, b: _Entries, /, *, xp: Namespace) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """For each entry of one (R,), where the entries of the other start that begin within it, and how many they are.

    What begins where one of `a` does, counts as within that one.
    """
    start_b = _place(a, b, xp.searchsorted(b.starts, a.starts), xp=xp)
    # Of two sorted lists, the ranks of one in the other follow from those of the other in the one.
    start_a = _inverse(start_b, b.keys.shape[0], xp=xp)
    out = []
    for one, other, start in ((a, b, start_b), (b, a, start_a)):
        stop = _place(one, other, xp.searchsorted(other.starts, one.ends), xp=xp)
        out.append((start, xp.where(stop > start, stop - start, xp.zeros_like(start))))
    return out[0], out[1]


def _place(one: _Entries, other: _Entries, ranks: Any, /, *, xp: Namespace) -> Any:
    """Ranks of boxes of one among the starts of the other (N,) -> ranks of their entries among the entries (R,)."""
    # A key holds the cell in its high bits and the rank in its low bits, so one search in the rising keys of the other
    # set stays inside the cell.
    keys = (one.cells << other.bits) | xp.take(xp.astype(ranks, one.keys.dtype), one.places)
    return xp.astype(xp.searchsorted(other.keys, keys), keys.dtype)


def _inverse(ranks: Any, size: int, /, *, xp: Namespace) -> Any:
    """How many numbers are below each of a rising list (N,) -> how many of the list are at most each number (size,)."""
    # List 1 4 6, numbers 2 3 5: below 1, 4 and 6 are 0, 2 and 3 numbers. These counts occur 1, 0, 1 and 1 times (of 0,
    # 1, 2, 3), and their running sum 1 1 2 says that 1, 1 and 2 of the list are at most 2, 3 and 5.
    return xp.cumulative_sum(indexing.counts(ranks, size + 1, xp=xp))[:size]


def of_one_group(group_a: Any, group_b: Any, groups: int, /, *, xp: Namespace) -> Iterator[Block]:
    """Groups (N,), (M,) in [0, groups) -> every pair of one group, in blocks."""
    order = ordering.rising(group_b, groups, xp=xp)
    sizes = indexing.counts(group_b, groups, xp=xp)
    start, count = xp.take(indexing.starts(sizes, xp=xp), group_a), xp.take(sizes, group_a)
    before = indexing.starts(count, xp=xp)
    for i, j in _cuts(before, xp=xp):
        every = xp.arange(i, j, dtype=before.dtype, device=compat.device(before))
        others = xp.take(order, indexing.concatenated_ranges(start[i:j], count[i:j], xp=xp))
        yield Block(xp.repeat(every, count[i:j]), others, int(before[j]) / max(1, int(before[-1])))


def _cuts(before: Any, /, *, xp: Namespace) -> Iterator[tuple[int, int]]:
    """Offsets of segments (K + 1,) -> ranges of segments with about as many rows in all as are compared at once."""
    step = NUMPY_PAIRS if compat.is_numpy_namespace(xp) else OTHER_PAIRS
    ends = xp.arange(0, int(before[-1]), step, dtype=before.dtype, device=compat.device(before))
    cuts = indexing.to_list(xp.searchsorted(before, ends, side="right") - 1)
    return itertools.pairwise([*cuts, before.shape[0] - 1])
