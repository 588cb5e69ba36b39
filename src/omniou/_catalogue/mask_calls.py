"""Operations on masks as arrays of pixels: what is counted of two of them, and one at a time."""

import dataclasses
import functools
import math
from collections.abc import Callable, Mapping
from typing import Any

from omniou._catalogue.calls import KernelRun, Operation
from omniou._catalogue.options import COUNTING, FORMULA, MODIFIER, Declared, of_role
from omniou._catalogue.pixel_options import HardOptions, NearHardOptions, SoftOptions
from omniou._catalogue.pixel_score import PixelScore
from omniou._kernels import mask_edges
from omniou._kernels import masks as kernels
from omniou._lib import checks
from omniou._lib.arrays import PIXELS, Fact, agree
from omniou._lib.types import Namespace
from omniou._lib.values import check_two_values

_TEXT = (
    "Masks of one size: booleans, integers that are 0 or one other number, or floats with a `threshold`. Leading "
    "axes broadcast."
)


@dataclasses.dataclass(frozen=True, eq=False)
class MaskRun(KernelRun):
    """A kernel of masks, which looks at integers first where no device is waited for."""

    names: tuple[str, ...]

    def __call__(self, *arrays: Any, workers: int = 1) -> Any:
        for name, x in zip(self.names, arrays, strict=False):  # arrays that are options follow
            check_integers(name, x, xp=self.xp)
        return super().__call__(*arrays, workers=workers)


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Counting:
    """What is counted of two arrays of masks, as a value.

    Attributes
    ----------
    prefix : str
        Of the names of its functions: "soft_".
    of : str
        What its scores are of, for their documentation.
    about : str
        What more there is to know.
    text : str
        What the arrays hold.
    options : type
        Declared options.
    count : callable
        Options and (height, width) -> what counts two arrays, of `_kernels.masks` or `_kernels.mask_edges`.
    scores : tuple of str
        Names of `pixel_scores`; any but those that join classes, where it is empty.
    paper : str
    """

    of: str
    options: Any
    count: Callable[[dict[str, Any], tuple[int, int]], Any]
    prefix: str = ""
    about: str = ""
    text: str = _TEXT
    scores: tuple[str, ...] = ()
    paper: str = ""

    def has(self, score: PixelScore, /) -> bool:
        """Whether it makes a function of a score."""
        return score.name in self.scores if self.scores else not score.joins


def radius(options: dict[str, Any], size: tuple[int, int], /) -> int:
    """The distance in pixels: halves are rounded to even, as in the reference implementation and `omniou.rle`."""
    width: int | None = options["width"]
    return max(1, round(min(options["dilation_ratio"], 1.0) * math.hypot(*size))) if width is None else width


HARD = Counting(of="of two masks", options=HardOptions, count=lambda _, __: kernels.hard)
SOFT = Counting(
    prefix="soft_",
    of="of probabilities",
    about="Pixels p and q share p q, and an area is a sum of p. Of pixels that are 0 or 1 it is the score of masks. It "
    "has a gradient; `omniou.losses.masks` has the loss.",
    text="Probabilities in [0, 1], which only `check` looks at; booleans; or integers that are 0 or one other number. "
    "Leading axes broadcast.",
    options=SoftOptions,
    count=lambda options, _: kernels.Soft(options["squared"]),
)
BOUNDARY = Counting(
    prefix="boundary_",
    of="of the boundaries of two masks: the pixels of each that are near its edge, or near the edge of the image",
    about="The IoU of large masks depends little on their outline; this does. In boundary AP the overlap is the lower "
    "of both.",
    options=NearHardOptions,
    count=lambda options, size: mask_edges.NearEdges(radius(options, size)),
    scores=("iou",),
    paper="Cheng et al., Boundary IoU, CVPR 2021. `omniou.rle` computes the same on runs.",
)
TRIMAP = Counting(
    prefix="trimap_",
    of="of two masks within a band around the outline of the second, the ground truth",
    about="The band has the pixels with both a true and a false one of `b` within the width, along rows, columns and "
    "diagonals. The edge of the image is not an outline. Unlike boundary IoU it is not symmetric, and it does not see "
    "errors of `a` that are far from the outline of `b`.",
    options=NearHardOptions,
    count=lambda options, size: mask_edges.Trimap(radius(options, size)),
    scores=("iou",),
    paper="Kohli et al., Robust higher order potentials, IJCV 2009.",
)
COUNTINGS = (HARD, SOFT, BOUNDARY, TRIMAP)


def quotient_of(score: PixelScore, options: Declared, /) -> Callable[[dict[str, Any]], kernels.MaskQuotient]:
    """A score of pixels -> values of its options -> what is made of counts."""

    def make(given: dict[str, Any]) -> kernels.MaskQuotient:
        division = {"smooth": 0.0, "zero_division": 0.0, **of_role(options, MODIFIER, given)}
        return kernels.MaskQuotient(score.formula, tuple(of_role(options, FORMULA, given).items()), **division)

    return make


