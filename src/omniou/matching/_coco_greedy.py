"""COCO's greedy matching: detections by falling score, each takes the best object that it may.

A detection that takes an object which counts is a true positive at this threshold and area range. One that takes an
ignored object does not count. One that takes no object is a false positive, if its own area is in the range.

For all thresholds, area ranges and images at once; outcomes are bits (`coco_bits`). The objects are any named tuple
with the columns `pools`, `crowd`, `ignore` and `area`, sorted by pool. A pool is what can match inside itself only,
such as what one image has of one class.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import array_api_compat as compat

from omniou._lib import indexing, ordering
from omniou._lib.types import Namespace
from omniou.matching import _coco_bits as kernels
from omniou.matching._coco_bits import Entries, Taken

# Bits of an int64 below its sign.
BITS = 62
# With fewer pairs per step than this, a Python loop over the pairs is faster.
ALIKE = 64


def spaced(start: float, stop: float, number: int) -> tuple[float, ...]:
    """Equal to the last bit to `numpy.linspace`, which COCO's reference takes its float64 thresholds from."""
    step = (stop - start) / (number - 1)
    return (*(k * step + start for k in range(number - 1)), stop)


COCO_THRESHOLDS = spaced(0.5, 0.95, 10)


class CocoRules(NamedTuple):
    """The objects that detections may take."""

    thresholds: tuple[float, ...]  # rising, those of IoU as `coco_bits.least` returns them
    areas: Sequence[Any]  # ranges with `low` and `high`
    best_only: bool = False  # only the object of the highest overlap, and not the best that is still free
    crowds_once: bool = False  # the first match of a crowd counts


class Edges(NamedTuple):
    """Pairs of a detection and a target that may match at the lowest threshold, (E,), by detection, then target."""

    detections: Any  # numbers by pool and falling score
    targets: Any  # rows of the objects
    overlap: Any


class Ordered(NamedTuple):
    """Edges, whose detections are numbered anew: those that overlap nothing are excluded."""

    detection: Any  # (D,) old number of each
    sole: Edges  # of objects whose candidate detections have no other: by object, then falling score
    contested: Edges  # all others: by detection, then in the order in which it takes them


class Thresholded(NamedTuple):
    """Edges, and the thresholds and area ranges of a word at which each may match."""

    edges: Edges
    level: Any  # (E,) how many of the thresholds are reached
    bits: Any  # (T + 1,) those of so many thresholds, in all area ranges
    counts: Any  # (E,) bits of the area ranges in which the object counts


class Word(NamedTuple):
    """Thresholds and area ranges, as slices of the rules's, whose outcomes share one integer."""

    thresholds: slice
    areas: slice


