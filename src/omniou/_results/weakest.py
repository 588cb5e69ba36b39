"""Which numbers decide, whether higher ones are better, and the rows that have the lowest."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

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
    """Sort the classes by a number, or where there are no classes, the sequences or images.

    `groups` are rows by "per_class" and the like. The number is `head`, if rows have it, else their first one. Rows
    without it are left out, and so are classes of few objects, where others remain.
    """
    per = {key: rows for key, rows in groups.items() if key.startswith("per_")}
    group = "per_class" if "per_class" in per else next(iter(per), "")
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
