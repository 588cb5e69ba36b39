"""Suppression and fusion against other libraries, on random and on real detections."""

import importlib
import json
import warnings

import numpy as np
import pytest

from omniou import boxes, nms
from tests import places

DETECTIONS = places.EXAMPLE / "detections.json"


def peer(name):
    return pytest.importorskip(name, reason=f"{name} is not installed")


@pytest.fixture(params=["COCO", "pixels", "crowd"])
def detections(request):
    """Boxes, different scores, classes and images."""
    rng = np.random.default_rng(0)
    if request.param == "COCO":
        rows = json.loads(DETECTIONS.read_text("utf-8"))
        x = boxes.convert(np.asarray([row["bbox"] for row in rows], float), "xywh", "xyxy")
        classes, images = (np.asarray([row[name] for row in rows]) for name in ("category_id", "image_id"))
        # Jittered copies, as of a detector before suppression.
        x = np.concatenate([x, x + rng.normal(0, 4, x.shape), x + rng.normal(0, 8, x.shape)])
        # OpenCV calls two empty boxes equal, and reads an inverted one otherwise.
        proper = (x[:, 2] > x[:, 0]) & (x[:, 3] > x[:, 1])
        x, classes, images = x[proper], np.tile(classes, 3)[proper], np.tile(images, 3)[proper]
    else:
        side = {"pixels": 1000, "crowd": 150}[request.param]
        low = rng.uniform(0, side, (1500, 2))
        x = np.concatenate([low, low + rng.uniform(5, 80, (1500, 2))], axis=1)
        classes, images = rng.integers(0, 3, (2, 1500))
    return x, rng.permutation(len(x)) / len(x) + 1e-4, classes, images


@pytest.mark.parametrize("threshold", [0.1, 0.5, 0.9])
def test_hard_equals_powerboxes(detections, threshold):
    powerboxes = peer("powerboxes")
    x, s, *_ = detections
    for function in (powerboxes.nms, powerboxes.rtree_nms):
        np.testing.assert_array_equal(nms.hard(x, s, threshold), function(x, s, threshold, 0.0))


@pytest.mark.parametrize("threshold", [0.1, 0.5, 0.9])
def test_hard_equals_opencv(detections, threshold):
    cv2 = peer("cv2")
    x, s = (y.astype(np.float32) for y in detections[:2])
    sides = boxes.convert(x, "xyxy", "xywh")
    expected = cv2.dnn.NMSBoxes(sides.tolist(), s.tolist(), 0.0, threshold)
    np.testing.assert_array_equal(nms.hard(sides, s, threshold, format="xywh"), expected)


def test_soft_equals_opencv(detections):
    cv2 = peer("cv2")
    x, s = (y[:300].astype(np.float32) for y in detections[:2])
    sides = np.rint(boxes.convert(x, "xyxy", "xywh")).astype(int)  # it takes no other numbers
    new, indices = cv2.dnn.softNMSBoxes(sides.tolist(), s.tolist(), 0.05, 0.3, sigma=0.5)
    out = nms.soft(sides, s, score_threshold=0.05, format="xywh")
    np.testing.assert_array_equal(out.indices, np.ravel(indices))
    np.testing.assert_allclose(out.scores, np.ravel(new), rtol=1e-4)


@pytest.mark.parametrize("threshold", [0.1, 0.5, 0.9])
def test_hard_and_merge_equal_supervision(detections, threshold):
    peer("supervision")
    of_supervision = importlib.import_module("supervision.detection.utils.iou_and_nms")
    x, s, classes, _ = (y[:600] for y in detections)
    table = np.concatenate([x, s[:, None], classes[:, None]], axis=1)
    expected = of_supervision.box_non_max_suppression(table, threshold)
    np.testing.assert_array_equal(nms.hard(x, s, threshold, groups=classes, output="mask"), expected)
    groups = of_supervision.box_non_max_merge(table, threshold)
    out = nms.merge(x, s, threshold, groups=classes, inclusive=True)
    assert sorted(map(sorted, groups)) == sorted(
        np.nonzero(out.clusters == k)[0].tolist() for k in range(out.scores.shape[0])
    )


def test_hard_equals_torchvision_rule(detections):
    # Its compiled operator has no build here. This is its loop: a double threshold, `>`, by falling score.
    x, s, *_ = detections
    overlap, left, kept = boxes.pairwise_iou(x, x), np.ones(len(s), bool), []
    for k in np.argsort(-s, kind="stable"):
        if left[k]:
            kept.append(k)
            left &= ~(overlap[k] > 0.5)
    np.testing.assert_array_equal(nms.hard(x, s, 0.5), kept)


@pytest.mark.parametrize("rule", ["avg", "max", "box_and_model_avg", "absent_model_aware_avg", "avg_overflow"])
def test_weighted_fusion_equals_ensemble_boxes(detections, rule):
    fusion = peer("ensemble_boxes").weighted_boxes_fusion
    x, s, classes, images = detections
    x = np.clip(x / (x.max() + 1), 0, 1)
    some = (x[:, 2] > x[:, 0]) & (x[:, 3] > x[:, 1])
    x, s, classes, images = (y[some] for y in (x, s, classes, images))
    models, weights = np.random.default_rng(1).integers(0, 3, len(s)), [2.0, 1.0, 0.5]
    first = images == images[0]
    if first.sum() > 500:
        first &= np.cumsum(first) <= 500
    sets = [[y[first & (models == k)] for k in range(3)] for y in (x, s, classes)]
    conf_type = rule.removesuffix("_overflow")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = fusion(*sets, weights=weights, conf_type=conf_type, allows_overflow=rule != conf_type)
    out = nms.weighted_fusion(
        x[first], s[first], 0.55, models=models[first], weights=weights, groups=classes[first], confidence=rule
    )
    for got, want in zip((out.boxes, out.scores, classes[first][out.indices]), expected, strict=True):
        np.testing.assert_allclose(got, want, atol=1e-5)
