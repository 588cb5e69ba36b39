"""Hausdorff distance, average surface distance and signed distances, by SciPy."""

import numpy as np
import pytest

from omniou import masks, pairwise
from tests.helpers import array, assert_close, numbers

pytest.importorskip("scipy", reason="SciPy is not installed")
pytestmark = pytest.mark.computes("looks at values on the CPU")

A, B = [[1, 0, 0, 0, 0]], [[1, 0, 0, 1, 0]]
NAN, INF = float("nan"), float("inf")


def random_masks(count, seed):
    rng = np.random.default_rng(seed)
    return rng.random((count, 9, 12)) < rng.uniform(0.05, 1, (count, 1, 1))


def distances(a, b, spacing, metric="euclidean"):
    """From each outline pixel of `a` to the nearest of `b`, by comparing all."""

    def outline(mask):
        found = []
        for i, j in np.argwhere(mask):
            around = [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)]
            inside = [0 <= p < mask.shape[0] and 0 <= q < mask.shape[1] and mask[p, q] for p, q in around]
            if not all(inside):
                found.append((i * spacing[0], j * spacing[1]))
        return np.asarray(found)

    apart = np.abs(outline(a)[:, None] - outline(b))
    combined = {"euclidean": np.sqrt((apart**2).sum(-1)), "chessboard": apart.max(-1), "taxicab": apart.sum(-1)}
    return combined[metric].min(axis=1)


@pytest.mark.proves("eager", "masks.hausdorff", "masks.average_surface_distance", "masks.signed_distance")
@pytest.mark.parametrize("dtype", ["bool", "int64", "float32", "float64"])
def test_distances_by_hand(xp, dtype):
    a, b = array(xp, A, dtype), array(xp, B, dtype)
    like = a if "float" in dtype else array(xp, [0.0])
    assert_close(masks.hausdorff(a, b, threshold=0.5), 3.0, like=like)
    assert_close(masks.hausdorff(a, b, spacing=(5, 0.5), threshold=0.5), 1.5, like=like)
    assert_close(masks.hausdorff(a, b, directed=True, threshold=0.5), 0.0, like=like)
    assert_close(masks.hausdorff(b, a, directed=True, percentile=50, threshold=0.5), 1.5, like=like)
    assert_close(masks.average_surface_distance(a, b, threshold=0.5), 1.0, like=like)
    assert_close(masks.average_surface_distance(b, a, directed=True, threshold=0.5), 1.5, like=like)
    assert_close(
        masks.signed_distance(array(xp, [[0, 0, 1, 1, 1, 1]], dtype), threshold=0.5), [[2, 1, 0, -1, -2, -3]], like=like
    )


@pytest.mark.parametrize("spacing", [(1.0, 1.0), (0.5, 3.0)])
def test_distances_equal_those_of_all_pixels(xp, spacing):
    a, b = random_masks(4, 0), random_masks(5, 1)
    ways = [[(distances(p, q, spacing), distances(q, p, spacing)) for q in b] for p in a]
    p, q = xp.asarray(a), xp.asarray(b)
    for percentile in (100, 95, 30):
        expected = [[max(np.percentile(x, percentile) for x in way) for way in row] for row in ways]
        out = pairwise(masks.hausdorff, p, q, spacing=spacing, percentile=percentile)
        assert_close(out, expected, ulp=40)
    expected = [[np.concatenate(way).mean() for way in row] for row in ways]
    assert_close(pairwise(masks.average_surface_distance, p, q, spacing=spacing), expected, ulp=40)
    turned = pairwise(lambda a, b: masks.average_surface_distance(b, a, directed=True, spacing=spacing), p, q)
    assert_close(turned, [[way[1].mean() for way in row] for row in ways], ulp=40)
    assert_close(masks.hausdorff(p, q[1:2, ...], directed=True, spacing=spacing), [r[1][0].max() for r in ways], ulp=40)


@pytest.mark.parametrize("metric", ["chessboard", "taxicab"])
def test_distances_by_other_metrics(xp, metric):
    a, b, spacing = random_masks(4, 3), random_masks(4, 4), (0.5, 3.0)
    ways = [(distances(p, q, spacing, metric), distances(q, p, spacing, metric)) for p, q in zip(a, b, strict=True)]
    p, q, options = xp.asarray(a), xp.asarray(b), {"spacing": spacing, "distance_metric": metric}
    assert_close(masks.hausdorff(p, q, **options), [max(x.max() for x in way) for way in ways], ulp=40)
    expected = [np.concatenate(way).mean() for way in ways]
    assert_close(masks.average_surface_distance(p, q, **options), expected, ulp=40)


