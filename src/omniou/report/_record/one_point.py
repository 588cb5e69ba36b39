"""All detections at once, as one operating point: JSON's values and tables."""

from typing import TYPE_CHECKING, Any

from omniou._lib.brief import counted
from omniou.report._record.tables import Table
from omniou.report._record.values import plain

if TYPE_CHECKING:
    from omniou.report._record.analyses import Source
    from omniou.report._record.record import Record

# Classes and images with the lowest F1 that tables show; JSON has all.
_SHOWN = 10
_WORDS = {
    "objects": "objects",
    "detections": "detections",
    "true_positives": "true positives",
    "F1": "F1",
    "precision": "precision",
    "recall": "recall",
    "mean_iou": "mean IoU",
    "Acc50": "Acc@0.5",
    "centre_inside": "centre inside",
}
_COUNTS = ("objects", "detections", "true_positives")


def compute(source: "Source") -> Any:
    """Return the values of JSON."""
    point = source.result.one_point()
    labels, ids = plain(source.result.classes), plain(point.images)
    return {
        "iou_threshold": point.iou_threshold,
        "summary": _whole(plain(dict(point.summary))),
        "per_class": _rows(point.per_class, [{"id": x, "name": source.name(x)} for x in labels]),
        "per_image": _rows(point.per_image, [{"id": x, "name": source.image(x)} for x in ids]),
    }


def compute_referring(source: "Source") -> Any:
    """Return the values of JSON of referring expressions."""
    found = source.result.referring()
    columns = [plain(getattr(found, name)) for name in ("images", "labels", "overlaps", "inside")]
    rows = [
        {"image": source.image(image), "name": source.name(label), "iou": overlap, "centre_inside": inside}
        for image, label, overlap, inside in zip(*columns, strict=True)
    ]
    return {"summary": plain(dict(found.summary)), "per_phrase": rows}


_OF_PHRASES = {
    "Acc50": "share of phrases with IoU 0.5 or more",
    "mean_iou": "mean IoU of all phrases, 0 without a detection",
    "centre_inside": "share of phrases whose object holds the centre of the detection",
    "answered": "share of phrases with a detection",
}


def referring_tables(value: Any, _: "Record") -> list[Table]:
    """Return tables of all phrases, and of the phrases with the lowest IoU."""
    rows = [(name, x, _OF_PHRASES.get(name, f"IoU 0.{name[3:4]} or more")) for name, x in value["summary"].items()]
    lowest = sorted(value["per_phrase"], key=lambda x: x["iou"])[:_SHOWN]
    listed = [(x["name"], x["image"], x["iou"]) for x in lowest]
    return [
        Table(f"Referring expressions: {counted(len(value['per_phrase']), 'phrases')}", ("number", "value", ""), rows),
        Table("Phrases with the lowest IoU", ("phrase", "image", "IoU"), listed),
    ]


def _rows(columns: Any, names: list[dict[str, Any]]) -> list[dict[str, Any]]:
    listed = {name: plain(x) for name, x in columns.items()}
    return [own | _whole({name: x[k] for name, x in listed.items()}) for k, own in enumerate(names)]


def _whole(row: dict[str, Any]) -> dict[str, Any]:
    return {name: int(x) if name in _COUNTS else x for name, x in row.items()}


def tables(value: Any, record: "Record") -> list[Table]:
    """Return tables of all classes, of each class, and of the images with the lowest F1."""
    words = {name: word.replace("IoU", record.shapes.overlap) for name, word in _WORDS.items()}
    shown = {name: word for name, word in words.items() if value["summary"][name] is not None}
    title = f"All detections at once, at {record.shapes.overlap} {value['iou_threshold']:g}"
    note = (
        f"{words['mean_iou']}: of true positives. {words['Acc50']}: share of objects matched at 0.5. Centre inside: "
        "share of objects that hold the centre of their detection."
    )
    holder = record.shapes.holder
    return [
        Table(title, ("", *shown.values()), [_row("all", value["summary"], shown)], note),
        _lowest("Classes", "class", value["per_class"], shown),
        _lowest(f"{holder.capitalize()}s", holder, value["per_image"], shown),
    ]


def _lowest(title: str, heading: str, rows: list[dict[str, Any]], shown: dict[str, str]) -> Table:
    """Return a table of the rows with the lowest F1, of two the one with more wrong first."""
    wrong = [x for x in rows if x["true_positives"] < max(x["objects"], x["detections"])]
    wrong.sort(key=lambda x: (x["F1"] or 0.0, 2 * x["true_positives"] - x["objects"] - x["detections"]))
    listed = [_row(x["name"], x, shown) for x in wrong[:_SHOWN]]
    return Table(f"{title} with the lowest F1", (heading, *shown.values()), listed)


def _row(name: str, row: dict[str, Any], shown: dict[str, str]) -> tuple[Any, ...]:
    return (name, *(row[x] for x in shown))
