"""IoU of dense masks, in every library."""

import numpy as np
import pytest

from omniou import masks
from omniou._kernels import masks as kernels
from tests.helpers import array, assert_close

A = [[1, 1, 0], [1, 1, 0]]
B = [[0, 1, 1], [0, 1, 1]]
FULL, EMPTY = [[1] * 3] * 2, [[0] * 3] * 2


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float32", "float64"])
def test_iou_and_pairwise_iou_by_hand(xp, dtype):
    a, b = array(xp, [A, A, FULL, EMPTY], dtype), array(xp, [A, B, A, EMPTY], dtype)
    like = a if dtype.startswith("float") else array(xp, [0.0])
    assert_close(masks.iou(a, b), [1, 1 / 3, 2 / 3, 0], like=like)
    expected = [[1, 1 / 3, 1, 0], [1, 1 / 3, 1, 0], [2 / 3, 2 / 3, 2 / 3, 0], [0, 0, 0, 0]]
    assert_close(masks.pairwise_iou(a, b), expected, like=like)


def test_iou_counts_nonzero_pixels_as_on(xp):
    a, b = array(xp, [[-3, 255, 0]], "int64"), array(xp, [[1, 1, 0]], "int64")
    assert_close(masks.iou(a, b), 1.0)


def test_pairwise_iou_of_float16_counts_more_pixels_than_float16_holds(xp):
    if not hasattr(xp, "float16"):
        pytest.skip("no float16 in this library")
    a = xp.ones((1, 300, 300), dtype=xp.float16)
    b = xp.concat([a[:, :150, :], xp.zeros((1, 150, 300), dtype=xp.float16)], axis=1)
    assert_close(masks.pairwise_iou(a, b), [[0.5]], like=a)


@pytest.mark.parametrize(("batch_a", "batch_b"), [((), ()), ((3,), (3,)), ((2, 1), (3,)), ((), (4,))])
def test_iou_broadcasts_leading_axes(xp, batch_a, batch_b):
    rng = np.random.default_rng(0)
    a, b = rng.random((*batch_a, 4, 6, 5)) < 0.5, rng.random((*batch_b, 3, 6, 5)) < 0.5
    p, q = a[..., :, None, :, :], b[..., None, :, :, :]
    expected = (p & q).sum(axis=(-2, -1)) / (p | q).sum(axis=(-2, -1))
    assert_close(masks.pairwise_iou(xp.asarray(a), xp.asarray(b)), expected)
    assert_close(masks.iou(xp.asarray(p), xp.asarray(q)), expected)


def test_pairwise_iou_in_parts_is_unchanged(xp, monkeypatch):
    rng = np.random.default_rng(0)
    a, b = rng.random((7, 11, 13)) < 0.3, rng.random((5, 11, 13)) < 0.6
    expected = masks.pairwise_iou(a, b)
    monkeypatch.setattr(kernels, "PIXELS", 500)
    assert_close(masks.pairwise_iou(xp.asarray(a), xp.asarray(b)), expected)


@pytest.mark.parametrize(("n", "m"), [(0, 0), (0, 3), (3, 0)])
@pytest.mark.parametrize("size", [(4, 5), (0, 5)])
def test_iou_without_masks_is_empty(xp, n, m, size):
    out = masks.pairwise_iou(xp.zeros((n, *size), dtype=xp.bool), xp.zeros((m, *size), dtype=xp.bool))
    assert out.shape == (n, m)
    assert masks.iou(xp.zeros((n, *size), dtype=xp.bool), xp.zeros((n, *size), dtype=xp.bool)).shape == (n,)


def test_iou_of_images_without_pixels_is_zero(xp):
    none = xp.zeros((2, 0, 5), dtype=xp.bool)
    assert_close(masks.pairwise_iou(none, none), [[0, 0], [0, 0]])
    assert_close(masks.iou(none, none), [0, 0])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda a: masks.iou(a, a[0]), ValueError, r"`b` must have shape \(..., height, width\), got \(3,\)"),
        (
            lambda a: masks.pairwise_iou(a, a),
            ValueError,
            r"`a` must have shape \(..., masks, height, width\), got \(2, 3\)",
        ),
        (
            lambda a: masks.iou(a, a.T),
            ValueError,
            r"must have one size, got \(2, 3\) for `a` and \(3, 2\) for `b`",
        ),
        (
            lambda a: masks.iou(np.stack([a, a]), np.stack([a, a, a])),
            ValueError,
            r"leading axes must broadcast, got \(2,\) for `a` and \(3,\) for `b`",
        ),
        (lambda a: masks.iou(a, a * 1j), TypeError, "`b` must hold integers or real floating numbers"),
    ],
)
def test_iou_of_invalid_masks_raises(call, error, message):
    with pytest.raises(error, match=message):
        call(np.asarray(A))
