"""Losses and metrics for JAX. Losses are in optax's manner: pure functions, options by keyword. Metrics are pytrees.

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

from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypedDict, Unpack

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from omniou import losses, scores
from omniou._catalogue.functions import loss_options
from omniou._catalogue.options import (
    BoxLossOptions,
    CIoULossOptions,
    IoULossOptions,
    Option,
    declared,
    documented,
    named,
    takes,
)
from omniou._catalogue.scores import Score
from omniou._kernels.arithmetic import quotient
from omniou.boxes import GEOMETRY
from omniou_integrations.jax._detection import DetectionAP
from omniou_integrations.jax._metrics import BoxScore
from omniou_integrations.jax._segmentation import MeanIoU
from omniou_integrations.jax._sums import Axis, array, mean, sum_and_count


class AxisOption(TypedDict, total=False):
    """Of every loss in JAX."""

    axis: Annotated[
        Axis,
        Option(
            None,
            "Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last axis "
            "of the boxes.",
        ),
    ]


def _loss_of(score: Score, /) -> Any:
    """The loss of a score, in optax's manner."""
    loss, options = getattr(losses, score.name), loss_options(score, GEOMETRY) | declared(AxisOption)

    @takes(options)
    def function(pred: ArrayLike, target: ArrayLike, **given: Any) -> jax.Array:
        axis, reduction, normalizer = given.pop("axis"), given["reduction"], array(given.pop("normalizer"))
        pred, target, where, weight = (array(x) for x in (pred, target, given.pop("where"), given.pop("weight")))
        if axis is None:
            return loss(pred, target, where=where, weight=weight, normalizer=normalizer, **given)
        if reduction not in {"mean", "sum"}:
            msg = f"`reduction` must be 'mean' or 'sum' where `axis` is given, got {reduction!r}"
            raise ValueError(msg)
        each = loss(pred, target, where=where, **(given | {"reduction": "none"}))
        if reduction == "mean" and normalizer is None:
            return mean(each, where=where, weight=weight, axis=axis)
        total = sum_and_count(each, where=where, weight=weight, axis=axis)[0]
        if reduction == "mean":
            total = quotient(total, jnp.broadcast_to(normalizer, total.shape).astype(total.dtype), xp=jnp)
        return total.astype(each.dtype)

    return named(function, f"{score.name}_loss", __name__, _text(score, documented(options)))


def _text(score: Score, options: str, /) -> str:
    a, b = (f"jnp.asarray({[float(x) for x in box]})" for box in score.example[:2])
    size = ", image_size=(6, 8)" if score.of_image else ""
    return f"""{score.label} loss: {score.loss_title}, for JAX arrays.

{score.title}. {score.loss_about}

Parameters
----------
pred : array, shape (..., {GEOMETRY.numbers})
    Predicted boxes, of a floating dtype. float16 and bfloat16 are computed in float32.
target : array, shape (..., {GEOMETRY.numbers})
    Ground truth. Leading axes broadcast.
{options}

Returns
-------
jax.Array, shape (...) without the reduced axes
    Of the floating dtype of the boxes. Inside `shard_map` see `mean`.

Raises
------
TypeError
    If `pred` has no floating dtype, or `where` holds no booleans.
ValueError
    If shapes do not fit, an option is unknown, or `axis` is given and nothing is reduced.

References
----------
{score.paper}

Examples
--------
>>> import jax.numpy as jnp
>>> from omniou_integrations.jax import {score.name}_loss
>>> round(float({score.name}_loss({a}, {b}{size})), 5)
{round(score.loss_example or 0.0, 5)}
"""


_LOSSES = {f"{name}_loss": _loss_of(score) for name, score in scores.items()}
globals().update(_LOSSES)

__all__ = ["BoxScore", "DetectionAP", "MeanIoU", "mean", "sum_and_count"]
__all__ += list(_LOSSES)

if TYPE_CHECKING:

    class LossOptions(BoxLossOptions, AxisOption, total=False):
        """Of every loss."""

    class IoUOptions(IoULossOptions, AxisOption, total=False):
        """Of the IoU loss."""

    class CIoUOptions(CIoULossOptions, AxisOption, total=False):
        """Of the CIoU loss."""

    class Loss(Protocol):
        """A loss of boxes; the reference says more of each."""

        def __call__(self, pred: ArrayLike, target: ArrayLike, **options: Unpack[LossOptions]) -> jax.Array: ...

    class IoULoss(Protocol):
        """The same with `log` and `floor`."""

        def __call__(self, pred: ArrayLike, target: ArrayLike, **options: Unpack[IoUOptions]) -> jax.Array: ...

    class CIoULoss(Protocol):
        """The same with `detach_alpha`."""

        def __call__(self, pred: ArrayLike, target: ArrayLike, **options: Unpack[CIoUOptions]) -> jax.Array: ...

    iou_loss: IoULoss
    ciou_loss: CIoULoss

    def __getattr__(name: str) -> Loss: ...
