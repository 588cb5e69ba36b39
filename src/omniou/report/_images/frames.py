"""Images as the page draws them: outlines with names in a frame, over the picture where there is one."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from omniou.data._paths import ImageNames
from omniou.data._pictures import in_folder
from omniou.report._charts import svg
from omniou.report._images import tags
from omniou.report._images.photos import photo
from omniou.report._record.details import BELOW
from omniou.report._record.record import Record
from omniou.report._record.series import Series

_MOST_WORDS = 8
# Of intervals: heights of a bar that a line of time is long, and outcomes of predictions.
_LANES, _PREDICTED = 24, {"hit", "false"}
_ERRORS = {"missed", "false"}
# Outcomes in the order of drawing, and in the order in which their names are placed.
_DRAWN, _NAMED = ("ignored", "found", "hit", "missed", "false"), ("missed", "false", "hit", "ignored")


# By outcome: place of a class, score or None, points.
Rows: TypeAlias = Mapping[str, Sequence[Sequence[Any]]]


class Drawn(NamedTuple):
    """Shapes of one outcome: one path for all, or a path for each with its description."""

    style: str
    whole: str
    each: Sequence[tuple[str, str, str]]  # path, words, keys; hits have a path only


class ClassesDrawn(NamedTuple):
    """Names of classes, and how points become a path."""

    names: Sequence[str]
    outline: Callable[[Sequence[Any], str], str]

    def called(self, row: Sequence[Any]) -> str:
        """Class and score."""
        return self.names[row[0]] if row[1] is None else f"{self.names[row[0]]} {row[1]:.2f}"


def shapes_of(record: Record, edges: Sequence[Sequence[int]] | None) -> ClassesDrawn:
    """Names of classes of a record, and how its shapes are drawn: keypoints have edges."""
    names = [str(row["name"]) or "(no name)" for row in record.per_class]
    return ClassesDrawn(names, svg.outline if edges is None else lambda points, _: svg.skeleton(points, edges))


def files_of(folder: Path | None, names: Sequence[str]) -> list[Path | None]:
    """The picture of each image; none where its name fits several: better than one that may be of another image."""
    known = in_folder(folder)
    paths = list(known.values())
    return [paths[k[0]] if len(k) == 1 else None for k in ImageNames(list(known)).find(names)]


def section(value: Series, record: Record, folder: Path | None) -> dict[str, Any]:
    """What the template shows of the analysis "worst_images", with pictures of a folder."""
    drawn = len(value["images"])
    which = "" if drawn == value["with_errors"] else f"; the {drawn} with most are drawn"
    at = f"at IoU {value['iou_threshold']:g} with scores of at least {value['score']:.3g}"
    caption = f"{value['with_errors']} of {record.size} {record.units} have errors {at}{which}."
    kinds = shapes_of(record, value.get("edges"))
    found = files_of(folder, [x["name"] for x in value["images"]])
    shown = [_image(x, kinds, path) for x, path in zip(value["images"], found, strict=True)]
    known = {key for x in shown for group in x["groups"] for _, _, some in group.each for key in some.split()}
    styles = {group.style for x in shown for group in x["groups"]}
    return {"caption": caption, "pictures": shown, "keys": known, "styles": styles}


def _image(image: Series, kinds: ClassesDrawn, path: Path | None) -> dict[str, Any]:
    made = None if path is None else photo(path)
    known = image["size"] or (made and (made.height, made.width))
    shapes = in_lanes(image["shapes"] if image["size"] else scaled(image["shapes"], known))
    height, width = known or size_of(shapes)
    box = (0.0, 0.0, width, height)
    counts = f"{image['missed']} missed, {image['false_positives']} false, {image['true_positives']} right"
    if image["more"]:
        counts += f"; {image['more']} more are not drawn"
    missed = Counter[str]()
    for place, many in image["missed_classes"]:
        missed[kinds.names[place]] += many
    words = [tags.cut(name) + (f" ({many})" if many > 1 else "") for name, many in missed.most_common()]
    named = [tags.Tag(style, kinds.called(row), row[2]) for style in _NAMED for row in shapes.get(style, []) if row[2]]
    return {
        "name": image["name"],
        "counts": counts,
        "box": f"0 0 {width:g} {height:g}",
        "photo": made and {"data": made.url, "x": "0", "y": "0", "width": f"{width:g}", "height": f"{height:g}"},
        "groups": groups(shapes, box, kinds, image.get("reasons") or {}),
        "tags": tags.placed(named, box),
        "missed": _enumerated(words),
        "false": _enumerated(
            [tags.cut(kinds.called(row)) for row in shapes.get("false", [])], image["false_positives"]
        ),
    }


def groups(
    shapes: Rows,
    frame: Sequence[float],
    kinds: ClassesDrawn,
    reasons: Mapping[str, Any] | None,
) -> list[Drawn]:
    """What is drawn of an image, by outcome; of errors each shape by itself, with the reason if it is known.

    With None for reasons nothing is told of them, and links do not lead to them.
    """
    out, digits = [], tags.digits(frame)
    for style in _DRAWN:
        rows, why = shapes.get(style, []), (reasons or {}).get(style, [])
        paths = [kinds.outline(row[2], digits) if row[2] else "" for row in rows]
        each = [(path, "", "") for path in paths if path and style == "hit"]
        if style in _ERRORS and reasons is not None:
            for k, (row, path) in enumerate(zip(rows, paths, strict=True)):
                told = _told(style, row, why[k] if k < len(why) else None, kinds)
                each += [(path, *told)] if path else []
        if whole := "".join(paths):
            out.append(Drawn(style, whole, each))
    return out


def _told(style: str, row: Sequence[Any], why: Any, kinds: ClassesDrawn) -> tuple[str, str]:
    """What is said of an error, and the keys by which links find it: of its class, type and pair of classes."""
    name, place = kinds.called(row), row[0]
    if style == "missed":
        words = {"missed": "missed", BELOW: "its detection scores less than those drawn"}
        cell = "" if why in {None, "classification"} else f" {svg.cell_key(place, None)}"
        error = " e-missed" if why == "missed" else ""
        return f"{name}: {words.get(why, f'missed ({why})' if why else 'missed')}", f"c{place}{error}{cell}"
    kind, about = why or ("", None)
    if not kind:
        return f"{name}: false", f"c{place}"
    if kind == "classification" and about is not None:
        return (
            f"{name}: classification, on {kinds.names[about]}",
            f"c{place} c{about} e-{kind} {svg.cell_key(about, place)}",
        )
    return f"{name}: {kind}", f"c{place} e-{kind} {svg.cell_key(None, place)}"


def in_lanes(shapes: Rows, lane: float | None = None) -> dict[str, list[Sequence[Any]]]:
    """What is drawn, by outcome: of intervals boxes on a line of time, objects above predictions.

    A box is as high as `lane`; without it as a share of the whole line.
    """
    ends = [row[2] for rows in shapes.values() for row in rows if len(row[2]) == 2]
    lane = lane or max((end for _, end in ends), default=1.0) / _LANES

    def drawn(style: str, points: Sequence[float]) -> Sequence[float]:
        if len(points) != 2:
            return points
        top = lane * (3 if style in _PREDICTED else 1)
        return [points[0], top, points[1], top + lane]

    return {style: [(*row[:2], drawn(style, row[2])) for row in rows] for style, rows in shapes.items()}


# Shapes whose coordinates are all below this, over a picture, are shares of its sides.
_RELATIVE = 2.0


def scaled(shapes: Rows, sides: Sequence[float] | None) -> Rows:
    """Shapes in pixels, if they are shares of a picture whose height and width were unknown before."""
    rows = [row for rows in shapes.values() for row in rows]
    known = [x for row in rows for x in row[2] if x is not None]
    if sides is None or not known or max(known) > _RELATIVE or any(len(row[2]) == 2 for row in rows):
        return shapes
    across = sides[::-1]
    return {
        style: [(*row[:2], [x if x is None else x * across[k % 2] for k, x in enumerate(row[2])]) for row in rows]
        for style, rows in shapes.items()
    }


def size_of(shapes: Rows) -> tuple[float, float]:
    """Height and width of what is drawn."""
    known = [box for rows in shapes.values() for row in rows if (box := tags.extent(row[2]))] or [(0.0, 0.0, 1, 1)]
    x0, y0, x1, y1 = zip(*known, strict=True)
    height, width = max(y1) - min(0.0, *y0), max(x1) - min(0.0, *x0)
    return (height if height > 0 else 1.0), (width if width > 0 else 1.0)


def _enumerated(words: Sequence[str], count: int | None = None) -> str:
    """The first words, and how many more there are, of `count` if not all are given."""
    left = max(len(words), count or 0) - min(len(words), _MOST_WORDS)
    more = f" and {left} more" if left else ""
    return ", ".join(words[:_MOST_WORDS]) + more
