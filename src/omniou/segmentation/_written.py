# Written by `python -m omniou._catalogue.write` from the declarations; do not edit.
"""The functions of `omniou.segmentation` that follow from declarations."""

from __future__ import annotations  # so that `help` shows the names of types

from typing import Any, Literal

from omniou._catalogue import pixel_operations
from omniou._catalogue.calls import publish
from omniou._catalogue.pixel_options import Weighting
from omniou._lib.split_counts import SplitCounts
from omniou._lib.types import ArrayLike, ArrayT

__all__: list[str] = [
    "iou",
    "iof",
    "iomin",
    "dice",
    "tversky",
    "precision",
    "recall",
    "volumetric_similarity",
    "generalised_dice",
]

_iou = pixel_operations.class_score("iou")


def iou(
    counts: ArrayT | ArrayLike | SplitCounts,
    /,
    *,
    images: Literal["keep", "pool", "mean"] = "keep",
    average: Literal["none", "macro", "micro", "weighted"] = "none",
    present: Literal["either", "target", "all"] = "either",
    classes: Any = None,
    zero_division: float = 0.0,
) -> ArrayT:
    """Intersection over union (Jaccard index), of the classes of confusion counts.

    ``average="macro"`` is the mean over classes: mIoU, mean Dice and so on.

    Parameters
    ----------
    counts : array, shape (..., C, C) or (..., C, C + 1); or a `SplitCounts`
        The result of `confusion`. Leading axes are images.
    images : {"keep", "pool", "mean"}
        "keep": a score for each image. "pool": the score of the data set, from the sum of the counts.
        "mean": the mean of the scores over the images in which the score is defined and the class is
        present.
    average : {"none", "macro", "micro", "weighted"}
        "none": a score for each class. "macro": the mean over classes. "weighted": the mean, weighted by
        the pixels of the class in the target. "micro": one score from the sums over classes.
    present : {"either", "target", "all"}
        Which classes of an image have a score: classes in its target or its prediction ("either"), classes
        in its target, or all. The others are NaN, and means exclude them.
    classes : optional
        Numbers of the classes to score, such as ``range(1, 21)`` without a background; by default all.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.

    Returns
    -------
    array, shape (..., classes) without the averaged axes
        In [0, 1]; NaN if no pixel counts. The dtype is the widest float of the library, or the dtype of the counts;
        float32 for a `SplitCounts`.

    Raises
    ------
    TypeError
        If the libraries or devices differ, or an array holds no numbers.
    ValueError
        If the shapes do not fit, or an option is unknown or out of its range.

    References
    ----------
    Jaccard, Bulletin de la Société Vaudoise des Sciences Naturelles 37, 1901; as a loss Rahman and Wang, ISVC 2016; of
    segmentation Everingham et al., IJCV 2015.

    Examples
    --------
    >>> from omniou import segmentation
    >>> counts = segmentation.confusion([[1, 0], [0, 0]], [[1, 1], [1, 0]], 2)
    >>> round(float(segmentation.iou(counts)[1]), 6)
    0.333333
    """
    return _iou(counts, images=images, average=average, present=present, classes=classes, zero_division=zero_division)


_iof = pixel_operations.class_score("iof")


def iof(
    counts: ArrayT | ArrayLike | SplitCounts,
    /,
    *,
    images: Literal["keep", "pool", "mean"] = "keep",
    average: Literal["none", "macro", "micro", "weighted"] = "none",
    present: Literal["either", "target", "all"] = "either",
    classes: Any = None,
    zero_division: float = 0.0,
) -> ArrayT:
    """Intersection over the area of the first mask, the prediction: its share inside the second, of the classes of confusion counts.

    ``average="macro"`` is the mean over classes: mIoU, mean Dice and so on.

    Parameters
    ----------
    counts : array, shape (..., C, C) or (..., C, C + 1); or a `SplitCounts`
        The result of `confusion`. Leading axes are images.
    images : {"keep", "pool", "mean"}
        "keep": a score for each image. "pool": the score of the data set, from the sum of the counts.
        "mean": the mean of the scores over the images in which the score is defined and the class is
        present.
    average : {"none", "macro", "micro", "weighted"}
        "none": a score for each class. "macro": the mean over classes. "weighted": the mean, weighted by
        the pixels of the class in the target. "micro": one score from the sums over classes.
    present : {"either", "target", "all"}
        Which classes of an image have a score: classes in its target or its prediction ("either"), classes
        in its target, or all. The others are NaN, and means exclude them.
    classes : optional
        Numbers of the classes to score, such as ``range(1, 21)`` without a background; by default all.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.

    Returns
    -------
    array, shape (..., classes) without the averaged axes
        In [0, 1]; NaN if no pixel counts. The dtype is the widest float of the library, or the dtype of the counts;
        float32 for a `SplitCounts`.

    Raises
    ------
    TypeError
        If the libraries or devices differ, or an array holds no numbers.
    ValueError
        If the shapes do not fit, or an option is unknown or out of its range.

    References
    ----------
    COCO uses it for the overlap of a detection with a crowd.

    Examples
    --------
    >>> from omniou import segmentation
    >>> counts = segmentation.confusion([[1, 0], [0, 0]], [[1, 1], [1, 0]], 2)
    >>> round(float(segmentation.iof(counts)[1]), 6)
    0.333333
    """
    return _iof(counts, images=images, average=average, present=present, classes=classes, zero_division=zero_division)


