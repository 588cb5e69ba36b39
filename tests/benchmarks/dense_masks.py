"""Dense masks: all pairs against one matrix product, boundaries against OpenCV, losses against segmentation models."""

import importlib
import importlib.util
import sys
import types
from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import torch

from omniou import losses, masks, rle
from tests.benchmarks.cases import Case
from tests.benchmarks.measure import Run


def blobs(count: int, height: int, width: int) -> npt.NDArray[np.bool_]:
    """Ellipses of a twentieth to a third of the image's sides."""
    rng = np.random.default_rng(0)
    y, x = np.mgrid[:height, :width]
    out = np.empty((count, height, width), dtype=bool)
    for mask in out:
        (cy, cx), (ry, rx) = rng.uniform(0, (height, width)), rng.uniform(0.05, 0.33, 2) * (height, width) / 2
        mask[:] = ((y - cy) / ry) ** 2 + ((x - cx) / rx) ** 2 < 1
    return out


def product(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """IoU by one matrix product, as it is often written."""
    p, q = (x.reshape(len(x), -1).astype(np.float32) for x in (a, b))
    inter = p @ q.T
    return inter / (p.sum(1)[:, None] + q.sum(1) - inter)


def cv2_boundaries(given: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """As the reference implementation of boundary IoU does it."""
    height, width = given.shape[-2:]
    steps = max(1, round(0.02 * np.hypot(height, width)))
    out = []
    for mask in given.astype(np.uint8):
        wide = cv2.copyMakeBorder(mask, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
        inner = cv2.erode(wide, np.ones((3, 3), dtype=np.uint8), iterations=steps)
        out.append(mask - inner[1:-1, 1:-1])
    return np.asarray(out)


def peers() -> Any:
    """The losses of segmentation_models_pytorch, without what the package itself needs."""
    name = "segmentation_models_pytorch"
    if name not in sys.modules:
        package = types.ModuleType(name)
        package.__path__ = list(importlib.util.find_spec(name).submodule_search_locations)  # type: ignore[union-attr]
        sys.modules[name] = package
    return importlib.import_module(f"{name}.losses")


def of_losses(size: int) -> Iterator[Case]:
    torch.manual_seed(0)
    logits, labels = torch.randn(4, 6, size, size), torch.randint(0, 6, (4, size, size))

    def trained(loss: Any) -> Run:
        def run() -> None:
            x = logits.clone().requires_grad_()
            loss(x, labels).backward()

        return run

    def ours(loss: Any, **options: Any) -> Run:
        return trained(lambda x, t: loss(x, t, activation="softmax", per="batch", **options))

    theirs, shape = peers(), f"4 x 6 x {size} x {size}, with gradient"
    dice = trained(theirs.DiceLoss("multiclass"))
    yield f"Dice loss, {shape}", {"omniou": ours(losses.masks.dice), "segmentation_models_pytorch": dice}
    lovasz = trained(theirs.LovaszLoss("multiclass"))
    name = f"Lovasz softmax loss, {shape}"
    yield name, {"omniou": ours(losses.masks.lovasz_softmax), "segmentation_models_pytorch": lovasz}


def of_page(*, smoke: bool) -> Iterator[Case]:
    """The cases of docs/benchmarks.md."""
    count, few = (10, 20) if smoke else (100, 500)
    for number, size in ((count, (480, 640)), (few, (28, 28))):
        a = blobs(number, *size)
        title = f"IoU of {number} x {number} dense masks of {size[0]} x {size[1]}"
        yield (
            title,
            {
                "omniou": lambda a=a: masks.pairwise_iou(a, a),
                "omniou, runs of the same": lambda a=a: rle.pairwise_iou(*(rle.Masks.from_dense(x) for x in (a, a))),
                "one matrix product": lambda a=a: product(a, a),
            },
        )
    a = blobs(count, 480, 640)
    table = rle.Masks.from_dense(a)
    boundary = {
        "omniou": lambda: masks.boundary(a),
        "omniou, of runs": table.boundary,
        "OpenCV": lambda: cv2_boundaries(a),
    }
    yield f"boundaries of {count} masks of 480 x 640", boundary
    yield from of_losses(64 if smoke else 256)
