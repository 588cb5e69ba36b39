"""The numbers of an evaluation of any kind as plain values: tracks, label maps, video objects and the like.

A `Record` has what only detections have, such as area ranges and intervals. `Scores` has what every kind has.
"""

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from omniou import __version__
from omniou.data import Finding
from omniou.report._record.record import Gate, Input
from omniou.report._record.tables import Cell, Table


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The same numbers of each sequence, class or image.

    Attributes
    ----------
    key : str
        Its name in JSON, such as "per_class".
    title : str
        Of the table, such as "Each class".
    rows : list of dict
        "name", which gates ask for, and numbers or words by name; all rows have the same names.
    columns : sequence of str
        Names of what tables show, in order. Default: all of the first row.
    printed : bool
        Whether the terminal shows it unasked; ``--per-class`` and pages show all.
    """

    key: str
    title: str
    rows: Sequence[Mapping[str, Any]]
    columns: Sequence[str] = ()
    printed: bool = True

    @property
    def table(self) -> Table:
        """A row for each."""
        first = self.rows[0] if self.rows else {}
        names = ["name", *(x for x in self.columns or first if x != "name")]
        cells = [[_cell(row.get(name)) for name in names] for row in self.rows]
        return Table(self.title, [x.replace("_", " ") for x in names], cells)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """An evaluation of any kind as plain values, from which every output is made.

    Attributes
    ----------
    kind : str
        What was compared, as ``omniou eval --kind`` names it.
    summary : dict of str to float
        The numbers by name; None or NaN where there is nothing to average over.
    words : dict of str to str
        What numbers are, in a few words, by name: the ones that tables show, in order.
    protocol : str
        The name of the rules; empty where a kind has only one way.
    counts : dict of str to int
        How much was compared, in the words of the title: "frames", "objects".
    groups : list of Group
        By sequence, by class and so on.
    tables : list of Table
        What else is shown.
    charts : dict of str to Chart
        By name, as pages draw them.
    details : dict
        What only JSON has, by name.
    warnings : list of Finding
        What makes the numbers doubtful.
    assumptions : list of str
        What was assumed because nothing said otherwise, a sentence each.
    inputs : list of Input
    options : dict
        Options that were given, by name.
    gates : list of Gate
    omniou : str
        Version of the library.

    Examples
    --------
    >>> from omniou import report
    >>> scores = report.Scores(kind="semantic", summary={"mIoU": 0.75}, words={"mIoU": "mean IoU of classes"})
    >>> scores.title
    'Semantic'
    >>> print(scores.to_json(indent=None))
    {"omniou": "...", "kind": "semantic", "protocol": "", "summary": {"mIoU": 0.75}, ...
    """

    kind: str
    summary: Mapping[str, float | None]
    words: Mapping[str, str]
    protocol: str = ""
    counts: Mapping[str, int] = dataclasses.field(default_factory=dict)
    groups: Sequence[Group] = ()
    tables: Sequence[Table] = ()
    charts: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    details: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    warnings: Sequence[Finding] = ()
    assumptions: Sequence[str] = ()
    inputs: Sequence[Input] = ()
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    gates: Sequence[Gate] = ()
    omniou: str = __version__

    @property
    def title(self) -> str:
        """What was evaluated, in a line."""
        told = ", ".join(counted(value, name.replace("_", " ")) for name, value in self.counts.items())
        rules = f"{self.kind}, the rules of {self.protocol}" if self.protocol else self.kind
        return f"{told} ({rules})" if told else rules.capitalize()

    def to_json(self, indent: int | None = 2) -> str:
        """As JSON, numbers in full precision; null where there is no data.

        Parameters
        ----------
        indent : int, optional
            None for one line.
        """
        head = {"omniou": self.omniou, "kind": self.kind, "protocol": self.protocol}
        groups = {group.key: group.rows for group in self.groups}
        lists = {name: list(map(dataclasses.asdict, getattr(self, name))) for name in ("warnings", "inputs", "gates")}
        told = {"assumptions": list(self.assumptions), "options": dict(self.options)}
        everything = head | {"summary": self.summary, "counts": self.counts, **groups, **self.details, **lists, **told}
        return json.dumps(_without_nan(everything), indent=indent, allow_nan=False, ensure_ascii=False)

    def number(self, name: str, row: str | None = None) -> float | None:
        """A number of the summary, or of a row of a group; None where there is no data.

        Parameters
        ----------
        name : str
            Of the number.
        row : str, optional
            "name" of a row.

        Raises
        ------
        KeyError
            If there is no such row, or no such number.
        """
        if row is None:
            return _number(self.summary[name])
        for group in self.groups:
            for values in group.rows:
                if values["name"] == row:
                    return _number(values[name])
        raise KeyError(row)


# Plurals that do not only end in an "s".
_ONE = {"boxes": "box", "categories": "category", "classes": "class", "components": "component"}


def counted(value: int, name: str) -> str:
    """A count with its noun: 1 sequence, 2 sequences."""
    if value != 1:
        return f"{value:,} {name}"
    *words, last = name.split(" ")
    return " ".join(["1", *words, _ONE.get(last, last.removesuffix("s"))])


def _number(x: Any) -> float | None:
    return None if x is None or math.isnan(x) else float(x)


def _cell(x: Any) -> Cell:
    if isinstance(x, bool):
        return "yes" if x else "no"
    return None if isinstance(x, float) and math.isnan(x) else x


def _without_nan(x: Any) -> Any:
    """The same with null for NaN, which JSON has not."""
    if isinstance(x, Mapping):
        return {str(name): _without_nan(value) for name, value in x.items()}
    if isinstance(x, list | tuple):
        return [_without_nan(value) for value in x]
    return None if isinstance(x, float) and not math.isfinite(x) else x
