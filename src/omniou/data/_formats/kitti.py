"""KITTI's text files, one for each image, or one for each sequence of its tracking benchmark.

The fields of a line are ``class truncated occluded alpha x1 y1 x2 y2 height width length x y z rotation``, and the
score for detections. A track id may follow. In files of sequences the frame and the track id stand before these fields:
each frame is an image, called by its file and its number, ``0001/000042``, as KITTI's pictures are. Track ids are
ignored: boxes are compared image by image.

What is read of a line depends on the kind:

- "bbox": the boxes in the image, x1 to y2;
- "boxes3d" and "bev": the 3-D boxes, height to rotation, for ``evaluate(..., kind="boxes3d", format="kitti")``.

Levels of difficulty go by the box in the image for all kinds. A region "DontCare" has no 3-D box: no detection can be
matched with it in 3-D, and one that is in such a region is a false positive there.
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
from omniou.data._options import DEFAULT, Options
from omniou.data._truth import GroundTruth
from omniou.detection import Detections

__all__ = ["FORMAT", "read_detections", "read_ground_truth"]

Column = npt.NDArray[Any]

# Whether the sixteenth field of an object is its track or a score, `_check_truth` tells.
TRUTH = Line(FIELDS, ("track",))
DETECTION = Line((*FIELDS, "score"), ("track",))
OF_FRAME = Line(("frame", "id", *FIELDS))
DETECTION_OF_FRAME = Line(("frame", "id", *FIELDS, "score"))


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read a directory of labels, such as ``training/label_2``, or ``training/label_02`` of sequences.

    Parameters
    ----------
    path : path
        A directory of text files, or one such file, each called as its image. A sixteenth field, a track id or a
        score, is ignored.
    options : Options
        `kind`, `track` and `image_set`; `classes`, if ids are to count the lines of a file of names; and `difficulty`.

    Returns
    -------
    GroundTruth
        Ids count the names of images and classes from 0 in alphabetical order. Frames without objects do not occur in
        files of sequences: detections in them are excluded, with a warning. A region "DontCare" is a crowd of every
        class that occurs: detections of which enough lies inside do not count. Of 3-D boxes there are no regions.

        With a `difficulty`, objects beyond it are in the column `ignore`, and detections that are lower than its
        objects, `least_height`, will be excluded. Vans are then also ignored cars, and sitting
        persons ignored pedestrians. KITTI's own tool ignores low detections too, but also the objects that they match:
        here those objects are missed.

    Raises
    ------
    InputError
        The message names the file, the line and the field.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from omniou.data._formats import kitti
    >>> car = "Car 0.00 0 -1.5 100 120 180 160 1.5 1.6 3.9 1.0 1.5 20.0 -1.4"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "000007.txt").write_text(car)
    ...     truth = kitti.read_ground_truth(folder)
    >>> truth.categories, truth.image_names, truth.targets.boxes.tolist()
    ({0: 'Car'}, {0: '000007'}, [[100.0, 120.0, 180.0, 160.0]])
    """
    path = Path(path)
    if _are_sequences(path):
        return kitti_rows.at_level(_truth_of_sequences(path, options), options)
    table = per_image.read(path, TRUTH, options)
    rows, categories = kitti_rows.rows_of_truth(table, table.file_names(), options)
    truth = per_image.truth(path, table.every, rows, categories, options)
    return kitti_rows.at_level(truth, options)


def read_detections(path: Path | str, truth: GroundTruth, options: Options = DEFAULT) -> Detections[Column]:
    """Read a directory of results in KITTI's format.

    Parameters
    ----------
    path : path
        A directory of text files, or one such file: the fields of labels, the score, and perhaps a track id.
    truth : GroundTruth
        The ground truth, in any format.
    options : Options
        The reader uses only `kind` and `track`.

    Returns
    -------
    Detections

    Raises
    ------
    InputError
        The message names the file, the line and the field.
    """
    path = Path(path)
    if _are_sequences(path):
        table = text_lines.read(path, text_lines.files_of(path), DETECTION_OF_FRAME, options, "detections")
        names = _frames(table)
    else:
        table = per_image.read(path, DETECTION, options, "detections")
        names = table.file_names()
    return file_rows.detections(path, kitti_rows.rows_of_detections(table, names, options), truth)


def _are_sequences(path: Path) -> bool:
    """Whether the first line begins with a frame and a track id."""
    for file in text_lines.files_of(path):
        for line in _files.head(file).decode("utf-8", "replace").splitlines():
            if fields := line.split():
                return len(fields) > 2 and _begins_with_frame(fields)
    return False


def _truth_of_sequences(path: Path, options: Options) -> GroundTruth:
    """The frames of all sequences, of which a list may choose some, by their names or by their files'."""
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
    return coded(f"{names.keys[code]}/{int(number):06d}" for code, number in zip(names.codes, numbers, strict=True))


def _is_truth(fields: Fields) -> bool:
    return _is_object(fields, (15, 16)) or (_begins_with_frame(fields) and _is_object(fields[2:], (15,)))


def _is_detection(fields: Fields) -> bool:
    if _begins_with_frame(fields):
        return _is_object(fields[2:], (16,))
    return _is_object(fields, (16, 17)) and (len(fields) == 16 or float(fields[16]).is_integer())


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
    if last and all(x.isdecimal() for x in last) and any(int(x) > 1 for x in last):
        fault = (
            f"has KITTI's 16 fields, and the last is a whole number such as {max(last, key=int)[:40]}: a track id, not"
        )
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
    official="--protocol kitti --kitti-difficulty moderate",
)
