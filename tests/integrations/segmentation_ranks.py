"""One process of three: computes every metric of segmentation on its shard of the images and saves the results.

`python -m tests.integrations.segmentation_ranks RANK STORE OUT`, for `test_torchmetrics_segmentation.py`.
"""

import datetime as dt
import sys
import warnings

import torch
from torch import distributed

import tests.integrations.conftest  # noqa: F401  (before torchmetrics)
from tests.integrations.segmentation_metrics import EVERY, inputs

WORLD = 3
# Images of each process; one has none at all.
SHARDS = {
    "uneven": [range(7), range(7, 9), range(9, 12)],
    "a process without images": [range(5), range(0), range(5, 12)],
}


def filled(metric, kind, numbers, step=2):
    preds, target = inputs(kind)
    for k in range(0, len(numbers), step):
        rows = list(numbers[k : k + step])
        metric.update(preds[rows], target[rows])
    return metric


def main(rank, store, out):
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # torchmetrics: `compute()` before `update()`
    distributed.init_process_group("gloo", f"file://{store}", dt.timedelta(seconds=30), rank=rank, world_size=WORLD)
    results = {}
    for shards, numbers in SHARDS.items():
        for name, case in EVERY.items():
            metric = filled(case.make(), case.kind, numbers[rank])
            results[shards, name] = metric.compute()
            # After `compute`, states are those of the process again. torchmetrics keeps a result until the next update.
            metric = filled(metric, case.kind, numbers[rank])
            metric._computed = None
            results[shards, name, "twice"] = metric.compute()
    torch.save(results, out)
    distributed.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
