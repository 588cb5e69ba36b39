"""Which detection takes which object, at all thresholds and area ranges and in all images at once."""

from typing import Any, NamedTuple

import array_api_compat as compat

from omniou._kernels import matching as kernels
from omniou._kernels.boxes import Boxes
from omniou._kernels.matching import Entries, Taken
from omniou._lib import indexing
from omniou._lib.types import Namespace
from omniou.detection.protocol import Protocol
from omniou.detection.tables import Objects, Ranked

# Pairs whose overlap is computed at once: bounds the memory whatever the number of boxes in an image.
TILE = 2**18
# Bits of an int64 that stay clear of its sign.
BITS = 62


class Edges(NamedTuple):
    """Pairs of a detection and an object that may match at the lowest threshold, (E,), by detection, then object."""

    found: Any  # place in `Ranked.by_group`
    wanted: Any  # row of `Objects`
    overlap: Any


class Word(NamedTuple):
    """Thresholds and area ranges, as slices of the protocol's, whose outcomes share one integer."""

    thresholds: slice
    areas: slice


class Matches(NamedTuple):
    """What became of the detections that overlap an object."""

    rows: Any  # (E,) rows of `Ranked`, rising
    words: list[tuple[Word, Any, Any]]  # bits (E,): matched, and matched to an object that is ignored


def match(objects: Objects, found: Ranked, protocol: Protocol, /, *, xp: Namespace) -> Matches:
    """All greedy matchings of COCO: detections by falling score, each takes the best object that is still free."""
    edges = _edges(objects, found, protocol.iou_thresholds[0], xp=xp)
    first = indexing.run_starts(edges.found, xp=xp)
    rows = xp.take(found.by_group, xp.take(edges.found, first))
    order = xp.argsort(rows)
    # Detections that overlap nothing are done with: the others are numbered anew.
    number = xp.searchsorted(first, xp.arange(edges.found.shape[0], device=compat.device(rows)), side="right") - 1
    edges = _by_preference(edges._replace(found=number), xp=xp)
    words = []
    for word in _words(protocol):
        taken = _greedy(edges, objects, rows.shape[0], protocol, word, xp=xp)
        words.append((word, xp.take(taken.matched, order), xp.take(taken.ignored, order)))
    return Matches(xp.take(rows, order), words)


def outcomes(matches: Matches, area: int, /, *, xp: Namespace) -> tuple[Any, Any]:
    """(T, E) booleans for one area range: matched, and matched to an object that is ignored."""
    parts: tuple[list[Any], list[Any]] = ([], [])
    for word, *both in matches.words:
        if not word.areas.start <= area < word.areas.stop:
            continue
        count = word.thresholds.stop - word.thresholds.start
        for bits, part in zip(both, parts, strict=True):
            part += [(bits >> ((area - word.areas.start) * count + place)) & 1 for place in range(count)]
    matched, ignored = (xp.stack(part) != 0 for part in parts)
    return matched, ignored


def _words(protocol: Protocol) -> list[Word]:
    """Cut thresholds x area ranges into pieces that fit an integer; COCO's fit one."""
    thresholds, areas = len(protocol.iou_thresholds), len(protocol.area_ranges)
    wide = min(thresholds, BITS)
    high = BITS // wide
    return [
        Word(slice(t, min(t + wide, thresholds)), slice(a, min(a + high, areas)))
        for a in range(0, areas, high)
        for t in range(0, thresholds, wide)
    ]