_iomin = pixel_operations.class_score("iomin")


def iomin(
    counts: ArrayT | ArrayLike | SplitCounts,
    /,
    *,
    images: Literal["keep", "pool", "mean"] = "keep",
    average: Literal["none", "macro", "micro", "weighted"] = "none",
    present: Literal["either", "target", "all"] = "either",
    classes: Any = None,
    zero_division: float = 0.0,
) -> ArrayT:
    """Intersection over the smaller one (overlap coefficient), of the classes of confusion counts.

    ``average="macro"`` is the mean over classes: mIoU, mean Dice and so on.

    Parameters
    ----------
    counts : array, shape (..., C, C) or (..., C, C + 1); or a `SplitCounts`
        The result of `confusion`. Leading axes are images.
    images : {"keep", "pool", "mean"}
        "keep": a score for each image. "pool": the score of the data set, from the sum of the counts.
        "mean": the mean of the scores over the images in which the score is defined and the class is
        present.
    average : {"none", "macro", "micro", "weighted"}
        "none": a score for each class. "macro": the mean over classes. "weighted": the mean, weighted by
        the pixels of the class in the target. "micro": one score from the sums over classes.
    present : {"either", "target", "all"}
        Which classes of an image have a score: classes in its target or its prediction ("either"), classes
        in its target, or all. The others are NaN, and means exclude them.
    classes : optional
        Numbers of the classes to score, such as ``range(1, 21)`` without a background; by default all.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.

    Returns
    -------
    array, shape (..., classes) without the averaged axes
        In [0, 1]; NaN if no pixel counts. The dtype is the widest float of the library, or the dtype of the counts;
        float32 for a `SplitCounts`.

    Raises
    ------
    TypeError
        If the libraries or devices differ, or an array holds no numbers.
    ValueError
        If the shapes do not fit, or an option is unknown or out of its range.

    References
    ----------
    Szymkiewicz, 1934; Simpson, American Journal of Science 241, 1943.

    Examples
    --------
    >>> from omniou import segmentation
    >>> counts = segmentation.confusion([[1, 0], [0, 0]], [[1, 1], [1, 0]], 2)
    >>> round(float(segmentation.iomin(counts)[1]), 6)
    1.0
    """
    return _iomin(counts, images=images, average=average, present=present, classes=classes, zero_division=zero_division)


_dice = pixel_operations.class_score("dice")


