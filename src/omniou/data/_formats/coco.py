"""COCO's JSON of ground truth and detections. Boxes stay (x, y, width, height); unknown fields are skipped."""

import bisect
import functools
import itertools
import math
import re
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from omniou.data import _files, _json
from omniou.data._errors import InputError
from omniou.data._formats import Format, Reader, coco_ids, file_rows
from omniou.data._formats.coco_records import (
    OF_KIND,
    MaskedDetection,
    OrientedDetection,
    Records,
    RotatedDetection,
    with_optional_score,
)
from omniou.data._formats.coco_source import CocoSource
from omniou.data._formats.coco_truth import (
    boxes_of,
    fields_of_boxes,
    file_of,
    hinting,
    images_of,
    of_json,
    other_name,
    read_either,
)
from omniou.data._formats.file_rows import FileRows, Place
from omniou.data._names import Coded, chained, coded, compact, in_lines, packed
from omniou.data._options import DEFAULT, Options
from omniou.data._paths import PICTURES
from omniou.data._peek import Peek
from omniou.data._truth import GroundTruth
from omniou.detection import Detections

if TYPE_CHECKING:
    from omniou.keypoints import Skeleton

Column = npt.NDArray[Any]


class _DetectionColumns(NamedTuple):
    """Detections as columns."""

    images: list[int | str] | Column
    files: list[str | None]  # empty, where no record has one
    labels: list[int | str] | Column
    boxes: Column
    scores: Column  # NaN where a record has none
    segmentations: list[Any]
    points: Column  # all numbers of all points
    lengths: Column  # how many of them each record has, (N,); nothing where there are none
    boxed: bool  # whether each record of keypoints has a box, too


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read a file of COCO annotations, such as ``instances_val2017.json``."""
    path = file_of(Path(path))
    return of_json(path, _json.read(path), options)


def read_detections(path: Path | str, truth: GroundTruth, options: Options = DEFAULT) -> Detections[Column]:
    """Read detections in COCO's format for results."""
    path = Path(path)
    files = _shards(path)
    kind = OF_KIND[options.read_kind]
    blocks = [_detected(file, kind, truth, options) for file in options.track(files, "detections")]
    first = [0, *itertools.accumulate(sum(len(x.scores) for x in of_file) for of_file in blocks)]
    joined = _joined([x for of_file in blocks for x in of_file])

    def place(row: int, field: str) -> Place:
        k = bisect.bisect_right(first, row) - 1
        return Place(files[k], f"[{row - first[k]}].{field}")

    boxes, points, labels = joined.boxes, None, _named(path, coded(joined.labels), options)
    if truth.skeleton is not None:
        from omniou.data._formats import coco_keypoints as keypoints

        points = keypoints.of_detections(joined.points, joined.lengths, labels, truth, options, place=place)
        boxes = boxes if joined.boxed else keypoints.around(points)
    rows = FileRows(
        images=coco_ids.of_files(path, images_of(joined.images), joined.files, truth, place),
        labels=labels,
        **fields_of_boxes(boxes, options),
        place=place,
        segmentations=joined.segmentations if options.masks else None,
        points=points,
        categories=None if options.classes is None else in_lines(options.classes),
        source=CocoSource(path, place),
    )
    rows = file_rows.with_scores(rows, joined.scores, np.isnan(joined.scores), options)
    return file_rows.detections(path, rows, truth, options)


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


