"""Go through pairs with their scores: those whose bounds overlap, those of a group, or matrices of bounded size."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from omniou._catalogue.pruning import Pruning, narrowed
from omniou._kernels import apply
from omniou._kernels.apply import Plan
from omniou._lib import indexing, ordering, overlapping
from omniou._lib.arrays import each
from omniou._lib.overlapping import Extents
from omniou._lib.types import Namespace
from omniou.pairs._arguments import Grouped, Sets


class ReadShapes(NamedTuple):
    """Two sets of shapes in canonical form, with what scores them."""

    plan: Plan
    run_xp: Namespace  # of the formulas
    bounds: Callable[..., Any]  # of the geometry
    sides: Any  # of the image, if the formula has them
    a: Any  # canonical forms of (N,) and (M,)
    b: Any
    n: int
    m: int

    def scores(self, i: Any, j: Any, /) -> Any:
        """Rows (P,), (P,) -> scores (P,)."""
        xp = self.run_xp
        one, other = (taken(x, at, xp=xp) for x, at in ((self.a, i), (self.b, j)))
        return apply.of_canonical(one, other, self.sides, plan=self.plan, xp=xp)


class ScoredPairs(NamedTuple):
    """Some pairs, and the share of all work that is done with them."""

    a: Any  # (P,) rows
    b: Any  # (P,)
    scores: Any  # (P,)
    done: float


def shapes_of(sets: Sets, /) -> ReadShapes | None:
    """Two sets of shapes (N, K), (M, K); None for a score of anything else."""
    declaration = sets.declaration
    if declaration is None or declaration.geometry is None or declaration.prepared is None:
        return None
    run, (a, b, *beside) = declaration.prepared(sets.a, sets.b, **sets.options)
    sides = run.sides(*(beside or [None]))
    if a.ndim != 2 or b.ndim != 2 or (sides is not None and (sides.ndim > 2 or sides.shape[0] != 1)):
        shapes = " and ".join(str(tuple(x.shape)) for x in (sets.a, sets.b))
        what = "sets without leading axes, of images of one size"
        raise ValueError(
            f"`a` and `b` must be two {what}, got shapes {shapes}: use `groups_a` and `groups_b`, in pixels"
        )
    canonical_a, canonical_b = (apply.canonical(x, sides, plan=run.plan, xp=run.xp) for x in (a, b))
    return ReadShapes(
        plan=run.plan,
        run_xp=run.xp,
        bounds=declaration.geometry.bounds,
        sides=sides,
        a=canonical_a,
        b=canonical_b,
        n=a.shape[0],
        m=b.shape[0],
    )


def close_pairs(shapes: ReadShapes, groups: Grouped, limits: Pruning, /, *, xp: Namespace) -> Iterator[ScoredPairs]:
    """Yield the pairs that may score above the threshold, with their scores, in blocks of any order.

    Only pairs whose upright bounds overlap are scored, after the limits have made the bounds narrower:
    `pruning.narrowed` explains by how much.
    """
    (rows_a, a), (rows_b, b) = (
        extents_of(shapes.bounds(x, xp=xp), group, share, xp=xp)
        for x, group, share in ((shapes.a, groups.a, limits.share_a), (shapes.b, groups.b, limits.share_b))
    )
    order_a, order_b, blocks = overlapping.sweep(a, b, groups.number, ratio=limits.ratio, xp=xp)
    rows_a, rows_b = xp.take(rows_a, order_a), xp.take(rows_b, order_b)
    ordered = shapes._replace(a=taken(shapes.a, rows_a, xp=xp), b=taken(shapes.b, rows_b, xp=xp))
    for i, j, done in blocks:
        yield ScoredPairs(xp.take(rows_a, i), xp.take(rows_b, j), ordered.scores(i, j), done)


def pairs_of_groups(shapes: ReadShapes, groups: Grouped, /, *, xp: Namespace) -> Iterator[ScoredPairs]:
    """Every pair of a group, with its score, by row of a, then of b."""
    rows_a, rows_b = (xp.nonzero(group >= 0)[0] for group in (groups.a, groups.b))
    one, other = (xp.take(group, rows) for group, rows in ((groups.a, rows_a), (groups.b, rows_b)))
    for block in overlapping.of_one_group(one, other, groups.number, xp=xp):
        i, j = xp.take(rows_a, block.a), xp.take(rows_b, block.b)
        yield ScoredPairs(i, j, shapes.scores(i, j), block.done)


def extents_of(bounds: Any, group: Any, share: float, /, *, xp: Namespace) -> tuple[Any, Extents]:
    """Return the rows that may overlap others, and their extents: no empty shapes, and none with NaN."""
    nan = xp.any(xp.isnan(bounds.low) | xp.isnan(bounds.high), axis=0)
    rows = xp.nonzero((group >= 0) & (bounds.area > 0) & ~nan)[0]
    if rows.shape[0] < group.shape[0]:
        bounds = taken(bounds, rows, xp=xp)
        group = xp.take(group, rows)
    return rows, narrowed(bounds, share, group, xp=xp)


def taken(form: Any, rows: Any, /, *, xp: Namespace) -> Any:
    """Some rows of a named tuple of arrays whose last axis is (N,)."""
    return each(lambda x: xp.take(x, rows, axis=x.ndim - 1), form)


# Scores that are computed at once.
_AT_ONCE = 2**22


class Tile(NamedTuple):
    """Scores of some rows with others."""

    rows: Any  # (P,) rising
    columns: Any  # (Q,) rising
    scores: Any  # (P, Q)
    done: float  # share of all pairs


def tiles(sets: Sets, groups: Grouped, /) -> Iterator[Tile]:
    """All pairs of each group, group by group, then by rows, then by columns."""
    xp = sets.xp
    (order_a, first_a), (order_b, first_b) = (_by_group(x, groups.number, xp=xp) for x in groups[:2])
    pairs = [(first_a[k + 1] - first_a[k]) * (first_b[k + 1] - first_b[k]) for k in range(groups.number)]
    total, done = max(1, sum(pairs)), 0
    for k in range(groups.number):
        if pairs[k] == 0:
            continue
        rows_a, rows_b = order_a[first_a[k] : first_a[k + 1]], order_b[first_b[k] : first_b[k + 1]]
        width = min(rows_b.shape[0], _AT_ONCE)
        height = max(1, _AT_ONCE // width)
        for i in range(0, rows_a.shape[0], height):
            for j in range(0, rows_b.shape[0], width):
                rows, columns = (x[k : min(k + s, x.shape[0])] for x, k, s in ((rows_a, i, height), (rows_b, j, width)))
                done += rows.shape[0] * columns.shape[0]
                scores = sets.dense(*(_taken(sets, x, at) for x, at in ((sets.a, rows), (sets.b, columns))))
                yield Tile(rows, columns, scores, done / total)


def _by_group(group: Any, groups: int, /, *, xp: Namespace) -> tuple[Any, list[int]]:
    """Groups (N,), or -1 -> rows by group, without those of -1, and where each group starts (groups + 1)."""
    # Groups 1 0 -1 1 of 2: rows 1 0 3, and starts 0 1 3.
    rows = xp.nonzero(group >= 0)[0]
    ids = xp.take(group, rows)
    first = indexing.starts(indexing.counts(ids, groups, xp=xp), xp=xp)
    return xp.take(rows, ordering.rising(ids, groups, xp=xp)), indexing.to_list(first)


def _taken(sets: Sets, x: Any, rows: Any, /) -> Any:
    """Some rows of a set, rising."""
    if sets.of_runs():
        return x.take(rows)
    return x if rows.shape[0] == x.shape[0] else sets.xp.take(x, rows, axis=0)
