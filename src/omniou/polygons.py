"""Convex polygons of a fixed number of vertices: scores of their exact overlap.

A polygon is an array (..., V, 2) of vertices x, y along its outline, either way round. Vertices may repeat, so that
polygons with fewer vertices fit an array of more. All functions take arrays as `omniou.boxes` does.

The scores are those of the table `omniou.scores` whose terms polygons have: ``polygons.iou``, ``polygons.iof``,
``polygons.giou`` and so on. The intersection is a sum over pairs of edges in closed form, without clipping, sorting or
tolerances. It is exact to rounding, and holds for polygons that are not convex, too; the hull of ``giou`` is convex.
"""

from typing import TYPE_CHECKING, Any, Protocol, Unpack

from omniou._catalogue import calls
from omniou._catalogue.functions import score_functions
from omniou._catalogue.geometry import Geometry
from omniou._catalogue.options import ShapeOptions, declared, takes
from omniou._catalogue.scores import scores
from omniou._kernels import polygons as kernels
from omniou._lib import backends
from omniou._lib.outer import Columns, Rows
from omniou._lib.types import ArrayLike, ArrayT
from omniou._lib.values import raise_first


def _harmless(numbers: int) -> tuple[float, ...]:
    # A triangle, whose last vertex is repeated.
    return (0.0, 0.0, 1.0, 0.0, *(0.0, 1.0) * (numbers // 2 - 2))


GEOMETRY = Geometry(
    name="polygons",
    formats={"vertices": range(6, 2**20, 2)},
    canonical=kernels.canonical,
    terms=kernels.PolygonTerms,
    bounds=kernels.bounds,
    outline=kernels.outline,
    harmless=_harmless,
    axes=2,
    prunes=True,
    of_box=lambda box: [[box[0], box[1]], [box[2], box[1]], [box[2], box[3]], [box[0], box[3]]],
    options=ShapeOptions,
    module="omniou.polygons",
    numbers="V, 2",
    text="Vertices along the outline of convex polygons.",
)

_SCORES = score_functions(GEOMETRY)
globals().update(_SCORES)

__all__ = ["GEOMETRY", "area", "check", "pairwise_iou"]
__all__ += list(_SCORES)


class PolygonScore(Protocol):
    """A score of polygons, element by element; the reference says more of each."""

    def __call__(self, a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[ShapeOptions]) -> ArrayT: ...


if TYPE_CHECKING:

    def __getattr__(name: str) -> PolygonScore: ...


@takes(declared(ShapeOptions))
def pairwise_iou(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[ShapeOptions]) -> ArrayT:
    """IoU of all pairs: short for ``pairwise(polygons.iou, a, b)``.

    Parameters
    ----------
    a, b : array, shape (..., N, V, 2) and (..., M, V, 2)
        Two sets of polygons; leading axes broadcast.
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
    >>> from omniou import polygons
    >>> polygons.pairwise_iou([[[0, 0], [2, 0], [0, 2]]], [[[0, 0], [2, 0], [0, 2]], [[2, 2], [2, 0], [0, 2]]]).tolist()
    [[1.0, 0.0]]
    """
    out: Any = calls.score(scores["iou"], GEOMETRY, Rows(a), Columns(b), dict(options))
    return out


def area(x: ArrayT | ArrayLike, /) -> ArrayT:
    """Area by the shoelace formula.

    Parameters
    ----------
    x : array, shape (..., V, 2)
        Polygons.

    Returns
    -------
    array, shape (...)

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    Examples
    --------
    >>> float(polygons.area([[0, 0], [4, 0], [0, 3]]))
    6.0
    """
    xp, (array,), _, _, dtypes = calls.opened(GEOMETRY, {}, x=x)
    return backends.run(kernels.area, array, dtypes=dtypes, xp=xp)


def check(x: Any, /) -> None:
    """Raise unless every polygon is finite, convex, and goes around once.

    Parameters
    ----------
    x : array, shape (..., V, 2)
        Polygons.

    Raises
    ------
    ValueError
        Naming the first bad row, what is wrong with it, and its vertices.

    Examples
    --------
    >>> polygons.check([[0, 0], [2, 2], [2, 0], [0, 2]])
    Traceback (most recent call last):
        ...
    ValueError: `x` is not convex in [0.0, 0.0, 2.0, 2.0, 2.0, 0.0, 0.0, 2.0]
    """
    xp, (array,), _, _, (compute, _) = calls.opened(GEOMETRY, {}, x=x)
    raise_first("x", array, kernels.faults(array, dtype=compute, xp=xp), xp=xp)
