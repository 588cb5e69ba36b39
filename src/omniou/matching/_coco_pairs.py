"""The input of COCO's rule: objects by pool, detections by pool and falling score, and the pairs that overlap.

A pool is a matrix of overlaps, or a group: detections match only objects of their pool.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import array_api_compat as compat

from omniou._lib import indexing, ordering
from omniou._lib.arrays import cast, is_floating
from omniou._lib.types import Namespace
from omniou.matching import _arguments as arguments
from omniou.matching import _coco_greedy as kernels
from omniou.matching._coco_greedy import Edges

# Pairs of shapes that are scored at once, which bounds the memory.
TILE = 2**18


class PooledObjects(NamedTuple):
    """Objects by pool, as `_coco_greedy` reads them."""

    rows: Any  # (O,) as they were given
    pools: Any
    crowd: Any
    ignore: Any
    area: Any


class Scoring(NamedTuple):
    """The functions that give overlaps of shapes."""

    score: Callable[..., Any]
    crowd_score: Callable[..., Any]
    options: dict[str, Any]


class _Pooled(NamedTuple):
    """Detections and objects by pool. `first` has the place of each pool's first object, and the number of objects."""

    a: Any  # (D, K)
    b: Any  # (G, K)
    rows: Any  # (C,) of detections
    pool: Any  # (C,)
    objects: PooledObjects
    first: Any  # (pools + 1,)
    scoring: Scoring


class Problem(NamedTuple):
    """Detections by pool and falling score, and the pairs with objects that overlap enough."""

    rows: Any  # (C,) of detections, as they were given
    objects: PooledObjects
    edges: Edges


def _column(arrays: dict[str, Any], name: str, size: int, like: Any, /, *, xp: Namespace) -> Any:
    """A column of booleans (size,), false where it is not given."""
    if name in arrays:
        return xp.reshape(arrays[name], (-1,))
    return xp.zeros(size, dtype=xp.bool, device=compat.device(like))


def _objects(arrays: dict[str, Any], rows: Any, pools: Any, /, *, xp: Namespace) -> PooledObjects:
    """Objects in the order of some rows, whose pools never fall."""
    crowd, ignore = (xp.take(_column(arrays, x, rows.shape[0], rows, xp=xp), rows) for x in ("crowd", "ignore"))
    return PooledObjects(
        rows, pools, crowd, crowd | ignore, xp.zeros(rows.shape, dtype=xp.float32, device=compat.device(rows))
    )


def _falling(arrays: dict[str, Any], rows: Any, pools: Any, bound: int, /, *, xp: Namespace) -> Any:
    """Places of rows of detections by pool and falling score."""
    if "scores" not in arrays:
        return ordering.rising(pools, max(1, bound), xp=xp)
    scores = xp.take(xp.reshape(arrays["scores"], (-1,)), rows)
    narrow = is_floating(scores, xp) and xp.finfo(scores.dtype).bits < 32
    dtype = xp.float32 if narrow else scores.dtype if is_floating(scores, xp) else xp.float64
    return ordering.falling(pools, max(1, bound), cast(scores, dtype, xp=xp), xp=xp)


