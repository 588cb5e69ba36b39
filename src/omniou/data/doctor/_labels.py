"""The classes of detections: whether their numbers are those of the ground truth."""

from typing import Any

import numpy as np
import numpy.typing as npt

from omniou.data._findings import Finding
from omniou.data._truth import GroundTruth
from omniou.data.doctor._boxes import Fit
from omniou.data.doctor._readings import can_be_better, is_better
from omniou.data.doctor._sample import THRESHOLD, Overlaps, Sample

Column = npt.NDArray[Any]

_HINT = "--dt-classes FILE names the classes that their numbers count, --gt-classes FILE those of the ground truth"
_AGREE = f"of detections with IoU >= {THRESHOLD} with an object"
# Detections of a single class, and how many of them meet an object of another one, before that is to be said.
_FEW, _OTHERS = 10, 0.25


def check(truth: GroundTruth, labels: Column, sample: Sample, fit: Fit) -> list[Finding]:
    """One class for all, or numbers of classes by another list; `labels` are those of all detections."""
    met = _Met(sample, fit)
    if not met.count:
        return []
    agreeing = met.agreeing(lambda x: x)
    if (labels == labels[0]).all():
        return _one_class(truth, len(labels), int(labels[0]), met, agreeing)
    if not can_be_better(agreeing, met.count):
        return []
    ids = np.sort(np.array(list(truth.categories), dtype=np.int64))
    shifted, by = max((met.agreeing(lambda x, by=by: _neighbours(ids, x, by)), by) for by in (1, -1))
    mapped, examples = met.mapped()
    evidence = f"{_AGREE}, {met.share(agreeing)} have its class as read"
    if is_better(shifted, agreeing, met.count, 0) and shifted >= 0.8 * mapped:
        text = f"numbers of classes of the detections seem to be one too {'low' if by > 0 else 'high'}"
        evidence += f", {met.share(shifted)} the {'next' if by > 0 else 'previous'} one"
        return [Finding(code="classes-shifted", text=text, evidence=evidence, hint=_HINT)]
    if is_better(mapped, agreeing, met.count, 0):
        text = "numbers of classes of the detections seem to be those of another list"
        shown = ", ".join(f"{_name(truth, a)!r} meets {_name(truth, b)!r}" for a, b in examples[:3])
        evidence += f", {met.share(mapped)} once renamed: {shown}"
        return [Finding(code="classes-mixed", text=text, evidence=evidence, hint=_HINT)]
    return []


class _Met:
    """The pairs of detections and objects that meet, as labels."""

    def __init__(self, sample: Sample, fit: Fit) -> None:
        pairs = sample.overlaps(fit.detections, fit.objects)
        near = pairs.iou >= THRESHOLD
        self.rows = pairs.detections[near]
        self.ours, self.theirs = sample.detections.labels[self.rows], sample.objects.labels[pairs.objects[near]]
        self.best = _best_of_each(Overlaps(*(x[near] for x in pairs)))
        self.count = _distinct(self.rows)

    def share(self, count: int) -> str:
        return f"{count / self.count:.1%}"

    def agreeing(self, renamed: Any) -> int:
        """How many detections meet an object of their class, once that is renamed."""
        return _distinct(self.rows[renamed(self.ours) == self.theirs])

    def mapped(self) -> tuple[int, list[tuple[int, int]]]:
        """How many agree, and the commonest changes, once each class is renamed as most of its other detections say."""
        ours, theirs = self.ours[self.best], self.theirs[self.best]
        pairs, counts = np.unique(np.stack([ours, theirs], axis=1), axis=0, return_counts=True)
        best: dict[int, tuple[int, int]] = {}  # of each class of the ground truth, how many agree, and whose they are
        for label in np.unique(ours):
            rows = np.flatnonzero(pairs[:, 0] == label)
            order = rows[np.argsort(-counts[rows], kind="stable")]
            most = int(counts[order[0]])
            second = counts[order[1]] if len(order) > 1 else 0
            meant = int(pairs[order[0], 1])
            # Without one of its detections the most frequent class must still be ahead. Two classes are not one.
            if most - 1 > second and most > best.get(meant, (0, 0))[0]:
                best[meant] = most, int(label)
        changes = sorted(
            ((most, (label, meant)) for meant, (most, label) in best.items() if label != meant), reverse=True
        )
        return sum(most for most, _ in best.values()), [change for _, change in changes]


def _distinct(rising: Column) -> int:
    """How many numbers differ, where equal ones are side by side."""
    return int((rising[1:] != rising[:-1]).sum()) + min(1, len(rising))


def _best_of_each(pairs: Overlaps) -> Column:
    """The row of the pair of highest IoU of each detection."""
    order = np.lexsort((pairs.iou, pairs.detections))
    last = np.flatnonzero(np.diff(pairs.detections[order], append=-1))
    return order[last]


def _neighbours(ids: Column, labels: Column, by: int) -> Column:
    """The next class, or the one before, in the order of ids; the first follows the last."""
    return ids[(np.searchsorted(ids, labels) + by) % len(ids)]


def _one_class(truth: GroundTruth, count: int, label: int, met: _Met, agreeing: int) -> list[Finding]:
    others = met.count - agreeing
    if count < _FEW or others < max(3, _OTHERS * met.count):
        return []
    text = f"all {count} detections are of one class, {_name(truth, label)!r}"
    evidence = f"{_AGREE}, {met.share(others)} meet one of another class"
    hint = "write the class of each detection, or compare without classes"
    return [Finding(code="classes-one", text=text, evidence=evidence, hint=hint)]


def _name(truth: GroundTruth, label: int) -> str:
    return truth.categories.get(label, str(label))
