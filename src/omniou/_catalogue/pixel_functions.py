"""Public functions of pixels from declarations: score x counting."""

import inspect
from typing import Any, cast

from omniou._catalogue.class_calls import class_operation
from omniou._catalogue.mask_calls import COUNTINGS, Counting, mask_operation, quotient_of
from omniou._catalogue.options import Declared, declared, documented, named, takes
from omniou._catalogue.pixel_loss_calls import Variant, ratio_loss
from omniou._catalogue.pixel_options import (
    ClassOptions,
    EachClassOption,
    FocalOptions,
    JoinedOptions,
    LossDivisionOptions,
    LossOptions,
    SmoothOption,
    SquaredOption,
    ZeroDivisionOption,
)
from omniou._catalogue.pixel_score import PixelScore, pixel_scores
from omniou._catalogue.score import Declaration
from omniou._lib.split_counts import SplitCounts
from omniou._lib.types import ArrayLike, ArrayT


def mask_functions() -> dict[str, Any]:
    """The functions of `omniou.masks` that are scores, by name."""
    made = [mask_function(score, x) for x in COUNTINGS for score in pixel_scores.values() if x.has(score)]
    return {function.__name__: function for function in made}


def mask_function(score: PixelScore, counting: Counting, /) -> Any:
    """A score of masks, element by element."""
    options = declared(counting.options, ZeroDivisionOption, SmoothOption, *_own(score))
    operation = mask_operation(quotient_of(score, options), counting.count, options)

    @takes(options)
    def function(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **given: Any) -> ArrayT:
        return operation(given, a=a, b=b)

    name = counting.prefix + score.name
    width = ", width=1" if "width" in options else ""
    cast("Any", function).declaration = Declaration()
    return named(
        function,
        name,
        "omniou.masks",
        text_of(
            score,
            title=f"{score.title}, {counting.of}.",
            about=counting.about,
            arguments=f"a, b : array, shape (..., height, width)\n    {counting.text}",
            options=documented(options),
            returns="""array, shape (...)
    In [0, 1]; NaN where a mask has NaN. Library and device follow the input. The dtype is the dtype of floating masks,
    else the widest float of the library. ``pairwise`` takes the function.""",
            paper=counting.paper,
            example=f"""
>>> from omniou import masks
>>> round(float(masks.{name}([[1, 1], [1, 0]], [[1, 0], [0, 0]]{width})), 6)
{round(score.example, 6)}""",
        ),
    )


# Generalised Dice of classes of 3 and 1 pixels, 1 of each right, predicted 1 and 3 times: weights 1 / 9 and 1.
_JOINED = (2 / 9 + 2) / (4 / 9 + 4)


def class_functions() -> dict[str, Any]:
    """The functions of `omniou.segmentation` that are scores of classes, by name."""
    return {score.name: class_function(score) for score in pixel_scores.values() if score.name != "accuracy"}


def class_function(score: PixelScore, /) -> Any:
    """A score of confusion counts."""
    options = declared(JoinedOptions if score.joins else ClassOptions, ZeroDivisionOption, *_own(score))
    operation = class_operation(score, options)

    @takes(options)
    def function(counts: ArrayT | ArrayLike | SplitCounts, /, **given: Any) -> ArrayT:
        return operation(given, counts=counts)

    shape = "(...)" if score.joins else "(..., classes) without the averaged axes"
    place, value = ("", _JOINED) if score.joins else ("[1]", score.example)
    return named(
        function,
        score.name,
        "omniou.segmentation",
        text_of(
            score,
            title=f"{score.title}, of the classes of confusion counts.",
            about="" if score.joins else '``average="macro"`` is the mean over classes: mIoU, mean Dice and so on.',
            arguments="counts : array, shape (..., C, C) or (..., C, C + 1); or a `SplitCounts`\n"
            "    The result of `confusion`. Leading axes are images.",
            options=documented(options),
            returns=f"""array, shape {shape}
    In [0, 1]; NaN if no pixel counts. The dtype is the widest float of the library, or the dtype of the counts; float32
    for a `SplitCounts`.""",
            example=f"""
>>> from omniou import segmentation
>>> counts = segmentation.confusion([[1, 0], [0, 0]], [[1, 1], [1, 0]], 2)
>>> round(float(segmentation.{score.name}(counts){place}), 6)
{round(value, 6)}""",
        ),
    )


