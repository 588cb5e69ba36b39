"""Confusion counts of two label maps."""

import functools
import math
import operator
from typing import Annotated, Any, TypedDict, Unpack

from omniou._catalogue.class_calls import check_maps, confusion_operation, layout_of, without_masked_pixels
from omniou._catalogue.options import COUNTING, Option, declared, takes
from omniou._catalogue.pixel_options import ConfusionOptions, Labels
from omniou._lib import carried, checks
from omniou._lib.arrays import BESIDE, BOOLEANS, LABELS, PIXELS, arrays_of, cast, namespace_of, ranked, widest_integer
from omniou._lib.docs import described
from omniou._lib.split_counts import SplitCounts
from omniou._lib.types import ArrayLike, ArrayT, Namespace
from omniou._lib.values import position, visible


class _ClassesOption(TypedDict, total=False):
    num_classes: Annotated[int, Option(0, "How many classes there are, C.", COUNTING, least=1)]


_CONFUSION = confusion_operation(declared(ConfusionOptions, _ClassesOption))


@takes(declared(ConfusionOptions))
def confusion(
    target: ArrayT | ArrayLike,
    prediction: ArrayT | ArrayLike,
    /,
    num_classes: int,
    **options: Unpack[ConfusionOptions],
) -> ArrayT:
    """Confusion counts of label maps: how many pixels of each class were predicted as each.

    Counts add: the counts of a data set are the sum over its batches, shards and devices.

    Parameters
    ----------
    target : array of integers or booleans, shape (...)
        The class of each pixel, from 0 on. Other labels raise an error, unless they are in `ignore_index`. Where values
        cannot be checked, on devices other than the CPU and in traced or lazy arrays, their pixels are excluded: call
        `check` once.
    prediction : array of integers or booleans, shape (...)
        Predicted classes; other labels raise an error as in `target`, unless `outside` is "column". Scores of two
        classes or more, of a floating dtype, need `class_axis`.
    num_classes : int
        Number of classes, C.
    **options

    Returns
    -------
    array, shape (C, C), (images, C, C), or with another last axis of C + 1 for a column
        Rows are classes of `target`, columns classes of `prediction`. int64, exact beyond 2**31 pixels; with `weight`
        the widest float of the library. JAX without ``jax_enable_x64`` has no int64: it is a `SplitCounts` there,
        which the functions of this module take too.

    Raises
    ------
    TypeError
        If libraries or devices differ, or labels are not integers.
    ValueError
        If shapes do not fit, an option is unknown, or a label is neither a class nor ignored.

    Examples
    --------
    >>> from omniou import segmentation
    >>> segmentation.confusion([0, 0, 1, 1, 255], [0, 1, 1, 1, 1], 2, ignore_index=255).tolist()
    [[1, 1], [0, 2]]
    >>> segmentation.confusion([0, 1], [[0.9, 0.1], [0.3, 0.7]], 2, class_axis=1).tolist()
    [[1, 0], [0, 1]]
    """
    given: Any = {**options, "num_classes": num_classes}
    if not carried.are_plain((target, prediction)):
        named, given = without_masked_pixels({"target": target, "prediction": prediction}, given)
        target, prediction = named.values()
        options = {**options, "where": given["where"]}
    counts: ArrayT
    counts, strays = _CONFUSION(given, target=target, prediction=prediction)
    if visible(strays):
        classes = checks.count("num_classes", num_classes)
        _check_strays({"target": target, "prediction": prediction}, strays, classes, options)
    xp = namespace_of("counts", counts)
    if options["weight"] is None and xp.iinfo(widest_integer(xp)).bits < 64:
        return SplitCounts.of(counts)  # type: ignore[return-value]  # where the library has no integer for them
    return counts


def _check_strays(given: dict[str, Any], strays: Any, num_classes: int, options: ConfusionOptions) -> None:
    """Raise for labels that count and are not classes; `strays` says how many there may be."""
    xp, ignored = namespace_of("strays", strays), checks.labels("ignore_index", options["ignore_index"])
    of_target, of_prediction = (int(x) for x in (strays[0], strays[1]))
    # Weights of such pixels are not summed, so their number is not known.
    weighted, where = options["weight"] is not None, options["where"]
    counted = of_prediction and options["outside"] == "drop"
    if not (weighted or of_target or counted):
        return
    operands = {"target": LABELS, "prediction": PIXELS, "where": BOOLEANS, "weight": BESIDE}
    (target, prediction, *rest), _ = arrays_of(operands, **given, where=where, weight=options["weight"])
    if not (weighted or counted) and where is None and _void(target, num_classes, ignored, xp=xp) == of_target:
        return
    labels = {"target": target}
    if options["class_axis"] is None and options["outside"] == "drop":
        for label in ignored:
            prediction = xp.where(prediction == label, xp.zeros_like(prediction), prediction)
        labels["prediction"] = prediction
    # A weight of 0 leaves a pixel out, as `where` does.
    kept = [x if x.dtype == xp.bool else x != 0 for x in rest if x is not None]
    _raise_first(labels, kept, num_classes, ignored, xp=xp)


