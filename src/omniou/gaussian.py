"""Boxes and rotated rectangles as Gaussians: ProbIoU, NWD, GWD, KLD, KFIoU, Bhattacharyya and Hellinger distance.

A box becomes a Gaussian with its centre as mean and its sides as directions; a side of length w has the variance
w^2 / 12, as a uniform density has (``covariance="uniform"``, the convention of ProbIoU), or (w / 2)^2 (``"inscribed"``,
that of the other papers). Overlaps and distances of Gaussians have a gradient wherever the boxes are, and are smooth in
the angle; a square has none.

The functions take arrays of shape (..., 4), boxes as in `omniou.boxes`, or (..., 5) and (..., 8), rectangles as in
`omniou.rotated`, angles in radians. ``format`` is one of both modules; by default the last axis tells: "xyxy",
"cxcywhr" or "xyxyxyxy". They are those of `boxes` and `rotated` under one roof: ``gaussian.kld(a, b, format="xywh")``
is ``boxes.kld(a, b, format="xywh")``. As losses they are ``losses.kld`` and ``losses.rotated.kld``.

>>> from omniou import gaussian
>>> round(float(gaussian.probiou([0, 0, 4, 2, 0.0], [0, 0, 4, 2, 0.1])), 4)
0.9472
"""

from typing import TYPE_CHECKING, Annotated, Any, Protocol

from omniou import boxes, rotated
from omniou._catalogue.gaussian_scores import GAUSSIANS
from omniou._catalogue.geometry import Geometry
from omniou._catalogue.options import (
    BOX_FORMATS,
    ROTATED_FORMATS,
    InnerOption,
    Option,
    ShapeOptions,
    declared,
    documented,
    named,
    takes,
)
from omniou._catalogue.score import Score
from omniou._lib import checks
from omniou._lib.outer import Outer
from omniou._lib.types import ArrayLike, ArrayT

__all__ = [score.name for score in GAUSSIANS]

_BY_NUMBERS = {4: "xyxy", 5: "cxcywhr", 8: "xyxyxyxy"}
_GEOMETRIES = (boxes.GEOMETRY, rotated.GEOMETRY)


class GaussianOptions(ShapeOptions, InnerOption, total=False):
    """Of every score of Gaussians."""

    format: Annotated[
        str,
        Option(
            None,
            f'By default "xyxy", "cxcywhr" or "xyxyxyxy", as the last axis tells. Of boxes: {BOX_FORMATS[0].lower()}'
            f"{BOX_FORMATS[1:]} Of rotated rectangles: {ROTATED_FORMATS}",
        ),
    ]
    image_size: Annotated[Any, Option(None, "(height, width), needed by the relative formats of boxes.")]


def _read(x: Any, format: Any, /) -> tuple[Geometry, str]:
    """The geometry of an array, and its format."""
    if format is None:
        array = x.array if isinstance(x, Outer) else x
        while not hasattr(array, "shape") and isinstance(array, list | tuple) and array and isinstance(array[0], list):
            array = array[0]
        shape = array.shape if hasattr(array, "shape") else (len(array),)
        if (shape[-1:] or (0,))[0] not in _BY_NUMBERS:
            msg = f"`a` must have shape (..., 4), (..., 5) or (..., 8), got {tuple(shape)}: `format` names others"
            raise ValueError(msg)
        format = _BY_NUMBERS[shape[-1]]
    checks.choice("format", format, [name for geometry in _GEOMETRIES for name in geometry.formats])
    return next(x for x in _GEOMETRIES if format in x.formats), format


def _function(score: Score, /) -> Any:
    options = declared(GaussianOptions, score.options)
    of = {boxes.GEOMETRY: getattr(boxes, score.name), rotated.GEOMETRY: getattr(rotated, score.name)}

    @takes(options)
    def function(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **given: Any) -> ArrayT:
        geometry, given["format"] = _read(a, given["format"])
        if geometry is rotated.GEOMETRY:
            del given["image_size"]
        out: ArrayT = of[geometry](a, b, **given)
        return out

    return named(function, score.name, __name__, _text(score, documented(options)))


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
    As of `omniou.boxes` and `omniou.rotated`.

References
----------
{score.paper}
"""


globals().update({score.name: _function(score) for score in GAUSSIANS})


class GaussianScore(Protocol):
    """A score of Gaussians, element by element; the reference says more of each, and of its own options."""

    def __call__(self, a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Any) -> ArrayT: ...


if TYPE_CHECKING:

    def __getattr__(name: str) -> GaussianScore: ...
