"""Losses of masks, for semantic segmentation, for any library with gradients.

Predictions have the shape (B, C, ...), images and classes first, with one or more axes of pixels; ``class_axis`` names
another axis of classes, and binary masks have one class. ``activation`` is "none" for probabilities, "sigmoid" for
logits of independent classes, and "softmax" for logits of exclusive classes. The target has integer labels (B, ...),
0 and 1 for one class; or a mask of each class, in the shape of the predictions, with booleans or numbers in [0, 1].

Masks outside [0, 1], such as 0 and 255, and labels of one class that are neither 0, 1 nor ignored, raise an error. On
devices other than the CPU and in compiled or traced functions, omniou cannot check values: they make the loss NaN.

The values equal 1 - `omniou.masks.soft_iou` and 1 - `soft_dice`; gradients are finite, also for empty and perfect
masks.
"""

from typing import TYPE_CHECKING

from omniou._lib import near
from omniou.losses._pixels import boundary, check, lovasz_hinge, lovasz_softmax
from omniou.losses._written import masks as _written
from omniou.losses._written.masks import *  # noqa: F403  (all functions that follow from declarations)

__all__ = ["boundary", "check", "lovasz_hinge", "lovasz_softmax"]
__all__ += _written.__all__


if not TYPE_CHECKING:
    __getattr__, __dir__ = near.attributes(__name__, __all__)
