"""The rules of an evaluation, as data."""

import dataclasses
import itertools
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from omniou._lib import checks
from omniou._lib.coco import COCO_THRESHOLDS, spaced


@dataclasses.dataclass(frozen=True, slots=True)
class AreaRange:
    """Objects and detections of an area in [low, high], both ends included.

    Attributes
    ----------
    name : str
        As it is printed.
    low, high : float
        In the square of the unit of the coordinates.
    suffix : str
        Ends the names of numbers, as the "s" in "APs"; empty for the range of the headline numbers.
    """

    name: str
    low: float
    high: float
    suffix: str


@dataclasses.dataclass(frozen=True, slots=True)
class Protocol:
    """Thresholds and ranges of an evaluation; `dataclasses.replace` changes one field.

    Lists and arrays in the place of tuples become tuples.

    Attributes
    ----------
    iou_thresholds : tuple of float
        Rising, in [0, 1]; compared in float64. An IoU that meets one exactly is a match.
    recall_points : tuple of float
        Rising, in [0, 1]: where precision is read off.
    area_ranges : tuple of AreaRange
        The first is the one of the headline numbers.
    max_detections : tuple of int
        Rising: how many detections of an image and class count, the best first. The last is the one of AP; None, which
        only the last may be, is no limit.
    limit_per : {"class", "image"}
        Whether the last limit holds for each class of an image, or for the image as a whole.
    assignment : {"free", "best"}
        What a detection may take: the best object that is still free (COCO), or only the one it overlaps most, which
        makes it a false alarm where another detection has that one already (Pascal VOC).
    interpolation : {"points", "area", "trapezoids", "trapezoids_tail"}
        AP as the mean of precision at `recall_points`, or as the area under the curve of highest precisions. With
        "trapezoids" that area comes from trapezoids at `recall_points`, and precision is 0 beyond the highest recall.
        "trapezoids_tail": there a line falls to a precision of 0 at a recall of 1.
    crowds : {"ignored", "once", "left_out"}
        Regions of many objects match any number of detections, by the share of these that lies inside. None of them
        counts (COCO); or the best one is a hit, others do not count, and a region without any is a miss. "left_out":
        the regions are not there, so that detections inside are false alarms, as with formats that have no crowds.
    singled_out : tuple of float
        Rising: thresholds whose AP is a number of its own beside the mean over all, as AP50 is, if there are several.
    recall_singled_out : bool
        Whether recall at these thresholds is a number of its own, too, as AR50 is for COCO's keypoints. AR at the last
        limit then has no limit in its name.
    tie_policy : {"file", "last", "invariant"}
        Detections of equal score: one after the other, as they come and by the ids of their images, as in the reference
        (there, the order of a file decides between an AP of 0.5 and of 1); the reverse of that order, where the last
        one comes first ("last": ActivityNet's); or all at once, so that no order plays a
        part: in an image the one of higher overlap chooses first, and precision is read off behind the last of them.
        Only masks of equal score, bounds, area and overlap still go as they come.
    class_agnostic : bool
        Whether all classes are one, as with pycocotools' ``useCats=0``: any detection may take any object of its image,
        and a limit of detections holds for the image. In an image, rows come in the order of their classes, which
        decides where scores are equal. Federated annotation (`Targets.negative`) goes by the classes as they are given:
        what it excludes is excluded first, as in LVIS's own tool.

    Raises
    ------
    TypeError, ValueError
        If a field is something else, empty, not rising, or out of its bounds.

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

    def __post_init__(self) -> None:
        """Check every field."""
        for name in ("iou_thresholds", "recall_points", "area_ranges", "max_detections", "singled_out"):
            object.__setattr__(self, name, _listed(name, getattr(self, name)))
        _rising("iou_thresholds", self.iou_thresholds, 0.0, 1.0)
        _rising("recall_points", self.recall_points, 0.0, 1.0)
        if self.interpolation in {"trapezoids", "trapezoids_tail"} and len(self.recall_points) < 2:
            msg = f"`recall_points` must be at least two for trapezoids, got {self.recall_points!r}"
            raise ValueError(msg)
        if self.singled_out:
            _rising("singled_out", self.singled_out, 0.0, 1.0)
        for limit in self.max_detections:
            checks.instance("max_detections", limit, int | None, "made of integers")
        _rising("max_detections", _without_none(self.max_detections), 1, 2**31 - 1)
        checks.choice("limit_per", self.limit_per, ("class", "image"))
        checks.choice("assignment", self.assignment, ("free", "best"))
        checks.choice("interpolation", self.interpolation, ("points", "area", "trapezoids", "trapezoids_tail"))
        checks.choice("crowds", self.crowds, ("ignored", "once", "left_out"))
        checks.choice("tie_policy", self.tie_policy, ("file", "last", "invariant"))
        for name in ("class_agnostic", "recall_singled_out"):
            checks.instance(name, getattr(self, name), bool, "True or False")
        if not self.area_ranges:
            msg = "`area_ranges` must not be empty"
            raise ValueError(msg)
        for area in self.area_ranges:
            checks.instance("area_ranges", area, AreaRange, "made of `AreaRange`s")
            if not area.low <= area.high:
                msg = f"`area_ranges` must have low <= high, got {area}"
                raise ValueError(msg)
        if len({area.suffix for area in self.area_ranges}) < len(self.area_ranges):
            msg = f"`area_ranges` must have suffixes that differ, got {[area.suffix for area in self.area_ranges]}"
            raise ValueError(msg)

    @property
    def last_first(self) -> bool:
        """Whether of detections of equal score the last one comes first."""
        return self.tie_policy == "last"


def _listed(name: str, values: Any) -> tuple[Any, ...]:
    listed = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(listed, str | bytes) or not isinstance(listed, Iterable):
        msg = f"`{name}` must be a tuple, got {values!r}"
        raise TypeError(msg)
    return tuple(x.item() if hasattr(x, "item") else x for x in listed)


def _without_none(limits: tuple[int | None, ...]) -> tuple[Any, ...]:
    """The limits, with a number in the place of a None that comes last."""
    return (*limits[:-1], 2**31 - 1) if limits and limits[-1] is None else limits


def _rising(name: str, values: Sequence[float], least: float, most: float) -> None:
    for value in values:
        checks.number(name, value, least=least)
    if not values or values[-1] > most or any(a >= b for a, b in itertools.pairwise(values)):
        msg = f"`{name}` must be rising numbers in [{least:g}, {most:g}], got {values!r}"
        raise ValueError(msg)


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
