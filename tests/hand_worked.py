"""Scores of four pairs of boxes, worked out by hand, for the contract tests and those of every adapter.

A score that enters `omniou.scores` gets its line here.
"""

import math

from omniou import scores

V = 4 / math.pi**2 * (math.atan(4 / 2) - math.atan(2 / 3)) ** 2
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
}


def test_every_score_has_hand_worked_values() -> None:
    assert HAND_WORKED.keys() == scores.keys()
