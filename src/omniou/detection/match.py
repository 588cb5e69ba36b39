"""Which detection takes which object, at all thresholds and area ranges and in all images at once."""

import functools
import itertools
import operator
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import array_api_compat as compat

from omniou._kernels import matching as kernels
from omniou._kernels.boxes import Boxes
from omniou._kernels.matching import Entries, Taken
from omniou._lib import indexing, ordering
from omniou._lib.types import Namespace
from omniou.detection import parts, tables
from omniou.detection.parts import Columns
from omniou.detection.protocol import Protocol
from omniou.detection.tables import Groups, Ids, Listed, Objects, Suitors

# Pairs that are looked at together: bounds the memory whatever the number of boxes in an image.
TILE = 2**18
# Bits of an int64 that stay clear of its sign.
BITS = 62
# Pairs for each turn, below which one by one is faster.
ALIKE = 64


class Pairs(NamedTuple):
    """What is to be compared: rows in the tables as they were given (P,), and their bounds where they are asked for."""

    found: Any
    wanted: Any
    crowd: Any
    bounds: Callable[[], tuple[Boxes, Boxes]]


# -> overlap (P,)
Overlap: TypeAlias = Callable[[Pairs], Any]


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


class Offers(NamedTuple):
    """Edges, whose detections are numbered anew: those that overlap nothing are left out."""

    suitor: Any  # (D,) old number of each
    sole: Edges  # of objects whose suitors have no other: by object, then falling score
    contested: Edges  # all others: by detection, then in the order that it is offered them


class Met(NamedTuple):
    """Edges, and the thresholds and area ranges of a word at which each may match."""

    edges: Edges
    level: Any  # (E,) how many of the thresholds are met
    bits: Any  # (T + 1,) those of so many thresholds, in all area ranges
    counts: Any  # (E,) bits of the area ranges in which the object counts


class Candidates(NamedTuple):
    """Both tables, and the pairs of them that may match."""

    objects: Objects
    listed: Listed
    suitors: Suitors
    edges: Edges


class Word(NamedTuple):
    """Thresholds and area ranges, as slices of the protocol's, whose outcomes share one integer."""

    thresholds: slice
    areas: slice


class Outcome(NamedTuple):
    """What became of the detections that match an object at some threshold, in some area range, by row."""

    rows: Any  # (E,) rows of `Listed`, rising
    rank: Any  # (E,) in the group, from 0
    matched: list[Any]  # bits (E,) for each word
    ignored: list[Any]  # bits (E,) for each word: matched to an object that is ignored


def candidates(columns: Columns, ids: Ids, protocol: Protocol, overlap: Overlap, /) -> Candidates:
    """The pairs of given classes and images that overlap enough for the lowest threshold."""
    xp, truth, found = columns.xp, columns.truth, columns.found
    objects = tables.objects(truth, ids, protocol, xp=xp)
    listed = tables.verified(tables.listed(found, ids, protocol, xp=xp), objects, truth.negative, ids, xp=xp)
    suitors, groups = tables.suitors(listed, objects, xp=xp)
    rows = xp.take(listed.rows, suitors.rows)
    bounds = parts.take(found.boxes, rows, xp=xp), rows, parts.take(truth.boxes, objects.rows, xp=xp), objects.rows
    shapes = Shapes(*bounds, overlap)
    edges = _edges(suitors, groups, shapes, objects.crowd, protocol.iou_thresholds[0], xp=xp)
    if protocol.tie_policy == "invariant":
        listed, edges = _settle_ties(listed, suitors, edges, xp=xp)
    return Candidates(objects, listed, suitors, edges)


def match(pairs: Candidates, protocol: Protocol, /, *, xp: Namespace) -> Outcome:
    """All greedy matchings: detections by falling score, each takes the best object that it may."""
    offers = _offers(pairs, protocol, xp=xp)
    words_taken = [_greedy(offers, pairs.objects, protocol, word, xp=xp)[0] for word in words(protocol)]
    kept = xp.nonzero(functools.reduce(operator.or_, (taken.matched for taken in words_taken)) != 0)[0]
    suitor = xp.take(offers.suitor, kept)
    rows = xp.take(pairs.suitors.rows, suitor)
    order = ordering.rising(rows, int(xp.max(rows)) + 1 if rows.shape[0] else 1, xp=xp)
    kept, suitor, rows = (xp.take(x, order) for x in (kept, suitor, rows))
    bits = ([xp.take(getattr(taken, name), kept) for taken in words_taken] for name in ("matched", "ignored"))
    return Outcome(rows, xp.take(pairs.suitors.rank, suitor), *bits)


