"""Convex polygons: exact intersections, orientation, padding, gradients."""

import math
from fractions import Fraction

import numpy as np
import pytest

from omniou import losses, pairwise, polygons, rotated, scores
from tests import exact, places
from tests.hand_worked import OUTLINED, OUTLINED_LOSSES, PRED, TARGET
from tests.helpers import array, assert_close, numbers

SCORES = [name for name in scores if name in polygons.__all__]
every_score = pytest.mark.parametrize("name", SCORES)
TRIANGLE = [[0, 0], [4, 0], [0, 3]]


def outlines(rows):
    """Corners of boxes -> their outlines (N, 4, 2)."""
    return [[[x0, y0], [x1, y0], [x1, y1], [x0, y1]] for x0, y0, x1, y1 in rows]


def random_polygons(rng, n, vertices):
    angle = np.sort(rng.uniform(0, 2 * np.pi, (n, vertices)), axis=1)
    around = rng.uniform(1, 5, (n, 1)) * np.stack([np.cos(angle), 0.5 * np.sin(angle)])
    return np.moveaxis(around, 0, -1) + rng.normal(0, 2, (n, 1, 2))


def test_scores_equal_hand_worked_values():
    assert [name for name, x in scores.items() if polygons.GEOMETRY.has_terms(x.terms)] == SCORES
    assert set(SCORES) >= {"iou", "iof", "iomin", "dice", "giou", "tiou"}
    # Of upright rectangles the convex hull is smaller than the enclosing box: 11 of 12, and 3 of 4.
    assert OUTLINED["giou"] == pytest.approx([4 / 10 - 1 / 11, -1 / 3, 1, 0])
    assert OUTLINED["tiou"] == pytest.approx([6 / 11, 1 / 3, 1, 0])


@pytest.mark.proves("eager", "polygons.{name}")
@every_score
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_scores_of_upright_rectangles_equal_scores_of_boxes(xp, name, dtype):
    pred, target = (array(xp, outlines(x), dtype) for x in (PRED, TARGET))
    assert_close(getattr(polygons, name)(pred, target), OUTLINED[name], like=pred, ulp=8)


@pytest.mark.parametrize("name", ["iou", "giou"])
def test_scores_do_not_depend_on_direction_first_vertex_or_padding(xp, name):
    rng = np.random.default_rng(0)
    a, b = (random_polygons(rng, 40, 3) for _ in range(2))
    score = getattr(polygons, name)
    expected = numbers(score(array(xp, a), array(xp, b)))
    turned = np.roll(a[:, ::-1], 2, axis=1)
    padded = [np.concatenate([x, x[:, -1:]], axis=1) for x in (turned, b)]
    np.testing.assert_allclose(numbers(score(*(array(xp, x) for x in padded))), expected, rtol=0, atol=1e-13)


@pytest.mark.proves("eager", "polygons.area")
def test_iou_of_triangles_by_hand(xp):
    # The triangle and its mirror image lie in a 4 x 3 box, and share the triangle below both hypotenuses, of base 4
    # and height 3 / 2.
    a, b = array(xp, [TRIANGLE]), array(xp, [[[4, 0], [0, 0], [4, 3]]])
    assert_close(polygons.area(a), [6.0], like=a)
    assert_close(polygons.iou(a, b), [3 / 9], like=a)
    assert_close(polygons.giou(a, b), [3 / 9 - (12 - 9) / 12], like=a)


def test_iou_of_dota_quadrilaterals(xp):
    pairs = places.expected("dota-devkit-example")["gt_gt_overlaps_quads"]
    a, b = (array(xp, [np.reshape(x[name], (4, 2)).tolist() for x in pairs]) for name in ("a", "b"))
    assert len(pairs) == 275
    expected = [x["iou_exact_rational"] for x in pairs]
    np.testing.assert_allclose(numbers(polygons.iou(a, b)), expected, rtol=0, atol=1e-14)
    polygons.check(np.reshape([pairs[0]["a"]], (4, 2)))


@pytest.mark.parametrize("kind", ["random", "nearly the same", "shared edges"])
def test_iou_equals_exact_clipping(kind):
    rng = np.random.default_rng(1)
    a, b = (random_polygons(rng, 150, 6) for _ in range(2))
    if kind == "nearly the same":
        b = a + rng.normal(0, 1, a.shape) * 10.0 ** rng.uniform(-17, -3, (150, 1, 1))
    if kind == "shared edges":
        b = np.concatenate([a[:, :3], a[:, 2:3], a[:, 2:3], a[:, 2:3]], axis=1)
    out = polygons.iou(a, b)
    for p, q, actual in zip(a.tolist(), b.tolist(), out.tolist(), strict=True):
        first, second = ([(Fraction(x), Fraction(y)) for x, y in points] for points in (p, q))
        distinct = [point for k, point in enumerate(second) if point != second[k - 1]]
        shared = exact.intersection_of_convex(first, distinct)
        union = exact.area_of_polygon(first) + exact.area_of_polygon(second) - shared
        assert abs(actual - shared / union) <= 2e-13


