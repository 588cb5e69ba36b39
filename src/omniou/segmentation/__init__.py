"""Semantic segmentation: confusion counts of label maps, and the scores that follow from them.

`confusion` counts the pixels of each class by predicted class. Add the counts of batches, shards and devices. The other
functions compute IoU, Dice, accuracy, precision and recall from counts: for each class, or averaged over classes,
images or the data set. Only `check` needs values, so all other functions work under `jax.jit`.
"""

from omniou._catalogue.pixel_functions import class_functions
from omniou._lib import near
from omniou._lib.split_counts import SplitCounts
from omniou.segmentation._confusion import check, confusion
from omniou.segmentation._scores import accuracy, frequency_weighted_iou

_FUNCTIONS = class_functions()
globals().update(_FUNCTIONS)

__all__ = ["SplitCounts", "accuracy", "check", "confusion", "frequency_weighted_iou"]
__all__ += list(_FUNCTIONS)
__getattr__, __dir__ = near.attributes(__name__, __all__)
