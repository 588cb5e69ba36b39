"""`pairwise_sparse` finds the pairs of the matrix that are above a threshold, under any score."""

import numpy as np
import pytest

from omniou import boxes, boxes3d, gaussian, masks, pairwise, pairwise_sparse, polygons, rle, rotated
from omniou._catalogue import pruning
from tests.helpers import assert_close, random_boxes
from tests.pairs.brute import expected, listed, random_sets

CASES = [
    *((boxes, "2", name) for name in ("iou", "iof", "iomin", "dice", "giou", "diou", "ciou", "eiou", "siou", "wiou")),
    *((boxes, "2", name) for name in ("shape_iou", "tiou")),
    *((boxes, dims, name) for dims in "13" for name in ("iou", "giou")),
    *((rotated, "rotated", name) for name in ("iou", "iof", "dice", "giou", "ciou", "wiou")),
    *((boxes3d, "boxes3d", name) for name in ("iou", "giou", "iof")),
    *((polygons, "polygons", name) for name in ("iou", "giou", "iomin")),
    *((masks, "masks", name) for name in ("iou", "dice")),
    (gaussian, "2", "nwd"),
    (gaussian, "rotated", "kld"),
]


@pytest.mark.parametrize("threshold", [0.0, 0.05, 0.4, 0.9, -0.2])
@pytest.mark.parametrize(("module", "kind", "name"), CASES)
def test_pairs_are_those_of_the_matrix(module, kind, name, threshold):
    rng = np.random.default_rng(3)
    a, b = (random_sets(kind, rng, n) for n in (60, 70))
    groups = [rng.integers(0, 3, n) for n in (60, 70)]
    score = getattr(module, name)
    matrix, higher = pairwise(score, a, b), name != "kld"
    # The closed form of turned shapes that are disjoint is 0 up to rounding.
    threshold = (threshold or 1e-9) if higher else 1 + 20 * abs(threshold)
    for own in (None, groups):
        options = {} if own is None else {"groups_a": own[0], "groups_b": own[1]}
        pairs = pairwise_sparse(score, a, b, threshold, **options)
        assert listed(pairs) == expected(matrix, threshold, own, higher=higher)
        assert_close(pairs.values, matrix[pairs.a, pairs.b], ulp=64)


@pytest.mark.parametrize(
    "options", [{"power": 3.0}, {"power": 0.4}, {"inner": 0.5}, {"inner": 1.5}, {"eps": 5.0}, {"offset": 1.0}]
)
def test_pairs_are_those_of_the_matrix_under_each_option(options):
    rng = np.random.default_rng(4)
    a, b = random_boxes(rng, 80), random_boxes(rng, 90)
    for name in ("iou", "dice", "giou"):
        matrix = pairwise(getattr(boxes, name), a, b, **options)
        for threshold in (0.0, 0.1, 0.5):
            pairs = pairwise_sparse(getattr(boxes, name), a, b, threshold, **options)
            assert listed(pairs) == expected(matrix, threshold)


def test_scores_of_the_image_and_relative_boxes():
    rng = np.random.default_rng(5)
    a, b = rng.random((40, 4)) * 0.5, rng.random((50, 4)) * 0.5
    options = {"format": "rel_cxcywh", "image_size": (100, 200)}
    for name in ("iou", "mpdiou"):
        matrix = pairwise(getattr(boxes, name), a, b, **options)
        pairs = pairwise_sparse(getattr(boxes, name), a, b, 0.2, **options)
        assert listed(pairs) == expected(matrix, 0.2)
    with pytest.raises(ValueError, match="of images of one size"):
        pairwise_sparse(boxes.iou, a, b, 0.2, format="rel_cxcywh", image_size=np.full((40, 2), 9.0))


def test_tables_of_run_lengths():
    rng = np.random.default_rng(6)
    a, b = (rle.Masks.from_dense(rng.random((n, 7, 7)) > 0.6) for n in (6, 7))
    groups = [rng.integers(0, 3, n) for n in (6, 7)]
    matrix = pairwise(rle.iou, a, b)
    assert listed(pairwise_sparse(rle.iou, a, b, 0.3)) == expected(matrix, 0.3)
    pairs = pairwise_sparse(rle.iou, a, b, 0.2, groups_a=groups[0], groups_b=groups[1])
    assert listed(pairs) == expected(matrix, 0.2, groups)
    assert pairs.values.tolist() == matrix[pairs.a, pairs.b].tolist()


def test_a_share_of_a_convex_shape_covers_more_of_its_bounds():
    # The share 3/4 of a triangle lies in the half of its bounds that is next to its base.
    assert pruning._side(0.75, 2) == pytest.approx(0.5)
    assert pruning._side(0.75, 1) == 0.75
    assert pruning._side(0.75, 0) == 0.0


def test_most_of_a_triangle_lies_in_half_of_its_bounds():
    # The half of the triangle that is next to its upright side has 3/4 of the area, and a centre far from that of all.
    triangle = np.array([[[0, 0], [10, 0], [0, 10], [0, 10]]], float)
    half = np.array([[[0, 0], [5, 0], [5, 5], [0, 10]]], float)
    pairs = pairwise_sparse(polygons.iou, triangle, half, 0.7)
    assert listed(pairs) == [(0, 0)]
    assert_close(pairs.values, [0.75])
