"""COCO's files: ground truth and detections as JSON, also compressed by gzip.

Fields that are not asked for are passed over, as are fields that COCO does not know. Boxes stay as the files have
them, (x, y, width, height), for ``evaluate(..., format="xywh")``. Of the kind "rotated" they are (centre x, centre y,
width, height, angle), for ``evaluate(..., kind="rotated", format="cxcywhr")``.
"""

import bisect
import contextlib
import functools
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from omniou.data import _files, _json
from omniou.data._errors import InputError, OptionError
from omniou.data._names import Coded, Listed, as_id, chained, coded, compact, flags, in_lines, packed
from omniou.data._options import DEFAULT, Options
from omniou.data._truth import GroundTruth, Naming
from omniou.data.formats import Format, Reader, _rows
from omniou.data.formats._angles import in_radians
from omniou.data.formats._records import (
    OF_KIND,
    CocoCategory,
    FederatedMaskedTruth,
    FederatedRotatedTruth,
    FederatedTruth,
    Image,
    MaskedAnnotation,
    MaskedDetection,
    MaskedTruth,
    Object,
    Records,
    RotatedTruth,
    Truth,
)
from omniou.data.formats._rows import FileRows, Place
from omniou.detection import Detections

__all__ = ["FORMAT", "GroundTruth", "read_detections", "read_ground_truth"]

Column = npt.NDArray[Any]
AnyFederated: TypeAlias = FederatedTruth | FederatedMaskedTruth | FederatedRotatedTruth
AnyTruth: TypeAlias = Truth | MaskedTruth | RotatedTruth | AnyFederated
TruthT = TypeVar("TruthT", bound=AnyTruth)


class _DetectionColumns(NamedTuple):
    """Detections as columns."""

    images: list[int | str] | Column
    labels: list[int | str] | Column
    boxes: Column
    scores: Column
    segmentations: list[Any]


# What may be wrong with the length of a box, and what it says of the kind.
_HINTS = {
    "expected 4 numbers, got 5": "--kind rotated reads boxes with an angle",
    "expected 5 numbers, got 4": "--kind rotated reads boxes with an angle, of files where all have one",
}


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read a file of COCO annotations, such as ``instances_val2017.json``.

    Parameters
    ----------
    path : path
        A JSON object with the lists "images", "annotations" and "categories". Of an annotation, "image_id",
        "category_id" and "bbox" are needed, "area", "iscrowd" and "ignore" are used where present. Ids of images may be
        strings; those that are no integers become numbers.
    options : Options
        `kind` and `boxes`; and `image_size` or `images`, where sizes are missing that are needed. For masks, each
        annotation needs its "segmentation": run lengths, or polygons, whose images need "height" and "width". Of the
        kind "rotated", each "bbox" has five numbers, with angles as `angle_unit` and `clockwise` say.

    Returns
    -------
    GroundTruth

    Raises
    ------
    InputError
        Naming the file, the record and the field: if the file cannot be read, is no such JSON, an id occurs twice, or
        an annotation is of an unknown image or category.

    Examples
    --------
    >>> from omniou.data import coco
    >>> truth = coco.read_ground_truth("docs/examples/coco-val2014-100/ground_truth.json")
    >>> len(truth.images), len(truth.targets.labels), truth.categories[1]
    (100, 839, 'person')
    """
    path = Path(path)
    return of_json(path, _json.read(path), options)


def _read_coco_or_lvis(path: Path, options: Options) -> GroundTruth:
    """Read a JSON file of either format: LVIS's where some image says which categories it lacks."""
    data = _json.read(path)
    if b'"neg_category_ids"' not in data:
        return of_json(path, data, options)
    from omniou.data.formats import lvis

    return lvis.of_json(path, data, options)


def of_json(path: Path, data: bytes, options: Options) -> GroundTruth:
    """The ground truth in the text of a file."""
    return columns(path, decode(path, data, OF_KIND[options.kind].truth), options)


