"""Losses of coordinates, and the running mean of Wise-IoU."""

import functools
from collections.abc import Callable
from typing import Annotated, Any, Unpack

from omniou._catalogue import calls
from omniou._catalogue.options import Option, ReductionOptions, declared, takes
from omniou._kernels import coordinates
from omniou._lib.arrays import namespace_of
from omniou._lib.checks import above
from omniou._lib.types import ArrayLike, ArrayT

_REDUCED = declared(ReductionOptions)


@takes(_REDUCED)
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
        As of `giou`.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> float(losses.l1(np.array([0.0, 0, 2, 2]), [0, 0, 1, 4]))
    3.0
    """
    return calls.coordinate_loss(coordinates.L1(), pred, target, dict(options))


class SmoothOptions(ReductionOptions, total=False):
    """Of the smooth L1 loss."""

    beta: Annotated[float, Option(1.0, "Above 0: the difference from which on the loss is a straight line.")]


@takes(declared(SmoothOptions))
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
        As of `giou`.

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
    beta = above("beta", options.pop("beta", 1.0), 0.0)
    return calls.coordinate_loss(coordinates.SmoothL1(beta), pred, target, dict(options))


class BalancedOptions(ReductionOptions, total=False):
    """Of the balanced L1 loss."""

    alpha: Annotated[float, Option(0.5, "Above 0: how much small differences count.")]
    gamma: Annotated[float, Option(1.5, "Above 0: the gradient of large differences.")]
    beta: Annotated[float, Option(1.0, "Above 0: the difference from which on the loss is a straight line.")]


@takes(declared(BalancedOptions))
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
        As of `giou`.

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
    alpha = above("alpha", options.pop("alpha", 0.5), 0.0)
    gamma = above("gamma", options.pop("gamma", 1.5), 0.0)
    beta = above("beta", options.pop("beta", 1.0), 0.0)
    return calls.coordinate_loss(coordinates.BalancedL1(alpha, gamma, beta), pred, target, dict(options))


def running_mean(
    mean: ArrayT | float,
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    momentum: float = 0.01,
    where: Any = None,
    add: Callable[[Any], Any] | None = None,
    iou_loss: Callable[..., Any] | None = None,
    **options: Any,
) -> ArrayT:
    """The running mean of 1 - IoU, for versions 2 and 3 of `wiou`, after one batch more.

    The mean is state of the caller's, an array of shape (): it goes through `jit` and `scan`, lies in a checkpoint or a
    buffer of a module, and starts at 1.

    Parameters
    ----------
    mean : array, shape (), or float
        So far.
    pred, target : array, shape (..., K)
        The boxes of the batch. No gradient is needed: in torch pass ``pred.detach()``.
    momentum : float
        In (0, 1]: the share of the batch in the new mean. The paper has 1 - 0.05^(1 / steps), steps being the batches
        until the focus sharpens.
    where : array of booleans, optional
        Which pairs count. A batch without pairs leaves the mean as it is.
    add : callable, optional
        Function of an array of shape (2,), the batch's sum and count, to that of all processes, so that each has the
        same mean: ``lambda x: jax.lax.psum(x, "data")``, or one that calls ``torch.distributed.all_reduce(x)`` and
        returns x.
    iou_loss : callable, optional
        Default: `losses.iou`; for rotated rectangles `losses.rotated.iou`.
    **options
        Of it, such as `format`.

    Returns
    -------
    array, shape ()

    Raises
    ------
    ValueError
        If `momentum` lies outside (0, 1], or the boxes do not fit.

    References
    ----------
    Tong et al., Wise-IoU, 2023.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> pred, target = np.array([[0.0, 0, 2, 2]]), np.array([[0.0, 0, 2, 1]])
    >>> mean = losses.running_mean(1.0, pred, target, momentum=0.1)
    >>> round(float(mean), 6)
    0.95
    >>> round(float(losses.wiou(pred, target, version=3, running_mean=mean)[0]), 6)
    0.442808
    """
    if not 0.0 < above("momentum", momentum, 0.0) <= 1.0:
        msg = f"`momentum` must lie in (0, 1], got {momentum!r}"
        raise ValueError(msg)
    from omniou import losses

    if iou_loss is None:
        iou_loss = functools.partial(losses.iou, inverted="empty")
    each = iou_loss(pred, target, where=where, **options)
    xp = namespace_of("pred", each)
    counted = xp.ones_like(each) if where is None else xp.astype(xp.broadcast_to(where, each.shape), each.dtype)
    both = xp.stack([xp.sum(each), xp.sum(counted)])
    if add is not None:
        both = add(both)
    total, count = both[0], both[1]
    batch = total / xp.where(count > 0, count, xp.ones_like(count))
    before: Any = mean
    new = (1.0 - momentum) * before + momentum * batch
    out: ArrayT = xp.where(count > 0, new, xp.zeros_like(new) + before)
    return out