def _void(target: Any, num_classes: int, ignored: tuple[int, ...], *, xp: Namespace) -> int:
    """How many pixels have an ignored label that is not a class."""
    if target.dtype == xp.bool:
        return 0
    held = xp.iinfo(target.dtype)
    void = [x for x in set(ignored) if not 0 <= x < num_classes and held.min <= x <= held.max]
    return sum(int(xp.count_nonzero(target == label)) for label in void)


@described(confusion)
def check(
    target: ArrayT | ArrayLike,
    prediction: ArrayT | ArrayLike,
    /,
    num_classes: int,
    *,
    ignore_index: Labels = None,
) -> None:
    """Check that all labels of the pixels that count are classes.

    It looks at values on any device, where `confusion` does so only on the CPU.

    Parameters
    ----------
    target, prediction, num_classes, ignore_index

    Raises
    ------
    ValueError
        For the first label of each map that is not a class, with its place and how many there are.

    Examples
    --------
    >>> from omniou import segmentation
    >>> segmentation.check([[0, 1], [2, 1]], [[0, 1], [1, 1]], 2)
    Traceback (most recent call last):
        ...
    ValueError: `target[1, 0]` must be a class from 0 to 1, got 2 (as are 1 of 4 pixels): if it marks pixels ...
    """
    operands = {"target": LABELS, "prediction": LABELS}
    (target, prediction), facts = arrays_of(operands, target=target, prediction=prediction)
    ignored, num_classes = checks.labels("ignore_index", ignore_index), checks.count("num_classes", num_classes)
    given = {"num_classes": num_classes, "ignore_index": ignored, "outside": "drop", "per_image": False}
    check_maps(facts, layout_of(given), None)
    labels = {"target": target, "prediction": prediction}
    _raise_first(labels, [], num_classes, ignored, xp=facts[0].namespace)


def _raise_first(
    given: dict[str, Any], where: list[Any], num_classes: int, ignored: tuple[int, ...], *, xp: Namespace
) -> None:
    """Raise for the first label of a map that is not a class, where the target and all of `where` count."""
    labels = {name: cast(x, widest_integer(xp), xp=xp) for name, x in given.items()}
    counts = xp.ones_like(labels["target"]) == 1
    for counted in where:
        counts = counts & ranked(counted, counts.ndim, xp=xp)
    for label in ignored:
        counts = counts & (labels["target"] != label)
    faults = {name: counts & ((x < 0) | (x >= num_classes)) for name, x in labels.items()}
    if not xp.any(functools.reduce(operator.or_, faults.values())):  # which waits once for both
        return
    for name, x in labels.items():
        bad = faults[name]
        if xp.any(bad):
            flat = xp.reshape(bad, (-1,))
            first = int(xp.argmax(xp.astype(flat, xp.uint8)))
            left_out = ", ".join(map(str, ignored)) if name == "target" else ""
            or_ignored = f" or {left_out}, which {'is' if len(ignored) == 1 else 'are'} ignored" if left_out else ""
            number, all_of, got = int(xp.count_nonzero(bad)), math.prod(bad.shape), int(xp.reshape(x, (-1,))[first])
            from_one = not xp.any(counts & (x == 0)) and xp.all(~bad | (x == num_classes))
            way = _way(name, got, num_classes, ignored, from_one=bool(from_one))
            raise ValueError(
                f"`{name}{position(first, bad.shape)}` must be a class from 0 to {num_classes - 1}{or_ignored}, got "
                f"{got} (as are {number} of {all_of} pixels): {way}"
            )


def _way(name: str, got: int, num_classes: int, ignored: tuple[int, ...], /, *, from_one: bool) -> str:
    """What to do about a label that is not a class."""
    if from_one and 0 in ignored:
        return f"pass `num_classes={num_classes + 1}`, since the ignored 0 is one of them"
    if from_one:
        return f"the labels count from 1, so subtract 1 from `{name}`"
    if name == "prediction":
        return 'pass `outside="column"` to count them as wrong'
    every = [*ignored, got]
    return f"if it marks pixels that do not count, pass `ignore_index={every if ignored else got}`"
