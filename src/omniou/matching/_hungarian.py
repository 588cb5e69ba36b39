"""The assignment of the lowest total cost."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

from omniou._kernels import assignment
from omniou._lib import assignments, backends, carried, checks, host, tracers
from omniou._lib.arrays import BOOLEANS, agree, arrays_of, cast, is_floating, ranked, widest_integer
from omniou._lib.types import ArrayLike, ArrayT, Namespace
from omniou._lib.values import position
from omniou.matching import _arguments as arguments


def hungarian(
    cost: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    maximize: bool = False,
    partial: bool = False,
    sizes: Sequence[int] | None = None,
) -> ArrayT:
    """Match rows and columns one to one, with the lowest total cost: the Hungarian method's result, for many images.

    Parameters
    ----------
    cost : array, shape (..., N, M)
        Cost of each pair; inf forbids it. min(N, M) pairs are formed; N or M may be 0.
    where : array of booleans, broadcasts to (..., N, M), optional
        Pairs that may match. A row or column without any is padding, and needs no partner.
    maximize : bool
        Whether `cost` holds scores: the total is the highest, and -inf forbids a pair.
    partial : bool
        Whether rows and columns that have no partner left are unmatched, instead of an error. As many pairs as possible
        are formed, and of these choices the one of the lowest cost is taken.
    sizes : sequence of int, optional
        Numbers of objects of B images. `cost` then has the shape (N, sum of sizes): columns of one image after the
        other, each image with N rows, as `detr_cost` returns them.

    Returns
    -------
    array of integers, shape (..., N), or (B, N) with `sizes`
        Column of each row, -1 for none. With `sizes`, columns are numbered through all images.

    Raises
    ------
    TypeError
        If libraries or devices differ, an option has a wrong type, or arrays are traced by torch.
    ValueError
        If shapes do not fit, a cost is NaN or infinitely good, forbidden pairs leave a row or column that needs a
        partner without one, or integers are so large that the result would not be exact.
    ModuleNotFoundError
        If SciPy is not installed.

    Notes
    -----
    SciPy's `linear_sum_assignment` solves it on the CPU: arrays of other devices are copied there, a batch in one copy.
    Integers are exact. Of several assignments of one cost, SciPy's is returned.

    Inside `jax.jit` and `jax.vmap`, omniou's own solver runs: shortest augmenting paths, optimal except for rounding.
    In float32 the total exceeds the optimum by at most 1e-6 times N times the range of the costs. There, integers are
    converted to the widest float, NaN and infinite costs forbid a pair, and `partial` is true.

    References
    ----------
    Crouse, On implementing 2D rectangular assignment algorithms, IEEE TAES 2016.

    Examples
    --------
    >>> from omniou import matching
    >>> matching.hungarian([[4, 1, 3], [2, 0, 5]]).tolist()
    [1, 0]
    >>> matching.hungarian([[0.9, 0.8], [0.8, 0.1]], maximize=True).tolist()
    [1, 0]
    >>> matching.hungarian([[4, 1, 7, 0, 2], [2, 0, 9, 5, 1]], sizes=[2, 3]).tolist()
    [[1, 0], [3, 4]]
    """
    given, where = carried.counted({"cost": cost}, where)
    (array, mask), facts = arrays_of({"where": BOOLEANS}, **given, where=where)
    xp = facts[0].namespace
    backends.check_not_lazy("cost", xp)
    compute, _ = agree(facts)
    _, m = arguments.matrix_shape("cost", facts[0].shape)
    arguments.same_leading(facts[0].shape, where=mask)
    maximize, partial = checks.flag("maximize", maximize), checks.flag("partial", partial)
    edges = _edges(sizes, m, facts[0].shape)
    if backends.library(xp) == "jax" and not arguments.readable(array, mask):
        return _traced(array, mask, edges, maximize=maximize, compute=compute, xp=xp)
    if tracers.compiling() or not arguments.readable(array, mask):
        raise TypeError(
            "`cost` is traced by torch, and `matching.hungarian` needs its values, on the CPU: call it outside of "
            "torch.compile, vmap and make_fx, or use `matching.greedy` inside"
        )
    named = {"cost": array} if mask is None else {"cost": array, "where": mask}
    _, near, home = host.to_numpy(named)
    out: ArrayT = home(_solved(near["cost"], near.get("where"), edges, maximize=maximize, partial=partial))
    return out


def _edges(sizes: Any, m: int, shape: tuple[int, ...], /) -> list[int] | None:
    """Where the columns of each image start, and the end."""
    if sizes is None:
        return None
    sizes = arguments.sizes_of(sizes)
    if len(shape) != 2:
        raise ValueError(f"`cost` must have shape (N, sum of `sizes`), got {tuple(shape)}")
    if sum(sizes) != m:
        raise ValueError(f"`sizes` must add up to the {m} columns of `cost`, got {sum(sizes)}")
    return [0, *itertools.accumulate(sizes)]


def _solved(cost: Any, where: Any, edges: list[int] | None, /, *, maximize: bool, partial: bool) -> Any:
    """Arrays in NumPy -> columns (..., N), or (B, N)."""
    xp = backends.numpy_namespace()
    if where is not None:
        where = xp.broadcast_to(where, cost.shape)
    # One pass over all costs; only where it finds something are cells looked for.
    finite = cost.dtype.kind == "f" and bool(xp.isfinite(cost).all())
    if not finite:
        _check_values(cost, where, maximize=maximize, xp=xp)
    *leading, n, m = cost.shape
    options = {"rows": n, "maximize": maximize, "partial": partial, "plain": finite and where is None}
    if edges is not None:
        spans = [slice(i, j) for i, j in itertools.pairwise(edges)]
        columns = assignments.batch(
            [cost[:, span] for span in spans],
            None if where is None else [where[:, span] for span in spans],
            name=lambda k: f"cost[:, {spans[k].start}:{spans[k].stop}]",
            **options,
        )
        starts = xp.asarray(edges[:-1], dtype=columns.dtype)[:, None]
        return xp.where(columns >= 0, columns + starts, columns)
    images = (math.prod(leading), n, m)
    columns = assignments.batch(
        cost.reshape(images),
        None if where is None else where.reshape(images),
        name=lambda k: f"cost{position(k, tuple(leading))}",
        **options,
    )
    return columns.reshape((*leading, n))


def _check_values(cost: Any, where: Any, /, *, maximize: bool, xp: Namespace) -> None:
    if cost.dtype.kind != "f":
        return
    best = math.inf if maximize else -math.inf
    unknown, endless = xp.isnan(cost), cost == best
    if where is not None:
        unknown, endless = unknown & where, endless & where
    forbids = f"{-best} forbids a pair"
    arguments.raise_nan("cost", unknown, more=", partial=True", xp=xp)
    arguments.raise_first_cell("cost", {f"must be finite, got {best}, and {forbids}": endless}, xp=xp)


def _traced(cost: Any, where: Any, edges: list[int] | None, /, *, maximize: bool, compute: Any, xp: Namespace) -> Any:
    """Solve inside JAX's transformations, in arrays of fixed size."""
    if not is_floating(cost, xp):
        cost = cast(cost, compute, xp=xp)
    cost = cast(-cost if maximize else cost, compute, xp=xp)
    allowed = xp.isfinite(cost)
    if where is not None:
        allowed = allowed & ranked(where, cost.ndim, xp=xp)
    integer = widest_integer(xp)
    if edges is None:
        return assignment.lowest(cost, allowed, integer=integer, xp=xp)
    columns = [
        (i, assignment.lowest(cost[:, i:j], allowed[:, i:j], integer=integer, xp=xp))
        for i, j in itertools.pairwise(edges)
    ]
    return xp.stack([xp.where(x >= 0, x + i, x) for i, x in columns])
