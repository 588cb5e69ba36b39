"""CVAT's XML for images: all images of a task in one file. Boxes and ellipses may be turned about their centre."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from omniou._lib import extras
from omniou.data import _files, _names, _xml
from omniou.data._errors import InputError
from omniou.data._formats import Format, Reader, outlines
from omniou.data._formats.file_rows import Place
from omniou.data._formats.outlines import OutlinedObject, Points, Size, ToolContent
from omniou.data._numbers import as_integer, as_number
from omniou.data._options import DEFAULT, Options
from omniou.data._peek import Peek
from omniou.data._truth import GroundTruth
from omniou.detection import Detections
from omniou.rle._columns import MOST

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

Column = npt.NDArray[Any]

_WITHOUT_AREA = {
    "polyline": "polylines",
    "points": "groups of points",
    "skeleton": "skeletons",
    "cuboid": "cuboids",
    "tag": "tags",
}
_SHAPES = ("box", "polygon", "ellipse", "mask")
_SCORES = ("score", "confidence")
# Of a run length and its place.
_BYTES_OF_TURN = 16


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read an export "CVAT for images 1.1"."""
    path = Path(path)
    read, names = _read(path, options, "ground truth")
    return outlines.truth(path, read, names=names)


def read_detections(path: Path | str, truth: GroundTruth, options: Options = DEFAULT) -> Detections[Column]:
    """Read such a file whose shapes have a score: an attribute "score" or "confidence"."""
    path = Path(path)
    return outlines.detections(path, _read(path, options, "detections")[0], truth)


def _read(path: Path, options: Options, what: str) -> tuple[ToolContent, list[str]]:
    """All images of all files, and the names of classes where the files list them."""
    extras.check("defusedxml", "CVAT's XML")
    files = [x for x in _files.in_folder(path) if x == path or x.suffix.lower() == ".xml"]
    if not files:
        raise _files.lacking(path, "XML files")
    read, names, first = ToolContent(options), dict[str, None](), dict[str, Path]()
    for file in options.track(files, what):
        root = _xml.parse(file, root="annotations")
        names |= dict.fromkeys(x.text.strip() for x in root.iterfind("meta//labels/label/name") if x.text)
        for number, image in enumerate(root.iterfind("image"), start=1):
            place = f"image {number}"
            name = _word(file, place, image, "name")
            if name in first:
                where = f" of {first[name]}" if first[name] != file else ""
                raise InputError(file, f"{name!r} is already the name of an image{where}", place=f"{place}, name")
            first[name] = file
            height, width = (_number(file, place, image, x) if x in image.attrib else 0 for x in ("height", "width"))
            read.images[name] = (height or math.nan, width or math.nan)
            read.objects.extend(_objects(file, f"{place} ({name})", name, image, read))
    return read, list(names)


def _objects(file: Path, place: str, name: str, image: "Element", read: ToolContent) -> Iterator[OutlinedObject]:
    counts = dict.fromkeys(_SHAPES, 0)
    for element in image:
        if element.tag in _WITHOUT_AREA:
            read.leave_out(_WITHOUT_AREA[element.tag])
        if element.tag not in counts:
            continue
        counts[element.tag] += 1
        where = f"{place}, {element.tag} {counts[element.tag]}"
        attributes = {x.get("name", ""): (x.text or "").strip() for x in element.iterfind("attribute")}
        is_mask = element.tag == "mask"
        yield OutlinedObject(
            image=name,
            label=_word(file, where, element, "label"),
            polygons=[_outline(file, where, element)],
            place=Place(file, where),
            score=_score(file, where, element, attributes),
            crowd=bool(_names.flag(attributes.get("is_crowd") or attributes.get("iscrowd"))),
            ignore=bool(_names.flag(attributes.get("difficult"))),
            mask=_mask(file, where, element, read.images[name]) if is_mask and read.options.masks else None,
        )


def _outline(file: Path, place: str, element: "Element") -> Points:
    def number(name: str) -> float:
        return _number(file, place, element, name)

    degrees = number("rotation") if "rotation" in element.attrib else 0.0
    if not math.isfinite(degrees):
        raise InputError(file, f"expected finite number, got {degrees}", place=f"{place}, rotation")
    match element.tag:
        case "polygon":
            return _points(file, place, _word(file, place, element, "points"))
        case "ellipse":
            x, y = number("cx"), number("cy")
            return outlines.turned(outlines.ellipse(x, y, number("rx"), number("ry")), degrees, (x, y))
        case "mask":
            x, y = number("left"), number("top")
            return outlines.box(x, y, x + number("width"), y + number("height"))
    x1, y1, x2, y2 = (number(name) for name in ("xtl", "ytl", "xbr", "ybr"))
    return outlines.turned(outlines.box(x1, y1, x2, y2), degrees, ((x1 + x2) / 2, (y1 + y2) / 2))


