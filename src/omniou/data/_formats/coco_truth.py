"""The ground truth in COCO's JSON, and in LVIS's, which adds to it what was looked for in each image."""

import contextlib
import dataclasses
import itertools
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from omniou._catalogue.shape_calls import converted
from omniou._lib.brief import shortened
from omniou._lib.findings import Finding
from omniou.data import _faults, _files, _json
from omniou.data._errors import MISSING_SCORES, InputError, InputWarning, OptionError
from omniou.data._formats import file_rows
from omniou.data._formats.coco_records import (
    OF_KIND,
    CocoCategory,
    FederatedImage,
    FederatedMaskedTruth,
    FederatedRotatedTruth,
    FederatedTruth,
    Image,
    KeypointTruth,
    MaskedAnnotation,
    MaskedTruth,
    Object,
    RotatedTruth,
    Truth,
)
from omniou.data._formats.coco_source import CocoSource
from omniou.data._formats.file_rows import FileRows, Place, in_radians
from omniou.data._names import Coded, Listed, as_id, coded, compact, flags, packed
from omniou.data._options import Options
from omniou.data._truth import GroundTruth, Naming

if TYPE_CHECKING:
    from omniou.rle import Masks

Column = npt.NDArray[Any]
AnyFederated: TypeAlias = FederatedTruth | FederatedMaskedTruth | FederatedRotatedTruth
AnyTruth: TypeAlias = Truth | MaskedTruth | RotatedTruth | KeypointTruth | AnyFederated
TruthT = TypeVar("TruthT", bound=AnyTruth)

# Stands for the box of an object with a mask until the mask is known.
_NO_BOX = (0.0, 0.0, 1.0, 1.0)
# Wrong lengths of a box, and the kind that they belong to.
_HINTS = {
    "expected 4 numbers, got 5": "--kind rotated reads boxes with an angle",
    "expected 5 numbers, got 4": "--kind rotated reads boxes with an angle, of files where all have one",
}
_CROWD = rb'"(is_crowd|isCrowd|IsCrowd|crowd|is_group_of|IsGroupOf|isgroupof)"\s*:'
_SCORE = re.compile(rb'"score"\s*:\s*[-\d]')
# The kind that is probably meant if a field is missing.
_HINTS_OF_MISSING = {
    "bbox": "--kind segm reads masks",
    "segmentation": "--kind bbox reads boxes",
    "keypoints": "--kind bbox reads boxes",
}


def read_either(path: Path, options: Options) -> GroundTruth:
    """Read a JSON file of either format: LVIS's where some image says which categories it lacks."""
    path = file_of(path)
    data = _json.read(path)
    return (of_federated_json if b'"neg_category_ids"' in data else of_json)(path, data, options)


def file_of(path: Path) -> Path:
    """The one JSON file of a directory, or the file itself."""
    if not path.is_dir():
        return path
    files = [x for x in _files.in_folder(path) if ".json" in x.name.lower()]
    if len(files) == 1:
        return files[0]
    if not files:
        raise InputError(path, "is a directory; a JSON file was expected")
    names = shortened([str(x.relative_to(path)) for x in files])
    raise InputError(path, f"is a directory with {len(files)} JSON files, {names}: name one of them")


def of_json(path: Path, data: bytes, options: Options) -> GroundTruth:
    """The ground truth in the text of a file of COCO."""
    return columns(path, decode(path, data, OF_KIND[options.read_kind].truth), options)


def of_federated_json(path: Path, data: bytes, options: Options) -> GroundTruth:
    """The ground truth in the text of a file of LVIS: with the categories that each image was looked through for."""
    records = decode(path, data, OF_KIND[options.read_kind].federated)
    truth = columns(path, records, options)
    images = records.images
    targets = dataclasses.replace(
        truth.targets,
        negative=_pairs(truth, "neg_category_ids", images, lambda x: x.neg_category_ids),
        not_exhaustive=_pairs(truth, "not_exhaustive_category_ids", images, lambda x: x.not_exhaustive_category_ids),
    )
    rated = {x.id: x.frequency for x in records.categories if x.frequency is not None}
    return dataclasses.replace(truth, targets=targets, frequency=rated or None)


