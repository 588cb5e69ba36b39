"""The options of scores and losses of shapes, each written once: see `options.py`."""

from typing import Annotated, Any, Literal, TypeAlias, TypedDict

from omniou._catalogue.options import LOSS, MODIFIER, READING, Option
from omniou._lib.arrays import BESIDE, BOOLEANS
from omniou._lib.formats import BoxFormat

Reduction: TypeAlias = Literal["none", "mean", "sum"]
Inverted: TypeAlias = Literal["penalise", "empty", "sort"]


class EpsOption(TypedDict, total=False):
    """Of every score."""

    eps: Annotated[
        float, Option(0.0, "Added to every denominator, to reproduce a peer; the formulas need none.", least=0.0)
    ]


class ShapeOptions(EpsOption, total=False):
    """Of every score."""

    power: Annotated[
        float,
        Option(
            1.0,
            "Above 0: the overlap and each penalty are taken to this power (He et al., Alpha-IoU, NeurIPS 2021); 3 is "
            "that paper's choice.",
            MODIFIER,
            above=0.0,
        ),
    ]


class InnerOption(TypedDict, total=False):
    """Of scores of shapes that can be scaled."""

    inner: Annotated[
        float,
        Option(
            1.0,
            "Above 0: the overlap is that of both shapes scaled by this ratio about their centres, the penalties stay "
            "(Zhang et al., Inner-IoU, 2023); below 1 for high, above 1 for low overlaps.",
            MODIFIER,
            above=0.0,
        ),
    ]


BOX_FORMATS = (
    'Order of the numbers: "xyxy", "yxyx" (low corner, high corner), "xywh" (low corner, sides) or "cxcywh" (centre, '
    'sides); of intervals alone "xx", "xw", "cxw"; of cuboids alone "xyzxyz", "zyxzyx", "xyzwhd", "cxcyczwhd". With '
    "the prefix ``rel_`` numbers are fractions of `image_size`."
)


class FormatOption(TypedDict, total=False):
    """How boxes are written."""

    format: Annotated[BoxFormat, Option("xyxy", BOX_FORMATS, READING)]


class OffsetOption(TypedDict, total=False):
    """What high corners mean."""

    offset: Annotated[
        float,
        Option(
            0.0, "Added to high corners: 1 where they name the last pixel inside. Stated sides do not need it.", READING
        ),
    ]


class ImageOption(TypedDict, total=False):
    """What relative boxes are relative to."""

    image_size: Annotated[
        Any,
        Option(
            None,
            "(height, width) of the image, needed by relative formats and by MPDIoU; or an array of such sizes along a "
            "last axis, which broadcasts with the boxes. (width,) for intervals, (depth, height, width) for cuboids.",
            READING,
            BESIDE,
        ),
    ]


class CornerOptions(FormatOption, OffsetOption, ImageOption, total=False):
    """How boxes are to be read."""


class BoxOptions(CornerOptions, ShapeOptions, InnerOption, total=False):
    """Of every score of boxes."""


class AlphaOption(TypedDict, total=False):
    """Of CIoU."""

    detach_alpha: Annotated[
        bool,
        Option(default=True, text="Hold alpha constant in the gradient, as the paper does. The value is the same."),
    ]
    alpha_above: Annotated[
        float | None,
        Option(
            None,
            "Alpha is 0 unless IoU is above this number: 0.5 in mmdet and in the code of the paper's authors. By "
            "default, as in the paper, alpha counts at every IoU.",
        ),
    ]


ROTATED_FORMATS = (
    '"cxcywhr": centre, sides, angle. "xywhr": the corner that is low in x and y before the turn, sides, angle. '
    '"xyxyxyxy": four corners along the outline, either way round. Angles are radians, positive from x towards y, '
    "which is clockwise on a screen."
)
RotatedFormat: TypeAlias = Literal["cxcywhr", "xywhr", "xyxyxyxy"]


class RotatedOptions(ShapeOptions, InnerOption, total=False):
    """Of every score of rotated rectangles."""

    format: Annotated[RotatedFormat, Option("cxcywhr", ROTATED_FORMATS, READING)]


