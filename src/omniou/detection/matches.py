"""Which detection took which object: for pictures, and for numbers that look at more than hits and misses."""

import dataclasses
from collections.abc import Callable
from typing import Any, Generic, NamedTuple

import array_api_compat as compat

from omniou._kernels import curves as kernels
from omniou._kernels.boxes import Boxes
from omniou._lib import indexing
from omniou._lib.types import ArrayT, Namespace
from omniou.detection import candidates, parts, tables
from omniou.detection import match as matching
from omniou.detection.candidates import Candidates, Overlap
from omniou.detection.parts import Columns
from omniou.detection.protocol import Protocol
from omniou.detection.tables import Ids


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Matches(Generic[ArrayT]):
    """M detections and N objects at T IoU thresholds, in the protocol's first area range.

    Rows are those of the tables that were given, one image after the other where they were lists of dictionaries.

    Attributes
    ----------
    thresholds : tuple of float
        What the axis T stands for.
    classes : array of int64, shape (K,)
        Labels, rising.
    objects : array of int64, shape (T, M)
        Row of the object that each detection is matched to, -1 if none.
    overlaps : array of float, shape (T, M)
        IoU with that object, 0 if none; for a crowd the share of the detection that it covers.
    counts : array of booleans, shape (T, M)
        Whether the detection counts, as a hit or as a false alarm. One that is matched to an ignored object does not,
        nor one beyond the limit, out of the area range, or of an image or class that was left out.
    detections : array of int64, shape (T, N)
        Row of the detection that found each object, -1 if none, and for objects that do not count.
    wanted : array of booleans, shape (N,)
        Whether the object counts: it is no crowd, not ignored, and in the area range.
    scores, labels, target_labels : array, shape (M,), (M,), (N,)
        As they were given.
    """

    thresholds: tuple[float, ...]
    classes: ArrayT
    objects: ArrayT
    overlaps: ArrayT
    counts: ArrayT
    detections: ArrayT
    wanted: ArrayT
    scores: ArrayT
    labels: ArrayT
    target_labels: ArrayT

    @property
    def hits(self) -> ArrayT:
        """(T, M): true positives."""
        found: Any = self.counts
        return found & (self.objects >= 0)  # type: ignore[operator]

    @property
    def false_alarms(self) -> ArrayT:
        """(T, M): false positives."""
        found: Any = self.counts
        return found & (self.objects < 0)  # type: ignore[operator]

    @property
    def misses(self) -> ArrayT:
        """(T, N): false negatives."""
        wanted: Any = self.wanted
        return wanted[None, :] & (self.detections < 0)  # type: ignore[operator]


class Compared(NamedTuple):
    """What was compared, to be looked at again: rows as they were given."""

    columns: Columns
    ids: Ids
    protocol: Protocol
    overlap: Callable[[float], Overlap]  # of at least so much


class Pairs(NamedTuple):
    """Detections and objects of one image that overlap, whatever their classes: P pairs, by detection."""

    found: Any  # (P,) rows of detections
    wanted: Any  # (P,) rows of objects that count
    overlap: Any  # (P,)


def find(boxes: Compared, /) -> Matches[Any]:
    """The matches of the first area range."""
    columns, ids, protocol, _ = boxes
    xp, truth, found = columns.xp, columns.truth, columns.found
    protocol = dataclasses.replace(protocol, area_ranges=protocol.area_ranges[:1])
    overlap = boxes.overlap(protocol.iou_thresholds[0])
    pairs = candidates.candidates(columns, ids, protocol, overlap)
    wanted = _wanted(boxes)
    size, count = found.scores.shape[0], len(protocol.iou_thresholds)
    device = compat.device(found.scores)
    objects = xp.full(count * size, -1, dtype=xp.int64, device=device)
    overlaps = xp.zeros(count * size, dtype=found.scores.dtype, device=device)
    detections = xp.full(count * wanted.shape[0], -1, dtype=xp.int64, device=device)
    counts = xp.concat([_false_alarm(boxes, pairs, xp=xp)] * count)
    for word, taken in matching.matched_pairs(pairs, protocol, xp=xp):
        ours, theirs = xp.take(pairs.listed.rows, taken.found), xp.take(pairs.objects.rows, taken.wanted)
        of_pair = overlap(_again(columns, ours, theirs))
        number, place = kernels.where_set([(taken.bits, word.thresholds.stop - word.thresholds.start)], xp=xp)
        number = number + word.thresholds.start
        at, row = number * size + xp.take(ours, place), xp.take(theirs, place)
        counted = ~xp.take(taken.ignored, place)
        objects = indexing.put(objects, at, row, xp=xp)
        overlaps = indexing.put(overlaps, at, xp.take(of_pair, place), xp=xp)
        counts = indexing.put(counts, at, counted, xp=xp)
        counted = xp.nonzero(counted)[0]
        at = xp.take(number * wanted.shape[0] + row, counted)
        detections = indexing.put(detections, at, xp.take(xp.take(ours, place), counted), xp=xp)
    objects, overlaps, counts = (xp.reshape(x, (count, size)) for x in (objects, overlaps, counts))
    return Matches(
        thresholds=protocol.iou_thresholds,
        classes=ids.classes,
        objects=objects,
        overlaps=overlaps,
        counts=counts,
        detections=xp.reshape(detections, (count, wanted.shape[0])),
        wanted=wanted,
        scores=found.scores,
        labels=found.labels,
        target_labels=truth.labels,
    )


