"""Convert ids and names in files to the ids of a ground truth."""

import itertools
import struct
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from omniou._inputs import class_ids
from omniou._inputs.class_ids import ClassIds
from omniou._lib import backends, indexing
from omniou.data import _files
from omniou.data._errors import InputError, OptionError
from omniou.data._numbers import as_number
from omniou.data._paths import ImageNames, composed
from omniou.data._truth import Naming

Column = npt.NDArray[Any]
Key: TypeAlias = int | str

# The highest id that a column of int64 can hold.
HIGHEST = 2**63 - 1
# How many names a message has.
_SHOWN = 5


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
    """The id that a text is, or None. A text of digits may be too long for an id, such as a hash."""
    fits = text.isascii() and text.isdecimal() and len(text) <= len(str(HIGHEST)) and int(text) <= HIGHEST
    return int(text) if fits else None


def whole(word: str) -> str:
    """A whole number without decimals: programs that write a table of floats make 0.0 of 0, or 0.000e+00."""
    try:
        return str(int(as_number(word))) if "." in word and as_number(word).is_integer() else word
    except ValueError:
        return word


def compact(keys: list[Key]) -> list[Key] | Column:
    """Keys as an array if all are integers: later steps take a fraction of the time."""
    try:
        return packed(keys, np.int64)
    except struct.error:  # a string among them
        return keys


def packed(numbers: Sequence[Any], dtype: type[np.int64 | np.float64]) -> Column:
    """Python's numbers as an array, in a third of the time that NumPy takes."""
    code = np.dtype(dtype).char
    return np.frombuffer(struct.pack(f"{len(numbers)}{code}", *numbers), dtype=dtype).copy()


_FLAGS = {"1": True, "true": True, "yes": True, "y": True, "t": True}
_FLAGS |= {"0": False, "false": False, "no": False, "n": False, "f": False, "": False}


def flag(value: object) -> bool | None:
    """Whether a number, a boolean or a word of a file means yes; None if it is not a flag."""
    if isinstance(value, str):
        return _FLAGS.get(whole(value.strip()).lower())
    return bool(value) if value is None or value in {0, 1} else None


def flags(values: Sequence[Any], fault: Callable[[int, str], InputError]) -> Column:
    """Values of a file as an array of booleans. Raise the `fault` of the first that is not a flag."""
    means: dict[Any, Any] = {value: flag(value) for value in set(values)}
    if None in means.values():
        row = next(k for k, value in enumerate(values) if means[value] is None)
        raise fault(row, f"expected 0 or 1, got {values[row]!r:.42}")
    return np.frombuffer(bytes(map(means.__getitem__, values)), dtype=np.bool_).copy()


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


def renumbered(categories: Listed, way: ClassIds | None) -> Listed:
    """Categories by the numbers that count them in the order of their ids. Raise where the order is not known."""
    if way is None:
        return categories
    order, naming = _in_order(categories), categories.naming
    own, counting = list(order), class_ids.numbers(len(order), way)
    if len(own) < len(categories.names):
        fault = "needs categories with ids, and the ground truth has only names: `classes` names the classes"
        raise OptionError(f"`class_ids` {way!r} {fault}")
    if len(counting) != len(own):
        raise OptionError(f"`class_ids` {way!r} needs COCO's 80 categories, the ground truth has {len(own)}")
    if not naming.complete and all(own != list(class_ids.numbers(len(own), x)) for x in class_ids.CLASS_IDS):
        fault = "needs a list of all categories, and the ground truth has only the classes of its objects"
        raise OptionError(f"`class_ids` {way!r} {fault}: `classes` names the classes")
    names = dict(zip(counting, (categories.names[id] for id in order.values()), strict=True))
    return Listed(names, naming._replace(own=True, class_ids=way))


def own_ids(labels: Column, categories: Listed, way: ClassIds) -> Column:
    """Numbers that count categories as the ids of these."""
    ids = np.array(list(_in_order(categories).values()), dtype=np.int64)
    return ids[np.searchsorted(class_ids.numbers(len(ids), way), labels)] if len(ids) else labels


def _in_order(categories: Listed) -> dict[int, int]:
    """The number of each category in rising order -> its id: the id itself, or a name that is a number."""
    own = categories.naming.own
    numbers = {id if own else as_id(name): id for id, name in categories.names.items()}
    return {x: numbers[x] for x in sorted(x for x in numbers if x is not None)}


