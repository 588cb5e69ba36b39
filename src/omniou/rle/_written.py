# Written by `python -m omniou._catalogue.write` from the declarations; do not edit.
"""The functions of `omniou.rle` that follow from declarations."""

from __future__ import annotations  # so that `help` shows the names of types

from typing import Any

from omniou._catalogue.calls import publish
from omniou.rle import _scores
from omniou.rle._table import Masks

__all__: list[str] = [
    "iou",
    "iof",
    "iomin",
    "dice",
    "tversky",
    "precision",
    "recall",
    "accuracy",
    "volumetric_similarity",
    "pairwise_iou",
]

_iou = _scores.score("iou")


def iou(
    a: Masks,
    b: Masks,
    /,
    *,
    crowd: Any = None,
    zero_division: float = 0.0,
) -> Any:
    """Intersection over union (Jaccard index), of run lengths, row by row.

    Equal to pycocotools to the last bit.

    Parameters
    ----------
    a, b : Masks
        Tables of one length; both masks of a row are of one image size.
    crowd : optional
        Booleans (N,): rows of `b` that are regions of many objects. For these, the share of the mask of `a`
        that is inside.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.

    Returns
    -------
    array of float64, shape (N,)
        In [0, 1]. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If `a` or `b` is not a table.
    ValueError
        If lengths or sizes differ.

    References
    ----------
    Jaccard, Bulletin de la Société Vaudoise des Sciences Naturelles 37, 1901; as a loss Rahman and Wang, ISVC 2016; of
    segmentation Everingham et al., IJCV 2015.

    Examples
    --------
    >>> from omniou import rle
    >>> a = rle.Masks.from_coco([{"size": [2, 2], "counts": [0, 3, 1]}])
    >>> b = rle.Masks.from_coco([{"size": [2, 2], "counts": [0, 1, 3]}])
    >>> rle.iou(a, b).round(6).tolist()
    [0.333333]
    """
    return _iou(a, b, crowd=crowd, zero_division=zero_division)


_iof = _scores.score("iof")


def iof(
    a: Masks,
    b: Masks,
    /,
    *,
    zero_division: float = 0.0,
) -> Any:
    """Intersection over the area of the first mask, the prediction: its share inside the second, of run lengths, row by row.

    Parameters
    ----------
    a, b : Masks
        Tables of one length; both masks of a row are of one image size.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.

    Returns
    -------
    array of float64, shape (N,)
        In [0, 1]. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If `a` or `b` is not a table.
    ValueError
        If lengths or sizes differ.

    References
    ----------
    COCO uses it for the overlap of a detection with a crowd.

    Examples
    --------
    >>> from omniou import rle
    >>> a = rle.Masks.from_coco([{"size": [2, 2], "counts": [0, 3, 1]}])
    >>> b = rle.Masks.from_coco([{"size": [2, 2], "counts": [0, 1, 3]}])
    >>> rle.iof(a, b).round(6).tolist()
    [0.333333]
    """
    return _iof(a, b, zero_division=zero_division)


_iomin = _scores.score("iomin")


def iomin(
    a: Masks,
    b: Masks,
    /,
    *,
    zero_division: float = 0.0,
) -> Any:
    """Intersection over the smaller one (overlap coefficient), of run lengths, row by row.

    Parameters
    ----------
    a, b : Masks
        Tables of one length; both masks of a row are of one image size.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.

    Returns
    -------
    array of float64, shape (N,)
        In [0, 1]. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If `a` or `b` is not a table.
    ValueError
        If lengths or sizes differ.

    References
    ----------
    Szymkiewicz, 1934; Simpson, American Journal of Science 241, 1943.

    Examples
    --------
    >>> from omniou import rle
    >>> a = rle.Masks.from_coco([{"size": [2, 2], "counts": [0, 3, 1]}])
    >>> b = rle.Masks.from_coco([{"size": [2, 2], "counts": [0, 1, 3]}])
    >>> rle.iomin(a, b).round(6).tolist()
    [1.0]
    """
    return _iomin(a, b, zero_division=zero_division)


_dice = _scores.score("dice")


