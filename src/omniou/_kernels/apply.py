"""A score of a geometry, element by element or for all pairs."""

import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from omniou._lib import backends, threads, tiles
from omniou._lib.arrays import cast
from omniou._lib.types import Namespace

# A block of all pairs is this wide where both sets are long: many rows then share what is computed per column.
ROW_ELEMENTS = 512


class Plan(NamedTuple):
    """What to compute, hashable: one compiled kernel per plan."""

    canonical: Callable[..., Any]  # (..., K) shapes, sides -> a tuple of columns whose last axes are (...)
    terms: Callable[..., Any]  # two of those that broadcast -> Terms
    formula: Callable[..., Any]  # Terms -> (...)
    options: tuple[tuple[str, Any], ...]  # of the formula
    layout: Any
    compute: Any  # dtype
    result: Any  # dtype


def elementwise(a: Any, b: Any, sides: Any, /, *, plan: Plan, xp: Namespace) -> Any:
    """(..., K), (..., K) of one rank -> (...)."""
    return _score(*_canonical(a, b, sides, plan=plan, xp=xp), plan=plan, xp=xp)


def all_pairs(a: Any, b: Any, sides: Any, /, *, plan: Plan, xp: Namespace) -> Any:
    """(..., N, K), (..., M, K) of one rank -> (..., N, M)."""
    ours, theirs = _canonical(a, b, sides, plan=plan, xp=xp)
    *batch_a, n = ours[-1].shape
    *batch_b, m = theirs[-1].shape
    batch = tuple([q if p == 1 else p for p, q in zip(batch_a, batch_b, strict=True)])
    tile = tiles.tile_elements(math.prod(batch) * n * m, xp=xp)
    if tile is None:
        return _score(_at(ours, ..., None), _at(theirs, ..., None, slice(None)), plan=plan, xp=xp)
    tiles.keep_temporaries(xp=xp)
    out = xp.empty((math.prod(batch), n, m), dtype=plan.result, device=backends.device(a, xp=xp))
    _fill(out, _flat(ours, batch, xp=xp), _flat(theirs, batch, xp=xp), tile, plan=plan, xp=xp)
    return xp.reshape(out, (*batch, n, m))


def _fill(out: Any, ours: Any, theirs: Any, tile: int, /, *, plan: Plan, xp: Namespace) -> None:
    """Columns of (L, N) and (L, M) -> `out` (L, N, M), block by block of about `tile` elements."""
    size, n, m = out.shape
    # Wide enough for SIMD, tall enough to share what is computed per column.
    width = min(m, max(ROW_ELEMENTS, tile // n))
    height = min(n, max(1, tile // width))
    inside = tiles.overwriting(xp)

    def fill(k: slice, i: slice) -> None:
        rows = _at(ours, ..., k, i, None)
        block = (k.stop - k.start, i.stop - i.start, width)
        rows = type(rows)(*(tiles.spread(x, block, xp=xp) for x in rows))
        for j in _cuts(m, width):
            # The last block may be narrower than what was spread; what was not is still of length 1.
            near = (x if x.shape[-1] == 1 else x[..., : j.stop - j.start] for x in rows)
            out[k, i, j] = _score(type(rows)(*near), _at(theirs, ..., k, None, j), plan=plan, xp=inside)

    blocks = itertools.product(_cuts(size, max(1, tile // (height * width))), _cuts(n, height))
    threads.each(fill, blocks, threads=tiles.threads(xp))


def _cuts(size: int, step: int) -> list[slice]:
    return [slice(i, min(i + step, size)) for i in range(0, size, step)]


def _canonical(a: Any, b: Any, sides: Any, /, *, plan: Plan, xp: Namespace) -> tuple[Any, Any]:
    return (
        plan.canonical(a, sides, layout=plan.layout, dtype=plan.compute, xp=xp),
        plan.canonical(b, sides, layout=plan.layout, dtype=plan.compute, xp=xp),
    )


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
