"""YOLO's text files, one for each image: ``class cx cy w h``, and for detections ``class cx cy w h score``.

In the place of a box there may be a polygon, ``x1 y1 x2 y2 x3 y3 ...``. Coordinates are fractions of the image's sides,
and classes are numbers that count the lines of a file of names from 0.
"""

import dataclasses
import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy.typing as npt

from omniou.data import _files, _names
from omniou.data._errors import InputError
from omniou.data._names import Listed, as_id
from omniou.data._options import DEFAULT, Options
from omniou.data._truth import GroundTruth, Naming
from omniou.data.formats import Fields, Format, Reader, _per_image, _text
from omniou.data.formats._rows import FileRows
from omniou.data.formats._text import Line, TextTable
from omniou.detection import Detections

__all__ = ["FORMAT", "read_detections", "read_ground_truth"]

Column = npt.NDArray[Any]

BOX = ("cx", "cy", "w", "h")
TRUTH = Line(("class", *BOX), polygons=True)
DETECTION = Line(("class", *BOX, "score"), polygons=True)

# The most classes that may be counted from 0 without names: a higher number is an error, not a count.
MANY = 2**20


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read a directory of labels, such as ``labels/val``.

    Parameters
    ----------
    path : path
        A directory of text files with lines ``class cx cy w h``, or one such file. The name of the file is that of the
        image. Of a polygon, the box around it is read; for the kinds "segm" and "boundary" the mask, which each line
        then needs.
    options : Options
        `classes` is the file of names; by default ``classes.txt`` or a ``*.names`` in the directory or the one above.
        `images` is the directory of the images; by default the one that is called as the path is, with "images" in the
        place of "labels". Images there that have no labels are part of the data set. `image_size` is for where there
        are no images. `kind`, `boxes`, `image_set` and `track` play their part.

    Returns
    -------
    GroundTruth
        Ids of categories are the numbers of the files. Boxes are in pixels where the sizes of the images are known;
        else they stay relative.

    Raises
    ------
    InputError
        Naming the file, the line and the field.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from omniou.data import Options
    >>> from omniou.data.formats import yolo
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "street.txt").write_text("0 0.5 0.5 0.25 0.5")
    ...     _ = pathlib.Path(folder, "classes.txt").write_text("cat")
    ...     truth = yolo.read_ground_truth(folder, Options(image_size=(480, 640)))
    >>> truth.categories, truth.targets.boxes.tolist(), truth.format
    ({0: 'cat'}, [[320.0, 240.0, 160.0, 240.0]], 'cxcywh')
    """
    path = Path(path)
    table = _per_image.read(path, _line(TRUTH, options), options)
    known = _classes(path, options)
    rows = FileRows(
        images=table.file_names(),
        labels=table.classes(known),
        boxes=table.numbers(*BOX),
        format=options.boxes or "rel_cxcywh",
        place=table.place,
        fields=("image", "class", *BOX),
        segmentations=table.segmentations() if options.masks else None,
    )
    categories = known or _numbers(table)
    return _per_image.truth(path, table.every, rows, categories, options, pictures=_pictures(path))


def read_detections(path: Path | str, truth: GroundTruth, options: Options = DEFAULT) -> Detections[Column]:
    """Read a directory of detections, such as the ``labels`` that a prediction saved with its confidences.

    Parameters
    ----------
    path : path
        A directory of text files with lines ``class cx cy w h score``, or one such file; polygons as for the ground
        truth.
    truth : GroundTruth
        What was detected in, in any format. It must know the sizes of its images, or be relative, too.
    options : Options
        `classes` is the file of names, by default as for the ground truth; without one, numbers are ids of categories.
        `boxes` and `track` play their part.

    Returns
    -------
    Detections

    Raises
    ------
    InputError
        Naming the file, the line and the field.
    """
    path = Path(path)
    table = _per_image.read(path, _line(DETECTION, options), options, "detections")
    known = _classes(path, options)
    if known is None and any(x.isdecimal() for x in table.words["class"]) and not _counts_from_0(truth):
        fault = "classes are numbers that count names from 0, and the file of these names must be given"
        raise InputError(path, fault)
    format = options.boxes or "rel_cxcywh"
    return _per_image.detections(path, table, BOX, known, truth, format=format, masks=options.masks)


def _line(line: Line, options: Options) -> Line:
    """Boxes alone, where their order is another than YOLO's."""
    return line if options.boxes is None else dataclasses.replace(line, polygons=False)


