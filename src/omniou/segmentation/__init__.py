"""Semantic segmentation: confusion counts of label maps, and the scores that follow from them.

`confusion` counts the pixels of each class by what was predicted; counts of batches, shards and devices are added. From
counts come IoU, Dice, accuracy, precision and recall: of each class, or averaged over classes, over images or over the
data set, as the options say. Nothing looks at values but `check`, so all else works under `jax.jit`.
"""

from omniou.segmentation._confusion import check, confusion
from omniou.segmentation._scores import accuracy, dice, frequency_weighted_iou, iou, precision, recall
from omniou.segmentation._split import SplitCounts

__all__ = [
    "SplitCounts",
    "accuracy",
    "check",
    "confusion",
    "dice",
    "frequency_weighted_iou",
    "iou",
    "precision",
    "recall",
]
