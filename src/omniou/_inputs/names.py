"""Names instead of ids: classes and images are numbered in the order of their names."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from omniou._inputs.inputs import Detections, Targets


class Numbered(NamedTuple):
    """Arguments with integers instead of names, and the names by those."""

    targets: Any
    detections: Any
    classes: Any
    images: Any
    groups: Any
    class_names: Mapping[int, str]
    image_names: Mapping[int, str]


def numbered(targets: Any, detections: Any, *, classes: Any, images: Any, groups: Any) -> Numbered:
    """As they are, where no column holds strings."""
    tables = [targets, detections]
    if all(isinstance(x, Targets | Detections) for x in tables):
        (targets, detections), classes, class_names, places = _column(tables, "labels", classes)
        (targets, detections), images, image_names, _ = _column([targets, detections], "images", images)
    else:
        (targets, detections), classes, class_names, places = _in_dicts(tables, classes)
        image_names = {}
    if places and isinstance(groups, Mapping):
        groups = {name: [places.get(x, x) for x in members] for name, members in groups.items()}
    return Numbered(targets, detections, classes, images, groups, class_names, image_names)


def _column(tables: Sequence[Any], name: str, chosen: Any) -> tuple[list[Any], Any, dict[int, str], dict[str, int]]:
    """One column of both tables, and what was chosen of it."""
    columns = _all_words([getattr(table, name) for table in tables])
    if columns is None:
        return list(tables), chosen, {}, {}
    names, places = _places((x for column in columns for x in column), chosen)
    new = [
        dataclasses.replace(table, **{name: [places[x] for x in column]})
        for table, column in zip(tables, columns, strict=True)
    ]
    return new, _chosen(chosen, places), names, places


def _in_dicts(tables: Sequence[Any], chosen: Any) -> tuple[list[Any], Any, dict[int, str], dict[str, int]]:
    """The labels of lists of dictionaries."""
    key = "labels"
    rows = [row for table in tables if isinstance(table, list | tuple) for row in table]
    known = all(isinstance(x, list | tuple) for x in tables) and all(isinstance(x, Mapping) and key in x for x in rows)
    columns = _all_words([row[key] for row in rows]) if known else None
    if columns is None:
        return list(tables), chosen, {}, {}
    names, places = _places((x for column in columns for x in column), chosen)
    numbers = iter([places[x] for x in column] for column in columns)
    new = [[{**row, key: next(numbers)} for row in table] for table in tables]
    return new, _chosen(chosen, places), names, places


def _all_words(columns: Sequence[Any]) -> list[list[str]] | None:
    """Columns of names; None where one holds something else, or all are empty."""
    listed = []
    for column in columns:
        words = _words(column)
        if words is None:
            return None
        listed.append(words)
    return listed if any(listed) else None


def _words(x: Any) -> list[str] | None:
    """A list, or an array of NumPy's strings or objects, of names alone."""
    shape = getattr(x, "shape", None)
    if shape is not None and tuple(shape[:1]) == (0,):
        return []
    if shape is not None and getattr(x.dtype, "kind", "") not in {"U", "T", "O"}:
        return None
    listed = x.tolist() if shape is not None else x
    if not isinstance(listed, list | tuple) or (listed and not isinstance(listed[0], str)):
        return None
    return list(listed) if all(isinstance(word, str) for word in listed) else None


def _places(words: Iterable[str], chosen: Any) -> tuple[dict[int, str], dict[str, int]]:
    every = sorted({*words, *map(str, [] if chosen is None else chosen)})
    return dict(enumerate(every)), dict(zip(every, range(len(every)), strict=True))


def _chosen(chosen: Any, places: Mapping[str, int]) -> list[int]:
    return sorted(places.values()) if chosen is None else [places[str(x)] for x in chosen]
