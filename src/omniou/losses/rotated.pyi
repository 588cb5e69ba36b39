# Written by `python -m omniou._catalogue.stubs` from the declarations: change those.
from omniou._catalogue.shape_options import Covariance, Direction, Reduction, RotatedFormat
from omniou._lib.types import ArrayLike, ArrayT
from typing import Any, Literal

__all__ = [
    "bhattacharyya",
    "ciou",
    "dice",
    "diou",
    "giou",
    "gwd",
    "hellinger",
    "iof",
    "iomin",
    "iou",
    "kfiou",
    "kld",
    "nwd",
    "probiou",
    "tiou",
    "wiou",
]

def bhattacharyya(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    covariance: Covariance = "uniform",
) -> ArrayT:
    """Bhattacharyya loss: the distance."""

def ciou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    detach_alpha: bool = True,
    alpha_above: float | None = None,
) -> ArrayT:
    """CIoU loss: 1 - CIoU."""

def dice(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
) -> ArrayT:
    """Dice loss: 1 - Dice."""

def diou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
) -> ArrayT:
    """DIoU loss: 1 - DIoU."""

def giou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
) -> ArrayT:
    """GIoU loss: 1 - GIoU."""

def gwd(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    covariance: Covariance = "inscribed",
    normalize: bool = False,
    fun: Literal["log1p", "sqrt", "none"] = "log1p",
    tau: float = 1.0,
) -> ArrayT:
    """GWD loss: 1 - 1 / (tau + fun(GWD))."""

def hellinger(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    covariance: Covariance = "uniform",
) -> ArrayT:
    """Hellinger loss: the distance."""

def iof(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
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
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
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
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    log: bool = False,
    floor: float = 1e-06,
) -> ArrayT:
    """IoU loss: 1 - IoU."""

def kfiou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    covariance: Covariance = "inscribed",
    fun: Literal["none", "ln", "exp"] = "none",
) -> ArrayT:
    """KFIoU loss: 1 - KFIoU."""

def kld(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    covariance: Covariance = "inscribed",
    direction: Direction = "forward",
    fun: Literal["log1p", "sqrt", "none"] = "log1p",
    tau: float = 1.0,
) -> ArrayT:
    """KLD loss: 1 - 1 / (tau + fun(KLD))."""

def nwd(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    covariance: Covariance = "inscribed",
    constant: float = 12.8,
) -> ArrayT:
    """NWD loss: 1 - NWD."""

def probiou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    covariance: Covariance = "uniform",
) -> ArrayT:
    """ProbIoU loss: 1 - ProbIoU."""

def tiou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
) -> ArrayT:
    """TIoU loss: 1 - TIoU."""

def wiou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    version: Literal[1, 2, 3] = 1,
    running_mean: Any = None,
    gamma: float = 0.5,
    alpha: float = 1.9,
    delta: float = 3.0,
) -> ArrayT:
    """WIoU loss: 1 - WIoU."""
