"""Draw charts by matplotlib, from their descriptions."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from omniou._lib import extras
from omniou.report._charts import fonts, overlaid
from omniou.report._charts.overlaid import GroupedBars
from omniou.report._record import charts
from omniou.report._record.charts import (
    ABOVE,
    BELOW,
    WHOLE,
    Bars,
    Curve,
    HeatMap,
    Plane,
    RankedBars,
    SkeletonMap,
    Timeline,
)
from omniou.report._record.values import array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's palette: colour-blind readers can tell the colours apart, and so can readers of a grey print.
BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#777777"
STYLES: Mapping[str, dict[str, Any]] = MappingProxyType(
    {
        "a": {"color": BLUE},
        "b": {"color": ORANGE, "linestyle": "--"},
        "c": {"color": GREEN, "linestyle": ":"},
        "mean": {"color": ORANGE, "linewidth": 2},
        "ideal": {"color": GREY, "linestyle": "--", "linewidth": 1},
    }
)
"""Styles of curves, by the classes of the page's style sheet."""
# Neighbours differ in colour, in lightness, in dash and in marker; bars in hatch.
_MODELS = (
    ("#00578a", "-", "o", ""),
    ("#e68a00", "--", "s", "///"),
    ("#000000", "-.", "^", "..."),
    ("#3fae8a", (0, (1, 1)), "D", "xxx"),
    ("#8c2d62", (0, (6, 1, 1, 1, 1, 1)), "v", "\\\\\\"),
    ("#8a8a8a", (0, (8, 3)), "P", "++"),
)
MODELS: Mapping[str, dict[str, Any]] = MappingProxyType(
    {
        style: {"color": colour, "linestyle": line, "marker": marker, "markersize": 5, "linewidth": 1.6}
        for style, (colour, line, marker, _) in zip(overlaid.STYLES, _MODELS, strict=True)
    }
)
"""Styles of the curves of several models."""
MODEL_BARS: Mapping[str, dict[str, Any]] = MappingProxyType(
    {
        style: {"color": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0}
        for style, (colour, _, _, hatch) in zip(overlaid.STYLES, _MODELS, strict=True)
    }
)
FILLS: Mapping[str, dict[str, Any]] = MappingProxyType(
    {
        "a": {"color": BLUE},
        "b": {"color": ORANGE, "hatch": "//", "edgecolor": "white", "linewidth": 0},
        "pale": {"color": BLUE, "alpha": 0.35},
    }
)
"""Styles of bars, by the same classes."""
SPANS = {"a": BLUE, "b": "#c04c00", "c": "#00805c"}
"""Colours of bars over time: dark enough for a label in white."""
# A heat map of more classes cannot be read.
MOST_CLASSES = 20
# Characters of a legend that fit the width of a figure; the sample of a line counts as 6.
_LEGEND = 88


def new_axes(width: float = 0.0, height: float = 0.0) -> "Axes":
    """Return axes of a new figure of pyplot, of at least this size in inches."""
    from matplotlib import pyplot as plt

    return plt.subplots(figsize=_size(width, height), layout="constrained")[1]


def unregistered_axes(width: float = 0.0, height: float = 0.0) -> "Axes":
    """Return axes of a new figure without pyplot, which would hold the figure until it is closed."""
    from matplotlib.figure import Figure

    axes: Axes = Figure(figsize=_size(width, height), layout="constrained").subplots()
    return axes


def _size(width: float, height: float) -> tuple[float, float]:
    return max(6.0, width), max(4.5, height)


@fonts.told()
def drawn(
    chart: charts.Drawable | GroupedBars, ax: "Axes | None" = None, new: "Callable[..., Axes]" = new_axes
) -> "Axes":
    """Draw a chart into axes, new ones by default."""
    extras.check("matplotlib", "a plot")
    if isinstance(chart, Plane):
        ax = ax or new()
        _plane(ax, chart)
    elif isinstance(chart, RankedBars):
        ax = ax or new(height=1.5 + 0.22 * len(chart.rows))
        _ranking(ax, chart)
    elif isinstance(chart, GroupedBars):
        ax = ax or new(height=2.0 + (0.15 + 0.2 * len(chart.models)) * len(chart.rows))
        _groups(ax, chart)
    elif isinstance(chart, Timeline):
        ax = ax or new(10.0, 2.0 + 0.25 * len(chart.rows))
        _timeline(ax, chart)
    elif isinstance(chart, SkeletonMap):
        ax = ax or new(height=6.0)
        _skeleton(ax, chart)
    else:
        rows, columns, _ = chart.folded(MOST_CLASSES)
        ax = ax or new(3.5 + 0.27 * len(columns), 3.0 + 0.25 * len(rows))
        _heat_map(ax, chart)
    title = "\n".join(x for x in (chart.title, chart.note) if x)
    ax.set(title=_words([title])[0], xlabel=chart.x_label, ylabel=chart.y_label)
    fonts.complete(ax)
    return ax


