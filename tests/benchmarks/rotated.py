"""Rotated rectangles: all pairs beside powerboxes, losses beside the published way of sorting vertices."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import powerboxes
import torch

from omniou import losses, pairwise, rotated
from tests.benchmarks.cases import Case


def rectangles(n: int, side: float) -> Any:
    rng = np.random.default_rng(n)
    columns = (*rng.uniform(0, 1000, (2, n)), *rng.uniform(0.1 * side, side, (2, n)), rng.uniform(-3, 3, n))
    return np.stack(columns, axis=1)


def cases(*, smoke: bool) -> Iterator[Case]:
    size, many = (50, 200) if smoke else (1000, 100_000)
    for n, name, side in ((size, "sparse", 100), (size, "crowded", 1000), (20, "crowded", 1000)):
        a, b = rectangles(n, side), rectangles(n + 1, side)[:n]
        degrees = [rotated.convert(x, "cxcywhr", "cxcywhr", to_unit="degrees") for x in (a, b)]
        runs = {
            "omniou": partial(pairwise, rotated.iou, a, b),
            "powerboxes": partial(powerboxes.rotated_iou_distance, *degrees),
        }
        yield f"Rotated IoU, {n} x {n}, {name}, float64, NumPy", runs
    target = torch.from_numpy(rectangles(many, 100)).float()
    pred = target + torch.randn(target.shape, generator=torch.Generator().manual_seed(0))

    def step(loss: Any) -> Any:
        x = pred.clone().requires_grad_()
        loss(x, target).sum().backward()
        return x.grad

    runs = {"omniou": partial(step, losses.rotated.iou), "vertices sorted": partial(step, iou_loss_by_sorting)}
    yield f"Rotated IoU loss and gradient, {many:,} pairs, float32, torch", runs
    ours = partial(losses.rotated.probiou, eps=1e-7)
    runs = {"omniou": partial(step, ours), "covariance matrices": partial(step, probiou_loss_by_matrices)}
    yield f"ProbIoU loss and gradient, {many:,} pairs, float32, torch", runs


def probiou_loss_by_matrices(a: torch.Tensor, b: torch.Tensor, eps: float = 1e-7) -> torch.Tensor:
    """1 - ProbIoU as most public losses have it: entries of the covariance matrices, and eps in every place."""
    (p, q, r), (s, t, u) = (covariance(x) for x in (a, b))
    x, y = (a[:, k] - b[:, k] for k in (0, 1))
    det = (p + s) * (q + t) - (r + u) ** 2
    apart = ((p + s) * y**2 + (q + t) * x**2 - 2 * (r + u) * x * y) / (det + eps) / 4
    product = ((p * q - r**2).clamp(0) * (s * t - u**2).clamp(0)).sqrt()
    distance = (apart + (det / (4 * product + eps) + eps).log() / 2).clamp(eps, 100)
    return (1 - (-distance).exp() + eps).sqrt()


def covariance(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """(N, 5) -> variances along x and y, and the covariance, (N,) each."""
    w, h, cos, sin = x[:, 2] ** 2 / 12, x[:, 3] ** 2 / 12, torch.cos(x[:, 4]), torch.sin(x[:, 4])
    return w * cos**2 + h * sin**2, w * sin**2 + h * cos**2, (w - h) * cos * sin


def iou_loss_by_sorting(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """1 - IoU as most public losses have it: crossings and inner corners, sorted by angle, and the shoelace formula."""
    p, q = (corners(x) for x in (a, b))
    r, s = (torch.roll(x, -1, 1) - x for x in (p, q))
    apart = q[:, None, :, :] - p[:, :, None, :]
    parallel = cross(r[:, :, None, :], s[:, None, :, :])
    safe = torch.where(parallel.abs() < 1e-8, 1.0, parallel)
    t, u = (cross(apart, x) / safe for x in (s[:, None, :, :], r[:, :, None, :]))
    hit = (parallel.abs() >= 1e-8) & (t >= 0) & (t <= 1) & (u >= 0) & (u <= 1)
    crossings = p[:, :, None, :] + t[..., None] * r[:, :, None, :]
    points = torch.cat([p, q, crossings.flatten(1, 2)], dim=1)
    kept = torch.cat([inside(p, q), inside(q, p), hit.flatten(1, 2)], dim=1)
    count = kept.sum(1, keepdim=True)
    centre = (points * kept[..., None]).sum(1, keepdim=True) / count.clamp(min=1)[..., None]
    points = torch.where(kept[..., None], points - centre, 0.0)
    angle = torch.where(kept, torch.atan2(points[..., 1], points[..., 0]), 10.0).detach()
    order = angle.argsort(dim=1)
    points = torch.take_along_dim(points, order[..., None], 1)
    # Those that are left out repeat the first.
    number = torch.arange(points.shape[1]).expand(len(points), -1)
    points = torch.where((number < count)[..., None], points, points[:, :1, :])
    area = 0.5 * cross(points, torch.roll(points, -1, 1)).sum(1)
    return 1 - area / (a[:, 2] * a[:, 3] + b[:, 2] * b[:, 3] - area)


def corners(x: torch.Tensor) -> torch.Tensor:
    """(N, 5) -> (N, 4, 2)."""
    cos, sin = torch.cos(x[:, 4:]), torch.sin(x[:, 4:])
    dx = 0.5 * x[:, 2:3] * x.new_tensor([-1, 1, 1, -1])
    dy = 0.5 * x[:, 3:4] * x.new_tensor([-1, -1, 1, 1])
    return torch.stack([x[:, :1] + dx * cos - dy * sin, x[:, 1:2] + dx * sin + dy * cos], dim=-1)


def inside(p: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    """Which corners (N, 4) of the one are in the other."""
    edge = torch.roll(q, -1, 1) - q
    return (cross(edge[:, None, :, :], p[:, :, None, :] - q[:, None, :, :]) >= -1e-6).all(-1)


def cross(p: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    return p[..., 0] * q[..., 1] - p[..., 1] * q[..., 0]
