"""Losses of masks: from predictions of every pixel and class to one loss of each class, and from these to one.

B images, C classes, K pixels. What is summed "per image" has the shape (B, C), "per batch" (C,): (..., C) below.
"""

import dataclasses
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from omniou._kernels.arithmetic import quotient
from omniou._kernels.pixels import PixelCounts, Ratio, divided
from omniou._kernels.scores import power
from omniou._lib import accel, backends
from omniou._lib.arrays import cast, ranked, widest_integer
from omniou._lib.types import Namespace

# How far soft masks may lie outside [0, 1], as interpolation leaves them.
ROUNDING = 1e-3


class MaskLossPlan(NamedTuple):
    """A hashable plan of the computation: one kernel is compiled for each plan."""

    loss: Any  # Pixels -> (..., C), or (...) where it joins the classes itself
    activation: str
    labels: bool  # whether the target has labels, rather than a mask of each class
    class_axis: int  # from 0 on
    ignored: tuple[int, ...]
    per: str
    classes: str
    reduction: str
    compute: Any  # dtype
    result: Any  # dtype
    guards: bool = False  # whether an invalid target, which nobody could look at before, makes its losses NaN


class Pixels(NamedTuple):
    """Predictions and targets, 0 for pixels that are excluded."""

    pred: Any  # (B, C, K)
    target: Any  # (B, C, K), booleans or numbers
    kept: Any  # (B, 1, K) booleans, or None
    per: str
    invalid: Any = None  # (B, C, K) or (B, 1, K) booleans, or None

    def total(self, x: Any, /, *, xp: Namespace) -> Any:
        """(B, C, K) -> (..., C)."""
        return xp.sum(x, axis=(0, 2) if self.per == "batch" else 2)

    def rows(self, x: Any, /, *, xp: Namespace) -> Any:
        """(B, C, K) -> (..., C, pixels)."""
        if self.per == "image":
            return x
        images, classes, count = x.shape
        if images is None:  # in a graph of TensorFlow
            raise ValueError(
                "`per='batch'` sorts all pixels and must know their number: make batches with `drop_remainder=True`"
            )
        return xp.reshape(xp.permute_dims(x, (1, 0, 2)), (classes, images * count))

    def areas(self, *, xp: Namespace) -> Any:
        """The area of each class in the target, (..., C)."""
        return self.total(cast(self.target, self.pred.dtype, xp=xp), xp=xp)

    def counts(self, *, squared: bool, xp: Namespace) -> PixelCounts:
        """Sums of products and of areas, or squares, of predictions and targets, (..., C)."""
        # A choice by booleans saves the numbers.
        chosen = self.target.dtype == xp.bool
        both = self.total(xp.where(self.target, self.pred, 0.0) if chosen else self.pred * self.target, xp=xp)
        square = squared and not chosen
        areas = self.total(self.target * self.target, xp=xp) if square else self.areas(xp=xp)
        predicted = self.total(self.pred * self.pred if squared else self.pred, xp=xp)
        return PixelCounts(both, predicted, areas, lambda: self._pixels(xp=xp), self.pred.dtype)

    def _pixels(self, *, xp: Namespace) -> Any:
        """How many pixels count, (..., C) or (..., 1)."""
        kept = xp.ones_like(self.pred) if self.kept is None else cast(self.kept, self.pred.dtype, xp=xp)
        return self.total(kept, xp=xp)


def loss(pred: Any, target: Any, where: Any, class_weight: Any, /, *, plan: MaskLossPlan, xp: Namespace) -> Any:
    """(B, C, ...), (B, ...) labels or (B, C, ...), booleans (B, ...) or None, (C,) or None -> the reduced loss."""
    x = pixels(pred, target, where, plan=plan, xp=xp)
    weight = None if class_weight is None else cast(class_weight, plan.compute, xp=xp)
    joins = getattr(plan.loss, "joins", False)
    out = plan.loss(x, weight, xp=xp)
    if x.invalid is not None:
        invalid = xp.any(x.invalid, axis=(0, 2) if plan.per == "batch" else 2)
        # A product, so that the gradient is NaN as well.
        out = out * xp.where(xp.any(invalid, axis=-1) if joins else invalid, math.nan, xp.ones_like(out))
    if joins:
        out = out[..., None]
        counted, weight = _any_kept(x, out, xp=xp), None
    else:
        counted = _any_kept(x, out, xp=xp)
        if plan.classes == "present":
            counted = counted & (x.areas(xp=xp) > 0)
    return cast(reduced(out, counted, weight, plan=plan, xp=xp), plan.result, xp=xp)


