"""Costs of pairs of a query and an object, of DETR and of Deformable DETR."""

from typing import Any

from omniou._lib import backends
from omniou._lib.arrays import cast
from omniou._lib.types import Namespace


def class_costs(logits: Any, /, *, focal: bool, alpha: float, gamma: float, eps: float, xp: Namespace) -> Any:
    """Logits (..., C) -> what it costs to be each class (..., C)."""
    if not focal:
        return -backends.softmax(logits, axis=-1, xp=xp)
    p = backends.sigmoid(logits, xp=xp)
    if eps > 0:
        log_p, log_q = xp.log(p + eps), xp.log(1.0 - p + eps)
    else:
        # log(sigmoid(x)) = min(x, 0) - log(1 + exp(-|x|)): finite for every finite logit.
        tail = xp.log1p(xp.exp(-xp.abs(logits)))
        zero = xp.zeros_like(logits)
        log_p, log_q = xp.minimum(logits, zero) - tail, xp.minimum(-logits, zero) - tail
    return (1.0 - alpha) * p**gamma * log_q - alpha * (1.0 - p) ** gamma * log_p


def of_labels(costs: Any, labels: Any, /, *, xp: Namespace) -> Any:
    """Costs (..., N, C), labels (..., M) in [0, C) -> (..., N, M)."""
    if labels.ndim == 1 and costs.ndim == 2:
        return xp.take(costs, labels, axis=-1)
    shape = (*costs.shape[:-1], labels.shape[-1])
    return xp.take_along_axis(costs, xp.broadcast_to(labels[..., None, :], shape), axis=-1)


def distances(a: Any, b: Any, /, *, dtype: Any, xp: Namespace) -> Any:
    """Boxes (..., N, K) and (..., M, K) -> sums of absolute differences (..., N, M), without (..., N, M, K)."""
    a, b = cast(a, dtype, xp=xp), cast(b, dtype, xp=xp)
    total = xp.abs(a[..., :, None, 0] - b[..., None, :, 0])
    for k in range(1, a.shape[-1]):
        total = total + xp.abs(a[..., :, None, k] - b[..., None, :, k])
    return total
