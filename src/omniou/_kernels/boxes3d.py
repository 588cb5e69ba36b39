"""Upright 3-D boxes with a yaw: footprints, which are rotated rectangles, and intervals of z."""

import math
from typing import Any, NamedTuple

from omniou._kernels import rotated
from omniou._kernels.arithmetic import magnitude, relu
from omniou._kernels.boxes import Bounds
from omniou._kernels.rotated import Rotated, RotatedTerms
from omniou._lib import backends
from omniou._lib.arrays import cast, stacked_columns_of
from omniou._lib.types import Namespace

# The largest share of a quaternion's length that x and y of a pure yaw may have: a tilt of about one degree.
TILT = 0.01
_TWO_TURNS = 4.0 * math.pi


class Boxes3D(NamedTuple):
    """The canonical form, (...) each: the fields of the footprint, as `Rotated` has them, and three more."""

    x: Any  # of the centre
    y: Any
    w: Any  # half sides of the footprint, at least 0: the first is along the heading
    h: Any
    angle: Any
    cos: Any
    sin: Any
    area: Any  # of the footprint
    z: Any  # of the centre
    d: Any  # half of the height, at least 0
    volume: Any


class Stated(NamedTuple):
    """Boxes as they are stated: sides may be below 0."""

    footprint: Rotated
    z: Any  # of the centre
    d: Any  # half of the height


def canonical(columns: Any, _image_sides: Any, /, *, layout: str, xp: Namespace) -> Boxes3D:
    """(7, ...) or (10, ...) columns of boxes -> Boxes3D of (...)."""
    stated = _read(columns, layout=layout, xp=xp)
    around, d = rotated.proper(stated.footprint, xp=xp), relu(stated.d, xp=xp)
    return Boxes3D(*around, stated.z, d, around.area * (2.0 * d))


def footprint(boxes: Boxes3D, /) -> Rotated:
    """The rectangles in the plane of x and y."""
    return Rotated(*boxes[: len(Rotated._fields)])


def outline(boxes: Boxes3D, /, *, xp: Namespace) -> list[tuple[Any, Any]]:
    """Four corners of the footprint, each x and y (...)."""
    return rotated.outline(footprint(boxes), xp=xp)


def _read(columns: Any, /, *, layout: str, xp: Namespace) -> Stated:
    """(7, ...) or (10, ...) -> boxes with sides as they are stated."""
    if layout == "kitti":
        # The camera's axes are x right, y down, z forward: x, z and -y are a frame whose z points up.
        height, w, length, x, down, forward, turn = (columns[k, ...] for k in range(7))
        d = 0.5 * height
        return Stated(rotated.of_centre(x, forward, length, w, -turn, xp=xp), d - down, d)
    if layout == "nuscenes":
        x, y, z, w, length, height = (columns[k, ...] for k in range(6))
        yaw = _yaw(*(columns[k, ...] for k in range(6, 10)), xp=xp)
    else:
        x, y, z, length, w, height, yaw = (columns[k, ...] for k in range(7))
    return Stated(rotated.of_centre(x, y, length, w, yaw, xp=xp), z, 0.5 * height)


def _yaw(w: Any, x: Any, y: Any, z: Any, /, *, xp: Namespace) -> Any:
    """Quaternions (...) of any length -> the angle of the turned x axis, seen from above, in [-pi, pi]."""
    along, across = (w * w + x * x) - (y * y + z * z), 2.0 * (w * z + x * y)
    # The derivative of atan2 is NaN at (0, 0): a heading straight up, or no quaternion at all.
    upward = along * along + across * across < float(xp.finfo(along.dtype).smallest_normal)
    return xp.atan2(xp.where(upward, 0.0, across), xp.where(upward, 1.0, along))


def _write(stated: Stated, /, *, layout: str, xp: Namespace) -> Any:
    """The inverse of `_read`: (..., K)."""
    r, z, d = stated
    length, w, height = 2.0 * r.w, 2.0 * r.h, 2.0 * d
    if layout == "kitti":
        columns = [height, w, length, r.x, d - z, r.y, -r.angle]
    elif layout == "nuscenes":
        none, half = xp.zeros_like(r.angle), 0.5 * r.angle
        columns = [r.x, r.y, z, w, length, height, xp.cos(half), none, none, xp.sin(half)]
    else:
        columns = [r.x, r.y, z, length, w, height, r.angle]
    return xp.stack(columns, axis=-1)


def rows(boxes: Boxes3D, /, *, xp: Namespace) -> Any:
    """Boxes of (...) -> (..., 7), as "xyzlwhr"."""
    return _write(Stated(footprint(boxes), boxes.z, boxes.d), layout="xyzlwhr", xp=xp)


def bounds(boxes: Boxes3D, /, *, xp: Namespace) -> Bounds:
    """Upright boxes without a turn around boxes, with the volumes of these."""
    around = footprint(boxes)
    centre = xp.stack([boxes.x, boxes.y, boxes.z])
    half = xp.stack([*rotated.extents(around, around.cos, around.sin, xp=xp), boxes.d])
    return Bounds(centre - half, centre + half, boxes.volume)


def bounds_in_plane(boxes: Boxes3D, /, *, xp: Namespace) -> Bounds:
    """Upright rectangles without a turn around footprints, with the areas of these."""
    return rotated.bounds(footprint(boxes), xp=xp)


class FootprintTerms(RotatedTerms):
    """The terms of the footprints of two sets of boxes (...) that broadcast: heights have no effect."""

    def __init__(self, a: Boxes3D, b: Boxes3D, /, *, xp: Namespace) -> None:
        super().__init__(footprint(a), footprint(b), xp=xp)


