"""The array libraries that each test of the contract runs on: `--xp NAME` picks one."""

import contextlib
import importlib
import os
from collections.abc import Iterator
from typing import Any

import pytest

# Name -> the module that follows the standard.
LIBRARIES = {
    "numpy": "array_api_compat.numpy",
    "strict": "array_api_strict",
    "torch": "array_api_compat.torch",
    "jax": "jax.numpy",  # eager: every operation on its own
    "jax_jit": "jax.numpy",  # as shipped: functions compile themselves
    "dask": "array_api_compat.dask.array",
}

# The tests of compiled loops say themselves when to take them.
os.environ.pop("OMNIOU_LOOPS", None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--xp", choices=list(LIBRARIES), help="run on this array library alone")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "computes(why): needs values at once, which lazy arrays have not")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "xp" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("--xp")
        metafunc.parametrize("xp", [chosen] if chosen else list(LIBRARIES), indirect=True)


@pytest.fixture
def xp(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The namespace of one array library."""
    name = request.param
    try:
        module = importlib.import_module(LIBRARIES[name])
    except ImportError:
        if request.config.getoption("--xp"):
            raise  # it was asked for
        pytest.skip(f"{name.partition('_')[0]} is not installed")
    lazy = request.node.get_closest_marker("computes")
    if name == "dask" and lazy:
        pytest.skip(f"Dask arrays are lazy: {lazy.args[0]}")
    with contextlib.ExitStack() as stack:
        if name.startswith("jax"):
            import jax

            # float64 is part of the contract; a test of its own looks at JAX without it.
            stack.enter_context(jax.enable_x64(True))
            if name == "jax":
                stack.enter_context(jax.disable_jit())
        yield module


@pytest.fixture(scope="module", params=["arrays", "loops"])
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """By the kernels of arrays, and by compiled loops, however little there is."""
    from omniou import _loops

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_loops, "_MANY", 0 if request.param == "loops" else float("inf"))
        if request.param == "loops":
            pytest.importorskip("numba", reason="numba is not installed")
            assert _loops.load()
        yield request.param
