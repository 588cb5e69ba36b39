"""The scores of detections: their range, and whether they are cut off."""

from typing import Any, NamedTuple

from omniou._doctor.columns import Column, np
from omniou._inputs.inputs import Detections
from omniou._lib.findings import Finding
from omniou.detection.doctor._boxes import Fit
from omniou.detection.doctor._examined import FILES, Cures
from omniou.detection.doctor._sample import Sample, matched

# Ranges in brackets as in `_doctor.engine`.

# Detections that say something of all scores (10 to 40): fewer may well have one score. Fewer say it if that is 0 or 1,
# which no detector is sure of (3 to 20).
_FEW, _FEW_SURE = 20, 5
# Scores up to this are percentages.
_PERCENT = 100
# Scores at which detections are cut off by hand.
_CUTS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9)
# The share of the lowest scores that tells how dense they are (0.05 to 0.2), and the least number of them (5 to 20).
_LOWEST, _LOWEST_AT_LEAST = 0.1, 10
# Scores that are missing below the cut if they went on as dense (4 to 16): exp(-8) = 0.03 % of such sets have none.
_MISSING = 8.0
# How far above the cut the lowest score may be, in mean distances of the lowest ones (2 to 8), and at the most.
_ABOVE, _ABOVE_AT_MOST = 4.0, 0.02
# A cut is a fault up to this score (at 0.7 the best 30 % of the example of the documentation begin), and if so large a
# share of the detections right above it match (0.58 to 0.65), by so many standard deviations (1.5 to 3): without the
# cut, others that match would follow.
_FAULT, _MATCHED, _DEVIATIONS = 0.5, 0.6, 2


def check(detections: Detections[Any], path: str, cures: Cures = FILES) -> list[Finding]:
    """Scores that are not fractions, or all the same."""
    values = np.asarray(detections.scores)
    if not len(values):
        return []
    low, high = float(values.min()), float(values.max())
    if low == high and len(values) >= (_FEW_SURE if low in {0, 1} else _FEW):
        text = f"all {len(values)} scores are {low:g}: the detections have no rank, which AP needs"
        return [Finding(code="scores-equal", text=text, hint=cures.ties, path=path)]
    if low >= 0 and high <= 1:
        return []
    count = int(((values < 0) | (values > 1)).sum())
    text = f"{count} of {len(values)} scores are outside [0, 1]"
    evidence = f"from {low:g} to {high:g}; AP needs only their order, thresholds and calibration need their values"
    hint = "divide them by 100" if 1 < high <= _PERCENT and low >= 0 else "bring them into [0, 1]"
    if low < 0:
        hint += ": if they are logits, by a sigmoid or a softmax"
    return [Finding(code="scores-range", text=text, evidence=evidence, hint=hint, path=path)]


class Cut(NamedTuple):
    """Where scores end, and about how many are missing below."""

    score: float
    missing: float
    lowest: float

    def finding(self, path: str) -> Finding:
        """The finding that detections were cut off."""
        text = f"detections seem to be cut off at a score of {self.score:g}: AP lacks the recall of the others"
        evidence = f"the lowest is {self.lowest:.4g}; at the same density, {self.missing:.0f} more would follow below"
        hint = "write all detections, down to scores of 0.001 or so"
        return Finding(code="scores-cut", text=text, evidence=evidence, hint=hint, path=path)


def cut(scores: Column) -> Cut | None:
    """The round number that scores end at, where they would go on below it."""
    if len(scores) < _FEW:
        return None
    count = max(_LOWEST_AT_LEAST, int(_LOWEST * len(scores)))
    lowest = np.sort(np.partition(scores, count)[: count + 1])
    least, width = float(lowest[0]), float(lowest[-1] - lowest[0])
    at = max((x for x in _CUTS if x <= least), default=None)
    if at is None or scores.max() > 1 or not width:
        return None
    missing = at * count / width
    if missing < _MISSING or least - at > min(_ABOVE_AT_MOST, _ABOVE * width / count):
        return None
    return Cut(at, missing, least)


def cut_off(detections: Detections[Any], sample: Sample, fit: Fit, path: str) -> list[Finding]:
    """A cut below which others would match."""
    found = cut(np.asarray(detections.scores))
    if found is None or found.score > _FAULT or sample.scores is None:
        return []
    lowest = np.argsort(sample.scores, kind="stable")[: max(_LOWEST_AT_LEAST, int(_LOWEST * len(sample.scores)))]
    share = matched(sample.best(fit.detections, fit.objects)[lowest]) / len(lowest)
    if share < _MATCHED + _DEVIATIONS * np.sqrt(0.25 / len(lowest)):
        return []
    return [found.finding(path)]
