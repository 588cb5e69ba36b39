"""HOTA: one assignment in each frame that prefers pairs of ids which overlap over the whole sequence.

Luiten et al., HOTA: A Higher Order Metric for Evaluating Multi-Object Tracking, IJCV 2021, with the matching of the
reference implementation: one assignment for all thresholds.
"""

from typing import Any, NamedTuple

from omniou._lib.types import Namespace
from omniou.tracking._assigned import assigned
from omniou.tracking._frames import Frames
from omniou.tracking._identity import IdPairs
from omniou.tracking._similarity import SimilarPairs

# 0.05, 0.1, ... 0.95, as the reference has them: some are above the decimal, such as .15000000000000002.
COUNT = 19
# NumPy sums up to seven numbers one after the other, and more in eight parts. Two have one sum in any order.
_ONE_BY_ONE, _ANY_ORDER = 8, 2


class _Cells(NamedTuple):
    """Values of a sparse matrix with one row for each row of a table."""

    rows: Any  # (P,)
    columns: Any  # (P,) place in the frame
    values: Any  # (P,)


class HotaSums(NamedTuple):
    """What adds up, for each unit and threshold (U, 19)."""

    tp: Any
    ass_a: Any  # sums over true positives
    ass_re: Any
    ass_pr: Any
    loc: Any


def thresholds(*, xp: Namespace) -> Any:
    """The localisation thresholds (19,)."""
    return xp.arange(0.05, 0.99, 0.05)


def sums(pairs: SimilarPairs, ids: IdPairs, frames: Frames, /) -> HotaSums:
    """Match at all thresholds, and count."""
    xp, units = frames.xp, len(frames.named)
    score = _alignment(pairs, ids, frames)[ids.of] * pairs.similarity
    chosen = assigned(pairs, score, frames)
    similarity, of = pairs.similarity[chosen], ids.of[chosen]
    # The first 7 thresholds are reached by .37: it has the level 7.
    eps = xp.finfo(xp.float64).eps
    level = xp.searchsorted(thresholds(xp=xp) - eps, similarity, side="right")
    reached = xp.nonzero(level)[0]
    level, similarity, of = level[reached] - 1, similarity[reached], of[reached]
    matches = _by_threshold(of, level, None, ids.truth.size, xp=xp)
    unit = ids.units[of]
    total = (ids.truth_rows + ids.track_rows)[:, None] - matches
    parts = (matches / xp.maximum(1, x) for x in (total, ids.truth_rows[:, None], ids.track_rows[:, None]))
    added = [_of_units(matches * part, ids.units, units, xp=xp) for part in parts]
    tp = _by_threshold(unit, level, None, units, xp=xp)
    return HotaSums._make([tp, *added, _by_threshold(unit, level, similarity, units, xp=xp)])


def _alignment(pairs: SimilarPairs, ids: IdPairs, frames: Frames, /) -> Any:
    """How well two ids overlap over the whole sequence (Q,)."""
    xp, x = frames.xp, pairs.similarity
    of_rows, of_columns = _sums_of_rows(pairs, frames), _sums_of_columns(pairs, frames)
    # In the reference's order of operations, on which ties in the last bit depend.
    either = of_columns[pairs.tracks] + of_rows[pairs.truth] - x
    counted = either > xp.finfo(xp.float64).eps
    jaccard = xp.where(counted, x / xp.where(counted, either, 1.0), 0.0)
    shared = xp.bincount(ids.of, weights=jaccard, minlength=ids.truth.size)
    return shared / (ids.truth_rows + ids.track_rows - shared)


def _sums_of_rows(pairs: SimilarPairs, frames: Frames, /) -> Any:
    """Sum of the similarities of each row of the ground truth (N,), as NumPy sums a dense matrix, to the last bit."""
    xp, (truth, tracks) = frames.xp, (frames.truth, frames.tracks)
    several = xp.bincount(pairs.truth, minlength=truth.rows.size) > _ANY_ORDER
    width = tracks.sizes[truth.frames]
    places = pairs.tracks - tracks.starts[truth.frames[pairs.truth]]
    cells = _Cells(pairs.truth, places, pairs.similarity)
    return _sums(cells, width, several & (width >= _ONE_BY_ONE), xp=xp)


def _sums_of_columns(pairs: SimilarPairs, frames: Frames, /) -> Any:
    """Sum of the similarities of each track (M,), as NumPy sums a dense matrix, to the last bit."""
    xp, (truth, tracks) = frames.xp, (frames.truth, frames.tracks)
    # NumPy adds whole rows, one after the other, as `bincount` does; but a matrix of one column is a list to it.
    height = truth.sizes[tracks.frames]
    places = pairs.truth - truth.starts[tracks.frames[pairs.tracks]]
    cells = _Cells(pairs.tracks, places, pairs.similarity)
    return _sums(cells, height, (tracks.sizes[tracks.frames] == 1) & (height >= _ONE_BY_ONE), xp=xp)


def _sums(cells: _Cells, width: Any, in_parts: Any, /, *, xp: Namespace) -> Any:
    """Sums of rows of `width` (N,), one value after the other, or `in_parts` (N,) as NumPy adds a list with zeros."""
    out = xp.bincount(cells.rows, weights=cells.values, minlength=width.size)
    some = xp.nonzero(in_parts)[0]
    rows, columns, values = (x[in_parts[cells.rows]] for x in cells)
    place = xp.empty(out.size, dtype=xp.int64)
    for size in xp.unique(width[some]).tolist():
        of_size = some[width[some] == size]
        place[of_size] = xp.arange(of_size.size)
        inside = xp.nonzero(width[rows] == size)[0]
        dense = xp.zeros((of_size.size, size))
        dense[place[rows[inside]], columns[inside]] = values[inside]
        out[of_size] = dense.sum(axis=1)
    return out


def _by_threshold(of: Any, level: Any, weights: Any, size: int, /, *, xp: Namespace) -> Any:
    """Groups (M,), the last threshold that each match reaches (M,) -> counts or sums at each threshold (size, 19)."""
    flat = xp.bincount(of * COUNT + level, weights=weights, minlength=size * COUNT)
    # A match that reaches a threshold reaches all lower ones. Of three thresholds, matches that reach up to the
    # thresholds 0 2 2 are counted as 1 0 2, and summed from the right: 3 2 2.
    return xp.cumsum(xp.reshape(flat, (size, COUNT))[:, ::-1], axis=1)[:, ::-1]


def _of_units(x: Any, units: Any, size: int, /, *, xp: Namespace) -> Any:
    """Sum rows (Q, 19) by their unit (size, 19); units rise."""
    out = xp.zeros((size, COUNT))
    if units.size:
        starts = xp.nonzero(xp.concatenate([xp.ones(1, dtype=bool), units[1:] != units[:-1]]))[0]
        out[units[starts]] = xp.add.reduceat(x, starts, axis=0)
    return out
