"""Groups of classes, such as LVIS's rare, common and frequent ones, of a file in JSON or CSV."""

import csv
import json
from pathlib import Path
from typing import Any, NamedTuple

from omniou._lib.near import hint
from omniou.data import _json
from omniou.data._errors import InputError
from omniou.data._formats.column_words import known_columns, plain
from omniou.data._names import as_id
from omniou.data._peek import columns
from omniou.data._truth import GroundTruth

_GROUPS = ("group", "groups", "split", "frequency", "set")


class _Member(NamedTuple):
    """A class of a group as it is written, and where."""

    name: str | int
    place: str


def read(path: Path, truth: GroundTruth) -> dict[str, list[int]]:
    """Name -> ids of the classes of each group. Raise InputError with the place of a class that is not known."""
    ids_of: dict[str, list[int]] = {}
    for id, name in truth.categories.items():
        ids_of.setdefault(name, []).append(id)
    return {
        name: list(dict.fromkeys(_id(path, x, ids_of, truth) for x in members))
        for name, members in _members(path).items()
    }


def names(path: Path) -> list[str]:
    """The names of the groups, of which the file alone tells."""
    return list(_members(path))


def _members(path: Path) -> dict[str, list[_Member]]:
    if path.suffix.lower() in {".yaml", ".yml"}:
        raise InputError(path, 'is YAML: write JSON, {"rare": ["cat"]}, or CSV with the columns name and group')
    data = _json.read(path)
    groups = _of_json(path, data) if data.lstrip()[:1] in {b"{", b"["} else _of_csv(path, data.decode())
    for name, members in groups.items():
        if not name.strip():
            raise InputError(path, "a group has no name")
        if not members:
            raise InputError(path, "has no classes: remove the group, or name its classes", place=name)
    if not groups:
        raise InputError(path, 'has no groups: write {"rare": ["cat"]}')
    return groups


def _of_json(path: Path, data: bytes) -> dict[str, list[_Member]]:
    if not isinstance(_json.shape_of(data), dict):
        raise InputError(path, 'expected groups with the lists of their classes, {"rare": ["cat", 3]}, got a list')
    listed = _json.decode(path, data, dict[str, Any])
    every = [name for name, _ in json.loads(data, object_pairs_hook=list)]
    if twice := [name for name in listed if every.count(name) > 1]:
        raise InputError(path, "occurs twice: write one list of its classes", place=twice[0])
    groups = {}
    for group, members in listed.items():
        if not isinstance(members, list):
            raise InputError(path, f"expected a list of names or ids of classes, got {members!r:.80}", place=group)
        groups[group] = [_Member(x, f"{group}[{k}]") for k, x in enumerate(members)]
        for name, place in groups[group]:
            if isinstance(name, bool) or not isinstance(name, str | int):
                raise InputError(path, f"expected the name or the id of a class, got {name!r:.80}", place=place)
    return groups


def _of_csv(path: Path, text: str) -> dict[str, list[_Member]]:
    header, separator = columns(text.partition("\n")[0])
    of_class = known_columns(header).get("class")
    of_group = next((x for x in header if plain(x) in _GROUPS and x != of_class), None)
    if of_class is None or of_group is None:
        got = ", ".join(map(repr, header)) or "none"
        raise InputError(
            path, f"no columns of the class and its group: begin with name,group; got {got}", place="line 1"
        )
    groups: dict[str, list[_Member]] = {}
    lines = csv.DictReader(text.splitlines(), delimiter=separator, skipinitialspace=True, strict=True)
    lines.fieldnames = list(header) if lines.fieldnames else []
    try:
        for row in lines:
            place = f"line {lines.line_num}"
            name, group = ((row[x] or "").strip() for x in (of_class, of_group))
            if not name or not group:
                raise InputError(path, f"missing: write name,group; got {name!r}, {group!r}", place=place)
            groups.setdefault(group, []).append(_Member(name, f"{place}, {of_class}"))
    except csv.Error as error:
        raise InputError(path, f"not valid CSV: {error}", place=f"line {lines.line_num}") from None
    return groups


def _id(path: Path, member: _Member, ids_of: dict[str, list[int]], truth: GroundTruth) -> int:
    name, place = member
    named = ids_of.get(str(name), []) if isinstance(name, str) else []
    number = (name if isinstance(name, int) else as_id(name)) if truth.category_naming.own else None
    id = number if number in truth.categories else None
    found = [*named, *([] if id is None or id in named else [id])]
    if len(found) == 1:
        return found[0]
    where = f"the {len(truth.categories)} categories of {truth.path}"
    if not found:
        if isinstance(name, int) and not truth.category_naming.own:
            raise InputError(
                path, f"{name} is an id, and {truth.path} has names of classes only: write them", place=place
            )
        guess = hint(name, list(ids_of)) if isinstance(name, str) else ""
        raise InputError(path, f"{name!r} is not among {where}{guess}", place=place)
    if len(named) > 1:
        which = ", ".join(map(str, named))
        raise InputError(path, f"{name!r} is the name of several classes, {which}: write the id", place=place)
    told = f"{name!r} is the name of class {named[0]} and the id of {truth.categories[found[1]]!r}"
    raise InputError(path, f"{told}: write ids as numbers, in JSON", place=place)
