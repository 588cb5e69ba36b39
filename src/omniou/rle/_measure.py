"""Area and extent of every mask, in batches that fit the cache."""

from typing import Any

from omniou._kernels import rle as kernels
from omniou._kernels.rle import Spans
from omniou.rle._host import TILE, batches, numpy


def spans(masks: Any, start: int, stop: int) -> Spans:
    """The runs of rows from `start` to `stop`."""
    first = masks.first[start : stop + 1]
    runs = masks.runs[first[0] : first[-1]]
    return kernels.spans(masks.sizes[start:stop, :], runs, first - first[0], xp=numpy())


def areas(masks: Any) -> Any:
    """A table -> pixels (N,)."""
    xp = numpy()
    out = xp.zeros(masks.sizes.shape[0], dtype=xp.int64)
    for start, stop in _batches(masks):
        first = masks.first[start : stop + 1]
        out[start:stop] = kernels.areas(masks.runs[first[0] : first[-1]], first - first[0], xp=xp)
    return out


def extents(masks: Any) -> Any:
    """A table -> (N, 4), low x and y, high x and y, exclusive; zeros for an empty mask."""
    xp = numpy()
    out = xp.zeros((masks.sizes.shape[0], 4), dtype=xp.int64)
    for start, stop in _batches(masks):
        out[start:stop, :] = kernels.extents(spans(masks, start, stop), masks.sizes[start:stop, :], xp=xp)
    return out


def wide_extents(masks: Any, some: Any) -> Any:
    """As `extents`, for far less: those along y are the image's. `some` (N,): not empty."""
    xp = numpy()
    sizes, runs, first = masks.sizes, masks.runs, masks.first
    out = xp.zeros((sizes.shape[0], 4), dtype=xp.int64)
    at = xp.nonzero(some)[0]
    stop, height = first[at + 1], sizes[at, 0]
    # Of an odd number of lengths the last one is off.
    end = xp.prod(sizes[at, :], axis=1) - xp.where((stop - first[at]) % 2 == 1, runs[stop - 1], 0)
    out[at, :] = xp.stack([runs[first[at]] // height, height * 0, (end - 1) // height + 1, height], axis=1)
    return out


def _batches(masks: Any) -> list[tuple[int, int]]:
    return batches(masks.first[1:] - masks.first[:-1], TILE)
