"""Between pixels and run lengths."""

from typing import Any

from omniou._kernels import rle as kernels
from omniou.rle import _coco
from omniou.rle._coco import Table
from omniou.rle._host import length_dtype, numpy

# Pixels drawn at once.
PIXELS = 2**21


def encode(masks: Any) -> Table:
    """Pixels (N, height, width), all but 0 are on."""
    xp = numpy()
    pixels = xp.asarray(masks)
    if pixels.ndim != 3 or not xp.isdtype(pixels.dtype, ("bool", "numeric")):
        msg = f"`masks` must be numbers or booleans of shape (N, height, width), got {pixels.shape} of {pixels.dtype}"
        raise ValueError(msg)
    count, height, width = pixels.shape
    many = max(1, PIXELS // max(height * width, 1))
    tables = [_encode(pixels[start : start + many, ...]) for start in range(0, count, many)]
    return _coco.concat(tables)


def _encode(pixels: Any) -> Table:
    xp = numpy()
    count, height, width = pixels.shape
    size = height * width
    on = xp.ascontiguousarray(xp.permute_dims(pixels, (0, 2, 1)) != 0).reshape(count, size)
    changes = xp.empty((count, size), dtype=bool)
    changes[:, :1] = on[:, :1]
    xp.not_equal(on[:, 1:], on[:, :-1], out=changes[:, 1:])
    at = xp.flatnonzero(changes)
    mask = at // max(size, 1)
    pixels = xp.full(count, size, dtype=xp.int64)
    runs, first = kernels.from_toggles(mask, at - mask * size, pixels, xp=xp)
    sizes = xp.broadcast_to(xp.asarray([height, width], dtype=xp.int64), (count, 2)).copy()
    return Table(sizes, xp.astype(runs, length_dtype(size)), first)


def decode(table: Table) -> Any:
    """(N, height, width) of bool."""
    xp = numpy()
    if len(table.sizes) == 0:
        return xp.zeros((0, 0, 0), dtype=bool)
    height, width = table.sizes[0, :].tolist()
    if (table.sizes != table.sizes[:1, :]).any():
        row = int(xp.argmax((table.sizes != table.sizes[:1, :]).any(axis=1)))
        other = tuple(table.sizes[row, :].tolist())
        msg = f"masks must have one size to be one array, got {(height, width)} and {other} in row {row}"
        raise ValueError(msg)
    out = xp.empty((len(table.sizes), height, width), dtype=bool)
    many = max(1, PIXELS // max(height * width, 1))
    for start in range(0, out.shape[0], many):
        first = table.first[start : start + many + 1]
        counts = xp.diff(first)
        place = xp.arange(first[0], first[-1]) - xp.repeat(first[:-1], counts)
        drawn = xp.repeat(place % 2 == 1, table.runs[first[0] : first[-1]])
        columns = drawn.reshape(counts.size, width, height)
        out[start : start + many, ...] = xp.permute_dims(columns, (0, 2, 1))
    return out
