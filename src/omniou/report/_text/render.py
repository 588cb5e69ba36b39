"""A record as text, JSON, CSV, Markdown, and JUnit's XML."""

import csv
import html
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from omniou._lib.visible import visible
from omniou.report._record.record import Record
from omniou.report._record.scores import Scores
from omniou.report._record.sections import Shown, gates, headline, per_class, remarks, sections
from omniou.report._record.tables import Cell, Table
from omniou.report._text.paper import table
from omniou.report._text.text import PLAIN, Style, paragraph, render

_NOTHING: Mapping[str, Sequence[str]] = MappingProxyType({})


def text(
    record: Record, shown: Shown, *, width: int = 80, style: Style = PLAIN, more: Mapping[str, Sequence[str]] = _NOTHING
) -> str:
    """Tables, warnings, and what was assumed where all is shown; `more` lists follow, by their headings."""
    told = [*remarks(record, full=shown.full), *more.items()]
    lists = [paragraph(heading, lines, width, style) for heading, lines in told if lines]
    return joined([*(render(table, width, style) for table in sections(record, shown)), *lists])


def joined(parts: Sequence[Sequence[str]]) -> str:
    """Blocks of lines with an empty line between them."""
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def as_json(record: Record, _: Shown) -> str:
    """All of it."""
    return record.to_json() + "\n"


def as_csv(record: Record, shown: Shown) -> str:
    """One table in full precision: the summary, or all classes below a line of their mean."""
    if not shown.per_class:
        drawn, rows = record.intervals, list[list[Cell]]()
        for name, value in record.summary.items():
            hidden = drawn is None or name not in drawn.numbers or (drawn.is_hidden(name) and not shown.intervals)
            measured = None if drawn is None or hidden else drawn.numbers[name]
            rows.append([name, value, *([measured.low, measured.high] if measured else [None, None])])
        return csv_table(("number", "value", "low", "high"), rows)
    table = per_class(record)
    objects = record.areas[0]["objects"]
    total = ["(all)", objects, *(record.summary[name] for name in table.headings[2:])]
    return csv_table(table.headings, [total, *table.rows])


def csv_table(headings: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """In full precision; texts are made harmless, for terminals and spreadsheets."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_safe(x) for x in headings])
    writer.writerows([["" if x is None else _safe(x) for x in row] for row in rows])
    return out.getvalue()


def _safe(cell: Cell) -> Cell:
    """Spreadsheets run what begins like a formula, if need be behind blanks."""
    if not isinstance(cell, str):
        return cell
    start = cell.lstrip()[:1]
    return f"'{visible(cell)}" if start in _FORMULA or cell[:1] in {"\t", "\r"} else visible(cell)


# Also as East Asian keyboards write them, which some spreadsheets take for the same.
_FORMULA = {*"=+-@", *"\uff1d\uff0b\uff0d\uff20"}


def as_markdown(record: Record, shown: Shown) -> str:
    """Tables as GitHub shows them."""
    return _markdown_of(sections(record, shown), record)


def _markdown_of(tables: Sequence[Table], record: Record | Scores) -> str:
    parts = [markdown_table(table) for table in tables]
    return joined([*parts, *(markdown_list(heading, lines) for heading, lines in remarks(record))])


def markdown_list(heading: str, lines: Sequence[str]) -> list[str]:
    """A heading, and a list of sentences."""
    return [f"**{heading}**", "", *(f"- {_markdown(line)}" for line in lines)]


def markdown_table(table: Table) -> list[str]:
    """Lines of a table, and what stands above and below it."""
    words = [[_markdown(_cell(x)) for x in row] for row in table.rows]
    right = [all(x is None or isinstance(x, int | float) for x in column) for column in zip(*table.rows, strict=True)]
    lines = [f"**{_markdown(table.title)}**", "", f"| {' | '.join(map(_markdown, table.headings))} |"]
    lines.append(f"|{'|'.join('---:' if x else '---' for x in right)}|")
    lines += [f"| {' | '.join(row)} |" for row in words]
    return [*lines, *(["", _markdown(table.note)] if table.note else [])]


def _cell(cell: Cell) -> str:
    return "-" if cell is None else f"{cell:.3f}" if isinstance(cell, float) else str(cell)


def _markdown(text: str) -> str:
    text = html.escape(visible(" ".join(text.split())), quote=False)
    for letter in "\\|*_`[]":
        text = text.replace(letter, f"\\{letter}")
    return text


def as_junit(record: Record, shown: Shown) -> str:
    """Gates as tests; where there are none, one that the evaluation was done."""
    return junit(record, headline(record, shown).title)


def junit(record: Record | Scores, title: str) -> str:
    """Gates of any evaluation as tests, below its title."""
    failures = sum(not x.passed for x in record.gates)
    cases = []
    for gate in record.gates:
        got = "no data" if gate.value is None else f"{gate.value:.6f}"
        told = f"{gate.condition}: got {got}{'; ' if gate.detail else ''}{gate.detail}"
        body = "" if gate.passed else f"<failure message={_attribute(told)}/>"
        cases.append(f'  <testcase classname="omniou.gates" name={_attribute(gate.condition)}>{body}</testcase>')
    cases = cases or ['  <testcase classname="omniou" name="evaluated"/>']
    values = [(name, "" if value is None else repr(value)) for name, value in record.summary.items()]
    properties = [f"    <property name={_attribute(a)} value={_attribute(b)}/>" for a, b in values]
    warnings = "\n".join(map(str, record.warnings))
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name="omniou eval" tests="{len(cases)}" failures="{failures}" errors="0" skipped="0">',
        "  <properties>",
        *properties,
        "  </properties>",
        *cases,
        f"  <system-out>{html.escape(_xml(title), quote=False)}</system-out>",
        *([f"  <system-err>{html.escape(_xml(warnings), quote=False)}</system-err>"] if warnings else []),
        "</testsuite>",
    ]
    return "\n".join(lines) + "\n"


def as_latex(record: Record, _: Shown) -> str:
    """The numbers as a row of a table for a paper."""
    names = [Path(x.path).stem for x in record.inputs if x.role == "detections"]
    return table({names[0] if names else record.kind: record}).to_latex()


_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _attribute(text: str) -> str:
    return f'"{html.escape(_xml(" ".join(text.split())))}"'


def _xml(text: str) -> str:
    """Without the characters that XML cannot hold."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", visible(text, kept="\n"))


