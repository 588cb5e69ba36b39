# Written by `python -m omniou._catalogue.stubs` from the declarations: change those.
from omniou._catalogue.shape_options import Reduction
from omniou._lib.types import ArrayLike, ArrayT
from typing import Any

__all__ = [
    "dice",
    "giou",
    "iof",
    "iomin",
    "iou",
    "tiou",
]

def dice(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
) -> ArrayT:
    """Dice loss: 1 - Dice."""

def giou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
) -> ArrayT:
    """GIoU loss: 1 - GIoU."""

def iof(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
) -> ArrayT:
    """IoF loss: 1 - IoF."""

def iomin(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
) -> ArrayT:
    """IoMin loss: 1 - IoMin."""

def iou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    log: bool = False,
    floor: float = 1e-06,
) -> ArrayT:
    """IoU loss: 1 - IoU."""

def tiou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
) -> ArrayT:
    """TIoU loss: 1 - TIoU."""
