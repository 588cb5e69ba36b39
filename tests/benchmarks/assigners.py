"""Assigners of training against their published formulas, written plainly in torch for all pairs."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import torch

from omniou import matching
from tests.benchmarks import measure
from tests.benchmarks.measure import Run

Case = tuple[str, dict[str, Run]]

# A process that has imported and called everything once: what is measured is the call.
SETUP = """
from tests.benchmarks import assigners
x = assigners.scene({objects})
assigners.ours["{name}"](assigners.scene(3)), assigners.plain["{name}"](assigners.scene(3))
"""
# As many images and objects as an epoch's largest batch: 128 images, 75,000 objects, 8,400 anchors, 8 classes.
MANY = """
from tests.benchmarks import assigners
x = assigners.many(images={images}, objects={objects})
assigners.flat(assigners.many(images=2, objects=9))
"""


def points_of(side: int) -> tuple[Any, Any]:
    """Points and strides of three levels of an image."""
    grids, strides = [], []
    for stride in (8, 16, 32):
        line = np.arange(stride / 2, side, stride)
        grids.append(np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2))
        strides.append(np.full(len(grids[-1]), float(stride)))
    return np.concatenate(grids), np.concatenate(strides)


def objects_of(rng: np.random.Generator, size: int, side: int) -> Any:
    sides = np.exp(rng.uniform(np.log(16), np.log(200), (size, 2)))
    low = rng.uniform(0, 1, (size, 2)) * np.maximum(side - sides, 1)
    return np.concatenate([low, low + sides], axis=1)


def scene(size: int, *, side: int = 640, classes: int = 80) -> dict[str, Any]:
    """One image as tensors: predictions are the boxes around points that a net half way through its training makes."""
    rng = np.random.default_rng(size)
    points, strides = points_of(side)
    objects = objects_of(rng, size, side)
    half = np.exp(rng.normal(0.7, 0.5, (len(points), 4))) * strides[:, None]
    arrays = {
        "predictions": np.concatenate([points - half[:, :2], points + half[:, 2:]], axis=1),
        "scores": rng.beta(0.4, 6, (len(points), classes)).clip(1e-4, 1 - 1e-4),
        "points": points,
        "strides": strides,
        "objects": objects,
    }
    out = {name: torch.from_numpy(x.astype(np.float32)) for name, x in arrays.items()}
    return out | {"labels": torch.from_numpy(rng.integers(0, classes, size))}


def plain_iou(a: Any, b: Any) -> Any:
    sides = (torch.minimum(a[..., 2:], b[..., 2:]) - torch.maximum(a[..., :2], b[..., :2])).clamp(0)
    inter = sides.prod(-1)
    areas = [(x[..., 2:] - x[..., :2]).prod(-1) for x in (a, b)]
    return inter / (areas[0] + areas[1] - inter)


def plain_ciou(a: Any, b: Any) -> Any:
    overlap = plain_iou(a, b)
    hull = torch.maximum(a[..., 2:], b[..., 2:]) - torch.minimum(a[..., :2], b[..., :2])
    far = ((a[..., :2] + a[..., 2:] - b[..., :2] - b[..., 2:]) / 2).square().sum(-1)
    angles = [torch.atan((x[..., 2] - x[..., 0]) / (x[..., 3] - x[..., 1])) for x in (a, b)]
    v = 4 / np.pi**2 * (angles[1] - angles[0]).square()
    return overlap - far / hull.square().sum(-1) - v * v / (1 - overlap + v)


def plain_inside(points: Any, objects: Any) -> Any:
    offsets = [points[None] - objects[:, None, :2], objects[:, None, 2:] - points[None]]
    return torch.cat(offsets, dim=-1).amin(-1) > 1e-9


def plain_task_aligned(x: dict[str, Any], topk: int = 10) -> Any:
    """(A,) object of each anchor, and its target."""
    inside = plain_inside(x["points"], x["objects"])
    overlap = plain_ciou(x["objects"][:, None], x["predictions"][None]).clamp(0) * inside
    metric = x["scores"][:, x["labels"]].T.sqrt() * overlap**6
    picked = torch.zeros_like(metric).scatter_(1, metric.topk(topk, dim=1).indices, 1.0) * inside
    contested = picked.sum(0) > 1
    owner = torch.zeros_like(metric).scatter_(0, (overlap * picked).argmax(0)[None], 1.0)
    picked = torch.where(contested[None], owner, picked)
    metric = metric * picked
    target = metric * (overlap * picked).amax(1, keepdim=True) / (metric.amax(1, keepdim=True) + 1e-9)
    return torch.where(picked.sum(0) > 0, picked.argmax(0), -1), target.amax(0)


def plain_simota(x: dict[str, Any]) -> Any:
    """(A,) object of each anchor."""
    middle = (x["objects"][:, :2] + x["objects"][:, 2:]) / 2
    near = (x["points"][None] - middle[:, None]).abs().amax(-1) < 1.5 * x["strides"][None]
    kept = near.any(0)
    overlap = plain_iou(x["objects"][:, None], x["predictions"][kept][None])
    one_hot = torch.nn.functional.one_hot(x["labels"], x["scores"].shape[1]).float()
    scores = x["scores"][kept][None].repeat(len(one_hot), 1, 1)
    entropy = torch.nn.functional.binary_cross_entropy(
        scores, one_hot[:, None].repeat(1, scores.shape[1], 1), reduction="none"
    ).sum(-1)
    cost = entropy - 3 * (overlap + 1e-8).log() + 1e6 * ~near[:, kept]
    numbers = overlap.topk(min(10, overlap.shape[1]), dim=1).values.sum(1).int().clamp(1)
    picked = torch.zeros_like(cost)
    for k, number in enumerate(numbers.tolist()):
        picked[k, cost[k].topk(number, largest=False).indices] = 1
    contested = picked.sum(0) > 1
    owner = torch.zeros_like(cost).scatter_(0, cost.where(picked > 0, torch.inf).argmin(0)[None], 1.0)
    picked = torch.where(contested[None], owner, picked)
    out = torch.full((len(kept),), -1)
    out[kept] = torch.where(picked.sum(0) > 0, picked.argmax(0), -1)
    return out


def _task_aligned(x: dict[str, Any]) -> Any:
    return matching.task_aligned(*(x[name] for name in ("predictions", "scores", "points", "objects", "labels")))


def _simota(x: dict[str, Any]) -> Any:
    return matching.simota(*(x[name] for name in ("predictions", "scores", "points", "strides", "objects", "labels")))


ours = {"TAL": _task_aligned, "SimOTA": _simota}
plain = {"TAL": plain_task_aligned, "SimOTA": plain_simota}


def cases(*, smoke: bool) -> Iterator[Case]:
    for size in (5,) if smoke else (5, 100):
        x = scene(size)
        for name, run in ours.items():
            runs: dict[str, Run] = {"omniou": partial(run, x), "formulas in torch": partial(plain[name], x)}
            yield f"{name}, {size} objects, {len(x['points']):,} anchors, torch", runs


def many(*, images: int, objects: int) -> dict[str, Any]:
    """A batch as one flat list of objects: some images have hundreds, one thousands."""
    rng = np.random.default_rng(0)
    points, _ = points_of(640)
    share = rng.pareto(1.0, images) + 0.1
    groups = np.repeat(np.arange(images), rng.multinomial(objects, share / share.sum()))
    half = rng.uniform(8, 60, (images, len(points), 2)).astype(np.float32)
    return {
        "predictions": np.concatenate([points - half, points + half], axis=-1).astype(np.float32),
        "scores": rng.random((images, len(points), 8), dtype=np.float32),
        "points": points.astype(np.float32),
        "objects": objects_of(rng, objects, 640).astype(np.float32),
        "labels": rng.integers(0, 8, objects),
        "groups": groups,
    }


def flat(x: dict[str, Any]) -> Any:
    return matching.task_aligned(
        *(x[name] for name in ("predictions", "scores", "points", "objects", "labels")), groups=x["groups"]
    )


def table(*, smoke: bool) -> list[str]:
    """Peak memory of calls."""
    size = 5 if smoke else 100
    lines = ["| memory of assigners | peak |", "|---|---:|"]
    for name in ours:
        for who, table in (("omniou", "ours"), ("formulas in torch", "plain")):
            peak = measure.peak_bytes(SETUP.format(objects=size, name=name), f'assigners.{table}["{name}"](x)')
            lines.append(f"| {name}, {size} objects, 8,400 anchors, {who} | {peak / 2**20:.1f} MiB |")
    images, objects = (2, 50) if smoke else (128, 75_000)
    peak = measure.peak_bytes(MANY.format(images=images, objects=objects), "assigners.flat(x)")
    lines.append(f"| TAL, {images} images, {objects:,} objects in all, 8,400 anchors | {peak / 2**20:.1f} MiB |")
    return lines
