"""Declare the scores of pixels, and collect them in a table.

Each is a formula of `_kernels/pixels.py`. From *score x counting* come the functions of `omniou.masks`, `omniou.rle`
and `omniou.segmentation`, the losses of `omniou.losses.masks`, and what the adapters make of these.
"""

import dataclasses
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from omniou._catalogue.pixel_options import TverskyOptions, WeightingOption
from omniou._kernels import pixels as formulas


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)  # hashed by identity: plans are cached by it
class PixelScore:
    """One score of pixels.

    Attributes
    ----------
    label : str
        Name in text: "IoU".
    name : str
        Name of the function; by default the label in lower case.
    loss_name : str
        Name of its loss; by default the same.
    title : str
        Description in one line.
    about : str
        Further description.
    formula : callable
        Counts (...) and its own options -> numerator and denominator (...): of `_kernels.pixels`.
    joins : bool
        Whether it makes one number of all classes: its counts have an axis of classes, which it takes away.
    symmetric : bool
        Whether both sides count alike. Otherwise the first is the prediction, the second the ground truth.
    paper : str
    example : float
        Its value of the masks [[1, 1], [1, 0]] and [[1, 0], [0, 0]].
    options : type
        Options of this score only.
    """

    label: str
    title: str
    formula: Callable[..., Any]
    paper: str
    example: float
    name: str = ""
    loss_name: str = ""
    about: str = ""
    joins: bool = False
    symmetric: bool = True
    options: Any = None

    def __post_init__(self) -> None:
        name = self.name or self.label.lower()
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "loss_name", self.loss_name or name)

    def __repr__(self) -> str:
        return f"PixelScore({self.name!r})"


_DECLARED = (
    PixelScore(
        label="IoU",
        loss_name="jaccard",
        title="Intersection over union (Jaccard index)",
        formula=formulas.iou,
        paper="Jaccard, Bulletin de la Société Vaudoise des Sciences Naturelles 37, 1901; as a loss Rahman and Wang, "
        "ISVC 2016; of segmentation Everingham et al., IJCV 2015.",
        example=1 / 3,
    ),
    PixelScore(
        label="IoF",
        title="Intersection over the area of the first mask, the prediction: its share inside the second",
        formula=formulas.iof,
        symmetric=False,
        paper="COCO uses it for the overlap of a detection with a crowd.",
        example=1 / 3,
    ),
    PixelScore(
        label="IoMin",
        title="Intersection over the smaller one (overlap coefficient)",
        formula=formulas.iomin,
        paper="Szymkiewicz, 1934; Simpson, American Journal of Science 241, 1943.",
        example=1.0,
    ),
    PixelScore(
        label="Dice",
        title="Dice coefficient (F1 of pixels): twice the intersection over the sum of both",
        formula=formulas.dice,
        paper="Dice, Ecology 26, 1945; as a loss Milletari et al., V-Net, 3DV 2016, with squares, and Drozdzal et al., "
        "DLMIA 2016, without.",
        example=1 / 2,
    ),
    PixelScore(
        label="Tversky",
        title="Tversky index: I / (I + alpha FP + beta FN)",
        about="I is the intersection, FP and FN are false positives and false negatives. Weights of 0.5 and 0.5 give "
        "Dice, of 1 and 1 IoU.",
        formula=formulas.tversky,
        symmetric=False,
        options=TverskyOptions,
        paper="Tversky, Psychological Review 84, 1977; as a loss, with 0.3 and 0.7, Salehi et al., MLMI 2017.",
        example=1 / 2,
    ),
    PixelScore(
        label="Precision",
        title="Precision: share of the predicted pixels that are in the target",
        formula=formulas.iof,
        symmetric=False,
        paper="Kent et al., American Documentation 6, 1955.",
        example=1 / 3,
    ),
    PixelScore(
        label="Recall",
        title="Recall (sensitivity): share of the pixels of the target that are predicted",
        formula=formulas.recall,
        symmetric=False,
        paper="Kent et al., American Documentation 6, 1955.",
        example=1.0,
    ),
    PixelScore(
        label="Accuracy",
        title="Accuracy: share of all pixels on which both masks agree, on or off",
        formula=formulas.accuracy,
        paper="Long et al., Fully convolutional networks for semantic segmentation, CVPR 2015.",
        example=1 / 2,
    ),
    PixelScore(
        label="VolumetricSimilarity",
        name="volumetric_similarity",
        title="Volumetric similarity: 1 minus the difference of both sizes over their sum",
        about="It compares only sizes, not positions: an upper bound of Dice.",
        formula=formulas.volumetric_similarity,
        paper="Taha and Hanbury, Metrics for evaluating 3D medical image segmentation, BMC Medical Imaging 15, 2015.",
        example=1 / 2,
    ),
    PixelScore(
        label="GeneralisedDice",
        name="generalised_dice",
        title="Generalised Dice: Dice of all classes as one, each weighted by the inverse of its size",
        about="A class that the ground truth does not have gets the largest weight.",
        formula=formulas.generalised_dice,
        joins=True,
        symmetric=False,
        options=WeightingOption,
        paper="Sudre et al., Generalised Dice overlap as a deep learning loss function, DLMIA 2017.",
        example=1 / 2,
    ),
)

pixel_scores: Mapping[str, PixelScore] = MappingProxyType({score.name: score for score in _DECLARED})
