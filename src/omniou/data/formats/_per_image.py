"""What formats share that have a text file for each image."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy.typing as npt

from omniou.data import _image_set, _sizes
from omniou.data._names import Listed
from omniou.data._options import Options
from omniou.data._truth import GroundTruth
from omniou.data.formats import _rows, _text
from omniou.data.formats._rows import FileRows
from omniou.data.formats._text import Line, TextTable
from omniou.detection import Detections

Column = npt.NDArray[Any]


def read(path: Path, line: Line, options: Options, what: str = "ground truth") -> TextTable:
    """The lines of the files of those images that were asked for."""
    return _text.read(_image_set.read(options).files(_text.files_of(path)), line, options, what)


def truth(
    path: Path,
    files: Sequence[Path],
    rows: FileRows,
    categories: Listed,
    options: Options,
    *,
    pictures: Path | None = None,
) -> GroundTruth:
    """The ground truth of files that are called as their images; `pictures` is where these may be."""
    files_by_stem = _sizes.pictures(options.images or pictures)
    images = _image_set.read(options).listed({file.stem for file in files} | set(files_by_stem), path)
    return _rows.truth(path, rows, images, categories, options, pictures=files_by_stem)


def detections(
    path: Path,
    table: TextTable,
    known: Listed | None,
    truth: GroundTruth,
    **shapes: Any,
) -> Detections[Column]:
    """The detections of files that are called as their images; numbers of classes count the `known` names.

    `shapes` are the fields of `FileRows` that tell what is compared.
    """
    rows = FileRows(
        images=table.file_names(),
        labels=table.classes(known),
        place=table.place,
        scores=table.numbers("score"),
        **shapes,
    )
    return _rows.detections(path, rows, truth)
