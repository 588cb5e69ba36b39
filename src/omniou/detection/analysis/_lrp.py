"""Localisation recall precision (LRP): localisation error, false positives and false negatives in one number."""

import dataclasses
from typing import Any, Generic

from omniou._lib import indexing, ordering
from omniou._lib.brief import threshold
from omniou._lib.types import ArrayT, Namespace
from omniou._results.base import Named
from omniou.detection._analysis import ResultAnalysis, by_threshold, shown
from omniou.detection.matching._matches import Matches


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class LRP(ResultAnalysis, Generic[ArrayT]):
    """Errors of K classes at T IoU thresholds: the lower the better, in [0, 1].

    With the detections that score at least so much, LRP is the sum of (1 - IoU) / (1 - threshold) over hits, plus the
    number of false positives and misses, by the number of all three. It is optimal at the score where it is lowest.

    Attributes
    ----------
    thresholds : tuple of float
        The thresholds of axis T.
    all : array, shape (T, K)
        LRP of all detections. This and all others: NaN for a class without objects.
    optimal : array, shape (T, K)
        The lowest LRP over all score thresholds; 1 if no detection is best.
    score : array, shape (T, K)
        The score threshold of the lowest LRP; NaN if no detection is best.
    localisation, false_positives, false_negatives : array, shape (T, K)
        Parts of LRP at that threshold: mean of 1 - IoU over hits, share of false positives among detections
        (1 - precision), and share of missed objects (1 - recall). NaN if the denominator is 0.

    References
    ----------
    Oksuz et al., One Metric to Measure Them All: Localisation Recall Precision (LRP) for Evaluating Visual Detection
    Tasks, TPAMI 2021.
    """

    thresholds: tuple[float, ...]
    all: ArrayT
    optimal: ArrayT
    score: ArrayT
    localisation: ArrayT
    false_positives: ArrayT
    false_negatives: ArrayT

    @property
    def summary(self) -> Named[str, float]:
        """oLRP and its parts, as in the paper: means at the first threshold over the classes that have a value."""
        named = {
            "oLRP": self.optimal,
            "oLRP_localisation": self.localisation,
            "oLRP_false_positives": self.false_positives,
            "oLRP_false_negatives": self.false_negatives,
        }
        return Named({name: indexing.mean_of_numbers(x[0, :]) for name, x in named.items()})

    def _line(self) -> str:
        total, *parts = map(shown, self.summary.values())
        told = "localisation {}, false positives {}, false negatives {}".format(*parts)
        return f"oLRP {total} ({told}) at {self.overlap} {threshold(self.thresholds[0])}"

    def _columns(self) -> dict[str, Any]:
        return by_threshold(
            self.thresholds,
            self.class_names,
            LRP=self.all,
            oLRP=self.optimal,
            score=self.score,
            localisation=self.localisation,
            false_positives=self.false_positives,
            false_negatives=self.false_negatives,
        )


def check(matches: Matches[Any], measure: str, /, *, xp: Namespace) -> None:
    """Raise for numbers of which 1 is not the best: LRP needs 1 minus them."""
    hits = xp.nonzero(matches.hits[0, :])[0]
    values = [*matches.thresholds, *([float(xp.max(xp.take(matches.overlaps[0, :], hits)))] if hits.shape[0] else [])]
    if measure == "distance" or (measure == "similarity" and not 0 <= min(values) <= max(values) <= 1):
        raise ValueError(
            f"LRP is for similarities in [0, 1], and here are {'distances' if measure == 'distance' else max(values)}: "
            "evaluate numbers in [0, 1], such as 1 - distance / largest"
        )


def find(matches: Matches[Any], /, *, xp: Namespace) -> LRP[Any]:
    """Compute LRP from matches."""
    tables = [_at(matches, k, xp=xp) for k in range(len(matches.thresholds))]
    return LRP(matches.thresholds, *(xp.stack(list(x)) for x in zip(*tables, strict=True)))


