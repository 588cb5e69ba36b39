"""The error breakdown against tidecv."""

import dataclasses
import random

import numpy as np
import pytest

from omniou import detection
from omniou.detection import COCO, Detections, Targets
from tests.detection.tables import tied
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
@pytest.mark.parametrize("preset", ["coco", "voc2007", "voc2010", "kitti", "open_images_challenge", "ultralytics_8_3"])
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


def scene_of(found, truth=((1, 0), (2, 0))):
    """Objects of (label, image) side by side; found are (place of an object or a box, label, score)."""
    boxes = [[20 * k, 0, 20 * k + 10, 10] for k in range(len(truth))]
    labels, images = ([x[k] for x in truth] for k in (0, 1))
    listed = [(boxes[x], images[x], label, score) for x, label, score in found]
    columns = [[row[k] for row in listed] for k in (0, 3, 2, 1)]
    return detection.evaluate(Targets(boxes, labels, images), Detections(*columns))


def costs(**some):
    names = ("classification", "localisation", "both", "duplicate", "background", "missed")
    return pytest.approx(dict.fromkeys((*names, "false_positives", "false_negatives"), 0.0) | some, abs=1e-12)


def test_cost_of_class_that_is_never_found():
    # Of two classes one is found: without the object that is missed nothing is left of the other, as in tidecv.
    errors = scene_of([(0, 1, 0.9)]).errors()
    assert errors.ap == pytest.approx(0.5)
    assert errors.cost == costs(missed=0.5, false_negatives=0.5)


def test_costs_of_detector_that_finds_nothing():
    errors = scene_of([]).errors()
    assert (errors.ap, errors.counts["missed"]) == (0, 2)
    assert errors.cost == costs(missed=1.0, false_negatives=1.0)


def test_cost_of_missed_class_with_false_positives_only():
    # As in tidecv: of class 2 only a false positive on the object of class 1 is left, with an AP of 0.
    errors = scene_of([(0, 1, 0.9), (0, 2, 0.8)]).errors()
    assert errors.counts == dict.fromkeys(errors.counts, 0) | {"classification": 1, "missed": 1}
    assert errors.cost == costs()


def test_costs_over_every_class_as_in_tidecv():
    # Class 1 is perfect; class 2 has no object, and a detection on the background, or on the object of class 1.
    own = [0, 0, 10, 10]
    for box, cost in (([50, 50, 60, 60], {"background": 0.5}), (own, {"classification": 0.5})):
        result = detection.evaluate(Targets([own], [1], [0]), Detections([own, box], [0.9, 0.8], [1, 2], [0, 0]))
        assert result.errors().ap == pytest.approx(1)
        errors = result.errors(every_class=True)
        # Without the detection class 2 leaves the mean.
        assert (errors.ap, errors.cost) == (pytest.approx(0.5), costs(**cost))
    with pytest.raises(TypeError, match="`every_class` must be True or False"):
        result.errors(every_class="tidecv")


def test_missed_class_leaves_the_mean():
    # APs of 1, 0.5 (a false positive comes first) and 0: mean 1 / 2, and 3 / 4 without the class that is not found.
    truth = ((1, 0), (2, 0), (3, 0), (1, 1))
    errors = scene_of([(0, 1, 0.9), (3, 1, 0.8), (1, 2, 0.7), (3, 2, 0.95)], truth).errors()
    assert errors.ap == pytest.approx(0.5)
    assert errors.cost == costs(missed=0.25, false_negatives=0.25, classification=0.5 / 3, false_positives=0.5 / 3)


@pytest.mark.parametrize("seed", range(6))
def test_invariant_costs_do_not_depend_on_order_of_rows(seed):
    rules = dataclasses.replace(COCO, tie_policy="invariant", iou_thresholds=(0.5, 0.75), max_detections=(None,))
    targets, detections = tied(seed)
    whole = detection.evaluate(targets, detections, protocol=rules)
    for again in range(3):
        shuffled = [in_other_order(x, again + k) for k, x in enumerate((targets, detections))]
        other = detection.evaluate(*shuffled, protocol=rules)
        for threshold in (0.5, 0.75):
            first, second = (x.errors(threshold) for x in (whole, other))
            assert (first.cost, first.counts) == (second.cost, second.counts)


def in_other_order(table, seed):
    columns = {f.name: getattr(table, f.name) for f in dataclasses.fields(table)}
    order = np.random.default_rng(seed).permutation(len(table.labels))
    return type(table)(**{name: np.asarray(x)[order] for name, x in columns.items() if x is not None})


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_invariant_cost_of_equal_errors_of_one_object(order):
    # Of equal score and about one object: IoU 0.4 in its class, and IoU 0.9 in another. The better one becomes the hit.
    boxes = np.asarray([[0, 0, 10, 4], [0, 0, 10, 9]])[list(order)]
    labels = np.asarray([1, 2])[list(order)]
    rules = dataclasses.replace(COCO, tie_policy="invariant")
    given = Targets([[0, 0, 10, 10]], [1], [0]), Detections(boxes, [0.5, 0.5], labels, [0, 0])
    errors = detection.evaluate(*given, protocol=rules).errors()
    # The localisation error stays in its way at an equal score.
    assert (errors.cost["classification"], errors.cost["localisation"]) == (pytest.approx(0.5), 0)


def test_unverified_class_on_missed_object_is_classification():
    # LVIS: class 2 is neither in image 0 nor known to be absent there, so that its detection is no false positive.
    truth = Targets([[0, 0, 10, 10], [0, 0, 10, 10]], [1, 3], [0, 1], negative=[[1, 1]])
    found = Detections([[0, 0, 10, 10], [0, 0, 10, 10], [50, 50, 60, 60]], [0.9, 0.8, 0.7], [2, 3, 2], [0, 1, 0])
    result = detection.evaluate(truth, found, protocol="lvis", classes=[1, 2, 3])
    errors = result.errors()
    assert errors.ap == pytest.approx(0.5)
    assert errors.kinds.tolist() == [0, -1, -1]  # nothing is said of the third, which is on no object
    assert errors.counts == dict.fromkeys(errors.counts, 0) | {"classification": 1}
    assert errors.cost == costs(classification=0.5, false_negatives=0.5)
    assert result.confusion().counts.tolist() == [[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]]


def test_unverified_class_on_found_object_is_no_error():
    truth = Targets([[0, 0, 10, 10]], [1], [0], negative=[[1, 1]])
    found = Detections([[0, 0, 10, 10], [0, 0, 10, 9]], [0.5, 0.9], [1, 2], [0, 0])
    result = detection.evaluate(truth, found, protocol="lvis", images=[0, 1], classes=[1, 2])
    assert set(result.errors().counts.values()) == {0}
    assert result.confusion().counts.tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]


def test_class_that_is_not_exhaustive_on_missed_object():
    # Not all objects of class 2 in image 0 are labelled: its unmatched detections count as nothing. But one
    # is on an object of class 1, and one has IoU 0.4 with an object of class 2: a localisation error.
    truth = Targets([[0, 0, 10, 10], [40, 0, 50, 10]], [1, 2], [0, 0], negative=[[1, 1]], not_exhaustive=[[0, 2]])
    found = Detections([[0, 0, 10, 10], [40, 0, 50, 4]], [0.9, 0.8], [2, 2], [0, 0])
    errors = detection.evaluate(truth, found, protocol="lvis", images=[0, 1]).errors()
    assert errors.counts == dict.fromkeys(errors.counts, 0) | {"classification": 1, "localisation": 1}
    assert errors.cost == costs(classification=0.5, localisation=0.5, false_negatives=1.0)
