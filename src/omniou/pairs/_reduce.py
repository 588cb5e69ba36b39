"""Reductions over the second set, in parts that fit the cache where values can be checked."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from omniou._lib import backends, checks, host, indexing, ordering
from omniou._lib.arrays import widest_integer
from omniou._lib.types import Namespace
from omniou.pairs import _ranked
from omniou.pairs._arguments import Above, Near, Sets, group_numbers, matrix, near
from omniou.pairs._found import found, parts_of, zero_where_disjoint
from omniou.pairs._ranked import Ranked
from omniou.pairs._search import ReadShapes, shapes_of, tiles

# Scores that are computed as one matrix.
_SMALL = 2**16
# Bytes of the pairs above 0, which the best of each row are looked for among; beyond it tiles serve.
_HELD = 2**28


class _SetSizes(NamedTuple):
    """Sizes of a call."""

    leading: tuple[int, ...]
    n: int
    m: int
    axes: int  # of a set without leading axes


def _set_sizes(sets: Sets, /) -> _SetSizes:
    if sets.of_runs():
        return _SetSizes((), len(sets.a), len(sets.b), 1)
    axes = sets.axes()
    leading = checks.broadcast(a=tuple(sets.a.shape[:-axes]), b=tuple(sets.b.shape[:-axes]))
    return _SetSizes(leading, sets.a.shape[-axes], sets.b.shape[-axes], axes)


def reduced(sets: Sets, dense: Callable[[Sets], Any], in_parts: Callable[[Near], Any], /) -> Any:
    """A reduction of two sets: `dense` as one expression, `in_parts` for two sets without leading axes."""
    if not sets.has_values():
        return dense(sets)
    with host.quiet(sets.xp):
        return _reduced(sets, dense, in_parts)


def _reduced(sets: Sets, dense: Callable[[Sets], Any], in_parts: Callable[[Near], Any], /) -> Any:
    sizes = _set_sizes(sets)
    beside = [x for x in sets.options.values() if getattr(x, "ndim", 0) > 1]
    size = math.prod(sizes.leading) * sizes.n * sizes.m
    if beside or (sets.follows_gradients() and (sizes.leading or size <= _SMALL)):
        return dense(sets)
    close = near(sets)
    if size <= _SMALL:
        return _home(close, dense(close.sets))
    if not sizes.leading:
        return _home(close, in_parts(close))
    parts = [in_parts(part) for part in _batch(close, sizes)]
    xp = close.sets.xp
    stacked = [xp.stack(list(x)) for x in zip(*parts, strict=True)]
    return _home(close, type(parts[0])(*(xp.reshape(x, (*sizes.leading, *x.shape[1:])) for x in stacked)))


def _batch(close: Near, sizes: _SetSizes, /) -> list[Near]:
    """Each of the pairs of sets along leading axes."""
    sets, xp = close.sets, close.sets.xp

    def apart(x: Any, axes: int) -> list[Any]:
        if x is None:
            return [None] * math.prod(sizes.leading)
        wide = xp.broadcast_to(x, (*sizes.leading, *x.shape[x.ndim - axes :]))
        flat = xp.reshape(wide, (-1, *wide.shape[len(sizes.leading) :]))
        return [flat[k, ...] for k in range(flat.shape[0])]

    parts = zip(*(apart(x, sizes.axes) for x in (sets.a, sets.b)), *(apart(x, 1) for x in sets[-2:]), strict=True)
    return [
        close._replace(sets=sets._replace(a=a, b=b, groups_a=groups_a, groups_b=groups_b))
        for a, b, groups_a, groups_b in parts
    ]


def _home(close: Near, result: Any, /) -> Any:
    """Scores and integers of the host as the caller's library has them."""
    xp = close.given.xp
    integer = widest_integer(xp)

    def back(x: Any) -> Any:
        if close.sets.xp.isdtype(x.dtype, "real floating"):
            return close.returned(x)
        return xp.astype(close.home(x), integer, copy=False)

    return type(result)(*(back(x) for x in result))


