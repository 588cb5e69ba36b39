"""Names of classes and of images in the columns of an evaluation, in the place of numbers: they become numbers here."""

import dataclasses
import difflib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from omniou.detection._inputs import Detections, Targets

# A column of both tables, and the argument that chooses among its values.
_COLUMNS = {"labels": "classes", "images": "images"}


class Numbered(NamedTuple):
    """The arguments of an evaluation with numbers alone."""

    targets: Any
    detections: Any
    chosen: dict[str, Any]  # "classes" and "images", by name
    classes: Mapping[int, str]  # names of classes, where they were given


def numbered(targets: Any, detections: Any, chosen: dict[str, Any], known: Mapping[str, Mapping[int, str]]) -> Numbered:
    """Tables without names; `known` are those of the ground truth, by the column that they are in.

    Names that nobody numbered are numbered in alphabetical order.
    """
    named: Mapping[int, str] = dict(known["labels"])
    if not isinstance(targets, Targets) or not isinstance(detections, Detections):
        return Numbered(targets, detections, chosen, named)
    for column, argument in _COLUMNS.items():
        given = {
            f"targets.{column}": getattr(targets, column),
            f"detections.{column}": getattr(detections, column),
            argument: chosen[argument],
        }
        words = {name: _words(name, x) for name, x in given.items()}
        found = {name: x for name, x in words.items() if x}
        by_name = {name: number for number, name in known[column].items()}
        if not found or (not by_name and list(found) == [argument]):
            continue
        if not by_name:
            _check_all_named(given, words, found)
            by_name = {name: number for number, name in enumerate(sorted(set().union(*found.values())))}
        numbers = {name: _numbers(name, x, by_name) for name, x in found.items()}
        targets = _replaced(targets, column, numbers.get(f"targets.{column}"))
        detections = _replaced(detections, column, numbers.get(f"detections.{column}"))
        chosen = chosen | {argument: numbers.get(argument, chosen[argument])}
        if column == "labels":
            named = {number: name for name, number in by_name.items()}
    return Numbered(targets, detections, chosen, named)


def _words(name: str, x: Any) -> list[str]:
    """The names that a column holds; none where it holds something else, or nothing."""
    dtype = getattr(x, "dtype", None)
    # Of NumPy's and pandas' dtypes those of text are called so; other libraries have none.
    if dtype is not None and not any(word in str(dtype) for word in ("str", "object", "<U", ">U")):
        return []
    if x is None or not isinstance(x, Iterable):
        return []
    values = x.tolist() if hasattr(x, "tolist") else list(x)
    if not values or not isinstance(values[0], str):
        return []
    for row, value in enumerate(values):
        if not isinstance(value, str):
            msg = f"`{name}[{row}]` must be a name, as the first one is, got {value!r}"
            raise TypeError(msg)
    return values


def _check_all_named(given: Mapping[str, Any], words: Mapping[str, list[str]], found: Mapping[str, list[str]]) -> None:
    first = next(iter(found))
    for name, x in given.items():
        if not words[name] and x is not None and len(x):
            msg = f"`{name}` must hold names, as `{first}` does, got {x[0]}"
            raise TypeError(msg)


def _numbers(name: str, words: list[str], by_name: Mapping[str, int]) -> list[int]:
    for row, word in enumerate(words):
        if word not in by_name:
            near = difflib.get_close_matches(word, by_name, n=1)
            hint = f": did you mean {near[0]!r}?" if near else ""
            msg = f"`{name}[{row}]` must be one of the {len(by_name)} names of the ground truth, got {word!r}{hint}"
            raise ValueError(msg)
    return [by_name[word] for word in words]


def _replaced(table: Any, column: str, numbers: list[int] | None) -> Any:
    return table if numbers is None else dataclasses.replace(table, **{column: numbers})
