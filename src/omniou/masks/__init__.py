"""Scores of masks that are arrays of pixels. For masks of run lengths, which are smaller and faster, see `omniou.rle`.

A mask is the last two axes of an array, height and width: booleans, integers (0 is off), or probabilities with a
``threshold``. The scores compare mask by mask, or with `omniou.pairwise` all pairs of two sets.
"""

from typing import TYPE_CHECKING

from omniou._catalogue.calls import attributes_of
from omniou.masks import _written
from omniou.masks._boundary import boundary, boundary_f
from omniou.masks._components import ComponentCounts, components
from omniou.masks._graded import check, graded, mean, reading
from omniou.masks._measures import area, intersection, pairwise_iou
from omniou.masks._shapes import from_boxes, from_polygons, from_rotated
from omniou.masks._surface import average_surface_distance, hausdorff, signed_distance
from omniou.masks._written import *  # noqa: F403  (all functions that follow from declarations)

__all__ = [
    "ComponentCounts",
    "area",
    "average_surface_distance",
    "boundary",
    "boundary_f",
    "check",
    "components",
    "from_boxes",
    "from_polygons",
    "from_rotated",
    "graded",
    "hausdorff",
    "intersection",
    "mean",
    "pairwise_iou",
    "reading",
    "signed_distance",
]
__all__ += _written.__all__

if not TYPE_CHECKING:
    __getattr__, __dir__ = attributes_of(__name__, __all__)
