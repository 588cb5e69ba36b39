"""Writers of JSON: ground truth and results of COCO and ActivityNet, and LVIS's ground truth."""

import json
from collections.abc import Collection
from typing import Any

import numpy as np

from omniou._catalogue import shape_calls as calls
from omniou.boxes import GEOMETRY as UPRIGHT
from omniou.boxes import INTERVALS
from omniou.data._errors import OptionError
from omniou.data._rest import Record
from omniou.data.writing._written import Content
from omniou.rotated import GEOMETRY as ROTATED


def coco_truth(content: Content) -> bytes:
    """COCO's ground truth."""
    if content.source is None:
        content.lose("pairs of classes that were looked for in an image", len(_pairs(content, "negative")))
    return _encoded(_truth(content))


def lvis_truth(content: Content) -> bytes:
    """LVIS's ground truth: every image says what was looked for."""
    truth = content.truth
    if truth.targets.negative is None:
        raise OptionError(
            "LVIS's files say which classes were looked for in each image, and this ground truth does not: write coco"
        )
    written = _truth(content)
    for name, column in (("neg_category_ids", "negative"), ("not_exhaustive_category_ids", "not_exhaustive")):
        by_image: dict[int, list[int]] = {}
        for image, label in _pairs(content, column):
            by_image.setdefault(image, []).append(label)
        for record in written["images"]:
            record[name] = by_image.get(record["id"], [])
    for record in written["categories"]:
        if truth.frequency and record["id"] in truth.frequency:
            record["frequency"] = truth.frequency[record["id"]]
    return _encoded(written)


def coco_detections(content: Content) -> bytes:
    """COCO's results."""
    columns = _columns(content)
    if content.scores is not None:
        columns = [x | {"score": score} for x, score in zip(columns, content.scores.tolist(), strict=True)]
    return _encoded(_whole(content, columns))


def activitynet_truth(content: Content) -> bytes:
    """ActivityNet's videos with their segments."""
    truth = content.truth
    by_video = _by_video(content)
    ignored = content.flags("crowd") | content.flags("ignore")
    content.lose("crowds and ignored segments became actions", int(ignored.sum()))
    known = [np.nan] * len(by_video) if truth.durations is None else truth.durations.tolist()
    videos = {}
    for (name, records), duration in zip(by_video.items(), known, strict=True):
        length = {} if np.isnan(duration) else {"duration": duration}
        videos[name] = {"subset": truth.subset, **length, "annotations": records}
    return _encoded({"version": "", "taxonomy": [], "database": videos})


def activitynet_detections(content: Content) -> bytes:
    """ActivityNet's results."""
    return _encoded({"version": "", "results": _by_video(content), "external_data": {}})


def _by_video(content: Content) -> dict[str, list[dict[str, Any]]]:
    """The segments of each video, by its name."""
    truth = content.truth
    if truth.geometry is not INTERVALS:
        raise OptionError(f"ActivityNet's JSON has intervals, got {truth.geometry.name}")
    segments = np.asarray(calls.converted(INTERVALS, np.asarray(content.table.boxes), truth.format, "xx")).tolist()
    scores = None if content.scores is None else content.scores.tolist()
    videos: dict[str, list[dict[str, Any]]] = {truth.image_names[id]: [] for id in truth.images.tolist()}
    for k, (id, label) in enumerate(zip(content.images.tolist(), content.labels.tolist(), strict=True)):
        record = {"label": truth.categories[label], "segment": segments[k]}
        videos[truth.image_names[id]].append(record if scores is None else record | {"score": scores[k]})
    return videos


def _pairs(content: Content, name: str) -> list[tuple[int, int]]:
    pairs = getattr(content.truth.targets, name)
    return [] if pairs is None else [(int(a), int(b)) for a, b in pairs]


