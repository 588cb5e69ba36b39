"""What each picture of a result shows, as plain lists: for matplotlib, for the report and for records alike.

Numbers that are not known are None. A function takes a `Result` and gives a dictionary that JSON can hold.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from omniou._lib import host
from omniou.detection import Result

Series: TypeAlias = dict[str, Any]
Numbers: TypeAlias = npt.NDArray[Any]


def precision_recall(result: Result[Any], /) -> Series:
    """Precision over recall: means over classes at each IoU threshold, and each class at the first one."""
    table = array(result.precision[:, :, :, 0, -1])
    return {
        "iou_thresholds": list(result.protocol.iou_thresholds),
        "recall": list(result.protocol.recall_points),
        "mean": listed(mean_of_known(table, axis=2)),
        "per_class": listed(table[0].T),
    }


def f1(result: Result[Any], /) -> Series:
    """Precision, recall and F1 over the threshold of scores, means over the classes that have objects."""
    points = result.operating_points()
    present = ~np.isnan(array(points.f1)).all(axis=1)
    columns = {name: array(getattr(points, name))[present] for name in ("precision", "recall", "f1")}
    return {
        "iou_threshold": points.iou_threshold,
        "scores": listed(points.scores),
        **{name: listed(mean_of_known(x, axis=0)) for name, x in columns.items()},
        "best_f1": known(points.common_f1),
        "best_score": known(points.common_score),
    }


def confusion(result: Result[Any], /, score: float = 0.25) -> Series:
    """Counts of true classes by detected ones, background last."""
    return {"score": score, "iou_threshold": _first(result), "counts": listed(result.confusion(score).counts)}


def iou(result: Result[Any], /, bins: int = 20) -> Series:
    """Histogram of the IoU of the true positives at the first IoU threshold."""
    matches = result.matches
    overlaps = array(matches.overlaps)[0][array(matches.hits)[0]]
    threshold = _first(result)
    # Scores other than IoU may lie out of [0, 1].
    low, high = min([threshold, *overlaps.tolist()]), max([1.0, *overlaps.tolist()])
    counts, edges = np.histogram(overlaps, bins, (low, high))
    mean = float(overlaps.mean()) if overlaps.size else None
    return {"iou_threshold": threshold, "edges": listed(edges), "counts": listed(counts), "mean": mean}


def scores(result: Result[Any], /, bins: int = 20) -> Series:
    """Histogram of the scores of true and of false positives at the first IoU threshold."""
    matches = result.matches
    given, hits, false = array(matches.scores), array(matches.hits)[0], array(matches.false_alarms)[0]
    counted = given[hits | false]
    inside = not counted.size or (counted.min() >= 0 and counted.max() <= 1)
    span = (0.0, 1.0) if inside else (float(counted.min()), float(counted.max()))
    (true, edges), (wrong, _) = (np.histogram(given[which], bins, span) for which in (hits, false))
    return {
        "iou_threshold": _first(result),
        "edges": listed(edges),
        "true_positives": listed(true),
        "false_positives": listed(wrong),
    }


def calibration(result: Result[Any], /, bins: int = 20) -> Series:
    """Precision beside the mean score, in bins of scores."""
    table = result.calibration(bins=bins)
    arrays = {name: listed(getattr(table, name)) for name in ("edges", "counts", "confidence", "precision")}
    return {"iou_threshold": table.iou_threshold, **arrays, "error": known(table.error)}


def errors(result: Result[Any], /) -> Series:
    """Kinds of errors: how many there are, and the AP that each costs."""
    table = result.errors()
    kinds = list(table.counts)
    return {
        "iou_threshold": _first(result),
        "ap": known(table.ap),
        "kinds": kinds,
        "counts": [table.counts[name] for name in kinds],
        "cost": [known(table.cost[name]) for name in kinds],
    }


def per_class(result: Result[Any], /) -> Series:
    """The numbers of the summary for each class, and how many objects it has."""
    columns = {name: listed(x) for name, x in result.per_class.items()}
    return {"objects": listed(array(result.objects)[:, 0]), "numbers": columns}


def folded(counts: Sequence[Sequence[int]], most: int, /) -> tuple[list[int], list[list[int]]]:
    """A table of confusion (K + 1, K + 1) with at most so many classes, the others summed up as one more.

    Kept are the classes with the most errors, in their own order. Gives their places, and the table: the kept classes,
    the rest if there is any, and background.
    """
    table = np.asarray(counts, dtype=np.int64)
    size = table.shape[0] - 1
    wrong = table.sum(axis=0) + table.sum(axis=1) - 2 * np.diagonal(table)
    kept = sorted(np.argsort(-wrong[:size], kind="stable")[:most].tolist()) if size > most else list(range(size))
    rest = [k for k in range(size) if k not in set(kept)]
    for axis in (0, 1):
        parts = [np.take(table, kept, axis=axis), np.take(table, [size], axis=axis)]
        if rest:
            parts.insert(1, np.take(table, rest, axis=axis).sum(axis=axis, keepdims=True))
        table = np.concatenate(parts, axis=axis)
    return kept, table.tolist()


def array(x: Any, /) -> Numbers:
    """An array of any library and device, or lists with None, as NumPy's."""
    if isinstance(x, list | tuple):
        return np.asarray(x, dtype=np.float64)
    return np.asarray(host.to_host({"x": x}, always=True)[1]["x"])


def listed(x: Any, /) -> list[Any]:
    """Python's numbers, None for NaN."""
    rows = array(x).tolist()
    return [listed(row) if isinstance(row, list) else known(row) for row in rows]


def known(x: Any, /) -> Any:
    """A number, None for NaN."""
    return None if x != x else x  # noqa: PLR0124


def mean_of_known(x: Numbers, /, axis: int) -> Numbers:
    """Means of what is not NaN, NaN where nothing is."""
    some = ~np.isnan(x)
    counts = some.sum(axis=axis)
    return np.where(some, x, 0.0).sum(axis=axis) / np.where(counts, counts, np.nan)


def _first(result: Result[Any], /) -> float:
    return result.protocol.iou_thresholds[0]
