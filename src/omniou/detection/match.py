"""Which detection takes which object, at all thresholds and area ranges and in all images at once."""

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import array_api_compat as compat

from omniou._kernels import matching as kernels
from omniou._kernels.boxes import Boxes
from omniou._kernels.matching import Entries, Taken
from omniou._lib import indexing, ordering
from omniou._lib.types import Namespace
from omniou.detection.protocol import Protocol
from omniou.detection.tables import Groups, Objects, Suitors

# Rows of detections (P,), of objects (P,), crowds (P,) -> overlap (P,), in the tables as they were given.
Overlap: TypeAlias = Callable[[Any, Any, Any], Any]

# Pairs that are looked at together: bounds the memory whatever the number of boxes in an image.
TILE = 2**18
# Bits of an int64 that stay clear of its sign.
BITS = 62


class Shapes(NamedTuple):
    """What overlaps: all pairs whose bounds meet are compared by `overlap`."""

    found: Boxes  # bounds of the detections, in the order of the suitors
    found_rows: Any  # of the table as it was given
    wanted: Boxes  # bounds of the objects, in the order of `Objects`
    wanted_rows: Any
    overlap: Overlap


class Edges(NamedTuple):
    """Pairs of a detection and an object that may match at the lowest threshold, (E,), by detection, then object."""

    found: Any  # number of the suitor
    wanted: Any  # row of `Objects`
    overlap: Any


class Word(NamedTuple):
    """Thresholds and area ranges, as slices of the protocol's, whose outcomes share one integer."""

    thresholds: slice
    areas: slice


class Outcome(NamedTuple):
    """What became of the detections that overlap an object, by row."""

    rows: Any  # (E,) rows of `Listed`, rising
    rank: Any  # (E,) in the group, from 0
    matched: list[Any]  # bits (E,) for each word
    ignored: list[Any]  # bits (E,) for each word: matched to an object that is ignored


def match(
    objects: Objects, found: Suitors, groups: Groups, shapes: Shapes, protocol: Protocol, /, *, xp: Namespace
) -> Outcome:
    """All greedy matchings: detections by falling score, each takes the best object that it may."""
    edges = _edges(found, groups, shapes, objects.crowd, protocol.iou_thresholds[0], xp=xp)
    if protocol.assignment == "best":
        edges = _best_alone(edges, objects.crowd, xp=xp)
    first = indexing.run_starts(edges.found, xp=xp)
    suitor = xp.take(edges.found, first)
    rows = xp.take(found.rows, suitor)
    order = ordering.rising(rows, int(xp.max(rows)) + 1 if rows.shape[0] else 1, xp=xp)
    # Detections that overlap nothing are done with: the others are numbered anew.
    sizes = indexing.rest(xp.concat([first, _end(edges.found, xp=xp)])) - first
    number = xp.repeat(xp.arange(first.shape[0], device=compat.device(rows)), sizes)
    edges = _by_preference(edges._replace(found=number), first.shape[0], xp=xp)
    matched, ignored = [], []
    for word in words(protocol):
        taken = _greedy(edges, objects, rows.shape[0], protocol, word, xp=xp)
        matched.append(xp.take(taken.matched, order))
        ignored.append(xp.take(taken.ignored, order))
    return Outcome(xp.take(rows, order), xp.take(xp.take(found.rank, suitor), order), matched, ignored)


def words(protocol: Protocol) -> list[Word]:
    """Cut thresholds x area ranges into pieces that fit an integer; COCO's fit one."""
    thresholds, areas = len(protocol.iou_thresholds), len(protocol.area_ranges)
    wide = min(thresholds, BITS)
    high = BITS // wide
    return [
        Word(slice(t, min(t + wide, thresholds)), slice(a, min(a + high, areas)))
        for a in range(0, areas, high)
        for t in range(0, thresholds, wide)
    ]


def _end(x: Any, /, *, xp: Namespace) -> Any:
    return xp.asarray([x.shape[0]], dtype=xp.int64, device=compat.device(x))


def _edges(found: Suitors, groups: Groups, shapes: Shapes, crowd: Any, threshold: float, /, *, xp: Namespace) -> Edges:
    """Only pairs inside one class and image are looked at, a tile of detections at a time."""
    sizes = xp.take(groups.sizes, found.numbers)
    before = indexing.starts(sizes, xp=xp)
    total = int(before[-1])
    tiles = xp.arange(0, total, TILE, dtype=before.dtype, device=compat.device(before))
    cuts = [*indexing.to_list(xp.searchsorted(before[:-1], tiles)), sizes.shape[0]]
    kept = []
    for start, stop in itertools.pairwise(cuts):
        part = slice(start, stop)
        suitor, wanted = _pairs(found.numbers[part], sizes[part], groups, xp=xp)
        # Without a threshold, pairs that do not even meet may match.
        if threshold > 0:
            suitor, wanted = _meeting(shapes, part, suitor, wanted, sizes[part], xp=xp)
        else:
            suitor = suitor + start
        rows = xp.take(shapes.found_rows, suitor), xp.take(shapes.wanted_rows, wanted)
        overlap = shapes.overlap(*rows, xp.take(crowd, wanted))
        close = xp.nonzero(overlap >= min(threshold, 1 - 1e-10))[0]
        kept.append(tuple(xp.take(x, close) for x in (suitor, wanted, overlap)))
    if not kept:
        none = sizes[:0]
        return Edges(none, none, shapes.found.area[:0])
    return Edges(*(xp.concat(list(parts)) for parts in zip(*kept, strict=True)))


