"""The scores of `omniou.rle`: each score of pixels, over run lengths."""

from typing import Annotated, Any, TypedDict, cast

from omniou._catalogue.calls import two_sets
from omniou._catalogue.options import (
    COUNTING,
    FORMULA,
    Declared,
    Option,
    checks_of,
    declared,
    documented,
    named,
    of_role,
    takes,
)
from omniou._catalogue.pixel_functions import text_of
from omniou._catalogue.pixel_options import ZeroDivisionOption
from omniou._catalogue.pixel_score import PixelScore, pixel_scores
from omniou._catalogue.score import Declaration
from omniou._lib.outer import Outer
from omniou.rle._overlap import RunQuotient, by_row, of_pairs
from omniou.rle._table import Masks


class CrowdOption(TypedDict, total=False):
    """The option of IoU."""

    crowd: Annotated[
        Any,
        Option(
            None,
            "Booleans (N,): rows of `b` that are regions of many objects. For these, the share of the mask of `a` that "
            "is inside.",
            COUNTING,
        ),
    ]


def functions() -> dict[str, Any]:
    """All of them, by name."""
    made = {score.name: _function(score) for score in pixel_scores.values() if not score.joins}
    return made | {"pairwise_iou": _pairwise_iou()}


def _options(score: PixelScore, /) -> Declared:
    own = [score.options] if score.options else []
    return declared(*([CrowdOption] if score.name == "iou" else []), ZeroDivisionOption, *own)


def _function(score: PixelScore, /) -> Any:
    options = _options(score)
    checks = checks_of(options)

    @takes(options)
    def function(a: Masks, b: Masks, /, **given: Any) -> Any:
        sets: dict[str, Any] = {"a": a, "b": b}
        values = {name: checks[name](x) for name, x in given.items()}
        own = tuple(of_role(options, FORMULA, values).items())
        quotient = RunQuotient(score.formula, own, values["zero_division"])
        if not any(isinstance(x, Outer) for x in sets.values()):
            return by_row(a, b, quotient, values.get("crowd"))
        sets, rows_first = two_sets(sets)
        out = of_pairs(sets["a"], sets["b"], quotient, values.get("crowd"))
        return out if rows_first else out.T

    cast("Any", function).declaration = Declaration(runs=True)
    return named(function, score.name, "omniou.rle", _text(score, options))


def _pairwise_iou() -> Any:
    options = _options(pixel_scores["iou"])
    checks = checks_of(options)

    @takes(options)
    def function(a: Masks, b: Masks, /, **given: Any) -> Any:
        values = {name: checks[name](x) for name, x in given.items()}
        return of_pairs(a, b, RunQuotient(zero_division=values["zero_division"]), values["crowd"])

    doc = f"""IoU of all pairs of two tables: short for ``pairwise(rle.iou, a, b)``.

Parameters
----------
a, b : Masks
    All of one image size.
{documented(options)}

Returns
-------
array of float64, shape (N, M)

Raises
------
ValueError
    If sizes differ.

Examples
--------
>>> from omniou import rle
>>> masks = rle.Masks.from_coco([{{"size": [2, 2], "counts": [0, 3, 1]}}, {{"size": [2, 2], "counts": [2, 2]}}])
>>> rle.pairwise_iou(masks, masks).tolist()
[[1.0, 0.25], [0.25, 1.0]]
"""
    return named(function, "pairwise_iou", "omniou.rle", doc)


def _text(score: PixelScore, options: Declared, /) -> str:
    return text_of(
        score,
        title=f"{score.title}, of run lengths, row by row.",
        about="Equal to pycocotools to the last bit." if score.name == "iou" else "",
        arguments="a, b : Masks\n    Tables of one length; both masks of a row are of one image size.",
        options=documented(options),
        returns="array of float64, shape (N,)\n    In [0, 1]. ``pairwise`` takes the function.",
        raises="TypeError\n    If `a` or `b` is no table.\nValueError\n    If lengths or sizes differ.",
        example=f"""
>>> from omniou import rle
>>> a = rle.Masks.from_coco([{{"size": [2, 2], "counts": [0, 3, 1]}}])
>>> b = rle.Masks.from_coco([{{"size": [2, 2], "counts": [0, 1, 3]}}])
>>> rle.{score.name}(a, b).round(6).tolist()
[{round(score.example, 6)}]""",
    )


globals().update(functions())
