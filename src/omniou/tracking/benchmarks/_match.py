"""Which tracks lie on which objects, frame by frame, and which lie inside regions: what rules of data sets share.

TrackEval solves an assignment of all rows of a frame on similarities of which those below one half are 0. Only pairs
above one half can be matched, so pairs are listed, not matrices, and pairs that every best assignment has are taken
without one.
"""

from typing import Any, NamedTuple

from omniou import boxes, rle
from omniou._doctor.columns import Column, np
from omniou._lib import assignments, indexing
from omniou.pairs import pairwise_sparse
from omniou.tracking._assigned import settled
from omniou.tracking.benchmarks._table import RuleTable

EPS = 2.0**-52
HALF = 0.5
# Pairs are listed from a little below one half on, so that the rounding of a search decides nothing.
_SLACK = 0.01
# By how much a pair must exceed its rivals to be taken without an assignment.
_MARGIN = 1e-10


class MatchedRows(NamedTuple):
    """Rows that are matched with each other."""

    truth: Column
    tracks: Column


class _CandidateRows(NamedTuple):
    a: Column
    b: Column
    values: Column


def matched(
    truth: RuleTable, tracks: RuleTable, *, relevant: Column | None = None, forbidden: float = 0.0
) -> MatchedRows:
    """Match objects and tracks of a frame by the highest total similarity, from one half on.

    Parameters
    ----------
    truth, tracks : RuleTable
    relevant : array of bool, shape (N,), optional
        Objects whose match is asked for; the matches of others may be missing where that saves an assignment.
    forbidden : float
        The similarity of pairs below one half: 0, or so low that the number of matches counts first.
    """
    pairs = _candidates(truth, tracks)
    chosen, left = settled(pairs.a, pairs.b, pairs.values, margin=_MARGIN, xp=np)
    asked = left if relevant is None else left[relevant[pairs.a[left]]]
    frame = truth.frame[pairs.a]
    frames = np.unique(frame[asked])
    solved = np.isin(frame, frames)
    rows, columns = [pairs.a[chosen & ~solved]], [pairs.b[chosen & ~solved]]
    for i, j in _assigned(truth.frame, tracks.frame, _CandidateRows(*(x[solved] for x in pairs)), frames, forbidden):
        rows.append(i)
        columns.append(j)
    return MatchedRows(np.concatenate(rows), np.concatenate(columns))


def share_inside(tracks: RuleTable, regions: RuleTable) -> Column:
    """The largest share of each track that one region of its frame covers, (N,); 0 where less than one half."""
    if tracks.masks is not None and regions.masks is not None:
        i, j = _in_one_frame(tracks.frame, regions.frame)
        values = rle.overlap(tracks.masks, i, regions.masks, j, np.ones(len(i), dtype=bool))
    else:
        groups = {"groups_a": tracks.frame, "groups_b": regions.frame}
        i, _, values, _ = pairwise_sparse(boxes.iof, tracks.boxes, regions.boxes, HALF - _SLACK, **groups)
    out = np.zeros(len(tracks))
    np.maximum.at(out, i, values)
    return out


def _candidates(a: RuleTable, b: RuleTable) -> _CandidateRows:
    """Pairs of one frame whose similarity is at least one half, up to rounding."""
    if a.masks is not None and b.masks is not None:
        i, j = _in_one_frame(a.frame, b.frame)
        values = rle.overlap(a.masks, i, b.masks, j, least=HALF - _SLACK)
    else:
        groups = {"groups_a": a.frame, "groups_b": b.frame}
        i, j, values, _ = pairwise_sparse(boxes.iou, a.boxes, b.boxes, HALF - _SLACK, **groups)
    kept = values >= HALF - EPS
    return _CandidateRows(i[kept], j[kept], values[kept])


def _assigned(frame_a: Column, frame_b: Column, pairs: _CandidateRows, frames: Column, forbidden: float) -> Any:
    """Yield the rows that an assignment matches, for each of some frames. `pairs` has all pairs of these frames."""
    if not len(frames):
        return
    solve = assignments.solver("tracking")
    (first_a, order_a), (first_b, order_b) = (_by_frame(x, frames) for x in (frame_a, frame_b))
    place_a, place_b = (np.empty(len(x), dtype=np.int64) for x in (frame_a, frame_b))
    order = np.argsort(frame_a[pairs.a], kind="stable")
    of_frame = np.searchsorted(frame_a[pairs.a][order], frames, side="left")
    for k, at in enumerate(np.split(order, of_frame[1:])):
        rows, columns = order_a[first_a[k] : first_a[k + 1]], order_b[first_b[k] : first_b[k + 1]]
        place_a[rows], place_b[columns] = np.arange(len(rows)), np.arange(len(columns))
        scores = np.full((len(rows), len(columns)), forbidden)
        scores[place_a[pairs.a[at]], place_b[pairs.b[at]]] = pairs.values[at]
        i, j = solve(-scores)
        good = scores[i, j] > EPS
        yield rows[i[good]], columns[j[good]]


def _by_frame(frame: Column, frames: Column) -> tuple[Column, Column]:
    """Rows of some frames, in the order of frames, and where the rows of each frame start."""
    rows = np.flatnonzero(np.isin(frame, frames))
    rows = rows[np.argsort(frame[rows], kind="stable")]
    return np.append(np.searchsorted(frame[rows], frames, side="left"), len(rows)), rows


def _in_one_frame(frame_a: Column, frame_b: Column) -> tuple[Column, Column]:
    """All pairs of rows that share a frame."""
    order = np.argsort(frame_b, kind="stable")
    rising = frame_b[order]
    start, stop = (np.searchsorted(rising, frame_a, side=side) for side in ("left", "right"))
    count = stop - start
    return np.repeat(np.arange(len(frame_a)), count), order[indexing.concatenated_ranges(start, count, xp=np)]
