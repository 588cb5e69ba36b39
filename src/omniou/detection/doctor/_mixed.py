"""Some boxes of a file in another order, unit or scale than the rest."""

import math
from typing import TypeAlias

from omniou._doctor.columns import np
from omniou._lib.findings import Finding
from omniou.detection.doctor._boxes import BothReadings, Fit, Readings
from omniou.detection.doctor._boxes_of_file import FileBoxes
from omniou.detection.doctor._readings import EVERY, BoxReading
from omniou.detection.doctor._sample import THRESHOLD
from omniou.detection.doctor._scale import BoxScale, said, usual

# A file, and how some of its boxes may be meant.
Tried: TypeAlias = tuple[FileBoxes, BoxReading, BothReadings, BoxScale | None]

# Ranges in brackets as in `_doctor.engine`.

# IoU of a detection in the other order (0.65 to 0.9): what overlaps by chance is hardly above the threshold.
_CLOSE = 0.75
# Detections that match only in the other order: so many (3 to 10), a share of all (0.015 to 0.06), and so many times as
# many as with objects of other images (1 to 4).
_FEW, _SHARE, _TIMES = 5, 0.03, 2
# A share of boxes that are fractions where the others are pixels (0.01 to 0.04), and the least number of them.
_FRACTIONS, _FEW_FRACTIONS = 0.02, 3


def orders(readings: Readings, given: Fit, truth: FileBoxes, detections: FileBoxes) -> list[Finding]:
    """Find detections, or objects, part of which match only in another order while the rest match as read."""
    unmatched = readings.sample.best(given.detections, given.objects) < THRESHOLD
    least = max(_FEW, _SHARE * len(unmatched))
    if unmatched.sum() < least:
        return []
    sample = readings.sample.some(unmatched)
    readings = Readings(sample, *readings.given)
    of_detections, of_truth = readings.given
    tried: list[Tried] = [(detections, x, (x, of_truth), None) for x in EVERY if x != of_detections]
    tried += [(truth, x, (of_detections, x), None) for x in EVERY if x != of_truth]
    if detections.has_sizes and not detections.unit_sides:
        scales = usual(detections.counted)
        tried += [(detections, x, (x, of_truth), y) for x in dict.fromkeys((of_detections, *EVERY)) for y in scales]
    found = []
    for file, reading, both, scale in tried:
        fit = readings.fit(both, scale)
        best = sample.best(fit.detections, fit.objects)
        count = int((best >= _CLOSE).sum())
        found.append((count, file, reading, fit, scale))
    count, file, reading, fit, scale = max(found, key=lambda x: x[0])
    chance = sample.best(fit.detections, fit.objects, sample.elsewhere()) >= _CLOSE
    if count < max(least, _FEW + _TIMES * int(chance.sum())):
        return []
    if scale is not None:
        return [_of_scales(file, f"{count} of {len(unmatched)} detections", scale, reading)]
    text = f"some boxes of the {file.what} seem to be {reading}, and the others {file.given}"
    evidence = f"{count} of {len(unmatched)} detections overlap an object by IoU >= {_CLOSE} only as {reading}"
    hint = f"write all boxes of the {file.what} in one format"
    return [Finding(code="boxes-mixed", text=text, evidence=evidence, hint=hint, path=file.path)]


def _of_scales(file: FileBoxes, which: str, scale: BoxScale, reading: BoxReading) -> Finding:
    some = said(scale.number(file.counted) or math.inf)
    others = "are pixels" if file.counted is None else f"count to {file.counted:.4g}"
    order = "" if reading == file.given else f", as {reading}"
    text = f"some boxes of the {file.what} seem to {some}{order}, and the others {others}"
    evidence = f"{which} overlap an object by IoU >= {_CLOSE} only so"
    hint = f"write all boxes of the {file.what} in one scale"
    return Finding(code="boxes-mixed", text=text, evidence=evidence, hint=hint, path=file.path)


def scales(readings: Readings, given: Fit, other: Fit, detections: FileBoxes, found: Finding) -> list[Finding]:
    """Find detections that match only as read, while most match in the scale of a finding."""
    sample = readings.sample
    kept = sample.best(given.detections, given.objects) >= _CLOSE
    kept &= sample.best(other.detections, other.objects) < THRESHOLD
    chance = sample.best(given.detections, given.objects, sample.elsewhere()) >= _CLOSE
    if kept.sum() < max(_FEW, _SHARE * len(kept), _TIMES * int(chance.sum())):
        return units(detections)
    evidence = f"{int(kept.sum())} of {len(kept)} detections overlap an object by IoU >= {_CLOSE} only as read"
    text = f"{found.text}, and some in the scale that they were read in"
    hint = f"write all boxes of the {detections.what} in one scale"
    return [Finding(code="boxes-mixed", text=text, evidence=evidence, hint=hint, path=detections.path)]


def units(file: FileBoxes) -> list[Finding]:
    """Fractions of the sides of their images among pixels."""
    fractions = file.fractions()
    count = int(fractions.sum())
    if count < max(_FEW_FRACTIONS, _FRACTIONS * len(fractions)):
        return []
    text = f"{count} of {len(fractions)} boxes of the {file.what} seem to be fractions, and the others pixels"
    first = int(np.argmax(fractions))
    evidence = f"the first is {np.array2string(file.numbers[first], separator=', ', precision=4)}"
    hint = f"write all boxes of the {file.what} in one unit"
    return [Finding(code="boxes-mixed", text=text, evidence=evidence, hint=hint, path=file.path)]
