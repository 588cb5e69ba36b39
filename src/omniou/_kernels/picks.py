"""The anchors that objects take, and the object that keeps an anchor that several take: for all assigners.

L images, M objects (T of them in a tile), A anchors, K anchors that an object may take.
"""

import functools
import operator
from typing import Any, NamedTuple

from omniou._kernels.boxes import Boxes, by_axis
from omniou._kernels.rotated import Rotated
from omniou._lib import backends
from omniou._lib.arrays import axes, each
from omniou._lib.types import Namespace


class Picks(NamedTuple):
    """(L, M, K) each: the anchors that objects take."""

    anchors: Any  # integers
    chosen: Any  # whether the object takes it
    priority: Any  # of several objects that take an anchor the one with the highest keeps it
    overlap: Any
    value: Any  # what becomes the score of the anchor


class Solved(NamedTuple):
    """The assignments of L images."""

    objects: Any  # (L, A) integers, -1 where there is none
    states: Any  # (L, A) int8
    scores: Any  # (L, A)
    counts: Any  # (L, M) integers


def at(canonical: Any, /, *index: Any) -> Any:
    """A canonical form of the shapes at an index of its last axes."""
    return each(lambda x: x[(..., *index)], canonical)


def gathered(canonical: Any, anchors: Any, size: int, /, *, xp: Namespace) -> Any:
    """Canonical forms of (L or 1, A), integers (L, T, K) -> canonical forms of (L, T, K)."""
    images = canonical[-1].shape[-2]
    places = anchors
    if images > 1:
        places = places + _numbers(images, like=anchors, xp=xp)[:, None, None] * size
    flat = xp.reshape(places, (-1,))

    def take(x: Any) -> Any:
        front = x.shape[:-2]
        out = xp.take(xp.reshape(x, (*front, -1)), flat, axis=-1)
        return xp.reshape(out, (*front, *anchors.shape))

    return each(take, canonical)


def inside(points: Any, objects: Any, /, *, margin: float, grow: tuple[float, float] | None, xp: Namespace) -> Any:
    """D arrays (L or 1, 1, A) of points, objects of (L, T, 1) -> which are further inside than `margin` (L, T, A).

    `grow`: sides below the first become the second.
    """
    if isinstance(objects, Boxes):

        def within(p: Any, low: Any, high: Any) -> Any:
            if grow is not None:
                small, middle = high - low < grow[0], 0.5 * (low + high)
                low = xp.where(small, middle - 0.5 * grow[1], low)
                high = xp.where(small, middle + 0.5 * grow[1], high)
            return (p > low) & (p < high) if margin == 0.0 else (p - low > margin) & (high - p > margin)

        return functools.reduce(operator.and_, by_axis(within, points, axes(objects.low), axes(objects.high)))
    w, h = objects.w, objects.h
    if grow is not None:
        w, h = (xp.where(2.0 * x < grow[0], 0.5 * grow[1], x) for x in (w, h))
    x, y = points[0] - objects.x, points[1] - objects.y
    along, across = x * objects.cos + y * objects.sin, y * objects.cos - x * objects.sin
    return (w - xp.abs(along) > margin) & (h - xp.abs(across) > margin)


def centres(canonical: Boxes | Rotated, /) -> tuple[Any, ...]:
    """Shapes of (...) -> their centres, D arrays (...)."""
    if isinstance(canonical, Boxes):
        return axes(by_axis(lambda low, high: 0.5 * (low + high), canonical.low, canonical.high))
    return canonical.x, canonical.y


def of_class(scores: Any, labels: Any, /, *, xp: Namespace) -> Any:
    """Scores (L, A, C), labels (L, T) -> the score of each object's class (L, T, A)."""
    images, size, classes = scores.shape
    like = labels
    start = _numbers(images, like=like, xp=xp)[:, None, None] * (size * classes)
    places = start + _numbers(size, like=like, xp=xp)[None, None, :] * classes + labels[:, :, None]
    flat = xp.take(xp.reshape(scores, (-1,)), xp.reshape(places, (-1,)))
    return xp.reshape(flat, places.shape)


def owners(picks: Picks, size: int, /, *, xp: Namespace) -> tuple[Any, Any, Any]:
    """Picks of A anchors -> which pick keeps each (L * A,), whether there is one (L, A), which picks win (L, M, K).

    Of several objects the one with the highest priority keeps an anchor, of equal ones the first. Two stable sorts put
    the picks of each anchor side by side, the winner first; nothing is scattered, so sizes stay fixed.
    """
    images, objects, width = picks.anchors.shape
    keys = picks.anchors + _numbers(images, like=picks.anchors, xp=xp)[:, None, None] * size
    keys = xp.reshape(xp.where(picks.chosen, keys, images * size), (-1,))
    # Where nobody chooses, a priority may be NaN, which libraries sort differently.
    priority = xp.where(picks.chosen, picks.priority, -float("inf"))
    order = xp.argsort(-xp.reshape(priority, (-1,)), stable=True)
    order = xp.take(order, xp.argsort(xp.take(keys, order), stable=True))
    ordered = xp.take(keys, order)
    every = _numbers(images * size, like=keys, xp=xp)
    place = xp.searchsorted(ordered, every)
    place = xp.minimum(place, xp.full_like(place, keys.shape[0] - 1))
    taken = xp.take(ordered, place) == every
    keeper = xp.take(order, place)
    # A pick wins if it is the keeper of its anchor.
    clipped = xp.minimum(keys, xp.full_like(keys, images * size - 1))
    mine = xp.take(keeper, clipped) == _numbers(keys.shape[0], like=keys, xp=xp)
    won = xp.reshape(mine, (images, objects, width)) & picks.chosen
    return keeper, xp.reshape(taken, (images, size)), won


def solved(picks: Picks, values: Any, size: int, /, *, xp: Namespace) -> Solved:
    """Picks, and what gives their scores (L, M, K) from which of them win (L, M, K) -> what becomes of anchors."""
    _, objects, width = picks.anchors.shape
    keeper, taken, won = owners(picks, size, xp=xp)
    scores = xp.reshape(xp.take(xp.reshape(values(won), (-1,)), keeper), taken.shape)
    numbers = xp.reshape(keeper, taken.shape) // width % objects
    return Solved(
        xp.where(taken, numbers, -1),
        xp.astype(taken, xp.int8),
        xp.where(taken, scores, 0.0),
        xp.count_nonzero(won, axis=-1),
    )


def nobody(real: Any, size: int, /, *, dtype: Any, xp: Namespace) -> Solved:
    """Where there are no objects, or no anchors: (L, M) -> all `size` anchors negative."""
    images, device = real.shape[0], backends.device(real, xp=xp)
    counts = xp.count_nonzero(xp.stack([real, real], axis=-1), axis=-1) * 0
    return Solved(
        xp.full((images, size), -1, dtype=counts.dtype, device=device),
        xp.zeros((images, size), dtype=xp.int8, device=device),
        xp.zeros((images, size), dtype=dtype, device=device),
        counts,
    )


def parts(objects: int, anchors: int, images: int, tile: int, /) -> list[slice]:
    step = max(1, tile // max(1, anchors * images))
    return [slice(i, min(i + step, objects)) for i in range(0, objects, step)]


def _numbers(size: int, /, *, like: Any, xp: Namespace) -> Any:
    """The integers below `size`, of the dtype of `like` where that holds integers."""
    dtype = like.dtype if xp.isdtype(like.dtype, "integral") else None
    return xp.arange(size, dtype=dtype, device=backends.device(like, xp=xp))
