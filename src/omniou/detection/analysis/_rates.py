"""Recall, or the miss rate, at numbers of false positives for each image: FROC and the log-average miss rate."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, Generic, NamedTuple

import array_api_compat as compat

from omniou._lib import indexing, ordering
from omniou._lib.brief import threshold
from omniou._lib.indexing import to_list
from omniou._lib.types import ArrayT, Namespace
from omniou.detection._analysis import ResultAnalysis, shown
from omniou.detection.analysis import _breakdown as breakdown
from omniou.detection.curves import _operating as operating
from omniou.detection.curves._curves import Curves, Outcomes
from omniou.detection.matching._matches import Compared, Matches
from omniou.matching._coco_greedy import spaced

LUNA16 = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""False positives a scan at which LUNA16 reads recall."""
CALTECH = tuple(10 ** (-2 + k / 4) for k in range(9))
"""Nine numbers of false positives an image, from 0.01 to 1 in even steps of their logarithm."""
# Caltech's tool replaces a miss rate of 0, which has no logarithm.
_LEAST_MISS_RATE = 1e-10


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class FROC(ResultAnalysis, Generic[ArrayT]):
    """Recall of K classes at R numbers of false positives for each image (free-response ROC), and the mean.

    The images are all images, also those without objects. All classes together have one list of detections and one
    budget of false positives.

    Attributes
    ----------
    iou_threshold : float
        IoU threshold of a true positive.
    rates : tuple of float
        False positives for each image.
    scores : array, shape (R,)
        The lowest score threshold with at most so many false positives, all classes together. NaN without any.
    curve : array, shape (C, 2)
        False positives for each image, and recall, of all classes together, from the first rate to the last.
    recall : array, shape (R,)
        Recall of all classes together. Between two thresholds it is interpolated linearly; beyond the lowest threshold
        it is constant. NaN without objects.
    mean : float
        Mean of `recall`: LUNA16's score, the competition performance metric.
    per_class : array, shape (K, R)
        Recall of each class by itself.
    per_class_mean : array, shape (K,)
        Mean of `per_class` over the rates.

    References
    ----------
    Setio et al., Validation, comparison, and combination of algorithms for automatic detection of pulmonary nodules:
    the LUNA16 challenge, Medical Image Analysis 2017.
    """

    iou_threshold: float
    rates: tuple[float, ...]
    scores: ArrayT
    curve: ArrayT
    recall: ArrayT
    mean: float
    per_class: ArrayT
    per_class_mean: ArrayT

    def _line(self) -> str:
        return f"mean recall {shown(self.mean)} at {_where(self)}"

    def _columns(self) -> dict[str, Any]:
        means = {"mean": [self.mean, *to_list(self.per_class_mean)]}
        return columns(self, self.rates, recall=(self.recall, self.per_class)) | means


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class MissRate(ResultAnalysis, Generic[ArrayT]):
    """Miss rate (1 - recall) of K classes at R numbers of false positives for each image, and the log-average.

    Attributes
    ----------
    iou_threshold : float
        IoU threshold of a true positive.
    rates : tuple of float
        False positives for each image.
    scores : array, shape (R,)
        The lowest score threshold with at most so many false positives, all classes together. NaN without any.
    curve : array, shape (C, 2)
        False positives for each image, and miss rate, of all classes together, from the first rate to the last.
    miss_rate : array, shape (R,)
        Of all classes together, at the lowest threshold with at most so many false positives; 1 without any. NaN
        without objects.
    log_average : float
        Geometric mean of `miss_rate`, each of which counts as at least 1e-10.
    per_class : array, shape (K, R)
        Miss rate of each class by itself.
    per_class_log_average : array, shape (K,)
        Geometric mean of each class by itself.

    References
    ----------
    Dollár et al., Pedestrian Detection: An Evaluation of the State of the Art, TPAMI 2012.
    """

    iou_threshold: float
    rates: tuple[float, ...]
    scores: ArrayT
    curve: ArrayT
    miss_rate: ArrayT
    log_average: float
    per_class: ArrayT
    per_class_log_average: ArrayT

    def _line(self) -> str:
        return f"log-average miss rate {shown(self.log_average)} at {_where(self)}"

    def _columns(self) -> dict[str, Any]:
        averages = {"log_average": [self.log_average, *to_list(self.per_class_log_average)]}
        return columns(self, self.rates, miss_rate=(self.miss_rate, self.per_class)) | averages


def _where(of: FROC[Any] | MissRate[Any], /) -> str:
    """Return the rates and the threshold in words."""
    rates = " to ".join(dict.fromkeys(f"{x:g}" for x in (of.rates[0], of.rates[-1])))
    return f"{rates} false positives for each {of.holder}, at {of.overlap} {threshold(of.iou_threshold)}"


def columns(of: ResultAnalysis, points: Sequence[float], /, **kinds: tuple[Any, Any]) -> dict[str, Any]:
    """Make a column for each kind of number, of all classes (R,) and of each (K, R), at each of R points."""
    at = {
        f"{kind.replace('_', ' ')} at {x if isinstance(x, int) else f'{x:g}'}": [whole, *to_list(of_each[:, k])]
        for kind, (of_all, of_each) in kinds.items()
        for k, (x, whole) in enumerate(zip(points, to_list(of_all), strict=True))
    }
    return {"name": ["all classes", *of.class_names], **at}


def froc(curves: Curves, outcomes: Outcomes, iou_threshold: float, rates: tuple[float, ...], /) -> FROC[Any]:
    """Compute FROC from the outcomes of all detections."""
    scores, curve, recall = _read(curves, outcomes, rates, linear=True)
    mean = curves.xp.mean(recall, axis=1)
    return FROC(iou_threshold, rates, scores, curve, recall[-1, :], float(mean[-1]), recall[:-1, :], mean[:-1])


