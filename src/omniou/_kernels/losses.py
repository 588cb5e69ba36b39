"""From a score to a loss, from many losses to one, and losses of coordinates."""

import dataclasses
import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from omniou._kernels import apply, gradients
from omniou._kernels import boxes as kernels
from omniou._kernels import scores as formulas
from omniou._kernels.arithmetic import magnitude, narrowed, quotient
from omniou._lib import backends
from omniou._lib.arrays import cast, columns_of, ranked
from omniou._lib.types import Namespace


class LossPlan(NamedTuple):
    """A hashable plan of the computation: one kernel is compiled for each plan."""

    score: apply.Plan
    geometry: Any
    of_score: Any  # score (...) -> loss (...), with its `slope`
    inverted: str
    reduction: str
    partials: Any  # of the score, or None
    gains: tuple[Any, ...] = ()  # of each loss, each with a method `gain`


class Shares(NamedTuple):
    """Arrays that losses are multiplied or divided by, or None."""

    weight: Any = None  # broadcasts to (...)
    where: Any = None  # booleans that broadcast to (...)
    normalizer: Any = None  # ()
    running_mean: Any = None  # () of 1 - IoU


@dataclasses.dataclass(frozen=True)  # equal only to its kind, unlike a named tuple
class OneMinus:
    """1 - score."""

    def __call__(self, score: Any, /, *, xp: Namespace) -> Any:  # noqa: ARG002  (one signature for all)
        return 1.0 - score

    def slope(self, score: Any, /, *, xp: Namespace) -> Any:
        """The derivative."""
        return -xp.ones_like(score)


@dataclasses.dataclass(frozen=True)  # equal only to its kind, unlike a named tuple
class MinusLog:
    """-log(max(score, floor))."""

    floor: float

    def __call__(self, score: Any, /, *, xp: Namespace) -> Any:
        return -xp.log(xp.maximum(score, xp.full_like(score, self.floor)))

    def slope(self, score: Any, /, *, xp: Namespace) -> Any:
        """The derivative, half of it at the floor."""
        above = 0.5 + 0.5 * xp.sign(score - self.floor)
        return -above / xp.maximum(score, xp.full_like(score, self.floor))


@dataclasses.dataclass(frozen=True)  # equal only to its kind, unlike a named tuple
class Distance:
    """A distance as it is."""

    def __call__(self, score: Any, /, *, xp: Namespace) -> Any:  # noqa: ARG002
        return score


@dataclasses.dataclass(frozen=True)  # equal only to its kind, unlike a named tuple
class OfDistance:
    """1 - 1 / (tau + fun(distance)), or fun(distance) alone."""

    fun: str
    tau: float

    def __call__(self, score: Any, /, *, xp: Namespace) -> Any:
        match self.fun:
            case "log1p":
                score = xp.log1p(score)
            case "sqrt":
                score = formulas.power(score, 0.5, xp=xp)
        return 1.0 - 1.0 / (self.tau + score) if self.tau >= 1.0 else score


@dataclasses.dataclass(frozen=True)  # equal only to its kind, unlike a named tuple
class ExpOneMinus:
    """exp(1 - score) - 1."""

    def __call__(self, score: Any, /, *, xp: Namespace) -> Any:
        return xp.expm1(1.0 - score)


@dataclasses.dataclass(frozen=True)  # equal only to its kind, unlike a named tuple
class Focal:
    """IoU^gamma, as a constant."""

    gamma: float

    def gain(self, overlap: Any, _: Any, /, *, xp: Namespace) -> Any:
        """IoU (...) -> the factor of each loss (...)."""
        return backends.stop_gradient(formulas.power(overlap, self.gamma, xp=xp), xp=xp)


@dataclasses.dataclass(frozen=True)  # equal only to its kind, unlike a named tuple
class Wise:
    """1 - score, times how much the loss of each pair differs from the running mean."""

    version: int
    gamma: float
    alpha: float
    delta: float

    @property
    def needs_mean(self) -> bool:
        return self.version > 1

    @property
    def unused(self) -> tuple[str, ...]:
        """Parameters of other versions."""
        return {1: ("gamma", "alpha", "delta"), 2: ("alpha", "delta"), 3: ("gamma",)}[self.version]

    def __call__(self, score: Any, /, *, xp: Namespace) -> Any:  # noqa: ARG002
        return 1.0 - score

    def gain(self, overlap: Any, running_mean: Any, /, *, xp: Namespace) -> Any:
        """IoU (...), mean of 1 - IoU () -> the factor of each loss (...)."""
        if not self.needs_mean:
            return xp.ones_like(overlap)
        outlier = quotient(1.0 - overlap, cast(running_mean, overlap.dtype, xp=xp) + 0.0 * overlap, xp=xp)
        if self.version == 2:
            factor = formulas.power(outlier, self.gamma, xp=xp)
        else:
            factor = outlier / self.delta * xp.exp(math.log(self.alpha) * (self.delta - outlier))
        return backends.stop_gradient(factor, xp=xp)


