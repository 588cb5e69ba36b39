"""The running mean of Wise-IoU."""

import functools
from collections.abc import Callable
from typing import Any

from omniou._lib import checks
from omniou._lib.arrays import BESIDE, BOOLEANS, arrays_of, cast, namespace_of
from omniou._lib.types import ArrayLike, ArrayT
from omniou.losses._get import BY_NAME


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
    """Compute the running mean of 1 - IoU after another batch, for versions 2 and 3 of `wiou`.

    The mean is state of the caller's, an array of shape (): it goes through `jit` and `scan`, lies in a checkpoint or a
    buffer of a module, and starts at 1.

    Parameters
    ----------
    mean : array, shape (), or float
        So far: float32, since in 16 bits it would stop where a step is less than a rounding.
    pred, target : array, shape (..., K)
        The boxes of the batch. No gradient is needed: in torch pass ``pred.detach()``.
    momentum : float
        In (0, 1]: the share of the batch in the new mean. The paper has 1 - 0.05^(1 / steps), steps being the batches
        until the focus sharpens.
    where : array of booleans, optional
        Which pairs count. A batch without pairs leaves the mean as it is.
    add : callable, optional
        Function of an array of shape (2,), the batch's sum and count, to that of all processes, so each has the
        same mean: ``lambda x: jax.lax.psum(x, "data")``, or one that calls ``torch.distributed.all_reduce(x)`` and
        returns x.
    iou_loss : callable, optional
        Default: `losses.iou`; for rotated rectangles `losses.rotated.iou`.
    **options
        Options of the loss, such as `format`.

    Returns
    -------
    array, shape ()
        float32, or float64 where the losses are.

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
    momentum = checks.number("momentum", momentum)
    if not 0.0 < momentum <= 1.0:
        raise ValueError(f"`momentum` must lie in (0, 1], got {momentum!r}")
    for name, given in (("iou_loss", iou_loss), ("add", add)):
        if given is not None:
            checks.scoring(name, given)
    if not hasattr(mean, "dtype"):
        mean = checks.number("mean", mean)
    if iou_loss is None:
        iou_loss = functools.partial(BY_NAME["iou"], inverted="empty")
    each = iou_loss(pred, target, where=where, **options)
    xp = namespace_of("pred", each)
    each = cast(each, xp.float32 if xp.finfo(each.dtype).bits < 32 else each.dtype, xp=xp)
    operands = {"where": BOOLEANS, "mean": BESIDE}
    (_, kept, before), _ = arrays_of(operands, pred=each, where=where, mean=mean)
    counted = xp.ones_like(each) if kept is None else xp.astype(xp.broadcast_to(kept, each.shape), each.dtype)
    both = xp.stack([xp.sum(each), xp.sum(counted)])
    if add is not None:
        both = add(both)
    total, count = both[0], both[1]
    batch = total / xp.where(count > 0, count, xp.ones_like(count))
    before = cast(before, each.dtype, xp=xp)
    new = (1.0 - momentum) * before + momentum * batch
    out: ArrayT = xp.where(count > 0, new, xp.zeros_like(new) + before)
    return out
