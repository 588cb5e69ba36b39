"""Ways in which the four numbers of a box may be meant."""

from typing import NamedTuple

from omniou._catalogue import shape_calls as calls
from omniou._doctor.columns import Column, np
from omniou.boxes import GEOMETRY

ORDERS = ("xyxy", "xywh", "cxcywh")
# Axes in the other order: what "xywh" then names is height before width, too.
_SWAPPED = [1, 0, 3, 2]
# Ranges in brackets as in `_doctor.engine`.

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

    @property
    def step(self) -> int:
        """1, or -1 where y is before x."""
        return -1 if self.swapped else 1

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


def inside(corners: Column, sides: Column) -> Column:
    """Corners (N, 4), width and height of their images (N, 2), NaN where unknown -> whether a box is proper and inside.

    The slack allows for rounding, and for a pixel that is counted twice.
    """
    slack = np.where(np.isnan(sides), _SLACK_PIXELS, _SLACK * sides)
    low, high = corners[:, :2], corners[:, 2:]
    proper: Column = (low >= -slack) & ~(high > sides + slack) & (high >= low)
    return proper[:, 0] & proper[:, 1]
