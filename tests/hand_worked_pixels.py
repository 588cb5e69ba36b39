"""Scores of pixels of four pairs of masks, worked out by hand, for the contract tests and those of every adapter.

A score that enters `omniou.pixel_scores` gets its line here.
"""

from omniou import pixel_scores

# Of 12 pixels: predicted 6, there 4, both 3; predicted 2, there 3, both none; equal; both without a pixel.
A = [
    [[1, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 0]],
    [[1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
    [[0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]],
    [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
]
B = [
    [[0, 1, 1, 1], [0, 1, 0, 0], [0, 0, 0, 0]],
    [[0, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 0]],
    [[0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]],
    [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
]
PIXELS = {
    "iou": [3 / 7, 0, 1, 0],
    "iof": [3 / 6, 0, 1, 0],
    "iomin": [3 / 4, 0, 1, 0],
    "dice": [6 / 10, 0, 1, 0],
    "tversky": [3 / (3 + 0.5 * 3 + 0.5 * 1), 0, 1, 0],
    "precision": [3 / 6, 0, 1, 0],
    "recall": [3 / 4, 0, 1, 0],
    "accuracy": [8 / 12, 7 / 12, 1, 1],
    # Sizes 6 and 4, 2 and 3.
    "volumetric_similarity": [1 - 2 / 10, 1 - 1 / 5, 1, 0],
    # Of one class as of Dice: the weight cancels.
    "generalised_dice": [6 / 10, 0, 1, 0],
}
# Of the two classes of each pair, off and on, weighted by the inverse of their squared sizes: 8 and 4, shared 5 and 3.
GENERALISED = [
    2 * (5 / 8**2 + 3 / 4**2) / (11 / 8**2 + 3 / 8**2 + 10 / 4**2),
    2 * (7 / 9**2) / ((10 + 9) / 9**2 + 5 / 3**2),
    1.0,
    # A class that is not there has the weight of the smallest one that is: 1 / 12^2.
    1.0,
]


def test_every_score_of_pixels_has_hand_worked_values() -> None:
    assert PIXELS.keys() == pixel_scores.keys()
