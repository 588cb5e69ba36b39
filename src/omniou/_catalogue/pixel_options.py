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
    """Of every quotient of counts."""

    zero_division: Annotated[
        float,
        Option(
            0.0,
            "Value of 0 / 0, as for two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and smp. NaN marks it "
            "as no data, which no mean takes.",
            MODIFIER,
            nan=True,
            alias="empty",
        ),
    ]


class SmoothOption(TypedDict, total=False):
    """Of every quotient of counts that can be smoothed."""

    smooth: Annotated[float, Option(0.0, "Added to numerator and denominator.", MODIFIER, least=0.0)]


class TverskyOptions(TypedDict, total=False):
    """Of the Tversky index."""

    alpha: Annotated[float, Option(0.5, "Weight of false positives: pixels of the prediction only.", least=0.0)]
    beta: Annotated[float, Option(0.5, "Weight of false negatives: pixels of the ground truth only.", least=0.0)]


class WeightingOption(TypedDict, total=False):
    """Of generalised Dice."""

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
    """Of all pairs of masks."""

    memory: Annotated[
        int,
        Option(
            2**24,
            "Bytes of the pixels that `pairwise` turns into numbers at once: beyond the masks and a few arrays of "
            "(N, M), no more memory is used, however large the images are. More is hardly faster on a CPU, and faster "
            "on a GPU.",
            COUNTING,
            least=1,
        ),
    ]


class ThresholdOption(TypedDict, total=False):
    """Of masks whose pixels are on or off."""

    threshold: Annotated[
        float | None,
        Option(
            None,
            "Floating pixels above it are on; by default all but 0. Booleans and integers are not affected.",
            COUNTING,
        ),
    ]


class HardOptions(MemoryOption, ThresholdOption, total=False):
    """Of scores of pixels that are on or off."""


class NearOptions(TypedDict, total=False):
    """How near to an outline."""

    dilation_ratio: Annotated[
        float,
        Option(
            0.02,
            "How near, as a share of the image's diagonal, rounded to pixels and at least 1; along rows, columns and "
            "diagonals alike.",
            COUNTING,
            least=0.0,
        ),
    ]
    width: Annotated[int | None, Option(None, "How near in pixels, in place of `dilation_ratio`.", COUNTING, least=1)]


class NearHardOptions(HardOptions, NearOptions, total=False):
    """Of scores of pixels near outlines."""


class SquaredOption(TypedDict, total=False):
    """Of sums of probabilities."""

    squared: Annotated[
        bool,
        Option(
            default=False,
            text="Whether areas are sums of squares, p^2, as in the Dice of V-Net (Milletari et al., 3DV 2016): then "
            "equal masks have Dice 1, for all probabilities.",
            role=COUNTING,
        ),
    ]


class SoftOptions(MemoryOption, SquaredOption, total=False):
    """Of scores of probabilities."""


# ---- of confusion tables

_PRESENT = (
    'Which classes of an image have a score: those in its target or its prediction ("either"), those in its target, or '
    "all. The others are NaN, and no mean takes them."
)


class ImageOptions(TypedDict, total=False):
    """Of every score of confusion counts."""

    images: Annotated[
        Literal["keep", "pool", "mean"],
        Option(
            "keep",
            '"keep": each image has its score. "pool": the counts are added first, which gives the score of the data '
            'set. "mean": the mean of the scores of the images in which they are defined and the class is present.',
            COUNTING,
        ),
    ]


