"""Pictures of a result, by matplotlib: `plot(result, kind)` draws one into axes.

`_charts` describes each chart, as of the page; here is how matplotlib draws a description.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from omniou._lib import checks, extras
from omniou.detection import Result
from omniou.report import _charts as charts
from omniou.report._analyses import ANALYSES, Source
from omniou.report._analyses import per_class as rows_of
from omniou.report._charts import Bars, Plane, RankedBars, Timeline
from omniou.report._series import Numbers
from omniou.report._values import array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["against_iou", "plot"]

# Of Okabe and Ito's palette: told apart by those who do not see all colours, and by their lightness in print.
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
"""Curves by the classes of the page's style sheet."""
FILLS: Mapping[str, dict[str, Any]] = MappingProxyType(
    {
        "a": {"color": BLUE},
        "b": {"color": ORANGE, "hatch": "//", "edgecolor": "white", "linewidth": 0},
        "pale": {"color": BLUE, "alpha": 0.35},
    }
)
"""Bars likewise."""
SPANS = {"a": BLUE, "b": "#c04c00", "c": "#00805c"}
"""Bars over time: dark enough for a label in white."""
# What `plot` draws: how its values are computed, and how their chart is described.
CHARTS: Mapping[str, tuple[Callable[..., Any], Callable[[Any], charts.Drawable]]] = MappingProxyType(
    {
        **{name: (x.compute, x.chart) for name, x in ANALYSES.items() if x.chart},
        "per_class": (rows_of, charts.per_class),
    }
)
# A heat map of more classes cannot be read.
MOST_CLASSES = 20
# More curves than these leave no room for a legend among them.
_MANY_CURVES = 5


def plot(
    result: Result[Any],
    kind: str = "pr",
    /,
    *,
    ax: "Axes | None" = None,
    names: Mapping[int, str] | None = None,
    **options: Any,
) -> "Axes":
    """Draw one picture of a result.

    Parameters
    ----------
    result : Result
        Of `evaluate`. All but "pr", "f1", "calibration" and "per_class" need its boxes.
    kind : str
        "pr": precision over recall. "f1": precision, recall and F1 over the threshold of scores. "confusion": true
        classes by detected ones. "iou": IoU of the true positives. "scores": scores of true and false positives.
        "calibration": precision over scores. "errors": the AP that each kind of error costs. "proposals":
        average recall by number of proposals. "per_class": AP of each class. All but "pr", "proposals" and "per_class"
        are at the first IoU threshold of the protocol.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.
    names : mapping of int to str, optional
        Names of the classes by label. Default: those that the result knows; else the labels.
    **options
        `score`, the least score of a detection, for "confusion" (default: where the mean F1 is best) and "calibration"
        (0); `bins` for "iou", "scores" and "calibration" (20, 20 and 10).

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    TypeError, ValueError
        If the kind or an option is unknown, or the boxes are not kept.

    Examples
    --------
    >>> from omniou import detection, report
    >>> result = detection.evaluate(
    ...     [{"boxes": [[0, 0, 10, 10]], "labels": [1]}], [{"boxes": [[0, 0, 9, 9]], "labels": [1], "scores": [0.8]}]
    ... )
    >>> report.plot(result, "pr", names={1: "cat"}).get_xlabel()
    'Recall'
    """
    checks.instance("result", result, Result, "a Result, such as `evaluate` gives")
    checks.choice("kind", kind, CHARTS)
    extras.check("matplotlib", "a plot")
    compute, describe = CHARTS[kind]
    known = list(inspect.signature(compute).parameters)[1:]
    if unknown := [name for name in options if name not in known]:
        msg = f"`{unknown[0]}` is no option of kind {kind!r}, which has {', '.join(known) or 'none'}"
        raise TypeError(msg)
    return drawn(describe(compute(Source(result, result.names if names is None else names, {}), **options)), ax)


