"""Between pixels and run lengths."""

from typing import Any

from omniou._lib import host
from omniou.rle import _runs as kernels
from omniou.rle._columns import RunTable, between, concat, numpy, place_dtype

# Pixels drawn at once.
PIXELS = 2**21


def encode(masks: Any) -> RunTable:
    """Pixels (N, height, width), all but 0 are on."""
    xp = numpy()
    host.check_values({"masks": masks})
    pixels = xp.asarray(masks)
    if pixels.ndim != 3 or not xp.isdtype(pixels.dtype, ("bool", "numeric")):
        raise ValueError(
            f"`masks` must be numbers or booleans of shape (N, height, width), got {pixels.shape} of {pixels.dtype}"
        )
    count, height, width = pixels.shape
    many = max(1, PIXELS // max(height * width, 1))
    tables = [_encode(pixels[start : start + many, ...]) for start in range(0, count, many)]
    return concat(tables)


def _encode(pixels: Any) -> RunTable:
    xp = numpy()
    count, height, width = pixels.shape
    size = height * width
    on = xp.ascontiguousarray(xp.permute_dims(pixels, (0, 2, 1)) != 0).reshape(count, size)
    # With what ends with the image, so that changes are pairs: a start and an end.
    changes = xp.zeros((count, size + 1), dtype=bool)
    if size:
        changes[:, 0], changes[:, size] = on[:, 0], on[:, size - 1]
        xp.not_equal(on[:, 1:], on[:, :-1], out=changes[:, 1:size])
    at = xp.flatnonzero(changes)
    mask = at[0::2] // (size + 1)
    start, end = (xp.astype(at[k::2] - mask * (size + 1), place_dtype(size)) for k in (0, 1))
    sizes = xp.broadcast_to(xp.asarray([height, width], dtype=xp.int64), (count, 2)).copy()
    return RunTable(sizes, start, end, xp.searchsorted(mask, xp.arange(count + 1)))


def decode(table: RunTable) -> Any:
    """(N, height, width) of bool."""
    xp = numpy()
    if len(table.sizes) == 0:
        return xp.zeros((0, 0, 0), dtype=bool)
    height, width = table.sizes[0, :].tolist()
    if (table.sizes != table.sizes[:1, :]).any():
        row = int(xp.argmax((table.sizes != table.sizes[:1, :]).any(axis=1)))
        other = tuple(table.sizes[row, :].tolist())
        raise ValueError(f"masks must have one size to be one array, got {(height, width)} and {other} in row {row}")
    out = xp.empty((len(table.sizes), height, width), dtype=bool)
    many = max(1, PIXELS // max(height * width, 1))
    for start in range(0, out.shape[0], many):
        part = out[start : start + many, ...]
        lengths, first = kernels.lengths(*between(table, start, start + part.shape[0]), xp=xp)
        place = xp.arange(lengths.size) - xp.repeat(first[:-1], xp.diff(first))
        columns = xp.repeat(place % 2 == 1, lengths).reshape(part.shape[0], width, height)
        part[...] = xp.permute_dims(columns, (0, 2, 1))
    return out
