# Written by `python -m omniou._catalogue.stubs` from the declarations: change those.
from omniou._lib.types import ArrayLike, ArrayT
from omniou.masks._boundary import boundary as boundary, boundary_f as boundary_f
from omniou.masks._components import ComponentCounts as ComponentCounts, components as components
from omniou.masks._graded import check as check, graded as graded, mean as mean, reading as reading
from omniou.masks._measures import area as area, intersection as intersection, pairwise_iou as pairwise_iou
from omniou.masks._shapes import from_boxes as from_boxes, from_polygons as from_polygons, from_rotated as from_rotated
from omniou.masks._surface import average_surface_distance as average_surface_distance, hausdorff as hausdorff, signed_distance as signed_distance

__all__ = [
    "ComponentCounts",
    "accuracy",
    "area",
    "average_surface_distance",
    "boundary",
    "boundary_f",
    "boundary_iou",
    "check",
    "components",
    "dice",
    "from_boxes",
    "from_polygons",
    "from_rotated",
    "graded",
    "hausdorff",
    "intersection",
    "iof",
    "iomin",
    "iou",
    "mean",
    "pairwise_iou",
    "precision",
    "reading",
    "recall",
    "signed_distance",
    "soft_accuracy",
    "soft_dice",
    "soft_iof",
    "soft_iomin",
    "soft_iou",
    "soft_precision",
    "soft_recall",
    "soft_tversky",
    "soft_volumetric_similarity",
    "trimap_iou",
    "tversky",
    "volumetric_similarity",
]

def accuracy(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    threshold: float | None = None,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Accuracy: share of all pixels on which both masks agree, on or off, of two masks."""

def boundary_iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    threshold: float | None = None,
    dilation_ratio: float = 0.02,
    width: int | None = None,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Intersection over union (Jaccard index), of the boundaries of two masks: the pixels of each that are near its edge, or near the edge of the image."""

def dice(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    threshold: float | None = None,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Dice coefficient (F1 of pixels): twice the intersection over the sum of both, of two masks."""

def iof(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    threshold: float | None = None,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Intersection over the area of the first mask, the prediction: its share inside the second, of two masks."""

def iomin(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    threshold: float | None = None,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Intersection over the smaller one (overlap coefficient), of two masks."""

def iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    threshold: float | None = None,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Intersection over union (Jaccard index), of two masks."""

def precision(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    threshold: float | None = None,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Precision: share of the predicted pixels that are in the target, of two masks."""

def recall(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    threshold: float | None = None,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Recall (sensitivity): share of the pixels of the target that are predicted, of two masks."""

def soft_accuracy(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    squared: bool = False,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Accuracy: share of all pixels on which both masks agree, on or off, of probabilities."""

def soft_dice(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    squared: bool = False,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Dice coefficient (F1 of pixels): twice the intersection over the sum of both, of probabilities."""

def soft_iof(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    squared: bool = False,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Intersection over the area of the first mask, the prediction: its share inside the second, of probabilities."""

def soft_iomin(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    squared: bool = False,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Intersection over the smaller one (overlap coefficient), of probabilities."""

def soft_iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    squared: bool = False,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Intersection over union (Jaccard index), of probabilities."""

def soft_precision(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    squared: bool = False,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Precision: share of the predicted pixels that are in the target, of probabilities."""

def soft_recall(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    squared: bool = False,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Recall (sensitivity): share of the pixels of the target that are predicted, of probabilities."""

def soft_tversky(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    squared: bool = False,
    zero_division: float = 0.0,
    smooth: float = 0.0,
    alpha: float = 0.5,
    beta: float = 0.5,
) -> ArrayT:
    """Tversky index: I / (I + alpha FP + beta FN), of probabilities."""

def soft_volumetric_similarity(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    squared: bool = False,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Volumetric similarity: 1 minus the difference of both sizes over their sum, of probabilities."""

def trimap_iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    threshold: float | None = None,
    dilation_ratio: float = 0.02,
    width: int | None = None,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Intersection over union (Jaccard index), of two masks within a band around the outline of the second, the ground truth."""

def tversky(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    threshold: float | None = None,
    zero_division: float = 0.0,
    smooth: float = 0.0,
    alpha: float = 0.5,
    beta: float = 0.5,
) -> ArrayT:
    """Tversky index: I / (I + alpha FP + beta FN), of two masks."""

def volumetric_similarity(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    memory: int = 16777216,
    threshold: float | None = None,
    zero_division: float = 0.0,
    smooth: float = 0.0,
) -> ArrayT:
    """Volumetric similarity: 1 minus the difference of both sizes over their sum, of two masks."""