def _pairs(
    truth: GroundTruth, name: str, images: Sequence[FederatedImage], labels_of: Callable[[FederatedImage], list[int]]
) -> Column:
    """Each image's id next to each of its categories, (P, 2)."""
    pairs = []
    distinct = _faults.collected() is None  # otherwise ids may repeat, and nothing is made of what is read
    for number, (id, image) in enumerate(zip(truth.images.tolist(), images, strict=distinct)):
        for k, label in enumerate(labels_of(image)):
            if label not in truth.categories:
                place = f"images[{number}].{name}[{k}]"
                raise InputError(truth.path, f"{label} is not among the categories", place=place)
            pairs.append((id, label))
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def decode(path: Path, data: bytes, kind: type[TruthT]) -> TruthT:
    """The records of a ground truth, with ids that are distinct."""
    if data.lstrip().startswith(b"["):
        known = " of detections: are the two files swapped?" if _scored(_json.shape_of(data)) else ""
        raise InputError(path, f"expected ground truth, an object with lists of annotations; got a list{known}")
    with hinting(data):
        truth = _json.decode(path, data, kind)
    _warn_other_flags(path, data)
    _check_distinct(path, "images", [key_of(record.id) for record in truth.images])
    _check_distinct(path, "categories", [record.id for record in truth.categories])
    return truth


def columns(path: Path, truth: AnyTruth, options: Options) -> GroundTruth:
    """The records of a ground truth as columns."""
    records = truth.annotations
    masked = cast("Sequence[MaskedAnnotation]", records)
    place = _place_in(path, records)
    of_points = None
    if isinstance(truth, KeypointTruth):
        from omniou.data._formats import coco_keypoints as keypoints

        of_points = keypoints.of_truth(path, truth, place, options)
    rows = FileRows(
        images=images_of(compact([x.image_id for x in records])),
        labels=coded(compact([x.category_id for x in records])),
        **fields_of_boxes(boxes_of(records, OF_KIND[options.read_kind].numbers), options),
        place=place,
        points=None if of_points is None else of_points.rows,
        crowd=_flags(records, "iscrowd", place),
        area=packed([np.nan if x.area is None else x.area for x in records], np.float64),
        segmentations=[x.segmentation for x in masked] if options.masks else None,
        source=CocoSource(path, place),
    )
    images, categories = _images(truth.images), _categories(truth.categories)
    truth_columns = file_rows.truth(path, rows, images, categories, options, sizes=_sizes(truth.images))
    truth_columns.flagged[:] = _flags(records, "ignore", place)
    _warn_checked(path, truth)
    if of_points is not None and isinstance(truth, KeypointTruth):
        from omniou.data._formats import coco_keypoints as keypoints

        groups = keypoints.crowded(path, truth.images, truth_columns.images.tolist())
        truth_columns = dataclasses.replace(truth_columns, skeleton=of_points.skeleton, image_groups=groups)
    without_box = [row for row, x in enumerate(masked) if x.bbox is None]
    return _with_boxes_of_masks(truth_columns, without_box) if without_box else truth_columns


def _flags(records: Sequence[Object], name: str, place: Callable[[int, str], Place]) -> Column:
    def fault(row: int, what: str) -> InputError:
        at = place(row, name)
        return InputError(at.path, what + at.record, place=at.place)

    return flags([getattr(x, name) for x in records], fault)


def _with_boxes_of_masks(truth: GroundTruth, rows: list[int]) -> GroundTruth:
    """Fill the boxes of some rows with the boxes around their masks."""
    boxes, masks = np.array(truth.targets.boxes), cast("Masks", truth.targets.masks)
    around = masks.take(np.array(rows, dtype=np.int64)).boxes("xywh")
    boxes[rows] = converted(truth.geometry, around, "xywh", truth.format)
    return dataclasses.replace(truth, targets=dataclasses.replace(truth.targets, boxes=boxes))


def _warn_other_flags(path: Path, data: bytes) -> None:
    """A mark of crowds by another name is not read, and its objects count as single ones."""
    found = re.search(_CROWD, data[: _json.BLOCK])
    if found and b'"iscrowd"' not in data:
        text = f"annotations have {found[1].decode()!r} and no iscrowd: omniou reads no crowds"
        finding = Finding(code="crowds-unread", text=text, hint="write the field as iscrowd", path=str(path))
        warnings.warn(InputWarning(finding), stacklevel=2)


def _warn_checked(path: Path, truth: AnyTruth) -> None:
    """What other tools trip over, and no evaluation here: for `omniou check`."""
    if _faults.collected() is None:
        return
    ids = [x.id for x in truth.annotations if x.id is not None]
    times = Counter(map(str, ids))
    repeated = list({str(id): id for id in ids if times[str(id)] > 1}.values())
    empty = [x.id for x in truth.images if 0 in {x.width, x.height}]
    for code, wrong, text, hint in (
        ("duplicate-ids", repeated, "ids of annotations occur several times", "number them: pycocotools loses one"),
        ("sizes-zero", empty, "images have a width or a height of 0", "write their sizes"),
    ):
        if wrong:
            finding = Finding(code=code, text=f"{text}: {shortened(wrong)}", hint=hint, path=str(path))
            warnings.warn(InputWarning(finding), stacklevel=2)


