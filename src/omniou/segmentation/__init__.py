"""Semantic segmentation: confusion counts of label maps, and the scores that follow from them.

`confusion` counts the pixels of each class by predicted class. Add the counts of batches, shards and devices. The other
functions compute IoU, Dice, accuracy, precision and recall from counts: for each class, or averaged over classes,
images or the data set. Only `check` needs values, so all other functions work under `jax.jit`.
"""

from typing import TYPE_CHECKING

from omniou._lib import near
from omniou._lib.split_counts import SplitCounts
from omniou.segmentation import _written
from omniou.segmentation._confusion import check, confusion
from omniou.segmentation._scores import accuracy, frequency_weighted_iou
from omniou.segmentation._written import *  # noqa: F403  (all functions that follow from declarations)

__all__ = ["SplitCounts", "accuracy", "check", "confusion", "frequency_weighted_iou"]
__all__ += _written.__all__


if not TYPE_CHECKING:
    __getattr__, __dir__ = near.attributes(__name__, __all__)
