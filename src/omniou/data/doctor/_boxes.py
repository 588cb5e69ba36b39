"""The boxes of both files: whether they are read as they are meant."""

import itertools
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from omniou.data._findings import Finding
from omniou.data.doctor import _scale
from omniou.data.doctor._boxes_of_file import Boxes
from omniou.data.doctor._readings import EVERY, Reading, can_be_better, is_better
from omniou.data.doctor._sample import THRESHOLD, Sample, met
from omniou.data.doctor._scale import Scale

Column = npt.NDArray[Any]

MET = f"IoU >= {THRESHOLD} with an object of the image"

# How many more detections meet an object in an order in which all boxes are proper, where some are not as read.
_MORE = 3

# How the detections, and how the objects, are read.
Way = tuple[Reading, Reading]


class Fit(NamedTuple):
    """The corners of both in one reading, and how many detections meet an object in it."""

    detections: Column
    objects: Column
    met: int

    @property
    def share(self) -> str:
        """The share of detections that meet an object."""
        return f"{self.met / max(1, len(self.detections)):.1%}"

    @property
    def is_poor(self) -> bool:
        """Whether most detections meet nothing."""
        return 2 * self.met < len(self.detections)


class Readings:
    """Fits of all readings of a sample; the corners of each are computed once."""

    def __init__(self, sample: Sample, found: Reading, truth: Reading) -> None:
        self.sample, self.given = sample, (found, truth)
        self._corners: dict[tuple[str, Reading], Column] = {}

    def corners(self, which: str, reading: Reading) -> Column:
        """Of the "detections" or the "objects"."""
        if (which, reading) not in self._corners:
            self._corners[which, reading] = reading.corners(getattr(self.sample, which).boxes)
        return self._corners[which, reading]

    def fit(self, way: Way, scale: Scale | None = None) -> Fit:
        """How many detections meet an object."""
        detected, objects = self.corners("detections", way[0]), self.corners("objects", way[1])
        if scale is not None:
            detected = detected * np.tile(scale.of(self.sample), 2)
        return Fit(detected, objects, met(self.sample.best(detected, objects)))

    def given_fit(self) -> Fit:
        """That of the given reading."""
        return self.fit(self.given)

    def by_chance(self, fit: Fit) -> int:
        """How many detections meet an object of another image."""
        return met(self.sample.best(fit.detections, fit.objects, self.sample.elsewhere()))

    def other_order(self, given: Fit) -> tuple[Fit, Way] | None:
        """The best reading of the detections, of the objects or of both, if it is better than the given one.

        Not both in the same order: what is met then tells little of it. Axes that are swapped in the objects are met
        by detections whose axes are swapped, so that one of both is enough.
        """
        inverted = _inverted(given)
        if not inverted and not can_be_better(given.met, len(given.detections)):
            return None
        plain = [x for x in EVERY if not x.swapped]
        found, truth = self.given
        ways = [*((x, truth) for x in EVERY), *itertools.product((found, *plain), plain)]
        ways = [x for x in dict.fromkeys(ways) if x != self.given and not (found == truth and x[0] == x[1])]
        best, way = max(((self.fit(x), x) for x in ways), key=lambda x: x[0].met)
        # Boxes are written inverted at times, but are hardly proper, and meet more objects, in another order then.
        if inverted and not _inverted(best) and best.met >= max(given.met + _MORE, 1.5 * given.met):
            return best, way
        return (best, way) if is_better(best.met, given.met, len(best.detections), self.by_chance(best)) else None

    def other_scale(self, given: Fit) -> tuple[Fit, Scale, Reading] | None:
        """The scale, and the order of the detections, by which most meet an object, if it is better."""
        found, truth = self.given
        orders = dict.fromkeys((found, *(x for x in EVERY if not x.swapped)))
        objects = self.corners("objects", truth)
        every = [
            (self.fit((reading, truth), scale), scale, reading)
            for reading in orders
            for scale in _scale.candidates(self.sample, self.corners("detections", reading), objects)
        ]
        best = max(every, key=lambda x: x[0].met, default=None)
        if best is None:
            return None
        total, by_chance = len(given.detections), self.by_chance(best[0])
        return best if is_better(best[0].met, given.met, total, by_chance) else None


def _inverted(fit: Fit) -> int:
    """How many boxes of both have a negative side."""
    return sum(int((x[:, 2:] < x[:, :2]).any(axis=1).sum()) for x in (fit.detections, fit.objects))


def compare(sample: Sample, truth: Boxes, found: Boxes) -> tuple[Fit | None, list[Finding]]:
    """The fit of the reading that is meant, and what is to be said if it is not the given one.

    None where boxes are fractions of images of unknown size, so that they cannot be compared.
    """
    if units := of_one(truth, found):
        sample = _in_pixels(sample, truth, units)
    readings = Readings(sample, found.given, truth.given)
    given = readings.given_fit()
    if np.isnan(given.detections).any() or np.isnan(given.objects).any():
        return None, [x.finding() for x in units]
    if other := readings.other_order(given):
        if units:
            return other[0], [x.finding(other[1][x.file is truth]) for x in units]
        return other[0], [_of_order(truth, found, other[1], given, other[0])]
    if not units and given.is_poor and (scaled := readings.other_scale(given)):
        return scaled[0], [_of_scale(truth, found, scaled, given)]
    return given, [x.finding() for x in units] or _of_both(readings, truth, found)