def _truth(content: Content) -> dict[str, Any]:
    truth, sizes = content.truth, content.truth.sizes
    images = []
    for k, id in enumerate(truth.images.tolist()):
        record = {"id": id, "file_name": truth.image_names.get(id, str(id))}
        if sizes is not None and not np.isnan(sizes[k]).any():
            height, width = (int(x) if float(x).is_integer() else float(x) for x in sizes[k])
            record |= {"height": height, "width": width}
        images.append(record)
    crowd, ignore = content.flags("crowd"), content.flags("ignore")
    area = getattr(content.table, "area", None)
    area = None if area is None else np.asarray(area)
    annotations = []
    for k, x in enumerate(_columns(content)):
        known = x["bbox"][2] * x["bbox"][3] if area is None else float(area[k])
        record = {"id": k + 1, **x, "area": known, "iscrowd": int(crowd[k])}
        annotations.append(record | {"ignore": 1} if ignore[k] else record)
    content.lose('ignored objects carry "ignore", which needs --ignore-flags to have an effect', int(ignore.sum()))
    categories: list[dict[str, Any]] = [{"id": id, "name": name} for id, name in truth.categories.items()]
    if truth.skeleton is not None:
        content.lose("groups of images by crowd index", len(truth.image_groups))
        points, edges = truth.skeleton.points, [(i + 1, j + 1) for i, j in truth.skeleton.edges]
        categories = [x | ({"keypoints": points, "skeleton": edges} if points else {}) for x in categories]
    outer = {} if content.source is None else content.source.outer()
    lists = {
        "images": _with_same_id(images, outer.get("images", [])),
        "annotations": _whole(content, annotations),
        "categories": _with_same_id(categories, outer.get("categories", [])),
    }
    return outer | lists


def _whole(content: Content, written: list[Record]) -> list[Record]:
    """Records with all fields that they have in the file."""
    if content.rest is None or content.source is None:
        return written
    keeps = {"id", "segmentation", "keypoints", "num_keypoints"} | (
        {"bbox"} if content.table.masks is not None else set()
    )
    for name, naming in (("image_id", content.truth.image_naming), ("category_id", content.truth.category_naming)):
        keeps |= set() if naming.own else {name}  # ids that only count names
    return [
        _merged(x, record, keeps) for x, record in zip(written, content.source.records(content.rest.rows), strict=True)
    ]


def _merged(written: Record, record: Record, keeps: Collection[str] = ()) -> Record:
    """A record of a file with what is written of it. Equal values, and fields to keep, stay as the file has them."""
    changed = {name: x for name, x in written.items() if name not in record or not (name in keeps or record[name] == x)}
    return record | changed


def _with_same_id(written: list[Record], records: list[Record]) -> list[Record]:
    """Images or categories with all fields that they have in the file."""
    by_id = {str(x.get("id")): x for x in records}
    return [_merged(x, by_id.get(str(x["id"]), {})) for x in written]


def _columns(content: Content) -> list[dict[str, Any]]:
    """Image, class, box and mask of each row."""
    geometry = content.truth.geometry
    if geometry is UPRIGHT:
        boxes = content.upright("xywh")
    elif geometry is ROTATED:
        boxes = np.asarray(calls.converted(ROTATED, np.asarray(content.table.boxes), content.truth.format, "cxcywhr"))
    else:
        raise OptionError(f"COCO's JSON has upright boxes, or rotated ones, got {geometry.name}")
    truth, images = content.truth, content.images.tolist()
    if not truth.image_naming.own and not len(truth.flagged):  # no ground truth has numbers for these names
        images = [truth.image_names[image] for image in images]
    rows = zip(images, content.labels.tolist(), boxes.tolist(), strict=True)
    records = [{"image_id": image, "category_id": label, "bbox": box} for image, label, box in rows]
    if content.table.masks is not None:
        for record, mask in zip(records, content.table.masks.to_coco(), strict=True):
            counts = mask["counts"]
            record["segmentation"] = mask | {"counts": counts.decode() if isinstance(counts, bytes) else counts}
    if content.table.keypoints is not None:
        for record, row in zip(records, _triples(content.table.keypoints), strict=True):
            record["keypoints"] = row
            if content.are_objects:
                record["num_keypoints"] = sum(v > 0 for v in row[2::3])
    return records


def _triples(points: Any) -> list[list[float]]:
    """Keypoints (N, 3K) as lists, whole numbers as integers."""
    rows = np.asarray(points, dtype=np.float64)
    rows = rows.reshape(len(rows), -1)
    whole = np.mod(rows, 1) == 0
    return [
        [int(x) if is_whole else x for x, is_whole in zip(row, flags, strict=True)]
        for row, flags in zip(rows.tolist(), whole.tolist(), strict=True)
    ]


def _encoded(x: Any) -> bytes:
    return json.dumps(x, allow_nan=False).encode()
