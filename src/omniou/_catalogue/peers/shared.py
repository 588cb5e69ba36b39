"""What several conventions have in common."""

import math
from typing import Any

from omniou._catalogue.convention import Example

NAN = math.nan
STRICT: dict[str, Any] = {"inclusive": False}
COUNTERCLOCKWISE_DEGREES: dict[str, Any] = {"unit": "degrees", "clockwise": False}
CLOCKWISE_DEGREES: dict[str, Any] = {"unit": "degrees", "clockwise": True}
CLOCKWISE_RADIANS: dict[str, Any] = {"unit": "radians", "clockwise": True}
COUNTERCLOCKWISE_RADIANS: dict[str, Any] = {"unit": "radians", "clockwise": False}

ORDER = "Indices by falling score."
UNSTABLE = "The order of equal scores is not defined: torch's default sort is unstable from 17 boxes on."
MATCHER = (
    "In float32: below the low threshold an anchor is negative, from the high one on positive; the first of equal "
    "overlaps wins. Low-quality matches need an overlap that equals the best of the object exactly."
)
LATER = "The later of equal scores wins: the order of a stable sort is turned round."

POINTS = ((0, 0, 0, 0), (0, 0, 0, 0))
SQUARE = (0, 0, 10, 10)
# IoU is exactly 0.5.
AT_THRESHOLD = Example(
    "nms.hard", ((SQUARE, (0, 0, 10, 5)), (0.9, 0.8), 0.5), [0], "an IoU equal to the threshold suppresses"
)
EQUAL_SCORES = Example(
    "nms.hard", ((SQUARE, SQUARE), (0.5, 0.5), 0.5), [1], "the later of equal scores wins", reproduced=False
)
AS_SIDES = Example("boxes.iou", (SQUARE, (5, 5, 10, 10)), 25 / 175, "corner and sides, not two corners")


def tiny(side: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Two equal squares, so small that an epsilon counts."""
    return (0.0, 0.0, side, side), (0.0, 0.0, side, side)


def box_loss(eps: float) -> dict[str, Any]:
    """Options of a loss of corners; no other library turns an inverted box round."""
    return {"format": "xyxy", "eps": eps, "inverted": "empty"}
