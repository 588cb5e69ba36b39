"""Writing at integer places and maxima of segments, which the standard lacks; each falls back to sorting."""

from typing import Any

import array_api_compat as compat

from omniou._lib.types import Namespace


def put(x: Any, places: Any, values: Any, /, *, xp: Namespace) -> Any:
    """(N,), distinct places (K,), values (K,) -> (N,) with those written; `x` itself may be overwritten."""
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


def segment_maximum(values: Any, segments: Any, size: int, /, *, xp: Namespace) -> Any:
    """Values (N,) of at least 0, their segments (N,), never falling -> (size,) maxima; 0 for an empty segment."""
    out = xp.zeros(size, dtype=values.dtype, device=compat.device(values))
    if compat.is_torch_namespace(xp):
        return out.scatter_reduce(0, segments, values, "amax")
    if values.shape[0] == 0:
        return out
    if compat.is_numpy_namespace(xp):
        first = xp.concat([xp.ones(1, dtype=xp.bool), segments[1:] != segments[:-1]]).nonzero()[0]
        out[segments[first]] = xp.maximum.reduceat(values, first)
        return out
    return _segment_maximum_by_sorting(values, segments, out, xp=xp)


def _segment_maximum_by_sorting(values: Any, segments: Any, out: Any, /, *, xp: Namespace) -> Any:
    rising = xp.argsort(values)
    order = xp.take(rising, xp.argsort(xp.take(segments, rising), stable=True))
    every = xp.arange(out.shape[0], dtype=segments.dtype, device=compat.device(values))
    # The last of each segment is its largest; of an empty one it is another segment's.
    last = xp.searchsorted(segments, every, side="right") - 1
    last = xp.maximum(last, xp.zeros_like(last))
    found = xp.take(xp.take(values, order), last)
    return xp.where(xp.take(segments, last) == every, found, out)


def cumulative_maximum(x: Any, /, *, xp: Namespace) -> Any:
    """(..., N) -> (..., N), along the last axis."""
    step, size = 1, x.shape[-1]
    while step < size:
        ahead = xp.maximum(x[..., step:], x[..., : size - step])
        x = xp.concat([x[..., :step], ahead], axis=-1)
        step *= 2
    return x


def to_list(x: Any, /) -> list[int]:
    """(N,) integers -> Python's, in one transfer where the library can."""
    return x.tolist() if hasattr(x, "tolist") else [int(x[k]) for k in range(x.shape[0])]


def run_starts(x: Any, /, *, xp: Namespace) -> Any:
    """(N,) never falling -> where each run of equal values starts."""
    every = xp.arange(x.shape[0], device=compat.device(x))
    before = xp.take(x, xp.where(every == 0, every, every - 1))
    return xp.nonzero((every == 0) | (x != before))[0]


def rest(x: Any, /) -> Any:
    """(..., N) -> (..., N - 1) without the first; the standard forbids a slice to start where the array ends."""
    return x[..., 1:] if x.shape[-1] > 1 else x[..., :0]


def place(ids: Any, values: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Rising ids (K,), values (N,) -> the place of each among the ids (N,), and whether it is there at all."""
    if ids.shape[0] == 0:
        return xp.zeros_like(values), xp.zeros_like(values) != 0
    at = xp.searchsorted(ids, values)
    at = xp.astype(xp.minimum(at, xp.full_like(at, ids.shape[0] - 1)), values.dtype)
    return at, xp.take(ids, at) == values