def matched_pairs(pairs: Candidates, protocol: Protocol, /, *, xp: Namespace) -> list[tuple[Word, Entries]]:
    """Of each word what matches: rows of `Listed` and of `Objects`, and the bits at which they do (P,)."""
    offers = _offers(pairs, protocol, xp=xp)
    rows = xp.take(pairs.suitors.rows, offers.suitor)
    found = []
    for word in words(protocol):
        _, steps = _greedy(offers, pairs.objects, protocol, word, xp=xp)
        taken = Entries(*(xp.concat(list(x)) for x in zip(*steps, strict=True)))
        found.append((word, taken._replace(found=xp.take(rows, taken.found))))
    return found


def _offers(pairs: Candidates, protocol: Protocol, /, *, xp: Namespace) -> Offers:
    """Edges in the order that they are offered in. Those that overlap nothing are done with."""
    edges = pairs.edges
    if protocol.assignment == "best":
        edges = _best_alone(edges, pairs.objects.crowd, xp=xp)
    first = indexing.run_starts(edges.found, xp=xp)
    suitor = xp.take(edges.found, first)
    ends = xp.concat([first, _end(edges.found, xp=xp)])
    sizes = indexing.rest(ends) - first
    number = indexing.owners(ends, xp=xp)
    edges = edges._replace(found=number)
    # Under other rules a pair may be offered twice, or taken by any number: that takes turns.
    if (protocol.assignment, protocol.crowds) != ("free", "ignored"):
        return Offers(suitor, _rows(edges, number[:0], xp=xp), _by_preference(edges, first.shape[0], xp=xp))
    # An object is contested where one of its suitors has a choice.
    choice = xp.take(edges.wanted, xp.nonzero(xp.take(sizes, number) > 1)[0])
    contested = indexing.put(xp.zeros_like(pairs.objects.crowd), choice, xp.ones_like(choice) == 1, xp=xp)
    contested = xp.take(contested, edges.wanted)
    sole, rest = (_rows(edges, xp.nonzero(x)[0], xp=xp) for x in (~contested, contested))
    order = ordering.rising(sole.wanted, max(1, pairs.objects.area.shape[0]), xp=xp)
    return Offers(suitor, _rows(sole, order, xp=xp), _by_preference(rest, first.shape[0], xp=xp))


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
    """The pairs that overlap enough.

    Only pairs inside one class and image are looked at, a tile of detections at a time.
    """
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
            suitor, wanted = _meeting(shapes, part, suitor, wanted, xp=xp)
        else:
            suitor = suitor + start
        overlap = shapes.overlap(_compared(shapes, suitor, wanted, crowd, xp=xp))
        close = xp.nonzero(overlap >= min(threshold, 1 - 1e-10))[0]
        kept.append(tuple(xp.take(x, close) for x in (suitor, wanted, overlap)))
    if not kept:
        none = sizes[:0]
        return Edges(none, none, shapes.found.area[:0])
    return Edges(*(xp.concat(list(parts)) for parts in zip(*kept, strict=True)))


def _compared(shapes: Shapes, suitor: Any, wanted: Any, crowd: Any, /, *, xp: Namespace) -> Pairs:
    rows = xp.take(shapes.found_rows, suitor), xp.take(shapes.wanted_rows, wanted)

    def bounds() -> tuple[Boxes, Boxes]:
        ours, theirs = (
            Boxes(*(xp.take(x, places, axis=x.ndim - 1) for x in boxes))
            for boxes, places in ((shapes.found, suitor), (shapes.wanted, wanted))
        )
        return ours, theirs

    return Pairs(*rows, xp.take(crowd, wanted), bounds)


