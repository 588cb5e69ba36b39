"""Axis-aligned boxes in 1, 2 or 3 dimensions: formats in, scores out.

Every function takes arrays of any library that follows the array API standard (or nested lists), of shape
(..., 2 * D), and returns arrays of that library, on that device, in that floating dtype. Integers
are promoted to the widest float before any arithmetic; float16 and bfloat16 are computed in float32. Zero boxes
give an empty result. A box whose high corner lies below its low one is empty. 0 / 0 is 0, and a NaN stays in
its own element.

Formats of boxes and all other options are described in each function: ``help(boxes.iou)``.

The scores, one function each, are those of the table `omniou.scores`: ``boxes.iou``, ``boxes.giou`` and so on.
"""

from omniou._catalogue.functions import attributes_of, functions_of
from omniou._catalogue.geometries.boxes import GEOMETRY, INTERVALS
from omniou.boxes._areas import intersection, union
from omniou.boxes._from_masks import from_masks

_FUNCTIONS = functions_of(GEOMETRY)
globals().update(_FUNCTIONS)

__all__ = ["GEOMETRY", "INTERVALS", "from_masks", "intersection", "union"]
__all__ += list(_FUNCTIONS)
__getattr__, __dir__ = attributes_of(GEOMETRY, __all__)
