"""Match detections to objects, and assign anchors in training.

`coco` has COCO's greedy rule, at several thresholds at once; `greedy` takes the pair of the highest overlap first;
`hungarian` finds the lowest total cost, such as `detr_cost`. Each returns the index of the object of each detection, or
-1, in an array of a fixed size.

`max_iou`, `atss`, `simota` and `task_aligned` assign the anchors of a detector to objects in training. They return
`Assigned`.
"""

from typing import TYPE_CHECKING

from omniou._lib import near

if TYPE_CHECKING:
    from omniou.matching._assigned import Assigned
    from omniou.matching._atss import atss
    from omniou.matching._coco import CocoMatches, coco
    from omniou.matching._detr import detr_cost
    from omniou.matching._greedy import greedy
    from omniou.matching._hungarian import hungarian
    from omniou.matching._max_iou import max_iou
    from omniou.matching._simota import simota
    from omniou.matching._task_aligned import task_aligned

__all__ = [
    "Assigned",
    "CocoMatches",
    "atss",
    "coco",
    "detr_cost",
    "greedy",
    "hungarian",
    "max_iou",
    "simota",
    "task_aligned",
]

if not TYPE_CHECKING:
    # Late, since evaluations import COCO's greedy rule from here and no assigner.
    __getattr__, __dir__ = near.attributes(
        __name__,
        __all__,
        near.late_names(
            {
                "_assigned": ["Assigned"],
                "_atss": ["atss"],
                "_coco": ["CocoMatches", "coco"],
                "_detr": ["detr_cost"],
                "_greedy": ["greedy"],
                "_hungarian": ["hungarian"],
                "_max_iou": ["max_iou"],
                "_simota": ["simota"],
                "_task_aligned": ["task_aligned"],
            }
        ),
    )
