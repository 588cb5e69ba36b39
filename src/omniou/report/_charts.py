"""The charts of the page: from the values of an analysis, as a record has them, to SVG and words.

`ANALYSES` names them.
"""

import dataclasses
from collections.abc import Sequence
from typing import TypeAlias

from markupsafe import Markup

from omniou.report import _series as series
from omniou.report import _svg as svg
from omniou.report._analyses import ERRORS
from omniou.report._series import Series

Drawn: TypeAlias = list[svg.Line | svg.Bars | Markup]

# Classes of the heat map; the others are summed up.
_MOST_CLASSES = 15


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A picture and what is said below it."""

    id: str
    svg: Markup
    caption: str
    legend: Sequence[tuple[str, str]] = ()
    threshold: str = ""
    wide: bool = False


def precision_recall(identity: str, value: Series) -> Chart:
    """Two thresholds and the mean of all."""
    thresholds, recall, means = value["iou_thresholds"], value["recall"], value["mean"]
    chosen = series.chosen_thresholds(thresholds)
    drawn: Drawn = [
        svg.Line(list(zip(recall, means[k], strict=True)), style) for k, style in zip(chosen, "ac", strict=False)
    ]
    legend = [(f"line {style}", f"IoU {thresholds[k]:.2f}") for k, style in zip(chosen, "ac", strict=False)]
    if len(thresholds) > 1:
        drawn.append(svg.Line(list(zip(recall, series.mean_of_all(means), strict=True)), "mean"))
        legend.append(("line mean", "mean of all thresholds"))
    legend.append(("line picked", "one class, if chosen"))
    middle = len(recall) // 2
    at_half = ", ".join(f"{_number(means[k][middle])} at IoU {thresholds[k]:.2f}" for k in chosen)
    title = "Precision over recall, mean of the classes"
    plane = svg.Plane(x_label="Recall", y_label="Precision")
    told = f"At recall {recall[middle]:g} the precision is {at_half}." if recall else "No recall points."
    picture = svg.chart(identity, title, told, plane, drawn)
    return Chart(
        id=f"{identity}-f", svg=picture, caption=f"{title}. {told}", legend=legend, threshold=f"{thresholds[0]:.2f}"
    )


def f1(identity: str, value: Series) -> Chart:
    """Precision, recall and F1, and where F1 is best."""
    styles = {"f1": "a", "precision": "b", "recall": "c"}
    scores, best = value["scores"], value["best_score"]
    drawn: Drawn = [svg.Line(list(zip(scores, value[name], strict=True)), style) for name, style in styles.items()]
    span = _span(scores)
    plane = svg.Plane(x=span, x_label="Threshold of scores", y_label="Value")
    told = "There is no best F1."
    if best is not None:
        drawn.append(svg.Line([(best, 0.0), (best, 1.0)], "ideal"))
        told = f"The best mean F1 is {value['best_f1']:.3f}, at a score of {best:.2f}."
    title = f"F1 over the threshold of scores, mean of the classes at IoU {value['iou_threshold']:.2f}"
    legend = [(f"line {style}", "F1" if name == "f1" else name) for name, style in styles.items()]
    return Chart(
        id=f"{identity}-f",
        svg=svg.chart(identity, title, told, plane, drawn),
        caption=f"{title}. {told}",
        legend=legend,
    )


def scores(identity: str, value: Series) -> Chart:
    """True positives below, false positives above them."""
    edges, true, false = value["edges"], value["true_positives"], value["false_positives"]
    both = [a + b for a, b in zip(true, false, strict=True)]
    plane = svg.Plane(x=_span(edges), y=(0, max([*both, 1]) * 1.05), x_label="Score", y_label="Detections")
    titles = [[f"{count} {what}" for count in x] for x, what in ((true, "true positives"), (false, "false positives"))]
    drawn: Drawn = [svg.Bars(edges, [0] * len(true), true, "a", titles[0]), svg.Bars(edges, true, both, "b", titles[1])]
    title = f"Scores of true and false positives at IoU {value['iou_threshold']:.2f}"
    told = f"{sum(true)} true positives, {sum(false)} false positives."
    legend = [("a", "true positives"), ("b", "false positives")]
    return Chart(
        id=f"{identity}-f",
        svg=svg.chart(identity, title, told, plane, drawn),
        caption=f"{title}. {told}",
        legend=legend,
    )


def iou(identity: str, value: Series) -> Chart:
    """A bar for each bin, and the mean."""
    edges, counts, mean = value["edges"], value["counts"], value["mean"]
    plane = svg.Plane(x=_span(edges), y=(0, max([*counts, 1]) * 1.05), x_label="IoU", y_label="True positives")
    drawn: Drawn = [svg.Bars(edges, [0] * len(counts), counts, "a", [f"{x} true positives" for x in counts])]
    told = "There are none."
    if mean is not None:
        drawn.append(svg.Line([(mean, 0.0), (mean, plane.y[1])], "b"))
        told = f"Their mean is {mean:.3f}, the dashed line."
    title = f"IoU of the true positives at IoU {value['iou_threshold']:.2f}"
    return Chart(id=f"{identity}-f", svg=svg.chart(identity, title, told, plane, drawn), caption=f"{title}. {told}")


def calibration(identity: str, value: Series) -> Chart:
    """Precision of each bin, and the diagonal."""
    edges, precision = value["edges"], [x or 0.0 for x in value["precision"]]
    told = [f"precision {x:.3f} of {many}" for x, many in zip(precision, value["counts"], strict=True)]
    points = [(x, y) for x, y in zip(value["confidence"], value["precision"], strict=True) if x is not None]
    drawn: Drawn = [
        svg.Bars(edges, [0] * len(precision), precision, "pale", told),
        svg.Line([(0, 0), (1, 1)], "ideal"),
        svg.Line(points, "a"),
    ]
    title = f"Precision by score at IoU {value['iou_threshold']:.2f}"
    error = value["error"]
    words = "No detections." if error is None else f"The expected calibration error is {error:.3f}."
    plane = svg.Plane(x_label="Mean score", y_label="Precision")
    legend = [("line a", "precision of a bin"), ("line ideal", "calibrated")]
    return Chart(
        id=f"{identity}-f",
        svg=svg.chart(identity, title, words, plane, drawn),
        caption=f"{title}. {words}",
        legend=legend,
    )


def errors(identity: str, value: Series) -> Chart:
    """A bar for each kind."""
    costs, counts = value["cost"], value["counts"]
    rows = [(ERRORS[kind], costs[kind], f"{_number(costs[kind])} ({many})") for kind, many in counts.items()]
    title = f"What each kind of error costs at IoU {value['iou_threshold']:.2f}"
    worst = max(rows, key=lambda row: row[1] or 0.0, default=("", None, ""))
    told = f"AP is {_number(value['ap'])}; {worst[0]} costs most."
    picture = svg.bars_across(identity, title, told, rows, "AP that would be gained (errors)")
    return Chart(id=f"{identity}-f", svg=picture, caption=f"{title}. {told}")


def confusion(identity: str, value: Series) -> Chart:
    """The classes with most errors, the others summed up."""
    names = [x["name"] for x in value["classes"]]
    kept, table = series.folded(len(names), value["cells"], _MOST_CLASSES)
    others = [f"{len(names) - len(kept)} others"] * (len(kept) < len(names))
    shown = [*(names[place] for place in kept), *others]
    at = f"score ≥ {value['score']:g}, IoU ≥ {value['iou_threshold']:g}"
    title = f"What objects were taken for ({at})"
    told = "Rows are true classes, columns detected ones; the colour is the share of the row."
    picture = svg.heat_map(identity, title, told, ([*shown, "background"], [*shown, "nothing"]), table)
    return Chart(id=f"{identity}-f", svg=picture, caption=f"{title}. {told}", wide=True)


def _number(x: float | None) -> str:
    return "unknown" if x is None else f"{x:.3f}"


def _span(edges: Sequence[float]) -> tuple[float, float]:
    low, high = (edges[0], edges[-1]) if edges else (0.0, 1.0)
    return (low, high) if high > low else (low - 0.5, low + 0.5)