def mask_operation(
    make: Callable[[dict[str, Any]], Any], count: Callable[[dict[str, Any], tuple[int, int]], Any], options: Declared, /
) -> Operation:
    """Two arrays of masks; `make`: values of options -> what is made of what is counted."""
    settle = functools.partial(_settle_masks, make, count, options)
    return Operation(settle, options, {"a": PIXELS, "b": PIXELS})


def _settle_masks(
    make: Callable[[dict[str, Any]], Any],
    count: Callable[[dict[str, Any], tuple[int, int]], Any],
    options: Declared,
    facts: tuple[Fact, ...],
    given: dict[str, Any],
    /,
    *,
    pairs: bool,
) -> KernelRun:
    compute, result = agree(facts)
    check_masks(facts, pairs=pairs)
    check_thresholded(facts, given)
    plan = kernels.MaskPlan(
        score=make(given),
        count=count(of_role(options, COUNTING, given), tuple(facts[0].shape[-2:])),
        pairs=pairs,
        compute=compute,
        result=result,
        threshold=given.get("threshold"),
        memory=given.get("memory", 2**24),
    )
    return MaskRun(kernels.scores, facts[0].namespace, {"plan": plan}, tuple(f.name for f in facts))


def one_mask(
    kernel: Callable[..., Any],
    options: Declared,
    /,
    of_size: Callable[[dict[str, Any], tuple[int, int]], dict[str, Any]] = lambda options, _: options,
) -> Operation:
    """A kernel of one array of masks; `of_size`: its options, from those of the call and the size of the images."""

    def settle(facts: tuple[Fact, ...], given: dict[str, Any], /, *, pairs: bool) -> KernelRun:  # noqa: ARG001
        agree(facts)
        check_masks(facts)
        check_thresholded(facts, given)
        size = tuple(facts[0].shape[-2:])
        return MaskRun(kernel, facts[0].namespace, of_size(given, size), tuple(f.name for f in facts))

    return Operation(settle, options, {"x": PIXELS})


# The last axes of masks, by how many there are.
AXES = {1: "length", 2: "height, width", 3: "depth, height, width"}


def check_masks(facts: tuple[Fact, ...], /, *, pairs: bool = False, spatial_axes: int = 2) -> tuple[Any, ...]:
    """Check that masks have one size; the shape that their leading axes broadcast to."""
    expected = f"(..., masks, {AXES[spatial_axes]})" if pairs else f"(..., {AXES[spatial_axes]})"
    axes = spatial_axes + pairs
    shapes = {f.name: tuple(f.shape) for f in facts}
    for name, shape in shapes.items():
        if len(shape) < axes:
            raise ValueError(f"`{name}` must have shape {expected}, got {shape}")
    if any(shape[-spatial_axes:] != tuple(facts[0].shape[-spatial_axes:]) for shape in shapes.values()):
        listing = " and ".join(f"{shape} for `{name}`" for name, shape in shapes.items())
        raise ValueError(f"masks must have one size, got {listing}")
    if spatial_axes == 2:  # of volumes the caller said how many axes they have
        for name, shape in shapes.items():
            _check_channels(name, shape, axes)
    return checks.broadcast(**{name: shape[:-axes] for name, shape in shapes.items()})


def check_thresholded(facts: tuple[Fact, ...], given: Mapping[str, Any], /) -> None:
    """Raise for floats without a threshold where there is such an option: all probabilities above 0 would be on."""
    for fact in facts if given.get("threshold", 0.0) is None else ():
        if fact.namespace.isdtype(fact.dtype, "real floating"):
            raise TypeError(
                f"`{fact.name}` must be booleans or integers where `threshold` is not given, got dtype {fact.dtype}: "
                "pass `threshold`, such as 0.5 for probabilities and 0 for logits"
            )


def check_integers(name: str, x: Any, /, *, spatial_axes: int = 2, xp: Namespace) -> None:
    """Raise for integers that are labels of classes or instances; floats have a threshold."""
    if xp.isdtype(x.dtype, "integral"):
        check_two_values(name, x, spatial_axes=spatial_axes)


# Fewer columns than this, of masks with more rows, are channels on the last axis.
_COLUMNS = 5


def _check_channels(name: str, shape: tuple[Any, ...], axes: int) -> None:
    """Raise for what is most likely (..., height, width, channels)."""
    if len(shape) <= axes or None in shape:
        return
    *_, rows, high, wide = shape
    narrow = wide == 1 or (1 < wide < _COLUMNS and len(shape) > axes + 1)
    if narrow and min(rows, high) >= (2 if wide == 1 else _COLUMNS):
        raise ValueError(
            f"`{name}` must have height and width last, got {shape}: for channels on the last axis pass "
            f"`{name}[..., 0]` or move that axis to the front; for masks of {high} x {wide} pixels swap the last two "
            "axes, whose order has no effect"
        )