def _shards(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = _files.in_folder(path)
    if not files:
        raise _files.lacking(path, "files")
    return [x for x in files if ".json" in x.name.lower()] or files


def _detected(path: Path, kind: Records, truth: GroundTruth, options: Options) -> list[_DetectionColumns]:
    """The detections of a file, some at a time."""
    data = _json.read(path)
    means: tuple[Any, Any] = (None, None)
    if data.lstrip().startswith(b"{"):
        if _json.are_lines(data):
            raise InputError(path, _json.LINES)
        outer = _json.shape_of(data)
        annotations = outer.get("annotations") if isinstance(outer, dict) else None
        is_scored = annotations is not None and b'"score"' in bytes(annotations)[: _json.BLOCK]
        if annotations is None or not (is_scored or options.missing_scores):
            raise InputError(path, f"expected a list of detections, got an object{_what_object(outer)}")
        means, data = coco_ids.meanings(path, data, truth), bytes(annotations)
    has_rbox = kind.detection is RotatedDetection and b'"rbox"' in data[: _json.BLOCK]
    record: Any = OrientedDetection if has_rbox else kind.detection
    record = with_optional_score(record) if options.missing_scores else record
    records: Any = list[record]
    with hinting(data):
        filed = b'"file_name"' in data[: _json.BLOCK]
        columns = functools.partial(_columns, numbers=kind.numbers, filed=filed, skeleton=truth.skeleton)
        blocks = _json.decode_blocks(path, data, records, columns)
        _check_images(path, blocks)
        _check_names(path, data, np.concatenate([x.scores for x in blocks]))
    if means == (None, None):
        return blocks
    joined = _joined(blocks)
    images = coco_ids.translated(path, "image_id", joined.images, means[0])
    labels = coco_ids.translated(path, "category_id", joined.labels, means[1])
    return [joined._replace(images=images, labels=labels)]


def _check_names(path: Path, data: bytes, scores: Column) -> None:
    """Raise for a record without a score that has one by another name."""
    missing = np.flatnonzero(np.isnan(scores))
    place = f"[{missing[0]}].score" if missing.size else ""
    if place and other_name(data, place, "score"):  # which the hint of a missing field tells
        raise InputError(path, "missing", place=place)


def _check_images(path: Path, blocks: Sequence[_DetectionColumns]) -> None:
    """Raise for a record that has neither the id nor the file of its image."""
    first = 0
    for block in blocks:
        if isinstance(block.images, list) and None in block.images:
            raise InputError(path, "missing", place=f"[{first + block.images.index(None)}].image_id")  # type: ignore[arg-type]
        first += len(block.scores)


def _columns(records: Sequence[Any], *, numbers: int, filed: bool, skeleton: "Skeleton | None") -> _DetectionColumns:
    masked = bool(records) and isinstance(records[0], MaskedDetection)
    of_points, boxed = skeleton is not None, all(x.bbox and len(x.bbox) == numbers for x in records if not masked)
    flat, lengths = np.zeros(0), np.zeros(0, dtype=np.int64)
    if skeleton is not None:
        from omniou.data._formats import coco_keypoints as keypoints

        flat, lengths = keypoints.flat(records, skeleton)
    return _DetectionColumns(
        images=compact([x.file_name if x.image_id is None else x.image_id for x in records]),
        files=[x.file_name for x in records] if filed else [],
        labels=compact([x.category_id for x in records]),
        boxes=np.zeros((len(records), numbers)) if masked or (of_points and not boxed) else boxes_of(records, numbers),
        scores=packed([math.nan if x.score is None else x.score for x in records], np.float64),
        segmentations=[x.segmentation for x in records] if masked else [],
        points=flat,
        lengths=lengths,
        boxed=boxed,
    )


def _joined(parts: Sequence[_DetectionColumns]) -> _DetectionColumns:
    images, files, labels, boxes, scores, segmentations, points, lengths, boxed = zip(*parts, strict=True)
    # Files of a directory may differ in whether they have file names.
    named = [file for x, y in zip(files, scores, strict=True) for file in (x or [None] * len(y))] if any(files) else []
    every = list(itertools.chain.from_iterable(segmentations))
    return _DetectionColumns(
        *(chained(images), named, chained(labels), np.concatenate(boxes), np.concatenate(scores), every),
        *(np.concatenate(points), np.concatenate(lengths), all(boxed)),
    )


def _what_object(outer: dict[str, Any] | list[Any] | None) -> str:
    if not isinstance(outer, dict) or not outer:
        return ""
    if "images" in outer and "annotations" in outer:
        return " of ground truth: are the two files swapped?"
    lists = [name for name, x in outer.items() if re.match(rb"\[\s*\{", bytes(x)[: _json.BLOCK])]
    way = ""
    kinds = [name for name in lists if name in OF_KIND]
    if not kinds and len(lists) == len(outer) and (len(lists) > 1 or PurePath(lists[0]).suffix.lower() in PICTURES):
        way = ", a list for each image: write one list of all detections, each with its image_id"
    elif lists:
        only = (kinds or lists)[0]
        way = f": write only the list {only!r}, as by `jq .{only} FILE`"
    return f" with {', '.join(map(repr, list(outer)[:5]))}{way}"


# Fields of answers of language models, which may have an "image_id", too.
_NOT_OF_RESULTS = {"[].response", "[].output", "[].prediction", "[].answer", "[].text", "[].bbox_2d", "[].box_2d"}
# Fields of phrases, unless a record has a "category_id".
_OF_PHRASES = {"[].expression", "[].phrase", "[].sentence", "[].sent", "[].ref_exp"}


def _is_coco(peek: Peek) -> bool:
    keys = peek.keys
    others = _NOT_OF_RESULTS if "[].category_id" in keys else _NOT_OF_RESULTS | _OF_PHRASES
    has_lists = "annotations" in keys or ("images" in keys and "response" not in keys)  # ms-swift's records have both
    return has_lists or ("[].image_id" in keys and not keys & others)


KINDS = tuple(OF_KIND)
FORMAT = Format(
    "coco",
    "JSON of COCO",
    Reader(read_ground_truth, KINDS, order="xywh", class_ids=True, recognised=read_either),
    Reader(read_detections, KINDS, order="xywh", class_ids=True),
    starts=(b"{", b"["),
    recognises=_is_coco,
)
