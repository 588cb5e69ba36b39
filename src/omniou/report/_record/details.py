"""What pictures tell of a shape: why it is an error, and what is near it."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from omniou.report._record.series import Numbers
from omniou.report._record.values import array

if TYPE_CHECKING:
    from omniou.detection.analysis._breakdown import Breakdown

# A crop shows this much around a shape, as a share of its longer side; of what is there, so many shapes are drawn.
_MARGIN, _MOST_NEAR = 0.5, 2
# Rows of a table of labels that are drawn, each as a crop.
MOST_CROPS = 8

BELOW = "below"
"""The reason of a missed object: the detection of it scores less than what is drawn."""


class Reasons(NamedTuple):
    """TIDE's types of the errors of a result."""

    kinds: Numbers  # (M,) places in `KINDS`, -1 for detections that are no errors
    objects: Numbers  # (M,) rows of the objects that they are about, -1 for none
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
    """Corners (D,) of what is around a shape: a square that has a margin around the longer side."""
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
