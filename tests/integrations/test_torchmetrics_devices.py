"""Results on a fake device equal those on the CPU, and are on that device."""

import pytest
import torch

from tests import fake_device
from tests.integrations.devices import computed
from tests.integrations.metrics import EVERY, data
from tests.integrations.processes import results_of
from tests.integrations.samples import pairs
from tests.integrations.test_torchmetrics_processes import assert_same, single_process


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    (results,) = results_of("tests.integrations.devices", [0], tmp_path_factory.mktemp("devices"))
    return results


@pytest.mark.parametrize("name", EVERY)
def test_metrics_on_fake_device_equal_cpu(saved, name):
    result, devices = saved[name]
    assert_same(result, single_process(name))
    assert set(devices.values()) <= {fake_device.NAME}


@pytest.mark.parametrize("name", EVERY)
def test_metrics_of_images_on_two_devices_equal_cpu(saved, name):
    metric = EVERY[name].make()
    for images in zip(*data(), strict=True):
        metric.update(*([x] for x in images))
    assert_same(saved["mixed", name], metric.compute())


def test_functions_on_fake_device_equal_cpu(saved):
    assert set(saved["devices"].values()) == {fake_device.NAME}
    torch.testing.assert_close(saved["computed"], computed(*pairs()), rtol=1e-6, atol=1e-7, equal_nan=True)


def test_iou_of_two_devices_raises(saved):
    assert saved["error"] == "`a` and `b` must be arrays of one device, got fake:0 for `a`, cpu for `b`"
