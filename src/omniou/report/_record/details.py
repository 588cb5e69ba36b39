"""Find details of shapes for pictures: why a shape is an error, and which shapes are near it."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from omniou.report._record.series import Numbers
from omniou.report._record.values import array

if TYPE_CHECKING:
    from omniou.detection.analysis._breakdown import Breakdown

# The margin of a crop around a shape, as a share of its longer side, and the most nearby shapes that are drawn.
_MARGIN, _MOST_NEAR = 0.5, 2
# The most rows of a table of labels that have a crop.
MOST_CROPS = 8

BELOW = "below"
"""The reason of a missed object whose detection scores less than the drawn ones."""


class Reasons(NamedTuple):
    """TIDE's error types of a result."""

    kinds: Numbers  # (M,) places in `KINDS`, -1 for detections without an error
    objects: Numbers  # (M,) rows of the objects that the errors concern, -1 for none
    missed: Numbers  # (N,) whether no error of a detection covers the missed object
    covering: Numbers  # (N,) the type of the error that covers the object, -1 for none

    def of_detection(self, row: int, places: Numbers) -> list[Any]:
        """The type of a false positive, and the place of the class of the object that it is about, or None."""
        kind, about = int(self.kinds[row]), int(self.objects[row])
        return [_name(kind), int(places[about]) if about >= 0 else None]

    def of_object(self, row: int) -> str:
        """The reason of a missed object: "missed", the type of the error that covers it, or `BELOW`."""
        return "missed" if self.missed[row] else _name(int(self.covering[row])) or BELOW


def reasons(errors: "Breakdown[Any]") -> Reasons:
    """Return the reasons of the errors that `omniou.detection.Result.errors` finds."""
    from omniou.detection.analysis._breakdown import KINDS

    kinds, objects, missed = (array(x) for x in (errors.kinds, errors.objects, errors.missed))
    covering = np.full(len(missed), -1)
    for name in ("localisation", "classification"):
        about = objects[kinds == KINDS.index(name)]
        covering[about] = KINDS.index(name)
    return Reasons(kinds, objects, missed, covering)


def _name(kind: int) -> str:
    from omniou.detection.analysis._breakdown import KINDS

    return KINDS[kind] if kind >= 0 else ""


def window(low: Numbers, high: Numbers) -> tuple[Numbers, Numbers]:
    """Return the corners (D,) of a square around a shape, with a margin: 20 x 10 pixels give a square of 40."""
    middle, side = (low + high) / 2, float((high - low).max()) * (1 + 2 * _MARGIN)
    half = (side if side > 0 else 1.0) / 2
    return middle - half, middle + half


def near(shapes: Any, rows: Numbers, around: tuple[Numbers, Numbers]) -> list[int]:
    """The rows whose bounds overlap a window, the nearest to its middle first."""
    if not rows.size:
        return []
    bounds = shapes.bounds(shapes.xp.asarray(rows, dtype=shapes.xp.int64))
    low, high = array(bounds.low), array(bounds.high)  # (D, P)
    (start, end) = (x[:, None] for x in around)
    inside = np.all((low < end) & (high > start), axis=0)
    distance = (((low + high) / 2 - (start + end) / 2) ** 2).sum(axis=0)
    order = np.argsort(distance, kind="stable")
    return [int(rows[k]) for k in order[inside[order]][:_MOST_NEAR]]
