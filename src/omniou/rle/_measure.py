"""Area and extent of every mask, in batches that fit the cache."""

from typing import Any

from omniou.rle import _compiled
from omniou.rle import _runs as kernels
from omniou.rle._columns import TILE, batches, between, numpy
from omniou.rle._runs import Spans


def spans(masks: Any, start: int, stop: int) -> Spans:
    """The runs of rows from `start` to `stop`."""
    return kernels.spans(*between(masks, start, stop), xp=numpy())


def areas(masks: Any) -> Any:
    """A table -> pixels (N,)."""
    if (compiled := _compiled.areas(masks)) is not None:
        return compiled
    xp = numpy()
    out = xp.zeros(masks.sizes.shape[0], dtype=xp.int64)
    for start, stop in _batches(masks):
        out[start:stop] = kernels.areas(*between(masks, start, stop)[1:], xp=xp)
    return out


def extents(masks: Any) -> Any:
    """A table -> (N, 4), low x and y, high x and y, exclusive; zeros for an empty mask."""
    if (compiled := _compiled.extents(masks)) is not None:
        return compiled
    xp = numpy()
    out = xp.zeros((masks.sizes.shape[0], 4), dtype=xp.int64)
    for start, stop in _batches(masks):
        out[start:stop, :] = kernels.extents(spans(masks, start, stop), masks.sizes[start:stop, :], xp=xp)
    return out


def wide_extents(masks: Any, some: Any) -> Any:
    """Return extents in less time: exact along x, the image's height along y. `some` (N,): not empty."""
    xp = numpy()
    out = xp.zeros((masks.sizes.shape[0], 4), dtype=xp.int64)
    at = xp.nonzero(some)[0]
    height = masks.sizes[at, 0]
    low, high = masks.start[masks.first[at]] // height, (masks.end[masks.first[at + 1] - 1] - 1) // height + 1
    out[at, :] = xp.stack([low, height * 0, high, height], axis=1)
    return out


def _batches(masks: Any) -> list[tuple[int, int]]:
    return batches(2 * (masks.first[1:] - masks.first[:-1]), TILE)
