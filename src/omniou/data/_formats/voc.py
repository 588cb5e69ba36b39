"""Pascal VOC's files: objects as XML, one file for each image; detections as text, one file for each class."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from omniou._lib import extras
from omniou.data import _faults, _files, _image_set, _names, _xml
from omniou.data._errors import InputError
from omniou.data._formats import Format, Reader, file_rows, text_lines
from omniou.data._formats.file_rows import FileRows, Place
from omniou.data._formats.text_lines import Line
from omniou.data._names import coded
from omniou.data._numbers import as_number
from omniou.data._options import DEFAULT, Options
from omniou.data._paths import names_in
from omniou.data._truth import GroundTruth
from omniou.detection import Detections

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

Column = npt.NDArray[Any]

_CORNERS = ("xmin", "ymin", "xmax", "ymax")
BOX = ("x1", "y1", "x2", "y2")
DETECTION = Line(("image", "score", *BOX))


class _Object(NamedTuple):
    file: int
    number: int
    name: str
    box: list[float]
    difficult: bool


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read a directory of XML files, such as ``VOC2007/Annotations``."""
    path = Path(path)
    extras.check("defusedxml", "Pascal VOC's XML")
    every = [path] if path.is_file() else _xml_files(path)
    if not every:
        raise _files.lacking(path, "XML files")
    chosen = _image_set.read(options)
    files = chosen.files(path, every)
    roots, objects = _parsed(files, options, "ground truth")
    known = text_lines.names_of_classes(options)
    names = names_in(path, files)
    rows = _rows_of(objects, files, names)
    images = chosen.listed(names_in(path, every), path)
    sizes = {name: _size(file, root) for name, file, root in zip(names, files, roots, strict=True)}
    table = np.array([sizes[name] for name in images.names.values()], dtype=np.float64)
    categories = known or _names.counted((x.name for x in objects), complete=False)
    return file_rows.truth(path, rows, images, categories, options, sizes=table)


def read_detections(path: Path | str, truth: GroundTruth, options: Options = DEFAULT) -> Detections[Column]:
    """Read the files of VOC's devkit, such as ``results/VOC2007/Main/comp4_det_test_car.txt``."""
    path = Path(path)
    if files := _xml_files(path):
        return _without_scores(path, files, truth, options)
    table = text_lines.read(path, text_lines.files_of_classes(path), DETECTION, options, "detections")
    rows = FileRows(
        images=coded(table.words["image"]),
        labels=text_lines.class_of_rows(table, truth),
        boxes=table.numbers(*BOX),
        format=options.boxes or "xyxy",
        place=table.place,
        fields=("image", "class", *BOX),
        scores=table.scores,
    )
    return file_rows.detections(path, rows, truth, options)


def _without_scores(path: Path, files: list[Path], truth: GroundTruth, options: Options) -> Detections[Column]:
    """Detections in XML, where objects have no score."""
    extras.check("defusedxml", "Pascal VOC's XML")
    files = _image_set.read(options).files(path, files)
    _, objects = _parsed(files, options, "detections")
    rows, missing = _rows_of(objects, files, names_in(path, files)), np.ones(len(objects), dtype=bool)
    scores = np.full(len(objects), np.nan)
    return file_rows.detections(path, file_rows.with_scores(rows, scores, missing, options), truth, options)


def _xml_files(path: Path) -> list[Path]:
    return [x for x in _files.in_folder(path) if x.suffix.lower() == ".xml"]


def _parsed(files: Sequence[Path], options: Options, what: str) -> tuple[list["Element"], list[_Object]]:
    roots = [_xml.parse(file, root="annotation") for file in options.track(files, what)]
    numbered = enumerate(zip(files, roots, strict=True))
    return roots, [x for k, (file, root) in numbered for x in _objects(file, k, root)]


def _rows_of(objects: Sequence[_Object], files: Sequence[Path], names: Sequence[str]) -> FileRows:
    return FileRows(
        images=coded(names[x.file] for x in objects),
        labels=coded(x.name for x in objects),
        boxes=np.array([x.box for x in objects], dtype=np.float64).reshape(-1, len(_CORNERS)),
        format="xyxy",
        place=lambda row, field: Place(files[objects[row].file], f"object {objects[row].number}, {field}"),
        fields=("image", "name", *_CORNERS),
        ignore=np.array([x.difficult for x in objects], dtype=bool),
    )


def _objects(path: Path, file: int, root: "Element") -> Iterator[_Object]:
    for number, element in enumerate(root.iterfind("object"), start=1):
        place = f"object {number}, "
        name = _text_of(path, place, element, "name")
        bounds = element.find("bndbox")
        if bounds is None:
            turned = "" if element.find("robndbox") is None else ": rotated boxes (robndbox) are not read"
            _faults.keep(InputError(path, f"missing{turned}", place=f"{place}bndbox"))
            continue
        box = [_number(path, place, bounds, corner) for corner in _CORNERS]
        yield _Object(file, number, name, box, _is_difficult(path, place, element))


def _is_difficult(path: Path, place: str, element: "Element") -> bool:
    if element.find("difficult") is None:
        return False
    text = _text_of(path, place, element, "difficult")
    value = _names.flag(text)
    if value is None:
        _faults.keep(InputError(path, f"expected 0 or 1, got {text[:40]!r}", place=f"{place}difficult"))
    return bool(value)


def _text_of(path: Path, place: str, element: "Element", tag: str) -> str:
    text = (element.findtext(tag) or "").strip()
    if not text:
        _faults.keep(InputError(path, "missing", place=f"{place}{tag}"))
    return text


def _number(path: Path, place: str, element: "Element", tag: str) -> float:
    text = _text_of(path, place, element, tag)
    try:
        return as_number(text or "0")  # a missing one is told
    except ValueError:
        _faults.keep(InputError(path, f"expected number, got {text!r}", place=f"{place}{tag}"))
        return 0.0


def _size(path: Path, root: "Element") -> tuple[float, float]:
    """Height and width, NaN where the file does not say."""
    element = root.find("size")
    if element is None:
        return float("nan"), float("nan")
    height, width = (_number(path, "size, ", element, tag) for tag in ("height", "width"))
    return (height, width) if height > 0 and width > 0 else (float("nan"), float("nan"))


FORMAT = Format(
    "voc",
    "Pascal VOC: XML; detections by class",
    Reader(read_ground_truth, numbered=True, library="defusedxml", per_image=True),
    Reader(read_detections, order="xyxy"),
    starts=(b"<",),
    official=(("--protocol", "voc2010"), ("--offset", "1")),
)
