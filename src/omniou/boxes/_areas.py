"""Intersection and union as areas."""

from typing import Unpack

from omniou._catalogue import shape_calls as calls
from omniou._catalogue.geometries.boxes import GEOMETRY
from omniou._catalogue.options import declared, takes
from omniou._catalogue.score import Score
from omniou._catalogue.shape_options import CornerOptions
from omniou._kernels import scores as formulas
from omniou._lib.types import ArrayLike, ArrayT

_CORNERS = declared(CornerOptions)

# Computed as scores are, but not scores: they have a unit.
_INTERSECTION, _UNION = (
    calls.score_of(
        Score(label=name, title="", formula=formula, paper="", example=((), (), 0.0), bounds=(0.0, float("inf"))),
        GEOMETRY,
        _CORNERS,
    )
    for name, formula in (("intersection", formulas.intersection), ("union", formulas.union))
)


@takes(_CORNERS)
def intersection(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[CornerOptions]) -> ArrayT:
    """Area of the intersection (length in 1-D, volume in 3-D), element by element.

    Parameters
    ----------
    a, b : array, shape (..., 2 * D)
        Boxes in D = 1, 2 or 3 dimensions. Leading axes broadcast.
    **options

    Returns
    -------
    array, shape (...)
        At least 0, in the unit of the coordinates to the power D.

    Raises
    ------
    TypeError, ValueError
        The same as `iou`.

    Examples
    --------
    >>> float(boxes.intersection([0, 0, 2, 2], [1, 1, 3, 3]))
    1.0
    """
    return _INTERSECTION(options, a=a, b=b)


@takes(_CORNERS)
def union(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[CornerOptions]) -> ArrayT:
    """Area of the union (length in 1-D, volume in 3-D), element by element.

    Parameters
    ----------
    a, b : array, shape (..., 2 * D)
        Boxes in D = 1, 2 or 3 dimensions. Leading axes broadcast.
    **options

    Returns
    -------
    array, shape (...)
        At least 0, in the unit of the coordinates to the power D.

    Raises
    ------
    TypeError, ValueError
        The same as `iou`.

    Examples
    --------
    >>> float(boxes.union([0, 0, 2, 2], [1, 1, 3, 3]))
    7.0
    """
    return _UNION(options, a=a, b=b)
