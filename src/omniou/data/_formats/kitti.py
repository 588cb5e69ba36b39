"""KITTI's text files, one for each image, or one for each sequence of its tracking benchmark.

Lines of a sequence begin with the frame and the track id: each frame is an image, ``0001/000042``.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou.data import _files, _image_set, _names
from omniou.data._errors import InputError
from omniou.data._formats import Fields, Format, Reader, file_rows, kitti_rows, per_image, text_lines
from omniou.data._formats.kitti_rows import FIELDS
from omniou.data._formats.text_lines import Line, TextTable
from omniou.data._names import Coded, coded
from omniou.data._numbers import as_number
from omniou.data._options import DEFAULT, Options
from omniou.data._truth import GroundTruth
from omniou.detection import Detections

Column = npt.NDArray[Any]

# The sixteenth field of an object is its track or a score: `_check_truth` tells them apart.
TRUTH = Line(FIELDS, ("track",))
DETECTION = Line((*FIELDS, "score"), ("track",))
OF_FRAME = Line(("frame", "id", *FIELDS))
DETECTION_OF_FRAME = Line(("frame", "id", *FIELDS, "score"))


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read a directory of labels, such as ``training/label_2``, or ``training/label_02`` of sequences."""
    path = Path(path)
    if _are_sequences(path):
        return kitti_rows.at_level(_truth_of_sequences(path, options), options)
    table = per_image.read(path, TRUTH, options)
    rows, categories = kitti_rows.rows_of_truth(table, table.file_names(), options)
    truth = per_image.truth(path, table.every, rows, categories, options)
    return kitti_rows.at_level(truth, options)


def read_detections(path: Path | str, truth: GroundTruth, options: Options = DEFAULT) -> Detections[Column]:
    """Read a directory of results in KITTI's format."""
    path = Path(path)
    if _are_sequences(path):
        table = text_lines.read(path, text_lines.files_of(path), DETECTION_OF_FRAME, options, "detections")
        names = _frames(table)
    else:
        table = per_image.read(path, DETECTION, options, "detections")
        names = table.file_names()
    return file_rows.detections(path, kitti_rows.rows_of_detections(table, names, options), truth, options)


def _are_sequences(path: Path) -> bool:
    """Whether the first line begins with a frame and a track id."""
    for file in text_lines.files_of(path):
        for line in _files.head(file).decode("utf-8", "replace").splitlines():
            if fields := line.split():
                return len(fields) > 2 and _begins_with_frame(fields)
    return False


def _truth_of_sequences(path: Path, options: Options) -> GroundTruth:
    """The frames of all sequences. A list may choose some of them, by the names of frames or of files."""
    chosen, every = _image_set.read(options), text_lines.files_of(path)
    files = chosen.files(path, every)
    are_files = chosen.lines is None or len(files) == len(chosen.lines)
    table = text_lines.read(path, files if are_files else every, OF_FRAME, options, "ground truth")
    frames = _frames(table)
    rows, categories = kitti_rows.rows_of_truth(table, frames, options)
    images = _names.counted(map(str, frames.keys), complete=False)
    truth = file_rows.truth(path, rows, images, categories, options)
    return truth if are_files else _image_set.of_images(truth, options)


def _frames(table: TextTable) -> Coded:
    """The image of each row."""
    names = table.file_names()
    numbers = table.numbers("frame")
    whole = np.isfinite(numbers) & (numbers >= 0) & (numbers == np.floor(numbers))
    if not whole.all():
        row = int((~whole).argmax())
        raise table.fault(row, "frame", f"expected a whole number, got {numbers[row]:g}")
    return coded(f"{names.keys[code]}/{int(frame):06d}" for code, frame in zip(names.codes, numbers, strict=True))


def _is_truth(fields: Fields) -> bool:
    return _is_object(fields, (15, 16)) or (_begins_with_frame(fields) and _is_object(fields[2:], (15,)))


def _is_detection(fields: Fields) -> bool:
    if _begins_with_frame(fields):
        return _is_object(fields[2:], (16,))
    return _is_object(fields, (16, 17)) and (len(fields) == 16 or as_number(fields[16]).is_integer())


def _begins_with_frame(fields: Fields) -> bool:
    return fields[0].isdecimal() and text_lines.are_numbers(fields[1:2]) and not text_lines.are_numbers(fields[2:3])


def _is_object(fields: Fields, counts: tuple[int, ...]) -> bool:
    """A class by name, and numbers."""
    return len(fields) in counts and not text_lines.are_numbers(fields[:1]) and text_lines.are_numbers(fields[1:])


def _check_truth(path: Path, lines: Sequence[Fields]) -> None:
    """The sixteenth field is a track id or a score."""
    last = [x[15] for x in lines if _is_object(x, (16,))]
    if last and not all(x.isdecimal() for x in last):
        fault = "has KITTI's 16 fields, of which the last is a score: are these the detections?"
        raise InputError(path, f"{fault} --gt-format kitti reads them as ground truth, without the score")


def _check_detections(path: Path, lines: Sequence[Fields]) -> None:
    """A sixteenth field may be a track id instead of a score."""
    last = [x[15] for x in lines if _is_object(x, (16,))]
    if last and all(x.isdecimal() for x in last) and any(as_number(x) > 1 for x in last):
        most = max(last, key=as_number)[:40]
        fault = f"has KITTI's 16 fields, and the last is a whole number such as {most}: a track id, not"
        raise InputError(path, f"{fault} a score? --dt-format kitti reads it as the score")


KINDS = ("bbox", "boxes3d", "bev")

FORMAT = Format(
    "kitti",
    "KITTI: 15 fields",
    Reader(
        read_ground_truth,
        KINDS,
        numbered=True,
        per_image=True,
        levels=True,
        fits=_is_truth,
        check=_check_truth,
    ),
    Reader(read_detections, KINDS, per_image=True, fits=_is_detection, check=_check_detections),
    official=(("--protocol", "kitti"), ("--kitti-difficulty", "moderate")),
)
