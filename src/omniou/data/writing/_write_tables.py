"""Writers of tables: CSV of boxes, Open Images' CSV, and Parquet."""

import csv
import io
from typing import Any

import numpy as np

from omniou._lib import extras
from omniou.boxes import GEOMETRY as UPRIGHT
from omniou.data.writing._written import Content, number
from omniou.rotated import GEOMETRY as ROTATED


def open_images(content: Content) -> bytes:
    """ImageID, LabelName, the score of detections, and the box in fractions of the sides."""
    content.lose("ignored objects became objects that count", int(content.flags("ignore").sum()))
    boxes, crowd, scores = content.upright("rel_xyxy"), content.flags("crowd"), content.scores
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    last = ["IsGroupOf"] if content.are_objects else [] if scores is None else ["Score"]
    writer.writerow(["ImageID", "LabelName", "XMin", "XMax", "YMin", "YMax", *last])
    names = content.image_names()
    for k, (x1, y1, x2, y2) in enumerate(boxes.tolist()):
        image = names[int(content.images[k])]
        label = content.truth.categories[int(content.labels[k])]
        values = [str(int(crowd[k]))] if scores is None else [number(scores[k])]
        writer.writerow([image, label, number(x1), number(x2), number(y1), number(y2), *values[: len(last)]])
    if content.are_objects:
        empty = len(content.truth.images) - len(np.unique(content.images))
        content.lose("images without objects", empty)
    return out.getvalue().encode()


def csv_boxes(content: Content) -> bytes:
    """Image with its size, class, box and flags or score, under names that most tools know."""
    truth, boxes, scores = content.truth, content.upright("xyxy"), content.scores
    crowd, ignore = content.flags("crowd"), content.flags("ignore")
    sizes = dict(zip(truth.images.tolist(), _sides(content), strict=True))
    names = {id: truth.image_names.get(id, str(id)) for id in truth.images.tolist()}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    last = ["iscrowd", "difficult"] if content.are_objects else [] if scores is None else ["score"]
    writer.writerow(["filename", "width", "height", "class", "xmin", "ymin", "xmax", "ymax", *last])
    for k, (image, label, box) in enumerate(zip(content.images.tolist(), content.labels.tolist(), boxes, strict=True)):
        flags = [int(crowd[k]), int(ignore[k])] if scores is None else [number(scores[k])]
        writer.writerow([names[image], *sizes[image], truth.categories[label], *map(number, box), *flags[: len(last)]])
    if content.are_objects:
        used = set(content.images.tolist())
        for id in sorted(names.keys() - used):
            writer.writerow([names[id], *sizes[id], *[""] * (5 + len(last))])
    return out.getvalue().encode()


def _sides(content: Content) -> list[tuple[str, str]]:
    """Width and height of each image as words, empty where they are not known."""
    sizes = content.truth.sizes
    if sizes is None:
        return [("", "")] * len(content.truth.images)
    return [("", "") if np.isnan(row).any() else (number(row[1]), number(row[0])) for row in sizes]


def parquet(content: Content) -> bytes:
    """Columns by name, with the names of images and categories."""
    extras.check("pyarrow", "the format 'parquet'")
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    names = {int(id): content.truth.image_names.get(int(id), str(id)) for id in content.truth.images}
    columns: dict[str, list[Any]] = {
        "image_id": [names[int(x)] for x in content.images],
        "category_id": [content.truth.categories[int(x)] for x in content.labels],
    }
    columns |= _shapes(content)
    if content.scores is not None:
        columns["score"] = content.scores.tolist()
    if content.are_objects:
        columns |= {
            "iscrowd": content.flags("crowd").tolist(),
            "ignore": content.flags("ignore").tolist(),
        }
        area = getattr(content.table, "area", None)
        if area is not None:
            columns["area"] = np.asarray(area).tolist()
        used = {int(x) for x in content.images}
        for id in sorted(set(names) - used):  # a row of nulls stands for an image without objects
            for name, column in columns.items():
                column.append(names[id] if name == "image_id" else None)
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def _shapes(content: Content) -> dict[str, list[Any]]:
    geometry = content.truth.geometry
    names: tuple[str, ...]
    if geometry is UPRIGHT:
        order, names = content.upright("xyxy"), ("xmin", "ymin", "xmax", "ymax")
    elif geometry is ROTATED and content.truth.format == "cxcywhr":
        order, names = np.asarray(content.table.boxes), ("cx", "cy", "width", "height", "angle")
    else:
        order, names = content.corners(), tuple(f"{axis}{k}" for k in range(1, 5) for axis in "xy")
    return {name: order[:, k].tolist() for k, name in enumerate(names)}
