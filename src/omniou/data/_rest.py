"""Fields of records that readers pass over, for commands that write the records again.

A table has only what an evaluation needs. `noted` remembers which records its rows come from; the file is read again
when it is written.
"""

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

Column = npt.NDArray[Any]
# A record of a JSON file with all of its fields.
Record = dict[str, Any]

# Fields that tables have, whose loss has a line of its own, or that number and measure what is written.
_IN_TABLES = {
    *("image_id", "category_id", "bbox", "score", "file_name", "iscrowd", "ignore"),
    *("id", "area", "num_keypoints"),
}


# The names of what a reader passes over, and which rows of the file have it.
Unread = Callable[[], Mapping[str, Column]]


def nothing_unread() -> Mapping[str, Column]:
    """Of readers that pass over nothing, or read their records again."""
    return {}


class Source(Protocol):
    """What reads the records of a file again."""

    def records(self, rows: Column, /) -> list[Record]:
        """The records of rows, as they stand in the file."""
        ...

    def outer(self) -> Record:
        """All else of the file: its images, its categories, and what describes it."""
        ...


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Rest:
    """Where the rows of a table come from."""

    source: Source | None  # None where records cannot be written again
    rows: Column
    unread: Unread

    def take(self, rows: Column, /) -> Self:
        """The same of some rows."""
        return dataclasses.replace(self, rows=self.rows[rows])

    def fields(self, *but: str) -> tuple[int, list[str]]:
        """How many records have fields that no table has, except some, and which."""
        if self.source is None:
            columns = {name: column[self.rows] for name, column in self.unread().items() if name not in but}
            some = {name: column for name, column in columns.items() if column.any()}
            return int(np.any([*some.values()], axis=0).sum()), sorted(some)
        known = _IN_TABLES.union(but)
        records = self.source.records(self.rows)
        each = [[name for name, x in record.items() if name not in known and x] for record in records]
        return sum(map(bool, each)), sorted({name for names in each for name in names})


_NOTED: ContextVar[list[Rest] | None] = ContextVar("noted", default=None)


@contextlib.contextmanager
def noted() -> Iterator[list[Rest]]:
    """List where the rows of each table come from that is read, in order."""
    notes: list[Rest] = []
    token = _NOTED.set(notes)
    try:
        yield notes
    finally:
        _NOTED.reset(token)


def note(source: Source | None, unread: Unread, rows: Column) -> None:
    """Note the records of a table, by the number that each row had when the file was read."""
    if (notes := _NOTED.get()) is not None:
        notes.append(Rest(source, rows, unread))


def narrow(kept: Column) -> None:
    """Note that only some rows of the last table are left."""
    notes = _NOTED.get()
    if notes:
        notes[-1] = notes[-1].take(np.flatnonzero(kept))
