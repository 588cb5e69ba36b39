"""Every cell of precision, recall and scores against pycocotools, the reference."""

import contextlib
import dataclasses
import io
import json

import hypothesis.strategies as st
import numpy as np
import pycocotools.mask
import pytest
from hypothesis import HealthCheck, given, settings
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from omniou import detection
from omniou.rle import Masks
from tests import places

EXACT = {"rtol": 0, "atol": 1e-12}


def reference(truth, results, protocol=detection.COCO, kind="bbox"):
    """COCO dictionaries -> pycocotools' evaluator, accumulated, and its twelve numbers where it can give them."""
    with contextlib.redirect_stdout(io.StringIO()):
        gt = COCO()
        gt.dataset = json.loads(json.dumps(truth))
        gt.createIndex()
        dt = gt.loadRes(json.loads(json.dumps(results))) if results else _empty(gt)
        e = COCOeval(gt, dt, kind)
        e.params.iouThrs = np.asarray(protocol.iou_thresholds)
        e.params.recThrs = np.asarray(protocol.recall_points)
        e.params.areaRng = [[a.low, a.high] for a in protocol.area_ranges]
        e.params.areaRngLbl = [a.name for a in protocol.area_ranges]
        e.params.maxDets = list(protocol.max_detections)
        e.params.useCats = int(not protocol.class_agnostic)
        e.evaluate()
        e.accumulate()
        if protocol is detection.COCO:
            e.summarize()
    return e


def _empty(gt):
    # loadRes cannot read an empty list.
    dt = COCO()
    dt.dataset = {"images": gt.dataset["images"], "categories": gt.dataset["categories"], "annotations": []}
    dt.createIndex()
    return dt


def ours(truth, results, protocol=detection.COCO, convert=np.asarray):
    a = truth["annotations"]
    targets = detection.Targets(
        boxes=np.asarray([x["bbox"] for x in a], dtype=float).reshape(-1, 4),
        labels=[x["category_id"] for x in a],
        images=[x["image_id"] for x in a],
        crowd=[x["iscrowd"] for x in a],
        area=np.asarray([x["area"] for x in a], dtype=float),
    )
    detections = detection.Detections(
        boxes=np.asarray([x["bbox"] for x in results], dtype=float).reshape(-1, 4),
        scores=np.asarray([x["score"] for x in results], dtype=float),
        labels=[x["category_id"] for x in results],
        images=[x["image_id"] for x in results],
    )
    return detection.evaluate(
        converted(targets, convert),
        converted(detections, convert),
        protocol=protocol,
        format="xywh",
        classes=[c["id"] for c in truth["categories"]],
        images=[i["id"] for i in truth["images"]],
    )


def converted(table, convert):
    columns = {f.name: getattr(table, f.name) for f in dataclasses.fields(table)}
    return type(table)(**{name: x if x is None else convert(x) for name, x in columns.items()})


def assert_equal(truth, results, protocol=detection.COCO, convert=np.asarray):
    result, oracle = ours(truth, results, protocol, convert).with_minus_one(), reference(truth, results, protocol)
    for name in ("precision", "recall", "scores"):
        np.testing.assert_allclose(result[name], oracle.eval[name], err_msg=name, **EXACT)
    if protocol is detection.COCO:
        np.testing.assert_allclose(result["stats"], oracle.stats, **EXACT)


# Corners on a coarse grid meet thresholds exactly and tie often; sides of 32 and 96 are the edges of area ranges.
corner = st.sampled_from([0, 1, 2, 3, 4, 5, 10, 16, 40.5])
side = st.sampled_from([0, 1, 2, 3, 4, 5, 6, 8, 10, 20, 32, 32.1, 96, 100, 0.1, 0.7])
box = st.tuples(corner, corner, side, side)
score = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.5000000001, 0.9, 1.0])
area = st.one_of(st.none(), st.sampled_from([0, 1, 1023.9999, 1024, 1024.0001, 9216, 1e10, 1.0000001e10]))


@st.composite
def datasets(draw):
    images, classes = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    image, label = st.integers(1, images), st.integers(1, classes)
    objects = draw(st.lists(st.tuples(image, label, box, area, st.sampled_from([0, 0, 0, 1])), max_size=14))
    results = draw(st.lists(st.tuples(image, label, box, score), max_size=24))
    # Copies of objects, moved a little or not at all: matches at the high thresholds.
    for i in draw(st.lists(st.integers(0, max(len(objects) - 1, 0)), max_size=10)) if objects else []:
        x, y, w, h = objects[i][2]
        dx = draw(st.sampled_from([0, 0, 0.1, 0.25, 1]))
        results.append((objects[i][0], objects[i][1], (x + dx, y, w, h), draw(score)))
    truth = {
        "images": [{"id": i} for i in range(1, images + 1)],
        "categories": [{"id": 7 * k, "name": str(k)} for k in range(1, classes + 1)],
        "annotations": [
            {
                "id": n,
                "image_id": i,
                "category_id": 7 * k,
                "bbox": list(b),
                "area": b[2] * b[3] if a is None else a,
                "iscrowd": crowd,
            }
            for n, (i, k, b, a, crowd) in enumerate(objects, start=1)
        ],
    }
    return truth, [{"image_id": i, "category_id": 7 * k, "bbox": list(b), "score": s} for i, k, b, s in results]


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(datasets())
def test_evaluate_of_random_sets_equals_pycocotools(data):
    assert_equal(*data)


