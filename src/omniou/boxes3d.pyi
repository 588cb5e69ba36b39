# Written by `python -m omniou._catalogue.stubs` from the declarations: change those.
from omniou._catalogue.geometries.boxes3d import BEV as BEV, GEOMETRY as GEOMETRY
from omniou._catalogue.shape_options import Boxes3DFormat
from omniou._lib.types import ArrayLike, ArrayT

__all__ = [
    "BEV",
    "GEOMETRY",
    "bev_iou",
    "check",
    "convert",
    "corners",
    "dice",
    "diou",
    "enclosing",
    "giou",
    "iof",
    "iomin",
    "iou",
    "pairwise_iou",
    "tiou",
    "volume",
    "wiou",
]

def bev_iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """Intersection over union (Jaccard index), element by element."""

def check(
    x: ArrayT | ArrayLike,
    /,
    *,
    format: Boxes3DFormat = "xyzlwhr",
) -> None:
    """Raise unless every box is finite, has sides of at least 0, and an angle within two turns."""

def convert(
    x: ArrayT | ArrayLike,
    source: str,
    target: str,
    /,
) -> ArrayT:
    """The same 3-D boxes in another format."""

def corners(
    x: ArrayT | ArrayLike,
    /,
    *,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """The eight corners of boxes, in the frame of "xyzlwhr"."""

def dice(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """Dice coefficient: twice the intersection over the sum of both areas, element by element."""

def diou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """Distance IoU: IoU minus the squared distance of the centres over the hull's squared diagonal, element by element."""

def enclosing(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """An upright box around two: the smaller one of those that are turned as either."""

def giou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """Generalised intersection over union: IoU minus the empty share of the hull, element by element."""

def iof(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """Intersection over the area of the first shape: COCO's overlap of a detection with a crowd, element by element."""

def iomin(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """Intersection over the smaller area (overlap coefficient): 1 where one shape lies inside the other, element by element."""

def iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """Intersection over union (Jaccard index), element by element."""

def pairwise_iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """IoU of all pairs: short for ``pairwise(boxes3d.iou, a, b)``."""

def tiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """Tracking IoU: the smaller area over the hull, element by element."""

def volume(
    x: ArrayT | ArrayLike,
    /,
    *,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """Volume; 0 for a box with a side below 0."""

def wiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """Wise-IoU: 1 - exp(d^2 / c^2) (1 - IoU), with the distance d of the centres and the hull's diagonal c, element by element."""