class Unit(NamedTuple):
    """Boxes that are of another unit than they were read in: fractions of the sides of their images, or pixels."""

    file: Boxes
    fractions: bool
    extent: float

    def finding(self, order: Reading | None = None) -> Finding:
        """What is to be said, if they are in that order."""
        file = self.file
        reading = order or (file.order_of_fractions() if self.fractions and not file.has_sizes else file.given)
        if self.fractions:
            text = f"boxes of the {file.what} seem to be fractions of the sides of their images"
            evidence = f"hardly a number above 1, where images are of {self.extent:.0f} pixels or so"
            sizes = "" if self.file.has_sizes else ", with --images or --image-size"
            hint = f"{file.option} rel_{reading.option}{sizes}"
        else:
            text = f"boxes of the {file.what} seem to be pixels, not fractions of the sides of their images"
            evidence = "they are inside their images only where they are not multiplied by the sides"
            hint = f"{file.option} {reading.option}"
        return Finding(code="boxes-unit", text=text, evidence=evidence, hint=hint, path=file.path)


def of_one(truth: Boxes, found: Boxes | None) -> list[Unit]:
    """The files whose boxes are of another unit, by the size of the numbers."""
    files = [truth] if found is None else [truth, found]
    extent = max((x.extent for x in files if x.extent > 0), default=float("nan"))
    fractions = [x.are_fractions(extent) for x in files]
    units = zip(files, fractions, strict=True)
    return [Unit(file, small, extent) for file, small in units if small or file.are_pixels()]


def _in_pixels(sample: Sample, truth: Boxes, units: list[Unit]) -> Sample:
    """The sample with boxes of both in pixels; NaN where the size of an image is not known."""
    for unit in units:
        side = sample.objects if unit.file is truth else sample.detections
        factor = np.tile(sample.sides[side.images], 2)
        boxes = side.boxes * factor if unit.fractions else side.boxes / factor
        side = side._replace(boxes=boxes)
        sample = sample._replace(objects=side) if unit.file is truth else sample._replace(detections=side)
    return sample


def _of_order(truth: Boxes, found: Boxes, way: Way, given: Fit, best: Fit) -> Finding:
    ours, theirs = way
    if way == (found.given._replace(swapped=not found.given.swapped), truth.given) and _swapped_in(truth):
        # Either file explains what is met; the images say that it is the objects.
        ours, theirs = found.given, truth.given._replace(swapped=not truth.given.swapped)
    told = [(file, x) for file, x in ((truth, theirs), (found, ours)) if x != file.given]
    words = " and ".join(f"boxes of the {file.what} seem to be {x}, not {file.given}" for file, x in told)
    axes = all(x.order == file.given.order for file, x in told)
    return Finding(
        code="boxes-axes" if axes else "boxes-order",
        text=words,
        evidence=f"{MET}: {given.share} of detections as read, {best.share} as {' and '.join(str(x) for _, x in told)}",
        hint=" ".join(file.hint(x) for file, x in told),
        path=told[0][0].path if len(told) == 1 else "",
    )


def _swapped_in(file: Boxes) -> bool:
    """Whether more boxes are inside their images with axes swapped."""
    swapped = file.given._replace(swapped=not file.given.swapped)
    return file.share_inside(swapped) > file.share_inside(file.given) + 0.05


def _of_scale(truth: Boxes, found: Boxes, scaled: tuple[Fit, Scale, Reading], given: Fit) -> Finding:
    best, scale, reading = scaled
    shares = f"{MET}: {given.share} of detections as read, {best.share} so"
    enlarged = truth.share_inside(truth.given) < found.share_inside(reading) - 0.1
    file, factor = (truth, 1 / scale.factor) if enlarged and scale.unit == "pixels" else (found, scale.factor)
    other = found if file is truth else truth
    text = f"boxes of the {file.what} seem to be at another scale than those of the {other.what}: of resized images"
    order = "" if reading == found.given else f", read as {reading},"
    hint = f"multiply the boxes of the {file.what}{order} by {factor:.4g}{scale.words}"
    return Finding(code="boxes-scale", text=text, evidence=shares, hint=hint, path=file.path)


def _of_both(readings: Readings, truth: Boxes, found: Boxes) -> list[Finding]:
    """Both files in the same wrong order: detections meet objects, and only the numbers of the objects tell."""
    other = truth.other_order()
    if other is None:
        return []
    theirs, evidence = other
    ours = theirs if found.given == truth.given else (found.other_order() or (found.given,))[0]
    both, alone = (readings.fit((x, theirs)).met for x in (ours, found.given))
    if ours == found.given or alone > both:
        return [_order_alone(truth, theirs, evidence)]
    text = f"boxes of both files seem to be {theirs}, not {truth.given}"
    hints = [file.hint(x).removeprefix(file.option) for file, x in ((truth, theirs), (found, ours))]
    hint = f"--boxes{hints[0]}" if hints[0] == hints[1] else f"{truth.hint(theirs)} {found.hint(ours)}"
    return [Finding(code="boxes-order", text=text, evidence=evidence, hint=hint)]


def _order_alone(file: Boxes, reading: Reading, evidence: str) -> Finding:
    text = f"boxes of the {file.what} seem to be {reading}, not {file.given}"
    return Finding(code="boxes-order", text=text, evidence=evidence, hint=file.hint(reading), path=file.path)


def of_truth(file: Boxes) -> list[Finding]:
    """What the boxes of a ground truth say without detections."""
    if units := of_one(file, None):
        return [x.finding() for x in units]
    if other := file.other_order():
        return [_order_alone(file, *other)]
    return file.inverted() + file.beyond()
