"""Readers of files: one module for each format, columns out. They need the extra `omniou[cli]`.

`read_ground_truth` and `read_detections` read any format, which they recognise by the content. What was read is ready
for `omniou.detection.evaluate`.
"""

import importlib
from typing import TYPE_CHECKING, Any

from omniou._lib.extras import MissingLibraryError
from omniou.data import _needed  # noqa: F401  (first: it names the extra where that is missing)
from omniou.data._dispatch import read_detections, read_ground_truth
from omniou.data._errors import InputError, InputWarning, OptionError
from omniou.data._findings import Finding
from omniou.data._options import Options
from omniou.data._truth import GroundTruth, Naming
from omniou.data.formats import FORMATS

if TYPE_CHECKING:
    from omniou.data.doctor import diagnose
    from omniou.data.writers import WRITERS, write_detections, write_ground_truth

__all__ = [
    "FORMATS",
    "WRITERS",
    "Finding",
    "GroundTruth",
    "InputError",
    "InputWarning",
    "MissingLibraryError",
    "Naming",
    "OptionError",
    "Options",
    "diagnose",
    "read_detections",
    "read_ground_truth",
    "write_detections",
    "write_ground_truth",
]

# Name -> its module, imported when it is first asked for: most programs read alone.
_LATE = {"diagnose": "doctor", "WRITERS": "writers", "write_detections": "writers", "write_ground_truth": "writers"}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        msg = f"module 'omniou.data' has no attribute {name!r}"
        raise AttributeError(msg)
    value = globals()[name] = getattr(importlib.import_module(f"omniou.data.{_LATE[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
