"""The tables of a record, in the order in which they are shown."""

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from omniou.detection import AreaRange, Protocol
from omniou.detection.curves._summary import numbers
from omniou.report._record.analyses import ANALYSES, FEW_OF_CLASS
from omniou.report._record.record import Gate, Input, Measured, Record
from omniou.report._record.scores import Scores, counted
from omniou.report._record.tables import Cell, Table

# Classes of the lowest AP that are shown.
_WEAKEST = 5
# Numbers of each class that are not in its row.
_LEFT_OUT = ("AR1", "AR10", "ARs", "ARm", "ARl")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What to show of a record.

    Attributes
    ----------
    full : bool
        Area ranges, the weakest classes, and what was assumed.
    per_class : bool
        All classes.
    weakest : bool
        The classes of the lowest AP.
    intervals : bool
        The intervals of all numbers that have one, also where they are doubtful, and bias-corrected values.
    analyses : iterable of str
        Those that are shown in full; others are not shown.
    """

    full: bool = False
    per_class: bool = False
    weakest: bool = False
    intervals: bool = False
    analyses: Iterable[str] = ()


def sections(record: Record, shown: Shown) -> list[Table]:
    """Numbers, area ranges, classes, analyses and gates, as far as they are asked for."""
    tables = [headline(record, shown)]
    tables += [areas(record)] if shown.full else []
    tables += [per_class(record)] if shown.per_class else [weakest(record)] if shown.full or shown.weakest else []
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
    rules = f"the rules of {name}" if name else "custom rules"
    rules += ", all classes as one" if record.protocol.get("class_agnostic") else ""
    objects = counted(counts.annotations - counts.crowds, "objects")
    crowds = f" and {counted(counts.crowds, 'crowds')}" if counts.crowds else ""
    return (
        f"{counted(counts.detections, 'detections')} of {objects}{crowds} in "
        f"{counted(counts.images, record.words.holders)}, {counted(counts.categories, 'classes')} "
        f"({record.kind}, {rules})"
    )


def headline(record: Record, shown: Shown) -> Table:
    """All numbers, with a few words on each, and their intervals."""
    words, intervals = number_words(record), record.intervals
    if intervals is None:
        rows: list[Sequence[Cell]] = [(name, value, words.get(name, "")) for name, value in record.summary.items()]
        return Table(title(record), ("", "value", ""), rows)
    share = f"{100 * intervals.confidence:g} % interval"
    if shown.intervals:
        rows = [
            (name, value, *_bounds(intervals.numbers.get(name)), words.get(name, ""))
            for name, value in record.summary.items()
        ]
        doubt = f"Unreliable intervals: {intervals.doubt}." if intervals.doubt else ""
        return Table(title(record), ("", "value", share, "bias-corrected", ""), rows, doubt)
    known = {name: _bounds(x)[0] for name, x in intervals.numbers.items() if not intervals.is_hidden(name)}
    doubt = f"{'No interval of' if known else 'No intervals:'} {intervals.doubt}." if intervals.doubt else ""
    if not known:
        rows = [(name, value, words.get(name, "")) for name, value in record.summary.items()]
        return Table(title(record), ("", "value", ""), rows, doubt)
    rows = [(name, value, known.get(name), words.get(name, "")) for name, value in record.summary.items()]
    return Table(title(record), ("", "value", share, ""), rows, doubt)


def number_words(record: Record) -> dict[str, str]:
    """What each number of the summary is, in a few words, by its name."""
    protocol, side = record.protocol, _side_of(record)
    ranges = [AreaRange(**{**x, "high": math.inf if x["high"] is None else x["high"]}) for x in protocol["area_ranges"]]
    fields = {name: value for name, value in protocol.items() if name != "name"}
    known = Protocol(**fields | {"area_ranges": ranges})
    low, high = known.iou_thresholds[0], known.iou_thresholds[-1]
    overlap = record.words.overlap
    every = f"{overlap} {low:g}" if low == high else f"mean of {overlap} {low:g} to {high:g}"
    per = f"in each {record.words.holder}" + (" and class" if known.limit_per == "class" else "")
    words = {}
    for number in numbers(known):
        area = known.area_ranges[number.area]
        objects = f"{area.name} objects ({_span(area.low, area.high, side)})" if number.area else ""
        if number.kind == "AP":
            threshold = every if number.threshold is None else f"{overlap} {number.threshold:g}"
            words[number.name] = objects or threshold
        else:
            limit = known.max_detections[number.limit]
            most = "" if limit is None else f", {limit} detection{'' if limit == 1 else 's'} {per}"
            at = "" if number.threshold is None else f" at {overlap} {number.threshold:g}"
            words[number.name] = f"recall of {objects}" if objects else f"recall{at}{most}"
    return words


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
    what, unit, side = record.words.area, record.words.unit, _side_of(record)
    rows = [(_range(x, side), x["objects"], x["AP"], x["AR"]) for x in record.areas[1:]]
    return Table(f"By {what}, in {unit}", (f"objects of {what}", "objects", "AP", "AR"), rows)


def _side_of(record: Record) -> Callable[[float], str]:
    """How ends of a range are written: an area as a square."""
    return _side if record.words.area == "area" else "{:g}".format


def _range(area: dict[str, Any], side: Callable[[float], str]) -> str:
    return f"{area['name']} ({_span(area['low'], math.inf if area['high'] is None else area['high'], side)})"


def _span(low: float, high: float, side: Callable[[float], str]) -> str:
    if high >= 1e10:
        return f"from {side(low)}"
    return f"{side(low)} to {side(high)}" if low else f"to {side(high)}"


def _side(area: float) -> str:
    side = max(area, 0.0) ** 0.5
    return f"{side:g}²" if side == int(side) and area >= 0 else f"{area:g}"


def weakest(record: Record) -> Table:
    """Classes of the lowest AP, of those with enough objects to say so."""
    head = next(iter(record.summary))
    present = [x for x in record.per_class if x["objects"] and x[head] is not None]
    known = [x for x in present if x["objects"] >= FEW_OF_CLASS] or present
    rows = sorted(known, key=lambda x: (x[head], -x["objects"]))[:_WEAKEST]
    if len(present) <= 1:
        return Table("", (), [])
    names = [name for name in ("AP", "AP50", "AP75") if name in rows[0]]
    what = f"The {len(rows)} weakest of {len(known)} classes" if len(known) > len(rows) else "Classes, weakest first"
    few = len(present) - len(known)
    note = f"Not among them: {few} classes with fewer than {FEW_OF_CLASS} objects." if few else ""
    cells = [(x["name"], x["objects"], *(x[n] for n in names)) for x in rows]
    return Table(what, ("class", "objects", *names), cells, note)


def per_class(record: Record) -> Table:
    """All classes, in the order of their ids."""
    known = record.per_class[0] if record.per_class else {}
    names = [name for name in known if name not in ("id", "name", "objects", *_LEFT_OUT)]
    rows = [(x["name"], x["objects"], *(x[name] for name in names)) for x in record.per_class]
    return Table("Classes", ("class", "objects", *names), rows)


def remarks(record: Record | Scores, *, full: bool = True) -> list[tuple[str, list[str]]]:
    """Headings and sentences of what follows the tables: what was read, warnings, and what was assumed."""
    read = [f"{x.role}: {x.path} ({x.format}{f', {x.files} files' if x.files > 1 else ''})" for x in record.inputs]
    parts = [("Read", read), ("Warnings", [f"[{x.code}] {x}" for x in record.warnings])]
    parts += [("Assumed", list(record.assumptions))] if full else []
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
