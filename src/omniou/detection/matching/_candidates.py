"""Candidate pairs: detections and targets that may match, in all images at once."""

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import array_api_compat as compat

from omniou._inputs.shapes import Pairs
from omniou._inputs.tables import Tables
from omniou._kernels import boxes as kernels
from omniou._lib import indexing, ordering
from omniou._lib.types import Namespace
from omniou.detection._protocol import Protocol, levels
from omniou.detection.matching import _groups as groups
from omniou.detection.matching._groups import Eligible, GroupIds, GroupObjects, Groups, ListedPairs
from omniou.matching import _coco_greedy as coco
from omniou.matching._coco_greedy import Edges

# Pairs that are compared at once: this bounds the memory, regardless of the number of boxes in an image.
TILE = 2**18
# Candidate pairs that are matched at once: this bounds the memory, regardless of the number of boxes that overlap.
AT_ONCE = 2**19


class Bounds(NamedTuple):
    """Upright boxes around the eligible detections and the objects, and their rows in the given tables."""

    detections: kernels.Bounds  # in the order of the detections that are looked at
    detection_rows: Any
    targets: kernels.Bounds  # in the order of `GroupObjects`
    target_rows: Any


class EdgePart(NamedTuple):
    """All edges of some detections. Detections of a part follow those of the part before."""

    edges: Edges
    shared: list[slice]  # of `GroupObjects`: objects that detections of other parts may take, too


class Candidates(NamedTuple):
    """Both tables, and an iterator over the pairs that may match."""

    objects: GroupObjects
    listed: ListedPairs
    eligible: Eligible
    parts: Iterator[EdgePart]  # at least one


class Pairing(NamedTuple):
    """The inputs from which pairs are made."""

    tables: Tables
    objects: GroupObjects
    present: Groups
    least: float  # what a pair must reach at the lowest threshold


def candidate_pairs(tables: Tables, ids: GroupIds, protocol: Protocol, /) -> Candidates:
    """Return the pairs of the given classes and images that overlap enough for the lowest threshold."""
    xp, targets, detections, *_ = tables
    objects = groups.objects(targets, ids, protocol, xp=xp)
    listed = groups.listed(detections, ids, protocol, xp=xp)
    listed = groups.verified(listed, objects, targets.negative, ids, xp=xp)
    if protocol.class_agnostic:
        listed = groups.without_classes(listed, ids, protocol, xp=xp)
    eligible, present = groups.eligible(listed, objects, ids, protocol, xp=xp)
    pairing = Pairing(tables, objects, present, levels(protocol)[0])
    if protocol.tie_policy == "invariant":
        listed = _settle_ties(listed, eligible, pairing)
    return Candidates(objects, listed, eligible, _parts(listed, eligible, pairing))


def _parts(listed: ListedPairs, eligible: Eligible, pairing: Pairing, /) -> Iterator[EdgePart]:
    """Yield the edges of all eligible detections, in parts of about `AT_ONCE`."""
    xp, first = pairing.tables.xp, pairing.present.first
    kept: list[Edges] = []
    before: list[slice] = []
    for stop, edges in _tiles(xp.take(listed.rows, eligible.rows), eligible.numbers, pairing):
        kept.append(edges)
        if sum(x.overlap.shape[0] for x in kept) >= AT_ONCE and stop < eligible.numbers.shape[0]:
            here, after = (int(eligible.numbers[k]) for k in (stop - 1, stop))
            shared = [slice(int(first[here]), int(first[here + 1]))] if here == after else []
            yield EdgePart(_joined(kept, xp=xp), before + shared)
            kept, before = [], shared
    yield EdgePart(_joined(kept, xp=xp) if kept else _nothing(eligible, pairing), before)


def _joined(parts: list[Edges], /, *, xp: Namespace) -> Edges:
    return parts[0] if len(parts) == 1 else Edges(*(xp.concat(list(column)) for column in zip(*parts, strict=True)))


def _nothing(eligible: Eligible, pairing: Pairing, /) -> Edges:
    return Edges(eligible.rows[:0], eligible.rows[:0], pairing.tables.detections.shapes.area[:0])


