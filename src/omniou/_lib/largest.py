"""The largest of each row, with one rule for equal ones: torch.topk has none."""

from typing import Any

from omniou._lib import backends
from omniou._lib.arrays import widest_integer
from omniou._lib.types import Namespace

# More rounds than this cost more than a stable sort of all.
_ROUNDS = 32


def best(x: Any, count: int, /, *, xp: Namespace) -> Any:
    """(..., A) -> places (..., count) of the largest, falling; of equal ones the first, on every library."""
    if backends.library(xp) == "jax":
        import jax

        # The lower index first, as documented.
        return xp.astype(jax.lax.top_k(x, count)[1], widest_integer(xp))
    if count > _ROUNDS:
        return xp.argsort(-x, axis=-1, stable=True)[..., :count]
    # torch.topk has no order of equal numbers, and a stable sort of all takes ten times as long.
    every = xp.arange(x.shape[-1], device=backends.device(x, xp=xp))
    every = every[(None,) * (x.ndim - 1) + (...,)]
    places = []
    for turn in range(count):
        places.append(xp.argmax(x, axis=-1, keepdims=True))
        if turn + 1 < count:
            x = _without(x, places[-1], every, own=turn > 0, xp=xp)
    return xp.concat(places, axis=-1)


def _without(x: Any, place: Any, every: Any, /, *, own: bool, xp: Namespace) -> Any:
    """(..., A) with minus infinity at one place of each row; written over where it is our own."""
    if backends.library(xp) == "numpy":
        x = x if own else xp.array(x)
        xp.put_along_axis(x, place, -float("inf"), axis=-1)
        return x
    return xp.where(every == place, -float("inf"), x)


def highest(x: Any, count: int, /, *, xp: Namespace) -> Any:
    """(..., A) -> the largest values (..., count), in any order."""
    match backends.library(xp):
        case "numpy":
            return xp.partition(x, x.shape[-1] - count, axis=-1)[..., x.shape[-1] - count :]
        case "torch":
            return x.topk(count, dim=-1).values
    return xp.take_along_axis(x, best(x, count, xp=xp), axis=-1)
