"""Scatter, counts, lookup and segment reductions, which the standard lacks: native, with a fallback in the standard."""

import math
from collections.abc import Callable
from typing import Any

import array_api_compat as compat

from omniou._lib import backends
from omniou._lib.types import Namespace

# A lookup table is faster than a binary search while the span of ids is at most this many times their number.
_SPARSE = 16
_SMALL = 2**16
# Rows of a column that are computed at once: their temporaries fit the cache.
_PART = 2**15


def in_parts(make: Callable[[slice], Any], size: int, /, *, xp: Namespace) -> Any:
    """`make` applied to slices of columns (N,) and concatenated; applied once where that is not slower."""
    if size <= 2 * _PART or not compat.is_numpy_namespace(xp):
        return make(slice(0, size))
    first = make(slice(0, _PART))
    out = xp.empty(size, dtype=first.dtype)
    out[:_PART] = first
    for start in range(_PART, size, _PART):
        part = slice(start, min(start + _PART, size))
        out[part] = make(part)
    return out


def put(x: Any, places: Any, values: Any, /, *, xp: Namespace) -> Any:
    """(N,), places (K,), values (K,) -> (N,) with the values scattered; `x` itself may be overwritten.

    Of a place that occurs twice the values must be equal.
    """
    if compat.is_numpy_namespace(xp) or compat.is_torch_namespace(xp):
        x[places] = values
        return x
    return _put_by_sorting(x, places, values, xp=xp)


def _put_by_sorting(x: Any, places: Any, values: Any, /, *, xp: Namespace) -> Any:
    if places.shape[0] == 0:
        return x
    order = xp.argsort(places)
    every = xp.arange(x.shape[0], dtype=places.dtype, device=compat.device(x))
    ordered = xp.take(places, order)
    nearest = xp.searchsorted(ordered, every)
    nearest = xp.minimum(nearest, xp.full_like(nearest, places.shape[0] - 1))
    written = xp.take(xp.take(values, order), nearest)
    return xp.where(xp.take(ordered, nearest) == every, written, x)


def counts(x: Any, size: int, /, *, xp: Namespace) -> Any:
    """Integers (N,) in [0, size) -> how often each occurs (size,)."""
    match backends.library(xp):
        case "torch" if not _is_read_at_once(x):
            # `bincount` looks for the highest number, which waits for a device and cannot be traced.
            return xp.zeros(size, dtype=xp.int64, device=x.device).index_add(0, x, xp.ones_like(x, dtype=xp.int64))
        case "jax":
            return xp.bincount(x, length=size)
        case "numpy" | "torch" | "dask":
            return xp.bincount(x, minlength=size)
    edges = xp.arange(size + 1, dtype=x.dtype, device=compat.device(x))
    first = xp.searchsorted(xp.sort(x), edges)
    return first[1:] - first[:-1]


def first_highest(x: Any, axis: int, /, *, xp: Namespace) -> Any:
    """(..., N, ...) -> the place of the highest along an axis (...), the first of equal ones, or of NaN.

    torch finds the same places with the highest values in a third of the time of `argmax`, of two classes in a tenth.
    """
    return x.detach().max(dim=axis).indices if backends.library(xp) == "torch" else xp.argmax(x, axis=axis)


def quotient(x: Any, by: Any, /, *, xp: Namespace) -> Any:
    """Integers (N,) from 0 to less than 2**53, divisors (N,) -> whole quotients, in half of the time of integers.

    The next whole number is further than 1 / by away, and so never what a quotient is rounded to.
    """
    return xp.astype(xp.astype(x, xp.float64) / xp.astype(by, xp.float64), x.dtype)


def starts(numbers: Any, /, *, xp: Namespace) -> Any:
    """Lengths of segments (K,) -> offsets (K + 1,)."""
    return xp.cumulative_sum(numbers, include_initial=True)