class Boxes3DTerms:
    """The terms of two sets of boxes (...) that broadcast: see `scores.Terms`. Areas are volumes."""

    def __init__(self, a: Boxes3D, b: Boxes3D, /, *, xp: Namespace) -> None:
        self._a, self._b, self._xp = a, b, xp
        self._plane = RotatedTerms(footprint(a), footprint(b), xp=xp)
        self.area_a, self.area_b = a.volume, b.volume
        self._z, self._taller, self._lower = a.z - b.z, 2.0 * xp.maximum(a.d, b.d), 2.0 * xp.minimum(a.d, b.d)
        self._both = a.d + b.d

    def intersection(self) -> Any:
        xp = self._xp
        # Neither factor exceeds that of either box, rounding included, and so the volume exceeds neither.
        shared = xp.minimum(self._lower, self._both - magnitude(self._z, xp=xp))
        return self._plane.intersection() * relu(shared, xp=xp)

    def hull(self) -> Any:
        """The convex hull of both footprints times the span in z."""
        return self._plane.hull() * self._span()

    def hull_diagonal_squared(self) -> Any:
        """The squared diagonal of the smaller upright box around both that is turned as one of them."""
        span = self._span()
        return self._plane.hull_diagonal_squared() + span * span

    def centre_distance_squared(self) -> Any:
        return self._plane.centre_distance_squared() + self._z * self._z

    def scaled(self, ratio: float) -> "Boxes3DTerms":
        """Terms of both boxes, scaled about their centres."""
        one, other = (
            x._replace(w=ratio * x.w, h=ratio * x.h, area=ratio**2 * x.area, d=ratio * x.d, volume=ratio**3 * x.volume)
            for x in (self._a, self._b)
        )
        return Boxes3DTerms(one, other, xp=self._xp)

    def _span(self) -> Any:
        """The length in z of both together, and of what is between them."""
        return self._xp.maximum(self._taller, self._both + magnitude(self._z, xp=self._xp))


def volume(x: Any, _image_sides: Any, /, *, layout: str, dtypes: Any, xp: Namespace) -> Any:
    """(..., K) -> (...)."""
    compute, result = dtypes
    return cast(
        canonical(stacked_columns_of(x, dtype=compute, xp=xp), None, layout=layout, xp=xp).volume, result, xp=xp
    )


def corners(x: Any, _image_sides: Any, /, *, layout: str, dtypes: Any, xp: Namespace) -> Any:
    """(..., K) -> (..., 8, 3)."""
    compute, result = dtypes
    around, z, d = _read(stacked_columns_of(x, dtype=compute, xp=xp), layout=layout, xp=xp)
    places = [(around.x + px, around.y + py) for px, py in rotated.corners(around)]
    points = [xp.stack([px, py, level], axis=-1) for level in (z - d, z + d) for px, py in places]
    return cast(xp.stack(points, axis=-2), result, xp=xp)


def convert(x: Any, _image_sides: Any, /, *, layouts: tuple[str, str], dtypes: Any, xp: Namespace) -> Any:
    """(..., K) -> (..., L)."""
    compute, result = dtypes
    old, new = layouts
    stated = _read(stacked_columns_of(x, dtype=compute, xp=xp), layout=old, xp=xp)
    return cast(backends.contiguous(_write(stated, layout=new, xp=xp), xp=xp), result, xp=xp)


def enclosing(a: Any, b: Any, _image_sides: Any, /, *, layout: str, dtypes: Any, xp: Namespace) -> Any:
    """(..., K), (..., K) -> the smaller upright box (..., 7) around both that is turned as one of them."""
    compute, result = dtypes
    a, b = (canonical(stacked_columns_of(x, dtype=compute, xp=xp), None, layout=layout, xp=xp) for x in (a, b))
    x, y, length, w, yaw = rotated.smaller_around(footprint(a), footprint(b), xp=xp)
    low, high = xp.minimum(a.z - a.d, b.z - b.d), xp.maximum(a.z + a.d, b.z + b.d)
    columns = xp.broadcast_arrays(x, y, 0.5 * (low + high), length, w, high - low, yaw)
    return cast(xp.stack(columns, axis=-1), result, xp=xp)


def doubts(columns: Any, /, *, layout: str, xp: Namespace) -> dict[str, Any]:
    """(7, ...) or (10, ...) -> boxes that are most likely meant otherwise, by words for them (...)."""
    marks = {"have a side below 0, and overlap nothing": _inverted(columns, layout=layout, xp=xp)}
    if layout != "nuscenes":
        words = "have an angle beyond two turns: are they in degrees?"
        marks[words] = xp.abs(columns[6, ...]) > _TWO_TURNS
    return marks


def _inverted(columns: Any, /, *, layout: str, xp: Namespace) -> Any:
    return xp.any((columns[:3, ...] if layout == "kitti" else columns[3:6, ...]) < 0, axis=0)


def faults(x: Any, _image_sides: Any, /, *, layout: str, dtype: Any, xp: Namespace) -> dict[str, Any]:
    """(..., K) boxes -> what can be wrong with one, and where it is: (...) booleans."""
    columns = stacked_columns_of(x, dtype=dtype, xp=xp)
    bad = {
        "is not finite: NaN or infinity": xp.any(~xp.isfinite(columns), axis=0),
        "has a side below 0": _inverted(columns, layout=layout, xp=xp),
    }
    if layout != "nuscenes":
        return bad | {"has an angle beyond two turns, as degrees have": xp.abs(columns[6, ...]) > _TWO_TURNS}
    w, x, y, z = (xp.abs(columns[k, ...]) for k in range(6, 10))
    upright, tilt = xp.maximum(w, z), xp.maximum(x, y)
    return bad | {
        "has a quaternion of length 0": (upright <= 0) & (tilt <= 0),
        "has a quaternion that is no pure yaw": tilt > TILT * upright,
    }
