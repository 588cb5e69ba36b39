"""Print tables and remarks as text, CSV and Markdown; a record also as JSON, JUnit's XML, LaTeX and COCO's lines."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from omniou._lib.brief import decimal, threshold
from omniou._lib.visible import visible
from omniou._results.shown import ALL
from omniou.detection import Protocol
from omniou.detection.curves._summary import Number, numbers
from omniou.report._record.detections import protocol_of
from omniou.report._record.record import Record
from omniou.report._record.sections import Shown, remarks, sections
from omniou.report._record.tables import Best, BestCount, Cell, Table
from omniou.report._text.text import PLAIN, Style, paragraph, render

_NOTHING: Mapping[str, Sequence[str]] = MappingProxyType({})


def text(
    record: Record, shown: Shown, *, width: int = 80, style: Style = PLAIN, more: Mapping[str, Sequence[str]] = _NOTHING
) -> str:
    """Print a record as tables, warnings and, if `shown.full`, assumptions; `more` lists follow, by their headings."""
    return text_of(sections(record, shown), [*remarks(record, full=shown.full), *more.items()], width, style)


def text_of(
    tables: Sequence[Table], lists: Iterable[tuple[str, Sequence[str]]], width: int = 80, style: Style = PLAIN
) -> str:
    """Print tables, and lists below their headings, with an empty line between them."""
    told = [paragraph(heading, lines, width, style) for heading, lines in lists if lines]
    return _joined([*(render(table, width, style) for table in tables), *told])


def _joined(parts: Sequence[Sequence[str]]) -> str:
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def as_json(record: Record, _: Shown) -> str:
    """Print the whole record as JSON."""
    return record.to_json() + "\n"


def as_csv(record: Record, shown: Shown) -> str:
    """Print one table in full precision: the summary, or the rows of all groups below the summary."""
    if shown.per_class and record.groups:
        return _rows_as_csv(record)
    drawn, rows = record.intervals, list[list[Cell]]()
    for name, value in record.summary.items():
        hidden = drawn is None or name not in drawn.numbers or (drawn.is_hidden(name) and not shown.intervals)
        measured = None if drawn is None or hidden else drawn.numbers[name]
        rows.append([name, value, *([measured.low, measured.high] if measured else [None, None])])
    return csv_of(Table("", ("number", "value", "low", "high"), rows))


def _rows_as_csv(record: Record) -> str:
    """Print all numbers of all rows, of detections those of the table; the group comes first if there are several."""
    several, of_detections = len(record.groups) > 1, isinstance(record.protocol, dict)
    columns = [(group.columns if of_detections else ()) or group.names for group in record.groups]
    names = list(dict.fromkeys(name for names in columns for name in names if name != "id"))
    totals = {**record.summary, **({"objects": record.areas[0]["objects"]} if record.areas else {})}
    rows: list[list[Cell]] = []
    if any(name in totals for name in names):
        rows.append([*([""] * several), ALL, *(totals.get(name) for name in names)])
    for group in record.groups:
        some = [row for row in group.rows if row != {"name": ALL, **record.summary}]  # which is the first row
        rows += [[*([group.key] * several), row["name"], *(row.get(name) for name in names)] for row in some]
    heading = ["group", "name"] if several else [record.groups[0].heading]
    return csv_of(Table("", [*heading, *names], rows))


def csv_of(table: Table) -> str:
    """Print a table as CSV in full precision; control characters and formulas in texts are made harmless."""
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_safe(x) for x in table.headings])
    writer.writerows([["" if x is None else _safe(x) for x in row] for row in table.rows])
    return out.getvalue()


def _safe(cell: Cell) -> Cell:
    """Escape text that a spreadsheet would run as a formula, also after blanks: "=1+1" becomes "'=1+1"."""
    if not isinstance(cell, str):
        return cell
    start = cell.lstrip()[:1]
    return f"'{visible(cell)}" if start in _FORMULA or cell[:1] in {"\t", "\r"} else visible(cell)


# The first characters of formulas, also in full width, which some spreadsheets accept.
_FORMULA = {*"=+-@", *"\uff1d\uff0b\uff0d\uff20"}


def as_markdown(record: Record, shown: Shown) -> str:
    """Print a record as GitHub's Markdown."""
    return markdown_of(sections(record, shown), remarks(record))


