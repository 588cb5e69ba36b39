"""What formats share that have a text file for each image."""

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy.typing as npt

from omniou.data import _image_set, _paths, _pictures
from omniou.data._formats import file_rows, text_lines
from omniou.data._formats.file_rows import FileRows
from omniou.data._formats.text_lines import Line, TextTable
from omniou.data._names import Listed
from omniou.data._options import Options
from omniou.data._paths import ImageNames
from omniou.data._truth import GroundTruth
from omniou.detection import Detections

Column = npt.NDArray[Any]


def read(path: Path, line: Line, options: Options, what: str = "ground truth") -> TextTable:
    """The lines of the files of those images that were asked for."""
    every = text_lines.files_of(path)
    table = text_lines.read(path, _image_set.read(options).files(path, every), line, options, what)
    return dataclasses.replace(table, every=every)


def truth(
    path: Path,
    files: Sequence[Path],
    rows: FileRows,
    categories: Listed,
    options: Options,
    *,
    pictures: Path | None = None,
) -> GroundTruth:
    """The ground truth of all `files`, which are called as their images; `pictures` is where these may be."""
    found = _pictures.in_folder(options.images or pictures)
    return file_rows.truth(path, rows, images(path, files, found, options), categories, options, pictures=found)


def images(path: Path, files: Sequence[Path], pictures: Iterable[str], options: Options) -> Listed:
    """The images of files that are called as them; pictures without a file are images without objects."""
    names, shown = _paths.names_in(path, files), list(pictures)
    others = [name for name, places in zip(shown, ImageNames(names).find(shown), strict=True) if not places]
    return _image_set.read(options).listed([*names, *_paths.distinct(others)], path)


def detections(
    path: Path,
    table: TextTable,
    known: Listed | None,
    truth: GroundTruth,
    options: Options,
    **shapes: Any,
) -> Detections[Column]:
    """The detections of files that are called as their images; numbers of classes count the `known` names.

    `shapes` has the fields of `FileRows` for the shapes and their format.
    """
    rows = FileRows(
        images=table.file_names(),
        labels=table.classes(known),
        place=table.place,
        scores=table.scores,
        categories=known,
        **shapes,
    )
    return file_rows.detections(path, rows, truth, options)
