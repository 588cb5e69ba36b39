"""Describe charts of a result, from the values of an analysis in a record.

`_charts/svg.py` draws a description for the page, `_charts/mpl.py` by matplotlib. `ANALYSES` names the functions here.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

from omniou._lib.brief import counted, reached, threshold
from omniou._results.shown import ALL, FEW_OF_CLASS, first_number
from omniou.report._record import series
from omniou.report._record.series import Series

Point: TypeAlias = tuple[float | None, float | None]

ERRORS = {
    "classification": "classification (wrong class)",
    "localisation": "localisation (loose fit)",
    "both": "both (wrong class, loose fit)",
    "duplicate": "duplicate",
    "background": "background",
    "missed": "missed",
}
"""TIDE's types of errors, in words."""

# More bars than these cannot be read; these are few enough for one chart.
_MOST_BARS, _ONE_CHART = 40, 12
# Of more thresholds, a legend of all curves cannot be read.
_LABELLED = 12


@dataclasses.dataclass(frozen=True, slots=True)
class Curve:
    """A line through points; it breaks where a number is None."""

    points: Sequence[Point]
    style: str  # a class of the page's style sheet, and a key of `_charts.mpl.STYLES`
    label: str = ""  # in the legend; empty for none
    shade: float | None = None  # opacity in matplotlib, for one of many similar curves
    dots: bool = False  # whether matplotlib marks the points
    extra: bool = False  # not drawn in the page, whose charts are small


