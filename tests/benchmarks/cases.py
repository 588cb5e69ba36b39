"""The cases of the benchmark: runs of omniou first, then of other libraries."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
import powerboxes
import torch

from omniou import boxes, losses, pairwise
from omniou._lib import accel
from tests.benchmarks.measure import Run
from tests.torchvision_ops import ops

Case = tuple[str, dict[str, Run]]


def with_numba(run: Run) -> dict[str, Run]:
    """By arrays, and by the compiled loops of masks, as with OMNIOU_ACCEL=numba."""

    def numba() -> Any:
        with mock.patch.object(accel, "SWITCH", "numba"):
            return run()

    return {"omniou": run, "omniou, numba": numba}


def random_boxes(n: int, dtype: str = "float32") -> Any:
    rng = np.random.default_rng(n)
    low = rng.uniform(0, 1000, (n, 2))
    return np.concatenate([low, low + rng.uniform(1, 300, (n, 2))], axis=-1).astype(dtype)


def of_all_pairs(size: int) -> Iterator[Case]:
    """Scores, the largest of `size` x `size` pairs."""
    for n, m, dtype in (
        (size, size, "float32"),
        (size, size, "float64"),
        (size // 5, size // 5, "float32"),
        (size // 25, size * 3 // 50, "float32"),
        (10, 10, "float32"),
    ):
        yield from iou_of_all_pairs(n, m, dtype)
    a, b = random_boxes(1), random_boxes(2)[1:]
    hand_written = partial(hand_written_aligned_iou, a, b, xp=np)
    yield "IoU of two boxes, float32, NumPy", {"omniou": partial(boxes.iou, a, b), "hand-written": hand_written}
    yield from scores_of_all_pairs(size)


def of_training(size: int) -> Iterator[Case]:
    """Losses and their gradients."""
    for n in (64, size, size * 20):
        yield from steps_of_training(n)
    yield from compiled_steps(size)
    yield from losses_of_pairs(size * 10)


def iou_of_all_pairs(n: int, m: int, dtype: str) -> Iterator[Case]:
    a, b = random_boxes(n, dtype), random_boxes(m + 1, dtype)[:m]
    title = f"IoU, {n} x {m}, {dtype}"
    numpy = {
        "omniou": partial(pairwise, boxes.iou, a, b),
        "powerboxes": partial(powerboxes.iou_distance, a, b),
        "powerboxes, parallel": partial(powerboxes.parallel_iou_distance, a, b),
    }
    yield f"{title}, NumPy", numpy
    p, q = torch.from_numpy(a), torch.from_numpy(b)
    yield f"{title}, torch", {"omniou": partial(pairwise, boxes.iou, p, q), "torchvision": partial(ops.box_iou, p, q)}
    if dtype == "float32":
        p, q = jnp.asarray(a), jnp.asarray(b)
        yield (
            f"{title}, JAX",
            {
                "omniou": ready(partial(pairwise, boxes.iou), p, q),
                "hand-written, jitted": ready(jax.jit(hand_written_iou), p, q),
            },
        )


def scores_of_all_pairs(n: int) -> Iterator[Case]:
    a, b = random_boxes(n), random_boxes(n + 1)[:n]
    p, q = torch.from_numpy(a), torch.from_numpy(b)
    yield (
        f"GIoU, {n} x {n}, float32, NumPy",
        {"omniou": partial(pairwise, boxes.giou, a, b), "powerboxes": partial(powerboxes.giou_distance, a, b)},
    )
    peers = {"giou": ops.generalized_box_iou, "diou": ops.distance_box_iou, "ciou": ops.complete_box_iou}
    for name, theirs in peers.items():
        ours = partial(pairwise, getattr(boxes, name), p, q)
        yield f"{name}, {n} x {n}, float32, torch", {"omniou": ours, "torchvision": partial(theirs, p, q)}


def steps_of_training(n: int) -> Iterator[Case]:
    """Losses, forward and backward, of pairs that overlap and of random ones, in eager torch."""
    peers = {
        "giou": ops.generalized_box_iou_loss,
        "diou": ops.distance_box_iou_loss,
        "ciou": ops.complete_box_iou_loss,
    }
    a = random_boxes(n)
    near = (a + np.random.default_rng(0).normal(0, 3, a.shape)).astype(np.float32)

    def step(loss: Callable[..., Any], target: Any) -> Any:
        pred = torch.from_numpy(a).requires_grad_()
        loss(pred, target, reduction="mean").backward()
        return pred.grad

    for kind, others in (("overlapping", near), ("random", random_boxes(n + 1)[:n])):
        target = torch.from_numpy(others)
        for name, peer in peers.items():
            runs = {
                "omniou": partial(step, getattr(losses, name), target),
                "torchvision": partial(step, peer, target),
            }
            yield f"{name} loss and gradient, {n:,} {kind} pairs, float32, torch", runs


def compiled_steps(n: int) -> Iterator[Case]:
    """The same compiled by torch; a smoke run, which is small, only traces it."""
    backend = "inductor" if n >= 1000 else "eager"
    pred, target = torch.from_numpy(random_boxes(n)), torch.from_numpy(random_boxes(n + 1)[:n])

    def step(loss: Callable[..., Any]) -> Any:
        x = pred.detach().requires_grad_()
        loss(x, target, reduction="mean").backward()
        return x.grad

    for name, peer in (("giou", ops.generalized_box_iou_loss), ("ciou", ops.complete_box_iou_loss)):
        runs = {"omniou": getattr(losses, name), "torchvision": peer}
        compiled = {who: partial(step, torch.compile(loss, backend=backend)) for who, loss in runs.items()}
        for run in compiled.values():
            run()
        yield f"{name} loss and gradient, {n:,} random pairs, float32, torch.compile", compiled


def losses_of_pairs(n: int) -> Iterator[Case]:
    a, b = random_boxes(n), random_boxes(n + 1)[:n]
    p, q = jnp.asarray(a), jnp.asarray(b)
    ours = jax.jit(jax.value_and_grad(lambda x, y: losses.iou(x, y, reduction="mean")))
    theirs = jax.jit(jax.value_and_grad(lambda x, y: (1 - hand_written_aligned_iou(x, y)).mean()))
    yield (
        f"IoU loss and gradient, {n} boxes, float32, JAX",
        {"omniou": ready(ours, p, q), "hand-written, jitted": ready(theirs, p, q)},
    )


def ready(function: Callable[..., Any], *args: Any) -> Run:
    """JAX returns before it has computed."""
    return lambda: jax.block_until_ready(function(*args))


def hand_written_iou(a: Any, b: Any) -> Any:
    return hand_written_aligned_iou(a[:, None, :], b[None, :, :])


def hand_written_aligned_iou(a: Any, b: Any, xp: Any = jnp) -> Any:
    sides = xp.clip(xp.minimum(a[..., 2:], b[..., 2:]) - xp.maximum(a[..., :2], b[..., :2]), 0, None)
    inter = sides[..., 0] * sides[..., 1]
    area_a, area_b = ((x[..., 2] - x[..., 0]) * (x[..., 3] - x[..., 1]) for x in (a, b))
    return inter / (area_a + area_b - inter)
