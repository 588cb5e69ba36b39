"""What formats share that have a text file for each image."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy.typing as npt

from omniou._catalogue.geometry import Geometry
from omniou.boxes import GEOMETRY as UPRIGHT
from omniou.data import _image_set, _paths, _sizes
from omniou.data._names import Listed
from omniou.data._options import Options
from omniou.data._paths import Images
from omniou.data._truth import GroundTruth
from omniou.data.formats import _rows, _text
from omniou.data.formats._rows import FileRows
from omniou.data.formats._text import Line, TextTable
from omniou.detection import Detections

Column = npt.NDArray[Any]


def read(path: Path, line: Line, options: Options, what: str = "ground truth") -> TextTable:
    """The lines of the files of those images that were asked for."""
    every = _text.files_of(path)
    table = _text.read(path, _image_set.read(options).files(path, every), line, options, what)
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
    found = _sizes.pictures(options.images or pictures)
    names = [_paths.name_in(path, file) for file in files]
    # Pictures without a file are images without objects.
    others = [name for name, places in zip(found, Images(names).find(found), strict=True) if not places]
    images = _image_set.read(options).listed([*names, *_paths.distinct(others)], path)
    return _rows.truth(path, rows, images, categories, options, pictures=found)


def detections(
    path: Path,
    table: TextTable,
    box: Sequence[str],
    known: Listed | None,
    truth: GroundTruth,
    *,
    format: str,
    geometry: Geometry = UPRIGHT,
    heights: Column | None = None,
    masks: bool = False,
) -> Detections[Column]:
    """The detections of files that are called as their images; numbers of classes count the `known` names."""
    rows = FileRows(
        images=table.file_names(),
        labels=table.classes(known),
        boxes=table.numbers(*box),
        format=format,
        geometry=geometry,
        place=table.place,
        fields=("image", "class", *box),
        scores=table.numbers("score"),
        heights=heights,
        segmentations=table.segmentations() if masks else None,
    )
    return _rows.detections(path, rows, truth)
