"""The pairs above a threshold, by whichever search is the fastest for a score."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from omniou._catalogue.pruning import Pruning, pruning
from omniou._lib import backends, ordering
from omniou.pairs._arguments import Above, Grouped, Near, Sets, check_groups, group_numbers
from omniou.pairs._search import ReadShapes, close_pairs, pairs_of_groups, shapes_of, tiles


class FoundPairs(NamedTuple):
    """Pairs by row of the first set, then of the second; or only some, where there are too many."""

    a: Any  # (P,)
    b: Any  # (P,)
    values: Any  # (P,)
    held: int  # bytes
    done: float  # share of the work that is done: 1, unless the pairs are too many


def found(close: Near, above: Above, memory: int, /) -> FoundPairs:
    """The pairs above a threshold, as far as they fit into so many bytes."""
    sets, xp = close.sets, close.sets.xp
    n, m, parts = parts_of(close, above)
    kept, count, held = [], 0, 0
    for i, j, values, done in parts:
        kept.append((i, j, values))
        count += i.shape[0]
        held = count * (16 + xp.finfo(values.dtype).bits // 8)
        if held > memory:
            return FoundPairs(i, j, values, held, min(done, 0.999999))
    device = backends.device(sets.a, xp=xp)
    if not kept:
        none = xp.zeros(0, dtype=xp.int64, device=device)
        return FoundPairs(none, none, xp.zeros(0, dtype=xp.float32, device=device), 0, 1.0)
    i, j, values = (xp.concat(list(x)) if len(kept) > 1 else x[0] for x in zip(*kept, strict=True))
    i, j = (xp.astype(x, xp.int64, copy=False) for x in (i, j))
    order = ordering.rising(i * m + j, n * m, xp=xp)
    i, j, values = (xp.take(x, order) for x in (i, j, values))
    return FoundPairs(i, j, values, held, 1.0)


def parts_of(close: Near, above: Above, /) -> tuple[int, int, Iterator[tuple[Any, Any, Any, float]]]:
    """Number of rows of both sets; then pairs above the threshold, and the share of the work that is done."""
    sets = close.sets
    shapes = shapes_of(sets)
    n, m = _rows(sets) if shapes is None else (shapes.n, shapes.m)
    check_groups(sets, n, m)
    groups = group_numbers(sets, n, m)
    limits = None if shapes is None else limits_of(sets, shapes, above)
    if shapes is None or (limits is None and sets.groups_a is None):
        return n, m, _of_tiles(close, above, groups)
    return n, m, _of_blocks(close, above, shapes, groups, limits)


def limits_of(sets: Sets, shapes: ReadShapes, above: Above, /) -> Pruning | None:
    """Return a bound that all pairs above the threshold keep, or None."""
    declaration, bits = sets.declaration, sets.xp.finfo(shapes.plan.compute).bits
    if declaration is None or declaration.score is None or declaration.geometry is None or not above.higher_is_better:
        return None
    given = dict(shapes.plan.options)
    return pruning(
        declaration.score, declaration.geometry, given, above.threshold, inclusive=above.inclusive, bits=int(bits)
    )


def zero_where_disjoint(sets: Sets, shapes: ReadShapes, /) -> bool:
    """Whether every pair that is not above 0 has a score of 0, or of NaN for a shape with NaN."""
    declaration, xp = sets.declaration, sets.xp
    if declaration is None or declaration.score is None or declaration.score.terms or not sets.higher_is_better:
        return False
    if not declaration.score.at_most or dict(shapes.plan.options).get("inner", 1.0) > 1.0:
        return False
    # Infinite areas have scores of NaN with each other.
    bounds = [y for x in (shapes.a, shapes.b) for y in shapes.bounds(x, xp=xp)]
    return not any(bool(xp.any(xp.isinf(x))) for x in bounds)


def _of_blocks(
    close: Near, above: Above, shapes: ReadShapes, groups: Grouped, limits: Pruning | None, /
) -> Iterator[tuple[Any, Any, Any, float]]:
    xp = close.sets.xp
    blocks = pairs_of_groups(shapes, groups, xp=xp) if limits is None else close_pairs(shapes, groups, limits, xp=xp)
    for block in blocks:
        values = close.rounded(block.scores)
        chosen = xp.nonzero(above(values))[0]
        yield *(xp.take(x, chosen) for x in (block.a, block.b, values)), block.done


def _of_tiles(close: Near, above: Above, groups: Grouped, /) -> Iterator[tuple[Any, Any, Any, float]]:
    xp = close.sets.xp
    for tile in tiles(close.sets, groups):
        values = close.rounded(tile.scores)
        i, j = xp.nonzero(above(values))
        flat = xp.reshape(values, (-1,))
        yield xp.take(tile.rows, i), xp.take(tile.columns, j), xp.take(flat, i * values.shape[1] + j), tile.done


def _rows(sets: Sets, /) -> tuple[int, int]:
    """Rows of both sets of a score that only knows itself what it takes."""
    if sets.of_runs():
        return len(sets.a), len(sets.b)
    if max(sets.a.ndim, sets.b.ndim) > sets.axes():
        shapes = " and ".join(str(tuple(x.shape)) for x in (sets.a, sets.b))
        raise ValueError(
            f"`a` and `b` must be two sets without leading axes, got shapes {shapes}: use `groups_a` and `groups_b`"
        )
    return sets.a.shape[0], sets.b.shape[0]
