"""The boxes of both files: whether they are read as they are meant."""

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import NamedTuple

from omniou._doctor.columns import Column, np
from omniou._doctor.engine import Reading, Trial
from omniou._lib.findings import Finding
from omniou.detection.doctor import _scale
from omniou.detection.doctor._boxes_of_file import FileBoxes
from omniou.detection.doctor._examined import FILES
from omniou.detection.doctor._readings import EVERY, BoxReading
from omniou.detection.doctor._sample import THRESHOLD, Sample, matched
from omniou.detection.doctor._scale import BoxScale

MATCHED = f"IoU >= {THRESHOLD} with an object of the image"

# Ranges in brackets as in `_doctor.engine`.

# A smaller share of detections that match is poor, and another scale, other images and so on are tried (0.25 to 1).
_POOR = 0.5
# By how much the share of boxes inside their images rises in the file whose axes are swapped (0.025 to 0.1).
_SWAPPED = 0.05
# By how much smaller that share is in a ground truth that is enlarged (0.05 to 0.2).
_ENLARGED = 0.1
# Detections that overlap an object in another scale by so much more (0.01 to 0.04): the least number of them (5 to 20),
# and so many for each that does by so much less (3 to 10), and their share of those that match (0.1 to 0.3).
_CLOSER, _FEW_CLOSER, _CLOSER_TIMES, _CLOSER_SHARE = 0.02, 10, 5, 0.2


# The readings of the detections and of the objects.
BothReadings = tuple[BoxReading, BoxReading]


class Fit(NamedTuple):
    """The corners of both in one reading, and how many detections match an object in it."""

    detections: Column
    objects: Column
    matched: int

    @property
    def is_poor(self) -> bool:
        """Whether most detections match nothing."""
        return self.matched < _POOR * len(self.detections)


class Readings:
    """Fits of all readings of a sample; the corners of each are computed once."""

    def __init__(self, sample: Sample, detections: BoxReading, truth: BoxReading) -> None:
        self.sample, self.given = sample, (detections, truth)
        self._corners: dict[tuple[str, BoxReading], Column] = {}

    def corners(self, which: str, reading: BoxReading) -> Column:
        """Corners of the "detections" or the "objects"."""
        if (which, reading) not in self._corners:
            table = getattr(self.sample, which)
            corners = reading.corners(table.boxes)
            self._corners[which, reading] = corners if table.factor is None else corners * np.tile(table.factor, 2)
        return self._corners[which, reading]

    def fit(self, both: BothReadings, scale: BoxScale | None = None) -> Fit:
        """How many detections match an object."""
        detected, objects = self.corners("detections", both[0]), self.corners("objects", both[1])
        if scale is not None:
            detected = detected * np.tile(scale.of(self.sample), 2)
        return Fit(detected, objects, matched(self.sample.best(detected, objects)))

    def given_fit(self) -> Fit:
        """The fit of the given reading."""
        return self.fit(self.given)

    def by_chance(self, fit: Fit) -> int:
        """How many detections match an object of another image."""
        return matched(self.sample.best(fit.detections, fit.objects, self.sample.elsewhere()))

    def trial(self, given: Fit) -> Trial[Fit]:
        """How readings of the sample are compared."""
        return Trial(
            given=given,
            total=len(given.detections),
            matches=lambda fit: fit.matched,
            by_chance=self.by_chance,
            measure=MATCHED,
            improper=_inverted,
        )

    def orders(self, truth: FileBoxes, detected: FileBoxes) -> Iterator[Reading]:
        """Readings of the detections, of the objects or of both in another order.

        Both are not read in one other order: as many detections then match as in the given one, wherever the boxes are.
        Nor are the axes of the objects swapped: swapping the axes of the detections gives the same overlaps.
        """
        plain = [x for x in EVERY if not x.swapped]
        detections, objects = self.given
        tried = dict.fromkeys([*((x, objects) for x in EVERY), *itertools.product((detections, *plain), plain)])
        for both in tried:
            if both != self.given and not (detections == objects and both[0] == both[1]):
                yield _order(truth, detected, both, functools.partial(self.fit, both))

    def scales(self, truth: FileBoxes, detected: FileBoxes) -> Iterator[Reading]:
        """Readings of the detections at the scales, and in the orders, that most pairs agree on."""
        detections, objects = self.given
        for reading in dict.fromkeys((detections, *EVERY)):
            corners = self.corners("detections", reading), self.corners("objects", objects)
            turned = reading.swapped != detections.swapped
            scales = (
                _scale.usual(detected.counted)
                if turned and detected.counted is not None
                else _scale.candidates(self.sample, *corners, only_sides=turned)
            )
            for scale in scales:
                yield _scaled(truth, detected, scale, reading, functools.partial(self.fit, (reading, objects), scale))

    def closer(self, truth: FileBoxes, detected: FileBoxes, both: BothReadings) -> tuple[Fit, Finding] | None:
        """The fit and the finding of another scale in which nearly all detections overlap their object more.

        Images of about 1000 pixels: boxes that count to 1000 match as pixels, too, but less well.
        """
        if not detected.has_sizes or detected.unit_sides:
            return None
        fit = self.fit(both)
        best = self.sample.best(fit.detections, fit.objects)
        for scale in _scale.usual(detected.counted):
            other = self.fit(both, scale)
            gain = self.sample.best(other.detections, other.objects) - best
            more, less = (int((x > _CLOSER).sum()) for x in (gain, -gain))
            if more >= max(_FEW_CLOSER + _CLOSER_TIMES * less, _CLOSER_SHARE * other.matched):
                told = _scaled(truth, detected, scale, both[0], functools.partial(self.fit, both, scale))
                evidence = f"so {more} of {len(gain)} detections overlap an object by more, and {less} by less"
                return other, Finding(code=told.code, text=told.text, evidence=evidence, hint=told.hint, path=told.path)
        return None


