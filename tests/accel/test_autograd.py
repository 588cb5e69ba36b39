"""Gradients in closed form equal those of automatic differentiation, ties and degenerate boxes included."""

from typing import Any

import numpy as np
import pytest

from omniou import losses, scores
from omniou._lib import accel
from tests.contract.test_gradients import PAIRS

torch = pytest.importorskip("torch")
TorchDispatchMode = pytest.importorskip("torch.utils._python_dispatch").TorchDispatchMode
pytestmark = pytest.mark.skipif(accel.SWITCH == "off", reason="OMNIOU_ACCEL=off: there is no closed form")
CLOSED = [name for name, score in scores.items() if score.partials]
RNG = np.random.default_rng(5)
DEGENERATE = [np.asarray(x, dtype=float) for x in zip(*PAIRS.values(), strict=True)]
GRID = [RNG.integers(0, 4, (300, 4)).astype(float) for _ in range(2)]  # full of ties, inverted and empty boxes
RANDOM = [RNG.uniform(0, 9, (300, 4)) for _ in range(2)]


def both_gradients(loss: Any, pred: Any, target: Any, **options: Any) -> list[list[Any]]:
    """Value and gradients by both arguments, in closed form and by automatic differentiation."""
    results = []
    for closed in (True, False):
        p, q = (torch.tensor(x, requires_grad=True) for x in (pred, target))
        with pytest.MonkeyPatch.context() as patch:
            if not closed:
                patch.setattr(accel, "module", lambda _: None)
            value = loss(p, q, **options)
            assert (type(value.grad_fn).__name__ == "ClosedFormBackward") == closed
            seed = torch.linspace(0.5, 2, value.numel(), dtype=value.dtype).reshape(value.shape)
            gradients = torch.autograd.grad(value, (p, q), seed)
        results.append([x.detach().double().numpy() for x in (value, *gradients)])
    return results


@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.parametrize("format", ["xyxy", "yxyx", "xywh", "cxcywh"])
@pytest.mark.parametrize("inverted", ["penalise", "empty"])
def test_closed_form_equals_automatic_differentiation(name, format, inverted):
    for pred, target in (DEGENERATE, GRID, RANDOM):
        closed, automatic = both_gradients(getattr(losses, name), pred, target, format=format, inverted=inverted)
        for x, y in zip(closed, automatic, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.parametrize("dims", [1, 3])
def test_closed_form_of_intervals_and_cuboids_equals_automatic_differentiation(name, dims):
    pred, target = (RNG.integers(0, 4, (200, 2 * dims)).astype(float) for _ in range(2))
    for x, y in zip(*both_gradients(getattr(losses, name), pred, target), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("options", ["weight", "where", "both", "eps", "offset"])
def test_closed_form_with_options_equals_automatic_differentiation(name, reduction, options):
    pred, target = (x.reshape(30, 10, 4) for x in GRID)
    weight, where = torch.tensor(RNG.uniform(0, 2, (30, 1))), torch.tensor(RNG.uniform(size=(30, 10)) < 0.7)
    given = {
        "weight": {"weight": weight},
        "where": {"where": where},
        "both": {"weight": weight, "where": where},
        "eps": {"eps": 1e-2},
        "offset": {"offset": 1.0},
    }[options]
    for x, y in zip(*both_gradients(getattr(losses, name), pred, target, reduction=reduction, **given), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-12)


def test_closed_form_of_log_loss_and_attached_alpha_equals_automatic_differentiation():
    for loss, options in (
        (losses.iou, {"log": True, "floor": 0.1}),
        (losses.ciou, {"detach_alpha": False}),
        (losses.ciou, {"alpha_above": 0.2}),
        (losses.ciou, {"detach_alpha": False, "alpha_above": 0.2}),
    ):
        for x, y in zip(*both_gradients(loss, *RANDOM, **options), strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("name", CLOSED)
def test_second_derivatives_equal_those_of_the_formula(name):
    b = torch.tensor(RANDOM[1][:6])
    a = torch.tensor(RANDOM[0][:6], requires_grad=True)
    (first,) = torch.autograd.grad(getattr(losses, name)(a, b, reduction="sum"), a, create_graph=True)
    (second,) = torch.autograd.grad((first**2).sum(), a)
    jacobian = torch.func.jacrev(torch.func.grad(lambda x: getattr(losses, name)(x, b, reduction="sum")))(a.detach())
    expected = 2 * torch.einsum("ij,ijkl->kl", first.detach(), jacobian)
    torch.testing.assert_close(second, expected)


@pytest.mark.parametrize("name", ["giou", "ciou"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_closed_form_in_several_blocks_keeps_dtype_and_is_finite(name, dtype):
    many = np.tile(RANDOM, (1, 150, 1))  # in several blocks
    p, q = (torch.tensor(x).to(getattr(torch, dtype)).requires_grad_() for x in many)
    value = getattr(losses, name)(p, q, reduction="mean")
    value.backward()
    assert (value.dtype, p.grad.dtype) == (torch.float32, p.dtype)
    assert p.grad.isfinite().all()
    again = torch.tensor(many[0]).to(p.dtype).double().requires_grad_()
    getattr(losses, name)(again, q.detach().double(), reduction="mean").backward()
    torch.testing.assert_close(p.grad.double(), again.grad, rtol=2e-2, atol=1e-5)


def test_gradient_of_broadcast_boxes_has_shape_of_pred():
    p = torch.tensor(RANDOM[0][:5], requires_grad=True)
    losses.giou(p, torch.tensor(RANDOM[1][0]), reduction="sum").backward()
    assert p.grad.shape == (5, 4)


def test_normalizer_divides_value_and_gradient_in_eager_torch():
    pred, target = (torch.tensor(x, dtype=torch.float64) for x in RANDOM)
    each = pred.clone().requires_grad_()
    total = losses.giou(each, target, reduction="sum")
    (by_total,) = torch.autograd.grad(total, each)
    value = losses.giou(each, target, reduction="mean", normalizer=8.0)
    (gradient,) = torch.autograd.grad(value, each)
    torch.testing.assert_close(value, total / 8)
    torch.testing.assert_close(gradient, by_total / 8)


# Operations of value and gradient where NumPy does not compute them, as on a device.
OPERATIONS = {"iou": 154, "giou": 183, "diou": 200, "ciou": 299, "eiou": 236}


@pytest.mark.parametrize("name", OPERATIONS)
def test_closed_form_dispatches_few_operations(name):
    count = 0

    class Counted(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            nonlocal count
            count += 1
            return function(*args, **(kwargs or {}))

    pred, target = (torch.rand(8, 4, requires_grad=grad) for grad in (True, False))
    with Counted():
        getattr(losses, name)(pred, target, reduction="mean").backward()
    assert count <= OPERATIONS[name]
