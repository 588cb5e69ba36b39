"""Traced, compiled, mapped, differentiated twice, without data, and lazily: the same functions, unchanged."""

import warnings
from functools import partial

import numpy as np
import pytest

from omniou import boxes, losses, pairwise

rng = np.random.default_rng(0)
LOW = rng.uniform(0, 5, (2, 6, 2))
A, B = np.concatenate([LOW, LOW + rng.uniform(0, 5, (2, 6, 2))], axis=-1)
WHERE = [True, True, False, True, False, True]

CALLS = {
    "iou": boxes.iou,
    "ciou": boxes.ciou,
    "area": lambda a, b: boxes.area(a) + boxes.area(b),
    "convert": lambda a, b: boxes.convert(a, "xyxy", "rel_cxcywh", image_size=(10, 20)) + b,
    "enclosing": partial(boxes.enclosing, format="cxcywh"),
    "pairwise": partial(pairwise, boxes.giou),
    "loss": partial(losses.ciou, reduction="mean"),
    "log loss": partial(losses.iou, reduction="sum", log=True),
}


class TestTorch:
    @pytest.fixture
    def torch(self):
        return pytest.importorskip("torch")

    # Symbolic sizes take three times as long to compile: only two functions are tested with them.
    @pytest.mark.parametrize(
        ("name", "dynamic"), [*((name, False) for name in CALLS), *((name, True) for name in ("pairwise", "loss"))]
    )
    def test_compile_equals_eager(self, torch, name, dynamic):
        a, b = torch.tensor(A), torch.tensor(B)
        torch.compiler.reset()
        compiled = torch.compile(CALLS[name], fullgraph=True, dynamic=dynamic, backend="aot_eager")
        torch.testing.assert_close(compiled(a, b), CALLS[name](a, b))

    def test_compile_with_where(self, torch):
        a, b, where = torch.tensor(A), torch.tensor(B), torch.tensor(WHERE)
        loss = partial(losses.giou, where=where, reduction="mean")
        compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
        torch.testing.assert_close(compiled(a, b), loss(a, b))

    @pytest.mark.parametrize("name", ["iou", "ciou", "loss"])
    def test_vmap_equals_loop(self, torch, name):
        a, b = torch.tensor(A), torch.tensor(B)
        rows = torch.stack([CALLS[name](p, q) for p, q in zip(a, b, strict=True)])
        torch.testing.assert_close(torch.func.vmap(CALLS[name])(a, b), rows)
        torch.testing.assert_close(
            torch.func.vmap(torch.func.grad(CALLS[name]))(a, b).isfinite().all(), torch.tensor(True)
        )

    def test_vmap_of_pairwise_larger_than_a_tile(self, torch):
        a = torch.tensor(np.tile(A, (2, 100, 1)))
        torch.testing.assert_close(torch.func.vmap(partial(pairwise, boxes.iou))(a, a), pairwise(boxes.iou, a, a))

    def test_gradient_of_pairwise_larger_than_a_tile(self, torch):
        a, b = torch.tensor(np.tile(A, (100, 1)), requires_grad=True), torch.tensor(np.tile(B, (100, 1)))
        pairwise(boxes.giou, a, b).sum().backward()
        whole = a.grad.clone()
        a.grad = None
        for i in range(0, 600, 100):
            pairwise(boxes.giou, a[i : i + 100], b[:300]).sum().backward()
            pairwise(boxes.giou, a[i : i + 100], b[300:]).sum().backward()
        torch.testing.assert_close(a.grad, whole)

    @pytest.mark.parametrize("name", CALLS)
    def test_meta_device_gives_shapes(self, torch, name):
        a, b = torch.tensor(A), torch.tensor(B)
        out = CALLS[name](a.to("meta"), b.to("meta"))
        assert out.device.type == "meta"
        assert out.shape == CALLS[name](a, b).shape

    def test_second_derivative_is_finite(self, torch):
        a, b = torch.tensor(A), torch.tensor(B)
        hessian = torch.func.jacrev(torch.func.jacrev(lambda x: losses.giou(x, b, reduction="sum")))(a)
        assert hessian.isfinite().all()
        assert hessian.abs().max() > 0


