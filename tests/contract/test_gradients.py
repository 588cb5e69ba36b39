"""Gradients: finite for every pair of boxes, exactly 0 at a perfect match, equal to those worked out by hand."""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from omniou import boxes, losses, pairwise, scores
from tests.hand_worked import NEEDED

SCORES = list(scores)
# Functions by name, with what they need beside the boxes.
FUNCTIONS, LOSSES = (
    {name: functools.partial(getattr(module, name), **NEEDED.get(name, {})) for name in SCORES}
    for module in (boxes, losses)
)
PAIRS = {
    "same": ([0, 0, 2, 1], [0, 0, 2, 1]),
    "overlapping": ([0, 0, 2, 2], [1, 1, 3, 4]),
    "inside": ([1, 1, 2, 2], [0, 0, 4, 3]),
    "shared edge": ([0, 0, 2, 2], [0, 0, 2, 4]),
    "touching": ([0, 0, 1, 1], [1, 0, 2, 1]),
    "touching corners": ([0, 0, 1, 1], [1, 1, 2, 2]),
    "apart": ([0, 0, 1, 1], [5, 7, 6, 9]),
    "same centre": ([0, 0, 4, 4], [1, 1, 3, 3]),
    "no height": ([200, 599, 300, 599], [100, 100, 200, 200]),  # DIoU-pytorch-detectron 19
    "a point": ([5, 5, 5, 5], [0, 0, 10, 10]),
    "to a point": ([5, 5, 7, 7], [0, 0, 0, 0]),
    "two points": ([0, 0, 0, 0], [0, 0, 0, 0]),
    "points apart": ([0, 0, 0, 0], [3, 4, 3, 4]),
    "inverted": ([2, 2, 0, 0], [0, 0, 2, 2]),
    "half inverted": ([2, 0, 0, 2], [0, 0, 2, 2]),
    "both inverted": ([2, 2, 0, 0], [2, 2, 0, 0]),
}
Gradient = Callable[..., Any]


def torch_gradient(function: Callable[..., Any], a: Any, b: Any, dtype: str) -> Any:
    torch = pytest.importorskip("torch")
    a, b = (torch.tensor(np.asarray(x, dtype=float)).to(getattr(torch, dtype)) for x in (a, b))
    a.requires_grad_()
    (gradient,) = torch.autograd.grad(function(a, b).sum(), a)
    return gradient.double().numpy()


def torch_func_gradient(function: Callable[..., Any], a: Any, b: Any, dtype: str) -> Any:
    torch = pytest.importorskip("torch")
    a, b = (torch.tensor(np.asarray(x, dtype=float)).to(getattr(torch, dtype)) for x in (a, b))
    return torch.func.grad(lambda x: function(x, b).sum())(a).double().numpy()


def jax_gradient(function: Callable[..., Any], a: Any, b: Any, dtype: str) -> Any:
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        a, b = (jax.numpy.asarray(x, dtype=dtype) for x in (a, b))
        return np.asarray(compiled_gradient(function)(a, b), dtype=float)


@functools.cache
def compiled_gradient(function: Callable[..., Any]) -> Callable[..., Any]:
    import jax

    return jax.jit(jax.grad(lambda a, b: function(a, b).sum()))


def slopes(function: Callable[..., Any], a: Any, b: Any, step: float = 1e-6) -> Any:
    """The gradient by central differences, in NumPy."""
    return np.stack([(function(a + d, b) - function(a - d, b)) / (2 * step) for d in step * np.eye(4)], axis=-1)


GRADIENTS = [torch_gradient, torch_func_gradient, jax_gradient]
# What stands for all scores where JAX compiles each: an overlap, with a term that is detached, and Gaussians.
COMPILED = ("iou", "ciou", "kld")


