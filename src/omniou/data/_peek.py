"""What the first bytes of a file give away of its format: keys of JSON, elements of XML, or the header of a table."""

import dataclasses
import functools
import re
from typing import NamedTuple

_TOKEN = re.compile(rb'"(?P<text>(?:[^"\\]|\\.)*)(?:"|\Z)\s*(?P<colon>:?)|[{}\[\]]', re.DOTALL)
_TAG = re.compile(rb"<([A-Za-z_][\w.-]*)")
_SEPARATORS = ",;\t|"
_LONGEST_PATH = 256


@dataclasses.dataclass(frozen=True, eq=False)
class Peek:
    """The first bytes of a file.

    Attributes
    ----------
    start : bytes
        Without the blanks before them.
    """

    start: bytes

    @functools.cached_property
    def keys(self) -> frozenset[str]:
        """The keys of JSON as far as they are seen, each behind its own: "annotations[].bbox"; "[].score" of a list."""
        return _keys(self.start) if self.start.startswith((b"{", b"[")) else frozenset()

    @functools.cached_property
    def tags(self) -> frozenset[str]:
        """The names of the elements of XML."""
        if not self.start.startswith(b"<"):
            return frozenset()
        return frozenset(tag.decode("utf-8", "replace") for tag in _TAG.findall(self.start))

    @functools.cached_property
    def header(self) -> tuple[str, ...]:
        """The words between separators in the first line; empty if there is no separator."""
        line = self.start.partition(b"\n")[0]
        is_text = not line.startswith((b"{", b"[", b"<")) and b"\0" not in line
        return columns(line.decode("utf-8", "replace")).words if is_text else ()


class HeaderWords(NamedTuple):
    """The words of a line, and what separates them."""

    words: tuple[str, ...]
    separator: str


def columns(line: str) -> HeaderWords:
    """The words of the header of a table; none where nothing separates them, or the line is not a CSV."""
    import csv

    separator = max(_SEPARATORS, key=line.count)
    if separator not in line:
        return HeaderWords((), separator)
    try:
        rows = list(csv.reader([line.strip("\r\n")], delimiter=separator, skipinitialspace=True))
    except csv.Error:
        return HeaderWords((), separator)
    return HeaderWords(tuple(word.strip() for word in rows[0]) if rows else (), separator)


@functools.lru_cache(maxsize=4)  # each step of recognition looks at the same files
def _keys(data: bytes) -> frozenset[str]:
    paths: set[str] = set()
    # Of each list and object around a place, what its keys begin with. Longer paths are cut off: no format has them,
    # and the paths of 65,536 brackets would take gigabytes.
    open_: list[str] = []
    key = ""
    for match in _TOKEN.finditer(data):
        token = match[0]
        if token in {b"}", b"]"}:
            if open_:
                open_.pop()
            key = ""
        elif token in {b"{", b"["}:
            path = ((open_[-1] if open_ else "") + key)[:_LONGEST_PATH]
            open_.append(f"{path}[]" if token == b"[" else f"{path}." if path else "")
            key = ""
        elif match["colon"] and open_:
            key = match["text"][:_LONGEST_PATH].decode("utf-8", "replace")
            paths.add(open_[-1] + key)
    return frozenset(paths)
