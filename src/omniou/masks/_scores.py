"""Scores of the pixels that two masks share."""

from typing import Annotated, Any, Unpack

from omniou._catalogue.options import Option, declared, takes
from omniou._kernels import masks as kernels
from omniou._lib.checks import number
from omniou._lib.docs import says
from omniou._lib.outer import Columns, Rows
from omniou._lib.types import ArrayLike, ArrayT
from omniou.masks._call import THRESHOLD, MaskOptions, PixelOptions, SoftOptions, checked_threshold, one, score

_MASKS = declared(MaskOptions)


@takes(_MASKS)
def iou(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[MaskOptions]) -> ArrayT:
    """Intersection over union, mask by mask.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers of which all but 0 are on, or floats with a `threshold`. Leading axes
        broadcast.
    **options

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. Library and device follow the input; the dtype is that of masks in floating
        numbers, else the widest float of the library.

    Raises
    ------
    TypeError
        If the libraries or devices differ, or the masks are no numbers.
    ValueError
        If the shapes do not fit, or an option is out of its range.

    Notes
    -----
    ``pairwise(masks.iou, a, b)`` scores all pairs of (..., N, height, width) and (..., M, height, width).

    References
    ----------
    Jaccard, Bulletin de la Société Vaudoise des Sciences Naturelles 37, 1901.

    Examples
    --------
    >>> from omniou import masks
    >>> float(masks.iou([[1, 1], [0, 0]], [[1, 0], [1, 0]]))
    0.3333333333333333
    >>> float(masks.iou([[0.9, 0.6], [0.4, 0.1]], [[1, 0], [1, 0]], threshold=0.5))
    0.3333333333333333
    """
    return score(kernels.iou, kernels.hard, a, b, dict(options))


@takes(_MASKS)
def iof(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[MaskOptions]) -> ArrayT:
    """Intersection over the first: the share of mask `a` that lies inside `b`.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers of which all but 0 are on, or floats with a `threshold`. Leading axes
        broadcast.
    **options

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. ``pairwise`` takes it.

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    Examples
    --------
    >>> from omniou import masks
    >>> float(masks.iof([[1, 1], [0, 0]], [[1, 0], [1, 0]]))
    0.5
    """
    return score(kernels.iof, kernels.hard, a, b, dict(options))


@takes(_MASKS)
def dice(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[MaskOptions]) -> ArrayT:
    """Dice coefficient: twice the intersection over the sum of both areas.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers of which all but 0 are on, or floats with a `threshold`. Leading axes
        broadcast.
    **options

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. ``pairwise`` takes it.

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    References
    ----------
    Dice, Ecology 26, 1945. Of pixels it is the F1 score.

    Examples
    --------
    >>> from omniou import masks
    >>> float(masks.dice([[1, 1], [0, 0]], [[1, 0], [1, 0]]))
    0.5
    """
    return score(kernels.dice, kernels.hard, a, b, dict(options))


class TverskyOptions(MaskOptions, total=False):
    """Of the Tversky index."""

    alpha: Annotated[float, Option(0.5, "At least 0: weight of the pixels of `a` alone.")]
    beta: Annotated[float, Option(0.5, "At least 0: weight of the pixels of `b` alone.")]


@takes(declared(TverskyOptions))
def tversky(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[TverskyOptions]) -> ArrayT:
    """Tversky index: I / (I + alpha * (pixels of `a` alone) + beta * (pixels of `b` alone)).

    With `a` predicted, `alpha` weighs false positives and `beta` false negatives. 0.5 and 0.5 give Dice, 1 and 1 IoU.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers of which all but 0 are on, or floats with a `threshold`. Leading axes
        broadcast.
    **options

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. ``pairwise`` takes it.

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    References
    ----------
    Tversky, Psychological Review 84, 1977.

    Examples
    --------
    >>> from omniou import masks
    >>> float(masks.tversky([[1, 1], [1, 0]], [[1, 0], [0, 0]], alpha=0.25, beta=0.75))
    0.6666666666666666
    """
    given: dict[str, Any] = dict(options)
    weights = (number(name, given.pop(name), least=0.0) for name in ("alpha", "beta"))
    return score(kernels.Tversky(*weights), kernels.hard, a, b, given)


