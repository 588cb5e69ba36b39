# Written by `python -m omniou._catalogue.stubs` from the declarations: change those.
from omniou._catalogue.geometries.polygons import GEOMETRY as GEOMETRY
from omniou._lib.types import ArrayLike, ArrayT

__all__ = [
    "GEOMETRY",
    "area",
    "check",
    "dice",
    "giou",
    "iof",
    "iomin",
    "iou",
    "pairwise_iou",
    "tiou",
]

def area(
    x: ArrayT | ArrayLike,
    /,
) -> ArrayT:
    """Area by the shoelace formula."""

def check(
    x: ArrayT | ArrayLike,
    /,
) -> None:
    """Raise unless every polygon is finite, convex, and goes around once."""

def dice(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
) -> ArrayT:
    """Dice coefficient: twice the intersection over the sum of both areas, element by element."""

def giou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
) -> ArrayT:
    """Generalised intersection over union: IoU minus the empty share of the hull, element by element."""

def iof(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
) -> ArrayT:
    """Intersection over the area of the first shape: COCO's overlap of a detection with a crowd, element by element."""

def iomin(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
) -> ArrayT:
    """Intersection over the smaller area (overlap coefficient): 1 where one shape lies inside the other, element by element."""

def iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
) -> ArrayT:
    """Intersection over union (Jaccard index), element by element."""

def pairwise_iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
) -> ArrayT:
    """IoU of all pairs: short for ``pairwise(polygons.iou, a, b)``."""

def tiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
) -> ArrayT:
    """Tracking IoU: the smaller area over the hull, element by element."""
