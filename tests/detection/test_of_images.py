"""Numbers on some of the images, without matching anew."""

import math

import numpy as np
import pytest

from omniou import detection
from tests.helpers import numbers

IMAGES = 12


def scene(xp, chosen):
    """Boxes of random images, the chosen ones alone, under their own ids."""
    rng = np.random.default_rng(5)
    tables = []
    for many, scored in ((5, False), (7, True)):
        images = np.repeat(np.arange(IMAGES), many)
        low = rng.integers(0, 6, (len(images), 2)) * 10.0
        boxes = np.concatenate([low, low + rng.integers(1, 4, (len(images), 2)) * 10], axis=1)
        labels, scores = rng.integers(0, 3, len(images)), rng.integers(1, 9, len(images)) / 8
        kept = np.isin(images, chosen)
        columns = {"boxes": xp.asarray(boxes[kept]), "labels": xp.asarray(labels[kept])}
        columns |= {"images": xp.asarray(images[kept])} | ({"scores": xp.asarray(scores[kept])} if scored else {})
        tables.append((detection.Detections if scored else detection.Targets)(**columns))
    return detection.evaluate(*tables, images=sorted(chosen), classes=[0, 1, 2])


@pytest.mark.parametrize("chosen", [[3], [0, 1, 2, 11], list(range(IMAGES))])
def test_numbers_of_some_images_equal_those_of_an_evaluation_of_them(xp, chosen):
    if xp.__name__.endswith("dask.array"):
        pytest.skip("the evaluator takes no Dask arrays")
    part, alone = scene(xp, range(IMAGES)).of_images(chosen), scene(xp, chosen)
    assert part.summary == pytest.approx(alone.summary, nan_ok=True, rel=0, abs=0)
    assert part.state.counts == alone.state.counts
    for name in ("precision", "recall", "scores", "objects", "classes"):
        np.testing.assert_array_equal(numbers(getattr(part, name)), numbers(getattr(alone, name)))
    assert part.least_score() == alone.least_score()


def test_parts_merge_to_the_whole():
    whole = scene(np, range(IMAGES))
    merged = detection.compute([whole.of_images(x).state for x in ([1, 3, 5, 7], [0, 2, 4], [6, 8, 9, 10, 11])])
    assert merged.summary == pytest.approx(whole.summary, nan_ok=True, rel=0, abs=0)
    for name in ("images", "scores", "rows", "rank", "target_labels"):
        np.testing.assert_array_equal(getattr(merged.state, name), getattr(whole.state, name))


def test_names_go_along_and_boxes_do_not():
    whole = scene(np, range(IMAGES))
    whole.names = {0: "cat"}
    part = whole.of_images(np.asarray([4, 4, 2]))
    assert (part.names, part.state.images.tolist(), part.has_boxes) == ({0: "cat"}, [2, 4], False)
    with pytest.raises(ValueError, match="boxes are not kept"):
        part.errors()


def test_no_images_have_no_numbers():
    assert all(math.isnan(x) for x in scene(np, range(IMAGES)).of_images([]).summary.values())


@pytest.mark.parametrize(
    ("images", "error", "words"),
    [
        ([3, 99], ValueError, "`images` must be ids of evaluated images, 12 in all, got 99"),
        (["a.jpg"], TypeError, "`images` must be integers"),
        (7, TypeError, "`images` must be integers"),
    ],
)
def test_images_that_are_not_there_are_refused(images, error, words):
    with pytest.raises(error, match=words):
        scene(np, range(IMAGES)).of_images(images)
