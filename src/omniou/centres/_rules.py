"""What an evaluation by centres is told: classes, distances, and how the numbers are put together."""

import dataclasses
import functools
import itertools
import math
from typing import Literal

from omniou._lib import checks

# The errors of true positives, in the order of the tables: what they measure, and in which unit.
ERRORS = {
    "ATE": "translation, m",
    "ASE": "scale, 1 - IoU of aligned boxes",
    "AOE": "orientation, rad",
    "AVE": "velocity, m/s",
    "AAE": "attribute, 1 - accuracy",
}
# Recall is looked at in steps of 1 %.
RECALLS = 101


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class CentreClass:
    """A class with its own rules.

    Attributes
    ----------
    name : str
        Its name.
    range : float or None
        Objects and detections count if they are closer to the ego vehicle, in metres. None: at any distance.
    errors : tuple of str
        Errors of true positives that it has: "ATE", "ASE", "AOE", "AVE" and "AAE", or fewer.
    period : float
        Turn after which the class looks the same, in radians: pi for a barrier, whose front is its back.
    in_racks : bool
        Whether racks hide it: objects and detections whose centre is in a rack are dropped.
    """

    name: str
    range: float | None = None
    errors: tuple[str, ...] = tuple(ERRORS)
    period: float = 2.0 * math.pi
    in_racks: bool = False

    def __post_init__(self) -> None:
        """Check the fields."""
        checks.instance("name", self.name, str, "a string")
        if self.range is not None:
            checks.fields(self, range=checks.number("range", self.range, above=0.0))
        checks.fields(self, period=checks.number("period", self.period, above=0.0))
        for error in checks.instance("errors", self.errors, tuple, "a tuple of names"):
            checks.choice("errors", error, ERRORS)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class CentreRules:
    """The rules of an evaluation by centres. `dataclasses.replace(NUSCENES, ...)` changes some of them.

    Attributes
    ----------
    classes : tuple of CentreClass
        All classes. Labels are their places here.
    attributes : tuple of str
        All attributes. Numbers of attributes are their places here.
    distances : tuple of float
        Distances in metres, rising: a match is closer. AP is the mean over them.
    error_distance : float
        The one of them whose true positives have errors.
    min_recall, min_precision : float
        In [0, 1): the curve counts above this recall, and precision above this one, scaled to [0, 1].
    max_detections : int or None
        Most detections of a sample. More are an error.
    ap_weight : float
        Weight of mAP in NDS; each error has the weight 1.
    absent : {"zero", "exclude"}
        Classes without ground truth: "zero" gives them AP 0 and errors 1, as nuScenes does; "exclude" takes the means
        over the other classes.
    """

    classes: tuple[CentreClass, ...]
    attributes: tuple[str, ...] = ()
    distances: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0)
    error_distance: float = 2.0
    min_recall: float = 0.1
    min_precision: float = 0.1
    max_detections: int | None = 500
    ap_weight: float = 5.0
    absent: Literal["zero", "exclude"] = "zero"

    def __post_init__(self) -> None:
        """Check the fields."""
        for own in self.classes:
            checks.instance("classes", own, CentreClass, "a tuple of CentreClass")
        checks.instance("distances", self.distances, tuple, "a tuple of numbers")
        names = [x.name for x in self.classes]
        if not names or len(set(names)) < len(names):
            raise ValueError(f"`classes` must have distinct names, and at least one, got {names}")
        listed = [checks.number("distances", x, above=0.0) for x in self.distances]
        if not listed or any(a >= b for a, b in itertools.pairwise(listed)):
            raise ValueError(f"`distances` must be rising numbers, got {self.distances}")
        checks.fields(
            self,
            distances=tuple(listed),
            error_distance=checks.choice("error_distance", self.error_distance, listed),
            ap_weight=checks.number("ap_weight", self.ap_weight, least=0.0),
        )
        for name in ("min_recall", "min_precision"):
            checks.fields(self, **{name: checks.number(name, getattr(self, name), least=0.0, below=1.0)})
        if self.max_detections is not None:
            checks.fields(self, max_detections=checks.count("max_detections", self.max_detections))
        checks.choice("absent", self.absent, ("zero", "exclude"))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the classes."""
        return tuple(x.name for x in self.classes)

    @property
    def first_recall(self) -> int:
        """Place of the first recall that counts, of 0, .01, ..., 1: the one above `min_recall`."""
        return round((RECALLS - 1) * self.min_recall) + 1


@functools.cache
def ap_name(distance: float, /) -> str:
    """AP at a distance, as tables call it."""
    return f"AP@{distance:g}m"


_ALL = ("ATE", "ASE", "AOE", "AVE", "AAE")
# The nearer the range, the fewer lidar points a class has.
_VEHICLES = ("car", "truck", "bus", "trailer", "construction_vehicle")

# nuScenes' detection task, by its configuration `detection_cvpr_2019`.
NUSCENES = CentreRules(
    classes=(
        *(CentreClass(name=name, range=50.0, errors=_ALL) for name in _VEHICLES),
        CentreClass(name="pedestrian", range=40.0, errors=_ALL),
        # Bicycles and motorcycles in racks are not annotated one by one.
        CentreClass(name="motorcycle", range=40.0, errors=_ALL, in_racks=True),
        CentreClass(name="bicycle", range=40.0, errors=_ALL, in_racks=True),
        # A cone looks the same from all sides, a barrier from two; neither moves.
        CentreClass(name="traffic_cone", range=30.0, errors=("ATE", "ASE")),
        CentreClass(name="barrier", range=30.0, errors=("ATE", "ASE", "AOE"), period=math.pi),
    ),
    attributes=(
        "pedestrian.moving",
        "pedestrian.sitting_lying_down",
        "pedestrian.standing",
        "cycle.with_rider",
        "cycle.without_rider",
        "vehicle.moving",
        "vehicle.parked",
        "vehicle.stopped",
    ),
    distances=(0.5, 1.0, 2.0, 4.0),
    error_distance=2.0,
    min_recall=0.1,
    min_precision=0.1,
    max_detections=500,
    ap_weight=5.0,
)
