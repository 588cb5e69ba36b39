"""Docstrings that take the description of a parameter from where it is declared, so each is written once.

In the source such a parameter is an entry without a text; `help` shows the text that its source has.
"""

import functools
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

_SECTION = re.compile(r"^(?:Parameters|Attributes)\n-+\n(.*?)(?=\n\n\S[^\n]*\n-+\n|\Z)", re.DOTALL | re.MULTILINE)
_ENTRY = re.compile(r"^(\S[^\n]*)((?:\n[ \t]+\S[^\n]*)*)", re.MULTILINE)


class Entry(NamedTuple):
    """The entry of some names in a section of parameters."""

    names: tuple[str, ...]
    type: str
    text: str  # its lines, or nothing

    def __str__(self) -> str:
        head = ", ".join(self.names) + (f" : {self.type}" if self.type else "")
        return "\n".join(filter(None, (head, self.text)))


def parameters(doc: str, /) -> list[Entry]:
    """The entries of the section of parameters."""
    section = _SECTION.search(inspect.cleandoc(doc))
    heads = _ENTRY.findall(section[1]) if section else ()
    split = [(*head.partition(" : ")[::2], text.removeprefix("\n")) for head, text in heads]
    return [Entry(tuple(names.split(", ")), kind, text) for names, kind, text in split]


@functools.cache
def wrapped(text: str, /) -> str:
    """A description of a parameter, as lines."""
    return textwrap.fill(text, 104, initial_indent="    ", subsequent_indent="    ")


def texts(**by_name: str) -> dict[str, Entry]:
    """Descriptions by name, as a source."""
    return {name: Entry((name,), "", wrapped(text)) for name, text in by_name.items()}


def described(*sources: Any) -> Callable[[T], T]:
    """Fill in the parameters that the docstring of a function or a class names without a text.

    A source is a function or a class whose docstring has them, or a mapping of names to entries. The line ``**options``
    stands for all of a mapping.
    """

    def decorate(x: T) -> T:
        if x.__doc__:  # none with `python -OO`
            doc = inspect.cleandoc(x.__doc__)
            if section := _SECTION.search(doc):
                lines = "\n".join(map(str, _filled(parameters(doc), sources)))
                x.__doc__ = doc[: section.start(1)] + lines + doc[section.end(1) :]
        return x

    return decorate


def _filled(entries: list[Entry], sources: tuple[Any, ...], /) -> list[Entry]:
    known: dict[str, Entry] = {}
    for source in sources:
        if isinstance(source, Mapping):
            known |= source
        else:
            known |= {name: entry for entry in parameters(source.__doc__ or "") for name in entry.names}
    out = []
    for entry in entries:
        if entry.text or not known:
            out.append(entry)
        elif entry.names == ("**options",):
            out += [x for source in sources if isinstance(source, Mapping) for x in source.values()]
        else:
            out += _of_names(entry, known)
    return out


def _of_names(entry: Entry, known: Mapping[str, Entry], /) -> list[Entry]:
    """The entries of the names of one without a text: names that were described together stay together."""
    missing = [name for name in entry.names if name not in known]
    if missing and entry.type:
        return [entry]  # a type says all
    if missing:
        raise LookupError(f"no source describes {', '.join(missing)}")
    found = dict.fromkeys(known[name] for name in entry.names)
    return [
        Entry(tuple(name for name in x.names if name in entry.names) or entry.names, entry.type or x.type, x.text)
        for x in found
    ]
