"""Confusion matrix of classes."""

import dataclasses
import math
from typing import Any, Generic

from omniou._lib import indexing, ordering
from omniou._lib.brief import reached, threshold
from omniou._lib.indexing import to_list
from omniou._lib.types import ArrayT, Namespace
from omniou.detection._analysis import ResultAnalysis
from omniou.detection.matching._matches import Compared, Matches, between_classes, unverified


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class Confusion(ResultAnalysis, Generic[ArrayT]):
    """Confusion matrix of classes, for detections above a score threshold.

    Inside an image detections and objects are paired one to one regardless of their classes: pairs of one class first,
    then by falling IoU, then by falling score. Detections of a class that nobody verified in the image (LVIS, Open
    Images) come last: they are paired with the remaining objects, and are not errors without one.

    Attributes
    ----------
    classes : array of int64, shape (K,)
        Labels, rising.
    counts : array of int64, shape (K + 1, K + 1)
        Rows are true classes, columns detected classes. The last row counts detections without an object, the
        last column objects without a detection. Objects that only a detection over the limit matches are excluded.
    score : float
        Detections with a lower score do not count; minus infinity if detections have no scores.
    iou_threshold : float
        The least IoU of a pair.

    Notes
    -----
    There is no paper that all follow; tools differ in how they pair. Here what one class explains is not confusion.
    """

    classes: ArrayT
    counts: ArrayT
    score: float
    iou_threshold: float

    def _line(self) -> str:
        table, nothing = [to_list(self.counts[k, :]) for k in range(self.counts.shape[0])], self.counts.shape[0] - 1
        right = sum(table[k][k] for k in range(nothing))
        invented, missed = sum(table[nothing]), sum(row[nothing] for row in table)
        other = sum(map(sum, table)) - right - invented - missed
        told = f"{right} right class, {other} another class, {invented} background, {missed} missed"
        least = "" if math.isinf(self.score) else f"score ≥ {threshold(self.score)}, "
        return f"{told} ({least}{reached(self.overlap, self.iou_threshold)})"

    def _columns(self) -> dict[str, Any]:
        # Two classes may have one name.
        names = [*self.class_names, "nothing"]
        columns = [f"{x} ({k})" if names.count(x) > 1 else x for k, x in enumerate(names)]
        rows = {name: to_list(self.counts[:, k]) for k, name in enumerate(columns)}
        return {"true class": [*columns[:-1], "background"], **rows}


def find(boxes: Compared, matches: Matches[Any], threshold: float, score: float, /) -> Confusion[Any]:
    """Compute the confusion of detections with a score of at least `score`, at one of the thresholds of the matches."""
    xp, classes = boxes.tables.xp, boxes.ids.classes
    size, number = classes.shape[0], matches.thresholds.index(threshold)
    pairs = between_classes(boxes, threshold)
    label, _ = indexing.place(classes, matches.labels, xp=xp)
    truth, _ = indexing.place(classes, matches.target_labels, xp=xp)
    above, open_ended = matches.scores >= score, unverified(boxes, matches, number)
    shown = matches.counts[number, :] & above
    kept = xp.nonzero(xp.take(shown | (open_ended & above), pairs.detections))[0]
    detections, targets, overlap = (xp.take(x, kept) for x in pairs)
    other, last = xp.take(label, detections) != xp.take(truth, targets), xp.take(open_ended, detections)
    turn = xp.astype(other, xp.int64) + 2 * xp.astype(last, xp.int64)
    chosen = _one_to_one(detections, targets, ordering.falling(turn, 4, overlap, xp=xp), xp=xp)
    detections, targets = xp.take(detections, chosen), xp.take(targets, chosen)
    false, missed = shown & True, matches.target_counts & True
    # A detection over the limit does not count, but its object is not missed.
    rows = xp.nonzero(matches.over_limit[number, :] >= 0)[0]
    rows = xp.take(rows, xp.nonzero(xp.take(above, xp.take(matches.over_limit[number, :], rows)))[0])
    missed = indexing.put(missed, rows, xp.zeros_like(rows) != 0, xp=xp)
    false = indexing.put(false, detections, xp.zeros_like(detections) != 0, xp=xp)
    missed = indexing.put(missed, targets, xp.zeros_like(targets) != 0, xp=xp)
    cells = [
        xp.take(truth, targets) * (size + 1) + xp.take(label, detections),
        size * (size + 1) + xp.take(label, xp.nonzero(false)[0]),
        xp.take(truth, xp.nonzero(missed)[0]) * (size + 1) + size,
    ]
    counts = indexing.counts(xp.concat(cells), (size + 1) ** 2, xp=xp)
    return Confusion(classes, xp.reshape(counts, (size + 1, size + 1)), score, threshold)


def _one_to_one(detections: Any, targets: Any, order: Any, /, *, xp: Namespace) -> Any:
    """Pairs (P,), their order (P,) -> the pairs that a greedy matching takes in that order.

    A pair that is the first of its detection and of its object is taken regardless of others: each step takes all such.
    """
    left, taken = order, [order[:0]]
    while left.shape[0]:
        a, b = _is_first(xp.take(detections, left), xp=xp), _is_first(xp.take(targets, left), xp=xp)
        now = xp.take(left, xp.nonzero(a & b)[0])
        taken.append(now)
        gone = [indexing.place(xp.sort(xp.take(x, now)), xp.take(x, left), xp=xp)[1] for x in (detections, targets)]
        left = xp.take(left, xp.nonzero(~(gone[0] | gone[1]))[0])
    return xp.concat(taken)


def _is_first(x: Any, /, *, xp: Namespace) -> Any:
    """Integers (N,) -> flags of the first of each value (N,)."""
    order = xp.argsort(x, stable=True)
    first = xp.take(order, indexing.run_starts(xp.take(x, order), xp=xp))
    return indexing.put(xp.zeros_like(x) != 0, first, xp.zeros_like(first) == 0, xp=xp)
