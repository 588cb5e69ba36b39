"""Every score of `omniou.polygons` as a loss of polygons, 1 - score.

There is a function for each: ``losses.polygons.giou`` and so on. All take ``eps``, ``weight``, ``where`` and
``reduction`` as `omniou.losses` does.
"""

from omniou._catalogue.functions import loss_functions
from omniou._catalogue.geometries.polygons import GEOMETRY
from omniou._lib import near

_FUNCTIONS = loss_functions(GEOMETRY, module=__name__)
globals().update(_FUNCTIONS)

__all__ = list(_FUNCTIONS)
__getattr__, __dir__ = near.attributes(__name__, __all__)
