"""Readings of 3-D boxes: other orders of sizes, places, axes, yaws, quaternions and units.

Rows are in a format of `omniou.boxes3d`. Neither the overlap nor the distance of two boxes says which side was written
wrongly, so the sentences name both where the numbers cannot tell.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

from omniou._doctor.columns import Column, np
from omniou._doctor.engine import Reading, combined
from omniou._lib.findings import Finding

# The largest share of a quaternion that x and y of a pure yaw have, as in `_kernels.boxes3d`.
_TILT = 0.01
# Radians are not above this.
_TWO_TURNS = 4 * math.pi
# The share of such quaternions that tells of another order.
_TILTED = 0.5
# A number of a quaternion is about 0 below this share of the largest.
_NONE = 0.05
# Lengths of one side times this are lengths of the other.
_UNITS = (100.0, 1000.0, 0.01, 0.001)


class _Axes(NamedTuple):
    """Other axes of a place: the columns and signs that its numbers are taken from, and what becomes of a yaw."""

    words: str
    columns: tuple[int, int, int]
    signs: tuple[int, int, int]
    turn: tuple[float, float]  # sign, and quarter turns
    side: str = "detections"  # whose axes they are; of the ground truth, the detections are brought to them
    rise: float = 0.0  # of the third number of the place, in heights


_LIDAR = "lidar's (forward, left, up), not the camera's (right, down, forward)"


class _Layout(NamedTuple):
    """Where the numbers of a format are."""

    sizes: slice
    names: tuple[str, str, str]
    place: slice
    vertical: int  # the column of the place along the height
    at: tuple[str, str]  # what its number is, and what it may be
    axes: tuple[_Axes, ...]

    @property
    def height(self) -> int:
        """The column of the height."""
        return self.sizes.start + self.names.index("height")


_XYZLWHR = _Layout(
    sizes=slice(3, 6),
    names=("length", "width", "height"),
    place=slice(0, 3),
    vertical=2,
    at=("centre", "bottom"),
    axes=(
        _Axes("the camera's (right, down, forward), not (forward, left, up)", (2, 0, 1), (1, -1, -1), (-1, -1)),
        _Axes("the camera's (right, down, forward), not (right, forward, up)", (0, 2, 1), (1, 1, -1), (-1, 0)),
        _Axes("exchanged in x and y", (1, 0, 2), (1, 1, 1), (-1, 1)),
        _Axes("turned by a quarter, so x is y and y is -x", (1, 0, 2), (-1, 1, 1), (1, 1)),
        _Axes("turned by a quarter, so x is -y and y is x", (1, 0, 2), (1, -1, 1), (1, -1)),
        _Axes("mirrored in y", (0, 1, 2), (1, -1, 1), (-1, 0)),
    ),
)
_LAYOUTS = {
    "xyzlwhr": _XYZLWHR,
    "nuscenes": _XYZLWHR._replace(names=("width", "length", "height")),
    "kitti": _Layout(
        sizes=slice(0, 3),
        names=("height", "width", "length"),
        place=slice(3, 6),
        vertical=4,
        at=("bottom", "centre"),
        axes=(
            _Axes(_LIDAR, (1, 2, 0), (-1, -1, 1), (-1, -1)),
            *(_Axes(_LIDAR, (2, 0, 1), (1, -1, -1), (-1, -1), "ground truth", rise) for rise in (0.5, 0.0)),
            _Axes("(right, forward, up), not the camera's (right, down, forward)", (0, 2, 1), (1, -1, 1), (-1, 0)),
            _Axes("exchanged in x and z", (2, 1, 0), (1, 1, 1), (-1, 1)),
            _Axes("mirrored in x", (0, 1, 2), (-1, 1, 1), (-1, 0)),
        ),
    ),
}


def stages(format: str, rows: Column, path: str) -> list[Iterator[Reading]]:
    """Readings of detections, rows (N, 7) or (N, 10), by themselves and together."""
    layout = _LAYOUTS[format]
    frame = [*_axes(layout, format, path), *_yaws(format, rows, path), *_units(layout, path)]
    sizes = [*_sizes(layout, path), *_places_first(layout, path)]
    return combined([*_quaternions(format, rows, path), sizes, frame, _bottoms(layout, path)])


def of_places(format: str, path: str = "") -> list[Iterator[Reading]]:
    """Readings of the places of detections."""
    layout = _LAYOUTS[format]
    return combined([[x for x in _axes(layout, format, path) if x.key is False], _units(layout, path)], 1)


def of_shapes(format: str, rows: Column, path: str = "") -> list[Iterator[Reading]]:
    """Readings of the sizes and yaws of detections, rows (N, 7) or (N, 10)."""
    return combined([*_quaternions(format, rows, path), _sizes(_LAYOUTS[format], path), _yaws(format, rows, path)])


def improper(format: str, rows: Column) -> int:
    """How many rows have a quaternion that is not a turn about the vertical axis."""
    if format != "nuscenes":
        return 0
    quaternions = np.abs(rows[:, 6:])
    return int((quaternions[:, 1:3].max(axis=1) > _TILT * np.maximum(quaternions[:, 0], quaternions[:, 3])).sum())


def misordered(format: str, rows: Column, what: str, path: str = "") -> list[Finding]:
    """Quaternions whose first two numbers are 0 and whose third is not, as those of x, y, z, w are; no box is so."""
    if format != "nuscenes" or not len(rows):
        return []
    shares = np.abs(rows[:, 6:]) / np.maximum(np.abs(rows[:, 6:]).max(axis=1, keepdims=True), 1e-12)
    found = int(((shares[:, :2].max(axis=1) < _NONE) & (shares[:, 2] > _NONE)).sum())
    if found <= _TILTED * len(rows):
        return []
    text = f"quaternions of the {what} seem to be x, y, z, w, not w, x, y, z"
    evidence = f"the first two numbers of {found} of {len(rows)} are 0: these boxes would lie on their sides"
    return [Finding(code="boxes-quaternion", text=text, evidence=evidence, hint="write w first", path=path)]


def are_degrees(angles: Column) -> bool:
    """Whether angles are too large for radians."""
    return bool((np.abs(angles) > _TWO_TURNS).any())


def _changed(rows: Column, columns: slice | int, values: Column) -> Column:
    rows = rows.copy()
    rows[:, columns] = values
    return rows


def _sizes(layout: _Layout, path: str) -> list[Reading]:
    meant = ", ".join(layout.names)

    def reading(order: tuple[int, ...]) -> Reading:
        # Size order[k] stands in column k: size j is in column order.index(j).
        written = ", ".join(layout.names[k] for k in order)
        inverse = [order.index(k) for k in range(3)]
        text = f"sizes of the detections seem to be {written}, where the ground truth has {meant}"
        hint = f"write {meant} in both"
        if {layout.names[k] for k in range(3) if order[k] != k} == {"length", "width"}:
            text += "; or yaws differ by a quarter turn"
            hint += ", or add pi / 2 to the yaws of one of them"
        return Reading(
            code="boxes-sizes",
            text=text,
            hint=hint,
            read=lambda rows: _changed(rows, layout.sizes, rows[:, layout.sizes][:, inverse]),
            words=f"as {written}",
            path=path,
        )

    return [reading(order) for order in itertools.permutations(range(3)) if order != (0, 1, 2)]


def _places_first(layout: _Layout, path: str) -> list[Reading]:
    """Places where sizes are, and sizes in their place, in the order of the format and as length, width, height."""
    first = layout.sizes.start < layout.place.start

    def reading(names: tuple[str, ...]) -> Reading:
        columns = [names.index(name) for name in layout.names]

        def read(rows: Column) -> Column:
            moved = _changed(rows, layout.place, rows[:, layout.sizes])
            return _changed(moved, layout.sizes, rows[:, layout.place][:, columns])

        written = ["x, y, z", ", ".join(names)][:: 1 if first else -1]
        meant = ["x, y, z", ", ".join(layout.names)][:: -1 if first else 1]
        order = f"{', '.join(written)}, where the ground truth has {', '.join(meant)}"
        return Reading(
            code="boxes-sizes",
            text=f"numbers of the detections seem to be {order}",
            hint=f"write {', '.join(meant)} in both",
            read=read,
            words="in that order",
            path=path,
        )

    return [reading(names) for names in dict.fromkeys([layout.names, ("length", "width", "height")])]


def _axes(layout: _Layout, format: str, path: str) -> Iterator[Reading]:
    """Places in other axes, with yaws that turn with them, and without."""

    def reading(axes: _Axes, *, turned: bool) -> Reading:
        def read(rows: Column) -> Column:
            places = rows[:, layout.place][:, axes.columns] * np.asarray(axes.signs)
            places[:, 2] += axes.rise * rows[:, layout.height]
            rows = _changed(rows, layout.place, places)
            sign, quarters = axes.turn
            return _turned(rows, format, lambda yaw: sign * yaw + quarters * math.pi / 2) if turned else rows

        return Reading(
            code="boxes-axes",
            text=f"axes of the {axes.side}{', and their yaws,' if turned else ''} seem to be {axes.words}",
            hint="write both in the axes of the format",
            read=read,
            words="in these axes",
            path=path if axes.side == "detections" else "",
            key=turned,
        )

    for axes in layout.axes:
        yield reading(axes, turned=True)
        yield reading(axes, turned=False)


def _turned(rows: Column, format: str, turn: Callable[[Column], Column]) -> Column:
    """Rows with other yaws."""
    if format != "nuscenes":
        return _changed(rows, 6, turn(rows[:, 6]))
    w, x, y, z = rows[:, 6:].T
    half = 0.5 * turn(np.arctan2(2 * (w * z + x * y), w * w + x * x - y * y - z * z))
    none = np.zeros_like(half)
    return _changed(rows, slice(6, 10), np.stack([np.cos(half), none, none, np.sin(half)], axis=1))


def _bottoms(layout: _Layout, path: str) -> list[Reading]:
    own, other = layout.at
    axis = "xyz"[layout.vertical - layout.place.start]

    def reading(side: str, half: float) -> Reading:
        def read(rows: Column) -> Column:
            return _changed(rows, layout.vertical, rows[:, layout.vertical] + half * rows[:, layout.height])

        text = f"{axis} of the {side} seems to be the {other} of the boxes, not the {own}"
        hint = f"write the {own} there: {axis} + height / 2"
        return Reading("boxes-bottom", text, hint, read, f"with the {own}", path if half > 0 else "")

    # The bottom of z, which points up, and the centre of KITTI's y, which points down, are both half a height too low.
    return [reading("detections", 0.5), reading("ground truth", -0.5)]


def _yaws(format: str, rows: Column, path: str) -> list[Reading]:
    def reading(words: str, hint: str, turn: Callable[[Column], Column]) -> Reading:
        text = f"yaws of the detections and of the ground truth seem to {words}"
        return Reading("boxes-yaw", text, hint, lambda rows: _turned(rows, format, turn), "with other yaws", path)

    quarter, degrees = math.pi / 2, math.pi / 180
    sense = "in KITTI's frame rotation_y turns from z to x" if format == "kitti" else "yaw turns from x to y"
    readings = [
        reading("have opposite signs", f"write -yaw in one of them: {sense}", lambda yaw: -yaw),
        reading("differ by a quarter turn", "add pi / 2 in one of them", lambda yaw: yaw + quarter),
        reading(
            "have opposite signs and differ by a quarter turn",
            f"write -yaw - pi / 2 in one of them: {sense}",
            lambda yaw: -yaw - quarter,
        ),
    ]
    if format == "kitti":
        readings += [_alpha("detections", 1, path), _alpha("ground truth", -1, "")]
    if format != "nuscenes" and are_degrees(rows[:, 6]):
        # Of a ground truth in degrees, the readers say so: its angles are beyond two turns.
        words, hint = "be in different units: degrees and radians", "write radians: times pi / 180"
        readings.append(reading(words, hint, lambda yaw: yaw * degrees))
    return readings


def _alpha(side: str, sign: int, path: str) -> Reading:
    """The angle that KITTI's camera observes; of the ground truth, the detections are read as such angles, too."""
    return Reading(
        code="boxes-yaw",
        text=f"rotation_y of the {side} seems to be alpha, the angle that the camera observes",
        hint="write alpha + atan2(x, z)",
        read=lambda rows: _changed(rows, 6, rows[:, 6] + sign * np.arctan2(rows[:, 3], rows[:, 5])),
        words="as alpha",
        path=path,
    )


def _quaternions(format: str, rows: Column, path: str) -> list[list[Reading]]:
    if improper(format, rows) <= _TILTED * len(rows):
        return []
    reading = Reading(
        code="boxes-quaternion",
        text="quaternions of the detections seem to be x, y, z, w, not w, x, y, z",
        hint="write w first",
        read=lambda rows: _changed(rows, slice(6, 10), rows[:, [9, 6, 7, 8]]),
        words="as x, y, z, w",
        path=path,
    )
    return [[reading]]


def _units(layout: _Layout, path: str) -> list[Reading]:
    def reading(factor: float) -> Reading:
        def read(rows: Column) -> Column:
            scaled = _changed(rows, layout.sizes, factor * rows[:, layout.sizes])
            return _changed(scaled, layout.place, factor * rows[:, layout.place])

        text = "boxes of the detections and of the ground truth seem to have different units"
        hint = f"multiply places and sizes of the detections by {factor:g}"
        return Reading("boxes-unit", text, hint, read, f"times {factor:g}", path)

    return list(map(reading, _UNITS))
