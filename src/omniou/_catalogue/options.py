"""The options of public functions, each written once: its type, its default and its description.

A function takes ``**options: Unpack[BoxOptions]``, which type checkers and editors read in full. From the same
declaration `takes` and `documented` make the signature and the section of parameters that `help` shows.
"""

import functools
import inspect
import re
from collections.abc import Callable
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeAlias,
    TypedDict,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from omniou._lib import docs
from omniou._lib.formats import BoxFormat

F = TypeVar("F", bound=Callable[..., Any])

Reduction: TypeAlias = Literal["none", "mean", "sum"]
Inverted: TypeAlias = Literal["penalise", "empty", "sort"]


class Option(NamedTuple):
    """What is known of an option beside its type."""

    default: Any
    text: str


class EpsOption(TypedDict, total=False):
    """Of every score."""

    eps: Annotated[float, Option(0.0, "Added to every denominator, to reproduce a peer; the formulas need none.")]


class ShapeOptions(EpsOption, total=False):
    """Of every score."""

    power: Annotated[
        float,
        Option(
            1.0,
            "Above 0: the overlap and each penalty are taken to this power (He et al., Alpha-IoU, NeurIPS 2021); 3 is "
            "that paper's choice.",
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
        ),
    ]


BOX_FORMATS = (
    'Order of the numbers: "xyxy", "yxyx" (low corner, high corner), "xywh" (low corner, sides) or "cxcywh" (centre, '
    'sides); of intervals alone "xx", "xw", "cxw"; of cuboids alone "xyzxyz", "zyxzyx", "xyzwhd", "cxcyczwhd". With '
    "the prefix ``rel_`` numbers are fractions of `image_size`."
)


OFFSET = "Added to high corners: 1 where they name the last pixel inside. Stated sides do not need it."


class CornerOptions(TypedDict, total=False):
    """How boxes are to be read."""

    format: Annotated[BoxFormat, Option("xyxy", BOX_FORMATS)]
    offset: Annotated[
        float,
        Option(0.0, OFFSET),
    ]
    image_size: Annotated[
        Any,
        Option(
            None,
            "(height, width) of the image, needed by relative formats and by MPDIoU; or an array of such sizes along a "
            "last axis, which broadcasts with the boxes. (width,) for intervals, (depth, height, width) for cuboids.",
        ),
    ]


class BoxOptions(CornerOptions, ShapeOptions, InnerOption, total=False):
    """Of every score of boxes."""


class AlphaOption(TypedDict, total=False):
    """Of CIoU."""

    detach_alpha: Annotated[
        bool,
        Option(default=True, text="Hold alpha constant in the gradient, as the paper does. The value is the same."),
    ]


class CIoUOptions(BoxOptions, AlphaOption, total=False):
    """Of CIoU of boxes."""


ROTATED_FORMATS = (
    '"cxcywhr": centre, sides, angle. "xywhr": the corner that is low in x and y before the turn, sides, angle. '
    '"xyxyxyxy": four corners along the outline, either way round. Angles are radians, positive from x towards y, '
    "which is clockwise on a screen."
)
RotatedFormat: TypeAlias = Literal["cxcywhr", "xywhr", "xyxyxyxy"]


class RotatedOptions(ShapeOptions, InnerOption, total=False):
    """Of every score of rotated rectangles."""

    format: Annotated[RotatedFormat, Option("cxcywhr", ROTATED_FORMATS)]


class RotatedCIoUOptions(RotatedOptions, AlphaOption, total=False):
    """Of CIoU of rotated rectangles."""


BOXES3D_FORMATS = (
    '"xyzlwhr": centre, length, width, height, yaw, as Waymo\'s. "kitti": height, width, length, x, y, z of the centre '
    'of the bottom in the axes of the camera, rotation_y. "nuscenes": centre, width, length, height, quaternion w, x, '
    "y, z. Angles are radians, positive from x towards y."
)
Boxes3DFormat: TypeAlias = Literal["xyzlwhr", "kitti", "nuscenes"]


class Boxes3DOptions(ShapeOptions, InnerOption, total=False):
    """Of every score of 3-D boxes."""

    format: Annotated[Boxes3DFormat, Option("xyzlwhr", BOXES3D_FORMATS)]


class ReductionOptions(TypedDict, total=False):
    """Of every loss: which values count, and what becomes of them."""

    weight: Annotated[Any, Option(None, "Factor of each loss, an array that broadcasts to (...).")]
    where: Annotated[
        Any,
        Option(
            None,
            "Booleans that broadcast to (...): which shapes count. What is left out gives 0, and gradient 0, whatever "
            "it holds, NaN included.",
        ),
    ]
    reduction: Annotated[
        Reduction,
        Option(
            "none",
            '"mean" divides by the sum of the weights that count, or by the number of shapes that count; a mean of '
            "nothing is 0.",
        ),
    ]
    normalizer: Annotated[
        Any,
        Option(
            None,
            'With "mean", what the sum is divided by instead, such as the number of objects in all processes: a number '
            "or an array of shape (). mmdet calls it avg_factor. By 0 gives 0.",
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
        ),
    ]


class BoxLossOptions(BoxOptions, ReductionOptions, FocalOption, InvertedOption, total=False):
    """Of every loss of boxes."""


class CIoULossOptions(BoxLossOptions, AlphaOption, total=False):
    """Of the CIoU loss."""


class PolygonLossOptions(ShapeOptions, ReductionOptions, FocalOption, total=False):
    """Of every loss of polygons."""


class RotatedLossOptions(RotatedOptions, ReductionOptions, FocalOption, total=False):
    """Of every loss of rotated rectangles."""