def read_detections(path: Path | str, truth: GroundTruth, options: Options = DEFAULT) -> Detections[Column]:
    """Read detections in COCO's format for results.

    Parameters
    ----------
    path : path
        A JSON list of objects with "image_id", "category_id", "bbox" and "score"; an empty list is no fault. Or an
        object whose "annotations" are such a list; or a directory of such files, which are read in the order of their
        names.
    truth : GroundTruth
        What was detected in, in any format. Strings for ids are names of its images and categories.
    options : Options
        `kind`, `boxes`, `angle_unit`, `clockwise` and `track`; and `classes`, where numbers of categories count the
        lines of a file of names, and are not the ids of the ground truth.

    Returns
    -------
    Detections
        Columns in the file's order, with boxes in the format of `truth`.

    Raises
    ------
    InputError
        Naming the file, the record and the field: if the file cannot be read, is no such JSON, or a detection is of an
        image or a category that the ground truth does not have.

    Examples
    --------
    >>> from omniou.data import coco
    >>> truth = coco.read_ground_truth("docs/examples/coco-val2014-100/ground_truth.json")
    >>> detections = coco.read_detections("docs/examples/coco-val2014-100/detections.json", truth)
    >>> detections.boxes.shape, float(detections.scores[0])
    ((734, 4), 0.236)
    """
    path = Path(path)
    files = _shards(path)
    kind = OF_KIND[options.kind]
    blocks = [_detected(file, kind) for file in options.track(files, "detections")]
    first = [0, *itertools.accumulate(sum(len(x.scores) for x in of_file) for of_file in blocks)]
    joined = _joined([x for of_file in blocks for x in of_file])

    def place(row: int, field: str) -> Place:
        k = bisect.bisect_right(first, row) - 1
        return Place(files[k], f"[{row - first[k]}].{field}")

    rows = FileRows(
        images=_images_of(joined.images),
        labels=_named(path, coded(joined.labels), options),
        **_boxes_of(joined.boxes, options),
        place=place,
        scores=joined.scores,
        segmentations=joined.segmentations if options.masks else None,
    )
    return _rows.detections(path, rows, truth)


def decode(path: Path, data: bytes, kind: type[TruthT]) -> TruthT:
    """The records of a ground truth, with ids that are distinct."""
    if data.lstrip().startswith(b"["):
        known = " of detections: are the two files swapped?" if _scored(_json.shape_of(data)) else ""
        raise InputError(path, f"expected ground truth, an object with lists of annotations; got a list{known}")
    with _hinting():
        truth = _json.decode(path, data, kind)
    _check_distinct(path, "images", [_key(record.id) for record in truth.images])
    _check_distinct(path, "categories", [record.id for record in truth.categories])
    return truth


def columns(path: Path, truth: AnyTruth, options: Options) -> GroundTruth:
    """The records of a ground truth as columns."""
    records = truth.annotations
    masked = cast("Sequence[MaskedAnnotation]", records)
    rows = FileRows(
        images=_images_of(compact([x.image_id for x in records])),
        labels=coded(compact([x.category_id for x in records])),
        **_boxes_of(_boxes(records, OF_KIND[options.kind].numbers), options),
        place=_place_in(path, records),
        crowd=flags([x.iscrowd for x in records]),
        area=packed([np.nan if x.area is None else x.area for x in records], np.float64),
        segmentations=[x.segmentation for x in masked] if options.masks else None,
    )
    images, categories = _images(truth.images), _categories(truth.categories)
    truth_columns = _rows.truth(path, rows, images, categories, options, sizes=_sizes(truth.images))
    truth_columns.flagged[:] = flags([x.ignore for x in records])
    return truth_columns


def _place_in(path: Path, records: Sequence[Object]) -> Any:
    def place(row: int, field: str) -> Place:
        id = records[row].id
        return Place(path, f"annotations[{row}].{field}", "" if id is None else f" (id {id})")

    return place


def _named(path: Path, labels: Coded, options: Options) -> Coded:
    """Numbers of categories as the names that they count, if a file of names is given."""
    if options.classes is None:
        return labels
    names = in_lines(options.classes).names
    unknown = [key for key in labels.keys if isinstance(key, int) and key not in names]
    if unknown:
        fault = f"{unknown[0]} is not among the {len(names)} names of {options.classes}, counted from 0"
        raise InputError(path, fault, place="category_id")
    return labels._replace(keys=[names[key] if isinstance(key, int) else key for key in labels.keys])


def _images_of(ids: list[int | str] | Column) -> Coded:
    columns = coded(ids)
    return columns._replace(keys=[_key(key) for key in columns.keys])


def _key(id: int | str) -> int | str:
    """An integer that is written as a string is one."""
    number = as_id(id) if isinstance(id, str) else None
    return id if number is None or str(number) != id else number


def _images(records: Sequence[Image]) -> Listed:
    keys = [_key(x.id) for x in records]
    taken = {key for key in keys if isinstance(key, int)}
    fresh = (id for id in itertools.count() if id not in taken)
    names = {}
    for key, x in zip(keys, records, strict=True):
        if isinstance(key, str):
            names[next(fresh)] = key
        else:
            names[key] = x.file_name or str(key)
    return Listed(names, Naming())


