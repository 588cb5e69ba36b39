"""What is behind the numbers, against the definitions carried out one by one."""

import dataclasses
import math

import numpy as np
import pytest

from omniou import detection
from omniou.detection import COCO, Detections, Targets
from tests.detection import slowly

# No limit of detections: the definitions know none.
RULES = dataclasses.replace(COCO, iou_thresholds=(0.5, 0.75), max_detections=(None,))
SEEDS = range(60)


def result(scene, **options):
    def column(rows, name, shape=(-1,)):
        return np.reshape(
            np.asarray([row[name] for row in rows], dtype=float if name in {"box", "score"} else int), shape
        )

    truth, found = scene
    targets = Targets(
        column(truth, "box", (-1, 4)),
        *(column(truth, name) for name in ("label", "image", "crowd")),
        ignore=column(truth, "ignore"),
    )
    detections = Detections(
        column(found, "box", (-1, 4)), *(column(found, name) for name in ("score", "label", "image"))
    )
    return detection.evaluate(targets, detections, **{"protocol": RULES, "classes": [1, 2, 3]} | options)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("number", [0, 1])
def test_all(seed, number):
    scene = slowly.drawn(seed)
    ours, threshold = result(scene), RULES.iou_thresholds[number]
    expected = slowly.outcome(scene, threshold)
    matches = ours.matches
    assert matches.objects[number].tolist() == [-1 if k is None else k for k in expected.objects]
    np.testing.assert_allclose(matches.overlaps[number], expected.overlaps, rtol=1e-15)
    assert matches.counts[number].tolist() == expected.counts

    labels = [1, 2, 3]
    points = ours.operating_points(threshold)
    found = [slowly.best_f1(scene, expected, label) for label in labels]
    np.testing.assert_allclose(points.best_f1, [f1 for f1, _ in found], atol=1e-12)
    np.testing.assert_array_equal(points.best_score, [score for _, score in found])

    found = [slowly.lowest_lrp(scene, expected, label, threshold) for label in labels]
    np.testing.assert_allclose(ours.lrp.optimal[number], [lrp for lrp, _ in found], atol=1e-12)

    for score in (0, 0.5):
        table = slowly.confusion(scene, expected, threshold, score, labels)
        assert ours.confusion(score, threshold).counts.tolist() == table.tolist()

    errors = ours.errors(threshold)
    kinds = slowly.error_kinds(scene, expected, threshold, 0.1)
    names = ["classification", "localisation", "both", "duplicate", "background"]
    assert [names[k] if k >= 0 else "" for k in errors.kinds.tolist()] == [kind for kind, _ in kinds]
    if scene.truth and not math.isnan(errors.ap):
        assert errors.cost == pytest.approx(slowly.costs(scene, expected, kinds), abs=1e-12)
