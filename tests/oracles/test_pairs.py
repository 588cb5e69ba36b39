"""Sparse pairs beside shapely's tree of bounds."""

import numpy as np
import pytest

from omniou import boxes, pairwise_count, pairwise_max, pairwise_sparse, rotated

shapely = pytest.importorskip("shapely")


def random_sets(seed, side):
    rng = np.random.default_rng(seed)
    low = rng.uniform(0, 1000, (2, 3000, 2))
    return np.concatenate([low, low + rng.gamma(2, side / 2, low.shape)], axis=2)


@pytest.mark.parametrize("side", [5, 60, 400])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_pairs_equal_those_of_strtree(side, dtype):
    a, b = random_sets(side, side).astype(dtype)
    i, j = shapely.STRtree(shapely.box(*b.T)).query(shapely.box(*a.T))
    order = np.lexsort((j, i))
    i, j = i[order], j[order]
    values = boxes.iou(a[i], b[j])
    for threshold in (0.0, 0.1, 0.5, 0.9):
        above = values > np.dtype(dtype).type(threshold)
        pairs = pairwise_sparse(boxes.iou, a, b, threshold)
        assert np.array_equal(pairs.a, i[above])
        assert np.array_equal(pairs.b, j[above])
        assert np.array_equal(pairs.values, values[above])
        assert np.array_equal(pairwise_count(boxes.iou, a, b, threshold), np.bincount(i[above], minlength=len(a)))
    best = pairwise_max(boxes.iou, a, b)
    expected = np.zeros(len(a), dtype=dtype)
    np.maximum.at(expected, i, values)
    assert np.array_equal(best.values, expected)


def test_touching_boxes_are_in_the_tree_only():
    a, b = np.array([[0.0, 0, 10, 10]]), np.array([[10.0, 0, 20, 10]])
    assert shapely.STRtree(shapely.box(*b.T)).query(shapely.box(*a.T)).shape == (2, 1)
    assert pairwise_sparse(boxes.iou, a, b, 0).a.shape == (0,)


def test_rotated_pairs_equal_intersections_of_polygons():
    rng = np.random.default_rng(1)
    a, b = (
        np.column_stack([rng.uniform(0, 500, (900, 2)), rng.gamma(2, 15, (900, 2)), rng.uniform(-3, 3, 900)])
        for _ in "ab"
    )
    p, q = (shapely.polygons(rotated.corners(x)) for x in (a, b))
    i, j = shapely.STRtree(q).query(p, predicate="intersects")
    inter = shapely.area(shapely.intersection(p[i], q[j]))
    values = inter / (shapely.area(p[i]) + shapely.area(q[j]) - inter)
    for threshold in (1e-6, 0.2, 0.6):
        pairs = pairwise_sparse(rotated.iou, a, b, threshold)
        assert set(zip(pairs.a.tolist(), pairs.b.tolist(), strict=True)) == set(
            zip(i[values > threshold].tolist(), j[values > threshold].tolist(), strict=True)
        )
