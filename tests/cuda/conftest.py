"""The device of these tests: `--device`, the CPU without it."""

import pytest

from tests.integrations import conftest  # noqa: F401  (torchvision before torchmetrics)


@pytest.fixture(scope="session")
def device(pytestconfig: pytest.Config) -> str:
    return pytestconfig.getoption("--device") or "cpu"
