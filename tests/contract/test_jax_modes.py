"""Every function of arrays with those of JAX: mapped, compiled and without float64, or refused."""

import functools

import pytest

from tests.contract.modes import BY_VALUE, CALLS, compare, expected, given, only_in, rows, twice

jax = pytest.importorskip("jax", reason="jax is not installed")

# Without integers of 64 bits counts are split: tests/segmentation/test_tracing.py.
MAPPED = [x for x in CALLS if x not in {*BY_VALUE, "segmentation.confusion"}]


@pytest.fixture(scope="module", autouse=True)
def _once(request):
    only_in(request, "jax")
    if request.config.getoption("--xp") == "jax":
        pytest.skip("operation by operation, what is compiled here would take minutes")


@pytest.mark.proves("jit", library="jax")
@pytest.mark.proves("vmap", library="jax")
@pytest.mark.proves("no float64", library="jax")
@pytest.mark.parametrize("name", MAPPED)
def test_vmap_inside_jit_without_float64_equals_numpy(name):
    arrays, named = given(name, jax.numpy.asarray)
    mapped = jax.jit(jax.vmap(functools.partial(CALLS[name].function, **named)))
    result = mapped(*twice(jax.numpy.stack, arrays))
    assert not any(x.dtype in ("float64", "int64") for x in jax.tree.leaves(result))
    compare(rows(result, 1), expected(name), tolerance=3e-4)


@pytest.mark.proves("jit", library="jax", value="refused")
@pytest.mark.proves("vmap", library="jax", value="refused")
@pytest.mark.parametrize("name", BY_VALUE)
def test_jit_and_vmap_are_refused(name):
    arrays, named = given(name, jax.numpy.asarray)
    function = functools.partial(CALLS[name].function, **named)
    for call, these in ((jax.jit(function), arrays), (jax.vmap(function), twice(jax.numpy.stack, arrays))):
        with pytest.raises(TypeError, match="is traced"):
            call(*these)
