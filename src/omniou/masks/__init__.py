"""Masks as arrays of pixels, of any library. For masks as run lengths, far smaller and faster, see `omniou.rle`.

A mask is the last two axes of an array, height and width: booleans, integers of which all but 0 are on, or
probabilities with a ``threshold``. All scores go mask by mask, or through `omniou.pairwise` over all pairs of two sets.
"""

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

__all__ = [
    "area",
    "check",
    "dice",
    "graded",
    "intersection",
    "iof",
    "iou",
    "mean",
    "pairwise_iou",
    "reading",
    "soft_dice",
    "soft_iou",
    "tversky",
]
