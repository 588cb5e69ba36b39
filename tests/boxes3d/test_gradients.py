"""Gradients of 3-D boxes: finite for every pair, equal to finite differences, the same in both libraries; tracing."""

import functools
import math
from functools import partial

import numpy as np
import pytest

from omniou import boxes3d, losses, pairwise, rotated, scores
from tests.boxes3d.test_boxes3d import random_boxes3d
from tests.contract.test_gradients import GRADIENTS, jax_gradient, torch_gradient

SCORES = [*(name for name in scores if name in boxes3d.__all__), "bev_iou"]
every_score = pytest.mark.parametrize("name", SCORES)
every_gradient = pytest.mark.parametrize("gradient", GRADIENTS)
# Centre, length, width, height and yaw of both.
PAIRS = {
    "same": ([0, 0, 0, 4, 2, 1, 0.3], [0, 0, 0, 4, 2, 1, 0.3]),
    "same, a turn apart": ([0, 0, 0, 4, 2, 1, 0.3], [0, 0, 0, 4, 2, 1, 0.3 + 2 * math.pi]),
    "half a turn": ([0, 0, 0, 4, 2, 1, 0], [0, 0, 0, 4, 2, 1, math.pi]),
    "quarter turn": ([0, 0, 0, 4, 2, 1, 0], [0, 0, 0, 4, 2, 1, math.pi / 2]),
    "quarter turn of a cube": ([0, 0, 0, 2, 2, 2, 0], [0, 0, 0, 2, 2, 2, math.pi / 2]),
    "octagon": ([0, 0, 0, 1, 1, 1, 0], [0, 0, 0, 1, 1, 1, math.pi / 4]),
    "overlapping": ([0, 0, 0, 4, 2, 1, 0.3], [1, 0.5, 0.2, 3, 2, 1, -0.4]),
    "shared edge": ([0, 0, 0, 2, 2, 2, 0], [0, 1, 0, 2, 4, 2, 0]),
    "shared faces": ([0, 0, 0, 2, 2, 2, 0], [0, 0, 1, 2, 2, 4, 0]),
    "nested": ([0, 0, 0, 1, 1, 1, 0.2], [0, 0, 0, 4, 4, 4, 0.5]),
    "nested, one floor": ([0, 0, 0.5, 1, 1, 1, 0.2], [0, 0, 2, 4, 4, 4, 0.5]),
    "touching side": ([0, 0, 0, 1, 1, 1, 0], [1, 0, 0, 1, 1, 1, 0]),
    "touching corner": ([0, 0, 0, 1, 1, 1, 0], [1, 1, 1, 1, 1, 1, 0]),
    "touching in z": ([0, 0, 0, 2, 2, 2, 0.3], [0, 0, 2, 2, 2, 2, 0.5]),
    "apart": ([0, 0, 0, 1, 1, 1, 0.1], [5, 7, 0, 1, 1, 1, 0.7]),
    "apart in z": ([0, 0, 0, 1, 1, 1, 0.1], [0, 0, 9, 1, 1, 1, 0.7]),
    "no length": ([0, 0, 0, 0, 2, 1, 0.3], [0, 0, 0, 4, 2, 1, 0.3]),
    "no width": ([0, 0, 0, 4, 0, 1, 0.3], [0, 0, 0, 4, 2, 1, 0.3]),
    "no height": ([0, 0, 0, 4, 2, 0, 0.3], [0, 0, 0, 4, 2, 1, 0.3]),
    "no volume in both": ([0, 0, 0, 4, 0, 1, 0.3], [0, 0, 0, 4, 2, 0, 0.3]),
    "points": ([0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0]),
    "points apart": ([0, 0, 0, 0, 0, 0, 0], [3, 4, 5, 0, 0, 0, 1]),
    "inverted": ([0, 0, 0, -2, -2, -2, 0], [0, 0, 0, 2, 2, 2, 0]),
    "height inverted": ([0, 0, 0, 2, 2, -2, 0], [0, 0, 0, 2, 2, 2, 0]),
}
# An overlap, with a hull, and with the distance of the centres.
COMPILED = ("iou", "giou", "diou")
COUNT = 60  # of boxes, the same where JAX need not compile a function twice
FIRST, SECOND = (np.asarray(x, dtype=float) for x in zip(*PAIRS.values(), strict=True))


@functools.cache
def functions(name, format="xyzlwhr"):
    """The score, the loss, and all pairs; the same objects each time, so that JAX compiles them once."""
    score = partial(getattr(boxes3d, name), format=format)
    if name == "bev_iou":
        return [score]
    return [score, partial(getattr(losses.boxes3d, name), format=format)]


