"""The factor between the boxes of two files, where one of them is of resized images."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from omniou.data.doctor._sample import Sample

Column = npt.NDArray[Any]

# Ratios of sides and centres of a pair, as logarithms, differ by no more than this where both are of one object.
_AGREEMENT = 0.25
# Width of the bins that factors are counted in.
_BIN = 0.05
_PAIRS = 100_000


class Scale(NamedTuple):
    """Detections times `factor` times the unit of their image are where the objects are."""

    unit: str
    factor: float

    @property
    def words(self) -> str:
        """What detections are multiplied by beside the factor."""
        return "" if self.unit == "pixels" else f" and the {self.unit} of their image"

    def of(self, sample: Sample) -> Column:
        """What the boxes of each detection are multiplied by, (D, 2)."""
        return _units(sample)[self.unit] * self.factor


def _units(sample: Sample) -> dict[str, Column]:
    sides = sample.sides[sample.detections.images]
    return {
        "pixels": np.ones_like(sides),
        "sides": sides,
        "longer side": np.repeat(sides.max(axis=1, keepdims=True), 2, axis=1),
    }


def candidates(sample: Sample, detected: Column, objects: Column) -> list[Scale]:
    """For each unit the factor that most pairs of a detection and an object agree on, from the corners of both."""
    ours, theirs = sample.pairs()
    step = -(-len(ours) // _PAIRS) or 1
    ours, theirs = ours[::step], theirs[::step]
    found = []
    for name, unit in _units(sample).items():
        if np.isnan(unit).all() or not len(ours):
            continue
        factor = _agreed(_measures(detected * np.tile(unit, 2))[ours], _measures(objects)[theirs])
        if factor is not None:
            found.append(Scale(name, factor))
    return found


def _measures(corners: Column) -> Column:
    """Centres and sides (N, 4)."""
    low, high = corners[:, :2], corners[:, 2:]
    return np.concatenate([(low + high) / 2, high - low], axis=1)


def _agreed(ours: Column, theirs: Column) -> float | None:
    """The factor from ours to theirs that most rows agree on, (P, 4) each."""
    good = ((ours > 0) & (theirs > 0)).all(axis=1)
    ratios = np.log(theirs[good]) - np.log(ours[good])
    ratios = ratios[np.ptp(ratios, axis=1) < _AGREEMENT].mean(axis=1)
    if not len(ratios):
        return None
    bins, counts = np.unique(np.round(ratios / _BIN), return_counts=True)
    most = bins[counts.argmax()] * _BIN
    near = ratios[np.abs(ratios - most) <= 2 * _BIN]
    return float(np.exp(np.median(near)))
