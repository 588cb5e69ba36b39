"""Confusion counts of two label maps."""

import math
from typing import Any, Literal

from omniou._kernels import segmentation as kernels
from omniou._kernels.segmentation import Layout
from omniou._lib import backends, checks
from omniou._lib.arrays import Fact, agree, arrays_of, cast, widest_floating, widest_integer
from omniou._lib.docs import explained
from omniou._lib.types import ArrayLike, ArrayT
from omniou._lib.values import position
from omniou.segmentation._split import SplitCounts


def confusion(
    target: ArrayT | ArrayLike,
    prediction: ArrayT | ArrayLike,
    /,
    num_classes: int,
    *,
    ignore_index: int | None = None,
    outside: Literal["drop", "column"] = "drop",
    per_image: bool = False,
    class_axis: int | None = None,
    where: Any = None,
    weight: Any = None,
) -> ArrayT:
    """Confusion counts of label maps: how many pixels of each class were predicted as each.

    Counts add: the sum of those of all batches, shards and devices is that of the data set.

    Parameters
    ----------
    target : array of integers or booleans, shape (...)
        The class of each pixel, from 0 on. Pixels whose class is none of these are left out: find them with `check`.
    prediction : array of integers or booleans, shape (...)
        Predicted classes. Scores of classes, of a floating dtype, are taken with `class_axis` alone.
    num_classes : int
        How many classes there are, C.
    ignore_index : int, optional
        A label: pixels whose *target* has it are left out. It may be a class, whose row then stays empty, while
        predictions of it still count as wrong.
    outside : {"drop", "column"}
        What becomes of a pixel that counts, but whose prediction is no class, such as `ignore_index`. "drop": it is
        left out, as in Keras, which makes results better than they are. "column": it is counted in a last column, so
        that it is missed by its class and false for none, as in mmsegmentation.
    per_image : bool
        Whether the first axis counts images, each of which gets counts of its own.
    class_axis : int, optional
        The axis of `prediction`, which then has one more than `target`, that holds scores of classes: logits or
        probabilities. The highest score wins, the first of equal ones; NaN as the library's `argmax` has it.
    where : array of booleans, optional
        Which pixels count; broadcasts to (...).
    weight : array, optional
        How much each pixel counts; broadcasts to (...). The counts are then floats.

    Returns
    -------
    array, shape (C, C), (images, C, C), or with another last axis of C + 1 for a column
        Rows are classes of `target`, columns those of `prediction`. int64, exact beyond 2**31 pixels; with `weight`
        the widest float of the library. JAX without ``jax_enable_x64`` has no int64: it is a `SplitCounts` there,
        which the functions of this module take too.

    Raises
    ------
    TypeError
        If libraries or devices differ, or labels are no integers.
    ValueError
        If shapes do not fit, or an option is unknown.

    Examples
    --------
    >>> from omniou import segmentation
    >>> segmentation.confusion([0, 0, 1, 1, 255], [0, 1, 1, 1, 1], 2, ignore_index=255).tolist()
    [[1, 1], [0, 2]]
    >>> segmentation.confusion([0, 1], [[0.9, 0.1], [0.3, 0.7]], 2, class_axis=1).tolist()
    [[1, 0], [0, 1]]
    """
    arrays, facts = arrays_of(target=target, prediction=prediction, where=where, weight=weight)
    layout = _layout(num_classes, ignore_index, outside, per_image=per_image)
    axis = _check(facts, layout, class_axis)
    xp = facts[0].namespace
    if weight is not None:
        arrays[3] = cast(arrays[3], widest_floating(xp), xp=xp)
    counts = backends.run(kernels.confusion, *arrays, layout=layout, class_axis=axis, xp=xp)
    if weight is None and xp.iinfo(widest_integer(xp)).bits < 64:
        return SplitCounts.of(counts)  # type: ignore[return-value]  # where the library has no integer for them
    return counts


