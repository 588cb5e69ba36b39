"""A record, or two of them side by side, as a page that is one file and needs no network."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from omniou._lib import checks, extras
from omniou._lib.visible import all_visible, visible
from omniou.report import _assets as assets
from omniou.report import _frames as frames
from omniou.report._analyses import ANALYSES
from omniou.report._contrast import Contrast, Delta
from omniou.report._contrast_html import contrast_html
from omniou.report._record import Record
from omniou.report._scores import Scores
from omniou.report._scores_html import scores_html
from omniou.report._sections import gates, input_facts
from omniou.report._sections import title as heading
from omniou.report._svg import Figure, figure
from omniou.report._tables import Cell, Table

if TYPE_CHECKING:
    import os

_SECTIONS = (
    ("curves", "Precision and recall", ("pr", "f1")),
    ("confusion", "Confusion", ("confusion",)),
    ("scores", "Scores, IoU and calibration", ("scores", "iou", "calibration")),
    ("errors", "Errors", ("errors",)),
)
# Shown in a section of their own, or among the classes.
_ELSEWHERE = {"worst_images", "thresholds"}
# Numbers of each class that are columns; the page would be too wide with all.
_COLUMNS = 6


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What the page shows of one record."""

    number: int
    label: str
    record: Record
    figures: Mapping[str, Figure]
    tables: Mapping[str, Sequence[Table]]
    facts: Sequence[tuple[str, str]]
    details: Sequence[tuple[str, str]]
    images: Mapping[str, Any] | None
    gates: Table


def html(
    record: Record | Contrast | Scores,
    /,
    *,
    labels: tuple[str, str] = ("first", "second"),
    pictures: "str | os.PathLike[str] | None" = None,
) -> str:
    """A page of one record, of two models side by side that were compared, or of an evaluation of another kind.

    It is one file: it loads nothing, holds its numbers as JSON, and shows what the record has. What was not computed
    is not shown: `record` takes ``analyses=ANALYSES`` for all.

    Parameters
    ----------
    record : Record, Contrast or Scores
        A contrast is what `omniou compare` makes. For scores, `labels` and `pictures` have no use.
    labels : pair of str
        What the two models are called.
    pictures : path, optional
        Directory of the images, which are then drawn below their boxes, made smaller. They are found by their names
        without ending. It needs Pillow.

    Returns
    -------
    str

    Raises
    ------
    TypeError
        If something else is given.
    ImportError
        If pictures are wanted and Pillow is not installed.
    InputError
        If the directory cannot be read.

    Examples
    --------
    >>> from omniou import detection, report
    >>> truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1]}]
    >>> found = [{"boxes": [[0, 0, 10, 9]], "labels": [1], "scores": [0.5]}]
    >>> record = report.record(detection.evaluate(truth, found), names={1: "<cat>"}, analyses=report.ANALYSES)
    >>> page = report.html(record)
    >>> "&lt;cat&gt;" in page, "<cat>" in page
    (True, False)
    """
    checks.instance("record", record, Record | Contrast | Scores, "a Record, such as `record` makes")
    if isinstance(record, Scores):
        return scores_html(record)
    folder = None if pictures is None else Path(pictures)
    if folder is not None:
        extras.check("PIL", "a page with pictures")
    if isinstance(record, Contrast):
        return contrast_html(record, folder)
    given: Record = all_visible(record)
    labels = (visible(labels[0]), visible(labels[1]))
    contrast: Contrast | None = None
    records = [given]
    views = [_view(number, labels[number], x, folder) for number, x in enumerate(records)]
    title = _title(records[0]) if contrast is None else f"{labels[0]} and {labels[1]}"
    shown = {name for x in records for name in x.analyses}
    charts = [(id, words, names) for id, words, names in _SECTIONS if shown & set(names) or id == "curves"]
    grouped = {name for _, _, names in _SECTIONS for name in names} | _ELSEWHERE
    listed = [(name, ANALYSES[name].title, name) for name in ANALYSES if name in shown - grouped]
    script, style = assets.asset("report.js"), assets.asset("report.css")
    return (
        assets.page_environment()
        .get_template("report.html.j2")
        .render(
            title=title,
            subtitle=heading(records[0]),
            views=views,
            tiles=_tiles(records, labels, contrast),
            verdict="",
            notes=sorted({_doubt(x) for x in records if _doubt(x)}),
            charts=charts,
            classes=_classes(records[0]) if contrast is None else _both_classes(contrast, labels),
            listed=listed,
            shown=shown,
            sections=_contents(charts, listed, shown, records[0].words.holders),
            holders=records[0].words.holders,
            version=records[0].omniou,
            data=_embedded(records),
            script=assets.markup(script),
            style=assets.markup(style),
            script_hash=assets.digest(script),
            style_hash=assets.digest(style),
        )
    )


