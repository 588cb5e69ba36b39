# Written by `python -m omniou._catalogue.stubs` from the declarations: change those.
from omniou.rle._columns import MaskError as MaskError
from omniou.rle._overlap import overlap as overlap
from omniou.rle._table import Masks as Masks
from typing import Any

__all__ = [
    "MaskError",
    "Masks",
    "accuracy",
    "dice",
    "iof",
    "iomin",
    "iou",
    "overlap",
    "pairwise_iou",
    "precision",
    "recall",
    "tversky",
    "volumetric_similarity",
]

def accuracy(
    a: Masks,
    b: Masks,
    /,
    *,
    zero_division: float = 0.0,
) -> Any:
    """Accuracy: share of all pixels on which both masks agree, on or off, of run lengths, row by row."""

def dice(
    a: Masks,
    b: Masks,
    /,
    *,
    zero_division: float = 0.0,
) -> Any:
    """Dice coefficient (F1 of pixels): twice the intersection over the sum of both, of run lengths, row by row."""

def iof(
    a: Masks,
    b: Masks,
    /,
    *,
    zero_division: float = 0.0,
) -> Any:
    """Intersection over the area of the first mask, the prediction: its share inside the second, of run lengths, row by row."""

def iomin(
    a: Masks,
    b: Masks,
    /,
    *,
    zero_division: float = 0.0,
) -> Any:
    """Intersection over the smaller one (overlap coefficient), of run lengths, row by row."""

def iou(
    a: Masks,
    b: Masks,
    /,
    *,
    crowd: Any = None,
    zero_division: float = 0.0,
) -> Any:
    """Intersection over union (Jaccard index), of run lengths, row by row."""

def pairwise_iou(
    a: Masks,
    b: Masks,
    /,
    *,
    crowd: Any = None,
    zero_division: float = 0.0,
) -> Any:
    """IoU of all pairs of two tables: short for ``pairwise(rle.iou, a, b)``."""

def precision(
    a: Masks,
    b: Masks,
    /,
    *,
    zero_division: float = 0.0,
) -> Any:
    """Precision: share of the predicted pixels that are in the target, of run lengths, row by row."""

def recall(
    a: Masks,
    b: Masks,
    /,
    *,
    zero_division: float = 0.0,
) -> Any:
    """Recall (sensitivity): share of the pixels of the target that are predicted, of run lengths, row by row."""

def tversky(
    a: Masks,
    b: Masks,
    /,
    *,
    zero_division: float = 0.0,
    alpha: float = 0.5,
    beta: float = 0.5,
) -> Any:
    """Tversky index: I / (I + alpha FP + beta FN), of run lengths, row by row."""

def volumetric_similarity(
    a: Masks,
    b: Masks,
    /,
    *,
    zero_division: float = 0.0,
) -> Any:
    """Volumetric similarity: 1 minus the difference of both sizes over their sum, of run lengths, row by row."""
