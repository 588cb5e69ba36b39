"""Text files with an object in each line, and its fields between blanks."""

import dataclasses
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou.data import _files, _names
from omniou.data._errors import InputError
from omniou.data._formats import near_miss
from omniou.data._formats.file_rows import Place
from omniou.data._names import Coded, Key, Listed, as_id, coded, whole
from omniou.data._numbers import as_number, as_numbers, is_number
from omniou.data._options import Options
from omniou.data._paths import names_in
from omniou.data._truth import GroundTruth, UnknownTruth

Column = npt.NDArray[Any]

WORDS = {"class", "image", "rle"}
# Values of a flag, and what they mean.
_FLAGS = {"0": "0", "1": "1", "difficult": "1", "true": "1", "false": "0", "yes": "1", "no": "0"}
FLAG = "difficult"
# Text files that hold names of classes, or anything but objects.
_OTHERS = {"classes.txt", "labels.txt", "names.txt", "train.txt", "val.txt", "test.txt"}
_ENDINGS = {".txt", ""}


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
    """The fields of a line, by name: numbers, except for `WORDS`; `headings` begin lines to pass over.

    The optional field "difficult" is a flag. A "track" is what trackers write behind the others; messages do not ask
    for it.

    With `polygons`, more points may stand instead of "cx cy w h", behind the class. With `commas`, commas or
    semicolons may separate the fields.
    """

    fields: tuple[str, ...]
    optional: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    polygons: bool = False
    commas: bool = False

    def split(self, text: str) -> list[str]:
        """The fields of a text; a comma or semicolon at its end separates nothing."""
        for separator in ";," if self.commas else "":
            if separator in text:
                return text.strip().removesuffix(separator).split(separator)
        return text.split()

    @property
    def numeric(self) -> list[str]:
        """The names of the fields that are numbers."""
        return [name for name in self.fields + self.optional if name not in WORDS]

    @property
    def without_score(self) -> "Line":
        """The same line without a score."""
        return dataclasses.replace(self, fields=tuple(name for name in self.fields if name != "score"))

    def read_with(self, options: Options) -> "Line":
        """The line that files have by the options."""
        return self.without_score if options.missing_scores else self

    def __str__(self) -> str:
        fields = " ".join((*self.fields, *(f"[{name}]" for name in self.optional if name != "track")))
        return f"{fields}, or {fields.replace('cx cy w h', 'x1 y1 x2 y2 x3 y3 ...')}" if self.polygons else fields

    def fits(self, fields: Sequence[str]) -> bool:
        """Whether a line has these fields, and numbers where they are due."""
        if not len(self.fields) <= len(fields) <= len(self.fields + self.optional):
            return False
        names = zip(self.fields + self.optional, fields, strict=False)
        return are_numbers([word for name, word in names if name not in WORDS])

    def points(self, fields: Sequence[str]) -> int:
        """The number of points where a line has a polygon: three at least; else 0. One optional field may follow."""
        more = len(fields) - len(self.fields)
        return 2 + more // 2 if self.polygons and more > 1 and more % 2 <= len(self.optional) else 0


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class TextTable:
    """All lines of all files, as columns."""

    line: Line
    root: Path
    files: Sequence[Path]
    at: Sequence[tuple[int, int]]  # of each row: which file, and the number of the line in it, from 1
    words: dict[str, list[str]]
    values: Column  # (N, numeric fields), NaN where an optional one is missing
    polygons: Sequence[list[float]]  # x and y in turns, empty where there is a box
    every: Sequence[Path] = ()  # also the files of images that were not asked for

    def numbers(self, *names: str) -> Column:
        """Columns of numbers: (N,), or (N, names) if there are several."""
        places = [self.line.numeric.index(name) for name in names]
        return self.values[:, places[0] if len(places) == 1 else places]

    @property
    def scores(self) -> Column | None:
        """The scores (N,); None where lines have none."""
        return self.numbers("score") if "score" in self.line.fields else None

    def flags(self, name: str) -> Column:
        """A column of 0 and 1, 0 where it is missing."""
        return np.nan_to_num(self.numbers(name)) != 0

    def place(self, row: int, field: str) -> Place:
        """Where a value is."""
        file, line = self.at[row]
        return Place(self.files[file], f"line {line}, {field}")

    def fault(self, row: int, field: str, what: str) -> InputError:
        """An error in one value."""
        at = self.place(row, field)
        return InputError(at.path, what, place=at.place)

    def segmentations(self) -> list[list[list[float]]]:
        """The polygon of each row as COCO writes it. Raise for a row that has none."""
        for row, polygon in enumerate(self.polygons):
            if not polygon:
                raise self.fault(row, "x1", "expected a polygon, got a box: --kind bbox reads boxes")
        return [[polygon] for polygon in self.polygons]

    def corners(self) -> Column:
        """The four points of each row's polygon, (N, 8). Raise for a row with more or fewer."""
        for row, polygon in enumerate(self.polygons):
            if len(polygon) != 8:
                got = (
                    f"{len(polygon) // 2} points: --kind segm reads polygons"
                    if polygon
                    else "a box: --kind bbox reads boxes"
                )
                raise self.fault(row, "x1", f"expected four corners, got {got}")
        return np.array(self.polygons, dtype=np.float64).reshape(-1, 8)

    def file_names(self) -> Coded:
        """The image of each row, by the name of its file."""
        codes = np.array([file for file, _ in self.at], dtype=np.int64)
        return Coded(codes, names_in(self.root, self.files))

    def classes(self, known: Listed | None) -> Coded:
        """The class of each row by name, where names for numbers are known; else as it stands."""
        return by_names(coded(self.words["class"]), known, lambda row, what: self.fault(row, "class", what))


