"""LabelMe's files, also as X-AnyLabeling writes them: JSON, one file for each image."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import numpy.typing as npt

from omniou.data import _files, _image_set, _json, _names
from omniou.data._errors import InputError
from omniou.data._formats import Format, Reader, outlines
from omniou.data._formats.file_rows import Place
from omniou.data._formats.outlines import OutlinedObject, Points, ToolContent
from omniou.data._options import DEFAULT, Options
from omniou.data._paths import name_in
from omniou.data._peek import Peek
from omniou.data._truth import GroundTruth
from omniou.detection import Detections

Column = npt.NDArray[Any]
Group: TypeAlias = int | str | None

# Shapes without area, with their plurals for the warning.
_WITHOUT_AREA = {"point": "points", "line": "lines", "linestrip": "line strips", "points": "groups of points"}


class _LabelMeShape(msgspec.Struct):
    label: str
    points: list[tuple[float, float]]
    shape_type: str | None = None
    group_id: int | str | None = None
    score: float | None = None
    difficult: bool | int | str | None = None
    flags: dict[str, Any] | None = None


class _LabelMeFile(msgspec.Struct):
    shapes: list[_LabelMeShape]
    imageHeight: float | None = None  # noqa: N815  (LabelMe's names)
    imageWidth: float | None = None  # noqa: N815


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read a directory of LabelMe's JSON files."""
    path = Path(path)
    every = _json_files(path)
    read = _read(path, _image_set.read(options).files(path, every), options, "ground truth")
    return outlines.truth(path, read, files=every)


def read_detections(path: Path | str, truth: GroundTruth, options: Options = DEFAULT) -> Detections[Column]:
    """Read a directory of JSON files whose shapes have a "score", as X-AnyLabeling writes them."""
    path = Path(path)
    read = _read(path, _json_files(path), options, "detections")
    return outlines.detections(path, read, truth)


def _json_files(path: Path) -> Sequence[Path]:
    files = [x for x in _files.in_folder(path) if x == path or ".json" in x.name.lower()]
    if not files:
        raise _files.lacking(path, "JSON files")
    return files


def _read(path: Path, files: Sequence[Path], options: Options, what: str) -> ToolContent:
    read = ToolContent(options)
    for file in options.track(files, what):
        content = _json.decode(file, _json.read(file), _LabelMeFile)
        image = name_in(path, file)
        height, width = (x if x and x > 0 else math.nan for x in (content.imageHeight, content.imageWidth))
        read.images[image] = (height, width)
        read.objects.extend(_objects(file, image, content, read))
    return read


def _objects(file: Path, image: str, content: _LabelMeFile, read: ToolContent) -> Iterator[OutlinedObject]:
    """The objects of an image, each of one shape or of all shapes of its group."""
    groups: dict[tuple[str, Group], list[int]] = {}
    for k, shape in enumerate(content.shapes):
        if shape.shape_type in _WITHOUT_AREA:
            read.leave_out(_WITHOUT_AREA[shape.shape_type])
            continue
        if shape.shape_type == "mask" and read.options.masks:
            fault = "is a mask, whose pixels are not read: save it as a polygon, or --kind bbox reads the box around it"
            raise InputError(file, fault, place=f"shapes[{k}]")
        # Shapes without a group are of none: each is an object.
        group = (shape.label, f"shape {k}" if shape.group_id is None else shape.group_id)
        groups.setdefault(group, []).append(k)
    for (label, _), numbers in groups.items():
        parts = [content.shapes[k] for k in numbers]
        scores = [x.score for x in parts if x.score is not None]
        yield OutlinedObject(
            image=image,
            label=label,
            polygons=[_outline(file, k, content.shapes[k]) for k in numbers],
            place=Place(file, f"shapes[{numbers[0]}]"),
            score=max(scores, default=None),
            ignore=any(_is_difficult(file, k, content.shapes[k]) for k in numbers),
        )


def _is_difficult(file: Path, number: int, shape: _LabelMeShape) -> bool:
    known = _names.flag(shape.difficult or (shape.flags or {}).get("difficult"))
    if known is None:
        fault = f"expected true or false, got {shape.difficult!r:.42}"
        raise InputError(file, fault, place=f"shapes[{number}].difficult")
    return known


def _outline(file: Path, number: int, shape: _LabelMeShape) -> Points:
    kind, points = shape.shape_type or "polygon", shape.points
    least = {"polygon": 3, "rotation": 4}.get(kind, 2)
    if len(points) < least:
        fault = f"expected {least} points or more of a {kind}, got {len(points)}"
        raise InputError(file, fault, place=f"shapes[{number}].points")
    match kind:
        case "polygon" | "rotation" | "oriented_rectangle":
            return points
        case "rectangle" | "mask":
            xs, ys = zip(*points, strict=True)
            return outlines.box(min(xs), min(ys), max(xs), max(ys))
        case "circle":
            (x, y), (x1, y1) = points[:2]
            radius = math.hypot(x1 - x, y1 - y)
            return outlines.ellipse(x, y, radius, radius)
    known = "polygon, rectangle, rotation, circle, mask"
    raise InputError(file, f"expected one of {known}, got {kind!r}", place=f"shapes[{number}].shape_type")


def _is_labelme(peek: Peek) -> bool:
    # The shapes may be far behind the data of the image.
    return bool(peek.keys & {"imageData", "shapes[].points"}) or {"shapes", "version"} <= peek.keys


FORMAT = Format(
    "labelme",
    "LabelMe, X-AnyLabeling: JSON for each image",
    Reader(read_ground_truth, outlines.KINDS, numbered=True, per_image=True),
    Reader(read_detections, outlines.KINDS, per_image=True),
    recognises=_is_labelme,
)