AngleUnit: TypeAlias = Literal["radians", "degrees"]
_UNIT = "Of the angles of `x` and of the result. All other functions take radians."
_CLOCKWISE = (
    "Whether positive angles turn x towards y, clockwise on a screen whose y points down. All other functions "
    "take them so; torchvision and detectron2 do not."
)


class AngleOptions(TypedDict, total=False):
    """Of conversions of rotated rectangles."""

    unit: Annotated[AngleUnit, Option("radians", _UNIT, READING)]
    clockwise: Annotated[bool, Option(default=True, text=_CLOCKWISE, role=READING)]
    to_unit: Annotated[AngleUnit, Option("radians", _UNIT, READING)]
    to_clockwise: Annotated[bool, Option(default=True, text=_CLOCKWISE, role=READING)]


BOXES3D_FORMATS = (
    '"xyzlwhr": centre, length, width, height, yaw, as Waymo\'s. "kitti": height, width, length, x, y, z of the centre '
    'of the bottom in the axes of the camera, rotation_y. "nuscenes": centre, width, length, height, quaternion w, x, '
    "y, z. Angles are radians, positive from x towards y."
)
Boxes3DFormat: TypeAlias = Literal["xyzlwhr", "kitti", "nuscenes"]


class Boxes3DOptions(ShapeOptions, InnerOption, total=False):
    """Of every score of 3-D boxes."""

    format: Annotated[Boxes3DFormat, Option("xyzlwhr", BOXES3D_FORMATS, READING)]


IntervalFormat: TypeAlias = Literal["xx", "xw", "cxw"]
_INTERVAL_FORMATS = '"xx": begin and end. "xw": begin and length. "cxw": centre and length.'


class IntervalOptions(ShapeOptions, InnerOption, total=False):
    """Of every score of intervals."""

    format: Annotated[IntervalFormat, Option("xx", _INTERVAL_FORMATS, READING)]


class ReductionOptions(TypedDict, total=False):
    """Of every loss: which values count, and what becomes of them."""

    weight: Annotated[Any, Option(None, "Factor of each loss, an array that broadcasts to (...).", LOSS, BESIDE)]
    where: Annotated[
        Any,
        Option(
            None,
            "Booleans that broadcast to (...): which shapes count. What is left out gives 0, and gradient 0, whatever "
            "it holds, NaN included.",
            LOSS,
            BOOLEANS,
        ),
    ]
    reduction: Annotated[
        Reduction,
        Option(
            "none",
            '"mean" divides by the sum of the weights that count, or by the number of shapes that count; a mean of '
            "nothing is 0. A sum or mean of 16-bit predictions is float32.",
            LOSS,
        ),
    ]
    normalizer: Annotated[
        Any,
        Option(
            None,
            'With "mean", what the sum is divided by instead, such as the number of objects in all processes: a number '
            "or an array of shape (). mmdet calls it avg_factor. By 0 gives 0.",
            LOSS,
            BESIDE,
        ),
    ]


class FocalOption(TypedDict, total=False):
    """Of every loss."""

    focal: Annotated[
        float,
        Option(
            0.0,
            "At least 0: each loss is multiplied by IoU to this power, held constant in the gradient (Zhang et al., "
            "Focal-EIoU, 2022; 0.5 there).",
            LOSS,
            least=0.0,
        ),
    ]


class InvertedOption(TypedDict, total=False):
    """Of every loss of boxes."""

    inverted: Annotated[
        Inverted,
        Option(
            "penalise",
            "What becomes of a predicted box whose high corner lies below its low one, which a score calls empty. "
            '"penalise" adds for each axis how far it is inverted over the side of the hull of all corners, so that '
            'the gradient turns it round; "empty" adds nothing; "sort" scores the box of the sorted corners. Proper '
            "boxes have the same loss and gradient by all three.",
            LOSS,
        ),
    ]


class LogOptions(TypedDict, total=False):
    """Of the loss of UnitBox."""

    log: Annotated[
        bool, Option(default=False, text="The loss of UnitBox, -log(max(IoU, floor)), in place of 1 - IoU.", role=LOSS)
    ]
    floor: Annotated[
        float,
        Option(
            1e-6,
            "In (0, 1). An IoU below it, as of disjoint boxes, gives -log(floor) and gradient 0.",
            LOSS,
            above=0.0,
            below=1.0,
        ),
    ]


