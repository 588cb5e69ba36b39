"""Values, tables and charts of recall by false positives, of the best detections, and of images without objects."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from omniou._lib.brief import threshold
from omniou.detection import FROC, EmptyImages, MissRate, TopK
from omniou.report._record.charts import Curve, Drawable, Plane, number, span
from omniou.report._record.series import Series, own
from omniou.report._record.tables import Table
from omniou.report._record.values import array, plain

if TYPE_CHECKING:
    from omniou.report._record.record import Record

# Decimals of curves and of classes.
_DIGITS = 5
_MOST_TICKS = 10
Classes = Sequence[dict[str, Any]]
"""Id and name of each class; empty where only a picture is drawn."""


def froc(found: FROC[Any], classes: Classes = (), /) -> Series:
    """Compute recall over false positives for each image, of all classes together and of each."""
    return _by_class(found, classes, recall="per_class", mean="per_class_mean")


def miss_rate(found: MissRate[Any], classes: Classes = (), /) -> Series:
    """Compute the miss rate over false positives for each image, of all classes together and of each."""
    return _by_class(found, classes, miss_rate="per_class", log_average="per_class_log_average")


def top_k(found: TopK[Any], classes: Classes = (), /) -> Series:
    """Compute precision and recall of the best detections, of all classes together and of each."""
    return _by_class(found, classes, precision="per_class_precision", recall="per_class_recall")


def empty_images(found: EmptyImages[Any], classes: Classes = (), /) -> Series:
    """Compute numbers over images at each score; of each class at the score of the best F1."""
    value = _by_class(found, classes, empty="per_class_empty", specificity="per_class_specificity", f1="per_class_f1")
    at_best = [
        row | {name: row[name][found.best_place] for name in ("specificity", "f1")} for row in value["per_class"]
    ]
    return value | {"per_class": at_best}


def _by_class(found: Any, classes: Classes, /, **names: str) -> Series:
    """Return the fields of an analysis; `names` lists those of single classes, by their names in a row."""
    value = own(found) | {"holder": found.holder}
    value |= {
        name: plain(array(getattr(found, name)).round(_DIGITS)) for name in ("curve", *names.values()) if name in value
    }
    rows = zip(classes, *map(value.pop, names.values()), strict=False)
    return value | {"per_class": [row | dict(zip(names, values, strict=True)) for row, *values in rows]}


def froc_tables(value: Series, record: "Record") -> list[Table]:
    """A row for all classes and one for each."""
    title = f"FROC: recall by false positives for each {value['holder']} {_at(value, record)}"
    return [_class_table(title, [f"{x:g}" for x in value["rates"]], value, "recall", "mean")]


def miss_rate_tables(value: Series, record: "Record") -> list[Table]:
    """A row for all classes and one for each."""
    title = f"Miss rate by false positives for each {value['holder']} {_at(value, record)}"
    return [_class_table(title, [f"{x:.2g}" for x in value["rates"]], value, "miss_rate", "log_average")]


def top_k_tables(value: Series, record: "Record") -> list[Table]:
    """A table of precision and a table of recall, with a row for all classes and one for each."""
    where = f"of each {value['holder']}" if value["per"] == "image" else "of all"
    names = list(map(str, value["numbers"]))
    return [
        _class_table(f"{kind.capitalize()} of the best detections {where} {_at(value, record)}", names, value, kind)
        for kind in ("precision", "recall")
    ]


def _class_table(title: str, headings: list[str], value: Series, name: str, mean: str = "") -> Table:
    last = [mean] if mean else []
    rows = [
        (row.get("name", "all classes"), *row[name], *(row[x] for x in last)) for row in (value, *value["per_class"])
    ]
    # The only class is all classes; classes without any number are not listed.
    rows = rows[-1:] if len(rows) == 2 else [rows[0], *(row for row in rows[1:] if any(x is not None for x in row[1:]))]
    return Table(title, ("class", *headings, *(x.replace("_", "-") for x in last)), rows)


# Columns of images, by name.
_OVER_IMAGES = {
    "specificity": "empty without detections",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "image_f1": "mean F1",
    "perfect": "without errors",
}


def empty_image_tables(value: Series, record: "Record") -> list[Table]:
    """Numbers over images at every tenth of the scores, and of each class at the score of the best F1."""
    holders, scores = f"{value['holder']}s", value["scores"]
    step = max(1, (len(scores) - 1) // 10)
    rows = [(threshold(scores[k]), *(value[name][k] for name in _OVER_IMAGES)) for k in range(0, len(scores), step)]
    title = f"{holders.capitalize()} with and without objects"
    note = (
        f"{value['empty']} of {value['images']} {holders} are empty. Precision, recall and F1: whether the {holders} "
        f"with a detection have objects. Mean F1: of the detections of each {value['holder']}."
    )
    tables = [Table(f"{title} by score threshold {_at(value, record)}", ("score", *_OVER_IMAGES.values()), rows, note)]
    if value["best_score"] is not None and len(value["per_class"]) > 1:
        each = [(x["name"], x["empty"], x["specificity"], x["f1"]) for x in value["per_class"]]
        headings = ("class", "empty", "empty without detections", "F1")
        tables.append(Table(f"{title} of each class at score {threshold(value['best_score'])}", headings, each))
    return tables


def _at(value: Series, record: "Record") -> str:
    return f"at {record.shapes.overlap} {threshold(value['iou_threshold'])}"


def froc_chart(value: Series, overlap: str) -> Drawable:
    """Describe recall over false positives for each image, all classes together."""
    return Plane(
        title=f"FROC: recall by false positives at {overlap} {threshold(value['iou_threshold'])}",
        note=f"All classes together; the mean at the points is {number(value['mean'])}",
        y_label="Recall",
        **_over_rates(value, value["recall"]),
    )


def miss_rate_chart(value: Series, overlap: str) -> Drawable:
    """Describe the miss rate over false positives for each image, all classes together."""
    return Plane(
        title=f"Miss rate by false positives at {overlap} {threshold(value['iou_threshold'])}",
        note=f"All classes together; the log-average at the points is {number(value['log_average'])}",
        y_label="Miss rate",
        **_over_rates(value, value["miss_rate"]),
    )


def _over_rates(value: Series, read: Sequence[float | None]) -> dict[str, Any]:
    # Points without a line: each is between two unknown ones.
    points = [x for point in zip(value["rates"], read, strict=True) for x in (point, (None, None))]
    curves = [Curve(value["curve"], "a"), Curve(points, "b", dots=True)]
    return {"curves": curves, **over_numbers(value["rates"], f"False positives for each {value['holder']}")}


def over_numbers(numbers: Sequence[float], label: str) -> dict[str, Any]:
    """Return the fields of a chart over some positive numbers: a logarithmic axis with ticks at them."""
    beyond = 1.1 if len(numbers) > 1 else 2.0
    ends = (numbers[0] / beyond, numbers[-1] * beyond)
    # More ticks could not be read.
    return {"x": ends, "ticks": numbers[:: -(-len(numbers) // _MOST_TICKS)], "x_label": label}


def top_k_chart(value: Series, overlap: str) -> Drawable:
    """Describe precision and recall over the number of the best detections."""
    numbers, where = value["numbers"], f"of each {value['holder']}" if value["per"] == "image" else "of all"
    styles = {"precision": "b", "recall": "c"}
    return Plane(
        title=f"The best detections at {overlap} {threshold(value['iou_threshold'])}",
        note="All classes together",
        y_label="Value",
        curves=[Curve(list(zip(numbers, value[x], strict=True)), y, x, dots=True) for x, y in styles.items()],
        **over_numbers(numbers, f"Number of the best detections {where}"),
    )


def empty_images_chart(value: Series, overlap: str) -> Drawable:
    """Describe the share of empty images without detections, and F1 over images, by score."""
    holder, scores = value["holder"], value["scores"]
    words = (f"empty {holder}s without detections", f"F1 over {holder}s", f"mean F1 of {holder}s")
    best = f"the best F1 over {holder}s is {number(value['best_f1'])}"
    return Plane(
        title=f"{holder.capitalize()}s with and without objects at {overlap} {threshold(value['iou_threshold'])}",
        note=f"{value['empty']} of {value['images']} are empty; {best}",
        x=span(scores),
        x_label="Threshold of scores",
        y_label="Value",
        curves=[
            Curve(list(zip(scores, value[name], strict=True)), style, told)
            for name, style, told in zip(("specificity", "f1", "image_f1"), "abc", words, strict=True)
            if value["empty"] or name != "specificity"
        ],
    )
