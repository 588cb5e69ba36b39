"""Values in few words: a `repr` of arrays that fits a screen, the first of many items, and counts with their noun."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

_LONG = 60
# Numbers by name that are shown in full, and how many in a line.
_FEW, _BESIDE = 12, 2
# Smaller numbers are errors of rounding.
_TINY = 1e-9


class Brief:
    """Shows arrays by dtype and shape, and long values shortened; for dataclasses with ``repr=False``."""

    __slots__ = ()

    def __repr__(self) -> str:
        fields = dataclasses.fields(self)  # type: ignore[arg-type]  # of dataclasses alone
        lines = [f"    {f.name}={brief(getattr(self, f.name))}," for f in fields]
        return "\n".join([f"{type(self).__name__}(", *lines, ")"])


def brief(x: Any) -> str:
    """A value in a few words."""
    if hasattr(x, "shape") and hasattr(x, "dtype"):
        return f"<{str(x.dtype).rpartition('.')[2]} {tuple(x.shape)}>"
    if isinstance(x, float):
        return f"{x:.4g}"
    if isinstance(x, Mapping) and x and all(isinstance(value, int | float) for value in x.values()):
        items = [f"{key!r}: {brief(value)}" for key, value in x.items()]
        text = "{" + ", ".join(items) + "}"
        if len(text) > _LONG and len(items) <= _FEW:
            rows = [", ".join(items[k : k + _BESIDE]) for k in range(0, len(items), _BESIDE)]
            return "{\n        " + ",\n        ".join(rows) + ",\n    }"
    else:
        text = " ".join(repr(x).split())
    if len(text) <= _LONG or isinstance(x, str):
        return text
    if isinstance(x, list | tuple | dict):
        return f"{text[: _LONG - 3]}... ({len(x)})"
    return f"{text[: _LONG - 3]}..."


def reached(overlap: str, least: float) -> str:
    """What a match reaches: "IoU ≥ 0.5", "distance ≤ 2"."""
    return f"{overlap} {'≤' if overlap == 'distance' else '≥'} {threshold(least)}"


def threshold(x: float) -> str:
    """Return a threshold with two decimals, or with three significant digits if that says more: 0.50, 0.00934."""
    exact, short = f"{x:.3g}", f"{x:.2f}"
    if float(exact) == float(short):
        return short
    return exact if abs(x) < 100 else f"{x:g}"


def decimal(x: float) -> str:
    """Return a number with three decimals, or with two significant digits if it would look like 0: 0.505, 0.00034."""
    text = f"{x:.3f}"
    return f"{x:.2g}" if abs(x) > _TINY and float(text) == 0 else text


def shortened(items: Sequence[object], most: int = 5) -> str:
    """Return the first items, texts in quotes: ``'a', 'b' and 3 more``."""
    shown = ", ".join(repr(x) if isinstance(x, str) else str(x) for x in items[:most])
    return f"{shown} and {len(items) - most} more" if len(items) > most else shown


# Plurals that do not only end in an "s".
_ONE = {"boxes": "box", "categories": "category", "classes": "class", "matches": "match", "switches": "switch"}


def counted(value: int, name: str) -> str:
    """Return a count with its noun: "1 sequence", "2 sequences"."""
    if value != 1:
        return f"{value:,} {name}"
    *words, last = name.split(" ")
    return " ".join(["1", *words, _ONE.get(last, last.removesuffix("s"))])
