"""Pairs of an object and a track, numbered over all frames."""

from typing import Any, NamedTuple

from omniou.tracking._columns import numbered
from omniou.tracking._frames import Frames
from omniou.tracking._similarity import SimilarPairs


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
    return IdPairs(a, b, truth.units[a], of, of_truth, of_tracks)
