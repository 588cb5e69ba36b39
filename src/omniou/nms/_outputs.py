"""The results of suppression, in the form that the caller asked for."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from omniou._kernels import suppression
from omniou._lib import backends
from omniou._lib.arrays import cast, widest_integer
from omniou.nms._arguments import Call, Selection, check_scores, near


class Fixed(NamedTuple):
    """A result of fixed size, for compilers.

    Attributes
    ----------
    indices : array, shape (..., size)
        Places of what is kept, by falling score; -1 fills the rest.
    scores : array, shape (..., size)
        Scores of what is kept; 0 fills the rest.
    count : array, shape (...)
        How many are kept. If there are more than `size`, `indices` lacks the lowest scores.
    mask : array, shape (..., N)
        Whether each input is kept, also those that `indices` lacks.
    """

    indices: Any
    scores: Any
    count: Any
    mask: Any


class Rescored(NamedTuple):
    """The kept shapes by falling new score.

    Attributes
    ----------
    indices : array, shape (K,)
    scores : array, shape (K,)
        New scores.
    """

    indices: Any
    scores: Any


class Kept(NamedTuple):
    """The kept shapes among N."""

    mask: Any  # (..., N)
    count: Any  # (...)
    order: Any  # (..., size), or (..., N) without a size: places by falling score, then -1
    scores: Any  # (..., N), new ones; None where they are as they came


def by_score(call: Call, least: float | None, /) -> Any:
    """Places (K,) of the scores above the least, by falling score, of equal ones the earlier first; in NumPy."""
    xp = call.xp
    rows = xp.nonzero(suppression.valid(call.scores, least, xp=xp))[0]
    return xp.take(rows, xp.argsort(-xp.take(call.scores, rows), stable=True))


def on_host(
    call: Call, choice: Selection, keep: Callable[[Call], tuple[Any, Any]], /, *, least: float | None = None
) -> Kept:
    """`keep`: (N,) shapes in NumPy -> places that are kept by falling score, and new scores of all or None.

    Called for each image, if there are leading axes.
    """
    whole, home = near(call)
    xp, batch = whole.xp, whole.scores.shape[:-1]
    arrays = (whole.shapes, whole.scores, *whole.groups) if batch else ()
    flat = [xp.reshape(x, (math.prod(batch), *x.shape[len(batch) :])) for x in arrays]
    if batch and choice.size is None:  # the mask, or new scores: the images do not keep equally many
        choice = choice._replace(size=whole.scores.shape[-1])
    images = []
    for k in range(math.prod(batch)):
        one = whole
        if batch:
            shapes, scores, *groups = (x[k, ...] for x in flat)
            one = dataclasses.replace(whole, shapes=shapes, scores=scores, groups=tuple(groups))
        check_scores(one.scores, xp=xp, least=least)
        images.append(_columns(one, choice, *keep(one)))
    if not batch:
        return Kept(*(None if x is None else home(x) for x in images[0]))
    size = whole.scores.shape[-1]
    if not images:
        empty = dataclasses.replace(whole, scores=xp.zeros(size, dtype=whole.scores.dtype))
        images = [_columns(empty, choice, xp.zeros(0, dtype=xp.int64), empty.scores)]
        stacked = [x[None, ...][:0, ...] for x in images[0]]
    else:
        stacked = [None if parts[0] is None else xp.stack(parts) for parts in zip(*images, strict=True)]
    return Kept(*(None if x is None else home(xp.reshape(x, (*batch, *x.shape[1:]))) for x in stacked))


def _columns(call: Call, choice: Selection, kept: Any, scores: Any, /) -> Kept:
    xp, size = call.xp, call.scores.shape[0]
    kept = kept[: choice.limit]
    mask = xp.zeros(size, dtype=xp.bool)
    mask[kept] = True
    order = kept
    if choice.size is not None:
        order = suppression.resized(kept, choice.size, -1, xp=xp)
    return Kept(mask, xp.asarray(kept.shape[0]), order, scores)


def result(call: Call, kept: Kept, choice: Selection, /, make: Callable[..., Any]) -> Any:
    """Return the form that `output` and `size` ask for; `make`: kept indices, their scores -> the result."""
    xp, (mask, count, order, scores) = call.xp, kept
    scores = call.scores if scores is None else cast(scores, call.scores.dtype, xp=xp)
    if choice.size is None and choice.output != "indices":
        return mask if choice.output == "mask" else scores
    integer = widest_integer(xp)
    order, count = xp.astype(order, integer), xp.astype(count, integer)
    if choice.size is None:
        order = order[: int(count)]
        return make(order, lambda: xp.take(scores, order, axis=0))
    real = order >= 0
    if scores.shape[-1] == 0:
        own = xp.zeros(order.shape, dtype=scores.dtype, device=backends.device(scores, xp=xp))
    else:
        own = xp.take_along_axis(scores, xp.where(real, order, xp.zeros_like(order)), axis=-1)
        own = xp.where(real, own, xp.zeros_like(own))
    return Fixed(order, own, count, mask)
