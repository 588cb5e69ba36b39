"""Times on a device: `python -m tests.cuda.figures torch --device cuda`, a line of JSON for each.

Each row stands alone: one that fails writes its error. Bandwidth is a share of what a copy of 1 GiB moves.
"""

import argparse
import importlib
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from omniou import boxes, detection, losses, pairwise
from tests.cuda.outcomes import write
from tests.devices import named

Row = tuple[str, Callable[[], dict[str, Callable[[], Any]]], float]  # title, runs by name, bytes that omniou must move


def random_boxes(n: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    low = rng.uniform(0, 1000, (n, 2))
    return np.concatenate([low, low + rng.uniform(1, 300, (n, 2))], axis=1).astype(np.float32)


def scene(n: int) -> tuple[Any, Any]:
    """Boxes and scores of a detector, about ten of each object."""
    rng = np.random.default_rng(0)
    centre, sides = rng.uniform(0, 10 * n**0.5, (n, 2)), rng.uniform(5, 60, (n, 2))
    return np.concatenate([centre - sides / 2, centre + sides / 2], axis=1).astype(np.float32), rng.random(n)


def plain_iou(a: Any, b: Any, xp: Any) -> Any:
    """IoU in ten lines, of pairs that broadcast."""
    low, high = xp.maximum(a[..., :2], b[..., :2]), xp.minimum(a[..., 2:], b[..., 2:])
    sides = xp.maximum(high - low, xp.zeros_like(high))
    inter = sides[..., 0] * sides[..., 1]
    area_a, area_b = ((x[..., 2] - x[..., 0]) * (x[..., 3] - x[..., 1]) for x in (a, b))
    return inter / (area_a + area_b - inter)


class Sizes:
    """Sizes of a run; `smoke` is small."""

    def __init__(self, *, smoke: bool) -> None:
        self.copy, self.pairs, self.rows = (2**20, 100, 1000) if smoke else (2**28, 5000, 10_000_000)
        self.losses = (64,) if smoke else (64, 5_000, 100_000)
        self.nms = (300,) if smoke else (10_000, 100_000)
        self.detections = 1_000 if smoke else 180_000
        self.rounds = 1 if smoke else 5


def least(run: Callable[[], Any], ready: Callable[[Any], Any], sizes: Sizes) -> float:
    """Least seconds of a call in some rounds of 50 ms, after calls that compile."""
    for _ in range(1 if sizes.rounds == 1 else 3):
        ready(run())
    start = time.perf_counter()
    ready(run())
    calls = 1 if sizes.rounds == 1 else max(1, int(0.05 / (time.perf_counter() - start)))
    best = float("inf")
    for _ in range(sizes.rounds):
        start = time.perf_counter()
        for _ in range(calls):
            out = run()
        ready(out)
        best = min(best, (time.perf_counter() - start) / calls)
    return best


def of_arrays(xp: Any, to: Callable[[Any], Any], sizes: Sizes, jit: Callable[[Any], Any]) -> Iterator[Row]:
    """What every library computes: bytes moved are those of the arguments and of the result."""
    n, rows = sizes.pairs, sizes.rows
    a, b, c, d = (to(random_boxes(size, seed)) for size, seed in ((n, 0), (n, 1), (rows, 2), (rows, 3)))
    ours, theirs = partial(pairwise, boxes.iou), jit(lambda x, y: plain_iou(x[:, None], y[None], xp))
    yield (
        f"IoU of all pairs, {n:,} x {n:,}",
        lambda: {"omniou": partial(ours, a, b), "ten lines": partial(theirs, a, b)},
        4 * n * n + 32 * n,
    )
    for name in ("iou", "giou", "ciou"):
        peer = {"ten lines": partial(jit(lambda x, y: plain_iou(x, y, xp)), c, d)} if name == "iou" else {}
        yield (
            f"{name}, element by element, {rows:,} pairs",
            partial(lambda name, peer: {"omniou": partial(getattr(boxes, name), c, d)} | peer, name, peer),
            36 * rows,
        )


def of_torch(device: str, sizes: Sizes) -> Iterator[Row]:
    import torch

    from omniou import matching, nms
    from tests.benchmarks import assigners

    def to(x: Any) -> Any:
        return torch.from_numpy(x).to(device)

    yield from of_arrays(torch, to, sizes, lambda f: f)
    yield from of_losses(to, sizes, compiled=False)
    for n in sizes.nms:
        x, s = map(to, scene(n))

        def suppressed(x: Any = x, s: Any = s) -> dict[str, Any]:
            hard = partial(nms.hard, x, s, 0.5)
            runs = {"omniou": hard, "omniou, size=1000": partial(hard, size=1000)}
            ops = importlib.import_module("torchvision.ops") if has_operators() else None
            return runs | ({"torchvision": partial(ops.nms, x, s.float(), 0.5)} if ops else {})

        yield f"NMS of {n:,} boxes", suppressed, 0
    x = {name: v.to(device) for name, v in assigners.scene(20, side=64 if sizes.rounds == 1 else 640).items()}
    names = ("predictions", "scores", "points", "objects", "labels")
    yield (
        "TAL, 20 objects",
        lambda: {
            "omniou": partial(matching.task_aligned, *(x[name] for name in names)),
            "formulas in torch": partial(assigners.plain_task_aligned, x),
        },
        0,
    )
    yield from of_evaluation(to, sizes)
    yield f"MeanAveragePrecision.update of 16 images of {device}", partial(updates, device), 0


def updates(device: str) -> dict[str, Any]:
    from omniou_integrations.torchmetrics import MeanAveragePrecision
    from tests.benchmarks import detections as synthetic

    sides = synthetic.as_dicts(synthetic.data(20_000))
    batch = [[{k: v.to(device) for k, v in image.items()} for image in side[:16]] for side in sides]
    metric = MeanAveragePrecision()
    return {"omniou": lambda: (metric.reset(), metric.update(*batch))}


def of_evaluation(to: Callable[[Any], Any], sizes: Sizes) -> Iterator[Row]:
    from tests.benchmarks import detections as synthetic

    targets, found = synthetic.data(sizes.detections)
    t = detection.Targets(*(to(getattr(targets, x)) for x in ("boxes", "labels", "images")))
    d = detection.Detections(*(to(getattr(found, x)) for x in ("boxes", "scores", "labels", "images")))
    yield (
        f"evaluate, {sizes.detections:,} detections",
        lambda: {
            "omniou": lambda: detection.evaluate(t, d, format="xywh").summary,
            "omniou, arrays of NumPy": lambda: detection.evaluate(targets, found, format="xywh").summary,
        },
        0,
    )


def has_operators() -> bool:
    """Whether torchvision is there, built for this torch."""
    try:
        importlib.import_module("torchvision")
    except Exception:  # noqa: BLE001  (built for another torch, it raises what it likes)
        for name in [x for x in sys.modules if x.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        return False
    return True


def peers() -> dict[str, Any]:
    """torchvision's losses, whose Python needs no operators; none where it is not installed."""
    if importlib.util.find_spec("torchvision") is None:
        return {}
    module = importlib.import_module("torchvision.ops" if has_operators() else "tests.torchvision_ops")
    ops = getattr(module, "ops", module)
    kinds = {"giou": "generalized", "diou": "distance", "ciou": "complete"}
    return {name: getattr(ops, f"{kind}_box_iou_loss") for name, kind in kinds.items()}


def of_losses(to: Callable[[Any], Any], sizes: Sizes, *, compiled: bool) -> Iterator[Row]:
    """Losses with gradients; peers are torchvision's."""
    import torch

    theirs = peers()

    def step(loss: Any, pred: Any, target: Any) -> Any:
        x = pred.detach().requires_grad_()
        loss(x, target, reduction="mean").backward()
        return x.grad

    def runs(name: str, pred: Any, target: Any) -> dict[str, Any]:
        each = {"omniou": getattr(losses, name)} | ({"torchvision": theirs[name]} if name in theirs else {})
        if compiled:
            backend = "eager" if sizes.rounds == 1 else "inductor"
            each = {who: torch.compile(loss, backend=backend, dynamic=True) for who, loss in each.items()}
        return {who: partial(step, loss, pred, target) for who, loss in each.items()}

    how = "compiled" if compiled else "eager"
    for n in sizes.losses:
        pred, target = to(random_boxes(n)), to(random_boxes(n, 1))
        for name in ("giou",) if sizes.rounds == 1 else ("giou", "diou", "ciou"):
            yield f"{name} loss and gradient, {n:,} pairs, {how}", partial(runs, name, pred, target), 0


def of_compiled(device: str, sizes: Sizes) -> Iterator[Row]:
    import torch

    yield from of_losses(lambda x: torch.from_numpy(x).to(device), sizes, compiled=True)


def of_jax(device: str, sizes: Sizes) -> Iterator[Row]:
    import jax
    import jax.numpy as jnp

    def to(x: Any) -> Any:
        return jax.device_put(x, named(device, jnp))

    yield from of_arrays(jnp, to, sizes, jax.jit)
    for n in sizes.losses:
        a, b = to(random_boxes(n)), to(random_boxes(n, 1))
        mean = {
            "omniou": lambda x, y: losses.iou(x, y, reduction="mean"),
            "ten lines": lambda x, y: (1 - plain_iou(x, y, jnp)).mean(),
        }
        runs = {who: partial(jax.jit(jax.value_and_grad(loss)), a, b) for who, loss in mean.items()}
        yield f"iou loss and gradient, {n:,} pairs, jitted", partial(dict, runs), 0
    yield from of_evaluation(to, sizes)


def of_cupy(_: str, sizes: Sizes) -> Iterator[Row]:
    import cupy

    yield from of_arrays(cupy, cupy.asarray, sizes, lambda f: f)
    yield from of_evaluation(cupy.asarray, sizes)


def waiting(library: str, device: str) -> tuple[Callable[[Any], Any], Callable[[int], Any]]:
    """What waits for a result, and what makes an array of so many floats."""
    if library == "jax":
        import jax
        import jax.numpy as jnp

        return jax.block_until_ready, lambda n: jnp.zeros(n, dtype=jnp.float32, device=named(device, jnp))
    if library == "cupy":
        import cupy

        return lambda _: cupy.cuda.Device().synchronize(), lambda n: cupy.zeros(n, dtype=cupy.float32)
    import torch

    wait = torch.cuda.synchronize if torch.device(device).type == "cuda" else lambda: None
    return lambda _: wait(), lambda n: torch.zeros(n, device=device)


ROWS: dict[str, Callable[[str, Sizes], Iterator[Row]]] = {
    "torch": of_torch,
    "compiled": of_compiled,
    "jax": of_jax,
    "cupy": of_cupy,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.cuda.figures", description=__doc__)
    parser.add_argument("library", choices=ROWS)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--smoke", action="store_true")
    given = parser.parse_args()
    sizes = Sizes(smoke=given.smoke)
    ready, floats = waiting(given.library, given.device)
    x = floats(sizes.copy)
    copied = 8 * sizes.copy / least(lambda: x + 1, ready, sizes)  # JAX copies nothing that is only copied
    write(title="copy", library=given.library, bandwidth=copied)
    for title, make, moved in ROWS[given.library](given.device, sizes):
        try:
            seconds = {who: least(run, ready, sizes) for who, run in make().items()}
        except Exception as error:  # noqa: BLE001  (the next row may do)
            write(title=title, library=given.library, error=f"{type(error).__name__}: {error}"[:500])
            continue
        share = {"share": moved / seconds["omniou"] / copied} if moved else {}
        write(title=title, library=given.library, seconds=seconds, **share)


if __name__ == "__main__":
    main()
