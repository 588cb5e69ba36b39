"""Scores of all classes together, from confusion counts."""

from typing import Any, Unpack

from omniou._catalogue.class_calls import class_operation
from omniou._catalogue.options import declared, takes
from omniou._catalogue.pixel_options import ImageOptions, ZeroDivisionOption
from omniou._catalogue.pixel_score import pixel_scores
from omniou._lib.split_counts import SplitCounts
from omniou._lib.types import ArrayLike, ArrayT


class PooledOptions(ImageOptions, ZeroDivisionOption, total=False):
    """Options of scores of all classes together."""


_OPTIONS = declared(PooledOptions)
_ACCURACY = class_operation(pixel_scores["recall"], _OPTIONS, average="micro")
_WEIGHTED_IOU = class_operation(pixel_scores["iou"], _OPTIONS, average="weighted")


@takes(_OPTIONS)
def accuracy(counts: ArrayT | ArrayLike | SplitCounts, /, **options: Unpack[PooledOptions]) -> ArrayT:
    """Compute the share of pixels that were predicted right (mmsegmentation's aAcc), from confusion counts.

    For the accuracy of each class see `recall`.

    Parameters
    ----------
    counts : array, shape (..., C, C) or (..., C, C + 1); or a `SplitCounts`
        From `confusion`. Leading axes count images.
    **options

    Returns
    -------
    array, shape (...) or ()
        In [0, 1]; NaN where no pixel counted.

    Raises
    ------
    TypeError, ValueError
        The same as `iou`.

    Examples
    --------
    >>> from omniou import segmentation
    >>> float(segmentation.accuracy([[3, 1], [0, 4]]))
    0.875
    """
    out: Any = _ACCURACY(options, counts=counts)
    return out


@takes(_OPTIONS)
def frequency_weighted_iou(counts: ArrayT | ArrayLike | SplitCounts, /, **options: Unpack[PooledOptions]) -> ArrayT:
    """Mean IoU of classes, weighted by their pixels in the target (fwIoU), from confusion counts.

    It is `iou` with ``average="weighted"``.

    Parameters
    ----------
    counts : array, shape (..., C, C) or (..., C, C + 1); or a `SplitCounts`
        From `confusion`. Leading axes count images.
    **options

    Returns
    -------
    array, shape (...) or ()
        In [0, 1]; NaN where no pixel counted.

    Raises
    ------
    TypeError, ValueError
        The same as `iou`.

    References
    ----------
    Long et al., Fully convolutional networks for semantic segmentation, CVPR 2015.

    Examples
    --------
    >>> from omniou import segmentation
    >>> float(segmentation.frequency_weighted_iou([[3, 1], [0, 4]]))
    0.775
    """
    out: Any = _WEIGHTED_IOU(options, counts=counts)
    return out
