"""What formats of annotation tools share: objects with outlines in pixels, as columns of the kind that was asked for.

An outline is a polygon, or several that make one object. A box is its four corners, an ellipse a polygon of 72. What is
compared depends on `Options.kind`:

- "bbox": the upright box around the outline;
- "segm" and "boundary": the pixels inside, for which the size of the image must be known;
- "rotated": the rectangle whose sides are the means of opposite edges, of outlines of four points;
- "polygons": the four points.
"""

import dataclasses
import math
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from omniou._lib.brief import counted
from omniou._lib.findings import Finding
from omniou.boxes import GEOMETRY as UPRIGHT
from omniou.data import _names, _pictures
from omniou.data._errors import InputError, InputWarning
from omniou.data._formats import file_rows, per_image, text_lines
from omniou.data._formats.file_rows import FileRows, Place
from omniou.data._names import Listed, coded
from omniou.data._numbers import as_number
from omniou.data._options import Options
from omniou.data._truth import GroundTruth
from omniou.detection import Detections

Column = npt.NDArray[Any]
Points: TypeAlias = Sequence[tuple[float, float]]
# Height and width.
Size: TypeAlias = tuple[float, float]

KINDS = ("bbox", "segm", "boundary", "rotated", "polygons")
UNKNOWN: Size = (math.nan, math.nan)
_CORNERS = tuple(f"{axis}{k}" for k in range(1, 5) for axis in "xy")
# A multiple of four, so that the box around an upright ellipse is exact.
_AROUND = 72


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class OutlinedObject:
    """An object, or a detection.

    Attributes
    ----------
    image, label : str
        The names of its image and its class.
    polygons : sequence of points
        Its outline, in pixels.
    place : Place
        Where it is, for messages.
    score : float or str, optional
        Of a detection: the number, or its text in the file, which `detections` checks.
    mask : dict, optional
        Run lengths of COCO, where the tool has pixels: `polygons` has the box around them.
    box_only : bool
        Whether the tool would have said more of an object whose pixels are known.
    """

    image: str
    label: str
    polygons: Sequence[Points]
    place: Place
    score: float | str | None = None
    crowd: bool = False
    ignore: bool = False
    mask: Mapping[str, Any] | None = None
    box_only: bool = False

    def fault(self, what: str, field: str = "") -> InputError:
        """An error in this object."""
        return InputError(self.place.path, what + self.place.record, place=_joined(self.place.place, field))


@dataclasses.dataclass(frozen=True, slots=True)
class ToolContent:
    """All that the files say.

    Attributes
    ----------
    options : Options
        What they were read by.
    images : dict
        Name -> size.
    objects : list of OutlinedObject
    left_out : dict
        What has no area, such as "points" -> how many there are.
    """

    options: Options
    images: dict[str, Size] = dataclasses.field(default_factory=dict)
    objects: list[OutlinedObject] = dataclasses.field(default_factory=list)
    left_out: dict[str, int] = dataclasses.field(default_factory=dict)

    def leave_out(self, what: str) -> None:
        """Count an excluded shape."""
        self.left_out[what] = self.left_out.get(what, 0) + 1


def truth(
    path: Path, read: ToolContent, *, files: Sequence[Path] | None = None, names: Sequence[str] = ()
) -> GroundTruth:
    """The ground truth of what was read; `files` are all files where each image has its own.

    `names` has the classes, if the file lists them.
    """
    _check_left_out(path, read)
    options = read.options
    rows = _file_rows(read.objects, options)
    known = text_lines.names_of_classes(options)
    if files is None:
        images = _names.counted(read.images, complete=True)
    else:
        images = per_image.images(path, files, _pictures.in_folder(options.images), options)
    categories = known or _categories(read.objects, names)
    sizes = np.array([read.images.get(name, UNKNOWN) for name in images.names.values()], dtype=np.float64)
    return file_rows.truth(path, rows, images, categories, options, sizes=sizes.reshape(-1, 2))


def detections(path: Path, read: ToolContent, truth: GroundTruth) -> Detections[Column]:
    """The detections among what was read."""
    _check_left_out(path, read)
    scores = np.array([_score(x) for x in read.objects], dtype=np.float64)
    missing = np.array([x.score is None for x in read.objects], dtype=bool)
    rows = file_rows.with_scores(_file_rows(read.objects, read.options), scores, missing, read.options)
    return file_rows.detections(path, rows, truth, read.options)


def number(word: float | str, place: Place, field: str) -> float:
    """Return a number, or the number that a text of the file is. Raise InputError with the place otherwise."""
    try:
        return as_number(word) if isinstance(word, str) else float(word)
    except (TypeError, ValueError):
        fault = f"expected number, got {str(word)[:40]!r}{place.record}"
        raise InputError(place.path, fault, place=_joined(place.place, field)) from None


def box(x1: float, y1: float, x2: float, y2: float) -> Points:
    """The corners of a box from two opposite corners."""
    return ((x1, y1), (x2, y1), (x2, y2), (x1, y2))


