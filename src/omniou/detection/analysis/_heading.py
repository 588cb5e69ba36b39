"""AP in which the heading of a true positive counts: Waymo's APH, of 3-D boxes with a yaw."""

import dataclasses
import math
from typing import Any, Generic

from omniou import boxes3d
from omniou._inputs.shapes import GeometricShapes, Shapes
from omniou._lib import indexing, ordering
from omniou._lib.brief import threshold
from omniou._lib.types import ArrayT, Namespace
from omniou._results.base import Named
from omniou.detection._analysis import ResultAnalysis, by_threshold, shown
from omniou.detection.matching._matches import Compared, Matches


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class HeadingAP(ResultAnalysis, Generic[ArrayT]):
    """AP and heading-weighted AP (APH) of K classes at T IoU thresholds.

    In the precision of APH, a true positive counts with the weight 1 - error / pi: 1 for the right heading, 0 for the
    opposite one. The error is the signed difference of both yaws, wrapped to [0, pi]. Recall counts true positives
    without weight, as in Waymo's evaluation. Both numbers are the area under the curve at all its points, where
    precision is made monotone.

    Attributes
    ----------
    thresholds : tuple of float
        The thresholds of axis T.
    ap, aph : array, shape (T, K)
        Area under the curve, without and with the weight. NaN for a class without objects.
    error : array, shape (T, K)
        Mean heading error of the true positives, radians in [0, pi]. NaN where there are none.

    References
    ----------
    Sun et al., Scalability in Perception for Autonomous Driving: Waymo Open Dataset, CVPR 2020.
    """

    thresholds: tuple[float, ...]
    ap: ArrayT
    aph: ArrayT
    error: ArrayT

    @property
    def summary(self) -> Named[str, float]:
        """Means at the first threshold over the classes that have a value."""
        named = {"AP": self.ap, "APH": self.aph, "heading_error": self.error}
        return Named({name: indexing.mean_of_numbers(x[0, :]) for name, x in named.items()})

    def _line(self) -> str:
        ap, aph, error = map(shown, self.summary.values())
        return f"AP {ap}, APH {aph}, heading error {error} radians at {self.overlap} {threshold(self.thresholds[0])}"

    def _columns(self) -> dict[str, Any]:
        return by_threshold(self.thresholds, self.class_names, AP=self.ap, APH=self.aph, heading_error=self.error)


def find(boxes: Compared, matches: Matches[Any], /, *, xp: Namespace) -> HeadingAP[Any]:
    """Compute heading AP of boxes that have a yaw. Others raise ValueError."""
    yaws = [_yaws(x.shapes, xp=xp) for x in (boxes.tables.detections, boxes.tables.targets)]
    tables = [_at(matches, k, *yaws, xp=xp) for k in range(len(matches.thresholds))]
    return HeadingAP(matches.thresholds, *(xp.stack(list(x)) for x in zip(*tables, strict=True)))


def _yaws(shapes: Shapes, /, *, xp: Namespace) -> Any:
    """Return the yaw of each box, (N,)."""
    known = (boxes3d.GEOMETRY, boxes3d.BEV)
    if not isinstance(shapes, GeometricShapes) or shapes.reading.geometry not in known:
        raise ValueError("heading needs boxes with a yaw: evaluate with kind='boxes3d' or kind='bev'")
    if not shapes.area.shape[0]:
        return shapes.area
    rows: Any = boxes3d.convert(shapes.rows, shapes.reading.format, "xyzlwhr")
    return xp.reshape(rows[:, 6], (-1,))


def _at(matches: Matches[Any], number: int, yaws: Any, target_yaws: Any, /, *, xp: Namespace) -> tuple[Any, ...]:
    """Return AP, APH and the mean error at one threshold, (K,) each."""
    size = matches.classes.shape[0]
    label, known = indexing.place(matches.classes, matches.labels, xp=xp)
    rows = xp.nonzero(matches.counts[number, :] & known)[0]
    rows = xp.take(rows, ordering.falling(xp.take(label, rows), max(1, size), xp.take(matches.scores, rows), xp=xp))
    first = indexing.to_list(indexing.starts(indexing.counts(xp.take(label, rows), size, xp=xp), xp=xp))
    there = xp.take(matches.target_labels, xp.nonzero(matches.target_counts)[0])
    objects = indexing.to_list(indexing.counts(indexing.place(matches.classes, there, xp=xp)[0], size, xp=xp))
    out = []
    for start, stop, many in zip(first, first[1:], objects, strict=False):
        own = rows[start:stop]
        target = xp.take(matches.objects[number, :], own)
        hit = xp.nonzero(target >= 0)[0]
        error = _error(xp.take(yaws, xp.take(own, hit)), xp.take(target_yaws, xp.take(target, hit)), xp=xp)
        rank = xp.astype(hit + 1, error.dtype)
        areas = [_area(weight, rank, many, xp=xp) for weight in (xp.ones_like(error), 1 - error / math.pi)]
        out.append([*areas, float(xp.mean(error)) if error.shape[0] else math.nan])
    columns = zip(*out, strict=True) if out else ([], [], [])
    return tuple(xp.asarray(list(x), dtype=matches.scores.dtype) for x in columns)


def _error(a: Any, b: Any, /, *, xp: Namespace) -> Any:
    """Angles (H,) -> the smallest turn between them, in [0, pi]."""
    turn = xp.abs(a - b) % (2 * math.pi)
    return xp.minimum(turn, 2 * math.pi - turn)


def _area(weight: Any, rank: Any, objects: int, /, *, xp: Namespace) -> float:
    """Weights of true positives (H,), by falling score, and detections up to each (H,) -> area under the curve."""
    if not objects:
        return math.nan
    precision = xp.cumulative_sum(weight) / rank
    return float(xp.sum(indexing.cumulative_maximum(precision, xp=xp, from_end=True))) / objects