def _categories(records: Sequence[CocoCategory]) -> Listed:
    return Listed({x.id: str(x.id) if x.name is None else x.name for x in records}, Naming())


def _sizes(records: Sequence[Image]) -> Column:
    """Height and width of each image, NaN where unknown."""
    sizes = np.array([(x.height or np.nan, x.width or np.nan) for x in records], dtype=np.float64).reshape(-1, 2)
    return np.where(sizes > 0, sizes, np.nan)


def _shards(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = _files.in_folder(path)
    if not files:
        raise InputError(path, "the directory has no files")
    return [x for x in files if ".json" in x.name.lower()] or files


def _detected(path: Path, kind: Records) -> list[_DetectionColumns]:
    """The detections of a file, some at a time."""
    data = _json.read(path)
    if data.lstrip().startswith(b"{"):
        if _json.are_lines(data):
            raise InputError(path, _json.LINES)
        outer = _json.shape_of(data)
        annotations = outer.get("annotations") if isinstance(outer, dict) else None
        if annotations is None or b'"score"' not in bytes(annotations)[: _json.BLOCK]:
            raise InputError(path, f"expected a list of detections, got an object{_what_object(outer)}")
        data = bytes(annotations)
    records: Any = list[kind.detection]  # type: ignore[name-defined]
    with _hinting():
        return _json.decode_blocks(path, data, records, functools.partial(_columns, numbers=kind.numbers))


def _columns(records: Sequence[Any], numbers: int) -> _DetectionColumns:
    masked = bool(records) and isinstance(records[0], MaskedDetection)
    return _DetectionColumns(
        compact([x.image_id for x in records]),
        compact([x.category_id for x in records]),
        np.zeros((len(records), numbers)) if masked else _boxes(records, numbers),
        packed([x.score for x in records], np.float64),
        [x.segmentation for x in records] if masked else [],
    )


def _joined(parts: Sequence[_DetectionColumns]) -> _DetectionColumns:
    images, labels, boxes, scores, segmentations = zip(*parts, strict=True)
    every = list(itertools.chain.from_iterable(segmentations))
    return _DetectionColumns(chained(images), chained(labels), np.concatenate(boxes), np.concatenate(scores), every)


def _boxes(records: Sequence[Any], numbers: int) -> Column:
    flat: list[float] = []
    for x in records:
        flat.extend(x.bbox)  # far faster than a chain
    return packed(flat, np.float64).reshape(-1, numbers)


def _boxes_of(boxes: Column, options: Options) -> dict[str, Any]:
    """Fields of `FileRows` that tell what boxes are."""
    kind = OF_KIND[options.kind]
    format = options.boxes or kind.format
    if kind.numbers not in options.geometry.formats.get(format, ()):
        msg = f"`boxes` must name an order of {kind.numbers} numbers, got {format!r}"
        raise OptionError(msg)
    if options.kind == "rotated":
        boxes = in_radians(boxes, format, options)
    fields = ("image_id", "category_id", *(f"bbox[{k}]" for k in range(kind.numbers)))
    return {"boxes": boxes, "format": format, "geometry": options.geometry, "fields": fields}


@contextlib.contextmanager
def _hinting() -> Iterator[None]:
    """A box of another length than that of the kind may be of another kind."""
    try:
        yield
    except InputError as error:
        hint = next((hint for fault, hint in _HINTS.items() if error.fault.startswith(fault)), None)
        if hint is None:
            raise
        raise InputError(error.path, f"{error.fault}: {hint}", place=error.place) from None


def _scored(outer: dict[str, Any] | list[Any] | None) -> bool:
    """Whether this is what a file of detections starts with."""
    return isinstance(outer, list) and bool(outer) and b'"score"' in bytes(outer[0])


def _what_object(outer: dict[str, Any] | list[Any] | None) -> str:
    if not outer:
        return ""
    if "images" in outer and "annotations" in outer:
        return " of ground truth: are the two files swapped?"
    return f" with {', '.join(map(repr, list(outer)[:5]))}"


def _check_distinct(path: Path, name: str, ids: Sequence[int | str]) -> None:
    first: dict[int | str, int] = {}
    for number, known in enumerate(ids):
        if known in first:
            raise InputError(path, f"{known} is already the id of {name}[{first[known]}]", place=f"{name}[{number}].id")
        first[known] = number


KINDS = tuple(OF_KIND)
FORMAT = Format(
    "coco",
    "JSON of COCO",
    Reader(read_ground_truth, KINDS, order="xywh", recognised=_read_coco_or_lvis),
    Reader(read_detections, KINDS, order="xywh"),
    starts=(b"{", b"["),
)
