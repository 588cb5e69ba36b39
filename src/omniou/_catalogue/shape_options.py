"""The options of scores and losses of shapes, each written once: see `options.py`."""

from typing import Annotated, Any, Literal, TypeAlias, TypedDict

from omniou._catalogue.options import LOSS, MODIFIER, READING, Option
from omniou._lib.arrays import BESIDE, BOOLEANS
from omniou._lib.formats import BoxFormat

Reduction: TypeAlias = Literal["none", "mean", "sum"]
Inverted: TypeAlias = Literal["penalise", "empty", "sort"]


class EpsOption(TypedDict, total=False):
    """The option of every score."""

    eps: Annotated[
        float,
        Option(
            0.0,
            "A number to add to every denominator, to reproduce another library. omniou's formulas need none.",
            least=0.0,
        ),
    ]


class ShapeOptions(EpsOption, total=False):
    """Options of every score."""

    power: Annotated[
        float,
        Option(
            1.0,
            "Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper uses 3.",
            MODIFIER,
            above=0.0,
        ),
    ]


class InnerOption(TypedDict, total=False):
    """The option of scores of shapes that can be scaled."""

    inner: Annotated[
        float,
        Option(
            1.0,
            "Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The "
            "penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more than 1 "
            "for low ones.",
            MODIFIER,
            above=0.0,
        ),
    ]


BOX_FORMATS = (
    'Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner, sides) or "cxcywh" '
    '(centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz", "zyxzyx", "xyzwhd", "cxcyczwhd". With '
    "the prefix ``rel_``, numbers are fractions of `image_size`."
)


class FormatOption(TypedDict, total=False):
    """How boxes are written."""

    format: Annotated[BoxFormat, Option("xyxy", BOX_FORMATS, READING)]


class OffsetOption(TypedDict, total=False):
    """What maximum corners mean."""

    offset: Annotated[
        float,
        Option(
            0.0,
            "A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides do "
            "not need it.",
            READING,
        ),
    ]


class ImageOption(TypedDict, total=False):
    """What relative boxes are relative to."""

    image_size: Annotated[
        Any,
        Option(
            None,
            "(height, width) of the image, or an array of sizes along a last axis, which broadcasts with the boxes. "
            "Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for cuboids.",
            READING,
            BESIDE,
        ),
    ]


class CornerOptions(FormatOption, OffsetOption, ImageOption, total=False):
    """How boxes are written."""


class BoxOptions(CornerOptions, ShapeOptions, InnerOption, total=False):
    """Options of every score of boxes."""


class AlphaOption(TypedDict, total=False):
    """The option of CIoU."""

    detach_alpha: Annotated[
        bool,
        Option(default=True, text="Hold alpha constant in the gradient, like the paper. The value is the same."),
    ]
    alpha_above: Annotated[
        float | None,
        Option(
            None,
            "IoU above which alpha counts; below, alpha is 0. mmdet and the code of the paper's authors use 0.5. By "
            "default, as in the paper, alpha counts at every IoU.",
        ),
    ]


ROTATED_FORMATS = (
    '"cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy": four corners '
    "along the outline, in either direction. Angles are radians, positive from x towards y, which is clockwise on a "
    "screen."
)
RotatedFormat: TypeAlias = Literal["cxcywhr", "xywhr", "xyxyxyxy"]


class RotatedOptions(ShapeOptions, InnerOption, total=False):
    """Options of every score of rotated rectangles."""

    format: Annotated[RotatedFormat, Option("cxcywhr", ROTATED_FORMATS, READING)]


AngleUnit: TypeAlias = Literal["radians", "degrees"]
_UNIT = "Unit of the angles of `x`. All other functions take radians."
_TO_UNIT = "Unit of the angles of the result."
_CLOCKWISE = (
    "Whether positive angles of `x` turn x towards y, clockwise on a screen with y down, as in all other functions. In "
    "torchvision and detectron2, they turn counterclockwise."
)
_TO_CLOCKWISE = "The same for the result."


class AngleOptions(TypedDict, total=False):
    """Options of conversions of rotated rectangles."""

    unit: Annotated[AngleUnit, Option("radians", _UNIT, READING)]
    clockwise: Annotated[bool, Option(default=True, text=_CLOCKWISE, role=READING)]
    to_unit: Annotated[AngleUnit, Option("radians", _TO_UNIT, READING)]
    to_clockwise: Annotated[bool, Option(default=True, text=_TO_CLOCKWISE, role=READING)]


BOXES3D_FORMATS = (
    '"xyzlwhr": centre, length, width, height, yaw, as in Waymo\'s data. "kitti": height, width, length, x, y, z of '
    'the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre, width, length, height, '
    "quaternion w, x, y, z. Angles are radians, positive from x towards y."
)
Boxes3DFormat: TypeAlias = Literal["xyzlwhr", "kitti", "nuscenes"]


class Boxes3DOptions(ShapeOptions, InnerOption, total=False):
    """Options of every score of 3-D boxes."""

    format: Annotated[Boxes3DFormat, Option("xyzlwhr", BOXES3D_FORMATS, READING)]


IntervalFormat: TypeAlias = Literal["xx", "xw", "cxw"]
_INTERVAL_FORMATS = '"xx": begin and end. "xw": begin and length. "cxw": centre and length.'


class IntervalOptions(ShapeOptions, InnerOption, total=False):
    """Options of every score of intervals."""

    format: Annotated[IntervalFormat, Option("xx", _INTERVAL_FORMATS, READING)]


