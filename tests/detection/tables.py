"""Made-up data sets that several tests share."""

import numpy as np

from omniou.detection import Detections, Targets


def tied(seed):
    """Few scores, boxes of which many are the same, and crowds."""
    rng = np.random.default_rng(seed)
    low = rng.integers(0, 12, (80, 2))
    boxes = np.concatenate([low, low + rng.integers(2, 9, (80, 2))], axis=1).astype(float)
    near = rng.integers(80, size=300)
    labels, images = rng.integers(3, size=80), rng.integers(5, size=80)
    return (
        Targets(boxes, labels, images, crowd=rng.random(80) < 0.1),
        Detections(
            boxes[near] + rng.integers(0, 2, (300, 1)),
            rng.integers(0, 5, 300) / 5,
            np.where(rng.random(300) < 0.8, labels[near], 0),
            images[near],
        ),
    )
