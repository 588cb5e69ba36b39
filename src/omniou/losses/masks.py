"""Losses of masks, for semantic segmentation, whatever library takes the gradient.

Predictions have the shape (B, C, ...), images and classes first, with one or more axes of pixels; ``class_axis`` names
another axis of classes, and binary masks have one class. ``activation`` says what they are: probabilities ("none"), or
logits of independent ("sigmoid") or exclusive ("softmax") classes. The target has labels (B, ...), integers, those of
one class being 0 and 1; or a mask of each class, of the shape of the predictions, booleans or numbers in [0, 1].

Masks outside [0, 1], such as of 0 and 255, and labels of one class that are neither 0, 1 nor ignored, raise. Where
values cannot be looked at, on devices other than the CPU and in compiled or traced functions, they make the loss NaN.

Values are those of `omniou.masks.soft_iou` and `soft_dice`; gradients are finite for empty and perfect masks as well.
"""

from omniou._catalogue.pixel_functions import mask_losses
from omniou._lib import near
from omniou.losses._pixels import boundary, check, lovasz_hinge, lovasz_softmax

_FUNCTIONS = mask_losses()
globals().update(_FUNCTIONS)

__all__ = ["boundary", "check", "lovasz_hinge", "lovasz_softmax"]
__all__ += list(_FUNCTIONS)
__getattr__, __dir__ = near.attributes(__name__, __all__)
