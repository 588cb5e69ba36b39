"""Convert lines with KITTI's fields to rows: classes, regions, levels of difficulty, and shapes of each kind."""

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from omniou.boxes import GEOMETRY as UPRIGHT
from omniou.data import _names
from omniou.data._formats import text_lines
from omniou.data._formats.file_rows import FileRows, Place
from omniou.data._formats.text_lines import TextTable
from omniou.data._names import Coded, Listed, coded
from omniou.data._options import Options
from omniou.data._truth import GroundTruth

Column = npt.NDArray[Any]

BOX = ("x1", "y1", "x2", "y2")
BOX3D = ("height", "width", "length", "x", "y", "z", "rotation")
FIELDS = ("class", "truncated", "occluded", "alpha", *BOX, *BOX3D)
REGION = "DontCare"
# A detection of the one class that finds an object of the other is no false alarm.
NEIGHBOURS = {"Van": "Car", "Person_sitting": "Pedestrian"}


class Level(NamedTuple):
    """What an object must meet to count."""

    height: float  # least, in pixels
    occluded: int  # most
    truncated: float  # most


LEVELS = {"easy": Level(40, 0, 0.15), "moderate": Level(25, 1, 0.3), "hard": Level(25, 2, 0.5)}


def rows_of_truth(table: TextTable, names: Coded, options: Options) -> tuple[FileRows, Listed]:
    """The objects of lines in the images of these names, and their classes."""
    level = _level(options)
    known = text_lines.names_of_classes(options)
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
    """Set the least height of detections by the level of difficulty."""
    level = _level(options)
    return truth if level is None else dataclasses.replace(truth, least_height=level.height)


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
        scores=table.scores,
        heights=shapes.heights,
    )


class _Shapes(NamedTuple):
    """What is read of the text_lines."""

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
    if len(objects := shapes.heights[[word != REGION for word in table.words["class"]]]) and (objects <= 0).all():
        fault = "no object has a 2-D box with a height, which decides on the difficulty"
        raise table.fault(0, "y2", f"{fault}: write these boxes, or leave --kitti-difficulty out")
    low = shapes.heights < level.height
    hidden = table.numbers("occluded") > level.occluded
    return low | hidden | (table.numbers("truncated") > level.truncated)
