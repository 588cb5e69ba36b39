"""Suppression and fusion beside powerboxes, OpenCV and ensemble-boxes."""

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import cv2
import ensemble_boxes
import numpy as np
import powerboxes

from omniou import boxes, nms
from tests.benchmarks.cases import Case


def scene(n: int, side: float) -> tuple[Any, Any]:
    """Boxes of sides of 5 to 60 in an image, and their scores."""
    rng = np.random.default_rng(n)
    centre, sides = rng.uniform(0, side, (n, 2)), rng.uniform(5, 60, (n, 2))
    return np.concatenate([centre - sides / 2, centre + sides / 2], axis=1), rng.random(n)


def cases(*, smoke: bool) -> Iterator[Case]:
    sizes = ((100, 100.0), (300, 300.0)) if smoke else ((100, 100.0), (10_000, 1000.0), (100_000, 3000.0))
    for n, side in sizes:
        x, s = scene(n, side)
        runs = {
            "omniou": partial(nms.hard, x, s, 0.5),
            "powerboxes, R-tree": partial(powerboxes.rtree_nms, x, s, 0.5, 0.0),
        }
        if n <= 10_000:  # OpenCV takes a minute for more
            lists = boxes.convert(x, "xyxy", "xywh").astype(np.float32), s.astype(np.float32)
            runs["OpenCV"] = partial(cv2.dnn.NMSBoxes, *lists, 0.0, 0.5)
        yield f"NMS of {n:,} boxes, float64, NumPy", runs
    for n in (100,) if smoke else (1_000, 10_000):
        x, s = scene(n, 10 * n**0.5)
        x = np.rint(x)  # OpenCV's are lists of whole numbers
        lists = boxes.convert(x, "xyxy", "xywh").astype(int).tolist(), s.tolist()
        # Gaussian, sigma 0.5, scores above 0.001.
        opencv = partial(cv2.dnn.softNMSBoxes, *lists, 0.001, 0.5, 0, 0.5, cv2.dnn.SOFT_NMSMETHOD_SOFTNMS_GAUSSIAN)
        yield f"Soft-NMS of {n:,} boxes, float64, NumPy", {"omniou": partial(nms.soft, x, s), "OpenCV": opencv}
    n, groups = (1000, 10) if smoke else (1_000_000, 5000)
    x, s = scene(n, 1000.0)
    ids = np.random.default_rng(0).integers(0, groups, n)
    yield (
        f"NMS of {n:,} boxes in {groups:,} groups, float64, NumPy",
        {"omniou": partial(nms.hard, x, s, 0.5, groups=ids)},
    )
    yield fusion(*(5, 20) if smoke else (1000, 100))


def fusion(images: int, objects: int) -> Case:
    """Five models, each with a box for each object, of 80 classes."""
    rng, sets = np.random.default_rng(0), []
    for _ in range(images):
        centre, side = rng.uniform(0.1, 0.9, (objects, 2)), rng.uniform(0.02, 0.15, (objects, 2))
        found = []
        for _ in range(5):
            middle, sides = centre + rng.normal(0, 0.005, centre.shape), side * rng.uniform(0.9, 1.1, side.shape)
            found.append(np.concatenate([middle - sides / 2, middle + sides / 2], axis=1).clip(0, 1))
        sets.append((found, [*rng.random((5, objects))], [rng.integers(0, 80, objects)] * 5))
    x, s, classes = (np.concatenate([y for one in sets for y in one[k]]) for k in range(3))
    models = np.tile(np.repeat(np.arange(5), objects), images)
    ids = np.repeat(np.arange(images), 5 * objects)

    def peer() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for one in sets:
                ensemble_boxes.weighted_boxes_fusion(*one, iou_thr=0.55)

    ours = partial(nms.weighted_fusion, x, s, 0.55, models=models, groups=(ids, classes), confidence="avg")
    title = f"WBF of 5 models x {images * objects:,} boxes in {images:,} images, NumPy"
    return title, {"omniou": ours, "ensemble-boxes": peer}
