"""What a chart is: curves, bars, cells or spans with their words, as plain values that a record may hold.

`_charts/svg.py` draws a chart for the page, `_charts/mpl.py` by matplotlib. `analysis_charts.py` describes charts.
"""

import dataclasses
from collections.abc import Sequence
from typing import ClassVar, TypeAlias

from omniou.report._record import series

Point: TypeAlias = tuple[float | None, float | None]


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


def number(x: float | None) -> str:
    """Return a number with three decimals, or "unknown"."""
    return "unknown" if x is None else f"{x:.3f}"


def span(edges: Sequence[float]) -> tuple[float, float]:
    """Return the ends of an axis over rising numbers, which may be equal."""
    low, high = (edges[0], edges[-1]) if edges else (0.0, 1.0)
    return (low, high) if high > low else (low - 0.5, low + 0.5)
