"""Greedy matching of detections to objects, as bits: one bit for each pair of an IoU threshold and an area range.

With T thresholds, bit ``area * T + threshold`` of a word says what happens at both. For the thresholds 0.5 and 0.75
and the area ranges "all" and "small", the bits are, from the lowest, (0.5, all), (0.75, all), (0.5, small) and (0.75,
small). A pair of IoU 0.6 may match at ``0b0101``. One ``&`` of two words answers for all thresholds and area ranges.
"""

import functools
import operator
from collections.abc import Iterable
from typing import Any, NamedTuple

import array_api_compat as compat

from omniou._lib import indexing
from omniou._lib.types import Namespace

# Exceeds the number of thresholds whose bits fit an integer; up to _FEW thresholds, comparisons beat a binary search.
_LEVELS, _FEW = 64, 20


class Entries(NamedTuple):
    """Objects that detections may take, (E,) each: group after group, and in a group in the order of taking."""

    detections: Any  # numbers
    targets: Any  # numbers
    bits: Any  # thresholds and areas at which the two may match
    ignored: Any  # whether the match does not count
    crowd: Any  # whether the target stays free, for any number of detections


class Taken(NamedTuple):
    """Bits so far: of each detection, that it is matched, and that its match is ignored; of each object."""

    matched: Any  # (D,)
    ignored: Any  # (D,)
    objects: Any  # (O,)


def entries_at(places: Any, entries: Entries, /, *, xp: Namespace) -> Entries:
    """Places (G,) -> the entries there."""
    return Entries(*(xp.take(x, places) for x in entries))


def take(now: Entries, taken: Taken, /, *, xp: Namespace) -> tuple[Taken, Any]:
    """Entries (G,) of distinct detections and objects: each takes what both still have free, bits (G,)."""
    matched, objects = xp.take(taken.matched, now.detections), xp.take(taken.objects, now.targets)
    none = xp.zeros_like(matched)
    # A pair wins where it may match and both are free. It may match at 0b0111, its detection is matched at 0b0001 and
    # its object taken at 0b0100: it wins at 0b0010. A crowd is never taken.
    win = now.bits & ~(matched | xp.where(now.crowd, none, objects))
    ignored = xp.take(taken.ignored, now.detections) | xp.where(now.ignored, win, none)
    objects = objects | xp.where(now.crowd, none, win)
    after = Taken(
        indexing.put(taken.matched, now.detections, matched | win, xp=xp),
        indexing.put(taken.ignored, now.detections, ignored, xp=xp),
        indexing.put(taken.objects, now.targets, objects, xp=xp),
    )
    return after, win


def take_each(entries: Entries, taken: Taken, /, *, xp: Namespace) -> tuple[Taken, Any]:
    """Do the same as `take` for entries one after the other, which may share detections and objects."""
    places = entries.detections, entries.detections, entries.targets
    held = [
        dict(zip(indexing.to_list(at), indexing.to_list(xp.take(x, at)), strict=True))
        for x, at in zip(taken, places, strict=True)
    ]
    matched, ignored, objects = held
    wins = []
    for detection, target, bits, is_ignored, crowd in zip(*map(indexing.to_list, entries), strict=True):
        win = bits & ~(matched[detection] | (0 if crowd else objects[target]))
        matched[detection] |= win
        ignored[detection] |= win if is_ignored else 0
        objects[target] |= 0 if crowd else win
        wins.append(win)

    def numbers(x: Iterable[int]) -> Any:
        return xp.asarray(list(x), dtype=xp.int64, device=compat.device(entries.bits))

    after = (
        indexing.put(x, numbers(known), numbers(known.values()), xp=xp) for x, known in zip(taken, held, strict=True)
    )
    return Taken(*after), numbers(wins)


def levels(overlap: Any, thresholds: tuple[float, ...], /, *, xp: Namespace) -> Any:
    """Overlaps (P,), none of them NaN -> how many of the rising thresholds each meets."""
    rising: Any = thresholds
    if len(rising) <= _FEW:
        each = (xp.astype(overlap >= threshold, xp.uint8) for threshold in rising)
        return xp.astype(functools.reduce(operator.add, each), xp.int64)
    rising = xp.asarray(rising, dtype=overlap.dtype, device=compat.device(overlap))
    return xp.astype(xp.searchsorted(rising, overlap, side="right"), xp.int64)


def least(threshold: float, /) -> float:
    """Return the numbers that overlaps are compared with: as in the reference, a rounded perfect one reaches 1."""
    return min(threshold, 1 - 1e-10)


def bits_of_levels(thresholds: int, areas: int, /, *, like: Any, xp: Namespace) -> Any:
    """-> bits (T + 1,) of the lowest 0 ... T thresholds, the same for each area range."""
    # `every` has the lowest bit of each area range, so a product repeats the bits of thresholds in all of them. With
    # two thresholds and two ranges it is 0b0101: level 1 gives 0b01 * 0b0101 = 0b0101, level 2 gives 0b11 * 0b0101 =
    # 0b1111.
    every = sum(1 << (area * thresholds) for area in range(areas))
    bits = [((1 << number) - 1) * every for number in range(thresholds + 1)]
    return xp.asarray(bits, dtype=xp.int64, device=compat.device(like))


def first_come(targets: Any, level: Any, crowd: Any, /, *, xp: Namespace) -> Any:
    """Objects (P,) rising, how many thresholds each detection meets (P,), crowds -> how many are taken by then (P,).

    Each detection overlaps one object; the detections of an object come in the order in which they take it. Of a crowd
    none is ever taken.
    """
    # A running maximum of object and level in one integer starts anew with each object, whose number is the larger
    # part. Detections of object 5 that meet 3, 1 and 7 thresholds pack to 323, 321 and 327, and the maxima before them
    # are those of another object, 323 and 323. So 0, 3 and 3 thresholds are taken: the second gets none, the third 4 to
    # 7.
    packed = targets * _LEVELS + level
    highest = indexing.but_last(indexing.cumulative_maximum(packed, xp=xp))
    same = indexing.rest(targets) == indexing.but_last(targets)
    before = xp.where(same, highest & (_LEVELS - 1), xp.zeros_like(highest))
    before = xp.concat([xp.zeros_like(indexing.head(level)), before])
    return xp.where(crowd, xp.zeros_like(before), before)


def area_bits(counts: Any, thresholds: int, /, *, xp: Namespace) -> Any:
    """(A, N) booleans -> bits (N,), set at all thresholds of the area ranges where an object counts."""
    # With two thresholds, an object that counts in the second of two area ranges only has 0b1100.
    every = (1 << thresholds) - 1
    bits = xp.zeros(counts.shape[1:], dtype=xp.int64, device=compat.device(counts))
    for area in range(counts.shape[0]):
        bits = bits | (xp.astype(counts[area, ...], xp.int64) * (every << (area * thresholds)))
    return bits
