"""The classes of detections: whether their numbers are the ground truth's."""

import functools
import itertools
from collections.abc import Iterator, Sequence

from omniou._doctor.columns import Column, distinct, np
from omniou._doctor.engine import Reading, Trial
from omniou._inputs import class_ids
from omniou._inputs.class_ids import CLASS_IDS, COCO_IDS
from omniou._lib.findings import Finding
from omniou.detection.doctor._boxes import Fit
from omniou.detection.doctor._examined import FILES, Cures, Examined
from omniou.detection.doctor._sample import THRESHOLD, Sample, SampledPairs, matched

_AGREE = f"class of an object with IoU >= {THRESHOLD}"
# Ranges in brackets as in `_doctor.engine`.

# Classes that are shifted by one agree with their objects nearly as often as classes that are renamed in the best way
# (0.4 to 1).
_SHIFTED = 0.8
# Detections of a single class (5 to 20), and how many of those that match, at the least (2 to 6) and as a share (0.125
# to 0.5), match only another class.
_FEW, _FEW_OTHERS, _OTHERS = 10, 3, 0.25
# Detections that overlap objects of other classes only: of classes that occur (7 to 20), and of others (1 to 4).
# And how many times as many, of classes that occur, as overlap objects of other images (1 to 4).
_MANY, _SOME, _TIMES = 10, 2, 2
# Examples that a finding names.
_EXAMPLES = 3


def check(truth: Examined, labels: Column, sample: Sample, fit: Fit, cures: Cures = FILES) -> list[Finding]:
    """One class for all, or numbers of classes by another list. `labels` has the labels of all detections."""
    matches = Matches(sample, fit)
    if not matches.count:
        return []
    agreeing = matches.agreeing(matches.detected)
    if (labels == labels[0]).all() and (one := _one_class(truth, len(labels), int(labels[0]), matches, agreeing)):
        return one
    trial = matches.trial()
    if not (labels == labels[0]).all() and trial.is_open:
        mapped, changes = matches.mapped()
        counted = trial.best(itertools.chain(_shifted(truth, cures), _counted(truth, cures)))
        if counted and matches.agreeing(counted.value) >= _SHIFTED * matches.agreeing(mapped):
            return [counted.finding]
        if found := trial.findings([_renamed(truth, mapped, changes, cures)]):
            return found
    return [] if agreeing else _apart(truth, labels, matches, cures)


def _shifted(truth: Examined, cures: Cures) -> Iterator[Reading]:
    ids = np.sort(np.array(list(truth.categories), dtype=np.int64))
    for by, low, sign, following in ((-1, "high", "subtract 1 from", "previous"), (1, "low", "add 1 to", "next")):
        way = {(1, 1): "from-0", (0, -1): "from-1"}.get((int(ids[0]), by)) if _without_gaps(ids.tolist()) else None
        option = cures.counted.format(side="dt", way=way, what="detections") + ", or " if way and truth.path else ""
        yield Reading(
            code="classes-shifted",
            text=f"numbers of classes of the detections seem to be one too {low}",
            hint=option + cures.classes.format(sign=f"{sign} each, or "),
            read=functools.partial(_neighbours, ids, by=by),
            words=f"with the {following} class",
        )


def _counted(truth: Examined, cures: Cures) -> Iterator[Reading]:
    """Numbers that count categories whose ids have gaps, as COCO's have; or ids with gaps, of categories without."""
    # Arrays have only the classes that occur, so the list is a guess.
    for listed in [sorted(truth.categories), *([] if truth.path else [list(COCO_IDS)])]:
        for way in CLASS_IDS:
            numbers = list(class_ids.numbers(len(listed), way))
            if len(numbers) == len(listed) and numbers != listed and (way == "coco" or not _without_gaps(listed)):
                yield from _by_numbers(numbers, listed, way, cures)


def _by_numbers(numbers: Sequence[int], listed: Sequence[int], way: str, cures: Cures) -> Iterator[Reading]:
    """Numbers of the detections, or of the ground truth, for the ids that are listed."""
    words = f"COCO's ids of {len(listed)} categories" if way == "coco" else f"counted {way.replace('-', ' ')}"
    for side, what, old, new in (("dt", "detections", numbers, listed), ("gt", "ground truth", listed, numbers)):
        yield Reading(
            code="classes-counted",
            text=f"numbers of classes of the {what} seem to be {words}, not the ids of the categories",
            hint=cures.counted.format(side=side, way=way, what=what),
            read=functools.partial(_replaced, np.array(old), np.array(new)),
            words="in the order of ids",
        )


def _without_gaps(rising: Sequence[int]) -> bool:
    return not rising or rising[-1] - rising[0] == len(rising) - 1


def _replaced(old: Column, new: Column, labels: Column) -> Column:
    """Labels with new numbers for old, rising ones; -1 for others."""
    at = np.minimum(np.searchsorted(old, labels), len(old) - 1)
    return np.where(old[at] == labels, new[at], -1)


