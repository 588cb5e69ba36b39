"""Names of classes and images: columns of names become integers, and states of other images merge by names."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

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
    """Replace names by integers. Arguments without a column of strings stay as they are."""
    tables = [targets, detections]
    if all(isinstance(x, Targets | Detections) for x in tables):
        (targets, detections), classes, class_names, places = _column(tables, "labels", classes)
        (targets, detections), images, image_names, _ = _column([targets, detections], "images", images)
    else:
        (targets, detections), classes, class_names, places = _in_dicts(tables, classes)
        image_names = {}
    if places and isinstance(groups, Mapping):
        groups = {name: [places.get(x, x) for x in members] for name, members in groups.items()}
    return Numbered(
        targets=targets,
        detections=detections,
        classes=classes,
        images=images,
        groups=groups,
        class_names=class_names,
        image_names=image_names,
    )


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
    """The names in a list, or in an array of NumPy's strings or objects; None if it holds anything else."""
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


# Id before -> id after; None where it stays as it is.
Renumbering: TypeAlias = Mapping[int, int] | None


@dataclasses.dataclass(frozen=True, slots=True)
class Names:
    """What ids stand for.

    Attributes
    ----------
    classes : mapping of int to str
        Names of classes by id.
    images : mapping of int to str
        Names of images by id, where ids count them in alphabetical order; empty if ids are the data's own.
    counted : bool
        Whether ids of classes count their names, too, so classes are the same where their names are.
    groups : mapping of str to list of int
        Ids of classes by the name of a group, each of which adds a number to the summary.
    image_groups : mapping of str to list of int
        Ids of images by the name of a group, each of which adds a number to the summary.
    """

    classes: Mapping[int, str] = dataclasses.field(default_factory=dict)
    images: Mapping[int, str] = dataclasses.field(default_factory=dict)
    counted: bool = False
    groups: Mapping[str, list[int]] = dataclasses.field(default_factory=dict)
    image_groups: Mapping[str, list[int]] = dataclasses.field(default_factory=dict)

    def without_classes(self) -> "Names":
        """The names where all classes are one, of the label 0."""
        return dataclasses.replace(self, classes={0: "any class"}, counted=False, groups={})


NONE = Names()


def united(parts: Sequence[Names]) -> tuple[Names, list[tuple[Renumbering, Renumbering]]]:
    """The names of all, and for each part the new ids of its classes and of its images.

    Raises
    ------
    ValueError
        If one id stands for two names, or counts names in one part and not in another.
    """
    known = [x for x in parts if x.classes]
    counted = any(x.counted for x in known)
    if counted and not all(x.counted for x in known):
        raise ValueError("classes must be counted by name in all states, or have ids of their own in all")
    classes, of_classes = _by_name([x.classes for x in parts]) if counted else (_by_id([x.classes for x in parts]), [])
    images, of_images = _by_name([x.images for x in parts])
    of_classes = of_classes or [None] * len(parts)
    groups = _joined([x.groups for x in parts], of_classes)
    image_groups = _joined([x.image_groups for x in parts], of_images)
    return Names(classes, images, counted, groups, image_groups), list(zip(of_classes, of_images, strict=True))


def _joined(parts: Sequence[Mapping[str, list[int]]], renumbered: Sequence[Renumbering]) -> dict[str, list[int]]:
    """Groups of all parts, with the new ids of their members."""
    groups: dict[str, set[int]] = {}
    for part, by in zip(parts, renumbered, strict=True):
        for name, members in part.items():
            groups.setdefault(name, set()).update(members if by is None else [by[x] for x in members])
    return {name: sorted(members) for name, members in groups.items()}


def _by_id(parts: Sequence[Mapping[int, str]]) -> Mapping[int, str]:
    every: dict[int, str] = {}
    for part in parts:
        if part is not parts[0] and part == parts[0]:
            continue
        for id, name in part.items():
            if every.setdefault(id, name) != name:
                raise ValueError(f"class {id} must have one name in all states, got {every[id]!r} and {name!r}")
    return dict(sorted(every.items()))


def _by_name(parts: Sequence[Mapping[int, str]]) -> tuple[Mapping[int, str], list[Renumbering]]:
    if all(part == parts[0] for part in parts):
        return parts[0], [None] * len(parts)
    every = sorted({name for part in parts for name in part.values()})
    place = {name: number for number, name in enumerate(every)}
    return dict(enumerate(every)), [{id: place[name] for id, name in part.items()} for part in parts]
