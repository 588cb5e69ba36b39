"""Describe charts of a result, from the values of an analysis in a record. `ANALYSES` names the functions."""

from collections.abc import Sequence
from typing import Any

from omniou._lib.brief import counted, reached, threshold
from omniou._results.shown import ALL, FEW_OF_CLASS, first_number
from omniou.report._record import series
from omniou.report._record.charts import Bars, Curve, Drawable, HeatMap, Plane, RankedBars, number, span
from omniou.report._record.series import Series

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


def from_score(score: float | None, at: str) -> str:
    """Return which detections count, at an overlap; all if they have no scores."""
    return f"Score ≥ {threshold(score)}, {at}" if score is not None else at


def confusion(value: Series, overlap: str) -> Drawable:
    """Describe the confusion matrix: detected classes by true classes."""
    return HeatMap(
        title="What objects were taken for",
        note=from_score(value["score"], reached(overlap, value["iou_threshold"])),
        told="Rows are true classes, columns detected ones; the colour is the share of the row.",
        x_label="Detected",
        y_label="True",
        classes=[x["name"] for x in value["classes"]],
        cells=value["cells"],
    )