others = [
    pytest.param({"max_detections": (1, 3)}, id="limits"),
    pytest.param({"max_detections": (2,), "iou_thresholds": (0.0, 0.3, 1.0)}, id="thresholds-0-and-1"),
    pytest.param({"recall_points": (0.0, 0.25, 1 / 3, 0.7, 1.0)}, id="recalls"),
    pytest.param({"recall_points": (0.5, 0.9)}, id="recalls-without-0"),
    pytest.param({"iou_thresholds": tuple(k / 100 for k in range(30, 100))}, id="more-bits-than-an-integer"),
    pytest.param({"class_agnostic": True}, id="without-classes"),
    pytest.param({"class_agnostic": True, "max_detections": (1, 4)}, id="without-classes-limits"),
    pytest.param(
        {"area_ranges": tuple(detection.AreaRange(f"{k}", k * k, (k + 3.0) ** 2, f"{k}") for k in range(9))},
        id="more-areas-than-an-integer",
    ),
]


@pytest.mark.parametrize("changes", others)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=datasets())
def test_evaluate_by_other_protocols_equals_pycocotools(changes, data):
    assert_equal(*data, dataclasses.replace(detection.COCO, **changes))


def scene(seed, sizes, sharpness):
    """Objects and noisy copies of them; ties of score are common, an object in ten is a crowd.

    Sizes are the numbers of images, classes, objects and detections.
    """
    rng = np.random.default_rng(seed)
    images, classes, objects, detections = sizes
    at = rng.uniform(0, 300, (objects, 2))
    size = rng.uniform(5, 150, (objects, 2))
    boxes = np.concatenate([at, size], axis=1).round(1)
    image, label = rng.integers(1, images + 1, objects), rng.integers(1, classes + 1, objects)
    source = rng.integers(0, objects, detections)
    moved = (boxes[source] + rng.normal(0, sharpness, (detections, 4))).clip(0.1).round(1)
    truth = {
        "images": [{"id": i} for i in range(1, images + 1)],
        "categories": [{"id": k} for k in range(1, classes + 2)],
        "annotations": [
            {
                "id": n + 1,
                "image_id": int(image[n]),
                "category_id": int(label[n]),
                "bbox": boxes[n].tolist(),
                "area": float(boxes[n, 2] * boxes[n, 3]) * 0.7,
                "iscrowd": int(rng.random() < 0.1),
            }
            for n in range(objects)
        ],
    }
    swapped = rng.random(detections) < 0.1
    results = [
        {
            "image_id": int(image[source[n]]),
            "category_id": int(rng.integers(1, classes + 2) if swapped[n] else label[source[n]]),
            "bbox": moved[n].tolist(),
            "score": float(rng.integers(0, 200) / 200),
        }
        for n in range(detections)
    ]
    return truth, results


@pytest.mark.parametrize(
    "sizes",
    [(1, 1, 60, 2000), (3, 2, 150, 1500), (40, 12, 400, 1500)],
    ids=["one-image", "above-the-limit", "many-classes"],
)
@pytest.mark.parametrize("sharpness", [0.3, 4.0])
def test_evaluate_of_large_sets_equals_pycocotools(sizes, sharpness):
    assert_equal(*scene(0, sizes, sharpness))


AGNOSTIC = dataclasses.replace(detection.COCO, class_agnostic=True)


@pytest.mark.parametrize("sizes", [(1, 3, 60, 2000), (40, 12, 400, 1500)], ids=["above-the-limit", "many-classes"])
@pytest.mark.parametrize("sharpness", [0.3, 4.0])
def test_evaluate_class_agnostic_of_large_sets_equals_pycocotools(sizes, sharpness):
    assert_equal(*scene(0, sizes, sharpness), AGNOSTIC)


