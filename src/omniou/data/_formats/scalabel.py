"""Scalabel's JSON, which BDD100K uses: frames with labels, in one file or in a directory of files.

A box is ``box2d``, a mask ``rle`` or the closed lines of ``poly2d``.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy.typing as npt

from omniou.data import _files, _json, _names
from omniou.data._errors import InputError
from omniou.data._formats import Format, Reader, outlines
from omniou.data._formats.coco_records import Lengths
from omniou.data._formats.file_rows import Place
from omniou.data._formats.outlines import UNKNOWN, OutlinedObject, Points, Size, ToolContent
from omniou.data._options import DEFAULT, Options
from omniou.data._peek import Peek
from omniou.data._truth import GroundTruth
from omniou.detection import Detections
from omniou.rle import MaskError, Masks

Column = npt.NDArray[Any]


# Fields of a frame without labels, by which a file is recognised.
_OF_FRAME = {
    *("[].name", "[].videoName", "[].frameIndex", "[].index", "[].size", "[].url", "[].timestamp", "[].attributes"),
    *("[].sequence", "[].intrinsics", "[].extrinsics"),
}


class _CornerBox(msgspec.Struct):
    x1: float
    y1: float
    x2: float
    y2: float


class _PolyLine(msgspec.Struct):
    vertices: list[tuple[float, float]]
    types: str | None = None
    closed: bool = True


class ScalabelLabel(msgspec.Struct):
    category: str | None = None
    id: str | int | None = None
    index: int | None = None
    score: float | None = None
    attributes: dict[str, Any] | None = None
    box2d: _CornerBox | None = None
    poly2d: list[_PolyLine | list[tuple[float, float, str]]] | None = None
    rle: Lengths | None = None


class _FrameSize(msgspec.Struct):
    height: float
    width: float


class ScalabelFrame(msgspec.Struct):
    """A frame and its labels."""

    name: str
    videoName: str | None = None  # noqa: N815  (Scalabel's name)
    labels: list[ScalabelLabel] | None = None
    size: _FrameSize | None = None
    frameIndex: int | None = None  # noqa: N815
    index: int | None = None  # the same, as BDD100K's first format had it


class _FrameCategory(msgspec.Struct):
    name: str
    subcategories: list["_FrameCategory"] | None = None


class _FrameConfig(msgspec.Struct):
    categories: list[_FrameCategory] | None = None
    imageSize: _FrameSize | None = None  # noqa: N815


class ScalabelFrames(msgspec.Struct):
    """The frames of a file."""

    frames: list[ScalabelFrame]
    config: _FrameConfig | None = None


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read frames and their labels, such as ``det_val.json`` of BDD100K."""
    path = Path(path)
    read, names = _read(path, options, "ground truth")
    return outlines.truth(path, read, names=names)


def read_detections(path: Path | str, truth: GroundTruth, options: Options = DEFAULT) -> Detections[Column]:
    """Read frames whose labels have a "score"."""
    path = Path(path)
    return outlines.detections(path, _read(path, options, "detections")[0], truth)


def _read(path: Path, options: Options, what: str) -> tuple[ToolContent, list[str]]:
    """All frames of all files, and the names of classes where the files list them."""
    files = [x for x in _files.in_folder(path) if x == path or ".json" in x.name.lower()]
    if not files:
        raise _files.lacking(path, "JSON files")
    read, names, first = ToolContent(options), dict[str, None](), dict[str, str]()
    decoded = [(file, *decoded_frames(file)) for file in options.track(files, what)]
    videos: dict[str, set[str | None]] = {}
    for _, content, _ in decoded:
        for frame in content.frames:
            videos.setdefault(frame.name, set()).add(frame.videoName)
    for file, content, prefix in decoded:
        config = content.config or _FrameConfig()
        names |= dict.fromkeys(_leaves(config.categories or []))
        for k, frame in enumerate(content.frames):
            place = f"{prefix}[{k}]" if prefix is not None else ""
            # Detections need not have all frames: their videos are always named.
            several = what == "detections" or len(videos[frame.name]) > 1
            image = f"{frame.videoName}/{frame.name}" if frame.videoName and several else frame.name
            if image in read.images:
                raise InputError(
                    file, f"{image!r} is already the name of {first[image]}", place=f"{place}.name".removeprefix(".")
                )
            first[image] = f"{place or 'the frame'} of {file.name}"
            read.images[image] = _size(frame.size or config.imageSize)
            read.objects.extend(_objects(file, image, place, frame, read))
    return read, list(names)


