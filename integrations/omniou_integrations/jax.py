"""Losses and metrics of boxes. Losses are in optax's manner: pure functions, options by keyword. Metrics are pytrees.

They take and give JAX arrays, work under `jit`, `grad`, `vmap`, `scan` and `shard_map`, and have finite values
and gradients for boxes that are empty, inverted, identical or apart. Options that are no arrays (`format`,
`reduction`, `axis`, ...) are static: under `jit` they must be Python values.

Padding is left out with ``where``, whatever it holds, NaN included; so batches keep their shape and nothing is compiled
again:

>>> import jax, jax.numpy as jnp, optax
>>> from omniou_integrations.jax import giou_loss
>>> pred = jnp.asarray([[0.0, 0.0, 1.0, 1.0], [jnp.nan, jnp.nan, jnp.nan, jnp.nan]])
>>> target = jnp.asarray([[1.0, 1.0, 2.0, 2.0], [0.0, 0.0, 0.0, 0.0]])
>>> def loss(pred, target, where):
...     return giou_loss(pred, target, where=where, reduction="mean")
>>> value, gradient = jax.jit(jax.value_and_grad(loss))(pred, target, jnp.asarray([True, False]))
>>> float(value), gradient[1].tolist()
(1.5, [0.0, 0.0, 0.0, 0.0])

Where a batch lies on several devices, the mean of the means of its shards is not its mean. Under `jit` alone there is
nothing to do; inside `shard_map` take `mean` with the name of the mesh axis, as its example shows.
"""

from collections.abc import Callable
from typing import Any

import jax
from jax.typing import ArrayLike

from omniou import losses
from omniou._lib.formats import BoxFormat
from omniou.losses import Reduction
from omniou_integrations._jax_detection import DetectionAP
from omniou_integrations._jax_metrics import BoxScore
from omniou_integrations._jax_sums import Axis, array, mean, sum_and_count

__all__ = [
    "BoxScore",
    "DetectionAP",
    "ciou_loss",
    "diou_loss",
    "giou_loss",
    "iou_loss",
    "mean",
    "sum_and_count",
]


def iou_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    where: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    axis: Axis = None,
    reduction: Reduction = "none",
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    eps: float = 0.0,
    image_size: Any = None,
    log: bool = False,
    floor: float = 1e-6,
) -> jax.Array:
    """IoU loss: 1 - IoU, or -log(IoU). Its gradient is 0 for disjoint boxes; the other losses draw them together.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predicted boxes, of a floating dtype. float16 and bfloat16 are computed in float32.
    target : array, shape (..., 2 * D)
        True boxes. Leading axes broadcast.
    where : array of booleans, optional
        Which boxes count; broadcasts to (...). What is left out gives 0 and gradient 0, whatever it holds.
    weight : array, optional
        Factor of each loss; broadcasts to (...).
    axis : int or tuple of int, optional
        Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last axis of
        the boxes.
    reduction : {"none", "mean", "sum"}
        "mean" divides by the sum of the weights that count, or by the number of boxes that count; a mean of nothing is
        0. Inside `shard_map` see `mean`.
    format, offset, eps, image_size
        As at the top of `omniou.boxes`.
    log, floor
        As of `omniou.losses.iou`.

    Returns
    -------
    jax.Array, shape (...) without the reduced axes
        Of the floating dtype of the boxes.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, or `where` holds no booleans.
    ValueError
        If shapes do not fit, an option is unknown, or `axis` is given and nothing is reduced.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import iou_loss
    >>> pred = jnp.asarray([[[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 1.0, 1.0]]])
    >>> iou_loss(pred, jnp.asarray([0.0, 0.0, 2.0, 1.0])).tolist()
    [[0.5, 0.5]]
    >>> iou_loss(pred, jnp.asarray([0.0, 0.0, 2.0, 1.0]), axis=1, reduction="sum").tolist()
    [1.0]
    """
    return _loss(
        losses.iou,
        pred,
        target,
        where=where,
        weight=weight,
        axis=axis,
        reduction=reduction,
        format=format,
        offset=offset,
        eps=eps,
        image_size=image_size,
        log=log,
        floor=floor,
    )


def giou_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    where: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    axis: Axis = None,
    reduction: Reduction = "none",
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    eps: float = 0.0,
    image_size: Any = None,
) -> jax.Array:
    """Generalised IoU loss: 1 - GIoU, in [0, 2].

    Parameters, shapes and errors are those of `iou_loss`.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import giou_loss
    >>> giou_loss(jnp.asarray([[0.0, 0.0, 1.0, 1.0]]), jnp.asarray([[1.0, 1.0, 2.0, 2.0]])).tolist()
    [1.5]
    """
    return _loss(
        losses.giou,
        pred,
        target,
        where=where,
        weight=weight,
        axis=axis,
        reduction=reduction,
        format=format,
        offset=offset,
        eps=eps,
        image_size=image_size,
    )


def diou_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    where: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    axis: Axis = None,
    reduction: Reduction = "none",
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    eps: float = 0.0,
    image_size: Any = None,
) -> jax.Array:
    """Distance IoU loss: 1 - DIoU, in [0, 2].

    Parameters, shapes and errors are those of `iou_loss`.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import diou_loss
    >>> round(float(diou_loss(jnp.asarray([0.0, 0.0, 2.0, 2.0]), jnp.asarray([2.0, 0.0, 4.0, 2.0]))), 6)
    1.2
    """
    return _loss(
        losses.diou,
        pred,
        target,
        where=where,
        weight=weight,
        axis=axis,
        reduction=reduction,
        format=format,
        offset=offset,
        eps=eps,
        image_size=image_size,
    )


def ciou_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    where: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    axis: Axis = None,
    reduction: Reduction = "none",
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    eps: float = 0.0,
    image_size: Any = None,
    detach_alpha: bool = True,
) -> jax.Array:
    """Complete IoU loss: 1 - CIoU, in [0, 3].

    Parameters, shapes and errors are those of `iou_loss`; beyond them:

    Parameters
    ----------
    detach_alpha : bool
        Hold the weight of the aspect term constant in the gradient, as the paper does.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import ciou_loss
    >>> round(float(ciou_loss(jnp.asarray([0.0, 0.0, 4.0, 2.0]), jnp.asarray([1.0, 0.0, 3.0, 3.0]))), 6)
    0.626823
    """
    return _loss(
        losses.ciou,
        pred,
        target,
        where=where,
        weight=weight,
        axis=axis,
        reduction=reduction,
        format=format,
        offset=offset,
        eps=eps,
        image_size=image_size,
        detach_alpha=detach_alpha,
    )


def _loss(
    loss: Callable[..., jax.Array],
    pred: ArrayLike,
    target: ArrayLike,
    /,
    *,
    where: ArrayLike | None,
    weight: ArrayLike | None,
    axis: Axis,
    reduction: Reduction,
    **options: Any,
) -> jax.Array:
    pred, target, where, weight = (array(x) for x in (pred, target, where, weight))
    if axis is None:
        return loss(pred, target, where=where, weight=weight, reduction=reduction, **options)
    if reduction not in {"mean", "sum"}:
        msg = f"`reduction` must be 'mean' or 'sum' where `axis` is given, got {reduction!r}"
        raise ValueError(msg)
    each = loss(pred, target, where=where, **options)
    if reduction == "mean":
        return mean(each, where=where, weight=weight, axis=axis)
    return sum_and_count(each, where=where, weight=weight, axis=axis)[0].astype(each.dtype)