def miss_rate(curves: Curves, outcomes: Outcomes, iou_threshold: float, rates: tuple[float, ...], /) -> MissRate[Any]:
    """Compute the log-average miss rate from the outcomes of all detections."""
    xp = curves.xp
    scores, curve, recall = _read(curves, outcomes, rates, linear=False)
    curve, missed = xp.stack([curve[:, 0], 1 - curve[:, 1]], axis=1), 1 - recall
    # NaN is not below.
    logs = xp.log(xp.where(missed < _LEAST_MISS_RATE, xp.full_like(missed, _LEAST_MISS_RATE), missed))
    mean = xp.exp(xp.mean(logs, axis=1))
    return MissRate(iou_threshold, rates, scores, curve, missed[-1, :], float(mean[-1]), missed[:-1, :], mean[:-1])


def distinct(boxes: Compared, matches: Matches[Any], iou_threshold: float, classes: Any, /) -> Outcomes:
    """Return the outcomes of the detections that count and are not duplicates; `classes` (K,) are labels, rising."""
    xp, number = boxes.tables.xp, matches.thresholds.index(iou_threshold)
    double = breakdown.duplicates(boxes, matches, number, iou_threshold)
    kept = matches.counts[number, :] & ~double
    labels, hit = indexing.place(classes, matches.labels[kept], xp=xp)[0], matches.hits[number, :][kept]
    return Outcomes(labels, matches.scores[kept], hit, xp.ones_like(hit))


def _read(curves: Curves, outcomes: Outcomes, rates: tuple[float, ...], /, *, linear: bool) -> tuple[Any, Any, Any]:
    """Return scores (R,) and a curve (C, 2) of all classes together, and recall (K + 1, R), the last row of all."""
    xp, images = curves.xp, curves.ranking.state.images.shape[0]
    steps = _Steps.of(*operating.with_all(outcomes, curves.ranking.objects[:, 0], xp=xp), images, xp=xp)

    def at(rates: Sequence[float]) -> tuple[Any, Any, Any]:
        x = xp.asarray(rates, dtype=steps.rates.dtype, device=compat.device(steps.rates))
        last = steps.last(x, xp=xp)
        return x, last, steps.recall_at(x, last, linear=linear, xp=xp)

    even = spaced(math.log(rates[0]), math.log(rates[-1]), operating.POINTS)
    # Rounding must not leave the rates: they rise.
    between = (min(max(rates[0], math.exp(x)), rates[-1]) for x in even[1:-1])
    along, _, drawn = at([rates[0], *between, rates[-1]])
    _, last, recall = at(rates)
    return xp.take(steps.scores, last[-1, :]), xp.stack([along, drawn[-1, :]], axis=1), recall


class _Steps(NamedTuple):
    """Thresholds of K classes, falling, P in all. The first of each class is above all scores."""

    first: Any  # (K + 1,) offsets of the classes
    labels: Any  # (P,)
    scores: Any  # (P,) thresholds, NaN for the first
    rates: Any  # (P,) false positives for each image
    recall: Any  # (P,) NaN without objects

    @classmethod
    def of(cls, outcomes: Outcomes, objects: Any, images: int, /, *, xp: Namespace) -> "_Steps":
        size, dtype, device = objects.shape[0], outcomes.scores.dtype, compat.device(objects)
        order = ordering.falling(outcomes.labels, size, outcomes.scores, xp=xp)
        labels, scores, counted, hits = operating.steps(Outcomes(*(xp.take(x, order) for x in outcomes)), size, xp=xp)
        none = xp.zeros(size, dtype=dtype, device=device)
        labels = xp.concat([xp.arange(size, dtype=labels.dtype, device=device), labels])
        order = xp.argsort(labels, stable=True)
        columns = (
            (none + float("nan"), scores),
            (none, xp.astype(counted - hits, dtype)),
            (none, xp.astype(hits, dtype)),
        )
        labels, (scores, false, hits) = xp.take(labels, order), (xp.take(xp.concat(x), order) for x in columns)
        first = indexing.starts(indexing.counts(labels, size, xp=xp), xp=xp)
        recall = operating.share(hits, xp.take(objects, labels), xp=xp)
        return cls(first, labels, scores, false / max(1, images), recall)

    def last(self, rates: Any, /, *, xp: Namespace) -> Any:
        """Rising rates (R,) -> the last step of each class with at most so many false positives (K, R)."""
        classes, size = self.first.shape[0] - 1, rates.shape[0] + 1
        cells = self.labels * size + xp.searchsorted(rates, self.rates)
        table = xp.reshape(indexing.counts(cells, classes * size, xp=xp), (classes, size))
        return self.first[:-1][:, None] + xp.cumulative_sum(table, axis=1)[:, :-1] - 1

    def recall_at(self, rates: Any, last: Any, /, *, linear: bool, xp: Namespace) -> Any:
        """Rates (R,), their last steps (K, R) -> recall (K, R), with `linear` on the line to the next step."""
        found = _taken(self.recall, last, xp=xp)
        if not linear:
            return found
        following = xp.minimum(last + 1, indexing.rest(self.first)[:, None] - 1)
        run, rise = (_taken(x, following, xp=xp) - _taken(x, last, xp=xp) for x in (self.rates, self.recall))
        slope = rise / xp.where(run > 0, run, xp.ones_like(run))
        return slope * (rates[None, :] - _taken(self.rates, last, xp=xp)) + found


def _taken(x: Any, places: Any, /, *, xp: Namespace) -> Any:
    return xp.reshape(xp.take(x, xp.reshape(places, (-1,))), places.shape)
