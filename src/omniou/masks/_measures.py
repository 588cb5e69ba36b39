"""Areas of masks, and the shortcut for IoU of all pairs."""

from typing import Unpack

from omniou._catalogue.mask_calls import HARD, mask_operation, one_mask, quotient_of
from omniou._catalogue.options import declared, takes
from omniou._catalogue.pixel_options import HardOptions, SmoothOption, ThresholdOption, ZeroDivisionOption
from omniou._catalogue.pixel_score import pixel_scores
from omniou._kernels import masks as kernels
from omniou._lib.outer import Columns, Rows
from omniou._lib.types import ArrayLike, ArrayT

_INTERSECTION = mask_operation(lambda _: kernels.intersection, HARD.count, declared(HardOptions))
_AREA = one_mask(kernels.area, declared(ThresholdOption))


class IoUOptions(HardOptions, ZeroDivisionOption, SmoothOption, total=False):
    """Options of the IoU of masks."""


_OPTIONS = declared(IoUOptions)
_IOU = mask_operation(quotient_of(pixel_scores["iou"], _OPTIONS), HARD.count, _OPTIONS)


@takes(_INTERSECTION.options)
def intersection(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[HardOptions]) -> ArrayT:
    """Number of pixels that both masks cover.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers that are 0 or one other number, or floats with a `threshold`. Leading axes
        broadcast.
    **options

    Returns
    -------
    array of integers, shape (...)
        The widest integers of the library, so counts are exact: up to 2^30 pixels in JAX without 64-bit numbers,
        and beyond any image elsewhere. NaN is off. ``pairwise`` takes it.

    Raises
    ------
    TypeError, ValueError
        The same as `iou`.

    Examples
    --------
    >>> from omniou import masks
    >>> int(masks.intersection([[1, 1], [0, 0]], [[1, 0], [1, 0]]))
    1
    """
    return _INTERSECTION(options, a=a, b=b)


@takes(_AREA.options)
def area(x: ArrayT | ArrayLike, /, **options: Unpack[ThresholdOption]) -> ArrayT:
    """Number of pixels of each mask.

    Parameters
    ----------
    x : array, shape (..., height, width)
        Masks: booleans, integers that are 0 or one other number, or floats with a `threshold`.
    **options

    Returns
    -------
    array of integers, shape (...)
        The same as in `intersection`.

    Raises
    ------
    TypeError, ValueError
        The same as `iou`.

    Examples
    --------
    >>> from omniou import masks
    >>> masks.area([[[1, 1], [0, 0]], [[0, 0], [0, 0]]]).tolist()
    [2, 0]
    """
    return _AREA(options, x=x)


@takes(_OPTIONS)
def pairwise_iou(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[IoUOptions]) -> ArrayT:
    """IoU of all pairs of two sets: short for ``pairwise(masks.iou, a, b)``.

    Parameters
    ----------
    a : array, shape (..., N, height, width)
        First set.
    b : array, shape (..., M, height, width)
        Second set, of masks of the same size. Leading axes broadcast.
    **options

    Returns
    -------
    array, shape (..., N, M)
        The same as `iou`. Counts are exact for any number of pixels.

    Raises
    ------
    TypeError
        If the libraries or devices differ, or the masks are not numbers.
    ValueError
        If the shapes do not fit, or an option is out of its range.

    Examples
    --------
    >>> from omniou import masks
    >>> masks.pairwise_iou([[[1, 1], [0, 0]]], [[[1, 1], [0, 0]], [[0, 0], [1, 1]]]).tolist()
    [[1.0, 0.0]]
    """
    out: ArrayT = _IOU(options, a=Rows(a), b=Columns(b))
    return out
