"""Heading-weighted AP of 3-D boxes: values by hand, and a slow reference by Waymo's published rule."""

import math

import numpy as np
import pytest

from omniou import detection
from tests.helpers import array, numbers

BOX = [0, 0, 0, 4, 2, 1.5]


def evaluated(xp, truth, found, kind="boxes3d", **options):
    """Lists of (x, yaw) and of (x, yaw, score), far apart."""
    targets = detection.Targets(
        boxes=array(xp, [[x, *BOX[1:], yaw] for x, yaw in truth]),
        labels=array(xp, [1] * len(truth), "int64"),
        images=array(xp, [0] * len(truth), "int64"),
    )
    detections = detection.Detections(
        boxes=array(xp, [[x, *BOX[1:], yaw] for x, yaw, _ in found]),
        scores=array(xp, [score for *_, score in found]),
        labels=array(xp, [1] * len(found), "int64"),
        images=array(xp, [0] * len(found), "int64"),
    )
    return detection.evaluate(targets, detections, kind=kind, **options)


def first(x):
    return round(float(numbers(x)[0, 0]), 6)


@pytest.mark.computes("matching looks at values")
@pytest.mark.parametrize(
    ("turn", "found", "aph"),
    [
        (0.0, 0.0, 1.0),
        (0.0, math.pi, 0.0),  # the opposite heading overlaps in full
        (-0.02, 0.02, 1 - 0.04 / math.pi),  # signed
        (3.16, -3.1, 1 - (2 * math.pi - 6.26) / math.pi),  # wrapped
        (0.1, 0.1 + 4 * math.pi, 1.0),
    ],
)
def test_one_true_positive_counts_by_its_heading(xp, turn, found, aph):
    heading = evaluated(xp, [(0, turn)], [(0, found, 0.5)]).heading()
    assert first(heading.ap) == 1
    assert first(heading.aph) == pytest.approx(aph, abs=2e-6)
    assert first(heading.error) == pytest.approx((1 - aph) * math.pi, abs=2e-6)


def test_weights_count_in_precision_and_not_in_recall_by_hand():
    # Two objects. The first is found half turned round, then comes a false positive, then the second, right.
    turned = math.pi / 2
    truth, found = [(0, 0.0), (50, 0.0)], [(0, math.pi, 0.9), (90, 0.0, 0.8), (50, 0.0, 0.7)]
    heading = evaluated(np, truth, found).heading()
    assert first(heading.ap) == round((1 * 1 + 1 * 2 / 3) / 2, 6)
    assert first(heading.aph) == round((1 / 3 + 1 / 3) / 2, 6)  # precisions 0 and 1/3, of which the second is better
    assert first(heading.error) == round(turned, 6)
    assert list(heading.summary) == ["AP", "APH", "heading_error"]


def reference(matches, yaws, target_yaws, threshold, label):
    """Precision with a weighted sum of true positives, and recall without; each precision the best from there on."""
    rows = [k for k in range(len(matches.scores)) if matches.labels[k] == label and matches.counts[threshold, k]]
    rows.sort(key=lambda k: -matches.scores[k])
    objects = sum(1 for y, ok in zip(matches.target_labels, matches.target_counts, strict=True) if ok and y == label)
    if not objects:
        return math.nan
    curve, total, hits = [(0.0, 0.0)], 0.0, 0
    for shown, k in enumerate(rows, 1):
        target = matches.objects[threshold, k]
        if target >= 0:
            turn = yaws[k] - target_yaws[target]
            hits += 1
            total += 1 - abs(math.atan2(math.sin(turn), math.cos(turn))) / math.pi
        curve.append((hits / objects, total / shown))
    best = [max(p for _, p in curve[k:]) for k in range(len(curve))]
    return sum((curve[k][0] - curve[k - 1][0]) * best[k] for k in range(1, len(curve)))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["boxes3d", "bev"])
def test_aph_equals_the_slow_reference(seed, kind):
    rng = np.random.default_rng(seed)
    n, m = 40, 90
    truth = np.concatenate([rng.uniform(0, 12, (n, 3)), rng.uniform(1, 4, (n, 3)), rng.uniform(-9, 9, (n, 1))], axis=1)
    found = truth[rng.integers(0, n, m)] + rng.normal(0, 0.2, (m, 7))
    found[:, 6] += rng.choice([0, math.pi, 1], m)
    found[:, 3:6] = np.abs(found[:, 3:6]) + 0.1
    labels = [rng.integers(0, 4, k) for k in (n, m)]
    labels[0][labels[0] == 3] = 2
    images = [rng.integers(0, 3, k) for k in (n, m)]
    result = detection.evaluate(
        detection.Targets(truth, labels[0], images[0], ignore=rng.random(n) < 0.1),
        detection.Detections(found, rng.permutation(m) / m, labels[1], images[1]),
        kind=kind,
        protocol="coco",
    )
    heading, matches = result.heading(), result.matches
    for t in range(0, len(heading.thresholds), 4):
        for k, label in enumerate(result.classes):
            expected = reference(matches, found[:, 6], truth[:, 6], t, label)
            np.testing.assert_allclose(heading.aph[t, k], expected, rtol=0, atol=1e-12)
            assert not heading.aph[t, k] > heading.ap[t, k]


def test_class_without_true_positives_and_empty_tables():
    heading = evaluated(np, [(0, 0.0)], [(90, 0.0, 0.5)]).heading()
    assert (first(heading.ap), first(heading.aph)) == (0, 0)
    assert math.isnan(first(heading.error))
    assert evaluated(np, [(0, 0.0)], []).heading().aph.tolist() == [[0.0]] * 10
    assert evaluated(np, [], []).heading().aph.shape == (10, 0)


def test_shapes_without_yaw_are_refused():
    one = {"boxes": [[0, 0, 1, 1]], "labels": [1]}
    result = detection.evaluate([one], [one | {"scores": [1.0]}])
    with pytest.raises(ValueError, match="heading needs boxes with a yaw: evaluate with kind='boxes3d' or kind='bev'"):
        result.heading()
