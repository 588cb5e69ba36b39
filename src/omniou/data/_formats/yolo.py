"""YOLO's text files, one for each image: boxes ``cx cy w h`` or polygons, as fractions of the image's sides."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou.data import _files, _names
from omniou.data._errors import MISSING_SCORES, InputError, OptionError
from omniou.data._formats import Fields, Format, Reader, per_image, text_lines, yolo_pose
from omniou.data._formats.file_rows import FileRows
from omniou.data._formats.text_lines import Line, TextTable
from omniou.data._names import Listed, as_id
from omniou.data._numbers import as_number
from omniou.data._options import DEFAULT, Options
from omniou.data._truth import GroundTruth, Naming
from omniou.detection import Detections

Column = npt.NDArray[Any]

BOX = ("cx", "cy", "w", "h")
CORNERS = tuple(f"{axis}{k}" for k in range(1, 5) for axis in "xy")
TRUTH = Line(("class", *BOX), ("track",), polygons=True)
DETECTION = Line(("class", *BOX, "score"), ("track",), polygons=True)
# Kind of oriented boxes -> the format of the rows.
_ORIENTED = {"rotated": "xyxyxyxy", "polygons": "vertices"}

_SCORED = "is it a score? --missing-scores is for detections without scores"
_POLYGON = "polygon (--kind segm reads it)"

# The most classes that may be counted from 0 without names: a higher number is an error, not a count.
MANY = 2**20


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read a directory of labels, such as ``labels/val``."""
    path = Path(path)
    table = yolo_pose.as_boxes(per_image.read(path, _line(TRUTH, options), options), options)
    _check_tracks(table, "is it a score, and are these the detections?")
    known = _classes(path, options)
    rows = FileRows(
        images=table.file_names(), labels=table.classes(known), place=table.place, **_shapes(table, options)
    )
    categories = known or _numbers(table)
    truth = per_image.truth(path, table.every, rows, categories, options, pictures=_pictures(path))
    if truth.relative and options.read_kind == "rotated" and len(rows.boxes):
        # A quadrilateral is another rectangle where x and y have other units.
        fault = "oriented boxes are relative, and the sizes of the images are not known"
        raise InputError(path, f"{fault}: --images or --image-size gives them")
    return truth


def read_detections(path: Path | str, truth: GroundTruth, options: Options = DEFAULT) -> Detections[Column]:
    """Read a directory of detections, such as the ``labels`` that a prediction saved with its confidences."""
    path = Path(path)
    table = yolo_pose.as_boxes(per_image.read(path, _line(DETECTION, options), options, "detections"), options)
    _check_tracks(table, _SCORED if options.missing_scores else f"no score: {MISSING_SCORES}")
    known = _classes(path, options)
    if known is None and any(x.isdecimal() for x in table.words["class"]) and not _are_ids(truth):
        fault = "classes are numbers that count names from 0, and the file of these names must be given"
        if truth.category_naming.own:
            fault += "; or --dt-class-ids from-0, if they count the categories of the ground truth in the order of ids"
        raise InputError(path, fault)
    return per_image.detections(path, table, known, truth, options, **_shapes(table, options))


def _shapes(table: TextTable, options: Options) -> dict[str, Any]:
    """Fields of `FileRows` for the shapes of a kind, and for what it passes over."""

    def unread() -> dict[str, Column]:
        drawn = [bool(x) and options.read_kind == "bbox" for x in table.polygons]
        return {"track id": ~np.isnan(table.numbers("track")), _POLYGON: np.array(drawn, dtype=bool)}

    if options.read_kind in _ORIENTED:
        if options.boxes is not None:
            raise OptionError(
                f"`boxes` is for YOLO's upright boxes: oriented ones are four corners, got {options.boxes!r}"
            )
        format, geometry = _ORIENTED[options.read_kind], options.geometry
        fields = ("image", "class", *CORNERS)
        return {
            "boxes": table.corners(),
            "format": format,
            "geometry": geometry,
            "fields": fields,
            "fractions": True,
            "unread": unread,
        }
    return {
        "unread": unread,
        "boxes": table.numbers(*BOX),
        "format": options.boxes or "rel_cxcywh",
        "fields": ("image", "class", *BOX),
        "segmentations": table.segmentations() if options.masks else None,
    }


def _check_tracks(table: TextTable, otherwise: str) -> None:
    """Raise where the field behind the others is not a track id, or could be a coordinate."""
    tracks = table.numbers("track")
    bad = ~np.isnan(tracks) & ((tracks < 0) | (tracks != np.floor(tracks)))
    # A polygon ends in 0 or 1, too, where it touches the border.
    drawn = ~np.isnan(tracks) & np.array([len(polygon) > 0 for polygon in table.polygons], dtype=bool)
    if drawn.any() and (tracks[drawn] <= 1).all():
        bad |= drawn
    if bad.any():
        row = int(bad.argmax())
        file, line = table.at[row]
        count = len(table.line.fields) + 1 + max(0, len(table.polygons[row]) - len(BOX))
        fault = f"expected {table.line}, got {count} fields, of which the last, {tracks[row]:g}, is not a track id"
        raise InputError(table.files[file], f"{fault}: {otherwise}", place=f"line {line}")


def _line(line: Line, options: Options) -> Line:
    """Read only boxes, not polygons, if `boxes` sets another order of coordinates."""
    return line if options.boxes is None else dataclasses.replace(line, polygons=False)


def _are_ids(truth: GroundTruth) -> bool:
    """Whether numbers of classes are ids of categories: these count from 0, or an option says what numbers are."""
    if truth.category_naming.class_ids:
        return True
    return truth.category_naming.own and sorted(truth.categories) == list(range(len(truth.categories)))


