# Written by `python -m omniou._catalogue.stubs` from the declarations: change those.
from jax import Array
from jax.typing import ArrayLike
from omniou._catalogue.shape_options import Covariance, Direction, Inverted, Reduction
from omniou._lib.formats import BoxFormat
from omniou_integrations.jax._detection import DetectionAP as DetectionAP
from omniou_integrations.jax._metrics import BoxScore as BoxScore
from omniou_integrations.jax._metrics import MeanIoU as MeanIoU
from omniou_integrations.jax._sums import Axis, mean as mean, sum_and_count as sum_and_count
from typing import Any, Literal

__all__ = [
    "BoxScore",
    "DetectionAP",
    "MeanIoU",
    "bhattacharyya_loss",
    "ciou_loss",
    "dice_loss",
    "diou_loss",
    "eiou_loss",
    "giou_loss",
    "gwd_loss",
    "hellinger_loss",
    "iof_loss",
    "iomin_loss",
    "iou_loss",
    "kfiou_loss",
    "kld_loss",
    "mean",
    "mpdiou_loss",
    "nwd_loss",
    "probiou_loss",
    "shape_iou_loss",
    "siou_loss",
    "sum_and_count",
    "tiou_loss",
    "wiou_loss",
]

def bhattacharyya_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    covariance: Covariance = "uniform",
    axis: Axis = None,
) -> Array:
    """Bhattacharyya loss: the distance, for JAX arrays."""

def ciou_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    detach_alpha: bool = True,
    alpha_above: float | None = None,
    axis: Axis = None,
) -> Array:
    """CIoU loss: 1 - CIoU, for JAX arrays."""

def dice_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    axis: Axis = None,
) -> Array:
    """Dice loss: 1 - Dice, for JAX arrays."""

def diou_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    axis: Axis = None,
) -> Array:
    """DIoU loss: 1 - DIoU, for JAX arrays."""

def eiou_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    axis: Axis = None,
) -> Array:
    """EIoU loss: 1 - EIoU, for JAX arrays."""

def giou_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    axis: Axis = None,
) -> Array:
    """GIoU loss: 1 - GIoU, for JAX arrays."""

def gwd_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    covariance: Covariance = "inscribed",
    normalize: bool = False,
    fun: Literal["log1p", "sqrt", "none"] = "log1p",
    tau: float = 1.0,
    axis: Axis = None,
) -> Array:
    """GWD loss: 1 - 1 / (tau + fun(GWD)), for JAX arrays."""

def hellinger_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    covariance: Covariance = "uniform",
    axis: Axis = None,
) -> Array:
    """Hellinger loss: the distance, for JAX arrays."""

def iof_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    axis: Axis = None,
) -> Array:
    """IoF loss: 1 - IoF, for JAX arrays."""

def iomin_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    axis: Axis = None,
) -> Array:
    """IoMin loss: 1 - IoMin, for JAX arrays."""

def iou_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    log: bool = False,
    floor: float = 1e-06,
    axis: Axis = None,
) -> Array:
    """IoU loss: 1 - IoU, for JAX arrays."""

def kfiou_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    covariance: Covariance = "inscribed",
    fun: Literal["none", "ln", "exp"] = "none",
    axis: Axis = None,
) -> Array:
    """KFIoU loss: 1 - KFIoU, for JAX arrays."""

def kld_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    covariance: Covariance = "inscribed",
    direction: Direction = "forward",
    fun: Literal["log1p", "sqrt", "none"] = "log1p",
    tau: float = 1.0,
    axis: Axis = None,
) -> Array:
    """KLD loss: 1 - 1 / (tau + fun(KLD)), for JAX arrays."""

def mpdiou_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    axis: Axis = None,
) -> Array:
    """MPDIoU loss: 1 - MPDIoU, for JAX arrays."""

def nwd_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    covariance: Covariance = "inscribed",
    constant: float = 12.8,
    axis: Axis = None,
) -> Array:
    """NWD loss: 1 - NWD, for JAX arrays."""

def probiou_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    covariance: Covariance = "uniform",
    axis: Axis = None,
) -> Array:
    """ProbIoU loss: 1 - ProbIoU, for JAX arrays."""

def shape_iou_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    scale: float = 0.0,
    axis: Axis = None,
) -> Array:
    """ShapeIoU loss: 1 - ShapeIoU, for JAX arrays."""

def siou_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    theta: float = 4.0,
    axis: Axis = None,
) -> Array:
    """SIoU loss: 1 - SIoU, for JAX arrays."""

def tiou_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    axis: Axis = None,
) -> Array:
    """TIoU loss: 1 - TIoU, for JAX arrays."""

def wiou_loss(
    pred: ArrayLike,
    target: ArrayLike,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    version: Literal[1, 2, 3] = 1,
    running_mean: Any = None,
    gamma: float = 0.5,
    alpha: float = 1.9,
    delta: float = 3.0,
    axis: Axis = None,
) -> Array:
    """WIoU loss: 1 - WIoU, for JAX arrays."""
