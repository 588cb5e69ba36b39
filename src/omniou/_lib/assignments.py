"""Assignment on the host, by SciPy: of all rows of a matrix, or of some pairs of rows and columns."""

from collections.abc import Callable
from typing import Any

from omniou._lib import extras

# Up to here float64 holds every integer.
_EXACT = 2**53


class InfeasibleError(ValueError):
    """Forbidden pairs leave no partner for some row or column."""


def solver(what: str = "`matching.hungarian`", /) -> Callable[..., Any]:
    """SciPy's `linear_sum_assignment`, for `what`."""
    try:
        from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise extras.MissingLibraryError(f"{what} needs SciPy: pip install scipy", name="scipy") from None
    return linear_sum_assignment  # type: ignore[no-any-return, unused-ignore]


def solve(cost: Any, allowed: Any = None, /, *, maximize: bool = False, partial: bool = False) -> Any:
    """Cost (N, M) in NumPy, without NaN, pairs that may match (N, M) or all -> column of each row (N,), -1 for none.

    Rows and columns without any pair that `allowed` has are padding. The cost of a pair that is forbidden is infinite.
    """
    import numpy as np

    out = np.full(cost.shape[0], -1)
    real = [np.arange(size) for size in cost.shape]
    if allowed is not None:
        real = [np.flatnonzero(allowed.any(axis=axis)) for axis in (1, 0)]
        cost, allowed = (x[np.ix_(*real)] for x in (cost, allowed))
    forbidden = np.zeros(cost.shape, dtype=bool) if allowed is None else ~allowed
    if cost.dtype.kind == "f":
        forbidden |= np.isinf(cost)
    rows, columns = _solved(cost, forbidden, maximize=maximize, partial=partial)
    out[real[0][rows]] = real[1][columns]
    return out


def _solved(cost: Any, forbidden: Any, /, *, maximize: bool, partial: bool) -> Any:
    import numpy as np

    run, some = solver(), bool(forbidden.any())
    exact = cost.dtype.kind in "iu"
    if exact or some:
        cost = _from_zero(cost, ~forbidden, maximize=maximize)
        maximize = False
    if not some:
        return run(cost, maximize=maximize)
    try:
        return run(np.where(forbidden, np.inf, cost))
    except ValueError:
        if not partial:
            raise InfeasibleError from None
    # A forbidden pair costs more than a complete assignment of others can, so as few as possible are taken.
    steps = min(cost.shape) + 1
    price = (cost.max(initial=0.0, where=~forbidden) or 1.0) * steps
    if exact and 4 * steps * price > _EXACT:
        _raise_inexact(price)
    rows, columns = run(np.where(forbidden, price, cost))
    kept = ~forbidden[rows, columns]
    return rows[kept], columns[kept]


def _from_zero(cost: Any, allowed: Any, /, *, maximize: bool) -> Any:
    """Costs as float64, less the lowest one: exact where they are integers."""
    import numpy as np

    if not allowed.any():
        return np.zeros(cost.shape)
    low, high = cost[allowed].min(), cost[allowed].max()
    if cost.dtype.kind == "f":
        wide = cost.astype(np.float64)
        return float(high) - wide if maximize else wide - float(low)
    # Sums along a path of alternating pairs are what SciPy computes with.
    span = int(high) - int(low)
    if 4 * (min(cost.shape) + 1) * span > _EXACT:
        _raise_inexact(span)
    # Unsigned, a difference wraps to the right one even where it exceeds the signed dtype.
    bits = cost.astype(np.int64 if cost.dtype.kind == "i" else np.uint64)
    return (high.astype(bits.dtype) - bits if maximize else bits - low.astype(bits.dtype)).astype(np.float64)


def _raise_inexact(span: int, /) -> None:
    raise ValueError(
        f"`cost` holds integers that differ by up to {span}: sums of them exceed 2**53, up to which float64, which the "
        "assignment is computed in, is exact; divide them, or convert them to float64"
    )


def batch(
    costs: Any,
    allowed: Any = None,
    /,
    *,
    rows: int,
    maximize: bool = False,
    partial: bool = False,
    plain: bool = False,
    name: Callable[[int], str],
) -> Any:
    """B matrices (rows, M), and pairs that may match or None -> the column of each row (B, rows), -1 for none.

    `plain`: whether all costs are finite floats, and all pairs may match; `name` is for errors.
    """
    import numpy as np

    out, run = np.full((len(costs), rows), -1), solver()
    if plain:
        for row, cost in zip(out, costs, strict=True):
            real, columns = run(cost, maximize=maximize)
            row[real] = columns
        return out
    for number, cost in enumerate(costs):
        try:
            out[number] = solve(cost, None if allowed is None else allowed[number], maximize=maximize, partial=partial)
        except InfeasibleError:
            kind = "-inf" if maximize else "inf"
            raise ValueError(
                f"`{name(number)}` has rows or columns that cannot all get a partner, since {kind} and `where` forbid "
                "too many pairs; with partial=True they are left unmatched"
            ) from None
    return out


def components(rows: Any, columns: Any, /) -> Any:
    """Pairs (P,) -> number of the component of each (P,): pairs with a row or a column in common are in one."""
    import numpy as np
    from scipy.sparse import coo_array, csgraph  # type: ignore[import-untyped, unused-ignore]

    first = int(rows.max(initial=-1)) + 1
    size = first + int(columns.max(initial=-1)) + 1
    graph = coo_array((np.ones(rows.shape), (rows, first + columns)), shape=(size, size))
    return csgraph.connected_components(graph.tocsr(), directed=False)[1][rows]


def heaviest(rows: Any, columns: Any, weights: Any, /) -> Any:
    """Different pairs (P,), one or more, and weights from 0 -> which have the highest sum, no two in a row or column.

    It takes the memory of the pairs, not of a matrix.
    """
    import numpy as np
    from scipy.sparse import coo_array, csgraph

    # Each row may have a column of its own instead, so that all rows can be matched. SciPy takes no weights of 0.
    own, size = np.arange(rows.max() + 1), columns.max() + 1
    places = (np.concatenate([rows, own]), np.concatenate([columns, size + own]))
    graph = coo_array((np.concatenate([1 + weights, np.ones(own.shape)]), places))
    column = csgraph.min_weight_full_bipartite_matching(graph.tocsr(), maximize=True)[1]
    return column[rows] == columns
