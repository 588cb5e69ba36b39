"""Footprints of 3-D boxes by shapely, and intervals of z: volumes of intersections and hulls beside ours."""

import numpy as np
import pytest

from omniou import boxes3d, pairwise

shapely = pytest.importorskip("shapely")


@pytest.fixture(params=["crowded", "far from the origin", "nearly the same", "quarter turns"])
def sets(request):
    rng = np.random.default_rng(0)
    a, b = (
        np.concatenate([rng.normal(0, 3, (n, 3)), rng.uniform(0.3, 6, (n, 3)), rng.uniform(-7, 7, (n, 1))], axis=1)
        for n in (300, 300)
    )
    match request.param:
        case "far from the origin":
            a[:, :2], b[:, :2] = a[:, :2] + 1e4, b[:, :2] + 1e4
        case "nearly the same":
            b = a + rng.normal(0, 1, a.shape) * 10.0 ** rng.uniform(-12, -2, (300, 1))
        case "quarter turns":
            b[:, 6] = a[:, 6] + np.pi / 2 * rng.integers(-4, 5, 300)
    return a, b


def parts(x):
    """Footprints, and the low and high ends along z."""
    return shapely.polygons(boxes3d.corners(x)[..., :4, :2]), x[..., 2] - x[..., 5] / 2, x[..., 2] + x[..., 5] / 2


def expected(a, b):
    """IoU, bird's eye IoU and GIoU."""
    (p, low_a, high_a), (q, low_b, high_b) = parts(a), parts(b)
    flat = shapely.area(shapely.intersection(p, q))
    bev = flat / (shapely.area(p) + shapely.area(q) - flat)
    shared = flat * np.maximum(0, np.minimum(high_a, high_b) - np.maximum(low_a, low_b))
    union = np.prod(a[..., 3:6], axis=-1) + np.prod(b[..., 3:6], axis=-1) - shared
    span = np.maximum(high_a, high_b) - np.minimum(low_a, low_b)
    hull = shapely.area(shapely.convex_hull(shapely.union(p, q))) * span
    return shared / union, bev, shared / union - (hull - union) / hull


def test_scores(sets):
    a, b = sets
    for name, values in zip(("iou", "bev_iou", "giou"), expected(a, b), strict=True):
        np.testing.assert_allclose(getattr(boxes3d, name)(a, b), values, rtol=0, atol=1e-9, err_msg=name)


def test_all_pairs(sets):
    a, b = sets
    for name, values in zip(("iou", "bev_iou"), expected(a[:, None, :], b[None, :50, :]), strict=False):
        out = pairwise(getattr(boxes3d, name), a, b[:50])
        np.testing.assert_allclose(out, values, rtol=0, atol=1e-9, err_msg=name)
