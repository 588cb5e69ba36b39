"""Files of tracks: one module for each format, which declares one `FORMAT`; sequences and frames of both sides.

`read_ground_truth_tracks` and `read_tracks` read any format, which they recognise by the content.
"""

from omniou.data.tracks._declared import TRACK_FORMATS, declared, every
from omniou.data.tracks._format import TrackFormat
from omniou.data.tracks._rules import prepared
from omniou.data.tracks._track_files import TrackFiles, read_ground_truth_tracks, read_tracks

__all__ = [
    "TRACK_FORMATS",
    "TrackFiles",
    "TrackFormat",
    "declared",
    "every",
    "prepared",
    "read_ground_truth_tracks",
    "read_tracks",
]
