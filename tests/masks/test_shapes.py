"""Masks of boxes, rotated rectangles and polygons."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from omniou import boxes, losses, masks, pairwise, rotated
from tests.helpers import array, numbers

SIZE = (7, 9)


@pytest.mark.proves("eager", "masks.from_boxes")
def test_from_boxes_by_hand(xp):
    x = array(xp, [[1, 0, 3, 2], [-5, 1.5, 1.5, 2.5], [3, 3, 3, 9], [4, 2, 2, 3], [float("nan"), 0, 3, 3]])
    expected = np.zeros((5, 3, 4))
    expected[0, :2, 1:3] = 1
    expected[1, 1, 0] = 1  # the centres (0.5, 1.5); (1.5, ...) and (..., 2.5) lie on the far edges
    np.testing.assert_array_equal(numbers(masks.from_boxes(x, (3, 4))), expected)
    assert masks.from_boxes(x[:0, ...], (3, 4)).shape == (0, 3, 4)
    assert masks.from_boxes(x, (0, 4)).shape == (5, 0, 4)


def test_from_boxes_is_the_inverse_of_boxes_from_masks(xp):
    rng = np.random.default_rng(0)
    low = rng.integers(0, 5, (20, 2))
    x = np.concatenate([low, low + rng.integers(1, 3, (20, 2))], axis=1)
    np.testing.assert_array_equal(numbers(boxes.from_masks(masks.from_boxes(xp.asarray(x), SIZE))), x)


@pytest.mark.parametrize(
    ("format", "options", "row"),
    [
        ("xywh", {}, [2, 1, 3, 4]),
        ("cxcywh", {}, [3.5, 3, 3, 4]),
        ("rel_yxyx", {}, [1 / 7, 2 / 9, 5 / 7, 5 / 9]),
        ("xyxy", {"offset": 1.0}, [2, 1, 4, 4]),
    ],
)
def test_from_boxes_of_formats(xp, format, options, row):
    expected = np.zeros(SIZE)
    expected[1:5, 2:5] = 1
    np.testing.assert_array_equal(numbers(masks.from_boxes(array(xp, row), SIZE, format=format, **options)), expected)


def inside(polygon, x, y):
    """Whether a point is inside, by the even-odd rule in exact arithmetic; points on edges are not to be asked for."""
    crossed = False
    for (x0, y0), (x1, y1) in itertools.pairwise([*polygon, polygon[0]]):
        if (y0 <= y) != (y1 <= y):
            crossed ^= x < x0 + (y - y0) * (x1 - x0) / (y1 - y0)
    return crossed


def test_from_polygons_equals_exact_arithmetic(xp):
    rng = np.random.default_rng(0)
    # Thirds of pixels, so that no centre lies on an edge that is parallel to an axis.
    thirds = rng.integers(-3, 30, (12, 5, 2))
    expected = np.zeros((12, *SIZE))
    for k, polygon in enumerate(thirds.tolist()):
        corners = [(Fraction(x, 3), Fraction(y, 3)) for x, y in polygon]
        for i, j in np.ndindex(SIZE):
            expected[k, i, j] = inside(corners, Fraction(2 * j + 1, 2), Fraction(2 * i + 1, 2))
    out = numbers(masks.from_polygons(array(xp, thirds / 3), SIZE))
    assert (out != expected).sum() <= 2  # centres that rounding puts on the other side of a slanted edge
    backwards = numbers(masks.from_polygons(array(xp, thirds[:, ::-1] / 3), SIZE))
    np.testing.assert_array_equal(backwards, out)


@pytest.mark.proves("eager", "masks.from_polygons")
def test_polygons_that_share_edges_share_no_pixel(xp):
    rng = np.random.default_rng(0)
    centre = rng.uniform(2, 5, (10, 1, 2))
    frame = np.asarray([[0, 0], [9, 0], [9, 7], [0, 7]], dtype=float)
    parts = [
        np.stack([np.broadcast_to(frame[k], (10, 2)), np.broadcast_to(frame[k - 3], (10, 2)), centre[:, 0]], 1)
        for k in range(4)
    ]
    total = sum(numbers(masks.from_polygons(array(xp, part), SIZE)) for part in parts)
    np.testing.assert_array_equal(total, np.ones((10, *SIZE)))


@pytest.mark.proves("eager", "masks.from_rotated")
def test_from_rotated_has_the_area_and_is_that_of_its_corners(xp):
    x = array(xp, [[60, 50, 40, 30, 0.3], [50, 60, 20, 50, -2.0]])
    out = numbers(masks.from_rotated(x, (120, 120)))
    np.testing.assert_allclose(out.sum((1, 2)), [1200, 1000], rtol=0.02)
    corners = numbers(rotated.corners(x))
    for mask, own in zip(out, corners, strict=True):
        for i, j in ((50, 60), (10, 10), (60, 50), (40, 70)):
            assert mask[i, j] == inside([tuple(c) for c in own], j + 0.5, i + 0.5)


def test_from_rotated_without_a_turn_equals_from_boxes(xp):
    given = [[4.25, 3.5, 3, 4.5], [4, 3, 2, 2]]
    upright = numbers(masks.from_boxes(array(xp, given), SIZE, format="cxcywh"))
    turned = array(xp, [[*row, 0.0] for row in given])
    np.testing.assert_array_equal(numbers(masks.from_rotated(turned, SIZE)), upright)
    quarter = array(xp, [[x, y, h, w, math.pi / 2] for x, y, w, h in given[:1]])
    np.testing.assert_array_equal(numbers(masks.from_rotated(quarter, SIZE)), upright[:1])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: masks.from_boxes([0, 0, 1, 1], 5), ValueError, r"`image_size` must be \(height, width\), .* got 5"),
        (lambda: masks.from_boxes([0, 0, 1, 1], (2, 2.5)), ValueError, r"two integers of at least 0, got \(2, 2.5\)"),
        (lambda: masks.from_boxes([0, 0, 1, 1], (2, -1)), ValueError, r"two integers of at least 0, got \(2, -1\)"),
        (lambda: masks.from_boxes([0, 1], (2, 2), format="xx"), ValueError, r"`x` must have shape \(..., 4\)"),
        (lambda: masks.from_polygons([[0, 1], [0, 2]], (2, 2)), ValueError, r"at least 3 vertices, got \(2, 2\)"),
        (lambda: masks.from_rotated([0, 1, 2, 3], (2, 2)), ValueError, "`x` must have shape"),
    ],
)
def test_invalid_arguments_raise(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_results_have_device_of_input():
    strict = pytest.importorskip("array_api_strict")
    device = strict.Device("device1")
    rows = strict.asarray([[0.0, 0.0, 3.0, 2.0], [1.0, 1.0, 4.0, 4.0]], device=device)
    a = masks.from_boxes(rows, (5, 6))
    x, labels = (
        strict.astype(a, strict.float64)[:, None, ...],
        strict.zeros((2, 5, 6), dtype=strict.int64, device=device),
    )
    results = [
        a,
        masks.from_rotated(strict.concat([rows, rows[:, :1]], axis=1), (5, 6)),
        masks.boundary(a),
        masks.graded(a, a),
        masks.mean(strict.asarray([1.0, 0.5], device=device), images=strict.asarray([1, 2], device=device)),
        *(pairwise(score, a, a) for score in (masks.iou, masks.soft_dice, masks.boundary_f, masks.trimap_iou)),
        *(loss(x, labels) for loss in (losses.masks.generalised_dice, losses.masks.lovasz_softmax)),
    ]
    assert all(result.device == device for result in results)
