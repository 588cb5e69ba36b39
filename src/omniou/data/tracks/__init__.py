"""Files of tracks: one module for each format, which declares one `FORMAT`; sequences and frames of both sides.

`read_ground_truth_tracks` and `read_tracks` read any format, which they recognise by the content. `prepared` applies
the rules of a data set, and `diagnose` says what is doubtful.
"""

from typing import TYPE_CHECKING

from omniou._lib import near
from omniou.data.tracks._names import TRACK_FORMATS

if TYPE_CHECKING:
    from omniou.data.tracks._declared import declared, every
    from omniou.data.tracks._format import TrackFormat
    from omniou.data.tracks._rules import prepared
    from omniou.data.tracks._track_files import TrackFiles, read_ground_truth_tracks, read_tracks
    from omniou.data.tracks.doctor import diagnose

__all__ = [
    "TRACK_FORMATS",
    "TrackFiles",
    "TrackFormat",
    "declared",
    "diagnose",
    "every",
    "prepared",
    "read_ground_truth_tracks",
    "read_tracks",
]

if not TYPE_CHECKING:
    # Modules are imported when one of their names is first asked for: the command line needs the names of formats only.
    __getattr__, __dir__ = near.attributes(
        __name__,
        __all__,
        near.late_names(
            {
                "_declared": ["declared", "every"],
                "_format": ["TrackFormat"],
                "_rules": ["prepared"],
                "_track_files": ["TrackFiles", "read_ground_truth_tracks", "read_tracks"],
                "doctor": ["diagnose"],
            }
        ),
    )
