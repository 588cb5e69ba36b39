"""Every function of arrays with those of each library, and in 16 bits: cells of docs/supported.md.

The numbers of NumPy in float64 are what others are compared with; tests of the functions say that they are right.
"""

import importlib

import array_api_compat as compat
import numpy as np
import pytest

from tests.contract.modes import CALLS, SEGMENTS, compare, every, expected, given, leaves, of_floats

# Inside, or in what they return, there are shapes that depend on values.
SHAPED = {"pairwise_sparse", *SEGMENTS, "matching.coco"}


@every
def test_results_tell_right_from_wrong(name):
    """What is compared is not the same number throughout: what computes nothing could return that, too."""
    found = np.concatenate([np.asarray(x, dtype=float).ravel() for x in leaves(expected(name))])
    assert found.any()
    assert found.size < 3 or np.ptp(found[np.isfinite(found)]) > 0


@pytest.mark.proves("eager")
@pytest.mark.computes("see test_dask_modes.py")
@every
def test_arrays_of_a_library_as_those_of_numpy(xp, name, request):
    if compat.is_numpy_namespace(xp):
        pytest.skip("what the others are compared with")
    if compat.is_jax_namespace(xp) and not request.config.getoption("--device"):
        pytest.skip("see test_jax_modes.py")
    if compat.is_array_api_strict_namespace(xp) and name in SHAPED:
        flags = importlib.import_module("array_api_strict").get_array_api_strict_flags()
        if not flags["data_dependent_shapes"]:
            pytest.skip("shapes that depend on values are switched off")
    arrays, named = given(name, lambda x: xp.asarray(x.tolist(), dtype=getattr(xp, x.dtype.name)))
    compare(CALLS[name].function(*arrays, **named), expected(name), arrays[0])


@pytest.mark.proves("16 bits", library="numpy")
@every
def test_float16_of_numpy_as_its_numbers_in_float64(name):
    arrays, named = given(name, of_floats(lambda x: x.astype(np.float16)))
    compare(CALLS[name].function(*arrays, **named), expected(name, of_floats(np.float16)), tolerance=4e-3)
