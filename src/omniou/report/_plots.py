"""Pictures of a result, by matplotlib: `plot(result, kind)` draws one into axes.

What is drawn are the values of an analysis, as a record has them; how it is drawn is here, a function for each that
`ANALYSES` names.
"""

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from omniou._lib import checks, extras
from omniou.detection import Result
from omniou.report import _series as series
from omniou.report._analyses import ANALYSES, ERRORS, Source, named
from omniou.report._analyses import per_class as rows_of
from omniou.report._series import Series
from omniou.report._values import array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["against_iou", "draw", "kinds", "plot"]

# Of Okabe and Ito's palette: told apart by those who do not see all colours, and by their lightness in print.
BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#777777"
PER_CLASS = "per_class"
# More classes than these make a heat map, or bars, that nobody can read.
MOST_CLASSES, MOST_BARS = 20, 40


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
        "calibration": precision over scores. "errors": the AP that each kind of error costs. "per_class": AP of each
        class. All but the first and the last are at the first IoU threshold of the protocol.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.
    names : mapping of int to str, optional
        Names of the classes by label. Default: those that the result knows; else the labels.
    **options
        `score`, the least score of a detection, for "confusion" (0.25); `bins` for "iou", "scores" and "calibration"
        (20, 20 and 10).

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
    checks.choice("kind", kind, kinds())
    extras.check("matplotlib", "a plot")
    compute = rows_of if kind == PER_CLASS else ANALYSES[kind].compute
    known = list(inspect.signature(compute).parameters)[1:]
    if unknown := [name for name in options if name not in known]:
        msg = f"`{unknown[0]}` is no option of kind {kind!r}, which has {', '.join(known) or 'none'}"
        raise TypeError(msg)
    source = Source(result, result.names if names is None else names, {})
    return draw(kind, compute(source, **options), ax=ax)


def kinds() -> list[str]:
    """What `plot` can draw: the analyses that say how, and the numbers of each class."""
    return [*(name for name, analysis in ANALYSES.items() if analysis.draw), PER_CLASS]


