"""Traced, compiled, mapped, differentiated twice, without data, and lazily: the same functions, unchanged."""

import warnings
from functools import partial

import numpy as np
import pytest

from omniou import boxes, detection, gaussian, losses, masks, pairwise, panoptic, polygons, rle

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

    # What test_torch_modes.py compiles not: symbolic sizes, and more options.
    @pytest.mark.parametrize(
        ("name", "dynamic"), [("enclosing", False), ("log loss", False), ("pairwise", True), ("loss", True)]
    )
    def test_compiled_equals_numpy(self, torch, name, dynamic):
        a, b = torch.tensor(A), torch.tensor(B)
        torch.compiler.reset()
        compiled = torch.compile(CALLS[name], fullgraph=True, dynamic=dynamic, backend="aot_eager")
        torch.testing.assert_close(compiled(a, b), torch.as_tensor(CALLS[name](A, B)))

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

    @pytest.mark.parametrize("tool", ["jit", "make_fx", "symbolic", "fx", "export"])
    @pytest.mark.parametrize("name", ["iou", "pairwise", "loss", "gaussian", "polygons"])
    def test_traced_function_follows_its_input(self, torch, tool, name):
        """Traced with five boxes that are equal, then called with two others: nothing is recorded as a constant."""
        first = torch.tensor([[0.0, 0, 2, 2]]).tile(5, 1)
        # An area of 4 and one of 2 in it, and two that are apart.
        a = torch.tensor([[0.0, 0, 2, 2], [0, 0, 1, 1]])
        b = torch.tensor([[0.0, 0, 2, 1], [3, 3, 4, 4]])
        function, expected = {
            "iou": (boxes.iou, [0.5, 0]),
            "pairwise": (lambda a, b: pairwise(boxes.iou, a, b), [[0.5, 0], [0.5, 0]]),
            "loss": (lambda a, b: losses.giou(a, b, reduction="mean"), (0.5 + 1 + 14 / 16) / 2),
            "gaussian": (lambda a, b: gaussian.gwd(a, b) * 0 + boxes.iou(a, b), [0.5, 0]),
            "polygons": (lambda a, b: polygons.iou(_quads(torch, a), _quads(torch, b)), [0.5, 0]),
        }[name]
        with warnings.catch_warnings():
            # torch's own: deprecated, or about what it traces itself.
            warnings.filterwarnings("ignore", category=DeprecationWarning)
            warnings.filterwarnings("ignore", category=FutureWarning)
            traced = _trace(torch, tool, function, first, first.clone())
            torch.testing.assert_close(traced(a, b), torch.tensor(expected))

    def test_fake_tensors_stay_fake(self, torch):
        from torch._subclasses import FakeTensorMode

        with FakeTensorMode() as mode:
            a, b = (mode.from_tensor(torch.tensor(np.tile(x, (200, 1)))) for x in (A, B))
            out = pairwise(boxes.giou, a, b)
        assert type(out).__name__ == "FakeTensor"
        assert out.shape == (1200, 1200)

    def test_forward_mode_derivative_equals_reverse_mode(self, torch):
        import torch.autograd.forward_ad as forward

        a, b = torch.tensor(A[0]), torch.tensor(B[0])
        with forward.dual_level():
            out = boxes.giou(forward.make_dual(a, torch.ones_like(a)), b)
            tangent = forward.unpack_dual(out).tangent
        (gradient,) = torch.autograd.grad(boxes.giou(leaf := a.clone().requires_grad_(), b).sum(), leaf)
        torch.testing.assert_close(tangent, gradient.sum(-1))

    def test_modes_see_each_operation(self, torch):
        from torch.utils._python_dispatch import TorchDispatchMode

        class Count(TorchDispatchMode):
            seen = 0

            def __torch_dispatch__(self, function, types, args=(), kwargs=None):
                Count.seen += 1
                return function(*args, **(kwargs or {}))

        a, b = torch.tensor(A), torch.tensor(B)
        with Count():
            boxes.iou(a, b)
        assert Count.seen > 5

    @pytest.mark.parametrize("options", [{}, {"version": 1}, {"focal": 0.5}])
    def test_compile_of_wise_iou(self, torch, options):
        a, b, mean = torch.tensor(A), torch.tensor(B), torch.tensor(0.5)
        given = options or {"version": 3, "running_mean": mean}
        torch.compiler.reset()
        compiled = torch.compile(partial(losses.wiou, **given), fullgraph=True, backend="eager")
        torch.testing.assert_close(compiled(a, b), losses.wiou(a, b, **given))

    def test_cuda_graphs_can_capture_losses(self, torch):
        """Neither a value that is read, nor a copy from the host, nor a shape that depends on values."""
        from torch.utils._python_dispatch import TorchDispatchMode

        seen = []

        class Names(TorchDispatchMode):
            def __torch_dispatch__(self, function, types, args=(), kwargs=None):
                seen.append(function._schema.name.removeprefix("aten::"))
                return function(*args, **(kwargs or {}))

        a, b = (torch.tensor(x).to("meta") for x in (A, B))
        where = torch.ones(A.shape[:-1], dtype=torch.bool, device="meta")
        with Names():
            losses.ciou(a.requires_grad_(), b, where=where, reduction="mean").backward()
            pairwise(boxes.giou, a, b)
        assert not {"_local_scalar_dense", "nonzero", "lift_fresh", "masked_select"} & set(seen)

    def test_functions_that_need_values_say_so(self, torch):
        from torch.fx.experimental.proxy_tensor import make_fx

        x = torch.ones(4, 4, dtype=torch.bool)
        with pytest.raises(TypeError, match="is traced, by jit, vmap, make_fx or the like, and this function needs"):
            make_fx(lambda x: masks.hausdorff(x, x))(x)

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


