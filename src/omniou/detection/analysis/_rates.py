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

LUNA16 = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""False positives a scan at which LUNA16 reads recall."""
CALTECH = tuple(10 ** (-2 + k / 4) for k in range(9))
"""Nine numbers of false positives an image, from 0.01 to 1 in even steps of their logarithm."""
# Caltech's tool replaces a miss rate of 0, which has no logarithm.
_LEAST_MISS_RATE = 1e-10
# Points of the curve of a picture.
_POINTS = 101


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class _AtRates(ResultAnalysis, Generic[ArrayT]):
    iou_threshold: float
    rates: tuple[float, ...]
    scores: ArrayT
    curve: ArrayT

    def _where(self) -> str:
        """Return the rates and the threshold in words."""
        rates = " to ".join(dict.fromkeys(f"{x:g}" for x in (self.rates[0], self.rates[-1])))
        return f"{rates} false positives for each {self.holder}, at {self.overlap} {threshold(self.iou_threshold)}"


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class FROC(_AtRates[ArrayT], Generic[ArrayT]):
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

    recall: ArrayT
    mean: float
    per_class: ArrayT
    per_class_mean: ArrayT

    def _line(self) -> str:
        return f"mean recall {shown(self.mean)} at {self._where()}"

    def _columns(self) -> dict[str, Any]:
        return _columns(self, "recall", self.recall, mean=[self.mean, *to_list(self.per_class_mean)])


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class MissRate(_AtRates[ArrayT], Generic[ArrayT]):
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

    References
    ----------
    Dollár et al., Pedestrian Detection: An Evaluation of the State of the Art, TPAMI 2012.
    """

    miss_rate: ArrayT
    log_average: float
    per_class: ArrayT
    per_class_log_average: ArrayT

    def _line(self) -> str:
        return f"log-average miss rate {shown(self.log_average)} at {self._where()}"

    def _columns(self) -> dict[str, Any]:
        averages = [self.log_average, *to_list(self.per_class_log_average)]
        return _columns(self, "miss rate", self.miss_rate, log_average=averages)


def _columns(of: Any, word: str, of_all: Any, /, **means: list[float]) -> dict[str, Any]:
    at = {f"{word} at {x:g}": [to_list(of_all)[k], *to_list(of.per_class[:, k])] for k, x in enumerate(of.rates)}
    return {"name": ["all classes", *of.class_names], **at, **means}


def froc(curves: Curves, outcomes: Outcomes, iou_threshold: float, rates: tuple[float, ...], /) -> FROC[Any]:
    """Compute FROC from the outcomes of all detections."""
    xp = curves.xp
    scores, curve, recall, per_class = _read(curves, outcomes, rates, linear=True)
    means = float(xp.mean(recall)), per_class, xp.mean(per_class, axis=1)
    return FROC(iou_threshold, rates, scores, curve, recall, *means)


def miss_rate(curves: Curves, outcomes: Outcomes, iou_threshold: float, rates: tuple[float, ...], /) -> MissRate[Any]:
    """Compute the log-average miss rate from the outcomes of all detections."""
    xp = curves.xp

    def average(missed: Any) -> Any:
        least = xp.full_like(missed, _LEAST_MISS_RATE)
        return xp.exp(xp.mean(xp.log(xp.where(missed < least, least, missed)), axis=-1))

    scores, curve, recall, per_class = _read(curves, outcomes, rates, linear=False)
    missed, each = 1 - recall, 1 - per_class
    curve = xp.stack([curve[:, 0], 1 - curve[:, 1]], axis=1)
    return MissRate(iou_threshold, rates, scores, curve, missed, float(average(missed)), each, average(each))


def distinct(boxes: Compared, matches: Matches[Any], iou_threshold: float, classes: Any, /) -> Outcomes:
    """Return the outcomes of the detections that count and are not duplicates; `classes` (K,) are labels, rising."""
    xp, number = boxes.tables.xp, matches.thresholds.index(iou_threshold)
    double = breakdown.duplicates(boxes, matches, number, iou_threshold)
    rows = xp.nonzero(matches.counts[number, :] & ~double)[0]
    labels, scores = indexing.place(classes, xp.take(matches.labels, rows), xp=xp)[0], xp.take(matches.scores, rows)
    order = ordering.falling(labels, max(1, classes.shape[0]), scores, xp=xp)
    hit = xp.take(matches.hits[number, :], xp.take(rows, order))
    return Outcomes(xp.take(labels, order), xp.take(scores, order), hit, hit | ~hit)


