"""Scores of boxes: values worked out by hand, on every array library."""

import math

import numpy as np
import pytest

from omniou import boxes
from tests.helpers import array, assert_close, numbers

SCORES = ["iou", "iof", "dice", "giou", "diou", "ciou"]
# v of CIoU for a 4 x 2 and a 2 x 3 box, and alpha at an IoU of 0.4.
V = 4 / math.pi**2 * (math.atan(4 / 2) - math.atan(2 / 3)) ** 2
ALPHA_V = V * V / (1 - 0.4 + V)

# ruff: noqa: E501
PAIRS = {
    # a, b, iou, iof, dice, giou, diou, ciou
    "same": ([0, 0, 2, 2], [0, 0, 2, 2], 1, 1, 1, 1, 1, 1),
    "quarter": ([0, 0, 2, 2], [0, 0, 1, 1], 1 / 4, 1 / 4, 2 / 5, 1 / 4, 1 / 4 - 0.5 / 8, 1 / 4 - 0.5 / 8),
    "inside": ([0, 0, 1, 1], [0, 0, 2, 2], 1 / 4, 1, 2 / 5, 1 / 4, 1 / 4 - 0.5 / 8, 1 / 4 - 0.5 / 8),
    "25 of 175": ([0, 0, 10, 10], [5, 5, 15, 15], 25 / 175, 1 / 4, 1 / 4, 25 / 175 - 50 / 225, 25 / 175 - 50 / 450, 25 / 175 - 50 / 450),
    "touching": ([0, 0, 1, 1], [1, 0, 2, 1], 0, 0, 0, 0, -1 / 5, -1 / 5),
    "apart": ([0, 0, 1, 1], [2, 2, 3, 3], 0, 0, 0, -7 / 9, -8 / 18, -8 / 18),
    "aspects": ([0, 0, 4, 2], [1, 0, 3, 3], 4 / 10, 4 / 8, 8 / 14, 0.4 - 2 / 12, 0.4 - 0.25 / 25, 0.4 - 0.25 / 25 - ALPHA_V),
    "negative": ([-4, -3, -2, -1], [-3, -2, -1, 0], 1 / 7, 1 / 4, 1 / 4, 1 / 7 - 2 / 9, 1 / 7 - 2 / 18, 1 / 7 - 2 / 18),
    "two points": ([5, 5, 5, 5], [5, 5, 5, 5], 0, 0, 0, 0, 0, 0),
    "points apart": ([0, 0, 0, 0], [3, 4, 3, 4], 0, 0, 0, -1, -1, -1),
    "point inside": ([1, 1, 1, 1], [0, 0, 2, 2], 0, 0, 0, 0, 0, -0.05),
    "inverted": ([2, 2, 0, 0], [0, 0, 2, 2], 0, 0, 0, 0, -2 / 8, -2 / 8 - 0.05),
    "both inverted": ([1, 1, 0, 0], [1, 1, 0, 0], 0, 0, 0, 0, 0, 0),
    "line on its box": ([0, 0, 2, 0], [0, 0, 2, 2], 0, 0, 0, 0, -1 / 8, -1 / 8 - 0.05),
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("index", range(len(SCORES)), ids=SCORES)
def test_scores_by_hand(xp, index, dtype):
    a, b, *expected = zip(*PAIRS.values(), strict=True)
    a, b = array(xp, a, dtype), array(xp, b, dtype)
    score = getattr(boxes, SCORES[index])
    assert_close(score(a, b), expected[index], like=a)
    if SCORES[index] != "iof":
        assert_close(score(b, a), expected[index], like=a)


@pytest.mark.parametrize("name", SCORES)
def test_scores_of_intervals_and_cuboids(xp, name):
    """A score of boxes that agree in all axes but one is that of the intervals; CIoU adds the aspects."""
    expected = {"iou": 1 / 3, "iof": 1 / 2, "dice": 1 / 2, "giou": 1 / 3}
    interval = array(xp, [0, 2]), array(xp, [1, 3])
    cuboid = array(xp, [0, 0, 0, 2, 1, 1]), array(xp, [1, 0, 0, 3, 1, 1])
    score = getattr(boxes, name)
    one, three = (1 / 3 - 1 / 9, 1 / 3 - 1 / 11) if name in ("diou", "ciou") else (expected[name],) * 2
    assert_close(score(*interval), one, like=interval[0])
    assert_close(score(*cuboid), three, like=cuboid[0])


def test_ciou_in_three_dimensions(xp):
    """v is the mean over the pairs of axes: here 4/pi^2 (atan 2 - atan 1)^2 for two of three."""
    a, b = array(xp, [0, 0, 0, 2, 1, 1]), array(xp, [0, 0, 0, 1, 1, 1])
    v = 2 / 3 * 4 / math.pi**2 * (math.atan(2) - math.atan(1)) ** 2
    expected = 1 / 2 - 0.25 / 6 - v * v / (1 / 2 + v)
    assert_close(boxes.ciou(a, b), expected, like=a)


def test_iou_with_offset_and_eps_equals_published_snippets(xp):
    """Numbers of the snippets that are copied from repository to repository."""
    a, b = array(xp, [50, 50, 150, 150]), array(xp, [75, 75, 160, 160])
    inter, area_a, area_b = 76 * 76, 101 * 101, 86 * 86
    assert_close(boxes.iou(a, b, offset=1), inter / (area_a + area_b - inter))
    assert_close(boxes.iou(a, b, eps=1e-5), 75 * 75 / (100 * 100 + 85 * 85 - 75 * 75 + 1e-5))
    # maskrcnn-benchmark 1020: with and without the pixel
    a, b = array(xp, [0, 0, 10, 10]), array(xp, [1, 1, 11, 11])
    assert_close(boxes.iou(a, b, offset=1), 100 / 142)
    assert_close(boxes.iou(a, b), 81 / 119)
    assert round(100 / 142, 6) == 0.704225
    assert round(81 / 119, 6) == 0.680672


def test_giou_ranks_disjoint_boxes_by_distance(xp):
    truth = array(xp, [0, 0, 10, 10])
    guesses = array(xp, [[12, 0, 22, 10], [40, 0, 50, 10]])
    assert_close(boxes.iou(guesses, truth), [0, 0])
    near, distant = numbers(boxes.giou(guesses, truth))
    assert near == pytest.approx(-20 / 220)
    assert distant == pytest.approx(-300 / 500)
    assert near > distant


def test_iou_and_giou_differ_at_equal_corner_distance(xp):
    """Rezatofighi et al., figure 1: equal L2 of corners, or equal L1 of centre and sides, unlike IoU and GIoU."""
    truth = array(xp, [10, 10, 30, 30])
    corners = array(xp, [[10, 10, 30, 40], [16, 10, 38, 30]])
    assert np.allclose(np.linalg.norm(numbers(corners) - numbers(truth), axis=-1), 10)
    assert_close(boxes.iou(corners, truth), [400 / 600, 280 / 560])
    assert_close(boxes.giou(corners, truth), [400 / 600, 280 / 560])
    centred = array(xp, [[20, 20, 30, 20], [25, 25, 20, 20]])
    whole = boxes.convert(truth, "xyxy", "cxcywh")
    assert np.allclose(np.abs(numbers(centred) - numbers(whole)).sum(-1), 10)
    assert_close(boxes.iou(centred, whole, format="cxcywh"), [400 / 600, 225 / 575])
    assert_close(boxes.giou(centred, whole, format="cxcywh"), [400 / 600, 225 / 575 - 50 / 625])


@pytest.mark.proves("eager", "boxes.area", "boxes.enclosing", "boxes.intersection", "boxes.union")
def test_area_intersection_union_enclosing_by_hand(xp):
    a, b = array(xp, [[0, 0, 2, 2], [0, 0, 1, 1]]), array(xp, [[1, 1, 3, 3], [2, 2, 3, 3]])
    assert_close(boxes.area(a), [4, 1], like=a)
    assert_close(boxes.intersection(a, b), [1, 0], like=a)
    assert_close(boxes.union(a, b), [7, 2], like=a)
    assert_close(boxes.enclosing(a, b), [[0, 0, 3, 3], [0, 0, 3, 3]], like=a)
    assert_close(boxes.area(array(xp, [3, 3, 1, 5])), 0)
    assert_close(boxes.area(array(xp, [0, 0, 9, 9]), offset=1), 100)
    assert_close(boxes.enclosing(a, b, format="xywh"), [[0, 0, 4, 4], [0, 0, 5, 5]], like=a)


@pytest.mark.parametrize("name", SCORES)
def test_scores_broadcast_shapes_and_empty_arrays(xp, name):
    score = getattr(boxes, name)
    one = array(xp, [0.0, 0, 1, 1])
    assert score(one, one).shape == ()
    wide = xp.broadcast_to(one, (3, 1, 4))
    assert score(wide, xp.broadcast_to(one, (5, 4))).shape == (3, 5)
    none = array(xp, np.zeros((0, 4)))
    assert_close(score(none, one), np.zeros(0), like=none)
    assert score(array(xp, np.zeros((2, 0, 4))), none).shape == (2, 0)


@pytest.mark.parametrize("name", SCORES)
def test_scores_of_nan_boxes_are_nan_in_their_element_only(xp, name):
    rows = [[0, 0, 2, 2], [math.nan, 0, 1, 1], [0, 0, 2, math.nan], [3, 3, 3, 3]]
    a = array(xp, rows)
    for b in (array(xp, [0, 0, 2, 2]), array(xp, [1, 1, 1, 1])):
        for first, second in ((a, b), (b, a)):
            out = numbers(getattr(boxes, name)(first, second))
            assert np.isnan(out).tolist() == [False, True, True, False]


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize(
    ("dtype", "side"), [("float32", 1e-18), ("float32", 1e18), ("float64", 1e-150), ("float64", 1e150)]
)
def test_scores_of_tiny_and_huge_boxes(xp, name, dtype, side):
    a, b = (np.asarray(x, dtype=float) * side for x in ([0, 0, 4, 2], [1, 0, 3, 3]))
    expected = PAIRS["aspects"][2 + SCORES.index(name)]
    a, b = array(xp, a, dtype), array(xp, b, dtype)
    assert_close(getattr(boxes, name)(a, b), expected, like=a, ulp=8)
    assert_close(getattr(boxes, name)(a, a), 1, like=a)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64", "uint16"])
def test_scores_of_integers_do_not_wrap_or_overflow(xp, dtype):
    """Differences wrap in unsigned and areas overflow in narrow integers."""
    top = 127 if dtype == "int8" else 200
    a = xp.asarray([0, 0, 10, 10], dtype=getattr(xp, dtype))
    b = xp.asarray([100, 100, top, top], dtype=getattr(xp, dtype))
    out = boxes.iou(a, b)
    assert out.dtype == xp.float64
    assert float(out) == 0.0
    side = top - 100
    assert float(boxes.giou(a, b)) == pytest.approx((100 + side**2) / top**2 - 1)


def test_scores_of_large_int32_boxes(xp):
    a, b = (xp.asarray([x], dtype=xp.int32) for x in ([0, 0, 60000, 60000], [30000, 0, 90000, 60000]))
    assert_close(boxes.iou(a, b), [1 / 3])
    assert_close(boxes.iof(a, b), [1 / 2])
    one = xp.asarray([[1, 1, 1, 2, 2, 2]], dtype=xp.int64)
    assert_close(boxes.iou(one, one), [1.0])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_scores_of_half_precision_boxes_do_not_overflow(xp, dtype):
    kind = getattr(xp, dtype, None)
    if kind is None:
        pytest.skip(f"this library has no {dtype}")
    a = xp.astype(array(xp, [[-60000, -60000, 60000, 60000], [0, 0, 300, 300]], "float32"), kind)
    for name in SCORES:
        out = getattr(boxes, name)(a, a)
        assert out.dtype == kind
        assert [float(out[0]), float(out[1])] == [1.0, 1.0]


def test_iou_of_array_and_list_has_library_and_dtype_of_array(xp):
    a = array(xp, [0, 0, 2, 2], "float32")
    assert_close(boxes.iou(a, [0, 0, 1, 1]), 0.25, like=a)
    assert_close(boxes.iou([[0, 0, 1, 1]], a), [0.25], like=a)
    assert_close(boxes.iou(a, [0.1, 0.1, 0.6, 0.6]), 0.0625, like=a)


@pytest.mark.mixes
def test_iou_of_mixed_dtypes_follows_the_floating_dtype(xp):
    a = array(xp, [0, 0, 2, 2], "float32")
    b = xp.asarray([0, 0, 1, 1], dtype=xp.int64)
    assert_close(boxes.iou(a, b), 0.25, like=a)
    assert boxes.iou(a, array(xp, [0, 0, 1, 1], "float64")).dtype == xp.float64


def test_scores_with_eps_add_it_to_every_denominator(xp):
    """As torchvision's losses do, with eps = 1e-7; here large enough to be seen."""
    a, b, eps = array(xp, [0, 0, 1, 1]), array(xp, [1, 1, 2, 2]), 0.5
    assert_close(boxes.iou(a, a, eps=eps), 1 / 1.5)
    assert_close(boxes.iof(a, a, eps=eps), 1 / 1.5)
    assert_close(boxes.dice(a, a, eps=eps), 2 / 2.5)
    assert_close(boxes.giou(a, b, eps=eps), -2 / 4.5)
    assert_close(boxes.diou(a, b, eps=eps), -2 / 8.5)
    assert_close(boxes.ciou(a, b, eps=eps), -2 / 8.5)


@pytest.mark.parametrize("name", ["iou", "iof", "dice", "giou"])
def test_scores_of_subnormal_areas_are_zero(xp, name):
    # 1e-40: no quotient of such numbers has the digits of a float32.
    a = array(xp, [[0, 0, 1e-20, 1e-20], [0, 0, 1, 1e-39]], "float32")
    assert numbers(getattr(boxes, name)(a, a)).tolist() == [0, 0]


@pytest.mark.parametrize("lists", [([], []), ([], [[0, 0, 1, 1]][:0])])
def test_iou_of_empty_lists_is_empty(lists):
    assert boxes.iou(*lists).shape == (0,)
    assert boxes.pairwise_iou([], [[0, 0, 1, 1], [0, 0, 2, 2]]).shape == (0, 2)
    assert boxes.pairwise_iou([[0, 0, 1, 1]], []).shape == (1, 0)


def test_iou_of_empty_list_and_array_is_empty(xp):
    empty = xp.zeros((0, 6), dtype=xp.float32)
    assert boxes.iou([], empty).shape == (0,)
    assert boxes.iou([], empty).dtype == xp.float32
