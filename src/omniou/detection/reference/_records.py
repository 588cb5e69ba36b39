"""Annotations and results as COCO's dictionaries: what pycocotools fills in, and the faults of a list."""

from collections.abc import Sequence
from typing import Any

from omniou._lib import backends
from omniou.rle import MaskError, Masks

np: Any = backends.numpy_namespace()

Records = list[dict[str, Any]]


def checked(source: str, name: str, records: Any, fields: Sequence[str], /) -> Records:
    """Return a list of records that have some fields. The error names source, record and field."""
    if not isinstance(records, Sequence) or isinstance(records, str):
        raise TypeError(f"{source}: `{name}` must be a list of objects, got {type(records).__name__}")
    for field in fields:
        try:
            for record in records:
                record[field]
        except (KeyError, TypeError, IndexError):
            _raise(source, name, records, field)
    return list(records)


def _raise(source: str, name: str, records: Sequence[Any], field: str, /) -> None:
    for number, record in enumerate(records):
        if not isinstance(record, dict):
            raise TypeError(f"{source}: `{name}[{number}]` must be an object, got {record!r:.60}")
        if field not in record:
            raise KeyError(f"{source}: `{name}[{number}]` must have the field `{field}`")


def fill(source: str, results: Records, areas: Any, boxes: Any, /) -> None:
    """Give results ids from 1, their area, and their box or segmentation, as the first of them says what they are.

    `areas` and `boxes` are functions of lists of run lengths.
    """
    first = results[0]
    if "caption" in first:
        for number, ann in enumerate(results, start=1):
            ann["id"] = number
    elif "bbox" in first and (first["bbox"] is None or len(first["bbox"])):
        each = zip(results, _boxes(source, results), strict=True)
        for number, (ann, (x, y, width, height)) in enumerate(each, start=1):
            if "segmentation" not in ann:
                right, bottom = x + width, y + height
                ann["segmentation"] = [[x, y, x, bottom, right, bottom, right, y]]
            ann.update(area=width * height, id=number, iscrowd=0)
    elif "segmentation" in first:
        shapes = [x["segmentation"] for x in checked(source, "results", results, ["segmentation"])]
        measured = zip(results, areas(shapes), boxes(shapes), strict=True)
        for number, (ann, area, box) in enumerate(measured, start=1):
            ann["area"] = area
            ann.setdefault("bbox", box)
            ann.update(id=number, iscrowd=0)
    elif "keypoints" in first:
        for number, ann in enumerate(checked(source, "results", results, ["keypoints"]), start=1):
            x, y = ann["keypoints"][0::3], ann["keypoints"][1::3]
            left, right, top, bottom = np.min(x), np.max(x), np.min(y), np.max(y)
            ann.update(area=(right - left) * (bottom - top), id=number, bbox=[left, top, right - left, bottom - top])


def _boxes(source: str, results: Records, /) -> list[Any]:
    boxes = [x["bbox"] for x in checked(source, "results", results, ["bbox"])]
    for number, box in enumerate(boxes):
        if box is None:
            raise TypeError(f"{source}: `results[{number}]['bbox']` must be 4 numbers, got None")
        if len(box) < 4:
            raise IndexError(f"{source}: `results[{number}]['bbox']` must be 4 numbers, got {box!r:.60}")
    return [x[:4] for x in boxes]


def flag_ignored(objects: Records, /, *, keypoints: bool, corrected: bool) -> bool:
    """Set `ignore` of objects: crowds, and of keypoints those without any. Return whether some `ignore` had no effect.

    pycocotools overwrites an `ignore` of the file, unless that is `corrected`.
    """
    lost = False
    for ann in objects:
        crowd, own = ann.get("iscrowd", False), ann.get("ignore", 0)
        lost = lost or bool(own and not crowd)
        ann["ignore"] = (own or crowd) if corrected else crowd
        if keypoints:
            if "num_keypoints" not in ann:
                raise KeyError(f"`cocoGt`: the annotation {ann.get('id')!r} must have the field `num_keypoints`")
            ann["ignore"] = (ann["num_keypoints"] == 0) or ann["ignore"]
    return lost and not corrected


def drawn(annotations: Records, sizes: Sequence[Sequence[int]], /) -> Records:
    """Return the run lengths of annotations that are polygons, in images of these heights and widths."""
    try:
        masks = Masks.from_polygons([x["segmentation"] for x in annotations], sizes, clip=True)
    except MaskError as error:
        record, place = annotations[error.row], f"[{error.field}]" if error.field else ""
        raise ValueError(f"annotation {record.get('id')!r}: `segmentation`{place}: {error.fault}") from None
    return [{"size": x["size"], "counts": x["counts"].encode()} for x in masks.to_coco()]


def is_outline(segmentation: Any, /) -> bool:
    """Whether a segmentation is polygons of at least three vertices, as lists."""
    return (
        type(segmentation) is list
        and len(segmentation) > 0
        and all(type(x) is list and len(x) > 4 and len(x) % 2 == 0 for x in segmentation)
    )
