"""Precision, recall and F1 by score threshold, and the best threshold."""

import dataclasses
from collections.abc import Sequence
from typing import Any, Generic, NamedTuple

import array_api_compat as compat

from omniou._lib import checks, indexing, ordering
from omniou._lib.brief import threshold
from omniou._lib.indexing import to_list
from omniou._lib.types import ArrayT, Namespace
from omniou.detection._analysis import ResultAnalysis, shown
from omniou.detection.curves._curves import Curves, Outcomes

# Thresholds of curves.
POINTS = 101
# Scores above this may be percents. Nobody means a threshold below 1 then.
_PERCENTS = 10


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class OperatingPoints(ResultAnalysis, Generic[ArrayT]):
    """Precision, recall and F1 of K classes at S score thresholds.

    Attributes
    ----------
    iou_threshold : float
        IoU threshold of a true positive.
    scores : array, shape (S,)
        Thresholds, rising: 0, 0.01, ..., 1 where no others were given and all scores are in [0, 1]; else of the scores
        themselves 101 at even ranks, the lowest and the highest among them, or all if these are fewer.
    precision, recall, f1 : array, shape (K, S)
        Values of each class. Precision is NaN without detections, recall and F1 for a class without objects.
    best_f1, best_score : array, shape (K,)
        The highest F1 of each class over all scores, not only the scores of the curves, and its threshold:
        the highest, if several do. NaN where nothing is ever found.
    common_f1, common_score : float
        The highest mean of `f1` over the classes that have objects, and its threshold.

    References
    ----------
    F1 is the harmonic mean of precision and recall: van Rijsbergen, Information Retrieval, 1979.
    """

    iou_threshold: float
    scores: ArrayT
    precision: ArrayT
    recall: ArrayT
    f1: ArrayT
    best_f1: ArrayT
    best_score: ArrayT
    common_f1: float
    common_score: float

    def _line(self) -> str:
        told = f"best F1 {shown(self.common_f1)} at score {threshold(self.common_score)}"
        return f"{told}, mean of the classes at {self.overlap} {threshold(self.iou_threshold)}"

    def _columns(self) -> dict[str, Any]:
        return {"name": list(self.class_names), "f1": to_list(self.best_f1), "score": to_list(self.best_score)}


def find(curves: Curves, iou_threshold: float, scores: Any, /) -> OperatingPoints[Any]:
    """Return the operating points of a state at `scores` (S,), rising."""
    xp, place = curves.xp, curves.protocol.iou_thresholds.index(iou_threshold)
    outcomes = curves.outcomes(place)
    objects = xp.astype(curves.ranking.objects[:, 0], scores.dtype)
    shown, hits = (at_least(outcomes, x, scores, objects.shape[0], xp=xp) for x in (outcomes.counts, outcomes.hit))
    present = objects[:, None] > 0
    precision, recall = share(hits, shown, xp=xp), share(hits, objects[:, None], xp=xp)
    f1 = share(2 * hits, xp.where(present, shown + objects[:, None], xp.zeros_like(shown)), xp=xp)
    best_f1, best_score = _best(outcomes, objects, xp=xp)
    common_f1, common_score = best_mean(f1, present[:, 0], scores, xp=xp)
    return OperatingPoints(
        iou_threshold=iou_threshold,
        scores=scores,
        precision=precision,
        recall=recall,
        f1=f1,
        best_f1=best_f1,
        best_score=best_score,
        common_f1=common_f1,
        common_score=common_score,
    )


def share(part: Any, whole: Any, /, *, xp: Namespace) -> Any:
    """Return floats over counts that broadcast, NaN where a count is 0."""
    out = part / xp.astype(xp.where(whole > 0, whole, xp.ones_like(whole)), part.dtype)
    return xp.where(whole > 0, out, xp.full_like(out, float("nan")))


