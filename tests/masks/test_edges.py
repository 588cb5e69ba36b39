"""Boundaries of dense masks: boundary IoU, boundary F-measure and trimap IoU."""

import math
from functools import partial

import numpy as np
import pytest

from omniou import masks, pairwise, rle
from tests.helpers import array, assert_close, numbers


def random_masks(*shape, seed=0):
    """Blobs, noise, an empty and a full mask."""
    rng = np.random.default_rng(seed)
    out = rng.random(shape) < rng.uniform(0.3, 1, (*shape[:-2], 1, 1))
    y, x = np.mgrid[: shape[-2], : shape[-1]]
    out[..., 0, :, :] = (y - shape[-2] / 2) ** 2 + (x - 4) ** 2 < 20
    out[..., 1, :, :], out[..., 2, :, :] = False, True
    return out


def window(mask, i, j, radius, outside):
    """The pixels within `radius` rows and columns."""
    wide = np.pad(mask, radius, constant_values=outside)
    return wide[i : i + 2 * radius + 1, j : j + 2 * radius + 1]


def boundary_of(mask, radius):
    out = np.zeros_like(mask)
    for i, j in np.argwhere(mask):
        out[i, j] = not window(mask, i, j, radius, outside=False).all()
    return out


@pytest.mark.proves("eager", "masks.boundary")
def test_boundary_equals_a_search_in_each_window(xp):
    given = random_masks(5, 11, 9)
    for radius in (1, 2, 4, 30):
        expected = [boundary_of(mask, radius) for mask in given]
        np.testing.assert_array_equal(numbers(masks.boundary(xp.asarray(given), width=radius)), expected)
    assert numbers(masks.boundary(xp.asarray(given[:0]), width=2)).shape == (0, 11, 9)
    assert masks.boundary(xp.zeros((2, 0, 9), dtype=xp.bool)).shape == (2, 0, 9)


@pytest.mark.parametrize("ratio", [0.0, 0.02, 0.1, 0.25, 3.0])
def test_boundary_equals_that_of_runs(ratio):
    given = random_masks(6, 37, 53)
    expected = rle.Masks.from_dense(given).boundary(ratio)
    np.testing.assert_array_equal(masks.boundary(given, dilation_ratio=ratio), expected.to_dense())
    out = pairwise(masks.boundary_iou, given, given[::2], dilation_ratio=ratio)
    np.testing.assert_array_equal(out, rle.pairwise_iou(expected, expected.take([0, 2, 4])))


@pytest.mark.proves("eager", "masks.boundary_iou")
def test_boundary_iou_by_hand(xp):
    # The frames of 5 x 5 and of its left 5 x 4: 16 and 14 pixels, of which they share 11.
    a, b = np.zeros((2, 7, 7))
    a[1:6, 1:6], b[1:6, 1:5] = 1, 1
    a, b = xp.asarray(a), xp.asarray(b)
    assert_close(masks.boundary_iou(a, b, width=1, threshold=0.5), 11 / 19, like=a)
    assert_close(masks.boundary_iou(a, b, width=1, smooth=1.0, threshold=0.5), 12 / 20)
    assert_close(masks.boundary_iou(0.75 * a, 0.25 * b, width=1, threshold=0.5, zero_division=1.0), 0.0)
    assert_close(pairwise(masks.boundary_iou, a[None, ...], b[None, ...], width=1, threshold=0.5), [[11 / 19]])


def trimap_of(a, b, radius):
    inter = union = 0
    for i, j in np.ndindex(a.shape):
        rows, columns = slice(max(i - radius, 0), i + radius + 1), slice(max(j - radius, 0), j + radius + 1)
        if b[rows, columns].any() and not b[rows, columns].all():
            inter, union = inter + (a[i, j] & b[i, j]), union + (a[i, j] | b[i, j])
    return inter / union if union else 0.0


@pytest.mark.proves("eager", "masks.trimap_iou")
@pytest.mark.parametrize("radius", [1, 3])
def test_trimap_iou_equals_a_search_in_each_window(xp, radius):
    a, b = random_masks(4, 9, 8), random_masks(5, 9, 8, seed=1)
    expected = [[trimap_of(p, q, radius) for q in b] for p in a]
    assert_close(pairwise(masks.trimap_iou, xp.asarray(a), xp.asarray(b), width=radius), expected)
    assert_close(masks.trimap_iou(xp.asarray(a), xp.asarray(b[:4]), width=radius), np.diag(np.asarray(expected)[:, :4]))