def _embedded(records: Sequence[Record]) -> Markup:
    """The records as JSON inside an element, which no text of theirs can end; without the samples of the bootstrap."""
    values = [json.loads(x.to_json(None)) for x in records]
    for value in values:
        for measured in (value["intervals"] or {"numbers": {}})["numbers"].values():
            measured["samples"] = []
    return assets.embedded(json.dumps(values, separators=(",", ":"), ensure_ascii=False))


def _contents(charts: Sequence[Any], listed: Sequence[Any], shown: set[str], holders: str) -> list[tuple[str, str]]:
    contents = [("warnings", "Warnings and provenance"), ("numbers", "Numbers")]
    for id, words, _ in charts:
        contents += [(id, words)] + [("classes", "Classes")] * (id == "curves")
    if "worst_images" in shown:
        contents.append(("images", f"{holders.capitalize()} with most errors"))
    return contents + [(id, words) for id, words, _ in listed]


def _title(record: Record) -> str:
    """Named after the file of detections, where there is one."""
    names = [Path(x.path).name for x in record.inputs if x.role == "detections"]
    return f"Report on {names[0]}" if names else "Detection report"


def _view(number: int, label: str, record: Record, folder: Path | None) -> View:
    figures = {
        name: figure(f"{name}-{number}", x.chart(record.analyses[name]))
        for name, x in ANALYSES.items()
        if x.chart and name in record.analyses
    }
    tables = {name: x.tables(record.analyses[name], record) for name, x in ANALYSES.items() if name in record.analyses}
    worst = record.analyses.get("worst_images")
    return View(
        number=number,
        label=label,
        record=record,
        figures=figures,
        tables=tables,
        facts=_facts(record),
        details=_details(record),
        gates=gates(record.gates),
        images=None if worst is None else frames.section(worst, record, folder),
    )


def _facts(record: Record) -> list[tuple[str, str]]:
    counts, facts = record.counts, input_facts(record.inputs)
    crowds = f", {counts.crowds} of them crowds" if counts.crowds else ""
    facts.append(("Compared", f"{counts.detections} detections, {counts.annotations} annotations{crowds}"))
    facts.append((f"{record.words.holders.capitalize()}, classes", f"{counts.images}, {counts.categories}"))
    if record.gates:
        passed = sum(x.passed for x in record.gates)
        facts.append(("Gates", f"{passed} of {len(record.gates)} passed"))
    if record.intervals:
        drawn = record.intervals
        facts.append(("Bootstrap", f"{drawn.samples} samples of the {record.words.holders}, seed {drawn.seed}"))
    return facts


def _details(record: Record) -> list[tuple[str, str]]:
    details = [(f"SHA-256 of {x.path}", x.sha256) for x in record.inputs]
    details.append((f"SHA-256 of the ids of the {record.words.holders}", record.images))
    details += [(f"protocol: {name}", _short(value)) for name, value in record.protocol.items()]
    details += [(f"option: {name}", _short(value)) for name, value in record.options.items()]
    return [*details, ("omniou", record.omniou), *record.versions.items()]


