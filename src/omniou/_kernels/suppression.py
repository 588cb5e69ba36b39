"""Suppression in arrays of one shape, for compilers, whose loops cannot depend on how many shapes are left.

N shapes, whose leading axes (...) are images; `ahead[..., i, j]` says that i is chosen before j. A shape that is not
`valid` is padding, or has a score of NaN or below the limit. It suppresses no other and is not kept.
"""

from typing import Any, NamedTuple

from omniou._lib import backends, loops
from omniou._lib.arrays import ranked
from omniou._lib.types import Namespace


class Rule(NamedTuple):
    """When an overlap is too much."""

    threshold: float
    inclusive: bool

    def over(self, overlap: Any, /, *, xp: Namespace) -> Any:
        """Overlaps (...) -> booleans (...). The threshold is rounded to the dtype of the overlaps first."""
        limit = xp.full((), self.threshold, dtype=overlap.dtype, device=backends.device(overlap, xp=xp))
        limit = ranked(limit, overlap.ndim, xp=xp)
        return overlap >= limit if self.inclusive else overlap > limit


def ahead(scores: Any, groups: tuple[Any, ...], /, *, xp: Namespace) -> Any:
    """Scores (..., N), groups (..., N) each -> (..., N, N): of one group, and i of a higher score or earlier."""
    place = _numbers(scores, xp=xp)
    earlier = ranked(place[:, None] < place[None, :], scores.ndim + 1, xp=xp)
    one, other = scores[..., :, None], scores[..., None, :]
    out = (one > other) | ((one == other) & earlier)
    for x in groups:
        out = out & (x[..., :, None] == x[..., None, :])
    return out


def survivors(conflict: Any, valid: Any, /, *, xp: Namespace) -> Any:
    """Whether i suppresses j (..., N, N) where it is kept itself -> kept (..., N)."""
    # Each step suppresses what the shapes kept by the step before suppress. A suppresses B, and B suppresses C: from
    # A B C the first step keeps A, the second A and C, since B no longer counts, and the third changes nothing. After
    # k steps the first k shapes are decided; most scenes need three or four steps.

    def step(keep: Any) -> Any:
        return valid & ~xp.any(conflict & keep[..., :, None], axis=-2)

    return loops.settled(step, valid, xp=xp)


def hard(overlap: Any, scores: Any, valid: Any, groups: tuple[Any, ...], /, *, rule: Rule, xp: Namespace) -> Any:
    """Overlaps (..., N, N), the rest (..., N) -> kept (..., N)."""
    return survivors(rule.over(overlap, xp=xp) & ahead(scores, groups, xp=xp), valid, xp=xp)


class Decay(NamedTuple):
    """How an overlap lowers the score of the other: a formula's name, its factor, and where a linear one starts."""

    method: str
    sigma: float
    rule: Rule | None = None

    def of(self, overlap: Any, /, *, xp: Namespace) -> Any:
        """Overlaps -> factors in [0, 1]; what overlaps by less than 0 is left as it is."""
        shared = xp.maximum(overlap, xp.zeros_like(overlap))
        if self.rule is None:
            return xp.exp(-(shared * shared) / self.sigma)
        return xp.where(self.rule.over(overlap, xp=xp), xp.maximum(1.0 - shared, xp.zeros_like(shared)), 1.0)

    def ratio(self, overlap: Any, worst: Any, /, *, xp: Namespace) -> Any:
        """Matrix NMS: overlap with a shape, and that shape's highest overlap with those before it -> factor.

        A shape that equals one before it has a score of 0 and lowers no other: the one before it lowers the same.
        """
        if self.method == "gaussian":
            return xp.exp(self.sigma * (worst * worst - overlap * overlap))
        share, own = 1.0 - overlap, 1.0 - worst
        gone = own <= 0.0
        return xp.where(gone, 1.0, share / xp.where(gone, 1.0, own))


def soft(overlap: Any, scores: Any, valid: Any, groups: tuple[Any, ...], /, *, decay: Decay, xp: Namespace) -> Any:
    """Overlaps (..., N, N), the rest (..., N) -> lowered scores (..., N).

    The order, which is found step by step, has no gradient; the scores are products of what was chosen before.
    """
    factor = decay.of(overlap, xp=xp)
    for x in groups:
        factor = xp.where(x[..., :, None] == x[..., None, :], factor, 1.0)
    rank = _ranks(backends.stop_gradient(factor, xp=xp), backends.stop_gradient(scores, xp=xp), valid, xp=xp)
    before = (rank[..., :, None] < rank[..., None, :]) & valid[..., :, None]
    return scores * xp.astype(xp.prod(xp.where(before, factor, 1.0), axis=-2), scores.dtype)