def _points(file: Path, place: str, text: str) -> Points:
    try:
        return [(as_number(x), as_number(y)) for x, y in (point.split(",") for point in text.split(";"))]
    except ValueError:
        fault = f"expected points such as 1.5,2;3,4;5,6, got {text[:40]!r}"
        raise InputError(file, fault, place=f"{place}, points") from None


def _mask(file: Path, place: str, element: "Element", size: Size) -> Mapping[str, Any]:
    """Convert run lengths by rows of a part of the image to COCO's, by columns of the whole image."""

    def whole(name: str) -> int:
        x = _number(file, place, element, name)
        if not (x.is_integer() and x >= 0):
            raise InputError(file, f"expected a whole number, got {x:g}", place=f"{place}, {name}")
        return int(x)

    if any(map(math.isnan, size)):
        raise InputError(file, "a mask needs the width and height of its image", place=place)
    left, top, width, height = map(whole, ("left", "top", "width", "height"))
    rows, columns = map(int, size)
    if rows * columns > MOST:
        raise InputError(file, f"an image of {columns} x {rows} is too large for masks", place=place)
    try:
        lengths = [as_integer(x) for x in _word(file, place, element, "rle").split(",")]
    except ValueError:
        raise InputError(file, "expected whole numbers between commas", place=f"{place}, rle") from None
    fits = left + width <= columns and top + height <= rows
    if not fits or min(lengths) < 0 or sum(lengths) != width * height:
        fault = f"the run lengths do not fill {width} x {height} pixels, or these leave the image"
        raise InputError(file, fault, place=f"{place}, rle")
    return {"size": [rows, columns], "counts": _by_columns(file, lengths, (left, top, width), (rows, columns))}


def _by_columns(file: Path, lengths: list[int], part: tuple[int, int, int], size: tuple[int, int]) -> list[int]:
    """Convert run lengths by rows of a part (left, top, width) to run lengths by columns of an image (rows, columns).

    No pixel is drawn. The mask turns on or off at some pixels of its rows, and so does the mask one row lower. Where
    one of the two is on, a column turns on or off. A turn behind the last row is one before the next column.
    """
    (left, top, width), (rows, columns) = part, size
    ends = np.cumsum(lengths[: len(lengths) // 2 * 2], dtype=np.int64)
    turns = _odd(np.concatenate([ends, ends + width]))
    first, count = turns[::2], np.diff(turns)[::2]
    _files.check_unpacked(file, int(count.sum()) * _BYTES_OF_TURN, "a mask unpacks")
    place = np.repeat(first - np.cumsum(count) + count, count) + np.arange(count.sum())
    row, column = np.divmod(place, max(width, 1))
    edges = _odd((left + column) * rows + top + row)
    counts = np.diff(edges, prepend=0, append=rows * columns).tolist()
    return counts if counts[-1] else counts[:-1]


def _odd(places: Column) -> Column:
    """Return the places that occur an odd number of times, sorted: two turns at one place are none."""
    every, count = np.unique(places, return_counts=True)
    return every[count % 2 == 1]


def _score(file: Path, place: str, element: "Element", attributes: Mapping[str, str]) -> float | None:
    for name in _SCORES:
        if (text := element.get(name) or attributes.get(name)) is not None:
            return outlines.number(text, Place(file, place), name)
    return None


def _word(file: Path, place: str, element: "Element", name: str) -> str:
    word = (element.get(name) or "").strip()
    if not word:
        raise InputError(file, "missing", place=f"{place}, {name}")
    return word


def _number(file: Path, place: str, element: "Element", name: str) -> float:
    return outlines.number(_word(file, place, element, name), Place(file, place), name)


def _is_cvat(peek: Peek) -> bool:
    return "annotations" in peek.tags and bool(peek.tags & {"image", "meta", "version"})


FORMAT = Format(
    "cvat",
    "CVAT: XML for images",
    Reader(read_ground_truth, outlines.KINDS, numbered=True, library="defusedxml"),
    Reader(read_detections, outlines.KINDS, library="defusedxml"),
    recognises=_is_cvat,
)
