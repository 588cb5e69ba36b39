"""KITTI's text files, one for each image.

The fields of a line are ``class truncated occluded alpha x1 y1 x2 y2 height width length x y z rotation``, and the
score for detections. A track id may follow. What is read of them depends on the kind:

- "bbox": the boxes in the image, x1 to y2;
- "boxes3d" and "bev": the 3-D boxes, height to rotation, for ``evaluate(..., kind="boxes3d", format="kitti")``.

Levels of difficulty go by the box in the image for all kinds. A region "DontCare" has no 3-D box: no detection can be
matched with it in 3-D, and one that is in such a region is a false alarm there.
"""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from omniou.boxes import GEOMETRY as UPRIGHT
from omniou.data import _names
from omniou.data._errors import InputError
from omniou.data._names import Coded, Listed, coded
from omniou.data._options import DEFAULT, Options
from omniou.data._truth import GroundTruth
from omniou.data.formats import Fields, Format, Reader, _per_image, _rows, _text
from omniou.data.formats._rows import FileRows, Place
from omniou.data.formats._text import Line, TextTable
from omniou.detection import Detections

__all__ = ["FORMAT", "read_detections", "read_ground_truth"]

Column = npt.NDArray[Any]

BOX = ("x1", "y1", "x2", "y2")
BOX3D = ("height", "width", "length", "x", "y", "z", "rotation")
_FIELDS = ("class", "truncated", "occluded", "alpha", *BOX, *BOX3D)
# Whether the sixteenth field of an object is its track or a score, `_check_truth` tells.
TRUTH = Line(_FIELDS, ("track",))
DETECTION = Line((*_FIELDS, "score"), ("track",))
REGION = "DontCare"
# A detection of the one class that finds an object of the other is no false alarm.
NEIGHBOURS = {"Van": "Car", "Person_sitting": "Pedestrian"}


class Level(NamedTuple):
    """What an object must meet to count."""

    height: float  # least, in pixels
    occluded: int  # most
    truncated: float  # most


LEVELS = {"easy": Level(40, 0, 0.15), "moderate": Level(25, 1, 0.3), "hard": Level(25, 2, 0.5)}


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read a directory of labels, such as ``training/label_2``.

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
        Ids count the names of images and classes from 0 in alphabetical order. A region "DontCare" is a crowd of every
        class that occurs: detections of which enough lies inside do not count. Of 3-D boxes there are no regions.

        With a `difficulty`, objects beyond it are in the column `ignore`, and detections that are lower than its
        objects, `least_height`, will be left out. Vans are then also ignored cars, and sitting
        persons ignored pedestrians. KITTI's own tool ignores low detections too, but also the objects that they match:
        here those objects are missed.

    Raises
    ------
    InputError
        Naming the file, the line and the field.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from omniou.data.formats import kitti
    >>> car = "Car 0.00 0 -1.5 100 120 180 160 1.5 1.6 3.9 1.0 1.5 20.0 -1.4"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "000007.txt").write_text(car)
    ...     truth = kitti.read_ground_truth(folder)
    >>> truth.categories, truth.image_names, truth.targets.boxes.tolist()
    ({0: 'Car'}, {0: '000007'}, [[100.0, 120.0, 180.0, 160.0]])
    """
    path = Path(path)
    table = _per_image.read(path, TRUTH, options)
    rows, categories = rows_of_truth(table, table.file_names(), options)
    truth = _per_image.truth(path, table.every, rows, categories, options)
    return at_level(truth, options)


def rows_of_truth(table: TextTable, names: Coded, options: Options) -> tuple[FileRows, Listed]:
    """The objects of lines in the images of these names, and their classes."""
    level = _level(options)
    known = _text.names_of_classes(options)
    categories = known or _names.counted(set(table.words["class"]) - {REGION}, complete=False)
    shapes = _shapes(table, options)
    copies = _copies(
        table,
        list(categories.names.values()),
        with_neighbours=level is not None,
        with_regions=options.geometry is UPRIGHT,
    )

    def place(row: int, field: str) -> Place:
        return table.place(int(copies.rows[row]), field)

    rows = FileRows(
        images=Coded(names.codes[copies.rows], names.keys),
        labels=copies.classes,
        boxes=table.numbers(*shapes.fields)[copies.rows],
        format=shapes.format,
        geometry=options.geometry,
        place=place,
        fields=("image", "class", *shapes.fields),
        crowd=copies.is_region,
        ignore=None if level is None else _beyond(table, shapes, level)[copies.rows] | copies.is_neighbour,
    )
    return rows, categories


def at_level(truth: GroundTruth, options: Options) -> GroundTruth:
    """With the least height of detections that a level of difficulty sets."""
    level = _level(options)
    return truth if level is None else dataclasses.replace(truth, least_height=level.height)


def read_detections(path: Path | str, truth: GroundTruth, options: Options = DEFAULT) -> Detections[Column]:
    """Read a directory of results in KITTI's format.

    Parameters
    ----------
    path : path
        A directory of text files, or one such file: the fields of labels, the score, and perhaps a track id.
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
    table = _per_image.read(path, DETECTION, options, "detections")
    return _rows.detections(path, rows_of_detections(table, table.file_names(), options), truth)