@every_gradient
@every_score
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gradients_are_finite_for_degenerate_boxes_at_any_scale(gradient, name, dtype):
    jitted = gradient is jax_gradient
    if jitted and (dtype == "float64" or name not in COMPILED):
        pytest.skip(f"JAX takes seconds to compile each: {', '.join(COMPILED)} in float32 stand for all")
    for scale in (1e-9, 1, 1e9):
        a, b = (x * np.asarray([scale] * 6 + [1.0]) for x in (FIRST, SECOND))
        # The loss contains the score.
        for function in functions(name)[-1:] if jitted else functions(name):
            assert np.isfinite(gradient(function, a, b, dtype)).all()


@every_gradient
@pytest.mark.parametrize("name", ["iou", "diou"])
@pytest.mark.parametrize("format", ["kitti", "nuscenes"])
def test_gradients_are_finite_in_other_formats(gradient, name, format):
    if gradient is jax_gradient and name != "iou":
        pytest.skip("JAX takes seconds to compile each: iou stands for both")
    a, b = (boxes3d.convert(x, "xyzlwhr", format) for x in (FIRST, SECOND))
    if format == "nuscenes":
        # A quaternion of length 0, and a heading straight up.
        tail = [[0.0, 0, 0, 0], [1.0, 0, -1, 0]]
        more = np.concatenate([np.repeat(a[:1, :6], 2, axis=0), tail], axis=1)
        a, b = np.concatenate([a, more]), np.concatenate([b, more])
    for function in functions(name, format)[-1:] if gradient is jax_gradient else functions(name, format):
        assert np.isfinite(gradient(function, a, b, "float64")).all()


@pytest.mark.compiles(*COMPILED)
@pytest.mark.parametrize("gradient", [torch_gradient, jax_gradient])
@pytest.mark.parametrize("name", [name for name in SCORES if name == "bev_iou" or not scores[name].holds])
def test_gradients_equal_finite_differences(gradient, name):
    rng = np.random.default_rng(3)
    a, b = random_boxes3d(rng, COUNT), random_boxes3d(rng, COUNT)
    score, step = functions(name)[0], 1e-6
    expected = np.stack([(score(a + d, b) - score(a - d, b)) / (2 * step) for d in step * np.eye(7)], axis=-1)
    out = gradient(score, a, b, "float64")
    assert (np.abs(out) > 1e-3).any(axis=0).all() or name == "bev_iou"
    np.testing.assert_allclose(out, expected, rtol=0, atol=1e-7)


def test_gradient_of_a_hull_bears_that_xla_computes_what_it_compares_twice():
    jax = pytest.importorskip("jax")
    rng, step = np.random.default_rng(3), 1e-6
    a, b = (x[:, [0, 1, 3, 4, 6]] for x in (random_boxes3d(rng, COUNT), random_boxes3d(rng, COUNT)))
    score = partial(rotated.giou, format="cxcywhr")
    # So XLA rounds chords otherwise where it compares them with the highest.
    options = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
    with jax.enable_x64(True):
        out = jax.jit(jax.grad(lambda a, b: score(a, b).sum())).lower(a, b).compile(options)(a, b)
    expected = np.stack([(score(a + d, b) - score(a - d, b)) / (2 * step) for d in step * np.eye(5)], axis=-1)
    np.testing.assert_allclose(out, expected, rtol=0, atol=1e-7)


@pytest.mark.compiles(*COMPILED)
@every_gradient
@pytest.mark.parametrize("name", ["iou", "iomin", "dice", "giou", "diou"])
def test_gradient_of_a_perfect_match_is_zero(gradient, name):
    a = random_boxes3d(np.random.default_rng(5), COUNT)
    # Of the score, the gradient is compiled already.
    out = gradient(functions(name)[0 if gradient is jax_gradient else 1], a, a, "float64")
    if name == "iomin":
        out = out[:, [0, 1, 2, 6]]  # a side of the smaller of two boxes has a gradient from both sides
    assert np.abs(out).max() <= 1e-13


