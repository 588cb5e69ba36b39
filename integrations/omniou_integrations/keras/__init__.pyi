# Written by `python -m omniou._catalogue.stubs` from the declarations: change those.
from omniou._catalogue.pixel_options import Activation, Counted, Labels, Per, Weighting
from omniou._catalogue.shape_options import Covariance, Direction, Inverted
from omniou._lib.formats import BoxFormat
from omniou_integrations.keras._callback import DetectionCallback as DetectionCallback
from omniou_integrations.keras._losses import BoxLoss
from omniou_integrations.keras._mask_losses import MaskLoss
from omniou_integrations.keras._metrics import BoxIoU as BoxIoU
from omniou_integrations.keras._segmentation import BinaryIoU as BinaryIoU, MeanIoU as MeanIoU, SegmentationScore as SegmentationScore
from typing import Any, Literal

__all__ = [
    "BhattacharyyaLoss",
    "BinaryIoU",
    "BoxIoU",
    "CIoULoss",
    "DIoULoss",
    "DetectionCallback",
    "DiceLoss",
    "EIoULoss",
    "GIoULoss",
    "GWDLoss",
    "HellingerLoss",
    "IoFLoss",
    "IoMinLoss",
    "IoULoss",
    "KFIoULoss",
    "KLDLoss",
    "MPDIoULoss",
    "MaskAccuracyLoss",
    "MaskDiceLoss",
    "MaskFocalTverskyLoss",
    "MaskGeneralisedDiceLoss",
    "MaskIoFLoss",
    "MaskIoMinLoss",
    "MaskJaccardLoss",
    "MaskLovaszLoss",
    "MaskPrecisionLoss",
    "MaskRecallLoss",
    "MaskTverskyLoss",
    "MaskVolumetricSimilarityLoss",
    "MeanIoU",
    "NWDLoss",
    "ProbIoULoss",
    "SIoULoss",
    "SegmentationScore",
    "ShapeIoULoss",
    "TIoULoss",
    "WIoULoss",
]

class BhattacharyyaLoss(BoxLoss):
    """Bhattacharyya loss: the distance, for Keras."""

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        covariance: Covariance = "uniform",
    ) -> None: ...

class CIoULoss(BoxLoss):
    """CIoU loss: 1 - CIoU, for Keras."""

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        detach_alpha: bool = True,
        alpha_above: float | None = None,
    ) -> None: ...

class DIoULoss(BoxLoss):
    """DIoU loss: 1 - DIoU, for Keras."""

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
    ) -> None: ...

class DiceLoss(BoxLoss):
    """Dice loss: 1 - Dice, for Keras."""

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
    ) -> None: ...

class EIoULoss(BoxLoss):
    """EIoU loss: 1 - EIoU, for Keras."""

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
    ) -> None: ...

class GIoULoss(BoxLoss):
    """GIoU loss: 1 - GIoU, for Keras."""

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
    ) -> None: ...

class GWDLoss(BoxLoss):
    """GWD loss: 1 - 1 / (tau + fun(GWD)), for Keras."""

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        covariance: Covariance = "inscribed",
        normalize: bool = False,
        fun: Literal["log1p", "sqrt", "none"] = "log1p",
        tau: float = 1.0,
    ) -> None: ...

class HellingerLoss(BoxLoss):
    """Hellinger loss: the distance, for Keras."""

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        covariance: Covariance = "uniform",
    ) -> None: ...

class IoFLoss(BoxLoss):
    """IoF loss: 1 - IoF, for Keras."""

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
    ) -> None: ...

class IoMinLoss(BoxLoss):
    """IoMin loss: 1 - IoMin, for Keras."""

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
    ) -> None: ...

class IoULoss(BoxLoss):
    """IoU loss: 1 - IoU, for Keras."""

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        log: bool = False,
        floor: float = 1e-06,
    ) -> None: ...

class KFIoULoss(BoxLoss):
    """KFIoU loss: 1 - KFIoU, for Keras."""

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        covariance: Covariance = "inscribed",
        fun: Literal["none", "ln", "exp"] = "none",
    ) -> None: ...

class KLDLoss(BoxLoss):
    """KLD loss: 1 - 1 / (tau + fun(KLD)), for Keras."""

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        covariance: Covariance = "inscribed",
        direction: Direction = "forward",
        fun: Literal["log1p", "sqrt", "none"] = "log1p",
        tau: float = 1.0,
    ) -> None: ...

class MPDIoULoss(BoxLoss):
    """MPDIoU loss: 1 - MPDIoU, for Keras."""

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
    ) -> None: ...