class TestJax:
    @pytest.fixture
    def jax(self):
        jax = pytest.importorskip("jax")
        with jax.enable_x64(True):
            yield jax

    @pytest.mark.parametrize("name", CALLS)
    def test_jit_equals_numpy(self, jax, name):
        a, b = jax.numpy.asarray(A), jax.numpy.asarray(B)
        out = jax.jit(CALLS[name])(a, b)
        np.testing.assert_allclose(out, np.asarray(CALLS[name](A, B)), rtol=1e-13, atol=1e-15)

    @pytest.mark.parametrize("name", ["iou", "ciou", "loss"])
    def test_vmap_equals_loop(self, jax, name):
        a, b = jax.numpy.asarray(A), jax.numpy.asarray(B)
        rows = [float(CALLS[name](p, q)) for p, q in zip(A, B, strict=True)]
        np.testing.assert_allclose(jax.vmap(CALLS[name])(a, b), rows, rtol=1e-13, atol=1e-15)

    def test_grad_of_checkpoint_of_scan(self, jax):
        a, b = jax.numpy.asarray(A), jax.numpy.asarray(B)

        def step(total, pair):
            return total + jax.checkpoint(losses.ciou)(*pair), None

        total, gradient = jax.value_and_grad(lambda x: jax.lax.scan(step, 0.0, (x, b))[0])(a)
        assert float(total) == pytest.approx(float(losses.ciou(A, B, reduction="sum")))
        expected = jax.grad(lambda x: losses.ciou(x, b, reduction="sum"))(a)
        np.testing.assert_allclose(gradient, expected, rtol=1e-12)

    def test_second_derivative_is_finite(self, jax):
        b = jax.numpy.asarray(B)
        hessian = jax.hessian(lambda x: losses.giou(x, b, reduction="sum"))(jax.numpy.asarray(A))
        assert np.isfinite(hessian).all()
        assert np.abs(hessian).max() > 0

    def test_forward_mode_equals_reverse_mode(self, jax):
        a, b = jax.numpy.asarray(A), jax.numpy.asarray(B)
        forward = jax.jacfwd(lambda x: boxes.ciou(x, b))(a)
        np.testing.assert_allclose(forward, jax.jacrev(lambda x: boxes.ciou(x, b))(a), rtol=1e-12, atol=1e-15)

    def test_masked_nan_rows_pass_debug_nans(self, jax):
        nan = np.full((1, 4), np.nan)
        pred, target = (jax.numpy.asarray(np.concatenate([x, nan])) for x in (A, B))
        where = jax.numpy.asarray([*WHERE, False])
        with jax.debug_nans(True):
            value, gradient = jax.value_and_grad(lambda x: losses.ciou(x, target, where=where, reduction="mean"))(pred)
        assert np.isfinite(value)
        assert np.isfinite(gradient).all()

    def test_jit_compiles_once_for_one_shape(self, jax):
        traces = []

        @jax.jit
        def loss(p, q):
            traces.append(1)
            return losses.giou(p, q, reduction="mean")

        for scale in (1.0, 2.0, 3.0):
            loss(jax.numpy.asarray(A * scale), jax.numpy.asarray(B))
        assert len(traces) == 1

    def test_integers_are_promoted_to_widest_enabled_float(self, jax):
        a = jax.numpy.asarray([0, 0, 2, 2], dtype="int32")
        for x64, dtype in ((True, "float64"), (False, "float32"), (True, "float64")):
            with jax.enable_x64(x64), warnings.catch_warnings():
                warnings.simplefilter("error")
                out = boxes.iou(a, [0, 0, 1, 1])
            assert out.dtype == dtype
            assert float(out) == 0.25

    def test_eval_shape_of_pairwise(self, jax):
        shape = jax.ShapeDtypeStruct((5, 4), "float32")
        assert jax.eval_shape(partial(pairwise, boxes.giou), shape, shape).shape == (5, 5)


@pytest.mark.parametrize("name", CALLS)
def test_dask_stays_lazy(name):
    da = pytest.importorskip("dask.array")
    computed = []

    def load(x, block_info=None):
        computed.append(block_info)
        return x

    a, b = (da.from_array(x, chunks=(2, 4)).map_blocks(load, dtype=float, meta=np.zeros((0, 4))) for x in (A, B))
    out = CALLS[name](a, b)
    assert isinstance(out, da.Array)
    assert not computed
    np.testing.assert_allclose(out.compute(), np.asarray(CALLS[name](A, B)), rtol=1e-13)
    assert computed