def _edges(objects: Objects, found: Ranked, threshold: float, /, *, xp: Namespace) -> Edges:
    """Only pairs inside one class and image are looked at, a tile at a time."""
    groups = xp.take(found.groups, found.by_group)
    first = xp.searchsorted(objects.groups, groups)
    last = xp.searchsorted(objects.groups, groups, side="right")
    before = xp.cumulative_sum(last - first, include_initial=True)
    total = int(before[-1])
    kept = []
    for start in range(0, max(total, 1), TILE):
        numbers = xp.arange(start, min(start + TILE, total), dtype=before.dtype, device=compat.device(before))
        place, wanted = kernels.pairs(first, before, numbers, xp=xp)
        ours = _columns(found.boxes, xp.take(found.by_group, place), xp=xp)
        crowd = xp.take(objects.crowd, wanted)
        overlap = kernels.overlap(ours, _columns(objects.boxes, wanted, xp=xp), crowd, xp=xp)
        close = xp.nonzero(overlap >= min(threshold, 1 - 1e-10))[0]
        kept.append(tuple(xp.take(x, close) for x in (place, wanted, overlap)))
    return Edges(*(xp.concat(list(parts)) for parts in zip(*kept, strict=True)))


def _columns(boxes: Boxes, rows: Any, /, *, xp: Namespace) -> Boxes:
    low, high = (xp.take(x, rows, axis=1) for x in (boxes.low, boxes.high))
    return Boxes(low, high, xp.take(boxes.area, rows))


def _by_preference(edges: Edges, /, *, xp: Namespace) -> Edges:
    """Edges of a detection by falling overlap; of equal ones the later object comes first."""
    order = xp.flip(xp.arange(edges.found.shape[0], device=compat.device(edges.found)))
    for key in (-edges.overlap, edges.found):
        order = xp.take(order, xp.argsort(xp.take(key, order), stable=True))
    return Edges(*(xp.take(x, order) for x in edges))


def _greedy(edges: Edges, objects: Objects, found: int, protocol: Protocol, word: Word, /, *, xp: Namespace) -> Taken:
    entries, groups = _entries(edges, objects, protocol, word, xp=xp)
    device = compat.device(entries.bits)
    sizes = found, found, objects.area.shape[0]
    taken = Taken(*(xp.zeros(size, dtype=xp.int64, device=device) for size in sizes))
    if entries.bits.shape[0] == 0:
        return taken
    first = indexing.run_starts(groups, xp=xp)
    end = xp.asarray([entries.bits.shape[0]], dtype=first.dtype, device=device)
    size = indexing.rest(xp.concat([first, end])) - first
    # Groups with many entries first, so that a step touches only those that still have one.
    first, size = (xp.take(x, xp.argsort(-size)) for x in (first, size))
    steps = xp.arange(int(size[0]), dtype=size.dtype, device=device)
    still = size.shape[0] - xp.searchsorted(xp.flip(size), steps, side="right")
    for step, count in enumerate(indexing.to_list(still)):
        taken = kernels.take(kernels.offer(first[:count] + step, entries, xp=xp), taken, xp=xp)
    return taken


def _entries(
    edges: Edges, objects: Objects, protocol: Protocol, word: Word, /, *, xp: Namespace
) -> tuple[Entries, Any]:
    """Each edge twice: at areas where the object counts, and at areas where it is ignored."""
    thresholds, areas = protocol.iou_thresholds[word.thresholds], protocol.area_ranges[word.areas]
    counts = xp.stack([~objects.ignore & (objects.area >= a.low) & (objects.area <= a.high) for a in areas])
    at = xp.take(kernels.area_bits(counts, len(thresholds), xp=xp), edges.wanted)
    met = kernels.threshold_bits(edges.overlap, thresholds, len(areas), xp=xp)
    bits = xp.concat([met & at, met & ~at])
    found, wanted = (xp.concat([x, x]) for x in (edges.found, edges.wanted))
    half = edges.found.shape[0]
    ignored = xp.arange(2 * half, device=compat.device(bits)) >= half
    rows = xp.nonzero(bits != 0)[0]
    # A stable sort keeps what counts before all that is ignored.
    rows = xp.take(rows, xp.argsort(xp.take(found, rows), stable=True))
    found, wanted, bits, ignored = (xp.take(x, rows) for x in (found, wanted, bits, ignored))
    entries = Entries(found, wanted, bits, ignored, xp.take(objects.crowd, wanted))
    return entries, xp.take(objects.groups, wanted)