def _renamed(truth: Examined, mapped: Column, changes: list[tuple[int, int]], cures: Cures) -> Reading:
    shown = ", ".join(f"{_name(truth, a)!r} overlaps {_name(truth, b)!r}" for a, b in changes[:_EXAMPLES])
    return Reading(
        code="classes-mixed",
        text="numbers of classes of the detections seem to belong to another list",
        hint=cures.classes.format(sign=""),
        read=lambda _: mapped,
        words=f"once renamed: {shown}",
    )


def _apart(truth: Examined, labels: Column, matches: "Matches", cures: Cures) -> list[Finding]:
    """No detection of the class of an object that it overlaps: AP is 0, for any reason."""
    known = np.isin(labels, np.asarray(truth.targets.labels)).any()
    if matches.count < (_MANY + _TIMES * matches.by_chance if known else _SOME):
        return []
    text = "no detection has the class of an object that it overlaps: AP is 0"
    evidence = f"{matches.count} detections have IoU >= {THRESHOLD} with an object"
    if not known:
        evidence += "; no object has the class of any detection"
    return [Finding(code="classes-apart", text=text, evidence=evidence, hint=cures.classes.format(sign=""))]


class Matches:
    """The labels of detections and objects with IoU of at least the threshold: all pairs, not one object for each."""

    def __init__(self, sample: Sample, fit: Fit) -> None:
        pairs = sample.overlaps(fit.detections, fit.objects)
        near = pairs.iou >= THRESHOLD
        self.rows = pairs.detections[near]
        self.detected, self.true = sample.detections.labels[self.rows], sample.objects.labels[pairs.objects[near]]
        self.best = _best_of_each(SampledPairs(*(x[near] for x in pairs)))
        self.count = _distinct(self.rows)
        elsewhere = sample.best(fit.detections, fit.objects, sample.elsewhere())
        self.by_chance = matched(elsewhere)  # of a single image those in it

    def agreeing(self, labels: Column) -> int:
        """How many detections match an object of their class, if the pairs have these labels."""
        return _distinct(self.rows[labels == self.true])

    def trial(self) -> Trial[Column]:
        """How other labels of the pairs are compared."""
        return Trial(
            given=self.detected,
            total=self.count,
            matches=self.agreeing,
            by_chance=lambda _: 0,
            measure=_AGREE,
            of="detections that overlap one",
        )

    def mapped(self) -> tuple[Column, list[tuple[int, int]]]:
        """The labels, once each class is renamed as most of its other detections say, and the commonest changes.

        If 8 detections of class 3 match objects of class 7 and 2 match class 5, class 3 is renamed 7, and 8 agree. A
        class of the ground truth is taken once, by the class of which most agree; the others keep their labels.
        """
        detected, true = self.detected[self.best], self.true[self.best]
        pairs, counts = np.unique(np.stack([detected, true], axis=1), axis=0, return_counts=True)
        best: dict[int, tuple[int, int]] = {}  # of each class of the ground truth, how many agree, and whose they are
        for label in distinct(detected):
            rows = np.flatnonzero(pairs[:, 0] == label)
            order = rows[np.argsort(-counts[rows], kind="stable")]
            most = int(counts[order[0]])
            second = counts[order[1]] if len(order) > 1 else 0
            meant = int(pairs[order[0], 1])
            # Without one of its detections the most frequent class must still be ahead, or a class with a single
            # detection would always agree. Two classes are not one.
            if most - 1 > second and most > best.get(meant, (0, 0))[0]:
                best[meant] = most, int(label)
        changes = sorted(
            ((most, (label, meant)) for meant, (most, label) in best.items() if label != meant), reverse=True
        )
        renamed = self.detected.copy()
        for meant, (_, label) in best.items():
            renamed[self.detected == label] = meant
        return renamed, [change for _, change in changes]


def _distinct(rising: Column) -> int:
    """How many numbers differ, where equal ones are side by side."""
    return int((rising[1:] != rising[:-1]).sum()) + min(1, len(rising))


def _best_of_each(pairs: SampledPairs) -> Column:
    """The row of the pair of highest IoU of each detection."""
    order = np.lexsort((pairs.iou, pairs.detections))
    last = np.flatnonzero(np.diff(pairs.detections[order], append=-1))
    return order[last]


def _neighbours(ids: Column, labels: Column, *, by: int) -> Column:
    """The next class, or the one before, in the order of ids; the first follows the last."""
    return ids[(np.searchsorted(ids, labels) + by) % len(ids)]


def _one_class(truth: Examined, count: int, label: int, matches: Matches, agreeing: int) -> list[Finding]:
    others = matches.count - agreeing
    if count < _FEW or others < max(_FEW_OTHERS, _OTHERS * matches.count):
        return []
    text = f"all {count} detections have one class, {_name(truth, label)!r}"
    evidence = f"{others / matches.count:.1%} of detections that overlap an object overlap one of another class"
    hint = "write the class of each detection, or compare without classes"
    return [Finding(code="classes-one", text=text, evidence=evidence, hint=hint)]


def _name(truth: Examined, label: int) -> str:
    return truth.categories.get(label, str(label))
