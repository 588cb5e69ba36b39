"""One process of three: computes every metric on its shard of the images and saves what came out.

`python -m tests.integrations.ranks RANK STORE OUT`, for `test_torchmetrics_processes.py`.
"""

import datetime as dt
import os
import sys
import warnings

import torch
from torch import distributed

import tests.integrations.conftest  # noqa: F401  (before torchmetrics)
from omniou_integrations import _torchmetrics_map
from tests import fake_device
from tests.integrations.metrics import EVERY, data
from tests.integrations.samples import sample

WORLD = 3
NOTHING = [sample([]) | {"scores": torch.zeros(0), "masks": torch.zeros(0, 9, 9, dtype=torch.bool)}]

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
    """In batches; not called at all where there are no images."""
    for k in range(0, len(numbers), step):
        metric.update(*shard(numbers[k : k + step]))
    return metric


def run(rank, groups):
    found = {}
    for shards, numbers in SHARDS.items():
        if rank >= len(numbers):
            continue
        for name, case in EVERY.items():
            metric = case.make()
            metric.process_group = groups[len(numbers)]
            filled(metric, numbers[rank])
            calls.clear()
            found[shards, name] = metric.compute(), list(calls)
            # What was exchanged is gone again, and more can come. Torchmetrics keeps a result until the next update:
            # so each process makes one.
            filled(metric, numbers[rank]).update([], [])
            found[shards, name, "twice"] = metric.compute(), []
    for name, case in EVERY.items():
        metric = case.make()
        metric.update(*(NOTHING, NOTHING) if rank else data())
        found["a process that sees no class", name] = metric.compute(), []
        metric = case.make()
        metric.dist_sync_on_step = True
        found["at each step", name] = metric(*shard(SHARDS["interleaved on three"][rank])), []
    for name, case in EVERY.items():
        metric, images = case.make(), shard(SHARDS["interleaved on three"][rank])
        if rank:  # whose images are on a device of its own
            with fake_device.device():
                metric.update(*fake_device.moved(images))
        else:
            metric.update(*images)
        found["mixed devices", name] = metric.compute(), []
    return found


def outlive(rank):
    """The last process is gone: the others learn of it, and keep what they have."""
    found = {}
    if rank == WORLD - 1:
        return found
    for name in ("iou", "map"):
        metric = filled(EVERY[name].make(), range(4))
        try:
            metric.compute()
        except RuntimeError as error:
            found["survivor", name, "error"] = str(error)
        metric.update(*shard(range(4, 6)))
        metric._to_sync = False
        found["survivor", name] = metric.compute(), []
    return found


def main(rank, store, out):
    torch.set_num_threads(1)
    _torchmetrics_map.PENDING_BYTES = 2000  # some images are matched before they are exchanged, others are pending
    warnings.simplefilter("ignore")  # torchmetrics: `compute()` before `update()`
    distributed.init_process_group("gloo", f"file://{store}", dt.timedelta(seconds=30), rank=rank, world_size=WORLD)
    groups = {2: distributed.new_group([0, 1]), WORLD: None}
    for name in COLLECTIVES:
        setattr(distributed, name, counted(name))
    found = run(rank, groups)
    torch.save(found, out)
    if rank == WORLD - 1:
        os._exit(1)
    torch.save(found | outlive(rank), out)
    os._exit(0)  # nothing to shut down together


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
