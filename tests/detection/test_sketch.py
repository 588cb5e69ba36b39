"""Sketches, histograms of scores: their sum, and the error of their AP."""

import dataclasses

import numpy as np
import pytest

from omniou import detection
from omniou._kernels import histograms
from omniou.detection import Detections, Evaluator, Targets, sketch
from tests.detection.test_evaluator import IMAGES, of_images, random_tables
from tests.helpers import array, assert_close


def untied(seed=0, objects=3000, count=30_000):
    """30 000 detections of distinct scores in 300 images, several for each object."""
    targets, detections = random_tables(seed, objects, count)
    rng = np.random.default_rng(seed + 1)
    images = {"targets": rng.integers(300, size=objects), "detections": rng.integers(300, size=count)}
    # Half of the detections are noisy copies of an object of their image and class.
    pick = rng.integers(objects, size=count // 2)
    boxes, labels, where = detections.boxes.copy(), detections.labels.copy(), images["detections"]
    boxes[: count // 2] = targets.boxes[pick] + rng.normal(0, 1.5, (count // 2, 4))
    labels[: count // 2], where[: count // 2] = targets.labels[pick], images["targets"][pick]
    scores = np.concatenate([rng.beta(3, 2, count // 2), rng.beta(2, 3, count - count // 2)])
    return (
        dataclasses.replace(targets, images=images["targets"]),
        dataclasses.replace(detections, boxes=boxes, labels=labels, images=where, scores=scores),
    )


def state_of(targets, detections, **more):
    evaluator = Evaluator(classes=range(4))
    evaluator.update(targets, detections, **more)
    return evaluator.state


@pytest.mark.parametrize(("bins", "error"), [(64, 2e-2), (1024, 2e-3), (4096, 5e-4)])
def test_sketch_ap_error_by_number_of_bins(bins, error):
    state = state_of(*untied())
    exact = detection.compute([state])
    approximate = sketch(state, bins=bins).summary
    assert 0.05 < exact.summary["AP"] < 0.95
    for name in ("AP", "AP50", "AP75"):
        assert approximate[name] == pytest.approx(exact.summary[name], abs=error)
    classes = np.nanmean(sketch(state, bins=bins).average_precision(), axis=0)
    np.testing.assert_allclose(classes, exact.per_class["AP"], atol=7 * error)


def test_sketch_of_one_detection_per_bin_is_exact():
    targets, detections = random_tables(detections=60)
    detections = dataclasses.replace(detections, scores=np.random.default_rng(3).permutation(60) / 64 + 1 / 128)
    state = state_of(targets, detections)
    table = sketch(state, bins=64).average_precision()
    np.testing.assert_allclose(table, detection.compute([state]).precision[..., 0, 2].mean(axis=1), atol=1e-12)


def test_sum_of_sketches_equals_sketch_of_all():
    targets, detections = random_tables()
    whole = sketch(state_of(targets, detections, images=range(IMAGES)), bins=32)
    parts = [
        sketch(state_of(of_images(targets, images), of_images(detections, images), images=images), bins=32)
        for images in (range(9), range(9, IMAGES))
    ]
    total = parts[1] + parts[0]
    for name in ("objects", "hits", "counted"):
        np.testing.assert_array_equal(getattr(total, name), getattr(whole, name))
    assert total.summary == whole.summary


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_needed_is_least_number_of_hits_of_recall(dtype):
    objects = np.asarray([*range(1, 300), 1000, 36_000], dtype)
    for points in (detection.COCO.recall_points, (0.1234567, 1 / 3, 1.0)):
        needed = histograms.needed(objects, points, xp=np)
        # The least count whose float64 quotient reaches the recall: 7 / 100 is below 7 * 0.01.
        for count, row in zip(objects.tolist(), needed.tolist(), strict=True):
            for need, point in zip(row, points, strict=True):
                assert need / count >= point
                assert need == 1 or (need - 1) / count < point


@pytest.mark.computes("places are looked up")
def test_average_precision_of_sketch_in_every_library(xp):
    part = sketch(state_of(*random_tables()), bins=32)
    columns = {name: xp.asarray(getattr(part, name)) for name in ("classes", "objects", "hits", "counted")}
    table = dataclasses.replace(part, **columns).average_precision()
    assert_close(table, part.average_precision(), like=array(xp, [0]))


@pytest.mark.parametrize("count", [300, 3000])
def test_sketch_of_a_confident_model(count):
    """Most scores are above 0.9, where bins of equal width put hundreds into one."""
    rng = np.random.default_rng(0)
    scores = rng.beta(20, 0.7, count)
    hits = np.flatnonzero(rng.random(count) < 0.95 * scores)
    box, objects = np.asarray([0.0, 0, 8, 8]), np.concatenate([hits, count + np.arange(count // 8)])
    targets = Targets(np.tile(box, (len(objects), 1)), np.zeros(len(objects), int), objects)
    detections = Detections(np.tile(box, (count, 1)), scores, np.zeros(count, int), np.arange(count))
    state = state_of(targets, detections, images=range(2 * count))
    assert np.mean(scores > 0.9) > 0.7
    exact = detection.evaluate(targets, detections, images=range(2 * count)).summary["AP"]
    assert sketch(state, bins=1024).summary["AP"] == pytest.approx(exact, abs=5e-4)


def test_sketch_counts_scores_beyond_range_in_outer_bins():
    targets, detections = random_tables(detections=40)
    state = state_of(targets, dataclasses.replace(detections, scores=np.linspace(-5, 5, 40)))
    assert sketch(state, bins=8).counted.sum() == sketch(state, bins=8, low=-5, high=5).counted.sum()
    infinite = np.where(np.arange(40) % 2, np.inf, -np.inf)
    counted = sketch(state_of(targets, dataclasses.replace(detections, scores=infinite)), bins=8).counted
    assert (counted[..., 0] + counted[..., -1]).sum() == counted.sum() > 0


def test_sketch_of_empty_state():
    assert np.isnan(list(sketch(Evaluator(classes=[1, 2]).state).summary.values())).all()
    assert np.isnan(sketch(Evaluator().state).summary["AP"])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"bins": 0}, "`bins` must be a positive integer, got 0"),
        ({"bins": 2.5}, "`bins` must be a positive integer, got 2.5"),
        ({"low": 1}, "`low` must be below `high`, got 1 and 1.0"),
    ],
)
def test_sketch_of_invalid_options_raises(more, message):
    with pytest.raises(ValueError, match=message):
        sketch(Evaluator().state, **more)


def test_sum_of_different_sketches_raises():
    state = state_of(*random_tables())
    with pytest.raises(ValueError, match="must have the same protocol, classes, bins"):
        sketch(state, bins=8) + sketch(state, bins=9)
    with pytest.raises(TypeError):
        sketch(state) + 1
