"""A table of plain values, which text, CSV, Markdown and pages are made from."""

import dataclasses
from collections.abc import Sequence
from typing import TypeAlias

# None is "no data": a dash in words, empty in CSV, null in JSON.
Cell: TypeAlias = str | int | float | None


class Best(float):
    """The best number of several models, which tables show in bold."""


class BestCount(int):
    """The best count of several models."""


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings; the first column names the row.

    Attributes
    ----------
    title : str
        One line, without a full stop.
    headings : sequence of str
        One for each column.
    rows : sequence of sequences
        Strings, integers, floats, or None for "no data".
    note : str
        A sentence below the table; may be empty.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