def _quads(torch, x):
    """Upright boxes (N, 4) -> their corners (N, 4, 2)."""
    (left, top, right, bottom), axis = x.unbind(-1), -1
    points = [(left, top), (right, top), (right, bottom), (left, bottom)]
    return torch.stack([torch.stack(point, axis) for point in points], -2)


def _trace(torch, tool, function, a, b):
    from torch.fx.experimental.proxy_tensor import make_fx

    def bare(a, b):  # make_fx takes no function with options by keyword
        return function(a, b)

    class Module(torch.nn.Module):
        def forward(self, a, b):
            return function(a, b)

    match tool:
        case "jit":
            return torch.jit.trace(function, (a, b), check_trace=False)
        case "make_fx":  # of static sizes
            return make_fx(bare)(a[:2], b[:2])
        case "symbolic":
            return make_fx(bare, tracing_mode="symbolic")(a, b)
        case "fx":
            return torch.fx.symbolic_trace(Module())
        case "export":
            sizes = {0: torch.export.Dim("n", min=2)}
            return torch.export.export(Module(), (a, b), dynamic_shapes=(sizes, sizes)).module()


class TestJax:
    @pytest.fixture
    def jax(self):
        jax = pytest.importorskip("jax")
        with jax.enable_x64(True):
            yield jax

    # The others are compiled by test_jax_modes.py.
    @pytest.mark.parametrize("name", ["loss", "log loss", "enclosing"])
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

    def test_functions_that_need_values_say_so(self, jax):
        message = "`.*` is traced, by jit, vmap, make_fx or the like, and this function needs its values"
        x = jax.numpy.ones((4, 4), dtype=bool)
        targets = detection.Targets(images=[0], labels=[0], boxes=jax.numpy.ones((1, 4)))
        calls = {
            "hausdorff": lambda x: masks.hausdorff(x, x),
            "encode": lambda x: rle.Masks.from_dense(x[None, ...]),
            "check": lambda x: boxes.check(x.astype(float)),
            "count": lambda x: panoptic.count(
                *[x[None, ..., None].astype(int).repeat(2, -1)] * 2, things=[0], stuff=[1]
            ),
            "evaluate": lambda x: detection.evaluate(
                targets, detection.Detections(images=[0], labels=[0], scores=[1.0], boxes=x[:1].astype(float))
            ).summary["AP"],
        }
        for call in calls.values():
            with pytest.raises(TypeError, match=message):
                jax.jit(call)(x)

    def test_eval_shape_of_pairwise(self, jax):
        shape = jax.ShapeDtypeStruct((5, 4), "float32")
        assert jax.eval_shape(partial(pairwise, boxes.giou), shape, shape).shape == (5, 5)
