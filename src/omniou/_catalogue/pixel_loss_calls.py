"""Operations of losses of masks: predictions for every pixel and class, and labels or masks of each class."""

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import Any

from omniou._catalogue.calls import KernelRun, Operation, without_masks
from omniou._catalogue.options import COUNTING, FORMULA, LOSS, MODIFIER, Declared, of_role
from omniou._catalogue.pixel_score import PixelScore
from omniou._kernels import mask_losses as kernels
from omniou._lib import backends, checks, meshes, values
from omniou._lib.arrays import PIXELS, Fact, agree, cast, loss_dtype, namespace_of, widest_integer


@dataclasses.dataclass(frozen=True, kw_only=True)
class Variant:
    """A loss of a score that is not 1 - the score, with options of its own instead of the score's.

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

    def unpack(named: dict[str, Any], given: Mapping[str, Any], /) -> Any:
        # The axis of classes, which labels do not have, nor anything of one class.
        axis = 1 if given.get("class_axis") is None else given["class_axis"]
        most = max([getattr(x, "ndim", 0) for x in named.values()])
        of_classes = [] if binary else [name for name, x in named.items() if getattr(x, "ndim", 0) == most]
        return without_masks(dict.fromkeys(of_classes, (axis,)), named, given)

    return Operation(settle, options, {"target": PIXELS}, read=with_labels, unpack=unpack)


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
    loss = make(given)
    if isinstance(loss, kernels.Lovasz):  # sorts pixels
        backends.check_not_lazy(facts[0].name, facts[0].namespace)
    plan = plan_of(loss, facts, of_role(options, LOSS, given))
    run = _of_plan(plan, facts)
    if not binary:
        return run
    flat = functools.partial(_binary, run)
    return meshes.automatic(flat) if backends.library(run.xp) == "jax" else flat


@dataclasses.dataclass(frozen=True, eq=False)
class _GuardedRun(KernelRun):
    """A loss whose target may be invalid: an error where values can be checked, NaN elsewhere."""

    target: str  # its name

    def __call__(self, *arrays: Any, workers: int = 1) -> Any:  # noqa: ARG002
        plan = self.checked_plan(*(*arrays, None)[1:3])
        return backends.run(self.kernel, *arrays, xp=self.xp, reduces=True, plan=plan)

    def checked_plan(self, target: Any, where: Any) -> kernels.MaskLossPlan:
        """The plan, after the check of a target that can be checked."""
        plan: kernels.MaskLossPlan = self.static["plan"]
        if not values.visible(*([target] if where is None else [target, where])):
            return plan._replace(guards=True)
        check_target(self.target, target, where, plan, xp=self.xp)
        return plan


def _of_plan(plan: kernels.MaskLossPlan, facts: tuple[Fact, ...]) -> KernelRun:
    xp, target = facts[0].namespace, facts[1]
    exclusive = plan.labels and facts[0].shape[plan.class_axis] != 1
    if target.dtype == xp.bool or isinstance(plan.loss, kernels.BoundaryLoss) or exclusive:
        return KernelRun(kernels.loss, xp, {"plan": plan})
    return _GuardedRun(kernels.loss, xp, {"plan": plan}, target.name)


def check_target(name: str, target: Any, where: Any, plan: kernels.MaskLossPlan, /, *, xp: Any) -> None:
    """Raise for invalid labels of one class, or invalid masks."""
    labels = cast(target, widest_integer(xp), xp=xp) if plan.labels else target
    wrong = kernels.invalid_of(labels, plan, xp=xp)
    if where is not None:
        axis = () if plan.labels else (plan.class_axis,)
        pixels = tuple(size for k, size in enumerate(target.shape) if k not in axis)
        kept = xp.broadcast_to(where, pixels)
        wrong = wrong & (kept if plan.labels else xp.expand_dims(kept, axis=plan.class_axis))
    fault = "is neither 0, 1 nor ignored" if plan.labels else "lies outside [0, 1]"
    cure = f"; for a mask of 0 and 255 pass `{name} > 0`, for a picture of soft values `{name} / 255`"
    void = "; if it marks pixels that do not count, pass `" + ("ignore_index" if plan.labels else "where") + "`"
    values.raise_first(name, target[..., None], {fault: wrong}, hint=cure + void, xp=xp)


def _binary(run: KernelRun, pred: Any, target: Any, where: Any = None, /, *, workers: int = 1) -> Any:  # noqa: ARG001
    """One row of pixels for each image, so images may have any number of axes."""
    xp, shape = run.xp, tuple(pred.shape)
    plan = run.checked_plan(target, where) if isinstance(run, _GuardedRun) else run.static["plan"]
    flat = (shape[0], 1, -1 if 0 not in shape else 0, 1)
    rows = (flat[0], *flat[2:])
    where = None if where is None else xp.reshape(xp.broadcast_to(where, shape), rows)
    out = backends.run(run.kernel, xp.reshape(pred, flat), xp.reshape(target, rows), where, None, xp=xp, plan=plan)
    return out[:, 0] if plan.reduction == "none" and plan.per == "image" else out


def _check_binary(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Check predictions of one class; the facts of what they become."""
    shapes = {f.name: tuple(f.shape) for f in facts}
    pred, target = facts[:2]
    if len(pred.shape) < 2 or tuple(pred.shape) != tuple(target.shape):
        raise ValueError(
            f"`logits` and `target` must have one shape (B, ...), got {tuple(pred.shape)} and {tuple(target.shape)}"
        )
    _check_where(shapes, tuple(pred.shape))
    if not pred.namespace.isdtype(target.dtype, ("bool", "integral")):
        raise TypeError(f"`target` must hold booleans or integers, got dtype {target.dtype}")
    rows = (pred.shape[0], functools.reduce(lambda n, side: n * side, pred.shape[1:], 1), 1)
    return (pred._replace(shape=(rows[0], 1, *rows[1:])), *(f._replace(shape=rows) for f in facts[1:]))


