"""One-to-one assignment of rows to columns in fixed-size array operations, and the costs that DETR assigns by."""

import math
from typing import Any, NamedTuple

from omniou._lib import backends, loops
from omniou._lib.arrays import cast, ranked
from omniou._lib.types import Namespace


def greedy(score: Any, allowed: Any, /, *, integer: Any, xp: Namespace) -> Any:
    """Scores and booleans (..., N, M) -> column of each row (..., N), -1 for none.

    The highest score first; of equal ones the first row, and then the first column.
    """
    n, m = score.shape[-2:]
    device = backends.device(score, xp=xp)
    rows, columns = (ranked(xp.arange(size, dtype=integer, device=device), score.ndim - 1, xp=xp) for size in (n, m))
    matched = xp.full(score.shape[:-1], -1, dtype=integer, device=device)
    if 0 in score.shape:
        return matched
    nothing = xp.full((), -float("inf"), dtype=score.dtype, device=device)
    # Comparisons are false for NaN, which matches nothing.
    left = xp.where(allowed & (score > nothing), score, nothing)

    def step(state: Any) -> Any:
        # A pair that is the best of both its row and its column is taken before any other of either. All such pairs
        # are taken at once: a few rounds suffice unless scores form a chain.
        left, matched = state
        column = xp.argmax(left, axis=-1)
        row = xp.argmax(left, axis=-2)
        best = xp.take_along_axis(left, column[..., None], axis=-1)[..., 0]
        taken = (xp.take_along_axis(row, column, axis=-1) == rows) & (best > nothing)
        gone = (xp.take_along_axis(column, row, axis=-1) == columns) & xp.take_along_axis(taken, row, axis=-1)
        left = xp.where(taken[..., None] | gone[..., None, :], nothing, left)
        return left, xp.where(taken, xp.astype(column, integer), matched)

    return loops.rounds(step, (left, matched), lambda state: xp.any(state[0] > nothing), min(n, m), xp=xp)[1]


class _Duals(NamedTuple):
    """An assignment of some rows, and prices under which no pair costs less than nothing, and taken ones nothing."""

    of_row: Any  # (N,) price
    of_column: Any  # (M,)
    column: Any  # (N,) of each row, -1 for none
    row: Any  # (M,) of each column, -1 for none


class _Search(NamedTuple):
    """Shortest paths of alternating pairs from a free row to columns."""

    length: Any  # (M,)
    before: Any  # (M,) row that comes before each column
    rows: Any  # (N,) whether a row was reached
    columns: Any  # (M,) whether the path to a column is known
    row: Any  # () reached last
    column: Any  # () reached last; the path ends at a free one
    least: Any  # () length of the path there
    done: Any  # ()


def lowest(cost: Any, allowed: Any, /, *, integer: Any, xp: Namespace) -> Any:
    """Costs and booleans (..., N, M) of JAX -> column of each row (..., N), -1 for none: the lowest total cost.

    As many pairs as possible, by shortest augmenting paths (Jonker and Volgenant; Crouse, 2016).
    """
    *leading, n, m = cost.shape
    if 0 in cost.shape:
        return xp.full((*leading, n), -1, dtype=integer)
    if n > m:
        rows = lowest(xp.matrix_transpose(cost), xp.matrix_transpose(allowed), integer=integer, xp=xp)
        return _inverse(rows, n, integer=integer, xp=xp)
    flat = math.prod(leading), n, m

    def one(cost: Any, allowed: Any) -> Any:
        return _shortest_paths(cost, allowed, integer=integer, xp=xp)

    return xp.reshape(loops.each(one, xp.reshape(cost, flat), xp.reshape(allowed, flat)), (*leading, n))


def _inverse(rows: Any, n: int, /, *, integer: Any, xp: Namespace) -> Any:
    """Row of each column (..., M) -> column of each row (..., N)."""
    every = ranked(xp.arange(n, dtype=integer)[:, None], rows.ndim + 1, xp=xp)
    pairs = rows[..., None, :] == every
    return xp.where(xp.any(pairs, axis=-1), xp.astype(xp.argmax(pairs, axis=-1), integer), -1)


def _shortest_paths(cost: Any, allowed: Any, /, *, integer: Any, xp: Namespace) -> Any:
    """Solve `lowest` for one matrix with N <= M: rows are matched one after the other, along a shortest path."""
    n, m = cost.shape
    low = xp.min(xp.where(allowed, cost, math.inf))
    high = xp.max(xp.where(allowed, cost, -math.inf))
    span = xp.where(high > low, high - low, 1.0)
    # A forbidden pair costs more than a complete assignment of others can.
    cost = xp.where(allowed, cost - low, span * (n + 1))
    real = xp.any(allowed, axis=1)
    rows, columns = xp.arange(n, dtype=integer), xp.arange(m, dtype=integer)
    number = xp.zeros((), dtype=integer)

    def step(state: Any) -> Any:
        duals, current = state
        search = _search(cost, duals, current, xp=xp)
        matched = _augmented(duals, search, current, rows, columns, xp=xp)
        padding = ~real[current]
        return _Duals(*(xp.where(padding, x, y) for x, y in zip(duals, matched, strict=True))), current + 1

    start = _Duals(
        *(xp.zeros(size, dtype=cost.dtype) for size in (n, m)),
        *(xp.full(size, -1, dtype=integer) for size in (n, m)),
    )
    duals, _ = loops.rounds(step, (start, number), lambda state: state[1] < n, n, xp=xp)
    chosen = xp.any(allowed & (duals.column[:, None] == columns[None, :]), axis=1)
    return xp.where(chosen, duals.column, -1)