def test_scores_of_rectangles_equal_scores_of_rotated(xp):
    rng = np.random.default_rng(2)
    a, b = (
        array(xp, np.stack([*rng.normal(0, 2, (2, 30)), *rng.uniform(1, 6, (2, 30)), rng.uniform(-4, 4, 30)], axis=1))
        for _ in range(2)
    )
    for name in ("iou", "giou"):
        out = getattr(polygons, name)(rotated.corners(a), rotated.corners(b))
        np.testing.assert_allclose(numbers(out), numbers(getattr(rotated, name)(a, b)), rtol=0, atol=1e-12)


@every_score
def test_scores_of_degenerate_polygons(xp, name):
    point, line = [[2, 1]] * 3, [[0, 0], [4, 0], [2, 0]]
    a, b = array(xp, [point, line, TRIANGLE]), array(xp, [TRIANGLE, TRIANGLE, [[90, 90], [91, 90], [90, 91]]])
    out = numbers(getattr(polygons, name)(a, b))
    assert np.isfinite(out).all()
    if name == "tiou":
        assert out == pytest.approx([0, 0, 0.5 / 405.5])
    elif name != "giou":
        assert (out == 0).all()


@every_score
@pytest.mark.parametrize("size", [0, 5, 300])
def test_pairwise_equals_scores_of_pairs(xp, name, size):
    if not size and "dask" in xp.__name__:
        pytest.skip("Dask does not broadcast two empty blocks")
    rng = np.random.default_rng(3)
    a, b = random_polygons(rng, size, 4) * 5, random_polygons(rng, 120, 4)
    out = pairwise(getattr(polygons, name), array(xp, a), array(xp, b))
    assert tuple(out.shape) == (size, 120)
    expected = getattr(polygons, name)(a[:, None], b[None])
    np.testing.assert_allclose(numbers(out), expected, rtol=0, atol=1e-12)


@pytest.mark.proves("eager", "losses.polygons.{name}")
@every_score
def test_losses_of_polygons_with_where(xp, name):
    pred, target = (array(xp, outlines(x)) for x in (PRED, TARGET))
    where = xp.asarray([True, True, False, False])
    loss = getattr(losses.polygons, name)
    expected = OUTLINED_LOSSES[name][:2]
    with_nan = xp.where(where[:, None, None], pred, xp.full_like(pred, math.nan))
    assert_close(loss(with_nan, target, where=where), [*expected, 0, 0], like=pred, ulp=8)
    assert_close(loss(with_nan, target, where=where, reduction="mean"), sum(expected) / 2, ulp=8)


@every_score
def test_gradient_equals_finite_differences(name):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    rng = np.random.default_rng(4)
    a, b = (random_polygons(rng, 20, 4) for _ in range(2))
    score = getattr(polygons, name)
    step, expected = 1e-6, np.zeros_like(a)
    for k in np.ndindex(4, 2):
        moved = np.zeros((4, 2))
        moved[k] = step
        expected[(slice(None), *k)] = (score(a + moved, b) - score(a - moved, b)) / (2 * step)
    x = torch.tensor(a, requires_grad=True)
    score(x, torch.tensor(b)).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), expected, atol=1e-7)


@pytest.mark.parametrize("scale", [1e-18, 1e-9, 1, 1e9, 1e18])
@every_score
def test_gradients_are_finite(name, scale):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    cases = [[TRIANGLE, TRIANGLE], [TRIANGLE, TRIANGLE[::-1]], [[[0, 0]] * 3, TRIANGLE], [[[0, 0]] * 3] * 2]
    cases += [
        [[[0, 0], [4, 0], [2, 0]], TRIANGLE],
        [TRIANGLE, [[4, 3], [4, 0], [0, 3]]],
        [TRIANGLE, [[9, 9], [8, 9], [9, 8]]],
    ]
    for dtype in (torch.float32, torch.float64):
        a, b = (torch.tensor(np.asarray(x, float) * scale / 10, dtype=dtype) for x in zip(*cases, strict=True))
        a.requires_grad_()
        out = getattr(losses.polygons, name)(a, b)
        assert out.isfinite().all()
        out.sum().backward()
        assert a.grad.isfinite().all()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda a: polygons.iou(a[:2], a), ValueError, r"`a` must have shape \(..., V, 2\) with at least 3 vertices"),
        (lambda a: polygons.iou(a, a[0]), ValueError, r"`b` must have shape \(..., V, 2\).*got \(2,\)"),
        (lambda a: polygons.iou(a, np.concatenate([a, a])), ValueError, "polygons must have equal last axes"),
        (lambda a: polygons.iou(a, a, format="vertices"), TypeError, "unexpected keyword argument 'format'"),
        (lambda a: polygons.check(a * math.nan), ValueError, "`x` is not finite"),
        (lambda _: polygons.check([[0, 0], [4, 0], [1, 1], [0, 4]]), ValueError, "`x` is not convex in"),
        (lambda _: polygons.check([[0, 0], [2, 2], [2, 0], [0, 2]]), ValueError, "`x` is not convex in"),
        (
            lambda _: polygons.check([[math.cos(0.8 * math.pi * k), math.sin(0.8 * math.pi * k)] for k in range(5)]),
            ValueError,
            "`x` crosses itself in",
        ),
    ],
)
def test_invalid_arguments_raise(call, error, message):
    a = np.asarray(TRIANGLE, dtype=float)
    with pytest.raises(error, match=message):
        call(a)