def _tiles(rows: Any, numbers: Any, pairing: Pairing, /) -> Iterator[tuple[int, Edges]]:
    """Yield the pairs of detections (C,), whose pools rise, and objects that overlap enough.

    Only pairs inside one pool are compared, a tile of detections at a time. Each tile comes with the place of its end.
    """
    (xp, targets, detections, *_), objects, present, least = pairing
    bounds = Bounds(detections.shapes.bounds(rows), rows, targets.shapes.bounds(objects.rows), objects.rows)
    # Detections whose pools have 3, 5 and 2 objects have 10 pairs, which start at 0, 3 and 8. Tiles are cut at whole
    # detections by these starts.
    sizes = xp.take(present.sizes, numbers)
    before = indexing.starts(sizes, xp=xp)
    tiles = xp.arange(0, int(before[-1]), TILE, dtype=before.dtype, device=compat.device(before))
    cuts = [*indexing.to_list(xp.searchsorted(before[:-1], tiles)), sizes.shape[0]]
    for start, stop in itertools.pairwise(cuts):
        part = slice(start, stop)
        detection, target = coco.pairs(numbers[part], present.first, xp=xp)
        # With a threshold of 0 even pairs whose bounds are disjoint may match.
        if least > 0 and detections.shapes.prunes:
            detection, target = _overlapping(bounds, part, detection, target, xp=xp)
        detection = detection + start
        pairs = Pairs(xp.take(rows, detection), xp.take(objects.rows, target), xp.take(objects.crowd, target))
        overlap = detections.shapes.overlap(targets.shapes, pairs, least)
        close = xp.nonzero(overlap >= least)[0]
        yield stop, Edges(*(xp.take(x, close) for x in (detection, target, overlap)))


def _overlapping(bounds: Bounds, part: slice, detection: Any, target: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Keep the pairs whose bounds overlap, one axis after the other: the first axis excludes most."""
    low, high = bounds.detections.low[:, part], bounds.detections.high[:, part]
    for axis in range(low.shape[0]):
        a_low, a_high = (xp.take(x[axis, :], detection) for x in (low, high))
        b_low, b_high = (xp.take(x[axis, :], target) for x in (bounds.targets.low, bounds.targets.high))
        both = xp.nonzero((a_low < b_high) & (b_low < a_high))[0]
        detection, target = xp.take(detection, both), xp.take(target, both)
    return detection, target


def _settle_ties(listed: ListedPairs, eligible: Eligible, pairing: Pairing, /) -> ListedPairs:
    """Reorder detections of equal score in a pool, so that the one of highest overlap comes first.

    Only the rows of `ListedPairs` that they refer to are swapped.
    """
    xp, (rows, numbers, _) = pairing.tables.xp, eligible
    scores = xp.take(listed.scores, rows)
    same = (indexing.rest(numbers) == indexing.but_last(numbers)) & (indexing.rest(scores) == indexing.but_last(scores))
    if not xp.any(same):
        return listed
    # Detections of scores 0.9, 0.8, 0.8 and 0.7 are in the runs 0, 1, 1 and 2. Inside a run the highest overlap comes
    # first. Only the rows of run 1 may swap, so the overlaps of other rows are not computed.
    none = indexing.head(numbers) < 0
    run = xp.cumulative_sum(xp.astype(xp.concat([none, ~same]), xp.int64))
    tied = xp.nonzero(xp.concat([none, same]) | xp.concat([same, none]))[0]
    best = xp.zeros_like(scores)
    for _, (detection, _, overlap) in _tiles(
        xp.take(listed.rows, xp.take(rows, tied)), xp.take(numbers, tied), pairing
    ):
        order = ordering.falling(detection, max(1, tied.shape[0]), overlap, xp=xp)
        first = xp.take(order, indexing.run_starts(xp.take(detection, order), xp=xp))
        best = indexing.put(best, xp.take(tied, xp.take(detection, first)), xp.take(overlap, first), xp=xp)
    order = ordering.falling(run, max(1, scores.shape[0]), best, xp=xp)
    swapped = xp.take(rows, order)
    # If all classes are taken as one, detections of several groups may swap.
    columns = {name: getattr(listed, name) for name in ("rows", "area", "groups")}
    moved = {name: indexing.put(x + 0, rows, xp.take(x, swapped), xp=xp) for name, x in columns.items()}
    return listed._replace(**moved)