def _at(matches: Matches[Any], number: int, /, *, xp: Namespace) -> tuple[Any, ...]:
    """Return all columns (K,) at one threshold."""
    size, dtype = matches.classes.shape[0], matches.scores.dtype
    threshold = matches.thresholds[number]
    label, known = indexing.place(matches.classes, matches.labels, xp=xp)
    rows = xp.nonzero(matches.counts[number, :] & known)[0]
    rows = xp.take(rows, ordering.falling(xp.take(label, rows), max(1, size), xp.take(matches.scores, rows), xp=xp))
    label, scores = xp.take(label, rows), xp.take(matches.scores, rows)
    hit = xp.take(matches.objects[number, :], rows) >= 0
    loose = xp.where(hit, 1 - xp.take(matches.overlaps[number, :], rows), xp.zeros_like(scores))
    objects = _objects(matches, dtype, xp=xp)
    before = xp.take(indexing.starts(indexing.counts(label, size, xp=xp), xp=xp), label)
    total, hits, shown = (_so_far(x, before, dtype, xp=xp) for x in (loose, hit, xp.ones_like(hit)))
    scale = 1 - threshold if threshold < 1 else 1.0
    present = xp.take(objects, label)
    # The denominator counts hits, false positives and misses.
    error = (total / scale + shown - hits + present - hits) / (shown + present - hits)
    every = _at_last(error, label, objects, xp=xp)
    rows, best = _lowest(error, label, scores, size, xp=xp)
    nothing = xp.where(objects > 0, xp.zeros_like(objects), xp.full_like(objects, float("nan")))

    def filled(value: float, x: Any) -> Any:
        return indexing.put(nothing + value, rows, x, xp=xp) + nothing

    # An error below 1 implies at least one hit.
    error, scores, total, shown, hits, present = (
        xp.take(x, best) for x in (error, scores, total, shown, hits, present)
    )
    nan = float("nan")
    return (
        every,
        filled(1.0, error),
        filled(nan, scores),
        filled(nan, total / hits),
        filled(nan, (shown - hits) / shown),
        filled(1.0, (present - hits) / present),
    )


def _objects(matches: Matches[Any], dtype: Any, /, *, xp: Namespace) -> Any:
    """Return the number of objects of each class that count, (K,)."""
    label = xp.take(matches.target_labels, xp.nonzero(matches.target_counts)[0])
    place, _ = indexing.place(matches.classes, label, xp=xp)
    return xp.astype(indexing.counts(place, matches.classes.shape[0], xp=xp), dtype)


def _so_far(x: Any, before: Any, dtype: Any, /, *, xp: Namespace) -> Any:
    """Values (M,), offsets of the class of each (M,) -> sums inside the class up to each, (M,)."""
    total = xp.cumulative_sum(xp.astype(x, dtype), include_initial=True)
    return indexing.rest(total) - xp.take(total, before)


def _at_last(error: Any, label: Any, objects: Any, /, *, xp: Namespace) -> Any:
    """Return the error with all detections (K,): 1 for a class without detections, NaN for one without objects."""
    last = xp.nonzero(xp.concat([indexing.rest(label) != indexing.but_last(label), indexing.head(label) >= 0]))[0]
    out = indexing.put(xp.ones_like(objects), xp.take(label, last), xp.take(error, last), xp=xp)
    return xp.where(objects > 0, out, xp.full_like(out, float("nan")))


def _lowest(error: Any, label: Any, scores: Any, size: int, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Return the classes (C,) that have an error below 1, and the places of their lowest errors (C,)."""
    same = (indexing.rest(label) == indexing.but_last(label)) & (indexing.rest(scores) == indexing.but_last(scores))
    # A threshold admits all detections of equal score, so the error is that after the last of them.
    last = xp.concat([~same, indexing.head(label) >= 0]) & (error < 1)
    rows = xp.nonzero(last)[0]
    order = ordering.falling(xp.take(label, rows), max(1, size), -xp.take(error, rows), xp=xp)
    rows = xp.take(rows, order)
    first = xp.take(rows, indexing.run_starts(xp.take(label, rows), xp=xp))
    return xp.take(label, first), first
