"""Rotated rectangles: formats in, scores out.

A rectangle has a centre, two sides and an angle in radians. The angle is positive from x towards y, which is clockwise
on a screen whose y points down. All functions read formats and arrays as `omniou.boxes` does:

- ``cxcywhr`` (default): centre, sides, angle;
- ``xywhr``: first corner, sides, angle, as torchvision calls it: the corner that is low in x and y before the turn;
- ``xyxyxyxy``: four corners along the outline, either way round. Of a quadrilateral that is no rectangle, the rectangle
  with the means of opposite edges as its sides: `omniou.polygons` compares such shapes as they are.

Peers measure angles differently; `convert` takes their unit and their sense of rotation:

- degrees, counterclockwise on a screen: torchvision, detectron2 (``unit="degrees", clockwise=False``);
- degrees, clockwise: powerboxes; radians, clockwise: mmrotate, ultralytics, OpenCV's boxes after conversion.

The scores are those of the table `omniou.scores` whose terms rectangles have: ``rotated.iou``, ``rotated.giou`` and so
on. The intersection is a closed form without tolerances, exact to rounding also for rectangles that nearly coincide.
The hull of ``giou`` is the convex hull of both, which of two upright boxes is smaller than the enclosing box that
`boxes.giou` takes. The enclosing rectangle of ``diou`` and ``ciou`` is the smaller one of those along the sides of
either rectangle: at equal angles both scores are those of `omniou.boxes`.
"""

from omniou._catalogue.functions import attributes_of, functions_of
from omniou._catalogue.geometries.rotated import GEOMETRY

_FUNCTIONS = functions_of(GEOMETRY)
globals().update(_FUNCTIONS)

__all__ = ["GEOMETRY"]
__all__ += list(_FUNCTIONS)
__getattr__, __dir__ = attributes_of(GEOMETRY, __all__)