RENDERERS: Mapping[str, Callable[[Record, Shown], str]] = MappingProxyType(
    {"table": text, "json": as_json, "csv": as_csv, "md": as_markdown, "junit": as_junit, "latex": as_latex}
)
"""What `--format` chooses."""

ENDINGS = {".json": "json", ".csv": "csv", ".md": "md", ".xml": "junit", ".txt": "table", ".tex": "latex"}
"""Formats by the ends of file names, for `--output` without `--format`."""


def tables_of(scores: Scores, *, every: bool) -> list[Table]:
    """What is shown of an evaluation of any kind: numbers, groups, other tables and gates."""
    numbers = [(name, _plain(scores.summary[name]), words) for name, words in scores.words.items()]
    groups = [group.table for group in scores.groups if group.printed or every]
    tables = [Table(scores.title, ("", "value", ""), numbers), *groups, *scores.tables, gates(scores.gates)]
    return [table for table in tables if table.rows]


def _scores_text(scores: Scores, *, every: bool, width: int = 80, style: Style = PLAIN) -> str:
    tables = [render(table, width, style) for table in tables_of(scores, every=every)]
    return joined([*tables, *(paragraph(heading, lines, width, style) for heading, lines in remarks(scores))])


def _scores_csv(scores: Scores, *, every: bool) -> str:
    """The summary; or all groups, a line for each number of each row."""
    rows: list[list[Cell]] = [["", name, _plain(x)] for name, x in scores.summary.items()]
    for group in scores.groups if every else ():
        for row in group.rows:
            rows += [[str(row["name"]), name, _plain(x)] for name, x in row.items() if name != "name"]
    return csv_table(("name", "number", "value"), rows)


def _plain(x: object) -> Cell:
    if isinstance(x, float) and not math.isfinite(x):
        return None
    return x if x is None or isinstance(x, int | float) else str(x)


def scores_as(kind: str, scores: Scores, *, every: bool = False, width: int = 80, style: Style = PLAIN) -> str:
    """An evaluation of any kind in one of the `RENDERERS`; with `every`, also the groups that are not shown unasked."""
    if kind == "json":
        return scores.to_json() + "\n"
    if kind == "csv":
        return _scores_csv(scores, every=every)
    if kind == "md":
        return _markdown_of(tables_of(scores, every=every), scores)
    if kind == "junit":
        return junit(scores, scores.title)
    if kind == "latex":
        names = [Path(x.path).stem for x in scores.inputs if x.role != "ground truth"]
        return table({names[0] if names else scores.kind: scores}).to_latex()
    return _scores_text(scores, every=every, width=width, style=style)
