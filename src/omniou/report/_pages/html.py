"""Make the page of a record: one file that needs no network."""

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from omniou._lib import checks, extras
from omniou._lib.visible import all_visible
from omniou.data._pictures import absent, warn_absent
from omniou.report._charts.actions import of_video
from omniou.report._charts.plots import CHARTS
from omniou.report._charts.svg import Figure, figure
from omniou.report._comparison.contrast import Contrast
from omniou.report._images import crops, frames
from omniou.report._pages import assets, galleries
from omniou.report._pages.comparison import contrast_html
from omniou.report._pages.facts import details, doubt, embedded, facts, shown_interval
from omniou.report._record import analysis_charts
from omniou.report._record.analyses import ANALYSES
from omniou.report._record.detections import areas
from omniou.report._record.parts import Group
from omniou.report._record.record import Record
from omniou.report._record.sections import gates
from omniou.report._record.series import Series
from omniou.report._record.tables import Cell, Table

if TYPE_CHECKING:
    import os

# Sections of charts before the images: id, heading, and the analyses that they show.
_BEFORE = (
    ("slices", "Slices", ("slices",)),
    ("points", "Points", ("points", "skeleton")),
    ("confusion", "Confusion", ("confusion",)),
    ("errors", "Errors", ("errors",)),
)
_CURVES = ("pr", "f1")
# Charts of one section after the images, and its words of each.
_AFTER = {"scores": "scores", "iou": "{overlap}", "calibration": "calibration"}
# The most numbers in the table of classes; with all, the page would be too wide.
_COLUMNS = 6
# Analyses that have a section of their own, or are shown among the classes.
_ELSEWHERE = {"worst_images", "thresholds"}
_SORTED = "A click on a heading sorts by it."
# Tables of so many rows have no filter.
_FEW_ROWS = 3
# Images that are visible before a reader unfolds the others.
_FIRST_IMAGES, _FIRST_EXHIBITS = 8, 3


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PageSection:
    """A section of the page that folds.

    Attributes
    ----------
    id, words : str
        Its anchor and heading.
    names : sequence of str
        The analyses that it shows; empty for sections that the template writes out.
    is_open : bool
        Whether it is unfolded on a wide screen. Folded sections are not printed.
    """

    id: str
    words: str
    names: Sequence[str] = ()
    is_open: bool = True


