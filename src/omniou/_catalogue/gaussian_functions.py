"""The functions of `omniou.gaussian`: scores of boxes and of rotated rectangles under one name."""

from typing import Annotated, Any, cast

from omniou._catalogue.functions import score_function
from omniou._catalogue.gaussian_scores import GAUSSIANS
from omniou._catalogue.geometries import boxes, rotated
from omniou._catalogue.geometry import Geometry
from omniou._catalogue.options import READING, Option, declared, documented, named, takes
from omniou._catalogue.score import Declaration, Score
from omniou._catalogue.shape_options import BOX_FORMATS, ROTATED_FORMATS, InnerOption, ShapeOptions
from omniou._lib import checks, tracers
from omniou._lib.outer import Outer
from omniou._lib.types import ArrayLike, ArrayT

_BY_NUMBERS = {4: "xyxy", 5: "cxcywhr", 8: "xyxyxyxy"}
_GEOMETRIES = (boxes.GEOMETRY, rotated.GEOMETRY)


class GaussianOptions(ShapeOptions, InnerOption, total=False):
    """Options of every score of Gaussians."""

    format: Annotated[
        str | None,
        Option(
            None,
            f'By default "xyxy", "cxcywhr" or "xyxyxyxy", as the last axis tells. Of boxes: {BOX_FORMATS[0].lower()}'
            f"{BOX_FORMATS[1:]} Of rotated rectangles: {ROTATED_FORMATS}",
            READING,
        ),
    ]
    image_size: Annotated[Any, Option(None, "(height, width), needed by the relative formats of boxes.", READING)]


def _read(x: Any, format: Any, /) -> tuple[Geometry, str]:
    """The geometry of an array, and its format."""
    if format is None:
        array = x.array if isinstance(x, Outer) else x
        while not hasattr(array, "shape") and isinstance(array, list | tuple) and array and isinstance(array[0], list):
            array = array[0]
        shape = tuple(tracers.shape(array)) if hasattr(array, "shape") else (len(array),)
        # A symbolic size of torch has no hash.
        if not any(shape[-1:] == (numbers,) for numbers in _BY_NUMBERS):
            raise ValueError(
                f"`a` must have shape (..., 4), (..., 5) or (..., 8), got {tuple(shape)}: `format` names others"
            )
        format = _BY_NUMBERS[int(shape[-1])]
    checks.choice("format", format, [name for geometry in _GEOMETRIES for name in geometry.formats])
    return next(x for x in _GEOMETRIES if format in x.formats), format


def functions() -> dict[str, Any]:
    """All of them, by name."""
    return {score.name: _function(score) for score in GAUSSIANS}


def _function(score: Score, /) -> Any:
    options = declared(GaussianOptions, score.options)
    of = {geometry: score_function(score, geometry) for geometry in _GEOMETRIES}

    @takes(options)
    def function(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **given: Any) -> ArrayT:
        geometry, given["format"] = _read(a, given["format"])
        if geometry is rotated.GEOMETRY:
            del given["image_size"]
        out: ArrayT = of[geometry](a, b, **given)
        return out

    cast("Any", function).declaration = Declaration(score.higher_is_better)
    return named(function, score.name, "omniou.gaussian", _text(score, documented(options)))


def _text(score: Score, options: str, /) -> str:
    low, high = score.bounds
    about = f"\n{score.about}\n" if score.about else ""
    return f"""{score.title}, element by element.
{about}
Parameters
----------
a, b : array, shape (..., 4), (..., 5) or (..., 8)
    Boxes or rotated rectangles. Leading axes broadcast.
{options}

Returns
-------
array, shape (...)
    In [{low:g}, {high:g}]; {score.empty}.

Raises
------
TypeError, ValueError
    The same as in `omniou.boxes` and `omniou.rotated`.

References
----------
{score.paper}
"""