def best_dense(sets: Sets, /, *, k: int) -> Ranked:
    """The best k of each row (..., N, k), as one expression."""
    scores, same = matrix(sets)
    ranked = _ranked.best(scores, same, k, higher_is_better=sets.higher_is_better, xp=sets.xp)
    return Ranked(ranked.values, sets.xp.astype(ranked.places, widest_integer(sets.xp)))


def best_in_parts(close: Near, /, *, k: int) -> Ranked:
    """The best k of each row (N, k), without the matrix of all scores."""
    sets, xp = close.sets, close.sets.xp
    shapes = shapes_of(sets)
    if shapes is not None and zero_where_disjoint(sets, shapes):
        pairs = found(close, Above(0.0, inclusive=False, higher_is_better=True), _HELD)
        if pairs.done == 1.0:
            return _with_disjoint(close, shapes, pairs[:3], k)
    sizes = _set_sizes(sets)
    device = backends.device(sets.a, xp=xp)
    values, places = None, xp.full((sizes.n, k), -1, dtype=xp.int64, device=device)
    for tile in tiles(sets, group_numbers(sets, sizes.n, sizes.m)):
        scores = close.rounded(tile.scores)
        here = _ranked.best_of_tile(scores, k, higher_is_better=sets.higher_is_better, xp=xp)
        at = xp.where(here.places >= 0, here.places, xp.zeros_like(here.places))
        columns = xp.reshape(xp.take(tile.columns, xp.reshape(at, (-1,))), at.shape)
        here = Ranked(here.values, xp.where(here.places >= 0, columns, xp.full_like(columns, -1)))
        if values is None:
            values = xp.full((sizes.n, k), math.nan, dtype=scores.dtype, device=device)
        before = Ranked(*(xp.take(x, tile.rows, axis=0) for x in (values, places)))
        if not bool(xp.all(before.places[:, 0] < 0)):
            here = _ranked.merged(before, here, higher_is_better=sets.higher_is_better, xp=xp)
        values, places = (_put_rows(x, tile.rows, y, xp=xp) for x, y in zip((values, places), here, strict=True))
    if values is None:
        values = xp.full((sizes.n, k), math.nan, dtype=xp.float32, device=device)
    return Ranked(values, places)


def _put_rows(x: Any, rows: Any, values: Any, /, *, xp: Namespace) -> Any:
    """(N, k) with some rows replaced."""
    k = x.shape[1]
    every = xp.arange(k, dtype=rows.dtype, device=backends.device(rows, xp=xp))
    places = xp.reshape(rows[:, None] * k + every[None, :], (-1,))
    return xp.reshape(indexing.put(xp.reshape(x, (-1,)), places, xp.reshape(values, (-1,)), xp=xp), x.shape)


def _with_disjoint(close: Near, shapes: ReadShapes, pairs: tuple[Any, Any, Any], k: int, /) -> Ranked:
    """The best k of each row, from its pairs above 0; the score of every other pair is 0, or NaN for a NaN shape."""
    # Pairs by row, the best first: rows 0 0 2 start at places 0, 2 and 2, so their ranks are 0 1 0. Row 1 has no pair
    # above 0, and row 2 only one: with k = 2 both are filled up with disjoint shapes.
    xp = close.sets.xp
    i, j, v = pairs
    order = ordering.falling(i, max(1, shapes.n), v, xp=xp)
    rows = xp.take(i, order)
    every = xp.arange(shapes.n, dtype=rows.dtype, device=backends.device(rows, xp=xp))
    first = xp.searchsorted(rows, every)
    rank = xp.arange(rows.shape[0], dtype=rows.dtype, device=backends.device(rows, xp=xp)) - xp.take(first, rows)
    few = xp.nonzero(rank < k)[0]
    at = xp.take(rows, few) * k + xp.take(rank, few)
    chosen = xp.take(order, few)
    device = backends.device(rows, xp=xp)
    values = xp.full((shapes.n * k,), math.nan, dtype=v.dtype, device=device)
    places = xp.full((shapes.n * k,), -1, dtype=xp.int64, device=device)
    values = xp.reshape(indexing.put(values, at, xp.take(v, chosen), xp=xp), (shapes.n, k))
    places = xp.reshape(indexing.put(places, at, xp.take(j, chosen), xp=xp), (shapes.n, k))
    lacking = xp.nonzero(places[:, k - 1] < 0)[0]
    if lacking.shape[0] == 0:
        return Ranked(values, places)
    here = Ranked(*(xp.take(x, lacking, axis=0) for x in (values, places)))
    rest = _disjoint(close, shapes, lacking, i * max(1, shapes.m) + j, here, k)
    here = _ranked.merged(here, rest, higher_is_better=True, xp=xp)
    return Ranked(*(_put_rows(x, lacking, y, xp=xp) for x, y in zip((values, places), here, strict=True)))


