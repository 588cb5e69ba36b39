"""One process of three: computes every metric on its shard of the images and saves the results.

`python -m tests.integrations.ranks RANK STORE OUT`, for `test_torchmetrics_processes.py`.
"""

import datetime as dt
import os
import sys
import warnings

import torch
from torch import distributed

import tests.integrations.conftest  # noqa: F401  (before torchmetrics)
from omniou_integrations.torchmetrics import _map
from tests import fake_device
from tests.integrations.metrics import EVERY, data
from tests.integrations.samples import sample

WORLD = 3
NOTHING = [
    sample([])
    | {"scores": torch.zeros(0), "masks": torch.zeros(0, 9, 9, dtype=torch.bool), "keypoints": torch.zeros(0, 2, 2)}
]

# Name -> images of each process, by number; of as many processes as there are.
SHARDS = {
    "interleaved on three": [range(k, 12, 3) for k in range(3)],
    "uneven": [range(7), range(7, 9), range(9, 12)],
    "a process without images": [range(5), range(0), range(5, 12)],
    "two": [range(8, 12), range(8)],
    "two, one without images": [range(0), range(12)],
}
COLLECTIVES = ("all_gather", "barrier", "all_reduce", "broadcast", "all_gather_object", "gather")
calls = []


def counted(name):
    function = getattr(distributed, name)

    def call(*args, **kwargs):
        calls.append(name)
        return function(*args, **kwargs)

    return call


def shard(numbers):
    preds, target = data()
    return [preds[k] for k in numbers], [target[k] for k in numbers]


def filled(metric, numbers, step=2):
    """Update in batches; without images, `update` is not called."""
    for k in range(0, len(numbers), step):
        metric.update(*shard(numbers[k : k + step]))
    return metric


def run(rank, groups):
    results = {}
    for shards, numbers in SHARDS.items():
        if rank >= len(numbers):
            continue
        for name, case in EVERY.items():
            metric = case.make()
            metric.process_group = groups[len(numbers)]
            filled(metric, numbers[rank])
            calls.clear()
            results[shards, name] = metric.compute(), list(calls)
            # After `compute`, states are unsynchronised and can be updated. Torchmetrics caches a result until the next
            # update, so each process makes one.
            filled(metric, numbers[rank]).update([], [])
            results[shards, name, "twice"] = metric.compute(), []
    for name, case in EVERY.items():
        metric = case.make()
        metric.update(*(NOTHING, NOTHING) if rank else data())
        results["a process that sees no class", name] = metric.compute(), []
        metric = case.make()
        metric.dist_sync_on_step = True
        results["at each step", name] = metric(*shard(SHARDS["interleaved on three"][rank])), []
    for name, case in EVERY.items():
        metric, images = case.make(), shard(SHARDS["interleaved on three"][rank])
        if rank:  # images of all ranks but 0 are on the fake device
            with fake_device.device():
                metric.update(*fake_device.moved(images))
        else:
            metric.update(*images)
        results["mixed devices", name] = metric.compute(), []
    return results


def after_exit_of_last(rank):
    """The last process has exited: `compute` raises in the others, and their states stay usable."""
    results = {}
    if rank == WORLD - 1:
        return results
    for name in ("iou", "map"):
        metric = filled(EVERY[name].make(), range(4))
        try:
            metric.compute()
        except RuntimeError as error:
            results["survivor", name, "error"] = str(error)
        metric.update(*shard(range(4, 6)))
        metric._to_sync = False
        results["survivor", name] = metric.compute(), []
    return results


def main(rank, store, out):
    torch.set_num_threads(1)
    _map.PENDING_BYTES = 2000  # some images are matched before synchronisation, others are pending
    warnings.simplefilter("ignore")  # torchmetrics: `compute()` before `update()`
    distributed.init_process_group("gloo", f"file://{store}", dt.timedelta(seconds=30), rank=rank, world_size=WORLD)
    groups = {2: distributed.new_group([0, 1]), WORLD: None}
    for name in COLLECTIVES:
        setattr(distributed, name, counted(name))
    results = run(rank, groups)
    torch.save(results, out)
    if rank == WORLD - 1:
        os._exit(1)
    torch.save(results | after_exit_of_last(rank), out)
    os._exit(0)  # the process group cannot be shut down after an exit


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
