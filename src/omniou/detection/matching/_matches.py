"""Matches of detections and objects, for pictures and for analyses."""

import dataclasses
from collections.abc import Callable
from typing import Any, Generic, NamedTuple

import array_api_compat as compat

from omniou._inputs.shapes import Pairs
from omniou._inputs.tables import Tables
from omniou._lib import indexing
from omniou._lib.brief import Brief
from omniou._lib.types import ArrayT, Namespace
from omniou.detection._protocol import Protocol, levels, signed
from omniou.detection.curves import _precision as precision
from omniou.detection.matching import _groups as groups
from omniou.detection.matching import _matching as matching
from omniou.detection.matching._candidates import Candidates, candidate_pairs
from omniou.detection.matching._groups import GroupIds


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class Matches(Brief, Generic[ArrayT]):
    """M detections and N objects at T IoU thresholds, in the protocol's first area range.

    Rows follow the given tables; lists of dictionaries are joined image by image.

    Attributes
    ----------
    thresholds : tuple of float
        IoU thresholds of the axis T.
    classes : array of int64, shape (K,)
        Labels, rising.
    objects : array of int64, shape (T, M)
        Row of the object that each detection is matched to, -1 if none.
    overlaps : array of float, shape (T, M)
        IoU with that object, 0 if none; for a crowd the share of the detection that it covers. A similarity or a
        distance as it was given, NaN if none.
    counts : array of booleans, shape (T, M)
        Whether the detection counts, as a hit or as a false positive. One that is matched to an ignored object does
        not, nor one beyond the limit, out of the area range, or of an image or class that was excluded.
    detections : array of int64, shape (T, N)
        Row of the detection matched to each object, -1 if none, and for objects that do not count.
    over_limit : array of int64, shape (T, N)
        Row of the detection over the limit that would be matched to each object without a match, -1 if none.
    target_counts : array of booleans, shape (N,)
        Whether the object counts: it is not a crowd, not ignored, and in the area range.
    scores, labels, target_labels : array, shape (M,), (M,), (N,)
        As they were given; labels are 0 where all classes are one.
    """

    thresholds: tuple[float, ...]
    classes: ArrayT
    objects: ArrayT
    overlaps: ArrayT
    counts: ArrayT
    detections: ArrayT
    over_limit: ArrayT
    target_counts: ArrayT
    scores: ArrayT
    labels: ArrayT
    target_labels: ArrayT

    @property
    def hits(self) -> ArrayT:
        """(T, M): true positives."""
        counts: Any = self.counts
        return counts & (self.objects >= 0)  # type: ignore[operator]

    @property
    def false_alarms(self) -> ArrayT:
        """(T, M): false positives."""
        counts: Any = self.counts
        return counts & (self.objects < 0)  # type: ignore[operator]

    @property
    def misses(self) -> ArrayT:
        """(T, N): false negatives. An object that a detection over the limit matches is not missed."""
        counts: Any = self.target_counts
        return counts[None, :] & (self.detections < 0) & (self.over_limit < 0)  # type: ignore[operator]


class Compared(NamedTuple):
    """The tables that were compared, with rows as they were given, for analyses and pictures."""

    tables: Tables
    ids: GroupIds
    protocol: Protocol


class Overlapping(NamedTuple):
    """P pairs of a detection and a target in one image that overlap, of any classes, sorted by detection."""

    detections: Any  # (P,) rows
    targets: Any  # (P,) rows of targets that count
    overlap: Any  # (P,)


def find(boxes: Compared, /) -> Matches[Any]:
    """Return the matches in the first area range."""
    matches, surplus = _within_limit(boxes)
    if not surplus:
        return matches
    # Detections over the limit have the lowest scores, so they match after all others.
    unlimited, _ = _within_limit(
        boxes._replace(protocol=dataclasses.replace(boxes.protocol, max_detections=(None,), limit_per="class"))
    )
    left = matches.detections < 0
    return dataclasses.replace(
        matches, over_limit=boxes.tables.xp.where(left, unlimited.detections, matches.over_limit)
    )


def _within_limit(boxes: Compared, /) -> tuple[Matches[Any], int]:
    """Return the matches of the detections up to the limit, and how many detections are over it."""
    tables, ids, protocol = boxes
    xp, targets, detections, *_ = tables
    protocol = dataclasses.replace(protocol, area_ranges=protocol.area_ranges[:1])
    least = levels(protocol)[0]
    candidates = candidate_pairs(tables, ids, protocol)
    eligible = counting(boxes)
    size, count = detections.scores.shape[0], len(protocol.iou_thresholds)
    device = compat.device(detections.scores)
    objects = xp.full(count * size, -1, dtype=xp.int64, device=device)
    nothing = 0.0 if protocol.measure == "iou" else float("nan")
    overlaps = xp.full(count * size, nothing, dtype=detections.scores.dtype, device=device)
    matched = xp.full(count * eligible.shape[0], -1, dtype=xp.int64, device=device)
    counts = xp.concat([_false_alarm(boxes, candidates, xp=xp)] * count)
    for word, taken in matching.matched_pairs(candidates, protocol, xp=xp):
        detection_rows = xp.take(candidates.listed.rows, taken.detections)
        target_rows = xp.take(candidates.objects.rows, taken.targets)
        pairs = Pairs(detection_rows, target_rows, xp.take(targets.crowd, target_rows))
        overlap = signed(protocol, detections.shapes.overlap(targets.shapes, pairs, least))
        number, place = precision.where_set([(taken.bits, word.thresholds.stop - word.thresholds.start)], xp=xp)
        number = number + word.thresholds.start
        at, row = number * size + xp.take(detection_rows, place), xp.take(target_rows, place)
        counted = ~xp.take(taken.ignored, place)
        objects = indexing.put(objects, at, row, xp=xp)
        overlaps = indexing.put(overlaps, at, xp.take(overlap, place), xp=xp)
        counts = indexing.put(counts, at, counted, xp=xp)
        counted = xp.nonzero(counted)[0]
        at = xp.take(number * eligible.shape[0] + row, counted)
        matched = indexing.put(matched, at, xp.take(xp.take(detection_rows, place), counted), xp=xp)
    objects, overlaps, counts = (xp.reshape(x, (count, size)) for x in (objects, overlaps, counts))
    matched = xp.reshape(matched, (count, eligible.shape[0]))
    matches = Matches(
        thresholds=protocol.iou_thresholds,
        classes=ids.classes,
        objects=objects,
        overlaps=overlaps,
        counts=counts,
        detections=matched,
        over_limit=xp.full_like(matched, -1),
        target_counts=eligible,
        scores=detections.scores,
        labels=groups.one_class(detections.labels, protocol, xp=xp),
        target_labels=groups.one_class(targets.labels, protocol, xp=xp),
    )
    return matches, candidates.listed.surplus


