"""Rotated rectangles: exact intersections, fixtures of other libraries, formats, gradients."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omniou import losses, pairwise, rotated, scores
from tests import exact
from tests.hand_worked import OUTLINED, OUTLINED_LOSSES, PRED, TARGET
from tests.helpers import array, assert_close, numbers
from tests.places import expected

SCORES = [name for name in scores if name in rotated.__all__]
every_score = pytest.mark.parametrize("name", SCORES)


def upright(rows):
    """Corners of boxes -> rectangles at angle 0."""
    x = np.asarray(rows, dtype=float)
    return np.concatenate([(x[:, :2] + x[:, 2:]) / 2, x[:, 2:] - x[:, :2], np.zeros((len(x), 1))], axis=1)


def random_rectangles(rng, n, turns=2.0):
    return np.stack(
        [*rng.normal(0, 3, (2, n)), *rng.uniform(0.2, 8, (2, n)), rng.uniform(-turns * np.pi, turns * np.pi, n)], axis=1
    )


def test_scores_equal_hand_worked_values():
    assert [name for name, x in scores.items() if rotated.GEOMETRY.has_terms(x.terms)] == SCORES
    assert set(SCORES) >= {"iou", "iof", "iomin", "dice", "giou", "diou", "ciou", "tiou", "wiou", "probiou", "kfiou"}


@pytest.mark.proves("eager", "rotated.{name}")
@pytest.mark.compiles("iou", "diou")
@every_score
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_scores_at_angle_0_equal_scores_of_boxes(xp, name, dtype):
    pred, target = (array(xp, upright(x), dtype) for x in (PRED, TARGET))
    assert_close(getattr(rotated, name)(pred, target), OUTLINED[name], like=pred, ulp=8)


@every_score
def test_quarter_turn_exchanges_width_and_height(xp, name):
    a, b = (array(xp, upright(x)) for x in (PRED, TARGET))
    turned = xp.stack([a[:, 0], a[:, 1], a[:, 3], a[:, 2], a[:, 4] + math.pi / 2], axis=1)
    if name == "ciou":
        pytest.skip("CIoU depends on the order of width and height")
    assert_close(getattr(rotated, name)(turned, b), OUTLINED[name], like=a, ulp=8)


def test_iou_and_giou_of_squares_at_45_degrees(xp):
    # Two unit squares turned by 45 degrees against each other share a regular octagon of inradius 1/2.
    a = array(xp, [[0, 0, 1, 1, 0], [7, -3, 1, 1, math.pi / 8]])
    b = array(xp, [[0, 0, 1, 1, math.pi / 4], [7, -3, 1, 1, -math.pi / 8]])
    octagon = 2 * math.tan(math.pi / 8)
    assert_close(rotated.iou(a, b), [octagon / (2 - octagon)] * 2, like=a)
    # The hull of both has the eight corners at a distance of sqrt(1/2): an octagon of area 4 sin(pi / 4) / 2.
    hull = math.sqrt(2)
    assert_close(rotated.giou(a, b), [octagon / (2 - octagon) - (hull - 2 + octagon) / hull] * 2, like=a, ulp=8)


# From issues of other libraries: centre, width, height and degrees of two rectangles, and their IoU by shapely in
# float64.
FIXTURES = {
    "detectron2 2167": (
        [2563.74462890625, 1436.7901611328125, 2174.703369140625, 214.095001220703125, 115.11834716796875],
        [2563.74462890625, 1436.790283203125, 2174.702880859375, 214.0949554443359, 115.11835479736328],
        0.999999,
    ),
    "detectron2 2154": (
        [296.66201782, 458.73883057, 23.5157299, 47.67700195, 0.08795166],
        [296.66201, 458.73882, 23.51573, 47.67702, 0.087951],
        0.999999,
    ),
    "detectron2 4961": (
        [1010.5, 860.00012207, 12.20655537, 48.82622528, -55.00798035],
        [1022, 870.49993896, 10.81665134, 43.26660919, -56.30992889],
        0.36876,
    ),
    "detectron2 4961, clockwise": (
        [1010.5, 860.00012207, 12.20655537, 48.82622528, 55.00798035],
        [1022, 870.49993896, 10.81665134, 43.26660919, 56.30992889],
        0,
    ),
    "detectron2 1207": ([160, 153, 230, 23, -37], [190, 127, 80, 21, -46], 0.26549),
    "detectron2 1207, counterclockwise": ([160, 153, 230, 23, 37], [190, 127, 80, 21, 46], 0),
    "mmcv 2621": (
        [0, 0, 180.6422271729, 136.3633728027, 54.77275],
        [0, 0, 180.6422271729, 136.3633728027, 54.77275],
        1,
    ),
    "mmrotate 26": (
        [903.34, 1034.4, 1.81e-7, 1e-7, math.degrees(-0.312)],
        [215.25, 75.75, 33.204, 12.649, math.degrees(0.32175)],
        0,
    ),
    "rotated_maskrcnn 46": (
        [672.4067, 290.7776, 791.0275, 38.9333, 34.1454],
        [672.4067, 290.7776, 791.0275, 38.9333, 34.1454],
        1,
    ),
    "tiny, itself": ([0, 0, 1e-3, 1e-3, 30], [0, 0, 1e-3, 1e-3, 30], 1),
    "tiny, disjoint": ([0, 0, 1e-3, 1e-3, 30], [0.003, 0, 1e-3, 1e-3, 30], 0),
}


@pytest.mark.parametrize("scale", [1e-3, 1, 1e3])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_iou_of_fixtures_of_other_libraries(xp, scale, dtype):
    units = np.asarray([scale] * 4 + [1.0])
    first, second = (np.asarray([case[k] for case in FIXTURES.values()]) * units for k in (0, 1))
    pair = [rotated.convert(array(xp, x, dtype), "cxcywhr", "cxcywhr", unit="degrees") for x in (first, second)]
    out = numbers(rotated.iou(*pair))
    for case, actual in zip(FIXTURES, out.tolist(), strict=True):
        a, b, expected = FIXTURES[case]
        assert 0 <= actual <= 1, case
        assert actual == pytest.approx(expected, abs=2e-5 if dtype == "float32" else 6e-6), case
        assert a != b or actual >= 1 - 4 * np.finfo(dtype).eps, case


def test_iou_of_dota_rectangles(xp):
    pairs = expected("dota-devkit-example")["rbox_pairs"]
    a, b = (array(xp, [x[name] for x in pairs]) for name in ("a_cxcywht_rad", "b_cxcywht_rad"))
    assert len(pairs) > 100
    np.testing.assert_allclose(numbers(rotated.iou(a, b)), [x["iou"] for x in pairs], rtol=0, atol=1e-10)


def rational_corners(row):
    """Corners whose direction is exact to 38 digits."""
    x, y, w, h = map(Fraction, row[:4])
    cos, sin = exact.direction(row[4])
    signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return [(x + (i * w * cos - j * h * sin) / 2, y + (i * w * sin + j * h * cos) / 2) for i, j in signs]


@pytest.mark.parametrize("kind", ["random", "nearly the same", "nearly a quarter turn"])
def test_iou_equals_exact_clipping(kind):
    rng = np.random.default_rng(0)
    a, b = (random_rectangles(rng, 200) for _ in range(2))
    if kind != "random":
        b = a + rng.normal(0, 1, a.shape) * 10.0 ** rng.uniform(-17, -2, (200, 1))
    if kind == "nearly a quarter turn":
        b[:, 4] += np.pi / 2
    out = rotated.iou(a, b)
    for p, q, actual in zip(a.tolist(), b.tolist(), out.tolist(), strict=True):
        first, second = rational_corners(p), rational_corners(q)
        shared = exact.intersection_of_convex(first, second)
        union = exact.area_of_polygon(first) + exact.area_of_polygon(second) - shared
        assert abs(actual - shared / union) <= 1e-14


def test_giou_equals_shapely():
    shapely = pytest.importorskip("shapely", reason="needs shapely")
    rng = np.random.default_rng(1)
    a, b = (random_rectangles(rng, 500) for _ in range(2))
    first, second = (shapely.polygons(rotated.corners(x)) for x in (a, b))
    shared, union = (shapely.area(f(first, second)) for f in (shapely.intersection, shapely.union))
    hull = shapely.area(shapely.convex_hull(shapely.union(first, second)))
    np.testing.assert_allclose(rotated.giou(a, b), shared / union - (hull - union) / hull, rtol=0, atol=1e-12)


def test_iou_equals_powerboxes():
    powerboxes = pytest.importorskip("powerboxes", reason="needs powerboxes")
    rng = np.random.default_rng(2)
    a, b = (rotated.convert(random_rectangles(rng, 50), "cxcywhr", "cxcywhr", to_unit="degrees") for _ in range(2))
    radians = [rotated.convert(x, "cxcywhr", "cxcywhr", unit="degrees") for x in (a, b)]
    np.testing.assert_allclose(
        pairwise(rotated.iou, *radians), 1 - powerboxes.rotated_iou_distance(a, b), rtol=0, atol=1e-9
    )


NUMBER, SIDE = st.floats(-100, 100), st.floats(0, 100)
RECTANGLE = st.tuples(NUMBER, NUMBER, SIDE, SIDE, st.floats(-7, 7))


@settings(max_examples=200, deadline=None)
@given(RECTANGLE, RECTANGLE, NUMBER, NUMBER, st.floats(-4, 4), st.integers(-20, 20))
def test_score_bounds_symmetry_and_invariance(a, b, dx, dy, turn, power):
    a, b = np.asarray(a), np.asarray(b)
    iou, giou, diou = (float(getattr(rotated, name)(a, b)) for name in ("iou", "giou", "diou"))
    assert 0 <= iou <= 1
    assert -1 - 1e-15 <= diou <= iou
    if min(*a[2:4], *b[2:4]) < 1e-3:
        return  # rounding of corners is not small relative to the area
    assert -1 - 1e-9 <= giou <= iou + 1e-9
    for name in ("iou", "giou", "diou"):
        score = getattr(rotated, name)
        value = float(score(a, b))
        assert float(score(b, a)) == pytest.approx(value, abs=1e-9)
        scaled = [x * np.asarray([2.0**power] * 4 + [1]) for x in (a, b)]
        assert float(score(*scaled)) == pytest.approx(value, abs=1e-9)
        cos, sin = math.cos(turn), math.sin(turn)
        moved = [[cos * x[0] - sin * x[1] + dx, sin * x[0] + cos * x[1] + dy, x[2], x[3], x[4] + turn] for x in (a, b)]
        assert float(score(*moved)) == pytest.approx(value, abs=1e-7)
    assert float(rotated.iou(a, a)) == pytest.approx(1, abs=1e-15)
    assert float(rotated.giou(a, a)) == pytest.approx(1, abs=1e-15)


@pytest.mark.proves("eager", "rotated.convert")
def test_convert_between_formats_round_trip(xp):
    rng = np.random.default_rng(3)
    x = array(xp, random_rectangles(rng, 20, turns=0.99 / 2))
    for name in ("xywhr", "xyxyxyxy"):
        converted = rotated.convert(x, "cxcywhr", name)
        assert_close(rotated.convert(converted, name, "cxcywhr"), numbers(x), like=x, ulp=64)
        assert_close(rotated.iou(x, rotated.convert(converted, name, "cxcywhr")), [1.0] * 20, like=x, ulp=64)
        assert_close(rotated.area(converted, format=name), numbers(x[:, 2] * x[:, 3]), like=x, ulp=64)


def test_convert_to_formats_of_torchvision():
    # torchvision's documentation: degrees counterclockwise; its corner form starts at the top left corner.
    centre = rotated.convert([30, 20, 20, 10, 90], "cxcywhr", "cxcywhr", unit="degrees", clockwise=False)
    np.testing.assert_allclose(centre, [30, 20, 20, 10, -np.pi / 2])
    corner = rotated.convert(centre, "cxcywhr", "xywhr", to_unit="degrees", to_clockwise=False)
    np.testing.assert_allclose(corner, [25, 30, 20, 10, 90], atol=1e-12)
    outline = rotated.convert(centre, "cxcywhr", "xyxyxyxy")
    np.testing.assert_allclose(outline, [25, 30, 25, 10, 35, 10, 35, 30], atol=1e-12)


def test_iou_of_corners_in_any_order():
    x = np.asarray([3.0, 4, 6, 2, 0.7])
    outline = rotated.corners(x)
    for order in ([0, 1, 2, 3], [0, 3, 2, 1], [2, 1, 0, 3]):
        flat = outline[order].reshape(8)
        assert rotated.iou(flat, rotated.corners(x).reshape(8), format="xyxyxyxy") == pytest.approx(1, abs=1e-14)
        rotated.check(flat, format="xyxyxyxy")


@pytest.mark.proves("eager", "rotated.enclosing")
def test_enclosing_contains_both(xp):
    rng = np.random.default_rng(4)
    a, b = (array(xp, random_rectangles(rng, 50)) for _ in range(2))
    enclosing = rotated.enclosing(a, b)
    for x in (a, b):
        assert (numbers(rotated.iof(x, enclosing)) > 1 - 1e-12).all()
    assert (numbers(rotated.area(enclosing)) >= numbers(rotated.area(a)) - 1e-12).all()


@every_score
def test_scores_of_degenerate_rectangles(xp, name):
    a = array(xp, [[0, 0, 0, 2, 1], [0, 0, -2, 2, 1], [0, 0, 0, 0, 0], [5, 5, 1, 0, 0.3]])
    b = array(xp, [[0, 0, 4, 4, 0]] * 4)
    out = numbers(getattr(rotated, name)(a, b))
    assert np.isfinite(out).all()
    if name in ("iou", "iof", "iomin", "dice"):
        assert (out == 0).all()
    assert float(getattr(rotated, name)(a[2, :], a[2, :])) == (1 if name == "nwd" else 0)


@pytest.mark.compiles("iou", "diou")
@every_score
def test_nan_is_in_its_row_only(xp, name):
    a = array(xp, [[0, 0, 2, 1, 0.3], [math.nan, 0, 1, 1, 0], [0, 0, 1, 1, math.nan]])
    empty = array(xp, [0, 0, 0, 0, 0])
    for pair in ((a, empty), (empty, a)):
        assert np.isnan(numbers(getattr(rotated, name)(*pair))).tolist() == [False, True, True]
    out = numbers(getattr(rotated, name)(a, a[:1, :]))
    assert np.isnan(out).tolist() == [False, True, True]
    out = numbers(pairwise(getattr(rotated, name), a, a[:2, :]))
    assert np.isnan(out).tolist() == [[False, True], [True, True], [True, True]]


@pytest.mark.compiles("iou", "diou")
@every_score
@pytest.mark.parametrize("size", [0, 7, 400])
def test_pairwise_equals_scores_of_pairs(xp, name, size):
    if not size and name == "giou" and "dask" in xp.__name__:
        pytest.skip("Dask does not broadcast two empty blocks")
    rng = np.random.default_rng(5)
    a, b = random_rectangles(rng, size), random_rectangles(rng, 300)
    a[:, :2] *= 20  # most pairs are disjoint
    out = pairwise(getattr(rotated, name), array(xp, a), array(xp, b))
    assert tuple(out.shape) == (size, 300)
    expected = getattr(rotated, name)(a[:, None, :], b[None, :, :])
    np.testing.assert_allclose(numbers(out), expected, rtol=1e-13, atol=1e-12)


def test_iou_of_batches_and_narrow_dtypes(xp):
    rng = np.random.default_rng(6)
    x = random_rectangles(rng, 12).reshape(3, 4, 5)
    out = rotated.iou(array(xp, x[:, :1], "float32"), array(xp, x, "float32"))
    assert tuple(out.shape) == (3, 4)
    assert out.dtype == xp.float32
    np.testing.assert_allclose(numbers(out), rotated.iou(x[:, :1], x), atol=1e-5)
    integers = xp.asarray([[0, 0, 4, 2, 0]], dtype=xp.uint8)
    assert float(rotated.iou(integers, integers)[0]) == 1


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda a: rotated.iou(a[:, :4], a), ValueError, r"`a` must have shape \(..., 5\) for format 'cxcywhr'"),
        (lambda a: rotated.iou(a, a, format="xyxy"), ValueError, "`format` must be one of 'cxcywhr', 'xywhr', 'xyxyx"),
        (lambda a: rotated.convert(a, "cxcywhr", "xywh"), ValueError, "`target` must be one of"),
        (lambda a: rotated.convert(a, "cxcywhr", "xywhr", unit="deg"), ValueError, "`unit` must be one of 'radians'"),
        (lambda a: rotated.iou(a, a, offset=1), TypeError, "unexpected keyword argument 'offset'"),
        (lambda a: rotated.check(a * 100), ValueError, r"`x\[0\]` has an angle beyond two turns, as degrees have"),
        (lambda a: rotated.check(1 - a), ValueError, r"`x\[0\]` has a side below 0 in \[1.0, 1.0, -1.0, 0.0, 0.5\]"),
        (lambda a: rotated.check(a / 0), ValueError, r"`x\[0\]` is not finite"),
        (
            lambda _: rotated.check([0, 0, 5, 0, 9, 9, 0, 5], format="xyxyxyxy"),
            ValueError,
            "`x` is no rectangle in",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value|divide by zero:RuntimeWarning")
def test_invalid_arguments_raise(call, error, message):
    with pytest.raises(error, match=message):
        call(np.asarray([[0.0, 0, 2, 1, 0.5]]))


@pytest.mark.proves("eager", "losses.rotated.{name}")
@pytest.mark.compiles("iou", "diou")
@every_score
def test_losses_of_rectangles_with_where(xp, name):
    pred, target = (array(xp, upright(x)) for x in (PRED, TARGET))
    where = xp.asarray([True, True, False, False])
    loss = getattr(losses.rotated, name)
    expected = OUTLINED_LOSSES[name][:2]
    with_nan = xp.where(where[:, None], pred, xp.full_like(pred, math.nan))
    assert_close(loss(with_nan, target, where=where), [*expected, 0, 0], like=pred, ulp=8)
    assert_close(loss(with_nan, target, where=where, reduction="mean"), sum(expected) / 2, ulp=8)


def test_all_pairs_of_scaled_rectangles_are_not_pruned_by_their_own_bounds(xp):
    """Squares of side 1 at distances of 1.5: apart, and overlapping where both are scaled by 2."""
    places = np.stack([1.5 * np.arange(200.0), np.zeros(200), np.ones(200), np.ones(200), np.full(200, 0.1)], axis=-1)
    a = array(xp, places)
    every = numbers(pairwise(rotated.iou, a, a, inner=2.0))
    one = float(rotated.iou(a[0, :], a[1, :], inner=2.0))
    assert one > 0.1
    np.testing.assert_allclose(np.diag(every, 1), one, rtol=1e-4)
    np.testing.assert_array_equal(np.diag(numbers(pairwise(rotated.iou, a, a)), 1), 0.0)
