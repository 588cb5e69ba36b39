"""KITTI's text files, one for each image, of which the boxes in the image are read.

The fields of a line are ``class truncated occluded alpha x1 y1 x2 y2 height width length x y z rotation``, and the
score for detections.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou.data import _names, _per_image, _text
from omniou.data._names import Coded, coded
from omniou.data._rows import Place, Rows
from omniou.data._text import Line, Table
from omniou.data.options import DEFAULT, Options
from omniou.data.truth import GroundTruth
from omniou.detection import Detections

__all__ = ["read_detections", "read_ground_truth"]

Column = npt.NDArray[Any]

BOX = ("x1", "y1", "x2", "y2")
_FIELDS = (
    *("class", "truncated", "occluded", "alpha", *BOX),
    *("height", "width", "length", "x", "y", "z", "rotation"),
)
TRUTH = Line(_FIELDS)
FOUND = Line((*_FIELDS, "score"))
REGION = "DontCare"


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read a directory of labels, such as ``training/label_2``.

    Parameters
    ----------
    path : path
        A directory of text files, or one such file. The name of the file is that of the image.
    options : Options
        `track`, and `classes`, if ids are to count the lines of a file of names.

    Returns
    -------
    GroundTruth
        Ids count the names of images and classes from 0 in alphabetical order. A region "DontCare" is a crowd of every
        class that occurs: detections of which enough lies inside do not count. KITTI's levels of difficulty, and the
        classes that it lets pass for others (a van for a car), are not part of this.

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
    table = _text.read(_text.files_of(path), TRUTH, options, "ground truth")
    known = _text.names_of_classes(options)
    categories = known or _names.counted(set(table.words["class"]) - {REGION}, complete=False)
    rows, words, is_region = _with_regions_of_each(table, list(categories.names.values()))
    names = table.file_names()

    def place(row: int, field: str) -> Place:
        return table.place(int(rows[row]), field)

    found = Rows(
        images=Coded(names.codes[rows], names.keys),
        labels=words,
        boxes=table.numbers(*BOX)[rows],
        format="xyxy",
        place=place,
        fields=("image", "class", *BOX),
        crowd=is_region,
    )
    return _per_image.truth(path, table.files, found, categories, options)


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
    table = _text.read(_text.files_of(path), FOUND, options, "detections")
    return _per_image.detections(path, table, BOX, None, truth, format="xyxy")


def _with_regions_of_each(table: Table, names: Sequence[str]) -> tuple[Column, Coded, Column]:
    """Rows of the table, each region once for each class; their classes; which are regions."""
    words = table.words["class"]
    pairs = [(row, name) for row, word in enumerate(words) for name in (names if word == REGION else [word])]
    rows = np.array([row for row, _ in pairs], dtype=np.int64)
    regions = np.array([word == REGION for word in words], dtype=bool)
    return rows, coded(name for _, name in pairs), regions[rows]
