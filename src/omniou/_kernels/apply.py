"""A score of a geometry, element by element or for all pairs."""

import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from omniou._lib import backends, replay, threads, tiles
from omniou._lib.arrays import cast, columns_of
from omniou._lib.types import Namespace


class Plan(NamedTuple):
    """What to compute, hashable: one compiled kernel per plan."""

    canonical: Callable[..., Any]  # columns (K, ...), sides -> a tuple of columns whose last axes are (...)
    terms: Callable[..., Any]  # two of those that broadcast -> Terms
    formula: Callable[..., Any]  # Terms -> (...)
    options: tuple[tuple[str, Any], ...]  # of the formula
    layout: Any
    compute: Any  # dtype
    result: Any  # dtype


def elementwise(a: Any, b: Any, sides: Any, /, *, plan: Plan, xp: Namespace) -> Any:
    """(..., K), (..., K) of one rank -> (...)."""
    ours, theirs = (_canonical(x, sides, plan=plan, xp=xp) for x in (a, b))
    return _score(ours, theirs, plan=plan, xp=xp)


def all_pairs(a: Any, b: Any, sides: Any, /, *, plan: Plan, xp: Namespace) -> Any:
    """(..., N, K), (..., M, K) of one rank -> (..., N, M)."""
    *batch_a, n, _ = a.shape
    *batch_b, m, _ = b.shape
    batch = tuple([q if p == 1 else p for p, q in zip(batch_a, batch_b, strict=True)])
    tiles.keep_temporaries(xp=xp)
    tile = tiles.tile_elements(math.prod(batch) * n * m, dtype=plan.compute, xp=xp)
    if tile is None:
        return _at_once(a[..., None, :], b[..., None, :, :], sides, plan=plan, xp=xp)
    ours, theirs = (_canonical(x, sides, plan=plan, xp=xp) for x in (a, b))
    out = xp.empty((math.prod(batch), n, m), dtype=plan.result, device=backends.device(a, xp=xp))
    _fill(out, _flat(ours, batch, xp=xp), _flat(theirs, batch, xp=xp), tile, plan=plan, xp=xp)
    return xp.reshape(out, (*batch, n, m))


def _at_once(a: Any, b: Any, sides: Any, /, *, plan: Plan, xp: Namespace) -> Any:
    """(..., N, 1, K), (..., 1, M, K) of one rank -> (..., N, M)."""
    sides = None if sides is None else sides[..., None, :]
    spread = backends.spreads(xp) and math.prod(a.shape) * math.prod(b.shape) <= replay.FEWER
    ours = _canonical(a, sides, plan=plan, xp=xp, beside=(b, -1) if spread else None)
    theirs = _canonical(b, sides, plan=plan, xp=xp, beside=(a, -2) if spread else None)
    return _score(ours, theirs, plan=plan, xp=xp)


def _fill(out: Any, ours: Any, theirs: Any, tile: int, /, *, plan: Plan, xp: Namespace) -> None:
    """Columns of (L, N) and (L, M) -> `out` (L, N, M), block by block of about `tile` elements."""
    size, n, m = out.shape
    turned = tiles.turns(n, m, xp=xp)
    short, long = (m, n) if turned else (n, m)
    height, width = tiles.block(short, long, tile)
    inside = tiles.overwriting(xp)
    inside = tiles.with_long_rows(inside) if width >= tiles.LONG else inside

    def fill(k: slice, short: slice, long: slice) -> None:
        lying, standing = (..., k, None, long), (..., k, short, None)
        at_a, at_b = (lying, standing) if turned else (standing, lying)
        with tiles.long_rows(inside):
            block = _score(_at(ours, *at_a), _at(theirs, *at_b), plan=plan, xp=inside)
        if turned:
            out[k, long, short] = xp.matrix_transpose(block)
        else:
            out[k, short, long] = block

    parts = _cuts(size, max(1, tile // (height * width))), _cuts(short, height), _cuts(long, width)
    threads.each(fill, list(itertools.product(*parts)), threads=tiles.threads(xp))


def _cuts(size: int, step: int) -> list[slice]:
    return [slice(i, min(i + step, size)) for i in range(0, size, step)]


def _canonical(x: Any, sides: Any, /, *, plan: Plan, xp: Namespace, beside: tuple[Any, int] | None = None) -> Any:
    columns = columns_of(x, dtype=plan.compute, xp=xp, beside=beside)
    return plan.canonical(columns, sides, layout=plan.layout, xp=xp)


def _score(ours: Any, theirs: Any, /, *, plan: Plan, xp: Namespace) -> Any:
    out = plan.formula(plan.terms(ours, theirs, xp=xp), **dict(plan.options), xp=xp)
    return cast(out, plan.result, xp=xp)


def _at(columns: Any, /, *index: Any) -> Any:
    return columns._make([x[index] for x in columns])


def _flat(columns: Any, batch: tuple[int, ...], /, *, xp: Namespace) -> Any:
    """Columns of (*batch, N) -> columns of (L, N), the batch axes broadcast and made one."""
    rank = len(batch)
    flat = []
    for x in columns:
        front, n = x.shape[: x.ndim - rank - 1], x.shape[-1]
        wide = xp.broadcast_to(x, (*front, *batch, n)) if rank else x
        flat.append(xp.reshape(wide, (*front, math.prod(batch), n)))
    return type(columns)(*flat)
