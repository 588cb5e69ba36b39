"""Counts of pixels stay exact where the dtypes that count them are too narrow, with the dtypes made narrower."""

import importlib
import pkgutil

import numpy as np
import pytest

from omniou import _kernels, masks, pairwise
from omniou._lib import accel, backends
from tests.helpers import numbers


def patch_constant(monkeypatch, name, value):
    """Patch a constant of masks in whichever kernel module has it."""
    modules = [importlib.import_module(x.name) for x in pkgutil.iter_modules(_kernels.__path__, "omniou._kernels.")]
    found = [x for x in modules if hasattr(x, name) and "mask" in x.__name__]
    assert found, f"no kernel module of masks has {name}"
    for module in found:
        monkeypatch.setattr(module, name, value)


@pytest.fixture
def narrow(xp, request, monkeypatch):
    """float16 in place of float32, which counts to 2**11 exactly, and int16 in place of int32."""
    if not hasattr(xp, "float16") or request.node.callspec.params["xp"] not in {"numpy", "torch"}:
        pytest.skip("the dtypes of this library cannot be patched")
    monkeypatch.setattr(accel, "module", lambda _: None)
    namespace = backends.array_namespace(xp.zeros(1))
    monkeypatch.setattr(namespace, "float32", xp.float16)
    monkeypatch.setattr(namespace, "int32", xp.int16)
    patch_constant(monkeypatch, "EXACT", 2**11)
    patch_constant(monkeypatch, "NARROW", 2**13)
    return xp


@pytest.mark.parametrize("size", [(1, 2048), (3, 683), (2, 4097), (90, 91), (128, 129), (200, 201)])
def test_counts_of_pairs_are_exact_beyond_narrow_dtypes(narrow, size):
    xp = narrow
    on = np.ones((3, *size))
    on[1, 0, 0] = on[2, :, : size[1] // 2] = 0
    flat = on.reshape(3, -1)
    shared, area = flat @ flat.T, flat.sum(axis=1)
    a = xp.asarray(on)  # float64, so that only counts are narrow
    assert numbers(pairwise(masks.intersection, a, a, threshold=0.5)).tolist() == shared.tolist()
    total = area[:, None] + area[None, :]
    np.testing.assert_allclose(numbers(masks.pairwise_iou(a, a, threshold=0.5)), shared / (total - shared), rtol=1e-15)
    np.testing.assert_allclose(numbers(pairwise(masks.dice, a, a, threshold=0.5)), 2 * shared / total, rtol=1e-15)
    np.testing.assert_allclose(numbers(pairwise(masks.tversky, a, a, threshold=0.5)), 2 * shared / total, rtol=1e-15)
