"""Several processes give what one gives: to the last bit, whatever the shards, in a fixed number of collectives."""

import pytest
import torch

from tests.integrations.metrics import EVERY, data
from tests.integrations.processes import found_by
from tests.integrations.ranks import SHARDS, shard


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    """What each process found: they are started once for all tests."""
    statuses = [0, 0, 1]  # the last one dies on purpose
    return found_by("tests.integrations.ranks", statuses, tmp_path_factory.mktemp("ranks"))


def whole(name, times=1):
    metric = EVERY[name].make()
    for _ in range(times):
        metric.update(*data())
    return metric.compute()


def assert_same(found, expected):
    torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("shards", SHARDS)
def test_shards(ranks, shards, name):
    for found in ranks[: len(SHARDS[shards])]:
        result, calls = found[shards, name]
        assert_same(result, whole_by(shards, name))
        assert sorted(calls) == ["all_gather", "all_gather", "barrier"]
        assert_same(found[shards, name, "twice"][0], whole_by(shards, name, times=2))


@pytest.mark.parametrize("name", EVERY)
def test_mixed_devices(ranks, name):
    for found in ranks[:2]:
        assert_same(found["mixed devices", name][0], whole_by("interleaved on three", name))


def whole_by(shards, name, times=1):
    """A single process; the numbers of images, which are in the keys of `ious`, go by turns."""
    metric = EVERY[name].make()
    turns = sorted(
        (place, rank) for rank, numbers in enumerate(SHARDS[shards]) for place in range(times * len(numbers))
    )
    order = [[*SHARDS[shards][rank]] * times for rank in range(len(SHARDS[shards]))]
    metric.update(*shard([order[rank][place] for place, rank in turns]))
    return metric.compute()


@pytest.mark.parametrize("name", EVERY)
def test_result_does_not_depend_on_order_of_images(name):
    """So that the test above compares with a single process that has the images in their own order."""
    for shards in SHARDS:
        found, expected = whole_by(shards, name), whole(name)
        assert_same(*({key: x for key, x in one.items() if not key.endswith("ious")} for one in (found, expected)))


@pytest.mark.parametrize("name", EVERY)
def test_a_process_that_sees_no_class(ranks, name):
    expected = EVERY[name].make()
    expected.update(*data())
    for found in ranks:
        result = found["a process that sees no class", name][0]
        keys = [key for key in result if not key.endswith("ious")]
        assert_same({key: result[key] for key in keys}, {key: expected.compute()[key] for key in keys})


@pytest.mark.parametrize("name", EVERY)
def test_at_each_step(ranks, name):
    for found in ranks:
        assert_same(found["at each step", name][0], whole_by("interleaved on three", name))


@pytest.mark.parametrize("name", ["iou", "map"])
def test_a_process_that_dies(ranks, name):
    alone = EVERY[name].make()
    alone.update(*shard(range(6)))
    for found in ranks[:-1]:
        assert found["survivor", name, "error"]
        assert_same(found["survivor", name][0], alone.compute())
