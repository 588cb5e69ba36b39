"""Scores of dense masks, in every library."""

import tracemalloc
from functools import partial

import numpy as np
import pytest

from omniou import masks, pairwise
from omniou._lib import accel
from tests.helpers import array, assert_close, numbers

A = [[1, 1, 0], [1, 1, 0]]
B = [[0, 1, 1], [0, 1, 1]]
FULL, EMPTY = [[1] * 3] * 2, [[0] * 3] * 2


@pytest.mark.proves("eager", "masks.pairwise_iou")
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float32", "float64"])
def test_iou_and_pairwise_iou_by_hand(xp, dtype):
    a, b = array(xp, [A, A, FULL, EMPTY], dtype), array(xp, [A, B, A, EMPTY], dtype)
    like = a if dtype.startswith("float") else array(xp, [0.0])
    assert_close(masks.iou(a, b, threshold=0.5), [1, 1 / 3, 2 / 3, 0], like=like)
    expected = [[1, 1 / 3, 1, 0], [1, 1 / 3, 1, 0], [2 / 3, 2 / 3, 2 / 3, 0], [0, 0, 0, 0]]
    assert_close(masks.pairwise_iou(a, b, threshold=0.5), expected, like=like)


def test_iou_counts_nonzero_pixels_as_on(xp):
    a, b = array(xp, [[[-3, -3, 0]], [[255, 0, 0]]], "int64"), array(xp, [[1, 1, 0]], "int64")
    assert_close(masks.iou(a, b), [1.0, 0.5])


def test_pairwise_iou_of_float16_counts_more_pixels_than_float16_holds(xp):
    if not hasattr(xp, "float16"):
        pytest.skip("no float16 in this library")
    a = xp.ones((1, 300, 300), dtype=xp.float16)
    b = xp.concat([a[:, :150, :], xp.zeros((1, 150, 300), dtype=xp.float16)], axis=1)
    assert_close(masks.pairwise_iou(a, b, threshold=0.5), [[0.5]], like=a)


@pytest.mark.parametrize(("batch_a", "batch_b"), [((), ()), ((3,), (3,)), ((2, 1), (3,)), ((), (4,))])
def test_iou_broadcasts_leading_axes(xp, batch_a, batch_b):
    rng = np.random.default_rng(0)
    a, b = rng.random((*batch_a, 4, 6, 5)) < 0.5, rng.random((*batch_b, 3, 6, 5)) < 0.5
    p, q = a[..., :, None, :, :], b[..., None, :, :, :]
    expected = (p & q).sum(axis=(-2, -1)) / (p | q).sum(axis=(-2, -1))
    assert_close(masks.pairwise_iou(xp.asarray(a), xp.asarray(b)), expected)
    assert_close(masks.iou(xp.asarray(p), xp.asarray(q)), expected)


@pytest.mark.parametrize("memory", [1, 1000, 10**6])
def test_pairwise_in_parts_is_unchanged(xp, memory):
    rng = np.random.default_rng(0)
    a, b = rng.random((7, 11, 13)) < 0.3, rng.random((5, 11, 13)) < 0.6
    shared = np.einsum("nhw,mhw->nm", a.astype(int), b.astype(int))
    expected = shared / (a.sum((1, 2))[:, None] + b.sum((1, 2)) - shared)
    assert_close(masks.pairwise_iou(xp.asarray(a), xp.asarray(b), memory=memory), expected)
    assert_close(pairwise(masks.soft_iou, xp.asarray(a), xp.asarray(b), memory=memory), expected, ulp=16)


# Two masks of 6 pixels with 4 and 4 on, of which they share 2; their scores by hand.
BY_HAND = {
    "iou": (masks.iou, 2 / 6),
    "iof": (masks.iof, 2 / 4),
    "dice": (masks.dice, 4 / 8),
    "tversky": (partial(masks.tversky, alpha=0.25, beta=1.0), 2 / (2 + 0.5 + 2)),
    "smooth iou": (partial(masks.iou, smooth=1.0), 3 / 7),
    "smooth dice": (partial(masks.dice, smooth=1.0), 5 / 9),
    "graded": (partial(masks.graded, start=0.1, step=0.1, levels=5), 3 / 5),
    "soft iou": (masks.soft_iou, 2 / 6),
    "soft dice": (masks.soft_dice, 4 / 8),
    "soft dice, squared": (partial(masks.soft_dice, squared=True), 4 / 8),
}
SOFT = [score for name, (score, _) in BY_HAND.items() if name.startswith("soft")]


@pytest.mark.parametrize(("score", "expected"), BY_HAND.values(), ids=BY_HAND)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "float32"])
def test_scores_by_hand(xp, score, expected, dtype):
    a, b = array(xp, A, dtype), array(xp, B, dtype)
    like = a if dtype == "float32" else array(xp, [0.0])
    options = {"threshold": 0.5} if score not in SOFT else {}
    assert_close(score(a, b, **options), expected, like=like)
    assert_close(pairwise(score, a[None, ...], b[None, ...], **options), [[expected]], like=like)


@pytest.mark.parametrize(("score", "_"), BY_HAND.values(), ids=BY_HAND)
def test_pairwise_equals_broadcasting(xp, score, _):
    rng = np.random.default_rng(0)
    a, b = xp.asarray(rng.random((2, 4, 6, 5)) < 0.5), xp.asarray(rng.random((1, 3, 6, 5)) < 0.7)
    expected = numbers(score(a[:, :, None, :, :], b[:, None, :, :, :]))
    assert_close(pairwise(score, a, b), expected)
    assert_close(pairwise(lambda a, b: score(b, a), a, b), numbers(score(b[:, None, :, :, :], a[:, :, None, :, :])))


