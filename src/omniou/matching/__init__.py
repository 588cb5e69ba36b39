"""Matching of detections and objects: which detection takes which object.

`greedy` takes the pair of the highest overlap first. A matcher gives the object of each detection, -1 for none, in an
array of a fixed size.
"""

from typing import TYPE_CHECKING

from omniou._lib import near
from omniou.matching._coco import CocoMatches, coco
from omniou.matching._greedy import greedy

__all__ = ["CocoMatches", "coco", "greedy"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = near.attributes(__name__, __all__)
