"""Tensors of a device that is not the CPU: the same numbers, back on that device."""

import pytest
import torch

from tests import fake_device
from tests.integrations.devices import computed
from tests.integrations.metrics import EVERY, data
from tests.integrations.processes import found_by
from tests.integrations.samples import pairs
from tests.integrations.test_torchmetrics_processes import assert_same, whole


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    (found,) = found_by("tests.integrations.devices", [0], tmp_path_factory.mktemp("devices"))
    return found


@pytest.mark.parametrize("name", EVERY)
def test_metrics(there, name):
    found, devices = there[name]
    assert_same(found, whole(name))
    assert set(devices.values()) <= {fake_device.NAME}


@pytest.mark.parametrize("name", EVERY)
def test_batches_of_two_devices(there, name):
    metric = EVERY[name].make()
    for images in zip(*data(), strict=True):
        metric.update(*([x] for x in images))
    assert_same(there["mixed", name], metric.compute())


def test_scores_losses_and_evaluation(there):
    assert set(there["devices"].values()) == {fake_device.NAME}
    torch.testing.assert_close(there["computed"], computed(*pairs()), rtol=1e-6, atol=1e-7, equal_nan=True)


def test_two_devices_in_one_call_is_an_error(there):
    assert there["error"] == "`a` and `b` must be arrays of one device, got fake:0 for `a`, cpu for `b`"
