"""Suppression in a fixed size inside compilers of JAX and torch, and its gradients."""

import subprocess
import sys
from functools import partial

import numpy as np
import pytest

from omniou import nms
from tests.nms.reference import crowd
from tests.nms.reports import HARD, U
from tests.places import ROOT

B = [U, [0, 0, 10, 6], [20, 20, 30, 30], [0, 0, 10, 9]]
S = [0.9, 0.8, 0.7, 0.95]
THREE, SCORES = [U, [0, 0, 10, 5], [0, 0, 10, 9]], [0.9, 0.8, 0.85]


# Each compiles for a second or two: ties, thresholds, groups, limits.
@pytest.mark.parametrize("report", [HARD[k] for k in (2, 4, 5, 7, 12, -1)], ids=lambda x: x.where)
def test_hard_of_reports_inside_jax_jit(report):
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    options = dict(report.given)
    groups = options.pop("groups", [0] * len(report.boxes))
    call = jax.jit(lambda x, s, g: nms.hard(x, s, report.threshold, groups=g, size=3, **options))
    arrays = (jnp.asarray(report.boxes, jnp.float32), jnp.asarray(report.scores), jnp.asarray(groups))
    out = call(*arrays)
    assert out.indices.tolist() == (report.kept + [-1] * 3)[:3]
    assert out.count == len(report.kept)
    assert np.nonzero(out.mask)[0].tolist() == sorted(report.kept)


class TestHard:
    def test_jax_jit_and_vmap_equal_eager(self):
        jax = pytest.importorskip("jax")
        x, s = (np.stack(x).astype(np.float32) for x in zip(*(crowd(k, 20) for k in range(3)), strict=True))
        g = np.random.default_rng(0).integers(0, 2, (3, 20))
        out = jax.jit(jax.vmap(lambda x, s, g: nms.hard(x, s, 0.3, size=6, limit=9, groups=g)))(x, s, g)
        expected = nms.hard(x, s, 0.3, size=6, limit=9, groups=g)
        for got, want in zip(out, expected, strict=True):
            np.testing.assert_array_equal(got, want)
        mask = jax.jit(lambda x, s: nms.hard(x, s, 0.3, output="mask"))(x[0], s[0])
        np.testing.assert_array_equal(mask, nms.hard(x[0], s[0], 0.3, output="mask"))

    def test_torch_compile_and_vmap_equal_eager(self):
        torch = pytest.importorskip("torch")
        x, s = (np.stack(x) for x in zip(*(crowd(k, 20) for k in range(3)), strict=True))
        x, s = torch.tensor(x), torch.tensor(s)

        def call(x, s):
            return nms.hard(x, s, 0.3, size=6, limit=9)

        torch.compiler.reset()
        expected = call(x, s)
        for out in (torch.compile(call, fullgraph=True, backend="aot_eager")(x, s), torch.func.vmap(call)(x, s)):
            for got, want in zip(out, expected, strict=True):
                torch.testing.assert_close(got, want)

    def test_nan_score_is_never_kept_under_tracers(self):
        jax = pytest.importorskip("jax")
        x, s = np.asarray([U, U, U, U], np.float32), np.asarray([0.9, np.nan, 0.8, np.nan], np.float32)
        out = jax.jit(lambda x, s: nms.hard(x, s, 0.5, size=3))(x, s)
        assert out.indices.tolist() == [0, -1, -1]
        alone = jax.jit(lambda x, s: nms.hard(x, s, 0.5, size=3))(x[1:2], s[1:2])
        assert alone.count == 0

    def test_fixed_size_of_no_boxes(self):
        jax = pytest.importorskip("jax")
        x, s = np.zeros((0, 4)), np.zeros(0)
        for function in (
            lambda x, s: nms.hard(x, s, 0.5, size=2),
            *(partial(f, size=2) for f in (nms.soft, nms.matrix)),
        ):
            out = jax.jit(function)(x, s)
            assert out.indices.tolist() == [-1, -1]
            assert out.scores.tolist() == [0, 0]
            assert out.count == 0

    def test_jax_promotes_nothing(self):
        jax = pytest.importorskip("jax")
        x, s, g = (
            jax.numpy.asarray(THREE, "float16"),
            jax.numpy.asarray(SCORES, "float16"),
            jax.numpy.asarray([0, 0, 0]),
        )
        with jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
            for function in (lambda *a, **k: nms.hard(*a, 0.5, **k), nms.soft, partial(nms.matrix, method="linear")):
                out = jax.jit(lambda x, s, g, f=function: f(x, s, groups=g, size=2, limit=2, score_threshold=0.1))(
                    x, s, g
                )
                assert out.scores.dtype == "float16"

    def test_make_fx_and_meta(self):
        torch = pytest.importorskip("torch")
        from torch.fx.experimental.proxy_tensor import make_fx

        x, s = torch.tensor(B).float(), torch.tensor(S)
        graph = make_fx(lambda x, s: nms.hard(x, s, 0.5, size=3))(x, s)
        assert graph(x, s).indices.tolist() == [3, 2, -1]
        assert nms.hard(x.to("meta"), s.to("meta"), 0.5, size=3).indices.shape == (3,)

    def test_indices_without_size_raise_under_tracers(self):
        jax = pytest.importorskip("jax")
        with pytest.raises(TypeError, match="`size` must be given where values are traced"):
            jax.jit(lambda x, s: nms.hard(x, s, 0.5))(np.asarray(B, float), np.asarray(S))

    def test_gradient_of_fixed_scores(self):
        torch = pytest.importorskip("torch")
        s = torch.tensor(S, requires_grad=True)
        nms.hard(torch.tensor(B).float(), s, 0.5, size=3).scores.sum().backward()
        assert s.grad.tolist() == [0, 0, 1, 1]