@dataclasses.dataclass(frozen=True, slots=True)
class Bars:
    """Upright bars between edges, from `low` to `high` each."""

    edges: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    style: str
    titles: Sequence[str] = ()  # tooltips of the page
    label: str = ""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Base class of charts: a title, a note below it (without a full stop), and a sentence for the page only."""

    title: str
    note: str = ""
    told: str = ""
    x_label: str = ""
    y_label: str = ""
    wide: ClassVar[bool] = False  # whether it fills the width of the page

    @property
    def description(self) -> str:
        """The note and the sentence."""
        return " ".join(x for x in (f"{self.note}." if self.note else "", self.told) if x)

    @property
    def caption(self) -> str:
        """All words in one line."""
        return f"{self.title}. {self.description}"

    @property
    def legend(self) -> list[tuple[str, str]]:
        """Classes of the style sheet and their meaning."""
        return []


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Plane(Chart):
    """Curves over two axes, and bars behind them. With `ticks` the x axis is logarithmic, and has these ticks."""

    x: tuple[float, float] = (0.0, 1.0)
    y: tuple[float, float] = (0.0, 1.0)
    curves: Sequence[Curve] = ()
    bars: Sequence[Bars] = ()
    ticks: Sequence[float] = ()

    @property
    def words_of_ticks(self) -> list[str]:
        """The words of `ticks`."""
        return [f"{x:.3g}" if x < 100 else f"{x:g}" for x in self.ticks]

    @property
    def marks(self) -> "list[Curve | Bars]":
        """Bars and curves in the order of drawing."""
        return [*self.bars, *self.curves]

    @property
    def legend(self) -> list[tuple[str, str]]:
        """Styles and labels of the marks that have a label."""
        shown = [mark for mark in self.marks if mark.label and not (isinstance(mark, Curve) and mark.extra)]
        return [(f"line {x.style}" if isinstance(x, Curve) else x.style, x.label) for x in shown]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class RankedBars(Chart):
    """Horizontal bars: a name, a number, and the text at its end."""

    rows: Sequence[tuple[str, float | None, str]]
    keys: Sequence[str] = ()  # keys by which the page links each row to its images
    bounded: bool = False  # whether the numbers end at 1
    dense: bool = False  # whether the page draws many of them


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class HeatMap(Chart):
    """Counts by true and detected class.

    Cells are (true, detected, count), by places in `classes`; their number stands for background and "nothing". With
    cat and dog, (0, 1, 3) are 3 cats detected as dogs, (0, 2, 4) 4 missed cats, (2, 0, 5) 5 cats on background.
    """

    wide: ClassVar[bool] = True
    classes: Sequence[str]
    cells: Sequence[Sequence[int]]
    rest: tuple[str, str] = ("background", "nothing")  # names of the place behind the classes; "" for no row or column
    unit: str = ""  # of large counts, such as "pixels": cells then show percents of their row

    def kept(self, most: int) -> list[int]:
        """Return the places of the classes that `folded` does not sum up."""
        return series.folded(len(self.classes), self.cells, most)[0]

    def folded(self, most: int) -> tuple[list[str], list[str], list[list[int]]]:
        """Return names of rows, names of columns and counts for at most `most` classes; the others are summed up."""
        kept, table = series.folded(len(self.classes), self.cells, most)
        names = [self.classes[place] for place in kept]
        names += [f"{len(self.classes) - len(kept)} others"] * (len(kept) < len(self.classes))
        rows, columns = ([*names, *([x] if x else [])] for x in self.rest)
        return rows, columns, [row[: len(columns)] for row in table[: len(rows)]]

    def share(self, table: Sequence[Sequence[int]], row: int, column: int) -> float:
        """Return the share of a cell in its row; 0 in the row of background, which has no objects."""
        whole = sum(table[row])
        return table[row][column] / whole if whole and not (self.rest[0] and row == len(table) - 1) else 0.0

    def text(self, count: int, share: float) -> str:
        """Return a count, or its share in percent if the counts have a unit: in at most four characters."""
        if self.unit:
            percent = 100 * share
            return f"{percent:.0f}" if percent >= 9.95 else f"{percent:.1f}" if percent >= 0.05 else "<0.1"
        return str(count) if count < 10_000 else f"{count / 1000:.0f}k" if count < 1_000_000 else f"{count / 1e6:.0f}M"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SkeletonMap(Chart):
    """Keypoints in a plane, y downwards: name, x, y, number (None if unknown) and tooltip; and lines between them."""

    points: Sequence[tuple[str, float, float, float | None, str]]
    edges: Sequence[tuple[int, int]]  # places in `points`


WHOLE, ABOVE, BELOW = 0, 1, 2
"""Sides of a row of a timeline: its whole height, or the half above or below its line."""


@dataclasses.dataclass(frozen=True, slots=True)
class Span:
    """A bar along the time axis."""

    start: float
    stop: float
    style: str
    label: str  # written on it, if there is room
    side: int = WHOLE


@dataclasses.dataclass(frozen=True, slots=True)
class TimelineRow:
    """An object over time: when it is visible, which tracks follow it, and when they change."""

    name: str
    present: Sequence[tuple[float, float]]
    spans: Sequence[Span]
    switches: Sequence[float]
    moments: Sequence[tuple[float, str, int]] = ()  # time, style and side


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Timeline(Chart):
    """Objects from top to bottom, frames from left to right."""

    wide: ClassVar[bool] = True
    rows: Sequence[TimelineRow]
    x: tuple[float, float]
    words: Sequence[tuple[str, str]]  # styles and their meaning

    @property
    def legend(self) -> list[tuple[str, str]]:
        """Styles of bars and lines."""
        return list(self.words)


Drawable: TypeAlias = Plane | RankedBars | HeatMap | SkeletonMap | Timeline


def fault_of(chart: Drawable) -> str:
    """Return what is wrong with a chart from a file; empty if it is right."""
    if isinstance(chart, HeatMap):
        size = len(chart.classes)
        if any(len(x) != 3 or not all(0 <= k <= size for k in x[:2]) for x in chart.cells):
            return "expected cells (true, detected, count) of its classes"
    if isinstance(chart, Timeline) and any(
        side not in {WHOLE, ABOVE, BELOW}
        for row in chart.rows
        for side in (*(x.side for x in row.spans), *(x[2] for x in row.moments))
    ):
        return "expected sides 0, 1 or 2"
    if isinstance(chart, SkeletonMap) and not all(0 <= k < len(chart.points) for edge in chart.edges for k in edge):
        return "expected edges between its points"
    if isinstance(chart, Plane):
        return _fault_of_plane(chart)
    if isinstance(chart, RankedBars) and chart.keys and len(chart.keys) != len(chart.rows):
        return "expected a key for each row"
    return ""


def _fault_of_plane(chart: Plane) -> str:
    if any(len(x.edges) != len(x.low) + 1 or len(x.low) != len(x.high) for x in chart.bars):
        return "expected bars between edges"
    points = [x for curve in chart.curves for x, _ in curve.points if x is not None]
    along = [*chart.x, *chart.ticks, *points, *(x for bars in chart.bars for x in bars.edges)]
    return "expected positive numbers on a logarithmic axis" if chart.ticks and not all(x > 0 for x in along) else ""


def precision_recall(value: Series, overlap: str) -> Drawable:
    """Describe precision over recall at each threshold, darker for stricter ones, and the mean."""
    thresholds, recall, means = value["iou_thresholds"], value["recall"], value["mean"]
    chosen = series.chosen_thresholds(thresholds)
    marks = [
        Curve(
            list(zip(recall, mean, strict=True)),
            "c" if place in chosen[1:] else "a",
            f"{overlap} {threshold(thresholds[place])}" if len(thresholds) <= _LABELLED or place in chosen else "",
            shade=0.3 + 0.7 * (place + 1) / len(thresholds),
            extra=place not in chosen,
        )
        for place, mean in enumerate(means)
    ]
    if len(thresholds) > 1:
        mean = series.mean_of_all(means)
        marks.append(Curve(list(zip(recall, mean, strict=True)), "mean", "mean of all thresholds"))
    middle = len(recall) // 2
    at_half = ", ".join(f"{number(means[k][middle])} at {overlap} {threshold(thresholds[k])}" for k in chosen)
    return Plane(
        title="Precision over recall, mean of the classes",
        told=f"At recall {recall[middle]:g} the precision is {at_half}." if recall else "No recall points.",
        x_label="Recall",
        y_label="Precision",
        curves=marks,
    )


def proposals(value: Series, _: str) -> Drawable:
    """Describe average recall over the mean number of proposals."""
    numbers, recall = value["numbers"], value["average_recall"]
    return Plane(
        title="Average recall by number of proposals",
        note=f"The area below is {number(value['area'])} of what a recall of 1 has",
        told=f"With {numbers[-1]:g} proposals on average the recall is {number(recall[-1])}.",
        x_label="Mean number of proposals",
        y_label="Average recall",
        x=(0.0, max(numbers[-1], 1.0)),
        curves=[Curve(list(zip(numbers, recall, strict=True)), "a")],
    )


def f1(value: Series, overlap: str) -> Drawable:
    """Describe precision, recall and F1 over the score threshold, and the best F1."""
    scores, best = value["scores"], value["best_score"]
    styles = {"f1": ("a", "F1"), "precision": ("b", "precision"), "recall": ("c", "recall")}
    marks = [Curve(list(zip(scores, value[name], strict=True)), *style) for name, style in styles.items()]
    if best is not None:
        marks.append(Curve([(best, 0.0), (best, 1.0)], "ideal", "best F1"))
    told = "no best F1" if best is None else f"the best F1 is {value['best_f1']:.3f}, at a score of {threshold(best)}"
    return Plane(
        title=f"F1 over the threshold of scores at {overlap} {threshold(value['iou_threshold'])}",
        note=f"Mean of the classes; {told}",
        x=span(scores),
        x_label="Threshold of scores",
        y_label="Value",
        curves=marks,
    )


def scores(value: Series, overlap: str) -> Drawable:
    """Describe the histogram of scores: true positives below, false positives above them."""
    edges, true, false = value["edges"], value["true_positives"], value["false_positives"]
    both = [a + b for a, b in zip(true, false, strict=True)]
    kinds = {"true positives": (true, [0] * len(true), true, "a"), "false positives": (false, true, both, "b")}
    return Plane(
        title=f"Scores of true and false positives at {overlap} {threshold(value['iou_threshold'])}",
        note=f"{counted(sum(true), 'true positives')}, {counted(sum(false), 'false positives')}",
        x=span(edges),
        y=(0, max([*both, 1]) * 1.05),
        x_label="Score",
        y_label="Detections",
        bars=[
            Bars(edges, low, high, style, [counted(count, words) for count in counts], words)
            for words, (counts, low, high, style) in kinds.items()
        ],
    )


def iou(value: Series, overlap: str) -> Drawable:
    """Describe the histogram of the overlap of true positives, and the mean."""
    edges, counts, mean = value["edges"], value["counts"], value["mean"]
    top = max([*counts, 1]) * 1.05
    bars = Bars(edges, [0] * len(counts), counts, "a", [counted(x, "true positives") for x in counts])
    return Plane(
        title=f"{overlap} of the true positives at {overlap} {threshold(value['iou_threshold'])}",
        note="There are none" if mean is None else f"Their mean is {mean:.3f}, the dashed line",
        x=span(edges),
        y=(0, top),
        x_label=overlap,
        y_label="True positives",
        bars=[bars],
        curves=[] if mean is None else [Curve([(mean, 0.0), (mean, top)], "b", "mean")],
    )


def calibration(value: Series, overlap: str) -> Drawable:
    """Describe the precision of each score bin, and the diagonal."""
    precision, error = [x or 0.0 for x in value["precision"]], value["error"]
    told = [f"precision {x:.3f} of {many}" for x, many in zip(precision, value["counts"], strict=True)]
    points = [(x, y) for x, y in zip(value["confidence"], value["precision"], strict=True) if x is not None]
    return Plane(
        title=f"Precision by score at {overlap} {threshold(value['iou_threshold'])}",
        note="No detections" if error is None else f"The expected calibration error is {by_chance(value)}",
        x_label="Mean score",
        y_label="Precision",
        bars=[Bars(value["edges"], [0] * len(precision), precision, "pale", told)],
        curves=[
            Curve(points, "a", "precision of a bin", dots=True),
            Curve([(0, 0), (1, 1)], "ideal", "calibrated"),
        ],
    )


def by_chance(value: Series) -> str:
    """Return the calibration error, and the error that a calibrated detector would have by chance, as text."""
    error, chance = value["error"], value["by_chance"]
    known = "" if chance is None else f" ({chance:.3f} by chance)"
    return "-" if error is None else f"{error:.3f}{known}"


def errors(value: Series, overlap: str) -> Drawable:
    """Describe the AP that each error type costs, a bar for each."""
    costs, counts = value["cost"], value["counts"]
    rows = [(kind, costs[kind], f"{number(costs[kind])} ({many})") for kind, many in counts.items()]
    worst = max(rows, key=lambda row: row[1] or 0.0, default=("", None, ""))
    return RankedBars(
        title="What each type of error costs",
        note=f"AP at {overlap} {threshold(value['iou_threshold'])} is {number(value['ap'])}",
        told=f"{worst[0].capitalize()} costs most." if worst[1] else "",
        x_label="AP that would be gained (number of errors)",
        rows=rows,
        keys=[f"e-{kind}" for kind in counts],
    )


def per_class(value: Sequence[dict[str, Any]], title: str = "each class", *, of_classes: bool = True) -> Drawable:
    """Describe bars of the first number of each row, the weakest first."""
    name = first_number(value)
    known = [x for x in enumerate(value) if x[1].get(name) is not None]
    known, few = _of_enough(known) if of_classes else (known, 0)
    scored = sorted((row for _, row in known), key=lambda row: row[name])
    worst = scored[:_MOST_BARS]
    which = f"the {len(worst)} weakest of {len(scored)} classes" if len(worst) < len(scored) else title
    return RankedBars(
        title=f"{name} of {which}",
        note=f"Without {_few_objects(few)}" if few else "",
        x_label=_label(name, value),
        rows=[(row["name"], row[name], _told(row, name)) for row in worst],
        bounded=all(0 <= row[name] <= 1 for row in worst),
    )


def ranked_rows(value: Sequence[dict[str, Any]], title: str, words: str) -> list[RankedBars]:
    """Describe bars of the first number of each row, the weakest first; many rows have a second chart, the strongest.

    `title` is the title of the rows, such as "Each sequence", and `words` their plural.
    """
    name = first_number(value)
    known = [x for x in enumerate(value) if x[1].get(name) is not None and x[1]["name"] != ALL]
    known, few = _of_enough(known) if words == "classes" else (known, 0)
    known.sort(key=lambda x: x[1][name])
    if len(known) < 2:
        return []
    half = min(_MOST_BARS, (len(known) + 1) // 2)
    parts = (
        {"weakest": known[:half], "strongest": known[half:][-_MOST_BARS:]} if len(known) > _ONE_CHART else {"": known}
    )
    between = len(known) - sum(map(len, parts.values()))
    notes = [f"Between the weakest and the strongest, {between} {words} are in the table only"] if between else []
    notes += [f"In the table only: {_few_objects(few)}"] if few else []
    bounded = all(0 <= row[name] <= 1 for _, row in known)
    every = f"{name} of each class" if words == "classes" else f"{title}: {name}"
    return [
        RankedBars(
            title=f"{name} of the {len(rows)} {which} {words}" if which else every,
            note="; ".join(notes),
            x_label=_label(name, value),
            rows=[(row["name"] or "(no name)", row[name], _told(row, name)) for _, row in rows],
            keys=[f"c{place}" for place, _ in rows],
            bounded=bounded,
            dense=True,
        )
        for which, rows in parts.items()
    ]


def _of_enough(
    rows: list[tuple[int, dict[str, Any]]],
) -> tuple[list[tuple[int, dict[str, Any]]], int]:
    """Leave out classes of few objects, whose numbers say little, if others remain; and count them."""
    enough = [x for x in rows if x[1].get("objects", FEW_OF_CLASS) >= FEW_OF_CLASS]
    enough = enough if len(enough) > 1 else rows
    return enough, len(rows) - len(enough)


def _few_objects(many: int) -> str:
    return f"{counted(many, 'classes')} of fewer than {FEW_OF_CLASS} objects"


def _label(name: str, rows: Sequence[dict[str, Any]]) -> str:
    return f"{name} (number of objects)" if rows and "objects" in rows[0] else name


def _told(row: dict[str, Any], name: str) -> str:
    return f"{row[name]:.3f} ({row['objects']})" if "objects" in row else f"{row[name]:.3f}"


def confusion(value: Series, overlap: str) -> Drawable:
    """Describe the confusion matrix: detected classes by true classes."""
    return HeatMap(
        title="What objects were taken for",
        note=f"Score ≥ {threshold(value['score'])}, {reached(overlap, value['iou_threshold'])}",
        told="Rows are true classes, columns detected ones; the colour is the share of the row.",
        x_label="Detected",
        y_label="True",
        classes=[x["name"] for x in value["classes"]],
        cells=value["cells"],
    )


def number(x: float | None) -> str:
    """Return a number with three decimals, or "unknown"."""
    return "unknown" if x is None else f"{x:.3f}"


def span(edges: Sequence[float]) -> tuple[float, float]:
    """Return the ends of an axis over rising numbers, which may be equal."""
    low, high = (edges[0], edges[-1]) if edges else (0.0, 1.0)
    return (low, high) if high > low else (low - 0.5, low + 0.5)
