# Written by `python -m omniou._catalogue.stubs` from the declarations: change those.
from omniou._catalogue.geometries.boxes import GEOMETRY as GEOMETRY, INTERVALS as INTERVALS
from omniou._catalogue.shape_options import Covariance, Direction
from omniou._lib.formats import BoxFormat
from omniou._lib.types import ArrayLike, ArrayT
from omniou.boxes._areas import intersection as intersection, union as union
from omniou.boxes._from_masks import from_masks as from_masks
from typing import Any

__all__ = [
    "GEOMETRY",
    "INTERVALS",
    "area",
    "bhattacharyya",
    "check",
    "ciou",
    "convert",
    "dice",
    "diou",
    "eiou",
    "enclosing",
    "from_masks",
    "giou",
    "gwd",
    "hellinger",
    "intersection",
    "iof",
    "iomin",
    "iou",
    "kfiou",
    "kld",
    "mpdiou",
    "nwd",
    "pairwise_iou",
    "probiou",
    "shape_iou",
    "siou",
    "tiou",
    "union",
    "wiou",
]

def area(
    x: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
) -> ArrayT:
    """Area of each box (length in 1-D, volume in 3-D); 0 for an inverted one."""

def bhattacharyya(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    covariance: Covariance = "uniform",
) -> ArrayT:
    """Bhattacharyya distance of both shapes as Gaussians, element by element."""

def check(
    x: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
) -> None:
    """Raise unless every box is finite, not inverted, and within the image if `image_size` is given."""

def ciou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
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
    offset: float = 0.0,
    image_size: Any = None,
) -> ArrayT:
    """The same boxes in another format. Inverted boxes stay inverted."""

def dice(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
) -> ArrayT:
    """Dice coefficient: twice the intersection over the sum of both areas, element by element."""

def diou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
) -> ArrayT:
    """Distance IoU: IoU minus the squared distance of the centres over the hull's squared diagonal, element by element."""

def eiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
) -> ArrayT:
    """Efficient IoU: DIoU minus the squared differences of the sides over the squared sides of the hull, element by element."""

def enclosing(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
) -> ArrayT:
    """Smallest box around both, element by element. Empty boxes count as the points where they lie."""

def giou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
) -> ArrayT:
    """Generalised intersection over union: IoU minus the empty share of the hull, element by element."""

def gwd(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    covariance: Covariance = "inscribed",
    normalize: bool = False,
) -> ArrayT:
    """2-Wasserstein distance of both shapes as Gaussians, in the unit of the coordinates, element by element."""

def hellinger(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    covariance: Covariance = "uniform",
) -> ArrayT:
    """Hellinger distance of both shapes as Gaussians, element by element."""

def iof(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
) -> ArrayT:
    """Intersection over the area of the first shape: COCO's overlap of a detection with a crowd, element by element."""

def iomin(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
) -> ArrayT:
    """Intersection over the smaller area (overlap coefficient): 1 where one shape lies inside the other, element by element."""

def iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
) -> ArrayT:
    """Intersection over union (Jaccard index), element by element."""

def kfiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    covariance: Covariance = "inscribed",
) -> ArrayT:
    """KFIoU: the overlap of both shapes as Gaussians at one place, as Kalman filters multiply them, element by element."""

def kld(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    covariance: Covariance = "inscribed",
    direction: Direction = "forward",
) -> ArrayT:
    """Kullback-Leibler divergence of both shapes as Gaussians, element by element."""

def mpdiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
) -> ArrayT:
    """IoU minus the squared distances of both pairs of corners over the squared diagonal of the image, element by element."""

def nwd(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    covariance: Covariance = "inscribed",
    constant: float = 12.8,
) -> ArrayT:
    """Normalised Gaussian Wasserstein distance: exp(-W / constant), with the distance W of `gwd`, element by element."""

def pairwise_iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
) -> ArrayT:
    """IoU of all pairs: short for ``pairwise(boxes.iou, a, b)``."""

def probiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    covariance: Covariance = "uniform",
) -> ArrayT:
    """ProbIoU: 1 minus the Hellinger distance of both shapes as Gaussians, element by element."""

def shape_iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    scale: float = 0.0,
) -> ArrayT:
    """Shape-IoU: IoU minus a distance cost and a shape cost, weighted by the shape of the second box, element by element."""

def siou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    theta: float = 4.0,
) -> ArrayT:
    """SCYLLA IoU: IoU minus half the sum of a distance cost and a shape cost, element by element."""

def tiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
) -> ArrayT:
    """Tracking IoU: the smaller area over the hull, element by element."""

def wiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
) -> ArrayT:
    """Wise-IoU: 1 - exp(d^2 / c^2) (1 - IoU), with the distance d of the centres and the hull's diagonal c, element by element."""
