"""Pairs above a threshold beside shapely's tree, and the best of each row."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import shapely

from omniou import boxes, pairwise, pairwise_max, pairwise_sparse
from tests.benchmarks.cases import Case


def scattered(n: int, seed: int) -> Any:
    """Boxes of about 50 x 50 pixels, each of which overlaps four others of a set of this size."""
    rng = np.random.default_rng(seed)
    low = rng.uniform(0, 50 * n**0.5, (n, 2))
    return np.concatenate([low, low + rng.gamma(2, 25, (n, 2))], axis=1)


def by_tree(a: Any, b: Any) -> Any:
    """Pairs whose bounds overlap or touch, and their IoU."""
    i, j = shapely.STRtree(shapely.box(*b.T)).query(shapely.box(*a.T))
    return i, j, boxes.iou(a[i], b[j])


def by_matrix(a: Any, b: Any) -> Any:
    scores = pairwise(boxes.iou, a, b)
    return scores.max(axis=1), scores.argmax(axis=1)


def cases(*, smoke: bool) -> Iterator[Case]:
    for n in (100, 200) if smoke else (10_000, 100_000, 1_000_000):
        a, b = scattered(n, 0), scattered(n, 1)
        runs = {
            "omniou": partial(pairwise_sparse, boxes.iou, a, b, 0.0),
            "omniou, threshold 0.5": partial(pairwise_sparse, boxes.iou, a, b, 0.5),
            "shapely STRtree": partial(by_tree, a, b),
        }
        yield f"Overlapping pairs and their IoU, {n:,} x {n:,}, float64, NumPy", runs
    n = 200 if smoke else 10_000
    a, b = scattered(n, 0), scattered(n, 1)
    runs = {"omniou": partial(pairwise_max, boxes.iou, a, b), "argmax of the matrix": partial(by_matrix, a, b)}
    yield f"Best of each row, IoU, {n:,} x {n:,}, float64, NumPy", runs
    runs = {
        "omniou": partial(pairwise_max, boxes.giou, a, b),
        "argmax of the matrix": lambda: pairwise(boxes.giou, a, b).argmax(axis=1),
    }
    yield f"Best of each row, GIoU, {n:,} x {n:,}, float64, NumPy", runs
