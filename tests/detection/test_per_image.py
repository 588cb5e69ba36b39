"""Precision and recall of the best detections, and images without objects, by hand and against brute force."""

import dataclasses

import numpy as np
import pytest

from omniou import detection
from omniou.detection import COCO
from tests.detection.test_rates import close, image, random_rows, scene
from tests.helpers import numbers

pytestmark = pytest.mark.computes("values decide the shapes of an evaluation")


def test_top_k_by_hand(xp):
    found = scene(xp).top_k(numbers=[1, 2, 3])
    # The best of each image: a hit, a hit, two false positives.
    close(found.precision, [2 / 4, 3 / 6, 3 / 7])
    close(found.recall, [2 / 4, 3 / 4, 3 / 4])
    assert numbers(found.counted).tolist() == [4, 6, 7]
    close(found.per_class_precision[0, :], [2 / 3, 2 / 4, 2 / 5])
    close(found.per_class_recall[1, :], [1, 1, 1])


def test_top_k_of_all_by_hand(xp):
    found = scene(xp).top_k(numbers=[1, 2, 3, 5], per="all")
    # Two detections have the score 0.7: both are among the best three.
    close(found.precision, [1, 1 / 2, 2 / 4, 2 / 5])
    close(found.recall, [1 / 4, 1 / 4, 2 / 4, 2 / 4])
    assert numbers(found.counted).tolist() == [1, 2, 4, 5]
    assert scene(xp).top_k(per="all").numbers == (10,)


def test_recall_of_the_best_of_each_class_is_cocos():
    rng = np.random.default_rng(3)
    truth, found = random_rows(rng, 25)
    scores = iter(rng.permutation(sum(map(len, found))) + 1.0)
    found = [[(place, label, next(scores) / 1000) for place, label, _ in rows] for rows in found]
    given = [image(np, *x, scores=False) for x in truth], [image(np, *x) for x in found]
    result = detection.evaluate(*given, protocol=dataclasses.replace(COCO, max_detections=(1, 3, 10)))
    expected = [result.recall[0, :, 0, limit] for limit in range(3)]
    np.testing.assert_array_equal(result.top_k(numbers=[1, 3, 10]).per_class_recall.T, expected)


def test_top_k_above_the_limit_raises():
    rows = [(0, 1, 0.1 * k) for k in range(1, 5)]
    given = [image(np, (0, 1), scores=False)], [image(np, *rows)]
    result = detection.evaluate(*given, protocol=dataclasses.replace(COCO, max_detections=(1, 2)))
    assert result.top_k().numbers == (1, 2)
    rules = dataclasses.replace(COCO, max_detections=(3,))
    assert detection.evaluate(*given, protocol=rules).top_k().numbers == (1, 2, 3)
    with pytest.raises(ValueError, match=r"`numbers` must be at most 2, .* which excluded 2 detections, got 3"):
        result.top_k(numbers=[1, 3])
    # Nothing was excluded here.
    close(detection.evaluate(*given).top_k(numbers=[1, 300]).precision, [1, 1 / 4])


@pytest.mark.parametrize("given", [[], [0], [2, 1], [1.5], ["1"], [True], [-1]])
def test_invalid_numbers_raise(given):
    with pytest.raises(ValueError, match="`numbers` must be"):
        scene(np).top_k(numbers=given)


def test_invalid_per_raises():
    with pytest.raises(ValueError, match="`per` must be one of 'image', 'all', got 'video'"):
        scene(np).top_k(per="video")


def test_empty_images_by_hand(xp):
    found = scene(xp).empty_images(scores=[0, 0.65, 0.75, 0.95])
    assert (found.images, found.empty) == (4, 2)
    # The empty images have the scores 0.7 and 0.6, the others 0.9 and 0.7.
    close(found.specificity, [0, 1 / 2, 1, 1])
    close(found.precision, [2 / 4, 2 / 3, 1, np.nan])
    close(found.recall, [1, 1, 1 / 2, 0])
    close(found.f1, [4 / 6, 4 / 5, 2 / 3, 0])
    assert (found.best_f1, found.best_score) == pytest.approx((4 / 5, 0.65))
    assert "0.500 of them without detections; best F1 over images 0.800 at score 0.65" in str(found)
    # F1 of the first two images: 2 / 5 and 1; 1 / 2 and 2 / 3; 1 / 2 and 0; 0 and 0.
    close(found.image_f1, [7 / 20, (1 / 2 + 2 / 3 + 1) / 4, (1 / 2 + 2) / 4, 2 / 4])
    close(found.perfect, [1 / 4, 1 / 4, 2 / 4, 2 / 4])
    # Class 2 is in one image; at 0.5 and 0.6 it is detected there and in an empty one.
    assert numbers(found.per_class_empty).tolist() == [2, 3]
    close(found.per_class_specificity[1, :], [2 / 3, 1, 1, 1])
    close(found.per_class_f1[1, :], [2 / 3, 0, 0, 0])


