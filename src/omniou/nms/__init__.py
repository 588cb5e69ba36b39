"""Suppression and fusion of overlapping detections: NMS, soft and matrix NMS."""

from omniou._lib import near
from omniou.nms._hard import hard
from omniou.nms._results import Fixed, Rescored
from omniou.nms._soft import matrix, soft

__all__ = ["Fixed", "Rescored", "hard", "matrix", "soft"]
__getattr__, __dir__ = near.attributes(__name__, __all__)
