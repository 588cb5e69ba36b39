# Written by `python -m omniou._catalogue.stubs` from the declarations: change those.
from omniou._catalogue.pixel_options import Weighting
from omniou._lib.split_counts import SplitCounts as SplitCounts
from omniou._lib.types import ArrayLike, ArrayT
from omniou.segmentation._confusion import check as check, confusion as confusion
from omniou.segmentation._scores import accuracy as accuracy, frequency_weighted_iou as frequency_weighted_iou
from typing import Any, Literal

__all__ = [
    "SplitCounts",
    "accuracy",
    "check",
    "confusion",
    "dice",
    "frequency_weighted_iou",
    "generalised_dice",
    "iof",
    "iomin",
    "iou",
    "precision",
    "recall",
    "tversky",
    "volumetric_similarity",
]

def dice(
    counts: ArrayT | ArrayLike | SplitCounts,
    /,
    *,
    images: Literal["keep", "pool", "mean"] = "keep",
    average: Literal["none", "macro", "micro", "weighted"] = "none",
    present: Literal["either", "target", "all"] = "either",
    classes: Any = None,
    zero_division: float = 0.0,
) -> ArrayT:
    """Dice coefficient (F1 of pixels): twice the intersection over the sum of both, of the classes of confusion counts."""

def generalised_dice(
    counts: ArrayT | ArrayLike | SplitCounts,
    /,
    *,
    images: Literal["keep", "pool", "mean"] = "keep",
    classes: Any = None,
    zero_division: float = 0.0,
    weighting: Weighting = "square",
) -> ArrayT:
    """Generalised Dice: Dice of all classes as one, each weighted by the inverse of its size, of the classes of confusion counts."""

def iof(
    counts: ArrayT | ArrayLike | SplitCounts,
    /,
    *,
    images: Literal["keep", "pool", "mean"] = "keep",
    average: Literal["none", "macro", "micro", "weighted"] = "none",
    present: Literal["either", "target", "all"] = "either",
    classes: Any = None,
    zero_division: float = 0.0,
) -> ArrayT:
    """Intersection over the area of the first mask, the prediction: its share inside the second, of the classes of confusion counts."""

def iomin(
    counts: ArrayT | ArrayLike | SplitCounts,
    /,
    *,
    images: Literal["keep", "pool", "mean"] = "keep",
    average: Literal["none", "macro", "micro", "weighted"] = "none",
    present: Literal["either", "target", "all"] = "either",
    classes: Any = None,
    zero_division: float = 0.0,
) -> ArrayT:
    """Intersection over the smaller one (overlap coefficient), of the classes of confusion counts."""

def iou(
    counts: ArrayT | ArrayLike | SplitCounts,
    /,
    *,
    images: Literal["keep", "pool", "mean"] = "keep",
    average: Literal["none", "macro", "micro", "weighted"] = "none",
    present: Literal["either", "target", "all"] = "either",
    classes: Any = None,
    zero_division: float = 0.0,
) -> ArrayT:
    """Intersection over union (Jaccard index), of the classes of confusion counts."""

def precision(
    counts: ArrayT | ArrayLike | SplitCounts,
    /,
    *,
    images: Literal["keep", "pool", "mean"] = "keep",
    average: Literal["none", "macro", "micro", "weighted"] = "none",
    present: Literal["either", "target", "all"] = "either",
    classes: Any = None,
    zero_division: float = 0.0,
) -> ArrayT:
    """Precision: share of the predicted pixels that are in the target, of the classes of confusion counts."""

def recall(
    counts: ArrayT | ArrayLike | SplitCounts,
    /,
    *,
    images: Literal["keep", "pool", "mean"] = "keep",
    average: Literal["none", "macro", "micro", "weighted"] = "none",
    present: Literal["either", "target", "all"] = "either",
    classes: Any = None,
    zero_division: float = 0.0,
) -> ArrayT:
    """Recall (sensitivity): share of the pixels of the target that are predicted, of the classes of confusion counts."""

def tversky(
    counts: ArrayT | ArrayLike | SplitCounts,
    /,
    *,
    images: Literal["keep", "pool", "mean"] = "keep",
    average: Literal["none", "macro", "micro", "weighted"] = "none",
    present: Literal["either", "target", "all"] = "either",
    classes: Any = None,
    zero_division: float = 0.0,
    alpha: float = 0.5,
    beta: float = 0.5,
) -> ArrayT:
    """Tversky index: I / (I + alpha FP + beta FN), of the classes of confusion counts."""

def volumetric_similarity(
    counts: ArrayT | ArrayLike | SplitCounts,
    /,
    *,
    images: Literal["keep", "pool", "mean"] = "keep",
    average: Literal["none", "macro", "micro", "weighted"] = "none",
    present: Literal["either", "target", "all"] = "either",
    classes: Any = None,
    zero_division: float = 0.0,
) -> ArrayT:
    """Volumetric similarity: 1 minus the difference of both sizes over their sum, of the classes of confusion counts."""
