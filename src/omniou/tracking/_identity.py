"""Identity: one assignment of tracks to objects for a whole sequence, by the frames in which they overlap.

Ristani et al., Performance Measures and a Data Set for Multi-Target, Multi-Camera Tracking, ECCVW 2016.
"""

from typing import Any

from omniou.tracking._assigned import most
from omniou.tracking._frames import Frames
from omniou.tracking._ids import IdPairs
from omniou.tracking._similarity import SimilarPairs


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
