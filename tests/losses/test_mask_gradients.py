"""Gradients of losses of masks: finite, equal to finite differences, and the same in torch and JAX."""

from functools import partial

import numpy as np
import pytest

from omniou.losses import masks as m
from tests.losses.test_mask_losses import ON_CLASSES, sample, softmax


def degenerate():
    """Logits of two classes and labels: absent classes, all right, all wrong, extremes, nothing kept."""
    shape = (1, 2, 2, 3)
    zero, one = np.zeros((1, 2, 3), dtype=int), np.ones((1, 2, 3), dtype=int)
    high = np.stack([np.full((1, 2, 3), 1e4), np.full((1, 2, 3), -1e4)], 1)
    yield from ((np.zeros(shape), t) for t in (zero, one, np.full_like(zero, 9)))
    yield from ((s * high, t) for s in (1, -1) for t in (zero, one))
    mixed = zero.copy()
    mixed[0, 0, 0] = 1
    yield from ((x, mixed) for x in (np.zeros(shape), high, -high))


ACTIVATIONS = ("softmax", "sigmoid", "none")


# JAX takes seconds to compile each: five stand for all.
@pytest.mark.parametrize(
    ("library", "name"),
    [("torch", name) for name in (*ON_CLASSES, "lovasz hinge")]
    + [("jax", name) for name in ("jaccard", "generalised dice", "focal tversky", "lovasz softmax", "lovasz hinge")],
)
def test_gradients_of_degenerate_masks_are_finite(library, name):
    module = pytest.importorskip(library)
    calls = [
        (activation, partial(m.lovasz_hinge, ignore_index=9, per=per))
        if name == "lovasz hinge"
        else (activation, partial(ON_CLASSES[name], ignore_index=9, activation=activation, per=per))
        for activation in (("sigmoid", "none") if name == "lovasz hinge" else ACTIVATIONS)
        for per in ("image", "batch")
    ]
    for activation, call in calls:
        step = gradient_of(module, call)
        for logits, labels in degenerate():
            given = np.clip(logits, 0, 1) if activation == "none" else logits
            value, by = step((given[:, 0] if name == "lovasz hinge" else given).astype("float32"), labels)
            assert np.isfinite(value)
            assert np.isfinite(by).all()


def gradient_of(module, call):
    """Of predictions and labels: the value and its gradient, which JAX compiles once."""
    if module.__name__ == "torch":

        def step(x, labels):
            x = module.tensor(x, requires_grad=True)
            out = call(x, module.tensor(labels))
            out.backward()
            return float(out.detach()), x.grad.numpy()

        return step
    compiled = module.jit(module.value_and_grad(call))
    return lambda x, labels: tuple(map(np.asarray, compiled(x, labels)))


@pytest.mark.parametrize("name", [*ON_CLASSES, "boundary"])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_gradients_equal_finite_differences(name, activation):
    torch = pytest.importorskip("torch")
    logits, labels = sample(seed=3)
    x = torch.tensor(softmax(logits) if activation == "none" else logits, requires_grad=True)
    options = {"activation": activation, "per": "image", "class_weight": torch.tensor([1.0, 2.0, 0.5])}
    if name == "boundary":
        distance = torch.tensor(np.random.default_rng(0).normal(size=logits.shape))
        call = lambda x: m.boundary(x, distance, **options)  # noqa: E731
    else:
        call = lambda x: ON_CLASSES[name](x, torch.tensor(labels), ignore_index=7, **options)  # noqa: E731
    assert torch.autograd.gradcheck(call, x, eps=1e-6, atol=1e-6)


def test_gradient_of_lovasz_hinge_equals_finite_differences():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    x, t = torch.tensor(rng.normal(size=(2, 3, 4)), requires_grad=True), torch.tensor(rng.integers(0, 2, (2, 3, 4)))
    assert torch.autograd.gradcheck(lambda x: m.lovasz_hinge(x, t), x, eps=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ON_CLASSES)
def test_gradients_of_jax_equal_those_of_torch(name):
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    logits, labels = sample()
    logits[1, :, 0] = np.nan  # ignored
    call = partial(ON_CLASSES[name], activation="softmax", ignore_index=7)
    value, by = gradient_of(torch, call)(logits, labels)
    with jax.enable_x64(True):
        other, by_jax = gradient_of(jax, call)(logits, labels)
    assert value == pytest.approx(other, rel=1e-12)
    np.testing.assert_allclose(by, by_jax, rtol=1e-9, atol=1e-12)
    assert (by[2] == 0).all()
    assert (by[1, :, :2] == 0).all()
    assert np.abs(by[0]).max() > 0


@pytest.mark.parametrize("name", ["dice", "generalised dice", "focal tversky", "lovasz softmax"])
def test_torch_compiles_and_maps(name):
    torch = pytest.importorskip("torch")
    logits, labels = sample()
    x, t = torch.tensor(logits), torch.tensor(labels)
    call = partial(ON_CLASSES[name], activation="softmax", ignore_index=7)
    torch.compiler.reset()
    torch.testing.assert_close(torch.compile(call, fullgraph=True, backend="aot_eager")(x, t), call(x, t))
    mapped = torch.func.vmap(call)(torch.stack([x, -x]), torch.stack([t, t]))
    torch.testing.assert_close(mapped, torch.stack([call(x, t), call(-x, t)]))
