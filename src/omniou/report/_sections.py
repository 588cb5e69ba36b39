"""The tables of a record, in the order in which they are shown."""

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from omniou.report._analyses import ANALYSES
from omniou.report._record import Gate, Input, Measured, Record
from omniou.report._scores import Scores
from omniou.report._tables import Cell, Table

# Classes of the lowest AP that are shown unasked.
_WEAKEST = 5
# Numbers of each class that are not in its row.
_LEFT_OUT = ("AR1", "AR10", "ARs", "ARm", "ARl")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What to show of a record.

    Attributes
    ----------
    per_class : bool
        All classes, not only the weakest ones.
    intervals : bool
        The intervals of all numbers that have one, also where they are doubtful, and bias-corrected values.
    analyses : iterable of str
        Those that are shown in full; others are not shown.
    """

    per_class: bool = False
    intervals: bool = False
    analyses: Iterable[str] = ()


def sections(record: Record, shown: Shown) -> list[Table]:
    """Headline, area ranges, classes, analyses and gates."""
    tables = [headline(record, shown), areas(record)]
    tables += [per_class(record)] if shown.per_class else [weakest(record)]
    for name in shown.analyses:
        if name in record.analyses:
            tables += ANALYSES[name].tables(record.analyses[name], record)
    return [table for table in (*tables, gates(record.gates)) if table.rows]


def gates(outcomes: Sequence[Gate]) -> Table:
    """Conditions with what came."""
    rows = [(x.condition, x.value, "passed" if x.passed else "FAILED", x.detail) for x in outcomes]
    return Table("Gates", ("condition", "value", "outcome", ""), rows)


def title(record: Record) -> str:
    """What was evaluated, in a line."""
    name, counts = record.protocol["name"], record.counts
    rules = f"the rules of {name}" if name else "own rules"
    rules += ", all classes as one" if record.protocol.get("class_agnostic") else ""
    return (
        f"{counts.detections:,} detections of {counts.annotations:,} objects "
        f"in {counts.images:,} {record.words.holders}, {counts.categories:,} classes ({record.kind}, {rules})"
    )


def headline(record: Record, shown: Shown) -> Table:
    """AP and AR with their intervals."""
    intervals = record.intervals
    names = list(record.summary) if shown.intervals else headline_names(record)
    if intervals is None:
        return Table(title(record), ("", "value"), [(name, record.summary[name]) for name in names])
    share = f"{100 * intervals.confidence:g} % interval"
    if shown.intervals:
        rows = [(name, record.summary[name], *_bounds(intervals.numbers.get(name))) for name in names]
        note = f"Doubtful: {intervals.doubt}." if intervals.doubt else ""
        return Table(title(record), ("", "value", share, "corrected"), rows, note)
    known = {name: _bounds(intervals.numbers[name])[0] for name in names if not intervals.is_hidden(name)}
    if not known:
        note = f"No intervals: {intervals.doubt}." if intervals.doubt else ""
        return Table(title(record), ("", "value"), [(name, record.summary[name]) for name in names], note)
    note = f"No interval of {intervals.doubt}." if intervals.doubt else ""
    return Table(title(record), ("", "value", share), [(x, record.summary[x], known.get(x)) for x in names], note)


def headline_names(record: Record) -> list[str]:
    """The numbers of all areas at the last limit, and those of groups of classes."""
    suffixes = [area["suffix"] for area in record.protocol["area_ranges"]]
    return headline_of(record.summary, record.protocol["max_detections"], suffixes)


def headline_of(names: Iterable[str], limits: Sequence[int | None], suffixes: Sequence[str]) -> list[str]:
    """Of the names of a summary, by the limits and the suffixes of area ranges of its protocol."""
    smaller = {f"AR{most}" for most in limits[:-1]}
    ranges = {f"{kind}{suffix}" for suffix in suffixes[1:] for kind in ("AP", "AR")}
    return [name for name in names if name not in smaller | ranges]


def _bounds(measured: Measured | None) -> tuple[Cell, Cell]:
    if measured is None or measured.low is None or measured.high is None:
        return None, None
    return f"{measured.low:.3f} to {measured.high:.3f}", measured.corrected


def areas(record: Record) -> Table:
    """AP and AR by area range; nothing where there is one."""
    what, unit = record.words.area, record.words.unit
    side = _side if what == "area" else "{:g}".format
    rows = [(_range(x, side), x["objects"], x["AP"], x["AR"]) for x in record.areas[1:]]
    return Table(f"By {what}, in {unit}", (f"objects of {what}", "objects", "AP", "AR"), rows)


def _range(area: dict[str, Any], side: Callable[[float], str]) -> str:
    low, high = (None if x is None else side(x) for x in (area["low"], area["high"]))
    if high is None or (area["high"] or 0) >= 1e10:
        return f"{area['name']} (from {low})"
    return f"{area['name']} (to {high})" if not area["low"] else f"{area['name']} ({low} to {high})"


def _side(area: float) -> str:
    side = max(area, 0.0) ** 0.5
    return f"{side:g}²" if side == int(side) and area >= 0 else f"{area:g}"


def weakest(record: Record) -> Table:
    """Classes of the lowest AP."""
    head = next(iter(record.summary))
    present = [x for x in record.per_class if x["objects"] and x[head] is not None]
    rows = sorted(present, key=lambda x: (x[head], -x["objects"]))[:_WEAKEST]
    if len(present) <= 1:
        return Table("", (), [])
    names = [name for name in ("AP", "AP50", "AP75") if name in rows[0]]
    what = (
        f"The {len(rows)} weakest of {len(present)} classes" if len(present) > len(rows) else "Classes, weakest first"
    )
    return Table(what, ("class", "objects", *names), [(x["name"], x["objects"], *(x[n] for n in names)) for x in rows])


def per_class(record: Record) -> Table:
    """All classes, in the order of their ids."""
    known = record.per_class[0] if record.per_class else {}
    names = [name for name in known if name not in ("id", "name", "objects", *_LEFT_OUT)]
    rows = [(x["name"], x["objects"], *(x[name] for name in names)) for x in record.per_class]
    return Table("Classes", ("class", "objects", *names), rows)


def remarks(record: Record | Scores) -> list[tuple[str, list[str]]]:
    """Headings and sentences of what follows the tables: warnings, and what was assumed."""
    parts = [("Warnings", [f"[{x.code}] {x}" for x in record.warnings]), ("Assumed", list(record.assumptions))]
    return [(heading, lines) for heading, lines in parts if lines]


def input_facts(inputs: Sequence[Input]) -> list[tuple[str, str]]:
    """What was read."""
    return [
        (x.role.capitalize(), f"{x.path} ({x.format}, {_bytes(x.bytes)}, {x.files} {_files(x.files)})") for x in inputs
    ]


def _files(many: int) -> str:
    return "file" if many == 1 else "files"


def _bytes(size: int) -> str:
    return f"{size} bytes" if size < 1000 else f"{size / 1000:.0f} kB" if size < 10**6 else f"{size / 1e6:.1f} MB"