def _again(columns: Columns, found: Any, wanted: Any, /) -> candidates.Pairs:
    """Rows of both tables (P,), to be compared once more."""
    xp, truth = columns.xp, columns.truth

    def bounds() -> tuple[Boxes, Boxes]:
        return parts.take(columns.found.boxes, found, xp=xp), parts.take(truth.boxes, wanted, xp=xp)

    return candidates.Pairs(found, wanted, xp.take(truth.crowd, wanted), bounds)


def between_classes(boxes: Compared, least: float, /) -> Pairs:
    """All pairs inside an image that overlap by at least that much; `least` is above 0."""
    columns, ids, protocol, _ = boxes
    xp, truth, found = columns.xp, columns.truth, columns.found
    # As if there were but one class: what is of a class that is left out is of none.
    labels = [xp.astype(indexing.place(ids.classes, x.labels, xp=xp)[1], xp.int64) for x in (truth, found)]
    alike = columns._replace(
        truth=truth._replace(labels=labels[0], negative=None), found=found._replace(labels=labels[1])
    )
    rules = dataclasses.replace(
        protocol, iou_thresholds=(least,), area_ranges=protocol.area_ranges[:1], max_detections=(None,)
    )
    one = Ids(xp.ones_like(ids.classes[:1]) if ids.classes.shape[0] else ids.classes, ids.images)
    pairs = candidates.candidates(alike, one, rules, boxes.overlap(least))
    rows = xp.take(pairs.listed.rows, xp.take(pairs.eligible.rows, pairs.edges.found))
    theirs = xp.take(pairs.objects.rows, pairs.edges.wanted)
    kept = xp.nonzero(xp.take(_wanted(boxes), theirs))[0]
    return Pairs(*(xp.take(x, kept) for x in (rows, theirs, pairs.edges.overlap)))


def mean_of_hits(matches: Matches[Any], /, *, xp: Namespace) -> Any:
    """(T, K) mean overlap of the hits of each class, NaN where there are none."""
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


def _wanted(boxes: Compared, /) -> Any:
    """(N,) whether each object counts in the first area range."""
    (xp, truth, *_), ids, protocol, _ = boxes
    limits = protocol.area_ranges[0]
    evaluated = indexing.place(ids.classes, truth.labels, xp=xp)[1] & indexing.place(ids.images, truth.images, xp=xp)[1]
    return evaluated & ~tables.ignored(truth, protocol) & (truth.area >= limits.low) & (truth.area <= limits.high)


def _false_alarm(boxes: Compared, pairs: Candidates, /, *, xp: Namespace) -> Any:
    """(M,) whether each detection counts if it matches nothing."""
    columns, ids, protocol, _ = boxes
    limits = protocol.area_ranges[0]
    listed = pairs.listed
    inside = (listed.area >= limits.low) & (listed.area <= limits.high)
    if columns.truth.not_exhaustive is not None:
        inside = inside & ~tables.among(columns.truth.not_exhaustive, listed.groups, ids, xp=xp)
    return indexing.put(xp.zeros_like(columns.found.scores) != 0, listed.rows, inside, xp=xp)
