"""Convex polygons of a fixed number of vertices: scores of their exact overlap.

A polygon is an array (..., V, 2) of vertices x, y along its outline, in either direction. Repeat vertices to pad
polygons with fewer vertices. All functions take arrays like `omniou.boxes`.

Scores of the table `omniou.scores` whose terms exist for polygons are functions: ``polygons.iou``, ``polygons.iof``,
``polygons.giou`` and so on. The intersection is a sum over pairs of edges in closed form, without clipping, sorting or
tolerances. It is exact to rounding, also for polygons that are not convex; the hull of ``giou`` is convex.
"""

from typing import TYPE_CHECKING

from omniou._catalogue.calls import attributes_of
from omniou._catalogue.geometries.polygons import GEOMETRY
from omniou.polygons import _written
from omniou.polygons._written import *  # noqa: F403  (all functions that follow from declarations)

__all__ = ["GEOMETRY"]
__all__ += _written.__all__

if not TYPE_CHECKING:
    __getattr__, __dir__ = attributes_of(__name__, __all__)
