"""The options of scores and losses of pixels, each written once: see `options.py`."""

from collections.abc import Collection
from typing import Annotated, Any, Literal, TypeAlias, TypedDict

from omniou._catalogue.options import COUNTING, LOSS, MODIFIER, Option
from omniou._lib.arrays import BESIDE, BOOLEANS

Activation: TypeAlias = Literal["none", "sigmoid", "softmax"]
Per: TypeAlias = Literal["image", "batch"]
Counted: TypeAlias = Literal["all", "present"]
MaskReduction: TypeAlias = Literal["none", "image", "mean", "sum"]
Weighting: TypeAlias = Literal["square", "simple", "uniform"]
Labels: TypeAlias = int | Collection[int] | None

# ---- of formulas


class ZeroDivisionOption(TypedDict, total=False):
    """The option of every quotient of counts."""

    zero_division: Annotated[
        float,
        Option(
            0.0,
            "Value of 0 / 0, for example for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and smp. NaN "
            "means no data, and means exclude it.",
            MODIFIER,
            nan=True,
        ),
    ]


class SmoothOption(TypedDict, total=False):
    """The option of every quotient of counts that can be smoothed."""

    smooth: Annotated[float, Option(0.0, "A number to add to numerator and denominator.", MODIFIER, least=0.0)]


class TverskyOptions(TypedDict, total=False):
    """Options of the Tversky index."""

    alpha: Annotated[float, Option(0.5, "Weight of false positives: pixels of the prediction only.", least=0.0)]
    beta: Annotated[float, Option(0.5, "Weight of false negatives: pixels of the ground truth only.", least=0.0)]


class WeightingOption(TypedDict, total=False):
    """The option of generalised Dice."""

    weighting: Annotated[
        Weighting,
        Option(
            "square",
            "Weight of a class: the inverse of its squared size in the ground truth, the inverse of its size, or "
            "equal. Absent classes get the largest weight.",
        ),
    ]


# ---- of countings of masks


class MemoryOption(TypedDict, total=False):
    """The option of all pairs of masks."""

    memory: Annotated[
        int,
        Option(
            2**24,
            "Bytes of pixels that `pairwise` converts to numbers at once. It limits the memory beyond the masks and "
            "a few arrays of (N, M), for images of any size. A larger value is faster on a GPU.",
            COUNTING,
            least=1,
        ),
    ]


class ThresholdOption(TypedDict, total=False):
    """The option of masks whose pixels are on or off."""

    threshold: Annotated[
        float | None,
        Option(
            None,
            "Floating pixels above the threshold are on: 0.5 for probabilities, 0 for logits. Floats need it. It does "
            "not affect booleans and integers.",
            COUNTING,
        ),
    ]


class HardOptions(MemoryOption, ThresholdOption, total=False):
    """Options of scores of pixels that are on or off."""


class NearOptions(TypedDict, total=False):
    """How near to an outline."""

    dilation_ratio: Annotated[
        float,
        Option(
            0.02,
            "Distance to the outline as a share of the image's diagonal, rounded to pixels and at least 1, along rows, "
            "columns and diagonals.",
            COUNTING,
            least=0.0,
        ),
    ]
    width: Annotated[
        int | None, Option(None, "Distance to the outline in pixels, instead of `dilation_ratio`.", COUNTING, least=1)
    ]


class NearHardOptions(HardOptions, NearOptions, total=False):
    """Options of scores of pixels near outlines."""


class SquaredOption(TypedDict, total=False):
    """The option of sums of probabilities."""

    squared: Annotated[
        bool,
        Option(
            default=False,
            text="Whether areas are sums of squares, p^2, as in V-Net's Dice (Milletari et al., 3DV 2016). Equal masks "
            "then have Dice 1, for all probabilities.",
            role=COUNTING,
        ),
    ]


class SoftOptions(MemoryOption, SquaredOption, total=False):
    """Options of scores of probabilities."""


# ---- of confusion tables

_PRESENT = (
    'Which classes of an image have a score: classes in its target or its prediction ("either"), classes in its '
    "target, or all. The others are NaN, and means exclude them."
)


class ImageOptions(TypedDict, total=False):
    """Options of every score of confusion counts."""

    images: Annotated[
        Literal["keep", "pool", "mean"],
        Option(
            "keep",
            '"keep": a score for each image. "pool": the score of the data set, from the sum of the counts. "mean": '
            "the mean of the scores over the images in which the score is defined and the class is present.",
            COUNTING,
        ),
    ]


class ClassOptions(ImageOptions, total=False):
    """Options of scores of classes."""

    average: Annotated[
        Literal["none", "macro", "micro", "weighted"],
        Option(
            "none",
            '"none": a score for each class. "macro": the mean over classes. "weighted": the mean, weighted by the '
            'pixels of the class in the target. "micro": one score from the sums over classes.',
            COUNTING,
        ),
    ]
    present: Annotated[Literal["either", "target", "all"], Option("either", _PRESENT, COUNTING)]
    classes: Annotated[
        Any,
        Option(
            None,
            "Numbers of the classes to score, such as ``range(1, 21)`` without a background; by default all.",
            COUNTING,
        ),
    ]


