"""Losses of masks, for semantic segmentation, whatever library takes the gradient.

Predictions have the shape (B, C, height, width), images and classes first, or further axes of pixels; binary masks have
one class. ``activation`` says what they are: probabilities ("none"), or logits of independent ("sigmoid") or exclusive
("softmax") classes. The target has labels (B, height, width), integers, those of one class being 0 and 1; or a mask of
each class (B, C, height, width), booleans or numbers in [0, 1].

Values are those of `omniou.masks.soft_iou` and `soft_dice`; gradients are finite for empty and perfect masks as well.
"""

from typing import Annotated, Any, Literal, Unpack

from omniou._catalogue.options import Option, declared, takes
from omniou._kernels import mask_losses as kernels
from omniou._lib import checks
from omniou._lib.types import ArrayLike, ArrayT
from omniou.losses._mask_call import ClassOptions, MaskLossOptions, of_classes
from omniou.losses._pixels import boundary, check, lovasz_hinge, lovasz_softmax

__all__ = [
    "boundary",
    "check",
    "dice",
    "focal_tversky",
    "generalised_dice",
    "jaccard",
    "lovasz_hinge",
    "lovasz_softmax",
    "tversky",
]


def _smooth(given: dict[str, Any]) -> float:
    return checks.number("smooth", given.pop("smooth"), least=0.0)


@takes(declared(MaskLossOptions))
def jaccard(pred: ArrayT, target: ArrayT | ArrayLike, /, **options: Unpack[MaskLossOptions]) -> ArrayT:
    """Jaccard loss: 1 - IoU of probabilities.

    Parameters
    ----------
    pred : array, shape (B, C, ...)
        Predictions, of a floating dtype.
    target : array, shape (B, ...) or (B, C, ...)
        Labels, or a mask of each class.
    **options

    Returns
    -------
    array, shape (), (B, C) or (C,)
        In [0, 1] before weights. Library, device and dtype follow `pred`.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, labels are no integers, `where` holds no booleans, or the arrays come from two
        libraries.
    ValueError
        If shapes do not fit or an option is unknown.

    References
    ----------
    Rahman and Wang, Optimizing intersection-over-union in deep neural networks, ISVC 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> probabilities = np.array([[[[0.5, 0.0], [1.0, 1.0]]]])
    >>> float(losses.masks.jaccard(probabilities, [[[0, 0], [1, 1]]]))  # 1 - 2 / 2.5
    0.19999999999999996
    """
    given: dict[str, Any] = dict(options)
    return of_classes(kernels.Jaccard(_smooth(given)), pred, target, given)


class DiceOptions(MaskLossOptions, total=False):
    """Of the Dice loss."""

    squared: Annotated[bool, Option(default=False, text="Whether the denominator is sum(p^2 + t^2), as in V-Net.")]


@takes(declared(DiceOptions))
def dice(pred: ArrayT, target: ArrayT | ArrayLike, /, **options: Unpack[DiceOptions]) -> ArrayT:
    """Dice loss: 1 - 2 sum(p t) / sum(p + t).

    Parameters
    ----------
    pred : array, shape (B, C, ...)
        Predictions, of a floating dtype.
    target : array, shape (B, ...) or (B, C, ...)
        Labels, or a mask of each class.
    **options

    Returns
    -------
    array, shape (), (B, C) or (C,)
        In [0, 1] before weights.

    Raises
    ------
    TypeError, ValueError
        As of `jaccard`.

    References
    ----------
    Milletari et al., V-Net, 3DV 2016; Drozdzal et al., DLMIA 2016, without squares.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> probabilities = np.array([[[[0.5, 0.5], [1.0, 1.0]]]])
    >>> float(losses.masks.dice(probabilities, [[[0, 0], [1, 1]]]))  # 1 - 4 / 5
    0.19999999999999996
    """
    given: dict[str, Any] = dict(options)
    return of_classes(kernels.Dice(_smooth(given), bool(given.pop("squared"))), pred, target, given)


class GeneralisedOptions(ClassOptions, total=False):
    """Of the generalised Dice loss."""

    weighting: Annotated[
        Literal["square", "simple", "uniform"],
        Option(
            "square",
            "Weights are the inverse squared area, the inverse area, or equal, times `class_weight`. Absent classes "
            "get the largest weight.",
        ),
    ]
    smooth: Annotated[
        float,
        Option(0.0, "Added to numerator and denominator, in pixels of the class of largest weight, which is 1."),
    ]


