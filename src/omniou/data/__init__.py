"""Readers and writers of files: one module for each format, columns out. They need the extra `omniou[cli]`.

`read_ground_truth` and `read_detections` read any format, which they recognise by the content. What was read is ready
for `omniou.detection.evaluate`.
"""

from typing import TYPE_CHECKING

from omniou._lib import near
from omniou._lib.extras import MissingLibraryError
from omniou._lib.findings import Finding
from omniou.data import _needed  # noqa: F401  (first: it names the extra where that is missing)
from omniou.data._dispatch import read_detections, read_ground_truth
from omniou.data._errors import InputError, InputWarning, OptionError
from omniou.data._formats import FORMATS
from omniou.data._options import Options
from omniou.data._truth import GroundTruth, Naming

if TYPE_CHECKING:
    from omniou.data import hierarchy, nuscenes, panoptic, semantic, shards, spotting, tracks, video_objects
    from omniou.data._slices import Slices, read_slices
    from omniou.data._tracks import TRACK_FORMATS
    from omniou.data._tracks.files import TrackFiles, read_ground_truth_tracks, read_tracks
    from omniou.data._without_truth import read_detections_only
    from omniou.data.doctor import diagnose
    from omniou.data.shards import checkpoints, states
    from omniou.data.writing import WRITERS, write_detections, write_ground_truth

__all__ = [
    "FORMATS",
    "TRACK_FORMATS",
    "WRITERS",
    "Finding",
    "GroundTruth",
    "InputError",
    "InputWarning",
    "MissingLibraryError",
    "Naming",
    "OptionError",
    "Options",
    "Slices",
    "TrackFiles",
    "checkpoints",
    "diagnose",
    "hierarchy",
    "nuscenes",
    "panoptic",
    "read_detections",
    "read_detections_only",
    "read_ground_truth",
    "read_ground_truth_tracks",
    "read_slices",
    "read_tracks",
    "semantic",
    "shards",
    "spotting",
    "states",
    "tracks",
    "video_objects",
    "write_detections",
    "write_ground_truth",
]

_MODULES = ("hierarchy", "nuscenes", "panoptic", "semantic", "shards", "spotting", "tracks", "video_objects")

if not TYPE_CHECKING:
    # Modules are imported when one of their names is first asked for: most programs only read.
    __getattr__, __dir__ = near.attributes(
        __name__,
        __all__,
        near.late_names(
            {
                "_without_truth": ["read_detections_only"],
                "doctor": ["diagnose"],
                "writing": ["WRITERS", "write_detections", "write_ground_truth"],
                "_slices": ["Slices", "read_slices"],
                "shards.checkpoints": ["checkpoints"],
                "shards.states": ["states"],
                "_tracks": ["TRACK_FORMATS"],
                "_tracks.files": ["TrackFiles", "read_ground_truth_tracks", "read_tracks"],
            }
        )
        | dict(zip(_MODULES, _MODULES, strict=True)),
    )
