"""Inputs from users' reports to other libraries, about shapes, formats and scale; the results must be true here.

Others stand in the tests of what they are about: rotated rectangles in `test_rotated.py`, suppression in `test_nms.py`,
inputs on which a library is wrong in `tests/oracles`.
"""

import numpy as np
import pytest

from omniou import boxes, nms, pairwise, pairwise_sparse
from tests.helpers import array, assert_close, numbers


def scene(seed, *shape):
    rng = np.random.default_rng(seed)
    low = rng.uniform(0, 500, (*shape, 2))
    return np.concatenate([low, low + rng.uniform(20, 150, (*shape, 2))], axis=-1)


def test_ciou_of_sets_of_different_sizes(xp):
    """torchvision 6317: the aspect term was that of pairs of equal index, down to -22.6."""
    a, b = scene(0, 5), scene(1, 3)
    out = pairwise(boxes.ciou, array(xp, a), array(xp, b))
    each = [[float(boxes.ciou(p, q)) for q in b] for p in a]
    assert_close(out, each, ulp=64)
    assert float(numbers(out).min()) > -2


@pytest.mark.compiles("ciou")
@pytest.mark.parametrize("name", ["iou", "giou", "diou", "ciou"])
def test_pairs_of_batches_of_centres_and_sides(xp, name):
    """torchvision 3478 and 8961: (B, N, 4) by (B, M, 4), without a conversion before."""
    a, b, score = scene(0, 2, 4), scene(1, 2, 3), getattr(boxes, name)
    given = (array(xp, boxes.convert(x, "xyxy", "cxcywh")) for x in (a, b))
    out = pairwise(score, *given, format="cxcywh")
    assert tuple(out.shape) == (2, 4, 3)
    expected = [[[float(score(p, q)) for q in second] for p in first] for first, second in zip(a, b, strict=True)]
    np.testing.assert_allclose(numbers(out), expected, rtol=1e-12, atol=1e-13)


@pytest.mark.computes("shapes depend on values")
def test_normalised_boxes_have_the_pairs_and_suppression_of_pixels(xp):
    """lsnms 29: a test for an area above 0 found nothing, or all, in boxes between 0 and 1."""
    pixels, scores = scene(2, 80), np.linspace(0.95, 0.05, 80)
    results = []
    for scale in (1.0, 2.0**-10, 2.0**-30):
        given = array(xp, pixels * scale)
        pairs = pairwise_sparse(boxes.iou, given, given, 0.4)
        kept = nms.hard(given, array(xp, scores), 0.4)
        results.append([numbers(x).tolist() for x in (pairs.a, pairs.b, pairs.values, kept)])
    assert results[0] == results[1] == results[2]
    assert 80 < len(results[0][0]) < 400
    assert 20 < len(results[0][3]) < 80