def dice(
    a: Masks,
    b: Masks,
    /,
    *,
    zero_division: float = 0.0,
) -> Any:
    """Dice coefficient (F1 of pixels): twice the intersection over the sum of both, of run lengths, row by row.

    Parameters
    ----------
    a, b : Masks
        Tables of one length; both masks of a row are of one image size.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.

    Returns
    -------
    array of float64, shape (N,)
        In [0, 1]. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If `a` or `b` is not a table.
    ValueError
        If lengths or sizes differ.

    References
    ----------
    Dice, Ecology 26, 1945; as a loss Milletari et al., V-Net, 3DV 2016, with squares, and Drozdzal et al., DLMIA 2016,
    without.

    Examples
    --------
    >>> from omniou import rle
    >>> a = rle.Masks.from_coco([{"size": [2, 2], "counts": [0, 3, 1]}])
    >>> b = rle.Masks.from_coco([{"size": [2, 2], "counts": [0, 1, 3]}])
    >>> rle.dice(a, b).round(6).tolist()
    [0.5]
    """
    return _dice(a, b, zero_division=zero_division)


_tversky = _scores.score("tversky")


def tversky(
    a: Masks,
    b: Masks,
    /,
    *,
    zero_division: float = 0.0,
    alpha: float = 0.5,
    beta: float = 0.5,
) -> Any:
    """Tversky index: I / (I + alpha FP + beta FN), of run lengths, row by row.

    I is the intersection, FP and FN are false positives and false negatives. Weights of 0.5 and 0.5 give Dice, of 1 and
    1 IoU.

    Parameters
    ----------
    a, b : Masks
        Tables of one length; both masks of a row are of one image size.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.
    alpha : float
        Weight of false positives: pixels of the prediction only.
    beta : float
        Weight of false negatives: pixels of the ground truth only.

    Returns
    -------
    array of float64, shape (N,)
        In [0, 1]. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If `a` or `b` is not a table.
    ValueError
        If lengths or sizes differ.

    References
    ----------
    Tversky, Psychological Review 84, 1977; as a loss, with 0.3 and 0.7, Salehi et al., MLMI 2017.

    Examples
    --------
    >>> from omniou import rle
    >>> a = rle.Masks.from_coco([{"size": [2, 2], "counts": [0, 3, 1]}])
    >>> b = rle.Masks.from_coco([{"size": [2, 2], "counts": [0, 1, 3]}])
    >>> rle.tversky(a, b).round(6).tolist()
    [0.5]
    """
    return _tversky(a, b, zero_division=zero_division, alpha=alpha, beta=beta)


_precision = _scores.score("precision")


def precision(
    a: Masks,
    b: Masks,
    /,
    *,
    zero_division: float = 0.0,
) -> Any:
    """Precision: share of the predicted pixels that are in the target, of run lengths, row by row.

    Parameters
    ----------
    a, b : Masks
        Tables of one length; both masks of a row are of one image size.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.

    Returns
    -------
    array of float64, shape (N,)
        In [0, 1]. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If `a` or `b` is not a table.
    ValueError
        If lengths or sizes differ.

    References
    ----------
    Kent et al., American Documentation 6, 1955.

    Examples
    --------
    >>> from omniou import rle
    >>> a = rle.Masks.from_coco([{"size": [2, 2], "counts": [0, 3, 1]}])
    >>> b = rle.Masks.from_coco([{"size": [2, 2], "counts": [0, 1, 3]}])
    >>> rle.precision(a, b).round(6).tolist()
    [0.333333]
    """
    return _precision(a, b, zero_division=zero_division)


_recall = _scores.score("recall")