def between_classes(
    boxes: Compared, least: float, some: Callable[[Overlapping], Overlapping] = lambda pairs: pairs, /
) -> Overlapping:
    """Return all pairs inside an image whose overlap is at least `least`, above 0, regardless of their classes.

    `least` is a threshold as the protocol has them; the overlaps are higher for better pairs: distances are negated.
    `some` filters the pairs of one part of the detections, where all pairs would take too much memory.
    """
    tables, ids, protocol = boxes
    xp, targets, detections, *_ = tables
    # All classes are treated as one; detections and objects of excluded classes take no part.
    labels = [xp.astype(indexing.place(ids.labels, x.labels, xp=xp)[1], xp.int64) for x in (targets, detections)]
    alike = tables._replace(
        targets=targets._replace(labels=labels[0], negative=None), detections=detections._replace(labels=labels[1])
    )
    rules = dataclasses.replace(
        protocol, iou_thresholds=(least,), area_ranges=protocol.area_ranges[:1], max_detections=(None,)
    )
    one = GroupIds(xp.ones_like(ids.labels[:1]) if ids.labels.shape[0] else ids.labels, ids.images)
    pairs = candidate_pairs(alike, one, rules)
    eligible, parts = counting(boxes), []
    for (detection, target, overlap), _ in pairs.parts:
        rows = xp.take(pairs.listed.rows, xp.take(pairs.eligible.rows, detection))
        target_rows = xp.take(pairs.objects.rows, target)
        kept = xp.nonzero(xp.take(eligible, target_rows))[0]
        parts.append(some(Overlapping(*(xp.take(x, kept) for x in (rows, target_rows, overlap)))))
    return Overlapping(*(xp.concat(list(column)) for column in zip(*parts, strict=True)))


def unverified(boxes: Compared, matches: Matches[Any], number: int, /) -> Any:
    """Return flags (M,): detections without a match at a threshold whose class nobody verified in their image.

    They may be right or wrong: the image has no object of the class and was not checked for it, or the ground truth
    does not list all of its objects of the class.
    """
    tables, ids, protocol = boxes
    xp, targets = tables.xp, tables.targets
    nowhere = xp.zeros_like(matches.scores) != 0
    if targets.negative is None and targets.not_exhaustive is None:
        return nowhere
    listed, limits = groups.listed(tables.detections, ids, protocol, xp=xp), protocol.area_ranges[0]
    inside = (listed.area >= limits.low) & (listed.area <= limits.high)
    unmatched = ~matches.counts[number, :] & (matches.objects[number, :] < 0)
    return indexing.put(nowhere, listed.rows, inside, xp=xp) & unmatched


def mean_of_hits(matches: Matches[Any], /, *, xp: Namespace) -> Any:
    """Return the mean overlap of the true positives of each class, (T, K); NaN without any."""
    size = matches.classes.shape[0]
    place, _ = indexing.place(matches.classes, matches.labels, xp=xp)
    rows = []
    for number in range(len(matches.thresholds)):
        hits = xp.nonzero(matches.hits[number, :])[0]
        label, overlap = xp.take(place, hits), xp.take(matches.overlaps[number, :], hits)
        counts = indexing.counts(label, size, xp=xp)
        nan = xp.full(size, float("nan"), dtype=overlap.dtype, device=compat.device(overlap))
        many = xp.where(counts > 0, xp.astype(counts, overlap.dtype), nan)
        rows.append(indexing.sums(overlap, label, size, xp=xp) / many)
    return xp.stack(rows)


def counting(boxes: Compared, /) -> Any:
    """Return flags (N,): targets that count in the first area range."""
    (xp, targets, *_), ids, protocol = boxes
    limits = protocol.area_ranges[0]
    known = indexing.place(ids.labels, targets.labels, xp=xp)[1] & indexing.place(ids.images, targets.images, xp=xp)[1]
    inside = (targets.area >= limits.low) & (targets.area <= limits.high)
    return known & ~groups.ignored(targets, protocol) & inside


def _false_alarm(boxes: Compared, pairs: Candidates, /, *, xp: Namespace) -> Any:
    """Return flags (M,): detections that are false positives if they match nothing."""
    tables, ids, protocol = boxes
    limits = protocol.area_ranges[0]
    listed = pairs.listed
    inside = (listed.area >= limits.low) & (listed.area <= limits.high)
    if tables.targets.not_exhaustive is not None:
        inside = inside & ~groups.among(tables.targets.not_exhaustive, listed.groups, ids, xp=xp)
    return indexing.put(xp.zeros_like(tables.detections.scores) != 0, listed.rows, inside, xp=xp)