def _inverted(fit: Fit) -> int:
    """How many boxes of both have a negative side."""
    return sum(int((x[:, 2:] < x[:, :2]).any(axis=1).sum()) for x in (fit.detections, fit.objects))


def compare(sample: Sample, truth: FileBoxes, detections: FileBoxes) -> tuple[Fit | None, list[Finding]]:
    """The fit of the reading that is meant, and findings if it is not the given one.

    None where boxes are fractions of images of unknown size, so they cannot be compared.
    """
    if units := of_one(truth, detections):
        sample = _in_units(sample, truth, units)
    readings = Readings(sample, detections.given, truth.given)
    given = readings.given_fit()
    if np.isnan(given.detections).any() or np.isnan(given.objects).any():
        return None, [x.finding() for x in units]
    trial, orders = readings.trial(given), readings.orders(truth, detections)
    if units:
        other = trial.best(orders)
        return other.value if other else given, [x.finding(other and other.reading.key[x.file is truth]) for x in units]
    other = trial.best(orders, readings.scales(truth, detections) if given.is_poor else ())
    if (other is None or other.reading.key) and (
        closer := readings.closer(truth, detections, other.reading.key if other else readings.given)
    ):
        return closer[0], [closer[1]]
    return (given, []) if other is None else (other.value, [other.finding])


def other_scale(readings: Readings, truth: FileBoxes, detections: FileBoxes) -> tuple[Fit, list[Finding]]:
    """The fit at the scale that is meant, and a finding if it is not the given one."""
    given = readings.given_fit()
    other = readings.trial(given).best(readings.scales(truth, detections)) if given.is_poor else None
    return (given, []) if other is None else (other.value, [other.finding])


class Unit(NamedTuple):
    """Find boxes in another unit than they were read in: fractions of the sides of their images, or pixels."""

    file: FileBoxes
    fractions: bool
    extent: float

    def finding(self, order: BoxReading | None = None) -> Finding:
        """The finding, if the boxes are in that order."""
        file = self.file
        reading = order or (file.order_of_fractions() if self.fractions and not file.has_sizes else file.given)
        if self.fractions:
            text = f"boxes of the {file.what} seem to be fractions of the sides of their images"
            evidence = f"nearly all numbers are at most 1, but images have about {self.extent:.0f} pixels"
            cure = file.cure(reading.option, relative=True)
            if file.cures is FILES and file.what == "detections":
                cure = file.scaled(reading, 1.0)
            hint = cure + ("" if file.has_sizes else file.cures.sizes)
        else:
            text = f"boxes of the {file.what} seem to be pixels, not fractions of the sides of their images"
            evidence = "they are inside their images only if they are not multiplied by the sides"
            hint = file.cure(reading.option, relative=False)
        return Finding(code="boxes-unit", text=text, evidence=evidence, hint=hint, path=file.path)


def of_one(truth: FileBoxes, detections: FileBoxes | None) -> list[Unit]:
    """The files whose boxes have another unit, by the size of the numbers."""
    files = [truth] if detections is None else [truth, detections]
    extent = max((x.extent for x in files if x.extent > 0), default=float("nan"))
    fractions = [x.are_fractions(extent) for x in files]
    units = zip(files, fractions, strict=True)
    return [Unit(file, small, extent) for file, small in units if small or file.are_pixels()]


