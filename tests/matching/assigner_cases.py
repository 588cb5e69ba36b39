"""The assigners by name, a batch of images for all of them, and what their tests share."""

from typing import Any

import numpy as np

from omniou import matching
from tests.helpers import array, numbers

U = [0, 0, 10, 10]


def whole(x: Any) -> Any:
    return numbers(x).astype(int).tolist()


def batch(xp: Any, dtype: str = "float32") -> dict[str, Any]:
    """Three images with 2, 0 and 4 objects, padded to 5 by NaN; 48 anchors of two levels."""
    rng = np.random.default_rng(0)
    low = rng.uniform(0, 16, (3, 5, 2))
    objects = np.concatenate([low, low + rng.uniform(8, 16, (3, 5, 2))], axis=-1)
    where = np.arange(5)[None] < np.array([2, 0, 4])[:, None]
    objects[~where] = np.nan
    points = np.concatenate([rng.uniform(4, 24, (32, 2)), rng.uniform(4, 24, (16, 2))])
    strides = np.repeat([4.0, 8.0], [32, 16])
    near = np.where(np.isnan(objects), 0, objects)[np.arange(3)[:, None], rng.integers(0, 4, (3, 48))]
    numeric = {
        "objects": objects,
        "points": points,
        "strides": strides,
        "anchors": np.concatenate([points - 6, points + 6], axis=-1),
        "predictions": near + rng.normal(0, 1.5, (3, 48, 4)),
        "scores": rng.uniform(0.05, 0.95, (3, 48, 3)),
    }
    return {name: array(xp, x, dtype) for name, x in numeric.items()} | {
        "labels": xp.asarray(rng.integers(0, 3, (3, 5))),
        "where": xp.asarray(where),
    }


ASSIGNERS = {
    "max_iou": (("anchors", "objects"), {}),
    "atss": (("anchors", "objects"), {"levels": (32, 16), "topk": 5}),
    "simota": (("predictions", "scores", "points", "strides", "objects", "labels"), {}),
    "task_aligned": (("predictions", "scores", "points", "objects", "labels"), {"topk": 5}),
}


def assign(name: str, x: dict[str, Any], **options: Any) -> Any:
    names, fixed = ASSIGNERS[name]
    return getattr(matching, name)(*(x[n] for n in names), **(fixed | options))


def assert_same(one: Any, other: Any) -> None:
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(numbers(a), numbers(b), rtol=1e-5, atol=1e-6)


PER_IMAGE = ("objects", "labels", "where", "predictions", "scores")
