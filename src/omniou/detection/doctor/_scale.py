"""The factor between the boxes of two files, if one has boxes of resized images, or coordinates of another scale."""

import math
from typing import NamedTuple

from omniou._doctor.columns import Column, median, np
from omniou.detection.doctor._sample import Sample

# Ranges in brackets as in `_doctor.engine`.

# Ratios of sides and centres of a pair, as logarithms, differ by no more than this where both are of one object
# (0.125 to 0.5): a good detection is up to a quarter longer in one direction.
_AGREEMENT = 0.25
# Width of the bins that logarithms of factors are counted in (0.025 to 0.1); the result is the median of so many bins
# on either side (1 to 4).
_BIN, _BINS = 0.05, 2
# How often a factor is refined.
_STEPS = 3
# Numbers that coordinates count to in each image, and how near a factor is to one (0.005 to 0.012); networks count to
# the sides of their input, multiples of 32. Pixels are as near to a given scale (0.015 to 0.06).
_SCALES, _NEAR, _STRIDE, _NEAR_PIXELS = (1.0, 100.0, 1000.0), 0.01, 32, 0.03
# A measured factor is a scale that is so many standard errors from it (1 to 3), up to a share (0.02 to 0.03).
_ERRORS, _FARTHEST = 2, 0.03
# What most language models count to.
_LANGUAGE = 1000.0
# Pairs that are looked at, evenly spaced: their arrays take 10 MB.
_PAIRS = 100_000


class BoxScale(NamedTuple):
    """Detections times `factor` times the unit of their image are where the objects are."""

    unit: str
    factor: float

    @property
    def words(self) -> str:
        """What detections are multiplied by next to the factor."""
        return "" if self.unit == "pixels" else f" and the {self.unit} of their image"

    def of(self, sample: Sample) -> Column:
        """What the boxes of each detection are multiplied by, (D, 2)."""
        return _units(sample)[self.unit] * self.factor

    def number(self, given: float | None) -> float | None:
        """What coordinates count to in each image, where a file was read by a `given` scale or by none.

        None where they do not, infinity where they are pixels.
        """
        if given is None:
            return 1 / self.factor if self.unit == "sides" else None
        if self.unit == "pixels":
            return _named(given / self.factor)
        return math.inf if abs(self.factor / given - 1) < _NEAR_PIXELS else None


def _units(sample: Sample) -> dict[str, Column]:
    sides = sample.sides[sample.detections.images]
    if sample.detections.factor is not None:
        return {"shares": 1 / sides, "pixels": np.ones_like(sides)}
    return {
        "pixels": np.ones_like(sides),
        "sides": sides,
        "longer side": np.repeat(sides.max(axis=1, keepdims=True), 2, axis=1),
    }


def candidates(sample: Sample, detected: Column, objects: Column, *, only_sides: bool = False) -> list[BoxScale]:
    """The factor that most pairs of a detection and an object agree on, for each unit, from the corners of both."""
    rows, targets = sample.pairs()
    step = -(-len(rows) // _PAIRS) or 1
    rows, targets = rows[::step], targets[::step]
    scales = []
    sides = np.unique(sample.sides[sample.detections.images])
    for name, unit in _units(sample).items():
        if only_sides and name != "sides":
            continue
        if np.isnan(unit).all() or not len(rows):
            continue
        factor, error = agreed(_measures(detected * np.tile(unit, 2))[rows], _measures(objects)[targets]) or (None, 0.0)
        near = max(_NEAR, min(_ERRORS * error, _FARTHEST))
        if factor is not None and len(sides) == 1 and sides[0] > 0 and _named(sides[0] / factor) in _SCALES:
            return [BoxScale("sides", 1 / _named(sides[0] / factor))]  # squares of one size
        if factor is not None:
            scales.append(BoxScale(name, 1 / _named(1 / factor, near) if name == "sides" else factor))
    return scales


def said(number: float) -> str:
    """What coordinates seem to do that count to a number."""
    return "be pixels" if number == math.inf else f"count from 0 to {number:.4g} in each image"


def usual(scale: float | None) -> list[BoxScale]:
    """Scales that need no measuring, of boxes that were read by a `scale` or by none: 0 to 1000, and pixels."""
    if scale is None:
        return [BoxScale("sides", 1 / _LANGUAGE)]
    return [BoxScale("shares", scale), *([] if scale == _LANGUAGE else [BoxScale("pixels", scale / _LANGUAGE)])]


def _named(number: float, near: float = _NEAR) -> float:
    """The scale that is meant by a measured one."""
    stride = float(_STRIDE * max(1, round(number / _STRIDE)))
    tried = *((x, near) for x in _SCALES), (stride, _NEAR)
    return next((x for x, most in tried if abs(number / x - 1) < most), number)


def _measures(corners: Column) -> Column:
    """Centres and sides (N, 4)."""
    low, high = corners[:, :2], corners[:, 2:]
    return np.concatenate([(low + high) / 2, high - low], axis=1)


def agreed(detected: Column, objects: Column) -> tuple[float, float] | None:
    """The factor from detections to objects that most pairs agree on, and its error, from the measures of both (P, 4).

    Most pairs are of two different objects, and their four ratios disagree: x 2.0, y 0.4, width 1.1, height 3.0 is not
    a factor. For a detection and its own object all four are nearly equal, so these pile up in one bin of the
    histogram, while what agrees by chance is spread over all.
    """
    positive = ((detected > 0) & (objects > 0)).all(axis=1)
    detected, objects = detected[positive], objects[positive]
    ratios = np.log(objects) - np.log(detected)
    alike = np.ptp(ratios, axis=1) < _AGREEMENT
    detected, objects, ratios = detected[alike], objects[alike], ratios[alike].mean(axis=1)
    if not len(ratios):
        return None
    bins, counts = np.unique(np.round(ratios / _BIN), return_counts=True)
    most = bins[counts.argmax()] * _BIN
    near = np.abs(ratios - most) <= _BINS * _BIN
    return _refined(detected[near], objects[near], float(np.exp(median(ratios[near]))))


def _refined(detected: Column, objects: Column, factor: float) -> tuple[float, float]:
    """The factor of the centres of the pairs that come near by it: sides are less exact, and far places need it.

    Its standard error is a share: 1.25 deviations of one ratio by the root of their number, 1.48 median ones each.
    """
    error = 0.0
    for _ in range(_STEPS):
        near = (np.abs(factor * detected - objects)[:, :2] < objects[:, 2:] / 2).all(axis=1)
        if not near.any():
            break
        ratios = (objects[near, :2] / detected[near, :2]).reshape(-1)
        factor = median(ratios)
        error = 1.25 * 1.48 * median(np.abs(ratios / factor - 1)) / math.sqrt(len(ratios))
    return factor, error