def as_written(sample: Sample, truth: FileBoxes, detections: FileBoxes) -> Sample:
    """The sample with the numbers of fractions, and the sides of their images as a factor.

    In another order of the numbers, each is a fraction of the other side.
    """
    for file in (truth, detections):
        table = sample.objects if file is truth else sample.detections
        if file.is_relative and not file.unit_sides:
            sides = sample.sides[table.images]
            table = table._replace(boxes=table.boxes / np.tile(sides[:, :: file.given.step], 2), factor=sides)
            sample = sample._replace(objects=table) if file is truth else sample._replace(detections=table)
    return sample


def _in_units(sample: Sample, truth: FileBoxes, units: list[Unit]) -> Sample:
    """The sample with boxes of both in other units; NaN where the size of an image is not known."""
    for unit in units:
        table = sample.objects if unit.file is truth else sample.detections
        table = table._replace(factor=sample.sides[table.images] if unit.fractions else None)
        sample = sample._replace(objects=table) if unit.file is truth else sample._replace(detections=table)
    return sample


def _order(truth: FileBoxes, detections: FileBoxes, both: BothReadings, fit: Callable[[], Fit]) -> Reading:
    of_detections, of_truth = both
    swapped = detections.given._replace(swapped=not detections.given.swapped)
    if both == (swapped, truth.given) and _swapped_in(truth):
        # Swapped axes of either file give the same overlaps; the sizes of the images say that it is the ground truth.
        of_detections, of_truth = detections.given, truth.given._replace(swapped=not truth.given.swapped)
    told = [(file, x) for file, x in ((truth, of_truth), (detections, of_detections)) if x != file.given]
    axes = all(x.order == file.given.order for file, x in told)
    return Reading(
        code="boxes-axes" if axes else "boxes-order",
        text=" and ".join(f"boxes of the {file.what} seem to be {x}, not {file.given}" for file, x in told),
        hint=" ".join(file.hint(x) for file, x in told),
        read=lambda _: fit(),
        words=f"as {' and '.join(str(x) for _, x in told)}",
        path=told[0][0].path if len(told) == 1 else "",
        key=both,
    )


def _swapped_in(file: FileBoxes) -> bool:
    """Whether more boxes are inside their images with axes swapped."""
    swapped = file.given._replace(swapped=not file.given.swapped)
    return file.share_inside(swapped) > file.share_inside(file.given) + _SWAPPED


def _scaled(
    truth: FileBoxes, detections: FileBoxes, scale: BoxScale, reading: BoxReading, fit: Callable[[], Fit]
) -> Reading:
    # Either file may be the resized one. It is the ground truth if its boxes leave their images, and boxes of the
    # detections do not.
    enlarged = truth.share_inside(truth.given) < detections.share_inside(reading) - _ENLARGED
    file, factor = (truth, 1 / scale.factor) if enlarged and scale.unit == "pixels" else (detections, scale.factor)
    other = detections if file is truth else truth
    order = "" if reading == detections.given else f", read as {reading},"
    text = f"boxes of the {file.what} and the {other.what} seem to have different scales: of resized images"
    hint = f"multiply the boxes of the {file.what}{order} by {factor:.4g}{scale.words}"
    if number := scale.number(detections.counted):
        text = f"boxes of the detections seem to {_scale.said(number)}{order.rstrip(',')}"
        hint = detections.scaled(reading, number)
    return Reading(
        code="boxes-scale",
        text=text,
        hint=hint,
        read=lambda _: fit(),
        words="after scaling",
        path=file.path,
    )


def in_both(readings: Readings, truth: FileBoxes, detections: FileBoxes) -> list[Finding]:
    """Both files in the same wrong order: detections match objects, and only the numbers of the objects tell."""
    other = truth.other_order()
    if other is None:
        return []
    of_truth, evidence = other
    same = detections.given == truth.given
    of_detections = of_truth if same else (detections.other_order() or (detections.given,))[0]
    both, only_truth = (readings.fit((x, of_truth)).matched for x in (of_detections, detections.given))
    if of_detections == detections.given or only_truth > both:
        return [_order_of_one(truth, of_truth, evidence)]
    text = f"boxes of both files seem to be {of_truth}, not {truth.given}"
    if same and truth.format == detections.format:
        hint = truth.cures.both.format(order=truth.named(of_truth.option))
    else:
        hint = f"{truth.hint(of_truth)} {detections.hint(of_detections)}"
    return [Finding(code="boxes-order", text=text, evidence=evidence, hint=hint)]


def _order_of_one(file: FileBoxes, reading: BoxReading, evidence: str) -> Finding:
    text = f"boxes of the {file.what} seem to be {reading}, not {file.given}"
    return Finding(code="boxes-order", text=text, evidence=evidence, hint=file.hint(reading), path=file.path)


def of_truth(file: FileBoxes) -> list[Finding]:
    """What the boxes of a ground truth say without detections."""
    if units := of_one(file, None):
        return [x.finding() for x in units]
    other = file.other_order()
    return [_order_of_one(file, *other)] if other else []
