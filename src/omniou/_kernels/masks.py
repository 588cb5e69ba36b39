"""Masks: the pixels that two of them share, the scores that follow, and the masks of boxes and polygons.

A pixel is on where a boolean is true, a number is not 0, or a probability is above a threshold; NaN is off, and makes
every score of its mask NaN.
"""

import dataclasses
import functools
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from omniou._kernels import boxes as kernels
from omniou._kernels.pixels import PixelCounts, divided
from omniou._lib import accel, backends
from omniou._lib.arrays import axes, cast, columns_of, known, ranked, widest_integer
from omniou._lib.formats import Layout
from omniou._lib.types import Namespace

# Up to here float32 counts pixels exactly.
EXACT = 2**24
# Below, sums of two counts fit 32 bits, which take half the time of 64.
NARROW = 2**29


class Counted(NamedTuple):
    """The counts of two masks, and flags of masks with NaN."""

    counts: PixelCounts
    invalid: Any  # booleans (...), or None


class MaskPlan(NamedTuple):
    """A hashable plan of the computation: one kernel is compiled for each plan."""

    score: Callable[..., Any]  # what is counted -> (...)
    count: Callable[..., Any]  # two arrays of masks -> what `score` takes
    pairs: bool  # all pairs of two sets, or element by element
    compute: Any  # dtype
    result: Any  # dtype
    threshold: float | None
    memory: int  # bytes


def scores(a: Any, b: Any, /, *, plan: MaskPlan, xp: Namespace) -> Any:
    """(..., height, width), broadcast -> (...); or (..., N, height, width), (..., M, height, width) -> (..., N, M)."""
    rank = max(a.ndim, b.ndim)
    a, b = ranked(a, rank, xp=xp), ranked(b, rank, xp=xp)
    return plan.score(plan.count(a, b, plan=plan, xp=xp), plan=plan, xp=xp)


def marked(out: Any, invalid: Any, /, *, plan: MaskPlan, xp: Namespace) -> Any:
    """Scores (...) -> the same in the dtype of the result, NaN for masks with NaN."""
    out = cast(out, plan.result, xp=xp)
    return out if invalid is None else xp.where(invalid, math.nan, out)


# ---- what is made of counts


@dataclasses.dataclass(frozen=True)  # equal only to its kind, unlike a named tuple
class MaskQuotient:
    """A score of pixels."""

    formula: Callable[..., Any]
    options: tuple[tuple[str, Any], ...]
    smooth: float
    zero_division: float

    def __call__(self, x: Counted, /, *, plan: MaskPlan, xp: Namespace) -> Any:
        ratio = self.formula(x.counts, **dict(self.options), xp=xp)
        division = {"smooth": self.smooth, "zero_division": self.zero_division}
        return marked(divided(ratio, compute=plan.compute, xp=xp, **division), x.invalid, plan=plan, xp=xp)


def intersection(x: Counted, /, *, plan: MaskPlan, xp: Namespace) -> Any:  # noqa: ARG001  (one signature for all)
    """Pixels."""
    return cast(x.counts.intersection, widest_integer(xp), xp=xp)


