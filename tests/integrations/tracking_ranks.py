"""One process of two: computes every tracking metric on its shard of the frames and saves the results.

`python -m tests.integrations.tracking_ranks RANK STORE OUT`, for `test_torchmetrics_tracking.py`.
"""

import datetime as dt
import sys
import warnings

import numpy as np
import torch
from torch import distributed

import tests.integrations.conftest  # noqa: F401  (before torchmetrics)
from omniou_integrations.torchmetrics import HOTA, IDF1, ClearMOT

WORLD = 2
FRAMES = 30
METRICS = {"hota": HOTA, "clear": ClearMOT, "identity": IDF1}
# Frames of each process, of two sequences, by their place in `data`.
SHARDS = {
    "interleaved": [range(k, FRAMES, 2) for k in range(2)],
    "uneven, in another order": [range(20, 3, -1), [*range(25, FRAMES), *range(4), *range(21, 25)]],
    "a process without frames": [range(0), range(FRAMES)],
    # As a DistributedSampler fills up its shards.
    "repeated": [range(18), range(12, FRAMES)],
}


def data(*, labels=False):
    """Two sequences of 18 and 12 frames: objects that walk, come and go, and tracks that swap and get lost."""
    random = np.random.default_rng(0)
    target, preds = [], []
    for k in range(FRAMES):
        sequence, frame = ("a", k) if k < 18 else ("b", 2 * (k - 18))
        ids = np.arange(6)[random.uniform(size=6) < 0.85]
        corner = np.stack([10.0 * ids + k, 7.0 * ids], axis=1)
        found = np.arange(6)[random.uniform(size=6) < 0.8]
        moved = np.stack([10.0 * found + k, 7.0 * found], axis=1) + random.normal(0, 2, (len(found), 2))
        swapped = np.where(found < 2, 1 - found, found) if k % 18 > 8 else found
        for side, own, low in ((target, ids, corner), (preds, swapped + 40, moved)):
            boxes = np.concatenate([low, low + 9], axis=1)
            rows = {"boxes": torch.tensor(boxes, dtype=torch.float32), "ids": torch.tensor(own)}
            side.append(rows | ({"labels": torch.tensor(own % 2)} if labels else {}))
        target[-1] |= {"sequence": sequence, "frame": torch.tensor(frame)}
    return preds, target


def filled(metric, numbers, step=4, **options):
    preds, target = data(**options)
    numbers = list(numbers)
    for k in range(0, len(numbers), step):
        some = numbers[k : k + step]
        metric.update([preds[i] for i in some], [target[i] for i in some])
    return metric


def main(rank, store, out):
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # torchmetrics: `compute()` before `update()`
    distributed.init_process_group("gloo", f"file://{store}", dt.timedelta(seconds=30), rank=rank, world_size=WORLD)
    results = {}
    for shards, numbers in SHARDS.items():
        for name, kind in METRICS.items():
            metric = filled(kind(), numbers[rank])
            results[shards, name] = metric.compute()
            # After `compute` the state is that of the process again. A result is cached until the next update,
            # so each process makes one.
            filled(metric, numbers[rank]).update([], [])
            results[shards, name, "again"] = metric.compute()
    different = HOTA()
    preds, target = data()
    different.update(preds[rank : rank + 1], [target[rank] | {"frame": 0}])
    try:
        different.compute()
    except ValueError as error:
        results["different"] = str(error)
    results["switches"] = filled(ClearMOT(), SHARDS["interleaved"][rank]).result().switches.rows()
    torch.save(results, out)
    distributed.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
