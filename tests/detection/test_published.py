"""Real data with published results."""

import dataclasses
import json

import numpy as np
import pytest

from omniou import detection
from omniou.detection import VOC2007, VOC2010, Detections, Targets
from tests.places import expected, shared

CLOSE = {"abs": 1e-12}


def columns(rows, *names):
    return [np.asarray([row[name] for row in rows]) for name in names]


def coco(truth, detections):
    """The numbers of two files of COCO's."""
    truth, detections = (json.loads(x.read_text()) for x in (truth, detections))
    rows = truth["annotations"]
    return detection.evaluate(
        Targets(
            *columns(rows, "bbox", "category_id", "image_id"),
            crowd=np.asarray([row.get("iscrowd", 0) for row in rows]),
            area=np.asarray([row.get("area", row["bbox"][2] * row["bbox"][3]) for row in rows]),
        ),
        Detections(*columns(detections, "bbox", "score", "category_id", "image_id")),
        format="xywh",
        classes=[c["id"] for c in truth["categories"]],
        images=[i["id"] for i in truth["images"]],
    )


@pytest.mark.parametrize(("name", "key"), [("", "plain"), ("edge_", "edge")])
def test_coco_stats_of_hotcoco_fixtures(name, key):
    folder = shared("hotcoco-fixtures", "crates", "hotcoco", "tests", "fixtures")
    result = coco(folder / f"{name}gt.json", folder / f"{name}dt.json")
    stats = expected("hotcoco-fixtures")[key]["stats"]
    assert result.with_minus_one()["stats"] == pytest.approx(list(stats.values()), **CLOSE)


def test_coco_ids_starting_at_zero():
    folder = shared("hotcoco-fixtures", "crates", "hotcoco", "tests", "fixtures")
    assert coco(folder / "zero_gt.json", folder / "zero_dt.json").summary["AP"] == pytest.approx(1, **CLOSE)


def test_coco_stats_of_faster_coco_eval_crowds():
    folder = shared("fce-custom")
    result = coco(folder / "gt_ignore_test_intids.json", folder / "dt_ignore_test.json")
    stats = expected("fce-custom")["ignore_bbox_all_dets"]["stats"]
    assert result.with_minus_one()["stats"] == pytest.approx(list(stats.values()), **CLOSE)


def texts(folder):
    """(image, class, numbers) of each line of the files of a folder, images by the order of their names."""
    for image, path in enumerate(sorted(folder.glob("*.txt"))):
        for line in path.read_text().splitlines():
            label, *values = line.split()
            yield image, label, [float(x) for x in values]


@pytest.mark.parametrize(("offset", "key"), [(1, "plus1"), (0, "plus0")])
def test_voc_ap_of_cartucho_files(offset, key):
    folder = shared("cartucho-voc", "input")
    truth, detected = (list(texts(folder / name)) for name in ("ground-truth", "detection-results"))
    names = sorted({label for _, label, _ in truth})
    number = {name: k for k, name in enumerate(names)}
    detected = [row for row in detected if row[1] in number]
    targets = Targets(**table(truth, number, slice(0, 4)))
    detections = Detections(scores=np.asarray([x[0] for *_, x in detected]), **table(detected, number, slice(1, 5)))
    for protocol, name in ((VOC2010, "area"), (VOC2007, "11pt")):
        result = detection.evaluate(targets, detections, protocol=protocol, offset=offset)
        published = expected("cartucho-voc")["voc"][key]["0.5"]
        assert result.summary["AP"] == pytest.approx(published[f"mAP_{name}"], **CLOSE)
        per_class = [published["per_class"][x][f"ap_{name}"] for x in names]
        assert result.per_class["AP"].tolist() == pytest.approx(per_class, **CLOSE)


def table(rows, number, box):
    return {
        "boxes": np.asarray([x[box] for *_, x in rows]),
        "labels": [number[label] for _, label, _ in rows],
        "images": [image for image, *_ in rows],
    }


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.5, 0.75])
def test_voc_ap_of_rafael_files(threshold):
    folder = shared("rafael-tests", "tests", "test_case_1")
    truth, detected = (list(texts(folder / name)) for name in ("gts", "dets"))
    number = {"object": 0}
    targets = Targets(**corners(table(truth, number, slice(0, 4))))
    detections = Detections(
        scores=np.asarray([x[0] for *_, x in detected]), **corners(table(detected, number, slice(1, 5)))
    )
    published = expected("rafael-tests")["voc"]["plus1_x2=x+w"][str(threshold)]
    for protocol, name in ((VOC2010, "area"), (VOC2007, "11pt")):
        single = dataclasses.replace(protocol, iou_thresholds=(threshold,))
        result = detection.evaluate(targets, detections, protocol=single, offset=1)
        assert result.summary["AP"] == pytest.approx(published[f"mAP_{name}"], **CLOSE)


def corners(columns):
    """Widths and heights to corners, as that tool does before it adds 1 to both."""
    boxes = columns["boxes"].copy()
    boxes[:, 2:] += boxes[:, :2]
    return columns | {"boxes": boxes}