# What JAX compiles in float64 is the same, and overflows later: compiling takes most of the time of its session.
@pytest.mark.proves("gradient", "losses.{name}", library="{gradient.__name__}")
@pytest.mark.parametrize(
    ("gradient", "dtype"),
    [(x, dtype) for x in GRADIENTS for dtype in ("float32", "float64") if (x, dtype) != (jax_gradient, "float64")],
)
@pytest.mark.parametrize("name", SCORES)
def test_gradients_are_finite_for_degenerate_boxes_at_any_scale(gradient: Gradient, name: str, dtype: str) -> None:
    a, b = (np.asarray(x, dtype=float) for x in zip(*PAIRS.values(), strict=True))
    largest = np.maximum(1, np.maximum(a.max(-1), b.max(-1)))[:, None]
    a, b = a / largest, b / largest
    for scale in (1e-18, 1e-9, 1, 1e9, 1e18):
        # What JAX compiles for the loss contains the score.
        for function in (LOSSES[name],) if gradient is jax_gradient else (FUNCTIONS[name], LOSSES[name]):
            assert np.isfinite(gradient(function, a * scale, b * scale, dtype)).all()
    if not scores[name].holds and name != "wiou":
        # As many ordinary pairs, for which JAX need not compile it again.
        low = np.random.default_rng(8).uniform(0, 5, (2, len(PAIRS), 2))
        p, q = np.concatenate([low, low + np.random.default_rng(9).uniform(0.5, 5, low.shape)], axis=-1)
        np.testing.assert_allclose(gradient(LOSSES[name], p, q, dtype), slopes(LOSSES[name], p, q), 1e-3, 1e-4)
    if gradient is not jax_gradient or name in COMPILED:
        assert np.isfinite(gradient(lambda p, q: pairwise(FUNCTIONS[name], p, q), a, b, dtype)).all()


@pytest.mark.parametrize("gradient", GRADIENTS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gradient_of_log_loss_is_finite(gradient: Gradient, dtype: str) -> None:
    a, b = (np.asarray(x, dtype=float) for x in zip(*PAIRS.values(), strict=True))
    assert np.isfinite(gradient(lambda p, q: losses.iou(p, q, log=True), a, b, dtype)).all()


@pytest.mark.compiles(*COMPILED)
@pytest.mark.parametrize("gradient", GRADIENTS)
@pytest.mark.parametrize("name", [name for name, score in scores.items() if score.symmetric])
def test_gradient_of_perfect_match_is_zero(gradient: Gradient, name: str) -> None:
    rng = np.random.default_rng(0)
    low = rng.uniform(-10, 10, (50, 2))
    a = np.concatenate([low, low + rng.uniform(0.1, 10, (50, 2))], axis=-1)
    out = gradient(LOSSES[name], a, a, "float64")
    # XLA fuses a product into the sum that follows: what should cancel differs by the rounding of the product. So do
    # the two roots of KFIoU.
    assert np.abs(out).max() <= (1e-15 if gradient is jax_gradient or name == "kfiou" else 0)


@pytest.mark.compiles(*COMPILED)
@pytest.mark.parametrize("gradient", GRADIENTS)
@pytest.mark.parametrize("name", [name for name in SCORES if scores[name].scale_free])
@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1e6])
def test_gradient_scales_with_inverse_side(gradient: Gradient, name: str, scale: float) -> None:
    """In float32, where a squared area would leave the range."""
    a, b = (np.asarray(x, dtype=float) for x in PAIRS["overlapping"])
    one = gradient(FUNCTIONS[name], a, b, "float32")
    assert np.abs(one).max() > 0.01
    np.testing.assert_allclose(
        gradient(FUNCTIONS[name], a * scale, b * scale, "float32") * scale, one, rtol=1e-4, atol=1e-6
    )


@pytest.mark.parametrize("gradient", GRADIENTS)
def test_gradients_of_iou_and_giou_by_hand(gradient: Gradient) -> None:
    # IoU = x / 3 for the high corner (x, y) of the first box. Elsewhere the boxes agree, and half of a side's
    # change reaches the intersection: dI = 1, dU = 2 - 1, so that dIoU = (1 * 6 - 4 * 1) / 6**2.
    out = gradient(boxes.iou, [0, 0, 2, 2], [0, 0, 3, 2], "float64")
    assert out == pytest.approx([-2 / 36, -2 / 36, 1 / 3, 2 / 36])
    # GIoU of [p, q] and [5, 6] apart: U / C - 1 with U = q - p + 1 = 2 and C = 6 - p = 6.
    out = gradient(boxes.giou, [0, 1], [5, 6], "float64")
    assert out == pytest.approx([(-6 + 2) / 36, 1 / 6])


