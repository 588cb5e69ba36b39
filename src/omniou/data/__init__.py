"""Readers of files: one module for each format, columns out. They need the extra `omniou[cli]`.

`read_ground_truth` and `read_detections` read any format, which they recognise by the content. What was read is ready
for `omniou.detection.evaluate`.
"""

from omniou.data import _needed  # noqa: F401  (first: it names the extra where that is missing)
from omniou.data._errors import InputError, InputWarning, MissingLibraryError, OptionError
from omniou.data._findings import Finding
from omniou.data._options import Options
from omniou.data._truth import GroundTruth, Naming
from omniou.data.formats import DETECTIONS, GROUND_TRUTHS, read_detections, read_ground_truth
from omniou.data.writers import WRITERS, write_detections, write_ground_truth

__all__ = [
    "DETECTIONS",
    "GROUND_TRUTHS",
    "WRITERS",
    "Finding",
    "GroundTruth",
    "InputError",
    "InputWarning",
    "MissingLibraryError",
    "Naming",
    "OptionError",
    "Options",
    "read_detections",
    "read_ground_truth",
    "write_detections",
    "write_ground_truth",
]
