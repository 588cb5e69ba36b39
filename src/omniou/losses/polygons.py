"""Every score of `omniou.polygons` as a loss of polygons, 1 - score.

There is a function for each: ``losses.polygons.giou`` and so on. All take ``eps``, ``weight``, ``where`` and
``reduction`` as `omniou.losses` does.
"""

from typing import TYPE_CHECKING

from omniou._lib import near
from omniou.losses._written import polygons as _written
from omniou.losses._written.polygons import *  # noqa: F403  (all functions that follow from declarations)

__all__: list[str] = []
__all__ += _written.__all__


if not TYPE_CHECKING:
    __getattr__, __dir__ = near.attributes(__name__, __all__)
