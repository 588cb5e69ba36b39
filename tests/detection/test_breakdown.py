"""The error breakdown against tidecv."""

import dataclasses
import random

import pytest

from omniou import detection
from omniou.detection import COCO, Detections, Targets
from tests.detection.test_evaluator import random_tables

# Printed by tidecv 1.0.1 for the scene below. It averages over classes without objects too: here all have some.
TIDE_AP = 34.58516765997129
TIDE_COUNTS = {"classification": 65, "localisation": 120, "both": 69, "duplicate": 138, "background": 106, "missed": 4}
TIDE_COSTS = {
    "classification": 5.677607386274062,
    "localisation": 9.368142357143519,
    "both": 4.067119859815456,
    "duplicate": 2.7018172535861353,
    "background": 5.221506747526924,
    "missed": 0.9350963534328756,
    "false_positives": 50.563347191513856,
    "false_negatives": 6.030617561675911,
}


def scene():
    """600 detections around 120 objects of 4 classes in 30 images, as xywh; the same on every machine."""
    # Python guarantees the sequence of `random()` across versions, not that of its other methods.
    draw = random.Random(1).random  # noqa: S311
    truth, detections = [], []
    for k in range(120):
        box = [draw() * 80, draw() * 80, 10 + draw() * 30, 10 + draw() * 30]
        truth.append((box, 1 + k % 4, int(draw() * 28)))
    for _ in range(600):
        box, label, image = truth[int(draw() * 120)]
        spread = [1, 4, 12][int(draw() * 3)]
        moved = [x + spread * (draw() + draw() + draw() - 1.5) for x in box]
        moved[2:] = [max(2.0, side) for side in moved[2:]]
        label = label if draw() < 0.7 else 1 + int(draw() * 4)
        image = image if draw() < 0.7 else int(draw() * 30)
        detections.append((moved, label, image, draw()))
    return truth, detections


def test_errors_equal_tide():
    truth, detections = scene()
    boxes, labels, images = (list(x) for x in zip(*truth, strict=True))
    targets = Targets(boxes, labels, images)
    boxes, labels, images, scores = (list(x) for x in zip(*detections, strict=True))
    # tidecv's recall points are k / 100; COCO's are rounded otherwise, which changes AP where a recall equals one.
    rules = dataclasses.replace(COCO, max_detections=(None,), recall_points=tuple(k / 100 for k in range(101)))
    result = detection.evaluate(targets, Detections(boxes, scores, labels, images), format="xywh", protocol=rules)
    errors = result.errors()
    assert errors.counts == TIDE_COUNTS
    assert 100 * errors.ap == pytest.approx(TIDE_AP, rel=1e-9)
    assert {name: 100 * x for name, x in errors.cost.items()} == pytest.approx(TIDE_COSTS, rel=1e-9)


@pytest.mark.parametrize("tie_policy", ["file", "invariant"])
@pytest.mark.parametrize("preset", ["coco", "voc2007", "voc2010", "kitti", "open_images_challenge"])
def test_ap_of_errors_equals_ap_of_evaluate(preset, tie_policy):
    """Both compute AP, one of outcomes and one of a state: also where hits have equal scores, and for areas."""
    rules = dataclasses.replace(detection.PRESETS[preset], tie_policy=tie_policy)
    rules = dataclasses.replace(rules, area_ranges=rules.area_ranges[:1], max_detections=rules.max_detections[-1:])
    tables = random_tables()
    for threshold in rules.iou_thresholds[:3]:
        alone = dataclasses.replace(rules, iou_thresholds=(threshold,))
        ap = detection.evaluate(*tables, protocol=alone).summary["AP"]
        assert 0 < ap < 1
        assert detection.evaluate(*tables, protocol=rules).errors(threshold).ap == ap
