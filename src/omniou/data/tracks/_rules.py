"""The rules of data sets, applied to files: a row that they forbid is named by file and line."""

from omniou.data._errors import InputError
from omniou.data.tracks._track_files import TrackFiles
from omniou.tracking import benchmarks
from omniou.tracking.benchmarks import PreparedTracks, RuleError


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
