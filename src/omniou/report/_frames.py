"""Images as the page draws them: outlines in a frame, over the picture where there is one."""

import base64
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from omniou.data import InputError
from omniou.data._files import check_unpacked
from omniou.data._paths import ImageNames
from omniou.data._pictures import opened
from omniou.data._sizes import pictures
from omniou.report import _svg as svg
from omniou.report._record import Record
from omniou.report._series import Series

# Pictures are scaled to so many pixels.
_SIDE, _QUALITY = 480, 60
_MOST_WORDS = 8
# Of intervals: heights of a bar that a line of time is long, and outcomes of predictions.
_LANES, _PREDICTED = 24, {"hit", "false"}


def section(value: Series, record: Record, folder: Path | None) -> dict[str, Any]:
    """What the template shows of the analysis "worst_images", with pictures of a folder."""
    drawn = len(value["images"])
    which = "" if drawn == value["with_errors"] else f"; the {drawn} with most are drawn"
    at = f"at IoU {value['iou_threshold']:g} with scores of at least {value['score']:.3g}"
    caption = f"{value['with_errors']} of {record.counts.images} {record.words.holders} have errors {at}{which}."
    names = [str(row["name"]) for row in record.per_class]
    known = pictures(folder)
    paths = list(known.values())
    # No picture of an image is better than one that may be of another.
    found = [
        paths[k[0]] if len(k) == 1 else None for k in ImageNames(list(known)).find(x["name"] for x in value["images"])
    ]
    edges = value.get("edges")
    shown = [_image(x, names, path, edges) for x, path in zip(value["images"], found, strict=True)]
    return {"caption": caption, "pictures": shown}


def _image(
    image: Series, names: Sequence[str], path: Path | None, edges: Sequence[Sequence[int]] | None
) -> dict[str, Any]:
    def outline(points: Sequence[Any]) -> str:
        return svg.outline(points) if edges is None else svg.skeleton(points, edges)

    shapes = _in_lanes(image["shapes"]) if edges is None else image["shapes"]
    data = None if path is None else _picture(path)
    width, height, box = _frame(image, shapes, data)
    called = {style: [_called(row, names) for row in rows] for style, rows in shapes.items()}
    paths = []
    for style in ("ignored", "found", "hit", "missed", "false"):
        rows = [row for row in shapes.get(style, []) if row[2]]
        if rows and style in {"missed", "false"}:
            paths.append((style, "", [(_called(row, names), outline(row[2])) for row in rows]))
        elif rows:
            paths.append((style, "".join(outline(row[2]) for row in rows), []))
    counts = f"{image['missed']} missed, {image['false_positives']} false, {image['true_positives']} right"
    if image["more"]:
        counts += f"; {image['more']} more are not drawn"
    # Records of earlier versions know only what they draw.
    known = image.get("missed_classes") or [[row[0], 1] for row in shapes.get("missed", [])]
    missed = Counter[str]()
    for place, many in known:
        missed[names[place]] += many
    words = [name if many == 1 else f"{name} ({many})" for name, many in missed.most_common()]
    return {
        "name": image["name"],
        "counts": counts,
        "box": box,
        "width": width,
        "height": height,
        "data": None if data is None else data[0],
        "paths": paths,
        "missed": _enumerated(words),
        "false": _enumerated(called.get("false", []), image["false_positives"]),
    }


def _in_lanes(shapes: Mapping[str, Sequence[Sequence[Any]]]) -> dict[str, list[Sequence[Any]]]:
    """By outcome, what is drawn: of intervals boxes on a line of time, objects above predictions."""
    ends = [row[2] for rows in shapes.values() for row in rows if len(row[2]) == 2]
    lane = max((end for _, end in ends), default=1.0) / _LANES

    def drawn(style: str, points: Sequence[float]) -> Sequence[float]:
        if len(points) != 2:
            return points
        top = lane * (3 if style in _PREDICTED else 1)
        return [points[0], top, points[1], top + lane]

    return {style: [(*row[:2], drawn(style, row[2])) for row in rows] for style, rows in shapes.items()}


def _called(row: Sequence[Any], names: Sequence[str]) -> str:
    return names[row[0]] if row[1] is None else f"{names[row[0]]} {row[1]:.2f}"


def _enumerated(words: Sequence[str], count: int | None = None) -> str:
    """The first words, and how many more there are, of `count` if not all are given."""
    left = max(len(words), count or 0) - min(len(words), _MOST_WORDS)
    more = f" and {left} more" if left else ""
    return ", ".join(words[:_MOST_WORDS]) + more


def _frame(image: Series, shapes: Mapping[str, Any], data: tuple[str, int, int] | None) -> tuple[str, str, str]:
    """Width, height and the view box: of the image, or around what is drawn where its size is not known."""
    if image["size"] is not None:
        height, width = image["size"]
    elif data is not None:
        _, width, height = data
    else:
        points = [row[2] for rows in shapes.values() for row in rows if row[2]]
        x, y = ([p for point in points for p in point[start::2] if p is not None] or [0.0, 1.0] for start in (0, 1))
        width, height = max(x) - min(0.0, *x), max(y) - min(0.0, *y)
    width, height = (side if side > 0 else 1.0 for side in (width, height))
    return f"{width:g}", f"{height:g}", f"0 0 {width:g} {height:g}"


def _picture(path: Path) -> tuple[str, int, int] | None:
    """An image as a small JPEG in a URL, its width and height as it is shown; None where it cannot be read."""
    from PIL import ImageOps

    try:
        with opened(path) as picture:
            width, height = picture.size
            picture.draft("RGB", (_SIDE, _SIDE))  # fewer pixels, of JPEG only
            check_unpacked(path, 3 * picture.width * picture.height, "the picture unpacks")
            small = ImageOps.exif_transpose(picture).convert("RGB")
    except InputError:
        return None
    small.thumbnail((_SIDE, _SIDE))
    if (small.width > small.height) != (width > height):
        width, height = height, width
    out = io.BytesIO()
    small.save(out, "JPEG", quality=_QUALITY)
    return f"data:image/jpeg;base64,{base64.b64encode(out.getvalue()).decode()}", width, height
