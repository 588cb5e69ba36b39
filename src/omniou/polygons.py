"""Convex polygons of a fixed number of vertices: scores of their exact overlap.

A polygon is an array (..., V, 2) of vertices x, y along its outline, in either direction. Repeat vertices to pad
polygons with fewer vertices. All functions take arrays like `omniou.boxes`.

Scores of the table `omniou.scores` whose terms exist for polygons are functions: ``polygons.iou``, ``polygons.iof``,
``polygons.giou`` and so on. The intersection is a sum over pairs of edges in closed form, without clipping, sorting or
tolerances. It is exact to rounding, also for polygons that are not convex; the hull of ``giou`` is convex.
"""

from omniou._catalogue.functions import attributes_of, functions_of
from omniou._catalogue.geometries.polygons import GEOMETRY

_FUNCTIONS = functions_of(GEOMETRY)
globals().update(_FUNCTIONS)

__all__ = ["GEOMETRY"]
__all__ += list(_FUNCTIONS)
__getattr__, __dir__ = attributes_of(GEOMETRY, __all__)