class ReductionOptions(TypedDict, total=False):
    """Options of every loss: which values count, and how to reduce them."""

    weight: Annotated[Any, Option(None, "Factor for each loss, an array that broadcasts to (...).", LOSS, BESIDE)]
    where: Annotated[
        Any,
        Option(
            None,
            "Which shapes count: booleans that broadcast to (...). The others have loss 0 and gradient 0, even if they "
            "are NaN.",
            LOSS,
            BOOLEANS,
        ),
    ]
    reduction: Annotated[
        Reduction,
        Option(
            "none",
            '"mean" divides the sum by the weights of the shapes that count, or by their number; without shapes it '
            "is 0. For 16-bit predictions, the sum and the mean are float32.",
            LOSS,
        ),
    ]
    normalizer: Annotated[
        Any,
        Option(
            None,
            'Divisor for "mean", such as the number of objects in all processes: a number or an array of shape (). '
            "mmdet calls it avg_factor. A divisor of 0 gives 0.",
            LOSS,
            BESIDE,
        ),
    ]


class FocalOption(TypedDict, total=False):
    """The option of every loss."""

    focal: Annotated[
        float,
        Option(
            0.0,
            "Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant (Zhang "
            "et al., Focal-EIoU, 2022, with 0.5).",
            LOSS,
            least=0.0,
        ),
    ]


class InvertedOption(TypedDict, total=False):
    """The option of every loss of boxes."""

    inverted: Annotated[
        Inverted,
        Option(
            "penalise",
            "Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them as "
            'empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the hull of '
            'all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners first. For '
            "other boxes, all three give the same loss and gradient.",
            LOSS,
        ),
    ]


class LogOptions(TypedDict, total=False):
    """Options of the loss of UnitBox."""

    log: Annotated[
        bool, Option(default=False, text="Use UnitBox's loss, -log(max(IoU, floor)), instead of 1 - IoU.", role=LOSS)
    ]
    floor: Annotated[
        float,
        Option(
            1e-6,
            "Lower limit of IoU, in (0, 1). An IoU below it, as for disjoint boxes, gives -log(floor) and gradient 0.",
            LOSS,
            above=0.0,
            below=1.0,
        ),
    ]


class ThetaOption(TypedDict, total=False):
    """The option of SIoU."""

    theta: Annotated[float, Option(4.0, "Power of the shape cost, at least 2; the paper uses 2 to 6.", least=2.0)]


class ScaleOption(TypedDict, total=False):
    """The option of Shape-IoU."""

    scale: Annotated[
        float,
        Option(
            0.0,
            "How strongly the sides of the second box weight the differences, at least 0; 0 for no weights.",
            least=0.0,
        ),
    ]


class FocusingOptions(TypedDict, total=False):
    """Options of the loss of Wise-IoU."""

    version: Annotated[
        Literal[1, 2, 3],
        Option(
            1,
            "Factor of the loss. 1: none. 2: (L / mean)^gamma. 3: b / (delta * alpha^(b - delta)), b = L / mean. Here "
            "L = 1 - IoU and the mean is `running_mean`. The gradient holds the factor constant.",
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
    gamma: Annotated[float, Option(0.5, "Parameter of version 2, at least 0.", LOSS, least=0.0)]
    alpha: Annotated[float, Option(1.9, "Parameter of version 3, above 0.", LOSS, above=0.0)]
    delta: Annotated[float, Option(3.0, "Parameter of version 3, above 0.", LOSS, above=0.0)]


Covariance: TypeAlias = Literal["uniform", "inscribed"]
Direction: TypeAlias = Literal["forward", "reverse", "symmetric", "jeffreys", "max", "min"]

_COVARIANCE = 'Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.'


class UniformOption(TypedDict, total=False):
    """The option of scores of Gaussians with the covariance of a uniform density."""

    covariance: Annotated[Covariance, Option("uniform", _COVARIANCE)]


class InscribedOption(TypedDict, total=False):
    """The option of scores of Gaussians whose ellipse of one deviation touches the sides."""

    covariance: Annotated[Covariance, Option("inscribed", _COVARIANCE)]


class ConstantOption(InscribedOption, total=False):
    """The option of NWD."""

    constant: Annotated[
        float,
        Option(
            12.8,
            "Mean size of the objects in the unit of the coordinates, above 0. The default is for AI-TOD.",
            above=0.0,
        ),
    ]


class NormalizeOption(InscribedOption, total=False):
    """The option of GWD."""

    normalize: Annotated[
        bool,
        Option(
            default=False,
            text="Divide by twice the fourth root of the product of all four standard deviations, like mmrotate by "
            "default. The distance then has no unit.",
        ),
    ]


class DirectionOption(InscribedOption, total=False):
    """The option of KLD."""

    direction: Annotated[
        Direction,
        Option(
            "forward",
            '"forward" is KL(a, b), "reverse" KL(b, a), "symmetric" their mean, "jeffreys" their sum, "max" and "min" '
            "the larger and the smaller one.",
        ),
    ]


class DistanceLossOptions(TypedDict, total=False):
    """Options of the losses of distances between Gaussians."""

    fun: Annotated[
        Literal["log1p", "sqrt", "none"],
        Option("log1p", "Function of the distance d: log(1 + d), its square root, or d.", LOSS),
    ]
    tau: Annotated[
        float,
        Option(
            1.0,
            "Parameter of the loss, at least 0: 1 - 1 / (tau + fun(d)) if tau is at least 1, otherwise fun(d).",
            LOSS,
            least=0.0,
        ),
    ]


class OverlapLossOptions(TypedDict, total=False):
    """Options of the loss of KFIoU."""

    fun: Annotated[
        Literal["none", "ln", "exp"],
        Option("none", "The loss: 1 - KFIoU, -log(max(KFIoU, 1e-6)), or exp(1 - KFIoU) - 1.", LOSS),
    ]