def _counts_from_0(truth: GroundTruth) -> bool:
    return truth.category_naming.own and sorted(truth.categories) == list(range(len(truth.categories)))


def _classes(path: Path, options: Options) -> Listed | None:
    """The names that were given, or that lie beside the files."""
    given = _text.names_of_classes(options)
    if given is not None:
        return given
    folder = path if path.is_dir() else path.parent
    within = [x for x in _files.in_folder(path) if _has_names(x)]
    beside = [x for place in (folder, folder.absolute().parent) for x in sorted(place.iterdir()) if _has_names(x)]
    for file in within[1:]:
        if (names := _names.in_lines(file).names) != _names.in_lines(within[0]).names:
            fault = (
                f"has {len(names)} names of classes that differ from the names in {within[0]}: `classes` names one file"
            )
            raise InputError(file, fault)
    found = within or beside
    return _names.in_lines(found[0]) if found else None


def _has_names(path: Path) -> bool:
    return path.name == "classes.txt" or path.suffix == ".names"


def _numbers(table: TextTable) -> Listed:
    """Numbers as names, up to the highest that occurs; or the names themselves, if there are any."""
    words = dict.fromkeys(table.words["class"])
    if not all(word.isdecimal() for word in words):
        return _names.counted(words, complete=False)
    highest = -1
    for word in words:
        id = as_id(word)
        if id is None or id >= MANY:
            row = table.words["class"].index(word)
            raise table.fault(row, "class", f"expected a number below {MANY}, got {word[:40]}")
        highest = max(highest, id)
    return Listed({k: str(k) for k in range(highest + 1)}, Naming(complete=False))


def _pictures(path: Path) -> Path | None:
    """Where the images of a directory of labels are by custom: ``images/val`` for ``labels/val``."""
    parts = list(path.absolute().parts)
    if "labels" not in parts:
        return path if path.is_dir() else None
    last = len(parts) - 1 - parts[::-1].index("labels")
    folder = Path(*parts[:last], "images", *parts[last + 1 :])
    return folder if folder.is_dir() else path if path.is_dir() else None


def _fits(line: Line, fields: Fields) -> bool:
    """A box, or a polygon, whose class must be a number: lines of many fractions may be something else."""
    is_polygon = line.points(fields) > 0 and fields[0].isdecimal()
    return (len(fields) == len(line.fields) or is_polygon) and _text.are_fractions(fields[1:])


def _check_score_is_last(path: Path, lines: Sequence[Fields]) -> None:
    """Six fractions may also be a class, a score and a box: then the box of YOLO's reading leaves the image."""
    boxes = [list(map(float, fields[1:])) for fields in lines if _text.are_fractions(fields[1:])]
    last, second = (sum(_is_inside(*x[k : k + 4]) for x in boxes if len(x) == 5) for k in (0, 1))
    if second > last:
        fault = "the scores seem to come before the boxes: then --dt-format text --dt-boxes rel_cxcywh reads them"
        raise InputError(path, f"{fault}; --dt-format yolo does, if they do not")


def _is_inside(cx: float, cy: float, w: float, h: float) -> bool:
    """Whether a box leaves the image by no more than rounding does."""
    return all(c - side / 2 >= -0.01 and c + side / 2 <= 1.01 for c, side in ((cx, w), (cy, h)))


KINDS = ("bbox", "segm", "boundary")
FORMAT = Format(
    "yolo",
    "YOLO: a text file for each image",
    Reader(
        read_ground_truth,
        KINDS,
        numbered=True,
        order="rel_cxcywh",
        per_image=True,
        fits=functools.partial(_fits, TRUTH),
    ),
    Reader(
        read_detections,
        KINDS,
        numbered=True,
        order="rel_cxcywh",
        per_image=True,
        fits=functools.partial(_fits, DETECTION),
        check=_check_score_is_last,
    ),
)
