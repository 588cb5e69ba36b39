"""The functions of pixels with their documentation: score x counting, and losses."""

import inspect
from collections.abc import Iterator

from omniou._catalogue import pixel_operations
from omniou._catalogue.mask_calls import COUNTINGS, Counting
from omniou._catalogue.options import documented
from omniou._catalogue.pixel_loss_calls import Variant
from omniou._catalogue.pixel_operations import FOCAL_TVERSKY
from omniou._catalogue.pixel_score import PixelScore, pixel_scores
from omniou._catalogue.sources.function import SETS, FunctionSource
from omniou._lib.split_counts import SplitCounts
from omniou._lib.types import ArrayLike, ArrayT


def mask_sources() -> Iterator[FunctionSource]:
    """The functions of `omniou.masks` that are scores."""
    for counting in COUNTINGS:
        yield from (_mask(score, counting) for score in pixel_scores.values() if counting.has(score))


def _mask(score: PixelScore, counting: Counting, /) -> FunctionSource:
    options = pixel_operations.mask_options(score, counting)
    name = counting.prefix + score.name
    width = ", width=1" if "width" in options else ""
    return FunctionSource(
        name=name,
        operation=pixel_operations.mask_score(score.name, counting),
        expression=f'pixel_operations.mask_score("{score.name}", {counting.prefix.strip("_").upper() or "HARD"})',
        arguments=SETS,
        options=options,
        doc=text_of(
            score,
            title=f"{score.title}, {counting.of}.",
            about=counting.about,
            arguments=f"a, b : array, shape (..., height, width)\n    {counting.text}",
            options=documented(options),
            returns="""array, shape (...)
    In [0, 1]; NaN where a mask has NaN. Library and device follow the input. The dtype is the dtype of floating masks,
    else the widest float of the library. ``pairwise`` takes the function.""",
            paper=counting.paper,
            raises=_MASKS_RAISE,
            example=f"""
>>> from omniou import masks
>>> round(float(masks.{name}([[1, 1], [1, 0]], [[1, 0], [0, 0]]{width})), 6)
{round(score.example, 6)}""",
        ),
    )


# Generalised Dice of classes of 3 and 1 pixels, 1 of each right, predicted 1 and 3 times: weights 1 / 9 and 1.
_JOINED = (2 / 9 + 2) / (4 / 9 + 4)


def class_sources() -> Iterator[FunctionSource]:
    """The functions of `omniou.segmentation` that are scores of classes."""
    return (_class(score) for score in pixel_scores.values() if score.name != "accuracy")


def _class(score: PixelScore, /) -> FunctionSource:
    options = pixel_operations.class_options(score)
    shape = "(...)" if score.joins else "(..., classes) without the averaged axes"
    place, value = ("", _JOINED) if score.joins else ("[1]", score.example)
    return FunctionSource(
        name=score.name,
        operation=pixel_operations.class_score(score.name),
        expression=f'pixel_operations.class_score("{score.name}")',
        arguments={"counts": ArrayT | ArrayLike | SplitCounts},
        options=options,
        doc=text_of(
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


def loss_sources() -> Iterator[FunctionSource]:
    """The losses of `omniou.losses.masks` that are made of scores."""
    yield from map(_loss, pixel_scores.values())
    yield _loss(pixel_scores["tversky"], FOCAL_TVERSKY)


def _loss(score: PixelScore, variant: Variant | None = None, /) -> FunctionSource:
    options = pixel_operations.loss_options(score, variant)
    name = variant.name if variant else score.loss_name
    title = f"{variant.label} loss: {variant.title}" if variant else f"{_label(score)} loss: 1 - {score.label}"
    own = ", FOCAL_TVERSKY" if variant else ""
    return FunctionSource(
        name=name,
        operation=pixel_operations.mask_loss(score.name, variant),
        expression=f'pixel_operations.mask_loss("{score.name}"{own})',
        arguments={"pred": ArrayT, "target": ArrayT | ArrayLike},
        options=options,
        doc=text_of(
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


_RAISES = """TypeError
    If the libraries or devices differ, or an array holds no numbers.
ValueError
    If the shapes do not fit, or an option is unknown or out of its range."""


_MASKS_RAISE = """TypeError
    If the libraries or devices differ, an array holds no numbers, or floats lack the `threshold` that scores of pixels
    that are on or off need.
ValueError
    If the shapes do not fit, an option is unknown or out of its range, or integers are labels: a mask has two numbers
    other than 0. On devices other than the CPU and in traced functions, omniou cannot check values."""


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