def draw(kind: str, values: Any, /, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the values of an analysis, or the numbers of each class, as a `Record` has them."""
    if ax is None:
        many = len(values) if kind == PER_CLASS else len(values["classes"]) if kind == "confusion" else 0
        ax = _new_axes(kind, many)
    into = per_class if kind == PER_CLASS else named(ANALYSES[kind].draw)
    into(ax, values)
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
    ax = _new_axes("iou", 0) if ax is None else ax
    apart = iou == 0
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle="--", label=f"{drawn[score].label} = IoU")
    ax.scatter(iou[~apart], other[~apart], s=4, color=BLUE, alpha=0.4, linewidths=0, label="boxes that overlap")
    ax.scatter(iou[apart], other[apart], s=4, color=ORANGE, alpha=0.4, linewidths=0, label="boxes that do not")
    ax.set(title=f"{drawn[score].label} and IoU of {pairs} random pairs", xlabel="IoU", ylabel=drawn[score].label)
    ax.legend(loc="lower right", markerscale=3)
    return ax


def _new_axes(kind: str, classes: int) -> "Axes":
    from matplotlib import pyplot as plt

    rows = min(classes, MOST_BARS if kind == "per_class" else MOST_CLASSES)
    height = {"per_class": 1.5 + 0.22 * rows, "confusion": 3.0 + 0.25 * rows}.get(kind, 4.5)
    width = {"confusion": 3.5 + 0.27 * rows}.get(kind, 6.0)
    _, ax = plt.subplots(figsize=(max(6.0, width), max(4.5, height)), layout="constrained")
    return ax


def precision_recall(ax: "Axes", data: Series) -> None:
    """Curves of each IoU threshold, and their mean."""
    thresholds, means = data["iou_thresholds"], array(data["mean"])
    # The darker, the stricter.
    for place, (threshold, mean) in enumerate(zip(thresholds, means, strict=True)):
        shade = 0.3 + 0.7 * (place + 1) / len(thresholds)
        name = f"IoU {threshold:.2f}" if place in {0, len(thresholds) // 2, len(thresholds) - 1} else None
        ax.plot(data["recall"], mean, color=BLUE, alpha=shade, linewidth=1, label=name)
    if len(thresholds) > 1:
        ax.plot(data["recall"], means.mean(axis=0), color=ORANGE, linewidth=2, label="mean of all thresholds")
    ax.set(title="Precision over recall, mean of the classes", xlabel="Recall", ylabel="Precision")
    _unit_square(ax)
    # The curves may run anywhere in the square.
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=4, frameon=False, fontsize=8)


def f1(ax: "Axes", data: Series) -> None:
    """Curves of precision, recall and F1, and where F1 is best."""
    styles = {"precision": (BLUE, "--"), "recall": (GREEN, ":"), "f1": (ORANGE, "-")}
    for name, (colour, line) in styles.items():
        label = "F1" if name == "f1" else name
        ax.plot(data["scores"], array(data[name]), color=colour, linestyle=line, label=label)
    if data["best_f1"] is not None:
        ax.axvline(data["best_score"], color=GREY, linewidth=1)
        best = f"best F1: {data['best_f1']:.3f} at {data['best_score']:.2f}"
        ax.plot([data["best_score"]], [data["best_f1"]], "o", color=ORANGE, label=best)
    title = f"Mean of the classes at IoU {data['iou_threshold']:.2f}"
    ax.set(title=title, xlabel="Threshold of scores", ylabel="Value")
    _unit_square(ax)
    ax.legend(loc="best")


def confusion(ax: "Axes", data: Series) -> None:
    """Shares of the objects of each class as a heat map, with their numbers."""
    classes = _words([x["name"] for x in data["classes"]])
    kept, table = series.folded(len(classes), data["cells"], MOST_CLASSES)
    counts = array(table)
    names = [classes[place] for place in kept]
    names += [f"{len(classes) - len(kept)} others"] * (len(classes) > len(kept))
    # Shares of the objects of a class; background has no objects.
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    shares[-1, :] = 0
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    ticks = range(len(names) + 1)
    ax.set_xticks(ticks, [*names, "nothing"], rotation=90)
    ax.set_yticks(ticks, [*names, "background"])
    small = 8 if len(names) <= 12 else 6
    for row, column in zip(*np.nonzero(counts), strict=True):
        colour = "white" if shares[row, column] > 0.6 else "black"
        ax.text(column, row, f"{counts[row, column]:.0f}", ha="center", va="center", color=colour, fontsize=small)
    title = f"Objects by what they were taken for\nscore ≥ {data['score']:g}, IoU ≥ {data['iou_threshold']:g}"
    ax.set(title=title, xlabel="Detected", ylabel="True")


def iou(ax: "Axes", data: Series) -> None:
    """Histogram of the IoU of the true positives."""
    edges = array(data["edges"])
    ax.stairs(data["counts"], edges, fill=True, color=BLUE, label="true positives")
    if data["mean"] is not None:
        ax.axvline(data["mean"], color=ORANGE, label=f"mean {data['mean']:.3f}")
    title = f"IoU of the true positives at IoU {data['iou_threshold']:.2f}"
    ax.set(title=title, xlabel="IoU with the object", ylabel="Detections", xlim=(edges[0], edges[-1]))
    ax.legend(loc="best")


def scores(ax: "Axes", data: Series) -> None:
    """Stacked histogram of the scores of true and false positives."""
    edges, true = array(data["edges"]), array(data["true_positives"])
    ax.stairs(true, edges, fill=True, color=BLUE, label=f"true positives ({true.sum():.0f})")
    wrong = array(data["false_positives"])
    ax.stairs(
        true + wrong,
        edges,
        baseline=true,
        fill=True,
        color=ORANGE,
        hatch="//",
        edgecolor="white",
        linewidth=0,
        label=f"false positives ({wrong.sum():.0f})",
    )
    title = f"Scores of the detections at IoU {data['iou_threshold']:.2f}"
    ax.set(title=title, xlabel="Score", ylabel="Detections", xlim=(edges[0], edges[-1]))
    ax.legend(loc="best")


def calibration(ax: "Axes", data: Series) -> None:
    """Bars of precision by score, and the diagonal that it should follow."""
    edges, precision = array(data["edges"]), array(data["precision"])
    ax.stairs(np.nan_to_num(precision), edges, fill=True, color=BLUE, alpha=0.35, label="precision of the bin")
    ax.plot(
        array(data["confidence"]),
        precision,
        "o-",
        color=BLUE,
        markersize=4,
        label="at its mean score",
    )
    ax.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1, label="calibrated")
    error = "no detections" if data["error"] is None else f"expected calibration error {data['error']:.3f}"
    title = f"Precision by score at IoU {data['iou_threshold']:.2f}\n{error}"
    ax.set(title=title, xlabel="Score", ylabel="Precision")
    _unit_square(ax)
    ax.legend(loc="best")


def errors(ax: "Axes", data: Series) -> None:
    """Bars of the AP that each kind of error costs."""
    counts = data["counts"]
    costs = np.nan_to_num(array([data["cost"][kind] for kind in counts]))
    bars = ax.barh([ERRORS[kind] for kind in counts], costs, color=BLUE)
    ax.bar_label(bars, [f" {cost:.3f} ({many})" for cost, many in zip(costs, counts.values(), strict=True)], padding=2)
    ax.invert_yaxis()
    ax.margins(x=0.25)
    whole = "unknown" if data["ap"] is None else f"{data['ap']:.3f}"
    title = f"What each kind of error costs\nAP at IoU {data['iou_threshold']:.2f} is {whole}"
    ax.set(title=title, xlabel="AP that would be gained (number of errors)")


def per_class(ax: "Axes", data: Sequence[Series]) -> None:
    """Bars of the first number of the summary, the weakest class first."""
    # Rows of a record: id, name, objects, and the numbers in the order of the summary.
    name = next((key for row in data for key in list(row)[3:]), "AP")
    classes, values = _words([row["name"] for row in data]), array([row[name] for row in data])
    scored = np.flatnonzero(~np.isnan(values))
    worst = scored[np.argsort(values[scored], kind="stable")][:MOST_BARS]
    # Names may occur twice, so bars are placed by number.
    bars = ax.barh(range(len(worst)), values[worst], color=BLUE)
    ax.set_yticks(range(len(worst)), [classes[place] for place in worst])
    ax.bar_label(bars, [f"{values[k]:.3f} ({data[k]['objects']})" for k in worst], padding=2, fontsize=7)
    ax.invert_yaxis()
    which = f"the {len(worst)} weakest of {len(scored)} classes" if len(worst) < len(scored) else "each class"
    ax.margins(y=0.01)
    ax.set(title=f"{name} of {which}", xlabel=f"{name} (number of objects)", xlim=(0, 1.18))


def _words(names: Sequence[str]) -> list[str]:
    """Names as they are: matplotlib takes what is between two dollars for mathematics."""
    return [name.replace("$", r"\$") for name in names]


def _unit_square(ax: "Axes") -> None:
    ax.set(xlim=(0, 1), ylim=(0, 1.02))
    ax.grid(visible=True, color="#dddddd", linewidth=0.5)
