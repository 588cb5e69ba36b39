"""Matching against pycocotools' evaluateImg, and assignment against SciPy."""

import contextlib
import io

import numpy as np
import pytest
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval
from scipy.optimize import linear_sum_assignment

from omniou import matching


def boxes_of(rng, count):
    return np.concatenate([rng.integers(0, 30, (count, 2)), rng.integers(1, 25, (count, 2))], axis=1)


@pytest.mark.parametrize("seed", range(5))
def test_coco_equals_evaluate_img(seed):
    rng = np.random.default_rng(seed)
    truth, found = boxes_of(rng, 60), boxes_of(rng, 200)
    crowd, image = rng.random(60) < 0.2, rng.integers(0, 12, 60)
    scores, image_of = rng.integers(0, 10, 200) / 10, np.sort(rng.integers(0, 12, 200))
    with contextlib.redirect_stdout(io.StringIO()):
        gt = COCO()
        gt.dataset = {
            "images": [{"id": k} for k in range(12)],
            "categories": [{"id": 1}],
            "annotations": [
                {"id": k + 1, "image_id": int(image[k]), "category_id": 1, "bbox": box.tolist()}
                | {"iscrowd": int(crowd[k]), "area": int(box[2] * box[3])}
                for k, box in enumerate(truth)
            ],
        }
        gt.createIndex()
        rows = [
            {"image_id": int(i), "category_id": 1, "bbox": box.tolist(), "score": float(s)}
            for i, box, s in zip(image_of, found, scores, strict=True)
        ]
        evaluator = COCOeval(gt, gt.loadRes(rows), "bbox")
        evaluator.evaluate()

    matched = matching.coco(
        *(found.astype(float), truth.astype(float)),
        scores=scores,
        crowd=crowd,
        groups_a=image_of,
        groups_b=image,
        format="xywh",
    )

    compared = 0
    for number in range(12):
        per_image = evaluator.evaluateImg(number, 1, [0, 1e10], 100)
        if per_image is None:
            continue
        detections, objects = (np.array(per_image[x], int) - 1 for x in ("dtIds", "gtIds"))
        assert np.array_equal(matched.objects[:, detections], per_image["dtMatches"].astype(int) - 1)
        assert np.array_equal(matched.ignored[:, detections], per_image["dtIgnore"] == 1)
        single = ~crowd[objects]
        assert np.array_equal(matched.detections[:, objects[single]], per_image["gtMatches"].astype(int)[:, single] - 1)
        compared += len(detections)
    assert compared == 200


@pytest.mark.parametrize("maximize", [False, True])
@pytest.mark.parametrize("shape", [(40, 60), (60, 40), (50, 50)])
def test_hungarian_total_equals_scipy(shape, maximize):
    cost = np.random.default_rng(sum(shape)).integers(0, 6, (3, *shape))

    for matched, one in zip(matching.hungarian(cost, maximize=maximize), cost, strict=True):
        rows = np.flatnonzero(matched >= 0)
        assert len(rows) == len(set(matched[rows])) == min(shape)
        assert one[rows, matched[rows]].sum() == one[linear_sum_assignment(one, maximize=maximize)].sum()
