"""Print tables as text that fits a terminal: columns that do not fit next to each other go below each other."""

import textwrap
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from omniou._lib.brief import decimal
from omniou._lib.visible import visible
from omniou.report._record.tables import Cell, Table

# Names keep at least this many characters, for any width.
_LEAST_NAME = 16
_GAP = 2


class Style(NamedTuple):
    """The functions that emphasise text, and whether it must be ASCII."""

    bold: Callable[[str], str] = str
    dim: Callable[[str], str] = str
    ascii: bool = False


PLAIN = Style()


def render(table: Table, width: int, style: Style = PLAIN) -> list[str]:
    """Print a table in lines of at most `width` cells, unless names of 16 letters and one number need more."""
    columns = [[_words(row[k]) for row in table.rows] for k in range(len(table.headings))]
    if style.ascii:
        columns = [[_ascii(x) for x in column] for column in columns]
    lines = [style.bold(line) for line in _wrapped(table.title, width, style)]
    for block in _blocks(columns, table.headings, width):
        lines += _block(columns, table, block, style)
    return lines + [style.dim(line) for line in _wrapped(table.note, width, style)]


def _wrapped(text: str, width: int, style: Style) -> list[str]:
    text = visible(text)
    return textwrap.wrap(_ascii(text) if style.ascii else text, max(width, 30)) if text else []


# Long words are not broken: they may be paths.
_ITEM: dict[str, Any] = {
    "initial_indent": "- ",
    "subsequent_indent": "  ",
    "break_long_words": False,
    "break_on_hyphens": False,
}


def paragraph(heading: str, sentences: Sequence[str], width: int, style: Style = PLAIN) -> list[str]:
    """Print a heading and a list of sentences."""
    lines = [style.bold(heading)]
    for sentence in sentences:
        text = visible(sentence, kept="\n")
        text = _ascii(text) if style.ascii else text
        lines += textwrap.wrap(text, max(width, 30), **_ITEM)
    return lines


def needed(table: Table) -> int:
    """Return the width at which no column is cut or moved below others."""
    columns = [[_words(row[k]) for row in table.rows] for k in range(len(table.headings))]
    return _whole(_sizes(columns, table.headings))


def _sizes(columns: list[list[str]], headings: Sequence[str]) -> list[int]:
    return [max(map(cells, (heading, *column))) for heading, column in zip(headings, columns, strict=True)]


def _whole(sizes: Sequence[int]) -> int:
    return sum(sizes) + _GAP * (len(sizes) - 1)


def _blocks(columns: list[list[str]], headings: Sequence[str], width: int) -> list[tuple[int, list[tuple[int, int]]]]:
    """Return blocks of columns: the width of the first column, then (column, width) of those that fit next to it.

    In 40 cells of a terminal, names of 30 cells and three columns of 12 become three blocks. Each has the names, cut to
    half of the width, and one column: 20 + 2 + 12 cells fit, and another 2 + 12 do not.
    """
    sizes = _sizes(columns, headings)
    widest = max((size for size in sizes[1:]), default=0)
    every = _whole(sizes)
    first = sizes[0] if every <= width else min(sizes[0], max(_LEAST_NAME, width - widest - _GAP, width // 3))
    if every > width and len(sizes) > 2:
        first = min(sizes[0], max(_LEAST_NAME, width // 2))
    out: list[list[tuple[int, int]]] = [[]]
    used = first
    for k, most in enumerate(sizes[1:], start=1):
        size = min(most, max(_LEAST_NAME, width - first - _GAP))  # words are cut, as names are
        if used + _GAP + size > width and out[-1]:
            out.append([])
            used = first
        out[-1].append((k, size))
        used += _GAP + size
    return [(first, block) for block in out]


def _block(columns: list[list[str]], table: Table, block: tuple[int, list[tuple[int, int]]], style: Style) -> list[str]:
    first, others = block
    right = [all(x is None or isinstance(x, int | float) for x in column) for column in zip(*table.rows, strict=True)]
    heading = _padded(table.headings[0], first, right=False)
    for k, size in others:
        heading += " " * _GAP + _padded(table.headings[k], size, right=right[k])
    lines = [style.dim(heading.rstrip())]
    for row, name in enumerate(columns[0]):
        line = _padded(_cut(name, first, style), first, right=False)
        for k, size in others:
            line += " " * _GAP + _padded(_cut(columns[k][row], size, style), size, right=right[k])
        lines.append(line.rstrip())
    return lines


def _padded(text: str, size: int, *, right: bool) -> str:
    space = " " * max(0, size - cells(text))
    return space + text if right else text + space


def _cut(text: str, size: int, style: Style) -> str:
    """Cut the middle of a long name: names of classes differ at either end."""
    if cells(text) <= size:
        return text
    dots = "..." if style.ascii else "…"
    keep = size - len(dots)
    head, tail = keep - keep // 3, keep // 3
    return _fitting(text, head) + dots + _fitting(text[::-1], tail)[::-1]


def _fitting(text: str, size: int) -> str:
    out = ""
    for letter in text:
        if cells(out + letter) > size:
            break
        out += letter
    return out


def cells(text: str) -> int:
    """Return the number of cells that a text takes in a terminal."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(x) else 2 if unicodedata.east_asian_width(x) in "WF" else 1 for x in text)


def _words(cell: Cell) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return decimal(cell)
    text = f"{cell:,}" if isinstance(cell, int) else cell
    return visible(text)  # names of classes may hold control characters


def _ascii(text: str) -> str:
    return text.replace("²", "^2").replace("…", "...").encode("ascii", "replace").decode()