def _classes(path: Path, options: Options) -> Listed | None:
    """The names that were given, or that lie next to the files."""
    given = text_lines.names_of_classes(options)
    if given is not None:
        return given
    folder = path if path.is_dir() else path.parent
    within = [x for x in _files.in_folder(path) if _has_names(x)]
    places = (folder, folder.absolute().parent)
    next_to = [x for place in places for x in sorted(filter(_has_names, place.iterdir()))]
    for file in within[1:]:
        if (names := _names.in_lines(file).names) != _names.in_lines(within[0]).names:
            fault = (
                f"has {len(names)} names of classes that differ from the names in {within[0]}: `classes` names one file"
            )
            raise InputError(file, fault)
    found = within or next_to
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


def _is_truth(fields: Fields) -> bool:
    """A box, which a track id, a flag or a score may follow; or a polygon, which a track id may follow."""
    count = len(fields)
    if count < 7:
        return (count == 5 and text_lines.are_fractions(fields[1:])) or (count == 6 and _is_box_and_more(fields))
    return _is_polygon(fields, tracked=count % 2 == 0) or _is_pose(fields, TRUTH)


def _is_detection(fields: Fields) -> bool:
    """A box or a polygon and a score, which a track id may follow."""
    count = len(fields)
    if count < 8:
        tracked = count == 7 and text_lines.are_fractions(fields[1:6]) and _is_whole(fields[6])
        return tracked or (count == 6 and (text_lines.are_fractions(fields[1:]) or _is_box_and_more(fields)))
    score_last = [*fields[:5], *fields[6:], fields[5]]
    return _is_polygon(fields, tracked=count % 2 == 1) or any(_is_pose(x, DETECTION) for x in (fields, score_last))


def _is_box_and_more(fields: Fields) -> bool:
    """A box inside an image and another number: what that is, `_check_truth` and `_check_detections` tell."""
    box = fields[1:5]
    return text_lines.are_fractions(box) and _is_inside(*map(as_number, box)) and text_lines.are_numbers(fields[5:])


def _is_polygon(fields: Fields, *, tracked: bool) -> bool:
    """Fractions behind a number: lines of many fractions may be something else."""
    fractions = fields[1:-1] if tracked else fields[1:]
    return fields[0].isdecimal() and text_lines.are_fractions(fractions) and (not tracked or _is_whole(fields[-1]))


def _is_pose(fields: Fields, line: Line) -> bool:
    """A box, and points inside it with a flag each: a polygon has no odd count, and flags are not fractions below 1."""
    if not text_lines.are_numbers(fields[1:]) or not fields[0].isdecimal():
        return False
    numbers = list(map(as_number, fields[1:]))
    ways = yolo_pose.layouts(len(numbers) - 4, len(line.fields) - 5)
    return any(yolo_pose.is_pose(numbers, way) for way in ways)


def _is_whole(word: str) -> bool:
    return text_lines.are_numbers([word]) and as_number(word) >= 0 and as_number(word).is_integer()


def _check_truth(path: Path, lines: Sequence[Fields]) -> None:
    """A sixth field may be a track id, a flag or a score."""
    last = [fields[5] for fields in lines if len(fields) == 6]
    if not last:
        return
    if not all(map(_is_whole, last)):
        fault = f"lines have a box and one field more, such as {last[0][:40]}: a score? Are these the detections?"
        raise InputError(path, fault)
    if all(as_number(x) <= 1 for x in last):
        fault = "lines have a box and 0 or 1, a track id or a mark of difficult objects"
        ways = "--gt-format yolo reads a track id, and --gt-format text --gt-boxes rel_cxcywh the mark"
        raise InputError(path, f"{fault}: {ways}")


def _check_detections(path: Path, lines: Sequence[Fields]) -> None:
    """The last field may be a track id, and the score may be missing, or come second."""
    last = [fields[5] for fields in lines if len(fields) == 6]
    if last and all(map(_is_whole, last)) and any(as_number(x) > 1 for x in last):
        number = max(last, key=float)[:40]
        fault = f"lines have a box and a whole number such as {number}: a track id, or a score in percent"
        ways = "detections need a score, as by save_conf=True; --dt-format yolo reads the number as the score"
        raise InputError(path, f"{fault}: {ways}")
    _check_score_is_last(path, lines)


def _check_score_is_last(path: Path, lines: Sequence[Fields]) -> None:
    """Six fractions may also be a class, a score and a box: then the box of YOLO's reading leaves the image."""
    boxes = [list(map(as_number, fields[1:])) for fields in lines if text_lines.are_fractions(fields[1:])]
    last, second = (sum(_is_inside(*x[k : k + 4]) for x in boxes if len(x) == 5) for k in (0, 1))
    if second > last:
        fault = "the scores seem to come before the boxes: then --dt-format text --dt-boxes rel_cxcywh reads them"
        raise InputError(path, f"{fault}; --dt-format yolo does, if they do not")


def _is_inside(cx: float, cy: float, w: float, h: float) -> bool:
    """Whether a box leaves the image by no more than rounding does."""
    return all(c - side / 2 >= -0.01 and c + side / 2 <= 1.01 for c, side in ((cx, w), (cy, h)))


KINDS = ("bbox", "segm", "boundary", *_ORIENTED)
FORMAT = Format(
    "yolo",
    "YOLO: a text file for each image",
    Reader(
        read_ground_truth,
        KINDS,
        numbered=True,
        order="rel_cxcywh",
        per_image=True,
        fits=_is_truth,
        check=_check_truth,
    ),
    Reader(
        read_detections,
        KINDS,
        numbered=True,
        class_ids=True,
        order="rel_cxcywh",
        per_image=True,
        fits=_is_detection,
        check=_check_detections,
    ),
)
