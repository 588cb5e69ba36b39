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


def measure(masks: Any) -> tuple[Any, Any]:
    """A table -> areas (N,) and extents (N, 4), xyxy, both int64."""
    xp = numpy()
    areas = xp.zeros(masks.sizes.shape[0], dtype=xp.int64)
    extents = xp.zeros((masks.sizes.shape[0], 4), dtype=xp.int64)
    for start, stop in batches(masks.first[1:] - masks.first[:-1], TILE):
        on = spans(masks, start, stop)
        areas[start:stop] = kernels.areas(on, xp=xp)
        extents[start:stop, :] = kernels.extents(on, masks.sizes[start:stop, :], xp=xp)
    return areas, extents