def dice(
    counts: ArrayT | ArrayLike | SplitCounts,
    /,
    *,
    images: Literal["keep", "pool", "mean"] = "keep",
    average: Literal["none", "macro", "micro", "weighted"] = "none",
    present: Literal["either", "target", "all"] = "either",
    classes: Any = None,
    zero_division: float = 0.0,
) -> ArrayT:
    """Dice coefficient (F1 of pixels): twice the intersection over the sum of both, of the classes of confusion counts.

    ``average="macro"`` is the mean over classes: mIoU, mean Dice and so on.

    Parameters
    ----------
    counts : array, shape (..., C, C) or (..., C, C + 1); or a `SplitCounts`
        The result of `confusion`. Leading axes are images.
    images : {"keep", "pool", "mean"}
        "keep": a score for each image. "pool": the score of the data set, from the sum of the counts.
        "mean": the mean of the scores over the images in which the score is defined and the class is
        present.
    average : {"none", "macro", "micro", "weighted"}
        "none": a score for each class. "macro": the mean over classes. "weighted": the mean, weighted by
        the pixels of the class in the target. "micro": one score from the sums over classes.
    present : {"either", "target", "all"}
        Which classes of an image have a score: classes in its target or its prediction ("either"), classes
        in its target, or all. The others are NaN, and means exclude them.
    classes : optional
        Numbers of the classes to score, such as ``range(1, 21)`` without a background; by default all.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.

    Returns
    -------
    array, shape (..., classes) without the averaged axes
        In [0, 1]; NaN if no pixel counts. The dtype is the widest float of the library, or the dtype of the counts;
        float32 for a `SplitCounts`.

    Raises
    ------
    TypeError
        If the libraries or devices differ, or an array holds no numbers.
    ValueError
        If the shapes do not fit, or an option is unknown or out of its range.

    References
    ----------
    Dice, Ecology 26, 1945; as a loss Milletari et al., V-Net, 3DV 2016, with squares, and Drozdzal et al., DLMIA 2016,
    without.

    Examples
    --------
    >>> from omniou import segmentation
    >>> counts = segmentation.confusion([[1, 0], [0, 0]], [[1, 1], [1, 0]], 2)
    >>> round(float(segmentation.dice(counts)[1]), 6)
    0.5
    """
    return _dice(counts, images=images, average=average, present=present, classes=classes, zero_division=zero_division)


_tversky = pixel_operations.class_score("tversky")


def tversky(
    counts: ArrayT | ArrayLike | SplitCounts,
    /,
    *,
    images: Literal["keep", "pool", "mean"] = "keep",
    average: Literal["none", "macro", "micro", "weighted"] = "none",
    present: Literal["either", "target", "all"] = "either",
    classes: Any = None,
    zero_division: float = 0.0,
    alpha: float = 0.5,
    beta: float = 0.5,
) -> ArrayT:
    """Tversky index: I / (I + alpha FP + beta FN), of the classes of confusion counts.

    I is the intersection, FP and FN are false positives and false negatives. Weights of 0.5 and 0.5 give Dice, of 1 and
    1 IoU.

    ``average="macro"`` is the mean over classes: mIoU, mean Dice and so on.

    Parameters
    ----------
    counts : array, shape (..., C, C) or (..., C, C + 1); or a `SplitCounts`
        The result of `confusion`. Leading axes are images.
    images : {"keep", "pool", "mean"}
        "keep": a score for each image. "pool": the score of the data set, from the sum of the counts.
        "mean": the mean of the scores over the images in which the score is defined and the class is
        present.
    average : {"none", "macro", "micro", "weighted"}
        "none": a score for each class. "macro": the mean over classes. "weighted": the mean, weighted by
        the pixels of the class in the target. "micro": one score from the sums over classes.
    present : {"either", "target", "all"}
        Which classes of an image have a score: classes in its target or its prediction ("either"), classes
        in its target, or all. The others are NaN, and means exclude them.
    classes : optional
        Numbers of the classes to score, such as ``range(1, 21)`` without a background; by default all.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    alpha : float
        Weight of false positives: pixels of the prediction only.
    beta : float
        Weight of false negatives: pixels of the ground truth only.

    Returns
    -------
    array, shape (..., classes) without the averaged axes
        In [0, 1]; NaN if no pixel counts. The dtype is the widest float of the library, or the dtype of the counts;
        float32 for a `SplitCounts`.

    Raises
    ------
    TypeError
        If the libraries or devices differ, or an array holds no numbers.
    ValueError
        If the shapes do not fit, or an option is unknown or out of its range.

    References
    ----------
    Tversky, Psychological Review 84, 1977; as a loss, with 0.3 and 0.7, Salehi et al., MLMI 2017.

    Examples
    --------
    >>> from omniou import segmentation
    >>> counts = segmentation.confusion([[1, 0], [0, 0]], [[1, 1], [1, 0]], 2)
    >>> round(float(segmentation.tversky(counts)[1]), 6)
    0.5
    """
    return _tversky(
        counts,
        images=images,
        average=average,
        present=present,
        classes=classes,
        zero_division=zero_division,
        alpha=alpha,
        beta=beta,
    )


_precision = pixel_operations.class_score("precision")


