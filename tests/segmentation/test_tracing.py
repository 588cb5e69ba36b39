"""Confusion counts where JAX and torch trace them, and where there are no integers of 64 bits."""

import numpy as np
import pytest

from omniou import segmentation
from tests.segmentation.test_segmentation import PREDICTION, TARGET


def split(values):
    jnp = pytest.importorskip("jax.numpy", reason="jax is not installed")
    return segmentation.SplitCounts.of(jnp.asarray(values, dtype=jnp.int32))


@pytest.mark.proves("no float64", "segmentation.confusion", library="jax")
def test_confusion_of_jax_without_x64_is_split_and_never_wraps():
    jax = pytest.importorskip("jax", reason="jax is not installed")
    with jax.enable_x64(False):
        target, prediction = (jax.numpy.asarray(x, dtype=jax.numpy.int32) for x in (TARGET, PREDICTION))
        counts = segmentation.confusion(target, prediction, 3, ignore_index=255)
        assert counts.tolist() == [[2, 1, 1], [0, 2, 0], [0, 0, 0]]
        assert segmentation.iou(counts).dtype == jax.numpy.float32
        np.testing.assert_allclose(segmentation.iou(counts), [2 / 4, 2 / 3, 0], rtol=1e-6)
        most = segmentation.SplitCounts.of(jax.numpy.full((2, 2), 2**31 - 1, dtype=jax.numpy.int32))
        total = sum([most] * 5)
        assert total.tolist() == [[5 * (2**31 - 1)] * 2] * 2
        np.testing.assert_allclose(segmentation.iou(total), [1 / 3, 1 / 3], rtol=1e-6)


@pytest.mark.proves("vmap", "segmentation.confusion", library="jax")
def test_split_counts_pass_transformations_of_jax():
    jax = pytest.importorskip("jax", reason="jax is not installed")
    jnp = jax.numpy
    with jax.enable_x64(False):
        target, prediction = jnp.zeros((4, 8), dtype=jnp.int32), jnp.ones((4, 8), dtype=jnp.int32)

        @jax.jit
        def scanned(target, prediction):
            def step(total, pair):
                return total + segmentation.confusion(*pair, 2), None

            start = segmentation.confusion(target[0], prediction[0], 2)
            return jax.lax.scan(step, start, (target[1:], prediction[1:]))[0]

        assert scanned(target, prediction).tolist() == [[0, 32], [0, 0]]
        each = jax.vmap(lambda *pair: segmentation.confusion(*pair, 2))(target, prediction)
        assert each.shape == (4, 2, 2)
        assert each.sum(axis=0).tolist() == [[0, 32], [0, 0]]
        # Part by part, as `psum` adds, and then carried.
        many = jax.tree.map(lambda x: jnp.sum(x, axis=0), split(np.full((2000, 1, 1), 2**20 - 1)))
        assert (many + split([[0]])).tolist() == [[2000 * (2**20 - 1)]]
        assert segmentation.iou(each, images="pool").tolist() == [0, 0]


def test_split_counts_do_not_add_to_arrays():
    with pytest.raises(TypeError, match="a SplitCounts adds to another alone, got ndarray"):
        split([[1]]) + np.ones((1, 1))


def test_confusion_refuses_pixels_beyond_the_integers_of_jax():
    jax = pytest.importorskip("jax", reason="jax is not installed")
    with jax.enable_x64(False):
        many = jax.ShapeDtypeStruct((2**16, 2**15), jax.numpy.int8)
        with pytest.raises(ValueError, match="pixels and cells must be at most 2147483647 in a call"):
            jax.eval_shape(lambda t: segmentation.confusion(t, t, 2), many)


@pytest.mark.proves("jit", "segmentation.confusion", library="jax")
def test_confusion_is_traced_by_jax():
    jax = pytest.importorskip("jax", reason="jax is not installed")
    target, prediction = (jax.numpy.asarray(x) for x in (TARGET, PREDICTION))

    def mean(target, prediction):
        return segmentation.iou(segmentation.confusion(target, prediction, 3, ignore_index=255), average="macro")

    np.testing.assert_allclose(jax.jit(mean)(target, prediction), (2 / 4 + 2 / 3 + 0) / 3, rtol=1e-6)


def test_confusion_is_traced_by_torch():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    target, prediction = (torch.tensor(x) for x in (TARGET, PREDICTION))

    def count(target, prediction):
        return segmentation.confusion(target, prediction, 3, ignore_index=255)

    expected = [[2, 1, 1], [0, 2, 0], [0, 0, 0]]
    assert torch.compile(count, fullgraph=True, backend="eager")(target, prediction).tolist() == expected
    stacked = (torch.stack([x, x]) for x in (target, prediction))
    assert torch.func.vmap(count)(*stacked).tolist() == [expected] * 2
    on_meta = (x.to("meta") for x in (target, prediction))
    assert count(*on_meta).shape == (3, 3)


def test_confusion_of_torch_counts_alike_with_and_without_bincount(monkeypatch):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    from omniou._lib import indexing

    rng = np.random.default_rng(3)
    target, prediction = (torch.from_numpy(x) for x in rng.integers(-1, 5, (2, 100)))
    weight = torch.from_numpy(rng.random(100))
    expected = [segmentation.confusion(target, prediction, 4, weight=w, ignore_index=(-1, 4)) for w in (None, weight)]
    monkeypatch.setattr(indexing, "_is_read_at_once", lambda *_: False)
    actual = [segmentation.confusion(target, prediction, 4, weight=w, ignore_index=(-1, 4)) for w in (None, weight)]
    torch.testing.assert_close(actual, expected)


def test_classes_of_scores_are_found_by_the_maximum_in_torch():
    """`argmax` along an axis other than the last takes up to 15 times as long."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    from torch.utils._python_dispatch import TorchDispatchMode

    seen = []

    class Names(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            seen.append(function._schema.name.removeprefix("aten::"))
            return function(*args, **(kwargs or {}))

    scores = torch.rand(2, 3, 4, 4, requires_grad=True)
    with Names():
        segmentation.confusion(torch.zeros(2, 4, 4, dtype=torch.int64), scores, 3, class_axis=1)
    assert "max" in seen
    assert "argmax" not in seen