def test_scores_of_a_narrower_dtype_have_a_line_and_a_record():
    found = scene(np).empty_images()
    narrow = dataclasses.replace(found, scores=found.scores.astype(np.float32))
    assert str(narrow) == str(found)
    assert narrow.best_place == found.best_place == 70


def test_ignored_objects_leave_an_image_empty():
    truth = [image(np, (0, 1), scores=False) | {"iscrowd": np.array([1])}]
    # A detection on a crowd does not count, so the image is not marked.
    found = detection.evaluate(truth, [image(np, (0, 1, 0.9))]).empty_images(scores=[0.5])
    assert (found.empty, list(found.specificity), list(found.perfect)) == (1, [1], [1])
    found = detection.evaluate(truth, [image(np, (1, 1, 0.9))]).empty_images(scores=[0.5])
    assert (found.empty, list(found.specificity), list(found.perfect)) == (1, [0], [0])


def hits_of(rows, objects):
    """Count true positives: a box is in the place of an object or overlaps none, and the first in a place is one."""
    return len({row[0] for row in rows} & {place for place, _ in objects})


def test_objects_out_of_the_first_area_range_leave_an_image_empty():
    ranges = (detection.AreaRange("small", 0, 50, ""), detection.AreaRange("all", 0, 1e10, "a"))
    given = [image(np, (0, 1), scores=False)], [image(np, (0, 1, 0.9))]
    found = detection.evaluate(*given, protocol=dataclasses.replace(COCO, area_ranges=ranges)).empty_images(
        scores=[0.5]
    )
    assert (found.empty, list(found.specificity), list(found.per_class_empty)) == (1, [1], [1])


@pytest.mark.parametrize("seed", range(10))
def test_empty_images_and_top_k_equal_brute_force(seed):
    rng = np.random.default_rng(seed)
    truth, found = random_rows(rng, 20)
    result = detection.evaluate([image(np, *x, scores=False) for x in truth], [image(np, *x) for x in found])
    empty = result.empty_images()
    for k in range(0, 101, 5):
        kept = [[row for row in rows if row[2] >= k / 100] for rows in found]
        hits = list(map(hits_of, kept, truth))
        sizes = [(len(rows), len(objects)) for rows, objects in zip(kept, truth, strict=True)]
        each = [2 * h / (n + m) if n + m else 1 for h, (n, m) in zip(hits, sizes, strict=True)]
        assert empty.image_f1[k] == pytest.approx(np.mean(each))
        assert empty.perfect[k] == np.mean(np.array(each) == 1)
        without = [n == 0 for n, m in sizes if m == 0]
        assert empty.specificity[k] == pytest.approx(np.mean(without))
        right = sum(n > 0 and m > 0 for n, m in sizes)
        assert empty.f1[k] == pytest.approx(2 * right / (sum(n > 0 for n, _ in sizes) + sum(m > 0 for _, m in sizes)))
    best = result.top_k()
    for k, number in enumerate(best.numbers):
        kept = [[x for x in rows if sum(y[2] > x[2] for y in rows) < number] for rows in found]
        hits = sum(map(hits_of, kept, truth))
        assert best.precision[k] == pytest.approx(hits / sum(map(len, kept)))
        assert best.recall[k] == pytest.approx(hits / sum(map(len, truth)))


def test_no_images_have_no_numbers():
    result = detection.Evaluator().compute()
    top, empty = result.top_k(), result.empty_images()
    assert np.isnan([*top.precision, *top.recall, *empty.specificity, *empty.f1, *empty.image_f1]).all()
    assert (empty.images, empty.empty) == (0, 0)
    # Without objects all images are empty.
    empty = detection.evaluate([image(np, scores=False)], [image(np, (0, 1, 0.5))]).empty_images(scores=[0.4, 0.6])
    assert list(empty.specificity) == list(empty.image_f1) == [0, 1]
    assert np.isnan([*empty.f1, empty.best_f1, empty.best_score]).all()
