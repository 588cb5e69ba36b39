"""A table of several data sets: the numbers of each, and their mean and median, as ODinW's."""

import math
import statistics
from collections.abc import Mapping
from typing import Any

from omniou.report._record.parts import Group
from omniou.report._record.record import Record
from omniou.report._record.sections import headline_names

# Numbers that the table shows; JSON has all.
_SHOWN = 3


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)


def of_data_sets(records: Mapping[str, Record], /) -> Record:
    """Return a record of the records of several data sets, by name.

    Raises
    ------
    ValueError
        If two records are of different kinds or protocols.
    """
    (first, one), *others = records.items()
    for name, other in others:
        if (other.kind, other.protocol) != (one.kind, one.protocol):
            raise ValueError(f"{name} has another kind or protocol than {first}: a mean needs the same numbers")
    numbers = [x for x in headline_names(one) if all(x in other.summary for other in records.values())]
    rows: list[dict[str, Any]] = [
        {"name": name} | {x: record.summary[x] for x in numbers} for name, record in records.items()
    ]
    known = {number: [float(row[number]) for row in rows if row[number] is not None] for number in numbers}
    summary: dict[str, float | None] = {}
    words: dict[str, str] = {}
    for what, average in (("mean", _mean), ("median", statistics.median)):
        means = {number: average(values) if values else None for number, values in known.items()}
        rows.append({"name": f"({what})"} | means)
        for number in numbers[:_SHOWN]:
            of = "" if len(known[number]) == len(records) else f"{len(known[number])} of "
            summary[f"{what} {number}"] = means[number]
            words[f"{what} {number}"] = f"{what} of {of}{len(records)} data sets"
    group = Group(key="per_data_set", title="Data sets", rows=rows, columns=tuple(numbers[:_SHOWN]), heading="data set")
    return Record(
        kind=one.kind,
        protocol=one.rules,
        summary=summary,
        words=words,
        counts={"data_sets": len(records)},
        groups=[group],
    )
