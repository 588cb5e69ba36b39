"""The options of functions of keypoints, each written once: see `options.py`."""

from typing import Annotated, Any, Literal, TypeAlias, TypedDict

from omniou._catalogue.options import LOSS, READING, Option
from omniou._catalogue.shape_options import ReductionOptions
from omniou._lib.arrays import BESIDE, Operand

Average: TypeAlias = Literal["points", "pairs", "none"]

# Flags, or COCO's 0, 1 and 2.
VISIBLE = Operand("booleans or numbers", ("bool", "integral", "real floating"), decides=False, optional=True)


class VisibleOption(TypedDict, total=False):
    """Of every function of keypoints."""

    visible: Annotated[
        Any,
        Option(
            None,
            "Of shape (..., K): which points of the ground truth count, those above 0. COCO's v may be given as it is. "
            "Default: the third numbers of the ground truth, or all.",
            READING,
            VISIBLE,
        ),
    ]


class ScaleOptions(VisibleOption, total=False):
    """Of object keypoint similarity."""

    area: Annotated[
        Any,
        Option(
            None,
            "Of shape (...): the areas of the objects, that of the mask in COCO, in the square of the unit of the "
            "coordinates. It must be given.",
            READING,
            BESIDE,
        ),
    ]
    sigmas: Annotated[
        Any,
        Option(
            None,
            'The name of a skeleton ("coco", "crowdpose", "wholebody"), a `Skeleton`, or K numbers. It must be given: '
            "sets of as many points differ.",
            READING,
        ),
    ]
    eps: Annotated[
        float,
        Option(0.0, "Added to every area, to reproduce a peer: pycocotools adds 2.220446049250313e-16.", least=0.0),
    ]


class OksOptions(ScaleOptions, total=False):
    """Of the score."""

    box: Annotated[
        Any,
        Option(
            None,
            "Of shape (..., 4): x, y, width and height of the objects. Where no point of an object counts, COCO "
            "measures how far the points lie from its box enlarged by its size on each side. Without boxes such an "
            "object scores 0.",
            READING,
            BESIDE,
        ),
    ]


class OksLossOptions(ScaleOptions, ReductionOptions, total=False):
    """Of the loss."""


class NormOptions(VisibleOption, total=False):
    """Of distances."""

    norm: Annotated[
        Any,
        Option(
            None,
            "Of shape (...): the length that counts as 1, such as `box_size` or `point_distance`. It must be given. "
            "Objects whose norm is not above 0 do not count.",
            READING,
            BESIDE,
        ),
    ]


class PckOptions(NormOptions, total=False):
    """Of shares of points."""

    threshold: Annotated[float, Option(0.2, "A point counts as correct below this many norms.", LOSS, above=0.0)]
    average: Annotated[
        Average,
        Option(
            "points",
            '"points" is the mean of the rates of the points, "pairs" the rate of all points of all objects together, '
            'and "none" gives the rate of each point.',
            LOSS,
        ),
    ]
