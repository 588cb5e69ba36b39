"""Ways in which the four numbers of a box may be meant."""

from typing import NamedTuple

from omniou._catalogue import shape_calls as calls
from omniou.boxes import GEOMETRY
from omniou.detection.doctor._numpy import Column, np

ORDERS = ("xyxy", "xywh", "cxcywh")
# Axes in the other order: what "xywh" then names is height before width, too.
_SWAPPED = [1, 0, 3, 2]
# In brackets: the range in which `python -m tests.benchmarks.doctor --thresholds` misses no damage and accuses no whole
# set, of factors 1/2 to 2; where it is narrower, what happens beyond it. The value in it is a choice.

# Another reading is better if it matches so many times as many detections as the given one (2 to 4; with 1, 4 damages
# are missed and 3 sets accused), and so many more besides (5 to 10; with 4, 2 damages of another kind are missed).
_TIMES, _MORE = 2, 5
# This share of the detections need not be compared with chance (0.25 to 1).
_MOST = 0.5
# How far a box may exceed its image: a share of the side (0.01 to 0.04), or pixels where the size is unknown (1 to 4).
# Rounding takes half a pixel, and a box that counts its last pixel twice a whole one.
_SLACK, _SLACK_PIXELS = 0.02, 2


class BoxReading(NamedTuple):
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


def reading_of(format: str) -> BoxReading:
    """What a format of two dimensions says of the order."""
    name = format.removeprefix("rel_")
    return BoxReading("xyxy", swapped=True) if name == "yxyx" else BoxReading(name)


EVERY = tuple(BoxReading(order, swapped) for swapped in (False, True) for order in ORDERS)


def is_better(alternative: int, given: int, total: int, by_chance: int) -> bool:
    """Whether another reading matches so many more of all detections that the given one is hardly meant.

    Poor detectors match few objects in the right reading and still fewer in any other. A small set may match a few
    more by chance, so a factor does not suffice. Boxes in the middle of all images match in a reading that has nothing
    to do with the objects, so unless most detections match, they must match more than objects of other images.
    """
    beyond_chance = alternative >= _TIMES * by_chance + _MORE
    return alternative >= _TIMES * given + _MORE and (alternative >= _MOST * total or beyond_chance)


def can_be_better(given: int, total: int) -> bool:
    """Whether any other reading can be better, with `total` detections."""
    return is_better(total, given, total, 0)


def inside(corners: Column, sides: Column) -> Column:
    """Corners (N, 4), width and height of their images (N, 2), NaN where unknown -> whether a box is proper and inside.

    The slack allows for rounding, and for a pixel that is counted twice.
    """
    slack = np.where(np.isnan(sides), _SLACK_PIXELS, _SLACK * sides)
    low, high = corners[:, :2], corners[:, 2:]
    proper: Column = (low >= -slack) & ~(high > sides + slack) & (high >= low)
    return proper[:, 0] & proper[:, 1]
