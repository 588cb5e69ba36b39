"""The array libraries that each test of the contract runs on: `--xp NAME` picks one."""

import contextlib
import functools
import importlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import devices, proved
from tests.places import NEEDS

with contextlib.suppress(ImportError):
    import hypothesis

    # The first call may compile a kernel; no test asserts a time.
    hypothesis.settings.register_profile("omniou", deadline=None)
    hypothesis.settings.load_profile("omniou")

# Name -> the module that follows the standard.
LIBRARIES = {
    "numpy": "array_api_compat.numpy",
    "strict": "array_api_strict",
    "torch": "array_api_compat.torch",
    "jax": "jax.numpy",  # eager: every operation on its own
    "jax_jit": "jax.numpy",  # as shipped: functions compile themselves
    "dask": "array_api_compat.dask.array",
    "cupy": "array_api_compat.cupy",  # only where it is asked for: it needs a GPU
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--xp", choices=list(LIBRARIES), help="run on this array library alone")
    parser.addoption("--device", help="make the arrays of `xp` on this device, such as cuda; device1 of strict")


def pytest_configure(config: pytest.Config) -> None:
    proved.pytest_configure(config)
    config.addinivalue_line("markers", "computes(why): needs values at once, which lazy arrays have not")
    config.addinivalue_line(
        "markers", "compiles(*values): JAX takes seconds to compile each: only parameters of these values where it does"
    )
    config.addinivalue_line("markers", "mixes: passes arrays of several dtypes or ranks, which JAX promotes")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "xp" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("--xp")
        metafunc.parametrize("xp", [chosen] if chosen else list(LIBRARIES)[:-1], indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    chosen = (config.getoption("--xp") or "numpy").removesuffix("_jit")
    if chosen != "numpy":  # whole files that lean on no array library run where NumPy does, once
        elsewhere = {x for x in items if not re.search(rf"\bxp\b|{chosen}", _source(x.path))}
        config.hook.pytest_deselected(items=list(elsewhere))
        items[:] = [x for x in items if x not in elsewhere]
    for item in items:
        marker = item.get_closest_marker("compiles")
        params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        named = {x if isinstance(x, str) else getattr(x, "__name__", "") for x in params.values()}
        if marker and named & {"jax_jit", "jax_gradient"} and not named & {*marker.args}:
            why = f"JAX compiles each case anew, which takes seconds: {', '.join(marker.args)} stand for all"
            item.add_marker(pytest.mark.skip(reason=why))


@functools.cache
def _source(path: Path) -> str:
    return path.read_text("utf-8")


@pytest.fixture(scope="module", autouse=True)
def _forget_what_jax_compiled(request: pytest.FixtureRequest) -> Iterator[None]:
    """Each compiled function maps memory, and one process may not have as many maps as all tests compile functions."""
    yield
    if request.config.getoption("--xp") == "jax_jit":
        importlib.import_module("jax").clear_caches()


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
    device = request.config.getoption("--device")
    if lazy and "checked where they are known" in lazy.args[0] and device not in {None, "cpu", "device1"}:
        pytest.skip(f"{device} would be waited for: {lazy.args[0]}")
    with contextlib.ExitStack() as stack:
        if name.startswith("jax"):
            import jax

            # float64 is part of the contract; a test of its own looks at JAX without it.
            stack.enter_context(jax.enable_x64(True))
            if name == "jax":
                stack.enter_context(jax.disable_jit())
            # No dtype or rank of a result is left to JAX's rules of promotion. Those that the contract mixes, tests ask
            # for.
            if not request.node.get_closest_marker("mixes"):
                stack.enter_context(jax.numpy_dtype_promotion("strict"))
                stack.enter_context(jax.numpy_rank_promotion("raise"))
        yield devices.OnDevice(module, devices.named(device, module)) if device else module


@pytest.fixture(scope="module", params=["arrays", "numba"])
def mask_kernels(request: pytest.FixtureRequest) -> Iterator[str]:
    """Masks by arrays, and by the compiled loops of the extra `fast`."""
    from omniou._lib import accel

    with pytest.MonkeyPatch.context() as patch:
        if request.param == "numba":
            pytest.importorskip("numba", reason="numba is not installed")
            patch.setattr(accel, "SWITCH", "numba")
        yield request.param


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: Any) -> Iterator[None]:
    """Say in one line which tests need data that are not here: a run that left them out is not a whole one."""
    yield
    reasons = [x.longrepr[2] for x in terminalreporter.stats.get("skipped", []) if isinstance(x.longrepr, tuple)]
    missing = Counter(text.partition(NEEDS)[2] for text in reasons if NEEDS in text)
    if missing:
        names = ", ".join(f"{name} ({count})" for name, count in sorted(missing.items()))
        terminalreporter.write_line(f"{missing.total()} tests did not run without ../shared: {names}", yellow=True)
