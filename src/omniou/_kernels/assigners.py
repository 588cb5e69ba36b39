"""The assigners of training: which object each anchor learns from.

L images, M objects (T of them in a tile), A anchors, C classes, K anchors that an object may take. `image` and `rows`
hold arrays by name; `real` marks the objects that are not padding. Tiles go over objects, so temporaries have
`tile` elements.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from omniou._kernels import apply
from omniou._kernels.apply import Plan
from omniou._kernels.arithmetic import quotient
from omniou._kernels.clamped import relu
from omniou._kernels.picks import (
    Picks,
    Solved,
    at,
    centres,
    gathered,
    inside,
    nobody,
    of_class,
    parts,
    solved,
)
from omniou._lib import backends
from omniou._lib.arrays import columns_of
from omniou._lib.largest import best, highest
from omniou._lib.types import Namespace

Arrays = Mapping[str, Any]
# Rounding must not lower the k of SimOTA: ten overlaps of .3 add up to less than 3 in float32, by the order of the sum.
_ROUNDING = 1e-4
# As torch's binary cross-entropy limits the logarithm.
_LEAST_LOG = -100.0


class TaskAligned(NamedTuple):
    """Alignment s^alpha * u^beta of the class score s and the overlap u."""

    plan: Plan
    topk: int
    alpha: float
    beta: float
    margin: float
    grow: tuple[float, float] | None
    every: bool  # whether anchors outside of an object use up its picks
    eps: float
    sparse: Callable[..., Picks] | None = None  # picks from the pairs that are near alone, where values are known

    def __call__(self, image: Arrays, rows: Arrays, real: Any, /, *, tile: int, xp: Namespace) -> Solved:
        predictions, points, objects = _columns(image, rows, "predictions", plan=self.plan, xp=xp)
        size, count = points.shape[-1], min(self.topk, points.shape[-1])

        def pick(part: slice) -> Picks:
            targets = at(objects, slice(None), part, None)
            near = inside(points, targets, margin=self.margin, grow=self.grow, xp=xp) & real[:, part, None]
            labels = rows["labels"][:, part]
            if self.sparse is not None:
                some = at(objects, slice(None), part)
                return self.sparse(self, near, predictions, some, scores=image["scores"], labels=labels, xp=xp)
            overlap = self.overlap(at(predictions, slice(None), None, slice(None)), targets, xp=xp)
            alignment = self.alignment(of_class(image["scores"], labels, xp=xp), overlap)
            # NaN is not above 0, and so never chosen.
            may = alignment > 0 if self.every else near & (alignment > 0)
            alignment = xp.where(may, alignment, -float("inf"))
            places = best(alignment, count, xp=xp)
            value = xp.take_along_axis(alignment, places, axis=-1)
            chosen = value > 0
            if self.every:
                chosen = chosen & xp.take_along_axis(near, places, axis=-1)
            taken = xp.where(chosen, xp.take_along_axis(overlap, places, axis=-1), 0.0)
            return Picks(places, chosen, taken, taken, xp.where(chosen, value, 0.0))

        picks = _of_parts(pick, real.shape[1], size, real.shape[0], tile, xp=xp)

        def values(won: Any) -> Any:
            """Alignments, scaled so that the best of each object equals its highest overlap."""
            mine, overlap = (xp.where(won, x, 0.0) for x in (picks.value, picks.overlap))
            most = xp.max(mine, axis=-1, keepdims=True)
            return quotient(mine, most + self.eps, xp=xp) * xp.max(overlap, axis=-1, keepdims=True)

        return solved(picks, values, size, xp=xp)

    def overlap(self, a: Any, b: Any, /, *, xp: Namespace) -> Any:
        """Overlaps of pairs, at least 0."""
        return relu(apply.of_canonical(a, b, None, plan=self.plan, xp=xp), xp=xp)

    def alignment(self, score: Any, overlap: Any, /) -> Any:
        """Of pairs with these class scores and overlaps."""
        return score**self.alpha * overlap**self.beta


class SimOTA(NamedTuple):
    """As many of the cheapest anchors as the best overlaps add up to."""

    plan: Plan
    candidates: int
    radius: float
    boxes_too: bool  # whether anchors inside an object but far from its centre are candidates
    penalty: float
    weights: tuple[float, float]  # of the class and of the overlap
    eps: float
    places: Callable[..., Any] | None = None  # of the anchors that are candidates, where values are known

    def __call__(self, image: Arrays, rows: Arrays, real: Any, /, *, tile: int, xp: Namespace) -> Solved:
        predictions, points, objects = _columns(image, rows, "predictions", plan=self.plan, xp=xp)
        size, scores, reach = points.shape[-1], image["scores"], self.radius * image["strides"][:, None, :]

        def near(part: slice) -> tuple[Any, Any]:
            return self._near(points, at(objects, slice(None), part, None), real[:, part, None], reach, xp=xp)

        any_near: Any = None
        for part in parts(real.shape[1], size, real.shape[0], tile):
            some = xp.any(near(part)[0], axis=1)
            any_near = some if any_near is None else any_near | some
        kept = None
        if self.places is not None:
            # The anchors that are candidates of nobody take no part: most of them, in usual images.
            kept = self.places(any_near, xp=xp)
            predictions, reach, any_near = at(predictions, slice(None), kept), reach[..., kept], any_near[:, kept]
            points, scores = points[..., kept], scores[:, kept, :]
            if kept.shape[0] == 0:
                return nobody(real, size, dtype=scores.dtype, xp=xp)
        negative = -xp.sum(self._log(1.0 - scores, xp=xp), axis=-1)[:, None, :]
        predictions = at(predictions, slice(None), None, slice(None))

        def pick(part: slice) -> Picks:
            targets = at(objects, slice(None), part, None)
            overlap = relu(apply.of_canonical(predictions, targets, None, plan=self.plan, xp=xp), xp=xp)
            score = of_class(scores, rows["labels"][:, part], xp=xp)
            # Cross-entropy summed over classes: each as a negative one, then the object's own as a positive one.
            classes = negative + self._log(1.0 - score, xp=xp) - self._log(score, xp=xp)
            cost = self.weights[0] * classes - self.weights[1] * self._log(overlap + self.eps, xp=xp)
            cost = xp.where(near(part)[1], cost, cost + self.penalty)
            may = any_near[:, None, :] & real[:, part, None] & ~xp.isnan(cost)
            picks = self._cheapest(xp.where(may, -cost, -float("inf")), xp.where(may, overlap, 0.0), xp=xp)
            return picks if kept is None else picks._replace(anchors=kept[picks.anchors])

        picks = _of_parts(pick, real.shape[1], points.shape[-1], real.shape[0], tile, xp=xp)
        return solved(picks, lambda _: picks.overlap, size, xp=xp)

    def _near(self, points: Any, targets: Any, real: Any, reach: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
        """Whether an anchor is a candidate because of an object, and whether it is a good one of it (L, T, A)."""
        middle, close = centres(targets, xp=xp), real
        for k in range(points.shape[0]):
            offset = points[k, ...] - middle[k, ...]
            close = close & (offset < reach) & (-offset < reach)
        if not self.boxes_too:
            return close, close
        within = inside(points, targets, margin=0.0, grow=None, xp=xp) & real
        return close | within, close & within

    def _cheapest(self, value: Any, overlap: Any, /, *, xp: Namespace) -> Picks:
        """Costs as negative numbers, overlaps (L, T, A) -> picks (L, T, K)."""
        width = min(self.candidates, value.shape[-1])
        number = xp.floor(xp.sum(highest(overlap, width, xp=xp), axis=-1, keepdims=True) + _ROUNDING)
        number = xp.maximum(number, xp.ones_like(number))
        places = best(value, width, xp=xp)
        value = xp.take_along_axis(value, places, axis=-1)
        turn = xp.arange(width, dtype=number.dtype, device=backends.device(number, xp=xp))
        chosen = (value > -float("inf")) & (turn[None, None, :] < number)
        taken = xp.where(chosen, xp.take_along_axis(overlap, places, axis=-1), 0.0)
        return Picks(places, chosen, xp.where(chosen, value, 0.0), taken, taken)

    def _log(self, x: Any, /, *, xp: Namespace) -> Any:
        tiny = x < float(xp.finfo(x.dtype).smallest_normal)
        return xp.where(tiny, _LEAST_LOG, xp.log(xp.where(tiny, 1.0, x)))


class ATSS(NamedTuple):
    """The anchors nearest to the centre in each level, above the mean and deviation of their overlaps."""

    plan: Plan
    topk: int
    levels: tuple[int, ...]
    margin: float
    keep_best: bool

    def __call__(self, image: Arrays, rows: Arrays, real: Any, /, *, tile: int, xp: Namespace) -> Solved:
        anchors = apply.canonical(image["anchors"], None, plan=self.plan, xp=xp)
        objects = apply.canonical(rows["objects"], None, plan=self.plan, xp=xp)
        points = centres(anchors, xp=xp)[:, :, None, :]
        size = points.shape[-1]

        def pick(part: slice) -> Picks:
            targets, mine = at(objects, slice(None), part, None), real[:, part, None]
            offsets = points - centres(targets, xp=xp)
            far = sum(offsets[k, ...] * offsets[k, ...] for k in range(offsets.shape[0]))
            near = xp.where(xp.isnan(far), -float("inf"), -far)
            places, start = [], 0
            for length in self.levels:
                level = near[..., start : start + length]
                places.append(best(level, min(self.topk, length), xp=xp) + start)
                start += length
            places = xp.concat(places, axis=-1)
            candidates = gathered(anchors, places, size, xp=xp)
            overlap = apply.of_canonical(candidates, targets, None, plan=self.plan, xp=xp)
            # The distance to the highest, so that equal overlaps are not below their own mean by a rounding.
            top = xp.max(overlap, axis=-1, keepdims=True)
            below = overlap - top
            mean = xp.mean(below, axis=-1, keepdims=True)
            spread = xp.sum((below - mean) ** 2.0, axis=-1, keepdims=True) / max(1, below.shape[-1] - 1)
            enough = below >= mean + xp.sqrt(spread)
            within = self._inside(candidates, targets, xp=xp)
            chosen = enough & within & mine & ~xp.isnan(overlap)
            if self.keep_best:
                mine_only = xp.where(within & mine & (overlap > 0), overlap, -float("inf"))
                place = xp.argmax(mine_only, axis=-1, keepdims=True)
                turn = xp.arange(below.shape[-1], dtype=place.dtype, device=backends.device(below, xp=xp))
                chosen = chosen | ((turn[None, None, :] == place) & (mine_only > -float("inf")))
            taken = xp.where(chosen, overlap, 0.0)
            return Picks(places, chosen, taken, taken, taken)

        picks = _of_parts(pick, real.shape[1], size, real.shape[0], tile, xp=xp)
        return solved(picks, lambda _: picks.overlap, size, xp=xp)

    def _inside(self, candidates: Any, targets: Any, /, *, xp: Namespace) -> Any:
        return inside(centres(candidates, xp=xp), targets, margin=self.margin, grow=None, xp=xp)


def _columns(image: Arrays, rows: Arrays, name: str, /, *, plan: Plan, xp: Namespace) -> tuple[Any, Any, Any]:
    """Canonical predictions of (L, A), points (D, L or 1, 1, A), canonical objects of (L, M)."""
    points = columns_of(image["points"], dtype=plan.compute, xp=xp)[:, :, None, :]
    predictions, objects = (apply.canonical(x, None, plan=plan, xp=xp) for x in (image[name], rows["objects"]))
    return predictions, points, objects


def _of_parts(
    pick: Callable[[slice], Picks], objects: int, anchors: int, images: int, tile: int, /, *, xp: Namespace
) -> Picks:
    """The picks of all objects, tile by tile."""
    every = [pick(part) for part in parts(objects, anchors, images, tile)]
    return every[0] if len(every) == 1 else Picks(*(xp.concat(list(x), axis=1) for x in zip(*every, strict=True)))
