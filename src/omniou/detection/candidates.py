"""The pairs of a detection and an object that may match, in all images at once."""

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import array_api_compat as compat

from omniou._kernels import matching as kernels
from omniou._kernels.boxes import Boxes
from omniou._lib import indexing, ordering
from omniou._lib.types import Namespace
from omniou.detection import parts, tables
from omniou.detection.parts import Columns
from omniou.detection.protocol import Protocol
from omniou.detection.tables import Eligible, Groups, Ids, Listed, Objects

# Pairs that are looked at together: bounds the memory whatever the number of boxes in an image.
TILE = 2**18


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

    found: Boxes  # bounds of the detections, in the order of `Eligible`
    found_rows: Any  # of the table as it was given
    wanted: Boxes  # bounds of the objects, in the order of `Objects`
    wanted_rows: Any
    overlap: Overlap


class Edges(NamedTuple):
    """Pairs of a detection and an object that may match at the lowest threshold, (E,), by detection, then object."""

    found: Any  # number of the detection
    wanted: Any  # row of `Objects`
    overlap: Any


class Sides(NamedTuple):
    """Both tables, and the detections that have objects in their group."""

    objects: Objects
    listed: Listed
    eligible: Eligible
    groups: Groups
    shapes: Shapes


class Candidates(NamedTuple):
    """Both tables, and the pairs of them that may match."""

    objects: Objects
    listed: Listed
    eligible: Eligible
    edges: Edges


def candidates(columns: Columns, ids: Ids, protocol: Protocol, overlap: Overlap, /) -> Candidates:
    """The pairs of given classes and images that overlap enough for the lowest threshold."""
    xp = columns.xp
    objects, listed, eligible, groups, shapes = sides(columns, ids, protocol, overlap)
    edges = _edges(eligible, groups, shapes, objects.crowd, protocol.iou_thresholds[0], xp=xp)
    if protocol.tie_policy == "invariant":
        listed, edges = _settle_ties(listed, eligible, edges, xp=xp)
    return Candidates(objects, listed, eligible, edges)


def sides(columns: Columns, ids: Ids, protocol: Protocol, overlap: Overlap, /) -> Sides:
    """Both tables of given classes and images, and who may match."""
    xp, truth, found = columns.xp, columns.truth, columns.found
    objects = tables.objects(truth, ids, protocol, xp=xp)
    listed = tables.verified(tables.listed(found, ids, protocol, xp=xp), objects, truth.negative, ids, xp=xp)
    eligible, groups = tables.eligible(listed, objects, xp=xp)
    rows = xp.take(listed.rows, eligible.rows)
    bounds = parts.take(found.boxes, rows, xp=xp), rows, parts.take(truth.boxes, objects.rows, xp=xp), objects.rows
    return Sides(objects, listed, eligible, groups, Shapes(*bounds, overlap))


def _edges(found: Eligible, groups: Groups, shapes: Shapes, crowd: Any, threshold: float, /, *, xp: Namespace) -> Edges:
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
        detection, wanted = _pairs(found.numbers[part], sizes[part], groups, xp=xp)
        # Without a threshold, pairs that do not even meet may match.
        if threshold > 0:
            detection, wanted = _meeting(shapes, part, detection, wanted, xp=xp)
        else:
            detection = detection + start
        overlap = shapes.overlap(_compared(shapes, detection, wanted, crowd, xp=xp))
        close = xp.nonzero(overlap >= kernels.least(threshold))[0]
        kept.append(tuple(xp.take(x, close) for x in (detection, wanted, overlap)))
    if not kept:
        none = sizes[:0]
        return Edges(none, none, shapes.found.area[:0])
    return Edges(*(xp.concat(list(parts)) for parts in zip(*kept, strict=True)))


def _compared(shapes: Shapes, detection: Any, wanted: Any, crowd: Any, /, *, xp: Namespace) -> Pairs:
    rows = xp.take(shapes.found_rows, detection), xp.take(shapes.wanted_rows, wanted)

    def bounds() -> tuple[Boxes, Boxes]:
        ours, theirs = (
            Boxes(*(xp.take(x, places, axis=x.ndim - 1) for x in boxes))
            for boxes, places in ((shapes.found, detection), (shapes.wanted, wanted))
        )
        return ours, theirs

    return Pairs(*rows, xp.take(crowd, wanted), bounds)


def _pairs(numbers: Any, sizes: Any, groups: Groups, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Groups of eligible detections (C,), objects there (C,) -> detection, from 0, and object of each pair (P,)."""
    before = indexing.starts(sizes, xp=xp)
    every = xp.arange(int(before[-1]), dtype=before.dtype, device=compat.device(before))
    detection = indexing.segment_ids(before, xp=xp)
    return detection, every + xp.take(xp.take(groups.first, numbers) - before[:-1], detection)


def _meeting(shapes: Shapes, part: slice, detection: Any, wanted: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """The pairs whose bounds overlap, one axis after the other: most are gone after the first."""
    low, high = shapes.found.low[:, part], shapes.found.high[:, part]
    for axis in range(low.shape[0]):
        a_low, a_high = (xp.take(x[axis, :], detection) for x in (low, high))
        b_low, b_high = (xp.take(x[axis, :], wanted) for x in (shapes.wanted.low, shapes.wanted.high))
        meet = xp.nonzero((a_low < b_high) & (b_low < a_high))[0]
        detection, wanted = xp.take(detection, meet), xp.take(wanted, meet)
    return detection + part.start, wanted


def _settle_ties(listed: Listed, found: Eligible, edges: Edges, /, *, xp: Namespace) -> tuple[Listed, Edges]:
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