def by_names(words: Coded, known: Listed | None, fault: Callable[[int, str], InputError]) -> Coded:
    """Classes by name, where names for numbers are known; else as they stand."""
    if known is None:
        return words
    keys: list[Key] = []
    for code, word in enumerate(map(str, words.keys)):
        number = as_id(word)
        if word.isdecimal() and number not in known.names:
            row = int((words.codes == code).argmax())
            raise fault(row, f"{word[:40]} is not among the {len(known.names)} names, counted from 0")
        keys.append(word if number is None else known.names[number])
    return Coded(words.codes, keys)


def files_of(path: Path) -> list[Path]:
    """The text files of a directory, or the file itself."""
    files = [x for x in _files.in_folder(path) if x == path or _may_have_objects(x)]
    if not files:
        raise _files.lacking(path, "text files")
    return files


def has_no_objects(path: Path) -> bool:
    """Whether a text file is called as those are that have no objects."""
    name = path.name.lower()
    return name in _OTHERS or name.startswith("readme.")


def _may_have_objects(path: Path) -> bool:
    return path.suffix.lower() in _ENDINGS and not has_no_objects(path)


def names_of_classes(options: Options) -> Listed | None:
    """The names of classes in the file that was given for them."""
    return None if options.classes is None else _names.in_lines(options.classes)


def read(root: Path, files: Sequence[Path], line: Line, options: Options, what: str) -> TextTable:
    """Every line of every file of a folder; a blank one is passed over."""
    asked, line = line, line.read_with(options)
    at: list[tuple[int, int]] = []
    words: dict[str, list[str]] = {name: [] for name in line.fields if name in WORDS}
    values: list[list[float]] = []
    polygons: list[list[float]] = []
    least, most = len(line.fields), len(line.fields + line.optional)
    missing = [float("nan")] * most
    has_flag = FLAG in line.optional
    order = [(k, name) for k, name in enumerate(line.fields) if name in WORDS]
    numeric = [(k, name) for k, name in enumerate(line.fields + line.optional) if name not in WORDS]
    for file, path in enumerate(options.track(files, what)):
        for number, text in enumerate(_files.read_text(path).decode().splitlines(), start=1):
            fields = line.split(text)
            if not fields or fields[0].startswith(line.headings or "\0"):
                continue
            points, count = line.points(fields), len(fields)
            if not points and not least <= count <= most:
                fault = f"expected {line}, got {count} fields"
                error = InputError(path, fault, place=f"line {number}")
                raise _of_mix(error, asked) or _hinting(error, text, line, counted=True)
            at.append((file, number))
            if flagged := has_flag and count == most:
                fields[-1] = _FLAGS.get(whole(fields[-1]).lower(), fields[-1])
            expected = _with_points(points, numeric) if points else numeric
            try:
                numbers = as_numbers([fields[k] for k, _ in expected if k < count])
            except ValueError:
                raise _hinting(_no_number(path, number, fields, expected), text, line, counted=False) from None
            if flagged and fields[-1] not in _FLAGS:
                raise _no_flag(path, number, fields[-1])
            for k, name in order:
                words[name].append(_class_name(path, number, fields[k]) if name == "class" else fields[k])
            polygons.append(numbers[: 2 * points])
            if points:
                _check_finite(path, number, polygons[-1], expected)
                numbers = _around(polygons[-1]) + numbers[2 * points :]
            values.append(numbers + missing[: len(numeric) - len(numbers)])
    table = np.array(values, dtype=np.float64).reshape(-1, len(numeric))
    return TextTable(line=line, root=root, files=files, at=at, words=words, values=table, polygons=polygons)


def _class_name(path: Path, line: int, word: str) -> str:
    """A class, which a number must be whole to be."""
    name = whole(word)
    if "." in name and are_numbers([name]):
        fault = f"expected a name, or a whole number, got {word}: is the class in another field?"
        raise InputError(path, fault, place=f"line {line}, class")
    return name


def _no_flag(path: Path, line: int, word: str) -> InputError:
    fault = f"expected 0, 1 or the word 'difficult', got {word!r}: is it a score, an id, or part of a box?"
    return InputError(path, fault, place=f"line {line}, {FLAG}")


