"""Scores of classes, images and data sets from confusion counts."""

import math
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypedDict, Unpack

from omniou._catalogue.options import Option, declared, takes
from omniou._kernels import segmentation as kernels
from omniou._lib import backends, checks
from omniou._lib.arrays import arrays_of, widest_floating
from omniou._lib.types import ArrayLike, ArrayT, Namespace
from omniou.segmentation._split import SplitCounts

_IMAGES = (
    '"keep": each image has its score. "pool": the counts are added first, which gives the score '
    'of the data set. "mean": the mean of the scores of the images in which they are defined and '
    "the class is present."
)
_ZERO_DIVISION = (
    "The value of 0 / 0: here that of a class which is neither in the target nor in the "
    "prediction. NaN, the default, is left out of every mean."
)
_AVERAGE = (
    '"none": each class has its score. "macro": their mean. "weighted": their mean, weighted by '
    'the pixels of the class in the target. "micro": the score of all classes as one, from their '
    "sums."
)
_PRESENT = (
    'Which classes of an image the means "macro" and ``images="mean"`` take: those in its target '
    "or its prediction, those in its target, or all."
)
_CLASSES = "Numbers of the classes to score, such as ``range(1, 21)`` without a background; by default all."


class ImageOptions(TypedDict, total=False):
    """Of every score of counts."""

    images: Annotated[Literal["keep", "pool", "mean"], Option("keep", _IMAGES)]
    zero_division: Annotated[float, Option(math.nan, _ZERO_DIVISION)]


class ClassOptions(ImageOptions, total=False):
    """Of scores of classes."""

    average: Annotated[Literal["none", "macro", "micro", "weighted"], Option("none", _AVERAGE)]
    present: Annotated[Literal["either", "target", "all"], Option("either", _PRESENT)]
    classes: Annotated[Any, Option(None, _CLASSES)]


@takes(declared(ClassOptions))
def iou(counts: ArrayT | ArrayLike | SplitCounts, /, **options: Unpack[ClassOptions]) -> ArrayT:
    """Intersection over union of classes (the Jaccard index), from confusion counts.

    With ``average="macro"`` it is the mean IoU (mIoU) of semantic segmentation, over the classes that are present.

    Parameters
    ----------
    counts : array, shape (..., C, C) or (..., C, C + 1); or a `SplitCounts`
        Of `confusion`. Leading axes count images.
    **options

    Returns
    -------
    array, shape (..., classes) without what is averaged
        In [0, 1]; NaN where nothing counted. The dtype is the widest float of the library, or that of the counts;
        float32 for a `SplitCounts`.

    Raises
    ------
    TypeError, ValueError
        If the counts are no numbers or of another shape, or an option is unknown.

    References
    ----------
    Everingham et al., The PASCAL visual object classes challenge: a retrospective, IJCV 2015.

    Examples
    --------
    >>> from omniou import segmentation
    >>> counts = segmentation.confusion([0, 0, 1, 1], [0, 1, 1, 1], 3)
    >>> [round(x, 3) for x in segmentation.iou(counts).tolist()]  # class 2 is in neither
    [0.5, 0.667, nan]
    >>> round(float(segmentation.iou(counts, average="macro")), 3)
    0.583
    """
    return _score(kernels.iou, counts, dict(options))


@takes(declared(ClassOptions))
def dice(counts: ArrayT | ArrayLike | SplitCounts, /, **options: Unpack[ClassOptions]) -> ArrayT:
    """Dice score of classes (F1), from confusion counts: twice the intersection over both areas.

    Parameters
    ----------
    counts : array, shape (..., C, C) or (..., C, C + 1); or a `SplitCounts`
        Of `confusion`. Leading axes count images.
    **options

    Returns
    -------
    array, shape (..., classes) without what is averaged
        In [0, 1]; NaN where nothing counted.

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    References
    ----------
    Dice, Measures of the amount of ecologic association between species, Ecology 1945.

    Examples
    --------
    >>> from omniou import segmentation
    >>> round(float(segmentation.dice([[2, 0], [1, 1]], average="macro")), 3)
    0.733
    """
    return _score(kernels.dice, counts, dict(options))


@takes(declared(ClassOptions))
def precision(counts: ArrayT | ArrayLike | SplitCounts, /, **options: Unpack[ClassOptions]) -> ArrayT:
    """Of the pixels predicted as a class, the share that are of it, from confusion counts.

    A class that was never predicted has 0 / 0, which scikit-learn and torchmetrics count as 0.

    Parameters
    ----------
    counts : array, shape (..., C, C) or (..., C, C + 1); or a `SplitCounts`
        Of `confusion`. Leading axes count images.
    **options

    Returns
    -------
    array, shape (..., classes) without what is averaged
        In [0, 1]; NaN where nothing counted.

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    Examples
    --------
    >>> from omniou import segmentation
    >>> segmentation.precision([[3, 1], [0, 4]]).tolist()
    [1.0, 0.8]
    """
    return _score(kernels.precision, counts, dict(options))


