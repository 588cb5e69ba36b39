"""JAX promotes no dtypes and ranks; torchvision, where it was built for another torch, comes before torchmetrics."""

import importlib.util
from collections.abc import Iterator
from typing import Any

import pytest

if importlib.util.find_spec("torchvision") and importlib.util.find_spec("torch"):
    # torchmetrics imports torchvision wherever it is installed.
    import tests.torchvision_ops  # noqa: F401


@pytest.fixture(autouse=True)
def _jax_promotes_nothing(request: pytest.FixtureRequest) -> Iterator[None]:
    mixes = request.node.get_closest_marker("mixes")
    if mixes or not request.path.name.startswith("test_jax") or not importlib.util.find_spec("jax"):
        yield
        return
    import jax

    with jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
        yield


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two workers of Dask."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as cluster,
        Client(cluster) as made,
    ):
        yield made