class ClassOptions(ImageOptions, total=False):
    """Of scores of classes."""

    average: Annotated[
        Literal["none", "macro", "micro", "weighted"],
        Option(
            "none",
            '"none": each class has its score. "macro": their mean. "weighted": their mean, weighted by the pixels of '
            'the class in the target. "micro": the score of all classes as one, from their sums.',
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
    """Of scores of all classes as one."""

    classes: Annotated[
        Any,
        Option(
            None,
            "Numbers of the classes to score, such as ``range(1, 21)`` without a background; by default all.",
            COUNTING,
        ),
    ]


class ConfusionOptions(TypedDict, total=False):
    """Of confusion counts."""

    ignore_index: Annotated[
        Labels,
        Option(
            None,
            "A label, or a list of labels: pixels whose *target* has one of them are left out. It may be a class, "
            "whose row then stays empty, while predictions of it still count as wrong.",
            COUNTING,
        ),
    ]
    outside: Annotated[
        Literal["drop", "column"],
        Option(
            "drop",
            "What becomes of a pixel that counts, but whose prediction is no class, such as `ignore_index`. "
            '"drop": it is left out, as in Keras, which makes results better than they are. "column": it is '
            "counted in a last column, so that it is missed by its class and false for none, as in "
            "mmsegmentation.",
            COUNTING,
        ),
    ]
    per_image: Annotated[
        bool,
        Option(
            default=False,
            text="Whether the first axis counts images, each of which gets counts of its own.",
            role=COUNTING,
        ),
    ]
    class_axis: Annotated[
        int | None,
        Option(
            None,
            "The axis of `prediction`, which then has one more than `target`, that holds scores of classes: "
            "logits or probabilities. The highest score wins, the first of equal ones; NaN as the library's "
            "`argmax` has it.",
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
            "How much each pixel counts; broadcasts to (...). The counts are then floats.",
            COUNTING,
            BESIDE,
        ),
    ]


# ---- of losses

_COUNTED = (
    'Whether classes that are not in the target (of the image, or the batch) count: "all" of them, or those "present".'
)


class KeptOptions(TypedDict, total=False):
    """Of every loss of masks."""

    where: Annotated[
        Any,
        Option(
            None,
            "Booleans: which pixels count; broadcasts to the pixels (B, ...). What is left out gives gradient 0, "
            "NaN included.",
            LOSS,
            BOOLEANS,
        ),
    ]
    ignore_index: Annotated[
        Labels,
        Option(
            None,
            "The label of pixels that do not count, or a list of such labels. If one is also the number of a class, "
            "that class is never right: predictions of it elsewhere still cost. Labels that are neither classes nor "
            "ignored belong to no class.",
            LOSS,
        ),
    ]
    per: Annotated[Per, Option("image", "Whether pixels are summed for each image, or for the whole batch.", LOSS)]
    reduction: Annotated[
        MaskReduction,
        Option(
            "mean",
            '"mean" is that over the classes that count, and then over the images with pixels that count; of nothing '
            'it is 0. "image" is the first of these two, (B,), or () per batch. "sum" adds all. "none" gives (B, C), '
            "or (C,) per batch. Of 16-bit predictions all but the last are float32.",
            LOSS,
        ),
    ]


class LossOptions(KeptOptions, total=False):
    """Of every loss of classes."""

    class_axis: Annotated[
        int | None,
        Option(
            None,
            "The axis of classes in `pred`, and in a target with a mask of each class: -1 for (B, height, width, C). "
            "By default 1; where shapes suggest another reading, an error asks for it.",
            LOSS,
        ),
    ]
    activation: Annotated[
        Activation,
        Option(
            "none",
            'What predictions are: probabilities ("none"), or logits of independent ("sigmoid") or exclusive '
            '("softmax") classes.',
            LOSS,
        ),
    ]
    class_weight: Annotated[
        Any, Option(None, "Factor of each class (C,); a mean over classes divides by their sum.", LOSS, BESIDE)
    ]


class EachClassOption(TypedDict, total=False):
    """Of losses of each class."""

    classes: Annotated[Counted, Option("all", _COUNTED, LOSS)]


class PresentClassOption(TypedDict, total=False):
    """Of the Lovasz loss."""

    classes: Annotated[Counted, Option("present", _COUNTED, LOSS)]


class LossDivisionOptions(TypedDict, total=False):
    """Of losses of quotients."""

    smooth: Annotated[
        float,
        Option(
            0.0,
            "Added to numerator and denominator, in pixels. At 0, a class that is absent has loss 1 and gradient 0, "
            'however much of it is predicted: with ``classes="all"``, ``smooth=1.0`` makes its predictions fall.',
            MODIFIER,
            least=0.0,
        ),
    ]
    zero_division: Annotated[
        float,
        Option(0.0, "The score of 0 / 0, of a class that is neither there nor predicted; its gradient is 0.", MODIFIER),
    ]


class FocalOptions(TypedDict, total=False):
    """Of the focal Tversky loss."""

    alpha: Annotated[float, Option(0.3, "Weight of false positives.", least=0.0)]
    beta: Annotated[float, Option(0.7, "Weight of false negatives.", least=0.0)]
    gamma: Annotated[
        float,
        Option(
            4 / 3,
            "The loss is taken to the power 1 / gamma. 4 / 3 in the paper makes hard classes count more near the end "
            "of a training.",
            LOSS,
            above=0.0,
        ),
    ]
