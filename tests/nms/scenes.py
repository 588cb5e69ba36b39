"""Boxes whose overlaps often equal a threshold, for comparison with other libraries' suppression."""

import numpy as np

from omniou import boxes, conventions, nms

THRESHOLDS = [0.25, 0.5, 0.75]  # exact in every dtype


def assert_same_kept(name, keep, threshold):
    """`nms.hard` by the options of a convention keeps what `keep(rows, scores, threshold)` of the library keeps.

    Corners are small integers, so that many overlaps equal the threshold; no two scores are equal.
    """
    rng, decided = np.random.default_rng(0), 0
    for _ in range(12):
        low = rng.integers(0, 8, (25, 2))
        rows = np.concatenate([low, low + rng.integers(1, 6, (25, 2))], axis=1).astype(float)
        scores = rng.permutation(np.linspace(0.05, 0.95, 25))
        options = dict(conventions[name].nms)
        given = boxes.convert(rows, "xyxy", options["format"]) if "format" in options else rows
        ours = nms.hard(given, scores, threshold, **options).tolist()
        assert ours == list(keep(rows, scores, threshold))
        options["inclusive"] = not options["inclusive"]
        decided += nms.hard(given, scores, threshold, **options).tolist() != ours
    assert decided > 1  # scenes in which an overlap at the threshold matters