def mask_losses() -> dict[str, Any]:
    """The losses of `omniou.losses.masks` that are made of scores, by name."""
    variants = {FOCAL_TVERSKY.name: mask_loss(pixel_scores["tversky"], FOCAL_TVERSKY)}
    return {score.loss_name: mask_loss(score) for score in pixel_scores.values()} | variants


FOCAL_TVERSKY = Variant(
    name="focal_tversky",
    label="Focal Tversky",
    title="the Tversky loss of each class to the power 1 / gamma",
    about="In the paper, alpha weighs false negatives. The gradient is 0 where the loss is 0.",
    options=FocalOptions,
    paper="Abraham and Khan, A novel focal Tversky loss function with improved attention U-Net, ISBI 2019.",
)


def loss_options(score: PixelScore, variant: Variant | None = None, /) -> Declared:
    """Options of the loss of a score of pixels."""
    each = () if score.joins else (EachClassOption,)
    own = [variant.options] if variant else _own(score)
    return declared(LossOptions, *each, SquaredOption, LossDivisionOptions, *own)


def mask_loss(score: PixelScore, variant: Variant | None = None, /) -> Any:
    """A score of pixels as a loss of probabilities, 1 - the score or a variant."""
    options = loss_options(score, variant)
    operation = ratio_loss(score, options)

    @takes(options)
    def function(pred: ArrayT, target: ArrayT | ArrayLike, /, **given: Any) -> ArrayT:
        return operation(given, pred=pred, target=target)

    name = variant.name if variant else score.loss_name
    title = f"{variant.label} loss: {variant.title}" if variant else f"{_label(score)} loss: 1 - {score.label}"
    return named(
        function,
        name,
        "omniou.losses.masks",
        text_of(
            score,
            title=f"{title}, of probabilities.",
            about=variant.about if variant else f"{score.title}.",
            arguments="""pred : array, shape (B, C, ...)
    Predictions, of a floating dtype; classes may have another axis, see `class_axis`.
target : array, shape (B, ...) or (B, C, ...)
    Labels, or a mask of each class: booleans, or numbers in [0, 1].""",
            options=documented(options),
            returns=f"""array, shape {"(), or (B,)" if score.joins else "(), (B, C) or (C,)"}
    In [0, 1] before weights. Library, device and dtype follow `pred`, see `reduction`. Gradients are finite, also for
    empty and perfect masks.""",
            paper=variant.paper if variant else "",
            example=f"""
>>> import numpy as np
>>> from omniou import losses
>>> probabilities = np.array([[[[1.0, 1.0], [1.0, 0.0]]]])
>>> round(float(losses.masks.{name}(probabilities, [[[1, 0], [0, 0]]]{", alpha=0.5, beta=0.5" if variant else ""})), 6)
{round((1.0 - score.example) ** (0.75 if variant else 1.0), 6)}""",
            raises=_LOSS_RAISES,
        ),
    )


def _label(score: PixelScore) -> str:
    return score.loss_name.capitalize() if score.loss_name != score.name else score.label


_LOSS_RAISES = """TypeError
    If `pred` has no floating dtype, labels are not integers, `where` is not boolean, or the arrays come from two
    libraries.
ValueError
    If shapes do not fit, an option is unknown, a mask of the target lies outside [0, 1], or labels of one class are
    neither 0, 1 nor ignored. On devices other than the CPU and in traced functions, omniou cannot check values: such a
    target makes the loss NaN."""


def _own(score: PixelScore, /) -> list[Any]:
    return [score.options] if score.options else []


_RAISES = """TypeError
    If the libraries or devices differ, or an array holds no numbers.
ValueError
    If the shapes do not fit, or an option is unknown or out of its range."""


def text_of(
    score: PixelScore,
    /,
    *,
    title: str,
    about: str,
    arguments: str,
    options: str,
    returns: str,
    example: str,
    paper: str = "",
    raises: str = _RAISES,
) -> str:
    """The documentation of a function, in the numpydoc convention."""
    more = "\n\n".join(x for x in (score.about, about) if x)
    return inspect.cleandoc(f"""{title}
{more and f"{chr(10)}{more}{chr(10)}"}
Parameters
----------
{arguments}
{options}

Returns
-------
{returns}

Raises
------
{raises}

References
----------
{paper or score.paper}

Examples
--------{example}
""")
