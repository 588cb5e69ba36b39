"""KITTI's text files, one for each image, of which the boxes in the image are read.

The fields of a line are ``class truncated occluded alpha x1 y1 x2 y2 height width length x y z rotation``, and the
score for detections.
"""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from omniou.data import _names, _per_image, _text
from omniou.data._names import Coded, coded
from omniou.data._options import DEFAULT, Options
from omniou.data._rows import Place, Rows
from omniou.data._text import Line, Table
from omniou.data._truth import GroundTruth
from omniou.detection import Detections

__all__ = ["read_detections", "read_ground_truth"]

Column = npt.NDArray[Any]

BOX = ("x1", "y1", "x2", "y2")
_FIELDS = (
    *("class", "truncated", "occluded", "alpha", *BOX),
    *("height", "width", "length", "x", "y", "z", "rotation"),
)
TRUTH = Line(_FIELDS)
DETECTION = Line((*_FIELDS, "score"))
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
        A directory of text files, or one such file. The name of the file is that of the image.
    options : Options
        `track` and `image_set`; `classes`, if ids are to count the lines of a file of names; and `difficulty`.

    Returns
    -------
    GroundTruth
        Ids count the names of images and classes from 0 in alphabetical order. A region "DontCare" is a crowd of every
        class that occurs: detections of which enough lies inside do not count.

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
    >>> from omniou.data import kitti
    >>> car = "Car 0.00 0 -1.5 100 120 180 160 1.5 1.6 3.9 1.0 1.5 20.0 -1.4"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "000007.txt").write_text(car)
    ...     truth = kitti.read_ground_truth(folder)
    >>> truth.categories, truth.image_names, truth.targets.boxes.tolist()
    ({0: 'Car'}, {0: '000007'}, [[100.0, 120.0, 180.0, 160.0]])
    """
    path = Path(path)
    level = _level(options)
    table = _per_image.read(path, TRUTH, options)
    known = _text.names_of_classes(options)
    categories = known or _names.counted(set(table.words["class"]) - {REGION}, complete=False)
    copies = _copies(table, list(categories.names.values()), with_neighbours=level is not None)
    names = table.file_names()

    def place(row: int, field: str) -> Place:
        return table.place(int(copies.rows[row]), field)

    rows = Rows(
        images=Coded(names.codes[copies.rows], names.keys),
        labels=copies.classes,
        boxes=table.numbers(*BOX)[copies.rows],
        format="xyxy",
        place=place,
        fields=("image", "class", *BOX),
        crowd=copies.is_region,
        ignore=None if level is None else _beyond(table, level)[copies.rows] | copies.is_neighbour,
    )
    truth = _per_image.truth(path, table.files, rows, categories, options)
    return truth if level is None else dataclasses.replace(truth, least_height=level.height)


def read_detections(path: Path | str, truth: GroundTruth, options: Options = DEFAULT) -> Detections[Column]:
    """Read a directory of results in KITTI's format.

    Parameters
    ----------
    path : path
        A directory of text files, or one such file: the fields of labels, and the score at the end.
    truth : GroundTruth
        What was detected in, in any format.
    options : Options
        Only `track` plays a part.

    Returns
    -------
    Detections

    Raises
    ------
    InputError
        Naming the file, the line and the field.
    """
    path = Path(path)
    table = _text.read(_text.files_of(path), DETECTION, options, "detections")
    return _per_image.detections(path, table, BOX, None, truth, format="xyxy")


class _Copies(NamedTuple):
    """Objects, some of them of several classes."""

    rows: Column  # of the table
    classes: Coded
    is_region: Column
    is_neighbour: Column  # a copy, of the class that it may pass for


def _copies(table: Table, names: Sequence[str], *, with_neighbours: bool) -> _Copies:
    """Regions are once of each class that has a name, and neighbours also of the class that they may pass for."""
    copies: list[tuple[int, str]] = []
    words = table.words["class"]
    for row, word in enumerate(words):
        copies += [(row, name) for name in (names if word == REGION else [word])]
        if with_neighbours and NEIGHBOURS.get(word) in names:
            copies.append((row, NEIGHBOURS[word]))
    own = [words[row] for row, _ in copies]
    is_region = np.array([word == REGION for word in own], dtype=bool)
    differs = np.array([word != name for word, (_, name) in zip(own, copies, strict=True)], dtype=bool)
    rows = np.array([row for row, _ in copies], dtype=np.int64)
    return _Copies(rows, coded(name for _, name in copies), is_region, differs & ~is_region)


def _level(options: Options) -> Level | None:
    return None if options.difficulty is None else LEVELS[options.difficulty]


def _beyond(table: Table, level: Level) -> Column:
    """Whether each row of the table is harder than the level."""
    low = table.numbers("y2") - table.numbers("y1") < level.height
    hidden = table.numbers("occluded") > level.occluded
    return low | hidden | (table.numbers("truncated") > level.truncated)