class TestSoft:
    @pytest.mark.parametrize("function", [nms.soft, nms.matrix])
    @pytest.mark.parametrize("method", ["gaussian", "linear"])
    def test_jax_equals_eager(self, function, method):
        jax = pytest.importorskip("jax")
        x, s = (np.stack(x).astype(np.float32) for x in zip(*(crowd(k, 15) for k in range(2)), strict=True))
        g = np.random.default_rng(0).integers(0, 2, (2, 15))

        def call(x, s, g):
            return function(x, s, method=method, size=6, groups=g, score_threshold=0.1)

        expected = call(x, s, g)
        for got, want in zip(jax.jit(jax.vmap(call))(x, s, g), expected, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-5)

    @pytest.mark.parametrize("function", [nms.soft, nms.matrix])
    def test_torch_equals_eager(self, function):
        torch = pytest.importorskip("torch")
        x, s = (torch.tensor(np.stack(x)) for x in zip(*(crowd(k, 15) for k in range(2)), strict=True))

        def call(x, s):
            return function(x, s, size=6)

        torch.compiler.reset()
        expected = call(x, s)
        for out in (torch.compile(call, fullgraph=True, backend="aot_eager")(x, s), torch.func.vmap(call)(x, s)):
            for got, want in zip(out, expected, strict=True):
                torch.testing.assert_close(got, want)

    @pytest.mark.parametrize("function", [nms.soft, nms.matrix])
    @pytest.mark.parametrize("method", ["gaussian", "linear"])
    def test_gradient_by_scores_is_the_factor(self, function, method):
        torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
        new = function(THREE, SCORES, method=method, output="scores")
        expected = new / np.asarray(SCORES)
        s = torch.tensor(SCORES, dtype=torch.float64, requires_grad=True)
        function(torch.tensor(THREE).double(), s, method=method).scores.sum().backward()
        np.testing.assert_allclose(s.grad, expected)
        x = jax.numpy.asarray(THREE, float)
        grad = jax.grad(lambda s: function(x, s, method=method, output="scores").sum())(jax.numpy.asarray(SCORES))
        np.testing.assert_allclose(grad, expected, rtol=1e-5)

    def test_gradient_by_boxes_is_finite(self):
        torch = pytest.importorskip("torch")
        x = torch.tensor([*THREE, U, [0, 0, 0, 0]], dtype=torch.float64, requires_grad=True)
        s = torch.tensor([*SCORES, 0.5, 0.4])
        for function in (nms.soft, nms.matrix):
            for method in ("gaussian", "linear"):
                (grad,) = torch.autograd.grad(function(x, s, method=method, output="scores").sum(), x)
                assert grad.isfinite().all()
                assert grad.any()

    def test_nan_score_is_never_kept(self):
        jax = pytest.importorskip("jax")
        s = np.asarray([0.9, np.nan, 0.8])
        out = jax.jit(lambda x, s: nms.soft(x, s, size=3))(np.asarray(THREE, float), s)
        assert out.indices.tolist() == [0, 2, -1]
        assert np.isfinite(out.scores).all()


# A process of its own, which keeps the fake device.
ON_DEVICE = """
import torch
from omniou import nms
from tests import fake_device

with fake_device.device():
    x = torch.tensor([[0, 0, 10, 10], [0, 0, 10, 5], [0, 0, 10, 9.0]]).to("fake")
    s = torch.tensor([0.9, 0.8, 0.85]).to("fake")
    for function in (lambda x, s, **given: nms.hard(x, s, 0.5, **given), nms.soft, nms.matrix):
        out, waits = fake_device.counted(lambda: function(x, s, size=4))
        assert fake_device._Settings.copies == 0
        assert waits <= 3, waits  # a boolean after each round
        assert all(y.device.type == "fake" for y in out)
        assert out.indices.tolist()[:2] == [0, 1]
        indices = function(x, s)
        assert (indices if isinstance(indices, torch.Tensor) else indices.indices).tolist()[:2] == [0, 1]
    models = torch.tensor([0, 1, 2]).to("fake")
    assert nms.weighted_fusion(x, s, 0.5, models=models).boxes.device.type == "fake"
    assert nms.merge(x, s, 0.5).clusters.tolist() == [0, 1, 0]
"""


def test_fixed_size_stays_on_the_device():
    pytest.importorskip("torch")
    done = subprocess.run([sys.executable, "-c", ON_DEVICE], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