def davis_f(foreground, truth, tolerance):
    """After `f_measure` of davis2017-evaluation, with loops for its dilation."""
    pixels = tolerance if tolerance >= 1 else math.ceil(tolerance * np.linalg.norm(foreground.shape))

    def outline(seg):
        e, s, se = np.zeros_like(seg), np.zeros_like(seg), np.zeros_like(seg)
        e[:, :-1], s[:-1, :], se[:-1, :-1] = seg[:, 1:], seg[1:, :], seg[1:, 1:]
        b = seg ^ e | seg ^ s | seg ^ se
        b[-1, :] = seg[-1, :] ^ e[-1, :]
        b[:, -1] = seg[:, -1] ^ s[:, -1]
        b[-1, -1] = 0
        return b

    def dilated(points):
        y, x = np.mgrid[: points.shape[0], : points.shape[1]]
        near = [(y - i) ** 2 + (x - j) ** 2 <= pixels**2 for i, j in np.argwhere(points)]
        return np.any(near, axis=0) if near else np.zeros_like(points)

    ours, theirs = outline(foreground), outline(truth)
    if not (ours.any() and theirs.any()):
        return float(ours.any() == theirs.any())
    precision = (ours & dilated(theirs)).sum() / ours.sum()
    recall = (theirs & dilated(ours)).sum() / theirs.sum()
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@pytest.mark.proves("eager", "masks.boundary_f")
@pytest.mark.parametrize("tolerance", [0, 0.008, 0.1, 1, 3])
def test_boundary_f_equals_that_of_davis(xp, tolerance):
    a, b = random_masks(5, 12, 17), random_masks(4, 12, 17, seed=1)
    expected = [[davis_f(p, q, tolerance) for q in b] for p in a]
    call = partial(masks.boundary_f, tolerance=tolerance, zero_division=1.0)
    assert_close(pairwise(call, xp.asarray(a), xp.asarray(b)), expected)
    assert_close(call(xp.asarray(a[:4]), xp.asarray(b)), np.diag(np.asarray(expected)[:4]))


def test_boundary_f_of_masks_without_outline_and_of_nan(xp):
    none, full = array(xp, np.zeros((3, 4))), array(xp, np.ones((3, 4)))
    assert_close(masks.boundary_f(none, full, threshold=0.5), 0.0)
    assert_close(masks.boundary_f(none, full, zero_division=float("nan"), threshold=0.5), float("nan"))
    nan = array(xp, [[float("nan")] * 4] * 3)
    assert_close(
        pairwise(masks.boundary_f, xp.stack([nan, none]), full[None, ...], zero_division=1.0, threshold=0.5),
        [[float("nan")], [1.0]],
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda a: masks.boundary_f(a, a, tolerance=1.5), "`tolerance` must be a whole number .* below 1, got 1.5"),
        (lambda a: masks.boundary_f(a, a, tolerance=-1), "`tolerance` must be finite and at least 0, got -1"),
        (lambda a: masks.boundary_iou(a, a, width=0), "`width` must be a positive integer, got 0"),
        (lambda a: masks.boundary(a, dilation_ratio=-1), "`dilation_ratio` must be finite and at least 0, got -1"),
        (lambda a: masks.boundary(a[0]), r"`x` must have shape \(..., height, width\), got \(3,\)"),
        (lambda a: masks.trimap_iou(a, a[:, :2]), r"masks must have one size, got \(2, 3\) for `a` and \(2, 2\)"),
    ],
)
def test_invalid_arguments_raise(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.ones((2, 3), dtype=bool))


@pytest.mark.parametrize("score", [masks.boundary_iou, masks.boundary_f, masks.trimap_iou])
def test_compiled_equals_eager(score):
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    a, b = random_masks(4, 12, 17), random_masks(4, 12, 17, seed=1)
    torch.compiler.reset()
    compiled = torch.compile(score, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(torch.tensor(a), torch.tensor(b)), torch.tensor(score(a, b)))
    with jax.enable_x64(True):
        np.testing.assert_allclose(jax.jit(score)(jax.numpy.asarray(a), jax.numpy.asarray(b)), score(a, b), rtol=1e-15)