def drawn(chart: charts.Drawable, ax: "Axes | None" = None) -> "Axes":
    """Draw a chart into axes, new ones by default."""
    extras.check("matplotlib", "a plot")
    if isinstance(chart, Plane):
        ax = ax or _new_axes()
        _plane(ax, chart)
    elif isinstance(chart, RankedBars):
        ax = ax or _new_axes(height=1.5 + 0.22 * len(chart.rows))
        _ranking(ax, chart)
    elif isinstance(chart, Timeline):
        ax = ax or _new_axes(10.0, 2.0 + 0.25 * len(chart.rows))
        _timeline(ax, chart)
    else:
        rows, columns, table = chart.folded(MOST_CLASSES)
        ax = ax or _new_axes(3.5 + 0.27 * len(columns), 3.0 + 0.25 * len(rows))
        _heat_map(ax, rows, columns, array(table))
    ax.set(title="\n".join(x for x in (chart.title, chart.note) if x), xlabel=chart.x_label, ylabel=chart.y_label)
    return ax


def against_iou(score: str = "giou", /, *, pairs: int = 5000, seed: int = 0, ax: "Axes | None" = None) -> "Axes":
    """Draw a score of random pairs of boxes against their IoU, as the paper of GIoU does.

    Parameters
    ----------
    score : str
        A score of `omniou.scores` that boxes have.
    pairs : int
        How many pairs. The second box of each is the first, shifted and scaled at random, from hardly to far.
    seed : int
        Of the random numbers.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    TypeError, ValueError
        If the score is none of a pair of boxes, or an option is out of its bounds.

    References
    ----------
    Rezatofighi et al., Generalized Intersection over Union, CVPR 2019, figure 3.

    Examples
    --------
    >>> from omniou import report
    >>> report.against_iou("diou", pairs=100).get_ylabel()
    'DIoU'
    """
    from omniou import boxes, scores

    drawn = {name: x for name, x in scores.items() if not x.of_image}
    checks.choice("score", score, drawn)
    checks.count("pairs", pairs)
    extras.check("matplotlib", "a plot")
    random = np.random.default_rng(seed)
    # From nearly equal to far apart, so that points lie at every IoU.
    size, level = random.uniform(0.2, 1.0, (pairs, 2)), random.choice([0.03, 0.1, 0.3, 1.0, 3.0], (pairs, 1))
    shift, scale = random.uniform(-1, 1, (pairs, 2)) * level, np.exp(random.normal(0.0, 0.5, (pairs, 2)) * level)
    a = np.concatenate([-size / 2, size / 2], axis=1)
    b = np.concatenate([shift - size * scale / 2, shift + size * scale / 2], axis=1)
    iou, other = np.asarray(boxes.iou(a, b)), np.asarray(getattr(boxes, score)(a, b))
    ax = _new_axes() if ax is None else ax
    apart = iou == 0
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle="--", label=f"{drawn[score].label} = IoU")
    ax.scatter(iou[~apart], other[~apart], s=4, color=BLUE, alpha=0.4, linewidths=0, label="boxes that overlap")
    ax.scatter(iou[apart], other[apart], s=4, color=ORANGE, alpha=0.4, linewidths=0, label="boxes that do not")
    ax.set(title=f"{drawn[score].label} and IoU of {pairs} random pairs", xlabel="IoU", ylabel=drawn[score].label)
    ax.legend(loc="lower right", markerscale=3)
    return ax


def _new_axes(width: float = 0.0, height: float = 0.0) -> "Axes":
    from matplotlib import pyplot as plt

    return plt.subplots(figsize=(max(6.0, width), max(4.5, height)), layout="constrained")[1]


