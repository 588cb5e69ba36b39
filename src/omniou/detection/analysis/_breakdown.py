"""Types of errors, and the AP that each type costs."""

import dataclasses
from typing import Any, Generic, NamedTuple

import array_api_compat as compat

from omniou._lib import indexing, ordering
from omniou._lib.brief import threshold
from omniou._lib.types import ArrayT, Namespace
from omniou.detection._analysis import ResultAnalysis, shown
from omniou.detection._protocol import Protocol, level
from omniou.detection.curves import _summary as summary
from omniou.detection.curves._curves import Outcomes, average_precision
from omniou.detection.matching._groups import content_order
from omniou.detection.matching._matches import Compared, Matches, Overlapping, between_classes, unverified

KINDS = ("classification", "localisation", "both", "duplicate", "background")


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class Breakdown(ResultAnalysis, Generic[ArrayT]):
    """The errors at one IoU threshold, by TIDE's types.

    A false positive is *localisation* where it overlaps an object of its class by at least the background threshold,
    but too little to find it; else *classification* where it overlaps one of another class by enough; else *duplicate*
    where the object of its class that it overlaps by enough has a better detection; else *background* where it overlaps
    nothing by the background threshold; else *both*. A miss is *missed* where no error of the first two kinds concerns
    it.

    A detection of a class that nobody verified in its image (LVIS, Open Images) is not a false positive. On an object
    that is missed it is an error of the first two kinds nevertheless, since the object was found as something else.

    Attributes
    ----------
    iou_threshold : float
        The least IoU of a true positive.
    ap : float
        AP at the threshold, mean over the classes that have objects (see `every_class` of `Result.errors`).
    cost : dict of str to float
        How much AP would rise if one error type were fixed and nothing else. Classification and localisation: the
        best such detection of an object that is missed becomes a hit, others go. Missed: the objects need not be found.
        Other kinds: the detections go. "false_positives": all false positives score below all hits; "false_negatives":
        no object that is missed need be found. A class that then has neither objects nor detections leaves the mean, as
        in TIDE; if no class stays, AP is 1. Costs do not add up.
    counts : dict of str to int
        Errors of each kind, "missed" among them.
    kinds : array of int64, shape (M,)
        Place in ``("classification", "localisation", "both", "duplicate", "background")`` of each error, -1 for all
        other detections.
    objects : array of int64, shape (M,)
        Row of the object that a classification or localisation error, or a duplicate, is about; -1 for others.
    missed : array of booleans, shape (N,)
        Objects that are missed and not covered by another error.

    References
    ----------
    Bolya et al., TIDE: A General Toolbox for Identifying Object Detection Errors, ECCV 2020.
    """

    iou_threshold: float
    ap: float
    cost: dict[str, float]
    counts: dict[str, int]
    kinds: ArrayT
    objects: ArrayT
    missed: ArrayT

    def _line(self) -> str:
        worst = sorted(self.counts, key=lambda kind: -self.cost[kind])
        costs = [f"{kind} {shown(self.cost[kind])}" for kind in worst if f"{self.cost[kind]:.3f}" != "0.000"]
        at = f"{self.overlap} {threshold(self.iou_threshold)}"
        return f"AP {shown(self.ap)} at {at}, errors cost {', '.join(costs) or 'nothing'}"

    def _columns(self) -> dict[str, Any]:
        costs = [self.cost[kind] for kind in self.counts]
        return {"error": list(self.counts), "cost": costs, "count": list(self.counts.values())}


def find(
    boxes: Compared, matches: Matches[Any], threshold: float, background: float, /, *, every_class: bool = False
) -> Breakdown[Any]:
    """Compute the errors at one of the thresholds of the matches."""
    xp, number = boxes.tables.xp, matches.thresholds.index(threshold)
    false = matches.false_alarms[number, :]
    about = _about(boxes, matches, number, threshold, background)
    fixed, covered = _fixed(about, matches, number, boxes.protocol, xp=xp)
    kinds, objects = about.kinds, about.objects
    table = _Table(boxes, matches, number, every_class=every_class)
    missed = matches.misses[number, :] & ~covered
    whole = table.average_precision()
    cost = {}
    # A fixed error becomes a hit of its target's class.
    rows = xp.nonzero(fixed)[0]
    right = xp.take(matches.target_labels, xp.take(objects, rows))
    label = indexing.put(matches.labels + 0, rows, right, xp=xp)
    for kind, name in enumerate(KINDS):
        here = kinds == kind
        cost[name] = table.average_precision(gone=here & ~fixed, hit=here & fixed, label=label)
    cost["missed"] = table.average_precision(left_out=missed)
    cost["false_positives"] = table.average_precision(last=false)
    cost["false_negatives"] = table.average_precision(left_out=matches.misses[number, :])
    counts = {name: int(xp.count_nonzero(kinds == kind)) for kind, name in enumerate(KINDS)}
    counts["missed"] = int(xp.count_nonzero(missed))
    costs = {name: x - whole for name, x in cost.items()}
    return Breakdown(
        iou_threshold=threshold, ap=whole, cost=costs, counts=counts, kinds=kinds, objects=objects, missed=missed
    )