@takes(declared(ClassOptions))
def recall(counts: ArrayT | ArrayLike | SplitCounts, /, **options: Unpack[ClassOptions]) -> ArrayT:
    """Of the pixels of a class, the share that were predicted as it, from confusion counts.

    With ``average="macro"`` it is mmsegmentation's mAcc, the mean accuracy of classes.

    Parameters
    ----------
    counts : array, shape (..., C, C) or (..., C, C + 1); or a `SplitCounts`
        Of `confusion`. Leading axes count images.
    **options

    Returns
    -------
    array, shape (..., classes) without what is averaged
        In [0, 1]; NaN where nothing counted.

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    Examples
    --------
    >>> from omniou import segmentation
    >>> segmentation.recall([[3, 1], [0, 4]]).tolist()
    [0.75, 1.0]
    """
    return _score(kernels.recall, counts, dict(options))


@takes(declared(ImageOptions))
def accuracy(counts: ArrayT | ArrayLike | SplitCounts, /, **options: Unpack[ImageOptions]) -> ArrayT:
    """Share of all pixels that were predicted right (mmsegmentation's aAcc), from confusion counts.

    For the accuracy of each class see `recall`.

    Parameters
    ----------
    counts : array, shape (..., C, C) or (..., C, C + 1); or a `SplitCounts`
        Of `confusion`. Leading axes count images.
    **options

    Returns
    -------
    array, shape (...) or ()
        In [0, 1]; NaN where no pixel counted.

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    Examples
    --------
    >>> from omniou import segmentation
    >>> float(segmentation.accuracy([[3, 1], [0, 4]]))
    0.875
    """
    return _score(kernels.recall, counts, {**options, "average": "micro", "present": "all", "classes": None})


@takes(declared(ImageOptions))
def frequency_weighted_iou(counts: ArrayT | ArrayLike | SplitCounts, /, **options: Unpack[ImageOptions]) -> ArrayT:
    """Mean IoU of classes, weighted by their pixels in the target (fwIoU), from confusion counts.

    It is `iou` with ``average="weighted"``.

    Parameters
    ----------
    counts : array, shape (..., C, C) or (..., C, C + 1); or a `SplitCounts`
        Of `confusion`. Leading axes count images.
    **options

    Returns
    -------
    array, shape (...) or ()
        In [0, 1]; NaN where no pixel counted.

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    References
    ----------
    Long et al., Fully convolutional networks for semantic segmentation, CVPR 2015.

    Examples
    --------
    >>> from omniou import segmentation
    >>> float(segmentation.frequency_weighted_iou([[3, 1], [0, 4]]))
    0.775
    """
    return _score(kernels.iou, counts, {**options, "average": "weighted", "present": "either", "classes": None})


def _score(formula: Callable[..., Any], counts: Any, options: dict[str, Any]) -> Any:
    images, average, present = (options[name] for name in ("images", "average", "present"))
    checks.choice("images", images, ("keep", "pool", "mean"))
    checks.choice("average", average, ("none", "macro", "micro", "weighted"))
    checks.choice("present", present, ("either", "target", "all"))
    zero_division = _zero_division(options["zero_division"])
    counts, compute, xp = _read(counts)
    classes = _classes(options["classes"], counts.shape[-2])
    lead = tuple(range(len(counts.shape) - 2))
    if images == "pool" and lead:
        counts = counts.sum(axis=lead) if isinstance(counts, SplitCounts) else xp.sum(counts, axis=lead)
    if isinstance(counts, SplitCounts):
        counts = counts.astype(compute)
    static = {"average": average, "present": present, "zero_division": zero_division, "classes": classes}
    return backends.run(
        kernels.score, counts, formula=formula, over_images=images == "mean", compute=compute, xp=xp, **static
    )


def _read(counts: Any) -> tuple[Any, Any, Namespace]:
    """Checked counts, the dtype to compute in, and the namespace."""
    (given,), facts = arrays_of(counts=counts.low if isinstance(counts, SplitCounts) else counts)
    xp, shape, dtype = facts[0].namespace, tuple(given.shape), facts[0].dtype
    if not xp.isdtype(dtype, ("integral", "real floating")):
        msg = f"`counts` must hold numbers, got dtype {dtype}"
        raise TypeError(msg)
    if len(shape) < 2 or shape[-1] - shape[-2] not in (0, 1):
        msg = f"`counts` must have shape (..., C, C) or (..., C, C + 1), got {shape}"
        raise ValueError(msg)
    floating = xp.isdtype(dtype, "real floating") and xp.finfo(dtype).bits >= 32
    return counts if isinstance(counts, SplitCounts) else given, dtype if floating else widest_floating(xp), xp


def _zero_division(value: Any) -> float:
    if isinstance(value, float) and math.isnan(value):
        return value
    return checks.number("zero_division", value)


def _classes(classes: Any, count: int) -> tuple[int, ...]:
    if classes is None:
        return tuple(range(count))
    chosen = tuple(classes)
    for k in chosen:
        if type(k) is not int or not 0 <= k < count:
            msg = f"`classes` must be integers from 0 to {count - 1}, got {k!r}"
            raise ValueError(msg)
    if len(set(chosen)) < len(chosen) or not chosen:
        msg = f"`classes` must be different integers, at least one, got {classes!r}"
        raise ValueError(msg)
    return chosen
