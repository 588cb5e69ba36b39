"""Every score and loss is lowered for GPUs and TPUs, on a machine without one."""

import numpy as np
import pytest

from omniou import pairwise
from tests.functions import cases, shapes

jax = pytest.importorskip("jax")

ALL = cases()
# The loss contains the score.
CASES = {name: case for name, case in ALL.items() if f"losses.{name}" not in ALL}
# What JAX cannot lower for both, by name, with its reason.
UNABLE: dict[str, str] = {}


@pytest.fixture(scope="module", autouse=True)
def _once(request):
    if request.config.getoption("--xp") not in {None, "jax_jit"}:
        pytest.skip("JAX compiles in its own session")


def lowered(function, geometry):
    """The platforms that a function of two shapes is lowered for."""
    a, b = (shapes(geometry, seed, 8) for seed in (1, 2))
    dtypes = np.float32, np.int32 if geometry == "maps" else np.float32
    given = [jax.ShapeDtypeStruct(x.shape, dtype) for x, dtype in zip((a, b), dtypes, strict=True)]
    return jax.export.export(jax.jit(function), platforms=["cuda", "tpu"])(*given).platforms


@pytest.mark.proves("export", library="jax")
@pytest.mark.parametrize("name", CASES)
def test_function_is_lowered_for_cuda_and_tpu(name):
    if name in UNABLE:
        pytest.skip(UNABLE[name])
    case = CASES[name]
    function = case.function
    if case.loss:
        function = jax.value_and_grad(lambda a, b: case.function(a, b).sum())
    assert lowered(function, case.geometry) == ("cuda", "tpu")


@pytest.mark.parametrize("name", ["boxes.ciou", "rotated.iou", "boxes3d.iou", "polygons.iou", "masks.iou"])
def test_pairs_are_lowered_for_cuda_and_tpu(name):
    case = ALL[name]
    assert lowered(lambda a, b: pairwise(case.function, a, b), case.geometry) == ("cuda", "tpu")