def pairs(pools: Any, first: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Pools of detections (C,), where each pool's objects start, and the end (G + 1,) -> all pairs inside pools.

    Each pool has an object. Detection, from 0, and row of the object, (P,) each, by detection.
    """
    # Two detections of a pool whose objects are rows 7, 8 and 9 give the pairs (0, 7), (0, 8), (0, 9), (1, 7) ...: the
    # running number of a pair, less that of its detection's first pair, plus 7.
    start = xp.take(first, pools)
    before = indexing.starts(xp.take(first, pools + 1) - start, xp=xp)
    every = xp.arange(int(before[-1]), dtype=before.dtype, device=compat.device(before))
    detection = indexing.segment_ids(before, xp=xp)
    return detection, every + xp.take(start - before[:-1], detection)


def ordered(edges: Edges, objects: Any, rules: CocoRules, /, *, shared: Sequence[slice] = (), xp: Namespace) -> Ordered:
    """Edges in the order in which they are matched, without detections that overlap nothing.

    `shared` are objects that detections next to these may take, too.
    """
    if rules.best_only:
        edges = _best_alone(edges, objects.crowd, xp=xp)
    first = indexing.run_starts(edges.detections, xp=xp)
    detection = xp.take(edges.detections, first)
    ends = xp.concat([first, _end(edges.detections, xp=xp)])
    sizes = indexing.rest(ends) - first
    number = indexing.segment_ids(ends, xp=xp)
    edges = edges._replace(detections=number)
    # Under other rules a pair may be considered twice, or a target matched any number of times: one step for each rank.
    if rules.best_only or rules.crowds_once:
        return Ordered(detection, _rows(edges, number[:0], xp=xp), _by_preference(edges, first.shape[0], xp=xp))
    # An object is contested where one of its candidate detections has a choice, or is among others.
    every = xp.arange(objects.area.shape[0], dtype=xp.int64, device=compat.device(number))
    choice = xp.take(edges.targets, xp.nonzero(xp.take(sizes, number) > 1)[0])
    if shared:
        choice = xp.concat([choice, *(every[rows] for rows in shared)])
    contested = indexing.put(xp.zeros_like(objects.crowd), choice, xp.ones_like(choice) == 1, xp=xp)
    contested = xp.take(contested, edges.targets)
    sole, rest = (_rows(edges, xp.nonzero(x)[0], xp=xp) for x in (~contested, contested))
    order = ordering.rising(sole.targets, max(1, objects.area.shape[0]), xp=xp)
    return Ordered(detection, _rows(sole, order, xp=xp), _by_preference(rest, first.shape[0], xp=xp))


def words(thresholds: int, areas: int, /) -> list[Word]:
    """Cut thresholds x area ranges into pieces that fit an integer; COCO's fit one."""
    # COCO's 10 thresholds x 4 area ranges are 40 bits, one word. 95 thresholds are two words for each area range, of 62
    # and 33 bits. 20 thresholds x 4 ranges are two words of three ranges and of one.
    wide = min(thresholds, BITS)
    high = BITS // wide
    return [
        Word(slice(t, min(t + wide, thresholds)), slice(a, min(a + high, areas)))
        for a in range(0, areas, high)
        for t in range(0, thresholds, wide)
    ]


def _end(x: Any, /, *, xp: Namespace) -> Any:
    return xp.asarray([x.shape[0]], dtype=xp.int64, device=compat.device(x))


def _best_alone(edges: Edges, crowd: Any, /, *, xp: Namespace) -> Edges:
    """Return each detection's object of highest overlap, the earlier of equal ones, and its crowd likewise."""
    # The key keeps crowds apart: detection 3 has the key 6 for its objects, and 7 for its crowds.
    major = 2 * edges.detections + xp.astype(xp.take(crowd, edges.targets), xp.int64)
    bound = int(xp.max(major)) + 1 if major.shape[0] else 1
    best = ordering.falling(major, bound, edges.overlap, xp=xp)
    kept = xp.sort(xp.take(best, indexing.run_starts(xp.take(major, best), xp=xp)))
    return Edges(*(xp.take(x, kept) for x in edges))


def _by_preference(edges: Edges, detections: int, /, *, xp: Namespace) -> Edges:
    """Edges of a detection by falling overlap; of equal ones the later object comes first."""
    order = ordering.falling(edges.detections, max(1, detections), edges.overlap, last=True, xp=xp)
    return _rows(edges, order, xp=xp)


def _rows(edges: Edges, rows: Any, /, *, xp: Namespace) -> Edges:
    return Edges(*(xp.take(x, rows) for x in edges))


def greedy(
    ordered: Ordered, objects: Any, rules: CocoRules, word: Word, held: Any, /, *, xp: Namespace
) -> tuple[Taken, list[Entries]]:
    """Return the bits taken in the end and in each step; `held`: the bits of each object that were taken before."""
    detections, device = ordered.detection.shape[0], compat.device(ordered.detection)
    matched, ignored = (xp.zeros(detections, dtype=xp.int64, device=device) for _ in range(2))
    taken = Taken(matched, ignored, held)
    sole, contested = (_thresholded(edges, objects, rules, word, xp=xp) for edges in (ordered.sole, ordered.contested))
    taken, first = _without_choice(sole, objects, taken, xp=xp)
    taken, others = _in_turns(*_entries(contested, objects, detections, rules, xp=xp), taken, xp=xp)
    return taken, [*first, *others]


def _thresholded(edges: Edges, objects: Any, rules: CocoRules, word: Word, /, *, xp: Namespace) -> Thresholded:
    thresholds, areas = rules.thresholds[word.thresholds], rules.areas[word.areas]
    area, ignore = (xp.take(x, edges.targets) for x in (objects.area, objects.ignore))
    return Thresholded(
        edges,
        kernels.levels(edges.overlap, thresholds, xp=xp),
        kernels.bits_of_levels(len(thresholds), len(areas), like=edges.targets, xp=xp),
        _counting(area, ignore, len(thresholds), areas, xp=xp),
    )


def _counting(area: Any, ignore: Any, thresholds: int, areas: Sequence[Any], /, *, xp: Namespace) -> Any:
    """Objects (P,) -> the bits of the area ranges in which they count (P,)."""
    counts = xp.stack([~ignore & (area >= limits.low) & (area <= limits.high) for limits in areas])
    return kernels.area_bits(counts, thresholds, xp=xp)


def _without_choice(
    thresholded: Thresholded, objects: Any, taken: Taken, /, *, xp: Namespace
) -> tuple[Taken, list[Entries]]:
    """Where all candidates of an object have no other, each takes it at the thresholds that none before it meets.

    The entries of each edge: at the area ranges where the object counts, and at those where it is ignored.
    """
    edges, level, bits, counts = thresholded
    crowd = xp.take(objects.crowd, edges.targets)
    before = kernels.first_come(edges.targets, level, crowd, xp=xp)
    # Detections of falling score with an IoU of 0.6 and 0.8 meet 3 and 7 of COCO's thresholds. The first takes the
    # object at 0.5 to 0.6, and 0.65 to 0.8 are left for the second.
    win = xp.take(bits, level) & ~xp.take(bits, before)
    counting, ignored, none = win & counts, win & ~counts, xp.zeros_like(crowd)
    return taken._replace(
        matched=indexing.put(taken.matched, edges.detections, win, xp=xp),
        ignored=indexing.put(taken.ignored, edges.detections, ignored, xp=xp),
    ), [
        Entries(edges.detections, edges.targets, counting, none, crowd),
        Entries(edges.detections, edges.targets, ignored, ~none, crowd),
    ]


def _in_turns(entries: Entries, groups: Any, taken: Taken, /, *, xp: Namespace) -> tuple[Taken, list[Entries]]:
    """Step k takes the k-th pair of every group; or where few groups have one left, pairs are taken one by one."""
    if entries.bits.shape[0] == 0:
        return taken, []
    first = indexing.run_starts(groups, xp=xp)
    size = indexing.rest(xp.concat([first, _end(entries.bits, xp=xp)])) - first
    longest = int(xp.max(size))
    if entries.bits.shape[0] < ALIKE * longest:
        taken, win = kernels.take_each(entries, taken, xp=xp)
        return taken, [entries._replace(bits=win)]
    # Groups with many entries first, so that a step touches only those that still have one: of groups with 3, 1 and 1
    # entries, step 0 takes the first entries of three groups, and steps 1 and 2 those of one.
    order = ordering.rising(longest - size, longest, xp=xp)
    first, size = xp.take(first, order), xp.take(size, order)
    steps = xp.arange(longest, dtype=size.dtype, device=compat.device(size))
    still = size.shape[0] - xp.searchsorted(xp.flip(size), steps, side="right")
    taking = []
    for step, count in enumerate(indexing.to_list(still)):
        now = kernels.entries_at(first[:count] + step, entries, xp=xp)
        taken, win = kernels.take(now, taken, xp=xp)
        taking.append(now._replace(bits=win))
    return taken, taking


def _entries(
    thresholded: Thresholded, objects: Any, detections: int, rules: CocoRules, /, *, xp: Namespace
) -> tuple[Entries, Any]:
    """Each edge twice: at areas where the object counts, and at areas where it is ignored; and their groups.

    A crowd that is matched once comes after all others: to count, and then to be ignored.
    """
    # The reference prefers objects that count, and takes an ignored one only where none of those is left. An object of
    # area 500 counts in "all" and "small": its first entry has the bits of these two ranges, and its second entry,
    # which comes after the first entries of all objects, those of "medium" and "large".
    edges, level, bits, counts = thresholded
    every = xp.take(bits, level)
    stages, crowd = [every & counts, every & ~counts], xp.take(objects.crowd, edges.targets)
    if rules.crowds_once:
        none = xp.zeros_like(every)
        alone = [xp.where(crowd, none, x) for x in stages]
        stages = [*alone, xp.where(crowd, every & counts, none), xp.where(crowd, every, none)]
    bits = xp.concat(stages)
    detection, target = (xp.concat([x] * len(stages)) for x in (edges.detections, edges.targets))
    stage = xp.arange(bits.shape[0], device=compat.device(bits)) // max(1, edges.detections.shape[0])
    ignored = stage % 2 == 1
    rows = xp.nonzero(bits != 0)[0]
    # A stable sort keeps entries that count before those that are ignored.
    rows = xp.take(rows, ordering.rising(xp.take(detection, rows), max(1, detections), xp=xp))
    detection, target, bits, ignored = (xp.take(x, rows) for x in (detection, target, bits, ignored))
    free = xp.take(objects.crowd, target) & ignored
    # With `best_only`, an ignored target may match any number of detections.
    free = free | ignored if rules.best_only else free
    return Entries(detection, target, bits, ignored, free), xp.take(objects.pools, target)


def matched(edges: Edges, objects: Any, rules: CocoRules, /, *, xp: Namespace) -> Iterator[tuple[Word, Entries]]:
    """All edges of a set -> of each word what matches, with detections as they are numbered in the edges."""
    order = ordered(edges, objects, rules, xp=xp)
    for word in words(len(rules.thresholds), len(rules.areas)):
        free = xp.zeros(objects.area.shape[0], dtype=xp.int64, device=compat.device(edges.targets))
        steps = greedy(order, objects, rules, word, free, xp=xp)[1]
        yield word, won(steps, order.detection, xp=xp)


def won(steps: Sequence[Entries], detections: Any, /, *, xp: Namespace) -> Entries:
    """Return the entries of several steps that match, with the given numbers of their detections."""
    joined = Entries(*(xp.concat(list(x)) for x in zip(*steps, strict=True)))
    out = kernels.entries_at(xp.nonzero(joined.bits != 0)[0], joined, xp=xp)
    return out._replace(detections=xp.take(detections, out.detections))
