# Written by `python -m omniou._catalogue.stubs` from the declarations: change those.
from omniou._catalogue.geometries.rotated import GEOMETRY as GEOMETRY
from omniou._catalogue.shape_options import AngleUnit, Covariance, Direction, RotatedFormat
from omniou._lib.types import ArrayLike, ArrayT

__all__ = [
    "GEOMETRY",
    "area",
    "bhattacharyya",
    "check",
    "ciou",
    "convert",
    "corners",
    "dice",
    "diou",
    "enclosing",
    "giou",
    "gwd",
    "hellinger",
    "iof",
    "iomin",
    "iou",
    "kfiou",
    "kld",
    "nwd",
    "pairwise_iou",
    "probiou",
    "tiou",
    "wiou",
]

def area(
    x: ArrayT | ArrayLike,
    /,
    *,
    format: RotatedFormat = "cxcywhr",
) -> ArrayT:
    """Area; 0 for a rectangle with a side below 0."""

def bhattacharyya(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    covariance: Covariance = "uniform",
) -> ArrayT:
    """Bhattacharyya distance of both shapes as Gaussians, element by element."""

def check(
    x: ArrayT | ArrayLike,
    /,
    *,
    format: RotatedFormat = "cxcywhr",
) -> None:
    """Raise unless every rectangle is finite, has sides of at least 0, and an angle within two turns."""

def ciou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    detach_alpha: bool = True,
    alpha_above: float | None = None,
) -> ArrayT:
    """Complete IoU: DIoU minus alpha * v, where v compares the aspect ratios and alpha weights it, element by element."""

def convert(
    x: ArrayT | ArrayLike,
    source: str,
    target: str,
    /,
    *,
    unit: AngleUnit = "radians",
    clockwise: bool = True,
    to_unit: AngleUnit = "radians",
    to_clockwise: bool = True,
) -> ArrayT:
    """The same rotated rectangles in another format. Angles may be of another unit or sense of rotation."""

def corners(
    x: ArrayT | ArrayLike,
    /,
    *,
    format: RotatedFormat = "cxcywhr",
) -> ArrayT:
    """The four corners of rectangles, in the order of "xyxyxyxy"."""

def dice(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
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
    format: RotatedFormat = "cxcywhr",
) -> ArrayT:
    """Distance IoU: IoU minus the squared distance of the centres over the hull's squared diagonal, element by element."""

def enclosing(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: RotatedFormat = "cxcywhr",
) -> ArrayT:
    """A rectangle around two: the smaller one of those along the sides of either."""

def giou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
) -> ArrayT:
    """Generalised intersection over union: IoU minus the empty share of the hull, element by element."""

def gwd(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    covariance: Covariance = "inscribed",
    normalize: bool = False,
) -> ArrayT:
    """2-Wasserstein distance of both shapes as Gaussians, in the unit of the coordinates, element by element."""

def hellinger(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    covariance: Covariance = "uniform",
) -> ArrayT:
    """Hellinger distance of both shapes as Gaussians, element by element."""

def iof(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
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
    format: RotatedFormat = "cxcywhr",
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
    format: RotatedFormat = "cxcywhr",
) -> ArrayT:
    """Intersection over union (Jaccard index), element by element."""

def kfiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    covariance: Covariance = "inscribed",
) -> ArrayT:
    """KFIoU: the overlap of both shapes as Gaussians at one place, as Kalman filters multiply them, element by element."""

def kld(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    covariance: Covariance = "inscribed",
    direction: Direction = "forward",
) -> ArrayT:
    """Kullback-Leibler divergence of both shapes as Gaussians, element by element."""

def nwd(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    covariance: Covariance = "inscribed",
    constant: float = 12.8,
) -> ArrayT:
    """Normalised Gaussian Wasserstein distance: exp(-W / constant), with the distance W of `gwd`, element by element."""

def pairwise_iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
) -> ArrayT:
    """IoU of all pairs: short for ``pairwise(rotated.iou, a, b)``."""

def probiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    covariance: Covariance = "uniform",
) -> ArrayT:
    """ProbIoU: 1 minus the Hellinger distance of both shapes as Gaussians, element by element."""

def tiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
) -> ArrayT:
    """Tracking IoU: the smaller area over the hull, element by element."""

def wiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
) -> ArrayT:
    """Wise-IoU: 1 - exp(d^2 / c^2) (1 - IoU), with the distance d of the centres and the hull's diagonal c, element by element."""
