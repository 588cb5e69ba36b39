"""Files of tracks. `read_ground_truth_tracks` and `read_tracks` read any format, which they recognise by the content.

`prepared` applies the rules of a data set, and `diagnose` says what is doubtful.
"""

from omniou.data._errors import InputError
from omniou.data._tracks import TRACK_FORMATS
from omniou.data._tracks.doctor import diagnose
from omniou.data._tracks.files import TrackFiles, read_ground_truth_tracks, read_tracks
from omniou.tracking import benchmarks
from omniou.tracking.benchmarks import PreparedTracks, RuleError

__all__ = ["TRACK_FORMATS", "TrackFiles", "diagnose", "prepared", "read_ground_truth_tracks", "read_tracks"]


def prepared(truth: TrackFiles, tracks: TrackFiles) -> PreparedTracks:
    """Apply the rules of ``truth.protocol``: exclude objects and tracks that do not count.

    Raises
    ------
    InputError
        If a class is not one of the data set's.
    """
    try:
        return benchmarks.apply(truth.protocol, truth.tracks, tracks.tracks)
    except RuleError as error:
        of = truth if error.side == "ground_truth" else tracks
        at = of.place(error.row, "class")
        raise InputError(at.path, error.fault, place=at.place) from None
