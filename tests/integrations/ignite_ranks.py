"""One process of two: runs an Ignite engine on its shard of the images and saves the results.

`python -m tests.integrations.ignite_ranks RANK STORE OUT`, for `test_ignite.py`.
"""

import sys

import ignite.distributed as idist
import torch
from ignite.engine import Engine

from omniou import boxes
from omniou.detection import COCO
from omniou_integrations.ignite import BoxScore, DetectionAP
from tests.integrations.samples import images

WORLD = 2

# Name -> how to make a metric.
METRICS = {
    "coco": DetectionAP,
    "voc": lambda: DetectionAP("voc2010", offset=1.0),
    "masks": lambda: DetectionAP(kind="segm", groups={"few": [0, 1]}),
    # tie_policy="file" ranks equal scores by order: only interleaved shards have the order of a single process.
    "file": lambda: DetectionAP(COCO),
    "giou": lambda: BoxScore("giou"),
    "function": lambda: BoxScore(boxes.ciou, format="xywh", miss=-0.3),
}
# Name -> images of each process, by number.
SHARDS = {
    "interleaved": [range(0, 13, 2), range(1, 13, 2)],
    "uneven": [range(10), range(10, 13)],
    "one without images": [range(0), range(13)],
}


def data(seed=0, count=13):
    """Predictions and targets; many scores are equal, and sums of IoU are rounded."""
    preds, target = images(seed, count, crowds=False, areas=False)
    g = torch.Generator().manual_seed(seed)
    for sample in preds:
        sample["boxes"] = sample["boxes"] + torch.rand(sample["boxes"].shape, generator=g) / 4
    for sample in target:
        sample["iscrowd"] = (torch.rand(len(sample["labels"]), generator=g) < 0.2).to(torch.int64)
    return preds, target


def batches(numbers, step=3):
    preds, target = data()
    parts = [numbers[k : k + step] for k in range(0, len(numbers), step)]
    return [([preds[k] for k in part], [target[k] for k in part]) for part in parts]


def results(numbers):
    """Name -> result of each metric, all attached to one engine."""
    engine = Engine(lambda _, batch: batch)
    for name, make in METRICS.items():
        make().attach(engine, name)
    if numbers:
        engine.run(batches(numbers))
        return {name: engine.state.metrics[name] for name in METRICS}
    return {name: make().compute() for name, make in METRICS.items()}  # Ignite does not run an engine without batches


def main(rank, store, out):
    torch.set_num_threads(1)
    idist.initialize("gloo", init_method=f"file://{store}", rank=rank, world_size=WORLD)
    torch.save({shards: results(numbers[rank]) for shards, numbers in SHARDS.items()}, out)
    idist.finalize()


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
