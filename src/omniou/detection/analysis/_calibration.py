"""Calibration: whether 80 % of the detections with score 0.8 are true positives."""

import dataclasses
import math
from typing import Any, Generic

import array_api_compat as compat

from omniou._lib import indexing
from omniou._lib.brief import threshold
from omniou._lib.indexing import to_list
from omniou._lib.types import ArrayT, Namespace
from omniou.detection._analysis import ResultAnalysis, shown
from omniou.detection.curves._curves import Curves
from omniou.detection.curves._operating import check_scale, least_met, share, span

# A class with fewer detections has an error that is mostly chance: 0.1 for a calibrated class of 100 in 10 bins.
FEW = 100


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class Calibration(ResultAnalysis, Generic[ArrayT]):
    """Scores next to precision, in B bins of equal width from 0 to 1.

    Attributes
    ----------
    iou_threshold : float
        IoU threshold of a true positive.
    edges : array, shape (B + 1,)
        Edges of the bins; a score on an edge is in the upper bin, except for 1.
    counts : array of int64, shape (B,)
        Detections that count.
    confidence, precision : array, shape (B,)
        Mean score, and share of true positives; NaN in empty bins.
    error : float
        Expected calibration error: the mean of ``|precision - confidence|`` over detections. NaN without any.
    largest : float
        The largest ``|precision - confidence|`` of a bin.
    per_class : array, shape (K,)
        `error` of each class by itself, with bins of its own; NaN for a class with fewer than 100 detections.
    by_chance : float
        What `error` would be on average if each detection were a hit with the probability of its score. An error of
        this size says nothing against the scores: few detections have it by chance.
    per_class_by_chance : array, shape (K,)
        The same for `per_class`.

    References
    ----------
    Guo et al., On Calibration of Modern Neural Networks, ICML 2017; Küppers et al., Multivariate Confidence Calibration
    for Object Detection, CVPR Workshops 2020.
    """

    iou_threshold: float
    edges: ArrayT
    counts: ArrayT
    confidence: ArrayT
    precision: ArrayT
    error: float
    largest: float
    per_class: ArrayT
    by_chance: float
    per_class_by_chance: ArrayT

    def _line(self) -> str:
        told = f"expected calibration error {shown(self.error)}, {shown(self.by_chance)} by chance"
        return f"{told}, of {sum(to_list(self.counts))} detections at {self.overlap} {threshold(self.iou_threshold)}"

    def _columns(self) -> dict[str, Any]:
        edges = to_list(self.edges)
        names = ("counts", "confidence", "precision")
        return {"low": edges[:-1], "high": edges[1:], **{name: to_list(getattr(self, name)) for name in names}}


def find(curves: Curves, iou_threshold: float, edges: Any, least: float, /) -> Calibration[Any]:
    """Compute calibration of detections with a score of at least `least`. `edges` (B + 1,) rise from 0 to 1."""
    xp, bins, classes = curves.xp, edges.shape[0] - 1, curves.ranking.objects.shape[0]
    outcomes = curves.outcomes(curves.protocol.iou_thresholds.index(iou_threshold))
    counted = xp.take(outcomes.scores, xp.nonzero(outcomes.counts)[0])
    low, high = span(counted, xp=xp)
    if not 0 <= low <= high <= 1:
        raise ValueError(f"scores must be in [0, 1] to be compared with precision, got {low} to {high}")
    check_scale("score", [least], counted, xp=xp)
    rows = xp.nonzero(outcomes.counts & (outcomes.scores >= least_met(least, outcomes.scores, xp=xp)))[0]
    scores = xp.take(outcomes.scores, rows)
    place = xp.searchsorted(edges, scores, side="right") - 1
    place = xp.minimum(place, xp.full_like(place, bins - 1))
    cell = xp.take(outcomes.labels, rows) * bins + place
    hit = xp.astype(xp.take(outcomes.hit, rows), edges.dtype)
    shape = (classes, bins)
    counts = xp.reshape(indexing.counts(cell, classes * bins, xp=xp), shape)
    sums = (indexing.sums(x, cell, classes * bins, xp=xp) for x in (scores, hit, scores * (1 - scores)))
    total, hits, variance = (xp.reshape(x, shape) for x in sums)
    # Rising along the classes, so that the order of classes does not matter.
    pooled = [xp.sum(xp.sort(x, axis=0), axis=0) for x in (counts, total, hits, variance)]
    confidence, precision = (share(x, pooled[0], xp=xp) for x in pooled[1:3])
    gap = xp.abs(precision - confidence)
    known = ~xp.isnan(gap)
    of_all, of_all_by_chance = _errors(*(x[None, :] for x in pooled), xp=xp)
    each = _errors(counts, total, hits, variance, xp=xp)
    some = xp.sum(counts, axis=1) >= FEW
    per_class, by_chance = (xp.where(some, x, xp.full_like(x, float("nan"))) for x in each)
    return Calibration(
        iou_threshold=iou_threshold,
        edges=edges,
        counts=pooled[0],
        confidence=confidence,
        precision=precision,
        error=float(of_all[0]),
        largest=float(xp.max(xp.where(known, gap, xp.zeros_like(gap)))) if xp.any(known) else float("nan"),
        per_class=per_class,
        by_chance=float(of_all_by_chance[0]),
        per_class_by_chance=by_chance,
    )


def _errors(counts: Any, total: Any, hits: Any, variance: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Detections, sums of scores, hits, variances (K, B) -> mean gaps by detections, and mean gaps by chance, (K,)."""
    every, shape = xp.sum(counts, axis=1), counts.shape
    cells = zip(*(to_list(xp.reshape(x, (-1,))) for x in (counts, total, variance)), strict=True)
    deviations = [_mean_deviation(round(n), x, v) for n, x, v in cells]
    chance = xp.reshape(xp.asarray(deviations, dtype=total.dtype, device=compat.device(total)), shape)
    return tuple(share(xp.sum(x, axis=1), every, xp=xp) for x in (xp.abs(hits - total), chance))


def _mean_deviation(count: int, total: float, variance: float) -> float:
    """Return the mean of ``|hits - total|`` if each detection is a hit with the probability of its score.

    De Moivre's formula for equal scores. Example: of two detections with score 0.5, 0, 1 and 2 are hits in 1, 2 and 1
    of 4 cases, which is 0.5 from 1 on average. Scores that differ inside a bin vary less, by their variance.
    """
    p = total / count if count else 0.0
    if not 0 < p < 1 or variance <= 0:
        return 0.0
    k = min(math.floor(count * p) + 1, count)
    ways = math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1)
    equal = 2 * k * math.exp(ways + k * math.log(p) + (count - k + 1) * math.log1p(-p))
    return equal * math.sqrt(min(1.0, variance / (count * p * (1 - p))))
