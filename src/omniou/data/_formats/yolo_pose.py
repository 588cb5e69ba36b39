"""YOLO's pose labels: the points behind a box would pass for the outline of an object.

A line is ``class cx cy w h``, then ``x y`` or ``x y v`` of each point, and in detections a score. An even count of
numbers is also the count of a polygon.
"""

import contextlib
import dataclasses
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from omniou._lib.findings import Finding
from omniou.data._errors import InputError, InputWarning
from omniou.data._formats.text_lines import TextTable
from omniou.data._options import Options

Column = npt.NDArray[Any]

# How many lines are looked at.
_SAMPLE = 200
# Which share of the lines is a pose beyond doubt, and which may look like a polygon all the same.
_CERTAIN, _OUTSIDE = 0.2, 0.1
# How far a point may be outside the box, in sides of the box, and as a fraction of the image.
_SIDES, _ROUNDING = 0.05, 0.002
# How far four corners may be from a parallelogram, in sides of what is around them.
_BENT = 0.1
_CORNERS = 4
# Values of v, and how many points have to have them to be a pose wherever the points are.
_FLAGS, _FLAGGED = {0.0, 1.0, 2.0}, 3
# YAML as `[17, 3]` or with a number in each line; how many folders above the labels it may be, and how large.
_SHAPE = re.compile(rb"^\s*kpt_shape\s*:\s*(?:\[\s*(\d+)\s*,\s*([23])\s*\]|-\s*(\d+)\s+-\s*([23])\b)", re.MULTILINE)
_ABOVE, _LARGEST = 3, 2**20


class Layout(NamedTuple):
    """What follows the box of a line: numbers of all points, numbers of each, and how many must follow them."""

    numbers: int
    each: int
    behind: int

    def __str__(self) -> str:
        count = self.numbers // self.each
        return f"{count} point{'s' * (count != 1)} {('x y', 'x y v')[self.each - 2]}"


def as_boxes(table: TextTable, options: Options) -> TextTable:
    """A table with the boxes of poses in place of polygons; the table as it is where lines have polygons."""
    drawn = [row for row, polygon in enumerate(table.polygons) if polygon]
    layout = _layout(table, drawn) if drawn else None
    if layout is None:
        _warn_possible(table, drawn, options)
        return table
    if options.read_kind != "bbox":
        fault = f"expected a polygon, got a box and {layout} (YOLO pose): --kind bbox reads the boxes"
        raise table.fault(drawn[0], "x1", fault)
    values = table.values.copy()
    for row in drawn:
        numbers = _numbers(table, row)
        behind = numbers[4 + layout.numbers :]
        if not _fits(numbers, layout):
            fault = f"expected a box and {layout} (YOLO pose) as in other lines, got {len(numbers)} numbers"
            raise table.fault(row, "x1", fault)
        values[row] = [*numbers[:4], *behind, *[np.nan] * (values.shape[1] - 4 - len(behind))]
    text = f"lines have a box and {layout} (YOLO pose): omniou reads the boxes, not the points"
    hint = "--kind keypoints reads keypoints in COCO's JSON"
    finding = Finding(code="pose-labels", text=text, hint=hint, path=str(table.root))
    warnings.warn(InputWarning(finding), stacklevel=2)
    return dataclasses.replace(table, values=values, polygons=[[]] * len(table.polygons))


