"""Time of the adapters: dictionaries of tensors, synchronisation of processes, the callback in an epoch."""

import contextlib
import datetime as dt
import functools
import io
import math
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from torch import distributed, multiprocessing

from tests.benchmarks import detections as synthetic
from tests.benchmarks.cases import Case, random_boxes
from tests.benchmarks.measure import Run, seconds

BATCH = 16
COUNT = 2 * synthetic.OBJECTS
PROCESSES = 2


def cases(*, smoke: bool) -> Iterator[Case]:
    """A dictionary for each image, as detectors give them, against torchmetrics' own metric with either backend."""
    # Imports torchvision, which can be had once `tests.torchvision_ops` was loaded.
    from torchmetrics.detection import MeanAveragePrecision

    from omniou_integrations import torchmetrics as ours

    count = 1_000 if smoke else COUNT
    preds, target = synthetic.as_dicts(synthetic.data(count))
    makers = {
        "torchmetrics, faster-coco-eval": functools.partial(MeanAveragePrecision, backend="faster_coco_eval"),
        "torchmetrics, pycocotools": MeanAveragePrecision,
    }
    peers: dict[str, Run] = {name: functools.partial(filled, make, preds, target) for name, make in makers.items()}
    mine = {"omniou": functools.partial(filled, ours.MeanAveragePrecision, preds, target)}
    yield f"MeanAveragePrecision, {count:,} detections in {len(preds):,} dictionaries", {**mine, **peers}


def of_keras(*, smoke: bool) -> Iterator[Case]:
    """Keras on torch: a loss against its formula in Keras' operations, and a metric against Keras' own."""
    os.environ.setdefault("KERAS_BACKEND", "torch")  # Keras' own choice, TensorFlow, is not among the peers
    import keras
    from keras import ops

    from omniou_integrations import keras as ours

    class Formula(keras.losses.Loss):
        def call(self, y_true: Any, y_pred: Any) -> Any:
            a, b = y_true, y_pred
            low, high = ops.maximum(a[:, :2], b[:, :2]), ops.minimum(a[:, 2:], b[:, 2:])
            inter = ops.prod(ops.maximum(high - low, 0), axis=1)
            union = ops.prod(a[:, 2:] - a[:, :2], axis=1) + ops.prod(b[:, 2:] - b[:, :2], axis=1) - inter
            hull = ops.prod(ops.maximum(a[:, 2:], b[:, 2:]) - ops.minimum(a[:, :2], b[:, :2]), axis=1)
            return 1 - inter / union + (hull - union) / hull

    n, side = (64, 32) if smoke else (5_000, 512)
    a, b = (ops.convert_to_tensor(random_boxes(size)[:n]) for size in (n, n + 1))
    losses = {"omniou": ours.GIoULoss(), "formula in Keras": Formula()}
    yield (
        f"GIoU loss, {n:,} pairs, Keras on torch",
        {who: functools.partial(loss, a, b) for who, loss in losses.items()},
    )
    yield (
        f"GIoU loss with its gradient, {n:,} pairs, Keras on torch",
        {who: functools.partial(_trained, loss, a, b) for who, loss in losses.items()},
    )
    rng = np.random.default_rng(0)
    target, pred = (ops.convert_to_tensor(rng.integers(0, 21, (4, side, side))) for _ in range(2))
    metrics = {"omniou": ours.MeanIoU(num_classes=21), "Keras": keras.metrics.MeanIoU(num_classes=21)}
    title = f"MeanIoU.update_state, 4 x {side} x {side}, 21 classes, Keras on torch"
    yield title, {who: functools.partial(metric.update_state, target, pred) for who, metric in metrics.items()}


def _trained(loss: Any, target: Any, pred: Any) -> None:
    loss(target, pred.detach().requires_grad_()).backward()


def table(*, smoke: bool) -> list[str]:
    """Rows without another library to compare with."""
    rounds = 1 if smoke else 9
    lines = ["| adapters | |", "|---|---:|"]
    update = f"{1e3 * _update(rounds):.2f} ms"
    lines.append(f"| `MeanAveragePrecision.update` of {BATCH} images, on average, the matching included | {update} |")
    update = f"{1e3 * _update(rounds, batch_summary=True):.2f} ms"
    lines.append(f"| the same with `batch_summary=True`, which matches each batch by itself | {update} |")
    images = synthetic.IMAGES // PROCESSES
    lines.append(f"| two processes of {images:,} images: to exchange their states | {1e3 * _exchange(images):.0f} ms |")
    share = _share_of_the_callback(32 if smoke else 256, rounds)
    lines.append(f"| Keras: what the callback adds to an epoch of prediction | {100 * share:.1f} % |")
    return lines


