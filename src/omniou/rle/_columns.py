"""The columns of `Masks`: limits and errors, rows, unions and complements, and the way from and to pixels.

NumPy is loaded with the first mask.
"""

import functools
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

from omniou._lib import backends, host, indexing
from omniou._lib.types import Namespace
from omniou._lib.values import check_two_values
from omniou.rle import _runs as kernels

# Largest number of pixels of an image.
MOST = 2**34

# Starts and ends of runs whose temporaries stay in cache.
TILE = 2**17


@functools.cache
def numpy() -> Namespace:
    try:
        xp = backends.numpy_namespace()
    except ImportError:
        raise ModuleNotFoundError(
            "run lengths are kept in NumPy arrays, and NumPy is not installed: `pip install numpy`"
        ) from None
    return host.lean(xp)


def place_dtype(pixels: int) -> Any:
    """The narrowest dtype for places in images of that many pixels."""
    xp = numpy()
    return xp.int32 if pixels < 2**31 else xp.int64


class MaskError(ValueError):
    """The error of an invalid mask.

    Attributes
    ----------
    row : int
        Its index among the masks that were given.
    field : str
        The part at fault: "size", "counts", "[2]" for the third polygon, or empty for the whole mask.
    fault : str
        What is wrong.
    """

    __module__ = "omniou.rle"

    def __init__(self, row: int, field: str, fault: str, *, name: str = "segmentations") -> None:
        self.row, self.field, self.fault = row, field, fault
        dot = "." if field and not field.startswith("[") else ""
        super().__init__(f"{name}[{row}]{dot}{field}: {fault}")


def batches(weights: Any, most: int) -> list[tuple[int, int]]:
    """Weights (N,) -> rows from, to: of a weight of about `most`, one row at least."""
    if weights.shape[0] == 0:
        return []
    xp = numpy()
    total = xp.cumulative_sum(weights, include_initial=True)
    cuts = xp.searchsorted(total, xp.arange(most, int(total[-1]), most)).tolist()
    return list(itertools.pairwise(sorted({0, *cuts, weights.shape[0]})))


def as_rows(name: str, rows: Any, count: int) -> Any:
    """Numbers of rows (K,), or booleans (N,), of a table of `count` masks -> int64."""
    xp = numpy()
    numbers = xp.asarray(rows)
    if numbers.dtype == bool and numbers.shape == (count,):
        return xp.nonzero(numbers)[0]
    if numbers.size == 0:
        numbers = xp.zeros(0, dtype=xp.int64)
    if numbers.ndim != 1 or not xp.isdtype(numbers.dtype, "integral"):
        raise ValueError(
            f"`{name}` must be integers of shape (K,), got shape {numbers.shape} and dtype {numbers.dtype}"
        )
    if numbers.size and not (numbers.min() >= 0 and numbers.max() < count):
        raise ValueError(f"`{name}` must be at least 0 and less than {count}, got {numbers.min()} to {numbers.max()}")
    return xp.astype(numbers, xp.int64)


class RunTable(NamedTuple):
    """The columns of `Masks`."""

    sizes: Any
    start: Any
    end: Any
    first: Any


def take(table: Any, rows: Any) -> RunTable:
    """Some masks."""
    xp = numpy()
    first, at = indexing.segments(table.first, rows, xp=xp)
    return RunTable(xp.take(table.sizes, rows, axis=0), xp.take(table.start, at), xp.take(table.end, at), first)


def between(table: Any, low: int, high: int) -> RunTable:
    """The masks from one to another, which share the memory of the runs."""
    first = table.first[low : high + 1]
    runs = slice(int(first[0]), int(first[-1]))
    return RunTable(table.sizes[low:high, :], table.start[runs], table.end[runs], first - first[0])


def concat(tables: Sequence[Any]) -> RunTable:
    """The masks of all tables, one table after the other."""
    xp = numpy()
    if len(tables) == 1:
        return tables[0]
    nothing = xp.zeros(0, dtype=xp.int32)
    tables = tables or [RunTable(xp.zeros((0, 2), dtype=xp.int64), nothing, nothing, xp.zeros(1, dtype=xp.int64))]
    shifts = xp.cumulative_sum(xp.asarray([t.start.size for t in tables]), include_initial=True).tolist()
    first = [t.first[:-1] + shift for t, shift in zip(tables, shifts, strict=False)]
    sizes, start, end = (xp.concat([getattr(t, field) for t in tables]) for field in RunTable._fields[:3])
    return RunTable(sizes, start, end, xp.concat([*first, xp.asarray(shifts[-1:], dtype=xp.int64)]))


def complement(table: RunTable) -> RunTable:
    """Return masks of the pixels that are off."""
    xp = numpy()
    count = table.sizes.shape[0]
    # One run more than before, and the first and the last may be empty.
    first = table.first + xp.arange(count + 1)
    start, end = (xp.empty(table.start.size + count, dtype=table.start.dtype) for _ in "se")
    inner = xp.ones(start.size, dtype=bool)
    inner[first[:-1]] = False
    start[first[:-1]], start[inner] = 0, table.end
    inner[:] = True
    inner[first[1:] - 1] = False
    end[first[1:] - 1], end[inner] = xp.prod(table.sizes, axis=1), table.start
    some = end > start
    kept = xp.take(xp.cumulative_sum(some, dtype=xp.int64, include_initial=True), first)
    return RunTable(table.sizes, start[some], end[some], kept)


def merge(table: RunTable, groups: Any, *, intersect: bool) -> RunTable:
    """The union, or intersection, of the masks of each group, groups rising."""
    xp = numpy()
    ids, row, group = xp.unique(groups, return_index=True, return_inverse=True)
    _check_sizes(table.sizes, group)
    if intersect:
        # By De Morgan: a pixel is in all masks if its complement is in none.
        return complement(merge(complement(table), groups, intersect=False))
    sizes = xp.take(table.sizes, row, axis=0)
    most = int(xp.max(xp.prod(sizes, axis=1), initial=0))
    bits = most.bit_length()
    keys = xp.repeat(xp.astype(group, xp.int64) << bits, xp.diff(table.first))
    start, end = (xp.sort(keys + x) for x in (table.start, table.end))
    start, end, first = kernels.united(start, end, bits, ids.size, xp=xp)
    dtype = place_dtype(most)
    return RunTable(sizes, xp.astype(start, dtype), xp.astype(end, dtype), first)


def _check_sizes(sizes: Any, group: Any) -> None:
    """Check that the masks of a group are of one image size."""
    rows, leaders = indexing.unlike_first(sizes, group, xp=numpy())
    if rows.size:
        row, other = int(rows[0]), int(leaders[0])
        listing = f"{sizes[other].tolist()} in row {other} and {sizes[row].tolist()} in row {row}"
        raise ValueError(f"masks of a group must be of one image size, got {listing}")


# Pixels drawn at once.
PIXELS = 2**21


def encode(masks: Any) -> RunTable:
    """Pixels (N, height, width), each mask of 0 and one other number, which is on."""
    xp = numpy()
    host.check_values({"masks": masks})
    pixels = xp.asarray(masks)
    if pixels.ndim != 3 or not xp.isdtype(pixels.dtype, ("bool", "numeric")):
        raise ValueError(
            f"`masks` must be numbers or booleans of shape (N, height, width), got {pixels.shape} of {pixels.dtype}"
        )
    check_two_values("masks", pixels)
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
