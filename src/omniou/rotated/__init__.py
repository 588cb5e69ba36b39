"""Rotated rectangles: formats in, scores out.

A rectangle has a centre, two sides and an angle in radians. The angle is positive from x towards y, which is clockwise
on a screen with y down. All functions take arrays like `omniou.boxes`, in one of the formats:

- ``cxcywhr`` (default): centre, sides, angle;
- ``xywhr``: first corner, sides, angle, by torchvision's name: the top-left corner before the turn;
- ``xyxyxyxy``: four corners along the outline, in either direction. A quadrilateral that is not a rectangle becomes
  the rectangle with the means of opposite edges as its sides: to compare the quadrilaterals, use `omniou.polygons`.

Libraries measure angles differently; `convert` takes their unit and their direction of rotation:

- degrees, counterclockwise on a screen: torchvision, detectron2 (``unit="degrees", clockwise=False``);
- degrees, clockwise: powerboxes; radians, clockwise: mmrotate, ultralytics, OpenCV's boxes after conversion.

Scores of the table `omniou.scores` whose terms exist for rectangles are functions: ``rotated.iou``, ``rotated.giou``
and so on. The intersection is a closed form without tolerances, exact to rounding, also for rectangles that nearly
coincide. The hull of ``giou`` is the convex hull of both. For two upright boxes, it is smaller than the enclosing box
of `boxes.giou`. The enclosing rectangle of ``diou`` and ``ciou`` lies along the sides of one of the rectangles, the
smaller of the two choices: at equal angles both scores equal `omniou.boxes`.
"""

from typing import TYPE_CHECKING

from omniou._catalogue.calls import attributes_of
from omniou._catalogue.geometries.rotated import GEOMETRY
from omniou.rotated import _written
from omniou.rotated._written import *  # noqa: F403  (all functions that follow from declarations)

__all__ = ["GEOMETRY"]
__all__ += _written.__all__

if not TYPE_CHECKING:
    __getattr__, __dir__ = attributes_of(__name__, __all__)
