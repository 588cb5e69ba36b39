"""Confusion counts and panoptic quality, beside torchmetrics and hotcoco."""

import functools
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from omniou import panoptic, segmentation
from omniou.data import panoptic as files
from tests.benchmarks.measure import Run

Case = tuple[str, dict[str, Run]]
CLASSES = 150
THINGS, STUFF = range(20), range(100, 105)


def cases(*, smoke: bool) -> Iterator[Case]:
    """The cases of docs/benchmarks.md."""
    yield from confusion(64 if smoke else 1024)
    yield from quality(*((2, 48, 64) if smoke else (4, 480, 640)))
    with tempfile.TemporaryDirectory() as folder:
        yield from from_files(Path(folder), *((2, 48, 64) if smoke else (24, 480, 640)))


def confusion(side: int) -> Iterator[Case]:
    """Label maps of blocks, of whose pixels a tenth is predicted wrongly."""
    # Imports torchvision, which can be had once `tests.torchvision_ops` was loaded.
    from hotcoco.metrics import pixel_confusion
    from torchmetrics.functional.classification import multiclass_confusion_matrix

    rng = np.random.default_rng(0)
    block = max(side // 32, 1)
    target = np.kron(rng.integers(0, CLASSES, (side // block, side // block)), np.ones((block, block), dtype=np.int64))
    wrong = rng.random(target.shape) < 0.1
    prediction = np.where(wrong, rng.integers(0, CLASSES, target.shape), target)
    for dtype in (np.int64, np.uint8):
        maps = [x.astype(dtype) for x in (target, prediction)]
        tensors = [torch.from_numpy(x) for x in maps]
        theirs = functools.partial(multiclass_confusion_matrix, *reversed(tensors), CLASSES)
        peers: dict[str, Run] = {
            "omniou": functools.partial(segmentation.confusion, *tensors, CLASSES),
            "omniou, NumPy": functools.partial(segmentation.confusion, *maps, CLASSES),
            "torchmetrics": theirs,
            "torchmetrics, validate_args=False": functools.partial(theirs, validate_args=False),
            "hotcoco": functools.partial(pixel_confusion, *maps, CLASSES),
        }
        yield f"confusion counts, {side} x {side}, {CLASSES} classes, {np.dtype(dtype).name}, torch", peers
    tensors = [torch.from_numpy(rng.random((1, 19, side, side), dtype=np.float32)), torch.from_numpy(target[None] % 19)]
    yield (
        f"confusion counts of scores, {side} x {side}, 19 classes, torch",
        {
            "omniou": functools.partial(segmentation.confusion, *reversed(tensors), 19, class_axis=1),
            "torchmetrics": functools.partial(multiclass_confusion_matrix, *tensors, 19),
        },
    )


def discs(images: int, height: int, width: int) -> np.ndarray:
    """Maps of pairs with stripes of stuff, and 30 discs with ragged edges in each image, (images, H, W, 2)."""
    rng = np.random.default_rng(0)
    rows, columns = np.mgrid[:height, :width]
    maps = np.zeros((images, height, width, 2), dtype=np.int64)
    maps[..., 0] = 100 + rows // (height // 4 + 1)
    for image in maps:
        for k in range(30):
            y, x, r = rng.integers(height), rng.integers(width), rng.integers(height // 40 + 1, height // 6)
            ragged = (rows - y) ** 2 + (columns - x) ** 2 + rng.integers(-r, r + 1, rows.shape)
            image[ragged < r * r] = rng.integers(20), k
    return maps


def quality(images: int, height: int, width: int) -> Iterator[Case]:
    """Label maps as tensors."""
    from torchmetrics.functional.detection import panoptic_quality

    target = discs(images, height, width)
    tensors = [torch.from_numpy(x) for x in (target, np.roll(target, 3, axis=2))]
    options: dict[str, Any] = {"things": THINGS, "stuff": STUFF}
    runs: dict[str, Run] = {
        "omniou": functools.partial(panoptic.count, *tensors, **options),
        "torchmetrics": functools.partial(panoptic_quality, *reversed(tensors), set(THINGS), set(STUFF)),
    }
    yield f"panoptic quality, {images} x {height} x {width}, label maps, torch", runs


def from_files(folder: Path, images: int, height: int, width: int) -> Iterator[Case]:
    """COCO's panoptic format. Most of the time goes into PNG files: Pillow's decoder alone takes half of ours."""
    from hotcoco.panoptic import PanopticEval
    from PIL import Image

    target = discs(images, height, width)
    categories = [{"id": k, "name": str(k), "isthing": int(k in THINGS)} for k in (*THINGS, *STUFF)]
    for name, maps in (("truth", target), ("found", np.roll(target, 3, axis=2))):
        (folder / name).mkdir()
        annotations = []
        for number, pairs in enumerate(maps):
            ids = pairs[..., 0] * 100 + pairs[..., 1] * (pairs[..., 0] < 100) + 1
            Image.fromarray(panoptic.to_rgb(ids)).save(folder / name / f"{number}.png")
            found, areas = np.unique(ids, return_counts=True)
            segments = [
                {"id": k, "category_id": k // 100, "iscrowd": 0, "area": area, "bbox": [0, 0, 1, 1]}
                for k, area in zip(found.tolist(), areas.tolist(), strict=True)
            ]
            annotations.append({"image_id": number, "file_name": f"{number}.png", "segments_info": segments})
        sizes = [{"id": k, "height": height, "width": width, "file_name": f"{k}.jpg"} for k in range(images)]
        content = {"images": sizes, "annotations": annotations, "categories": categories}
        (folder / f"{name}.json").write_text(json.dumps(content))
    paths = [folder / "truth.json", folder / "found.json"]
    runs: dict[str, Run] = {
        "omniou": lambda: files.count(*map(files.read, paths)),
        "hotcoco": lambda: PanopticEval(*map(str, paths)).evaluate(),
    }
    yield f"panoptic quality, {images} x {height} x {width}, from JSON and PNG files", runs
