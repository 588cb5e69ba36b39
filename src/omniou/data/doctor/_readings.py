"""Ways in which the four numbers of a box may be meant."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from omniou._catalogue import shape_calls as calls
from omniou.boxes import GEOMETRY

Column = npt.NDArray[Any]

ORDERS = ("xyxy", "xywh", "cxcywh")
# Axes in the other order: what "xywh" then names is height before width, too.
_SWAPPED = [1, 0, 3, 2]


class Reading(NamedTuple):
    """An order of the numbers, with y before x if it is swapped."""

    order: str
    swapped: bool = False

    def corners(self, numbers: Column) -> Column:
        """(N, 4) -> corners (x, y, x, y)."""
        return calls.converted(GEOMETRY, numbers[:, _SWAPPED] if self.swapped else numbers, self.order, "xyxy")

    def __str__(self) -> str:
        if not self.swapped:
            return self.order
        return "yxyx" if self.order == "xyxy" else f"{self.order} with y before x"

    @property
    def option(self) -> str:
        """The name of the format, empty where there is none."""
        return "" if self.swapped and self.order != "xyxy" else str(self)


def reading_of(format: str) -> Reading:
    """What a format of two dimensions says of the order."""
    name = format.removeprefix("rel_")
    return Reading("xyxy", swapped=True) if name == "yxyx" else Reading(name)


EVERY = tuple(Reading(order, swapped) for swapped in (False, True) for order in ORDERS)


def is_better(alternative: int, given: int, total: int, by_chance: int) -> bool:
    """Whether so many of all detections meet an object in another reading that the one given is hardly meant.

    Poor detectors meet few objects in the right reading and still fewer in any other; five more than twice as many are
    not met by chance in small sets. Unless most are met, they must not be met in other images, too: boxes in the
    middle of all images fit a reading that has nothing to do with the objects.
    """
    return alternative >= 2 * given + 5 and (2 * alternative >= total or alternative >= 2 * by_chance + 5)


def can_be_better(given: int, total: int) -> bool:
    """Whether any other reading may be better, of so many detections."""
    return is_better(total, given, total, 0)


def inside(corners: Column, sides: Column) -> Column:
    """Corners (N, 4), width and height of their images (N, 2), NaN where unknown -> whether a box is proper and inside.

    Rounding and a pixel that is counted twice may lead a little beyond.
    """
    slack = np.where(np.isnan(sides), 2, 0.02 * sides)
    low, high = corners[:, :2], corners[:, 2:]
    proper: Column = (low >= -slack) & ~(high > sides + slack) & (high >= low)
    return proper[:, 0] & proper[:, 1]
