"""Evaluate detectors: average precision and recall by COCO's or other rules, from flat columns of any library.

A data set is two tables, `Targets` and `Detections`: sets of columns with one row for each box of all images.
`evaluate` compares them under a `Protocol` and returns a `Result`.
"""

from typing import TYPE_CHECKING

from omniou._lib import near

if TYPE_CHECKING:
    from omniou._inputs.hierarchy import expand
    from omniou._inputs.inputs import Detections, Targets
    from omniou._results.comparing import ClassComparison, Comparison
    from omniou._results.resampling import Interval
    from omniou.detection._evaluate import compute, evaluate
    from omniou.detection._evaluator import Evaluator
    from omniou.detection._presets import (
        ACTIVITYNET,
        COCO_KEYPOINTS,
        CROWDPOSE,
        HACS,
        KITTI,
        LVIS,
        OPEN_IMAGES,
        OPEN_IMAGES_CHALLENGE,
        PRESETS,
        THUMOS14,
        ULTRALYTICS,
        ULTRALYTICS_8_3,
        VOC2007,
        VOC2010,
    )
    from omniou.detection._protocol import COCO, AreaRange, Protocol
    from omniou.detection._result import Result
    from omniou.detection._suppression import fuse, nms
    from omniou.detection.analysis._breakdown import Breakdown
    from omniou.detection.analysis._calibration import Calibration
    from omniou.detection.analysis._comparing import bootstrap, compare_classes, compare_number
    from omniou.detection.analysis._confusion import Confusion
    from omniou.detection.analysis._heading import HeadingAP
    from omniou.detection.analysis._lrp import LRP
    from omniou.detection.analysis._one_point import OnePoint
    from omniou.detection.analysis._per_image import EmptyImages, TopK
    from omniou.detection.analysis._proposals import Proposals
    from omniou.detection.analysis._rates import FROC, MissRate
    from omniou.detection.analysis._referring import Referring
    from omniou.detection.curves._batch import BatchSummary
    from omniou.detection.curves._operating import OperatingPoints
    from omniou.detection.curves._ranked import PRCurve, average_precision, pr_curve
    from omniou.detection.curves._sketches import Sketch, sketch
    from omniou.detection.doctor._arrays import check
    from omniou.detection.matching._matches import Matches

__all__ = [
    "ACTIVITYNET",
    "COCO",
    "COCO_KEYPOINTS",
    "CROWDPOSE",
    "FROC",
    "HACS",
    "KITTI",
    "LRP",
    "LVIS",
    "OPEN_IMAGES",
    "OPEN_IMAGES_CHALLENGE",
    "PRESETS",
    "THUMOS14",
    "ULTRALYTICS",
    "ULTRALYTICS_8_3",
    "VOC2007",
    "VOC2010",
    "AreaRange",
    "BatchSummary",
    "Breakdown",
    "Calibration",
    "ClassComparison",
    "Comparison",
    "Confusion",
    "Detections",
    "EmptyImages",
    "Evaluator",
    "HeadingAP",
    "Interval",
    "Matches",
    "MissRate",
    "OnePoint",
    "OperatingPoints",
    "PRCurve",
    "Proposals",
    "Protocol",
    "Referring",
    "Result",
    "Sketch",
    "Targets",
    "TopK",
    "average_precision",
    "bootstrap",
    "check",
    "compare_classes",
    "compare_number",
    "compute",
    "evaluate",
    "expand",
    "fuse",
    "nms",
    "pr_curve",
    "sketch",
]

if not TYPE_CHECKING:
    # Modules are imported when one of their names is first asked for.
    __getattr__, __dir__ = near.attributes(
        __name__,
        __all__,
        near.late_names(
            {
                "_evaluate": ["compute", "evaluate"],
                "_evaluator": ["Evaluator"],
                "_presets": [
                    "ACTIVITYNET",
                    "COCO_KEYPOINTS",
                    "CROWDPOSE",
                    "HACS",
                    "KITTI",
                    "LVIS",
                    "OPEN_IMAGES",
                    "OPEN_IMAGES_CHALLENGE",
                    "PRESETS",
                    "THUMOS14",
                    "ULTRALYTICS",
                    "ULTRALYTICS_8_3",
                    "VOC2007",
                    "VOC2010",
                ],
                "_protocol": ["COCO", "AreaRange", "Protocol"],
                "_result": ["Result"],
                "_suppression": ["fuse", "nms"],
                "analysis._breakdown": ["Breakdown"],
                "analysis._calibration": ["Calibration"],
                "analysis._comparing": ["bootstrap", "compare_classes", "compare_number"],
                "analysis._confusion": ["Confusion"],
                "analysis._heading": ["HeadingAP"],
                "analysis._lrp": ["LRP"],
                "analysis._one_point": ["OnePoint"],
                "analysis._per_image": ["EmptyImages", "TopK"],
                "analysis._proposals": ["Proposals"],
                "analysis._rates": ["FROC", "MissRate"],
                "analysis._referring": ["Referring"],
                "omniou._results.comparing": ["ClassComparison", "Comparison"],
                "omniou._results.resampling": ["Interval"],
                "doctor._arrays": ["check"],
                "curves._batch": ["BatchSummary"],
                "curves._operating": ["OperatingPoints"],
                "curves._ranked": ["PRCurve", "average_precision", "pr_curve"],
                "curves._sketches": ["Sketch", "sketch"],
                "omniou._inputs.hierarchy": ["expand"],
                "omniou._inputs.inputs": ["Detections", "Targets"],
                "matching._matches": ["Matches"],
            }
        ),
    )
