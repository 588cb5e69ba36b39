"""Samples for torchmetrics, of few values: boxes coincide, scores are equal, IoU equals thresholds."""

import torch


def sample(boxes, labels=None, dtype=torch.float32):
    labels = [0] * len(boxes) if labels is None else labels
    return {
        "boxes": torch.tensor(boxes, dtype=dtype).reshape(-1, 4),
        "labels": torch.tensor(labels, dtype=torch.int64),
    }


def images(seed, count=12, *, classes=4, crowds=True, areas=True, most=9, grid=4.0):
    """Predictions and targets: boxes and masks, some images have no predictions, no targets or neither."""
    g = torch.Generator().manual_seed(seed)
    preds, target = [], []
    for _ in range(count):
        n, m = (int(torch.randint(0, most, (), generator=g)) * int(torch.rand((), generator=g) < 0.8) for _ in "ab")
        truth = {"boxes": _boxes(m, grid, g), "labels": torch.randint(0, classes, (m,), generator=g)}
        pred = {"boxes": _boxes(n, grid, g), "labels": torch.randint(0, classes, (n,), generator=g)}
        same = torch.rand(min(n, m), generator=g) < 0.6
        for key in ("boxes", "labels"):
            pred[key][: len(same)][same] = truth[key][: len(same)][same]
        pred["scores"] = torch.randint(1, 6, (n,), generator=g) / 8
        if crowds and torch.rand((), generator=g) < 0.7:
            truth["iscrowd"] = (torch.rand(m, generator=g) < 0.2).to(torch.int64)
        if areas and torch.rand((), generator=g) < 0.5:
            truth["area"] = torch.tensor([0.0, 500.0, 1024.0, 2000.0, 9216.0])[torch.randint(0, 5, (m,), generator=g)]
        for side in (pred, truth):
            side["masks"] = _masks(side["boxes"])
        preds.append(pred)
        target.append(truth)
    return preds, target


def _boxes(count, grid, g):
    low = torch.randint(0, 6, (count, 2), generator=g) * grid
    return torch.cat([low, low + torch.randint(1, 12, (count, 2), generator=g) * grid], dim=1)


def _masks(boxes, side=72):
    at = torch.arange(side)
    x, y = at[None, None, :], at[None, :, None]
    a, b, c, d = (edge[:, None, None] for edge in boxes.unbind(1))
    rectangle = (a <= x) & (x < c) & (b <= y) & (y < d)
    return rectangle & ((x - a) * (d - b) + (y - b) * (c - a) < 1.5 * (c - a) * (d - b))  # one corner is cut off


def with_keys(samples, *keys):
    """Samples restricted to some keys."""
    return [{key: x for key, x in one.items() if key in keys} for one in samples]


def pairs(seed=5):
    """Two sets of equally many boxes; columns of targets, and of detections, of twelve images."""
    preds, target = images(seed)
    image = [torch.cat([torch.full_like(x["labels"], k) for k, x in enumerate(side)]) for side in (target, preds)]
    (*targets,) = (torch.cat([x[key] for x in target]) for key in ("boxes", "labels"))
    (*detections,) = (torch.cat([x[key] for x in preds]) for key in ("boxes", "scores", "labels"))
    count = min(len(targets[0]), len(detections[0]))
    return detections[0][:count], targets[0][:count], (*targets, image[0]), (*detections, image[1])
