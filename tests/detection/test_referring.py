"""Referring expressions: one box for each phrase."""

import math

import numpy as np
import pytest

from omniou import detection
from omniou.detection import Detections, Targets


def overlap(target, found):
    """IoU of two boxes as lmms-eval's task of RefCOCO defines it; an answer without numbers is four zeros there."""
    sides = [min(target[k + 2], found[k + 2]) - max(target[k], found[k]) for k in (0, 1)]
    common = max(0, sides[0]) * max(0, sides[1])
    areas = [(x[2] - x[0]) * (x[3] - x[1]) for x in (target, found)]
    return common / (sum(areas) - common)


@pytest.mark.parametrize("seed", range(8))
def test_numbers_equal_lmms_evals_definitions(seed):
    rng = np.random.default_rng(seed)
    count = 60
    corners = rng.random((count, 2)) * 50 + 1
    targets = np.concatenate([corners, corners + rng.random((count, 2)) * 40 + 30], axis=1)
    found = targets + np.clip(rng.normal(0, seed + 1, targets.shape), -14, 14)
    phrases, images = [f"phrase {k % 20}" for k in range(count)], [f"{k // 20}.jpg" for k in range(count)]
    kept = rng.permutation(count)[: count - count // 5]
    result = detection.evaluate(
        Targets(targets, phrases, images),
        Detections(found[kept], None, [phrases[k] for k in kept], [images[k] for k in kept]),
        missing_scores=True,
    )
    numbers = result.referring().summary
    answers = [found[k] if k in kept else np.zeros(4) for k in range(count)]
    ious = [overlap(*pair) for pair in zip(targets, answers, strict=True)]
    assert numbers["mean_iou"] == pytest.approx(sum(ious) / count, abs=1e-12)
    for percent in (10, 30, 50, 70, 90):
        assert numbers[f"Acc{percent}"] == sum(x >= percent / 100 for x in ious) / count
    centres = [(x[:2] + x[2:]) / 2 for x in answers]
    inside = [((t[:2] <= c) & (c <= t[2:])).all() for t, c in zip(targets, centres, strict=True)]
    assert numbers["centre_inside"] == sum(inside) / count
    assert numbers["answered"] == len(kept) / count


def test_phrases_are_sorted_and_missing_answers_have_no_overlap():
    targets = Targets([[0, 0, 10, 10], [0, 0, 10, 10], [0, 0, 10, 10]], [1, 0, 0], [0, 1, 0])
    found = Detections([[0, 0, 10, 5], [20, 0, 30, 10], [7, 7, 9, 9]], None, [1, 0, 1], [0, 1, 1])
    referring = detection.evaluate(targets, found, missing_scores=True).referring()
    assert [x.tolist() for x in (referring.images, referring.labels)] == [[0, 0, 1], [0, 1, 0]]
    assert referring.overlaps.tolist() == [0.0, 0.5, 0.0]
    assert referring.inside.tolist() == [False, True, False]
    assert str(referring) == "Referring: Acc50 0.333, mean_iou 0.167, centre_inside 0.333"


@pytest.mark.parametrize("side", ["objects", "detections"])
def test_several_boxes_of_a_phrase_raise(side):
    box, both = [[0, 0, 10, 10]], [[0, 0, 10, 10], [1, 1, 9, 9]]
    tables = [both if side == name else box for name in ("objects", "detections")]
    columns = [(["cup"] * len(x), ["a.jpg"] * len(x)) for x in tables]
    result = detection.evaluate(
        Targets(tables[0], *columns[0]), Detections(tables[1], None, *columns[1]), missing_scores=True
    )
    with pytest.raises(ValueError, match=rf"must have one of the {side}: 'cup' has 2 in image 'a.jpg'"):
        result.referring()


def test_no_phrases_and_other_shapes():
    none = [{"boxes": np.zeros((0, 4)), "labels": []}]
    numbers = detection.evaluate(none, none, missing_scores=True).referring().summary
    assert all(math.isnan(x) for x in numbers.values())
    rows = [{"boxes": [[5.0, 5, 10, 10, 0.5]], "labels": [1]}]
    with pytest.raises(ValueError, match="phrases need upright boxes and IoU, got the kind 'rotated'"):
        detection.evaluate(rows, rows, kind="rotated", missing_scores=True).referring()
