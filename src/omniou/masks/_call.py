"""From what a caller passes to a kernel: masks of one library and size, and a remembered plan."""

import math
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, TypedDict

from omniou._catalogue import calls
from omniou._catalogue.options import Option
from omniou._kernels import masks as kernels
from omniou._lib import backends, checks
from omniou._lib.arrays import Fact, agree, arrays_of, namespace_of
from omniou._lib.outer import Outer
from omniou._lib.types import Namespace

THRESHOLD = "Floating pixels above it are on; by default all but 0. Booleans and integers are not affected."


class PairOptions(TypedDict, total=False):
    """Of every score of masks."""

    memory: Annotated[
        int,
        Option(
            2**24,
            "Bytes of the pixels that `pairwise` turns into numbers at once: beyond the masks and a few arrays of "
            "(N, M), no more memory is used, however large the images are. More is hardly faster on a CPU, and faster "
            "on a GPU.",
        ),
    ]


class PixelOptions(PairOptions, total=False):
    """Of every score of pixels that are on or off."""

    threshold: Annotated[float | None, Option(None, THRESHOLD)]


class EmptyOption(TypedDict, total=False):
    """Of every quotient of counts."""

    empty: Annotated[
        float,
        Option(
            0.0,
            "What 0 / 0 is, as of two empty masks: 0 by default, as in pycocotools; 1 in DAVIS and smp. NaN marks it "
            "as no data.",
        ),
    ]


class SmoothOptions(EmptyOption, total=False):
    """Of every quotient of counts that can be smoothed."""

    smooth: Annotated[float, Option(0.0, "At least 0: added to numerator and denominator.")]


class MaskOptions(PixelOptions, SmoothOptions, total=False):
    """Of most scores of masks."""


class SoftOptions(PairOptions, SmoothOptions, total=False):
    """Of scores of probabilities."""


class Given(NamedTuple):
    """Two arrays of masks, or two sets of them."""

    a: Any
    b: Any
    pairs: bool
    rows_first: bool


def given(a: Any, b: Any, /) -> Given:
    """What was passed, or what `pairwise` handed over."""
    if isinstance(a, Outer) or isinstance(b, Outer):
        a, b, rows_first = calls.two_sets(a, b)
        return Given(a, b, pairs=True, rows_first=rows_first)
    return Given(a, b, pairs=False, rows_first=True)


def score(formula: Any, counts: Any, a: Any, b: Any, options: dict[str, Any], /) -> Any:
    """A score of masks, element by element, or of all pairs where `pairwise` asks for them.

    `counts` is what counts both, or a function of the size of the images to it.
    """
    a, b, pairs, rows_first = given(a, b)
    (a, b), facts = arrays_of(a=a, b=b)
    xp, plan = _settle(formula, counts, facts, tuple(options.items()), 3 if pairs else 2)
    out = backends.run(kernels.scores, a, b, plan=plan, xp=xp)
    return out if rows_first else namespace_of("out", out).matrix_transpose(out)


@backends.remember
def _settle(
    formula: Any,
    counts: Any,
    facts: tuple[Fact, ...],
    options: tuple[tuple[str, Any], ...],
    axes: int,
    /,
) -> tuple[Namespace, kernels.Plan]:
    named = dict(options)
    compute, result = agree(as_numbers(facts))
    check_shapes(facts, axes)
    if hasattr(counts, "of_size"):
        counts = counts.of_size(tuple(facts[0].shape[-2:]))
    plan = kernels.Plan(
        formula,
        counts,
        pairs=axes == 3,
        compute=compute,
        result=result,
        smooth=checks.number("smooth", named.get("smooth", 0.0), least=0.0),
        empty=checked_empty(named.get("empty", 0.0)),
        threshold=checked_threshold(named.get("threshold")),
        memory=checks.count("memory", named.get("memory", 2**24)),
    )
    return facts[0].namespace, plan


def _nothing(_: Any) -> dict[str, Any]:
    return {}


def one(
    kernel: Callable[..., Any], x: Any, /, *, of_size: Callable[[Any], dict[str, Any]] = _nothing, **static: Any
) -> Any:
    """A kernel of one array of masks; `of_size`: options that depend on the size of the images."""
    (array,), facts = arrays_of(x=x)
    agree(as_numbers(facts))
    check_shapes(facts, 2)
    return backends.run(kernel, array, xp=facts[0].namespace, **static, **of_size(tuple(array.shape[-2:])))


def as_numbers(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """The facts of booleans, which are masks but no numbers, as those of integers."""
    xp = facts[0].namespace
    return tuple(f._replace(dtype=xp.uint8) if xp.isdtype(f.dtype, "bool") else f for f in facts)


def checked_threshold(value: Any) -> float | None:
    """The option, checked."""
    return None if value is None else checks.number("threshold", value)


def checked_empty(value: Any) -> float:
    """The option, checked."""
    # One NaN, which equals itself in the keys of caches.
    return math.nan if isinstance(value, float) and math.isnan(value) else checks.number("empty", value)


def check_shapes(facts: tuple[Fact, ...], axes: int) -> tuple[Any, ...]:
    """Check that masks have one size; the shape that their leading axes broadcast to."""
    wanted = "(..., height, width)" if axes == 2 else "(..., masks, height, width)"
    shapes = {f.name: tuple(f.shape) for f in facts}
    for name, shape in shapes.items():
        if len(shape) < axes:
            msg = f"`{name}` must have shape {wanted}, got {shape}"
            raise ValueError(msg)
    if len({shape[-2:] for shape in shapes.values()}) > 1:
        listing = " and ".join(f"{shape} for `{name}`" for name, shape in shapes.items())
        msg = f"masks must have one size, got {listing}"
        raise ValueError(msg)
    return checks.broadcast(**{name: shape[:-axes] for name, shape in shapes.items()})