def _warn_possible(table: TextTable, drawn: Sequence[int], options: Options) -> None:
    """Few polygons of few corners may all be poses, too; more points hardly make an outline by chance."""
    lines = [_numbers(table, row) for row in drawn[:_SAMPLE]]
    if not lines or options.kind != "bbox" or {len(x) // 2 for x in lines} - {_CORNERS - 1, _CORNERS, _CORNERS + 1}:
        return
    for layout in layouts(len(lines[0]) - 4, len(table.line.fields) - 5):
        if all(_fits(x, layout) and is_pose(x, layout) for x in lines):
            text = f"lines are read as polygons, and could be a box and {layout} (YOLO pose)"
            hint = "if they are, kpt_shape in a data.yaml next to the labels says so"
            warnings.warn(
                InputWarning(Finding(code="pose-or-polygons", text=text, hint=hint, path=str(table.root))), stacklevel=3
            )
            return


def _layout(table: TextTable, drawn: Sequence[int]) -> Layout | None:
    """The layout of the points of all lines; None where lines have polygons. Raise where both occur."""
    lines = {row: _numbers(table, row) for row in drawn[:: max(1, len(drawn) // _SAMPLE)]}
    behind = len(table.line.fields) - 5  # the score of a detection
    declared = _declared(table)
    layout, polygons = _best(lines, behind, declared)
    odd = [x for x in lines.values() if _is_no_outline(np.array(x[: len(x) // 2 * 2]).reshape(-1, 2))]
    if behind and layout is None and len(odd) >= _CERTAIN * len(lines):
        moved, _ = _best({row: [*x[:4], *x[5:], x[4]] for row, x in lines.items()}, behind, declared)
        if moved is not None:
            fault = f"the score seems to come before {moved} (YOLO pose): put it behind them, as Ultralytics does"
            raise table.fault(drawn[0], "x1", fault)
    if layout is not None and polygons:
        one, other = (
            table.place(next(row for row in lines if row not in polygons), "x1"),
            table.place(polygons[0], "x1"),
        )
        fault = f"a box and {layout} (YOLO pose), and a polygon in {other.path.name}, {other.place.partition(',')[0]}"
        raise InputError(one.path, f"{fault}: put them into two directories", place=one.place.partition(",")[0])
    return layout


def _best(
    lines: Mapping[int, Sequence[float]], behind: int, declared: tuple[int, int] | None
) -> tuple[Layout | None, list[int]]:
    """The layout that some lines have beyond doubt, or that a file near them says; and the lines that are polygons."""
    ways = {way for x in lines.values() for way in layouts(len(x) - 4, behind)}
    poses = {way: {row for row, x in lines.items() if _fits(x, way) and is_pose(x, way)} for way in ways}
    certain = {
        way: {row for row in rows if _is_no_polygon(lines[row], way) or _is_around(lines[row], way)}
        for way, rows in poses.items()
    }
    named = [way for way in ways if (way.numbers // way.each, way.each) == declared]
    best = max(named or ways, key=lambda way: (len(certain[way]), way.each), default=None)
    if best is None or not (named or len(certain[best]) >= max(1, _CERTAIN * len(lines))):
        return None, []
    # A pose of which a point lies outside its box is rarely an outline.
    polygons = [
        row for row, x in lines.items() if row not in poses[best] and not (_fits(x, best) and _is_no_polygon(x, best))
    ]
    return best, polygons if len(polygons) > _OUTSIDE * len(lines) else []


def layouts(count: int, behind: int) -> Iterator[Layout]:
    """All ways to read so many numbers behind a box: `behind` must follow the points, and a track id may."""
    for numbers in (count - behind, count - behind - 1):
        for each in (3, 2):
            if numbers >= each and numbers % each == 0:
                yield Layout(numbers, each, behind)


def _numbers(table: TextTable, row: int) -> list[float]:
    """All numbers of a line in their order."""
    behind = table.values[row, 4:]
    return [*table.polygons[row], *behind[~np.isnan(behind)].tolist()]


def _fits(numbers: Sequence[float], layout: Layout) -> bool:
    """Whether a line has as many numbers, or a track id more."""
    more = len(numbers) - 4 - layout.numbers - layout.behind
    return more == 0 or (more == 1 and numbers[-1] >= 0 and float(numbers[-1]).is_integer())


def _declared(table: TextTable) -> tuple[int, int] | None:
    """How many points there are, and numbers of each, by a YAML file near the labels."""
    folder = (table.root if table.root.is_dir() else table.root.parent).absolute()
    for place in [folder, *folder.parents][: _ABOVE + 1]:
        for file in sorted([*place.glob("*.yaml"), *place.glob("*.yml")]):
            with contextlib.suppress(OSError):  # a file that nobody named
                if file.stat().st_size <= _LARGEST and (match := _SHAPE.search(file.read_bytes())):
                    points, each = (int(x) for x in match.groups() if x)
                    return points, each
    return None


def is_pose(numbers: Sequence[float], layout: Layout) -> bool:
    """Whether a box inside the image has all points, or flags follow three or more; points without a label are 0."""
    cx, cy, w, h = numbers[:4]
    if not (w > 0 and h > 0 and _is_inside(cx, w) and _is_inside(cy, h)):
        return False
    if _is_parallelogram(_outline(numbers, layout)):
        return False
    x, y, *v = _points(numbers, layout)
    labelled = (x != 0) | (y != 0)
    if v:
        if ((v[0] < 0) | (v[0] > 2)).any():
            return False
        if len(x) >= _FLAGGED and set(v[0].tolist()) <= _FLAGS and v[0].any():
            return True
        labelled &= v[0] > 0
    reach_x, reach_y = ((0.5 + _SIDES) * side + _ROUNDING for side in (w, h))
    return bool(((np.abs(x - cx) <= reach_x) & (np.abs(y - cy) <= reach_y))[labelled].all())


def _is_no_polygon(numbers: Sequence[float], layout: Layout) -> bool:
    """Whether numbers cannot be an outline and a track id, or some are flags of points."""
    _, _, *v = _points(numbers, layout)
    if v and set(v[0].tolist()) <= _FLAGS:
        return True
    if (len(numbers) - layout.behind) % 2 and not float(numbers[-1]).is_integer():
        return True
    return _is_no_outline(_outline(numbers, layout))


def _is_around(numbers: Sequence[float], layout: Layout) -> bool:
    """Whether a box has points on its four sides, or no labelled point: an outline is neither but by chance."""
    cx, cy, w, h = numbers[:4]
    x, y, *_ = _points(numbers, layout)
    if len(x) < 2 or not (x.any() or y.any()):
        return len(x) > 1
    sides = np.array([x.min(), y.min(), x.max(), y.max()])
    return bool((np.abs(sides - [cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2]) <= _ROUNDING).all())


def _outline(numbers: Sequence[float], layout: Layout) -> Column:
    """The vertices (N, 2) that the numbers of a box and of points would be."""
    return np.array(numbers[: (4 + layout.numbers) // 2 * 2], dtype=np.float64).reshape(-1, 2)


def _is_no_outline(outline: Column) -> bool:
    """Whether the second of some vertices, a width and a height, is far from all others, or edges cross."""
    if _is_parallelogram(outline):
        return False
    # A vertex is no farther from the others than these are from each other.
    rest = np.delete(outline, 1, axis=0)
    low, high = rest.min(axis=0), rest.max(axis=0)
    reach = (high - low).max() + _ROUNDING
    return bool(((outline[1] < low - reach) | (outline[1] > high + reach)).any()) or _crosses(outline)


def _is_parallelogram(corners: Column) -> bool:
    """Whether points are the corners of a parallelogram, in any order: two have the middle of the other two."""
    if len(corners) != _CORNERS:
        return False
    size = np.ptp(corners, axis=0).max()
    middles = (corners[0] + corners[k] - corners[[x for x in (1, 2, 3) if x != k]].sum(axis=0) for k in (1, 2, 3))
    return any(np.abs(x).max() <= _BENT * size for x in middles)


def _crosses(outline: Column) -> bool:
    """Whether two edges of a polygon cross inside both."""
    a, b = outline, np.roll(outline, -1, axis=0)
    along = (b - a)[:, None]
    # On which side of the edge of each row the two ends of the edge of each column are.
    first, last = (
        along[..., 0] * (x[None] - a[:, None])[..., 1] - along[..., 1] * (x[None] - a[:, None])[..., 0] for x in (a, b)
    )
    parted = first * last < 0
    return bool((parted & parted.T).any())


def _points(numbers: Sequence[float], layout: Layout) -> list[Column]:
    """The columns x, y, and v if there is one, of all points."""
    return list(np.array(numbers[4 : 4 + layout.numbers], dtype=np.float64).reshape(-1, layout.each).T)


def _is_inside(centre: float, side: float) -> bool:
    """Whether a side leaves the image by no more than rounding does."""
    return centre - side / 2 >= -0.01 and centre + side / 2 <= 1.01
