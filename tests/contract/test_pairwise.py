"""`pairwise` equals the score of each pair, for any tile size."""

import numpy as np
import pytest

from omniou import boxes, pairwise
from tests.helpers import array, assert_close, numbers, random_boxes

SCORES = ["iou", "iof", "dice", "giou", "diou", "ciou", "intersection", "union"]


@pytest.mark.proves("eager", "boxes.pairwise_iou", "pairwise")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_pairwise_iou_by_hand(xp, dtype):
    a = array(xp, [[0, 0, 2, 2]], dtype)
    b = array(xp, [[0, 0, 1, 1], [5, 5, 6, 6]], dtype)
    assert_close(pairwise(boxes.iou, a, b), [[0.25, 0.0]], like=a)
    assert_close(boxes.pairwise_iou(a, b), [[0.25, 0.0]], like=a)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_pairwise_equals_score_of_each_pair(xp, name, dims):
    rng = np.random.default_rng(dims)
    score = getattr(boxes, name)
    a, b = (array(xp, random_boxes(rng, n, dims=dims)) for n in (7, 5))
    expected = np.stack([numbers(score(a[i, :], b)) for i in range(7)])
    assert_close(pairwise(score, a, b), expected, like=a)


@pytest.mark.parametrize(("batch_a", "batch_b"), [((3,), (3,)), ((3,), ()), ((2, 1), (3,)), ((1,), (4,))])
def test_pairwise_broadcasts_leading_axes(xp, batch_a, batch_b):
    rng = np.random.default_rng(1)
    a, b = random_boxes(rng, *batch_a, 6), random_boxes(rng, *batch_b, 4)
    shape = np.broadcast_shapes(batch_a, batch_b)
    wide_a, wide_b = np.broadcast_to(a, (*shape, 6, 4)), np.broadcast_to(b, (*shape, 4, 4))
    expected = [pairwise(boxes.giou, wide_a[i], wide_b[i]) for i in np.ndindex(shape)]
    out = pairwise(boxes.giou, array(xp, a), array(xp, b))
    assert_close(out, np.reshape(expected, (*shape, 6, 4)))


@pytest.mark.parametrize(("n", "m"), [(0, 0), (0, 3), (3, 0)])
@pytest.mark.parametrize("batch", [(), (0,), (2,)])
def test_pairwise_without_boxes_is_empty(xp, n, m, batch):
    a, b = array(xp, np.zeros((*batch, n, 4))), array(xp, np.zeros((*batch, m, 4)))
    out = pairwise(boxes.ciou, a, b)
    assert out.shape == (*batch, n, m)
    assert out.dtype == a.dtype


def test_pairwise_of_nan_box_is_nan_in_its_row_and_column_only(xp):
    a = array(xp, [[0, 0, 1, 1], [np.nan, 0, 1, 1]])
    b = array(xp, [[0, 0, 1, 1], [0, 0, 1, np.nan], [2, 2, 3, 3]])
    assert np.isnan(numbers(pairwise(boxes.giou, a, b))).tolist() == [[False, True, False], [True] * 3]


def test_pairwise_passes_options_to_score(xp):
    a, b = array(xp, [[0, 0, 9, 9]]), array(xp, [[5, 5, 5, 5]])
    assert_close(pairwise(boxes.iou, a, b, format="xywh"), [[16 / 90]])
    assert_close(pairwise(boxes.iou, a, b, offset=1), [[1 / 100]])
    relative = {"format": "rel_xyxy", "image_size": (10, 20)}
    assert_close(pairwise(boxes.union, a / 10, b / 10, **relative), [[162]])


def test_pairwise_of_composed_function(xp):
    a, b = array(xp, [[0, 0, 1, 1]]), array(xp, [[0, 0, 1, 1], [1, 1, 2, 2]])
    cost = pairwise(lambda p, q: 2 * (1 - boxes.giou(p, q)), a, b)
    assert_close(cost, [[0, 3]], like=a)


def test_pairwise_of_function_with_swapped_arguments(xp):
    a, b = array(xp, [[0, 0, 4, 4], [0, 0, 2, 2]]), array(xp, [[0, 0, 1, 1], [0, 0, 2, 4], [9, 9, 10, 10]])
    share = pairwise(lambda p, q: boxes.iof(q, p), a, b)
    assert_close(share, [[1, 1, 0], [1, 0.5, 0]], like=a)


def test_pairwise_of_function_that_ignores_an_argument_raises(xp):
    a = array(xp, [[0, 0, 1, 1]])
    for function in (lambda p, _: boxes.iou(p, p), lambda p, _: boxes.iou(p, a)):
        with pytest.raises(TypeError, match="must score its two arguments against each other"):
            pairwise(function, a, a)
    with pytest.raises(TypeError, match="must score its two arguments"):
        pairwise(lambda p, _: boxes.area(p), a, a)


def test_pairwise_iou_of_float16_does_not_overflow(xp):
    if not hasattr(xp, "float16"):
        pytest.skip("this library has no float16")
    a = xp.astype(array(xp, [[0, 0, 300, 300]] * 300), xp.float16)
    out = pairwise(boxes.iou, a, a)
    assert out.dtype == xp.float16
    assert float(xp.min(out)) == 1.0


def test_pairwise_of_nan_and_empty_boxes(xp):
    proper, empty, nan = [0, 0, 2, 2], [1, 1, 1, 1], [0, 0, np.nan, 2]
    a, b = array(xp, [proper, empty, nan]), array(xp, [proper, empty])
    for name in ("iou", "dice", "giou"):
        score = getattr(boxes, name)
        np.testing.assert_allclose(numbers(pairwise(score, a, b)), [[1, 0], [0, 0], [np.nan, np.nan]])
        np.testing.assert_allclose(numbers(pairwise(score, a, b[:1, :])), [[1], [0], [np.nan]])


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([0, 0, 1, 1], [[0, 0, 1, 1]], r"`a` must have shape \(..., boxes, 2 or 4 or 6\)"),
        ([[0, 0, 1, 1]], [[0, 0, 1]], r"`b` must have shape .* got \(1, 3\)"),
        ([[0, 0, 1, 1]], [[0, 1]], r"equal last axes, got \(1, 4\) for `a` and \(1, 2\) for `b`"),
        ([[[0, 0, 1, 1]]] * 2, [[[0, 0, 1, 1]]] * 3, r"must broadcast, got \(2,\) for `a` and \(3,\)"),
    ],
)
def test_pairwise_of_invalid_shapes_raises(xp, a, b, message):
    with pytest.raises(ValueError, match=message):
        pairwise(boxes.iou, array(xp, a), array(xp, b))
