"""Run-length masks: how COCO writes them down, what they cover, and how much two of them share.

A table of N masks is its R runs that are on, all of each mask, one mask after the other: `start` and `end` (R,), pixels
down the columns of the image before a run and up to its end, and `first` (N + 1,), the number of the first run of each
mask. COCO writes lengths, off and on in turns, starting with off. Shapes here depend on values: these kernels are for
the host, not for compilers.
"""

from typing import Any, NamedTuple

import array_api_compat as compat

from omniou._lib import indexing
from omniou._lib.types import Namespace

# Bits of a number in one character, and the character that stands for 0.
BITS, ZERO = 5, 48


class Digits(NamedTuple):
    """Text as numbers of five bits, the lowest first; K characters that hold E numbers."""

    total: Any  # (E + 1,) cumulative sums of the numbers
    ends: Any  # (E,) rising: the last character of each
    longest: int  # characters in a number


class Spans(NamedTuple):
    """The runs of a table, and where they lie in their images."""

    first: Any  # (N + 1,)
    start: Any  # (R,)
    end: Any  # (R,)
    column: Any  # (R,) where it starts
    height: Any  # (R,) of the image


class ColumnCuts(NamedTuple):
    """Masks cut into C columns, those between the first and the last that is on; I intervals in these."""

    left: Any  # (N,) the first column in the image
    before: Any  # (N + 1,) columns of the table before each mask
    first: Any  # (C + 1,) intervals before each column
    start: Any  # (I,) pixels of the image before it
    end: Any  # (I,)


# ---- text


def digits(text: Any, dtype: Any, /, *, xp: Namespace) -> Digits:
    """Characters (K,) of int8, the last one of which ends a number -> the numbers in them."""
    v = text - ZERO
    more = v >> BITS
    # The highest of the five bits is a sign, in the last character of a number alone: 32 is taken off from 16 on.
    five = v - (((v + 16) | v) & 32)
    place = xp.zeros_like(v)
    longest, inner = 1, more[:-1]
    while xp.any(inner):
        place[longest:] += inner
        # Characters that follow `longest` ones of the same number, none of which ends it.
        inner = inner[:-1] & more[longest:-1]
        longest += 1
    place *= BITS
    numbers = xp.astype(five, dtype)
    numbers <<= place
    ends = xp.nonzero(more == 0)[0]
    total = xp.take(xp.cumulative_sum(numbers, dtype=dtype), ends)
    return Digits(xp.concat([xp.zeros_like(total[:1]), total]), ends, longest)


