"""Every score of `omniou.scores` as a loss of boxes, 1 - score, for whatever library takes the gradient.

There is a function for each: ``losses.iou``, ``losses.giou`` and so on. All take ``format``, ``offset``, ``eps`` and
``image_size`` as `omniou.boxes` does, ``weight``, ``where`` and ``reduction``, and ``inverted``: what becomes of a
predicted box whose high corner lies below its low one. By default it costs how far it is inverted, so that a net that
puts out raw corners learns to turn it round. ``power`` and ``inner`` are those of the scores, ``focal`` multiplies each
loss by IoU to that power, and ``normalizer`` takes the place of the count in a mean.

`l1`, `smooth_l1` and `balanced_l1` compare coordinates. `get` finds a loss by its name, `running_mean` is the state of
Wise-IoU. The losses of Gaussians (`probiou`, `gwd`, `kld`, ...) are explained in `omniou.gaussian`.

`omniou.losses.rotated`, `omniou.losses.polygons` and `omniou.losses.boxes3d` have the losses of rotated rectangles, of
polygons and of 3-D boxes with a yaw, `omniou.losses.keypoints` that of keypoints, `omniou.losses.masks` those of
segmentation.
"""

from omniou._catalogue.functions import loss_functions
from omniou._catalogue.geometries.boxes import GEOMETRY
from omniou._catalogue.shape_options import Inverted, Reduction
from omniou._lib import near
from omniou.losses import boxes3d, keypoints, masks, polygons, rotated
from omniou.losses._coordinates import balanced_l1, l1, smooth_l1
from omniou.losses._get import BY_NAME, get
from omniou.losses._running_mean import running_mean

_FUNCTIONS = loss_functions(GEOMETRY, module=__name__)
globals().update(_FUNCTIONS)
BY_NAME.update(_FUNCTIONS | {"l1": l1, "smooth_l1": smooth_l1, "balanced_l1": balanced_l1})

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
__all__ += list(_FUNCTIONS)
__getattr__, __dir__ = near.attributes(__name__, __all__)