def _disjoint(close: Near, shapes: ReadShapes, rows: Any, keys: Any, here: Ranked, k: int, /) -> Ranked:  # noqa: PLR0917
    """The first k of the group of each row that are not among its pairs, whose keys rise.

    A key is ``row * M + column``.
    """
    sets, xp = close.sets, close.sets.xp
    groups = group_numbers(sets, shapes.n, shapes.m)
    nan_a, nan_b = (
        xp.any(xp.isnan(x.low + x.high), axis=0) for x in (shapes.bounds(x, xp=xp) for x in (shapes.a, shapes.b))
    )
    # Scores of 0 come before NaN. So a row without NaN takes columns without NaN first; in a row with NaN all are NaN.
    inside = xp.nonzero(groups.b >= 0)[0]
    group_b, flag = xp.take(groups.b, inside), xp.astype(xp.take(nan_b, inside), xp.int64)
    sorted_by = [xp.take(inside, ordering.rising(group_b * 2 + x, 2 * groups.number, xp=xp)) for x in (flag, 0 * flag)]
    start = indexing.starts(indexing.counts(group_b, groups.number, xp=xp), xp=xp)
    group = xp.take(groups.a, rows)
    known = xp.where(group >= 0, group, xp.zeros_like(group))
    first, size = xp.take(start, known), xp.take(start, known + 1) - xp.take(start, known)
    size = xp.where(group >= 0, size, xp.zeros_like(size))
    step = xp.arange(k, dtype=first.dtype, device=backends.device(first, xp=xp))[None, :]
    there = step < size[:, None]
    at = xp.reshape(xp.where(there, first[:, None] + step, xp.zeros_like(first[:, None] + step)), (-1,))
    if inside.shape[0] == 0:
        return Ranked(here.values * math.nan, xp.full_like(here.places, -1))
    is_nan = xp.take(nan_a, rows)[:, None]
    columns = xp.where(is_nan, *(xp.reshape(xp.take(x, at), there.shape) for x in reversed(sorted_by)))
    key = xp.reshape(rows[:, None] * shapes.m + columns, (-1,))
    if keys.shape[0]:
        place = xp.searchsorted(keys, key)
        place = xp.where(place < keys.shape[0], place, xp.zeros_like(place))
        there = there & xp.reshape(xp.take(keys, place) != key, there.shape)
    nan = is_nan | xp.reshape(xp.take(nan_b, xp.reshape(columns, (-1,))), columns.shape)
    zero = xp.zeros(there.shape, dtype=here.values.dtype, device=backends.device(rows, xp=xp))
    values = xp.where(nan | ~there, xp.full_like(zero, math.nan), zero)
    return Ranked(values, xp.where(there, columns, xp.full_like(columns, -1)))


class RowCounts(NamedTuple):
    """How many of each row are above a threshold (..., N)."""

    counts: Any


def count_dense(sets: Sets, /, *, above: Above) -> RowCounts:
    """Count as one expression, which tracers can record."""
    scores, same = matrix(sets)
    mask = above(scores) if same is None else above(scores) & same
    return RowCounts(sets.xp.sum(sets.xp.astype(mask, widest_integer(sets.xp)), axis=-1))


def count_in_parts(close: Near, /, *, above: Above) -> RowCounts:
    """Count without the matrix of all scores."""
    xp = close.sets.xp
    n, _, parts = parts_of(close, above)
    total = xp.zeros(n, dtype=xp.int64, device=backends.device(close.sets.a, xp=xp))
    for i, *_ in parts:
        total = total + indexing.counts(i, n, xp=xp)
    return RowCounts(total)