def precision(
    counts: ArrayT | ArrayLike | SplitCounts,
    /,
    *,
    images: Literal["keep", "pool", "mean"] = "keep",
    average: Literal["none", "macro", "micro", "weighted"] = "none",
    present: Literal["either", "target", "all"] = "either",
    classes: Any = None,
    zero_division: float = 0.0,
) -> ArrayT:
    """Precision: share of the predicted pixels that are in the target, of the classes of confusion counts.

    ``average="macro"`` is the mean over classes: mIoU, mean Dice and so on.

    Parameters
    ----------
    counts : array, shape (..., C, C) or (..., C, C + 1); or a `SplitCounts`
        The result of `confusion`. Leading axes are images.
    images : {"keep", "pool", "mean"}
        "keep": a score for each image. "pool": the score of the data set, from the sum of the counts.
        "mean": the mean of the scores over the images in which the score is defined and the class is
        present.
    average : {"none", "macro", "micro", "weighted"}
        "none": a score for each class. "macro": the mean over classes. "weighted": the mean, weighted by
        the pixels of the class in the target. "micro": one score from the sums over classes.
    present : {"either", "target", "all"}
        Which classes of an image have a score: classes in its target or its prediction ("either"), classes
        in its target, or all. The others are NaN, and means exclude them.
    classes : optional
        Numbers of the classes to score, such as ``range(1, 21)`` without a background; by default all.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.

    Returns
    -------
    array, shape (..., classes) without the averaged axes
        In [0, 1]; NaN if no pixel counts. The dtype is the widest float of the library, or the dtype of the counts;
        float32 for a `SplitCounts`.

    Raises
    ------
    TypeError
        If the libraries or devices differ, or an array holds no numbers.
    ValueError
        If the shapes do not fit, or an option is unknown or out of its range.

    References
    ----------
    Kent et al., American Documentation 6, 1955.

    Examples
    --------
    >>> from omniou import segmentation
    >>> counts = segmentation.confusion([[1, 0], [0, 0]], [[1, 1], [1, 0]], 2)
    >>> round(float(segmentation.precision(counts)[1]), 6)
    0.333333
    """
    return _precision(
        counts, images=images, average=average, present=present, classes=classes, zero_division=zero_division
    )


_recall = pixel_operations.class_score("recall")


def recall(
    counts: ArrayT | ArrayLike | SplitCounts,
    /,
    *,
    images: Literal["keep", "pool", "mean"] = "keep",
    average: Literal["none", "macro", "micro", "weighted"] = "none",
    present: Literal["either", "target", "all"] = "either",
    classes: Any = None,
    zero_division: float = 0.0,
) -> ArrayT:
    """Recall (sensitivity): share of the pixels of the target that are predicted, of the classes of confusion counts.

    ``average="macro"`` is the mean over classes: mIoU, mean Dice and so on.

    Parameters
    ----------
    counts : array, shape (..., C, C) or (..., C, C + 1); or a `SplitCounts`
        The result of `confusion`. Leading axes are images.
    images : {"keep", "pool", "mean"}
        "keep": a score for each image. "pool": the score of the data set, from the sum of the counts.
        "mean": the mean of the scores over the images in which the score is defined and the class is
        present.
    average : {"none", "macro", "micro", "weighted"}
        "none": a score for each class. "macro": the mean over classes. "weighted": the mean, weighted by
        the pixels of the class in the target. "micro": one score from the sums over classes.
    present : {"either", "target", "all"}
        Which classes of an image have a score: classes in its target or its prediction ("either"), classes
        in its target, or all. The others are NaN, and means exclude them.
    classes : optional
        Numbers of the classes to score, such as ``range(1, 21)`` without a background; by default all.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.

    Returns
    -------
    array, shape (..., classes) without the averaged axes
        In [0, 1]; NaN if no pixel counts. The dtype is the widest float of the library, or the dtype of the counts;
        float32 for a `SplitCounts`.

    Raises
    ------
    TypeError
        If the libraries or devices differ, or an array holds no numbers.
    ValueError
        If the shapes do not fit, or an option is unknown or out of its range.

    References
    ----------
    Kent et al., American Documentation 6, 1955.

    Examples
    --------
    >>> from omniou import segmentation
    >>> counts = segmentation.confusion([[1, 0], [0, 0]], [[1, 1], [1, 0]], 2)
    >>> round(float(segmentation.recall(counts)[1]), 6)
    1.0
    """
    return _recall(
        counts, images=images, average=average, present=present, classes=classes, zero_division=zero_division
    )


_volumetric_similarity = pixel_operations.class_score("volumetric_similarity")