def pixels(pred: Any, target: Any, where: Any, /, *, plan: MaskLossPlan, xp: Namespace) -> Pixels:
    """Arrays as they were given -> pixels."""
    pred = _classes_second(pred, plan.class_axis, xp=xp)
    target = target if plan.labels else _classes_second(target, plan.class_axis, xp=xp)
    images, classes = pred.shape[:2]
    inner = pred.shape[2:]
    count = 1
    for side in inner:
        count *= side
    p = xp.reshape(cast(pred, plan.compute, xp=xp), (images, classes, count))
    kept = None if where is None else xp.reshape(xp.broadcast_to(where, (images, *inner)), (images, 1, count))
    t = xp.reshape(target, (images, 1 if plan.labels else classes, count))
    if plan.labels:
        # Negative labels may be ignored, which narrow or unsigned integers do not have.
        t = cast(t, widest_integer(xp), xp=xp)
        for label in plan.ignored:
            valid = t != label
            kept = valid if kept is None else kept & valid
        invalid = invalid_of(t, plan, xp=xp) if plan.guards else None
        # Of one class the labels are 0 and 1.
        numbers = xp.arange(classes, dtype=t.dtype, device=backends.device(pred, xp=xp)) + (1 if classes == 1 else 0)
        t = t == numbers[None, :, None]
    else:
        invalid = invalid_of(t, plan, xp=xp) if plan.guards else None
        t = t if t.dtype == xp.bool else cast(t, plan.compute, xp=xp)
    if kept is not None:
        invalid = None if invalid is None else invalid & kept
        # Before the activation: NaN that is left out must not reach a gradient.
        p = xp.where(kept, p, 0.0)
        t = t & kept if t.dtype == xp.bool else xp.where(kept, t, 0.0)
    p = activated(p, plan.activation, xp=xp)
    if kept is not None and plan.activation != "none":
        p = xp.where(kept, p, 0.0)
    return Pixels(p, t, kept, plan.per, invalid)


def invalid_of(target: Any, plan: MaskLossPlan, /, *, xp: Namespace) -> Any:
    """Labels of one class (...) or masks (...) -> which are neither 0, 1 nor ignored, or lie outside [0, 1]."""
    if not plan.labels:
        least, most = (-ROUNDING, 1 + ROUNDING) if xp.isdtype(target.dtype, "real floating") else (0, 1)
        return ~((target >= least) & (target <= most))
    wrong = (target != 0) & (target != 1)
    for label in plan.ignored:
        wrong = wrong & (target != label)
    return wrong


def _classes_second(x: Any, axis: int, /, *, xp: Namespace) -> Any:
    """Classes on an axis -> (B, C, ...)."""
    if axis == 1:
        return x
    images, *inner = (k for k in range(x.ndim) if k != axis)
    return xp.permute_dims(x, (images, axis, *inner))


def activated(x: Any, activation: str, /, *, xp: Namespace) -> Any:
    """(B, C, K) -> probabilities."""
    match activation:
        case "softmax":
            return backends.softmax(x, axis=1, xp=xp)
        case "sigmoid":
            return backends.sigmoid(x, xp=xp)
    return x


def _any_kept(x: Pixels, out: Any, /, *, xp: Namespace) -> Any:
    """Whether any pixel counts, for each loss (..., C)."""
    images, _, count = x.pred.shape
    some = count != 0 and (images != 0 or x.per == "image")
    every = xp.ones_like(out) > 0 if some else xp.ones_like(out) < 0
    if x.kept is None:
        return every
    # (B, 1), or () per batch
    return every & (xp.any(x.kept) if x.per == "batch" else xp.any(x.kept, axis=2))


def reduced(out: Any, counted: Any, weight: Any, /, *, plan: MaskLossPlan, xp: Namespace) -> Any:
    """Losses (..., C), whether they count, weights (C,) or None -> the same weighted, (...), or () of all."""
    share = (
        cast(counted, out.dtype, xp=xp)
        if weight is None
        else xp.where(counted, ranked(weight, counted.ndim, xp=xp), 0.0)
    )
    # Losses that do not count may be NaN.
    out = xp.where(counted, out, 0.0) * share
    joins = getattr(plan.loss, "joins", False)
    match plan.reduction:
        case "none":
            return out[..., 0] if joins else out
        case "sum":
            return xp.sum(out)
    of_images = quotient(xp.sum(out, axis=-1), xp.sum(share, axis=-1), xp=xp)
    if plan.reduction == "image":
        return of_images
    images = cast(xp.any(counted, axis=-1), out.dtype, xp=xp)
    return quotient(xp.sum(of_images), xp.sum(images), xp=xp)


