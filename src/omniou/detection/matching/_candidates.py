"""Candidate pairs: detections and targets that may match, in all images at once."""

import itertools
from typing import Any, NamedTuple

import array_api_compat as compat

from omniou._kernels.boxes import Boxes
from omniou._lib import indexing, ordering
from omniou._lib.types import Namespace
from omniou.detection._protocol import Protocol
from omniou.detection.inputs._shapes import Pairs
from omniou.detection.inputs._tables import Tables
from omniou.detection.matching import _bits as kernels
from omniou.detection.matching import _groups as groups
from omniou.detection.matching._groups import Eligible, GroupIds, GroupObjects, Groups, ListedPairs

# Pairs that are looked at together: bounds the memory whatever the number of boxes in an image.
TILE = 2**18


class Bounds(NamedTuple):
    """Upright boxes around what may match, and the rows of the tables as they were given."""

    detections: Boxes  # in the order of `Eligible`
    detection_rows: Any
    targets: Boxes  # in the order of `GroupObjects`
    target_rows: Any


class Edges(NamedTuple):
    """Pairs of a detection and a target that may match at the lowest threshold, (E,), by detection, then target."""

    detections: Any  # rows of `Eligible`
    targets: Any  # rows of `GroupObjects`
    overlap: Any


class Candidates(NamedTuple):
    """Both tables, and the pairs of them that may match."""

    objects: GroupObjects
    listed: ListedPairs
    eligible: Eligible
    edges: Edges


def candidate_pairs(tables: Tables, ids: GroupIds, protocol: Protocol, /) -> Candidates:
    """The pairs of given classes and images that overlap enough for the lowest threshold."""
    xp, targets, detections, *_ = tables
    objects = groups.objects(targets, ids, protocol, xp=xp)
    listed = groups.listed(detections, ids, protocol, xp=xp)
    listed = groups.verified(listed, objects, targets.negative, ids, xp=xp)
    if protocol.class_agnostic:
        listed = groups.without_classes(listed, ids, protocol, xp=xp)
    eligible, present = groups.eligible(listed, objects, ids, protocol, xp=xp)
    edges = _edges(tables, objects, listed, eligible, present, protocol.iou_thresholds[0])
    if protocol.tie_policy == "invariant":
        listed, edges = _settle_ties(listed, eligible, edges, xp=xp)
    return Candidates(objects, listed, eligible, edges)


def _edges(  # noqa: PLR0917
    tables: Tables, objects: GroupObjects, listed: ListedPairs, eligible: Eligible, present: Groups, threshold: float, /
) -> Edges:
    """The pairs that overlap enough.

    Only pairs inside one class and image are looked at, a tile of detections at a time.
    """
    xp, targets, detections, *_ = tables
    rows = xp.take(listed.rows, eligible.rows)
    bounds = Bounds(detections.shapes.bounds(rows), rows, targets.shapes.bounds(objects.rows), objects.rows)
    # Detections whose groups have 3, 5 and 2 objects have 10 pairs, which start at 0, 3 and 8. Tiles are cut at whole
    # detections by these starts.
    sizes = xp.take(present.sizes, eligible.numbers)
    before = indexing.starts(sizes, xp=xp)
    tiles = xp.arange(0, int(before[-1]), TILE, dtype=before.dtype, device=compat.device(before))
    cuts = [*indexing.to_list(xp.searchsorted(before[:-1], tiles)), sizes.shape[0]]
    least, kept = kernels.least(threshold), []
    for start, stop in itertools.pairwise(cuts):
        part = slice(start, stop)
        detection, target = _pairs(eligible.numbers[part], sizes[part], present, xp=xp)
        # With a threshold of 0 even pairs whose bounds are disjoint may match.
        if threshold > 0:
            detection, target = _overlapping(bounds, part, detection, target, xp=xp)
        detection = detection + start
        pairs = Pairs(xp.take(rows, detection), xp.take(objects.rows, target), xp.take(objects.crowd, target))
        overlap = detections.shapes.overlap(targets.shapes, pairs, least)
        close = xp.nonzero(overlap >= least)[0]
        kept.append(tuple(xp.take(x, close) for x in (detection, target, overlap)))
    if not kept:
        return Edges(sizes[:0], sizes[:0], bounds.detections.area[:0])
    return Edges(*(xp.concat(list(parts)) for parts in zip(*kept, strict=True)))


def _pairs(numbers: Any, sizes: Any, present: Groups, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Groups of eligible detections (C,), targets there (C,) -> detection, from 0, and target of each pair (P,)."""
    # Two detections of a group whose objects are rows 7, 8 and 9 give the pairs (0, 7), (0, 8), (0, 9), (1, 7) ...: the
    # running number of a pair, less that of its detection's first pair, plus 7.
    before = indexing.starts(sizes, xp=xp)
    every = xp.arange(int(before[-1]), dtype=before.dtype, device=compat.device(before))
    detection = indexing.segment_ids(before, xp=xp)
    return detection, every + xp.take(xp.take(present.first, numbers) - before[:-1], detection)


def _overlapping(bounds: Bounds, part: slice, detection: Any, target: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """The pairs whose bounds overlap, one axis after the other: most are gone after the first."""
    low, high = bounds.detections.low[:, part], bounds.detections.high[:, part]
    for axis in range(low.shape[0]):
        a_low, a_high = (xp.take(x[axis, :], detection) for x in (low, high))
        b_low, b_high = (xp.take(x[axis, :], target) for x in (bounds.targets.low, bounds.targets.high))
        both = xp.nonzero((a_low < b_high) & (b_low < a_high))[0]
        detection, target = xp.take(detection, both), xp.take(target, both)
    return detection, target


def _settle_ties(
    listed: ListedPairs, eligible: Eligible, edges: Edges, /, *, xp: Namespace
) -> tuple[ListedPairs, Edges]:
    """Of detections of equal score in a group the one of highest overlap comes first.

    They swap what they stand for in `ListedPairs`.
    """
    scores = xp.take(listed.scores, eligible.rows)
    same = (indexing.rest(eligible.numbers) == indexing.but_last(eligible.numbers)) & (
        indexing.rest(scores) == indexing.but_last(scores)
    )
    # Detections of scores 0.9, 0.8, 0.8 and 0.7 are in the runs 0, 1, 1 and 2. Inside a run the highest overlap comes
    # first, so that only the rows of run 1 may swap.
    run = xp.cumulative_sum(xp.astype(xp.concat([indexing.head(eligible.numbers) < 0, ~same]), xp.int64))
    best = xp.zeros_like(scores)
    order = ordering.falling(edges.detections, max(1, scores.shape[0]), edges.overlap, xp=xp)
    first = xp.take(order, indexing.run_starts(edges.detections, xp=xp))
    best = indexing.put(best, xp.take(edges.detections, first), xp.take(edges.overlap, first), xp=xp)
    order = ordering.falling(run, max(1, scores.shape[0]), best, xp=xp)
    swapped = xp.take(eligible.rows, order)
    # Where all classes are one, detections of several groups may swap.
    columns = {name: getattr(listed, name) for name in ("rows", "area", "groups")}
    moved = {name: indexing.put(x + 0, eligible.rows, xp.take(x, swapped), xp=xp) for name, x in columns.items()}
    every = xp.arange(order.shape[0], dtype=xp.int64, device=compat.device(order))
    number = xp.take(indexing.put(xp.zeros_like(every), order, every, xp=xp), edges.detections)
    again = ordering.rising(number, max(1, order.shape[0]), xp=xp)
    renumbered = edges._replace(detections=number)
    return listed._replace(**moved), Edges(*(xp.take(x, again) for x in renumbered))
