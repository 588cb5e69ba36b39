"""Label Studio's exports JSON and JSON-MIN: a list of tasks, with an image each. Coordinates are percents."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec
import numpy.typing as npt

from omniou.data import _json
from omniou.data._errors import InputError
from omniou.data._formats import Format, Reader, outlines
from omniou.data._formats.file_rows import Place
from omniou.data._formats.outlines import UNKNOWN, OutlinedObject, Points, Size, ToolContent
from omniou.data._options import DEFAULT, Options
from omniou.data._peek import Peek
from omniou.data._truth import GroundTruth
from omniou.detection import Detections

Column = npt.NDArray[Any]

_SHAPES = {"rectangle", "polygon", "ellipse"}
_UPLOADED = re.compile(r"[0-9a-f]{8}-(?=.)")
_PICTURE = re.compile(r"\.(jpe?g|png|bmp|gif|tiff?|webp)$", re.IGNORECASE)


class _Region(msgspec.Struct):
    value: dict[str, Any]
    type: str
    id: str | None = None
    original_width: float | None = None
    original_height: float | None = None
    image_rotation: float | None = None
    score: float | None = None


class _Results(msgspec.Struct):
    """An annotation or a prediction."""

    result: list[msgspec.Raw] = []
    score: float | None = None
    model_version: str | None = None
    was_cancelled: bool | None = None
    ground_truth: bool | None = None


class _Task(msgspec.Struct):
    data: dict[str, Any]
    annotations: list[_Results] = []
    predictions: list[_Results | int] = []  # or only their ids


class _Labelled(NamedTuple):
    """What one annotator, or one model, says of an image."""

    image: str
    place: str
    regions: Sequence[tuple[str, _Region]]
    score: float | None = None


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read the annotations of an export."""
    path = Path(path)
    return outlines.truth(path, _read(path, options, detected=False))


def read_detections(path: Path | str, truth: GroundTruth, options: Options = DEFAULT) -> Detections[Column]:
    """Read the predictions of an export: the score of a region, or else of its prediction."""
    path = Path(path)
    return outlines.detections(path, _read(path, options, detected=True), truth)


def _read(path: Path, options: Options, *, detected: bool) -> ToolContent:
    data = _json.read(path)
    records = _json.decode(path, data, list[dict[str, msgspec.Raw]])
    labelled = [
        x
        for k, record in enumerate(records)
        for x in (_of_task(path, k, record, detected=detected) if "data" in record else _of_row(path, k, record))
    ]
    if detected and not any(x.regions for x in labelled) and any("annotations" in x for x in records):
        raise InputError(path, "has annotations, and no predictions with a score: is this the ground truth?")
    names = _names_of([x.image for x in labelled])
    first: dict[str, str] = {}
    read = ToolContent(options)
    for x, name in zip(labelled, names, strict=True):
        if name in first:
            fault = f"{name!r} is already the image of {first[name]}, by another annotator perhaps: keep one of them"
            raise InputError(path, fault, place=x.place)
        first[name] = x.place
        read.images[name] = next((size for _, region in x.regions if (size := _size(region)) != UNKNOWN), UNKNOWN)
        read.objects.extend(_objects(path, name, x, read))
    return read


