"""Every score of `omniou.rotated` as a loss of rotated rectangles, 1 - score.

There is a function for each: ``losses.rotated.giou`` and so on. All take ``format`` and ``eps`` as the scores do, and
``weight``, ``where`` and ``reduction`` as `omniou.losses` does. Angles may have any number of turns: the gradient by an
angle is that of the rectangle.
"""

from omniou._catalogue.functions import loss_functions
from omniou._catalogue.geometries.rotated import GEOMETRY
from omniou._lib import near

_FUNCTIONS = loss_functions(GEOMETRY, module=__name__)
globals().update(_FUNCTIONS)

__all__ = list(_FUNCTIONS)
__getattr__, __dir__ = near.attributes(__name__, __all__)
