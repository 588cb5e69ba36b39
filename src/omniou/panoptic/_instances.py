"""Instance AP of label images: TP / (TP + FP + FN) at several IoU thresholds."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, Self

from omniou._lib import assignments, backends, checks, host
from omniou._lib.indexing import to_list
from omniou._lib.types import ArrayLike, ArrayT
from omniou._results import shown
from omniou._results.base import EvaluationResult, Named
from omniou._results.units import CountedUnits, UnitNumbers
from omniou.panoptic import _maps, _match
from omniou.panoptic._counts import divided

_THRESHOLDS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
# Thresholds that have a number of their own in the summary.
_NAMED = {0.5: "AP50", 0.75: "AP75", 0.9: "AP90"}
# float32 and steps of `arange` miss a threshold of four decimals by less.
_ROUNDING = 1e-7

# Components of overlapping pairs that are assigned together: one by one they take more calls, all at once more than
# linear time.
_AT_ONCE = 64

_ADDED = ("true_positives", "false_positives", "false_negatives", "iou")


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class InstanceCounts(EvaluationResult, Generic[ArrayT]):
    """True positives, false positives and missed instances of label images. Adding appends the images of the second.

    Attributes
    ----------
    thresholds : tuple of float
        T IoU thresholds.
    true_positives, false_positives, false_negatives : array of int, shape (images, T)
        Instances that match, predictions without a match, and targets without one.
    iou : array of float, shape (images, T)
        Sum of IoU over the true positives.
    """

    thresholds: tuple[float, ...]
    true_positives: ArrayT
    false_positives: ArrayT
    false_negatives: ArrayT
    iou: ArrayT

    def __add__(self, other: Any) -> Self:
        """The images of both."""
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, InstanceCounts):
            return NotImplemented
        if self.thresholds != other.thresholds:
            raise ValueError(
                f"counts to add must have the same `thresholds`, got {self.thresholds} and {other.thresholds}"
            )
        xp = backends.array_namespace(self.iou)
        joined = {name: xp.concat([getattr(self, name), getattr(other, name)], axis=0) for name in _ADDED}
        return dataclasses.replace(self, **joined)

    def __radd__(self, other: Any) -> Self:
        """The images of both: `sum` starts with 0."""
        return self + other

    @property
    def ap(self) -> ArrayT:
        """TP / (TP + FP + FN) of each image and threshold, (images, T); NaN for an image without any instance."""
        return _scores(*(getattr(self, name) for name in _ADDED))["AP"]

    @property
    def summary(self) -> Named[str, float]:
        """``AP``, the mean of TP / (TP + FP + FN) over the thresholds, and ``AP50``, ``AP75`` and ``AP90`` if counted.

        Counts are summed over images first. NaN without any instance.
        """
        return _summary(self.thresholds, [row["AP"] for row in self.per_threshold.values()])

    @property
    def counts(self) -> dict[str, int]:
        """Images, instances of the target (objects), and predicted instances."""
        first = [to_list(getattr(self, name)[:, 0]) for name in _ADDED[:3]]
        true, false, missed = (sum(x) for x in first)
        return {"images": len(first[0]), "objects": true + missed, "predictions": true + false}

    @property
    def per_threshold(self) -> Named[float, Named[str, float]]:
        """The scores at each threshold, of counts that are summed over images.

        ``AP`` is TP / (TP + FP + FN); ``SQ`` the mean IoU of true positives, ``PQ`` the panoptic quality, and
        ``mean_true_score`` the sum of this IoU over all instances of the target. 0 without true positives; NaN without
        any instance.
        """
        xp = backends.array_namespace(self.iou)
        sums = {name: xp.sum(getattr(self, name), axis=0) for name in _ADDED}
        columns = _scores(*sums.values()) | {name: sums[name] for name in _ADDED[:3]}
        return self._by_threshold({name: to_list(x) for name, x in columns.items()})

    @property
    def image_means(self) -> Named[float, Named[str, float]]:
        """The scores of `per_threshold`, each computed for each image, and averaged over images.

        Images without any instance are excluded.
        """
        scores = _scores(*(getattr(self, name) for name in _ADDED))
        return self._by_threshold({name: _means(x) for name, x in scores.items()})

    @property
    def per_image(self) -> Named[int, Named[str, float]]:
        """The numbers of `summary` of each image, by its place from 0 on."""
        columns = [to_list(self.ap[:, k]) for k in range(len(self.thresholds))]
        return Named({k: _summary(self.thresholds, row) for k, row in enumerate(zip(*columns, strict=True))})

    @property
    def units(self) -> CountedUnits:
        """The images, by place: the units of bootstrap and permutation test."""
        xp = backends.numpy_namespace()
        each = host.to_numpy({name: getattr(self, name) for name in _ADDED})[1]
        counts = xp.stack([xp.asarray(each[name], dtype=xp.float64) for name in _ADDED], axis=-1)
        counts = xp.reshape(counts, (counts.shape[0], 1, len(self.thresholds) * len(_ADDED)))
        return CountedUnits.of(
            range(counts.shape[0]),
            counts,
            (counts[..., 0] + counts[..., 2]) > 0,
            word="images",
            labels=(),
            rules=("instances", self.thresholds),
            means={},
            measure=self._measured,
        )

    def _measured(self, sums: Any, /) -> UnitNumbers:
        """Sums of the counts (1, T * 4) -> the numbers of the summary."""
        rows = sums.reshape(1, len(self.thresholds), len(_ADDED))
        added = {name: rows[..., k] for k, name in enumerate(_ADDED)}
        return UnitNumbers(dataclasses.replace(self, **added).summary, {})

    def _by_threshold(self, columns: dict[str, list[Any]], /) -> Named[float, Named[str, float]]:
        return Named(
            {x: Named({name: values[k] for name, values in columns.items()}) for k, x in enumerate(self.thresholds)}
        )

    def _columns(self) -> dict[str, dict[str, list[Any]]]:
        images = {str(place): row for place, row in self.per_image.items()}
        levels = {str(level): row for level, row in self.per_threshold.items()}
        return {"per_image": shown.columns_of(images), "per_threshold": shown.columns_of(levels)}


def count_instances(
    target: ArrayT | ArrayLike | Sequence[ArrayT],
    prediction: ArrayT | ArrayLike | Sequence[ArrayT],
    /,
    *,
    thresholds: float | Sequence[float] = _THRESHOLDS,
    spatial_axes: int | None = None,
) -> InstanceCounts[ArrayT]:
    """Count matched instances of label images, such as cells, for instance AP as StarDist and Cellpose compute it.

    Instance AP at a threshold is TP / (TP + FP + FN): it needs no scores. It is not COCO's average precision.

    Parameters
    ----------
    target, prediction : array of integers, shape (..., height, width) or (..., depth, height, width), or list of these
        Instance of each pixel, from 0; 0 is background, and other labels need not be consecutive. A list or tuple of
        arrays is a data set, whose images may differ in size.
    thresholds : float or sequence of float
        IoU in (0, 1] from which instances match. Below 0.5, SciPy finds the assignment with the most matches, and of
        several the one with the highest sum of IoU.
    spatial_axes : {1, 2, 3}, optional
        How many of the last axes are one image; leading axes are images. Arrays with three axes or more need it, as
        they may be images or a volume.

    Returns
    -------
    InstanceCounts
        Counts of each image; add the counts of batches. Arrays follow the library of the label images.

    Raises
    ------
    TypeError
        If libraries or devices differ, or labels are not integers.
    ValueError
        If shapes or lengths differ, a label is negative, it is not clear what is one image, or a threshold is invalid.
    ModuleNotFoundError
        If SciPy is not installed, for thresholds below 0.5.

    Notes
    -----
    Shapes depend on values, so it is not traced. Arrays of JAX are counted by NumPy. In tensors of torch on a GPU, the
    runs of equal labels are found there, and copied to the CPU at once.

    References
    ----------
    Schmidt et al., Cell detection with star-convex polygons, MICCAI 2018; Stringer et al., Cellpose, Nature Methods
    2021; Caicedo et al., Nucleus segmentation across imaging experiments, Nature Methods 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import panoptic
    >>> target = np.array([[1, 1, 1, 1, 0], [2, 2, 0, 5, 5]])
    >>> prediction = np.array([[7, 7, 7, 0, 0], [3, 3, 3, 0, 0]])  # IoU 3/4 and 2/3; instance 5 is missed
    >>> counts = panoptic.count_instances(target, prediction, thresholds=(0.5, 0.75))
    >>> {name: round(x, 3) for name, x in counts.summary.items()}
    {'AP': 0.458, 'AP50': 0.667, 'AP75': 0.25}
    >>> counts.per_threshold[0.5]["false_negatives"], counts.per_threshold[0.5]["F1"]
    (1, 0.8)
    """
    levels = _levels(thresholds)
    if min(levels) < 0.5:
        assignments.solver("`panoptic.count_instances` with a threshold below 0.5")
    axes = None if spatial_axes is None else checks.choice("spatial_axes", spatial_axes, (1, 2, 3))
    maps = [_maps.instances(*both, axes) for both in _maps.image_pairs(target, prediction)]
    xp, home = backends.numpy_namespace(), maps[0].home if maps else host.as_it_is
    nothing = [xp.zeros((0, len(levels)), dtype=x) for x in (int, int, int, float)]
    columns = zip(nothing, *(_of_images(x, levels) for x in maps), strict=True)
    return InstanceCounts(levels, *(home(xp.concatenate(x)) for x in columns))


def _levels(thresholds: Any) -> tuple[float, ...]:
    """Check thresholds, and round those that floats of 32 bits or steps of 0.05 have missed: 0.6000000000000001."""
    given = checks.several(thresholds)
    levels = []
    for x in (thresholds,) if given is None else given:
        level = checks.number("thresholds", x, above=0.0)
        near = round(level, 4)
        levels.append(near if near and abs(near - level) < _ROUNDING else level)
    if not levels or max(levels) > 1 or len(set(levels)) < len(levels):
        raise ValueError(f"`thresholds` must be different numbers in (0, 1], at least one, got {thresholds!r}")
    return tuple(levels)


class _Pairs(NamedTuple):
    """Pairs (P,) of instances that share pixels."""

    image: Any
    target: Any  # row of the instance, through all images
    prediction: Any
    iou: Any


def _of_images(maps: _maps.MapRuns, levels: tuple[float, ...], /) -> list[Any]:
    """Runs of I images, in NumPy -> the counts and the sum of IoU (I, T)."""
    target, prediction, row, column, shared = _match.tables(maps.runs.image, maps.columns, maps.runs.length, xp=maps.xp)
    real = (target.label[row] != _match.VOID) & (prediction.label[column] != _match.VOID)
    row, column, shared = row[real], column[real], shared[real]
    pairs = _Pairs(target.image[row], row, column, shared / (target.area[row] + prediction.area[column] - shared))
    xp = maps.xp
    targets, predictions = (
        xp.bincount(x.image[x.label != _match.VOID], minlength=maps.images) for x in (target, prediction)
    )
    true, iou = (xp.zeros((maps.images, len(levels)), dtype=x) for x in (xp.int64, xp.float64))
    for k, level in enumerate(levels):
        hit = _matched(pairs, level)
        true[:, k] = xp.bincount(pairs.image[hit], minlength=maps.images)
        iou[:, k] = xp.bincount(pairs.image[hit], weights=pairs.iou[hit], minlength=maps.images)
    return [true, predictions[:, None] - true, targets[:, None] - true, iou]


def _matched(pairs: _Pairs, level: float, /) -> Any:
    """Places of the pairs that match (M,)."""
    xp = backends.numpy_namespace()
    hit = xp.flatnonzero(pairs.iou >= level)
    if level > 0.5:
        # More than half of a union cannot be shared with two disjoint instances.
        return hit
    if level == 0.5:
        # Exactly half twice: an instance in two halves. Either half is a match, and no third instance is involved.
        hit = hit[xp.unique(pairs.target[hit], return_index=True)[1]]
        return hit[xp.unique(pairs.prediction[hit], return_index=True)[1]]
    rival = xp.zeros(hit.shape, dtype=bool)
    for side in (pairs.target, pairs.prediction):
        rival |= xp.bincount(side[hit])[side[hit]] > 1 if hit.size else rival
    if not rival.any():
        return hit
    linked = assignments.components(pairs.target, pairs.prediction)
    contested = xp.isin(linked, linked[hit[rival]])
    easy = hit[~contested[hit]]
    return xp.concatenate([easy, *(_assigned(pairs, level, x) for x in _groups(linked, contested))])


def _groups(linked: Any, contested: Any, /) -> list[Any]:
    """Component of each pair (P,) -> the places of those contested, of some components at once."""
    xp = backends.numpy_namespace()
    places = xp.flatnonzero(contested)
    number = xp.unique(linked[places], return_inverse=True)[1] // _AT_ONCE
    order = xp.argsort(number, stable=True)
    return xp.split(places[order], xp.flatnonzero(xp.diff(number[order])) + 1)


def _assigned(pairs: _Pairs, level: float, places: Any, /) -> Any:
    """Of the pairs at `places`, those that match: as many as possible, then with the highest IoU of all pairs.

    This is StarDist's objective, in which pairs below the threshold also count as much as their IoU.
    """
    xp = backends.numpy_namespace()
    iou = pairs.iou[places]
    row, column = (xp.unique(x[places], return_inverse=True)[1] for x in (pairs.target, pairs.prediction))
    # At most min(rows, columns) pairs have an IoU of at most 1: half a match in all.
    gain = (iou >= level) + iou / (2 * (min(row.max(), column.max()) + 1))
    return places[assignments.heaviest(row, column, gain) & (iou >= level)]


def _scores(true: Any, false: Any, missed: Any, iou: Any, /) -> dict[str, Any]:
    """Counts of any shape -> the scores: 0 for 0 / 0, NaN without any instance."""
    xp = backends.array_namespace(iou)
    true, false, missed = (xp.astype(x, iou.dtype) for x in (true, false, missed))
    whole = true + false + missed
    quotients = {
        "AP": (true, whole),
        "precision": (true, true + false),
        "recall": (true, true + missed),
        "F1": (2 * true, 2 * true + false + missed),
        "SQ": (iou, true),
        "PQ": (iou, true + 0.5 * false + 0.5 * missed),
        "mean_true_score": (iou, true + missed),
    }
    return {name: divided(over, under, whole) for name, (over, under) in quotients.items()}


def _summary(thresholds: tuple[float, ...], ap: Sequence[float], /) -> Named[str, float]:
    """AP at each threshold -> the mean, and AP at thresholds that have a name."""
    named = {_NAMED[x]: value for x, value in zip(thresholds, ap, strict=True) if x in _NAMED}
    return Named({"AP": math.fsum(ap) / len(ap), **named})


def _means(x: Any, /) -> list[float]:
    """Scores (images, T) -> the means over images that are not NaN."""
    columns = [[value for value in to_list(x[:, k]) if not math.isnan(value)] for k in range(x.shape[1])]
    return [math.fsum(column) / len(column) if column else math.nan for column in columns]