def _ranks(factor: Any, scores: Any, valid: Any, /, *, xp: Namespace) -> Any:
    """Factors (..., N, N), scores (..., N) -> the step in which each shape is chosen (..., N).

    A step chooses the highest score among the shapes that are left, and lowers the others.
    """
    every, scores = ranked(_numbers(scores, xp=xp), scores.ndim, xp=xp), xp.astype(scores, factor.dtype)

    def step(_: Any, now: Any, left: Any, rank: Any) -> tuple[Any, Any, Any]:
        best = xp.argmax(xp.where(left, now, -float("inf")), axis=-1, keepdims=True)
        row = xp.take_along_axis(factor, xp.broadcast_to(best[..., None], (*now.shape[:-1], 1, now.shape[-1])), axis=-2)
        left = left & (every != best)
        return now * row[..., 0, :], left, rank + xp.astype(left, rank.dtype)

    rank = xp.zeros_like(xp.broadcast_to(every, scores.shape))
    return loops.repeated(step, (scores, valid, rank), scores.shape[-1], xp=xp)[2]


def matrix(overlap: Any, scores: Any, valid: Any, groups: tuple[Any, ...], /, *, decay: Decay, xp: Namespace) -> Any:
    """Overlaps (..., N, N), the rest (..., N) -> lowered scores (..., N)."""
    if scores.shape[-1] == 0:
        return scores
    before = ahead(scores, groups, xp=xp) & valid[..., :, None]
    shared = xp.where(before, xp.maximum(overlap, xp.zeros_like(overlap)), 0.0)
    worst = xp.max(shared, axis=-2)
    factors = xp.where(before, decay.ratio(shared, worst[..., :, None], xp=xp), 1.0)
    return scores * xp.astype(xp.min(factors, axis=-2), scores.dtype)


def valid(scores: Any, least: float | None, /, *, xp: Namespace) -> Any:
    """Which scores (..., N) are numbers and above the least."""
    number = scores == scores  # noqa: PLR0124  (not NaN)
    return number if least is None else number & Rule(least, inclusive=False).over(scores, xp=xp)


def limited(keep: Any, scores: Any, /, *, limit: int | None, size: int | None, xp: Namespace) -> tuple[Any, Any, Any]:
    """Kept (..., N), scores (..., N) without NaN -> kept up to the limit (..., N), count (...), places (..., size).

    Places are by falling score, and then -1; without a size there are N.
    """
    # Two stable sorts: first by score, then kept shapes before the others. One sort with -inf as the score of the
    # others would not do, since a kept shape may have a score of -inf. Scores .3 .9 .7 of which .9 is not kept: by
    # score 1 2 0, then 2 0 1.
    by_score = xp.argsort(-scores, axis=-1, stable=True)
    unkept = xp.astype(~xp.take_along_axis(keep, by_score, axis=-1), xp.uint8)
    order = xp.take_along_axis(by_score, xp.argsort(unkept, axis=-1, stable=True), axis=-1)
    count = xp.count_nonzero(keep, axis=-1)
    if limit is not None:
        count = xp.minimum(count, xp.full_like(count, limit))
        # The place of each in the order is the argsort of the order.
        keep = keep & (xp.argsort(order, axis=-1) < limit)
    place = ranked(_numbers(keep, xp=xp), keep.ndim, xp=xp)
    order = xp.where(place < count[..., None], order, xp.full_like(order, -1))
    return keep, count, order if size is None else resized(order, size, -1, xp=xp)


def resized(x: Any, size: int, fill: Any, /, *, xp: Namespace) -> Any:
    """(..., N) -> (..., size), cut off or filled up."""
    if x.shape[-1] >= size:
        return x[..., :size]
    more = xp.full((*x.shape[:-1], size - x.shape[-1]), fill, dtype=x.dtype, device=backends.device(x, xp=xp))
    return xp.concat([x, more], axis=-1)


def _numbers(x: Any, /, *, xp: Namespace) -> Any:
    return xp.arange(x.shape[-1], device=backends.device(x, xp=xp))
