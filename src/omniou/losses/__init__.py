"""Losses of boxes: every score of `omniou.scores` as 1 - score, for any library with gradients.

There is a function for each score: ``losses.iou``, ``losses.giou`` and so on. All take ``format``, ``offset``, ``eps``,
``image_size``, ``power`` and ``inner`` like `omniou.boxes`, and ``weight``, ``where`` and ``reduction``. ``inverted``
is the treatment of predicted boxes whose maximum corner lies below the minimum corner: by default a penalty, so a
network that predicts corners learns to correct them. ``focal`` multiplies each loss by a power of IoU, and
``normalizer`` replaces the count in a mean.

`l1`, `smooth_l1` and `balanced_l1` compare coordinates. `get` finds a loss by its name, `running_mean` is the state of
Wise-IoU. The losses of Gaussians (`probiou`, `gwd`, `kld`, ...) are explained in `omniou.gaussian`.

`omniou.losses.rotated`, `omniou.losses.polygons`, `omniou.losses.boxes3d`, `omniou.losses.keypoints` and
`omniou.losses.masks` have the losses of rotated rectangles, polygons, 3-D boxes with a yaw, keypoints and segmentation.
"""

from typing import TYPE_CHECKING

from omniou._catalogue.shape_options import Inverted, Reduction
from omniou._lib import near
from omniou.losses import boxes3d, keypoints, masks, polygons, rotated
from omniou.losses._coordinates import balanced_l1, l1, smooth_l1
from omniou.losses._get import get
from omniou.losses._running_mean import running_mean
from omniou.losses._written import boxes as _written
from omniou.losses._written.boxes import *  # noqa: F403  (all functions that follow from declarations)

__all__ = [
    "Inverted",
    "Reduction",
    "balanced_l1",
    "boxes3d",
    "get",
    "keypoints",
    "l1",
    "masks",
    "polygons",
    "rotated",
    "running_mean",
    "smooth_l1",
]
__all__ += _written.__all__


if not TYPE_CHECKING:
    __getattr__, __dir__ = near.attributes(__name__, __all__)
