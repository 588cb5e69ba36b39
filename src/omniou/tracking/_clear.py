"""CLEAR: matches that continue matches of the frame before, switches of identity and fragments.

Bernardin and Stiefelhagen, Evaluating Multiple Object Tracking Performance: The CLEAR MOT Metrics, EURASIP 2008, with
the rules of TrackEval: the most continuations, then the highest sum of similarities.
"""

from typing import Any, NamedTuple

from omniou._lib import ordering
from omniou._lib.types import Namespace
from omniou.tracking._assigned import of_frame
from omniou.tracking._frames import Frames
from omniou.tracking._identity import IdPairs
from omniou.tracking._similarity import SimilarPairs

# The score of a pair that continues a match: more than all similarities of its row and column.
_CONTINUES = 1000.0
# Objects are mostly tracked in more than this share of their frames, and mostly lost below the other.
MOSTLY_TRACKED, MOSTLY_LOST = 0.8, 0.2


class ClearMatches(NamedTuple):
    """The matches of all frames, by frame, and how each follows the last match of its object."""

    pairs: Any  # (M,) numbers in `SimilarPairs`
    before: Any  # (M,) number of the last match of the same object in this list, -1 where there is none
    switched: Any  # (M,) whether that one was with another track
    resumed: Any  # (M,) whether the object was not matched in the frame before, but earlier


class ClearCounts(NamedTuple):
    """What is counted in each unit (U,)."""

    tp: Any
    similarity: Any  # sum of the similarities of matches
    idsw: Any
    frag: Any
    mt: Any
    pt: Any


class _Chains(NamedTuple):
    """Candidates of the same two ids in frames that follow each other."""

    order: Any  # (P,) candidates by pair of ids, then by frame
    follows: Any  # (P,) whether each in that order continues the one before it
    before: Any  # (P,) the candidate that each candidate continues, -1 where there is none


def matched(pairs: SimilarPairs, ids: IdPairs, frames: Frames, threshold: float, /, *, skip: bool) -> ClearMatches:
    """Match the frames one after the other.

    `skip`: frames in which one side has no rows are not frames: what comes after continues what was before.
    """
    xp = frames.xp
    candidates = xp.nonzero(pairs.similarity >= threshold - xp.finfo(xp.float64).eps)[0]
    close, of = pairs.take(candidates), ids.of[candidates]
    step = _steps(frames, skip=skip)[frames.truth.frames[close.truth]]
    chosen = _chosen(close, _chains(of, ids.truth.size, step, xp=xp), frames)
    objects, tracks = frames.truth.ids[close.truth[chosen]], frames.tracks.ids[close.tracks[chosen]]
    order = ordering.rising(objects, frames.truth.units.size, xp=xp)
    same = objects[order][1:] == objects[order][:-1]
    before = xp.full(chosen.size, -1)
    before[order[1:][same]] = order[:-1][same]
    again = before >= 0
    switched, resumed = again & (tracks != tracks[before]), again & (step[chosen] != step[chosen][before] + 1)
    return ClearMatches(candidates[chosen], before, switched, resumed)


def _steps(frames: Frames, /, *, skip: bool) -> Any:
    """Number of each frame among the frames that count (F,): one more than the number of the frame before."""
    xp = frames.xp
    if not skip:
        return xp.arange(frames.units.size)
    return xp.cumsum((frames.truth.sizes > 0) & (frames.tracks.sizes > 0))


def _chains(of: Any, count: int, step: Any, /, *, xp: Namespace) -> _Chains:
    """Candidates by which of `count` pairs of ids they are (P,), and by step."""
    # Candidates come by frame, and the order is stable within a pair of ids. Of candidates of the pairs 0 1 0 in the
    # frames 1 1 2, the order is 0 2 1: the last candidate continues the first.
    order = ordering.rising(of, count, xp=xp)
    follows = xp.zeros(of.size, dtype=bool)
    follows[1:] = (of[order][1:] == of[order][:-1]) & (step[order][1:] == step[order][:-1] + 1)
    before = xp.full(of.size, -1)
    before[order[1:][follows[1:]]] = order[:-1][follows[1:]]
    return _Chains(order, follows, before)


