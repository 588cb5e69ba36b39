"""Tiles of masks change no count."""

import numpy as np
import pytest

from omniou import masks, pairwise
from omniou._lib import accel
from tests.helpers import assert_close, numbers

pytestmark = pytest.mark.skipif(accel.SWITCH == "off", reason="OMNIOU_ACCEL=off: there are no tiles")


@pytest.fixture(params=[(1, 1), (3, 4), (32, 64)], ids=str)
def tiles(request, monkeypatch):
    module = accel.module("sparse_masks")
    rows, columns = request.param
    for name, value in {"MANY": 0, "LARGE": 0, "ROWS": rows, "COLUMNS": columns}.items():
        monkeypatch.setattr(module, name, value)
    called = []
    own = module.pairs
    monkeypatch.setattr(module, "pairs", lambda *args, **options: called.append(1) or own(*args, **options))
    return called


def drawn(count, seed):
    """Small and large blobs, noise, an empty and a full mask."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:13, :18]
    centre, size = rng.uniform(0, 15, (count, 2, 1, 1)), rng.uniform(1, 6, (count, 1, 1))
    out = (y - centre[:, 0]) ** 2 + (x - centre[:, 1]) ** 2 < size**2
    out[0], out[1], out[2] = rng.random((13, 18)) < 0.5, False, True
    return out


@pytest.mark.computes("there are no tiles")
@pytest.mark.parametrize("kind", ["sparse", "full"])
@pytest.mark.parametrize("memory", [1, 10**6])
def test_counts_in_tiles_equal_those_of_pixels(xp, tiles, kind, memory):
    a, b = drawn(8, 0), drawn(6, 1)
    if kind == "full":
        a, b = ~a, ~b
    expected = np.einsum("nhw,mhw->nm", a.astype(int), b.astype(int))
    union = a.sum((1, 2))[:, None] + b.sum((1, 2)) - expected
    p, q = xp.asarray(a), xp.asarray(b)
    assert numbers(pairwise(masks.intersection, p, q, memory=memory)).tolist() == expected.tolist()
    iou = expected / np.maximum(union, 1)
    assert_close(masks.pairwise_iou(p, q, memory=memory), iou)
    assert_close(masks.pairwise_iou(xp.asarray(0.9 * a), q, threshold=0.5, memory=memory), iou)
    assert numbers(masks.pairwise_iou(p[:0, ...], q)).shape == (0, 6)
    name = xp.__name__
    assert bool(tiles) == ("torch" in name or "compat.numpy" in name)


def test_few_or_small_masks_are_counted_at_once():
    module = accel.module("sparse_masks")
    large, small = np.zeros((3, 500, 500), dtype=bool), np.zeros((300, 28, 28), dtype=bool)
    assert module.applies(large, large, xp=np)
    assert not module.applies(large[:2], large, xp=np)
    assert not module.applies(small, small, xp=np)
    assert not module.applies(large[None], large, xp=np)


def test_differentiated_tensors_are_counted(tiles):
    torch = pytest.importorskip("torch")
    x = torch.rand(3, 5, 5, requires_grad=True)
    expected = numbers(masks.pairwise_iou(x.detach(), x.detach(), threshold=0.5))
    np.testing.assert_allclose(numbers(masks.pairwise_iou(x, x, threshold=0.5)), expected)
    assert tiles
    mapped = torch.func.vmap(lambda x: masks.pairwise_iou(x, x, threshold=0.5))(x.detach()[:, None])
    np.testing.assert_allclose(numbers(mapped)[:, 0, 0], 1.0)