def _place_in(path: Path, records: Sequence[Object]) -> Any:
    def place(row: int, field: str) -> Place:
        id = records[row].id
        return Place(path, f"annotations[{row}].{field}", "" if id is None else f" (id {str(id)[:40]})")

    return place


def images_of(ids: list[int | str] | Column) -> Coded:
    columns = coded(ids)
    return columns._replace(keys=[key_of(key) for key in columns.keys])


def key_of(id: int | str) -> int | str:
    """An integer that is written as a string is one."""
    number = as_id(id) if isinstance(id, str) else None
    return id if number is None or str(number) != id else number


def _images(records: Sequence[Image]) -> Listed:
    keys = [key_of(x.id) for x in records]
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


def boxes_of(records: Sequence[Any], numbers: int) -> Column:
    flat: list[float] = []
    for x in records:
        flat.extend(x.bbox or _NO_BOX)  # far faster than a chain
    return packed(flat, np.float64).reshape(-1, numbers)


def fields_of_boxes(boxes: Column, options: Options) -> dict[str, Any]:
    """Fields of `FileRows` that tell what boxes are."""
    kind = OF_KIND[options.read_kind]
    format = options.boxes or kind.format
    if kind.numbers not in options.geometry.formats.get(format, ()):
        raise OptionError(f"`boxes` must name an order of {kind.numbers} numbers, got {format!r}")
    if options.read_kind == "rotated":
        boxes = in_radians(boxes, format, options)
    fields = ("image_id", "category_id", *(f"bbox[{k}]" for k in range(kind.numbers)))
    return {"boxes": boxes, "format": format, "geometry": options.geometry, "fields": fields}


@contextlib.contextmanager
def hinting(data: bytes) -> Iterator[None]:
    """A box of another length than the kind's, or a field that is missing, may be of another kind, or another file."""
    with _faults.completed(lambda error: _hinted(error, data)):
        yield


def _hinted(error: InputError, data: bytes) -> InputError:
    """A fault of a file with what is most likely meant."""
    hint = next((hint for fault, hint in _HINTS.items() if error.fault.startswith(fault)), None)
    field = error.place.rpartition(".")[2]
    if error.fault == "missing" and error.place in {"images", "annotations", "categories"}:
        has = ", ".join(map(repr, list(_json.shape_of(data) or {})[:5])) or "nothing"
        hint = f"the file has {has}, and COCO's ground truth has images, annotations and categories"
    elif error.fault.startswith("missing") and (other := other_name(data, error.place, field)):
        hint = other
    elif field == "score" and (error.fault.startswith("missing") or error.fault.endswith("got null")):
        scored, count = len(_SCORE.findall(data)), data.count(b'"category_id"')
        hint = f"{scored} of {count} detections have one. All must, or none" if scored else MISSING_SCORES
    elif error.fault.startswith("missing") and (field != "bbox" or b'"segmentation"' in data):
        hint = _HINTS_OF_MISSING.get(field)
    elif error.fault.startswith("missing") and b'"keypoints"' in data:
        hint = "--kind keypoints reads keypoints"
    return error if hint is None else InputError(error.path, f"{error.fault}: {hint}", place=error.place)


def other_name(data: bytes, place: str, field: str) -> str:
    """What a record has in place of a field that is missing; empty if it has nothing like it."""
    from omniou.data._formats.column_words import FIELDS, instead_of

    if field not in FIELDS:
        return ""
    record = _json.record_at(data, place)
    other = instead_of(field, record)
    return "" if field == "bbox" and {"segmentation", "keypoints"} & record.keys() else other


def _scored(outer: dict[str, Any] | list[Any] | None) -> bool:
    """Whether this is what a file of detections starts with."""
    return isinstance(outer, list) and bool(outer) and b'"score"' in bytes(outer[0])


def _check_distinct(path: Path, name: str, ids: Sequence[int | str]) -> None:
    first: dict[int | str, int] = {}
    for number, known in enumerate(ids):
        if known in first:
            fault = f"{known} is already the id of {name}[{first[known]}]"
            _faults.keep(InputError(path, fault, place=f"{name}[{number}].id"))
        first.setdefault(known, number)