def _chosen(close: SimilarPairs, chains: _Chains, frames: Frames, /) -> Any:
    """Numbers of the candidates that match (M,).

    Candidates without a rival in their row and column match at once, and so does what continues them. Frames with other
    candidates that may match are matched one by one.
    """
    xp = frames.xp
    chosen = _alone(close.truth, frames.truth.rows.size, xp=xp)
    chosen &= _alone(close.tracks, frames.tracks.rows.size, xp=xp)
    # A pair that continues scores more than any others of its row and column together, so it is matched.
    chosen = _with_following(chosen, chains, xp=xp)
    held_rows, held_columns = (xp.zeros(x.rows.size, dtype=bool) for x in (frames.truth, frames.tracks))
    held_rows[close.truth[chosen]] = True
    held_columns[close.tracks[chosen]] = True
    undecided = xp.nonzero(~(held_rows[close.truth] | held_columns[close.tracks]))[0]
    if undecided.size == 0:
        return xp.nonzero(chosen)[0]
    groups = frames.truth.frames[close.truth]
    numbers, first = xp.unique(groups[undecided], return_index=True)
    edges = xp.append(first, undecided.size).tolist()
    rows, columns = close.truth[undecided].tolist(), close.tracks[undecided].tolist()
    places, earlier = undecided.tolist(), chains.before[undecided].tolist()
    is_match = bytearray(chosen)
    # A pair continues if the pair before was matched: frames are matched in their order.
    for k, frame in enumerate(numbers.tolist()):
        part = range(edges[k], edges[k + 1])
        continues = [p for p in part if earlier[p] >= 0 and is_match[earlier[p]]]
        # Rows and columns in one set: ~0 = -1, ~1 = -2, ... are columns, so row 1 and column 1 are 1 and -2.
        taken = {rows[p] for p in continues} | {~columns[p] for p in continues}
        free = [p for p in part if rows[p] not in taken and ~columns[p] not in taken]
        alone = len({rows[p] for p in free}) == len({columns[p] for p in free}) == len(free)
        for p in (*continues, *(free if alone else ())):
            is_match[places[p]] = True
        if not alone:
            start, stop = xp.searchsorted(groups, [frame, frame + 1]).tolist()
            known = [p >= 0 and is_match[p] for p in chains.before[start:stop].tolist()]
            score = _CONTINUES * xp.asarray(known, dtype=bool) + close.similarity[start:stop]
            is_match[start:stop] = bytes(of_frame(close, score, slice(start, stop), frame, frames))
    return xp.nonzero(xp.frombuffer(is_match, dtype=xp.uint8))[0]


def _with_following(chosen: Any, chains: _Chains, /, *, xp: Namespace) -> Any:
    """Whether each candidate is chosen, or continues one that is, over any number of frames (P,)."""
    # Chosen 0 1 0 0 1 in chains that start at 0 and 3: the last chosen places are -1 1 1 1 4. From 1 on they are in
    # their own chain, but at 3, which starts behind 1.
    places = xp.arange(chosen.size)
    last = xp.maximum.accumulate(xp.where(chosen[chains.order], places, -1))
    start = xp.maximum.accumulate(xp.where(chains.follows, 0, places))
    out = xp.empty(chosen.size, dtype=bool)
    out[chains.order] = last >= start
    return out


def _alone(rows: Any, size: int, /, *, xp: Namespace) -> Any:
    """Whether no other pair has the row (P,)."""
    return xp.bincount(rows, minlength=size)[rows] == 1


def counts(found: ClearMatches, pairs: SimilarPairs, frames: Frames, /) -> ClearCounts:
    """Count matches, switches, fragments and objects by how much of them is tracked."""
    xp, units, of = frames.xp, len(frames.named), frames.truth
    objects = of.ids[pairs.truth[found.pairs]]
    unit = of.units[objects]
    tracked = xp.bincount(objects, minlength=of.units.size)
    rows = xp.bincount(of.ids, minlength=of.units.size)
    share = tracked / rows
    mostly, partly = share > MOSTLY_TRACKED, share >= MOSTLY_LOST
    mt = xp.bincount(of.units[mostly], minlength=units)
    return ClearCounts(
        tp=xp.bincount(unit, minlength=units),
        similarity=xp.bincount(unit, weights=pairs.similarity[found.pairs], minlength=units),
        idsw=xp.bincount(unit[found.switched], minlength=units),
        frag=xp.bincount(unit[found.resumed], minlength=units),
        mt=mt,
        pt=xp.bincount(of.units[partly], minlength=units) - mt,
    )
