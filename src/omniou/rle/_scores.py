"""The operations of `omniou.rle`: each score of pixels, over run lengths; and what its functions are written from."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from omniou._catalogue.calls import Deferred, two_sets
from omniou._catalogue.options import COUNTING, FORMULA, Declared, Option, checks_of, declared, documented, of_role
from omniou._catalogue.pixel_options import ZeroDivisionOption
from omniou._catalogue.pixel_score import PixelScore, pixel_scores
from omniou._catalogue.score import Declaration
from omniou._lib.outer import Outer
from omniou.rle._overlap import RunQuotient, by_row, of_pairs
from omniou.rle._table import Masks

if TYPE_CHECKING:
    from omniou._catalogue.sources.function import FunctionSource


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


def score(name: str, /) -> Deferred:
    """A score of two tables, row by row."""

    def make() -> Callable[..., Any]:
        of, options = pixel_scores[name], score_options(pixel_scores[name])
        checks = checks_of(options)

        def run(given: dict[str, Any], a: Any, b: Any) -> Any:
            values = {name: check(given[name]) for name, check in checks.items()}
            own = tuple(of_role(options, FORMULA, values).items())
            quotient = RunQuotient(of.formula, own, values["zero_division"])
            if not isinstance(a, Outer) and not isinstance(b, Outer):
                return by_row(a, b, quotient, values.get("crowd"))
            sets, rows_first = two_sets({"a": a, "b": b})
            out = of_pairs(sets["a"], sets["b"], quotient, values.get("crowd"))
            return out if rows_first else out.T

        return run

    return Deferred(make, declaration=Declaration(runs=True))


def score_options(score: PixelScore, /) -> Declared:
    """Options of a score."""
    own = [score.options] if score.options else []
    return declared(*([CrowdOption] if score.name == "iou" else []), ZeroDivisionOption, *own)


def pairwise_iou() -> Deferred:
    """IoU of all pairs of two tables."""

    def make() -> Callable[..., Any]:
        checks = checks_of(score_options(pixel_scores["iou"]))

        def run(given: dict[str, Any], a: Any, b: Any) -> Any:
            values = {name: check(given[name]) for name, check in checks.items()}
            return of_pairs(a, b, RunQuotient(zero_division=values["zero_division"]), values["crowd"])

        return run

    return Deferred(make)


def sources() -> "Iterator[FunctionSource]":
    """All functions that follow from declarations."""
    # For the tool that writes them.
    from omniou._catalogue.sources.function import FunctionSource

    tables = {"a": Masks, "b": Masks}
    for of in pixel_scores.values():
        if not of.joins:
            yield FunctionSource(
                name=of.name,
                operation=score(of.name),
                expression=f'_scores.score("{of.name}")',
                arguments=tables,
                options=score_options(of),
                returns=Any,
                doc=_text(of, score_options(of)),
            )
    options = score_options(pixel_scores["iou"])
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
    yield FunctionSource(
        name="pairwise_iou",
        operation=pairwise_iou(),
        expression="_scores.pairwise_iou()",
        arguments=tables,
        options=options,
        returns=Any,
        doc=doc,
    )


def _text(score: PixelScore, options: Declared, /) -> str:
    from omniou._catalogue.sources.pixels import text_of

    return text_of(
        score,
        title=f"{score.title}, of run lengths, row by row.",
        about="Equal to pycocotools to the last bit." if score.name == "iou" else "",
        arguments="a, b : Masks\n    Tables of one length; both masks of a row are of one image size.",
        options=documented(options),
        returns="array of float64, shape (N,)\n    In [0, 1]. ``pairwise`` takes the function.",
        raises="TypeError\n    If `a` or `b` is not a table.\nValueError\n    If lengths or sizes differ.",
        example=f"""
>>> from omniou import rle
>>> a = rle.Masks.from_coco([{{"size": [2, 2], "counts": [0, 3, 1]}}])
>>> b = rle.Masks.from_coco([{{"size": [2, 2], "counts": [0, 1, 3]}}])
>>> rle.{score.name}(a, b).round(6).tolist()
[{round(score.example, 6)}]""",
    )
