"""The options of functions of keypoints, each written once: see `options.py`."""

from typing import Annotated, Any, Literal, TypeAlias, TypedDict

from omniou._catalogue.options import LOSS, READING, Option
from omniou._catalogue.shape_options import ReductionOptions
from omniou._lib.arrays import BESIDE, Operand

Average: TypeAlias = Literal["points", "pairs", "none"]

# Flags, or COCO's 0, 1 and 2.
VISIBLE = Operand("booleans or numbers", ("bool", "integral", "real floating"), decides=False, optional=True)


class VisibleOption(TypedDict, total=False):
    """The option of every function of keypoints."""

    visible: Annotated[
        Any,
        Option(
            None,
            "Which points of the ground truth count: an array of shape (..., K), above 0 for points that count, such "
            "as COCO's v. Default: the third number of each point of the ground truth, or all points.",
            READING,
            VISIBLE,
        ),
    ]


class ScaleOptions(VisibleOption, total=False):
    """Options of object keypoint similarity."""

    area: Annotated[
        Any,
        Option(
            None,
            "Required. Areas of the objects, of shape (...), in the squared unit of the coordinates; in COCO the "
            "area of the mask.",
            READING,
            BESIDE,
        ),
    ]
    sigmas: Annotated[
        Any,
        Option(
            None,
            'Required. The name of a skeleton ("coco", "crowdpose", "wholebody"), a `Skeleton`, or K numbers.',
            READING,
        ),
    ]
    eps: Annotated[
        float,
        Option(
            0.0,
            "A number to add to every area, to reproduce another library: pycocotools adds 2.220446049250313e-16.",
            least=0.0,
        ),
    ]


class OksOptions(ScaleOptions, total=False):
    """Options of the score."""

    box: Annotated[
        Any,
        Option(
            None,
            "Boxes of the objects, of shape (..., 4): x, y, width and height. If no point of an object counts, COCO "
            "measures the distance of the points from its box, enlarged by its size on each side. Without boxes, "
            "such an object scores 0.",
            READING,
            BESIDE,
        ),
    ]


class OksLossOptions(ScaleOptions, ReductionOptions, total=False):
    """Options of the loss."""


class NormOptions(VisibleOption, total=False):
    """Options of distances."""

    norm: Annotated[
        Any,
        Option(
            None,
            "Required. The length that counts as 1, of shape (...), such as `box_size` or `point_distance`. Objects "
            "with a norm of 0 or less do not count.",
            READING,
            BESIDE,
        ),
    ]


class PckOptions(NormOptions, total=False):
    """Options of shares of points."""

    threshold: Annotated[float, Option(0.2, "Distance in norms below which a point is correct.", LOSS, above=0.0)]
    average: Annotated[
        Average,
        Option(
            "points",
            '"none": the rate of each point. "points": the mean of these rates. "pairs": the rate over all points of '
            "all objects.",
            LOSS,
        ),
    ]
