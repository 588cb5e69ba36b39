"""Masks as arrays of pixels, of any library. For masks as run lengths, far smaller and faster, see `omniou.rle`.

A mask is the last two axes of an array, height and width: booleans, integers of which all but 0 are on, or
probabilities with a ``threshold``. All scores go mask by mask, or through `omniou.pairwise` over all pairs of two sets.
"""

from omniou.masks._boundary import boundary, boundary_f, boundary_iou, trimap_iou
from omniou.masks._graded import check, graded, mean, reading
from omniou.masks._scores import (
    area,
    dice,
    intersection,
    iof,
    iou,
    pairwise_iou,
    soft_dice,
    soft_iou,
    tversky,
)
from omniou.masks._shapes import from_boxes, from_polygons, from_rotated
from omniou.masks._surface import average_surface_distance, hausdorff, signed_distance

__all__ = [
    "area",
    "average_surface_distance",
    "boundary",
    "boundary_f",
    "boundary_iou",
    "check",
    "dice",
    "from_boxes",
    "from_polygons",
    "from_rotated",
    "graded",
    "hausdorff",
    "intersection",
    "iof",
    "iou",
    "mean",
    "pairwise_iou",
    "reading",
    "signed_distance",
    "soft_dice",
    "soft_iou",
    "trimap_iou",
    "tversky",
]
