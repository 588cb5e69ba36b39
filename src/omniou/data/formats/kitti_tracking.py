"""KITTI's text files for tracking, one for each sequence: the frame and a track id before the fields of `kitti`.

Each frame is an image, called by its file and its number, ``0001/000042``, as KITTI's pictures are. Track ids are
ignored: boxes are compared frame by frame.
"""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou.data import _names
from omniou.data._names import Coded, coded
from omniou.data._options import DEFAULT, Options
from omniou.data._truth import GroundTruth
from omniou.data.formats import Fields, Format, Reader, _rows, _text, kitti
from omniou.data.formats._text import Line, TextTable
from omniou.detection import Detections

__all__ = ["FORMAT", "read_detections", "read_ground_truth"]

Column = npt.NDArray[Any]

_BEFORE = ("frame", "track")
TRUTH = Line((*_BEFORE, *kitti.TRUTH.fields))
DETECTION = Line((*_BEFORE, *kitti.DETECTION.fields))


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read a directory of labels, such as ``training/label_02``.

    Parameters
    ----------
    path : path
        A directory of text files, or one such file, with lines ``frame track class truncated ... rotation``.
    options : Options
        `kind` and `track`; `classes`, if ids are to count the lines of a file of names; and `difficulty`.

    Returns
    -------
    GroundTruth
        As `omniou.data.formats.kitti.read_ground_truth` returns it. Frames without objects do not occur in the files,
        and detections in them are left out with a warning.

    Raises
    ------
    InputError
        Naming the file, the line and the field.
    """
    path = Path(path)
    table = _text.read(path, _text.files_of(path), TRUTH, options, "ground truth")
    frames = _frames(table)
    rows, categories = kitti.rows_of_truth(table, frames, options)
    images = _names.counted(map(str, frames.keys), complete=False)
    return kitti.at_level(_rows.truth(path, rows, images, categories, options), options)


def read_detections(path: Path | str, truth: GroundTruth, options: Options = DEFAULT) -> Detections[Column]:
    """Read a directory of results of tracking.

    Parameters
    ----------
    path : path
        A directory of text files, or one such file: the fields of labels, and the score at the end.
    truth : GroundTruth
        What was detected in, in any format.
    options : Options
        Only `kind` and `track` play a part.

    Returns
    -------
    Detections

    Raises
    ------
    InputError
        Naming the file, the line and the field.
    """
    path = Path(path)
    table = _text.read(path, _text.files_of(path), DETECTION, options, "detections")
    return _rows.detections(path, kitti.rows_of_detections(table, _frames(table), options), truth)


def _frames(table: TextTable) -> Coded:
    """The image of each row."""
    names = table.file_names()
    numbers = table.numbers("frame")
    whole = np.isfinite(numbers) & (numbers >= 0) & (numbers == np.floor(numbers))
    if not whole.all():
        row = int((~whole).argmax())
        raise table.fault(row, "frame", f"expected a whole number, got {numbers[row]:g}")
    return coded(f"{names.keys[code]}/{int(number):06d}" for code, number in zip(names.codes, numbers, strict=True))


def _is_truth(fields: Fields) -> bool:
    return len(fields) == len(TRUTH.fields) and _is_tracked(fields)


def _is_detection(fields: Fields) -> bool:
    return len(fields) == len(DETECTION.fields) and _is_tracked(fields)


def _is_tracked(fields: Fields) -> bool:
    return fields[0].isdecimal() and _text.are_numbers(fields[1:2]) and kitti.is_object(fields[2:])


FORMAT = Format(
    "kitti-tracking",
    "KITTI: frames and tracks",
    Reader(read_ground_truth, kitti.KINDS, numbered=True, levels=True, fits=_is_truth),
    Reader(read_detections, kitti.KINDS, fits=_is_detection),
)