def volumetric_similarity(
    counts: ArrayT | ArrayLike | SplitCounts,
    /,
    *,
    images: Literal["keep", "pool", "mean"] = "keep",
    average: Literal["none", "macro", "micro", "weighted"] = "none",
    present: Literal["either", "target", "all"] = "either",
    classes: Any = None,
    zero_division: float = 0.0,
) -> ArrayT:
    """Volumetric similarity: 1 minus the difference of both sizes over their sum, of the classes of confusion counts.

    It compares only sizes, not positions: an upper bound of Dice.

    ``average="macro"`` is the mean over classes: mIoU, mean Dice and so on.

    Parameters
    ----------
    counts : array, shape (..., C, C) or (..., C, C + 1); or a `SplitCounts`
        The result of `confusion`. Leading axes are images.
    images : {"keep", "pool", "mean"}
        "keep": a score for each image. "pool": the score of the data set, from the sum of the counts.
        "mean": the mean of the scores over the images in which the score is defined and the class is
        present.
    average : {"none", "macro", "micro", "weighted"}
        "none": a score for each class. "macro": the mean over classes. "weighted": the mean, weighted by
        the pixels of the class in the target. "micro": one score from the sums over classes.
    present : {"either", "target", "all"}
        Which classes of an image have a score: classes in its target or its prediction ("either"), classes
        in its target, or all. The others are NaN, and means exclude them.
    classes : optional
        Numbers of the classes to score, such as ``range(1, 21)`` without a background; by default all.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.

    Returns
    -------
    array, shape (..., classes) without the averaged axes
        In [0, 1]; NaN if no pixel counts. The dtype is the widest float of the library, or the dtype of the counts;
        float32 for a `SplitCounts`.

    Raises
    ------
    TypeError
        If the libraries or devices differ, or an array holds no numbers.
    ValueError
        If the shapes do not fit, or an option is unknown or out of its range.

    References
    ----------
    Taha and Hanbury, Metrics for evaluating 3D medical image segmentation, BMC Medical Imaging 15, 2015.

    Examples
    --------
    >>> from omniou import segmentation
    >>> counts = segmentation.confusion([[1, 0], [0, 0]], [[1, 1], [1, 0]], 2)
    >>> round(float(segmentation.volumetric_similarity(counts)[1]), 6)
    0.5
    """
    return _volumetric_similarity(
        counts, images=images, average=average, present=present, classes=classes, zero_division=zero_division
    )


_generalised_dice = pixel_operations.class_score("generalised_dice")


def generalised_dice(
    counts: ArrayT | ArrayLike | SplitCounts,
    /,
    *,
    images: Literal["keep", "pool", "mean"] = "keep",
    classes: Any = None,
    zero_division: float = 0.0,
    weighting: Weighting = "square",
) -> ArrayT:
    """Generalised Dice: Dice of all classes as one, each weighted by the inverse of its size, of the classes of confusion counts.

    A class that the ground truth does not have gets the largest weight.

    Parameters
    ----------
    counts : array, shape (..., C, C) or (..., C, C + 1); or a `SplitCounts`
        The result of `confusion`. Leading axes are images.
    images : {"keep", "pool", "mean"}
        "keep": a score for each image. "pool": the score of the data set, from the sum of the counts.
        "mean": the mean of the scores over the images in which the score is defined and the class is
        present.
    classes : optional
        Numbers of the classes to score, such as ``range(1, 21)`` without a background; by default all.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    weighting : {"square", "simple", "uniform"}
        Weight of a class: the inverse of its squared size in the ground truth, the inverse of its size, or
        equal. Absent classes get the largest weight.

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN if no pixel counts. The dtype is the widest float of the library, or the dtype of the counts;
        float32 for a `SplitCounts`.

    Raises
    ------
    TypeError
        If the libraries or devices differ, or an array holds no numbers.
    ValueError
        If the shapes do not fit, or an option is unknown or out of its range.

    References
    ----------
    Sudre et al., Generalised Dice overlap as a deep learning loss function, DLMIA 2017.

    Examples
    --------
    >>> from omniou import segmentation
    >>> counts = segmentation.confusion([[1, 0], [0, 0]], [[1, 1], [1, 0]], 2)
    >>> round(float(segmentation.generalised_dice(counts)), 6)
    0.5
    """
    return _generalised_dice(counts, images=images, classes=classes, zero_division=zero_division, weighting=weighting)


publish("omniou.segmentation", globals())
