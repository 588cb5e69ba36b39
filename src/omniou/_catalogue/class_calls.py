"""Operations on label maps and on their confusion counts."""

import functools
import math
from collections.abc import Mapping
from typing import Any

from omniou._catalogue.calls import KernelRun, Operation, without_masks
from omniou._catalogue.options import COUNTING, FORMULA, MODIFIER, Declared, of_role
from omniou._catalogue.pixel_score import PixelScore
from omniou._kernels import segmentation as kernels
from omniou._lib import checks
from omniou._lib.arrays import INTEGERS, LABELS, PIXELS, Fact, agree, widest_floating, widest_integer


def class_operation(score: PixelScore, options: Declared, /, **fixed: Any) -> Operation:
    """A score of confusion counts; `fixed`: options of its averaging that are not the caller's."""
    settle = functools.partial(_settle_classes, score, options, fixed)
    return Operation(settle, options, {"counts": PIXELS, "high": INTEGERS}, read=_parts)


def _parts(named: dict[str, Any], /) -> dict[str, Any]:
    """Counts, or the low and high parts of a `SplitCounts`."""
    counts = named["counts"]
    low = getattr(counts, "low", None)
    return {"counts": counts, "high": None} if low is None else {"counts": low, "high": counts.high}


def _settle_classes(
    score: PixelScore,
    options: Declared,
    fixed: dict[str, Any],
    facts: tuple[Fact, ...],
    given: dict[str, Any],
    /,
    *,
    pairs: bool,  # noqa: ARG001
) -> KernelRun:
    fact = facts[0]
    xp, shape = fact.namespace, tuple(fact.shape)
    if not xp.isdtype(fact.dtype, ("integral", "real floating")):
        raise TypeError(f"`counts` must hold numbers, got dtype {fact.dtype}")
    if len(shape) < 2 or shape[-1] - shape[-2] not in (0, 1):
        raise ValueError(f"`counts` must have shape (..., C, C) or (..., C, C + 1), got {shape}")
    floating = xp.isdtype(fact.dtype, "real floating") and xp.finfo(fact.dtype).bits >= 32
    asked = {"average": "none", "present": "either", "classes": None} | of_role(options, COUNTING, given) | fixed
    asked["classes"] = _classes(asked["classes"], shape[-2])
    modifiers = of_role(options, MODIFIER, given)
    static = {
        "formula": score.formula,
        "options": tuple(of_role(options, FORMULA, given).items()),
        "joins": score.joins,
        "averaging": kernels.Averaging(**asked, zero_division=modifiers.get("zero_division", 0.0)),
        "compute": fact.dtype if floating else widest_floating(xp, fact.device),
    }
    return KernelRun(kernels.score, xp, static)


def _classes(classes: Any, count: int) -> tuple[int, ...]:
    if classes is None:
        return tuple(range(count))
    chosen = checks.items("classes", classes, "a sequence of integers")
    for k in chosen:
        if type(k) is not int or not 0 <= k < count:
            raise ValueError(f"`classes` must be integers from 0 to {count - 1}, got {k!r}")
    if len(set(chosen)) < len(chosen) or not chosen:
        raise ValueError(f"`classes` must be different integers, at least one, got {classes!r}")
    return chosen


def confusion_operation(options: Declared, /) -> Operation:
    """Confusion counts of two label maps."""
    operands = {"target": LABELS, "prediction": PIXELS}
    return Operation(_settle_confusion, options, operands, unpack=without_masked_pixels)


def without_masked_pixels(
    named: dict[str, Any], given: Mapping[str, Any], /
) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """Label maps without NumPy's masks, which `where` takes."""
    axis = given["class_axis"]
    return without_masks({} if type(axis) is not int else {"prediction": (axis,)}, named, given)


def _settle_confusion(facts: tuple[Fact, ...], given: dict[str, Any], /, *, pairs: bool) -> KernelRun:  # noqa: ARG001
    layout = layout_of(given)
    axis = check_maps(facts, layout, given["class_axis"])
    xp = facts[0].namespace
    static = {"layout": layout, "class_axis": axis, "weigh": widest_floating(xp, facts[0].device)}
    return KernelRun(kernels.confusion, xp, static)


def layout_of(given: dict[str, Any], /) -> kernels.TableLayout:
    """Return the layout of the confusion counts for the options."""
    classes = checks.count("num_classes", given["num_classes"])
    # Labels outside the classes are left out whatever they are.
    ignored = tuple(k for k in given["ignore_index"] if 0 <= k < classes)
    return kernels.TableLayout(classes, ignored, given["outside"] == "column", given["per_image"])


def check_maps(facts: tuple[Fact, ...], layout: kernels.TableLayout, class_axis: int | None, /) -> int | None:
    """Raise unless the arguments fit; the axis of classes, counted from the front."""
    by_name = {fact.name: fact for fact in facts}
    xp = facts[0].namespace
    target, prediction = by_name["target"], by_name["prediction"]
    scored = class_axis is not None
    _check_labels(target)
    if not scored:
        _check_labels(prediction, of=target, num_classes=layout.num_classes)
    agree(facts)
    shape, axis = tuple(prediction.shape), None
    if scored:
        axis = _axis(class_axis, shape, layout.num_classes)
        shape = shape[:axis] + shape[axis + 1 :]
    if shape != tuple(target.shape):
        msg = f"`prediction` must have the shape of `target`, {tuple(target.shape)}, got {tuple(prediction.shape)}"
        raise ValueError(msg if not scored else f"{msg} with classes along axis {axis}")
    if layout.per_image and not target.shape:
        raise ValueError("`target` must have an axis of images where `per_image` is true, got shape ()")
    for name in ("where", "weight"):
        if name in by_name and checks.broadcast(target=target.shape, **{name: by_name[name].shape}) != target.shape:
            raise ValueError(
                f"`{name}` must broadcast to the shape of `target`, {tuple(target.shape)}, got {by_name[name].shape}"
            )
    cells = (layout.num_classes + 2) ** 2 * (target.shape[0] if layout.per_image else 1)
    most = xp.iinfo(widest_integer(xp)).max
    if max(cells + 1, math.prod(target.shape)) > most:
        limit = f"pixels and cells must be at most {most} in a call where the library has no wider integer"
        raise ValueError(f"{limit}, got {target.shape}")
    return axis


def _axis(class_axis: Any, shape: tuple[int, ...], num_classes: int) -> int:
    if type(class_axis) is not int or not -len(shape) <= class_axis < len(shape):
        raise ValueError(f"`class_axis` must be an axis of `prediction`, whose shape is {shape}, got {class_axis!r}")
    if num_classes == 1:
        raise ValueError(
            "`class_axis` needs two classes or more: one score is always the highest, so pass `prediction > threshold`"
        )
    if shape[class_axis] != num_classes:
        raise ValueError(f"`prediction` must have {num_classes} scores along axis {class_axis}, got shape {shape}")
    return class_axis % len(shape)


def _check_labels(fact: Fact, *, of: Fact | None = None, num_classes: int = 0) -> None:
    if fact.namespace.isdtype(fact.dtype, ("bool", "integral")):
        return
    hint = ""
    if of is not None and len(fact.shape) == len(of.shape) + 1:
        axes = [k for k, size in enumerate(fact.shape) if size == num_classes]
        hint = f"; for scores of classes, say `class_axis={axes[0] if axes else 1}`"
    got = f"dtype {fact.dtype} of shape {tuple(fact.shape)}{hint}"
    raise TypeError(f"`{fact.name}` must hold labels, integers or booleans, got {got}")
