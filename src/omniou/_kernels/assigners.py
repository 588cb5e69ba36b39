"""The assigners of training: which object each anchor learns from.

L images, M objects (T of them in a tile), A anchors, C classes, K anchors that an object may take. `image` and `rows`
hold arrays by name; `real` marks the objects that are not padding. Tiles go over objects, so temporaries have
`tile` elements.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from omniou._kernels import apply
from omniou._kernels.apply import Plan
from omniou._kernels.arithmetic import quotient, relu
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
from omniou._lib import backends, indexing
from omniou._lib.arrays import axes, columns_of
from omniou._lib.ordering import best, highest
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
        size = points[0].shape[-1]
        count = min(self.topk, size)

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
        """Return the alignment of pairs with these class scores and overlaps."""
        return score**self.alpha * overlap**self.beta


class SimOTA(NamedTuple):
    """Each object takes as many of the cheapest anchors as its best overlaps add up to."""

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
        size, scores, reach = points[0].shape[-1], image["scores"], self.radius * image["strides"][:, None, :]

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
            points, scores = tuple([x[..., kept] for x in points]), scores[:, kept, :]
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

        picks = _of_parts(pick, real.shape[1], points[0].shape[-1], real.shape[0], tile, xp=xp)
        return solved(picks, lambda _: picks.overlap, size, xp=xp)

    def _near(self, points: Any, targets: Any, real: Any, reach: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
        """Whether an anchor is a candidate because of an object, and whether it is a good one of it (L, T, A)."""
        close = real
        for point, middle in zip(points, centres(targets), strict=True):
            offset = point - middle
            close = close & (offset < reach) & (-offset < reach)
        if not self.boxes_too:
            return close, close
        within = inside(points, targets, margin=0.0, grow=None, xp=xp) & real
        return close | within, close & within

    def _cheapest(self, value: Any, overlap: Any, /, *, xp: Namespace) -> Picks:
        """Costs as negative numbers, overlaps (L, T, A) -> picks (L, T, K)."""
        width = min(self.candidates, value.shape[-1])
        # An object whose best overlaps are .9, .8, .6 and .1 takes as many anchors as these add up to, 2 (of 2.4).
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
        points = [x[:, None, :] for x in centres(anchors)]
        size = anchors.area.shape[-1]

        def pick(part: slice) -> Picks:
            targets, mine = at(objects, slice(None), part, None), real[:, part, None]
            offsets = [point - middle for point, middle in zip(points, centres(targets), strict=True)]
            far = sum(x * x for x in offsets)
            near = xp.where(xp.isnan(far), -float("inf"), -far)
            places, start = [], 0
            for length in self.levels:
                level = near[..., start : start + length]
                places.append(best(level, min(self.topk, length), xp=xp) + start)
                start += length
            places = xp.concat(places, axis=-1)
            candidates = gathered(anchors, places, size, xp=xp)
            overlap = apply.of_canonical(candidates, targets, None, plan=self.plan, xp=xp)
            # The threshold is the mean of the candidates' overlaps plus their standard deviation. Both come from
            # the differences to the highest overlap: equal overlaps are then exactly at their mean.
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
        return inside(centres(candidates), targets, margin=self.margin, grow=None, xp=xp)


def _columns(image: Arrays, rows: Arrays, name: str, /, *, plan: Plan, xp: Namespace) -> tuple[Any, Any, Any]:
    """Canonical predictions of (L, A), points, D arrays (L or 1, 1, A), canonical objects of (L, M)."""
    points = tuple([x[:, None, :] for x in axes(columns_of(image["points"], dtype=plan.compute, xp=xp))])
    predictions, objects = (apply.canonical(x, None, plan=plan, xp=xp) for x in (image[name], rows["objects"]))
    return predictions, points, objects


def _of_parts(
    pick: Callable[[slice], Picks], objects: int, anchors: int, images: int, tile: int, /, *, xp: Namespace
) -> Picks:
    """The picks of all objects, tile by tile."""
    every = [pick(part) for part in parts(objects, anchors, images, tile)]
    return every[0] if len(every) == 1 else Picks(*(xp.concat(list(x), axis=1) for x in zip(*every, strict=True)))


class MaxIoU(NamedTuple):
    """The object that an anchor overlaps most, if that is enough."""

    plan: Plan
    positive: float
    negative: float
    low_quality: str | None
    least: float
    every_best: bool
    ignores: float
    iof: Callable[..., Any]

    def __call__(self, image: Arrays, rows: Arrays, real: Any, /, *, tile: int, xp: Namespace) -> Solved:
        anchors, objects = (
            apply.canonical(x, None, plan=self.plan, xp=xp) for x in (image["anchors"], rows["objects"])
        )
        anchors = at(anchors, slice(None), None, slice(None))
        images, size = real.shape[0], image["anchors"].shape[-2]
        ignored = self._ignored(anchors, image, rows, tile, xp=xp)
        least = -float("inf")
        top, owner, wanted, later = None, None, None, None
        for part in parts(real.shape[1], size, images, tile):
            targets = at(objects, slice(None), part, None)
            overlap = apply.of_canonical(anchors, targets, None, plan=self.plan, xp=xp)
            may = real[:, part, None] & ~xp.isnan(overlap)
            overlap = xp.where(may if ignored is None else may & ~ignored[:, None, :], overlap, least)
            highest_here = xp.max(overlap, axis=1)
            mine = xp.argmax(overlap, axis=1) + part.start
            every = xp.arange(part.start, part.stop, dtype=mine.dtype, device=backends.device(mine, xp=xp))
            is_best = self._is_best(overlap, xp=xp)
            last = xp.max(xp.where(is_best, every[None, :, None], -1), axis=1)
            if top is None:
                top, owner, wanted, later = highest_here, mine, xp.any(is_best, axis=1), last
                continue
            owner = xp.where(highest_here > top, mine, owner)
            top, later = xp.maximum(top, highest_here), xp.maximum(later, last)
            wanted = wanted | xp.any(is_best, axis=1)
        if self.low_quality == "later":
            owner = xp.where(wanted, later, owner)
        wanted = None if self.low_quality is None else wanted
        return self._settled((top, owner), wanted, ignored, real.shape[1], xp=xp)

    def _is_best(self, overlap: Any, /, *, xp: Namespace) -> Any:
        """(L, T, A) -> whether an anchor is the best of an object that it overlaps."""
        top = xp.max(overlap, axis=-1, keepdims=True)
        enough = (top > 0) & (top >= self.least)
        if self.every_best:
            return (overlap == top) & enough
        place = xp.argmax(overlap, axis=-1, keepdims=True)
        every = xp.arange(overlap.shape[-1], dtype=place.dtype, device=backends.device(overlap, xp=xp))
        return (every[None, None, :] == place) & enough

    def _ignored(self, anchors: Any, image: Arrays, rows: Arrays, tile: int, /, *, xp: Namespace) -> Any:
        """Anchors (L, A) that lie in a region to ignore."""
        if "ignore" not in rows:
            return None
        real = rows["ignore_where"]
        regions = apply.canonical(rows["ignore"], None, plan=self.plan, xp=xp)
        plan = self.plan._replace(formula=self.iof, options=(("eps", 0.0),))
        out = None
        for part in parts(real.shape[1], image["anchors"].shape[-2], real.shape[0], tile):
            share = apply.of_canonical(anchors, at(regions, slice(None), part, None), None, plan=plan, xp=xp)
            inside_one = xp.any((share > self.ignores) & real[:, part, None], axis=1)
            out = inside_one if out is None else out | inside_one
        return out

    def _settled(
        self, highest: tuple[Any, Any], wanted: Any, ignored: Any, objects: int, /, *, xp: Namespace
    ) -> Solved:
        top, owner = highest
        score = relu(top, xp=xp)
        # In the dtype of the scores: .7 is what float32 makes of it.
        positive, negative = (xp.full((), x, dtype=top.dtype, device=backends.device(top, xp=xp)) for x in self[1:3])
        is_positive = (score >= positive[None, None]) & (score > 0)
        background = (score < negative[None, None]) | (score <= 0)
        if ignored is not None:
            background = background & ~ignored
        if wanted is not None:
            is_positive = is_positive | wanted
        states = xp.astype(is_positive, xp.int8)
        neither = ~(is_positive | background)
        numbers = xp.where(is_positive, owner, -1)
        return Solved(numbers, states - xp.astype(neither, xp.int8), score, _counts(numbers, objects, xp=xp))


def _counts(numbers: Any, size: int, /, *, xp: Namespace) -> Any:
    """Objects of anchors (L, A), -1 where there is none -> how many anchors each of `size` objects has (L, size)."""
    images = numbers.shape[0]
    image = xp.arange(images, dtype=numbers.dtype, device=backends.device(numbers, xp=xp))
    keys = xp.reshape(numbers + 1 + image[:, None] * (size + 1), (-1,))
    return xp.reshape(indexing.counts(keys, images * (size + 1), xp=xp), (images, size + 1))[:, 1:]
