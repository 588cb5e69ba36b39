"""What a record may hold beside the numbers: one entry for each analysis.

A new entry of `ANALYSES` has an option of the command, a place in the JSON, and tables in every output.
"""

import dataclasses
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from omniou.detection import Result
from omniou.report._record import Record
from omniou.report._tables import Table
from omniou.report._values import plain


class Source(NamedTuple):
    """What an analysis is computed from.

    Attributes
    ----------
    result : Result
    names : mapping of int to str
        Of classes; a class without one is called by its id.
    images : mapping of int to str
        Names of images, likewise.
    """

    result: Result[Any]
    names: Mapping[int, str]
    images: Mapping[int, str]

    def name(self, label: int) -> str:
        """Of a class."""
        return self.names.get(label, str(label))

    def image(self, id: int) -> str:
        """The name of an image."""
        return self.images.get(id, str(id))


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """An analysis, and how it is shown.

    Attributes
    ----------
    title : str
    help : str
        Of its option in the command.
    compute : callable
        `Source` -> values of JSON. ValueError where the data has not what it takes.
    tables : callable
        These values and the record -> list of `Table`.
    draw : str
        ``"module:function"`` of what draws it; empty where nothing does.
    default : bool
        Whether the command computes it unasked.
    """

    title: str
    help: str
    compute: Callable[[Source], Any]
    tables: Callable[[Any, Record], list[Table]]
    draw: str = ""
    default: bool = False


def _errors(source: Source) -> Any:
    breakdown = source.result.errors()
    threshold = source.result.protocol.iou_thresholds[0]
    return plain(
        {"iou_threshold": threshold, "ap": breakdown.ap, "cost": breakdown.cost, "counts": breakdown.counts},
    )


_KINDS = {
    "classification": "wrong class",
    "localisation": "loose box",
    "both": "wrong class and loose box",
    "duplicate": "duplicate",
    "background": "background",
    "missed": "missed object",
}


def _error_tables(value: Any, _: Record) -> list[Table]:
    cost, counts = value["cost"], value["counts"]
    rows = [(words, cost[kind], counts[kind]) for kind, words in _KINDS.items()]
    rows.sort(key=lambda row: -row[1])
    title = f"What AP at IoU {value['iou_threshold']:g} loses by each kind of error (AP there: {value['ap']:.3f})"
    return [Table(title, ("error", "AP lost", "count"), rows, "Each alone, if it were mended: they do not add up.")]


def _thresholds(source: Source) -> Any:
    points = source.result.operating_points()
    rows = zip(source.result.state.classes.tolist(), plain(points.best_f1), plain(points.best_score), strict=True)
    return plain(
        {
            "iou_threshold": points.iou_threshold,
            "common_f1": points.common_f1,
            "common_score": points.common_score,
            "per_class": [
                {"id": label, "name": source.name(label), "f1": f1, "score": score} for label, f1, score in rows
            ],
        }
    )


def _threshold_tables(value: Any, _: Record) -> list[Table]:
    title = f"Score thresholds of the best F1, at IoU {value['iou_threshold']:g}"
    rows = [("all classes", value["common_score"], value["common_f1"])]
    rows += [(x["name"], x["score"], x["f1"]) for x in value["per_class"] if x["f1"] is not None]
    return [Table(title, ("class", "score", "F1"), rows)]


# Detections below this score are not looked at for confusion.
_SCORE = 0.25
_PAIRS = 10


def _confusion(source: Source) -> Any:
    """The cells that are not 0, as (true, detected, count): a place in "classes", or their number for "nothing"."""
    table = source.result.confusion(_SCORE)
    labels, counts = plain(table.classes), plain(table.counts)
    cells = [[i, j, n] for i, row in enumerate(counts) for j, n in enumerate(row) if n]
    threshold = source.result.protocol.iou_thresholds[0]
    return {
        "iou_threshold": threshold,
        "score": _SCORE,
        "classes": [{"id": label, "name": source.name(label)} for label in labels],
        "cells": cells,
    }


def _confusion_tables(value: Any, _: Record) -> list[Table]:
    names = [*(x["name"] for x in value["classes"]), "(nothing)"]
    wrong = [cell for cell in value["cells"] if cell[0] != cell[1]]
    between = sorted((x for x in wrong if len(names) - 1 not in x[:2]), key=lambda x: -x[2])[:_PAIRS]
    at = f"score at least {value['score']:g}, IoU {value['iou_threshold']:g}"
    pairs = [(names[i], names[j], n) for i, j, n in between]
    right = sum(n for i, j, n in value["cells"] if i == j)
    invented, missed = (sum(x[2] for x in wrong if x[k] == len(names) - 1) for k in (0, 1))
    confused = sum(x[2] for x in wrong) - invented - missed
    sums = [("right class", right), ("another class", confused), ("found nothing", invented), ("not found", missed)]
    return [
        Table(f"Detections and objects paired whatever their class ({at})", ("outcome", "count"), sums),
        Table("Classes most often taken for another", ("class", "detected as", "count"), pairs),
    ]


def _calibration(source: Source) -> Any:
    return plain(source.result.calibration(bins=10))


def _calibration_tables(value: Any, _: Record) -> list[Table]:
    edges = value["edges"]
    rows = [
        (f"{low:.1f} to {high:.1f}", count, confidence, precision)
        for low, high, count, confidence, precision in zip(
            edges, edges[1:], value["counts"], value["confidence"], value["precision"], strict=False
        )
    ]
    title = f"Calibration at IoU {value['iou_threshold']:g}: mean score beside precision"
    error, most = (_or_dash(value[name]) for name in ("error", "largest"))
    note = f"Expected calibration error {error}; largest {most}."
    return [Table(title, ("scores", "detections", "mean score", "precision"), rows, note)]


def _or_dash(x: float | None) -> str:
    return "-" if x is None else f"{x:.3f}"


def _lrp(source: Source) -> Any:
    return plain(source.result.lrp.summary())


_LRP = {
    "oLRP": "oLRP",
    "oLRP_localisation": "localisation",
    "oLRP_false_positives": "false positives",
    "oLRP_false_negatives": "false negatives",
}


def _lrp_tables(value: Any, _: Record) -> list[Table]:
    rows = [(words, value[name]) for name, words in _LRP.items()]
    return [Table("Optimal LRP and its parts (lower is better)", ("part", "error"), rows)]


ANALYSES: Mapping[str, Analysis] = MappingProxyType(
    {
        "errors": Analysis(
            title="Errors",
            help="What AP loses by each kind of error.",
            compute=_errors,
            tables=_error_tables,
            default=True,
        ),
        "thresholds": Analysis(
            title="Score thresholds",
            help="The score threshold with the best F1, of each class and of all.",
            compute=_thresholds,
            tables=_threshold_tables,
        ),
        "confusion": Analysis(
            title="Confusion",
            help="Which classes are taken for which.",
            compute=_confusion,
            tables=_confusion_tables,
        ),
        "calibration": Analysis(
            title="Calibration",
            help="Whether scores are probabilities.",
            compute=_calibration,
            tables=_calibration_tables,
        ),
        "lrp": Analysis(
            title="LRP",
            help="Localisation recall precision.",
            compute=_lrp,
            tables=_lrp_tables,
        ),
    }
)
"""All analyses by name."""