def _of_task(path: Path, number: int, record: Mapping[str, msgspec.Raw], *, detected: bool) -> Iterator[_Labelled]:
    """The annotation, or the prediction, of a task."""
    place = f"[{number}]"
    task = _part(path, place, msgspec.Raw(msgspec.json.encode(record)), _Task)
    kind = "predictions" if detected else "annotations"
    given = task.predictions if detected else task.annotations
    made = [(k, x) for k, x in enumerate(given) if isinstance(x, _Results) and not x.was_cancelled]
    if len(made) > 1:
        made = [(k, x) for k, x in made if x.ground_truth] or made
    if len(made) > 1:
        models = ", ".join(repr(x.model_version) for _, x in made) if detected else ""
        several = f"{len(made)} {kind}{f', of {models}' if models else ''}"
        raise InputError(path, f"has {several}: keep one, or mark one as ground truth", place=f"{place}.{kind}")
    if not made and not detected and task.predictions:
        raise InputError(path, "has predictions and no annotations: are these the detections?", place=place)
    image = _image_of(path, place, task.data)
    if not made:
        yield _Labelled(image, place, ())
    for k, x in made:
        where = f"{place}.{kind}[{k}].result"
        regions = [(f"{where}[{n}]", _part(path, f"{where}[{n}]", raw, _Region)) for n, raw in enumerate(_regions(x))]
        yield _Labelled(image, place, regions, x.score)


def _regions(results: _Results) -> Iterator[msgspec.Raw]:
    """Regions; relations between them have no value."""
    for raw in results.result:
        if b'"value"' in bytes(raw):
            yield raw


def _of_row(path: Path, number: int, record: Mapping[str, msgspec.Raw]) -> Iterator[_Labelled]:
    """A task of JSON-MIN, whose regions are under the name that the labelling has."""
    place = f"[{number}]"
    values = {key: msgspec.json.decode(raw) for key, raw in record.items()}
    regions: list[tuple[str, _Region]] = []
    for key, listed in values.items():
        if not (isinstance(listed, list) and listed and all(isinstance(x, dict) for x in listed)):
            continue
        for n, value in enumerate(listed):
            labels = [name for name in value if name.endswith("labels")]
            known = {name: value.get(name) for name in ("original_width", "original_height", "image_rotation", "score")}
            where = f"{place}.{key}[{n}]"
            region = {"value": value, "type": labels[0] if labels else _shape_of(value)} | known
            try:
                regions.append((where, msgspec.convert(region, _Region)))
            except msgspec.ValidationError as error:
                raise InputError(path, str(error), place=where) from None
    yield _Labelled(_image_of(path, place, values), place, regions)


def _part(path: Path, place: str, raw: msgspec.Raw, kind: type[Any]) -> Any:
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.DecodeError as error:
        fault, field = _json.fault_of(error)
        raise InputError(path, fault, place=f"{place}.{field}".removesuffix(".")) from None


def _objects(path: Path, image: str, labelled: _Labelled, read: ToolContent) -> Iterator[OutlinedObject]:
    """The regions of an image. Results with the same id describe one region: its shape, its class, its attributes."""
    groups: dict[str, list[tuple[str, _Region]]] = {}
    for place, region in labelled.regions:
        groups.setdefault(f"id {region.id}" if region.id is not None else place, []).append((place, region))
    for parts in groups.values():
        shaped = next(((place, x) for place, x in parts if _shape_of(x.value) in _SHAPES), None)
        if shaped is None:
            read.leave_out(f"regions of the type {parts[0][1].type!r}")
            continue
        place, region = shaped
        scores = [x.score for _, x in parts if x.score is not None]
        yield OutlinedObject(
            image=image,
            label=_label(path, place, [x for _, x in parts]),
            polygons=[_outline(path, place, region)],
            place=Place(path, place, "" if region.id is None else f" (id {region.id})"),
            score=scores[0] if scores else labelled.score,
        )


def _label(path: Path, place: str, parts: Sequence[_Region]) -> str:
    """The class of a region, which its shape has, or a choice for the region."""
    named = [x.value[key] for x in parts for key in x.value if key.endswith("labels")]
    labels = next((x for x in (*named, *(x.value.get("choices") for x in parts)) if x), None)
    if not labels:
        raise InputError(path, "missing", place=f"{place}.value: the class")
    if not isinstance(labels, list) or len(labels) != 1 or not isinstance(labels[0], str):
        raise InputError(path, f"expected one class, got {labels!r}", place=f"{place}.value")
    return labels[0]