def models_in(ax: "Axes") -> int:
    """Return how many models the axes already show."""
    markers = {style["marker"] for style in MODELS.values()}
    return len(ax.containers) + sum(line.get_marker() in markers for line in ax.lines)


def _plane(ax: "Axes", chart: Plane) -> None:
    before = (*ax.get_xlim(), *ax.get_ylim()) if models_in(ax) else ()
    there = ax.get_legend_handles_labels()[1]
    for mark in chart.marks:
        label = _words([mark.label])[0]
        label = label if label not in there else ""
        if isinstance(mark, Bars):
            ax.stairs(mark.high, mark.edges, baseline=mark.low, fill=True, label=label or None, **FILLS[mark.style])
            continue
        x, y = array([list(point) for point in mark.points]).reshape(-1, 2).T
        ax.plot(x, y, label=label or None, **_style(mark))
    (low, high), (bottom, top) = chart.x, chart.y
    # Without a margin, half of a line along the upper edge would be cut off.
    top += 0.02 * (top - bottom)
    if before:  # keep earlier models in view
        low, high, bottom, top = min(low, before[0]), max(high, before[1]), min(bottom, before[2]), max(top, before[3])
    if chart.ticks:
        ax.set_xscale("log")
        ax.set_xticks(chart.ticks, chart.words_of_ticks)
        ax.minorticks_off()
    ax.set(xlim=(low, high), ylim=(bottom, top))
    ax.grid(visible=True, color="#dddddd", linewidth=0.5)
    ax.set_axisbelow(True)
    if chart.legend or before:
        legend_below(ax)


