"""Every score of `omniou.boxes3d` as a loss of upright 3-D boxes with a yaw, 1 - score.

There is a function for each score: ``losses.boxes3d.giou`` and so on. All take ``format`` and ``eps`` like the scores,
and ``weight``, ``where`` and ``reduction`` like `omniou.losses`. Yaws may have any number of turns: the gradient is the
same.
"""

from omniou._catalogue.functions import loss_functions
from omniou._catalogue.geometries.boxes3d import GEOMETRY
from omniou._lib import near

_FUNCTIONS = loss_functions(GEOMETRY, module=__name__)
globals().update(_FUNCTIONS)

__all__ = list(_FUNCTIONS)
__getattr__, __dir__ = near.attributes(__name__, __all__)
