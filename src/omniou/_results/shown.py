"""Numbers, counts and rows of a result as text, as tables of a notebook, as plain values, and the weakest rows."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from omniou._lib.brief import counted
from omniou._lib.findings import Finding

# Numbers in a line of the text, and characters of a line that hold two or three of them.
_BESIDE, _WIDTH = 3, 80
# Plurals that do not only end in an "s".
_PLURALS = {"class": "classes"}


def title(counts: Mapping[str, int], /) -> str:
    """Return the first line: "Result of 3 images, 2 classes"."""
    return "Result of " + ", ".join(counted(count, name.replace("_", " ")) for name, count in counts.items())


def as_text(head: str, summary: Mapping[str, float], findings: Sequence[Finding] = (), /) -> str:
    """Return the head, the numbers in lines of up to three, and a line for each finding."""
    words = [f"{name} {_cell(value)}" for name, value in summary.items()]
    wide = max(map(len, words), default=0)
    beside = min(_BESIDE, max(1, _WIDTH // (wide + 3)))
    lines = [words[k : k + beside] for k in range(0, len(words), beside)]
    body = ["  " + "   ".join(word.ljust(wide) for word in line).rstrip() for line in lines]
    return "\n".join([head, *body, *(f"  Warning: {x}" for x in findings)])


def as_html(
    head: str,
    summary: Mapping[str, float],
    groups: Mapping[str, Mapping[str, Sequence[Any]]],
    findings: Sequence[Finding] = (),
    /,
) -> str:
    """Return the head, the numbers, what is doubtful, and the rows of each group, folded."""
    numbers = "".join(f"<tr><th>{_escaped(name)}</th><td>{_cell(value)}</td></tr>" for name, value in summary.items())
    warnings = "".join(f"<p>Warning: {_escaped(str(x))}</p>" for x in findings)
    folded = "".join(_folded(group, columns) for group, columns in groups.items())
    return f"<div><p>{_escaped(head)}</p><table>{numbers}</table>{warnings}{folded}</div>"


def rows_of(columns: Mapping[str, Sequence[Any]], /) -> list[dict[str, Any]]:
    """Return a dictionary for each row."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def columns_of(rows: Mapping[Any, Mapping[str, Any]], /) -> dict[str, list[Any]]:
    """Return columns of rows by name, "name" first."""
    numbers = dict.fromkeys(name for row in rows.values() for name in row)
    return {"name": list(rows), **{name: [row[name] for row in rows.values()] for name in numbers}}


def plain(x: Any, /) -> Any:
    """Return lists, dictionaries and numbers as JSON has them: None for NaN."""
    if isinstance(x, Mapping):
        return {str(name): plain(value) for name, value in x.items()}
    if isinstance(x, list | tuple):
        return [plain(value) for value in x]
    return None if isinstance(x, float) and math.isnan(x) else x


def _folded(group: str, columns: Mapping[str, Sequence[Any]], /) -> str:
    """Return the table of a group, "per_class", that opens by a click."""
    one = group.removeprefix("per_")
    names = [name for name in columns if name not in {"id", "name"}]
    heading = "".join(f"<th>{_escaped(name)}</th>" for name in (one, *names))
    cells = "".join(
        f"<tr><th>{_escaped(str(row['name']))}</th>" + "".join(f"<td>{_cell(row[x])}</td>" for x in names) + "</tr>"
        for row in rows_of(columns)
    )
    words = f"{len(columns['name'])} {_PLURALS.get(one, f'{one}s')}"
    return f"<details><summary>{words}</summary><table><tr>{heading}</tr>{cells}</table></details>"


def _cell(x: Any, /) -> str:
    if isinstance(x, float):
        return "-" if math.isnan(x) else f"{x:.3f}"
    return _escaped(str(x))


def _escaped(text: str, /) -> str:
    import html  # its table of entities takes 1 ms

    return html.escape(text)


FEW_OF_CLASS = 10
"""With fewer objects, the numbers of a class say little."""

ALL = "(all)"
"""The name of a row with the numbers of all others."""

_LOWER = r"oLRP.*|m?A[TSOVA]E|IDSW|Frag|ML|MLR|(CLR|ID)_?F[PN]|FP_per_frame|fragments|switches|[JF]-Decay"


def lower_is_better(number: str) -> bool:
    """Return whether a number is an error or a count of faults."""
    return re.fullmatch(_LOWER, number) is not None


def first_number(rows: Sequence[Mapping[str, Any]]) -> str:
    """The first name of rows that has scores: no text, no count and no flag."""
    names = [name for name in (rows[0] if rows else ()) if name not in {"id", "name", "objects"}]
    scores = [x for x in names if all(row[x] is None or isinstance(row[x], float) for row in rows)]
    return next(iter(scores), "AP")


class Weakest(NamedTuple):
    """The rows of a group, weakest first."""

    group: str  # "per_class"; empty if there are no rows
    number: str  # by which they are sorted
    rows: list[Mapping[str, Any]]
    few: int  # rows that have too few objects
    absent: int  # rows without data


def weakest(groups: Mapping[str, Sequence[Mapping[str, Any]]], head: str) -> Weakest:
    """Sort the classes by a number, or where there are not two classes, the sequences or images.

    `groups` are rows by "per_class" and the like. The number is `head`, if rows have it, else their first one. Rows
    without it are left out, and so are classes of few objects, where others remain.
    """
    per = {key: rows for key, rows in groups.items() if key.startswith("per_")}
    first = sorted(per, key=lambda key: key != "per_class")
    group = next((key for key in first if sum(x["name"] != ALL for x in per[key]) > 1), next(iter(first), ""))
    rows = [x for x in per.get(group, ()) if x["name"] != ALL]
    number = head if rows and head in rows[0] else first_number(rows)
    present = [x for x in rows if x.get("objects", True) and _is_number(x.get(number))]
    known = [x for x in present if x.get("objects", FEW_OF_CLASS) >= FEW_OF_CLASS] or present
    sign = -1 if lower_is_better(number) else 1
    ordered = sorted(known, key=lambda x: (sign * x[number], -x.get("objects", 0)))
    return Weakest(group, number, ordered, len(present) - len(known), len(rows) - len(present))


def noun(group: str) -> tuple[str, str]:
    """Return what the rows of a group are, and several of them: "class" and "classes" of "per_class"."""
    one = group.removeprefix("per_").replace("_", " ")
    return one, "classes" if one == "class" else f"{one}s"


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float) and x == x  # noqa: PLR0124  (not NaN)