def duplicates(boxes: Compared, matches: Matches[Any], number: int, threshold: float, /) -> Any:
    """Return flags (M,): false positives on an object of their class that has a better detection."""
    return _about(boxes, matches, number, threshold, threshold).kinds == KINDS.index("duplicate")


class _ErrorsFound(NamedTuple):
    """The error of each of M detections."""

    kinds: Any  # (M,) -1 where it is no error
    objects: Any  # (M,) the object that the error is about, -1 for none
    overlap: Any  # (M,) with that object


def _about(boxes: Compared, matches: Matches[Any], number: int, threshold: float, background: float, /) -> _ErrorsFound:
    xp, false, misses = boxes.tables.xp, matches.false_alarms[number, :], matches.misses[number, :]
    unsure = unverified(boxes, matches, number)
    place = _places(boxes, misses)

    def closest(pairs: Overlapping) -> Overlapping:
        return _closest_pairs(_in_order(pairs, place, xp=xp), matches, false | unsure, xp=xp)

    pairs = between_classes(boxes, background, closest)
    alike = xp.take(matches.labels, pairs.detections) == xp.take(matches.target_labels, pairs.targets)
    (own, of_own), (other, of_other) = (_closest(pairs, which, false, xp=xp) for which in (alike, ~alike))
    enough, never = level(boxes.protocol, threshold), -float("inf")
    near, duplicate = (own > never) & (own < enough), own >= enough
    confused = ~near & (other >= enough)
    seen = (own > never) | (other > never)
    kind = xp.where(seen, xp.full_like(of_own, KINDS.index("both")), xp.full_like(of_own, KINDS.index("background")))
    for name, which in (("duplicate", duplicate), ("classification", confused), ("localisation", near)):
        kind = xp.where(which, xp.full_like(kind, KINDS.index(name)), kind)
    none = xp.full_like(kind, -1)
    objects = xp.where(confused, of_other, xp.where(near | duplicate, of_own, none))
    # Without missed objects there is nothing to look up: a table without rows cannot be indexed.
    on_missed = indexing.put(false & False, *_looked_up(objects, misses, xp=xp), xp=xp)
    wrong = false | (unsure & (near | confused) & on_missed)
    return _ErrorsFound(xp.where(wrong, kind, none), xp.where(wrong, objects, none), xp.where(confused, other, own))