def ellipse(cx: float, cy: float, rx: float, ry: float) -> Points:
    """Points around an ellipse."""
    quarter = _AROUND // 4
    # Sines of a quarter, mirrored, so that the outermost points are exact.
    sine = [math.sin(math.pi / 2 * k / quarter) for k in range(quarter + 1)]
    around = [*sine, *sine[-2::-1], *(-x for x in sine[1:]), *(-x for x in sine[-2:0:-1])]
    return [(cx + rx * around[(k + quarter) % _AROUND], cy + ry * around[k]) for k in range(_AROUND)]


def turned(points: Points, degrees: float, about: tuple[float, float]) -> Points:
    """Points turned clockwise on a screen, from x towards y."""
    if degrees % 360 == 0:
        return points
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    x0, y0 = about
    return [(x0 + (x - x0) * cosine - (y - y0) * sine, y0 + (x - x0) * sine + (y - y0) * cosine) for x, y in points]


def _score(x: OutlinedObject) -> float:
    return math.nan if x.score is None else number(x.score, x.place, "score")


def _file_rows(objects: Sequence[OutlinedObject], options: Options) -> FileRows:
    def place(row: int, field: str) -> Place:
        at = objects[row].place
        return at._replace(place=_joined(at.place, field))

    boxes, format, fields = _shapes(objects, options)
    return FileRows(
        images=coded(x.image for x in objects),
        labels=coded(x.label for x in objects),
        boxes=boxes,
        format=format,
        geometry=options.geometry,
        place=place,
        fields=("image", "label", *fields),
        crowd=np.array([x.crowd for x in objects], dtype=bool),
        ignore=np.array([x.ignore for x in objects], dtype=bool),
        segmentations=[_segmentation(x) for x in objects] if options.masks else None,
        unread=lambda: {"outline (--kind segm reads it)": _are_outlined(objects, options)},
    )


def _are_outlined(objects: Sequence[OutlinedObject], options: Options) -> Column:
    """Which objects are read as the box around a mask or an outline."""
    boxes = options.read_kind == "bbox"
    return np.array([boxes and (x.mask is not None or not _is_box(x)) for x in objects], dtype=bool)


def _is_box(x: OutlinedObject) -> bool:
    x1, y1, x2, y2 = _around(x)
    corners = set(box(x1, y1, x2, y2))
    return all(set(map(tuple, polygon)) == corners for polygon in x.polygons)


def _shapes(objects: Sequence[OutlinedObject], options: Options) -> tuple[Column, str, Sequence[str]]:
    """Numbers of shapes, their format, and names of their fields."""
    if options.geometry is UPRIGHT:
        boxes = np.array([_around(x) for x in objects], dtype=np.float64).reshape(-1, 4)
        return boxes, "xyxy", ("x1", "y1", "x2", "y2")
    corners = np.array([_four(x) for x in objects], dtype=np.float64).reshape(-1, 8)
    return corners, "xyxyxyxy" if options.read_kind == "rotated" else "vertices", _CORNERS


def _around(x: OutlinedObject) -> list[float]:
    """The upright box around an outline."""
    points = [point for polygon in x.polygons for point in polygon]
    if not points:
        raise x.fault("has no points")
    xs, ys = zip(*points, strict=True)
    return [min(xs), min(ys), max(xs), max(ys)]


def _four(x: OutlinedObject) -> list[float]:
    """The four points of an outline."""
    if x.mask is not None or len(x.polygons) != 1 or len(x.polygons[0]) != 4:
        count = "a mask" if x.mask is not None else f"{sum(map(len, x.polygons))} points"
        raise x.fault(
            f"expected four points, got {count}: --kind segm reads masks, and --kind bbox the boxes around them"
        )
    return [number for point in x.polygons[0] for number in point]


def _segmentation(x: OutlinedObject) -> Any:
    if x.mask is not None:
        return x.mask
    if x.box_only:
        raise x.fault("expected a polygon or a mask, got a box: --kind bbox reads boxes")
    return [[number for point in polygon for number in point] for polygon in x.polygons]


def _categories(objects: Sequence[OutlinedObject], names: Sequence[str]) -> Listed:
    return _names.counted({*names, *(x.label for x in objects)}, complete=bool(names))


def _check_left_out(path: Path, read: ToolContent) -> None:
    """Warn of what has no area; raise where nothing else is there."""
    if read.left_out and not read.objects:
        counts = ", ".join(counted(count, what) for what, count in read.left_out.items())
        raise InputError(path, f"has no boxes, polygons or masks, only {counts}")
    for what, count in read.left_out.items():
        finding = Finding(code="no-area", text=f"{counted(count, what)} skipped", path=str(path))
        warnings.warn(InputWarning(finding), stacklevel=2)


def _joined(place: str, field: str) -> str:
    """A field of a record of JSON, or of another place."""
    return f"{place}{'.' if place.endswith(']') else ', '}{field}" if place and field else place or field
