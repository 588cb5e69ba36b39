"""From a score to a loss, and from many losses to one."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from omniou._kernels import apply
from omniou._kernels.arithmetic import quotient
from omniou._lib import backends, checks
from omniou._lib.arrays import cast, columns_of
from omniou._lib.types import Namespace


class LossPlan(NamedTuple):
    """What to compute, hashable: one compiled kernel per plan."""

    score: apply.Plan
    geometry: Any
    of_score: Callable[..., Any]  # score (...) -> loss (...)
    inverted: str
    reduction: str


class OneMinus(NamedTuple):
    """1 - score."""

    def __call__(self, score: Any, /, *, xp: Namespace) -> Any:  # noqa: ARG002  (one signature for all)
        return 1.0 - score


class MinusLog(NamedTuple):
    """-log(max(score, floor))."""

    floor: float

    def __call__(self, score: Any, /, *, xp: Namespace) -> Any:
        return -xp.log(xp.maximum(score, xp.full_like(score, self.floor)))


def loss(
    pred: Any, target: Any, sides: Any, weight: Any, where: Any, /, *, plan: LossPlan, xp: Namespace
) -> Any:
    """(..., K), (..., K) of one rank, weight and where that broadcast with (...) -> (...) or ()."""
    if where is not None:
        # What is left out becomes a perfect match before anything is computed: no NaN enters, not even a gradient.
        pred, target = (_harmless_where_false(x, where, plan.geometry, xp=xp) for x in (pred, target))
    out = _of_each(pred, target, sides, plan=plan, xp=xp)
    return cast(_reduce(out, weight, where, reduction=plan.reduction, xp=xp), plan.score.result, xp=xp)


def _of_each(pred: Any, target: Any, sides: Any, /, *, plan: LossPlan, xp: Namespace) -> Any:
    """(..., K), (..., K) -> (...) in the dtype to compute in."""
    geometry, of_score = plan.geometry, plan.score._replace(result=plan.score.compute)
    layout = of_score.layout
    ours, theirs = (columns_of(x, dtype=of_score.compute, xp=xp) for x in (pred, target))
    read = geometry.sorted if plan.inverted == "sort" else geometry.canonical
    a, b = read(ours, sides, layout=layout, xp=xp), geometry.canonical(theirs, sides, layout=layout, xp=xp)
    out = plan.of_score(apply.of_canonical(a, b, plan=of_score, xp=xp), xp=xp)
    if plan.inverted == "penalise" and geometry.inversion is not None:
        out = out + geometry.inversion(ours, theirs, sides, layout=layout, xp=xp)
    return out


def _harmless_where_false(x: Any, where: Any, geometry: Any, /, *, xp: Namespace) -> Any:
    row = xp.asarray(geometry.harmless(x.shape[-1]), dtype=x.dtype, device=backends.device(x, xp=xp))
    return xp.where(where[..., None], x, row)


def _reduce(out: Any, weight: Any, where: Any, /, *, reduction: str, xp: Namespace) -> Any:
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
    share = weight if where is None or weight is not None else cast(where, out.dtype, xp=xp)
    if share is None:
        return total / max(1, math.prod(out.shape))
    # A mean of nothing is 0, with gradient 0: a batch without objects must not end a training.
    return quotient(total, xp.sum(xp.broadcast_to(share, out.shape)), xp=xp)


def unit_box(*, log: bool = False, floor: float = 1e-6) -> Callable[..., Any]:
    """The loss of UnitBox, or the usual one."""
    if not 0.0 < checks.number("floor", floor) < 1.0:
        msg = f"`floor` must lie between 0 and 1, got {floor!r}"
        raise ValueError(msg)
    return MinusLog(floor) if log else OneMinus()
