"""The options of public functions, each written once: its type, its default and its description.

A function takes ``**options: Unpack[BoxOptions]``, which type checkers and editors read in full. From the same
declaration `takes` and `documented` make the signature and the section of parameters that `help` shows.
"""

import functools
import inspect
import textwrap
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
    """Of every score of shapes of one format."""


class CornerOptions(TypedDict, total=False):
    """How boxes are to be read."""

    format: Annotated[BoxFormat, Option("xyxy", "Of both arguments: see the top of `omniou.boxes`.")]
    offset: Annotated[float, Option(0.0, "1 where high corners name the last pixel inside.")]
    image_size: Annotated[
        Any, Option(None, "(height, width), needed by relative formats; or such sizes along a last axis.")
    ]


class BoxOptions(CornerOptions, EpsOption, total=False):
    """Of every score of boxes."""


class AlphaOption(TypedDict, total=False):
    """Of CIoU."""

    detach_alpha: Annotated[
        bool,
        Option(default=True, text="Hold alpha constant in the gradient, as the paper does. The value is the same."),
    ]


class CIoUOptions(BoxOptions, AlphaOption, total=False):
    """Of CIoU of boxes."""


RotatedFormat: TypeAlias = Literal["cxcywhr", "xywhr", "xyxyxyxy"]


class RotatedOptions(EpsOption, total=False):
    """Of every score of rotated rectangles."""

    format: Annotated[RotatedFormat, Option("cxcywhr", "Of both arguments: see the top of `omniou.rotated`.")]


class RotatedCIoUOptions(RotatedOptions, AlphaOption, total=False):
    """Of CIoU of rotated rectangles."""


Boxes3DFormat: TypeAlias = Literal["xyzlwhr", "kitti", "nuscenes"]


class Boxes3DOptions(EpsOption, total=False):
    """Of every score of 3-D boxes."""

    format: Annotated[Boxes3DFormat, Option("xyzlwhr", "Of both arguments: see the top of `omniou.boxes3d`.")]


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


class BoxLossOptions(BoxOptions, ReductionOptions, InvertedOption, total=False):
    """Of every loss of boxes."""


class CIoULossOptions(BoxLossOptions, AlphaOption, total=False):
    """Of the CIoU loss."""


class PolygonLossOptions(ShapeOptions, ReductionOptions, total=False):
    """Of every loss of polygons."""


class RotatedLossOptions(RotatedOptions, ReductionOptions, total=False):
    """Of every loss of rotated rectangles."""


class Boxes3DLossOptions(Boxes3DOptions, ReductionOptions, total=False):
    """Of every loss of 3-D boxes."""


class LogOptions(TypedDict, total=False):
    """Of the loss of UnitBox."""

    log: Annotated[bool, Option(default=False, text="The loss of UnitBox, -log(max(IoU, floor)), in place of 1 - IoU.")]
    floor: Annotated[
        float, Option(1e-6, "In (0, 1). An IoU below it, as of disjoint boxes, gives -log(floor) and gradient 0.")
    ]


class IoULossOptions(BoxLossOptions, LogOptions, total=False):
    """Of the IoU loss."""


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

    Its signature names each of them, as `help`, editors and the reference pages show it.
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
    lines = []
    for name, (hint, option) in options.items():
        lines += [f"{name} : {_type(hint)}", textwrap.indent(textwrap.fill(option.text, 100), "    ")]
    return "\n".join(lines)


def _shown(hint: Any) -> Any:
    """A type as a signature shows it: many choices would fill the screen."""
    return str if get_origin(hint) is Literal and len(get_args(hint)) > 6 else hint


def _type(hint: Any) -> str:
    if get_origin(hint) is Literal:
        choices = get_args(hint)
        return "str" if len(choices) > 6 else "{" + ", ".join(f'"{x}"' for x in choices) + "}"
    return "optional" if hint is Any else getattr(hint, "__name__", None) or str(hint)
