"""From ids and names, as files have them, to the ids of a ground truth."""

import functools
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from omniou._lib import backends, indexing
from omniou.data import _files
from omniou.data._errors import InputError
from omniou.data._truth import Naming

Column = npt.NDArray[Any]
Key: TypeAlias = int | str

PICTURES = {".jpg", ".jpeg", ".png", ".bmp", ".gif", ".tif", ".tiff", ".webp"}

# The highest id that a column of int64 can hold.
HIGHEST = 2**63 - 1


class Coded(NamedTuple):
    """A column of keys that repeat: each row's place in the list of those that differ."""

    codes: Column
    keys: Sequence[Key]

    def rows_of(self, bad: Column) -> Column:
        """Rows whose key is among the marked ones."""
        return np.flatnonzero(bad[self.codes])


def coded(keys: Iterable[Key] | Column) -> Coded:
    """A column of keys in the order that they come; integers in an array by their size."""
    if isinstance(keys, np.ndarray):
        rising = indexing.distinct(keys, xp=backends.numpy_namespace())
        return Coded(indexing.place(rising, keys, xp=backends.numpy_namespace())[0], rising.tolist())
    every = list(keys)
    different = list(dict.fromkeys(every))
    place = {key: code for code, key in enumerate(different)}
    return Coded(np.fromiter(map(place.__getitem__, every), dtype=np.int64, count=len(every)), different)


def as_id(text: str) -> int | None:
    """The id that a text is, if it is one: texts of digits alone may be too long for that, such as hashes."""
    fits = text.isdecimal() and len(text) <= len(str(HIGHEST)) and int(text) <= HIGHEST
    return int(text) if fits else None


def compact(keys: list[Key]) -> list[Key] | Column:
    """Keys as an array where they all are integers: many take a fraction of the time then."""
    try:
        return packed(keys, np.int64)
    except struct.error:  # a string among them
        return keys


def packed(numbers: Sequence[Any], dtype: type[np.int64 | np.float64]) -> Column:
    """Python's numbers as an array, in a third of the time that NumPy takes."""
    code = np.dtype(dtype).char
    return np.frombuffer(struct.pack(f"{len(numbers)}{code}", *numbers), dtype=dtype).copy()


def flags(values: Sequence[Any]) -> Column:
    """Python's numbers as booleans, likewise."""
    return np.frombuffer(bytes(map(bool, values)), dtype=bool).copy()


def chained(parts: Sequence[list[Key] | Column]) -> list[Key] | Column:
    """The keys of several columns."""
    arrays = [x for x in parts if isinstance(x, np.ndarray)]
    if arrays and len(arrays) == len(parts):
        return np.concatenate(arrays)
    return [key for x in parts for key in (x.tolist() if isinstance(x, np.ndarray) else x)]


class Listed(NamedTuple):
    """The images, or the categories, that a ground truth has."""

    names: dict[int, str]
    naming: Naming


def counted(names: Iterable[str], *, complete: bool) -> Listed:
    """Ids for names, in their alphabetical order."""
    return Listed(dict(enumerate(sorted(set(names)))), Naming(own=False, complete=complete))


def in_lines(path: Path) -> Listed:
    """The names of a file that has one in each line; ids count the lines from 0."""
    lines = _files.read_text(path).decode().rstrip().splitlines()
    if not lines:
        raise InputError(path, "the file is empty; a name in each line was expected")
    return Listed({number: line.strip() for number, line in enumerate(lines)}, Naming())


def stem(name: str) -> str:
    """The name of a picture without folder and ending."""
    path = PurePosixPath(name.replace("\\", "/"))
    return path.stem if path.suffix.lower() in PICTURES else path.name


def matched(keys: Sequence[Key], listed: Listed) -> tuple[Column, Column]:
    """Keys -> their ids, and which of them are known.

    A number is an id, if ids are the file's own. Else, and if it is no number, it is a name: as it stands, or without
    folder and ending; at last, a name that looks like a number is an id, too.
    """
    names, own = listed.names, listed.naming.own

    @functools.cache  # asked for by names alone, and most files have numbers
    def by_names() -> dict[str, int]:
        by_stem = {stem(name): id for id, name in reversed(names.items())}
        return by_stem | {name: id for id, name in reversed(names.items())}

    def one(key: Key) -> int | None:
        if own and isinstance(key, int):
            return key if key in names else None
        text, by_name = str(key), by_names()
        match = by_name.get(text, by_name.get(stem(text)))
        if match is None and own and as_id(text) in names:
            return as_id(text)
        return match

    ids = [one(key) for key in keys]
    known = np.array([id is not None for id in ids], dtype=bool)
    return np.array([0 if id is None else id for id in ids], dtype=np.int64), known