def decoded_frames(path: Path) -> tuple[ScalabelFrames, str | None]:
    """The frames of a file, and what their places begin with; None of a file of one frame."""
    data = _json.read(path)
    if data.lstrip().startswith(b"["):
        return ScalabelFrames(_json.decode(path, data, list[ScalabelFrame])), ""
    outer = _json.shape_of(data)
    if not isinstance(outer, dict) or "frames" not in outer:
        return ScalabelFrames([_json.decode(path, data, ScalabelFrame)]), None
    if "name" in outer:
        fault = "is of BDD100K's first format, with frames of one image: convert it by bdd100k.label.to_scalabel"
        raise InputError(path, fault)
    return _json.decode(path, data, ScalabelFrames), "frames"


def _objects(file: Path, image: str, place: str, frame: ScalabelFrame, read: ToolContent) -> Iterator[OutlinedObject]:
    masks = read.options.masks
    for k, label in enumerate(frame.labels or []):
        where = Place(file, f"{place}.labels[{k}]".removeprefix("."), "" if label.id is None else f" (id {label.id})")
        polygons = list(_polygons(label))
        if label.box2d is None and label.rle is None and not polygons:
            bare = label.index is None
            read.leave_out(
                "labels without a box, a closed line or a mask" if bare else "labels whose masks are in PNG files"
            )
            continue
        if label.category is None:
            raise InputError(file, "missing", place=f"{where.place}.category")
        attributes = label.attributes or {}
        mask = label.rle if masks or label.box2d is None else None
        yield OutlinedObject(
            image=image,
            label=label.category,
            polygons=_outline(label, polygons, where, masks=masks),
            place=where,
            score=label.score,
            crowd=any(_flag(attributes, name, where) for name in ("crowd", "ignored")),
            mask=mask,
            box_only=mask is None and not polygons,
        )


def _flag(attributes: Mapping[str, Any], name: str, where: Place) -> bool:
    value = attributes.get(name)
    known = _names.flag(value) if value is None or isinstance(value, bool | int | float | str) else None
    if known is None:
        raise InputError(
            where.path, f"expected true or false, got {value!r:.42}", place=f"{where.place}.attributes.{name}"
        )
    return known


def _outline(label: ScalabelLabel, polygons: Sequence[Points], where: Place, *, masks: bool) -> Sequence[Points]:
    """The box where there is one, unless masks are compared."""
    if label.box2d is not None and not (masks and polygons):
        return [outlines.box(label.box2d.x1, label.box2d.y1, label.box2d.x2, label.box2d.y2)]
    return polygons if label.rle is None else [_around(label.rle, where)]


def _around(lengths: Lengths, where: Place) -> Points:
    """The box around a mask."""
    try:
        x, y, width, height = Masks.from_coco([lengths]).boxes("xywh")[0].tolist()
    except MaskError as error:
        raise InputError(where.path, error.fault, place=f"{where.place}.rle") from None
    return outlines.box(x, y, x + width, y + height)


def _polygons(label: ScalabelLabel) -> Iterator[Points]:
    for line in label.poly2d or []:
        if not isinstance(line, _PolyLine):
            yield [(x, y) for x, y, _ in line]
        elif line.closed:
            yield line.vertices


def _size(size: _FrameSize | None) -> Size:
    return (size.height or math.nan, size.width or math.nan) if size is not None else UNKNOWN


def _leaves(categories: Sequence[_FrameCategory]) -> Iterator[str]:
    """Names of classes, without names of groups of classes."""
    for x in categories:
        if x.subcategories:
            yield from _leaves(x.subcategories)
        else:
            yield x.name


def _is_scalabel(peek: Peek) -> bool:
    keys = peek.keys
    return (
        {"[].name", "[].labels"} <= keys
        or {"frames[].name"} <= keys
        or {"name", "labels"} <= keys
        or {"name", "frames"} <= keys
        or ("[].name" in keys and {x for x in keys if x.count(".") == 1 and x.startswith("[].")} <= _OF_FRAME)
    )


FORMAT = Format(
    "scalabel",
    "Scalabel, BDD100K: JSON of frames",
    Reader(read_ground_truth, outlines.KINDS, numbered=True),
    Reader(read_detections, outlines.KINDS),
    recognises=_is_scalabel,
)
