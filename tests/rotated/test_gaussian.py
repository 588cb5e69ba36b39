"""Scores of Gaussians: against matrices, in high precision, and where shapes are thin, alike, tiny or empty."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omniou import boxes, gaussian, losses, pairwise, rotated, scores
from tests.contract.test_gradients import GRADIENTS
from tests.helpers import array, assert_close, numbers

NAMES = gaussian.__all__
every_name = pytest.mark.parametrize("name", NAMES)
VARIANCE = {"uniform": 1 / 12, "inscribed": 1 / 4}


def rectangles(seed, n):
    rng = np.random.default_rng(seed)
    return np.stack([*rng.normal(0, 3, (2, n)), *rng.uniform(0.2, 8, (2, n)), rng.uniform(-7, 7, n)], axis=1)


def moments(rows, covariance):
    """Means (N, 2) and covariance matrices (N, 2, 2) of rectangles."""
    cos, sin = np.cos(rows[:, 4]), np.sin(rows[:, 4])
    turn = np.stack([np.stack([cos, -sin], -1), np.stack([sin, cos], -1)], -2)
    sides = rows[:, 2:4] ** 2 * VARIANCE[covariance]
    return rows[:, :2], turn @ (sides[:, :, None] * np.swapaxes(turn, 1, 2))


def root(matrix):
    values, vectors = np.linalg.eigh(matrix)
    return vectors @ (np.sqrt(np.maximum(values, 0))[..., None] * np.swapaxes(vectors, -1, -2))


def expected_of(name, a, b, covariance=None):
    """The definitions, with matrices, for shapes that are neither thin nor alike."""
    covariance = covariance or ("uniform" if name in ("probiou", "bhattacharyya", "hellinger") else "inscribed")
    (m, p), (n, q) = moments(a, covariance), moments(b, covariance)
    return DEFINITIONS[name](m - n, p, q)


def trace(matrix):
    return np.trace(matrix, axis1=1, axis2=2)


def mahalanobis(d, matrix):
    return (d[:, None, :] @ np.linalg.inv(matrix) @ d[:, :, None])[:, 0, 0]


def bhattacharyya(d, p, q):
    middle = (p + q) / 2
    det = np.linalg.det
    return mahalanobis(d, middle) / 8 + np.log(det(middle) / np.sqrt(det(p) * det(q))) / 2


def wasserstein(d, p, q):
    half = root(p)
    return np.sqrt((d**2).sum(1) + trace(p + q) - 2 * trace(root(half @ q @ half)))


def divergence(d, p, q):
    logs = np.log(np.linalg.det(q) / np.linalg.det(p))
    return (trace(np.linalg.inv(q) @ p) + mahalanobis(d, q) - 2 + logs) / 2


def kalman(_, p, q):
    both, one, other = (np.sqrt(np.linalg.det(x)) for x in (p @ np.linalg.inv(p + q) @ q, p, q))
    return both / (one + other - both)


DEFINITIONS = {
    "bhattacharyya": bhattacharyya,
    "hellinger": lambda *x: np.sqrt(1 - np.exp(-bhattacharyya(*x))),
    "probiou": lambda *x: 1 - np.sqrt(1 - np.exp(-bhattacharyya(*x))),
    "gwd": wasserstein,
    "nwd": lambda *x: np.exp(-wasserstein(*x) / 12.8),
    "kld": divergence,
    "kfiou": kalman,
}


@pytest.mark.proves("eager", "gaussian.{name}")
@every_name
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_scores_equal_matrices(xp, name, dtype):
    a, b = rectangles(0, 200), rectangles(1, 200)
    out = getattr(gaussian, name)(array(xp, a, dtype), array(xp, b, dtype))
    tolerance = 2e-5 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(numbers(out), expected_of(name, a, b), rtol=tolerance, atol=tolerance)


@every_name
@pytest.mark.parametrize("covariance", ["uniform", "inscribed"])
def test_scores_with_either_covariance_equal_matrices(name, covariance):
    a, b = rectangles(2, 100), rectangles(3, 100)
    out = getattr(gaussian, name)(a, b, covariance=covariance)
    np.testing.assert_allclose(out, expected_of(name, a, b, covariance), rtol=1e-11)


@every_name
def test_scores_of_boxes_equal_rectangles_without_turn(xp, name):
    rng = np.random.default_rng(4)
    a, b = (
        np.concatenate([x[:, :2] - 3, x[:, :2] + rng.uniform(-2, 4, (50, 2))], axis=1)
        for x in (rectangles(4, 50), rectangles(5, 50))
    )
    out = getattr(gaussian, name)(array(xp, a), array(xp, b))
    turned = [np.concatenate([boxes.convert(x, "xyxy", "cxcywh"), np.zeros((50, 1))], axis=1) for x in (a, b)]
    np.testing.assert_allclose(numbers(out), getattr(rotated, name)(*turned), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(numbers(out), numbers(getattr(boxes, name)(array(xp, a), array(xp, b))))


def test_kld_directions():
    a, b = rectangles(6, 40), rectangles(7, 40)
    forth, back = expected_of("kld", a, b), expected_of("kld", b, a)
    expected = {
        "forward": forth,
        "reverse": back,
        "symmetric": (forth + back) / 2,
        "jeffreys": forth + back,
        "max": np.maximum(forth, back),
        "min": np.minimum(forth, back),
    }
    for direction, values in expected.items():
        np.testing.assert_allclose(gaussian.kld(a, b, direction=direction), values, rtol=1e-11)


def test_probiou_with_eps_equals_published_formula():
    """Sums of covariance entries, eps in each denominator, in the logarithm and in the root; distance in [eps, 100]."""
    eps, a, b = 1e-7, rectangles(8, 300), rectangles(9, 300)
    (m, p), (n, q) = (moments(x, "uniform") for x in (a, b))
    total, d = p + q, m - n
    det = total[:, 0, 0] * total[:, 1, 1] - total[:, 0, 1] ** 2
    apart = total[:, 0, 0] * d[:, 1] ** 2 + total[:, 1, 1] * d[:, 0] ** 2 - 2 * total[:, 0, 1] * d[:, 0] * d[:, 1]
    product = np.sqrt(np.linalg.det(p) * np.linalg.det(q))
    distance = apart / (det + eps) / 4 + np.log(det / (4 * product + eps) + eps) / 2
    expected = 1 - np.sqrt(1 - np.exp(-np.clip(distance, eps, 100)) + eps)
    np.testing.assert_allclose(gaussian.probiou(a, b, eps=eps), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(gaussian.probiou(a, a, eps=eps), 1 - math.sqrt(2e-7), rtol=1e-5)


def test_eps_keeps_the_bhattacharyya_distance_within_its_bounds():
    # The variance of a side of 2 is 1/3, so that two squares d apart have the distance 3 / 8 d^2: 0, 37.5, 96 and 150.
    b = np.asarray([[d, 0.0, 2, 2, 0] for d in (0.0, 10, 16, 20)])
    a = np.broadcast_to(b[0], b.shape)
    eps = 1e-7
    np.testing.assert_allclose(gaussian.bhattacharyya(a, b, eps=eps), [eps, 37.5, 96, 100], rtol=1e-6)
    # What the clamp to 100 leaves of ProbIoU is less than a rounding, and so is its gradient.
    np.testing.assert_allclose(gaussian.probiou(a, b, eps=eps)[3], 1 - math.sqrt(1 + eps), rtol=1e-8)


def exact_bhattacharyya(a, b):
    """Of rectangles without a turn, in fifty digits."""
    with localcontext() as context:
        context.prec = 50
        (x, y, w, h), (p, q, s, t) = ([Decimal(z) for z in row[:4]] for row in (a, b))
        sums = (w * w + s * s) / 12, (h * h + t * t) / 12
        apart = ((x - p) ** 2 / sums[0] + (y - q) ** 2 / sums[1]) / 4
        return apart + (sums[0] * sums[1] / (4 * w * h * s * t / 144)).ln() / 2


def test_distances_of_nearly_equal_shapes_keep_their_digits():
    """Where the usual formulas cancel: sides that differ by a millionth, and thin ones."""
    rng = np.random.default_rng(10)
    a = np.concatenate([rng.normal(0, 1, (60, 2)), 10.0 ** rng.uniform(-3, 3, (60, 2)), np.zeros((60, 1))], axis=1)
    b = a * (1 + 10.0 ** rng.uniform(-12, -6, (60, 1)) * rng.normal(0, 1, a.shape))
    expected = [float(exact_bhattacharyya(p, q)) for p, q in zip(a.tolist(), b.tolist(), strict=True)]
    np.testing.assert_allclose(gaussian.bhattacharyya(a, b), expected, rtol=1e-3)


@every_name
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_equal_shapes_have_the_best_value_at_any_scale(xp, name, dtype):
    rows = rectangles(11, 50)
    units = np.asarray([1, 1, 1, 1, 0])
    for scale in (1e-15, 1.0, 1e15):
        a = array(xp, rows * (units * scale + (1 - units)), dtype)
        score = scores[name]
        best = score.bounds[1] if score.higher_is_better else score.bounds[0]
        assert_close(getattr(gaussian, name)(a, a), [best] * 50, like=a)


@every_name
def test_scores_of_degenerate_shapes_are_finite(xp, name):
    a = array(xp, [[0, 0, 0, 2, 1], [0, 0, -2, 2, 1], [0, 0, 0, 0, 0], [5, 5, 1, 0, 0.3], [1e9, 0, 1, 1, 0]])
    b = array(xp, [[0, 0, 4, 4, 0]] * 5)
    out = numbers(getattr(gaussian, name)(a, b))
    assert np.isfinite(out).all()
    if name in ("probiou", "kfiou"):
        np.testing.assert_allclose(out[:4], 0, atol=1e-7)


@every_name
def test_nan_stays_in_its_row(xp, name):
    a = array(xp, [[0, 0, 2, 1, 0.3], [math.nan, 0, 1, 1, 0], [0, 0, 1, math.nan, 0], [0, 0, 1, 1, math.nan]])
    assert np.isnan(numbers(getattr(gaussian, name)(a, a[:1, :]))).tolist() == [False, True, True, True]


@every_name
@pytest.mark.compiles("probiou", "kld")
def test_pairwise_of_gaussians(xp, name):
    a, b = rectangles(12, 30), rectangles(13, 20)
    out = numbers(pairwise(getattr(gaussian, name), array(xp, a), array(xp, b)))
    np.testing.assert_allclose(out, getattr(gaussian, name)(a[:, None], b[None]), rtol=1e-12, atol=1e-15)


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 10**6), turn=st.floats(-4, 4), power=st.integers(-20, 20))
def test_scores_are_invariant_to_motion_and_scale(seed, turn, power):
    a, b = rectangles(seed, 5), rectangles(seed + 1, 5)
    moved = []
    for x in (a, b):
        y = x.copy()
        y[:, 0] = np.cos(turn) * x[:, 0] - np.sin(turn) * x[:, 1] + 7
        y[:, 1] = np.sin(turn) * x[:, 0] + np.cos(turn) * x[:, 1] - 3
        y[:, 4] += turn
        moved.append(y * np.asarray([2.0**power] * 4 + [1]))
    for name in NAMES:
        if scores[name].scale_free:
            function = getattr(gaussian, name)
            np.testing.assert_allclose(function(*moved), function(a, b), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(gaussian.gwd(*moved), 2.0**power * gaussian.gwd(a, b), rtol=1e-7)
    np.testing.assert_allclose(gaussian.gwd(*moved, normalize=True), gaussian.gwd(a, b, normalize=True), rtol=1e-7)


@pytest.mark.compiles("probiou", "kld")
@pytest.mark.parametrize("gradient", GRADIENTS)
@every_name
def test_gradients_of_rectangles_equal_finite_differences(gradient, name):
    a, b, step, score = rectangles(14, 30), rectangles(15, 30), 1e-6, getattr(rotated, name)
    expected = np.stack([(score(a + d, b) - score(a - d, b)) / (2 * step) for d in step * np.eye(5)], axis=-1)
    scale = np.maximum(1, np.abs(expected).max())
    np.testing.assert_allclose(gradient(score, a, b, "float64") / scale, expected / scale, atol=2e-8)


@pytest.mark.compiles("probiou", "kld", "gwd")
@pytest.mark.parametrize("gradient", GRADIENTS)
@every_name
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gradients_of_degenerate_rectangles_are_finite(gradient, name, dtype):
    base = np.asarray(
        [[0, 0, 2, 1, 0], [0, 0, 2, 1, 0.5], [0, 0, 1, 2, math.pi / 2], [0, 0, 0, 1, 0.2], [3, 0, 0, 0, 0]]
    )
    base = np.concatenate([base, [[50, 0, 1, 1, 0], [0, 0, -1, 1, 0], [0, 0, 0.1, 0.1, 1]]])
    a, b = np.repeat(base, len(base), axis=0), np.tile(base, (len(base), 1))
    for scale in (1e-15, 1, 1e15):
        units = np.asarray([scale] * 4 + [1])
        for function in (getattr(rotated, name), getattr(losses.rotated, name)):
            assert np.isfinite(gradient(function, a * units, b * units, dtype)).all()


def test_losses_of_distances_by_hand(xp):
    a, b = array(xp, [[0.0, 0, 2, 2, 0]]), array(xp, [[2.0, 0, 2, 2, 0]])  # deviations of 1: GWD 2, KLD 2
    for name in ("gwd", "kld"):
        loss = getattr(losses.rotated, name)
        assert_close(loss(a, b), [1 - 1 / (1 + math.log(3))], like=a)
        assert_close(loss(a, b, tau=2.0, fun="sqrt"), [1 - 1 / (2 + math.sqrt(2))], like=a)
        assert_close(loss(a, b, tau=0.0, fun="none"), [2], like=a)
    # Equal shapes: KFIoU is 1/3 wherever they are.
    assert_close(losses.rotated.kfiou(a, b), [2 / 3], like=a)
    assert_close(losses.rotated.kfiou(a, b, fun="ln"), [math.log(3)], like=a)
    assert_close(losses.rotated.kfiou(a, b, fun="exp"), [math.exp(2 / 3) - 1], like=a)


def test_losses_equal_published_formulas():
    """1 - 1 / (tau + log(1 + d)): d of GWD over 2 (det P det Q)^(1/8), d of KLD with the prediction's inverse."""
    a, b = rectangles(16, 50), rectangles(17, 50)
    (_, p), (_, q) = (moments(x, "inscribed") for x in (a, b))
    distance = expected_of("gwd", a, b) / (2 * (np.linalg.det(p) * np.linalg.det(q)) ** 0.125)
    np.testing.assert_allclose(losses.rotated.gwd(a, b, normalize=True), 1 - 1 / (1 + np.log1p(distance)), rtol=1e-11)
    d = b[:, :2] - a[:, :2]
    inverse, det = np.linalg.inv(p), np.linalg.det
    divergence = (mahalanobis(d, p) + trace(inverse @ q) + np.log(det(p)) - np.log(det(q))) / 2 - 1
    expected = 1 - 1 / (1 + np.log1p(divergence))
    np.testing.assert_allclose(losses.rotated.kld(a, b, direction="reverse"), expected, rtol=1e-11)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda a: gaussian.kld(a[:, :3], a),
            r"`a` must have shape \(..., 4\), \(..., 5\) or \(..., 8\), got \(2, 3\)",
        ),
        (lambda a: gaussian.kld(a, a, format="xyz"), "`format` must be one of 'xyxy', .* got 'xyz'"),
        (lambda a: gaussian.kld(a, a, direction="back"), "`direction` must be one of 'forward', .* got 'back'"),
        (
            lambda a: gaussian.probiou(a, a, covariance="w"),
            "`covariance` must be one of 'uniform', 'inscribed', got 'w'",
        ),
        (lambda a: gaussian.nwd(a, a, constant=0.0), "`constant` must be above 0, got 0"),
        (lambda a: losses.rotated.gwd(a, a, fun="log"), "`fun` must be one of 'log1p', 'sqrt', 'none', got 'log'"),
        (lambda a: losses.rotated.gwd(a, a, tau=-1.0), "`tau` must be finite and at least 0, got -1"),
        (lambda a: boxes.kld(a[:, :2], a[:, :2]), "score 'kld' is of boxes in 2 dimensions, got 1"),
    ],
)
def test_invalid_arguments_raise(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.ones((2, 5)))
