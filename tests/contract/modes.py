"""How a call of `calls` is made of the arrays of a library, and its result compared with that of NumPy in float64."""

import dataclasses
import importlib.util

import array_api_compat as compat
import numpy as np
import pytest

from tests.contract.calls import calls
from tests.helpers import numbers

CALLS = calls()
# Whose values are needed at once: what depends on them are shapes, or loops on the host.
HOST = ["masks.average_surface_distance", "masks.hausdorff", "masks.signed_distance", "masks.components"]
SEGMENTS = ["panoptic.count", "panoptic.count_instances", "panoptic.count_tracks", "panoptic.count_video"]
BY_VALUE = [*HOST, *SEGMENTS, "matching.coco", "nms.merge", "nms.weighted_fusion"]
EAGER = [*BY_VALUE, "matching.hungarian"]
# What SciPy computes.
_OF_SCIPY = {*HOST, "matching.hungarian"}
_without = pytest.mark.skipif(importlib.util.find_spec("scipy") is None, reason="SciPy is not installed")
every = pytest.mark.parametrize("name", [pytest.param(x, marks=_without) if x in _OF_SCIPY else x for x in CALLS])


def only_in(request, name):
    """Skip the tests of a library in the sessions of others."""
    if (request.config.getoption("--xp") or name).removesuffix("_jit") != name:
        pytest.skip(f"{name} is tested in its own session")


def leaves(x):
    """The arrays of a result: its fields, keys and items, one after the other."""
    if isinstance(x, dict):
        return [y for value in x.values() for y in leaves(value)]
    if isinstance(x, tuple | list):
        return [y for value in x for y in leaves(value)]
    if dataclasses.is_dataclass(x):
        return leaves([getattr(x, field.name) for field in dataclasses.fields(x)])
    return [] if x is None else [x]


def given(name, convert):
    """Arrays of a call, by position and by name."""
    call = CALLS[name]
    return [convert(x) for x in call.arrays], {key: convert(x) for key, x in call.named.items()}


def expected(name, rounded=lambda x: x):
    """What NumPy makes in float64 of arrays that are rounded before."""
    arrays, named = given(name, lambda x: np.asarray(rounded(x), dtype=x.dtype))
    return CALLS[name].function(*arrays, **named)


def compare(result, wanted, like=None, tolerance=1e-9):
    """`like`: an array, of whose library and device the arrays of the result must be."""
    for x, y in zip(leaves(result), leaves(wanted), strict=True):
        if like is not None and not isinstance(x, bool | int | float):
            assert compat.array_namespace(x) is compat.array_namespace(like)
            assert compat.device(x) == compat.device(like)
        found = numbers(x) if hasattr(x, "dtype") else x
        assert np.shape(found) == np.shape(y)
        np.testing.assert_allclose(found, np.asarray(y), rtol=tolerance, atol=tolerance)


def of_floats(convert):
    """Convert arrays of floats, and leave others as they are."""
    return lambda x: convert(x) if x.dtype.kind == "f" else x


def twice(stack, arrays):
    """Each array as two rows that are equal."""
    return [stack([x, x]) for x in arrays]


def rows(result, k):
    """Row k of all arrays of a result."""
    return [x[k] for x in leaves(result)]
