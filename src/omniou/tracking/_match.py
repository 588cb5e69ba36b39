"""Sum up the similarities of each sequence and class: HOTA, CLEAR and identity."""

from typing import Any

from omniou.tracking import _clear as clear
from omniou.tracking import _hota as hota
from omniou.tracking._decisions import Decisions
from omniou.tracking._frames import Frames
from omniou.tracking._identity import id_pairs, true_positives
from omniou.tracking._numbers import Row
from omniou.tracking._similarity import SimilarPairs
from omniou.tracking._state import State, TrackingRules, merge


def counted(pairs: SimilarPairs, frames: Frames, rules: TrackingRules, /) -> tuple[State, Decisions]:
    """Sum up each unit."""
    xp, units, threshold = frames.xp, len(frames.named), rules.threshold
    ids = id_pairs(pairs, frames)
    of_hota = hota.sums(pairs, ids, frames)
    found = clear.matched(pairs, ids, frames, threshold, skip=rules.as_trackeval)
    of_clear = clear.counts(found, pairs, frames)
    of_rows = [xp.bincount(side.units[side.ids], minlength=units) for side in (frames.tracks, frames.truth)]
    of_ids = [xp.bincount(side.units, minlength=units) for side in (frames.tracks, frames.truth)]
    lengths = [frames.lengths[sequence] for sequence, _ in frames.named]
    both = (of_rows[0] > 0) & (of_rows[1] > 0) | (not rules.as_trackeval)
    # In the order of the fields of a row.
    columns: list[Any] = [
        *(*of_rows, *of_ids, xp.where(both, xp.asarray(lengths, dtype=xp.int64), 0)),
        *(*of_hota, *of_clear, true_positives(pairs, ids, frames, threshold)),
    ]
    rows = [Row._make(map(_plain, values)) for values in zip(*(x.tolist() for x in columns), strict=True)]
    # A class without rows has no unit, but its sequence has frames.
    state = State(rules, frames.lengths, frames.classes, dict(zip(frames.named, rows, strict=True)))
    return merge([state]), Decisions(frames, pairs, found)


def _plain(x: Any, /) -> Any:
    return tuple(x) if isinstance(x, list) else x