def _read(
    curves: Curves, outcomes: Outcomes, rates: tuple[float, ...], /, *, linear: bool
) -> tuple[Any, Any, Any, Any]:
    """Return scores (R,), a curve (C, 2) and recall (R,) of all classes together, and recall of each class (K, R)."""
    xp, objects, images = curves.xp, curves.ranking.objects[:, 0], curves.ranking.state.images.shape[0]

    def floats(x: Sequence[float]) -> Any:
        return xp.asarray(x, dtype=outcomes.scores.dtype, device=compat.device(outcomes.scores))

    each = _Curve.of(outcomes, objects, images, xp=xp)
    one = xp.zeros_like(outcomes.labels)
    order = ordering.falling(one, 1, outcomes.scores, xp=xp)
    as_one = Outcomes(one, *(xp.take(x, order) for x in outcomes[1:]))
    together = _Curve.of(as_one, xp.sum(objects, keepdims=True), images, xp=xp)
    low, high = math.log(rates[0]), math.log(rates[-1])
    between = (math.exp(low + (high - low) * k / (_POINTS - 1)) for k in range(1, _POINTS - 1))
    along = floats([rates[0], *between, rates[-1]])
    curve = xp.stack([along, together.recall_at(along, linear=linear, xp=xp)[0, :]], axis=1)
    at = floats(rates)
    scores = xp.take(together.scores, together.last(at, xp=xp)[0, :])
    of_all, of_each = (x.recall_at(at, linear=linear, xp=xp) for x in (together, each))
    return scores, curve, of_all[0, :], of_each


class _Curve(NamedTuple):
    """Recall over false positives of K classes: P steps of classes and score thresholds, and one of nothing at all."""

    objects: Any  # (K,)
    first: Any  # (K + 1,) offsets of the classes among the P
    labels: Any  # (P,)
    rates: Any  # (P + 1,) false positives for each image
    recall: Any  # (P + 1,)
    scores: Any  # (P + 1,) thresholds, NaN for none

    @classmethod
    def of(cls, outcomes: Outcomes, objects: Any, images: int, /, *, xp: Namespace) -> "_Curve":
        labels, scores, counted, hits = operating.steps(outcomes, objects.shape[0], xp=xp)
        dtype, end = scores.dtype, xp.zeros(1, dtype=scores.dtype, device=compat.device(scores))
        recall = operating.share(xp.astype(hits, dtype), xp.take(objects, labels), xp=xp)
        columns = (xp.astype(counted - hits, dtype) / max(1, images), recall)
        first = indexing.starts(indexing.counts(labels, objects.shape[0], xp=xp), xp=xp)
        rates, recall = (xp.concat([x, end]) for x in columns)
        return cls(objects, first, labels, rates, recall, xp.concat([scores, end * float("nan")]))

    def last(self, rates: Any, /, *, xp: Namespace) -> Any:
        """Rates (R,) -> the last step with at most so many false positives (K, R), P if there is none."""
        end, below = self.labels.shape[0], []
        for k in range(rates.shape[0]):
            rows = xp.nonzero(self.rates[:end] <= rates[k])[0]
            below.append(indexing.counts(xp.take(self.labels, rows), self.objects.shape[0], xp=xp))
        many = xp.stack(below, axis=1)
        return xp.where(many > 0, self.first[:-1][:, None] + many - 1, xp.full_like(many, end))

    def recall_at(self, rates: Any, /, *, linear: bool, xp: Namespace) -> Any:
        """Rates (R,) -> recall (K, R): of the last step, or with `linear` on the line to the next step."""
        last = self.last(rates, xp=xp)
        found = _taken(self.recall, last, xp=xp)
        if linear:
            end, first = self.labels.shape[0], self.first[:-1][:, None]
            following = xp.where(last < end, last + 1, first + xp.zeros_like(last))
            following = xp.where(following < indexing.rest(self.first)[:, None], following, last)
            run, rise = (_taken(x, following, xp=xp) - _taken(x, last, xp=xp) for x in (self.rates, self.recall))
            slope = rise / xp.where(run > 0, run, xp.ones_like(run))
            found = slope * (rates[None, :] - _taken(self.rates, last, xp=xp)) + found
        return xp.where((self.objects > 0)[:, None], found, xp.full_like(found, float("nan")))


def _taken(x: Any, places: Any, /, *, xp: Namespace) -> Any:
    return xp.reshape(xp.take(x, xp.reshape(places, (-1,))), places.shape)