@takes(declared(GeneralisedOptions))
def generalised_dice(pred: ArrayT, target: ArrayT | ArrayLike, /, **options: Unpack[GeneralisedOptions]) -> ArrayT:
    """Generalised Dice loss: one Dice of all classes, each weighted by the inverse of its area.

    Parameters
    ----------
    pred : array, shape (B, C, ...)
        Predictions, of a floating dtype.
    target : array, shape (B, ...) or (B, C, ...)
        Labels, or a mask of each class.
    **options

    Returns
    -------
    array, shape (), or (B,) without reduction per image
        In [0, 1].

    Raises
    ------
    TypeError, ValueError
        As of `jaccard`.

    References
    ----------
    Sudre et al., Generalised Dice overlap as a deep learning loss function, DLMIA 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> background = np.array([[1.0, 1.0, 1.0, 0.0]])
    >>> pred = np.stack([background, 1 - background])[None]
    >>> round(float(losses.masks.generalised_dice(pred, [[[0, 0, 0, 1]]])), 6)
    0.0
    """
    given: dict[str, Any] = dict(options)
    weighting = given.pop("weighting")
    checks.choice("weighting", weighting, _POWERS)
    return of_classes(kernels.GeneralisedDice(_smooth(given), _POWERS[weighting]), pred, target, given)


_POWERS = {"square": 2.0, "simple": 1.0, "uniform": 0.0}


class TverskyOptions(MaskLossOptions, total=False):
    """Of the Tversky loss."""

    alpha: Annotated[float, Option(0.5, "At least 0: weight of false positives.")]
    beta: Annotated[float, Option(0.5, "At least 0: weight of false negatives.")]


def _tversky(pred: Any, target: Any, given: dict[str, Any], gamma: float) -> Any:
    alpha, beta = (checks.number(name, given.pop(name), least=0.0) for name in ("alpha", "beta"))
    return of_classes(kernels.Tversky(_smooth(given), alpha, beta, gamma), pred, target, given)


@takes(declared(TverskyOptions))
def tversky(pred: ArrayT, target: ArrayT | ArrayLike, /, **options: Unpack[TverskyOptions]) -> ArrayT:
    """Tversky loss: 1 - I / (I + alpha FP + beta FN) of probabilities.

    FP is sum(p (1 - t)), FN is sum((1 - p) t). Weights of 0.5 and 0.5 give the Dice loss, of 1 and 1 the Jaccard loss;
    the paper has 0.3 and 0.7.

    Parameters
    ----------
    pred : array, shape (B, C, ...)
        Predictions, of a floating dtype.
    target : array, shape (B, ...) or (B, C, ...)
        Labels, or a mask of each class.
    **options

    Returns
    -------
    array, shape (), (B, C) or (C,)
        In [0, 1] before weights.

    Raises
    ------
    TypeError, ValueError
        As of `jaccard`.

    References
    ----------
    Salehi et al., Tversky loss function for image segmentation using 3D fully convolutional deep networks, MLMI 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> pred = np.array([[[[1.0, 1.0, 0.0, 0.0]]]])
    >>> float(losses.masks.tversky(pred, [[[0, 1, 1, 1]]], alpha=0.0, beta=1.0))  # 1 - 1 / 3
    0.6666666666666667
    """
    return _tversky(pred, target, dict(options), 1.0)


class FocalOptions(MaskLossOptions, total=False):
    """Of the focal Tversky loss."""

    alpha: Annotated[float, Option(0.3, "At least 0: weight of false positives.")]
    beta: Annotated[float, Option(0.7, "At least 0: weight of false negatives.")]
    gamma: Annotated[
        float,
        Option(
            4 / 3,
            "Above 0: the loss is taken to the power 1 / gamma. 4 / 3 in the paper makes hard classes count more near "
            "the end of a training.",
        ),
    ]


@takes(declared(FocalOptions))
def focal_tversky(pred: ArrayT, target: ArrayT | ArrayLike, /, **options: Unpack[FocalOptions]) -> ArrayT:
    """Focal Tversky loss: the Tversky loss of each class to the power 1 / gamma.

    The weights are those of the paper, whose own alpha weighs false negatives.

    Parameters
    ----------
    pred : array, shape (B, C, ...)
        Predictions, of a floating dtype.
    target : array, shape (B, ...) or (B, C, ...)
        Labels, or a mask of each class.
    **options

    Returns
    -------
    array, shape (), (B, C) or (C,)
        In [0, 1] before weights; gradient 0 where the loss is 0.

    Raises
    ------
    TypeError, ValueError
        As of `jaccard`.

    References
    ----------
    Abraham and Khan, A novel focal Tversky loss function with improved attention U-Net, ISBI 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> pred = np.array([[[[1.0, 1.0, 0.0, 0.0]]]])
    >>> float(losses.masks.focal_tversky(pred, [[[0, 1, 1, 1]]], alpha=1.0, beta=1.0, gamma=2))  # (3 / 4)^(1 / 2)
    0.8660254037844386
    """
    given: dict[str, Any] = dict(options)
    return _tversky(pred, target, given, checks.above("gamma", given.pop("gamma"), 0.0))