def recall(
    a: Masks,
    b: Masks,
    /,
    *,
    zero_division: float = 0.0,
) -> Any:
    """Recall (sensitivity): share of the pixels of the target that are predicted, of run lengths, row by row.

    Parameters
    ----------
    a, b : Masks
        Tables of one length; both masks of a row are of one image size.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.

    Returns
    -------
    array of float64, shape (N,)
        In [0, 1]. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If `a` or `b` is not a table.
    ValueError
        If lengths or sizes differ.

    References
    ----------
    Kent et al., American Documentation 6, 1955.

    Examples
    --------
    >>> from omniou import rle
    >>> a = rle.Masks.from_coco([{"size": [2, 2], "counts": [0, 3, 1]}])
    >>> b = rle.Masks.from_coco([{"size": [2, 2], "counts": [0, 1, 3]}])
    >>> rle.recall(a, b).round(6).tolist()
    [1.0]
    """
    return _recall(a, b, zero_division=zero_division)


_accuracy = _scores.score("accuracy")


def accuracy(
    a: Masks,
    b: Masks,
    /,
    *,
    zero_division: float = 0.0,
) -> Any:
    """Accuracy: share of all pixels on which both masks agree, on or off, of run lengths, row by row.

    Parameters
    ----------
    a, b : Masks
        Tables of one length; both masks of a row are of one image size.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.

    Returns
    -------
    array of float64, shape (N,)
        In [0, 1]. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If `a` or `b` is not a table.
    ValueError
        If lengths or sizes differ.

    References
    ----------
    Long et al., Fully convolutional networks for semantic segmentation, CVPR 2015.

    Examples
    --------
    >>> from omniou import rle
    >>> a = rle.Masks.from_coco([{"size": [2, 2], "counts": [0, 3, 1]}])
    >>> b = rle.Masks.from_coco([{"size": [2, 2], "counts": [0, 1, 3]}])
    >>> rle.accuracy(a, b).round(6).tolist()
    [0.5]
    """
    return _accuracy(a, b, zero_division=zero_division)


_volumetric_similarity = _scores.score("volumetric_similarity")


def volumetric_similarity(
    a: Masks,
    b: Masks,
    /,
    *,
    zero_division: float = 0.0,
) -> Any:
    """Volumetric similarity: 1 minus the difference of both sizes over their sum, of run lengths, row by row.

    It compares only sizes, not positions: an upper bound of Dice.

    Parameters
    ----------
    a, b : Masks
        Tables of one length; both masks of a row are of one image size.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.

    Returns
    -------
    array of float64, shape (N,)
        In [0, 1]. ``pairwise`` takes the function.

    Raises
    ------
    TypeError
        If `a` or `b` is not a table.
    ValueError
        If lengths or sizes differ.

    References
    ----------
    Taha and Hanbury, Metrics for evaluating 3D medical image segmentation, BMC Medical Imaging 15, 2015.

    Examples
    --------
    >>> from omniou import rle
    >>> a = rle.Masks.from_coco([{"size": [2, 2], "counts": [0, 3, 1]}])
    >>> b = rle.Masks.from_coco([{"size": [2, 2], "counts": [0, 1, 3]}])
    >>> rle.volumetric_similarity(a, b).round(6).tolist()
    [0.5]
    """
    return _volumetric_similarity(a, b, zero_division=zero_division)


_pairwise_iou = _scores.pairwise_iou()


def pairwise_iou(
    a: Masks,
    b: Masks,
    /,
    *,
    crowd: Any = None,
    zero_division: float = 0.0,
) -> Any:
    """IoU of all pairs of two tables: short for ``pairwise(rle.iou, a, b)``.

    Parameters
    ----------
    a, b : Masks
        All of one image size.
    crowd : optional
        Booleans (N,): rows of `b` that are regions of many objects. For these, the share of the mask of `a`
        that is inside.
    zero_division : float
        Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and
        smp. NaN means no data, and means exclude it.

    Returns
    -------
    array of float64, shape (N, M)

    Raises
    ------
    ValueError
        If sizes differ.

    Examples
    --------
    >>> from omniou import rle
    >>> masks = rle.Masks.from_coco([{"size": [2, 2], "counts": [0, 3, 1]}, {"size": [2, 2], "counts": [2, 2]}])
    >>> rle.pairwise_iou(masks, masks).tolist()
    [[1.0, 0.25], [0.25, 1.0]]
    """
    return _pairwise_iou(a, b, crowd=crowd, zero_division=zero_division)


publish("omniou.rle", globals())
