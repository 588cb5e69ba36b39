"""Pairs of an object's id and a track's id, and the assignment of tracks to objects for a whole sequence (IDF1).

Ristani et al., Performance Measures and a Data Set for Multi-Target, Multi-Camera Tracking, ECCVW 2016.
"""

from typing import Any, NamedTuple

from omniou.tracking._assigned import most
from omniou.tracking._frames import Frames
from omniou.tracking._similarity import SimilarPairs
from omniou.tracking._tables import numbered


class IdPairs(NamedTuple):
    """The Q pairs of an object's id and a track's id that share a frame with a similarity above 0, by object."""

    truth: Any  # (Q,) ids in `Frames.truth`
    tracks: Any  # (Q,)
    units: Any  # (Q,)
    of: Any  # (P,) number of each pair of rows
    truth_rows: Any  # (Q,) rows that the object has
    track_rows: Any  # (Q,)


def id_pairs(pairs: SimilarPairs, frames: Frames, /) -> IdPairs:
    """Number the pairs of ids."""
    xp, (truth, tracks) = frames.xp, (frames.truth, frames.tracks)
    many = max(1, tracks.units.size)
    keys, of = numbered(truth.ids[pairs.truth] * many + tracks.ids[pairs.tracks], xp=xp)
    a, b = keys // many, keys % many
    counts = (xp.bincount(x.ids, minlength=x.units.size) for x in (truth, tracks))
    of_truth, of_tracks = (x[ids] for x, ids in zip(counts, (a, b), strict=True))
    return IdPairs(truth=a, tracks=b, units=truth.units[a], of=of, truth_rows=of_truth, track_rows=of_tracks)


def true_positives(pairs: SimilarPairs, ids: IdPairs, frames: Frames, threshold: float, /) -> Any:
    """IDTP of each unit (U,).

    The reference minimises false negatives and positives with a dummy for each id. Each frame that a pair of ids shares
    saves one of both, so this is the assignment with the most shared frames, and its number is unique.
    """
    xp = frames.xp
    # Without the epsilon that HOTA and CLEAR subtract, as in the reference.
    shared = xp.bincount(ids.of[pairs.similarity >= threshold], minlength=ids.truth.size)
    out = xp.zeros(len(frames.named), dtype=xp.int64)
    some = xp.nonzero(shared)[0]
    units = ids.units[some]
    starts = xp.searchsorted(units, xp.arange(out.size + 1)).tolist()
    for unit in range(out.size):
        part = some[starts[unit] : starts[unit + 1]]
        out[unit] = most(ids.truth[part], ids.tracks[part], shared[part])
    return out