def with_all(outcomes: Outcomes, objects: Any, /, *, xp: Namespace) -> tuple[Outcomes, Any]:
    """Outcomes (M,), objects (K,) -> (2M,), (K + 1,): class K is all classes together."""
    whole = xp.full_like(outcomes.labels, objects.shape[0])
    columns = zip(outcomes, (whole, *outcomes[1:]), strict=True)
    return Outcomes(*map(xp.concat, columns)), xp.concat([objects, xp.sum(objects, keepdims=True)])


def span(scores: Any, /, *, xp: Namespace) -> tuple[float, float]:
    """Return the lowest and the highest score; 0 and 1 without scores."""
    return (float(xp.min(scores)), float(xp.max(scores))) if scores.shape[0] else (0.0, 1.0)


def check_scale(name: str, given: Sequence[float], scores: Any, /, *, xp: Namespace) -> None:
    """Raise if thresholds are percents and scores (M,) are not, or the other way round."""
    if scores.shape[0] == 0:
        return
    low, high = span(scores, xp=xp)
    middle, most = sorted(given)[len(given) // 2], max(given)
    told = f"`{name}` is {most:g}, but scores go from {low:g} to {high:g}"
    if low >= 0 and high <= 1 and middle > 1:
        raise ValueError(f"{told}: for percents, divide it by 100")
    if low >= 0 and high > _PERCENTS and 0 < most < 1:
        raise ValueError(f"{told}: if they are percents, give {100 * most:g}; for all detections, give 0")


def met(thresholds: Any, scores: Any, /, *, xp: Namespace) -> Any:
    """Rising thresholds (S,) as scores (M,) of 32 bits meet them: a score of 0.9 is 0.89999998 there, and meets 0.9.

    Columns of scores are widened, so scores are of 32 bits if each of them is a number that 32 bits hold.
    """
    if not (scores.shape[0] and thresholds.shape[0] and xp.all(_in_32_bits(scores, xp=xp) == scores)):
        return thresholds
    near = _in_32_bits(thresholds, xp=xp)
    at = xp.searchsorted(near, scores)
    at = xp.minimum(at, xp.full_like(at, near.shape[0] - 1))
    equal = xp.nonzero(xp.take(near, at) == scores)[0]
    there = indexing.counts(xp.take(at, equal), near.shape[0], xp=xp) > 0
    return xp.where(there & (near < thresholds), near, thresholds)


def least_met(least: float, scores: Any, /, *, xp: Namespace) -> float:
    """A threshold as scores (M,) of 32 bits meet it."""
    if scores.dtype == xp.float32:  # compared there as it is
        return least
    return float(met(xp.asarray([least], dtype=scores.dtype, device=compat.device(scores)), scores, xp=xp)[0])


def _in_32_bits(x: Any, /, *, xp: Namespace) -> Any:
    return xp.astype(xp.astype(x, xp.float32), x.dtype)


def least_score(given: float | None, curves: Curves, scores: Any, iou_threshold: float, /) -> float:
    """Return the score from which detections count: `given`, or the score with the best mean F1.

    If there is no true positive at any score, all detections count.
    """
    xp = curves.xp
    if given is None:
        best = find(curves, iou_threshold, grid(scores, xp=xp))
        least = best.common_score if best.common_f1 > 0 else min(0.0, span(scores, xp=xp)[0])
    else:
        least = checks.number("score", given)
        check_scale("score", [least], scores, xp=xp)
    return least_met(least, scores, xp=xp)


def grid(scores: Any, /, *, xp: Namespace) -> Any:
    """Scores (M,) -> rising thresholds (S,) of curves. Percents and logits have thresholds at even ranks of the scores.

    With even steps, a few outliers would leave all other scores between two steps.
    """
    low, high = span(scores, xp=xp)
    if low >= 0 and high <= 1:
        # Quotients: `spaced` rounds as NumPy, to 0.7000000000000001, and a score of 0.7 would be below.
        even = [k / (POINTS - 1) for k in range(POINTS)]
        return xp.asarray(even, dtype=scores.dtype, device=compat.device(scores))
    different = xp.sort(xp.unique_values(scores))
    count = different.shape[0]
    if count <= POINTS:
        return different
    places = [k * (count - 1) // (POINTS - 1) for k in range(POINTS)]
    return xp.take(different, xp.asarray(places, dtype=xp.int64, device=compat.device(scores)))


def at_least(outcomes: Outcomes, which: Any, scores: Any, classes: int, /, *, xp: Namespace) -> Any:
    """Booleans (M,), thresholds (S,) -> number of true rows of each class with at least this score, (K, S)."""
    rows = xp.nonzero(which)[0]
    size = scores.shape[0] + 1
    passed = xp.searchsorted(met(scores, outcomes.scores, xp=xp), xp.take(outcomes.scores, rows), side="right")
    counts = indexing.counts(xp.take(outcomes.labels, rows) * size + passed, classes * size, xp=xp)
    # A detection that passes k thresholds passes the k lowest.
    table = xp.astype(xp.reshape(counts, (classes, size)), scores.dtype)
    return xp.flip(xp.cumulative_sum(xp.flip(table, axis=1), axis=1), axis=1)[:, 1:]


class Steps(NamedTuple):
    """What each of P score thresholds admits, by class and falling threshold: all detections of equal score at once."""

    labels: Any  # (P,) place of the class
    scores: Any  # (P,) the thresholds
    counted: Any  # (P,) detections of the class that count
    hits: Any  # (P,)


def steps(outcomes: Outcomes, classes: int, /, *, xp: Namespace) -> Steps:
    """Return a step for each class and score of the detections."""
    labels, scores, hit, counts = outcomes
    same = (indexing.rest(labels) == indexing.but_last(labels)) & (indexing.rest(scores) == indexing.but_last(scores))
    last = xp.nonzero(xp.concat([~same, indexing.head(labels) >= 0]))[0]
    counted, hits = (_in_class(x, labels, last, classes, xp=xp) for x in (counts, hit))
    return Steps(xp.take(labels, last), xp.take(scores, last), counted, hits)


def best_mean(f1: Any, present: Any, scores: Any, /, *, xp: Namespace) -> tuple[float, float]:
    """F1 (K, S), classes that have objects (K,) -> the highest mean over these classes, and its threshold."""
    rows = xp.nonzero(present)[0]
    if rows.shape[0] == 0 or scores.shape[0] == 0:
        return float("nan"), float("nan")
    # Rising along the classes, so that the order of classes does not matter.
    mean = xp.mean(xp.sort(xp.take(f1, rows, axis=0), axis=0), axis=0)
    # The highest of several thresholds with equal F1 counts.
    place = scores.shape[0] - 1 - int(xp.argmax(xp.flip(mean)))
    return float(mean[place]), float(scores[place])


def _best(outcomes: Outcomes, objects: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Return the highest F1 of each class, and the highest score that gives it, (K,) each."""
    labels, scores, counted, hits = steps(outcomes, objects.shape[0], xp=xp)
    total = xp.astype(counted, objects.dtype) + xp.take(objects, labels)
    f1 = 2 * xp.astype(hits, objects.dtype) / xp.where(total > 0, total, xp.ones_like(total))
    with_hits = xp.nonzero(hits > 0)[0]
    best = ordering.falling(xp.take(labels, with_hits), max(1, objects.shape[0]), xp.take(f1, with_hits), xp=xp)
    order = xp.take(with_hits, best)
    first = xp.take(order, indexing.run_starts(xp.take(labels, order), xp=xp))
    nothing = xp.full_like(objects, float("nan"))
    rows = xp.take(labels, first)
    return (
        indexing.put(nothing + 0, rows, xp.take(f1, first), xp=xp),
        indexing.put(nothing, rows, xp.take(scores, first), xp=xp),
    )


def _in_class(which: Any, labels: Any, places: Any, classes: int, /, *, xp: Namespace) -> Any:
    """Booleans (M,), rising labels (M,), places (P,) -> true rows of the class up to each place (P,)."""
    seen = xp.cumulative_sum(xp.astype(which, xp.int64), include_initial=True)
    first = indexing.starts(indexing.counts(labels, classes, xp=xp), xp=xp)
    return xp.take(seen, places + 1) - xp.take(seen, xp.take(first, xp.take(labels, places)))