def loss(pred: Any, target: Any, image_sides: Any, shares: Shares, /, *, plan: LossPlan, xp: Namespace) -> Any:
    """(..., K), (..., K) of one rank -> (...) or ()."""
    if shares.where is not None:
        # What is left out becomes a perfect match before anything is computed: no NaN enters, not even a gradient.
        pred, target = harmless_where_false(pred, target, shares.where, plan.geometry, xp=xp)
    out = _of_each(pred, target, image_sides, shares.running_mean, plan=plan, xp=xp)
    return narrowed(reduced(out, shares, reduction=plan.reduction, xp=xp), plan.score.result, xp=xp)


def of_coordinates(pred: Any, target: Any, shares: Shares, /, *, plan: Any, xp: Namespace) -> Any:
    """(..., K), (..., K) of one rank -> (...) or (): a function of each difference, summed over K."""
    function, reduction, (compute, result) = plan
    difference = cast(pred, compute, xp=xp) - cast(target, compute, xp=xp)
    if shares.where is not None:
        difference = xp.where(shares.where[..., None], difference, 0.0)
    out = xp.sum(function(difference, xp=xp), axis=-1)
    return narrowed(reduced(out, shares, reduction=reduction, xp=xp), result, xp=xp)


def _of_each(pred: Any, target: Any, image_sides: Any, running_mean: Any, /, *, plan: LossPlan, xp: Namespace) -> Any:
    """(..., K), (..., K) -> (...) in the dtype to compute in."""
    geometry, of_score = plan.geometry, plan.score._replace(result=plan.score.compute)
    layout = of_score.layout
    # Once, so that the gradients of loss and penalty are summed before they are rounded to 16 bits.
    pred, target = (cast(x, of_score.compute, xp=xp) for x in (pred, target))
    b = apply.canonical(target, image_sides, plan=of_score, xp=xp)
    if plan.inverted == "sort":
        of_score = of_score._replace(canonical=geometry.sorted)
    a = apply.canonical(pred, image_sides, plan=of_score, xp=xp)
    out = plan.of_score(apply.of_canonical(a, b, image_sides, plan=of_score, xp=xp), xp=xp)
    if plan.gains:
        (overlap,) = formulas.iou(of_score.terms(a, b, xp=xp), eps=0.0, xp=xp)
        for each in plan.gains:
            out = out * each.gain(overlap, running_mean, xp=xp)
    if plan.inverted == "penalise" and geometry.inversion is not None:
        # Columns are read again: XLA then touches a tenth less.
        both = (of_score.columns(x, dtype=of_score.compute, xp=xp) for x in (pred, target))
        out = out + geometry.inversion(*both, image_sides, layout=layout, xp=xp)
    return out


def stated_corners(x: Any, /, *, plan: LossPlan, xp: Namespace) -> gradients.Ends:
    """(..., K) -> minimum and maximum corners, inverted or not."""
    columns = columns_of(x, dtype=plan.score.compute, xp=xp)
    return kernels.corners(columns, None, layout=plan.score.layout, xp=xp)


def each_with_gradient(stated: Any, /, *, plan: LossPlan, both: bool, xp: Namespace) -> tuple[Any, ...]:
    """Corners of both -> losses (...), and derivatives (..., K) by predictions and, if asked for, by targets."""
    layout = plan.score.layout
    a, b = (kernels.of_corners(low, high, xp=xp) for low, high in stated)
    t = gradients.KeptTerms(a, b, xp=xp)
    score, by_term = plan.partials(t, **dict(plan.score.options), xp=xp)
    value, slope = plan.of_score(score, xp=xp), plan.of_score.slope(score, xp=xp)
    by_canonical = t.pull({name: gradients.times(slope, x) for name, x in by_term.items()}, both=both)
    by = [gradients.of_corners(corners, x, xp=xp) for corners, x in zip(stated, by_canonical, strict=False)]
    if plan.inverted == "penalise":
        value, by = gradients.with_inversion(value, stated, by, xp=xp)
    return value, *(gradients.of_columns(x, layout=layout, xp=xp) for x in by)