def _hinting(error: InputError, text: str, line: Line, *, counted: bool) -> InputError:
    """An error in a line, and what the line is most likely."""
    is_truth = "score" not in line.fields
    role: near_miss.Role = "ground truth" if is_truth else "detections"
    without = None if is_truth else line.without_score.fits
    hint = near_miss.hint(" ".join(line.split(text)), role, line.fits, without, counted=counted)
    return InputError(error.path, f"{error.fault}: {hint}", place=error.place) if hint else error


def _of_mix(error: InputError, line: Line) -> InputError | None:
    """Return the error of a file of detections of which some lines have a score, and others do not; else None."""
    without = line.without_score
    fields = [line.split(x) for x in _files.read_text(error.path).decode().splitlines()]
    scored = sum(map(line.fits, fields))
    unscored = sum(without.fits(x) and not line.fits(x) for x in fields)
    if line == without or not scored or not unscored:
        return None
    fault = f"{error.fault}: {scored} of {scored + unscored} lines have a score. All must, or none"
    return InputError(error.path, fault, place=error.place)


def _with_points(points: int, numeric: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The places of a box's numbers, and what follows them, where there are points in its place."""
    first = numeric[0][0]
    corners = [(first + 2 * k + axis, f"{name}{k + 1}") for k in range(points) for axis, name in enumerate("xy")]
    return corners + [(k + 2 * points - 4, name) for k, name in numeric[4:]]


def _check_finite(path: Path, line: int, polygon: list[float], numeric: list[tuple[int, str]]) -> None:
    for value, (_, name) in zip(polygon, numeric, strict=False):
        if not math.isfinite(value):
            raise InputError(path, f"expected finite number, got {value:g}", place=f"line {line}, {name}")


def _around(polygon: list[float]) -> list[float]:
    """Centre and sides of the box around points."""
    x, y = polygon[::2], polygon[1::2]
    low, high = (min(x), min(y)), (max(x), max(y))
    return [*((a + b) / 2 for a, b in zip(low, high, strict=True)), *(b - a for a, b in zip(low, high, strict=True))]


def comma_hint(word: str) -> str:
    """What to do about a number that is written with a comma."""
    return ": numbers have a point, not a comma" if re.fullmatch(r"[-+]?\d*,\d+", word) else ""


def _no_number(path: Path, line: int, fields: list[str], numeric: list[tuple[int, str]]) -> InputError:
    for k, name in numeric:
        try:
            as_number(fields[k])
        except ValueError:
            if name == FLAG:
                return _no_flag(path, line, fields[k])
            fault = f"expected number, got {fields[k]!r}"
            return InputError(path, fault, place=f"line {line}, {name}")
    raise AssertionError


def are_numbers(fields: Sequence[str]) -> bool:
    """Whether there are fields, and all are numbers."""
    return bool(fields) and all(map(is_number, fields))


def are_flags(fields: Sequence[str]) -> bool:
    """Whether all could be flags: numbers, which their reader checks, or a word for one."""
    return all(x.lower() in _FLAGS or are_numbers([x]) for x in fields)


def are_fractions(fields: Sequence[str]) -> bool:
    """Whether all are fractions of an image: rounding, and objects that leave it, may lead a little beyond 0 and 1."""
    return are_numbers(fields) and all(-0.5 <= as_number(x) <= 1.5 for x in fields)


def files_of_classes(path: Path) -> list[Path]:
    """The text files of a directory, each of another class."""
    files = files_of(path)
    first: dict[str, Path] = {}
    for file in files:
        if (other := first.setdefault(file.name, file)) is not file:
            raise InputError(file, f"has the class of {other}: name the directory of one of them")
    return files


# The names of files of VOC's and DOTA's devkits, up to the class.
_OF_CLASS = re.compile(r"(?:comp\d+_(?:det|cls)_[a-z]+|Task\d+)_")


def class_of_file(path: Path, truth: GroundTruth) -> str:
    """The category that a file is about, such as "bicycle" in ``comp4_det_val_bicycle.txt``."""
    ends = [name for name in truth.categories.values() if path.stem == name or path.stem.endswith(f"_{name}")]
    prefix = _OF_CLASS.match(path.stem) if isinstance(truth, UnknownTruth) else None
    return max(ends, key=len, default=path.stem[prefix.end() :] if prefix else path.stem)


def are_of_classes(files: Sequence[Path]) -> bool:
    """Whether all files are called as a devkit's files of a class."""
    return bool(files) and all(_OF_CLASS.match(x.stem) for x in files)


def class_of_rows(table: TextTable, truth: GroundTruth) -> Coded:
    """The class of each row, by the name of its file."""
    codes = np.array([file for file, _ in table.at], dtype=np.int64)
    return Coded(codes, [class_of_file(path, truth) for path in table.files])