def html(record: Record | Contrast, /, *, pictures: "str | os.PathLike[str] | None" = None) -> str:
    """Return an HTML page of one record of any kind, or of a comparison.

    The page is one file: it loads nothing, holds its numbers as JSON, and shows the analyses that the record has. For
    all analyses, make the record with ``analyses=ANALYSES``.

    Parameters
    ----------
    record : Record or Contrast
        A record, or the result of `compare`.
    pictures : path, optional
        Directory of the images. They are found by their names without ending, made smaller, and drawn below their
        boxes. This needs Pillow and works for detections.

    Returns
    -------
    str

    Raises
    ------
    TypeError
        If something else is given.
    ImportError
        If pictures are given and Pillow is not installed.
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
    checks.instance("record", record, Record | Contrast, "a Record, such as `record` makes")
    folder = None if pictures is None else Path(pictures)
    if folder is not None:
        extras.check("PIL", "a page with pictures")
        _warn_absent(folder, record)
    given: Record | Contrast = all_visible(record)
    return contrast_html(given, folder) if isinstance(given, Contrast) else _page(given, folder)


def _warn_absent(folder: Path, record: Record | Contrast) -> None:
    """Warn of images that are drawn without a picture."""
    drawn = record.images if isinstance(record, Contrast) else [record.analyses.get("worst_images", {"images": []})]
    names = [x["name"] for section in drawn for x in section["images"]]
    names += [] if isinstance(record, Contrast) else galleries.names_of(record.galleries)
    names = list(dict.fromkeys(names))
    if missing := absent(folder, names):
        warn_absent(folder, missing, f"the {len(names)} images that are drawn")


def _page(record: Record, folder: Path | None) -> str:
    known = record.analyses
    images = None if "worst_images" not in known else _images(known["worst_images"], record, folder)
    keys = set() if images is None else images["keys"]
    parts = _parts(record)
    script = assets.asset("report.js") + assets.asset("report-images.js")
    style = assets.asset("report.css")
    return (
        assets.page_environment()
        .get_template("report.html.j2")
        .render(
            title=_title(record),
            subtitle=record.title,
            record=record,
            parts=parts,
            numbers=_numbers(record),
            doubt=doubt(record),
            gates=gates(record.gates),
            figures=_figures(record, keys),
            tables={name: ANALYSES[name].tables(value, record) for name, value in known.items() if name in ANALYSES},
            charts=[figure(name, chart) for name, chart in record.charts.items()],
            rows={_anchor(group): _rows(group, record, keys) for group in record.groups},
            galleries={f"gallery-{x}": galleries.section(x, y, folder) for x, y in record.galleries.items()},
            others={f"table-{k}": table for k, table in enumerate(record.tables) if table.rows},
            keys=keys,
            images=images,
            crops=crops.section(known["label_errors"], record, folder) if "label_errors" in known else [],
            few_rows=_FEW_ROWS,
            first_images=_FIRST_IMAGES,
            first_exhibits=_FIRST_EXHIBITS,
            facts=facts(record),
            details=details(record),
            data=embedded([record]),
            script=assets.markup(script),
            style=assets.markup(style),
            script_hash=assets.digest(script),
            style_hash=assets.digest(style),
        )
    )


def _images(value: Series, record: Record, folder: Path | None) -> dict[str, Any]:
    """Return the section of the images with most errors; of intervals, timelines of the videos."""
    if record.shapes.unit != "seconds":
        return frames.section(value, record, folder) | {"videos": []}
    names = [str(row["name"]) or "(no name)" for row in record.per_class]
    videos = [figure(f"video-{k}", of_video(x, names)) for k, x in enumerate(value["images"])]
    nothing: dict[str, Any] = {"pictures": [], "keys": set(), "styles": set()}
    return nothing | {"caption": frames.caption(value, record), "videos": videos}


def _parts(record: Record) -> list[PageSection]:
    """Return the sections of the page in their order."""
    shown, overlap = [name for name in ANALYSES if name in record.analyses], record.shapes.overlap
    curves = [name for name in _CURVES if name in shown]
    parts = [PageSection(id="curves", words="Precision and recall", names=curves)] if curves else []
    parts += [PageSection(id="charts", words="Charts")] if record.charts else []
    parts += [PageSection(id=f"gallery-{name}", words=x.title) for name, x in record.galleries.items()]
    parts += [
        PageSection(
            id=_anchor(x), words=x.title, is_open=x.printed or _anchor(x) == "classes" or len(record.groups) == 1
        )
        for x in record.groups
    ]
    parts += [PageSection(id=f"table-{k}", words=x.title) for k, x in enumerate(record.tables) if x.rows]
    parts += [PageSection(id=id, words=words, names=names) for id, words, names in _BEFORE if set(names) & set(shown)]
    if "worst_images" in shown:
        parts.append(PageSection(id="images", words=f"{record.units.capitalize()} with most errors"))
    if "label_errors" in shown:
        title = ANALYSES["label_errors"].title
        parts.append(PageSection(id="label_errors", words=title, is_open=False))
    if some := [name for name in _AFTER if name in shown]:
        words = " and ".join(", ".join(_AFTER[name].format(overlap=overlap) for name in some).rsplit(", ", 1))
        parts.append(PageSection(id="scores", words=words[:1].upper() + words[1:], names=some, is_open=False))
    listed = {name for part in parts for name in (part.id, *part.names)} | _ELSEWHERE
    others = [name for name in shown if name not in listed]
    parts += [PageSection(id=x, words=ANALYSES[x].heading(overlap), names=[x], is_open=False) for x in others]
    return [*parts, PageSection(id="provenance", words="Provenance")]


def _title(record: Record) -> str:
    """Return the title, with the name of the file that was evaluated, if there is one."""
    names = [Path(x.path).name for x in record.inputs if x.role not in {"ground truth", "state"}]
    kind = "Detection report" if isinstance(record.protocol, dict) else f"Report: {record.kind}"
    return f"Report on {names[0]}" if names else kind


def _figures(record: Record, keys: set[str]) -> dict[str, Figure]:
    """Draw the charts of the analyses; bars and cells are links if the page has an image of them."""
    figures = {}
    for name, x in CHARTS.items():
        if x.analysis not in record.analyses:
            continue
        value = record.analyses[x.analysis]
        # Keys of cells are places of classes, so both lists of classes must be equal.
        alike = name != "confusion" or [c["id"] for c in value["classes"]] == [row["id"] for row in record.per_class]
        figures[name] = figure(f"{name}-0", x.chart(value, record.shapes.overlap), keys if alike else ())
    return figures


def _numbers(record: Record) -> list[dict[str, str]]:
    return [
        {"name": name, "text": assets.cell(record.summary[name]), "words": words, **shown_interval(record, name)}
        for name, words in record.words.items()
    ]


class RowsSection(NamedTuple):
    """The section of a group of rows: bars of the first number, tables next to them, and a table of the rows."""

    id: str
    words: str
    bars: Sequence[Figure]
    beside: Sequence[Table]
    table: Table
    empty: Collection[int]  # places of the rows without any number, which a switch shows


def _anchor(group: Group) -> str:
    return "classes" if group.key == "per_class" else group.key.replace("_", "-")


def _rows(group: Group, record: Record, keys: set[str]) -> RowsSection:
    id, of_classes = group.key.replace("_", "-"), group.key == "per_class"
    words = "classes" if of_classes else "rows"
    stem = "class-bars" if of_classes else f"{id}-bars"
    drawn = analysis_charts.ranked_rows(group.rows, group.title, words)
    bars = [figure(f"{stem}-{k}", x, keys if of_classes else ()) for k, x in enumerate(drawn)]
    id = id if of_classes else f"{id}-rows"  # the section has the name of the group
    empty = {place for place, row in enumerate(group.rows) if _is_empty(row)}
    empty = set() if len(empty) == len(group.rows) or len(group.rows) <= _FEW_ROWS else empty
    if not (of_classes and record.areas):
        return RowsSection(id, words, bars, [], dataclasses.replace(group.table, note=_SORTED), empty)
    return RowsSection(id, words, bars, [x for x in (areas(record),) if x.rows], _classes(record), empty)


def _is_empty(row: Mapping[str, Any]) -> bool:
    """Return whether a row has counts of 0 and numbers without data only, such as a class that no image has."""
    numbers = [x for name, x in row.items() if name != "id" and not isinstance(x, bool | str)]
    return None in numbers and not any(numbers)


def _classes(record: Record) -> Table:
    """Make a table of classes: the first numbers of the summary, and the best score threshold if known."""
    names = [name for name in record.summary if any(name in row for row in record.per_class)][:_COLUMNS]
    best = {x["id"]: (x["f1"], x["score"]) for x in _thresholds(record)}
    rows: list[list[Cell]] = []
    for row in record.per_class:
        of_class = list(best.get(row["id"], (None, None))) if best else []
        rows.append([row["name"], row["objects"], *(row[name] for name in names), *of_class])
    more = ("best F1", "at score") if best else ()
    note = f"Classes without objects have no numbers. {_SORTED}"
    return Table("Each class", ("class", "objects", *names, *more), rows, note)


def _thresholds(record: Record) -> Sequence[Mapping[str, Any]]:
    value: Mapping[str, Any] = record.analyses.get("thresholds") or {}
    rows: Sequence[Mapping[str, Any]] = value.get("per_class", [])
    return rows
