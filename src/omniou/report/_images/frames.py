"""Prepare images for the page: outlines with names in a frame, over the picture if there is one."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from omniou._inputs.kinds import with_masks
from omniou._lib.brief import counted, threshold
from omniou.data._paths import ImageNames
from omniou.data._pictures import in_folder
from omniou.report._charts import svg
from omniou.report._images import tags
from omniou.report._images.photos import photo
from omniou.report._record.details import BELOW
from omniou.report._record.record import Record
from omniou.report._record.series import Series

_MOST_WORDS = 8
# For intervals: the length of the time line in heights of a bar, and the outcomes of predictions.
_LANES, _PREDICTED = 24, {"hit", "false"}
_ERRORS = {"missed", "false"}
# Outcomes whose masks are filled: the object of a true positive is a line around or inside of it.
_FILLED = {"missed", "false", "hit"}
# Outcomes in the order of drawing, and in the order in which their names are placed.
_DRAWN, _NAMED = ("ignored", "found", "hit", "missed", "false"), ("missed", "false", "hit", "ignored")


# Shapes by outcome, each as (place of the class, score or None, points): "hit": [[0, 0.9, [10, 20, 50, 60]]].
Rows: TypeAlias = Mapping[str, Sequence[Sequence[Any]]]


class Drawn(NamedTuple):
    """The SVG paths of one outcome: one for all shapes, and one for each shape with its description."""

    style: str
    whole: str
    each: Sequence[tuple[str, str, str]]  # path, words, keys; hits have empty words and keys
    is_filled: bool


class ClassesDrawn(NamedTuple):
    """The names of classes, the function that makes an SVG path from points, and how shapes are drawn."""

    names: Sequence[str]
    outline: Callable[[Sequence[Any], str], str]
    is_filled: bool  # masks are
    are_errors_named: bool  # only errors, in small pictures: masks and skeletons leave no room for other names
    is_from_zero: bool = True  # images begin at 0; metres do not

    def called(self, row: Sequence[Any]) -> str:
        """Return the class and the score of a row, such as "cat 0.91"."""
        return self.names[row[0]] if row[1] is None else f"{self.names[row[0]]} {row[1]:.2f}"


def shapes_of(record: Record, edges: Sequence[Sequence[int]] | None) -> ClassesDrawn:
    """Return the classes of a record, drawn as outlines, filled masks, or skeletons if keypoints have edges."""
    names = [str(row["name"]) or "(no name)" for row in record.per_class]
    if edges is not None:
        return ClassesDrawn(
            names, lambda points, _: svg.skeleton(points, edges), is_filled=False, are_errors_named=True
        )
    masks = with_masks(record.kind)
    return ClassesDrawn(names, svg.outline, masks, masks, record.shapes.unit != "metres")


def files_of(folder: Path | None, names: Sequence[str]) -> list[Path | None]:
    """Return the picture file of each image; None if several files fit its name, since one may be of another image."""
    known = in_folder(folder)
    paths = list(known.values())
    return [paths[k[0]] if len(k) == 1 else None for k in ImageNames(list(known)).find(names)]


PAIRING = "An object that was taken for another class is missed, and its detection is false."
"""How errors of images are counted, unlike those of the confusion of classes."""


def section(value: Series, record: Record, folder: Path | None) -> dict[str, Any]:
    """Return the caption and the images of the analysis "worst_images" for the template."""
    kinds = shapes_of(record, value.get("edges"))
    found = files_of(folder, [x["name"] for x in value["images"]])
    shown = [_image(x, kinds, path) for x, path in zip(value["images"], found, strict=True)]
    known = {key for x in shown for group in x["groups"] for _, _, some in group.each for key in some.split()}
    styles = {group.style for x in shown for group in x["groups"]}
    return {"caption": caption(value, record), "pictures": shown, "keys": known, "styles": styles}


def caption(value: Series, record: Record) -> str:
    """Return how many images have errors, and which are drawn."""
    drawn = len(value["images"])
    which = "" if drawn == value["with_errors"] else f"; the {drawn} with most are drawn"
    at = f"at {record.shapes.overlap} {value['iou_threshold']:g}"
    at += f" with scores of at least {threshold(value['score'])}" if record.is_scored else ""
    view = f" Boxes are seen {record.shapes.view}." if record.shapes.view else ""
    have = "has" if record.size == 1 else "have"
    return f"{value['with_errors']} of {counted(record.size, record.units)} {have} errors {at}{which}.{view} {PAIRING}"


def _image(image: Series, kinds: ClassesDrawn, path: Path | None) -> dict[str, Any]:
    made = None if path is None else photo(path)
    known = image["size"] or (made and (made.height, made.width))
    shapes = in_lanes(image["shapes"] if image["size"] else scaled(image["shapes"], known))
    box = (0.0, 0.0, known[1], known[0]) if known else frame_of(shapes, is_from_zero=kinds.is_from_zero)
    counts = f"{image['missed']} missed, {image['false_positives']} false, {image['true_positives']} right"
    if image["more"]:
        counts += f"; {image['more']} more are not drawn"
    missed = Counter[str]()
    for place, many in image["missed_classes"]:
        missed[kinds.names[place]] += many
    words = [tags.cut(name) + (f" ({many})" if many > 1 else "") for name, many in missed.most_common()]
    styles = [x for x in _NAMED if x in _ERRORS or not kinds.are_errors_named]
    named = [tags.Tag(style, kinds.called(row), row[2]) for style in styles for row in shapes.get(style, []) if row[2]]
    return {
        "name": image["name"],
        "counts": counts,
        "box": " ".join(f"{x:g}" for x in box),
        "photo": made and {"data": made.url, "x": "0", "y": "0", "width": f"{box[2]:g}", "height": f"{box[3]:g}"},
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
    """Return the paths of an image by outcome. Each error has a path of its own, with its reason if that is known.

    With None for `reasons`, errors have no description and no keys for links.
    """
    out, digits = [], tags.digits(frame)
    for style in _DRAWN:
        rows, why = shapes.get(style, []), (reasons or {}).get(style, [])
        paths = [kinds.outline(row[2], digits) if row[2] else "" for row in rows]
        each = [(path, "", "") for path in paths if style == "hit"]
        if style in _ERRORS and reasons is not None:
            for k, (row, path) in enumerate(zip(rows, paths, strict=True)):
                told = _told(style, row, why[k] if k < len(why) else None, kinds)
                each.append((path, *told))
        if whole := "".join(paths):
            # Around a crop's shape, the neighbours are outlines.
            filled = _FILLED if reasons is not None else _ERRORS
            out.append(Drawn(style, whole, each, kinds.is_filled and style in filled))
    return out


def _told(style: str, row: Sequence[Any], why: Any, kinds: ClassesDrawn) -> tuple[str, str]:
    """Return the description of an error, and its keys for links: class, error type and pair of classes.

    A dog (class 1) detected on a cat (class 0) has the keys "c1 c0 e-classification p0-1".
    """
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
    """Return shapes by outcome, with intervals as boxes on a time line: objects above, predictions below.

    `lane` is the height of a box; default: a share of the whole line. With `lane` 1, an object (2, 5) becomes the box
    (2, 1, 5, 2), and a prediction the box (2, 3, 5, 4).
    """
    ends = [row[2] for rows in shapes.values() for row in rows if len(row[2]) == 2]
    lane = lane or max((end for _, end in ends), default=1.0) / _LANES

    def drawn(style: str, points: Sequence[float]) -> Sequence[float]:
        if len(points) != 2:
            return points
        top = lane * (3 if style in _PREDICTED else 1)
        return [points[0], top, points[1], top + lane]

    return {style: [(*row[:2], drawn(style, row[2])) for row in rows] for style, rows in shapes.items()}


# If all coordinates are at most this, they are taken for shares of the picture's sides.
_RELATIVE = 2.0


def scaled(shapes: Rows, sides: Sequence[float] | None) -> Rows:
    """Scale shapes from shares of the sides (height, width) to pixels; return other shapes unchanged."""
    rows = [row for rows in shapes.values() for row in rows]
    known = [x for row in rows for x in row[2] if x is not None]
    if sides is None or not known or max(known) > _RELATIVE or any(len(row[2]) == 2 for row in rows):
        return shapes
    across = sides[::-1]
    return {
        style: [(*row[:2], [x if x is None else x * across[k % 2] for k, x in enumerate(row[2])]) for row in rows]
        for style, rows in shapes.items()
    }


def frame_of(shapes: Rows, *, is_from_zero: bool) -> tuple[float, float, float, float]:
    """Return x, y, width and height of the area that shapes cover, with the point (0, 0) if `is_from_zero`."""
    known = [box for rows in shapes.values() for row in rows if (box := tags.extent(row[2]))] or [(0.0, 0.0, 1, 1)]
    x0, y0, x1, y1 = zip(*known, strict=True)
    start = [0.0] if is_from_zero else []
    left, top = min([*start, *x0]), min([*start, *y0])
    width, height = max(x1) - left, max(y1) - top
    return left, top, width if width > 0 else 1.0, height if height > 0 else 1.0


def _enumerated(words: Sequence[str], count: int | None = None) -> str:
    """List the first words, and how many more there are: "cat, dog and 3 more". `count` is their number, if larger."""
    left = max(len(words), count or 0) - min(len(words), _MOST_WORDS)
    more = f" and {left} more" if left else ""
    return ", ".join(words[:_MOST_WORDS]) + more