class JoinedOptions(ImageOptions, total=False):
    """Options of scores of all classes as one."""

    classes: Annotated[
        Any,
        Option(
            None,
            "Numbers of the classes to score, such as ``range(1, 21)`` without a background; by default all.",
            COUNTING,
        ),
    ]


class ConfusionOptions(TypedDict, total=False):
    """Options of confusion counts."""

    ignore_index: Annotated[
        Labels,
        Option(
            None,
            "A label, or a list of labels: pixels whose *target* has one of them do not count. If it is a class, the "
            "row of the class stays empty, but predictions of it still count as wrong.",
            COUNTING,
        ),
    ]
    outside: Annotated[
        Literal["drop", "column"],
        Option(
            "drop",
            "Treatment of pixels with an invalid prediction, such as `ignore_index`. "
            '"drop" excludes them, like Keras, which makes scores too high; predictions that are neither classes nor '
            'ignored raise an error then. "column" counts them in an extra last '
            "column: a false negative for the class of the target, and a false positive for no class, as in "
            "mmsegmentation.",
            COUNTING,
        ),
    ]
    per_image: Annotated[
        bool,
        Option(
            default=False,
            text="Whether the first axis is images, with separate counts for each image.",
            role=COUNTING,
        ),
    ]
    class_axis: Annotated[
        int | None,
        Option(
            None,
            "The axis of `prediction` that holds scores of classes, logits or probabilities; `target` does not have "
            "this axis. The highest score wins, the first of equal ones. NaN is treated as in the library's `argmax`.",
            COUNTING,
        ),
    ]
    where: Annotated[
        Any,
        Option(
            None,
            "Which pixels count; broadcasts to (...).",
            COUNTING,
            BOOLEANS,
        ),
    ]
    weight: Annotated[
        Any,
        Option(
            None,
            "Weight of each pixel; broadcasts to (...). The counts are then floats.",
            COUNTING,
            BESIDE,
        ),
    ]


# ---- of losses

_COUNTED = 'Which classes count: "all", or only classes "present" in the target (of the image, or the batch).'


class KeptOptions(TypedDict, total=False):
    """Options of every loss of masks."""

    where: Annotated[
        Any,
        Option(
            None,
            "Which pixels count: booleans that broadcast to the pixels (B, ...). The others have gradient 0, even if "
            "they are NaN.",
            LOSS,
            BOOLEANS,
        ),
    ]
    ignore_index: Annotated[
        Labels,
        Option(
            None,
            "The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class has "
            "no true positives, and predictions of it on other pixels still cost. Other labels that are not classes "
            "belong to no class.",
            LOSS,
        ),
    ]
    per: Annotated[Per, Option("image", "Sum pixels for each image, or for the whole batch.", LOSS)]
    reduction: Annotated[
        MaskReduction,
        Option(
            "mean",
            '"mean" averages over the classes that count, and then over the images with pixels that count; without '
            'any it is 0. "image" averages only over classes: (B,), or () per batch. "sum" adds all. "none" returns '
            '(B, C), or (C,) per batch. For 16-bit predictions, all except "none" are float32.',
            LOSS,
        ),
    ]


class LossOptions(KeptOptions, total=False):
    """Options of every loss of classes."""

    class_axis: Annotated[
        int | None,
        Option(
            None,
            "The axis of classes in `pred`, and in a target with a mask of each class: -1 for (B, height, width, C). "
            "Default: 1. If the shapes suggest another axis, an error asks for it.",
            LOSS,
        ),
    ]
    activation: Annotated[
        Activation,
        Option(
            "none",
            'Activation to apply: "none" for probabilities, "sigmoid" for logits of independent classes, "softmax" for '
            "logits of exclusive classes.",
            LOSS,
        ),
    ]
    class_weight: Annotated[
        Any, Option(None, "Weight of each class (C,); a mean over classes divides by their sum.", LOSS, BESIDE)
    ]


class EachClassOption(TypedDict, total=False):
    """The option of losses of each class."""

    classes: Annotated[Counted, Option("all", _COUNTED, LOSS)]


class PresentClassOption(TypedDict, total=False):
    """The option of the Lovasz loss."""

    classes: Annotated[Counted, Option("present", _COUNTED, LOSS)]


class LossDivisionOptions(TypedDict, total=False):
    """Options of losses of quotients."""

    smooth: Annotated[
        float,
        Option(
            0.0,
            "A number to add to numerator and denominator, in pixels. At 0, an absent class has loss 1 and gradient "
            '0 for any prediction. With ``classes="all"``, ``smooth=1.0`` gives a gradient that lowers its '
            "probabilities.",
            MODIFIER,
            least=0.0,
        ),
    ]
    zero_division: Annotated[
        float,
        Option(0.0, "Score of 0 / 0, for a class without target and prediction; its gradient is 0.", MODIFIER),
    ]


class FocalOptions(TypedDict, total=False):
    """Options of the focal Tversky loss."""

    alpha: Annotated[float, Option(0.3, "Weight of false positives.", least=0.0)]
    beta: Annotated[float, Option(0.7, "Weight of false negatives.", least=0.0)]
    gamma: Annotated[
        float,
        Option(
            4 / 3,
            "The exponent of the loss is 1 / gamma. With the paper's 4 / 3, hard classes count more near the end of a "
            "training.",
            LOSS,
            above=0.0,
        ),
    ]
