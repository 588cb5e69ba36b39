"""Text files, one for each image, as the scripts that followed Pascal VOC use them (Cartucho's, Padilla's)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy.typing as npt

from omniou.data import _names
from omniou.data._errors import MISSING_SCORES, InputError
from omniou.data._formats import Fields, Format, Reader, per_image, text_lines
from omniou.data._formats.file_rows import FileRows
from omniou.data._formats.text_lines import Line
from omniou.data._numbers import as_number
from omniou.data._options import DEFAULT, Options
from omniou.data._truth import GroundTruth
from omniou.detection import Detections

Column = npt.NDArray[Any]

BOX = ("x1", "y1", "x2", "y2")
TRUTH = Line(("class", *BOX), ("difficult",))
DETECTION = Line(("class", "score", *BOX))


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read a directory of text files, one for each image."""
    path = Path(path)
    table = per_image.read(path, TRUTH, options)
    known = text_lines.names_of_classes(options)
    classes = table.classes(known)
    rows = FileRows(
        images=table.file_names(),
        labels=classes,
        boxes=table.numbers(*BOX),
        format=options.boxes or "xyxy",
        place=table.place,
        fields=("image", "class", *BOX),
        ignore=table.flags("difficult"),
    )
    categories = known or _names.counted(map(str, classes.keys), complete=False)
    return per_image.truth(path, table.every, rows, categories, options)


def read_detections(path: Path | str, truth: GroundTruth, options: Options = DEFAULT) -> Detections[Column]:
    """Read a directory of text files with the detections in each image."""
    path = Path(path)
    table = per_image.read(path, DETECTION, options, "detections")
    known = text_lines.names_of_classes(options)
    shapes = {"boxes": table.numbers(*BOX), "format": options.boxes or "xyxy", "fields": ("image", "class", *BOX)}
    return per_image.detections(path, table, known, truth, options, **shapes)


def _is_truth(fields: Fields) -> bool:
    return len(fields) in {5, 6} and text_lines.are_numbers(fields[1:5]) and text_lines.are_flags(fields[5:])


def _is_detection(fields: Fields) -> bool:
    return len(fields) == 6 and text_lines.are_numbers(fields[1:])


def _check_truth(path: Path, lines: Sequence[Fields]) -> None:
    """The second field may be a score, where the last is not a mark of difficult objects."""
    rows = [list(map(as_number, x[1:])) for x in lines if _is_detection(x)]
    if rows and all(0 <= x[0] <= 1 for x in rows) and not all(x[-1] in {0, 1} for x in rows):
        first = " ".join(next(x for x in lines if _is_detection(x)))
        fault = f"the second field of lines such as {first[:80]!r} looks like a score: are these the detections?"
        raise InputError(path, fault)


def _check_detections(path: Path, lines: Sequence[Fields]) -> None:
    """The last field may be a mark of difficult objects, where the second is not a score."""
    rows = [list(map(as_number, x[1:])) for x in lines if _is_detection(x)]
    if rows and all(x[-1] in {0, 1} for x in rows) and any(x[0] > 1 for x in rows):
        first = " ".join(next(x for x in lines if _is_detection(x)))
        fault = f"no score: lines such as {first[:80]!r} end in a mark of difficult objects: {MISSING_SCORES}"
        raise InputError(path, f"{fault} --dt-format text reads them as detections")


FORMAT = Format(
    "text",
    "a text file for each image",
    Reader(read_ground_truth, numbered=True, order="xyxy", per_image=True, fits=_is_truth, check=_check_truth),
    Reader(
        read_detections,
        numbered=True,
        class_ids=True,
        order="xyxy",
        per_image=True,
        fits=_is_detection,
        check=_check_detections,
        per_class="voc",
    ),
)
