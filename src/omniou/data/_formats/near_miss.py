"""What is wrong with a line of text that no reader takes, found by reading it in another way."""

import re
from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Literal, TypeAlias

from omniou.data._errors import MISSING_SCORES
from omniou.data._numbers import as_number, is_number
from omniou.data._paths import PICTURES

Fits: TypeAlias = Callable[[list[str]], bool]
Role: TypeAlias = Literal["ground truth", "detections"]

KAGGLE = (
    "a submission to Kaggle, with all detections of an image in a row (PredictionString): write a row for each, with "
    "columns such as image,class,score,xmin,ymin,xmax,ymax"
)
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")
_SEPARATORS = {",": "commas", ";": "semicolons", "|": "bars"}
# Words of the longest name of a class that is tried.
_MOST_WORDS = 5
# Fields of the longest line in which names with blanks are sought: the time grows as their square.
_MOST_FIELDS = 50


def hint(text: str, role: Role, fits: Fits, of_other_role: Fits | None = None, *, counted: bool = True) -> str:
    """What a line is most likely; empty if nothing comes near.

    `fits` tells whether the fields of a line are an object or a detection, `of_other_role` whether they are the other.
    Without `counted`, the number of fields is right, and one of them is wrong.
    """
    fields = text.split()
    if role == "detections" and (found := _kitti_track(fields)):
        return found
    if is_kaggle(text):
        return KAGGLE
    if counted and of_other_role is not None and of_other_role(fields):
        return f"no score: {MISSING_SCORES}" if role == "detections" else "a score: are these the detections?"
    either: Fits = lambda x: bool(x) and (fits(x) or (of_other_role is not None and of_other_role(x)))  # noqa: E731
    tries = (_separated, _header, _quadrilateral, _with_blanks, *((_with_one_more,) if counted else ()))
    return next((found for attempt in tries if (found := attempt(text, fields, either))), "")


def is_kaggle(text: str) -> bool:
    """Whether a line has an image, a comma, and all detections of it: a score and a box, with or without a class."""
    _, comma, rest = text.partition(",")
    words = rest.strip().strip('"').split()
    if not (comma and words):
        return False
    named = len(words) % 6 == 0 and all(is_number(x) for k, x in enumerate(words) if k % 6)
    return named or (len(words) % 5 == 0 and all(map(is_number, words)))


def _separated(text: str, fields: list[str], fits: Fits) -> str:
    """Commas in numbers, or between fields."""
    if len(fields) > 1 and fits(_DECIMAL_COMMA.sub(".", text).split()):
        return "numbers have a point, not a comma"
    if text.startswith("sep="):
        return "the separator of a spreadsheet: remove this line"
    words = text.split(",")
    if len(words) in {9, 10} and all(map(is_number, words)):
        return "looks like a track of MOTChallenge: --kind tracks evaluates tracks"
    for mark, name in _SEPARATORS.items():
        if mark not in text:
            continue
        split = [x.strip() for x in text.split(mark)]
        loose = text.replace(mark, " ").split()
        # A name with blanks is one field between commas.
        if fits(["_".join(x.split()) or "-" for x in split]) or fits(loose) or _has_image_and_box(split):
            way = "replace them by blanks, or name the columns in a first line such as image,class,xmin,ymin,xmax,ymax"
            return f"{name} between the fields: {way}"
    return ""


def _has_image_and_box(fields: Sequence[str]) -> bool:
    """An image, and four numbers in a row."""
    pattern = "".join("n" if is_number(x) else "i" if _is_picture(x) else "w" for x in fields)
    return "i" in pattern and "nnnn" in pattern


def _kitti_track(fields: list[str]) -> str:
    """A line of KITTI's tracking labels, which has 17 fields."""
    rest = fields[2:]
    named = len(rest) == 15 and all(map(is_number, fields[:2])) and not is_number(rest[0])
    if not (named and all(map(is_number, rest[1:]))):
        return ""
    return "KITTI's tracking labels have no score: add it as the 18th field, or --kind tracks evaluates tracks"


def _header(_: str, fields: list[str], __: Fits) -> str:
    """Names of columns."""
    known = {"class", "label", "score", "conf", "confidence", "x1", "xmin", "x", "cx", "x_center", "left"}
    known |= {"frame", "id", "track_id", "bb_left", "bb_top", "w", "h", "width", "height"}
    named = {x.lower() for x in fields} & known
    return "the names of columns: remove this line" if len(named) > 1 and not any(map(is_number, fields)) else ""


def _quadrilateral(_: str, fields: list[str], __: Fits) -> str:
    """A number and four corners in pixels."""
    if len(fields) in {9, 10} and all(map(is_number, fields)) and fields[0].isdecimal():
        return "four corners in pixels: YOLO's are fractions of the image's sides, and DOTA's lines end in the class"
    return ""


def _with_blanks(_: str, fields: list[str], fits: Fits) -> str:
    """A name of several words, at the beginning or somewhere behind numbers."""
    for start in range(len(fields) if len(fields) <= _MOST_FIELDS else 0):
        for stop in range(start + 2, min(start + _MOST_WORDS, len(fields)) + 1):
            words = fields[start:stop]
            if any(is_number(x) or _is_picture(x) for x in words):
                break
            name = "_".join(words)
            if fits([*fields[:start], name, *fields[stop:]]):
                return f"a name with blanks, {' '.join(words)!r}: write {name!r}"
    return ""


def _with_one_more(_: str, fields: list[str], fits: Fits) -> str:
    """A field too many, at the end or at the beginning."""
    if len(fields) > 2 and fits(fields[:-1]):
        return f"a field too many: the last, {fields[-1][:40]!r}, looks like {_looks_like(fields[-1])}"
    if len(fields) > 2 and fits(fields[1:]):
        first = fields[0][:40]
        if _is_picture(first):
            way = "files have one image each, or CSV with a first line that names the columns"
            return f"a field too many: the first, {first!r}, is an image; {way}"
        return f"a field too many: the first, {first!r}, looks like {_looks_like(first)}"
    return ""


def _looks_like(word: str) -> str:
    if not is_number(word):
        return "a name"
    value = as_number(word)
    if value.is_integer():
        return "a flag" if value in {0, 1} else "a track id or a count"
    return "a score" if 0 <= value <= 1 else "a number"


def _is_picture(word: str) -> bool:
    return PurePath(word).suffix.lower() in PICTURES
