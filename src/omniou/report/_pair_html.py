"""Two records side by side as a page."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from omniou.report import _assets as assets
from omniou.report import _frames as frames
from omniou.report._analyses import ANALYSES
from omniou.report._contrast import Contrast, Delta
from omniou.report._contrast import words as verdict
from omniou.report._facts import CLASS_NOTE, ELSEWHERE, details, doubt, embedded, facts, shown_interval
from omniou.report._record import Record
from omniou.report._sections import gates
from omniou.report._sections import title as heading
from omniou.report._svg import Figure, figure
from omniou.report._tables import Cell, Table

_SECTIONS = (
    ("curves", "Precision and recall", ("pr", "f1")),
    ("confusion", "Confusion", ("confusion",)),
    ("scores", "Scores, IoU and calibration", ("scores", "iou", "calibration")),
    ("errors", "Errors", ("errors",)),
)


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


def pair_html(contrast: Contrast, labels: tuple[str, str], folder: Path | None) -> str:
    """The page of two models; `folder` has the pictures of the images."""
    records = [contrast.first, contrast.second]
    views = [_view(number, labels[number], x, folder) for number, x in enumerate(records)]
    shown = {name for x in records for name in x.analyses}
    charts = [(id, words, names) for id, words, names in _SECTIONS if shown & set(names) or id == "curves"]
    grouped = {name for _, _, names in _SECTIONS for name in names} | ELSEWHERE
    listed = [(name, ANALYSES[name].title, name) for name in ANALYSES if name in shown - grouped]
    script, style = assets.asset("report.js"), assets.asset("report.css")
    return (
        assets.page_environment()
        .get_template("pair.html.j2")
        .render(
            title=f"{labels[0]} and {labels[1]}",
            subtitle=heading(records[0]),
            views=views,
            tiles=_tiles(records, labels, contrast),
            verdict=verdict(contrast, labels),
            notes=sorted({doubt(x) for x in records if doubt(x)}),
            charts=charts,
            classes=_both_classes(contrast, labels),
            listed=listed,
            shown=shown,
            sections=_contents(charts, listed, shown, records[0].words.holders),
            holders=records[0].words.holders,
            version=records[0].omniou,
            data=embedded(records),
            script=assets.markup(script),
            style=assets.markup(style),
            script_hash=assets.digest(script),
            style_hash=assets.digest(style),
        )
    )


def _contents(charts: Sequence[Any], listed: Sequence[Any], shown: set[str], holders: str) -> list[tuple[str, str]]:
    contents = [("warnings", "Warnings and provenance"), ("numbers", "Numbers")]
    for id, words, _ in charts:
        contents += [(id, words)] + [("classes", "Classes")] * (id == "curves")
    if "worst_images" in shown:
        contents.append(("images", f"{holders.capitalize()} with most errors"))
    return contents + [(id, words) for id, words, _ in listed]


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
        facts=facts(record),
        details=details(record),
        gates=gates(record.gates),
        images=None if worst is None else frames.section(worst, record, folder),
    )


def _tiles(records: Sequence[Record], labels: Sequence[str], contrast: Contrast) -> list[dict[str, Any]]:
    tiles, deltas = [], {x.name: x for x in contrast.numbers}
    for name in records[0].summary:
        values = [x.summary.get(name) for x in records]
        shown = [
            {"text": assets.cell(value), "label": label, **shown_interval(record, name)}
            for value, label, record in zip(values, labels, records, strict=False)
        ]
        tiles.append({"name": name, "models": shown, "difference": _difference(deltas.get(name))})
    return tiles


def _difference(delta: Delta | None) -> list[str]:
    """Of the second from the first, and what is known of it: a line each."""
    if delta is None or delta.difference is None:
        return []
    bounds = _bounds(delta)
    p_value = [] if delta.p_value is None else [f"p {delta.p_value:.3f}"]
    return [f"difference {delta.difference:+.3f}", *([bounds] if bounds else []), *p_value]


def _both_classes(contrast: Contrast, labels: tuple[str, str]) -> Table:
    """A row for each class that both models were evaluated on."""
    head = contrast.numbers[0].name
    rows: list[list[Cell]] = [
        [x.name, x.objects, x.first, x.second, x.difference, _bounds(x), x.p_value] for x in contrast.per_class
    ]
    headings = ("class", "objects", *labels, "difference", f"{contrast.confidence:.0%} interval", "p")
    tested = any(x.p_value is not None for x in contrast.per_class)
    note = f"{CLASS_NOTE} Intervals and p are adjusted for the number of classes." if tested else CLASS_NOTE
    return Table(f"{head} of each class", headings, rows, note)


def _bounds(x: Delta) -> str | None:
    return None if x.low is None or x.high is None else f"{x.low:+.3f} to {x.high:+.3f}"
