"""Suppression, merging and fusion of overlapping detections: NMS, Soft-NMS, Matrix NMS, NMM and WBF.

`hard` keeps the best of the boxes that overlap, `soft` and `matrix` lower the scores of the others, `merge` encloses
them, and `weighted_fusion` averages them. Each takes any overlap as ``score=`` and compares by ``groups=``, such as
class and image. `hard`, `soft` and `matrix` also take rotated boxes, polygons, 3-D boxes, intervals and masks, and
have a form of fixed size for compilers.
"""

from typing import TYPE_CHECKING

from omniou._lib import near
from omniou.nms._fused import Fused
from omniou.nms._fusion import weighted_fusion
from omniou.nms._hard import hard
from omniou.nms._merge import merge
from omniou.nms._outputs import Fixed, Rescored
from omniou.nms._soft import matrix, soft

__all__ = ["Fixed", "Fused", "Rescored", "hard", "matrix", "merge", "soft", "weighted_fusion"]


if not TYPE_CHECKING:
    __getattr__, __dir__ = near.attributes(__name__, __all__)
