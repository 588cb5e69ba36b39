"""Files of COCO as columns for the module that stands in for pycocotools, which makes no dictionary of them.

`None` stands for a file with anything unusual, such as ids that are strings or twice there, fields that are missing or
of another type: only dictionaries say what pycocotools makes of it, or which record is wrong.
"""

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from omniou.data import _json
from omniou.data._errors import InputError
from omniou.data._formats import coco_records as records
from omniou.data._formats.coco_truth import boxes_of
from omniou.data._names import packed
from omniou.detection import Detections, Targets
from omniou.rle import MaskError, Masks

Column = npt.NDArray[Any]


# Lists of points that are decoded at once: they fit the cache.
_AT_ONCE = 2**9
# A field that a record does not have.
_ABSENT = msgspec.Raw(b"")


class _Image(msgspec.Struct, gc=False):
    id: records.Id
    height: int | None = None
    width: int | None = None


class _Category(msgspec.Struct):
    id: records.Id


class _Shape(msgspec.Struct, kw_only=True, gc=False):
    image_id: records.Id
    category_id: records.Id
    bbox: records.Box = None  # type: ignore[assignment]  # which null is not
    segmentation: msgspec.Raw = _ABSENT
    keypoints: msgspec.Raw = _ABSENT


class _Object(_Shape, kw_only=True, gc=False):
    id: Annotated[int, msgspec.Meta(ge=1, le=2**53)]
    area: float
    iscrowd: int
    ignore: int = 0
    num_keypoints: int | None = None


class _Result(_Shape, kw_only=True, gc=False):
    score: float
    caption: msgspec.Raw = _ABSENT


class _Truth(msgspec.Struct):
    images: list[_Image]
    annotations: list[_Object]
    categories: list[_Category]


class Shapes(NamedTuple):
    """What each annotation has; None where one lacks it."""

    images: Column  # (N,)
    labels: Column  # (N,)
    boxes: Column | None  # (N, 4)
    segmentations: list[Any] | None  # undecoded
    keypoints: list[Any] | None  # undecoded


class Index(NamedTuple):
    """A file: what each annotation has, and the ids of all images and categories of the ground truth."""

    image_ids: Column  # in the order of the file
    category_ids: Column
    sizes: Column  # (I, 2) height and width, -1 where the file has none
    shapes: Shapes
    area: Any  # (N,), None where the shapes say it
    crowd: Any  # (N,), of objects
    pointless: Any  # (N,) whether `num_keypoints` is 0, of objects
    scores: Any  # (N,), of results


def read_truth(text: bytes, /) -> Index | None:
    """Read objects."""
    try:
        file = msgspec.json.decode(text, type=_Truth)
    except (msgspec.DecodeError, RecursionError):
        return None
    rows = file.annotations
    if (
        not rows
        or any(x.ignore for x in rows)
        or any(_has_twice(packed([x.id for x in each], np.int64)) for each in (rows, file.images))
    ):
        return None
    sizes = [-1 if side is None else side for x in file.images for side in (x.height, x.width)]
    return Index(
        packed([x.id for x in file.images], np.int64),
        packed([x.id for x in file.categories], np.int64),
        np.asarray(sizes).reshape(-1, 2),
        _shapes(rows),
        packed([x.area for x in rows], np.float64),
        np.asarray([x.iscrowd for x in rows]) != 0,
        None if any(x.num_keypoints is None for x in rows) else np.asarray([x.num_keypoints for x in rows]) == 0,
        None,
    )


def read_results(text: bytes, truth: Index, /) -> Index | None:
    """Read results, whose areas are those of their boxes if the first of them has one, as pycocotools has it."""
    try:
        blocks = _json.decode_blocks(Path(), text, list[_Result], _results)
    except (InputError, RecursionError):
        return None
    parts, scores, boxed, captions = zip(*blocks, strict=True)
    images, labels, boxes, *lists = zip(*parts, strict=True)
    shapes = Shapes(
        np.concatenate(images),
        np.concatenate(labels),
        None if any(x is None for x in boxes) else np.concatenate(boxes),
        *(None if None in x else list(itertools.chain.from_iterable(x)) for x in lists),
    )
    unknown = not np.isin(shapes.images, truth.image_ids).all()
    if not shapes.images.size or any(captions) or unknown or (boxed[0] and shapes.boxes is None):
        return None
    area = None if shapes.boxes is None else shapes.boxes[:, 2] * shapes.boxes[:, 3]
    return truth._replace(shapes=shapes, area=area, crowd=None, pointless=None, scores=np.concatenate(scores))


def _results(rows: list[_Result]) -> tuple[Shapes, Column, bool, bool]:
    boxed = bool(rows) and rows[0].bbox is not None
    scores = packed([x.score for x in rows], np.float64)
    return _shapes(rows), scores, boxed, any(x.caption is not _ABSENT for x in rows)


def _shapes(rows: Sequence[Any]) -> Shapes:
    boxes = None if any(x.bbox is None for x in rows) else boxes_of(rows, 4)
    images, labels = (packed([x.image_id for x in rows], np.int64), packed([x.category_id for x in rows], np.int64))
    return Shapes(images, labels, boxes, _held([x.segmentation for x in rows]), _held([x.keypoints for x in rows]))