def _plane(ax: "Axes", chart: Plane) -> None:
    for mark in chart.marks:
        label = mark.label or None
        if isinstance(mark, Bars):
            ax.stairs(mark.high, mark.edges, baseline=mark.low, fill=True, label=label, **FILLS[mark.style])
            continue
        x, y = array([list(point) for point in mark.points]).reshape(-1, 2).T
        style = STYLES[mark.style] if mark.shade is None else {"color": BLUE, "alpha": mark.shade, "linewidth": 1}
        ax.plot(x, y, label=label, marker="o" if mark.dots else None, markersize=4, **style)
    (low, high), (bottom, top) = chart.x, chart.y
    # A line along the upper edge is drawn whole.
    ax.set(xlim=(low, high), ylim=(bottom, top + 0.02 * (top - bottom)))
    ax.grid(visible=True, color="#dddddd", linewidth=0.5)
    ax.set_axisbelow(True)
    if len(chart.marks) > _MANY_CURVES:  # which may run anywhere
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=4, frameon=False, fontsize=8)
    elif chart.legend:
        ax.legend(loc="best")


def _ranking(ax: "Axes", chart: RankedBars) -> None:
    # Names may occur twice, so bars are placed by number.
    places = range(len(chart.rows))
    bars = ax.barh(places, np.nan_to_num(array([value for _, value, _ in chart.rows])), color=BLUE)
    ax.set_yticks(places, _words([name for name, _, _ in chart.rows]))
    ax.bar_label(bars, [f" {text}" for _, _, text in chart.rows], padding=2, fontsize=7 if len(places) > 10 else None)
    ax.invert_yaxis()
    ax.margins(x=0.25, y=0.01 if len(places) > 10 else None)
    if chart.bounded:
        ax.set_xlim(0, 1.18)


def _heat_map(ax: "Axes", rows: Sequence[str], columns: Sequence[str], counts: Numbers) -> None:
    """Shares of the objects of each class as colours, with their numbers."""
    # Background, the last row, has no objects.
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    shares[-1, :] = 0
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    ax.set_xticks(range(len(columns)), _words(columns), rotation=90)
    ax.set_yticks(range(len(rows)), _words(rows))
    small = 8 if len(rows) <= 13 else 6
    for row, column in zip(*np.nonzero(counts), strict=True):
        colour = "white" if shares[row, column] > 0.6 else "black"
        ax.text(column, row, f"{counts[row, column]:.0f}", ha="center", va="center", color=colour, fontsize=small)


def _timeline(ax: "Axes", chart: Timeline) -> None:
    """Rows from top to bottom: thin lines, bars with their labels, and upright lines."""
    # Characters that fit a unit of time, at 7 points in axes of some 9 inches.
    room = 115 / ((chart.x[1] - chart.x[0]) or 1.0)
    for y, row in enumerate(chart.rows):
        ax.hlines([y] * len(row.present), *_ends(row.present), color=GREY, linewidth=1, zorder=1)
        for span in row.spans:
            ax.barh(y, span.stop - span.start, left=span.start, height=0.7, color=SPANS[span.style], zorder=2)
            if len(span.label) + 1 < (span.stop - span.start) * room:
                middle = (span.start + span.stop) / 2
                ax.text(middle, y, _words([span.label])[0], ha="center", va="center", color="white", fontsize=7)
        ax.vlines(row.switches, y - 0.45, y + 0.45, color="black", linewidth=2, zorder=3)
    ax.set_yticks(range(len(chart.rows)), _words([row.name for row in chart.rows]))
    ax.set(xlim=chart.x, ylim=(max(len(chart.rows), 1) - 0.5, -0.5))
    ax.grid(visible=True, axis="x", color="#dddddd", linewidth=0.5)
    ax.set_axisbelow(True)
    for style, words in chart.legend:
        bar = style in SPANS
        colour = SPANS[style] if bar else "black" if style == "switch" else GREY
        ax.plot([], [], color=colour, linewidth=8 if bar else 1.5, solid_capstyle="butt", label=words)
    inches = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted()).height
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.5 / inches), ncols=5, frameon=False, fontsize=8)


def _ends(pairs: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [start for start, _ in pairs], [stop for _, stop in pairs]


def _words(names: Sequence[str]) -> list[str]:
    """Names as they are: matplotlib takes what is between two dollars for mathematics."""
    return [name.replace("$", r"\$") for name in names]
