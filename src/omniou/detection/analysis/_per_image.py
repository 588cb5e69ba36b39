"""Numbers over single images: their best detections, and the images without objects."""

import dataclasses
import itertools
from typing import Any, Generic

import array_api_compat as compat

from omniou._lib import checks, indexing, ordering
from omniou._lib.brief import threshold
from omniou._lib.indexing import to_list
from omniou._lib.types import ArrayT, Namespace
from omniou.detection._analysis import ResultAnalysis, shown
from omniou.detection.analysis._rates import columns
from omniou.detection.curves import _operating as operating
from omniou.detection.curves._curves import Curves, Outcomes
from omniou.detection.curves._state import State

# Numbers of detections of an image.
_NUMBERS = (1, 2, 5, 10, 20, 50, 100)


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class TopK(ResultAnalysis, Generic[ArrayT]):
    """Precision and recall of the best detections, of K classes and all together, at R numbers of detections.

    Detections that do not count, such as matches of ignored objects, take a place too. Detections with the score of the
    last one are all among the best: their order has no effect.

    Attributes
    ----------
    iou_threshold : float
        IoU threshold of a true positive.
    numbers : tuple of int
        How many detections are kept.
    per : {"image", "all"}
        Whether in each image, or in the whole data set.
    counted : array of int64, shape (R,)
        Detections that are kept and count. All classes together have common places.
    precision, recall : array, shape (R,)
        True positives of the kept detections over `counted`, and over all objects. NaN without any.
    per_class_precision, per_class_recall : array, shape (K, R)
        For the best detections of each class by itself.
    """

    iou_threshold: float
    numbers: tuple[int, ...]
    per: str
    counted: ArrayT
    precision: ArrayT
    recall: ArrayT
    per_class_precision: ArrayT
    per_class_recall: ArrayT

    def _line(self) -> str:
        both = f"precision {shown(to_list(self.precision)[-1])}, recall {shown(to_list(self.recall)[-1])}"
        where = f"for each {self.holder}" if self.per == "image" else "of all"
        at = f"{self.overlap} {threshold(self.iou_threshold)}"
        return f"{both} of the {self.numbers[-1]} best detections {where} at {at}"

    def _columns(self) -> dict[str, Any]:
        precision, recall = (self.precision, self.per_class_precision), (self.recall, self.per_class_recall)
        return columns(self, self.numbers, precision=precision, recall=recall)


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class EmptyImages(ResultAnalysis, Generic[ArrayT]):
    """Images in which nothing should be found, and F1 over images, at S score thresholds.

    An image is empty if it has no object that counts. It is marked if a detection that counts has at least the score.

    Attributes
    ----------
    iou_threshold : float
        IoU threshold of a true positive.
    scores : array, shape (S,)
        Thresholds, rising.
    images, empty : int
        How many there are, and how many are empty.
    specificity : array, shape (S,)
        Share of the empty images that are not marked. NaN without empty images.
    precision, recall, f1 : array, shape (S,)
        The decision whether an image has objects. A marked image is right if it has objects, wherever they are. F1 is
        ``2 TP / (2 TP + FP + FN)``: marked images with objects, marked empty images, and others with objects.
    image_f1 : array, shape (S,)
        Mean over all images of the F1 of their detections, ``2 TP / (2 TP + FP + FN)`` in the image. For an empty image
        it is 1 if it is not marked, else 0.
    perfect : array, shape (S,)
        Share of the images with an F1 of 1.
    best_f1, best_score : float
        The highest `f1`, and the highest threshold that has it; NaN without objects.
    per_class_empty : array of int64, shape (K,)
        Images without objects of the class.
    per_class_specificity, per_class_f1 : array, shape (K, S)
        The same of objects and detections of each class by itself.

    References
    ----------
    For referring expressions, `specificity` is N-acc and `perfect` is Pr@(F1=1) of He et al., GREC: Generalized
    Referring Expression Comprehension, 2023.
    """

    iou_threshold: float
    scores: ArrayT
    images: int
    empty: int
    specificity: ArrayT
    precision: ArrayT
    recall: ArrayT
    f1: ArrayT
    image_f1: ArrayT
    perfect: ArrayT
    best_f1: float
    best_score: float
    per_class_empty: ArrayT
    per_class_specificity: ArrayT
    per_class_f1: ArrayT

    @property
    def best_place(self) -> int:
        """The place of `best_score` in `scores`, which may be of a narrower dtype; 0 without one."""
        return min(range(self.scores.shape[0]), key=lambda k: abs(float(self.scores[k]) - self.best_score), default=0)

    def _line(self) -> str:
        told = f"{self.empty} of {self.images} {self.holder}s are empty"
        if self.best_f1 != self.best_f1:
            return told
        right = to_list(self.specificity)[self.best_place]
        told += f", {shown(right)} of them without detections" if self.empty else ""
        return f"{told}; best F1 over {self.holder}s {shown(self.best_f1)} at score {threshold(self.best_score)}"

    def _columns(self) -> dict[str, Any]:
        names = ("specificity", "precision", "recall", "f1", "image_f1", "perfect")
        return {"score": to_list(self.scores)} | {name: to_list(getattr(self, name)) for name in names}


