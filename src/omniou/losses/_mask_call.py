"""From what a caller passes to a loss of masks: shapes that fit, and a remembered plan."""

from typing import Annotated, Any, Literal, TypedDict

from omniou._catalogue.options import Option
from omniou._kernels import mask_losses as kernels
from omniou._lib import backends, checks
from omniou._lib.arrays import Fact, agree, arrays_of, namespace_of
from omniou._lib.types import Namespace

Activation = Literal["none", "sigmoid", "softmax"]
Per = Literal["image", "batch"]
Classes = Literal["all", "present"]
Reduction = Literal["none", "image", "mean", "sum"]


_COUNTED = (
    'Whether classes that are not in the target (of the image, or the batch) count: "all" of them, or those "present".'
)


class KeptOptions(TypedDict, total=False):
    """Of every loss of masks."""

    where: Annotated[
        Any,
        Option(
            None,
            "Booleans: which pixels count; broadcasts to (B, height, width). What is left out gives gradient 0, "
            "whatever it holds, NaN included.",
        ),
    ]
    ignore_index: Annotated[
        int | None,
        Option(
            None,
            "The label of pixels that do not count. If it is also the number of a class, that class is never right: "
            "predictions of it elsewhere still cost. Labels that are neither classes nor ignored belong to no class.",
        ),
    ]
    per: Annotated[Per, Option("image", "Whether pixels are summed for each image, or for the whole batch.")]
    reduction: Annotated[
        Reduction,
        Option(
            "mean",
            '"mean" is that over the classes that count, and then over the images with pixels that count; of nothing '
            'it is 0. "image" is the first of these two, (B,), or () per batch. "sum" adds all. "none" gives (B, C), '
            "or (C,) per batch.",
        ),
    ]


class ClassOptions(KeptOptions, total=False):
    """Of every loss of classes."""

    activation: Annotated[
        Activation,
        Option(
            "none",
            'What predictions are: probabilities ("none"), or logits of independent ("sigmoid") or exclusive '
            '("softmax") classes.',
        ),
    ]
    class_weight: Annotated[Any, Option(None, "Factor of each class (C,); a mean over classes divides by their sum.")]


class MaskLossOptions(ClassOptions, total=False):
    """Of losses of each class."""

    classes: Annotated[Classes, Option("all", _COUNTED)]
    smooth: Annotated[
        float,
        Option(
            0.0,
            "Added to numerator and denominator, in pixels. At 0, a class that is absent has loss 1 and gradient 0, "
            'however much of it is predicted: with ``classes="all"``, ``smooth=1.0`` makes its predictions fall.',
        ),
    ]


class PresentOptions(ClassOptions, total=False):
    """Of the Lovasz loss."""

    classes: Annotated[Classes, Option("present", _COUNTED)]


def of_classes(formula: Any, pred: Any, target: Any, options: dict[str, Any], /) -> Any:
    """A loss of predictions (B, C, ...)."""
    arrays = {name: options.pop(name, None) for name in ("where", "class_weight")}
    (pred, target, *others), facts = arrays_of(pred=pred, target=listed(target, pred), **arrays)
    xp, plan = _settle(formula, facts, tuple(options.items()))
    return backends.run(kernels.loss, pred, target, *others, plan=plan, xp=xp)


def listed(target: Any, pred: Any, /) -> Any:
    """A list of labels as integers, where `arrays_of` would make it numbers like the predictions."""
    if hasattr(target, "dtype") or not hasattr(pred, "dtype"):
        return target
    xp = namespace_of("pred", pred)
    try:
        out = xp.asarray(target, device=backends.device(pred, xp=xp))
    except (TypeError, ValueError, RuntimeError):
        return target  # `arrays_of` says what is wrong with it
    return out if xp.isdtype(out.dtype, ("bool", "integral")) else target


def settle(formula: Any, facts: tuple[Fact, ...], options: dict[str, Any], /) -> kernels.Plan:
    """The plan of a call, checked."""
    given = {"ignore_index": None, "per": "image", "reduction": "mean", **options}
    return _settle(formula, facts, tuple(given.items()))[1]


@backends.remember
def _settle(
    formula: Any, facts: tuple[Fact, ...], options: tuple[tuple[str, Any], ...], /
) -> tuple[Namespace, kernels.Plan]:
    given = {"activation": "none", "classes": "all", **dict(options)}
    for name, allowed in (
        ("activation", ("none", "sigmoid", "softmax")),
        ("per", ("image", "batch")),
        ("classes", ("all", "present")),
        ("reduction", ("none", "image", "mean", "sum")),
    ):
        checks.choice(name, given[name], allowed)
    pred, target = facts[:2]
    xp = pred.namespace
    compute, result = agree(tuple(_number(f) for f in facts))
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
    ignore_index = _ignored(given["ignore_index"], labels=labels)
    plan = kernels.Plan(
        formula,
        activation=given["activation"],
        labels=labels,
        ignore_index=ignore_index,
        per=given["per"],
        classes=given["classes"],
        reduction=given["reduction"],
        compute=compute,
        result=result,
    )
    return xp, plan


def _number(fact: Fact) -> Fact:
    """Booleans are masks, but no numbers."""
    xp = fact.namespace
    return fact._replace(dtype=xp.uint8) if fact.name == "target" and xp.isdtype(fact.dtype, "bool") else fact


def _ignored(value: Any, *, labels: bool) -> int | None:
    if value is None:
        return None
    if type(value) is not int:
        msg = f"`ignore_index` must be an integer, got {value!r}"
        raise TypeError(msg)
    if not labels:
        msg = "`ignore_index` is a label: `target` must have shape (B, ...), without the axis of classes"
        raise ValueError(msg)
    return value


def _check_shapes(facts: tuple[Fact, ...]) -> bool:
    """Check shapes; whether the target has labels."""
    shapes = {f.name: tuple(f.shape) for f in facts}
    pred, target = shapes["pred"], shapes["target"]
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


def binary(formula: Any, pred: Any, target: Any, options: dict[str, Any], /) -> Any:
    """A loss of predictions (B, ...) of one class."""
    where = options.pop("where", None)
    (pred, target, where), facts = arrays_of(pred=pred, target=listed(target, pred), where=where)
    shapes = {f.name: tuple(f.shape) for f in facts}
    if len(shapes["pred"]) < 2 or shapes["pred"] != shapes["target"]:
        msg = f"`logits` and `target` must have one shape (B, ...), got {shapes['pred']} and {shapes['target']}"
        raise ValueError(msg)
    _check_where(shapes, shapes["pred"])
    xp = facts[0].namespace
    if not xp.isdtype(facts[1].dtype, ("bool", "integral")):
        msg = f"`target` must hold booleans or integers, got dtype {facts[1].dtype}"
        raise TypeError(msg)
    # One row of pixels for each image, so that images may have any number of axes.
    flat = (shapes["pred"][0], 1, -1 if 0 not in shapes["pred"] else 0, 1)
    pred, target = xp.reshape(pred, flat), xp.reshape(target, (flat[0], *flat[2:]))
    if where is not None:
        where = xp.reshape(xp.broadcast_to(where, shapes["pred"]), (flat[0], *flat[2:]))
    out = of_classes(formula, pred, target, {**options, "where": where})
    return out[:, 0] if options["reduction"] == "none" and options["per"] == "image" else out
