"""Losses of masks as operations: predictions of every pixel and class, and labels or masks of each class."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from omniou._catalogue.calls import KernelRun, Operation
from omniou._catalogue.options import COUNTING, FORMULA, LOSS, MODIFIER, Declared, of_role
from omniou._catalogue.pixel_score import PixelScore
from omniou._kernels import mask_losses as kernels
from omniou._lib import backends, checks, meshes
from omniou._lib.arrays import PIXELS, Fact, agree, namespace_of


@dataclasses.dataclass(frozen=True, kw_only=True)
class Variant:
    """A loss of a score that is not 1 - the score, with options of its own in the place of the score's.

    Attributes
    ----------
    name, label, title, about, paper : str
        For its documentation.
    options : type
    """

    name: str
    label: str
    title: str
    about: str
    paper: str
    options: Any


def ratio_loss(score: PixelScore, options: Declared, /) -> Operation:
    """A score of pixels as a loss."""

    def make(given: dict[str, Any]) -> kernels.OneMinusRatio:
        division = {"smooth": 0.0, "zero_division": 0.0, **of_role(options, MODIFIER, given)}
        own = tuple(of_role(options, FORMULA, given).items())
        power = 1.0 / given["gamma"] if "gamma" in given else 1.0
        return kernels.OneMinusRatio(
            score.formula, own, power=power, joins=score.joins, **division, **of_role(options, COUNTING, given)
        )

    return loss_operation(make, options)


def loss_operation(make: Callable[[dict[str, Any]], Any], options: Declared, /, *, binary: bool = False) -> Operation:
    """Predictions (B, C, ...), or (B, ...) of one class, and targets; `make`: values of options -> the loss."""
    settle = functools.partial(_settle_loss, make, options, binary)
    return Operation(settle, options, {"target": PIXELS}, read=with_labels)


def with_labels(named: dict[str, Any], /) -> dict[str, Any]:
    """A list of labels as integers, where `arrays_of` would make it numbers like the predictions."""
    (first, pred), (second, target) = named.items()
    if hasattr(target, "dtype") or not hasattr(pred, "dtype"):
        return named
    xp = namespace_of(first, pred)
    try:
        listed = xp.asarray(target, device=backends.device(pred, xp=xp))
    except (TypeError, ValueError, RuntimeError):
        return named  # `arrays_of` says what is wrong with it
    return {first: pred, second: listed} if xp.isdtype(listed.dtype, ("bool", "integral")) else named


def _settle_loss(
    make: Callable[[dict[str, Any]], Any],
    options: Declared,
    binary: bool,  # noqa: FBT001
    facts: tuple[Fact, ...],
    given: dict[str, Any],
    /,
    *,
    pairs: bool,  # noqa: ARG001
) -> Callable[..., Any]:
    if binary:
        facts = _check_binary(facts)
    plan = plan_of(make(given), facts, of_role(options, LOSS, given))
    run = KernelRun(kernels.loss, facts[0].namespace, {"plan": plan})
    if not binary:
        return run
    flat = functools.partial(_binary, run)
    return meshes.automatic(flat) if backends.library(run.xp) == "jax" else flat


def _binary(run: KernelRun, pred: Any, target: Any, where: Any = None, /, *, workers: int = 1) -> Any:  # noqa: ARG001
    """One row of pixels for each image, so that images may have any number of axes."""
    xp, shape = run.xp, tuple(pred.shape)
    flat = (shape[0], 1, -1 if 0 not in shape else 0, 1)
    rows = (flat[0], *flat[2:])
    where = None if where is None else xp.reshape(xp.broadcast_to(where, shape), rows)
    out = run(xp.reshape(pred, flat), xp.reshape(target, rows), where, None)
    plan = run.static["plan"]
    return out[:, 0] if plan.reduction == "none" and plan.per == "image" else out


def _check_binary(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Check predictions of one class; the facts of what they become."""
    shapes = {f.name: tuple(f.shape) for f in facts}
    pred, target = facts[:2]
    if len(pred.shape) < 2 or tuple(pred.shape) != tuple(target.shape):
        msg = f"`logits` and `target` must have one shape (B, ...), got {tuple(pred.shape)} and {tuple(target.shape)}"
        raise ValueError(msg)
    _check_where(shapes, tuple(pred.shape))
    if not pred.namespace.isdtype(target.dtype, ("bool", "integral")):
        msg = f"`target` must hold booleans or integers, got dtype {target.dtype}"
        raise TypeError(msg)
    rows = (pred.shape[0], functools.reduce(lambda n, side: n * side, pred.shape[1:], 1), 1)
    return (pred._replace(shape=(rows[0], 1, *rows[1:])), *(f._replace(shape=rows) for f in facts[1:]))


def plan_of(loss: Any, facts: tuple[Fact, ...], given: dict[str, Any], /) -> kernels.MaskLossPlan:
    """The plan of a call, checked."""
    given = {"activation": "none", "classes": "all", "per": "image", "reduction": "mean", "ignore_index": None} | given
    pred, target = facts[:2]
    xp = pred.namespace
    compute, result = agree(facts)
    if not xp.isdtype(pred.dtype, "real floating"):
        msg = f"`pred` must have a floating dtype to have a gradient, got {pred.dtype}"
        raise TypeError(msg)
    labels = _check_shapes(facts)
    if given["activation"] == "softmax" and pred.shape[1] < 2:
        msg = f"`activation` 'softmax' needs two classes or more, got `pred` of shape {tuple(pred.shape)}"
        raise ValueError(msg)
    if labels and not xp.isdtype(target.dtype, ("bool", "integral")):
        msg = f"`target` of shape (B, ...) must hold labels, integers, got dtype {target.dtype}"
        raise TypeError(msg)
    if given["ignore_index"] is not None and not labels:
        msg = "`ignore_index` is a label: `target` must have shape (B, ...), without the axis of classes"
        raise ValueError(msg)
    own = {name: given[name] for name in ("activation", "ignore_index", "per", "classes", "reduction")}
    return kernels.MaskLossPlan(loss, labels=labels, compute=compute, result=result, **own)


def _check_shapes(facts: tuple[Fact, ...]) -> bool:
    """Check shapes; whether the target has labels."""
    shapes = {f.name: tuple(f.shape) for f in facts}
    pred, target = (tuple(f.shape) for f in facts[:2])
    if len(pred) < 4 or pred[1] < 1:
        msg = (
            "`pred` must have shape (B, C, height, width, ...), images and classes first, as `x[:, None]` of one class "
            f"has, got {pred}"
        )
        raise ValueError(msg)
    pixels = (pred[0], *pred[2:])
    if target not in (pred, pixels):
        msg = f"`target` must have shape {pixels} for labels or {pred} for masks of each class, got {target}"
        raise ValueError(msg)
    _check_where(shapes, pixels)
    if shapes.get("class_weight", (pred[1],)) != (pred[1],):
        msg = f"`class_weight` must have shape ({pred[1]},), got {shapes['class_weight']}"
        raise ValueError(msg)
    return target == pixels


def _check_where(shapes: dict[str, tuple[int, ...]], pixels: tuple[int, ...]) -> None:
    where = shapes.get("where")
    if where is not None and (len(where) > len(pixels) or checks.broadcast(pixels=pixels, where=where) != pixels):
        msg = f"`where` must broadcast to the pixels of shape {pixels}, got {where}"
        raise ValueError(msg)
