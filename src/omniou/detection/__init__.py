"""How well a detector finds objects: average precision and recall by COCO's rules, on flat columns of any library.

A data set is two tables: `Targets` and `Detections`, each a set of columns with one row for each box of all images.
`evaluate` compares them under a `Protocol` and gives a `Result`.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from omniou.detection.breakdown import Breakdown
    from omniou.detection.calibration import Calibration
    from omniou.detection.columns import Detections, Targets
    from omniou.detection.confusion import Confusion
    from omniou.detection.evaluator import Evaluator, compute, evaluate
    from omniou.detection.hierarchy import expand
    from omniou.detection.lrp import LRP
    from omniou.detection.matches import Matches
    from omniou.detection.operating import OperatingPoints
    from omniou.detection.presets import LVIS, OPEN_IMAGES, OPEN_IMAGES_CHALLENGE, PRESETS, VOC2007, VOC2010
    from omniou.detection.protocol import COCO, AreaRange, Protocol
    from omniou.detection.resampling import Comparison, Interval, bootstrap, compare
    from omniou.detection.result import Result
    from omniou.detection.sketches import Sketch, sketch

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

# Module of each name: it is imported when the name is first asked for.
_MODULES = {
    "Breakdown": "breakdown",
    "Calibration": "calibration",
    "Detections": "columns",
    "Targets": "columns",
    "Confusion": "confusion",
    "Evaluator": "evaluator",
    "compute": "evaluator",
    "evaluate": "evaluator",
    "expand": "hierarchy",
    "LRP": "lrp",
    "Matches": "matches",
    "OperatingPoints": "operating",
    "LVIS": "presets",
    "OPEN_IMAGES": "presets",
    "OPEN_IMAGES_CHALLENGE": "presets",
    "PRESETS": "presets",
    "VOC2007": "presets",
    "VOC2010": "presets",
    "COCO": "protocol",
    "AreaRange": "protocol",
    "Protocol": "protocol",
    "Comparison": "resampling",
    "Interval": "resampling",
    "bootstrap": "resampling",
    "compare": "resampling",
    "Result": "result",
    "Sketch": "sketches",
    "sketch": "sketches",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        msg = f"module 'omniou.detection' has no attribute {name!r}"
        raise AttributeError(msg)
    found = globals()[name] = getattr(importlib.import_module(f"omniou.detection.{_MODULES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
