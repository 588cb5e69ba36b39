"""Make the tables of a record, in the order in which they are shown."""

import dataclasses
from collections.abc import Iterable, Sequence

from omniou._lib.brief import counted
from omniou._results.shown import FEW_OF_CLASS, noun
from omniou._results.shown import weakest as of_groups
from omniou.report._record.analyses import ANALYSES
from omniou.report._record.detections import areas
from omniou.report._record.parts import Gate, Input, Measured
from omniou.report._record.record import Record
from omniou.report._record.tables import Cell, Table

# Number of rows with the lowest numbers that are shown.
_WEAKEST = 5


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The parts of a record to show.

    Attributes
    ----------
    full : bool
        Area ranges, the weakest classes, and assumptions.
    per_class : bool
        All classes.
    weakest : bool
        The classes with the lowest numbers; sequences or images where there are no classes.
    intervals : bool
        The intervals of all numbers, including doubtful ones, and bias-corrected values.
    analyses : iterable of str
        Analyses to show.
    """

    full: bool = False
    per_class: bool = False
    weakest: bool = False
    intervals: bool = False
    analyses: Iterable[str] = ()


def sections(record: Record, shown: Shown) -> list[Table]:
    """Make tables of the requested parts: numbers, area ranges, rows, other tables, analyses and gates."""
    tables = [headline(record, shown)]
    tables += [areas(record)] if shown.full else []
    if (shown.full or shown.weakest) and not shown.per_class:
        tables.append(weakest(record, least=1 if shown.weakest else 2))
    tables += [group.table for group in record.groups if group.printed or shown.per_class]
    tables += record.tables
    for name in shown.analyses:
        if name in record.analyses:
            tables += ANALYSES[name].tables(record.analyses[name], record)
    return [table for table in (*tables, gates(record.gates)) if table.rows]


def weakest(record: Record, *, least: int = 2) -> Table:
    """Make a table of the classes with the lowest numbers, among classes with enough objects.

    Without two classes, the rows are sequences or images. Fewer rows than `least` make an empty table.
    """
    found = of_groups({x.key: x.rows for x in record.groups}, record.head)
    rows = found.rows[:_WEAKEST]
    if len(found.rows) + found.few < least:
        return Table("", (), [])
    group = next(x for x in record.groups if x.key == found.group)
    one, many = noun(found.group)
    enough = f" with at least {FEW_OF_CLASS} objects" if found.few else ""
    title = f"The {len(rows)} weakest of {len(found.rows)} {many}{enough}"
    title = title if len(found.rows) > len(rows) else f"{many.capitalize()}, weakest first"
    title = f"The only {one} with {'objects' if 'objects' in rows[0] else 'data'}" if len(found.rows) == 1 else title
    left = [f"{counted(found.few, many)} with fewer objects"] if found.few else []
    if found.absent:
        left.append(f"{found.absent} without {'objects' if 'objects' in rows[0] else 'data'}")
    note = f"Not among them: {' and '.join(left)}." if left else ""
    numbers = [name for name in group.columns or group.names if all(isinstance(x[name], float) for x in rows)]
    names = [*(["objects"] if "objects" in rows[0] else []), found.number]
    names += [x for x in numbers if x != found.number][:2]
    return Table(title, (one, *names), [(x["name"], *(x[name] for name in names)) for x in rows], note)


def gates(outcomes: Sequence[Gate]) -> Table:
    """Make a table of gates: condition, value and outcome."""
    rows = [(x.condition, x.value, "passed" if x.passed else "FAILED", x.detail) for x in outcomes]
    return Table("Gates", ("condition", "value", "outcome", ""), rows)


_HELD = "In simulations, 95 % intervals hold the true number in 90 to 95 % of sets; more of the others are too high."


def headline(record: Record, shown: Shown) -> Table:
    """Make a table of the numbers that have words, with their intervals."""
    values, drawn = {name: record.summary[name] for name in record.words}, record.intervals
    if drawn is None:
        rows: list[Sequence[Cell]] = [(name, value, record.words[name]) for name, value in values.items()]
        return Table(record.title, ("", "value", ""), rows)
    share = f"{100 * drawn.confidence:g} % interval"
    if shown.intervals:
        rows = [(name, value, *_bounds(drawn.numbers.get(name)), record.words[name]) for name, value in values.items()]
        doubt = f"Unreliable intervals: {drawn.doubt}." if drawn.doubt else _HELD
        return Table(record.title, ("", "value", share, "bias-corrected", ""), rows, doubt)
    known = {name: _bounds(x)[0] for name, x in drawn.numbers.items() if not drawn.is_hidden(name)}
    doubt = f"{'No interval of' if known else 'No intervals:'} {drawn.doubt}." if drawn.doubt else ""
    if not known:
        rows = [(name, value, record.words[name]) for name, value in values.items()]
        return Table(record.title, ("", "value", ""), rows, doubt)
    rows = [(name, value, known.get(name), record.words[name]) for name, value in values.items()]
    return Table(record.title, ("", "value", share, ""), rows, doubt or _HELD)


def headline_names(record: Record) -> list[str]:
    """Return the names of the numbers of all areas at the last limit, and of groups of classes."""
    if isinstance(record.protocol, str):
        return list(record.words)
    suffixes = [area["suffix"] for area in record.protocol["area_ranges"]]
    return headline_of(record.summary, record.protocol["max_detections"], suffixes)


def headline_of(names: Iterable[str], limits: Sequence[int | None], suffixes: Sequence[str]) -> list[str]:
    """The names of a summary without those of area ranges and of lower limits of detections."""
    smaller = {f"AR{most}" for most in limits[:-1]}
    ranges = {f"{kind}{suffix}" for suffix in suffixes[1:] for kind in ("AP", "AR")}
    return [name for name in names if name not in smaller | ranges]


def _bounds(measured: Measured | None) -> tuple[Cell, Cell]:
    if measured is None or measured.low is None or measured.high is None:
        return None, None
    return f"{measured.low:.3f} to {measured.high:.3f}", measured.corrected


def remarks(record: Record, *, full: bool = True) -> list[tuple[str, list[str]]]:
    """Return headings and sentences that follow the tables: inputs, notes, warnings, and assumptions."""
    read = [f"{x.role}: {x.path} ({x.format}{f', {x.files} files' if x.files > 1 else ''})" for x in record.inputs]
    parts = [("Read", read), ("Notes", list(record.notes)), ("Warnings", [f"[{x.code}] {x}" for x in record.warnings])]
    parts += [("Assumed", list(record.assumptions))] if full else []
    return [(heading, lines) for heading, lines in parts if lines]


def input_facts(inputs: Sequence[Input]) -> list[tuple[str, str]]:
    """Return the inputs, as role and description."""
    return [
        (x.role.capitalize(), f"{x.path} ({x.format}, {_bytes(x.bytes)}, {x.files} {_files(x.files)})") for x in inputs
    ]


def _files(many: int) -> str:
    return "file" if many == 1 else "files"


def _bytes(size: int) -> str:
    return f"{size} bytes" if size < 1000 else f"{size / 1000:.0f} kB" if size < 10**6 else f"{size / 1e6:.1f} MB"
