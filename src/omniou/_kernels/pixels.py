"""Scores of pixels, each once: a numerator and a denominator over what two masks, maps or tables share.

Counts are integers, which are added and subtracted exactly, or sums of probabilities. `a` is the prediction where the
two differ in meaning, `b` the ground truth.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from omniou._kernels.arithmetic import quotient
from omniou._lib.arrays import cast, ranked
from omniou._lib.types import Namespace

Ratio = tuple[Any, Any]


class PixelCounts(NamedTuple):
    """Pixels of two things that are compared, (...)."""

    intersection: Any
    a: Any
    b: Any
    total: Callable[[], Any]  # all pixels: only scores that count true negatives ask for them
    compute: Any  # dtype of what is not counted but weighed
    class_weight: Any = None  # (C,), of scores that join classes

    def real(self, x: Any, /, *, xp: Namespace) -> Any:
        """Counts (...) as floats: integers may not meet weights."""
        return cast(x, self.compute, xp=xp)


def iou(t: PixelCounts, /, *, xp: Namespace) -> Ratio:  # noqa: ARG001  (one signature for all)
    """Intersection, union."""
    return t.intersection, t.a + t.b - t.intersection


def iof(t: PixelCounts, /, *, xp: Namespace) -> Ratio:  # noqa: ARG001
    """Intersection, the first."""
    return t.intersection, t.a


def iomin(t: PixelCounts, /, *, xp: Namespace) -> Ratio:
    """Intersection, the smaller one."""
    return t.intersection, xp.minimum(t.a, t.b)


def dice(t: PixelCounts, /, *, xp: Namespace) -> Ratio:  # noqa: ARG001
    """Twice the intersection, both."""
    return 2 * t.intersection, t.a + t.b


def tversky(t: PixelCounts, /, *, alpha: float, beta: float, xp: Namespace) -> Ratio:
    """Intersection, itself and weighted remainders."""
    both, only_a, only_b = (t.real(x, xp=xp) for x in (t.intersection, t.a - t.intersection, t.b - t.intersection))
    return both, both + alpha * only_a + beta * only_b


def recall(t: PixelCounts, /, *, xp: Namespace) -> Ratio:  # noqa: ARG001
    """Intersection, the second."""
    return t.intersection, t.b


def accuracy(t: PixelCounts, /, *, xp: Namespace) -> Ratio:  # noqa: ARG001
    """The pixels on which both masks agree, and all pixels."""
    total = 0 * t.a + t.total()
    return total - t.a - t.b + 2 * t.intersection, total


def volumetric_similarity(t: PixelCounts, /, *, xp: Namespace) -> Ratio:
    """Both less their difference, both: 1 - |a - b| / (a + b)."""
    return 2 * xp.minimum(t.a, t.b), t.a + t.b


def generalised_dice(t: PixelCounts, /, *, weighting: str, xp: Namespace) -> Ratio:
    """Dice of all classes as one, each weighted by its inverse size in the ground truth: (..., C) -> (...).

    Weights are shares of the largest one, that of the smallest class there is: no square overflows. Classes that are
    absent have the largest.
    """
    inter, a, b = (t.real(x, xp=xp) for x in (t.intersection, t.a, t.b))
    if b.shape[-1] == 0:
        return xp.sum(inter, axis=-1), xp.sum(b, axis=-1)  # libraries disagree about the largest of nothing
    there = b > 0
    least = xp.min(xp.where(there, b, xp.max(b, axis=-1, keepdims=True)), axis=-1, keepdims=True)
    ratio = xp.where(there, least / xp.where(there, b, 1.0), 1.0)
    weight = {"square": ratio * ratio, "simple": ratio, "uniform": xp.ones_like(b)}[weighting]
    weight = weight if t.class_weight is None else weight * ranked(t.class_weight, b.ndim, xp=xp)
    return 2.0 * xp.sum(weight * inter, axis=-1), xp.sum(weight * (a + b), axis=-1)


def divided(ratio: Ratio, /, *, compute: Any, smooth: float, zero_division: float, xp: Namespace) -> Any:
    """A ratio (...) -> the quotient (...) in floats; a denominator of 0 gives `zero_division`, with gradient 0."""
    n, d = (cast(x, compute, xp=xp) for x in ratio)
    if smooth:
        n, d = n + smooth, d + smooth
    out = quotient(n, d, xp=xp)
    if zero_division == 0.0:
        return out
    # A denominator of 0 as `quotient` has it.
    return xp.where(d < float(xp.finfo(d.dtype).smallest_normal), zero_division, out)