def _shape_of(value: Mapping[str, Any]) -> str:
    if "points" in value:
        return "polygon"
    if "radiusX" in value:
        return "ellipse"
    return "rectangle" if {"x", "y", "width", "height"} <= value.keys() else "other"


def _outline(path: Path, place: str, region: _Region) -> Points:
    height, width = _size(region)
    if math.isnan(height) or math.isnan(width):
        field = "original_height" if math.isnan(height) else "original_width"
        raise InputError(path, "missing: the size of the image, which percents are of", place=f"{place}.{field}")
    if region.image_rotation:
        fault = f"the image is turned by {region.image_rotation:g} degrees, which is not read"
        raise InputError(path, fault, place=f"{place}.image_rotation")

    def pixels(name: str, side: float) -> float:
        return _number(path, f"{place}.value.{name}", region.value.get(name)) * side / 100

    match _shape_of(region.value):
        case "polygon":
            points = region.value["points"]
            if not isinstance(points, list) or not all(isinstance(x, list) and len(x) == 2 for x in points):
                raise InputError(path, "expected a list of points", place=f"{place}.value.points")
            at = f"{place}.value.points"
            return [(_number(path, at, x) * width / 100, _number(path, at, y) * height / 100) for x, y in points]
        case "ellipse":
            x, y = pixels("x", width), pixels("y", height)
            points = outlines.ellipse(x, y, pixels("radiusX", width), pixels("radiusY", height))
        case _:
            x, y = pixels("x", width), pixels("y", height)
            points = outlines.box(x, y, x + pixels("width", width), y + pixels("height", height))
    turn = region.value.get("rotation") or 0.0
    return outlines.turned(points, _number(path, f"{place}.value.rotation", turn), (x, y))


def _number(path: Path, place: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        fault = "missing" if value is None else f"expected number, got {value!r}"
        raise InputError(path, fault, place=place)
    return float(value)


def _size(region: _Region) -> Size:
    return (region.original_height or math.nan, region.original_width or math.nan)


def _image_of(path: Path, place: str, data: Mapping[str, Any]) -> str:
    """The file of the image, which may have any key."""
    texts = {key: x for key, x in data.items() if isinstance(x, str)}
    named = [file for key in ("image", "img", "image_url", "url") if (file := _file_in(texts.get(key, "")))]
    found = named or [file for x in texts.values() if _PICTURE.search(file := _file_in(x))]
    if not found:
        raise InputError(path, "no image in the data of the task", place=place)
    return found[0]


def _file_in(address: str) -> str:
    """The path of a file in an address on a web server, in a bucket, or in Label Studio's own storage."""
    try:
        parts = urlsplit(address)
    except ValueError:  # such as a bracket that does not close
        return address
    local = parse_qs(parts.query).get("d", [""])[0]
    return unquote(local or parts.path or parts.netloc).lstrip("/")


def _names_of(files: Sequence[str]) -> list[str]:
    """The names of images: without the folder and the mark of an upload, where they stay as distinct."""
    count = len(set(files))
    stems = [file.rpartition("/")[2] for file in files]
    short = [
        _UPLOADED.sub("", stem, count=1) if "upload/" in file else stem for stem, file in zip(stems, files, strict=True)
    ]
    return next((names for names in (short, stems) if len(set(names)) == count), list(files))


def _is_label_studio(peek: Peek) -> bool:
    keys = peek.keys
    is_task = "[].data" in keys and bool(keys & {"[].annotations", "[].predictions"})
    is_row = bool(keys & {"[].annotation_id", "[].annotator"}) or any(key.endswith("[].original_width") for key in keys)
    return is_task or is_row or bool(keys & {"[].annotations[].result", "[].predictions[].result"})


FORMAT = Format(
    "label-studio",
    "Label Studio: JSON, JSON-MIN",
    Reader(read_ground_truth, outlines.KINDS, numbered=True),
    Reader(read_detections, outlines.KINDS),
    recognises=_is_label_studio,
)
