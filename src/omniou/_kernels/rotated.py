"""Rotated rectangles, as centres, sides and directions."""

import math
from typing import Any, NamedTuple

from omniou._kernels.arithmetic import clamp, magnitude, mean_clamped, quotient, relu, total
from omniou._kernels.boxes import Bounds, aspect_difference
from omniou._kernels.gaussian import Gaussians
from omniou._kernels.polygons import hull_area
from omniou._lib import backends
from omniou._lib.arrays import axes, cast, stacked_columns_of
from omniou._lib.types import Namespace

# Signs of the half sides at the four corners, in the order of "xyxyxyxy".
CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1))
_TWO_TURNS = 4.0 * math.pi


class Rotated(NamedTuple):
    """The canonical form, (...) each."""

    x: Any  # of the centre
    y: Any
    w: Any  # half sides, at least 0
    h: Any
    angle: Any
    cos: Any
    sin: Any
    area: Any


def canonical(columns: Any, _image_sides: Any, /, *, layout: str, xp: Namespace) -> Rotated:
    """(5, ...) or (8, ...) columns of rectangles -> Rotated of (...)."""
    return proper(_read(columns, layout=layout, xp=xp), xp=xp)


def proper(stated: Rotated, /, *, xp: Namespace) -> Rotated:
    """Rectangles of stated sides -> the same with sides of at least 0."""
    w, h = relu(stated.w, xp=xp), relu(stated.h, xp=xp)
    return stated._replace(w=w, h=h, area=4.0 * w * h)


def of_centre(x: Any, y: Any, w: Any, h: Any, angle: Any, /, *, xp: Namespace) -> Rotated:
    """Centres, whole sides and angles (...) -> Rotated of (...), with sides as they are stated."""
    w, h = 0.5 * w, 0.5 * h
    return Rotated(x, y, w, h, angle, xp.cos(angle), xp.sin(angle), 4.0 * w * h)


def _read(columns: Any, /, *, layout: str, xp: Namespace) -> Rotated:
    """(5, ...) or (8, ...) -> the same with sides as they are stated, which may be below 0."""
    if layout == "xyxyxyxy":
        return _of_corners(columns, xp=xp)
    r = of_centre(*(columns[k, ...] for k in range(5)), xp=xp)
    if layout == "xywhr":
        return r._replace(x=r.x + (r.w * r.cos - r.h * r.sin), y=r.y + (r.w * r.sin + r.h * r.cos))
    return r


def _of_corners(columns: Any, /, *, xp: Namespace) -> Rotated:
    """(8, ...) -> the rectangle whose sides are the means of opposite edges."""
    x, y = ([columns[2 * k + axis, ...] for k in range(4)] for axis in (0, 1))
    (ux, vx), (uy, vy) = ((0.5 * (p[1] - p[0] + p[2] - p[3]), 0.5 * (p[3] - p[0] + p[2] - p[1])) for p in (x, y))
    # From the first corner, so that corners far from the origin keep their differences.
    cx, cy = (p[0] + 0.25 * ((p[1] - p[0]) + (p[2] - p[0]) + (p[3] - p[0])) for p in (x, y))
    w, h = _length(ux, uy, xp=xp), _length(vx, vy, xp=xp)
    # A side without length has no direction: that of the other, turned back, stands in.
    flat = w < h
    dx, dy = xp.where(flat, vy, ux), xp.where(flat, -vx, uy)
    longer = xp.where(flat, h, w)
    cos, sin = (quotient(d, longer, xp=xp) for d in (dx, dy))
    point = longer <= 0
    cos = xp.where(point, 1.0, cos)
    # The derivative of atan2 is NaN at (0, 0).
    angle = xp.atan2(xp.where(point, 0.0, dy), xp.where(point, 1.0, dx))
    return Rotated(cx, cy, 0.5 * w, 0.5 * h, angle, cos, sin, w * h)


def _length(x: Any, y: Any, /, *, xp: Namespace) -> Any:
    """sqrt(x^2 + y^2), with gradient 0 at 0."""
    square = x * x + y * y
    empty = square <= 0
    return xp.where(empty, 0.0, xp.sqrt(xp.where(empty, 1.0, square)))