@pytest.mark.parametrize("seed", range(3))
def test_evaluate_class_agnostic_of_masks_equals_pycocotools(seed):
    truth, results = scene(seed, (8, 5, 60, 300), 2.0)
    size, rng = [320, 460], np.random.default_rng(seed)
    truth["images"] = [x | {"height": size[0], "width": size[1]} for x in truth["images"]]
    for row in truth["annotations"] + results:
        mask = np.zeros(size, dtype=np.uint8, order="F")
        x, y, w, h = (round(v) for v in row["bbox"])
        mask[y : y + h, x : x + w] = 1
        mask[y + h // 2 :, x + w // 2 :] *= rng.integers(2, dtype=np.uint8)
        run_lengths = pycocotools.mask.encode(mask)
        row["segmentation"] = {"size": size, "counts": run_lengths["counts"].decode()}
        row["area"] = float(mask.sum())
        del row["bbox"]  # where a detection has one, pycocotools takes its area
    oracle = reference(truth, results, AGNOSTIC, kind="segm")
    targets, detections = (
        table(
            boxes=None,
            labels=[x["category_id"] for x in rows],
            images=[x["image_id"] for x in rows],
            masks=Masks.from_coco([x["segmentation"] for x in rows]),
            **more,
        )
        for table, rows, more in (
            (detection.Targets, truth["annotations"], {"crowd": [x["iscrowd"] for x in truth["annotations"]]}),
            (detection.Detections, results, {"scores": [x["score"] for x in results]}),
        )
    )
    result = detection.evaluate(
        targets, detections, kind="segm", class_agnostic=True, images=[x["id"] for x in truth["images"]]
    ).with_minus_one()
    for name in ("precision", "recall", "scores"):
        np.testing.assert_allclose(result[name], oracle.eval[name], err_msg=name, **EXACT)


def test_evaluate_of_torch_tensors_equals_pycocotools():
    torch = pytest.importorskip("torch", reason="needs torch")
    assert_equal(*scene(2, (20, 6, 200, 900), 2.0), convert=torch.asarray)


def test_evaluate_in_small_tiles_equals_pycocotools(monkeypatch):
    monkeypatch.setattr("omniou.detection.matching._candidates.TILE", 7)
    assert_equal(*scene(1, (5, 2, 60, 300), 2.0))


COCO100 = "coco-val2014-100"
HOTCOCO = "hotcoco-fixtures/crates/hotcoco/tests/fixtures"


@pytest.mark.parametrize(
    ("truth", "results"),
    [
        (f"{COCO100}/instances_val2014_100.json", f"{COCO100}/instances_val2014_fakebbox100_results.json"),
        (f"{HOTCOCO}/gt.json", f"{HOTCOCO}/dt.json"),
        (f"{HOTCOCO}/edge_gt.json", f"{HOTCOCO}/edge_dt.json"),
        ("fce-custom/gt_ignore_test_intids.json", "fce-custom/dt_ignore_test.json"),
    ],
)
def test_evaluate_of_files_equals_pycocotools(truth, results):
    assert_equal(*(json.loads(places.shared(*x.split("/")).read_text("utf-8")) for x in (truth, results)))


def by_similarity(truth, results, kind, protocol=detection.COCO):
    """Evaluate by pycocotools' own IoU, crowds among them, with nothing but labels, scores, areas and flags."""
    gt, dt = (evaluator := reference(truth, results, protocol, kind)).cocoGt, evaluator.cocoDt
    matrices, targets, detections = {}, [], []
    for image in gt.getImgIds():
        objects, found = (coco.loadAnns(coco.getAnnIds(image)) for coco in (gt, dt))
        shapes = [
            [x["bbox"] if kind == "bbox" else coco.annToRLE(x) for x in some]
            for coco, some in ((dt, found), (gt, objects))
        ]
        crowds = [int(x["iscrowd"]) for x in objects]
        empty = not (objects and found)
        matrices[image] = None if empty else pycocotools.mask.iou(*shapes, crowds).T
        targets, detections = targets + objects, detections + found
    columns = [
        {"boxes": None, "labels": "category_id", "images": "image_id", "area": "area", **more}
        for more in ({"crowd": "iscrowd"}, {"scores": "score"})
    ]
    tables = (
        {name: field if field is None else [x[field] for x in rows] for name, field in each.items()}
        for rows, each in zip((targets, detections), columns, strict=True)
    )
    given = {"classes": gt.getCatIds(), "images": gt.getImgIds(), "protocol": protocol}
    truth_table, found_table = next(tables), next(tables)
    result = detection.evaluate(
        detection.Targets(**truth_table), detection.Detections(**found_table), similarity=matrices, **given
    )
    return result.with_minus_one(), evaluator


@pytest.mark.parametrize(
    ("truth", "results", "kind"),
    [
        (f"{COCO100}/instances_val2014_100.json", f"{COCO100}/instances_val2014_fakebbox100_results.json", "bbox"),
        (f"{COCO100}/instances_val2014_100.json", f"{COCO100}/instances_val2014_fakesegm100_results.json", "segm"),
        (f"{HOTCOCO}/gt.json", f"{HOTCOCO}/dt.json", "bbox"),
    ],
)
def test_evaluate_by_similarity_of_files_equals_pycocotools(truth, results, kind):
    result, oracle = by_similarity(
        *(json.loads(places.shared(*x.split("/")).read_text("utf-8")) for x in (truth, results)), kind
    )
    for name in ("precision", "recall", "scores"):
        np.testing.assert_allclose(result[name], oracle.eval[name], err_msg=name, **EXACT)
    np.testing.assert_allclose(result["stats"], oracle.stats, **EXACT)
    assert result["stats"][0] > 0.1


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(datasets(), st.booleans())
def test_evaluate_by_similarity_of_random_sets_equals_pycocotools(data, class_agnostic):
    protocol = dataclasses.replace(detection.COCO, class_agnostic=class_agnostic)
    result, oracle = by_similarity(*data, "bbox", protocol)
    for name in ("precision", "recall", "scores"):
        np.testing.assert_allclose(result[name], oracle.eval[name], err_msg=name, **EXACT)