def _search(cost: Any, duals: _Duals, current: Any, /, *, xp: Namespace) -> _Search:
    """Dijkstra's algorithm from a row to the nearest free column, over costs less prices, none of them negative."""
    n, m = cost.shape
    rows, columns = (xp.arange(size, dtype=current.dtype) for size in (n, m))
    first = _Search(
        xp.full(m, math.inf, dtype=cost.dtype),
        xp.full(m, -1, dtype=current.dtype),
        xp.zeros(n, dtype=xp.bool),
        xp.zeros(m, dtype=xp.bool),
        current,
        -xp.ones((), dtype=current.dtype),
        xp.zeros((), dtype=cost.dtype),
        xp.zeros((), dtype=xp.bool),
    )

    def step(state: _Search) -> _Search:
        length = state.least + cost[state.row, :] - duals.of_row[state.row] - duals.of_column
        shorter = ~state.columns & (length < state.length)
        length = xp.where(shorter, length, state.length)
        before = xp.where(shorter, state.row, state.before)
        unknown = xp.where(state.columns, math.inf, length)
        least = xp.min(unknown)
        # Of the nearest columns a free one ends the search.
        free = (unknown == least) & (duals.row < 0)
        done = xp.any(free)
        column = xp.astype(xp.where(done, xp.argmax(free), xp.argmin(unknown)), current.dtype)
        return _Search(
            length,
            before,
            state.rows | (rows == state.row),
            state.columns | (columns == column),
            xp.where(done, state.row, duals.row[column]),
            column,
            least,
            done,
        )

    out: _Search = loops.rounds(step, first, lambda state: ~state.done, n, xp=xp)
    return out


def _augmented(duals: _Duals, search: _Search, current: Any, rows: Any, columns: Any, /, *, xp: Namespace) -> _Duals:
    """Prices after a search, and the pairs along its path exchanged."""
    is_first = rows == current
    own = xp.take(search.length, xp.maximum(duals.column, 0))
    rise = xp.where(is_first, search.least, xp.where(search.rows, search.least - own, 0.0))
    fall = xp.where(search.columns, search.least - search.length, 0.0)

    def step(state: Any) -> Any:
        of_row, of_column, place, _ = state
        row = search.before[place]
        at = rows == row
        following = of_row[row]
        of_column = xp.where(columns == place, row, of_column)
        return xp.where(at, place, of_row), of_column, following, row == current

    path = duals.column, duals.row, search.column, xp.zeros((), dtype=xp.bool)
    column, row, *_ = loops.rounds(step, path, lambda state: ~state[3], rows.shape[0], xp=xp)
    return _Duals(duals.of_row + rise, duals.of_column - fall, column, row)


def class_costs(logits: Any, /, *, focal: bool, alpha: float, gamma: float, eps: float, xp: Namespace) -> Any:
    """Logits (..., C) -> what it costs to be each class (..., C)."""
    if not focal:
        return -backends.softmax(logits, axis=-1, xp=xp)
    p = backends.sigmoid(logits, xp=xp)
    if eps > 0:
        log_p, log_q = xp.log(p + eps), xp.log(1.0 - p + eps)
    else:
        # log(sigmoid(x)) = min(x, 0) - log(1 + exp(-|x|)): finite for every finite logit.
        tail = xp.log1p(xp.exp(-xp.abs(logits)))
        zero = xp.zeros_like(logits)
        log_p, log_q = xp.minimum(logits, zero) - tail, xp.minimum(-logits, zero) - tail
    return (1.0 - alpha) * p**gamma * log_q - alpha * (1.0 - p) ** gamma * log_p


def of_labels(costs: Any, labels: Any, /, *, xp: Namespace) -> Any:
    """Costs (..., N, C), labels (..., M) in [0, C) -> (..., N, M)."""
    if labels.ndim == 1 and costs.ndim == 2:
        return xp.take(costs, labels, axis=-1)
    shape = (*costs.shape[:-1], labels.shape[-1])
    return xp.take_along_axis(costs, xp.broadcast_to(labels[..., None, :], shape), axis=-1)


def distances(a: Any, b: Any, /, *, dtype: Any, xp: Namespace) -> Any:
    """Boxes (..., N, K) and (..., M, K) -> sums of absolute differences (..., N, M), without (..., N, M, K)."""
    a, b = cast(a, dtype, xp=xp), cast(b, dtype, xp=xp)
    total = xp.abs(a[..., :, None, 0] - b[..., None, :, 0])
    for k in range(1, a.shape[-1]):
        total = total + xp.abs(a[..., :, None, k] - b[..., None, :, k])
    return total
