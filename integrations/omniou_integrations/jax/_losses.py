"""The losses of `omniou.losses` in optax's manner."""

import functools
from collections.abc import Callable, Iterator
from typing import Annotated, Any, TypedDict

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from omniou import losses, scores
from omniou._catalogue.calls import Deferred
from omniou._catalogue.geometries.boxes import GEOMETRY
from omniou._catalogue.operations import loss_options
from omniou._catalogue.options import LOSS, Declared, Option, declared, documented
from omniou._catalogue.score import Score
from omniou._catalogue.sources.function import FunctionSource
from omniou._kernels.arithmetic import quotient
from omniou_integrations.jax._sums import Axis, array, mean, sum_and_count, wide


class AxisOption(TypedDict, total=False):
    """The option of every loss in JAX."""

    axis: Annotated[
        Axis,
        Option(
            None,
            "Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last axis "
            "of the boxes.",
            LOSS,
        ),
    ]


def loss(name: str, /) -> Deferred:
    """Return the loss of a score, with arrays first and options by keyword, as in optax."""

    def make() -> Callable[..., Any]:
        return functools.partial(_loss, getattr(losses, name))

    return Deferred(make, ("pred", "target"))


def _loss(loss: Callable[..., Any], options: dict[str, Any], /, pred: Any, target: Any) -> Any:
    given = dict(options)
    axis, reduction, normalizer = given.pop("axis"), given["reduction"], array(given.pop("normalizer"))
    both = [array(x) for x in (pred, target)]
    where, weight = (array(given.pop(name)) for name in ("where", "weight"))
    if axis is None:
        return loss(*both, where=where, weight=weight, normalizer=normalizer, **given)
    if reduction not in {"mean", "sum"}:
        raise ValueError(f"`reduction` must be 'mean' or 'sum' where `axis` is given, got {reduction!r}")
    # Losses of 16 bits stay in float32 here, and are rounded only once, after a sum.
    both = [wide(x) if jnp.issubdtype(x.dtype, jnp.floating) else x for x in both]
    each = loss(*both, where=where, **(given | {"reduction": "none"}))
    if reduction == "mean" and normalizer is None:
        return mean(each, where=where, weight=weight, axis=axis)
    total = sum_and_count(each, where=where, weight=weight, axis=axis)[0]
    if reduction == "mean":
        total = quotient(total, jnp.broadcast_to(normalizer, total.shape).astype(total.dtype), xp=jnp)
    return total


def sources() -> Iterator[FunctionSource]:
    """All losses of scores."""
    for name, score in scores.items():
        options: Declared = {**loss_options(score, GEOMETRY), **declared(AxisOption)}
        yield FunctionSource(
            name=f"{name}_loss",
            operation=loss(name),
            expression=f'_losses.loss("{name}")',
            arguments={"pred": ArrayLike, "target": ArrayLike},
            options=options,
            returns=jax.Array,
            doc=_text(score, documented(options)),
            positional_only=False,
        )


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
    Of the floating dtype of the boxes, float32 where losses of 16-bit boxes are reduced. Inside `shard_map` see `mean`.

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
>>> round(float({score.name}_loss({a}, {b}{size})), 4)
{round(score.loss_example or 0.0, 4)}
"""
