"""Several processes give exactly the result of one, for any shards, in a fixed number of collectives."""

import pytest
import torch

from tests.integrations.metrics import EVERY, data
from tests.integrations.processes import results_of
from tests.integrations.ranks import SHARDS, shard


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    """Results of each process, which are started once for all tests."""
    statuses = [0, 0, 1]  # the last process exits early
    return results_of("tests.integrations.ranks", statuses, tmp_path_factory.mktemp("ranks"))


def single_process(name, times=1):
    metric = EVERY[name].make()
    for _ in range(times):
        metric.update(*data())
    return metric.compute()


def assert_same(actual, expected):
    torch.testing.assert_close(actual, expected, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("shards", SHARDS)
def test_processes_equal_single_process(ranks, shards, name):
    for saved in ranks[: len(SHARDS[shards])]:
        result, calls = saved[shards, name]
        assert_same(result, single_process_in_turns(shards, name))
        assert sorted(calls) == ["all_gather", "all_gather", "barrier"]
        assert_same(saved[shards, name, "twice"][0], single_process_in_turns(shards, name, times=2))


@pytest.mark.parametrize("name", EVERY)
def test_processes_on_two_devices_equal_single_process(ranks, name):
    for saved in ranks[:2]:
        assert_same(saved["mixed devices", name][0], single_process_in_turns("interleaved on three", name))


def single_process_in_turns(shards, name, times=1):
    """A single process with images in turns of the shards, as the image numbers in the keys of `ious` are."""
    metric = EVERY[name].make()
    turns = sorted(
        (place, rank) for rank, numbers in enumerate(SHARDS[shards]) for place in range(times * len(numbers))
    )
    order = [[*SHARDS[shards][rank]] * times for rank in range(len(SHARDS[shards]))]
    metric.update(*shard([order[rank][place] for place, rank in turns]))
    return metric.compute()


@pytest.mark.parametrize("name", EVERY)
def test_result_does_not_depend_on_order_of_images(name):
    """`single_process_in_turns`, with which other tests compare, equals a single process with images in order."""
    for shards in SHARDS:
        actual, expected = single_process_in_turns(shards, name), single_process(name)
        assert_same(*({key: x for key, x in one.items() if not key.endswith("ious")} for one in (actual, expected)))


@pytest.mark.parametrize("name", EVERY)
def test_process_without_classes(ranks, name):
    expected = EVERY[name].make()
    expected.update(*data())
    for saved in ranks:
        result = saved["a process that sees no class", name][0]
        keys = [key for key in result if not key.endswith("ious")]
        assert_same({key: result[key] for key in keys}, {key: expected.compute()[key] for key in keys})


@pytest.mark.parametrize("name", EVERY)
def test_sync_on_step(ranks, name):
    for saved in ranks:
        assert_same(saved["at each step", name][0], single_process_in_turns("interleaved on three", name))


@pytest.mark.parametrize("name", ["iou", "map"])
def test_exit_of_a_process_leaves_others_usable(ranks, name):
    alone = EVERY[name].make()
    alone.update(*shard(range(6)))
    for saved in ranks[:-1]:
        assert saved["survivor", name, "error"]
        assert_same(saved["survivor", name][0], alone.compute())
