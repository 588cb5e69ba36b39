"""Open Images' CSV files: boxes, image-level labels, and detections. Coordinates are fractions of the image's sides."""

import csv
import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou.data import _files, _names
from omniou.data._errors import InputError
from omniou.data._formats import Format, Reader, file_rows, text_lines
from omniou.data._formats.file_rows import FileRows, Place
from omniou.data._names import Listed, coded
from omniou.data._numbers import as_number, as_numbers
from omniou.data._options import DEFAULT, Options
from omniou.data._peek import Peek, columns
from omniou.data._truth import GroundTruth
from omniou.detection import Detections

Column = npt.NDArray[Any]

BOX = ("XMin", "YMin", "XMax", "YMax")


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class _CsvTable:
    """Columns of several files, for the rows that were asked for."""

    files: Sequence[Path]
    at: list[tuple[int, int]]
    words: dict[str, list[str]]

    def place(self, row: int, field: str) -> Place:
        file, line = self.at[row]
        return Place(self.files[file], f"line {line}, {field}")

    def numbers(self, name: str) -> Column:
        words = self.words[name]
        try:
            return np.array(as_numbers(words), dtype=np.float64)
        except ValueError:
            raise self._no_number(name, words) from None

    def _no_number(self, name: str, words: list[str]) -> InputError:
        for row, word in enumerate(words):
            try:
                as_number(word)
            except ValueError:
                at = self.place(row, name)
                fault = f"expected number, got {word!r}{text_lines.comma_hint(word)}" if word else "missing"
                return InputError(at.path, fault, place=at.place)
        raise AssertionError

    def groups(self) -> Column:
        """Whether each box is of a group. The file has 1 for a group, 0 for none and -1 for unknown."""

        def fault(row: int, what: str) -> InputError:
            at = self.place(row, "IsGroupOf")
            return InputError(at.path, what, place=at.place)

        return _names.flags(["0" if word in {"-1", "-1.0"} else word for word in self.words["IsGroupOf"]], fault)

    def boxes(self) -> Column:
        return np.stack([self.numbers(name) for name in BOX], axis=1)


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read the boxes, and the image-level labels, of Open Images."""
    path = Path(path)
    objects, labels = _split(path, options, "ground truth", ("ImageID", "LabelName"), ("IsGroupOf", "Confidence"))
    known = text_lines.names_of_classes(options)
    categories = known or _names.counted(_both(objects, labels, "LabelName"), complete=False)
    images = _names.counted(_both(objects, labels, "ImageID"), complete=False)
    rows = FileRows(
        images=coded(objects.words["ImageID"]),
        labels=coded(objects.words["LabelName"]),
        boxes=objects.boxes(),
        format="rel_xyxy",
        place=objects.place,
        fields=("ImageID", "LabelName", *BOX),
        crowd=objects.groups(),
    )
    truth = file_rows.truth(path, rows, images, categories, options)
    if not labels.at:
        return truth
    pairs, present = _verified(labels, images, categories)
    boxes = np.stack([truth.targets.images, truth.targets.labels], axis=1)
    in_one = np.array([len(categories.names), 1])
    kept = ~(present & np.isin(pairs @ in_one, boxes @ in_one))
    targets = dataclasses.replace(truth.targets, negative=pairs[kept])
    return dataclasses.replace(truth, targets=targets, present=present[kept])


def read_detections(path: Path | str, truth: GroundTruth, options: Options = DEFAULT) -> Detections[Column]:
    """Read detections as the challenges of Open Images take them."""
    path = Path(path)
    table, rest = _split(path, options, "detections", ("ImageID", "LabelName"), ("Score", "Confidence"))
    if rest.at:
        at = rest.place(0, "XMin")
        raise InputError(at.path, "missing", place=at.place)
    name = "Score" if any(table.words["Score"]) else "Confidence"
    rows = FileRows(
        images=coded(table.words["ImageID"]),
        labels=coded(table.words["LabelName"]),
        boxes=table.boxes(),
        format="rel_xyxy",
        place=table.place,
        fields=("ImageID", "LabelName", *BOX),
    )
    missing = np.array([not word for word in table.words[name]], dtype=bool)
    scores = np.full(len(missing), np.nan) if missing.any() else table.numbers(name)
    rows = file_rows.with_scores(rows, scores, missing, options, name)
    return file_rows.detections(path, rows, truth, options)


def _both(objects: _CsvTable, labels: _CsvTable, name: str) -> Iterator[str]:
    return itertools.chain(objects.words[name], labels.words[name])


def _verified(labels: _CsvTable, images: Listed, categories: Listed) -> tuple[Column, Column]:
    """Image and class of the labels of confidence 0 and 1, (P, 2), and which of them are present."""
    confidence = labels.numbers("Confidence")
    verified = (confidence == 0) | (confidence == 1)
    pairs = []
    for field, listed, kind in (("ImageID", images, "images"), ("LabelName", categories, "categories")):
        column = coded(labels.words[field])
        # The table's own names: each stands for itself.
        ids, known, _ = _names.matched(column.keys, listed, paths=listed is images)
        if (bad := column.rows_of(~known)).size:
            at = labels.place(int(bad[0]), field)
            key = labels.words[field][bad[0]]
            raise InputError(at.path, f"{key!r} is not among the {kind}", place=at.place)
        pairs.append(ids[column.codes][verified])
    return np.stack(pairs, axis=1), confidence[verified] == 1


def _split(
    path: Path, options: Options, what: str, needed: tuple[str, ...], optional: tuple[str, ...]
) -> tuple[_CsvTable, _CsvTable]:
    """All rows of all files: those with a box, and those without."""
    files = [x for x in _files.in_folder(path) if x == path or ".csv" in x.name.lower()]
    if not files:
        raise _files.lacking(path, "CSV files")
    names = (*needed, *optional, *BOX)
    with_box, without = (_CsvTable(files, [], {name: [] for name in names}) for _ in range(2))
    for file, source in enumerate(options.track(files, what)):
        for line, row in _rows_of(source, needed):
            table = with_box if row.get(BOX[0]) else without
            table.at.append((file, line))
            for name in names:
                word = row.get(name) or ""
                table.words[name].append(_names.whole(word) if name == "LabelName" else word)
    return with_box, without


def _rows_of(path: Path, needed: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row by the names of the columns, and the number of its line."""
    text = _files.read_text(path, expected="CSV file").decode()
    lines = csv.reader(text.splitlines(), delimiter=columns(text.partition("\n")[0]).separator, strict=True)
    try:
        names = next(lines, [])
        lacking = [name for name in needed if name not in names]
        if lacking:
            raise InputError(path, f"column {lacking[0]}: missing", place="line 1")
        for fields in lines:
            if len(fields) > len(names):
                what = f"more fields than the {len(names)} columns"
                raise InputError(path, what, place=f"line {lines.line_num}")
            if fields:
                yield lines.line_num, dict(zip(names, fields, strict=False))
    except csv.Error as error:
        raise InputError(path, f"not valid CSV: {error}", place=f"line {lines.line_num}") from None


def _is_open_images(peek: Peek) -> bool:
    return {"ImageID", "LabelName"} <= set(peek.header)


FORMAT = Format(
    "open-images",
    "CSV of Open Images",
    Reader(read_ground_truth, numbered=True),
    Reader(read_detections),
    starts=(b"ImageID,",),
    official=(("--protocol", "open_images"),),
    recognises=_is_open_images,
)