def numbers_of(state: State, given: Any, per: str, /) -> tuple[int, ...]:
    """Return numbers of detections to keep: the given ones, or the default up to the limit of the state."""
    limit, many = state.protocol.max_detections[-1], state.scores.shape[0]
    if given is None:
        if per == "all":
            return tuple(10**k for k in range(1, max(2, len(str(many)))))
        return _NUMBERS if limit is None else (*(k for k in _NUMBERS if k < limit), limit)
    numbers = tuple(checks.count("numbers", x) for x in checks.items("numbers", given, "rising integers"))
    if not numbers or any(a >= b for a, b in itertools.pairwise(numbers)):
        raise ValueError(f"`numbers` must be rising integers, got {given!r}")
    if per == "image" and state.surplus and limit and numbers[-1] > limit:
        raise ValueError(
            f"`numbers` must be at most {limit}, the limit of the protocol, which excluded {state.surplus} detections, "
            f"got {numbers[-1]}: give the protocol a higher `max_detections`"
        )
    return numbers


def top(curves: Curves, iou_threshold: float, numbers: tuple[int, ...], per: str, /) -> TopK[Any]:
    """Compute precision and recall of the best detections."""
    xp, (outcomes, objects, image) = curves.xp, _outcomes(curves, iou_threshold)
    images = max(1, curves.ranking.state.images.shape[0]) if per == "image" else 1
    keys = outcomes.labels * images + (image if per == "image" else xp.zeros_like(image))
    ranks, size = _ranks(keys, objects.shape[0] * images, outcomes.scores, xp=xp), objects.shape[0]
    counted, hits = (
        xp.stack([indexing.counts(outcomes.labels[which & (ranks < k)], size, xp=xp) for k in numbers], axis=1)
        for which in (outcomes.counts, outcomes.hit)
    )
    hits = xp.astype(hits, outcomes.scores.dtype)
    precision, recall = (operating.share(hits, x, xp=xp) for x in (counted, objects[:, None]))
    of_all = (counted[-1, :], precision[-1, :], recall[-1, :])
    return TopK(iou_threshold, numbers, per, *of_all, precision[:-1, :], recall[:-1, :])


def _ranks(keys: Any, bound: int, scores: Any, /, *, xp: Namespace) -> Any:
    """Integers (M,) in [0, bound), scores (M,) -> how many rows of equal key have a higher score (M,)."""
    order = ordering.falling(keys, bound, scores, xp=xp)
    key, score = xp.take(keys, order), xp.take(scores, order)
    first = indexing.head(key) >= 0
    new = xp.concat([first, indexing.rest(key) != indexing.but_last(key)])
    lower = xp.concat([first, indexing.rest(score) != indexing.but_last(score)])
    start, run = (xp.take(xp.nonzero(x)[0], xp.cumulative_sum(xp.astype(x, xp.int64)) - 1) for x in (new, new | lower))
    return indexing.put(xp.zeros_like(order), order, run - start, xp=xp)


