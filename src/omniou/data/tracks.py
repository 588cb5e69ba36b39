"""Files of tracks. `read_ground_truth_tracks` and `read_tracks` read any format, which they recognise by the content.

`prepared` applies the rules of a data set, and `diagnose` says what is doubtful.
"""

import numpy as np

from omniou.data._errors import InputError
from omniou.data._tracks import TRACK_FORMATS
from omniou.data._tracks.doctor import diagnose
from omniou.data._tracks.files import TrackFiles, read_ground_truth_tracks, read_tracks
from omniou.tracking import benchmarks
from omniou.tracking.benchmarks import PreparedTracks, RuleError
from omniou.tracking.benchmarks._table import taken

__all__ = ["TRACK_FORMATS", "TrackFiles", "diagnose", "prepared", "read_ground_truth_tracks", "read_tracks"]


def prepared(truth: TrackFiles, tracks: TrackFiles | None = None) -> PreparedTracks:
    """Apply the rules of ``truth.protocol``: exclude objects and tracks that do not count.

    Without `tracks`, as if the tracker had found nothing.

    Raises
    ------
    InputError
        If a class is not one of the data set's, or no object counts.
    """
    try:
        rows = taken(truth.tracks, np.empty(0, dtype=np.int64), None) if tracks is None else tracks.tracks
        out = benchmarks.apply(truth.protocol, truth.tracks, rows)
    except RuleError as error:
        of = truth if error.side == "ground_truth" or tracks is None else tracks
        at = of.place(error.row, "class")
        raise InputError(at.path, error.fault, place=at.place) from None
    if not len(np.asarray(out.ground_truth.frames)):
        reasons = ", ".join(f"{count} {reason}" for reason, count in out.counts()["ground_truth"].items())
        why = f"none counts: the rules of {out.benchmark} exclude {reasons}" if reasons else "none"
        raise InputError(truth.path, f"nothing to score: {why}", place="objects")
    return out
