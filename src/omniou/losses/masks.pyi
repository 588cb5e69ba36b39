# Written by `python -m omniou._catalogue.stubs` from the declarations: change those.
from omniou._catalogue.pixel_options import Activation, Counted, Labels, MaskReduction, Per, Weighting
from omniou._lib.types import ArrayLike, ArrayT
from omniou.losses._pixels import boundary as boundary, check as check, lovasz_hinge as lovasz_hinge, lovasz_softmax as lovasz_softmax
from typing import Any

__all__ = [
    "accuracy",
    "boundary",
    "check",
    "dice",
    "focal_tversky",
    "generalised_dice",
    "iof",
    "iomin",
    "jaccard",
    "lovasz_hinge",
    "lovasz_softmax",
    "precision",
    "recall",
    "tversky",
    "volumetric_similarity",
]

def accuracy(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    ignore_index: Labels = None,
    per: Per = "image",
    reduction: MaskReduction = "mean",
    class_axis: int | None = None,
    activation: Activation = "none",
    class_weight: Any = None,
    classes: Counted = "all",
    squared: bool = False,
    smooth: float = 0.0,
    zero_division: float = 0.0,
) -> ArrayT:
    """Accuracy loss: 1 - Accuracy, of probabilities."""

def dice(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    ignore_index: Labels = None,
    per: Per = "image",
    reduction: MaskReduction = "mean",
    class_axis: int | None = None,
    activation: Activation = "none",
    class_weight: Any = None,
    classes: Counted = "all",
    squared: bool = False,
    smooth: float = 0.0,
    zero_division: float = 0.0,
) -> ArrayT:
    """Dice loss: 1 - Dice, of probabilities."""

def focal_tversky(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    ignore_index: Labels = None,
    per: Per = "image",
    reduction: MaskReduction = "mean",
    class_axis: int | None = None,
    activation: Activation = "none",
    class_weight: Any = None,
    classes: Counted = "all",
    squared: bool = False,
    smooth: float = 0.0,
    zero_division: float = 0.0,
    alpha: float = 0.3,
    beta: float = 0.7,
    gamma: float = 1.3333333333333333,
) -> ArrayT:
    """Focal Tversky loss: the Tversky loss of each class to the power 1 / gamma, of probabilities."""

def generalised_dice(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    ignore_index: Labels = None,
    per: Per = "image",
    reduction: MaskReduction = "mean",
    class_axis: int | None = None,
    activation: Activation = "none",
    class_weight: Any = None,
    squared: bool = False,
    smooth: float = 0.0,
    zero_division: float = 0.0,
    weighting: Weighting = "square",
) -> ArrayT:
    """GeneralisedDice loss: 1 - GeneralisedDice, of probabilities."""

def iof(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    ignore_index: Labels = None,
    per: Per = "image",
    reduction: MaskReduction = "mean",
    class_axis: int | None = None,
    activation: Activation = "none",
    class_weight: Any = None,
    classes: Counted = "all",
    squared: bool = False,
    smooth: float = 0.0,
    zero_division: float = 0.0,
) -> ArrayT:
    """IoF loss: 1 - IoF, of probabilities."""

def iomin(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    ignore_index: Labels = None,
    per: Per = "image",
    reduction: MaskReduction = "mean",
    class_axis: int | None = None,
    activation: Activation = "none",
    class_weight: Any = None,
    classes: Counted = "all",
    squared: bool = False,
    smooth: float = 0.0,
    zero_division: float = 0.0,
) -> ArrayT:
    """IoMin loss: 1 - IoMin, of probabilities."""

def jaccard(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    ignore_index: Labels = None,
    per: Per = "image",
    reduction: MaskReduction = "mean",
    class_axis: int | None = None,
    activation: Activation = "none",
    class_weight: Any = None,
    classes: Counted = "all",
    squared: bool = False,
    smooth: float = 0.0,
    zero_division: float = 0.0,
) -> ArrayT:
    """Jaccard loss: 1 - IoU, of probabilities."""

def precision(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    ignore_index: Labels = None,
    per: Per = "image",
    reduction: MaskReduction = "mean",
    class_axis: int | None = None,
    activation: Activation = "none",
    class_weight: Any = None,
    classes: Counted = "all",
    squared: bool = False,
    smooth: float = 0.0,
    zero_division: float = 0.0,
) -> ArrayT:
    """Precision loss: 1 - Precision, of probabilities."""

def recall(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    ignore_index: Labels = None,
    per: Per = "image",
    reduction: MaskReduction = "mean",
    class_axis: int | None = None,
    activation: Activation = "none",
    class_weight: Any = None,
    classes: Counted = "all",
    squared: bool = False,
    smooth: float = 0.0,
    zero_division: float = 0.0,
) -> ArrayT:
    """Recall loss: 1 - Recall, of probabilities."""

def tversky(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    ignore_index: Labels = None,
    per: Per = "image",
    reduction: MaskReduction = "mean",
    class_axis: int | None = None,
    activation: Activation = "none",
    class_weight: Any = None,
    classes: Counted = "all",
    squared: bool = False,
    smooth: float = 0.0,
    zero_division: float = 0.0,
    alpha: float = 0.5,
    beta: float = 0.5,
) -> ArrayT:
    """Tversky loss: 1 - Tversky, of probabilities."""

def volumetric_similarity(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    ignore_index: Labels = None,
    per: Per = "image",
    reduction: MaskReduction = "mean",
    class_axis: int | None = None,
    activation: Activation = "none",
    class_weight: Any = None,
    classes: Counted = "all",
    squared: bool = False,
    smooth: float = 0.0,
    zero_division: float = 0.0,
) -> ArrayT:
    """VolumetricSimilarity loss: 1 - VolumetricSimilarity, of probabilities."""