@pytest.mark.parametrize("gradient", GRADIENTS)
def test_ciou_gradient_with_detached_and_attached_alpha(gradient: Gradient) -> None:
    """Gradients of torchvision, which detaches alpha, and of Keras, which does not."""
    a, b = [0, 0, 4, 2], [1, 0, 3, 3]
    detached, attached = [0.08328, 0.02584, -0.08328, 0.15296], [0.08687, 0.01440, -0.08687, 0.16108]
    assert gradient(boxes.ciou, a, b, "float64") == pytest.approx(detached, abs=1e-5)
    out = gradient(lambda p, q: losses.ciou(p, q, detach_alpha=False), a, b, "float64")
    assert -out == pytest.approx(attached, abs=1e-5)
    # IoU is 2/5. Without alpha it is DIoU; from 0.3 on nothing changes.
    out = gradient(lambda p, q: boxes.ciou(p, q, alpha_above=0.5, detach_alpha=False), a, b, "float64")
    assert out == pytest.approx(gradient(boxes.diou, a, b, "float64"))
    out = gradient(lambda p, q: losses.ciou(p, q, alpha_above=0.3, detach_alpha=False), a, b, "float64")
    assert -out == pytest.approx(attached, abs=1e-5)


@pytest.mark.compiles(*COMPILED)
@pytest.mark.parametrize("gradient", GRADIENTS)
@pytest.mark.parametrize("name", SCORES)
def test_gradients_equal_finite_differences(gradient: Gradient, name: str) -> None:
    rng = np.random.default_rng(3)
    low = rng.uniform(0, 5, (2, 40, 2))
    a, b = np.concatenate([low, low + rng.uniform(0.5, 5, (2, 40, 2))], axis=-1)

    def score(p: Any, q: Any) -> Any:
        return boxes.ciou(p, q, detach_alpha=False) if name == "ciou" else FUNCTIONS[name](p, q)

    def held(p: Any, q: Any) -> Any:
        """As `score`, where its gradient holds nothing constant but what is held at a and b."""
        if name != "wiou":
            return score(p, q)
        hull = np.maximum(a[:, 2:], b[:, 2:]) - np.minimum(a[:, :2], b[:, :2])
        centres = (p[:, :2] + p[:, 2:] - q[:, :2] - q[:, 2:]) / 2
        return 1 - np.exp((centres**2).sum(1) / (hull**2).sum(1)) * (1 - boxes.iou(p, q))

    np.testing.assert_allclose(gradient(score, a, b, "float64"), slopes(held, a, b), atol=1e-7)


@pytest.mark.compiles(*COMPILED)
@pytest.mark.parametrize("gradient", GRADIENTS)
@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_gradient_of_masked_rows_is_zero(gradient: Gradient, name: str, reduction: str) -> None:
    nan = [math.nan] * 4
    a, b = [PAIRS["overlapping"][0], nan, [0, 0, math.inf, 1]], [PAIRS["overlapping"][1], nan, nan]

    def loss(p: Any, q: Any) -> Any:
        mask = q[..., 0] == 1  # of q's library
        return LOSSES[name](p, q, where=mask, reduction=reduction)

    out = gradient(loss, a, b, "float32")
    assert np.abs(out[0]).max() > 0.01
    assert not out[1:].any()


@pytest.mark.parametrize("gradient", GRADIENTS)
def test_gradient_of_mean_without_boxes_is_empty(gradient: Gradient) -> None:
    none = np.zeros((0, 4))
    assert gradient(lambda p, q: losses.giou(p, q, reduction="mean"), none, none, "float32").shape == (0, 4)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_gradient_of_half_precision_is_finite(dtype: str) -> None:
    torch = pytest.importorskip("torch")
    a = torch.tensor([[0, 0, 300, 300]], dtype=getattr(torch, dtype), requires_grad=True)
    losses.ciou(a, a.detach() + 100).sum().backward()
    assert a.grad.dtype == a.dtype
    assert a.grad.isfinite().all()
    assert a.grad.abs().max() > 0