def test_distances_of_volumes_by_hand(xp):
    """A voxel at the start, and the same with a second one 4 slices, 2 rows and 1 column on."""
    given = np.zeros((2, 5, 3, 2), dtype=int)
    given[:, 0, 0, 0] = given[1, 4, 2, 1] = 1
    a, b = xp.asarray(given)[0, ...], xp.asarray(given)[1, ...]
    spacing = (0.5, 3.0, 6.0)  # 2, 6 and 6 apart
    assert_close(masks.hausdorff(a, b, spatial_axes=3), 21**0.5)
    assert_close(masks.hausdorff(a, b, spacing=spacing), 76**0.5)
    assert_close(masks.hausdorff(a, b, spacing=spacing, distance_metric="taxicab"), 14.0)
    assert_close(masks.hausdorff(a, b, spacing=(3.0, 3.0, 3.0)), masks.hausdorff(a, b, spacing=3.0, spatial_axes=3))
    assert_close(masks.hausdorff(b, a, spacing=spacing, directed=True, percentile=50), 19**0.5)
    assert_close(masks.average_surface_distance(a, b, spacing=spacing), 76**0.5 / 3)
    assert_close(pairwise(masks.hausdorff, xp.asarray(given), xp.asarray(given[:1]), spatial_axes=3), [[0], [21**0.5]])
    # Without a word the first axis has images: a voxel that only one slice has is infinitely far from nothing.
    assert_close(masks.hausdorff(a, b), [0, NAN, NAN, NAN, INF])
    broken = xp.asarray(np.where(given == 1, NAN, 0.0)[:1])
    assert_close(masks.hausdorff(broken, broken, spatial_axes=3, threshold=0.5), [NAN])
    assert_close(masks.hausdorff(a[:, 0, 0], b[:, 0, 0], spatial_axes=1), 0.0)


def test_outlines_of_volumes_have_six_neighbours(xp):
    """Of a full cube of 5 voxels its inner 27 are no outline: the voxel in its middle is 2 away from each face."""
    full, middle = np.ones((5, 5, 5), dtype=int), np.zeros((5, 5, 5), dtype=int)
    middle[2, 2, 2] = 1
    a, b = xp.asarray(full), xp.asarray(middle)
    assert_close(masks.hausdorff(b, a, directed=True, spatial_axes=3), 2.0)
    assert_close(masks.hausdorff(a, b, spatial_axes=3), 12**0.5)
    signed = masks.signed_distance(xp.asarray(1 - middle), spacing=(1.0, 2.0, 3.0))
    assert_close(signed[2, 2, :], [-5.0, -2.0, 1.0, -2.0, -5.0])
    assert_close(signed[:, 2, 2], [-1.0, 0.0, 1.0, 0.0, -1.0])


def test_distances_to_empty_masks_and_of_nan(xp):
    none, some = array(xp, [[0.0, 0.0]]), array(xp, [[0.0, 1.0]])
    broken = array(xp, [[NAN, 1.0]])
    a, b = xp.stack([none, some, broken]), xp.stack([none, some])
    expected = [[NAN, INF], [INF, 0.0], [NAN, NAN]]
    assert_close(pairwise(masks.hausdorff, a, b, threshold=0.5), expected)
    assert_close(pairwise(masks.average_surface_distance, a, b, threshold=0.5), expected)
    assert pairwise(masks.hausdorff, a[:0, ...], b, threshold=0.5).shape == (0, 2)
    assert_close(masks.signed_distance(xp.stack([none, some + 1 - some]), threshold=0.5), [[[0, 0]], [[0, 0]]])


def test_signed_distance_equals_a_search():
    given = random_masks(3, 2)
    spacing = (2.0, 0.5)
    place = np.stack(np.mgrid[:9, :12], -1) * spacing
    for mask, out in zip(given, masks.signed_distance(given, spacing=spacing), strict=True):
        for i, j in np.ndindex(mask.shape):
            others = place[mask != mask[i, j]]
            nearest = np.sqrt(((others - place[i, j]) ** 2).sum(-1)).min()
            assert out[i, j] == pytest.approx(0.5 - nearest if mask[i, j] else nearest, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda a: masks.hausdorff(a, a, percentile=0), ValueError, r"`percentile` must lie in \(0, 100\], got 0"),
        (
            lambda a: masks.hausdorff(a, a, spacing=(1, 2, 3, 4)),
            ValueError,
            r"`spacing` must be a number.* got \(1, 2, 3, 4\)",
        ),
        (
            lambda a: masks.hausdorff(a, a, spacing=(1, 2), spatial_axes=3),
            ValueError,
            r"one for each of the 3 `spatial_axes` \(depth, height, width\), got \(1, 2\)",
        ),
        (lambda a: masks.hausdorff(a, a, spatial_axes=3), ValueError, r"shape \(..., depth, height, width\), got"),
        (lambda a: masks.signed_distance(a, spatial_axes=4), ValueError, "`spatial_axes` must be one of 1, 2, 3"),
        (lambda a: masks.hausdorff(a, a, distance_metric="l1"), ValueError, "`distance_metric` must be one of"),
        (lambda a: masks.hausdorff(a, a, spacing=0), ValueError, "`spacing` must be above 0, got 0"),
        (lambda a: masks.hausdorff(a, a[:, :1]), ValueError, "masks must have one size"),
        (lambda a: masks.signed_distance(a * 1j), TypeError, "`x` must hold numbers or booleans"),
    ],
)
def test_invalid_arguments_raise(call, error, message):
    with pytest.raises(error, match=message):
        call(np.asarray(A))


def test_lazy_arrays_raise():
    dask = pytest.importorskip("dask.array")
    with pytest.raises(TypeError, match="`a` must be an array that is computed at once, got one of dask"):
        masks.hausdorff(dask.ones((2, 2)), dask.ones((2, 2)))


def test_without_scipy_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "scipy.spatial", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "\.\[masks\]" in a clone'):
        masks.hausdorff(A, B)


def test_distances_are_no_part_of_a_gradient():
    torch = pytest.importorskip("torch")
    x = torch.tensor(A, dtype=torch.float32, requires_grad=True)
    assert not masks.hausdorff(x, torch.tensor(B), threshold=0.5).requires_grad
    assert numbers(masks.hausdorff(x.detach().bfloat16(), torch.tensor(B), threshold=0.5)) == 3.0