class Boxes3DLossOptions(Boxes3DOptions, ReductionOptions, FocalOption, total=False):
    """Of every loss of 3-D boxes."""


class LogOptions(TypedDict, total=False):
    """Of the loss of UnitBox."""

    log: Annotated[bool, Option(default=False, text="The loss of UnitBox, -log(max(IoU, floor)), in place of 1 - IoU.")]
    floor: Annotated[
        float, Option(1e-6, "In (0, 1). An IoU below it, as of disjoint boxes, gives -log(floor) and gradient 0.")
    ]


class IoULossOptions(BoxLossOptions, LogOptions, total=False):
    """Of the IoU loss."""


class ThetaOption(TypedDict, total=False):
    """Of SIoU."""

    theta: Annotated[float, Option(4.0, "Above 0: power of the shape cost; from 2 to 6 in the paper.")]


class ScaleOption(TypedDict, total=False):
    """Of Shape-IoU."""

    scale: Annotated[
        float, Option(0.0, "At least 0: how much the sides of the second box weigh the differences; 0 for not at all.")
    ]


class FocusingOptions(TypedDict, total=False):
    """Of the loss of Wise-IoU."""

    version: Annotated[
        Literal[1, 2, 3],
        Option(
            1,
            "1: the loss as it is. 2: times (L / mean)^gamma; 3: times b / (delta * alpha^(b - delta)), b = L / mean; "
            "where L = 1 - IoU and the mean is `running_mean`. Factors are held constant in the gradient.",
        ),
    ]
    running_mean: Annotated[
        Any,
        Option(
            None,
            "Mean of 1 - IoU in the training so far, for versions 2 and 3: a number or an array of shape (). See "
            "`omniou.losses.running_mean`.",
        ),
    ]
    gamma: Annotated[float, Option(0.5, "At least 0, of version 2.")]
    alpha: Annotated[float, Option(1.9, "Above 0, of version 3.")]
    delta: Annotated[float, Option(3.0, "Above 0, of version 3.")]


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
        Option(12.8, "Above 0, in the unit of the coordinates: the mean size of the objects. The default is AI-TOD's."),
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
        Literal["log1p", "sqrt", "none"], Option("log1p", "What is made of the distance d: log(1 + d), its root, or d.")
    ]
    tau: Annotated[
        float, Option(1.0, "At least 0. From 1 on the loss is 1 - 1 / (tau + fun(d)); below, it is fun(d) alone.")
    ]


class OverlapLossOptions(TypedDict, total=False):
    """Of the loss of KFIoU."""

    fun: Annotated[
        Literal["none", "ln", "exp"],
        Option("none", "1 - KFIoU, -log(max(KFIoU, 1e-6)), or exp(1 - KFIoU) - 1."),
    ]


@functools.cache
def declared(*options: Any) -> dict[str, tuple[Any, Option]]:
    """Name -> type and option, in the order of their declarations."""
    options_by_name: dict[str, tuple[Any, Option]] = {}
    for one in options:
        hints = get_type_hints(one, include_extras=True)
        options_by_name |= {name: get_args(hint) for name, hint in hints.items() if get_origin(hint) is Annotated}
    return options_by_name


def takes(options: dict[str, tuple[Any, Option]], /) -> Callable[[F], F]:
    """Make a function with ``**options`` take these alone, at their defaults where they are not given.

    Its signature names each of them, as `help`, editors and the reference pages show it. In the docstring, the line
    ``**options`` becomes the description of each.
    """
    defaults = {name: option.default for name, (_, option) in options.items()}

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def public(*args: Any, **given: Any) -> Any:
            for name in given:
                if name not in defaults and name not in by_name:
                    known = ", ".join(defaults)
                    msg = f"{public.__name__}() got an unexpected keyword argument {name!r}; it takes {known}"
                    raise TypeError(msg)
            return function(*args, **{**defaults, **given})

        own = inspect.signature(function)
        required = [x for x in own.parameters.values() if x.kind is not inspect.Parameter.VAR_KEYWORD]
        by_name = {x.name for x in required if x.kind is not inspect.Parameter.POSITIONAL_ONLY}
        optional = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name], annotation=_shown(hint))
            for name, (hint, _) in options.items()
        ]
        if public.__doc__:  # of a function that is written out: its line `**options` stands for all of them
            doc = inspect.cleandoc(public.__doc__)
            public.__doc__ = re.sub(r"^\*\*options$", lambda _: documented(options), doc, flags=re.MULTILINE)
        public.__signature__ = own.replace(parameters=[*required, *optional])  # type: ignore[attr-defined]
        return cast("F", public)

    return decorate


def named(function: Any, name: str, module: str, doc: str, /) -> Any:
    """The function under a name, in a module, with documentation."""
    function.__name__ = function.__qualname__ = name
    function.__module__, function.__doc__ = module, doc
    return function


def documented(options: dict[str, tuple[Any, Option]], /) -> str:
    """The lines on options of a docstring's section of parameters."""
    return "\n".join(f"{name} : {_type(hint)}\n{docs.wrapped(option.text)}" for name, (hint, option) in options.items())


def _shown(hint: Any) -> Any:
    """A type as a signature shows it: many choices would fill the screen."""
    return str if get_origin(hint) is Literal and len(get_args(hint)) > 6 else hint


def _type(hint: Any) -> str:
    if get_origin(hint) is Literal:
        choices = get_args(hint)
        return "str" if len(choices) > 6 else "{" + ", ".join(f'"{x}"' for x in choices) + "}"
    return "optional" if hint is Any else getattr(hint, "__name__", None) or str(hint)
