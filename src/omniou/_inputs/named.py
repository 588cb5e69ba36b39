"""Names of the classes and the images of a state, by which states of other images are merged."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TypeAlias

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
        Names of images by id, where ids count them in alphabetical order; empty where ids are those of the data.
    counted : bool
        Whether ids of classes count their names, too, so classes are the same where their names are.
    groups : mapping of str to list of int
        Ids of classes by the name of a group, each of which adds a number to the summary.
    image_groups : mapping of str to list of int
        Ids of images by the name of a group, likewise.
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
