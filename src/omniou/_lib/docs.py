"""Docstrings that take descriptions from elsewhere, so that each is written once.

In the source a parameter says "As of `count`." or "{formats}"; `help` shows what `count` says of it, or the text.
"""

import functools
import inspect
import re
import textwrap
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

_SECTION = re.compile(r"^Parameters\n-+\n(.*?)(?=\n\n\S[^\n]*\n-+\n|\Z)", re.DOTALL | re.MULTILINE)
_ENTRY = re.compile(r"^(\S[^\n]*)((?:\n[ \t]+\S[^\n]*)*)", re.MULTILINE)
_REFERENCE = re.compile(r"As of `(?:\w+\.)*(\w+)`\.")


class Entry(NamedTuple):
    """What a section of parameters says of some of them."""

    names: tuple[str, ...]
    type: str  # " : float", or nothing
    text: str

    def of(self, names: list[str], /) -> str:
        """The lines on some of its names."""
        return ", ".join(name for name in self.names if name in names) + self.type + self.text


def parameters(doc: str, /) -> list[Entry]:
    """The entries of the section of parameters."""
    section = _SECTION.search(inspect.cleandoc(doc))
    out = []
    for head, text in _ENTRY.findall(section[1]) if section else ():
        names, colon, kind = head.partition(" : ")
        out.append(Entry(tuple(names.split(", ")), colon + kind, text))
    return out


@functools.cache
def wrapped(text: str, /) -> str:
    """A description of a parameter, as lines."""
    return textwrap.fill(text, 104, initial_indent="    ", subsequent_indent="    ")


def says(**texts: str) -> Callable[[T], T]:
    """Write texts in the place of the lines ``{name}`` of the docstring of a function or a class."""

    def decorate(x: T) -> T:
        if x.__doc__:  # none with `python -OO`
            doc = inspect.cleandoc(x.__doc__)
            for name, text in texts.items():
                doc = doc.replace(f"    {{{name}}}", wrapped(text))
            x.__doc__ = doc
        return x

    return decorate


def explained(*sources: Any) -> Callable[[T], T]:
    """Write out "As of `name`." in the parameters of a function or a class, where `name` is one of the sources."""

    def decorate(x: T) -> T:
        if x.__doc__:  # none with `python -OO`
            known = {source.__name__: parameters(source.__doc__) for source in sources}
            lines = [line for entry in parameters(x.__doc__) for line in _written_out(entry, known)]
            doc = inspect.cleandoc(x.__doc__)
            section = _SECTION.search(doc)
            if section:
                x.__doc__ = doc[: section.start(1)] + "\n".join(lines) + doc[section.end(1) :]
        return x

    return decorate


def _written_out(entry: Entry, known: dict[str, list[Entry]], /) -> list[str]:
    reference = _REFERENCE.fullmatch(entry.text.strip())
    if not reference or reference[1] not in known:
        return [entry.of(list(entry.names))]
    names = list(entry.names)
    return [found.of(names) for found in known[reference[1]] if set(found.names) & set(names)]