def empty_images(curves: Curves, iou_threshold: float, scores: Any, /) -> EmptyImages[Any]:
    """Compute numbers over images at `scores` (S,), rising."""
    xp, state, (outcomes, objects, image) = curves.xp, curves.ranking.state, _outcomes(curves, iou_threshold)
    images, size = state.images.shape[0], objects.shape[0]
    of_object = xp.repeat(xp.arange(images, dtype=xp.int64, device=compat.device(state.objects_of)), state.objects_of)
    inside = (state.ranges & 1) != 0
    of_object, labels = of_object[inside], state.target_labels[inside]
    image, outcomes = image[outcomes.counts], Outcomes(*(x[outcomes.counts] for x in outcomes))
    cells = (xp.concat([labels, xp.full_like(labels, size - 1)]) * images) + xp.concat([of_object, of_object])
    having = indexing.distinct(cells, xp=xp)
    present = xp.astype(indexing.counts(having // max(1, images), size, xp=xp), scores.dtype)[:, None]
    marks = _marks(outcomes, image, having, max(1, images), size, xp=xp)
    right, wrong = (operating.at_least(marks, x, scores, size, xp=xp) for x in (marks.hit, ~marks.hit))
    f1 = operating.share(2 * right, xp.where(present > 0, right + wrong + present, xp.zeros_like(right)), xp=xp)
    empty = images - present
    pairs = (empty - wrong, empty), (right, right + wrong), (right, present)
    specificity, precision, recall = (operating.share(*x, xp=xp) for x in pairs)
    of_all = (specificity[-1, :], precision[-1, :], recall[-1, :], f1[-1, :])
    whole, objects = outcomes.labels == size - 1, indexing.counts(of_object, images, xp=xp)
    of_images = _of_images(Outcomes(*(x[whole] for x in outcomes)), image[whole], objects, scores, xp=xp)
    by_class = (xp.astype(empty[:-1, 0], xp.int64), specificity[:-1, :], f1[:-1, :])
    facts = (iou_threshold, scores, images, int(empty[-1, 0]))
    best = operating.best_mean(f1[-1:, :], present[-1:, 0] > 0, scores, xp=xp)
    return EmptyImages(*facts, *of_all, *of_images, *best, *by_class)


def _marks(outcomes: Outcomes, image: Any, having: Any, images: int, size: int, /, *, xp: Namespace) -> Outcomes:
    """Return the best score of each class in each image: a hit if the image has objects of the class (`having`)."""
    cells = outcomes.labels * images + image
    order = ordering.falling(cells, size * images, outcomes.scores, xp=xp)
    cell = xp.take(cells, order)
    first = indexing.run_starts(cell, xp=xp)
    cell, scores = xp.take(cell, first), xp.take(outcomes.scores, xp.take(order, first))
    hit = indexing.place(having, cell, xp=xp)[1]
    return Outcomes(cell // images, scores, hit, xp.ones_like(hit))


def _of_images(counted: Outcomes, image: Any, objects: Any, scores: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Return the mean F1 of the images, and the share of them whose F1 is 1, (S,) each."""
    images, hit, f1, perfect = objects.shape[0], counted.hit, [], []
    least = operating.met(scores, counted.scores, xp=xp)
    for k in range(scores.shape[0]):
        kept = counted.scores >= least[k]
        detected, hits = (indexing.counts(image[x], images, xp=xp) for x in (kept, kept & hit))
        some = operating.share(xp.astype(2 * hits, scores.dtype), detected + objects, xp=xp)
        f1.append(xp.sum(xp.where(detected + objects > 0, some, xp.ones_like(some))))
        perfect.append(xp.count_nonzero((detected == hits) & (objects == hits)))
    many = images or float("nan")
    return tuple(xp.astype(xp.stack(x), scores.dtype) / many for x in (f1, perfect))


def _outcomes(curves: Curves, iou_threshold: float, /) -> tuple[Outcomes, Any, Any]:
    """Return the outcomes of M detections, once by class and once as one class more, the objects, and images (2M,)."""
    xp, ranking = curves.xp, curves.ranking
    outcomes = curves.outcomes(curves.protocol.iou_thresholds.index(iou_threshold))
    both = operating.with_all(outcomes, ranking.objects[:, 0], xp=xp)
    return (*both, xp.concat([ranking.image, ranking.image]))
