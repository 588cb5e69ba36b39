"""All faults of files at once, for `omniou check`: readers otherwise stop at the first.

A reader that can go on after a fault hands it to `keep`, which raises it unless faults are collected. A fault in a line
of text needs no more than its place: the file is read again without the line.
"""

import contextlib
import dataclasses
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from pathlib import Path

from omniou.data._errors import InputError

# Kinds of faults that are listed, times that a file is read again, and seconds after which it is not.
MOST, LONGEST = 100, 20.0
# Values in messages, and lists of them: `[7].bbox: expected 4 numbers, got 3` and `[9].bbox: ... got 5` are of a kind.
_VALUE = re.compile(r"'[^']*'|\"[^\"]*\"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|\b(?:nan|inf)\b")
_LISTED = re.compile(r"#(?:, #)+")
# Lists whose records others refer to: without one of them, these would have faults that they have not.
REFERRED = {"images", "categories"}
_LINE, _RECORD = re.compile(r"line (\d+)\b"), re.compile(r"(\w*)\[(\d+)\]")


@dataclasses.dataclass(slots=True)
class Fault:
    """The first fault of a kind, and how many there are."""

    first: InputError
    count: int = 0

    def __str__(self) -> str:
        more = self.count - 1
        return f"{self.first} (and {more} more such fault{'s' * (more > 1)})" if more else str(self.first)


class Faults:
    """The faults of some files or directories by kind, and the lines that are passed over because of them."""

    def __init__(self, roots: Sequence[Path] = ()) -> None:
        self.found: dict[tuple[Path, str], Fault] = {}
        self._roots = roots
        self._seen: set[int] = set()
        self._again, self.is_cut = 0, False
        self._lines: dict[Path, set[int]] = {}
        self._left: dict[tuple[Path, str], list[int]] = {}
        self._records: set[tuple[Path, str, int]] = set()
        self._start = time.monotonic()

    @property
    def is_full(self) -> bool:
        """Whether there are as many kinds as are listed."""
        return len(self.found) >= MOST

    @property
    def count(self) -> int:
        """How many faults there are."""
        return sum(x.count for x in self.found.values())

    def left(self, path: Path, name: str, numbers: list[int]) -> None:
        """Note which records of a list are read on. Places in later faults count these records only."""
        self._left[path, name] = numbers

    def passes_over(self, path: Path, name: str | None = None, number: int = 0) -> bool:
        """Whether a record of a list, or any of a file, is passed over."""
        if name is None:
            return any(x == path for x, _, _ in self._records)
        return (path, name, number) in self._records

    def keep(self, error: InputError) -> InputError:
        """Keep a fault, with the number that its record has in the file."""
        record = _RECORD.match(error.place)
        if record and (error.path, record[1]) in self._left:
            numbers = self._left[error.path, record[1]]
            place = f"{record[1]}[{numbers[int(record[2])]}]{error.place[record.end() :]}"
            error = type(error)(error.path, error.fault, place=place)
        message = hash(str(error))
        if message not in self._seen:  # each reading meets it again
            self._seen.add(message)
            self.found.setdefault(self._kind(error), Fault(error)).count += 1
        return error

    def _kind(self, error: InputError) -> tuple[Path, str]:
        """What faults of a kind share: the file or directory that was named, and all words of their messages."""
        root = next((x for x in self._roots if x == error.path or x in error.path.parents), error.path)
        return root, _LISTED.sub("#", _VALUE.sub("#", f"{error.place}: {error.fault}"))

    def add(self, error: InputError) -> bool:
        """Keep the fault that ended a reader; whether reading again, without its line or record, may find another."""
        error = self.keep(error)
        before = len(self._records) + sum(map(len, self._lines.values()))
        if line := _LINE.match(error.place):
            self._lines.setdefault(error.path, set()).add(int(line[1]))
        elif (record := _RECORD.match(error.place)) and record[1] not in REFERRED:
            self._records.add((error.path, record[1], int(record[2])))
        after = len(self._records) + sum(map(len, self._lines.values()))
        self._again += 1
        enough = self.is_full or self._again >= MOST or time.monotonic() - self._start > LONGEST
        self.is_cut = after > before and enough
        return after > before and not enough

    def without_lines(self, path: Path, data: bytes) -> bytes:
        """The text of a file, its lines with a fault empty."""
        if not (lines := self._lines.get(path)):
            return data
        text = data.decode().splitlines()  # by the rules of the readers, who know more ends of lines than bytes do
        return "\n".join("" if k in lines else line for k, line in enumerate(text, start=1)).encode()


_COLLECTED: ContextVar[Faults | None] = ContextVar("faults", default=None)


@contextlib.contextmanager
def collecting(faults: Faults) -> Iterator[None]:
    """Readers go on after a fault where they can; what they return is not to be used then."""
    token = _COLLECTED.set(faults)
    try:
        yield
    finally:
        _COLLECTED.reset(token)


def collected() -> Faults | None:
    """The faults so far, where they are collected."""
    return _COLLECTED.get()


@contextlib.contextmanager
def completed(complete: Callable[[InputError], InputError]) -> Iterator[None]:
    """Complete the fault that is raised, and the first of each kind that is kept, by what is most likely meant."""
    found = {} if (faults := _COLLECTED.get()) is None else faults.found
    known = set(found)
    try:
        yield
    except InputError as error:
        raise complete(error) from None
    finally:
        for kind in found.keys() - known:
            found[kind].first = complete(found[kind].first)


def keep(error: InputError) -> None:
    """Raise the fault, unless faults are collected."""
    faults = collected()
    if faults is None or faults.is_full:
        raise error from None
    faults.keep(error)