def _held(raw: list[Any]) -> list[Any] | None:
    return None if any(x is _ABSENT for x in raw) else raw


def _has_twice(ids: Column) -> bool:
    return not (np.diff(ids) > 0).all() and np.unique(ids).size < ids.size


def columns(  # noqa: PLR0917
    truth: Index, results: Index, kind: str, images: Any, categories: Any, points: int, /
) -> tuple[Targets[Any], Detections[Any]] | None:
    """Return what `detection.evaluate` takes, of rising ids; images and labels are places among them.

    Parameters
    ----------
    truth, results : Index
    kind : {"bbox", "segm", "keypoints"}
    images, categories : array, shape (I,) and (K,)
    points : int
        Keypoints of an object.
    """
    if kind == "keypoints" and truth.pointless is None:
        return None
    if min(images.size, categories.size) == 0 or images.dtype.kind not in "iu" or categories.dtype.kind not in "iu":
        return None
    sides: list[Any] = []
    for index, table in ((truth, Targets), (results, Detections)):
        places, labels = _places(index.shapes.images, images), _places(index.shapes.labels, categories)
        rows = np.flatnonzero((places >= 0) & (labels >= 0))
        if (shapes := _shapes_of(index, kind, rows, points)) is None:
            return None
        if index.scores is None:
            crowd = index.crowd[rows]
            ignore = crowd | index.pointless[rows] if kind == "keypoints" else crowd
            shapes |= {"area": index.area[rows], "crowd": crowd, "ignore": ignore}
            if kind == "keypoints" and _are_unlabelled(shapes["keypoints"][~ignore]):
                return None
        else:
            shapes |= {"scores": index.scores[rows]}
            shapes |= {} if index.area is None else {"area": index.area[rows]}
        sides.append(table(images=places[rows], labels=labels[rows], **shapes))
    return sides[0], sides[1]


def _places(ids: Column, known: Column) -> Column:
    """Return the place of each id among known ones, which rise; -1 for another."""
    place = np.searchsorted(known, ids)
    return np.where(known[np.minimum(place, known.size - 1)] == ids, place, -1)


def _are_unlabelled(points: Column) -> bool:
    """Whether an object that counts has no labelled point: the evaluator ignores it, and pycocotools does not."""
    return not (points[:, 2::3] > 0).any(axis=1).all()


def _shapes_of(index: Index, kind: str, rows: Column, points: int) -> dict[str, Any] | None:
    boxes = None if index.shapes.boxes is None else index.shapes.boxes[rows]
    if kind == "bbox":
        return None if boxes is None else {"boxes": boxes}
    raw = index.shapes.segmentations if kind == "segm" else index.shapes.keypoints
    if raw is None:
        return None
    chosen = [raw[row] for row in rows.tolist()]
    if kind == "segm":
        masks = _masks(index, chosen, rows)
        return None if masks is None else {"boxes": None, "masks": masks, "area": masks.area()}
    flat = _points(chosen, 3 * points)
    if flat is None or (boxes is None and index.scores is None):
        return None
    out = {"boxes": boxes if index.scores is None else None, "keypoints": flat}
    x, y = flat[:, 0::3], flat[:, 1::3]
    return out | {"area": (x.max(axis=1) - x.min(axis=1)) * (y.max(axis=1) - y.min(axis=1))}


def _points(raw: Sequence[Any], length: int) -> Column | None:
    parts = [np.zeros((0, length))]
    for start in range(0, len(raw), _AT_ONCE):
        text = b"[%b]" % b",".join(raw[start : start + _AT_ONCE])
        try:
            rows = msgspec.json.decode(text, type=list[list[float]])
        except msgspec.DecodeError:
            return None
        if any(len(x) != length for x in rows):
            return None
        parts.append(packed(list(itertools.chain.from_iterable(rows)), np.float64).reshape(-1, length))
    return np.concatenate(parts)


def _masks(index: Index, raw: Sequence[Any], rows: Column) -> Masks | None:
    try:
        shapes = msgspec.json.decode(b"[%b]" % b",".join(raw), type=list[records.Segmentation])
    except msgspec.DecodeError:
        return None
    drawn = np.asarray([type(x) is list for x in shapes], dtype=bool)
    outlines: list[Any] = [x for x in shapes if type(x) is list]
    if any(not x or any(len(part) < 5 for part in x) for x in outlines) or (outlines and index.scores is not None):
        return None
    order = np.argsort(index.image_ids, kind="stable")
    places = order[_places(index.shapes.images[rows], index.image_ids[order])]
    sizes = index.sizes[places[drawn]]
    if (sizes < 0).any():
        return None
    try:
        masks = [Masks.from_coco([x for x in shapes if type(x) is dict])]
        masks += [Masks.from_polygons(outlines, sizes, clip=True)] if outlines else []
    except (MaskError, ValueError):
        return None
    every = np.concatenate([np.flatnonzero(~drawn), np.flatnonzero(drawn)])
    return Masks.concat(masks).take(np.argsort(every)) if outlines else masks[0]
