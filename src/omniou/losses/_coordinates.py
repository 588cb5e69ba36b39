"""Losses of coordinates."""

from typing import Annotated, Unpack

from omniou._catalogue.options import LOSS, Option, declared, takes
from omniou._catalogue.shape_calls import coordinate_loss
from omniou._catalogue.shape_options import ReductionOptions
from omniou._kernels import losses
from omniou._lib.types import ArrayLike, ArrayT

_L1 = coordinate_loss(losses.L1, declared(ReductionOptions))


@takes(_L1.options)
def l1(pred: ArrayT, target: ArrayT | ArrayLike, /, **options: Unpack[ReductionOptions]) -> ArrayT:
    """L1 loss: the sum of the absolute differences of the coordinates.

    A mean is one over shapes, K times that over coordinates.

    Parameters
    ----------
    pred : array, shape (..., K)
        Predictions, of a floating dtype: boxes of any format, or offsets from anchors.
    target : array, shape (..., K)
        Ground truth. Leading axes broadcast.
    **options

    Returns
    -------
    array, shape (...) or ()
        At least 0, with gradient 0 where the coordinates are equal.

    Raises
    ------
    TypeError, ValueError
        The same as in `giou`.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> float(losses.l1(np.array([0.0, 0, 2, 2]), [0, 0, 1, 4]))
    3.0
    """
    return _L1(options, pred=pred, target=target)


class SmoothOptions(ReductionOptions, total=False):
    """Options of the smooth L1 loss."""

    beta: Annotated[
        float, Option(1.0, "Above 0: the difference from which on the loss is a straight line.", LOSS, above=0.0)
    ]


_SMOOTH = coordinate_loss(losses.SmoothL1, declared(SmoothOptions))


@takes(_SMOOTH.options)
def smooth_l1(pred: ArrayT, target: ArrayT | ArrayLike, /, **options: Unpack[SmoothOptions]) -> ArrayT:
    """Smooth L1 loss: d^2 / (2 beta) for differences below beta, else abs(d) - beta / 2, summed over the coordinates.

    Parameters
    ----------
    pred : array, shape (..., K)
        Predictions, of a floating dtype: boxes of any format, or offsets from anchors.
    target : array, shape (..., K)
        Ground truth. Leading axes broadcast.
    **options

    Returns
    -------
    array, shape (...) or ()
        At least 0.

    Raises
    ------
    TypeError, ValueError
        The same as in `giou`.

    References
    ----------
    Girshick, Fast R-CNN, ICCV 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> float(losses.smooth_l1(np.array([0.0, 0, 2, 2]), [0, 0, 1, 4]))
    2.0
    """
    return _SMOOTH(options, pred=pred, target=target)


class BalancedOptions(ReductionOptions, total=False):
    """Options of the balanced L1 loss."""

    alpha: Annotated[float, Option(0.5, "Above 0: how much small differences count.", LOSS, above=0.0)]
    gamma: Annotated[float, Option(1.5, "Above 0: the gradient of large differences.", LOSS, above=0.0)]
    beta: Annotated[
        float, Option(1.0, "Above 0: the difference from which on the loss is a straight line.", LOSS, above=0.0)
    ]


_BALANCED = coordinate_loss(losses.BalancedL1, declared(BalancedOptions))


@takes(_BALANCED.options)
def balanced_l1(pred: ArrayT, target: ArrayT | ArrayLike, /, **options: Unpack[BalancedOptions]) -> ArrayT:
    """Balanced L1 loss, summed over the coordinates.

    Its gradient by a difference d is alpha log(b abs(d) / beta + 1) for abs(d) < beta, else gamma, where b =
    exp(gamma / alpha) - 1 joins both.

    Parameters
    ----------
    pred : array, shape (..., K)
        Predictions, of a floating dtype: boxes of any format, or offsets from anchors.
    target : array, shape (..., K)
        Ground truth. Leading axes broadcast.
    **options

    Returns
    -------
    array, shape (...) or ()
        At least 0.

    Raises
    ------
    TypeError, ValueError
        The same as in `giou`.

    References
    ----------
    Pang et al., Libra R-CNN, CVPR 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> round(float(losses.balanced_l1(np.array([0.0, 0, 2, 2]), [0, 0, 1, 4])), 6)
    3.657187
    """
    return _BALANCED(options, pred=pred, target=target)
