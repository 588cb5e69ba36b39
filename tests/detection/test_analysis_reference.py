"""Matches, LRP, confusion and errors against the reference implementation."""

import dataclasses
import math

import numpy as np
import pytest

from omniou import detection, rle
from omniou.detection import COCO, Detections, Targets
from tests.detection import reference
from tests.detection.tables import tied

# The reference implementation has no limit of detections.
RULES = dataclasses.replace(COCO, iou_thresholds=(0.5, 0.75), max_detections=(None,))
SEEDS = range(60)


def result(scene, **options):
    def column(rows, name, shape=(-1,)):
        return np.reshape(
            np.asarray([row[name] for row in rows], dtype=float if name in {"box", "score"} else int), shape
        )

    truth, predicted = scene
    targets = Targets(
        column(truth, "box", (-1, 4)),
        *(column(truth, name) for name in ("label", "image", "crowd")),
        ignore=column(truth, "ignore"),
    )
    detections = Detections(
        column(predicted, "box", (-1, 4)), *(column(predicted, name) for name in ("score", "label", "image"))
    )
    return detection.evaluate(targets, detections, **{"protocol": RULES, "classes": [1, 2, 3]} | options)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("number", [0, 1])
def test_matches_lrp_confusion_and_errors_equal_reference(seed, number):
    scene = reference.random_scene(seed)
    ours, threshold = result(scene), RULES.iou_thresholds[number]
    expected = reference.greedy_matching(scene, threshold)
    matches = ours.matches
    assert matches.objects[number].tolist() == [-1 if k is None else k for k in expected.objects]
    np.testing.assert_allclose(matches.overlaps[number], expected.overlaps, rtol=1e-15)
    assert matches.counts[number].tolist() == expected.counts

    labels = [1, 2, 3]
    points = ours.operating_points(threshold)
    best = [reference.best_f1(scene, expected, label) for label in labels]
    np.testing.assert_allclose(points.best_f1, [f1 for f1, _ in best], atol=1e-12)
    np.testing.assert_array_equal(points.best_score, [score for _, score in best])

    best = [reference.lowest_lrp(scene, expected, label, threshold) for label in labels]
    np.testing.assert_allclose(ours.lrp().optimal[number], [lrp for lrp, _ in best], atol=1e-12)

    for score in (0, 0.5):
        table = reference.confusion(scene, expected, threshold, score, labels)
        assert ours.confusion(score, threshold).counts.tolist() == table.tolist()

    errors = ours.errors(threshold)
    kinds = reference.error_kinds(scene, expected, threshold, 0.1)
    names = ["classification", "localisation", "both", "duplicate", "background"]
    assert [names[k] if k >= 0 else "" for k in errors.kinds.tolist()] == [kind for kind, _ in kinds]
    if scene.truth and not math.isnan(errors.ap):
        assert errors.cost == pytest.approx(reference.error_costs(scene, expected, kinds), abs=1e-12)


@pytest.mark.parametrize("protocol", ["coco", "voc2007", "voc2010", "lvis", "open_images", "open_images_challenge"])
@pytest.mark.parametrize("ties", ["file", "invariant"])
def test_recall_and_ap_of_matches_equal_those_of_curves(protocol, ties):
    # Curves are computed from packed bits of matches, `matches` anew from the kept boxes: recall and AP agree.
    rules = dataclasses.replace(detection.PRESETS[protocol], tie_policy=ties)
    if rules.max_detections[-1] is not None:
        rules = dataclasses.replace(rules, max_detections=(1, 4))
    for seed in range(8):
        targets, detections = tied(seed)
        pairs = np.random.default_rng(seed).integers([0, 0], [5, 3], (6, 2))
        federated = protocol in {"lvis", "open_images", "open_images_challenge"}
        targets = dataclasses.replace(
            targets,
            negative=pairs[:3] if federated else None,
            not_exhaustive=pairs[3:] if federated else None,
            ignore=np.random.default_rng(seed).random(80) < 0.1,
        )
        evaluation = detection.evaluate(targets, detections, protocol=rules)
        hits = np.array([[(evaluation.matches.hits & (detections.labels == k)).sum(axis=1)] for k in range(3)])
        np.testing.assert_allclose(hits[:, 0].T / evaluation.objects[:, 0], evaluation.recall[:, :, 0, -1], atol=1e-12)
        errors = evaluation.errors()
        single = dataclasses.replace(rules, iou_thresholds=rules.iou_thresholds[:1])
        assert errors.ap == pytest.approx(
            detection.evaluate(targets, detections, protocol=single).summary["AP"], abs=1e-12
        )


@pytest.mark.parametrize("kind", ["segm", "boundary"])
def test_matches_confusion_and_errors_of_masks(kind):
    pixels = np.zeros((3, 20, 20), dtype=bool)
    pixels[0, 2:12, 2:12] = pixels[1, 2:12, 2:11] = pixels[2, 15:18, 15:18] = True
    masks = rle.Masks.from_dense(pixels)
    ours = detection.evaluate(
        Targets(None, [1, 2], [0, 0], masks=masks.take([0, 2])),
        Detections(None, [0.9, 0.8], [1, 1], [0, 0], masks=masks.take([1, 2])),
        kind=kind,
    )
    assert ours.matches.objects[0].tolist() == [0, -1]
    assert ours.confusion(0.25).counts.tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 0]]
    assert ours.errors().counts["classification"] == 1
    if kind == "segm":
        np.testing.assert_allclose(ours.mean_iou[0], [0.9, np.nan])
