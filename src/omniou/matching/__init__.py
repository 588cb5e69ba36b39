"""Matching of detections and objects: which detection takes which object.

`coco` has COCO's greedy rule, at several thresholds at once; `greedy` takes the pair of the highest overlap first;
`hungarian` finds the lowest total cost, such as `detr_cost`. Each gives the object of each detection, -1 for none, in
an array of a fixed size.
"""

from typing import TYPE_CHECKING

from omniou._lib import near
from omniou.matching._coco import CocoMatches, coco
from omniou.matching._detr import detr_cost
from omniou.matching._greedy import greedy
from omniou.matching._hungarian import hungarian

__all__ = ["CocoMatches", "coco", "detr_cost", "greedy", "hungarian"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = near.attributes(__name__, __all__)
