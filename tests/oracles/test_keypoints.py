"""Keypoint AP against pycocotools in every cell, on random sets with ties, crowds and borders of area ranges."""

import contextlib
import copy
import io
import json

import numpy as np
import pytest

from omniou import detection, keypoints, pairwise
from omniou.detection import Detections, Targets
from tests import places

coco = pytest.importorskip("pycocotools.coco", reason="pycocotools is not installed")
cocoeval = pytest.importorskip("pycocotools.cocoeval", reason="pycocotools is not installed")

# Borders of COCO's area ranges, on both sides of which an object counts.
AREAS = (32.0**2, 96.0**2, 400.0, 1025.0, 9215.5, 9217.0, 0.0)


def random_set(seed, images=25, points=17):
    """COCO's records of a ground truth and of detections."""
    rng = np.random.default_rng(seed)
    truth, found = [], []
    for image in range(1, images + 1):
        for _ in range(rng.integers(0, 5)):
            centre, side = rng.integers(0, 400, 2), rng.integers(20, 200)
            at = centre + rng.integers(0, side + 1, (points, 2))
            seen = rng.integers(0, 3, points) * (rng.random() > 0.15)
            area = float(rng.choice(AREAS)) if rng.random() < 0.5 else float(side**2 * rng.uniform(0.3, 0.7))
            truth.append(
                {
                    "id": len(truth) + 1,
                    "image_id": image,
                    "category_id": int(rng.integers(1, 3)),
                    "keypoints": np.c_[np.where(seen[:, None] > 0, at, 0), seen].ravel().tolist(),
                    "num_keypoints": int((seen > 0).sum()),
                    "area": area,
                    "bbox": [int(centre[0]), int(centre[1]), int(side), int(side)],
                    "iscrowd": int(rng.random() < 0.1),
                }
            )
            for _ in range(rng.integers(0, 4)):
                moved = at + rng.integers(-8, 9, (points, 2)) * rng.integers(0, 4)
                found.append((image, truth[-1]["category_id"], moved, int(rng.integers(1, 8)) / 8))
        # More than 20 of one class, and some far from every object.
        beside = range(24 if image % 10 == 0 else 2)
        found += [(image, 1, rng.integers(0, 400, (points, 2)), int(rng.integers(1, 8)) / 8) for _ in beside]
    results = [
        {
            "image_id": image,
            "category_id": label,
            "keypoints": np.c_[at, np.ones(points)].ravel().tolist(),
            "score": score,
        }
        for image, label, at, score in found
    ]
    lists = {"images": [{"id": k} for k in range(1, images + 1)], "categories": [{"id": 1}, {"id": 2}]}
    return lists | {"annotations": truth}, results


def by_pycocotools(truth, results):
    """The tables of its evaluation, and its ten numbers."""
    with contextlib.redirect_stdout(io.StringIO()):
        gt = coco.COCO()
        gt.dataset = copy.deepcopy(truth)
        gt.createIndex()
        run = cocoeval.COCOeval(gt, gt.loadRes(copy.deepcopy(results)), "keypoints")
        run.evaluate()
        run.accumulate()
        run.summarize()
    return run.eval, run.stats


def by_omniou(truth, results, **options):
    rows = truth["annotations"]
    has_boxes = "bbox" in results[0]
    return detection.evaluate(
        Targets(
            np.array([x["bbox"] for x in rows], dtype=float),
            np.array([x["category_id"] for x in rows]),
            np.array([x["image_id"] for x in rows]),
            crowd=np.array([x["iscrowd"] for x in rows]),
            area=np.array([x["area"] for x in rows]),
            keypoints=np.array([x["keypoints"] for x in rows], dtype=float),
        ),
        Detections(
            np.array([x["bbox"] for x in results]) if has_boxes else None,
            np.array([x["score"] for x in results]),
            np.array([x["category_id"] for x in results]),
            np.array([x["image_id"] for x in results]),
            keypoints=np.array([x["keypoints"] for x in results], dtype=float),
        ),
        kind="keypoints",
        format="xywh",
        classes=[x["id"] for x in truth["categories"]],
        images=[x["id"] for x in truth["images"]],
        **options,
    )


def assert_equal(result, tables, stats):
    ours = result.with_minus_one()
    for name in ("precision", "recall", "scores"):
        np.testing.assert_array_equal(ours[name], tables[name], err_msg=name)
    np.testing.assert_allclose(ours["stats"], stats, rtol=1e-13)


@pytest.mark.parametrize("seed", range(12))
def test_keypoint_ap_equals_pycocotools_in_every_cell(seed):
    truth, results = random_set(seed)
    assert_equal(by_omniou(truth, results), *by_pycocotools(truth, results))


def test_detections_with_boxes_have_their_areas():
    truth, results = random_set(100)
    rng = np.random.default_rng(0)
    for x in results:
        x["bbox"] = [0.0, 0.0, *rng.choice([16.0, 32.0, 64.0, 96.0, 200.0], 2).tolist()]
    assert_equal(by_omniou(truth, results), *by_pycocotools(truth, results))


def test_oks_equals_pycocotools():
    truth, results = random_set(7, images=8)
    run = cocoeval.COCOeval(iouType="keypoints")
    for x in truth["annotations"]:
        run._gts[0, 0].append(x)
    for x in results:
        run._dts[0, 0].append(x)
    run.params.maxDets = [len(results)]
    order = np.argsort([-x["score"] for x in results], kind="stable")
    a = np.array([results[k]["keypoints"] for k in order], dtype=float).reshape(-1, 17, 3)
    columns = {name: np.array([x[name] for x in truth["annotations"]], float) for name in ("keypoints", "area", "bbox")}
    b = columns["keypoints"].reshape(-1, 17, 3)
    own = {"area": columns["area"], "box": columns["bbox"], "sigmas": "coco", "eps": np.spacing(1.0).item()}
    actual = pairwise(keypoints.oks, a, b, **own)
    np.testing.assert_allclose(actual, run.computeOks(0, 0), rtol=0, atol=3e-16)


def test_published_numbers_of_faster_coco_eval():
    folder = places.shared("fce-keypoints")
    truth, results, expected = (json.loads((folder / f"{name}.json").read_text()) for name in ("gt", "dt", "expected"))
    result = by_omniou(truth, results)
    assert list(result.summary) == expected["order"].split()
    assert list(result.summary.values()) == pytest.approx(expected["values"], rel=0, abs=1e-15)
    assert_equal(result, *by_pycocotools(truth, results))