def _pairs(numbers: Any, sizes: Any, groups: Groups, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Groups of suitors (C,), objects there (C,) -> suitor, from 0, and object of each pair (P,)."""
    before = indexing.starts(sizes, xp=xp)
    every = xp.arange(int(before[-1]), dtype=before.dtype, device=compat.device(before))
    suitor = xp.repeat(xp.arange(sizes.shape[0], dtype=before.dtype, device=compat.device(before)), sizes)
    return suitor, every + xp.repeat(xp.take(groups.first, numbers) - before[:-1], sizes)


def _meeting(shapes: Shapes, part: slice, suitor: Any, wanted: Any, sizes: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """The pairs whose bounds overlap, one axis after the other: most are gone after the first."""
    low, high = shapes.found.low[:, part], shapes.found.high[:, part]
    a_low, a_high = (xp.repeat(x[0, :], sizes) for x in (low, high))
    b_low, b_high = (xp.take(x[0, :], wanted) for x in (shapes.wanted.low, shapes.wanted.high))
    meet = xp.nonzero((a_low < b_high) & (b_low < a_high))[0]
    suitor, wanted = xp.take(suitor, meet), xp.take(wanted, meet)
    for axis in range(1, low.shape[0]):
        a_low, a_high = (xp.take(x[axis, :], suitor) for x in (low, high))
        b_low, b_high = (xp.take(x[axis, :], wanted) for x in (shapes.wanted.low, shapes.wanted.high))
        meet = xp.nonzero((a_low < b_high) & (b_low < a_high))[0]
        suitor, wanted = xp.take(suitor, meet), xp.take(wanted, meet)
    return suitor + part.start, wanted


def _best_alone(edges: Edges, crowd: Any, /, *, xp: Namespace) -> Edges:
    """Of each detection the object of highest overlap, the earlier of equal ones; and all crowds."""
    crowds = xp.take(crowd, edges.wanted)
    single = xp.nonzero(~crowds)[0]
    found = xp.take(edges.found, single)
    bound = int(xp.max(found)) + 1 if found.shape[0] else 1
    best = xp.take(single, ordering.falling(found, bound, xp.take(edges.overlap, single), xp=xp))
    best = xp.take(best, indexing.run_starts(xp.take(edges.found, best), xp=xp))
    kept = xp.sort(xp.concat([best, xp.nonzero(crowds)[0]]))
    return Edges(*(xp.take(x, kept) for x in edges))


def _by_preference(edges: Edges, found: int, /, *, xp: Namespace) -> Edges:
    """Edges of a detection by falling overlap; of equal ones the later object comes first."""
    last = edges.found.shape[0] - 1
    order = last - ordering.falling(xp.flip(edges.found), max(1, found), xp.flip(edges.overlap), xp=xp)
    return Edges(*(xp.take(x, order) for x in edges))


def _greedy(edges: Edges, objects: Objects, found: int, protocol: Protocol, word: Word, /, *, xp: Namespace) -> Taken:
    entries, groups = _entries(edges, objects, found, protocol, word, xp=xp)
    device = compat.device(entries.bits)
    sizes = found, found, objects.area.shape[0]
    taken = Taken(*(xp.zeros(size, dtype=xp.int64, device=device) for size in sizes))
    if entries.bits.shape[0] == 0:
        return taken
    first = indexing.run_starts(groups, xp=xp)
    size = indexing.rest(xp.concat([first, _end(entries.bits, xp=xp)])) - first
    # Groups with many entries first, so that a step touches only those that still have one.
    longest = int(xp.max(size))
    order = ordering.rising(longest - size, longest, xp=xp)
    first, size = xp.take(first, order), xp.take(size, order)
    steps = xp.arange(longest, dtype=size.dtype, device=device)
    still = size.shape[0] - xp.searchsorted(xp.flip(size), steps, side="right")
    for step, count in enumerate(indexing.to_list(still)):
        taken = kernels.take(kernels.offer(first[:count] + step, entries, xp=xp), taken, xp=xp)
    return taken


def _entries(
    edges: Edges, objects: Objects, found: int, protocol: Protocol, word: Word, /, *, xp: Namespace
) -> tuple[Entries, Any]:
    """Each edge twice: at areas where the object counts, and at areas where it is ignored."""
    thresholds, areas = protocol.iou_thresholds[word.thresholds], protocol.area_ranges[word.areas]
    counts = xp.stack([~objects.ignore & (objects.area >= a.low) & (objects.area <= a.high) for a in areas])
    at = xp.take(kernels.area_bits(counts, len(thresholds), xp=xp), edges.wanted)
    met = kernels.threshold_bits(edges.overlap, thresholds, len(areas), xp=xp)
    bits = xp.concat([met & at, met & ~at])
    suitor, wanted = (xp.concat([x, x]) for x in (edges.found, edges.wanted))
    half = edges.found.shape[0]
    ignored = xp.arange(2 * half, device=compat.device(bits)) >= half
    rows = xp.nonzero(bits != 0)[0]
    # What counts stays before all that is ignored.
    rows = xp.take(rows, ordering.rising(xp.take(suitor, rows), max(1, found), xp=xp))
    suitor, wanted, bits, ignored = (xp.take(x, rows) for x in (suitor, wanted, bits, ignored))
    free = xp.take(objects.crowd, wanted)
    # Where a detection is held to its best object, one that is ignored takes any number of them.
    free = free | ignored if protocol.assignment == "best" else free
    return Entries(suitor, wanted, bits, ignored, free), xp.take(objects.groups, wanted)
