"""How well a detector finds objects: average precision and recall by COCO's rules, on flat columns of any library.

A data set is two tables: `Targets` and `Detections`, each a set of columns with one row for each box of all images.
`evaluate` compares them under a `Protocol` and gives a `Result`.
"""

from omniou.detection.bootstrap import Comparison, Interval, bootstrap, compare
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
from omniou.detection.result import Result
from omniou.detection.sketch import Sketch, sketch

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