def _short(value: Any) -> str:
    """A value of the protocol; of a long list its ends."""
    if isinstance(value, list) and len(value) > 12:
        return f"{len(value)} from {value[0]:g} to {value[-1]:g}"
    return json.dumps(value, ensure_ascii=False)


def _tiles(records: Sequence[Record], labels: Sequence[str], contrast: Contrast | None) -> list[dict[str, Any]]:
    tiles, deltas = [], {} if contrast is None else {x.name: x for x in contrast.numbers}
    for name in records[0].summary:
        values = [x.summary.get(name) for x in records]
        shown = [
            {"text": assets.cell(value), "label": label if len(records) > 1 else "", **_interval(record, name)}
            for value, label, record in zip(values, labels, records, strict=False)
        ]
        tiles.append({"name": name, "models": shown, "difference": _difference(deltas.get(name))})
    return tiles


def _interval(record: Record, name: str) -> dict[str, str]:
    """What is shown of it: unasked, only an interval that is not doubtful."""
    intervals, asked = record.intervals, bool(record.options.get("intervals"))
    measured = intervals.numbers.get(name) if intervals else None
    if intervals is None or measured is None or measured.low is None or measured.high is None:
        return {"interval": "", "corrected": ""}
    shown = f"{measured.low:.3f} to {measured.high:.3f} ({intervals.confidence:.0%})"
    corrected = "" if measured.corrected is None else f"without bias {measured.corrected:.3f}"
    hidden = intervals.is_hidden(name) and not asked
    return {"interval": "" if hidden else shown, "corrected": corrected if asked else ""}


def _doubt(record: Record) -> str:
    """Why intervals are not shown, or are not to be trusted: they were asked for then."""
    if record.intervals is None or not record.intervals.doubt:
        return ""
    return f"{'Doubtful' if record.options.get('intervals') else 'No intervals'}: {record.intervals.doubt}."


def _difference(delta: Delta | None) -> list[str]:
    """Of the second from the first, and what is known of it: a line each."""
    if delta is None or delta.difference is None:
        return []
    bounds = _bounds(delta)
    p_value = [] if delta.p_value is None else [f"p {delta.p_value:.3f}"]
    return [f"difference {delta.difference:+.3f}", *([bounds] if bounds else []), *p_value]


def _classes(record: Record) -> Table:
    """A row for each class: the first numbers of the summary, and the best threshold of scores if it is known."""
    names = [name for name in record.summary if any(name in row for row in record.per_class)][:_COLUMNS]
    best = {x["id"]: (x["f1"], x["score"]) for x in _thresholds(record)}
    rows: list[list[Cell]] = []
    for row in record.per_class:
        of_class = list(best.get(row["id"], (None, None))) if best else []
        rows.append([row["name"], row["objects"], *(row[name] for name in names), *of_class])
    more = ("best F1", "at score") if best else ()
    return Table("Each class", ("class", "objects", *names, *more), rows, _NOTE)


def _both_classes(contrast: Contrast, labels: tuple[str, str]) -> Table:
    """A row for each class that both models were evaluated on."""
    head = contrast.numbers[0].name
    rows: list[list[Cell]] = [
        [x.name, x.objects, x.first, x.second, x.difference, _bounds(x), x.p_value] for x in contrast.per_class
    ]
    headings = ("class", "objects", *labels, "difference", f"{contrast.confidence:.0%} interval", "p")
    tested = any(x.p_value is not None for x in contrast.per_class)
    note = f"{_NOTE} Intervals and p are adjusted for the number of classes." if tested else _NOTE
    return Table(f"{head} of each class", headings, rows, note)


def _bounds(x: Delta) -> str | None:
    return None if x.low is None or x.high is None else f"{x.low:+.3f} to {x.high:+.3f}"


_NOTE = "Classes without objects have no numbers. A click on a heading sorts by it."


def _thresholds(record: Record) -> Sequence[Mapping[str, Any]]:
    value: Mapping[str, Any] = record.analyses.get("thresholds") or {}
    rows: Sequence[Mapping[str, Any]] = value.get("per_class", [])
    return rows
