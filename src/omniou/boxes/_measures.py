"""Intersection and union as areas, and the shortcut for IoU of all pairs."""

from typing import Any, Unpack

from omniou._catalogue import calls
from omniou._catalogue.options import BoxOptions, CornerOptions, declared, takes
from omniou._catalogue.scores import Score, scores
from omniou._kernels import scores as formulas
from omniou._lib.outer import Columns, Rows
from omniou._lib.types import ArrayLike, ArrayT
from omniou.boxes._geometry import GEOMETRY

# Computed as scores are, but no scores: they have a unit.
_INTERSECTION, _UNION = (
    Score(label=name, title="", formula=formula, paper="", example=((), (), 0.0), bounds=(0.0, float("inf")))
    for name, formula in (("intersection", formulas.intersection), ("union", formulas.union))
)


@takes(declared(CornerOptions))
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
        As of `iou`.

    Examples
    --------
    >>> float(boxes.intersection([0, 0, 2, 2], [1, 1, 3, 3]))
    1.0
    """
    return calls.score(_INTERSECTION, GEOMETRY, a, b, dict(options))


@takes(declared(CornerOptions))
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
        As of `iou`.

    Examples
    --------
    >>> float(boxes.union([0, 0, 2, 2], [1, 1, 3, 3]))
    7.0
    """
    return calls.score(_UNION, GEOMETRY, a, b, dict(options))


@takes(declared(BoxOptions))
def pairwise_iou(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[BoxOptions]) -> ArrayT:
    """IoU of all pairs: short for ``pairwise(boxes.iou, a, b)``.

    Parameters
    ----------
    a, b : array, shape (..., N, 2 * D) and (..., M, 2 * D)
        Two sets of boxes; leading axes broadcast.
    **options

    Returns
    -------
    array, shape (..., N, M)

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    Examples
    --------
    >>> boxes.pairwise_iou([[0, 0, 2, 2]], [[0, 0, 1, 1], [5, 5, 6, 6]]).tolist()
    [[0.25, 0.0]]
    """
    out: Any = calls.score(scores["iou"], GEOMETRY, Rows(a), Columns(b), dict(options))
    return out
