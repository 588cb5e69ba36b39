"""CSV files of boxes, or of intervals in time: a row for each, columns known by the words of the header."""

import csv
import dataclasses
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou.data import _files, _names
from omniou.data._errors import MISSING_SCORES, InputError
from omniou.data._formats import Format, Reader, file_rows, text_lines
from omniou.data._formats.column_words import known_columns, plain
from omniou.data._formats.file_rows import FileRows, Place
from omniou.data._names import Listed, coded
from omniou.data._numbers import as_number
from omniou.data._options import DEFAULT, Options
from omniou.data._peek import Peek, columns
from omniou.data._truth import GroundTruth
from omniou.detection import Detections

Column = npt.NDArray[Any]

# Columns of a box, or of an interval -> the order that they are in; the first that are there count.
_BOXES: dict[tuple[str, ...], str] = {
    ("x1", "y1", "x2", "y2"): "xyxy",
    ("cx", "cy", "w", "h"): "cxcywh",
    ("x", "y", "w", "h"): "xywh",
    ("x1", "y1", "w", "h"): "xywh",
}
_INTERVALS: dict[tuple[str, ...], str] = {("start", "end"): "xx"}
_SHAPES = _BOXES | _INTERVALS
# Columns with all numbers of a box.
_LISTS = {"bbox", "box", "boundingbox", "boxes", "bboxes"}
_DECIMAL = re.compile(r"^([-+]?\d*),(\d+(?:[eE][-+]?\d+)?)$")
# A comma before each three digits: of thousands, or of a decimal.
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+")
_OF_KIND = {"bbox": _BOXES, "intervals": _INTERVALS}


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class _BoxTable:
    """All rows of all files by what their columns are."""

    path: Path
    box: tuple[str, ...]
    places: list[tuple[Path, int, Mapping[str, str]]]  # file, line, and the name of each column
    words: dict[str, list[str]]
    others: list[tuple[str, ...]]  # the columns that are passed over and not empty

    def place(self, row: int, field: str) -> Place:
        """Where a value is."""
        file, line, names = self.places[row]
        return Place(file, f"line {line}, {names.get(field, field)}")

    def unread(self, rows: Sequence[int]) -> dict[str, Column]:
        """The columns that are passed over, and which rows have a value there."""
        names = sorted({name for row in rows for name in self.others[row]})
        return {name: np.array([name in self.others[row] for row in rows], dtype=bool) for name in names}

    def fault(self, row: int, field: str, what: str) -> InputError:
        """An error in one value."""
        at = self.place(row, field)
        return InputError(at.path, what, place=at.place)

    def with_points(self) -> "_BoxTable":
        """The table with a point in numbers that have a decimal comma. Raise where it may part thousands."""
        numeric = [name for name in self.words if name not in {"image", "class"}]
        found = [(row, name) for name in numeric for row, word in enumerate(self.words[name]) if "," in word]
        if not found or any("." in word for name in numeric for word in self.words[name]):
            return self  # whose first comma is told
        if all(_THOUSANDS.fullmatch(self.words[name][row]) for row, name in found):
            row, name = found[0]
            word = self.words[name][row]
            ways = f"{word.replace(',', '.')} or {word.replace(',', '')}"
            raise self.fault(row, name, f"{word[:40]!r} may be {ways[:80]}: write numbers with a point")
        words = dict(self.words)
        for name in numeric:
            words[name] = [_DECIMAL.sub(r"\1.\2", word) for word in words[name]]
        return dataclasses.replace(self, words=words)

    def numbers(self, field: str, rows: Sequence[int]) -> list[float]:
        """The numbers of a column."""
        return [self._number(row, field) for row in rows]

    def _number(self, row: int, field: str) -> float:
        word = self.words[field][row]
        try:
            return as_number(word)
        except ValueError:
            fault = f"expected number, got {word[:40]!r}{text_lines.comma_hint(word)}" if word else "missing"
            raise self.fault(row, field, fault) from None

    def flags(self, field: str, rows: Sequence[int]) -> Column:
        """A column of yes and no; no where there is none."""
        if field not in self.words:
            return np.zeros(len(rows), dtype=bool)
        words = [self.words[field][row] for row in rows]
        return _names.flags(words, lambda k, what: self.fault(rows[k], field, what))


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read boxes, or intervals, with their images and classes."""
    path = Path(path)
    table = _read(path, options, "ground truth")
    rows = _file_rows(table, _with_box(table), options)
    known = text_lines.names_of_classes(options)
    images = _names.counted(table.words["image"], complete=True)
    categories = known or _names.counted(map(str, rows.labels.keys), complete=False)
    return file_rows.truth(path, rows, images, categories, options, sizes=_sizes(table, images))


def read_detections(path: Path | str, truth: GroundTruth, options: Options = DEFAULT) -> Detections[Column]:
    """Read boxes, or intervals, with their images, classes and scores."""
    path = Path(path)
    table = _read(path, options, "detections")
    if "score" not in table.words and not options.missing_scores:
        raise InputError(path, f"no column of scores, such as score or confidence: {MISSING_SCORES}")
    chosen = _with_box(table)
    rows = _file_rows(table, chosen, options)
    words = table.words.get("score", [""] * len(table.places))
    missing = np.array([not words[row] for row in chosen], dtype=bool)
    scores = np.full(len(chosen), math.nan)
    scores[~missing] = table.numbers("score", [row for row in chosen if words[row]])
    return file_rows.detections(path, file_rows.with_scores(rows, scores, missing, options), truth, options)


def _file_rows(table: _BoxTable, rows: Sequence[int], options: Options) -> FileRows:
    boxes = np.array([table.numbers(name, rows) for name in table.box], dtype=np.float64).reshape(len(table.box), -1).T
    order = _SHAPES[table.box]
    return FileRows(
        images=coded(table.words["image"][row] for row in rows),
        labels=_classes(table, rows, options),
        boxes=boxes,
        format=f"rel_{order}" if table.box in _BOXES and _are_relative(boxes) else order,
        place=lambda row, field: table.place(rows[row], field),
        fields=("image", "class", *table.box),
        geometry=options.geometry,
        crowd=table.flags("crowd", rows),
        ignore=table.flags("difficult", rows),
        unread=lambda: table.unread(rows),
    )


def _classes(table: _BoxTable, rows: Sequence[int], options: Options) -> _names.Coded:
    """The class of each row, by name where numbers count the lines of a file."""
    words = coded(table.words["class"][row] for row in rows)
    return text_lines.by_names(
        words, text_lines.names_of_classes(options), lambda k, fault: table.fault(rows[k], "class", fault)
    )


def _are_relative(boxes: Column) -> bool:
    """Fractions of the image: in pixels, all boxes would be smaller than one."""
    return bool(len(boxes)) and bool((np.abs(boxes) <= 1.5).all()) and bool((boxes % 1 != 0).any())


def _with_box(table: _BoxTable) -> list[int]:
    """Rows that have more than an image."""
    names = ("class", *table.box)
    return [row for row in range(len(table.places)) if any(table.words[name][row] for name in names)]


def _sizes(table: _BoxTable, images: Listed) -> Column | None:
    """Height and width of each image, where columns have them."""
    names = ("image_height", "image_width") if "image_width" in table.words else ("h", "w")
    if not set(names) <= table.words.keys() or set(names) & set(table.box):
        return None
    sizes: dict[str, tuple[float, float]] = {}
    for row, image in enumerate(table.words["image"]):
        if all(table.words[name][row] for name in names):
            height, width = (table.numbers(name, [row])[0] for name in names)
            if sizes.setdefault(image, (height, width)) != (height, width):
                fault = f"image {image!r} has another size above, {sizes[image][1]:g} x {sizes[image][0]:g}"
                raise table.fault(row, names[1], fault)
    unknown = (math.nan, math.nan)
    found = np.array([sizes.get(name, unknown) for name in images.names.values()], dtype=np.float64).reshape(-1, 2)
    return np.where(found > 0, found, np.nan)


def _read(path: Path, options: Options, what: str) -> _BoxTable:
    """All rows of all files, which have the same columns."""
    files = [x for x in _files.in_folder(path) if x == path or x.suffix.lower() in {".csv", ".tsv"}]
    if not files:
        raise _files.lacking(path, "CSV files")
    table: _BoxTable | None = None
    for file in options.track(files, what):
        for line, names, row, others in _rows_of(file, options.read_kind):
            if table is None:
                box = _box_of(names, _OF_KIND[options.read_kind])
                table = _BoxTable(path, box, [], {name: [] for name in names}, [])
            if table.words.keys() != names.keys():
                raise InputError(file, f"the columns differ from the columns of {table.places[0][0]}", place="line 1")
            if line:
                table.places.append((file, line, names))
                table.others.append(others)
                for name, word in row.items():
                    table.words[name].append(_names.whole(word) if name == "class" else word)
    assert table is not None  # noqa: S101  (each file has a header, or an error)
    return table.with_points()


def _rows_of(path: Path, kind: str) -> Iterator[tuple[int, dict[str, str], dict[str, str], tuple[str, ...]]]:
    """The number of a line, the names of the columns by what they are, and the words of the row; first line 0: none.

    Then the names of the columns that are passed over and not empty.
    """
    text = _files.read_text(path, expected="CSV file").decode()
    header, separator = columns(text.partition("\n")[0])
    names = known_columns(header)
    lacking = next((x for x in ("image", "class") if x not in names), "")
    if lacking or not _box_of(names, _OF_KIND[kind]):
        what = "interval" if kind == "intervals" else "box"
        fault = f"no column of the {lacking or what} among {', '.join(map(repr, header))}"
        whole = next((word for word in header if plain(word) in _LISTS), "")
        if whole and not lacking:
            fault += f": {whole!r} has all numbers of a box in one field"
        raise InputError(path, f"{fault}: {_needed(kind)}", place="line 1")
    yield 0, names, {}, ()
    place = {what: header.index(name) for what, name in names.items()}
    others = {k: name for k, name in enumerate(header) if name and k not in place.values()}
    lines = csv.reader(text.splitlines(), delimiter=separator, skipinitialspace=True, strict=True)
    try:
        next(lines, None)
        for fields in lines:
            if any(fields):
                if len(fields) > len(header):
                    fault = f"{len(fields)} fields, and the header has {len(header)}{_decimal_comma(separator, fields)}"
                    raise InputError(path, fault, place=f"line {lines.line_num}")
                row = {what: fields[k].strip() if k < len(fields) else "" for what, k in place.items()}
                if not row["image"]:
                    raise InputError(path, "missing", place=f"line {lines.line_num}, {names['image']}")
                more = tuple(name for k, name in others.items() if k < len(fields) and fields[k].strip())
                yield lines.line_num, names, row, more
    except csv.Error as error:
        raise InputError(path, f"not valid CSV: {error}", place=f"line {lines.line_num}") from None


def _decimal_comma(separator: str, fields: Sequence[str]) -> str:
    both = separator == "," and sum(x.strip().isdecimal() for x in fields) > len(fields) // 2
    return ": are there numbers with a comma in place of the point?" if both else ""


def _needed(kind: str) -> str:
    if kind == "intervals":
        return "such as video, class, start, end"
    return "such as image, class, xmin, ymin, xmax, ymax, or image, class, x, y, width, height"


def _box_of(names: Mapping[str, str], shapes: Mapping[tuple[str, ...], str]) -> tuple[str, ...]:
    return next((box for box in shapes if set(box) <= names.keys()), ())


def _is_csv(peek: Peek) -> bool:
    names = known_columns(peek.header)
    # The reader says which of the other columns are missing.
    found = bool(_box_of(names, _SHAPES)) or {"image", "class"} <= names.keys()
    return (len(names) > 2 and found) or (len(names) > 1 and any(plain(x) in _LISTS for x in peek.header))


KINDS = tuple(_OF_KIND)
FORMAT = Format(
    "csv",
    "CSV of boxes or intervals, columns by name",
    Reader(read_ground_truth, KINDS, numbered=True),
    Reader(read_detections, KINDS, numbered=True, class_ids=True),
    recognises=_is_csv,
)
