"""From a score to a loss, and from many losses to one."""

import math
from typing import Any

from omniou._kernels import apply
from omniou._kernels.arithmetic import quotient
from omniou._lib.arrays import cast
from omniou._lib.types import Namespace


def loss(
    pred: Any,
    target: Any,
    sides: Any,
    weight: Any,
    where: Any,
    /,
    *,
    plan: apply.Plan,
    log_floor: float | None,
    reduction: str,
    xp: Namespace,
) -> Any:
    """(..., K), (..., K) of one rank, weight and where that broadcast with (...) -> (...) or ()."""
    if where is not None:
        # What is left out becomes a perfect match before anything is computed: no NaN enters, not even a gradient.
        pred, target = (_unit_where_false(x, where, xp=xp) for x in (pred, target))
    score = apply.elementwise(pred, target, sides, plan=plan._replace(result=plan.compute), xp=xp)
    out = 1.0 - score if log_floor is None else -xp.log(xp.maximum(score, xp.full_like(score, log_floor)))
    return cast(_reduce(out, weight, where, reduction=reduction, xp=xp), plan.result, xp=xp)


def _unit_where_false(x: Any, where: Any, /, *, xp: Namespace) -> Any:
    half = x[..., : x.shape[-1] // 2]
    # Zeros, then ones: a proper box in every format.
    unit = xp.concat([xp.zeros_like(half), xp.ones_like(half)], axis=-1)
    return xp.where(where[..., None], x, unit)


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
