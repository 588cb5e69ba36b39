"""Text from files, such as names of classes, without the characters that change how the text around them is shown."""

import dataclasses
import unicodedata
from typing import Any

# Control characters move a cursor, formats turn the direction of writing (U+202E), separators end a line. Of the
# formats only the two joiners are text: words of Persian and emoji are made with them.
_KINDS, _JOINERS = {"Cc", "Cf", "Cs", "Zl", "Zp"}, "\u200c\u200d"


def visible(text: str, *, kept: str = "") -> str:
    """The text with U+FFFD instead of each such character, except those that are kept."""
    if text.isascii() and text.isprintable():
        return text
    return "".join("\N{REPLACEMENT CHARACTER}" if _is_hidden(x) and x not in kept else x for x in text)


def all_visible(x: Any) -> Any:
    """Return a dataclass, a mapping or a list with all of its texts `visible`."""
    if isinstance(x, str):
        return visible(x)
    if isinstance(x, dict):
        return {all_visible(key): all_visible(value) for key, value in x.items()}
    if isinstance(x, tuple) and hasattr(x, "_make"):  # a named tuple stays one
        return x._make(map(all_visible, x))
    if isinstance(x, list | tuple):
        return [all_visible(value) for value in x]
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        fields = {f.name: all_visible(getattr(x, f.name)) for f in dataclasses.fields(x)}
        return dataclasses.replace(x, **fields)
    return x


def _is_hidden(letter: str) -> bool:
    return letter not in _JOINERS and unicodedata.category(letter) in _KINDS