def rows_of_detections(table: TextTable, names: Coded, options: Options) -> FileRows:
    """The detections of lines in the images of these names."""
    tracks = table.numbers("track") if "track" in table.line.optional else np.empty(0)
    if (bad := ~np.isnan(tracks) & (tracks != np.floor(tracks))).any():
        row = int(bad.argmax())
        fault = (
            f"expected a track id behind the score, a whole number, got {tracks[row]:g}: is a field too many before?"
        )
        raise table.fault(row, "track", fault)
    shapes = _shapes(table, options)
    return FileRows(
        images=names,
        labels=table.classes(None),
        boxes=table.numbers(*shapes.fields),
        format=shapes.format,
        geometry=options.geometry,
        place=table.place,
        fields=("image", "class", *shapes.fields),
        scores=table.numbers("score"),
        heights=shapes.heights,
    )


class _Shapes(NamedTuple):
    """What is read of the lines."""

    fields: tuple[str, ...]
    format: str
    heights: Column  # of the boxes in the image


def _shapes(table: TextTable, options: Options) -> _Shapes:
    heights = table.numbers("y2") - table.numbers("y1")
    if options.geometry is UPRIGHT:
        return _Shapes(BOX, "xyxy", heights)
    bad = ~np.isfinite(heights)
    if bad.any():
        row = int(bad.argmax())
        field = "y1" if not np.isfinite(table.numbers("y1")[row]) else "y2"
        raise table.fault(row, field, f"expected finite number, got {table.numbers(field)[row]:g}")
    return _Shapes(BOX3D, "kitti", heights)


class _Copies(NamedTuple):
    """Objects, some of them of several classes."""

    rows: Column  # of the table
    classes: Coded
    is_region: Column
    is_neighbour: Column  # a copy, of the class that it may pass for


def _copies(table: TextTable, names: Sequence[str], *, with_neighbours: bool, with_regions: bool) -> _Copies:
    """Regions are once of each class that has a name, and neighbours also of the class that they may pass for."""
    regions = names if with_regions else []
    copies: list[tuple[int, str]] = []
    words = table.words["class"]
    for row, word in enumerate(words):
        copies += [(row, name) for name in (regions if word == REGION else [word])]
        if with_neighbours and NEIGHBOURS.get(word) in names:
            copies.append((row, NEIGHBOURS[word]))
    own = [words[row] for row, _ in copies]
    is_region = np.array([word == REGION for word in own], dtype=bool)
    differs = np.array([word != name for word, (_, name) in zip(own, copies, strict=True)], dtype=bool)
    rows = np.array([row for row, _ in copies], dtype=np.int64)
    return _Copies(rows, coded(name for _, name in copies), is_region, differs & ~is_region)


def _level(options: Options) -> Level | None:
    return None if options.difficulty is None else LEVELS[options.difficulty]


def _beyond(table: TextTable, shapes: _Shapes, level: Level) -> Column:
    """Whether each row of the table is harder than the level."""
    low = shapes.heights < level.height
    hidden = table.numbers("occluded") > level.occluded
    return low | hidden | (table.numbers("truncated") > level.truncated)


def _is_truth(fields: Fields) -> bool:
    return len(fields) in {15, 16} and is_object(fields)


def _is_detection(fields: Fields) -> bool:
    return is_object(fields) and (len(fields) == 16 or (len(fields) == 17 and float(fields[16]).is_integer()))


def is_object(fields: Fields) -> bool:
    """A class by name, and numbers."""
    return not _text.are_numbers(fields[:1]) and _text.are_numbers(fields[1:])


def _check_truth(path: Path, lines: Sequence[Fields]) -> None:
    """The sixteenth field is a track id or a score."""
    last = [fields[15] for fields in lines if len(fields) == 16]
    if last and not all(x.isdecimal() for x in last):
        fault = "has KITTI's 16 fields, of which the last is a score: are these the detections?"
        raise InputError(path, f"{fault} --gt-format kitti reads them as ground truth, without the score")


def _check_detections(path: Path, lines: Sequence[Fields]) -> None:
    """A sixteenth field may be a track id instead of a score."""
    last = [fields[15] for fields in lines if len(fields) == 16]
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
)