def of_matrix(arrays: dict[str, Any], shape: Any, least: float, /, *, xp: Namespace) -> Problem:
    """Read overlaps (..., N, M): every matrix is a pool."""
    leading, n, m = shape
    count = math.prod(leading)
    overlap = arrays["overlap"]
    device = compat.device(overlap)
    every = xp.arange(count * n, dtype=xp.int64, device=device)
    order = _falling(arrays, every, every // max(n, 1), count, xp=xp)
    if is_floating(overlap, xp):
        unknown = xp.isnan(overlap)
        if "where" in arrays:
            unknown = unknown & xp.broadcast_to(arrays["where"], overlap.shape)
        arguments.raise_nan("overlap", unknown, xp=xp)
    near = overlap >= least
    if "where" in arrays:
        near = near & arrays["where"]
    if "groups_a" in arrays:
        near = near & (arrays["groups_a"][..., :, None] == arrays["groups_b"][..., None, :])
    cell = xp.nonzero(xp.reshape(near, (-1,)))[0]
    rank = indexing.put(xp.zeros_like(every), order, every, xp=xp)
    detection = xp.take(rank, cell // max(m, 1))
    by_rank = ordering.rising(detection, max(1, count * n), xp=xp)
    cell, detection = xp.take(cell, by_rank), xp.take(detection, by_rank)
    # Cells are numbered through all matrices. With 4 x 3 cells each, cell 19 is in matrix 1, row 2 (detection 6 of
    # all), column 1 (object 1 * 3 + 1 = 4 of all).
    target = cell // max(n * m, 1) * m + cell % max(m, 1)
    rows = xp.arange(count * m, dtype=xp.int64, device=device)
    overlap = cast(xp.take(xp.reshape(overlap, (-1,)), cell), xp.float64, xp=xp)
    return Problem(order, _objects(arrays, rows, rows // max(m, 1), xp=xp), Edges(detection, target, overlap))


def of_shapes(arrays: dict[str, Any], shape: Any, least: float, scoring: Scoring, /, *, xp: Namespace) -> Problem:
    """Read shapes: every group is a pool."""
    _, n, m = shape
    a, b = arrays["detections"], arrays["objects"]
    device = compat.device(a)
    if "groups_a" not in arrays:
        arrays = arrays | {
            f"groups_{side}": xp.zeros(size, dtype=xp.int64, device=device) for side, size in (("a", n), ("b", m))
        }
    groups = [xp.astype(arrays[name], xp.int64) for name in ("groups_a", "groups_b")]
    known = indexing.distinct(groups[1], xp=xp)
    pools, _ = indexing.place(known, groups[1], xp=xp)
    bound = max(1, known.shape[0])
    by_pool = ordering.rising(pools, bound, xp=xp)
    objects = _objects(arrays, by_pool, xp.take(pools, by_pool), xp=xp)
    pool, has = indexing.place(known, groups[0], xp=xp)
    rows = xp.nonzero(has)[0]
    pool = xp.take(pool, rows)
    order = _falling(arrays, rows, pool, bound, xp=xp)
    rows, pool = xp.take(rows, order), xp.take(pool, order)
    end = xp.asarray([m], dtype=xp.int64, device=device)
    first = xp.concat([indexing.run_starts(objects.pools, xp=xp), end])
    parts = list(_near(_Pooled(a, b, rows, pool, objects, first, scoring), least, xp=xp))
    return Problem(rows, objects, Edges(*(xp.concat(list(x)) for x in zip(*parts, strict=True))))


def _near(shapes: _Pooled, least: float, /, *, xp: Namespace) -> Iterator[Edges]:
    """Yield the pairs inside pools that overlap enough, for some detections at a time, with all of their objects."""
    rows, pool, objects, first = shapes.rows, shapes.pool, shapes.objects, shapes.first
    before = indexing.starts(xp.take(first, pool + 1) - xp.take(first, pool), xp=xp)
    tiles = xp.arange(0, int(before[-1]), TILE, dtype=before.dtype, device=compat.device(before))
    cuts = [*indexing.to_list(xp.searchsorted(before[:-1], tiles)), rows.shape[0]]
    yield Edges(rows[:0], rows[:0], xp.zeros(0, dtype=xp.float64, device=compat.device(rows)))
    for start, stop in itertools.pairwise(cuts):
        detection, target = kernels.pairs(pool[start:stop], first, xp=xp)
        detection = detection + start
        i, j = xp.take(rows, detection), xp.take(objects.rows, target)
        overlap = _scored(shapes, i, j, xp.take(objects.crowd, target), xp=xp)
        close = xp.nonzero(overlap >= least)[0]
        yield Edges(*(xp.take(x, close) for x in (detection, target, overlap)))


def _scored(shapes: _Pooled, i: Any, j: Any, crowd: Any, /, *, xp: Namespace) -> Any:
    """Rows of detections and objects (P,) -> overlaps (P,), float64; of a crowd, the share of the detection inside."""
    score, share, options = shapes.scoring
    overlap = xp.zeros(i.shape, dtype=xp.float64, device=compat.device(i))
    for function, which in ((score, ~crowd), (share, crowd)):
        some = xp.nonzero(which)[0]
        if some.shape[0] == 0:
            continue
        one, other = xp.take(i, some), xp.take(j, some)
        values = function(xp.take(shapes.a, one, axis=0), xp.take(shapes.b, other, axis=0), **options)
        unknown = xp.nonzero(xp.isnan(values))[0]
        if unknown.shape[0]:
            at = int(unknown[0])
            raise ValueError(
                f"`score` must give numbers, got nan for detection {int(one[at])} and object {int(other[at])}"
            )
        overlap = indexing.put(overlap, some, xp.astype(values, xp.float64), xp=xp)
    return overlap
