"""Compute curves and histograms of a result as values of JSON and as tables; pictures are drawn from them.

Unknown numbers are None.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from omniou._lib.brief import threshold
from omniou.detection import Result
from omniou.report._record.tables import Table
from omniou.report._record.values import array, plain

if TYPE_CHECKING:  # most evaluations have none of them
    from omniou.detection import LRP, Breakdown, Calibration, Confusion, HeadingAP, OperatingPoints, Proposals
    from omniou.report._record.record import Record

Series: TypeAlias = dict[str, Any]
Numbers: TypeAlias = npt.NDArray[Any]

# Decimals of curves, which have 101 numbers for each class.
_DIGITS = 5
# The largest difference between a mean number of proposals and a whole number that it stands for.
_NEAR = 1e-3


def precision_recall(result: Result[Any], /) -> Series:
    """Compute precision over recall: means over classes by threshold (T, R), and classes at the first (K, R)."""
    table = array(result.precision[:, :, :, 0, -1])
    return {
        "iou_thresholds": list(result.protocol.iou_thresholds),
        "recall": list(result.protocol.recall_points),
        "mean": plain(mean_of_known(table, axis=2).round(_DIGITS)),
        "per_class": plain(table[0].T.round(_DIGITS)),
    }


def precision_recall_tables(value: Series, record: "Record") -> list[Table]:
    """Make a table of means over classes at every tenth of recall: at the first IoU threshold, at 0.75, and of all."""
    recall, thresholds, means = value["recall"], value["iou_thresholds"], value["mean"]
    columns = {f"{record.shapes.overlap} {threshold(thresholds[k])}": means[k] for k in chosen_thresholds(thresholds)}
    if len(thresholds) > 1:
        columns["mean of all"] = mean_of_all(means)
    step = max(1, (len(recall) - 1) // 10)
    rows = [(f"{recall[k]:.2f}", *(x[k] for x in columns.values())) for k in range(0, len(recall), step)]
    return [Table("Precision over recall, mean of the classes", ("recall", *columns), rows)]


def chosen_thresholds(thresholds: Sequence[float]) -> list[int]:
    """Return the places of the first IoU threshold and of 0.75: few enough to distinguish their curves."""
    return [place for place, threshold in enumerate(thresholds) if place == 0 or threshold == 0.75]


def mean_of_all(means: Sequence[Sequence[float | None]]) -> list[float | None]:
    """Compute the mean over thresholds of (T, R) at each recall (R,)."""
    means_of_all: list[float | None] = plain(mean_of_known(np.asarray(means, dtype=np.float64), axis=0))
    return means_of_all


def f1(points: "OperatingPoints[Any]", /) -> Series:
    """Compute precision, recall and F1 over the score threshold, as means over the classes that have objects."""
    present = ~np.isnan(array(points.f1)).all(axis=1)
    columns = {name: array(getattr(points, name))[present] for name in ("precision", "recall", "f1")}
    return {
        "iou_threshold": points.iou_threshold,
        "scores": plain(points.scores),
        **{name: plain(mean_of_known(x, axis=0).round(_DIGITS)) for name, x in columns.items()},
        "best_f1": known(points.common_f1),
        "best_score": known(points.common_score),
    }


def f1_tables(value: Series, record: "Record") -> list[Table]:
    """Precision, recall and F1 at every tenth of the scores."""
    columns = [value[name] for name in ("precision", "recall", "f1")]
    step = max(1, (len(value["scores"]) - 1) // 10)
    rows = [(threshold(value["scores"][k]), *(x[k] for x in columns)) for k in range(0, len(value["scores"]), step)]
    at = f"{record.shapes.overlap} {value['iou_threshold']:g}"
    title = f"Precision, recall and F1 by score threshold, mean of the classes at {at}"
    return [Table(title, ("score", "precision", "recall", "F1"), rows)]


def iou(result: Result[Any], bins: int, /) -> Series:
    """Compute the histogram of the overlap of true positives at the first IoU threshold."""
    matches = result.matches
    overlaps = array(matches.overlaps)[0][array(matches.hits)[0]]
    threshold = result.protocol.iou_thresholds[0]
    # Scores other than IoU may lie out of [0, 1].
    best = min(0.0, threshold) if result.protocol.measure == "distance" else max(1.0, threshold)
    low, high = (end([threshold, best, *overlaps.tolist()]) for end in (min, max))
    counts, edges = np.histogram(overlaps, bins, (low, high))
    mean = float(overlaps.mean()) if overlaps.size else None
    return {"iou_threshold": threshold, "edges": plain(edges), "counts": plain(counts), "mean": mean}


def iou_tables(value: Series, record: "Record") -> list[Table]:
    """A row for each bin."""
    overlap = record.shapes.overlap
    note = "No true positives." if value["mean"] is None else f"Mean {overlap} {value['mean']:.3f}."
    title = f"{overlap} of the true positives at {overlap} {value['iou_threshold']:g}"
    return [Table(title, (overlap, "true positives"), _bins(value["edges"], value["counts"]), note)]


def scores(result: Result[Any], bins: int, /) -> Series:
    """Compute the histogram of the scores of true and of false positives at the first IoU threshold."""
    matches = result.matches
    given, hits, false = array(matches.scores), array(matches.hits)[0], array(matches.false_alarms)[0]
    counted = given[hits | false]
    inside = not counted.size or (counted.min() >= 0 and counted.max() <= 1)
    span = (0.0, 1.0) if inside else (float(counted.min()), float(counted.max()))
    (true, edges), (wrong, _) = (np.histogram(given[which], bins, span) for which in (hits, false))
    return {
        "iou_threshold": result.protocol.iou_thresholds[0],
        "edges": plain(edges),
        "true_positives": plain(true),
        "false_positives": plain(wrong),
    }


def score_tables(value: Series, record: "Record") -> list[Table]:
    """A row for each bin."""
    rows = _bins(value["edges"], value["true_positives"], value["false_positives"])
    title = f"Scores of detections at {record.shapes.overlap} {value['iou_threshold']:g}"
    return [Table(title, ("scores", "true positives", "false positives"), rows)]


def folded(size: int, cells: Sequence[Sequence[int]], most: int, /) -> tuple[list[int], list[list[int]]]:
    """Fold cells (true, detected, count) of `size` classes to a table with at most `most` classes.

    The classes with the most errors are kept, in their own order. Return their places, and the table: the kept classes,
    the sum of the others if there are any, and background. With 3 classes and `most` 1, the cells (0, 1, 2) and
    (0, 2, 1) keep class 0: rows and columns are class 0, others, background, and the first row is 0, 3, 0.
    """
    table = np.zeros((size + 1, size + 1), dtype=np.int64)
    for true, detected, count in cells:
        table[true, detected] = count
    # Errors of a class: its row and its column, without the diagonal, which is in both.
    wrong = table.sum(axis=0) + table.sum(axis=1) - 2 * np.diagonal(table)
    kept = sorted(np.argsort(-wrong[:size], kind="stable")[:most].tolist()) if size > most else list(range(size))
    rest = [k for k in range(size) if k not in set(kept)]
    # Rows first, then columns: the classes kept, the sum of the others, background.
    for axis in (0, 1):
        parts = [np.take(table, kept, axis=axis), np.take(table, [size], axis=axis)]
        if rest:
            parts.insert(1, np.take(table, rest, axis=axis).sum(axis=axis, keepdims=True))
        table = np.concatenate(parts, axis=axis)
    return kept, table.tolist()


# Mean numbers of proposals in the tables of papers.
_REPORTED = (1, 5, 10, 50, 100)


def proposals(found: "Proposals[Any]", /) -> Series:
    """Compute average recall by mean number of proposals."""
    columns = {name: plain(array(getattr(found, name)).round(_DIGITS)) for name in ("numbers", "average_recall")}
    return {"iou_thresholds": list(found.thresholds), **columns, "area": plain(found.area)}


def proposal_tables(value: Series, record: "Record") -> list[Table]:
    """Average recall at the numbers of proposals that papers report."""
    overlap = record.shapes.overlap
    at = [k for k, x in enumerate(value["numbers"]) if any(abs(x - most) < _NEAR for most in _REPORTED)]
    rows = [(f"{value['numbers'][k]:g}", value["average_recall"][k]) for k in at]
    low, high = value["iou_thresholds"][0], value["iou_thresholds"][-1]
    title = (
        f"Average recall by proposals of a {record.shapes.holder}, all classes as one, at {overlap} {low:g} to {high:g}"
    )
    note = "No proposals." if value["area"] is None else f"Area below the curve: {value['area']:.3f}."
    return [Table(title, ("proposals", "average recall"), rows, note)]


def errors(breakdown: "Breakdown[Any]", /) -> Series:
    """Return cost and number of each error type."""
    return {name: plain(getattr(breakdown, name)) for name in ("iou_threshold", "ap", "cost", "counts")}


def calibration(found: "Calibration[Any]", /) -> Series:
    """Its fields."""
    return own(found)


def own(found: Any, /) -> Series:
    """Return the fields of an analysis, without the words that all analyses have."""
    return {name: x for name, x in plain(found).items() if name not in {"class_names", "overlap", "holder"}}


def confusion(table: "Confusion[Any]", names: Sequence[str], /) -> Series:
    """The cells that are not 0, as (true, detected, count): a place in "classes", or their number for "nothing"."""
    return {
        "iou_threshold": table.iou_threshold,
        "score": plain(table.score),
        "classes": [{"id": label, "name": name} for label, name in zip(plain(table.classes), names, strict=True)],
        "cells": [[i, j, n] for i, row in enumerate(plain(table.counts)) for j, n in enumerate(row) if n],
    }


LRP_PARTS = {
    "oLRP": "oLRP",
    "oLRP_localisation": "localisation",
    "oLRP_false_positives": "false positives",
    "oLRP_false_negatives": "false negatives",
}
"""Parts of oLRP in words."""


def of_summary(found: "LRP[Any] | HeadingAP[Any]", /) -> Series:
    """Return the means at the first threshold."""
    return {"iou_threshold": found.thresholds[0], "summary": plain(found.summary)}


def known(x: Any, /) -> Any:
    """Return a number, or None for NaN."""
    return None if x != x else x  # noqa: PLR0124


def mean_of_known(x: Numbers, /, axis: int) -> Numbers:
    """Compute means of the numbers that are not NaN; NaN if there are none."""
    some = ~np.isnan(x)
    counts = some.sum(axis=axis)
    return np.asarray(np.where(some, x, 0.0).sum(axis=axis) / np.where(counts, counts, np.nan))


def _bins(edges: Sequence[float], *counts: Sequence[int]) -> list[tuple[str | int, ...]]:
    """Return a row for each bin: its edges, and its counts."""
    return [(f"{edges[k]:.3g} to {edges[k + 1]:.3g}", *(x[k] for x in counts)) for k in range(len(edges) - 1)]
