"""Free names of classes, matched to the classes of a ground truth by their text, or by a table of synonyms.

A name is the class of the same text; else of the same text except for case, blanks, underscores and hyphens; else of
its singular or plural. The table comes before all three, and plurals of its names come last.
"""

import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from omniou._lib import near
from omniou._lib.findings import Finding
from omniou.data import _files, _json
from omniou.data._errors import InputError, InputWarning, OptionError
from omniou.data._truth import GroundTruth, UnknownTruth

Synonyms: TypeAlias = Path | str | Mapping[str, str]

# A blank, an underscore or a hyphen more or less makes no other name: "traffic_light" and "trafficlight" are one.
_SEPARATORS = re.compile(r"[\s_-]+")
_LINE = re.compile(r"""\s*(["']?)(.+?)\1\s*[,:;\t]\s*(["']?)(.+?)\3\s*""")
# Plurals that are more than an ending, with the words that end in them: policemen, workwomen.
_IRREGULAR = {
    "people": "person",
    "men": "man",
    "children": "child",
    "feet": "foot",
    "teeth": "tooth",
    "geese": "goose",
    "mice": "mouse",
    "ves": "f",
    "ies": "y",
    "es": "",
    "s": "",
}
_HEADER = re.compile(r"\s*(name|synonym)\s*[,:;\t]\s*class\s*", re.IGNORECASE)
# How many names a warning lists.
_SHOWN = 10
_WAY = "--synonyms FILE maps names to classes (`synonyms` of Options)"
_NUMBERED = "--gt-classes FILE names classes that are numbers (`classes` of Options)"


def matched(path: Path, names: Sequence[str], truth: GroundTruth, synonyms: Synonyms | None = None) -> list[str | None]:
    """The class that each name of a detection stands for; None, with a warning of all of them, if there is none."""
    if isinstance(truth, UnknownTruth):
        return list(names)
    classes = _Classes(list(dict.fromkeys(truth.categories.values())), truth.path)
    table = {} if synonyms is None else _table(synonyms, classes)
    counts = Counter(names)
    known = {name: table.get(_folded(name)) or classes.of(path, name) or _singular_in(table, name) for name in counts}
    unknown = [f"{name!r} ({count})" for name, count in counts.most_common() if known[name] is None]
    if unknown:
        shown = ", ".join(unknown[:_SHOWN]) + f" and {len(unknown) - _SHOWN} more" * (len(unknown) > _SHOWN)
        if len(unknown) == len(known):
            way = f"{_NUMBERED}; {_WAY}" if all(x.isdecimal() for x in classes.names) else _WAY
            raise InputError(path, f"none of the names is a class of {truth.path}: {shown}; {way}")
        count = sum(counts[name] for name in counts if known[name] is None)
        text = f"{count} of {len(names)} detections excluded, whose names are not classes of {truth.path}: {shown}"
        finding = Finding(code="unknown-categories", text=text, hint=_WAY, path=str(path))
        warnings.warn(InputWarning(finding), stacklevel=2)
    return [known[name] for name in names]


class _Classes:
    """The classes of a ground truth, and which of them a name stands for."""

    def __init__(self, names: Sequence[str], path: Path) -> None:
        self.names, self.path = names, path
        # Of each level, text -> classes: of the same text, of the same folded text, and of singulars of either.
        self._folded: dict[str, list[str]] = {}
        self._singular: dict[str, list[str]] = {}
        for name in names:
            self._folded.setdefault(_folded(name), []).append(name)
            for word in _singulars(_folded(name)):
                self._singular.setdefault(word, []).append(name)

    def of(self, path: Path, name: str) -> str | None:
        """The class of a name, None if there is none. Raise if there are several."""
        if name in self.names:
            return name
        word = _folded(name)
        own = {x: None for singular in _singulars(word) for x in self._folded.get(singular, ())}
        for classes in (self._folded.get(word, ()), list(own | dict.fromkeys(self._singular.get(word, ())))):
            if len(classes) > 1:
                fault = f"{name!r} may be any of the classes {', '.join(map(repr, classes))} of {self.path}"
                raise InputError(path, f"{fault}: {_WAY}")
            if classes:
                return classes[0]
        return None


def _folded(name: str) -> str:
    return _SEPARATORS.sub("", unicodedata.normalize("NFKC", name).casefold())


def _singulars(word: str) -> list[str]:
    """What a word may be the plural of: "knives" of "knif", "knife" and "kniv"."""
    endings = [(plural, singular) for plural, singular in _IRREGULAR.items() if word.endswith(plural)]
    singulars = [word.removesuffix(plural) + singular for plural, singular in endings]
    return [*singulars, *([word.removesuffix("ves") + "fe"] if word.endswith("ves") else [])]


def _singular_in(table: Mapping[str, str], name: str) -> str | None:
    """The class of a plural whose singular is in the table: "red lorries"."""
    return next((table[x] for x in _singulars(_folded(name)) if x in table), None)


def _table(synonyms: Synonyms, classes: _Classes) -> dict[str, str]:
    """Folded names -> classes."""
    table: dict[str, str] = {}
    source = "" if isinstance(synonyms, Mapping) else f" of {synonyms}"
    given_table: Mapping[Any, Any] = synonyms if isinstance(synonyms, Mapping) else _read(synonyms)
    for name, given in given_table.items():
        if not (isinstance(name, str) and isinstance(given, str)):
            raise OptionError(f"`synonyms`{source} must map names to classes, got {name!r}: {given!r:.42}")
        own = classes.of(classes.path, given)
        if own is None:
            fault = f"{name!r} stands for {given!r}, which is not a class of {classes.path}"
            raise OptionError(f"`synonyms`{source}: {fault}{near.hint(given, classes.names)}")
        if table.setdefault(_folded(name), own) != own:
            raise OptionError(f"`synonyms`{source}: {name!r} stands for {table[_folded(name)]!r} and for {own!r}")
    return table


def _read(path: Path | str) -> dict[str, Any]:
    """A table of synonyms: an object of JSON, or a name and its class in each line, with a colon, comma or tab."""
    path = Path(path)
    data = _files.read_text(path)
    if data.lstrip().startswith(b"{"):
        return _json.decode(path, data, dict[str, Any])
    table: dict[str, Any] = {}
    for number, line in enumerate(data.decode().splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#") or (number == 1 and _HEADER.fullmatch(line)):
            continue
        fields = _LINE.fullmatch(line)
        if fields is None:
            raise InputError(path, "expected a name and its class, such as `red car: car`", place=f"line {number}")
        if table.setdefault(fields[2], fields[4]) != fields[4]:
            raise InputError(path, f"{fields[2]!r} stands for two classes", place=f"line {number}")
    return table
