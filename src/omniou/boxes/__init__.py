"""Axis-aligned boxes in 1, 2 or 3 dimensions: formats in, scores out.

Every function takes arrays of any library that follows the array API standard (or nested lists), of shape
(..., 2 * D), and returns arrays of that library, on that device, in that floating dtype. omniou converts integers to
the widest float before any arithmetic, and computes float16 and bfloat16 in float32. Zero boxes give an empty result. A
box whose maximum corner lies below its minimum corner is empty. 0 / 0 is 0, and a NaN affects only its own element.

Each function describes formats of boxes and all other options: ``help(boxes.iou)``.

Each score of the table `omniou.scores` is a function: ``boxes.iou``, ``boxes.giou`` and so on.
"""

from typing import TYPE_CHECKING

from omniou._catalogue.calls import attributes_of
from omniou._catalogue.geometries.boxes import GEOMETRY, INTERVALS
from omniou.boxes import _written
from omniou.boxes._areas import intersection, union
from omniou.boxes._from_masks import from_masks
from omniou.boxes._written import *  # noqa: F403  (all functions that follow from declarations)

__all__ = ["GEOMETRY", "INTERVALS", "from_masks", "intersection", "union"]
__all__ += _written.__all__

if not TYPE_CHECKING:
    __getattr__, __dir__ = attributes_of(__name__, __all__)
