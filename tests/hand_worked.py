"""Scores of four pairs of boxes, worked out by hand, for the contract tests and those of every adapter.

A score that enters `omniou.scores` gets its line here.
"""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np

from omniou import scores
from omniou._kernels.scores import combined

V = 4 / math.pi**2 * (math.atan(4 / 2) - math.atan(2 / 3)) ** 2
# Sides 4 and 2 differ by half of the longer one, 2 and 3 by a third.
SHAPE = (1 - math.exp(-1 / 2)) ** 4 + (1 - math.exp(-1 / 3)) ** 4
B = 0.25 / 4 / (13 / 12) + math.log((20 * 13) / (4 * 48)) / 2
KALMAN = 3 / math.sqrt(65 / 4)
PRED = [[0.0, 0.0, 4.0, 2.0], [0.0, 0.0, 1.0, 1.0], [3.0, 4.0, 5.0, 6.0], [2.0, 2.0, 2.0, 2.0]]
TARGET = [[1.0, 0.0, 3.0, 3.0], [1.0, 1.0, 2.0, 2.0], [3.0, 4.0, 5.0, 6.0], [2.0, 2.0, 2.0, 2.0]]
# Areas 8 and 6, intersection 4, union 10, hull 4 x 3, centres 1/2 apart, hull diagonal squared 25; two squares corner
# to corner in a hull of 2 x 2, centres sqrt(2) apart; a perfect match; a point.
HAND_WORKED = {
    "iou": [4 / 10, 0, 1, 0],
    "iof": [4 / 8, 0, 1, 0],
    "iomin": [4 / 6, 0, 1, 0],
    "dice": [8 / 14, 0, 1, 0],
    "giou": [4 / 10 - 2 / 12, -2 / 4, 1, 0],
    "diou": [4 / 10 - 0.25 / 25, -2 / 8, 1, 0],
    # The sides differ by 2 of 4 and by 1 of 3.
    "eiou": [4 / 10 - 0.25 / 25 - 1 / 4 - 1 / 9, -2 / 8, 1, 0],
    # v compares the aspects 4 : 2 and 2 : 3, alpha = v / (1 - 4 / 10 + v); the other pairs have equal aspects.
    "ciou": [4 / 10 - 0.25 / 25 - V * V / (1 - 4 / 10 + V), -2 / 8, 1, 0],
    # The centres differ along y alone, by 1/2 in a hull of height 3: no angle cost. At a corner it is 1.
    "siou": [4 / 10 - (-math.expm1(-2 / 36) + SHAPE) / 2, math.expm1(-1 / 4), 1, 0],
    # In an image of 8 x 6: low corners 1 apart, high ones sqrt(2).
    "mpdiou": [4 / 10 - 1 / 100 - 2 / 100, -2 * 2 / 100, 1, 0],
    "shape_iou": [4 / 10 - 0.25 / 25 - SHAPE / 2, -2 / 8, 1, 0],
    "tiou": [6 / 12, 1 / 4, 1, 0],
    "wiou": [1 - math.exp(0.25 / 25) * 6 / 10, 1 - math.exp(2 / 8), 1, 0],
    # Variances 16 / 12 and 4 / 12, 4 / 12 and 9 / 12, and centres 1/2 apart along y; variances 1 / 12, (1, 1) apart.
    "probiou": [1 - math.sqrt(1 - math.exp(-B)), 1 - math.sqrt(1 - math.exp(-3)), 1, 0],
    "bhattacharyya": [B, 3, 0, 0],
    "hellinger": [math.sqrt(1 - math.exp(-B)), math.sqrt(1 - math.exp(-3)), 0, 0],
    # Deviations 2 and 1, 1 and 3/2: 1/4 + 1 + 1/4.
    "nwd": [math.exp(-math.sqrt(1.5) / 12.8), math.exp(-math.sqrt(2) / 12.8), 1, 1],
    "gwd": [math.sqrt(1.5), math.sqrt(2), 0, 0],
    "kld": [(4 / 1 + 1 / 2.25 + 0.25 / 2.25 - 2 + math.log(2.25 / 4)) / 2, 4, 0, 0],
    # Determinants 4 and 9/4, that of the sum 5 * 13/4: the product has 3 / sqrt(65/4).
    "kfiou": [KALMAN / (2 + 1.5 - KALMAN), 1 / 3, 1 / 3, 0],
}
# Losses that are not 1 - score.
LOSSES = {
    "bhattacharyya": HAND_WORKED["bhattacharyya"],
    "hellinger": HAND_WORKED["hellinger"],
    "gwd": [1 - 1 / (1 + math.log(1 + x)) for x in HAND_WORKED["gwd"]],
    "kld": [1 - 1 / (1 + math.log(1 + x)) for x in HAND_WORKED["kld"]],
}
LOSS_VALUES = {name: LOSSES.get(name, [1 - x for x in values]) for name, values in HAND_WORKED.items()}
# Terms of the four pairs, of which those of outlines are convex: two corners of 1/2 are missing in the first hull.
TERMS = {
    "area_a": [8.0, 1.0, 4.0, 0.0],
    "area_b": [6.0, 1.0, 4.0, 0.0],
    "intersection": [4.0, 0.0, 4.0, 0.0],
    "hull": [11.0, 3.0, 4.0, 0.0],
    "hull_diagonal_squared": [25.0, 8.0, 8.0, 0.0],
    "centre_distance_squared": [0.25, 2.0, 0.0, 0.0],
}
# What a score needs beside the boxes.
NEEDED: dict[str, dict[str, tuple[int, int]]] = {"mpdiou": {"image_size": (6, 8)}}


def of_terms(name: str, terms: dict[str, list[float]]) -> list[float]:
    """A score of terms that were worked out by hand; its formula has its own values above."""
    areas = {x: np.asarray(terms[x]) for x in ("area_a", "area_b")}
    others: dict[str, Any] = {x: lambda x=x: np.asarray(terms[x]) for x in terms if x not in areas}
    values: list[float] = combined(
        scores[name].formula, SimpleNamespace(**areas, **others), options=scores[name].defaults, xp=np
    ).tolist()
    return values


# Rectangles and polygons: their hull is convex, and smaller than the enclosing box.
OUTLINED = HAND_WORKED | {name: of_terms(name, TERMS) for name, score in scores.items() if "hull" in score.terms}
OUTLINED_LOSSES = LOSS_VALUES | {name: [1 - x for x in OUTLINED[name]] for name in OUTLINED if name not in LOSSES}


def test_every_score_has_hand_worked_values() -> None:
    assert HAND_WORKED.keys() == scores.keys()