def _style(curve: Curve) -> dict[str, Any]:
    if curve.style in MODELS:
        points = len(curve.points)
        # Markers of each model start at another point, so that they do not cover each other: of 60 points, model 2
        # marks every 7th from point 1 on, model 3 from point 2 on.
        place = overlaid.STYLES.index(curve.style) * points // 60
        return MODELS[curve.style] | {"markevery": 1 if curve.dots else (place, max(1, points // 8))}
    style = STYLES[curve.style] if curve.shade is None else {"color": BLUE, "alpha": curve.shade, "linewidth": 1}
    return {"marker": "o" if curve.dots else None, "markersize": 4, **style}


def legend_below(ax: "Axes") -> None:
    """Put the legend below the axes and their label, in as many columns as fit: inside, it would cover curves."""
    widths = [len(x) + 6 for x in ax.get_legend_handles_labels()[1]]
    columns = 4 if sum(widths) <= _LEGEND else min(4, max(1, _LEGEND // max(widths)))
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.55 / _inches(ax)), ncols=columns, frameon=False, fontsize=8)


def _groups(ax: "Axes", chart: GroupedBars) -> None:
    """Draw a group of bars for each row, the first model on top."""
    many = len(chart.models)
    for number, (style, words) in enumerate(chart.models):
        values = [row[number] for _, row in chart.rows]
        places = [place + (number - (many - 1) / 2) * 0.84 / many for place in range(len(chart.rows))]
        lengths = np.nan_to_num(array([value for value, _ in values]))
        bars = ax.barh(places, lengths, 0.8 / many, label=_words([words])[0], **MODEL_BARS[style])
        ax.bar_label(bars, [f" {text}" for _, text in values], padding=2, fontsize=7)
    ax.set_yticks(range(len(chart.rows)), _words([name for name, _ in chart.rows]))
    ax.invert_yaxis()
    ax.margins(x=0.25, y=0.01)
    ax.axvline(0, color="black", linewidth=0.8)
    if chart.bounded:
        _end_at_one(ax)
    legend_below(ax)


def _ranking(ax: "Axes", chart: RankedBars) -> None:
    # Names may occur twice, so bars are placed by number.
    places = range(len(chart.rows))
    bars = ax.barh(places, np.nan_to_num(array([value for _, value, _ in chart.rows])), color=BLUE)
    ax.set_yticks(places, _words([name for name, _, _ in chart.rows]))
    ax.bar_label(bars, [f" {text}" for _, _, text in chart.rows], padding=2, fontsize=7 if len(places) > 10 else None)
    ax.invert_yaxis()
    ax.margins(x=0.25, y=0.01 if len(places) > 10 else None)
    if chart.bounded:
        _end_at_one(ax)


def _end_at_one(ax: "Axes") -> None:
    """Draw the axis from 0 to 1; the words at the ends of the bars stand to its right."""
    ax.set_xlim(0, 1.18)
    ax.spines["bottom"].set_bounds(0, 1)
    ax.spines[["top", "right"]].set_visible(False)


def _heat_map(ax: "Axes", chart: HeatMap) -> None:
    """Draw shares of the objects of each class as colours, with their counts."""
    rows, columns, table = chart.folded(MOST_CLASSES)
    shares = array([[chart.share(table, row, column) for column in range(len(columns))] for row in range(len(rows))])
    # What is right is blue, what is wrong orange, and empty cells are white.
    down, across = np.indices(shares.shape)
    for others, colours in ((down != across, "Blues"), (down == across, "Oranges")):
        ax.imshow(np.ma.masked_array(shares, others | (shares == 0)), cmap=colours, vmin=0, vmax=1)
    ax.set_xticks(range(len(columns)), _words(columns), rotation=90)
    ax.set_yticks(range(len(rows)), _words(rows))
    small = 8 if len(rows) <= 13 else 6
    for row, column in zip(*np.nonzero(array(table)), strict=True):
        colour = "white" if shares[row, column] > 0.6 else "black"
        ax.text(
            column,
            row,
            chart.text(table[row][column], shares[row, column]),
            ha="center",
            va="center",
            color=colour,
            fontsize=small,
        )


def _skeleton(ax: "Axes", chart: SkeletonMap) -> None:
    """Draw lines, a disc for each point whose area grows with its number, and the names."""
    names, x, y, numbers, _ = zip(*chart.points, strict=True) if chart.points else ([], [], [], [], [])
    for edge in chart.edges:
        ax.plot([x[k] for k in edge], [y[k] for k in edge], color=GREY, linewidth=1, zorder=1)
    largest = max([x for x in numbers if x is not None], default=0.0) or 1.0
    areas = [20 if value is None else 20 + 380 * value / largest for value in numbers]
    colours = ["none" if value is None else ORANGE for value in numbers]
    ax.scatter(x, y, s=areas, c=colours, edgecolors=GREY, alpha=0.75, zorder=2)
    for name, across, down in zip(_words(names), x, y, strict=True):
        ax.annotate(name, (across, down), (8, 4), textcoords="offset points", fontsize=7)
    ax.set_aspect("equal", adjustable="datalim")
    ax.invert_yaxis()
    ax.set(xticks=[], yticks=[])


# Middle and height of what stands on a side of a row; y grows downwards.
_SIDES = {WHOLE: (0.0, 0.7), ABOVE: (-0.22, 0.38), BELOW: (0.22, 0.38)}


def _timeline(ax: "Axes", chart: Timeline) -> None:
    """Draw rows from top to bottom: thin lines, bars with their labels, and upright lines."""
    # Characters that fit a unit of time, at a font size of 7 points in axes about 9 inches wide.
    room = 115 / ((chart.x[1] - chart.x[0]) or 1.0)
    for y, row in enumerate(chart.rows):
        ax.hlines([y] * len(row.present), *_ends(row.present), color=GREY, linewidth=1, zorder=1)
        for span in row.spans:
            middle, height = _SIDES[span.side]
            colour = SPANS.get(span.style, GREY)
            ax.barh(y + middle, span.stop - span.start, left=span.start, height=height, color=colour, zorder=2)
            if span.side == WHOLE and len(span.label) + 1 < (span.stop - span.start) * room:
                middle = (span.start + span.stop) / 2
                ax.text(middle, y, _words([span.label])[0], ha="center", va="center", color="white", fontsize=7)
        for at, style, side in row.moments:
            middle, height = _SIDES[side]
            ends = y + middle - height / 2, y + middle + height / 2
            ax.vlines(at, *ends, color=SPANS.get(style, GREY), linewidth=1.5, zorder=3)
        ax.vlines(row.switches, y - 0.45, y + 0.45, color="black", linewidth=2, zorder=3)
    ax.set_yticks(range(len(chart.rows)), _words([row.name for row in chart.rows]))
    ax.set(xlim=chart.x, ylim=(max(len(chart.rows), 1) - 0.5, -0.5))
    ax.grid(visible=True, axis="x", color="#dddddd", linewidth=0.5)
    ax.set_axisbelow(True)
    for style, words in chart.legend:
        bar = style in SPANS
        colour = SPANS[style] if bar else "black" if style == "switch" else GREY
        ax.plot([], [], color=colour, linewidth=8 if bar else 1.5, solid_capstyle="butt", label=words)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.5 / _inches(ax)), ncols=5, frameon=False, fontsize=8)


def _inches(ax: "Axes") -> float:
    """Return the height of axes in inches."""
    return ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted()).height


def _ends(pairs: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [start for start, _ in pairs], [stop for _, stop in pairs]


def _words(names: Sequence[str]) -> list[str]:
    """Escape names: matplotlib reads text between two dollars as mathematics, and hides labels like "_x"."""
    return [" " * name.startswith("_") + name.replace("$", r"\$") for name in fonts.words(names)]
