"""Rotated rectangles: formats in, scores out.

A rectangle has a centre, two sides and an angle in radians. The angle is positive from x towards y, which is clockwise
on a screen whose y points down. All functions read formats and arrays as `omniou.boxes` does:

- ``cxcywhr`` (default): centre, sides, angle;
- ``xywhr``: first corner, sides, angle, as torchvision calls it: the corner that is low in x and y before the turn;
- ``xyxyxyxy``: four corners along the outline, either way round. Of a quadrilateral that is no rectangle, the rectangle
  with the means of opposite edges as its sides: `omniou.polygons` compares such shapes as they are.

Peers measure angles differently; `convert` takes their unit and their sense of rotation:

- degrees, counterclockwise on a screen: torchvision, detectron2 (``unit="degrees", clockwise=False``);
- degrees, clockwise: powerboxes; radians, clockwise: mmrotate, ultralytics, OpenCV's boxes after conversion.

The scores are those of the table `omniou.scores` whose terms rectangles have: ``rotated.iou``, ``rotated.giou`` and so
on. The intersection is a closed form without tolerances, exact to rounding also for rectangles that nearly coincide.
The hull of ``giou`` is the convex hull of both, which of two upright boxes is smaller than the enclosing box that
`boxes.giou` takes. The enclosing rectangle of ``diou`` and ``ciou`` is the smaller one of those along the sides of
either rectangle: at equal angles both scores are those of `omniou.boxes`.
"""

import math
from typing import TYPE_CHECKING, Any, Literal, Protocol, Unpack

from omniou._catalogue import calls
from omniou._catalogue.functions import score_functions
from omniou._catalogue.geometry import Geometry
from omniou._catalogue.options import ROTATED_FORMATS, RotatedFormat, RotatedOptions, declared, takes
from omniou._catalogue.scores import scores
from omniou._kernels import rotated as kernels
from omniou._lib import backends, checks
from omniou._lib.arrays import namespace_of
from omniou._lib.docs import says
from omniou._lib.outer import Columns, Rows
from omniou._lib.types import ArrayLike, ArrayT, Namespace
from omniou._lib.values import raise_first

if TYPE_CHECKING:
    from omniou._catalogue.options import RotatedCIoUOptions


def _convert(x: Any, _image_sides: Any, /, *, layouts: tuple[str, str], dtypes: Any, xp: Namespace) -> Any:
    return kernels.convert(x, layouts=layouts, scales=(1.0, 1.0), dtypes=dtypes, xp=xp)


GEOMETRY = Geometry(
    name="rotated rectangles",
    formats={"cxcywhr": (5,), "xywhr": (5,), "xyxyxyxy": (8,)},
    canonical=kernels.canonical,
    terms=kernels.RotatedTerms,
    bounds=kernels.bounds,
    outline=kernels.outline,
    convert=_convert,
    doubts=kernels.doubts,
    harmless=lambda numbers: (0.0, 0.0, 1.0, 1.0, 0.0) if numbers == 5 else (0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0),
    layout=lambda options: options.get("format", "cxcywhr"),
    of_box=lambda box: [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2, box[2] - box[0], box[3] - box[1], 0.0],
    prunes=True,
    options=RotatedOptions,
    module="omniou.rotated",
    numbers="5",
    text='Rectangles; (..., 8) for the format "xyxyxyxy".',
)

_SCORES = score_functions(GEOMETRY)
globals().update(_SCORES)

__all__ = ["GEOMETRY", "area", "check", "convert", "corners", "enclosing", "pairwise_iou"]
__all__ += list(_SCORES)


class RotatedScore(Protocol):
    """A score of rotated rectangles, element by element; the reference says more of each."""

    def __call__(
        self, a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[RotatedOptions]
    ) -> ArrayT: ...


if TYPE_CHECKING:

    class RotatedCIoU(Protocol):
        """The same with `detach_alpha`."""

        def __call__(
            self, a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[RotatedCIoUOptions]
        ) -> ArrayT: ...

    ciou: RotatedCIoU

    def __getattr__(name: str) -> RotatedScore: ...


@takes(declared(RotatedOptions))
def pairwise_iou(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[RotatedOptions]) -> ArrayT:
    """IoU of all pairs: short for ``pairwise(rotated.iou, a, b)``.

    Parameters
    ----------
    a, b : array, shape (..., N, 5) and (..., M, 5)
        Two sets of rectangles; leading axes broadcast.
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
    >>> from omniou import rotated
    >>> rotated.pairwise_iou([[0, 0, 2, 2, 0]], [[0, 0, 2, 2, 0], [5, 5, 1, 1, 0.3]]).tolist()
    [[1.0, 0.0]]
    """
    out: Any = calls.score(scores["iou"], GEOMETRY, Rows(a), Columns(b), dict(options))
    return out


@says(formats=ROTATED_FORMATS)
def area(x: ArrayT | ArrayLike, /, *, format: RotatedFormat = "cxcywhr") -> ArrayT:
    """Area; 0 for a rectangle with a side below 0.

    Parameters
    ----------
    x : array, shape (..., 5) or (..., 8)
        Rectangles.
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        {formats}

    Returns
    -------
    array, shape (...)

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    Examples
    --------
    >>> float(rotated.area([0, 0, 3, 2, 0.5]))
    6.0
    """
    xp, (array,), _, layout, dtypes = calls.opened(GEOMETRY, {"format": format}, x=x)
    return backends.run(kernels.area, array, layout=layout, dtypes=dtypes, xp=xp)


