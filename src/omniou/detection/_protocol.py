"""The rules of an evaluation, as data."""

import dataclasses
import itertools
import math
from collections.abc import Sequence
from typing import Any, Literal

from omniou._lib import checks
from omniou.matching import _coco_bits as coco_bits
from omniou.matching._coco_greedy import COCO_THRESHOLDS, spaced


@dataclasses.dataclass(frozen=True, slots=True)
class AreaRange:
    """Objects and detections of an area in [low, high], both ends included.

    Attributes
    ----------
    name : str
        Name in the output.
    low, high : float
        Bounds of the area, in the squared unit of the coordinates.
    suffix : str
        Ending of the names of numbers, such as the "s" in "APs"; empty for the range of the headline numbers.
    """

    name: str
    low: float
    high: float
    suffix: str

    def __post_init__(self) -> None:
        """Make numbers and texts of NumPy Python's."""
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, checks.plain(getattr(self, field.name)))


# Fields that are words, and these words.
_WORDS = {
    "interpolation": ("points", "area", "trapezoids", "trapezoids_tail"),
    "limit_per": ("class", "image"),
    "assignment": ("free", "best"),
    "crowds": ("ignored", "once", "left_out"),
    "tie_policy": ("file", "last", "invariant"),
    "measure": ("iou", "similarity", "distance"),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Protocol:
    """Thresholds and ranges of an evaluation; `dataclasses.replace` changes one field.

    Lists and arrays instead of tuples become tuples.

    Attributes
    ----------
    iou_thresholds : tuple of float
        Rising, in [0, 1]; compared in float64. An IoU that equals a threshold is a match. Of a similarity or a distance
        any numbers, which are sorted from loose to strict: rising similarities, falling distances.
    recall_points : tuple of float
        Recall thresholds at which to read off precision, rising, in [0, 1].
    area_ranges : tuple of AreaRange
        Area ranges; the first is for the headline numbers.
    max_detections : tuple of int
        Limits of detections in an image and class, rising; the best detections count. AP uses the last limit, which may
        be None for no limit.
    limit_per : {"class", "image"}
        Whether the last limit holds for each class of an image, or for the image as a whole.
    assignment : {"free", "best"}
        "free": a detection takes the best object that is still free (COCO). "best": it may only take the object that it
        overlaps most, and is a false positive if another detection already has this object (Pascal VOC).
    interpolation : {"points", "area", "trapezoids", "trapezoids_tail"}
        "points": AP is the mean precision at `recall_points`. "area": the area under the curve of highest precisions.
        "trapezoids": this area by trapezoids at `recall_points`, with precision 0 beyond the highest recall.
        "trapezoids_tail": the same with a line from the highest recall to a precision of 0 at a recall of 1.
    crowds : {"ignored", "once", "left_out"}
        Regions of many objects match any number of detections, by the share of the detection inside. "ignored": these
        detections do not count (COCO). "once": the best one is a true positive, the others do not count, and a region
        without a detection is a false negative. "left_out": the evaluation drops the regions, so detections inside are
        false positives, as in formats without crowds.
    singled_out : tuple of float
        IoU thresholds with a separate AP in the summary, such as AP50, if there are several thresholds; rising.
    measure : {"iou", "similarity", "distance"}
        What the thresholds are numbers of: "iou", a score in [0, 1] of shapes; "similarity" and "distance", the numbers
        of any range that ``evaluate(similarity=...)`` is given.
    recall_singled_out : bool
        Whether the summary also has recall at these thresholds, such as AR50 for COCO's keypoints. AR at the last
        limit then has no limit in its name.
    tie_policy : {"file", "last", "invariant"}
        Order of detections with equal scores. "file": by the ids of their images and the order of their rows, as in
        pycocotools, where this order can change AP from 0.5 to 1. "last": the reverse order, as in ActivityNet.
        "invariant": all at once, independent of any order. In an image the detection with the higher overlap then
        chooses first, and precision is read off after the last of them. Only masks of equal score, bounds, area and
        overlap depend on the order of rows.
    class_agnostic : bool
        Whether to treat all classes as one, like pycocotools' ``useCats=0``: any detection may take any object of its
        image, and a limit of detections holds for the image. In an image, rows come in the order of their classes,
        which decides between equal scores. Federated annotation (`Targets.negative`) first excludes detections by their
        original classes, as in LVIS's own tool.
    missing_scores : bool
        Whether detections have no scores, so that all of them count at once: one operating point. The summary then
        begins with F1, precision and recall at the first IoU threshold, over all detections. It needs the tie policy
        "invariant" and no limit of detections, both of which depend on scores: `without_scores` changes a protocol.

    Raises
    ------
    TypeError, ValueError
        If a field has a wrong type, is empty, not rising, or out of its bounds.

    Examples
    --------
    >>> import dataclasses
    >>> from omniou import detection
    >>> strict = dataclasses.replace(detection.COCO, iou_thresholds=(0.75, 0.9))
    >>> strict.max_detections
    (1, 10, 100)
    """

    iou_thresholds: tuple[float, ...]
    recall_points: tuple[float, ...]
    area_ranges: tuple[AreaRange, ...]
    max_detections: tuple[int | None, ...]
    limit_per: Literal["class", "image"] = "class"
    assignment: Literal["free", "best"] = "free"
    interpolation: Literal["points", "area", "trapezoids", "trapezoids_tail"] = "points"
    crowds: Literal["ignored", "once", "left_out"] = "ignored"
    singled_out: tuple[float, ...] = (0.5, 0.75)
    tie_policy: Literal["file", "last", "invariant"] = "file"
    class_agnostic: bool = False
    recall_singled_out: bool = False
    missing_scores: bool = False
    measure: Literal["iou", "similarity", "distance"] = "iou"

    def __post_init__(self) -> None:
        """Check every field."""
        for name in ("iou_thresholds", "recall_points", "area_ranges", "max_detections", "singled_out"):
            object.__setattr__(self, name, checks.items(name, getattr(self, name), "a tuple"))
        for name, words in _WORDS.items():
            object.__setattr__(self, name, checks.choice(name, getattr(self, name), words))
        object.__setattr__(self, "iou_thresholds", sorted_thresholds(self.iou_thresholds, self.measure))
        _rising("recall_points", self.recall_points, 0.0, 1.0)
        if self.interpolation in {"trapezoids", "trapezoids_tail"} and len(self.recall_points) < 2:
            raise ValueError(f"`recall_points` must be at least two for trapezoids, got {self.recall_points!r}")
        if self.singled_out and self.measure == "iou":
            _rising("singled_out", self.singled_out, 0.0, 1.0)
        limits = [x if x is None else checks.integer("max_detections", x) for x in self.max_detections]
        object.__setattr__(self, "max_detections", tuple(limits))
        _rising("max_detections", _without_none(self.max_detections), 1, 2**31 - 1)
        for name in ("class_agnostic", "recall_singled_out", "missing_scores"):
            object.__setattr__(self, name, checks.flag(name, getattr(self, name)))
        _check_without_scores(self)
        if not self.area_ranges:
            raise ValueError("`area_ranges` must not be empty")
        for area in self.area_ranges:
            checks.instance("area_ranges", area, AreaRange, "made of `AreaRange`s")
            if not area.low <= area.high:
                raise ValueError(f"`area_ranges` must have low <= high, got {area}")
        if len({area.suffix for area in self.area_ranges}) < len(self.area_ranges):
            raise ValueError(
                f"`area_ranges` must have suffixes that differ, got {[area.suffix for area in self.area_ranges]}"
            )

    @property
    def last_first(self) -> bool:
        """Whether the last of several detections with equal scores comes first."""
        return self.tie_policy == "last"


def _check_without_scores(protocol: Protocol) -> None:
    if protocol.missing_scores and (protocol.tie_policy, protocol.max_detections) != ("invariant", (None,)):
        raise ValueError(
            "`missing_scores` needs the tie policy 'invariant' and no limit of detections, (None,): without scores no "
            f"detection comes first, got {protocol.tie_policy!r} and {protocol.max_detections!r}"
        )


def without_scores(protocol: Protocol) -> Protocol:
    """Return the rules of a protocol for detections without scores: all at once, without a limit."""
    return dataclasses.replace(protocol, missing_scores=True, tie_policy="invariant", max_detections=(None,))


def levels(protocol: Protocol, /) -> tuple[float, ...]:
    """The thresholds as the matching compares with them, rising."""
    return tuple(level(protocol, x) for x in protocol.iou_thresholds)


def level(protocol: Protocol, threshold: float, /) -> float:
    """What the matching compares with for a threshold: distances are negated, an IoU of 1 may be rounded."""
    return coco_bits.least(threshold) if protocol.measure == "iou" else float(signed(protocol, threshold))


def signed(protocol: Protocol, x: Any, /) -> Any:
    """A number or an array, negated where a lower one is better: from the caller's unit, or back to it."""
    return -x if protocol.measure == "distance" else x


def labelled(protocol: Protocol, threshold: float, /) -> str:
    """How names of numbers tell a threshold: "50" as in AP50, or "@2" where percents would not tell it."""
    shares = [100 * x for x in (*protocol.iou_thresholds, *protocol.singled_out)]
    percents = protocol.measure == "similarity" and all(0 <= x <= 100 and abs(x - round(x)) < 1e-6 for x in shares)
    if protocol.measure == "iou" or percents:
        return f"{100 * threshold:.0f}"
    few = [f"{x:g}" for x in protocol.iou_thresholds]
    return f"@{threshold:g}" if len(set(few)) == len(few) else f"@{threshold!r}"


def place_of(thresholds: Sequence[float], threshold: float) -> int | None:
    """Place of a threshold, up to the rounding of `np.arange` and of float32; None without it."""
    if threshold in thresholds:
        return thresholds.index(threshold)
    return next((place for place, x in enumerate(thresholds) if math.isclose(x, threshold, rel_tol=2e-6)), None)


def sorted_thresholds(given: Any, measure: str, /) -> tuple[float, ...]:
    """The thresholds, checked; of a similarity or a distance from loose to strict."""
    if measure == "iou":
        _rising("iou_thresholds", given, 0.0, 1.0)
        return tuple(given)
    values = [checks.number("thresholds", x) for x in checks.items("thresholds", given, "a tuple of numbers")]
    if not values or len(set(values)) < len(values):
        raise ValueError(f"`thresholds` must be numbers that differ, at least one, got {tuple(values)!r}")
    return tuple(sorted(values, reverse=measure == "distance"))


def threshold_of(protocol: Protocol, given: float | None, default: float | None = None) -> float:
    """The given threshold as the protocol has it; without one `default`, or the first where it has no such."""
    thresholds = protocol.iou_thresholds
    if given is None:
        place = None if default is None or protocol.measure == "distance" else place_of(thresholds, default)
        return thresholds[place or 0]
    if (place := place_of(thresholds, checks.number("iou_threshold", given))) is None:
        raise ValueError(f"`iou_threshold` must be one of the protocol's, {thresholds}, got {given!r}")
    return thresholds[place]


def _without_none(limits: tuple[int | None, ...]) -> tuple[Any, ...]:
    """The limits, with a number instead of a last None."""
    return (*limits[:-1], 2**31 - 1) if limits and limits[-1] is None else limits


def _rising(name: str, values: Sequence[float], least: float, most: float) -> None:
    values = tuple(checks.number(name, value, least=least) for value in values)
    if not values or values[-1] > most or any(a >= b for a, b in itertools.pairwise(values)):
        raise ValueError(f"`{name}` must be rising numbers in [{least:g}, {most:g}], got {values!r}")


COCO = Protocol(
    iou_thresholds=COCO_THRESHOLDS,
    recall_points=spaced(0.0, 1.0, 101),
    area_ranges=(
        AreaRange("all", 0.0, 1e10, ""),
        AreaRange("small", 0.0, 32.0**2, "s"),
        AreaRange("medium", 32.0**2, 96.0**2, "m"),
        AreaRange("large", 96.0**2, 1e10, "l"),
    ),
    max_detections=(1, 10, 100),
)
"""The rules of COCO's bounding box challenge: 10 IoU thresholds, 101 recall points, 4 area ranges."""