def segments(first: Any, chosen: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Offsets of segments (S + 1,), ids of some (K,).

    Gives where these start when they are side by side (K + 1,), and the places that they come from (N,).
    """
    start = xp.take(first, chosen)
    count = xp.take(first, chosen + 1) - start
    return starts(count, xp=xp), concatenated_ranges(start, count, xp=xp)


def concatenated_ranges(start: Any, count: Any, /, *, xp: Namespace) -> Any:
    """The `count` integers from each `start` on (K,), one range after the other (N,)."""
    before = starts(count, xp=xp)
    every = xp.arange(int(before[-1]), dtype=before.dtype, device=compat.device(before))
    return xp.repeat(start - before[:-1], count) + every


def segment_ids(first: Any, /, *, xp: Namespace) -> Any:
    """Offsets (K + 1,) of segments, none of them empty -> segment ids (N,).

    For many short segments, a lookup replaces the repetition: that takes a third of the time.
    """
    if not compat.is_numpy_namespace(xp):
        every = xp.arange(first.shape[0] - 1, dtype=first.dtype, device=compat.device(first))
        return xp.repeat(every, rest(first) - first[:-1])
    out = xp.zeros(int(first[-1]), dtype=first.dtype)
    out[first[1:-1]] = 1
    return out.cumsum(out=out)


def segment_maximum(values: Any, first: Any, /, *, xp: Namespace) -> Any:
    """Values (N,) of at least 0, places (S,) in [0, N), never falling -> maximum from each place up to the next.

    Of an empty segment, one that starts where the next does, it is the value there.
    """
    if compat.is_numpy_namespace(xp):
        return xp.maximum.reduceat(values, first) if first.shape[0] else xp.zeros_like(values[:0])
    if compat.is_torch_namespace(xp):
        return _segment_maximum_by_scatter(values, first, xp=xp)
    return _segment_maximum_by_doubling(values, first, xp=xp)


def _segment_maximum_by_scatter(values: Any, first: Any, /, *, xp: Namespace) -> Any:
    every = xp.arange(values.shape[0], dtype=first.dtype, device=first.device)
    # Of several segments that start at one place, only the last is not empty.
    segments = xp.searchsorted(first, every, side="right") - 1
    inside = xp.nonzero(segments >= 0)[0]
    out = xp.take(values, first)
    return out.scatter_reduce(0, xp.take(segments, inside), xp.take(values, inside), "amax")


def _segment_maximum_by_doubling(values: Any, first: Any, /, *, xp: Namespace) -> Any:
    """The maximum over [i, j) is that over two powers of two that cover it."""
    size = values.shape[0]
    end = xp.concat([rest(first), xp.full_like(head(first), size)])
    length = xp.maximum(end - first, xp.ones_like(first))
    out, step = xp.take(values, first), 1
    while step <= size:
        here = (length >= step) & (length < 2 * step)
        left, right = (xp.where(here, x, xp.zeros_like(first)) for x in (first, first + length - step))
        out = xp.where(here, xp.maximum(xp.take(values, left), xp.take(values, right)), out)
        ahead = xp.concat([values[step:], xp.zeros_like(values[: min(step, size)])])
        values, step = xp.maximum(values, ahead), 2 * step
    return out


def segment_sum(values: Any, first: Any, /, *, xp: Namespace) -> Any:
    """Values (N,), places (S + 1,) from 0 to N, never falling -> sum from each place up to the next (S,)."""
    size = first.shape[0] - 1
    if compat.is_numpy_namespace(xp):
        return sums(values, xp.repeat(xp.arange(size), first[1:] - first[:-1]), size, xp=xp)
    total = starts(values, xp=xp)
    return xp.take(total, rest(first)) - xp.take(total, first[:-1])


def sums(values: Any, places: Any, size: int, /, *, xp: Namespace) -> Any:
    """Values (N,), integers (N,) in [0, size) -> the sum of the values at each (size,)."""
    match backends.library(xp):
        case "torch" if not _is_read_at_once(values, places):
            return xp.zeros(size, dtype=values.dtype, device=values.device).index_add(0, places, values)
        case "jax":
            return xp.bincount(places, weights=values, length=size)
        case "numpy" | "torch":
            # For an empty list NumPy returns integers.
            return xp.astype(xp.bincount(places, weights=values, minlength=size), values.dtype, copy=False)
        case "dask":
            return xp.bincount(places, weights=values, minlength=size)
    ordered = xp.take(values, xp.argsort(places, stable=True))
    return segment_sum(ordered, starts(counts(places, size, xp=xp), xp=xp), xp=xp)


def _is_read_at_once(*tensors: Any) -> bool:
    """Whether values of tensors may decide shapes, at no cost."""
    return all(x.device.type == "cpu" for x in tensors) and backends.torch_computes_now(tensors)


def cumulative_maximum(x: Any, /, *, xp: Namespace, from_end: bool = False) -> Any:
    """(..., N) -> (..., N), of each and what comes before it in the last axis, or after it; floats not below 0.

    `x` itself may be overwritten.
    """
    library = backends.library(xp)
    if library == "numpy":
        # Bits of such floats are in the order of the floats, and four times as fast to compare. No integer is as wide
        # as a long double.
        bits = x.view(f"i{x.itemsize}") if x.dtype.kind == "f" and x.itemsize <= 8 else x
        bits = bits[..., ::-1] if from_end else bits
        xp.maximum.accumulate(bits, axis=-1, out=bits)
        return x
    if library == "jax":
        import jax

        return jax.lax.cummax(x, axis=x.ndim - 1, reverse=from_end)
    step, size = 1, x.shape[-1]
    while step < size:
        ahead = xp.maximum(x[..., step:], x[..., : size - step])
        parts = [ahead, x[..., size - step :]] if from_end else [x[..., :step], ahead]
        x = xp.concat(parts, axis=-1)
        step *= 2
    return x


def mean_of_numbers(x: Any, /) -> float:
    """The mean of what is not NaN, the same in any order; NaN where nothing is."""
    flat = backends.array_namespace(x).reshape(x, (-1,))
    known = [value for value in to_list(flat) if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan


def first_at_least(x: Any, values: Any, /, *, xp: Namespace) -> Any:
    """Rows that never fall (K, N), values (K, R) -> the first place in the row that reaches each (K, R), or N."""
    if compat.is_jax_namespace(xp):
        import jax

        # No binary search here: its unrolled steps take seconds to compile.
        return jax.vmap(xp.searchsorted)(x, values)
    size, place = x.shape[1], xp.zeros_like(values)
    before = xp.arange(x.shape[0], dtype=values.dtype, device=compat.device(values))[:, None] * size
    flat = xp.reshape(x, (-1,))
    # A binary search in all rows at once, the largest step first; the first `place` values are known to be too low.
    for power in range(size.bit_length() - 1, -1, -1):
        after = xp.minimum(place + 2**power, xp.full_like(place, size))
        last = xp.reshape(xp.take(flat, xp.reshape(before + after - 1, (-1,))), values.shape)
        place = xp.where(last < values, after, place)
    return place


def to_list(x: Any, /) -> list[Any]:
    """(N,) an array of any library -> Python's numbers, in one transfer where the library can."""
    if hasattr(x, "tolist"):
        return list(x.tolist())
    number = int if compat.array_namespace(x).isdtype(x.dtype, "integral") else float
    return [number(x[k]) for k in range(x.shape[0])]


def run_starts(x: Any, /, *, xp: Namespace) -> Any:
    """(N,) never falling -> where each run of equal values starts."""
    return xp.nonzero(xp.concat([xp.ones_like(head(x)) == 1, rest(x) != but_last(x)]))[0]


def head(x: Any, /) -> Any:
    """(N,) -> the first, or nothing where there is none, which the standard forbids a slice to ask for."""
    return x[: min(1, x.shape[0])]


def but_last(x: Any, /) -> Any:
    """(N,) -> (N - 1,) without the last, or nothing where there is none."""
    return x[: max(0, x.shape[0] - 1)]


def rest(x: Any, /) -> Any:
    """(..., N) -> (..., N - 1) without the first; the standard forbids a slice to start where the array ends."""
    return x[..., 1:] if x.shape[-1] > 1 else x[..., :0]


def distinct(x: Any, /, *, xp: Namespace) -> Any:
    """Integers (N,) -> the different ones, rising."""
    span = _span(x, xp=xp)
    if span is None:
        return xp.sort(xp.unique_values(x))
    low, size = span
    return xp.nonzero(counts(x - low, size, xp=xp))[0] + low


def unlike_first(values: Any, groups: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Rows of values (N, K), in NumPy, that differ from the first row of their group (N,), and these first rows."""
    first, group = xp.unique(groups, return_index=True, return_inverse=True)[1:]
    leader = first[group.reshape(-1)]
    rows = xp.flatnonzero((values != values[leader]).any(axis=1))
    return rows, leader[rows]


def place(ids: Any, values: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Rising ids (K,), values (N,) -> the place of each among the ids (N,), and whether it is there at all (N,).

    What is not there has any place that there is.
    """
    if 0 in (ids.shape[0], values.shape[0]):
        return xp.zeros_like(values), xp.zeros_like(values) != 0
    first, last = int(ids[0]), int(ids[-1])
    if last - first + 1 == ids.shape[0]:
        at = values - first if first else values
        if _all_below(at, ids.shape[0], xp=xp):
            return at, xp.ones(at.shape, dtype=xp.bool, device=compat.device(at))
    low, high = min(first, int(xp.min(values))), max(last, int(xp.max(values)))
    size = high - low + 1
    if not _is_short(size, ids.shape[0] + values.shape[0]):
        at = xp.searchsorted(ids, values)
        at = xp.astype(xp.minimum(at, xp.full_like(at, ids.shape[0] - 1)), values.dtype)
        return at, xp.take(ids, at) == values
    at = values - low if low else values
    every = xp.arange(ids.shape[0], dtype=values.dtype, device=compat.device(values))
    nowhere = xp.zeros(size, dtype=values.dtype, device=compat.device(values))
    table = put(nowhere, ids - low, every, xp=xp)
    there = put(xp.zeros_like(nowhere) != 0, ids - low, xp.ones_like(every) == 1, xp=xp)
    return xp.take(table, at), xp.take(there, at)


def _all_below(x: Any, bound: int, /, *, xp: Namespace) -> bool:
    """Whether integers are in [0, bound)."""
    if compat.is_numpy_namespace(xp) and x.dtype == xp.int64:
        # A negative integer is large as an unsigned one: one comparison checks both ends.
        return int(xp.max(x.view(xp.uint64))) < bound
    return bool(xp.all((x >= 0) & (x < bound)))


def sizes(x: Any, bound: int, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Integers (N,) in [0, bound) -> how often each of K numbers occurs (K,), and which of them each row is (N,).

    The numbers are all below `bound`; or where these are too many for a table, those that occur, rising.
    """
    if not _is_short(bound, x.shape[0]):
        different = distinct(x, xp=xp)
        x, bound = place(different, x, xp=xp)[0], different.shape[0]
    return counts(x, bound, xp=xp), x


def _span(x: Any, /, *, xp: Namespace) -> tuple[int, int] | None:
    """Lowest of the integers (N,), and the length of a table from there to the highest; None if it is too long."""
    if x.shape[0] == 0:
        return None
    low, high = int(xp.min(x)), int(xp.max(x))
    size = high - low + 1
    return (low, size) if _is_short(size, x.shape[0]) else None


def _is_short(table: int, rows: int) -> bool:
    """Whether a lookup table of that length is faster than a search for so many rows."""
    return table <= max(_SMALL, _SPARSE * rows)
