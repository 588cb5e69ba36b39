"""Losses, metrics and a callback for Keras 3, on any backend: torch, JAX or TensorFlow.

The same formulas run on all of them, in eager mode, in graphs and compiled, with equal values and gradients; these are
finite also for boxes that are empty, inverted, identical or disjoint. Losses and metrics are saved in ``.keras`` files;
import this module before such a file is loaded.

>>> import keras, numpy as np
>>> from omniou_integrations.keras import BoxIoU, DetectionCallback, GIoULoss
>>> x, y = np.random.rand(64, 3), np.tile([0.2, 0.2, 0.6, 0.8], (64, 1))
>>> model = keras.Sequential([keras.layers.Dense(4)])
>>> model.compile("adam", loss=GIoULoss(), metrics=[BoxIoU()])
>>> stop = keras.callbacks.EarlyStopping("val_giou", mode="max", patience=3)
>>> history = model.fit(x, y, epochs=2, verbose=0, callbacks=[DetectionCallback((x, y)), stop])
>>> sorted(history.history)
['box_iou', 'loss', 'val_giou', 'val_iou']
"""

from omniou._lib import extras

extras.check_adapter(__name__, "keras")

from omniou_integrations.keras import _written
from omniou_integrations.keras._callback import DetectionCallback
from omniou_integrations.keras._metrics import BoxIoU
from omniou_integrations.keras._segmentation import BinaryIoU, MeanIoU, SegmentationScore
from omniou_integrations.keras._written import *  # noqa: F403  (all losses of scores)

__all__ = ["BinaryIoU", "BoxIoU", "DetectionCallback", "MeanIoU", "SegmentationScore"]
__all__ += _written.__all__

# Saved models and the documentation name the place that users import from.
for _public in (BinaryIoU, BoxIoU, DetectionCallback, MeanIoU, SegmentationScore):
    _public.__module__ = __name__


def __dir__() -> list[str]:
    return __all__