def _pairs(numbers: Any, sizes: Any, groups: Groups, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Groups of suitors (C,), objects there (C,) -> suitor, from 0, and object of each pair (P,)."""
    before = indexing.starts(sizes, xp=xp)
    every = xp.arange(int(before[-1]), dtype=before.dtype, device=compat.device(before))
    suitor = indexing.owners(before, xp=xp)
    return suitor, every + xp.take(xp.take(groups.first, numbers) - before[:-1], suitor)


def _meeting(shapes: Shapes, part: slice, suitor: Any, wanted: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """The pairs whose bounds overlap, one axis after the other: most are gone after the first."""
    low, high = shapes.found.low[:, part], shapes.found.high[:, part]
    for axis in range(low.shape[0]):
        a_low, a_high = (xp.take(x[axis, :], suitor) for x in (low, high))
        b_low, b_high = (xp.take(x[axis, :], wanted) for x in (shapes.wanted.low, shapes.wanted.high))
        meet = xp.nonzero((a_low < b_high) & (b_low < a_high))[0]
        suitor, wanted = xp.take(suitor, meet), xp.take(wanted, meet)
    return suitor + part.start, wanted


def _settle_ties(listed: Listed, found: Suitors, edges: Edges, /, *, xp: Namespace) -> tuple[Listed, Edges]:
    """Of detections of equal score in a group the one of highest overlap comes first.

    They swap what they stand for in `Listed`.
    """
    scores = xp.take(listed.scores, found.rows)
    same = (indexing.rest(found.numbers) == indexing.but_last(found.numbers)) & (
        indexing.rest(scores) == indexing.but_last(scores)
    )
    run = xp.cumulative_sum(xp.astype(xp.concat([indexing.head(found.numbers) < 0, ~same]), xp.int64))
    best = xp.zeros_like(scores)
    order = ordering.falling(edges.found, max(1, scores.shape[0]), edges.overlap, xp=xp)
    first = xp.take(order, indexing.run_starts(edges.found, xp=xp))
    best = indexing.put(best, xp.take(edges.found, first), xp.take(edges.overlap, first), xp=xp)
    order = ordering.falling(run, max(1, scores.shape[0]), best, xp=xp)
    swapped = xp.take(found.rows, order)
    rows, area = (indexing.put(x + 0, found.rows, xp.take(x, swapped), xp=xp) for x in (listed.rows, listed.area))
    every = xp.arange(order.shape[0], dtype=xp.int64, device=compat.device(order))
    number = xp.take(indexing.put(xp.zeros_like(every), order, every, xp=xp), edges.found)
    again = ordering.rising(number, max(1, order.shape[0]), xp=xp)
    moved = edges._replace(found=number)
    return listed._replace(rows=rows, area=area), Edges(*(xp.take(x, again) for x in moved))


def _best_alone(edges: Edges, crowd: Any, /, *, xp: Namespace) -> Edges:
    """Of each detection the object of highest overlap, the earlier of equal ones; and likewise the crowd."""
    major = 2 * edges.found + xp.astype(xp.take(crowd, edges.wanted), xp.int64)
    bound = int(xp.max(major)) + 1 if major.shape[0] else 1
    best = ordering.falling(major, bound, edges.overlap, xp=xp)
    kept = xp.sort(xp.take(best, indexing.run_starts(xp.take(major, best), xp=xp)))
    return Edges(*(xp.take(x, kept) for x in edges))


def _by_preference(edges: Edges, found: int, /, *, xp: Namespace) -> Edges:
    """Edges of a detection by falling overlap; of equal ones the later object comes first."""
    last = edges.found.shape[0] - 1
    order = last - ordering.falling(xp.flip(edges.found), max(1, found), xp.flip(edges.overlap), xp=xp)
    return _rows(edges, order, xp=xp)


def _rows(edges: Edges, rows: Any, /, *, xp: Namespace) -> Edges:
    return Edges(*(xp.take(x, rows) for x in edges))


def _greedy(
    offers: Offers, objects: Objects, protocol: Protocol, word: Word, /, *, xp: Namespace
) -> tuple[Taken, list[Entries]]:
    """What is taken in the end, and in each step."""
    found = offers.suitor.shape[0]
    sizes = found, found, objects.area.shape[0]
    taken = Taken(*(xp.zeros(size, dtype=xp.int64, device=compat.device(offers.suitor)) for size in sizes))
    sole, contested = (_met(edges, objects, protocol, word, xp=xp) for edges in (offers.sole, offers.contested))
    taken, first = _without_choice(sole, objects, taken, xp=xp)
    taken, others = _in_turns(*_entries(contested, objects, found, protocol, xp=xp), taken, xp=xp)
    return taken, [first, *others]


def _met(edges: Edges, objects: Objects, protocol: Protocol, word: Word, /, *, xp: Namespace) -> Met:
    thresholds, areas = protocol.iou_thresholds[word.thresholds], protocol.area_ranges[word.areas]
    area, ignore = (xp.take(x, edges.wanted) for x in (objects.area, objects.ignore))
    counts = xp.stack([~ignore & (area >= limits.low) & (area <= limits.high) for limits in areas])
    return Met(
        edges,
        kernels.levels(edges.overlap, thresholds, xp=xp),
        kernels.bits_of_levels(len(thresholds), len(areas), like=edges.wanted, xp=xp),
        kernels.area_bits(counts, len(thresholds), xp=xp),
    )


def _without_choice(met: Met, objects: Objects, taken: Taken, /, *, xp: Namespace) -> tuple[Taken, Entries]:
    """Where all suitors of an object have no other, each takes it at the thresholds that none before it meets."""
    edges, level, bits, counts = met
    crowd = xp.take(objects.crowd, edges.wanted)
    before = kernels.first_come(edges.wanted, level, crowd, xp=xp)
    win = xp.take(bits, level) & ~xp.take(bits, before)
    # Whether a pair is ignored depends on the area range: who asks for pairs asks about one.
    return taken._replace(
        matched=indexing.put(taken.matched, edges.found, win, xp=xp),
        ignored=indexing.put(taken.ignored, edges.found, win & ~counts, xp=xp),
    ), Entries(edges.found, edges.wanted, win, (win & counts) == 0, crowd)


def _in_turns(entries: Entries, groups: Any, taken: Taken, /, *, xp: Namespace) -> tuple[Taken, list[Entries]]:
    """Step k offers the k-th pair of every group; or where few groups have one left, pairs are offered one by one."""
    if entries.bits.shape[0] == 0:
        return taken, []
    first = indexing.run_starts(groups, xp=xp)
    size = indexing.rest(xp.concat([first, _end(entries.bits, xp=xp)])) - first
    longest = int(xp.max(size))
    if entries.bits.shape[0] < ALIKE * longest:
        taken, win = kernels.take_each(entries, taken, xp=xp)
        return taken, [entries._replace(bits=win)]
    # Groups with many entries first, so that a step touches only those that still have one.
    order = ordering.rising(longest - size, longest, xp=xp)
    first, size = xp.take(first, order), xp.take(size, order)
    steps = xp.arange(longest, dtype=size.dtype, device=compat.device(size))
    still = size.shape[0] - xp.searchsorted(xp.flip(size), steps, side="right")
    taking = []
    for step, count in enumerate(indexing.to_list(still)):
        now = kernels.offer(first[:count] + step, entries, xp=xp)
        taken, win = kernels.take(now, taken, xp=xp)
        taking.append(now._replace(bits=win))
    return taken, taking


def _entries(met: Met, objects: Objects, found: int, protocol: Protocol, /, *, xp: Namespace) -> tuple[Entries, Any]:
    """Each edge twice: at areas where the object counts, and at areas where it is ignored; and their groups.

    A crowd that is found once is offered after all others: to count, and then to be ignored.
    """
    edges, level, bits, counts = met
    every = xp.take(bits, level)
    stages, crowd = [every & counts, every & ~counts], xp.take(objects.crowd, edges.wanted)
    if protocol.crowds == "once":
        none = xp.zeros_like(every)
        alone = [xp.where(crowd, none, x) for x in stages]
        stages = [*alone, xp.where(crowd, every & counts, none), xp.where(crowd, every, none)]
    bits = xp.concat(stages)
    suitor, wanted = (xp.concat([x] * len(stages)) for x in (edges.found, edges.wanted))
    stage = xp.arange(bits.shape[0], device=compat.device(bits)) // max(1, edges.found.shape[0])
    ignored = stage % 2 == 1
    rows = xp.nonzero(bits != 0)[0]
    # What counts stays before all that is ignored.
    rows = xp.take(rows, ordering.rising(xp.take(suitor, rows), max(1, found), xp=xp))
    suitor, wanted, bits, ignored = (xp.take(x, rows) for x in (suitor, wanted, bits, ignored))
    free = xp.take(objects.crowd, wanted) & ignored
    # Where a detection is held to its best object, one that is ignored takes any number of them.
    free = free | ignored if protocol.assignment == "best" else free
    return Entries(suitor, wanted, bits, ignored, free), xp.take(objects.groups, wanted)