def plan_of(loss: Any, facts: tuple[Fact, ...], given: dict[str, Any], /) -> kernels.MaskLossPlan:
    """The plan of a call, checked."""
    defaults = {"activation": "none", "classes": "all", "per": "image", "reduction": "mean"}
    given = defaults | {"ignore_index": (), "class_axis": None} | given
    pred, target = facts[:2]
    xp = pred.namespace
    compute, result = agree(facts)
    if not xp.isdtype(pred.dtype, "real floating"):
        raise TypeError(f"`pred` must have a floating dtype to have a gradient, got {pred.dtype}")
    axis, labels = _check_shapes(facts, given["class_axis"])
    if given["activation"] == "softmax" and pred.shape[axis] < 2:
        raise ValueError(f"`activation` 'softmax' needs two classes or more, got `pred` of shape {tuple(pred.shape)}")
    if labels and not xp.isdtype(target.dtype, ("bool", "integral")):
        raise TypeError(f"`target` of shape (B, ...) must hold labels, integers, got dtype {target.dtype}")
    if given["ignore_index"] and not labels:
        raise ValueError("`ignore_index` is a label: `target` must have shape (B, ...), without the axis of classes")
    own = {name: given[name] for name in ("activation", "per", "classes", "reduction")}
    own |= {"class_axis": axis, "ignored": given["ignore_index"]}
    result = loss_dtype(given["reduction"], compute, result)
    return kernels.MaskLossPlan(loss, labels=labels, compute=compute, result=result, **own)


def _check_shapes(facts: tuple[Fact, ...], class_axis: int | None) -> tuple[int, bool]:
    """Check shapes; the axis of classes, and whether the target has labels."""
    shapes = {f.name: tuple(f.shape) for f in facts}
    pred, target = (tuple(f.shape) for f in facts[:2])
    axis = _class_axis(pred, target, class_axis)
    count, pixels = pred[axis], (*pred[:axis], *pred[axis + 1 :])
    if target not in (pred, pixels):
        last = class_axis is None and target == pred[:-1]
        hint = "; for classes on the last axis of `pred` say `class_axis=-1`" if last else ""
        raise ValueError(
            f"`target` must have shape {pixels} for labels or {pred} for masks of each class, got {target}{hint}"
        )
    _check_where(shapes, pixels)
    if shapes.get("class_weight", (count,)) != (count,):
        raise ValueError(f"`class_weight` must have shape ({count},), got {shapes['class_weight']}")
    return axis, target == pixels


# Fewer columns than this, in an image of more rows and classes, are classes on the last axis.
_COLUMNS = 5


def _class_axis(pred: tuple[Any, ...], target: tuple[Any, ...], given: int | None) -> int:
    """The axis of classes, from 0 on; an error where it is not given, and not evident."""
    if given is not None and not -len(pred) <= given < len(pred):
        raise ValueError(f"`class_axis` must be an axis of `pred`, whose shape is {pred}, got {given}")
    axis = 1 if given is None else given % len(pred)
    # Without classes, (B, height, width) of both looks as a mask of each class does.
    unclear = given is None and len(pred) == 3 and target == pred and pred[1] != 1
    if len(pred) < 3 or pred[axis] == 0 or unclear:
        raise ValueError(
            "`pred` must have shape (B, C, height, width, ...), images and classes first, as `x[:, None]` of one class "
            f"has, got {pred}" + (" as for `target`; if axis 1 has classes, say `class_axis=1`" if unclear else "")
        )
    if given is None and target == pred and None not in pred and _ends_with_classes(pred):
        raise ValueError(
            f"`pred` and `target` of shape {pred} have {pred[1]} classes on axis 1 and few columns, {pred[-1]}, or "
            "classes on the last axis: say `class_axis=1` or `class_axis=-1`"
        )
    return axis


def _ends_with_classes(shape: tuple[int, ...]) -> bool:
    """Whether (B, ...) is more likely an image with classes last than one with so few columns."""
    *rows, columns = shape[1:]
    least = 2 if columns == 1 else _COLUMNS
    return len(rows) > 1 and 0 < columns < _COLUMNS and min(rows) >= least


def _check_where(shapes: dict[str, tuple[int, ...]], pixels: tuple[int, ...]) -> None:
    where = shapes.get("where")
    if where is not None and (len(where) > len(pixels) or checks.broadcast(pixels=pixels, where=where) != pixels):
        raise ValueError(f"`where` must broadcast to the pixels of shape {pixels}, got {where}")
