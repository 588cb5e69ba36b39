"""COCO's files: ground truth and detections as JSON.

Fields that are not asked for are passed over, as are fields that COCO does not know. Boxes stay as the files have
them, (x, y, width, height), for ``evaluate(..., format="xywh")``.
"""

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import numpy.typing as npt

from omniou.data import _json
from omniou.data.errors import InputError
from omniou.detection import Detections, Targets

__all__ = ["GroundTruth", "read_detections", "read_ground_truth"]

Column = npt.NDArray[Any]

_Id = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
_Box = tuple[float, float, float, float]
_Flag = int | bool

# Areas of larger boxes do not fit a float64.
_HUGE = 1e150


class _Image(msgspec.Struct):
    id: _Id


class _Category(msgspec.Struct):
    id: _Id
    name: str | None = None


class _Annotation(msgspec.Struct):
    image_id: _Id
    category_id: _Id
    bbox: _Box
    id: _Id | None = None
    area: float | None = None
    iscrowd: _Flag = 0
    ignore: _Flag = 0


class _Truth(msgspec.Struct):
    images: list[_Image]
    annotations: list[_Annotation]
    categories: list[_Category]


class _Detection(msgspec.Struct):
    image_id: _Id
    category_id: _Id
    bbox: _Box
    score: float


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class GroundTruth:
    """A file of COCO annotations.

    Attributes
    ----------
    path : Path
        The file.
    targets : Targets
        Its annotations as columns, in the file's order. `area` is the file's, or the area of the box where the file
        has none. `ignore` is None: see `flagged`.
    images : array of int64, shape (I,)
        Ids of all images, those without annotations included.
    categories : dict
        Id -> name of all categories, in the file's order; the id where a name is missing.
    flagged : array of bool, shape (N,)
        Annotations with ``"ignore": 1``. COCO's evaluator overwrites that field by `iscrowd`, so that it has no
        effect; to give it one, pass it as the column `ignore` of the targets.
    """

    path: Path
    targets: Targets[Column]
    images: Column
    categories: dict[int, str]
    flagged: Column


def read_ground_truth(path: Path | str) -> GroundTruth:
    """Read a file of COCO annotations, such as ``instances_val2017.json``.

    Parameters
    ----------
    path : path
        A JSON object with the lists "images", "annotations" and "categories". Of an annotation, "image_id",
        "category_id" and "bbox" are needed, "area", "iscrowd" and "ignore" are used where present.

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
    data = _json.read_bytes(path)
    if data.lstrip().startswith(b"["):
        known = " of detections: are the two files swapped?" if _scored(_json.shape_of(data)) else ""
        raise InputError(path, f"expected ground truth, an object with lists of annotations; got a list{known}")
    truth = _json.decode(path, data, _Truth)
    for name in ("images", "categories"):
        _check_distinct(path, name, [record.id for record in getattr(truth, name)])
    rows = truth.annotations
    boxes = _boxes(path, "annotations", rows)
    area = [w * h if x.area is None else x.area for x, (w, h) in zip(rows, boxes[:, 2:].tolist(), strict=True)]
    targets = Targets(
        boxes=boxes,
        labels=_ids(x.category_id for x in rows),
        images=_ids(x.image_id for x in rows),
        crowd=np.array([bool(x.iscrowd) for x in rows], dtype=bool),
        area=np.array(area, dtype=np.float64),
    )
    found = GroundTruth(
        path=path,
        targets=targets,
        images=_ids(x.id for x in truth.images),
        categories={x.id: str(x.id) if x.name is None else x.name for x in truth.categories},
        flagged=np.array([bool(x.ignore) for x in rows], dtype=bool),
    )
    _check_known(path, "annotations", targets, found, [x.id for x in rows])
    return found


def read_detections(path: Path | str, truth: GroundTruth) -> Detections[Column]:
    """Read a file of detections in COCO's format for results.

    Parameters
    ----------
    path : path
        A JSON list of objects with "image_id", "category_id", "bbox" and "score"; an empty list is no fault.
    truth : GroundTruth
        What was detected in.

    Returns
    -------
    Detections
        Columns in the file's order.

    Raises
    ------
    InputError
        Naming the file, the record and the field: if the file cannot be read, is no such JSON, or a detection is of an
        image or a category that the ground truth does not have.

    Examples
    --------
    >>> from omniou.data import coco
    >>> truth = coco.read_ground_truth("docs/examples/coco-val2014-100/ground_truth.json")
    >>> found = coco.read_detections("docs/examples/coco-val2014-100/detections.json", truth)
    >>> found.boxes.shape, float(found.scores[0])
    ((734, 4), 0.236)
    """
    path = Path(path)
    data = _json.read_bytes(path)
    if data.lstrip().startswith(b"{"):
        what = _what_object(_json.shape_of(data))
        raise InputError(path, f"expected a list of detections, got an object{what}")
    rows = _json.decode(path, data, list[_Detection])
    found = Detections(
        boxes=_boxes(path, "", rows),
        scores=np.array([x.score for x in rows], dtype=np.float64),
        labels=_ids(x.category_id for x in rows),
        images=_ids(x.image_id for x in rows),
    )
    _check_known(path, "", found, truth, [])
    return found


def _boxes(path: Path, name: str, rows: Sequence[Any]) -> Column:
    boxes = np.array([x.bbox for x in rows], dtype=np.float64).reshape(-1, 4)
    if (huge := np.abs(boxes) > _HUGE).any():
        number, field = (int(i[0]) for i in huge.nonzero())
        place = f"{name}[{number}].bbox[{field}]"
        raise InputError(path, f"expected number within {_HUGE:g}, got {boxes[number, field]:g}", place=place)
    return boxes


def _ids(ids: Iterable[int]) -> Column:
    return np.fromiter(ids, dtype=np.int64)


def _scored(outer: dict[str, Any] | list[Any] | None) -> bool:
    """Whether this is what a file of detections starts with."""
    return isinstance(outer, list) and bool(outer) and b'"score"' in bytes(outer[0])


def _what_object(outer: dict[str, Any] | list[Any] | None) -> str:
    if not outer:
        return ""
    if "images" in outer and "annotations" in outer:
        return " of ground truth: are the two files swapped?"
    return f" with {', '.join(map(repr, list(outer)[:5]))}"


def _check_distinct(path: Path, name: str, ids: list[int]) -> None:
    first: dict[int, int] = {}
    for number, known in enumerate(ids):
        if known in first:
            raise InputError(path, f"{known} is already the id of {name}[{first[known]}]", place=f"{name}[{number}].id")
        first[known] = number


def _check_known(path: Path, name: str, rows: Any, truth: GroundTruth, ids: Sequence[int | None]) -> None:
    """Every record is of an image and of a category of the ground truth."""
    where = "" if path == truth.path else f" of {truth.path}"
    categories = _ids(truth.categories)
    for field, column, known, kind in (
        ("image_id", rows.images, truth.images, "images"),
        ("category_id", rows.labels, categories, "categories"),
    ):
        unknown = np.flatnonzero(~np.isin(column, known))
        if unknown.size:
            number = int(unknown[0])
            record = f" (id {ids[number]})" if ids and ids[number] is not None else ""
            fault = f"{column[number]} is not among the {kind}{where}{record}"
            raise InputError(path, fault, place=f"{name}[{number}].{field}")