def filled(make: Any, preds: list[Any], target: list[Any]) -> Any:
    """What a metric computes of all batches."""
    metric = _updated(make, preds, target)
    with contextlib.redirect_stdout(io.StringIO()):
        return metric.compute()


def _updated(make: Any, preds: list[Any], target: list[Any], **options: Any) -> Any:
    metric = make()
    for start in range(0, len(preds), BATCH):
        metric.update(preds[start : start + BATCH], target[start : start + BATCH], **options)
    return metric


def _update(rounds: int, **options: Any) -> float:
    """Seconds of an update; images are matched many batches at a time, which one of these waits for."""
    from omniou_integrations.torchmetrics import MeanAveragePrecision

    preds, target = synthetic.as_dicts(synthetic.data(36 * synthetic.IMAGES))
    best = seconds({"updates": lambda: _updated(MeanAveragePrecision, preds, target, **options)}, rounds=rounds)
    return best["updates"] / math.ceil(len(preds) / BATCH)


def _exchange(images: int) -> float:
    """Seconds of the slowest process, in the best of some rounds."""
    with tempfile.TemporaryDirectory() as folder:
        multiprocessing.spawn(_process, (images, folder), nprocs=PROCESSES)
        times = [np.loadtxt(path) for path in Path(folder).glob("*.txt")]
    return float(np.max(times, axis=0).min())


def _process(rank: int, images: int, folder: str) -> None:
    from omniou_integrations.torchmetrics import MeanAveragePrecision

    os.environ |= {"GLOO_SOCKET_IFNAME": "lo"}
    store = distributed.FileStore(str(Path(folder, "store")), PROCESSES)
    options: Any = {"rank": rank, "world_size": PROCESSES, "store": store, "timeout": dt.timedelta(minutes=2)}
    distributed.init_process_group("gloo", **options)
    preds, target = synthetic.as_dicts(synthetic.data(36 * synthetic.IMAGES))
    mine = slice(rank * images, (rank + 1) * images)
    metric = MeanAveragePrecision()
    metric.update(preds[mine], target[mine])
    times = []
    for _ in range(5):
        distributed.barrier()
        start = time.perf_counter()
        metric.sync()
        times.append(time.perf_counter() - start)
        metric.unsync()
    np.savetxt(Path(folder, f"{rank}.txt"), times)
    distributed.destroy_process_group()


def _share_of_the_callback(images: int, rounds: int) -> float:
    """Time of the callback over that of the predictions it asks for, less 1; both of the same epoch, the quickest."""
    os.environ.setdefault("KERAS_BACKEND", "torch")  # Keras' own choice, TensorFlow, is not among the peers
    import keras

    from omniou_integrations.keras import DetectionCallback

    network = keras.applications.MobileNetV3Small((160, 160, 3), weights=None, include_top=False, pooling="avg")
    model = keras.Sequential([network, keras.layers.Dense(100 * 4, "sigmoid"), keras.layers.Reshape((100, 4))])
    rng = np.random.default_rng(0)
    x = rng.random((images, 160, 160, 3), dtype=np.float32)
    low = rng.random((images, 7, 2))
    y = {"boxes": np.concatenate([low, low + 0.2], axis=-1), "labels": rng.integers(0, 3, (images, 7))}
    scores, labels = rng.random((32, 100)), rng.integers(0, 3, (32, 100))

    def decode(pred: Any) -> dict[str, Any]:
        n = len(pred)
        low, size = pred[..., :2], pred[..., 2:]
        boxes = np.concatenate([low, low + size], axis=-1)
        return {"boxes": boxes, "scores": scores[:n], "labels": labels[:n]}

    callback = DetectionCallback((x, y), decode=decode)
    callback.set_model(model)
    predict, inside = model.predict_on_batch, 0.0

    def timed(batch: Any) -> Any:
        nonlocal inside
        start = time.perf_counter()
        pred = predict(batch)
        inside += time.perf_counter() - start
        return pred

    model.predict_on_batch = timed
    shares = []
    for _ in range(rounds + 1):
        inside, start = 0.0, time.perf_counter()
        callback.on_epoch_end(0)
        total = time.perf_counter() - start
        shares.append((total, total / inside - 1))
    return min(shares[1:])[1]