class MaskAccuracyLoss(MaskLoss):
    """Accuracy loss: 1 - Accuracy, of probabilities, for Keras."""

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        classes: Counted = "all",
        squared: bool = False,
        smooth: float = 0.0,
        zero_division: float = 0.0,
    ) -> None: ...

class MaskDiceLoss(MaskLoss):
    """Dice loss: 1 - Dice, of probabilities, for Keras."""

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        classes: Counted = "all",
        squared: bool = False,
        smooth: float = 0.0,
        zero_division: float = 0.0,
    ) -> None: ...

class MaskFocalTverskyLoss(MaskLoss):
    """Focal Tversky loss: the Tversky loss of each class to the power 1 / gamma, of probabilities, for Keras."""

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        classes: Counted = "all",
        squared: bool = False,
        smooth: float = 0.0,
        zero_division: float = 0.0,
        alpha: float = 0.3,
        beta: float = 0.7,
        gamma: float = 1.3333333333333333,
    ) -> None: ...

class MaskGeneralisedDiceLoss(MaskLoss):
    """GeneralisedDice loss: 1 - GeneralisedDice, of probabilities, for Keras."""

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        squared: bool = False,
        smooth: float = 0.0,
        zero_division: float = 0.0,
        weighting: Weighting = "square",
    ) -> None: ...

class MaskIoFLoss(MaskLoss):
    """IoF loss: 1 - IoF, of probabilities, for Keras."""

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        classes: Counted = "all",
        squared: bool = False,
        smooth: float = 0.0,
        zero_division: float = 0.0,
    ) -> None: ...

class MaskIoMinLoss(MaskLoss):
    """IoMin loss: 1 - IoMin, of probabilities, for Keras."""

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        classes: Counted = "all",
        squared: bool = False,
        smooth: float = 0.0,
        zero_division: float = 0.0,
    ) -> None: ...

class MaskJaccardLoss(MaskLoss):
    """Jaccard loss: 1 - IoU, of probabilities, for Keras."""

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        classes: Counted = "all",
        squared: bool = False,
        smooth: float = 0.0,
        zero_division: float = 0.0,
    ) -> None: ...

class MaskLovaszLoss(MaskLoss):
    """Lovasz-softmax loss: the convex extension of 1 - IoU, at the errors of probabilities, for Keras."""

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        classes: Counted = "present",
    ) -> None: ...

class MaskPrecisionLoss(MaskLoss):
    """Precision loss: 1 - Precision, of probabilities, for Keras."""

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        classes: Counted = "all",
        squared: bool = False,
        smooth: float = 0.0,
        zero_division: float = 0.0,
    ) -> None: ...

class MaskRecallLoss(MaskLoss):
    """Recall loss: 1 - Recall, of probabilities, for Keras."""

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        classes: Counted = "all",
        squared: bool = False,
        smooth: float = 0.0,
        zero_division: float = 0.0,
    ) -> None: ...

class MaskTverskyLoss(MaskLoss):
    """Tversky loss: 1 - Tversky, of probabilities, for Keras."""

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        classes: Counted = "all",
        squared: bool = False,
        smooth: float = 0.0,
        zero_division: float = 0.0,
        alpha: float = 0.5,
        beta: float = 0.5,
    ) -> None: ...

class MaskVolumetricSimilarityLoss(MaskLoss):
    """VolumetricSimilarity loss: 1 - VolumetricSimilarity, of probabilities, for Keras."""

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        classes: Counted = "all",
        squared: bool = False,
        smooth: float = 0.0,
        zero_division: float = 0.0,
    ) -> None: ...

class NWDLoss(BoxLoss):
    """NWD loss: 1 - NWD, for Keras."""

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        covariance: Covariance = "inscribed",
        constant: float = 12.8,
    ) -> None: ...

class ProbIoULoss(BoxLoss):
    """ProbIoU loss: 1 - ProbIoU, for Keras."""

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        covariance: Covariance = "uniform",
    ) -> None: ...

class SIoULoss(BoxLoss):
    """SIoU loss: 1 - SIoU, for Keras."""

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        theta: float = 4.0,
    ) -> None: ...

class ShapeIoULoss(BoxLoss):
    """ShapeIoU loss: 1 - ShapeIoU, for Keras."""

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        scale: float = 0.0,
    ) -> None: ...

class TIoULoss(BoxLoss):
    """TIoU loss: 1 - TIoU, for Keras."""

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
    ) -> None: ...

class WIoULoss(BoxLoss):
    """WIoU loss: 1 - WIoU, for Keras."""

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        version: Literal[1, 2, 3] = 1,
        running_mean: Any = None,
        gamma: float = 0.5,
        alpha: float = 1.9,
        delta: float = 3.0,
    ) -> None: ...