@takes(declared(PixelOptions))
def intersection(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[PixelOptions]) -> ArrayT:
    """Number of pixels that both masks cover.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers of which all but 0 are on, or floats with a `threshold`. Leading axes
        broadcast.
    **options

    Returns
    -------
    array of integers, shape (...)
        The widest integers of the library, so that counts are exact: up to 2^30 pixels in JAX without 64-bit numbers,
        and beyond any image elsewhere. NaN is off. ``pairwise`` takes it.

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    Examples
    --------
    >>> from omniou import masks
    >>> int(masks.intersection([[1, 1], [0, 0]], [[1, 0], [1, 0]]))
    1
    """
    return score(kernels.intersection, kernels.hard, a, b, dict(options))


@says(threshold=THRESHOLD)
def area(x: ArrayT | ArrayLike, /, *, threshold: float | None = None) -> ArrayT:
    """Number of pixels of each mask.

    Parameters
    ----------
    x : array, shape (..., height, width)
        Masks: booleans, integers of which all but 0 are on, or floats.
    threshold : float, optional
        {threshold}

    Returns
    -------
    array of integers, shape (...)
        As of `intersection`.

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    Examples
    --------
    >>> from omniou import masks
    >>> masks.area([[[1, 1], [0, 0]], [[0, 0], [0, 0]]]).tolist()
    [2, 0]
    """
    return one(kernels.area, x, threshold=checked_threshold(threshold))


_SOFT = declared(SoftOptions)


@takes(_SOFT)
def soft_iou(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[SoftOptions]) -> ArrayT:
    """IoU of probabilities: the sum of p q over that of p + q - p q.

    Of pixels that are 0 or 1 it is the IoU. It has a gradient; `omniou.losses.masks` has the loss.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Probabilities in [0, 1], booleans included. Values are not looked at: see `check`.
    **options

    Returns
    -------
    array, shape (...)
        As of `iou`. ``pairwise`` takes it.

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    Examples
    --------
    >>> from omniou import masks
    >>> round(float(masks.soft_iou([[0.5, 1.0]], [[1, 1]])), 6)
    0.75
    """
    return score(kernels.iou, kernels.Soft(squared=False), a, b, dict(options))


class SoftDiceOptions(SoftOptions, total=False):
    """Of Dice of probabilities."""

    squared: Annotated[
        bool,
        Option(
            default=False,
            text="Whether the denominator is the sum of p^2 + q^2, as in V-Net (Milletari et al., 3DV 2016): then "
            "equal masks score 1, whatever their probabilities.",
        ),
    ]


@takes(declared(SoftDiceOptions))
def soft_dice(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[SoftDiceOptions]) -> ArrayT:
    """Dice coefficient of probabilities: twice the sum of p q over that of p + q.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Probabilities in [0, 1], booleans included. Values are not looked at: see `check`.
    **options

    Returns
    -------
    array, shape (...)
        As of `iou`. ``pairwise`` takes it.

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    Examples
    --------
    >>> from omniou import masks
    >>> round(float(masks.soft_dice([[0.5, 1.0]], [[1, 1]])), 6)
    0.857143
    """
    given: dict[str, Any] = dict(options)
    return score(kernels.dice, kernels.Soft(bool(given.pop("squared"))), a, b, given)


@takes(_MASKS)
def pairwise_iou(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[MaskOptions]) -> ArrayT:
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
        As of `iou`. Counts are exact for any number of pixels.

    Raises
    ------
    TypeError
        If the libraries or devices differ, or the masks are no numbers.
    ValueError
        If the shapes do not fit, or an option is out of its range.

    Examples
    --------
    >>> from omniou import masks
    >>> masks.pairwise_iou([[[1, 1], [0, 0]]], [[[1, 1], [0, 0]], [[0, 0], [1, 1]]]).tolist()
    [[1.0, 0.0]]
    """
    out: ArrayT = score(kernels.iou, kernels.hard, Rows(a), Columns(b), dict(options))
    return out
