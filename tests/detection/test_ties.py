"""Detections of equal score: ranked in input order (`file`), or independent of it (`invariant`)."""

import dataclasses

import numpy as np
import pytest

from omniou import detection
from omniou.detection import COCO, Detections, Targets
from tests.detection import reference
from tests.detection.tables import tied
from tests.detection.test_analysis_reference import result

INVARIANT = dataclasses.replace(COCO, tie_policy="invariant")


@pytest.mark.parametrize(("order", "by_file"), [([0, 1], 1.0), ([1, 0], 0.5)])
def test_equal_scores_in_file_order_and_invariant(order, by_file):
    # cocodataset/cocoapi#650: one object, a hit and a false positive of equal score.
    boxes = np.asarray([[0, 0, 10, 10], [50, 50, 60, 60]])[order]
    given = Targets([[0, 0, 10, 10]], [1], [0]), Detections(boxes, [0.5, 0.5], [1, 1], [0, 0])
    assert detection.evaluate(*given).summary["AP"] == pytest.approx(by_file, abs=1e-12)
    assert detection.evaluate(*given, protocol=INVARIANT).summary["AP"] == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_invariant_matches_higher_iou_first(order):
    # At 0.75 only the second detection is eligible; at 0.5 both are.
    boxes = np.asarray([[0, 0, 10, 6], [0, 0, 10, 9]])[order]
    given = Targets([[0, 0, 10, 10]], [1], [0]), Detections(boxes, [0.5, 0.5], [1, 1], [0, 0])
    matches = detection.evaluate(*given, protocol=INVARIANT).matches
    assert matches.objects[0].tolist() == [[-1, 0], [0, -1]][order[0]]


@pytest.mark.parametrize("order", [[0, 1, 2], [1, 0, 2]])
def test_invariant_order_keeps_area_of_detection(order):
    # Of the two of equal score the small one is unmatched; by its area it would come first.
    objects, small = [[0, 0, 32, 33], [100, 0, 120, 20]], [0, 0, 32, 31]
    boxes = np.asarray([objects[0], small, objects[1]])[order]
    given = Targets(objects, [1, 1], [0, 0]), Detections(boxes, [0.9, 0.9, 0.5], [1, 1, 1], [0, 0, 0])
    summary = detection.evaluate(*given, protocol=INVARIANT).summary
    assert (summary["APs"], summary["APm"]) == pytest.approx((0.5, 1), abs=1e-12)


def shuffled(detections, seed):
    order = np.random.default_rng(seed).permutation(len(detections.scores))
    columns = ("boxes", "scores", "labels", "images")
    return Detections(*(np.asarray(getattr(detections, name))[order] for name in columns))


@pytest.mark.parametrize("base", ["coco", "voc2010", "lvis"])
@pytest.mark.parametrize("limits", [(1, 10, 100), (2, 7), (None,)])
def test_invariant_result_does_not_depend_on_order(base, limits):
    rules = dataclasses.replace(detection.PRESETS[base], tie_policy="invariant", max_detections=limits)
    changed = 0
    for seed in range(4):
        targets, detections = tied(seed)
        first = detection.evaluate(targets, detections, protocol=rules)
        by_file = dataclasses.replace(rules, tie_policy="file")
        for again in range(4):
            other = shuffled(detections, again)
            second = detection.evaluate(targets, other, protocol=rules)
            for name in ("precision", "recall", "scores"):
                np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
            assert second.summary == pytest.approx(first.summary, abs=0, nan_ok=True)
            changed += (
                detection.evaluate(targets, other, protocol=by_file).summary["AP"]
                != detection.evaluate(targets, detections, protocol=by_file).summary["AP"]
            )
    assert changed  # the data are such that the order can change AP


@pytest.mark.parametrize("seed", range(10))
def test_invariant_without_ties_equals_file_order(seed):
    targets, detections = tied(seed)
    untied = dataclasses.replace(detections, scores=np.random.default_rng(seed).permutation(300) / 300)
    a, b = (detection.evaluate(targets, untied, protocol=rules) for rules in (COCO, INVARIANT))
    for name in ("precision", "recall", "scores"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


@pytest.mark.parametrize("seed", range(20))
def test_invariant_precision_is_read_after_last_equal_score(seed):
    scene = reference.random_scene(seed)
    rules = dataclasses.replace(INVARIANT, iou_thresholds=(0.5,), max_detections=(None,))
    ours = result(scene, protocol=rules)
    matches = ours.matches
    for place, label in enumerate([1, 2, 3]):
        objects = reference.count_objects(scene, label)
        rows = (matches.labels == label) & matches.counts[0]
        scores, hits = matches.scores[rows], matches.objects[0][rows] >= 0
        curve = [(hits[scores >= s].sum() / max(1, objects), hits[scores >= s].mean()) for s in set(scores)]
        points = np.linspace(0, 1, 101)
        expected = np.mean([max((p for r, p in curve if r >= point), default=0) for point in points])
        if not objects:
            expected = np.nan
        np.testing.assert_allclose(ours.per_class["AP"][place], expected, atol=1e-12)


def test_unknown_tie_policy_raises():
    with pytest.raises(ValueError, match="`tie_policy` must be one of 'file', 'last', 'invariant', got 'random'"):
        dataclasses.replace(COCO, tie_policy="random")