def corners(r: Rotated, /) -> list[tuple[Any, Any]]:
    """Four corners, each x and y (...), relative to the centre."""
    wx, wy, hx, hy = r.w * r.cos, r.w * r.sin, -r.h * r.sin, r.h * r.cos
    return [(i * wx + j * hx, i * wy + j * hy) for i, j in CORNERS]


def outline(r: Rotated, /, *, xp: Namespace) -> list[tuple[Any, Any]]:  # noqa: ARG001  (as that of others)
    """Four corners, each x and y (...)."""
    return [(r.x + x, r.y + y) for x, y in corners(r)]


def extents(r: Rotated, cos: Any, sin: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Half sides (...) of the box around a rectangle whose first side has a direction relative to its own."""
    along, across = magnitude(cos, xp=xp), magnitude(sin, xp=xp)
    return r.w * along + r.h * across, r.w * across + r.h * along


def bounds(r: Rotated, /, *, xp: Namespace) -> Bounds:
    """Upright boxes around rectangles, with the areas of these."""
    centre, half = xp.stack([r.x, r.y]), xp.stack(extents(r, r.cos, r.sin, xp=xp))
    return Bounds(centre - half, centre + half, r.area)


class RotatedTerms:
    """The terms of two sets of rectangles (...) that broadcast: see `scores.Terms`."""

    def __init__(self, a: Rotated, b: Rotated, /, *, xp: Namespace) -> None:
        self._a, self._b, self._xp = a, b, xp
        self.area_a, self.area_b = a.area, b.area
        # Differences of centres first: they are exact for rectangles that lie close together far from the origin.
        self._x, self._y = a.x - b.x, a.y - b.y

    def intersection(self) -> Any:
        a, b, xp = self._a, self._b, self._xp
        cos, sin = self._turn()
        # The corners of a in the frame of b, which is [-w, w] x [-h, h] there: two opposite ones, and the others.
        x, y = self._x * b.cos + self._y * b.sin, self._y * b.cos - self._x * b.sin
        px, qx = _opposite(x, a.w * cos, -a.h * sin, xp=xp)
        py, qy = _opposite(y, a.w * sin, a.h * cos, xp=xp)
        # Opposite edges are parallel. Of a vertical edge nothing is integrated.
        first = _below(px, py, qx, qy, _slope(cos, sin, xp=xp), b, xp=xp)
        rx, ry = (xp.flip(z, axis=0) for z in (px, py))
        second = _below(qx, qy, rx, ry, _slope(-sin, cos, xp=xp), b, xp=xp)
        area = total(axes(first + second), xp=xp)
        return relu(xp.minimum(area, xp.minimum(a.area, b.area)), xp=xp)

    def hull(self) -> Any:
        xp, none = self._xp, self._xp.zeros_like(self._x + self._y)
        points = [(self._x + x, self._y + y) for x, y in corners(self._a)]
        points += [(none + x, none + y) for x, y in corners(self._b)]
        hull = hull_area(points, xp=xp)
        # Of a perfect match half of the gradient goes to each, which no choice of chords would give.
        same = (self._x == 0) & (self._y == 0)
        for name in ("w", "h", "angle"):
            same = same & (getattr(self._a, name) == getattr(self._b, name))
        return self._xp.where(same, 0.5 * (self.area_a + self.area_b), hull)

    def hull_diagonal_squared(self) -> Any:
        """The squared diagonal of the smaller rectangle around both along the sides of one of them."""
        squares = [w * w + h * h for *_, w, h in self.enclosing()]
        return self._xp.minimum(*squares)

    def enclosing(self) -> list[tuple[Any, Any, Any, Any]]:
        """The rectangles around both along the sides of b and of a: centre from b's in their frame, and sides."""
        a, b, xp = self._a, self._b, self._xp
        cos, sin = self._turn()
        around = []
        for frame, of_a, of_b in (
            (b, extents(a, cos, sin, xp=xp), (b.w, b.h)),
            (a, (a.w, a.h), extents(b, cos, sin, xp=xp)),
        ):
            centre = self._x * frame.cos + self._y * frame.sin, self._y * frame.cos - self._x * frame.sin
            ends = [(xp.minimum(c - p, -q), xp.maximum(c + p, q)) for c, p, q in zip(centre, of_a, of_b, strict=True)]
            (left, right), (bottom, top) = ends
            around.append((0.5 * (left + right), 0.5 * (bottom + top), right - left, top - bottom))
        return around

    def centre_distance_squared(self) -> Any:
        return self._x * self._x + self._y * self._y

    def aspect_difference(self) -> Any:
        """v of CIoU in [0, 1], of the sides as they are stated: turning by a quarter and swapping them changes it."""
        sides_a, sides_b = ((2.0 * r.w, 2.0 * r.h) for r in (self._a, self._b))
        return aspect_difference(sides_a, sides_b, xp=self._xp)

    def gaussians(self) -> Gaussians:
        a, b = self._a, self._b
        cos, sin = self._turn()
        from_a, from_b = ((self._x * r.cos + self._y * r.sin, self._y * r.cos - self._x * r.sin) for r in (a, b))
        return Gaussians((a.w, a.h), (b.w, b.h), cos * cos, sin * sin, from_a, from_b)

    def scaled(self, ratio: float) -> "RotatedTerms":
        """Terms of both rectangles, scaled about their centres."""
        one, other = (r._replace(w=ratio * r.w, h=ratio * r.h, area=ratio**2 * r.area) for r in (self._a, self._b))
        return RotatedTerms(one, other, xp=self._xp)

    def _turn(self) -> tuple[Any, Any]:
        """Direction of a in the frame of b. Of equal angles it is exactly (1, 0): edges that coincide are then ties."""
        angle = self._a.angle - self._b.angle
        return self._xp.cos(angle), self._xp.sin(angle)


def _opposite(centre: Any, w: Any, h: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """One coordinate of a centre and of both half sides (...) -> of the first and third corner, second and fourth."""
    plus, minus = w + h, w - h
    return xp.stack([centre - plus, centre + plus]), xp.stack([centre + minus, centre - minus])


def _below(x0: Any, y0: Any, x1: Any, y1: Any, slope: Any, b: Rotated, /, *, xp: Namespace) -> Any:  # noqa: PLR0917
    """Edges (2, ...) of a slope (...) -> the negative integral of y along each, cut to b in its own frame (2, ...)."""
    left, right = clamp(x0, b.w, xp=xp), clamp(x1, b.w, xp=xp)
    slope = slope[None, ...]
    start, stop = y0 + (left - x0) * slope, y1 + (right - x1) * slope
    return (left - right) * mean_clamped(start, stop, b.h, xp=xp)


def _slope(x: Any, y: Any, /, *, xp: Namespace) -> Any:
    """Directions (...) -> y / x, and 0 for an edge so near to vertical that its integral is rounded away."""
    sign = xp.where(x < 0, -xp.ones_like(x), xp.ones_like(x))
    return backends.divide(sign * y, sign * x, float(xp.finfo(x.dtype).eps) ** 2, xp=xp)


def area(x: Any, _image_sides: Any, /, *, layout: str, dtypes: Any, xp: Namespace) -> Any:
    """(..., K) -> (...)."""
    compute, result = dtypes
    return cast(canonical(stacked_columns_of(x, dtype=compute, xp=xp), None, layout=layout, xp=xp).area, result, xp=xp)


def convert(
    x: Any, _image_sides: Any, /, *, layouts: tuple[tuple[str, float], tuple[str, float]], dtypes: Any, xp: Namespace
) -> Any:
    """(..., K) -> (..., L). A layout: a format, and the radians in its unit of angles, below 0 for the other sense."""
    compute, result = dtypes
    columns = stacked_columns_of(x, dtype=compute, xp=xp)
    (old, unit), (new, to_unit) = layouts
    if old != "xyxyxyxy" and unit != 1.0:
        columns = xp.concat([columns[:4, ...], columns[4:, ...] * unit])
    r = _read(columns, layout=old, xp=xp)
    if new == "xyxyxyxy":
        columns = xp.stack([z for px, py in corners(r) for z in (r.x + px, r.y + py)])
    else:
        x, y = r.x, r.y
        if new == "xywhr":
            x, y = x - (r.w * r.cos - r.h * r.sin), y - (r.w * r.sin + r.h * r.cos)
        columns = xp.stack([x, y, 2.0 * r.w, 2.0 * r.h, r.angle / to_unit])
    return cast(backends.contiguous(xp.permute_dims(columns, (*range(1, columns.ndim), 0)), xp=xp), result, xp=xp)


def vertices(x: Any, image_sides: Any, /, *, layout: str, dtypes: Any, xp: Namespace) -> Any:
    """(..., K) -> (..., 4, 2)."""
    flat = convert(x, image_sides, layouts=((layout, 1.0), ("xyxyxyxy", 1.0)), dtypes=dtypes, xp=xp)
    return xp.stack([flat[..., 0::2], flat[..., 1::2]], axis=-1)


def doubts(columns: Any, /, *, layout: str, xp: Namespace) -> dict[str, Any]:
    """(5, ...) or (8, ...) -> rectangles that cross, or with an angle in degrees most likely, by words (...)."""
    if layout == "xyxyxyxy":
        x, y = columns[0::2, ...], columns[1::2, ...]
        by_row = [xp.stack([z[k, ...] for k in (0, 1, 3, 2)]) for z in (x, y)]
        crossed = _crosses(x, y, xp=xp) & ~_crosses(*by_row, xp=xp)
        return {"cross themselves: are their corners in order around them, and not row by row?": crossed}
    return {"have an angle beyond two turns: are they in degrees?": xp.abs(columns[4, ...]) > _TWO_TURNS}


def _crosses(x: Any, y: Any, /, *, xp: Namespace) -> Any:
    """Corners (4, ...) -> whether opposite edges point in one direction (...): those of a rectangle do not."""
    dx, dy = xp.roll(x, -1, axis=0) - x, xp.roll(y, -1, axis=0) - y
    return xp.any(dx[:2, ...] * dx[2:, ...] + dy[:2, ...] * dy[2:, ...] > 0, axis=0)


def enclosing(a: Any, b: Any, _image_sides: Any, /, *, layout: str, dtypes: Any, xp: Namespace) -> Any:
    """(..., K), (..., K) -> the smaller rectangle (..., 5) around both along the sides of one of them."""
    compute, result = dtypes
    a, b = (canonical(stacked_columns_of(x, dtype=compute, xp=xp), None, layout=layout, xp=xp) for x in (a, b))
    return cast(xp.stack(xp.broadcast_arrays(*smaller_around(a, b, xp=xp)), axis=-1), result, xp=xp)


def smaller_around(a: Rotated, b: Rotated, /, *, xp: Namespace) -> tuple[Any, Any, Any, Any, Any]:
    """Rectangles (...), (...) -> centre, sides and angle of the smaller one of those around both."""
    along_b, along_a = RotatedTerms(a, b, xp=xp).enclosing()
    of_a = along_a[2] * along_a[3] < along_b[2] * along_b[3]
    x, y, w, h = (xp.where(of_a, p, q) for p, q in zip(along_a, along_b, strict=True))
    cos, sin, angle = (xp.where(of_a, *both) for both in ((a.cos, b.cos), (a.sin, b.sin), (a.angle, b.angle)))
    return b.x + x * cos - y * sin, b.y + x * sin + y * cos, w, h, angle


def faults(x: Any, _image_sides: Any, /, *, layout: str, dtype: Any, xp: Namespace) -> dict[str, Any]:
    """(..., K) rectangles -> what can be wrong with one, and where it is: (...) booleans."""
    columns = stacked_columns_of(x, dtype=dtype, xp=xp)
    bad = {"is not finite: NaN or infinity": xp.any(~xp.isfinite(columns), axis=0)}
    if layout != "xyxyxyxy":
        bad["has a side below 0"] = xp.any(columns[2:4, ...] < 0, axis=0)
        bad["has an angle beyond two turns, as degrees have"] = xp.abs(columns[4, ...]) > _TWO_TURNS
        return bad
    x, y = ([columns[2 * k + axis, ...] for k in range(4)] for axis in (0, 1))
    (ux, uy), (vx, vy) = ((p[1] - p[0], q[1] - q[0]) for p, q in ((x, y), ((x[0], x[3]), (y[0], y[3]))))
    longer = xp.maximum(_length(ux, uy, xp=xp), _length(vx, vy, xp=xp))
    # Corners are rounded, to whole pixels as often as not: a hundredth of the longer side is no fault.
    skewed = xp.abs(ux * vx + uy * vy) > 0.01 * longer * longer
    for p in (x, y):
        skewed = skewed | (xp.abs((p[0] - p[1]) + (p[2] - p[3])) > 0.02 * longer)
    bad["is no rectangle"] = skewed
    return bad