@every_gradient
@pytest.mark.parametrize("name", ["iou", "giou", "diou"])
def test_gradients_by_hand_along_z(gradient, name):
    # Two boxes of height 2 and volume 2, the second higher by 1: I = (2 - dz) = 1, U = 4 - I = 3; the hull is 2 + dz
    # = 3, the squared diagonal 1 + 1 + 9. By z of the first, dI = 1, dU = -1, d(hull) = -1, d(dz^2) = -2.
    expected = {
        "iou": (3 + 1) / 9,
        "giou": (3 + 1) / 9 + (-1 * 3 + 3 * 1) / 9,
        "diou": (3 + 1) / 9 + (2 * 11 - 1 * 6) / 121,
    }[name]
    a, b = (np.tile(x, (COUNT, 1)) for x in ([0.0, 0, 0, 1, 1, 2, 0], [0.0, 0, 1, 1, 1, 2, 0]))
    out = gradient(functions(name)[0], a, b, "float64")
    np.testing.assert_allclose(out[:, 2], expected, rtol=0, atol=1e-14)


@pytest.mark.compiles("mean")
@every_gradient
@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_gradient_of_masked_rows_is_zero(gradient, reduction):
    nan = [math.nan] * 7
    a, b = [PAIRS["overlapping"][0], nan, [0, 0, 0, math.inf, 1, 1, 0]], [PAIRS["overlapping"][1], nan, nan]

    def loss(p, q):
        return losses.boxes3d.iou(p, q, where=q[..., 0] == 1, reduction=reduction)

    out = gradient(loss, a, b, "float32")
    assert np.abs(out[0]).max() > 0.01
    assert not out[1:].any()


RNG = np.random.default_rng(6)
A, B = (random_boxes3d(RNG, 6) for _ in range(2))
CALLS = {
    "iou": boxes3d.iou,
    "bev_iou": boxes3d.bev_iou,
    "volume": lambda a, b: boxes3d.volume(a) + boxes3d.volume(b),
    "convert": lambda a, b: boxes3d.convert(a, "kitti", "nuscenes") + boxes3d.convert(b, "xyzlwhr", "nuscenes"),
    "corners": lambda a, b: boxes3d.corners(a) + boxes3d.corners(b),
    "enclosing": boxes3d.enclosing,
    "pairwise": partial(pairwise, boxes3d.giou),
    "loss": partial(losses.boxes3d.diou, reduction="mean"),
}


class TestTorch:
    @pytest.fixture
    def torch(self):
        return pytest.importorskip("torch")

    @pytest.mark.parametrize("name", ["convert", "enclosing", "pairwise", "loss"])
    def test_compiled_equals_numpy(self, torch, name):
        a, b = torch.tensor(A), torch.tensor(B)
        torch.compiler.reset()
        compiled = torch.compile(CALLS[name], fullgraph=True, backend="aot_eager")
        torch.testing.assert_close(compiled(a, b), torch.as_tensor(CALLS[name](A, B)))

    def test_vmap_equals_loop(self, torch):
        a, b = torch.tensor(A), torch.tensor(B)
        rows = torch.stack([losses.boxes3d.giou(p, q) for p, q in zip(a, b, strict=True)])
        torch.testing.assert_close(torch.func.vmap(losses.boxes3d.giou)(a, b), rows)
        assert torch.func.vmap(torch.func.grad(losses.boxes3d.giou))(a, b).isfinite().all()

    @pytest.mark.parametrize("name", CALLS)
    def test_meta_device_gives_shapes(self, torch, name):
        a, b = torch.tensor(A), torch.tensor(B)
        out = CALLS[name](a.to("meta"), b.to("meta"))
        assert out.device.type == "meta"
        assert out.shape == CALLS[name](a, b).shape


class TestJax:
    @pytest.fixture
    def jax(self):
        jax = pytest.importorskip("jax")
        with jax.enable_x64(True):
            yield jax

    # The others are compiled by tests/contract/test_jax_modes.py.
    @pytest.mark.parametrize("name", ["convert", "loss", "pairwise"])
    def test_jit_equals_numpy(self, jax, name):
        out = jax.jit(CALLS[name])(jax.numpy.asarray(A), jax.numpy.asarray(B))
        np.testing.assert_allclose(out, np.asarray(CALLS[name](A, B)), rtol=1e-12, atol=1e-13)

    def test_masked_nan_rows_pass_debug_nans(self, jax):
        nan = np.full((1, 7), np.nan)
        pred, target = (jax.numpy.asarray(np.concatenate([x, nan])) for x in (A, B))
        where = jax.numpy.asarray([True] * 6 + [False])
        loss = partial(losses.boxes3d.iou, where=where, reduction="mean")
        with jax.debug_nans(True):
            value, gradient = jax.value_and_grad(lambda x: loss(x, target))(pred)
        assert np.isfinite(value)
        assert np.isfinite(gradient).all()