@dataclasses.dataclass(frozen=True)
class Graded:
    """How many levels the IoU exceeds, as a share of all of them."""

    levels: tuple[tuple[int, int], ...]  # rising: numerator and denominator of those from 0 to less than 1
    below: int  # how many are below 0
    total: int  # of all
    empty: float  # the share of two empty masks

    def __call__(self, x: Counted, /, *, plan: MaskPlan, xp: Namespace) -> Any:
        t = x.counts
        union = t.a + t.b - t.intersection
        out = xp.where(
            union == 0, self.empty, cast(xp.full_like(union, 0), plan.compute, xp=xp) + self.below / self.total
        )
        for number, (p, q) in enumerate(self.levels, start=self.below + 1):
            # I / U > p / q as I > floor(p * U / q) with U = q * (U // q) + U % q: no product exceeds U or p * q.
            passed = t.intersection > p * (union // q) + p * (union % q) // q
            # Chosen, not divided: XLA multiplies by 1 / total, which rounds 6 / 10 up.
            out = xp.where(passed, number / self.total, out)
        return marked(out, x.invalid, plan=plan, xp=xp)


# ---- counts


def area(x: Any, /, *, threshold: float | None, xp: Namespace) -> Any:
    """(..., height, width) -> pixels that are on (...)."""
    return cast(xp.count_nonzero(filled(x, threshold=threshold, xp=xp), axis=(-2, -1)), widest_integer(xp), xp=xp)


def filled(x: Any, /, *, threshold: float | None, xp: Namespace) -> Any:
    """Booleans of any numbers; NaN is false."""
    if x.dtype == xp.bool:
        return x
    if xp.isdtype(x.dtype, "real floating"):
        return (x > 0) | (x < 0) if threshold is None else x > threshold
    return x != 0


def invalid(x: Any, /, *, xp: Namespace) -> Any:
    """(..., height, width) -> whether there is NaN (...); None where there cannot be."""
    if 0 in x.shape or not xp.isdtype(x.dtype, "real floating"):
        return None
    # The largest of what has NaN is NaN: no array of the masks' size is made.
    return xp.isnan(xp.max(x, axis=(-2, -1)))


def hard(a: Any, b: Any, /, *, plan: MaskPlan, xp: Namespace) -> Counted:
    """Masks of any numbers, pixels on or off."""
    counts = PixelCounts(*hard_pixels(a, b, plan=plan, xp=xp), lambda: math.prod(a.shape[-2:]), plan.compute)
    return Counted(counts, joined_invalid(a, b, pairs=plan.pairs, xp=xp))


def hard_pixels(a: Any, b: Any, /, *, plan: MaskPlan, xp: Namespace) -> tuple[Any, Any, Any]:
    """Masks -> pixels that both share, and those of each."""
    read = functools.partial(filled, threshold=plan.threshold)
    if plan.pairs:
        tiles = accel.module("sparse_masks")
        if tiles and tiles.applies(a, b, xp=xp):
            return tiles.pairs(a, b, read, memory=plan.memory)
        pixels = a.shape[-2] * a.shape[-1]
        dtypes = xp.float32, xp.int32 if pixels < NARROW else widest_integer(xp)
        return _of_pairs(a, b, functools.partial(read, xp=xp), _same, dtypes=dtypes, memory=plan.memory, xp=xp)
    p, q = read(a, xp=xp), read(b, xp=xp)
    shared, first, second = (xp.count_nonzero(x, axis=(-2, -1)) for x in (p & q, p, q))
    return shared, first, second


@dataclasses.dataclass(frozen=True)
class Soft:
    """Sums of probabilities and of their products; `squared`: of their squares, instead of the areas."""

    squared: bool

    def __call__(self, a: Any, b: Any, /, *, plan: MaskPlan, xp: Namespace) -> Counted:
        weigh = _square if self.squared else _same
        read = functools.partial(_probabilities, dtype=plan.compute, xp=xp)
        if plan.pairs:
            sums = _of_pairs(a, b, read, weigh, dtypes=(plan.compute, plan.compute), memory=plan.memory, xp=xp)
        else:
            p, q = read(a), read(b)
            sums = tuple(xp.sum(x, axis=(-2, -1)) for x in (p * q, weigh(p), weigh(q)))
        return Counted(PixelCounts(*sums, lambda: math.prod(a.shape[-2:]), plan.compute), None)


def _probabilities(x: Any, /, *, dtype: Any, xp: Namespace) -> Any:
    """Integers are masks, such as of 0 and 255."""
    return cast(x != 0 if xp.isdtype(x.dtype, "integral") else x, dtype, xp=xp)


def _same(x: Any, /) -> Any:
    return x


def _square(x: Any, /) -> Any:
    return x * x


def _of_pairs(
    a: Any,
    b: Any,
    read: Callable[[Any], Any],
    weigh: Callable[[Any], Any],
    /,
    *,
    dtypes: tuple[Any, Any],
    memory: int,
    xp: Namespace,
) -> tuple[Any, Any, Any]:
    """(..., N, height, width), (..., M, height, width) -> sums (..., N, M), (..., N, 1) and (..., 1, M).

    The product of two matrices sums what they share. `dtypes`: of the pixels, and of the sums. Up to `EXACT` pixels
    float32 counts exactly.
    """
    sums: Any = None
    for part in _parts(a, b, memory=memory, xp=xp):
        p, q = (read(x[(..., *part)]) for x in (a, b))
        here = _of_part(p, q, weigh, dtypes=dtypes, xp=xp)
        sums = here if sums is None else [x + y for x, y in zip(sums, here, strict=True)]
    inter, area_a, area_b = sums
    return inter, area_a[..., :, None], area_b[..., None, :]


def _of_part(a: Any, b: Any, weigh: Callable[[Any], Any], /, *, dtypes: tuple[Any, Any], xp: Namespace) -> list[Any]:
    """Pixels (..., N, height, width), (..., M, height, width) -> sums (..., N, M), (..., N) and (..., M)."""
    number, total = dtypes
    p, q = (xp.reshape(cast(x, number, xp=xp), known(*x.shape[:-2], math.prod(x.shape[-2:]))) for x in (a, b))
    return [
        cast(x, total, xp=xp)
        for x in (
            backends.matrix_product(p, xp.matrix_transpose(q), xp=xp),
            *(xp.sum(weigh(x), axis=-1) for x in (p, q)),
        )
    ]


def _parts(a: Any, b: Any, /, *, memory: int, xp: Namespace) -> Iterator[tuple[slice, slice]]:
    """Rows and columns of the images, so few at a time that both sets in float32 take at most `memory` bytes.

    Libraries that compute one expression as a whole keep its temporaries small themselves.
    """
    height, width = a.shape[-2:]
    step = EXACT
    if backends.computes_at_once(xp):
        masks = math.prod(a.shape[:-2]) + math.prod(b.shape[:-2])
        step = min(EXACT, max(1, memory // (4 * max(masks, 1))))
    wide = max(1, min(width, step))
    high = max(1, min(height, step // wide))
    for y in range(0, max(height, 1), high):
        for x in range(0, max(width, 1), wide):
            yield slice(y, min(y + high, height)), slice(x, min(x + wide, width))


def joined_invalid(a: Any, b: Any, /, *, pairs: bool, xp: Namespace) -> Any:
    """Whether one of two masks has NaN (...), or None."""
    one, other = invalid(a, xp=xp), invalid(b, xp=xp)
    if pairs:
        one, other = (None if one is None else one[..., :, None]), (None if other is None else other[..., None, :])
    if one is None or other is None:
        return other if one is None else one
    return one | other


# ---- means


def mean(values: Any, images: Any, where: Any, /, *, dtype: Any, xp: Namespace) -> Any:
    """Scores (K,), numbers of images (K,) or None, booleans (K,) or None -> (), of what is not NaN."""
    values = cast(values, dtype, xp=xp)
    counted = ~xp.isnan(values) if where is None else where & ~xp.isnan(values)
    values = xp.where(counted, values, 0.0)
    if images is None:
        total, count = xp.sum(values), xp.sum(cast(counted, dtype, xp=xp))
    else:
        order = xp.argsort(images)
        images, values, counted = (xp.take(x, order) for x in (images, values, counted))
        low, high = (xp.searchsorted(images, images, side=side) for side in ("left", "right"))
        before = xp.cumulative_sum(cast(counted, low.dtype, xp=xp), include_initial=True)
        own = xp.take(before, high) - xp.take(before, low)
        total = xp.sum(values / cast(xp.maximum(own, xp.ones_like(own)), dtype, xp=xp))
        # Each image is counted at its first row.
        first = low == xp.arange(low.shape[0], dtype=low.dtype, device=backends.device(low, xp=xp))
        count = xp.sum(cast(first & (own > 0), dtype, xp=xp))
    return xp.where(count > 0, total / xp.where(count > 0, count, 1.0), math.nan)


def of_boxes(
    x: Any, image_sides: Any, /, *, layout: Layout, dtypes: tuple[Any, Any], size: tuple[int, int], xp: Namespace
) -> Any:
    """(..., 4) -> booleans (..., height, width)."""
    dtype = dtypes[0]
    corners = kernels.corners(columns_of(x, dtype=dtype, xp=xp), image_sides, layout=layout, xp=xp)
    low, high = map(axes, corners)
    height, width = size
    y, x = (ranked(_centres(n, dtype=dtype, like=x, xp=xp), x.ndim, xp=xp) for n in (height, width))
    in_columns = (x >= low[0][..., None]) & (x < high[0][..., None])
    in_rows = (y >= low[1][..., None]) & (y < high[1][..., None])
    return in_rows[..., :, None] & in_columns[..., None, :]


def of_polygons(vertices: Any, /, *, dtype: Any, size: tuple[int, int], xp: Namespace) -> Any:
    """(..., V, 2) -> booleans (..., height, width), by the even-odd rule."""
    v = cast(vertices, dtype, xp=xp)
    height, width = size
    y, x = (ranked(_centres(n, dtype=dtype, like=v, xp=xp), v.ndim - 1, xp=xp) for n in (height, width))
    inside: Any = False
    for k in range(v.shape[-2]):
        (x0, y0), (x1, y1) = ((v[..., j, 0, None], v[..., j, 1, None]) for j in (k - 1, k))
        # From the upper end, so that neighbours that share an edge share its rounding.
        down = y0 <= y1
        (x0, y0), (x1, y1) = (
            (xp.where(down, p, q), xp.where(down, r, s)) for p, q, r, s in ((x0, x1, y0, y1), (x1, x0, y1, y0))
        )
        crosses = (y0 <= y) & (y < y1)
        rise = xp.where(y1 > y0, y1 - y0, 1.0)
        at = x0 + (y - y0) * ((x1 - x0) / rise)
        # Pixels (..., height, width) to the left of the edge.
        inside = inside ^ (crosses[..., :, None] & (x[..., None, :] < at[..., :, None]))
    return inside


def _centres(count: int, /, *, dtype: Any, like: Any, xp: Namespace) -> Any:
    return xp.arange(count, dtype=dtype, device=backends.device(like, xp=xp)) + 0.5
