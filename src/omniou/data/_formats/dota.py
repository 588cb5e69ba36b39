"""DOTA's text files: quadrilaterals, rectangles whose sides are the means of opposite edges, or upright boxes."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou.boxes import GEOMETRY as UPRIGHT
from omniou.data import _names
from omniou.data._formats import Fields, Format, Reader, file_rows, per_image, text_lines
from omniou.data._formats.file_rows import FileRows
from omniou.data._formats.text_lines import Line, TextTable
from omniou.data._names import coded
from omniou.data._options import DEFAULT, Options
from omniou.data._truth import GroundTruth
from omniou.detection import Detections

Column = npt.NDArray[Any]

_X, _Y = ("x1", "x2", "x3", "x4"), ("y1", "y2", "y3", "y4")
CORNERS = tuple(name for corner in zip(_X, _Y, strict=True) for name in corner)
# Kind -> the format of the rows.
_FORMATS = {"bbox": "xyxy", "rotated": "xyxyxyxy", "polygons": "vertices"}
HEADINGS = ("imagesource:", "gsd:")
TRUTH = Line((*CORNERS, "class"), ("difficult",), HEADINGS)
DETECTION = Line(("image", "score", *CORNERS))


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read a directory of labels, such as ``labelTxt``."""
    path = Path(path)
    table = per_image.read(path, TRUTH, options)
    known = text_lines.names_of_classes(options)
    rows = FileRows(
        images=table.file_names(),
        labels=table.classes(known),
        **_shapes(table, options),
        place=table.place,
        ignore=table.flags("difficult"),
    )
    categories = known or _names.counted(table.words["class"], complete=False)
    return per_image.truth(path, table.every, rows, categories, options)


def read_detections(path: Path | str, truth: GroundTruth, options: Options = DEFAULT) -> Detections[Column]:
    """Read the files that DOTA's evaluation takes, such as ``Task1_plane.txt``."""
    path = Path(path)
    table = text_lines.read(path, text_lines.files_of_classes(path), DETECTION, options, "detections")
    rows = FileRows(
        images=coded(table.words["image"]),
        labels=text_lines.class_of_rows(table, truth),
        **_shapes(table, options),
        place=table.place,
        scores=table.scores,
    )
    return file_rows.detections(path, rows, truth, options)


def _shapes(table: TextTable, options: Options) -> dict[str, Any]:
    """Fields of `FileRows` for the shapes of a kind."""
    boxes, corners = table.numbers(*CORNERS), CORNERS
    if options.geometry is UPRIGHT:
        boxes, corners = _hull(table), ("x1", "y1", "x3", "y3")
    format = _FORMATS[options.read_kind]
    return {"boxes": boxes, "format": format, "geometry": options.geometry, "fields": ("image", "class", *corners)}


def _hull(table: TextTable) -> Column:
    """The upright box around the corners of each row, (N, 4)."""
    x, y = table.numbers(*_X), table.numbers(*_Y)
    return np.stack([x.min(axis=1), y.min(axis=1), x.max(axis=1), y.max(axis=1)], axis=1)


def _is_truth(fields: Fields) -> bool:
    is_named = not text_lines.are_numbers(fields[8:9])
    return (
        len(fields) in {9, 10} and text_lines.are_numbers(fields[:8]) and is_named and text_lines.are_flags(fields[9:])
    )


def _is_detection(fields: Fields) -> bool:
    # Corners that are fractions of the image are YOLO's.
    return len(fields) == 10 and text_lines.are_numbers(fields[1:]) and not text_lines.are_fractions(fields[1:9])


KINDS = tuple(_FORMATS)
FORMAT = Format(
    "dota",
    "DOTA: quadrilaterals",
    Reader(read_ground_truth, KINDS, numbered=True, per_image=True, fits=_is_truth),
    Reader(read_detections, KINDS, fits=_is_detection),
    headings=HEADINGS,
    made_for=("polygons", "rotated"),
)