# ---- losses of sums


@dataclasses.dataclass(frozen=True)  # equal only to its kind, unlike a named tuple
class OneMinusRatio:
    """(1 - a score of pixels)^power, of probabilities."""

    formula: Callable[..., Ratio]
    options: tuple[tuple[str, Any], ...]
    smooth: float
    zero_division: float
    squared: bool
    power: float
    joins: bool  # whether the score makes one number of all classes

    def __call__(self, x: Pixels, class_weight: Any, /, *, xp: Namespace) -> Any:
        counts = x.counts(squared=self.squared, xp=xp)._replace(class_weight=class_weight)
        ratio = self.formula(counts, **dict(self.options), xp=xp)
        division = {"smooth": self.smooth, "zero_division": self.zero_division}
        out = 1.0 - divided(ratio, compute=x.pred.dtype, xp=xp, **division)
        return out if self.power == 1.0 else power(out, self.power, xp=xp)


@dataclasses.dataclass(frozen=True)
class BoundaryLoss:
    """Mean of probability times signed distance, the target."""

    def __call__(self, x: Pixels, _class_weight: Any, /, *, xp: Namespace) -> Any:
        total = x.total(x.pred * x.target, xp=xp)
        if x.kept is None:
            return total / max(1, x.pred.shape[2] * (x.pred.shape[0] if x.per == "batch" else 1))
        count = x.total(cast(x.kept, x.pred.dtype, xp=xp), xp=xp)
        return quotient(total, xp.broadcast_to(count, total.shape), xp=xp)


# ---- losses of sorted errors


@dataclasses.dataclass(frozen=True)
class Lovasz:
    """The Lovasz extension of 1 - IoU, at the errors of probabilities, or at the hinge losses of logits."""

    hinge: bool

    def __call__(self, x: Pixels, _class_weight: Any, /, *, xp: Namespace) -> Any:
        pred, on = (x.rows(y, xp=xp) for y in (x.pred, x.target))
        on = on if on.dtype == xp.bool else on > 0.5
        errors = 1.0 + xp.where(on, -pred, pred) if self.hinge else xp.where(on, 1.0 - pred, pred)
        if x.kept is not None:
            # An error of 0 costs nothing and changes no weight of larger ones.
            errors = xp.where(x.rows(xp.broadcast_to(x.kept, x.pred.shape), xp=xp), errors, 0.0)
        order = _falling(backends.stop_gradient(errors, xp=xp), xp=xp)
        errors, on = (xp.take_along_axis(y, order, axis=-1) for y in (errors, on))
        if self.hinge:
            errors = xp.maximum(errors, xp.zeros_like(errors))
        return xp.sum(errors * _weights(on, dtype=errors.dtype, xp=xp), axis=-1)


def _falling(x: Any, /, *, xp: Namespace) -> Any:
    """(..., K), without gradient -> its order, the largest first."""
    native = accel.module("views")
    order = native.argsort(-x, xp=xp) if native else None
    return xp.argsort(-x, axis=-1, stable=False) if order is None else order


def _weights(on: Any, /, *, dtype: Any, xp: Namespace) -> Any:
    """Booleans (..., K) by falling error -> what each adds to 1 - IoU if it and all before it are wrong, (..., K).

    In closed form: a difference of two values of 1 - IoU would lose most digits of float32 in large images.
    """
    count = on.shape[-1]
    whole = xp.int32 if count < 2**30 else widest_integer(xp)
    seen = backends.cumulative_sum(cast(on, whole, xp=xp), dtype=whole, xp=xp)
    area = seen[..., -1:] if count else xp.sum(seen, axis=-1, keepdims=True, dtype=whole)
    rank = ranked(xp.arange(1, count + 1, dtype=whole, device=backends.device(on, xp=xp)), on.ndim, xp=xp)
    union = cast(area + rank - seen, dtype, xp=xp)
    inter = cast(area - seen, dtype, xp=xp)
    added = xp.where(on, 1.0 / union, inter / (union * xp.where(union > 1, union - 1.0, 1.0)))
    # Of a class that is not there, any wrong pixel costs all.
    first = cast(xp.broadcast_to(rank == 1, on.shape), dtype, xp=xp)
    return xp.where(area == 0, first, added)
