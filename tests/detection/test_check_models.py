"""What is doubtful about detections that `fuse` and `nms` compare without a ground truth."""

import dataclasses

import numpy as np
import pytest

from omniou import boxes
from omniou.detection.doctor._models import Model, examine
from tests.benchmarks.damages import Pair
from tests.benchmarks.poor import HARMLESS
from tests.benchmarks.scenes import SCENES, draw

SIDES = np.array([640.0, 480.0, 640.0, 480.0])


def second(scene, seed=0):
    """The ground truth of a scene, its detections, and those of a second detector: other scores and 3 % of noise."""
    truth, found = draw(scene, seed)
    rng = np.random.default_rng(seed)
    sides = boxes.convert(found.boxes, truth.format, "xywh")[:, 2:]
    noise = 0.03 * np.tile(sides, 2) * rng.normal(size=found.boxes.shape)
    other = dataclasses.replace(found, boxes=found.boxes + noise, scores=rng.random(len(found.scores)))
    return truth, found, other


def codes(truth, *models):
    return [(x.code, x.path) for x in examine(truth, [Model(f"{k}", x) for k, x in enumerate(models)])]


def xyxy(x):
    return boxes.convert(x, "xywh", "xyxy")


def inverted(x):
    """Corners exchanged: the maximum first, and negative sides."""
    return np.concatenate([x[:, :2] + x[:, 2:], -x[:, 2:]], axis=1)


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (xyxy, "boxes-order"),
        (lambda x: x[:, [1, 0, 3, 2]], "boxes-axes"),
        (lambda x: x / SIDES, "boxes-unit"),
        (lambda x: x / 2, "boxes-scale"),
        (inverted, "boxes-inverted"),
        (lambda x: np.concatenate([inverted(x[:1]), x[1:]]), "boxes-inverted"),
        (lambda x: np.concatenate([x[:20] / SIDES, x[20:]]), "boxes-mixed"),
    ],
)
def test_boxes_of_one_model_in_another_reading(damage, code):
    truth, a, b = second(SCENES["plain"])
    assert codes(truth, a, b) == []
    assert codes(truth, a, dataclasses.replace(b, boxes=damage(b.boxes))) == [(code, "1")]
    assert code in [x for x, _ in codes(truth, dataclasses.replace(a, boxes=damage(a.boxes)), b)]


@pytest.mark.parametrize(
    ("column", "damage", "code"),
    [
        ("labels", lambda x: x + 1, "classes-shifted"),
        ("labels", lambda x: np.random.default_rng(0).permutation(200)[x] + 100, "classes-mixed"),
        ("images", lambda x: x + 1, "images-shifted"),
    ],
)
def test_numbers_of_one_model_are_others(column, damage, code):
    truth, a, b = second(SCENES["plain"])
    damaged = dataclasses.replace(b, **{column: damage(getattr(b, column))})
    labels = np.concatenate([a.labels, damaged.labels])
    known = dataclasses.replace(truth, categories={int(k): f"class {k}" for k in np.unique(labels)})
    assert codes(known, a, damaged) == [(code, "1")]


def test_models_of_one_class_each():
    truth, a, b = second(SCENES["plain"])
    one, two = (dataclasses.replace(x, labels=np.full(len(x.labels), k)) for k, x in ((1, a), (2, b)))
    assert codes(truth, one, two) == [("classes-apart", "1")]
    assert codes(truth, one, dataclasses.replace(two, boxes=two.boxes + 5000)) == []


def test_single_boxes_suffice_for_fractions_and_corners():
    truth, a, _ = second(SCENES["plain"])

    def model(*rows):
        keys = np.full(len(rows), a.labels[0]), np.full(len(rows), a.images[0])
        return dataclasses.replace(
            a, boxes=np.array(rows, float), scores=np.ones(len(rows)), labels=keys[0], images=keys[1]
        )

    right = model([52, 50, 40, 40])
    assert codes(truth, right, model([52, 50, -40, -40])) == [("boxes-inverted", "1")]
    assert codes(truth, model([52, 50, -40, -40])) == [("boxes-inverted", "0")]
    assert codes(truth, right, model([0.1, 0.1, 0.06, 0.08])) == [("boxes-unit", "1")]
    assert codes(truth, model([0.1, 0.1, 0.06, 0.08])) == []
    nothing = dataclasses.replace(model(), boxes=np.zeros((0, 4)))
    assert codes(truth, right, nothing) == codes(truth, nothing, right) == codes(truth, nothing, nothing) == []


def test_scores_of_two_ranges():
    truth, a, b = second(SCENES["plain"])
    percent = dataclasses.replace(b, scores=100 * b.scores)
    assert codes(truth, a, percent) == [("scores-range", "1")]
    assert codes(truth, percent, percent) == []
    assert codes(truth, percent) == []
    assert codes(truth, a, dataclasses.replace(b, scores=1.2 * b.scores)) == []


@pytest.mark.parametrize("name", SCENES)
def test_right_models_are_not_accused(name):
    truth, a, b = second(SCENES[name], 1)
    assert codes(truth, a, b) == []


@pytest.mark.parametrize("name", HARMLESS)
def test_poor_models_are_not_accused(name):
    truth, a, b = second(SCENES["plain"])
    worse = HARMLESS[name](Pair(truth, b), np.random.default_rng(0))
    assert codes(truth, a, worse.detections) == []