@says(formats=ROTATED_FORMATS)
def corners(x: ArrayT | ArrayLike, /, *, format: RotatedFormat = "cxcywhr") -> ArrayT:
    """The four corners of rectangles, in the order of "xyxyxyxy".

    Parameters
    ----------
    x : array, shape (..., 5) or (..., 8)
        Rectangles.
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        {formats}

    Returns
    -------
    array, shape (..., 4, 2)
        Before the turn: low corner, high x, high corner, high y.

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    Examples
    --------
    >>> rotated.corners([0, 0, 4, 2, 0]).tolist()
    [[-2.0, -1.0], [2.0, -1.0], [2.0, 1.0], [-2.0, 1.0]]
    """
    flat: Any = convert(x, format, "xyxyxyxy")
    out: ArrayT = namespace_of("x", flat).reshape(flat, (*flat.shape[:-1], 4, 2))
    return out


@says(formats=ROTATED_FORMATS)
def convert(
    x: ArrayT | ArrayLike,
    source: RotatedFormat,
    target: RotatedFormat,
    /,
    *,
    unit: Literal["radians", "degrees"] = "radians",
    clockwise: bool = True,
    to_unit: Literal["radians", "degrees"] = "radians",
    to_clockwise: bool = True,
) -> ArrayT:
    """The same rectangles in another format, with angles of another unit or sense of rotation.

    Parameters
    ----------
    x : array, shape (..., 5) or (..., 8)
        Rectangles.
    source, target : {"cxcywhr", "xywhr", "xyxyxyxy"}
        {formats}
    unit, to_unit : {"radians", "degrees"}
        Of the angles of `x` and of the result. All other functions take radians.
    clockwise, to_clockwise : bool
        Whether positive angles turn x towards y, clockwise on a screen whose y points down. All other functions take
        them so; torchvision and detectron2 do not.

    Returns
    -------
    array, shape (..., 5) or (..., 8)
        From corners, the first side is the one between the first two, and the angle in (-pi, pi].

    Raises
    ------
    TypeError, ValueError
        If the array holds no real numbers, its shape does not fit, or a format or unit is unknown.

    Examples
    --------
    >>> rotated.convert([5, 5, 4, 2, 90], "cxcywhr", "xyxyxyxy", unit="degrees").tolist()
    [6.0, 3.0, 6.0, 7.0, 4.0, 7.0, 4.0, 3.0]
    """
    GEOMETRY.check_format(source, "source")
    GEOMETRY.check_format(target, "target")
    scales = _radians("unit", unit, clockwise=clockwise), _radians("to_unit", to_unit, clockwise=to_clockwise)
    xp, (array,), _, layout, dtypes = calls.opened(GEOMETRY, {"format": source}, x=x)
    return backends.run(kernels.convert, array, layouts=(layout, target), scales=scales, dtypes=dtypes, xp=xp)


def _radians(name: str, unit: str, /, *, clockwise: bool) -> float:
    """Radians of our sense of rotation in one of this unit."""
    checks.choice(name, unit, ("radians", "degrees"))
    return (1.0 if clockwise else -1.0) * (math.pi / 180.0 if unit == "degrees" else 1.0)


@says(formats=ROTATED_FORMATS)
def enclosing(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, *, format: RotatedFormat = "cxcywhr") -> ArrayT:
    """A rectangle around two: the smaller one of those along the sides of either.

    Parameters
    ----------
    a, b : array, shape (..., 5) or (..., 8)
        Rectangles. Leading axes broadcast.
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        {formats}

    Returns
    -------
    array, shape (..., 5)
        As "cxcywhr".

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    Examples
    --------
    >>> rotated.enclosing([1, 1, 2, 2, 0], [4, 1, 2, 1, 0]).tolist()
    [2.5, 1.0, 5.0, 2.0, 0.0]
    """
    xp, (p, q), _, layout, dtypes = calls.opened(GEOMETRY, {"format": format}, a=a, b=b)
    return backends.run(kernels.enclosing, p, q, layout=layout, dtypes=dtypes, xp=xp)


@says(formats=ROTATED_FORMATS)
def check(x: Any, /, *, format: RotatedFormat = "cxcywhr") -> None:
    """Raise unless every rectangle is finite, has sides of at least 0, and an angle within two turns.

    Degrees passed for radians are found by the last. Four corners must be those of a rectangle, to a hundredth of its
    longer side.

    Parameters
    ----------
    x : array, shape (..., 5) or (..., 8)
        Rectangles.
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        {formats}

    Raises
    ------
    ValueError
        Naming the first bad row, what is wrong with it, and its numbers.

    Examples
    --------
    >>> rotated.check([[0, 0, 4, 2, 0.5], [0, 0, 4, 2, 90]])
    Traceback (most recent call last):
        ...
    ValueError: `x[1]` has an angle beyond two turns, as degrees have in [0.0, 0.0, 4.0, 2.0, 90.0]
    """
    xp, (array,), _, layout, (compute, _) = calls.opened(GEOMETRY, {"format": format}, x=x)
    raise_first("x", array, kernels.faults(array, layout=layout, dtype=compute, xp=xp), xp=xp)
