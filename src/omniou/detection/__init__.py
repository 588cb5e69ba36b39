"""How well a detector finds objects: average precision and recall by COCO's rules, on flat columns of any library.

A data set is two tables: `Targets` and `Detections`, each a set of columns with one row for each box of all images.
`evaluate` compares them under a `Protocol` and gives a `Result`.
"""

import importlib
from typing import TYPE_CHECKING, Any

from omniou.detection.columns import Detections, Targets
from omniou.detection.evaluator import Evaluator, compute, evaluate
from omniou.detection.presets import LVIS, OPEN_IMAGES, OPEN_IMAGES_CHALLENGE, PRESETS, VOC2007, VOC2010
from omniou.detection.protocol import COCO, AreaRange, Protocol
from omniou.detection.result import Result

if TYPE_CHECKING:
    from omniou.detection._bootstrap import Comparison, Interval, bootstrap, compare
    from omniou.detection._sketch import Sketch, sketch
    from omniou.detection.breakdown import Breakdown
    from omniou.detection.calibration import Calibration
    from omniou.detection.confusion import Confusion
    from omniou.detection.hierarchy import expand
    from omniou.detection.lrp import LRP
    from omniou.detection.matches import Matches
    from omniou.detection.operating import OperatingPoints

__all__ = [
    "COCO",
    "LRP",
    "LVIS",
    "OPEN_IMAGES",
    "OPEN_IMAGES_CHALLENGE",
    "PRESETS",
    "VOC2007",
    "VOC2010",
    "AreaRange",
    "Breakdown",
    "Calibration",
    "Comparison",
    "Confusion",
    "Detections",
    "Evaluator",
    "Interval",
    "Matches",
    "OperatingPoints",
    "Protocol",
    "Result",
    "Sketch",
    "Targets",
    "bootstrap",
    "compare",
    "compute",
    "evaluate",
    "expand",
    "sketch",
]

# Analyses are imported when they are asked for: `omniou eval` needs none. Name -> module.
_LATE = {
    **dict.fromkeys(("Comparison", "Interval", "bootstrap", "compare"), "_bootstrap"),
    **dict.fromkeys(("Sketch", "sketch"), "_sketch"),
    "Breakdown": "breakdown",
    "Calibration": "calibration",
    "Confusion": "confusion",
    "LRP": "lrp",
    "Matches": "matches",
    "OperatingPoints": "operating",
    "expand": "hierarchy",
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        msg = f"module 'omniou.detection' has no attribute {name!r}"
        raise AttributeError(msg)
    found = globals()[name] = getattr(importlib.import_module(f"omniou.detection.{_LATE[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
