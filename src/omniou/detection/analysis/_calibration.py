"""Whether a detection that scores 0.8 is right in 80 % of the cases."""

import dataclasses
from typing import Any, Generic

from omniou._lib import indexing
from omniou._lib.brief import Brief
from omniou._lib.types import ArrayT, Namespace
from omniou.detection.curves._curves import Curves


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class Calibration(Brief, Generic[ArrayT]):
    """Scores beside precision, in B bins of equal width from 0 to 1.

    Attributes
    ----------
    iou_threshold : float
        What a hit is.
    edges : array, shape (B + 1,)
        Of the bins; a score on an edge is in the upper one, but for 1.
    counts : array of int64, shape (B,)
        Detections that count.
    confidence, precision : array, shape (B,)
        Mean score, and share of hits; NaN in empty bins.
    error : float
        Expected calibration error: the mean of ``|precision - confidence|`` over detections. NaN without any.
    largest : float
        The largest ``|precision - confidence|`` of a bin.
    per_class : array, shape (K,)
        `error` of each class alone, with bins of its own; NaN for a class without detections.

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


def find(curves: Curves, iou_threshold: float, edges: Any, /) -> Calibration[Any]:
    """Of a state: `edges` (B + 1,) from 0 to 1."""
    xp, bins, classes = curves.xp, edges.shape[0] - 1, curves.ranking.objects.shape[0]
    outcomes = curves.outcomes(curves.protocol.iou_thresholds.index(iou_threshold))
    rows = xp.nonzero(outcomes.counts)[0]
    scores = xp.take(outcomes.scores, rows)
    low, high = (float(x(scores)) for x in (xp.min, xp.max)) if rows.shape[0] else (0.0, 1.0)
    if not 0 <= low <= high <= 1:
        msg = f"scores must be in [0, 1] to be compared with precision, got {low} to {high}"
        raise ValueError(msg)
    place = xp.searchsorted(edges, scores, side="right") - 1
    place = xp.minimum(place, xp.full_like(place, bins - 1))
    cell = xp.take(outcomes.labels, rows) * bins + place
    hit = xp.astype(xp.take(outcomes.hit, rows), edges.dtype)
    shape = (classes, bins)
    counts = xp.reshape(indexing.counts(cell, classes * bins, xp=xp), shape)
    total, hits = (xp.reshape(indexing.sums(x, cell, classes * bins, xp=xp), shape) for x in (scores, hit))
    pooled = [xp.sum(x, axis=0) for x in (counts, total, hits)]
    confidence, precision = (_share(x, pooled[0], xp=xp) for x in pooled[1:])
    gap = xp.abs(precision - confidence)
    known = ~xp.isnan(gap)
    return Calibration(
        iou_threshold,
        edges,
        pooled[0],
        confidence,
        precision,
        float(_error(*(x[None, :] for x in pooled), xp=xp)[0]),
        float(xp.max(xp.where(known, gap, xp.zeros_like(gap)))) if xp.any(known) else float("nan"),
        _error(counts, total, hits, xp=xp),
    )


def _share(part: Any, counts: Any, /, *, xp: Namespace) -> Any:
    """Quotients, NaN where nothing is counted."""
    some = counts > 0
    whole = xp.astype(xp.where(some, counts, xp.ones_like(counts)), part.dtype)
    return xp.where(some, part / whole, xp.full_like(part, float("nan")))


def _error(counts: Any, total: Any, hits: Any, /, *, xp: Namespace) -> Any:
    """(K, B) detections, sums of scores, hits -> (K,): the mean gap, weighted by detections."""
    return _share(xp.sum(xp.abs(hits - total), axis=1), xp.sum(counts, axis=1), xp=xp)
