"""A small net that puts out raw corners, trained by each loss: `python -m tests.benchmarks.inverted`.

Nothing keeps its boxes proper but the loss. Printed is how many of six starts end with an inverted prediction, and the
mean IoU, for each way of `inverted=`; docs/losses.md has the table.
"""

from typing import Any

import numpy as np
import torch

from omniou import boxes, losses

STARTS, STEPS, PICTURES = 6, 400, 64


def pictures(seed: int) -> tuple[Any, Any]:
    """Features (N, 8), and the boxes (N, 4) that they tell of."""
    rng = np.random.default_rng(seed)
    low = rng.uniform(0, 0.6, (PICTURES, 2))
    target = np.concatenate([low, low + rng.uniform(0.1, 0.4, (PICTURES, 2))], axis=-1)
    features = np.concatenate([target @ rng.normal(size=(4, 6)), rng.normal(size=(PICTURES, 2)) / 10], axis=-1)
    return torch.tensor(features, dtype=torch.float32), torch.tensor(target, dtype=torch.float32)


def train(name: str, inverted: str, seed: int, steps: int = STEPS) -> tuple[float, float]:
    """Share of predictions that are inverted in the end, and their mean IoU."""
    torch.manual_seed(seed)
    features, target = pictures(seed)
    net = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))
    adam, loss = torch.optim.Adam(net.parameters(), 0.01), getattr(losses, name)
    for _ in range(steps):
        adam.zero_grad()
        loss(net(features), target, inverted=inverted, reduction="mean").backward()
        adam.step()
    with torch.no_grad():
        pred = net(features)
    turned = (pred[:, :2] > pred[:, 2:]).any(dim=-1)
    return float(turned.float().mean()), float(boxes.iou(pred, target).mean())


def main() -> None:
    print("| loss | `inverted` | starts that end with inverted boxes | mean IoU |\n|---|---|---:|---:|")
    for name in ("iou", "giou", "diou", "ciou"):
        for inverted in ("penalise", "empty", "sort"):
            ends = [train(name, inverted, seed) for seed in range(STARTS)]
            bad, mean = sum(share > 0 for share, _ in ends), np.mean([iou for _, iou in ends])
            print(f"| {name} | {inverted} | {bad} of {STARTS} | {mean:.2f} |")


if __name__ == "__main__":
    main()
