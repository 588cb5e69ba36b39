"""How well a detector finds objects: average precision and recall by COCO's rules, on flat columns of any library.

A data set is two tables: `Targets` and `Detections`, each a set of columns with one row for each box of all images.
`evaluate` compares them under a `Protocol` and gives a `Result`.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from omniou.detection._breakdown import Breakdown
    from omniou.detection._calibration import Calibration
    from omniou.detection._confusion import Confusion
    from omniou.detection._evaluator import Evaluator, compute, evaluate
    from omniou.detection._hierarchy import expand
    from omniou.detection._inputs import Detections, Targets
    from omniou.detection._lrp import LRP
    from omniou.detection._matches import Matches
    from omniou.detection._operating import OperatingPoints
    from omniou.detection._presets import KITTI, LVIS, OPEN_IMAGES, OPEN_IMAGES_CHALLENGE, PRESETS, VOC2007, VOC2010
    from omniou.detection._protocol import COCO, AreaRange, Protocol
    from omniou.detection._resampling import ClassComparison, Comparison, Interval, bootstrap, compare, compare_classes
    from omniou.detection._result import Result
    from omniou.detection._sketches import Sketch, sketch

__all__ = [
    "COCO",
    "KITTI",
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
    "ClassComparison",
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
    "compare_classes",
    "compute",
    "evaluate",
    "expand",
    "sketch",
]

# Module of each name: it is imported when the name is first asked for.
_MODULES = {
    "Breakdown": "_breakdown",
    "Calibration": "_calibration",
    "Detections": "_inputs",
    "Targets": "_inputs",
    "Confusion": "_confusion",
    "Evaluator": "_evaluator",
    "compute": "_evaluator",
    "evaluate": "_evaluator",
    "expand": "_hierarchy",
    "LRP": "_lrp",
    "Matches": "_matches",
    "OperatingPoints": "_operating",
    "KITTI": "_presets",
    "LVIS": "_presets",
    "OPEN_IMAGES": "_presets",
    "OPEN_IMAGES_CHALLENGE": "_presets",
    "PRESETS": "_presets",
    "VOC2007": "_presets",
    "VOC2010": "_presets",
    "COCO": "_protocol",
    "AreaRange": "_protocol",
    "Protocol": "_protocol",
    "ClassComparison": "_resampling",
    "Comparison": "_resampling",
    "Interval": "_resampling",
    "bootstrap": "_resampling",
    "compare": "_resampling",
    "compare_classes": "_resampling",
    "Result": "_result",
    "Sketch": "_sketches",
    "sketch": "_sketches",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        msg = f"module 'omniou.detection' has no attribute {name!r}"
        raise AttributeError(msg)
    value = globals()[name] = getattr(importlib.import_module(f"omniou.detection.{_MODULES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