def markdown_of(tables: Sequence[Table], lists: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Print tables, and lists below their headings, as GitHub's Markdown."""
    told = [[f"**{heading}**", "", *(f"- {_markdown(line)}" for line in lines)] for heading, lines in lists if lines]
    return _joined([*map(_markdown_table, tables), *told])


def _markdown_table(table: Table) -> list[str]:
    words = [[_bold(x) if isinstance(x, Best | BestCount) else _markdown(_cell(x)) for x in row] for row in table.rows]
    right = [all(x is None or isinstance(x, int | float) for x in column) for column in zip(*table.rows, strict=True)]
    lines = [f"**{_markdown(table.title)}**", "", f"| {' | '.join(map(_markdown, table.headings))} |"]
    lines.append(f"|{'|'.join('---:' if x else '---' for x in right)}|")
    lines += [f"| {' | '.join(row)} |" for row in words]
    return [*lines, *(["", _markdown(table.note)] if table.note else [])]


def _bold(number: Best | BestCount) -> str:
    return f"**{_cell(number)}**"


def _cell(cell: Cell) -> str:
    return "-" if cell is None else decimal(cell) if isinstance(cell, float) else str(cell)


def _markdown(text: str) -> str:
    import html  # its table of entities takes 1 ms

    text = html.escape(visible(" ".join(text.split())), quote=False)
    for letter in "\\|*_`[]":
        text = text.replace(letter, f"\\{letter}")
    return text


def as_junit(record: Record, _: Shown) -> str:
    """Print gates as JUnit tests; without gates, one test that passes."""
    import html

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
        f"  <system-out>{html.escape(_xml(record.title), quote=False)}</system-out>",
        *([f"  <system-err>{html.escape(_xml(warnings), quote=False)}</system-err>"] if warnings else []),
        "</testsuite>",
    ]
    return "\n".join(lines) + "\n"


def as_latex(record: Record, _: Shown) -> str:
    """Print the numbers as a row of a LaTeX table."""
    from omniou.report._text.paper import table

    names = [Path(x.path).stem for x in record.inputs if x.role != "ground truth"]
    return table({names[0] if names else record.kind: record}).to_latex()


_TITLES = {"AP": "Average Precision", "AR": "Average Recall"}


def as_coco(record: Record, _: Shown) -> str:
    """Print the numbers of detections as pycocotools does, for programs that read its lines."""
    protocol = protocol_of(record)
    # LVIS's groups of classes: rare, common and frequent.
    groups = [name for name in ("r", "c", "f") if f"AP{name}" in record.summary]
    out = []
    for number in numbers(protocol, groups):
        value = record.summary[number.name]
        out.append(f"{_coco_label(number, protocol)} = {'n/a' if value is None else f'{value:.3f}'}\n")
    return "".join(out)


def _coco_label(number: Number, protocol: Protocol) -> str:
    thresholds = protocol.iou_thresholds
    every = ":".join(threshold(x) for x in dict.fromkeys((thresholds[0], thresholds[-1])))
    span = every if number.threshold is None else threshold(number.threshold)
    area = protocol.area_ranges[number.area].name
    limit = protocol.max_detections[number.limit] or "any"
    only = "" if number.group is None else f" | classes={number.group}"
    return f" {_TITLES[number.kind]:<18} ({number.kind}) @[ IoU={span:<9} | area={area:>6} | maxDets={limit:>3}{only} ]"


_NOT_XML = "[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"


def _attribute(text: str) -> str:
    import html

    return f'"{html.escape(_xml(" ".join(text.split())))}"'


def _xml(text: str) -> str:
    """Replace the characters that XML cannot hold."""
    import re

    return re.sub(_NOT_XML, "\N{REPLACEMENT CHARACTER}", visible(text, kept="\n"))


RENDERERS: Mapping[str, Callable[[Record, Shown], str]] = MappingProxyType(
    {"table": text, "json": as_json, "csv": as_csv, "md": as_markdown, "junit": as_junit, "latex": as_latex}
)
"""Outputs by the value of `--format`, for every kind."""

OF_DETECTIONS: Mapping[str, Callable[[Record, Shown], str]] = MappingProxyType({"coco": as_coco})
"""Outputs of `--format` for detections only."""

ENDINGS = {".json": "json", ".csv": "csv", ".md": "md", ".xml": "junit", ".txt": "table", ".tex": "latex"}
"""Formats by the ends of file names, for `--output` without `--format`."""