@explained(confusion)
def check(
    target: ArrayT | ArrayLike,
    prediction: ArrayT | ArrayLike,
    /,
    num_classes: int,
    *,
    ignore_index: int | None = None,
) -> None:
    """Check that all labels of the pixels that count are classes.

    It looks at values, which waits for the device, and so is not part of `confusion`.

    Parameters
    ----------
    target, prediction, num_classes, ignore_index
        As of `confusion`.

    Raises
    ------
    ValueError
        For the first label of each map that is no class, with its place and how many there are.

    Examples
    --------
    >>> from omniou import segmentation
    >>> segmentation.check([[0, 1], [2, 1]], [[0, 1], [1, 1]], 2)
    Traceback (most recent call last):
        ...
    ValueError: `target[1, 0]` must be a class from 0 to 1, got 2 (as are 1 of 4 pixels)
    """
    (target, prediction), facts = arrays_of(target=target, prediction=prediction)
    _check(facts, _layout(num_classes, ignore_index, "drop", per_image=False), None)
    xp = facts[0].namespace
    labels = {
        "target": cast(target, widest_integer(xp), xp=xp),
        "prediction": cast(prediction, widest_integer(xp), xp=xp),
    }
    counts = xp.ones_like(labels["target"]) == 1
    if ignore_index is not None:
        counts = labels["target"] != ignore_index
    for name, x in labels.items():
        bad = counts & ((x < 0) | (x >= num_classes))
        if xp.any(bad):
            flat = xp.reshape(bad, (-1,))
            first = int(xp.argmax(xp.astype(flat, xp.uint8)))
            or_ignored = "" if ignore_index is None or name == "prediction" else f" or {ignore_index}, which is ignored"
            number, all_of = int(xp.count_nonzero(bad)), math.prod(bad.shape)
            msg = (
                f"`{name}{position(first, bad.shape)}` must be a class from 0 to {num_classes - 1}{or_ignored}, got "
                f"{int(xp.reshape(x, (-1,))[first])} (as are {number} of {all_of} pixels)"
            )
            raise ValueError(msg)


def _layout(num_classes: Any, ignore_index: Any, outside: Any, *, per_image: Any) -> Layout:
    checks.count("num_classes", num_classes)
    checks.choice("outside", outside, ("drop", "column"))
    checks.instance("per_image", per_image, bool, "a bool")
    if ignore_index is not None and type(ignore_index) is not int:
        msg = f"`ignore_index` must be an integer or None, got {ignore_index!r}"
        raise TypeError(msg)
    # Labels outside the classes are left out whatever they are.
    ignored = ignore_index if ignore_index is not None and 0 <= ignore_index < num_classes else None
    return Layout(num_classes, ignored, outside == "column", per_image)


def _check(facts: tuple[Fact, ...], layout: Layout, class_axis: int | None) -> int | None:
    """Raise unless the arguments fit; the axis of classes, counted from the front."""
    by_name = {fact.name: fact for fact in facts}
    xp = facts[0].namespace
    target, prediction = by_name["target"], by_name["prediction"]
    scored = class_axis is not None
    _check_labels(target, xp)
    if not scored:
        _check_labels(prediction, xp, of=target, num_classes=layout.num_classes)
    # Labels may be booleans, which are no numbers.
    agree(tuple(f._replace(dtype=xp.int32) if f.name in ("target", "prediction") else f for f in facts))
    shape, axis = tuple(prediction.shape), None
    if scored:
        axis = _axis(class_axis, shape, layout.num_classes)
        shape = shape[:axis] + shape[axis + 1 :]
    if shape != tuple(target.shape):
        msg = f"`prediction` must have the shape of `target`, {tuple(target.shape)}, got {tuple(prediction.shape)}"
        raise ValueError(msg if not scored else f"{msg} with classes along axis {axis}")
    if layout.per_image and not target.shape:
        msg = "`target` must have an axis of images where `per_image` is true, got shape ()"
        raise ValueError(msg)
    for name in ("where", "weight"):
        if name in by_name and checks.broadcast(target=target.shape, **{name: by_name[name].shape}) != target.shape:
            msg = f"`{name}` must broadcast to the shape of `target`, {tuple(target.shape)}, got {by_name[name].shape}"
            raise ValueError(msg)
    _check_size(target.shape, layout, xp)
    return axis


def _check_size(shape: tuple[Any, ...], layout: Layout, xp: Any) -> None:
    cells = (layout.num_classes + 2) ** 2 * (shape[0] if layout.per_image else 1)
    most = xp.iinfo(widest_integer(xp)).max
    if max(cells + 1, math.prod(shape)) > most:
        msg = f"pixels and cells must be at most {most} in a call where the library has no wider integer, got {shape}"
        raise ValueError(msg)


def _axis(class_axis: Any, shape: tuple[int, ...], num_classes: int) -> int:
    if type(class_axis) is not int or not -len(shape) <= class_axis < len(shape):
        msg = f"`class_axis` must be an axis of `prediction`, whose shape is {shape}, got {class_axis!r}"
        raise ValueError(msg)
    if shape[class_axis] != num_classes:
        msg = f"`prediction` must have {num_classes} scores along axis {class_axis}, got shape {shape}"
        raise ValueError(msg)
    return class_axis % len(shape)


def _check_labels(fact: Fact, xp: Any, *, of: Fact | None = None, num_classes: int = 0) -> None:
    if xp.isdtype(fact.dtype, ("bool", "integral")):
        return
    hint = ""
    if of is not None and len(fact.shape) == len(of.shape) + 1:
        axes = [k for k, size in enumerate(fact.shape) if size == num_classes]
        hint = f"; for scores of classes, say `class_axis={axes[0] if axes else 1}`"
    got = f"dtype {fact.dtype} of shape {tuple(fact.shape)}{hint}"
    msg = f"`{fact.name}` must hold labels, integers or booleans, got {got}"
    raise TypeError(msg)