def unchain(total: Any, first: Any, /, *, xp: Namespace) -> Any:
    """Cumulative sums (R + 1,) of the numbers of masks -> lengths (R,).

    From the fourth on, a number is what its length has more than the one two before it.
    """
    # Lengths 5, 2, 3, 4, 1 are written 5, 2, 3, 4 - 2, 1 - 3. Summed within each parity, numbers become lengths again:
    # even places 5 | 3, 3 + (1 - 3), odd places 2, 2 + (4 - 2).
    heads = first[:-1]
    lengths = xp.empty(total.shape[0] - 1, dtype=total.dtype, device=compat.device(total))
    # Two chains, at even and at odd places of all masks; a mask's own starts from what its predecessors left.
    for parity in (0, 1):
        steps = total[parity + 1 :: 2] - total[parity:-1:2]
        own = xp.take(heads, xp.nonzero(heads % 2 == parity)[0])
        steps[own // 2] = 0  # the first length is in no chain
        chain = xp.cumulative_sum(steps, dtype=steps.dtype, include_initial=True)
        before = (first + (1 - parity)) // 2
        left = xp.repeat(xp.take(chain, before[:-1]), before[1:] - before[:-1])
        lengths[parity::2] = chain[1:] - left
    lengths[heads] = xp.take(total, heads + 1) - xp.take(total, heads)
    return lengths


def text(lengths: Any, first: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Lengths of int64 -> characters (K,) of uint8, and where those of each mask start (N + 1,)."""
    device = compat.device(lengths)
    place = xp.arange(lengths.shape[0], device=device) - xp.repeat(first[:-1], first[1:] - first[:-1])
    chained = place > 2
    number = lengths - xp.where(chained, xp.roll(lengths, 2), xp.zeros_like(lengths))
    # Of the bits beyond the sign, zeros in front of a positive and ones in front of a negative number need no place.
    magnitude = number ^ (number >> 63)
    width = xp.ones_like(number)
    at, rest = None, magnitude >> (BITS - 1)
    while xp.any(rest > 0):
        width += xp.astype(rest > 0, xp.int64)
        rest = rest >> BITS
    before = xp.cumulative_sum(width, include_initial=True)
    out = xp.empty(int(before[-1]), dtype=xp.uint8, device=device)
    at = before[:-1]
    while at.shape[0]:
        goes_on = width > 1
        out[at] = xp.astype((number & 31) + (xp.astype(goes_on, xp.int64) << BITS) + ZERO, xp.uint8)
        kept = xp.nonzero(goes_on)[0]
        at, number, width = xp.take(at, kept) + 1, xp.take(number, kept) >> BITS, xp.take(width, kept) - 1
    return out, xp.take(before, first)


# ---- tables


def runs(total: Any, first: Any, /, *, xp: Namespace) -> tuple[Any, Any, Any]:
    """Cumulative sums (K + 1,) of lengths, where those of each mask start (N + 1,) -> a table: start, end, first."""
    # Lengths 2 3 1 are 2 pixels off, 3 on, 1 off. Their sums 2 5 6 are the start and the end of the run, and the end of
    # the image, which is dropped.
    own = first[1:] - first[:-1]
    place = total[1:] - xp.repeat(xp.take(total, first[:-1]), own)
    odd = own % 2 == 1
    if xp.any(odd):
        kept = xp.ones(place.shape[0], dtype=xp.bool, device=compat.device(place))
        kept[(first[1:] - 1)[odd]] = False
        place = place[kept]
    return place[0::2], place[1::2], xp.cumulative_sum(own // 2, include_initial=True)


def united(start: Any, end: Any, bits: int, count: int, /, *, xp: Namespace) -> tuple[Any, Any, Any]:
    """Starts and ends (R,), each rising, with the number of the mask above so many bits -> table of `count` masks.

    What is on, is on in any run: which start belongs to which end has no effect. Empty runs are excluded.
    """
    # A start with as many ends as starts before it: all earlier runs have ended. Of starts 0 2 8 and ends 3 5 9 the
    # start 2 comes before the end 3, so they are one run, 0-5; the start 8 comes after the end 5 and begins another.
    apart = start[1:] > end[:-1]
    edge = xp.ones(min(start.shape[0], 1), dtype=xp.bool, device=compat.device(start))
    start, end = start[xp.concat([edge, apart])], end[xp.concat([apart, edge])]
    some = end > start
    if not xp.all(some):
        start, end = start[some], end[some]
    low = (1 << bits) - 1
    every = xp.arange(count + 1, dtype=start.dtype, device=compat.device(start)) << bits
    return start & low, end & low, xp.searchsorted(start, every)


def lengths(sizes: Any, start: Any, end: Any, first: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """A table -> lengths of int64, and where those of each mask start; a mask's last one is off, and may be 0."""
    # The run 2-5 in an image of 6 pixels: places 2 5 6, whose differences are the lengths 2 3 1.
    mask = xp.arange(sizes.shape[0] + 1, dtype=first.dtype, device=compat.device(first))
    begin = 2 * first + mask
    last = begin[1:] - 1
    place = xp.empty(int(begin[-1]), dtype=xp.int64, device=compat.device(start))
    inner = xp.ones(place.shape[0], dtype=xp.bool, device=compat.device(start))
    inner[last] = False
    place[inner] = xp.reshape(xp.stack([start, end], axis=1), (-1,))
    place[last] = xp.prod(sizes, axis=1)
    gaps = xp.concat([place[:1], place[1:] - place[:-1]])
    gaps[begin[:-1]] = xp.take(place, begin[:-1])
    return gaps, begin


def spans(sizes: Any, start: Any, end: Any, first: Any, /, *, xp: Namespace) -> Spans:
    """Heights and widths (N, 2), runs -> the same, with the columns they start in."""
    height = xp.repeat(xp.astype(sizes[:, 0], start.dtype), first[1:] - first[:-1])
    return Spans(first, start, end, indexing.quotient(start, height, xp=xp), height)


def areas(start: Any, end: Any, first: Any, /, *, xp: Namespace) -> Any:
    """Runs -> pixels (N,) of int64."""
    return _totals(end - start, first, xp=xp)


def extents(on: Spans, sizes: Any, /, *, xp: Namespace) -> Any:
    """(N, 4) of int64: low x and y, high x and y, exclusive; zeros for an empty mask."""
    masks, device = sizes.shape[0], compat.device(sizes)
    owned = on.first[1:] - on.first[:-1]
    some = xp.nonzero(owned > 0)[0]
    out = xp.zeros((masks, 4), dtype=xp.int64, device=device)
    if some.shape[0] == 0:
        return out
    # A run of more than one column covers the bottom of the first and the top of the last.
    past = on.end - on.column * on.height
    within = past <= on.height
    above = xp.where(within, (on.column + 1) * on.height - on.start, on.height)
    below = xp.where(within, past, on.height)
    height = xp.take(sizes[:, 0], some)
    low, high = xp.take(on.first[:-1], some), xp.take(on.first[1:], some) - 1
    columns = (
        xp.take(on.column, low),
        height - indexing.segment_maximum(above, low, xp=xp),
        (xp.take(on.end, high) - 1) // height + 1,
        indexing.segment_maximum(below, low, xp=xp),
    )
    out[some, :] = xp.stack([xp.astype(x, xp.int64) for x in columns], axis=1)
    return out


def _totals(x: Any, first: Any, /, *, xp: Namespace) -> Any:
    """Sums of int64 over the segments that start at `first`, which ends with their end."""
    total = xp.take(xp.cumulative_sum(x, dtype=xp.int64, include_initial=True), first)
    return total[1:] - total[:-1]


# ---- overlap


def columns(on: Spans, boxes: Any, /, *, xp: Namespace) -> ColumnCuts:
    """Cut runs where columns end. `boxes` (N, 4) are the extents of the masks."""
    # The columns of all boxes are numbered through. Boxes of columns 3-5 and 7-8 have the numbers 0 1 2 and 3 4, so
    # column 8 of the second mask is number 4.
    before = xp.cumulative_sum(boxes[:, 2] - boxes[:, 0], include_initial=True)
    slot = xp.repeat(before[:-1] - boxes[:, 0], on.first[1:] - on.first[:-1]) + on.column
    slot, start, end = cut(on, slot, xp=xp)
    counts = indexing.counts(slot, int(before[-1]), xp=xp)
    return ColumnCuts(boxes[:, 0], before, xp.cumulative_sum(counts, include_initial=True), start, end)


def cut(on: Spans, slot: Any, /, *, xp: Namespace) -> tuple[Any, Any, Any]:
    """Runs, numbers (R,) of the columns where they start -> number, start and end of the parts that columns make."""
    edge = (on.column + 1) * on.height
    beyond = on.end > edge
    cuts = xp.nonzero(beyond)[0]
    if cuts.shape[0] == 0:
        return slot, on.start, on.end
    # Only runs of several columns are cut: from 2 to 9 in columns of 4 pixels are 2-4, 4-8 and 8-9.
    last = indexing.quotient(xp.take(on.end, cuts) - 1, xp.take(on.height, cuts), xp=xp)
    parts = xp.ones(slot.shape[0], dtype=xp.int64, device=compat.device(slot))
    parts = indexing.put(parts, cuts, xp.astype(last - xp.take(on.column, cuts) + 1, xp.int64), xp=xp)
    before = xp.cumulative_sum(parts, include_initial=True)
    run = indexing.segment_ids(before, xp=xp)
    slot, start, end = (xp.take(x, run) for x in (slot, on.start, on.end))
    several = xp.nonzero(xp.take(beyond, run))[0]
    run = xp.take(run, several)
    part = several - xp.take(before, run)
    height = xp.take(on.height, run)
    edge = xp.take(edge, run) + xp.astype(part, height.dtype) * height
    slot = indexing.put(slot, several, xp.take(slot, several) + part, xp=xp)
    inner = xp.maximum(edge - height, xp.take(start, several)), xp.minimum(edge, xp.take(end, several))
    start, end = (indexing.put(x, several, y, xp=xp) for x, y in zip((start, end), inner, strict=True))
    return slot, start, end


class SharedColumns(NamedTuple):
    """The columns (C,) that the masks of P pairs share."""

    before: Any  # (P + 1,) columns before each pair
    one: Any  # (C,) the first interval there in the one mask
    other: Any  # ... in the other
    of_one: Any  # (C,) how many intervals there are in the one
    of_other: Any  # ... in the other

    @property
    def combinations(self) -> Any:
        """How many pairs of intervals there are in each column."""
        return self.of_one * self.of_other


def shared_columns(
    a: ColumnCuts, b: ColumnCuts, pairs: tuple[Any, Any], low: Any, high: Any, /, *, xp: Namespace
) -> SharedColumns:
    """Pairs of numbers of masks in two tables, the columns of the image (P,) from `low` to `high` that both have."""
    before = xp.cumulative_sum(high - low, include_initial=True)
    every = xp.arange(int(before[-1]), dtype=before.dtype, device=compat.device(low))
    intervals: list[Any] = []
    for table, mask in zip((a, b), pairs, strict=True):
        start = xp.take(table.before, mask) - xp.take(table.left, mask) + low
        slot = xp.repeat(start - before[:-1], high - low) + every
        first = xp.take(table.first, slot)
        intervals += [first, xp.take(table.first, slot + 1) - first]
    one, of_one, other, of_other = intervals
    return SharedColumns(before, one, other, of_one, of_other)


def shared(a: ColumnCuts, b: ColumnCuts, common: SharedColumns, combinations: Any, /, *, xp: Namespace) -> Any:
    """Pixels (P,) that masks share, where `combinations` (C,) is not 0."""
    # Most columns have one interval of each.
    one, other = xp.minimum(common.one, a.first[-1] - 1), xp.minimum(common.other, b.first[-1] - 1)
    pixels = _common(a, b, one, other, xp=xp)
    pixels = xp.where(combinations > 0, xp.astype(pixels, xp.int64), xp.zeros_like(combinations))
    several = xp.nonzero(combinations > 1)[0]
    if several.shape[0]:
        one, of_one, other, of_other, parts = (
            xp.take(x, several) for x in (common.one, common.of_one, common.other, common.of_other, combinations)
        )
        # Each interval of one mask with each of the other: intervals 4 5 and 7 8 9 give 4 4 4 5 5 5 and 7 8 9 7 8 9.
        times = xp.repeat(of_other, of_one)
        one = xp.repeat(indexing.concatenated_ranges(one, of_one, xp=xp), times)
        other = indexing.concatenated_ranges(xp.repeat(other, of_one), times, xp=xp)
        both = _common(a, b, one, other, xp=xp)
        pixels = indexing.put(pixels, several, _totals(both, indexing.starts(parts, xp=xp), xp=xp), xp=xp)
    return _totals(pixels, common.before, xp=xp)


def _common(a: ColumnCuts, b: ColumnCuts, one: Any, other: Any, /, *, xp: Namespace) -> Any:
    """Pixels (K,) that intervals have in common, by their numbers (K,) in two tables."""
    end = xp.minimum(xp.take(a.end, one), xp.take(b.end, other))
    both = end - xp.maximum(xp.take(a.start, one), xp.take(b.start, other))
    return xp.maximum(both, xp.zeros_like(both))


def shared_by_sorting(a: Spans, b: Spans, pairs: tuple[Any, Any], pixels: int, /, *, xp: Namespace) -> Any:
    """Pixels (P,) that masks share, in images of at most `pixels`: regardless of their form, in time of their runs."""
    # Each start and end of a run toggles its mask, and all toggles of a pair are sorted by place, as one integer each:
    # pair | place | which mask. With runs 2-5 of the one and 3-7 of the other mask the toggles are 2a 3b 5a 7b, the
    # counters after them (1, 0) (1, 1) (2, 1) (2, 2), and only between 3 and 5 both are odd: 2 shared pixels.
    count, device = pairs[0].shape[0], compat.device(a.start)
    bits = (pixels + 1).bit_length()
    toggles = []
    for which, (on, mask) in enumerate(zip((a, b), pairs, strict=True)):
        first, at = indexing.segments(on.first, mask, xp=xp)
        pair = xp.repeat(xp.arange(count, device=device), first[1:] - first[:-1]) << (bits + 1)
        ends = (xp.astype(xp.take(x, at), xp.int64) for x in (on.start, on.end))
        toggles += [pair + (x << 1) + which for x in ends]
    keys = xp.sort(xp.concat(toggles))
    # Two counters in one number: how often each mask has changed so far, an even number before and after a pair.
    state = xp.cumulative_sum(xp.where(keys & 1 == 1, xp.full_like(keys, 1 << 32), xp.ones_like(keys)))
    place = keys >> 1
    both = (state & (state >> 32) & 1)[:-1] * (place[1:] - place[:-1])
    pair = xp.arange(count + 1, dtype=keys.dtype, device=device) << bits
    first = xp.searchsorted(place, pair)
    return _totals(xp.concat([both, xp.zeros(1, dtype=both.dtype, device=device)]), first, xp=xp)