def check_are_numbers(column: Coded, listed: Listed, path: Path) -> None:
    """Raise for classes without a number, where an option says what numbers mean."""
    way = listed.naming.class_ids
    if way and column.keys and not any(isinstance(key, int) or key.isdecimal() for key in column.keys):
        fault = f"is for classes that are numbers, {path} has names such as {column.keys[0]!r}"
        raise OptionError(f"`class_ids` {way!r} {fault}")


def hint_of_count(column: Coded, listed: Listed, side: str) -> str:
    """What numbers of classes may count, if they are not the ids of categories; empty if there is no such way."""
    numbers = {x if isinstance(x, int) else as_id(x) for x in column.keys}
    own, ids = listed.naming.own and not listed.naming.class_ids, sorted(listed.names)
    known = [x for x in numbers if x is not None]
    if not own or len(known) < len(numbers):
        return ""
    ways = class_ids.fitting(known, ids)
    if not ways:
        by = next((k for k in (1, -1) if len(known) > 1 and {x + k for x in known} <= set(ids)), None)
        is_off = f"are the numbers {min(known)} to {max(known)} {'less' if by == 1 else 'more'} by 1 than the ids?"
        return "" if by is None else f"{is_off} Write the ids"
    says = f"do the numbers {min(known)} to {max(known)} count the {len(ids)} categories in the order of their ids?"
    if ways == ["coco"]:
        says = f"are the numbers, up to {max(known)}, COCO's ids of 80 categories?"
    return f"{says} --{side}-class-ids {' or '.join(ways)} (`class_ids` of Options) reads them so"


class MatchedKeys(NamedTuple):
    """What keys stand for.

    Attributes
    ----------
    ids : array of int64, shape (K,)
        0 where it is not known.
    known : array of bool, shape (K,)
    unclear : dict
        Place of a key that may stand for several -> what is wrong with it.
    """

    ids: Column
    known: Column
    unclear: dict[int, str]


def matched(keys: Sequence[Key], listed: Listed, *, paths: bool = False) -> MatchedKeys:
    """Keys -> their ids. With `paths`, names are paths of images, which folder and ending tell apart.

    A number is an id, if ids are the file's own. Text is a name; texts of digits are ids if more are known so.
    """
    own, ids = listed.naming.own, list(listed.names)
    names = [*listed.names.values(), *listed.naming.others]
    place = {id: k for k, id in enumerate(ids)} if own else {}
    found: list[list[int]] = [[place[key]] if key in place else [] for key in keys]
    if text := [k for k, key in enumerate(keys) if not (own and isinstance(key, int))]:
        words = [str(keys[k]) for k in text]
        by_name = ImageNames(names).find(words) if paths else _exact(names, words)
        by_id = [[place[number]] if (number := as_id(word)) in place else [] for word in words]
        digits = [word.isdecimal() for word in words]
        known_by_id, known_by_name = (sum(map(bool, itertools.compress(x, digits))) for x in (by_id, by_name))
        for k, is_number, *readings in zip(text, digits, by_name, by_id, strict=True):
            found[k] = readings[is_number and known_by_id > known_by_name]
    one = [ids[x[0]] if len(x) == 1 and x[0] < len(ids) else None for x in found]
    known = np.array([id is not None for id in one], dtype=bool)
    unclear = {k: _unclear(keys[k], x, names, listed) for k, x in enumerate(found) if len(x) > 1}
    return MatchedKeys(np.array([0 if id is None else id for id in one], dtype=np.int64), known, unclear)


def _unclear(key: Key, places: list[int], names: list[str], listed: Listed) -> str:
    if len(set(places)) == 1:
        return f"{key!r} is not the only name that fits {names[places[0]]!r}: which of them it is, is not clear"
    ids = list(listed.names)
    same = len({names[k] for k in places}) < len(places)
    shown = [f"{names[k]!r} (id {ids[k]})" if same and k < len(ids) else repr(names[k]) for k in places[:_SHOWN]]
    more = ", ..." if len(places) > _SHOWN else ""
    way = "use ids" if same else "write the folder, or the ending, that tells them apart"
    return f"{key!r} fits {len(places)} names equally well, {', '.join(shown)}{more}: {way}"


def _exact(names: Sequence[str], words: Iterable[str]) -> list[list[int]]:
    places: dict[str, list[int]] = {}
    of_composed: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        places.setdefault(name, []).append(place)
        of_composed.setdefault(composed(name), []).append(place)
    return [places.get(word) or of_composed.get(composed(word), []) for word in words]