def test_soft_scores_of_probabilities_by_hand(xp):
    a, b = array(xp, [[0.5, 0.25]]), array(xp, [[1.0, 0.5]])  # p q: 0.625, p: 0.75, q: 1.5, p^2: 0.3125, q^2: 1.25
    assert_close(masks.soft_iou(a, b), 0.625 / (2.25 - 0.625))
    assert_close(masks.soft_dice(a, b, smooth=1.0), 2.25 / 3.25)
    assert_close(masks.soft_dice(a, b, squared=True), 1.25 / 1.5625)
    assert_close(pairwise(masks.soft_dice, a[None, ...], b[None, ...], squared=True), [[1.25 / 1.5625]])


@pytest.mark.proves("eager", "masks.area")
def test_threshold_is_exceeded_by_floating_pixels_alone(xp):
    probabilities = array(xp, [[0.5, 0.75, 1.0, 0.25]], "float32")
    assert_close(masks.iou(probabilities, array(xp, [[1, 1, 1, 0]], "bool"), threshold=0.5), 2 / 3)
    assert_close(masks.iou(array(xp, [[1, 1, 0, 0]], "int64"), array(xp, [[1, 1, 1, 0]], "bool"), threshold=7), 2 / 3)
    assert int(numbers(masks.area(probabilities, threshold=0.5))) == 2


@pytest.mark.parametrize("score", [masks.iou, masks.dice, masks.tversky, masks.iof, masks.graded, masks.soft_dice])
@pytest.mark.parametrize("empty", [0.0, 0.25, 1.0, float("nan")])
def test_empty_is_the_score_of_two_empty_masks(xp, score, empty):
    none, some = array(xp, EMPTY, "uint8"), array(xp, A, "uint8")
    # IoUs of 1/4 exceed none of the levels from 0.7.
    expected = (
        0.0 if score is masks.graded and empty == 0.25 else 0.6 if score is masks.graded and empty == 1 else empty
    )
    assert_close(score(none, none, zero_division=empty), expected)
    assert_close(pairwise(score, none[None, ...], none[None, ...], zero_division=empty), [[expected]])
    assert_close(score(some, none, zero_division=empty), 0.0)


def test_smooth_gives_one_for_two_empty_masks(xp):
    none = array(xp, EMPTY, "uint8")
    assert_close(masks.iou(none, none, smooth=0.5, zero_division=0.25), 1.0)


def test_scores_of_masks_with_nan_are_nan(xp):
    nan = float("nan")
    a, b = array(xp, [[[1.0, nan]], [[1.0, 1.0]]]), array(xp, [[[1, 1]], [[1, 0]]], "uint8")
    for score, second in ((masks.iou, 0.5), (masks.dice, 2 / 3), (masks.graded, 0.0), (masks.soft_iou, 0.5)):
        options = {} if score is masks.soft_iou else {"threshold": 0.5}
        assert_close(score(a, b, **options), [nan, second])
        assert_close(pairwise(score, b[1:, ...], a, **options), [[nan, second]])
    assert numbers(masks.intersection(a, b, threshold=0.5)).tolist() == [1, 1]


@pytest.mark.parametrize("score", [masks.intersection, partial(pairwise, masks.intersection)])
def test_counts_beyond_float32_are_exact(xp, score):
    size = 4100  # squared, beyond 2**24
    a = xp.ones((1, size, size), dtype=xp.bool)
    b = xp.concat([xp.zeros((1, 1, 1), dtype=xp.bool), a[:, :1, 1:]], axis=2)
    b = xp.concat([b, a[:, 1:, :]], axis=1)  # all but one
    out = score(a, b)
    assert xp.isdtype(out.dtype, "integral")
    assert int(out[0, 0] if out.ndim == 2 else out[0]) == size * size - 1


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("dtype", [bool, np.float32])
def test_memory_bounds_what_pairwise_takes(plain, dtype, monkeypatch):
    if plain:
        monkeypatch.setattr(accel, "module", lambda _: None)
    a = np.ones((40, 500, 500), dtype=dtype)
    masks.pairwise_iou(a, a, threshold=0.5)
    peaks = []
    for memory in (10**5, 10**7):
        tracemalloc.start()
        masks.pairwise_iou(a, a, threshold=0.5, memory=memory)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[0] < 4 * 10**5
    assert 10 * peaks[0] < peaks[1] < 2 * 10**7


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
        (lambda a: masks.iou(a, a * 1j), TypeError, "`b` must hold numbers or booleans"),
        (lambda a: masks.iou(a, a, smooth=-1), ValueError, "`smooth` must be finite and at least 0, got -1"),
        (lambda a: masks.iou(a, a, zero_division="1"), TypeError, "`zero_division` must be a number, got str"),
        (lambda a: masks.iou(a, a, threshold=True), TypeError, "`threshold` must be a number, got bool"),
        (lambda a: masks.pairwise_iou([a], [a], memory=0), ValueError, "`memory` must be a positive integer, got 0"),
        (lambda a: masks.tversky(a, a, beta=-0.5), ValueError, "`beta` must be finite and at least 0, got -0.5"),
        (lambda a: masks.soft_iou(a, a, threshold=0.5), TypeError, "unexpected keyword argument 'threshold'"),
        (lambda a: masks.area(a[0]), ValueError, r"`x` must have shape \(..., height, width\), got \(3,\)"),
    ],
)
def test_iou_of_invalid_masks_raises(call, error, message):
    with pytest.raises(error, match=message):
        call(np.asarray(A))
