"""Every public metric for JAX, with padded batches and what they amount to: what the lists of checks run over."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from omniou import boxes, detection
from omniou_integrations.jax import BoxScore, DetectionAP
from tests.hand_worked import HAND_WORKED, NEEDED

NAN = float("nan")
NOTHING = [NAN] * 4


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
# Of the four that count.
SCORES = {getattr(boxes, name): values for name, values in HAND_WORKED.items() if name not in NEEDED}

# One of two objects of class 0 is found, and a false alarm comes after it; half of the object of class 1 is covered.
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
    """Name -> case. A function, since arrays follow the dtypes of the moment."""
    found = {
        f"BoxScore {score.__name__}": Case(BoxScore, {"score": score}, arrays_of(BOXES), sum(each) / 4, True)
        for score, each in SCORES.items()
    }
    # 51 of 101 points of recall are reached, at all thresholds; all of them, at one threshold of ten.
    average = (51 / 101 + 1 / 10) / 2
    options = {"classes": 3, "bins": 64}
    return found | {"DetectionAP": Case(DetectionAP, options, arrays_of(DETECTIONS), average, False)}


def arrays_of(batches):
    return [arrays(batch) for batch in batches]


NAMES = list(cases())


def joined(batches, images=None):
    """One batch of several, with images of nothing but padding up to `images`."""

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
    """What a user would compute without the metric."""
    whole = joined(case.batches)
    if case.metric is BoxScore:
        where = np.asarray(whole["where"])
        scores = case.options["score"](np.asarray(whole["pred"])[where], np.asarray(whole["target"])[where])
        return scores.mean()
    targets, detections = ([*map(dict, unpadded(whole[side]))] for side in ("targets", "detections"))
    return detection.evaluate(targets, detections, classes=range(case.options["classes"])).summary["AP"]


def unpadded(table):
    """Padded arrays (B, N, ...) -> dictionaries of images, without padding."""
    for image in range(len(table["labels"])):
        rows = np.asarray(table["labels"][image]) >= 0
        yield {name: np.asarray(x[image])[rows] for name, x in table.items()}


def padded(table, images, rows=None):
    """Columns of `omniou.detection` -> arrays (B, N, ...) of the given images, NaN and -1 where nothing is."""
    image = np.asarray(table.images)
    rows = rows or int(np.bincount(image).max())
    found = {}
    for name in ("boxes", "scores", "labels", "crowd", "ignore", "area"):
        x = getattr(table, name, None)
        if x is None:
            continue
        x = np.asarray(x)
        fill = {"f": NAN, "i": -1, "b": False}[x.dtype.kind]
        found["iscrowd" if name == "crowd" else name] = full = np.full((len(images), rows, *x.shape[1:]), fill, x.dtype)
        for place, number in enumerate(images):
            of_image = x[image == number]
            full[place, : len(of_image)] = of_image
    return arrays(found)