def reduced_with_gradient(
    value: Any, by: tuple[Any, ...], weight: Any, where: Any, /, *, plan: LossPlan, xp: Namespace
) -> tuple[Any, ...]:
    """Losses (...), derivatives (..., K) -> the reduced loss, and its derivatives (..., K)."""
    factor = _factor(value, weight, where, reduction=plan.reduction, xp=xp)
    value = cast(reduced(value, Shares(weight, where), reduction=plan.reduction, xp=xp), plan.score.result, xp=xp)
    if factor is None:
        return value, *by
    return value, *(x * (factor if isinstance(factor, float) else factor[..., None]) for x in by)


def _factor(value: Any, weight: Any, where: Any, /, *, reduction: str, xp: Namespace) -> Any:
    """Return the factor of each loss (...) in the reduced one: a number, an array (...), or None."""
    factor = None if weight is None else cast(weight, value.dtype, xp=xp)
    if where is not None:
        factor = xp.where(where, xp.ones_like(value) if factor is None else factor, 0.0)
    if reduction != "mean":
        return factor
    if factor is None:
        return 1.0 / max(1, math.prod(value.shape))
    count = xp.sum(xp.broadcast_to(factor, value.shape))
    return quotient(xp.broadcast_to(factor, value.shape), xp.broadcast_to(count, value.shape), xp=xp)


def harmless_where_false(pred: Any, target: Any, where: Any, geometry: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """(..., K), (..., K), booleans (...) -> both, with a proper shape where False."""
    row = _filled(geometry.harmless(pred.shape[-1]), pred, xp=xp)
    kept = where[..., None]
    return xp.where(kept, pred, row), xp.where(kept, target, cast(row, target.dtype, xp=xp))


def _filled(numbers: Sequence[float], like: Any, /, *, xp: Namespace) -> Any:
    """Numbers -> an array (K,) of the dtype and device of another, filled there: a list is copied to a device."""
    make = {"dtype": like.dtype, "device": backends.device(like, xp=xp)}
    runs = [(number, len([*run])) for number, run in itertools.groupby(numbers)]
    return xp.concat([xp.full((count,), number, **make) for number, count in runs])


def reduced(out: Any, shares: Shares, /, *, reduction: str, xp: Namespace) -> Any:
    """Losses (...) -> (...) or ()."""
    weight, where = (None if x is None else ranked(x, out.ndim, xp=xp) for x in (shares.weight, shares.where))
    if weight is not None:
        weight = cast(weight, out.dtype, xp=xp)
        if where is not None:
            weight = xp.where(where, weight, 0.0)
        out = out * weight
    if where is not None:
        out = xp.where(where, out, 0.0)
    if reduction == "none":
        return out
    total = xp.sum(out)
    if reduction == "sum":
        return total
    if shares.normalizer is not None:
        return quotient(total, cast(shares.normalizer, out.dtype, xp=xp), xp=xp)
    share = weight if where is None or weight is not None else cast(where, out.dtype, xp=xp)
    if share is None:
        return total / backends.element_count(out, xp=xp)
    # A mean of nothing is 0, with gradient 0: a batch without objects must not end a training.
    return quotient(total, xp.sum(xp.broadcast_to(share, out.shape)), xp=xp)


class L1(NamedTuple):
    """|d|."""

    def __call__(self, d: Any, /, *, xp: Namespace) -> Any:
        return magnitude(d, xp=xp)


class SmoothL1(NamedTuple):
    """d^2 / (2 beta) for |d| < beta, else |d| - beta / 2."""

    beta: float

    def __call__(self, d: Any, /, *, xp: Namespace) -> Any:
        size = magnitude(d, xp=xp)
        return xp.where(size < self.beta, 0.5 * size * size / self.beta, size - 0.5 * self.beta)


class BalancedL1(NamedTuple):
    """Its gradient is alpha * log(b * |d| / beta + 1) for |d| < beta, else gamma, where alpha * log(b + 1) = gamma."""

    alpha: float
    gamma: float
    beta: float

    def __call__(self, d: Any, /, *, xp: Namespace) -> Any:
        size, b = magnitude(d, xp=xp), math.exp(self.gamma / self.alpha) - 1.0
        share = b * size / self.beta
        near = self.alpha * self.beta / b * (share + 1.0) * xp.log1p(share) - self.alpha * size
        far = self.gamma * size + (self.gamma / b - self.alpha) * self.beta
        return xp.where(size < self.beta, near, far)
