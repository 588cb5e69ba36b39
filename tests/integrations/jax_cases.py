"""A table of every public metric for JAX, with padded batches and expected results."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from omniou import boxes, detection
from omniou_integrations.jax import BoxScore, DetectionAP
from tests.hand_worked import HAND_WORKED, NEEDED

NAN = float("nan")
NOTHING = [NAN] * 4


def number(result):
    """The one number of a result, or its AP."""
    return float(result["AP"] if isinstance(result, dict) else result)


class Case(NamedTuple):
    metric: type  # of omniou_integrations.jax; of the same name in omniou_integrations.flax
    options: dict[str, Any]  # of `empty`
    batches: list[dict[str, Any]]  # arguments of `update`, all of one shape
    expected: float
    follows_gradients: bool

    def empty(self):
        return self.metric.empty(**self.options)

    def states(self, batches=None):
        return [self.empty().update(**batch) for batch in batches or self.batches]


# Two images at a time, each with room for two boxes.
BOXES = [
    {
        "pred": [[[0.0, 0, 4, 2], NOTHING], [[0, 0, 1, 1], [3, 4, 5, 6]]],
        "target": [[[1.0, 0, 3, 3], [0, 0, 1, 1]], [[1, 1, 2, 2], [3, 4, 5, 6]]],
        "where": [[True, False], [True, True]],
    },
    {
        "pred": [[[2.0, 2, 2, 2], NOTHING], [NOTHING, NOTHING]],
        "target": [[[2.0, 2, 2, 2], NOTHING], [NOTHING, [0, 0, 1, 1]]],
        "where": [[True, False], [False, False]],
    },
]
# Of the four boxes that `where` selects.
SCORES = {getattr(boxes, name): values for name, values in HAND_WORKED.items() if name not in NEEDED}

# Class 0: one of two objects is matched, and a false positive ranks below it. Class 1: an IoU of 1/2.
DETECTIONS = [
    {
        "targets": {"boxes": [[[0.0, 0, 8, 8], [9, 9, 12, 12]]], "labels": [[0, 0]]},
        "detections": {
            "boxes": [[[20.0, 20, 30, 30], [0, 0, 8, 8], NOTHING]],
            "scores": [[0.25, 0.875, NAN]],
            "labels": [[0, 0, -1]],
        },
    },
    {
        "targets": {"boxes": [[[0.0, 0, 4, 4], NOTHING]], "labels": [[1, -1]]},
        "detections": {
            "boxes": [[[0.0, 0, 4, 2], NOTHING, NOTHING]],
            "scores": [[0.75, NAN, NAN]],
            "labels": [[1, -1, -1]],
        },
    },
]


def arrays(tree):
    """Nested lists as arrays."""
    return jax.tree.map(jnp.asarray, tree, is_leaf=lambda x: isinstance(x, list))


def cases():
    """Name -> case. A function, since the dtype of arrays depends on `jax.enable_x64`."""
    scores = {
        f"BoxScore {score.__name__}": Case(BoxScore, {"score": score}, arrays_of(BOXES), sum(each) / 4, True)
        for score, each in SCORES.items()
    }
    # Class 0 reaches 51 of 101 recall points at all thresholds; class 1 all of them at one threshold of ten.
    average = (51 / 101 + 1 / 10) / 2
    options = {"classes": 3, "bins": 64}
    return scores | {"DetectionAP": Case(DetectionAP, options, arrays_of(DETECTIONS), average, False)}


def arrays_of(batches):
    return [arrays(batch) for batch in batches]


NAMES = list(cases())
# One of each kind that differs in the adapter: a score that tells target from prediction, Gaussians, and detections.
SOME = ["BoxScore iou", "BoxScore wiou", "BoxScore kld", "DetectionAP"]


def joined(batches, images=None):
    """Several batches concatenated, and padded to `images` images."""

    def join(*parts):
        x = jnp.concat(parts)
        more = (images or len(x)) - len(x)
        fill = {"f": NAN, "i": -1, "b": False}["f" if jnp.isdtype(x.dtype, "real floating") else x.dtype.kind]
        return jnp.concat([x, jnp.full((more, *x.shape[1:]), fill, x.dtype)])

    return jax.tree.map(join, *batches)


def cast(batch, dtype):
    """The same with its floating arrays in another dtype."""
    return jax.tree.map(lambda x: x.astype(dtype) if jnp.isdtype(x.dtype, "real floating") else x, batch)


def by_functions(case):
    """The same result by functions of `omniou`, without the metric."""
    batch = joined(case.batches)
    if case.metric is BoxScore:
        where = np.asarray(batch["where"])
        scores = case.options["score"](np.asarray(batch["pred"])[where], np.asarray(batch["target"])[where])
        return scores.mean()
    targets, detections = ([*map(dict, unpadded(batch[side]))] for side in ("targets", "detections"))
    return detection.evaluate(targets, detections, classes=range(case.options["classes"])).summary["AP"]


def unpadded(table):
    """Padded arrays (B, N, ...) -> dictionaries of images, without padding."""
    for image in range(len(table["labels"])):
        rows = np.asarray(table["labels"][image]) >= 0
        yield {name: np.asarray(x[image])[rows] for name, x in table.items()}


def padded(table, images, rows=None):
    """Columns of `omniou.detection` -> arrays (B, N, ...) of the given images, padded with NaN, -1 and False."""
    image = np.asarray(table.images)
    rows = rows or int(np.bincount(image).max())
    columns = {}
    for name in ("boxes", "scores", "labels", "crowd", "ignore", "area"):
        x = getattr(table, name, None)
        if x is None:
            continue
        x = np.asarray(x)
        fill = {"f": NAN, "i": -1, "b": False}[x.dtype.kind]
        columns["iscrowd" if name == "crowd" else name] = full = np.full(
            (len(images), rows, *x.shape[1:]), fill, x.dtype
        )
        for place, number in enumerate(images):
            of_image = x[image == number]
            full[place, : len(of_image)] = of_image
    return arrays(columns)
