"""Some boxes of a file in another order, or another unit, than the rest."""

from omniou._doctor.columns import np
from omniou._lib.findings import Finding
from omniou.detection.doctor._boxes import Fit, Readings
from omniou.detection.doctor._boxes_of_file import FileBoxes
from omniou.detection.doctor._readings import EVERY
from omniou.detection.doctor._sample import THRESHOLD

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
    tried = [(detections, x, (x, of_truth)) for x in EVERY if x != of_detections]
    tried += [(truth, x, (of_detections, x)) for x in EVERY if x != of_truth]
    found = []
    for file, reading, both in tried:
        fit = readings.fit(both)
        best = sample.best(fit.detections, fit.objects)
        count = int((best >= _CLOSE).sum())
        found.append((count, file, reading, fit))
    count, file, reading, fit = max(found, key=lambda x: x[0])
    chance = sample.best(fit.detections, fit.objects, sample.elsewhere()) >= _CLOSE
    if count < max(least, _FEW + _TIMES * int(chance.sum())):
        return []
    text = f"some boxes of the {file.what} seem to be {reading}, and the others {file.given}"
    evidence = f"{count} of {len(unmatched)} detections overlap an object by IoU >= {_CLOSE} only as {reading}"
    hint = f"write all boxes of the {file.what} in one format"
    return [Finding(code="boxes-mixed", text=text, evidence=evidence, hint=hint, path=file.path)]


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