def _looked_up(objects: Any, flags: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Rows of objects (M,), -1 for none, booleans (N,) -> places that have an object, and the flag of the object."""
    rows = xp.nonzero(objects >= 0)[0]
    return rows, xp.take(flags, xp.take(objects, rows))


def _places(boxes: Compared, misses: Any, /) -> Any:
    """Return the order of objects of equal overlap by their content (N,); None for the order of rows."""
    xp, targets = boxes.tables.xp, boxes.tables.targets
    if boxes.protocol.tie_policy != "invariant":
        return None
    rows = xp.arange(misses.shape[0], dtype=xp.int64, device=compat.device(misses))
    order = content_order(targets, rows, xp=xp)
    # Of two identical objects, one may be found. An error then refers to the other.
    order = xp.take(order, ordering.rising(xp.astype(~xp.take(misses, order), xp.int64), 2, xp=xp))
    return indexing.put(rows + 0, order, rows, xp=xp)


def _in_order(pairs: Overlapping, place: Any, /, *, xp: Namespace) -> Overlapping:
    """Sort the pairs by the places of their objects."""
    if place is None:
        return pairs
    turn = ordering.rising(xp.take(place, pairs.targets), max(1, place.shape[0]), xp=xp)
    return Overlapping(*(xp.take(x, turn) for x in pairs))


def _closest_pairs(pairs: Overlapping, matches: Matches[Any], asked: Any, /, *, xp: Namespace) -> Overlapping:
    """Return the pairs of highest overlap of each chosen detection: with an object of its class, and of another."""
    rows = xp.nonzero(xp.take(asked, pairs.detections))[0]
    pairs = Overlapping(*(xp.take(x, rows) for x in pairs))
    alike = xp.take(matches.labels, pairs.detections) == xp.take(matches.target_labels, pairs.targets)
    major = 2 * pairs.detections + xp.astype(alike, xp.int64)
    order = ordering.falling(major, max(1, 2 * asked.shape[0]), pairs.overlap, xp=xp)
    first = xp.take(order, indexing.run_starts(xp.take(major, order), xp=xp))
    return Overlapping(*(xp.take(x, first) for x in pairs))


def _closest(pairs: Overlapping, which: Any, false: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Return the highest overlap of each detection in some pairs, and the object, (M,) each; -inf and -1 for none."""
    rows = xp.nonzero(which)[0]
    detections, targets, overlap = (xp.take(x, rows) for x in pairs)
    order = ordering.falling(detections, max(1, false.shape[0]), overlap, xp=xp)
    first = xp.take(order, indexing.run_starts(xp.take(detections, order), xp=xp))
    at = xp.take(detections, first)
    best = xp.full(false.shape, -float("inf"), dtype=overlap.dtype, device=compat.device(overlap))
    best = indexing.put(best, at, xp.take(overlap, first), xp=xp)
    none = xp.full(false.shape, -1, dtype=xp.int64, device=compat.device(overlap))
    return best, indexing.put(none, at, xp.take(targets, first), xp=xp)


def _fixed(
    about: _ErrorsFound, matches: Matches[Any], number: int, protocol: Protocol, /, *, xp: Namespace
) -> tuple[Any, Any]:
    """Return flags of the best error about each missed object (M,), which becomes its hit, and of the objects (N,)."""
    kinds, objects, overlap = about
    two = (kinds == KINDS.index("classification")) | (kinds == KINDS.index("localisation"))
    rows = xp.nonzero(two)[0]
    rows = xp.take(rows, xp.nonzero(xp.take(matches.misses[number, :], xp.take(objects, rows)))[0])
    if protocol.tie_policy == "invariant":
        # Errors with equal scores rank by overlap, then by kind and class, so that the order of rows has no effect.
        for column in (matches.labels, kinds, -overlap):
            rows = xp.take(rows, xp.argsort(xp.take(column, rows), stable=True))
    target = xp.take(objects, rows)
    scores, size = xp.take(matches.scores, rows), max(1, matches.target_counts.shape[0])
    order = ordering.falling(target, size, scores, last=protocol.last_first, xp=xp)
    first = xp.take(order, indexing.run_starts(xp.take(target, order), xp=xp))
    yes = xp.zeros_like(first) == 0
    return (
        indexing.put(kinds < -1, xp.take(rows, first), yes, xp=xp),
        indexing.put(matches.target_counts & False, xp.take(target, first), yes, xp=xp),
    )


class _Table:
    """Outcomes at one threshold, whose average precision is computed as they are and with changes."""

    def __init__(self, boxes: Compared, matches: Matches[Any], number: int, /, *, every_class: bool) -> None:
        xp, self._boxes, self._matches, self._every_class = boxes.tables.xp, boxes, matches, every_class
        self._hit, self._counts = matches.hits[number, :], matches.counts[number, :]
        # Equal scores rank in the order of the state: by image.
        image, _ = indexing.place(boxes.ids.images, boxes.tables.detections.images, xp=xp)
        self._order = ordering.rising(image, max(1, boxes.ids.images.shape[0]), xp=xp)

    def average_precision(
        self, *, gone: Any = None, hit: Any = None, label: Any = None, last: Any = None, left_out: Any = None
    ) -> float:
        """Compute mean AP without some detections or objects, and with some as hits of another label or ranked last."""
        xp, matches, classes = self._boxes.tables.xp, self._matches, self._boxes.ids.classes
        counts = self._counts if gone is None else (self._counts & ~gone) | hit
        hits = self._hit if hit is None else self._hit | hit
        labels = matches.labels if label is None else xp.where(hit, label, matches.labels)
        scores = matches.scores
        if last is not None and scores.shape[0]:
            scores = xp.where(last, xp.full_like(scores, float(xp.min(scores)) - 1.0), scores)
        kept = matches.target_counts if left_out is None else matches.target_counts & ~left_out
        before, objects = (self._objects(x, xp=xp) for x in (matches.target_counts, kept))
        rows = xp.take(self._order, xp.nonzero(xp.take(counts, self._order))[0])
        place = indexing.place(classes, xp.take(labels, rows), xp=xp)[0]
        last, of_rows = self._boxes.protocol.last_first, xp.take(scores, rows)
        order = ordering.falling(place, max(1, classes.shape[0]), of_rows, last=last, xp=xp)
        rows = xp.take(rows, order)
        columns = xp.take(place, order), xp.take(scores, rows), xp.take(hits, rows), xp.take(counts, rows)
        table = average_precision(Outcomes(*columns), objects, self._boxes.protocol, xp=xp)
        had, has = before > 0, (objects > 0) | (indexing.counts(place, classes.shape[0], xp=xp) > 0)
        means = summary.mean_of_cells(table, xp=xp)
        # Detections of a class without objects left are all wrong: its AP is 0.
        means = xp.where(objects > 0, means, xp.zeros_like(means))
        stays = xp.nonzero(has if self._every_class else had & has)[0]
        nothing = 1.0 if xp.any(had) else float("nan")
        return indexing.mean_of_numbers(xp.take(means, stays)) if stays.shape[0] else nothing

    def _objects(self, which: Any, /, *, xp: Namespace) -> Any:
        """Booleans (N,) -> number of these objects of each class, (K,)."""
        classes, labels = self._boxes.ids.classes, xp.take(self._matches.target_labels, xp.nonzero(which)[0])
        return indexing.counts(indexing.place(classes, labels, xp=xp)[0], classes.shape[0], xp=xp)