class ThetaOption(TypedDict, total=False):
    """Of SIoU."""

    theta: Annotated[float, Option(4.0, "Power of the shape cost, at least 2; the paper takes 2 to 6.", least=2.0)]


class ScaleOption(TypedDict, total=False):
    """Of Shape-IoU."""

    scale: Annotated[
        float,
        Option(
            0.0, "At least 0: how much the sides of the second box weigh the differences; 0 for not at all.", least=0.0
        ),
    ]


class FocusingOptions(TypedDict, total=False):
    """Of the loss of Wise-IoU."""

    version: Annotated[
        Literal[1, 2, 3],
        Option(
            1,
            "1: the loss as it is. 2: times (L / mean)^gamma; 3: times b / (delta * alpha^(b - delta)), b = L / mean; "
            "where L = 1 - IoU and the mean is `running_mean`. Factors are held constant in the gradient.",
            LOSS,
        ),
    ]
    running_mean: Annotated[
        Any,
        Option(
            None,
            "Mean of 1 - IoU in the training so far, for versions 2 and 3: a number or an array of shape (). See "
            "`omniou.losses.running_mean`.",
            LOSS,
            BESIDE,
        ),
    ]
    gamma: Annotated[float, Option(0.5, "At least 0, of version 2.", LOSS, least=0.0)]
    alpha: Annotated[float, Option(1.9, "Above 0, of version 3.", LOSS, above=0.0)]
    delta: Annotated[float, Option(3.0, "Above 0, of version 3.", LOSS, above=0.0)]


Covariance: TypeAlias = Literal["uniform", "inscribed"]
Direction: TypeAlias = Literal["forward", "reverse", "symmetric", "jeffreys", "max", "min"]

_COVARIANCE = 'Of a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.'


class UniformOption(TypedDict, total=False):
    """Of scores of Gaussians with the covariance of a uniform density."""

    covariance: Annotated[Covariance, Option("uniform", _COVARIANCE)]


class InscribedOption(TypedDict, total=False):
    """Of scores of Gaussians whose ellipse of one deviation touches the sides."""

    covariance: Annotated[Covariance, Option("inscribed", _COVARIANCE)]


class ConstantOption(InscribedOption, total=False):
    """Of NWD."""

    constant: Annotated[
        float,
        Option(
            12.8,
            "Above 0, in the unit of the coordinates: the mean size of the objects. The default is AI-TOD's.",
            above=0.0,
        ),
    ]


class NormalizeOption(InscribedOption, total=False):
    """Of GWD."""

    normalize: Annotated[
        bool,
        Option(
            default=False,
            text="Divide by twice the fourth root of the product of all four deviations, as mmrotate does by default. "
            "The distance then has no unit.",
        ),
    ]


class DirectionOption(InscribedOption, total=False):
    """Of KLD."""

    direction: Annotated[
        Direction,
        Option(
            "forward",
            '"forward" is KL(a, b), "reverse" KL(b, a), "symmetric" the mean of both, "jeffreys" their sum, "max" '
            'and "min" the larger and the smaller one.',
        ),
    ]


class DistanceLossOptions(TypedDict, total=False):
    """Of the losses of distances between Gaussians."""

    fun: Annotated[
        Literal["log1p", "sqrt", "none"],
        Option("log1p", "What is made of the distance d: log(1 + d), its root, or d.", LOSS),
    ]
    tau: Annotated[
        float,
        Option(1.0, "At least 0. From 1 on the loss is 1 - 1 / (tau + fun(d)); below, it is fun(d).", LOSS, least=0.0),
    ]


class OverlapLossOptions(TypedDict, total=False):
    """Of the loss of KFIoU."""

    fun: Annotated[
        Literal["none", "ln", "exp"],
        Option("none", "1 - KFIoU, -log(max(KFIoU, 1e-6)), or exp(1 - KFIoU) - 1.", LOSS),
    ]
