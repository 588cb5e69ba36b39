"""Max-IoU assignment: the object that each anchor overlaps most. Shapes as in `assigners`."""

from collections.abc import Callable
from typing import Any, NamedTuple

from omniou._kernels import apply
from omniou._kernels.apply import Plan
from omniou._kernels.assigners import Arrays
from omniou._kernels.clamped import relu
from omniou._kernels.picks import Solved, at, parts
from omniou._lib import backends, indexing
from omniou._lib.types import Namespace


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
