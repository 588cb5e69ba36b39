"""Every score of `omniou.rotated` as a loss of rotated rectangles, 1 - score.

There is a function for each score: ``losses.rotated.giou`` and so on. All take ``format`` and ``eps`` like the scores,
and ``weight``, ``where`` and ``reduction`` like `omniou.losses`. Angles may have any number of turns: the gradient is
the same.
"""

from omniou._catalogue.functions import loss_functions
from omniou._catalogue.geometries.rotated import GEOMETRY
from omniou._lib import near

_FUNCTIONS = loss_functions(GEOMETRY, module=__name__)
globals().update(_FUNCTIONS)

__all__ = list(_FUNCTIONS)
__getattr__, __dir__ = near.attributes(__name__, __all__)
