"""Upright 3-D boxes with a yaw: formats in, scores out.

A box stands upright on the plane of x and y, and is turned about z. Angles are radians, positive from x towards y. All
functions take arrays like `omniou.boxes`, in one of the formats:

- ``xyzlwhr`` (default): centre x, y, z; length along the heading, width, height along z; yaw, the angle of the heading.
  Waymo's boxes are these (center_x, center_y, center_z, length, width, height, heading), and OpenPCDet's;
- ``kitti``: height, width, length, x, y, z, rotation_y, the fields of KITTI's label files. The location is the centre
  of the bottom, in the camera's axes: x right, y down, z forward;
- ``nuscenes``: centre x, y, z; width, length, height (the order of its ``size``); quaternion w, x, y, z. Of a rotation
  that is not a pure yaw, the yaw is used, the direction of the length seen from above; `check` reports it.

KITTI's camera frame becomes an upright one by an exchange of axes: x stays, y is KITTI's z, z is minus KITTI's y. The
yaw is then minus ``rotation_y``, so only the height of the centre is rounded. KITTI's Velodyne frame differs by a
quarter turn, which does not change overlaps. Boxes in mmdet3d's LiDAR frame have their z at the bottom: add half of the
height.

Scores of the table `omniou.scores` whose terms exist for these boxes are functions: ``boxes3d.iou``, ``boxes3d.giou``
and so on. Areas are volumes. `bev_iou` is the IoU of the footprints, in bird's eye view. The intersection is the
intersection of the footprints, by the closed form of `omniou.rotated`, times the overlap in z. It is exact to rounding,
also for boxes that nearly coincide. The hull of ``giou`` is the convex hull of both footprints times the span in z.
``diou`` divides by the squared diagonal of a box around both, turned like one of them: the smaller of the two.
"""

from typing import TYPE_CHECKING

from omniou._catalogue.calls import attributes_of
from omniou._catalogue.geometries.boxes3d import BEV, GEOMETRY
from omniou.boxes3d import _written
from omniou.boxes3d._written import *  # noqa: F403  (all functions that follow from declarations)

__all__ = ["BEV", "GEOMETRY"]
__all__ += _written.__all__

if not TYPE_CHECKING:
    __getattr__, __dir__ = attributes_of(__name__, __all__)
