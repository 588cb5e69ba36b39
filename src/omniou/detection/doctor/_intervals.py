"""What is doubtful about intervals in time: beyond their video, in another unit, of a class that is none."""

from collections.abc import Iterator
from typing import Any

from omniou._doctor.columns import Column, median, np
from omniou._doctor.engine import Reading, Trial
from omniou._inputs.inputs import Detections
from omniou._lib.findings import Finding
from omniou.detection.doctor import _images, _rows, _sample, _scores
from omniou.detection.doctor._examined import FILES, Cures, Examined
from omniou.detection.doctor._sample import Located, Sample, matched

# How far intervals may exceed their video: durations are often rounded, or taken from other copies of the video.
_SLACK = 1.0
# The share of intervals beyond their video that needs no finding: detectors may let some end after it.
_BEYOND = {"ground truth": 0.0, "detections": 0.02}
# Names of what annotators were not sure of, or saw nothing in.
_NO_ACTIONS = frozenset({"ambiguous", "background", "ambiguousaction", "noaction"})
# Logarithms of the ratios of centres and of lengths differ by no more than this where both are of one object.
_AGREEMENT, _BIN = 0.25, 0.05
# Factors nearer to 1 are no unit.
_LEAST_FACTOR = 1.5
# How far a factor may be from 1000 that is milliseconds.
_NEAR_FACTOR = 1.1
# Frames of a second that videos have, and rates by which frames are divided that had another rate.
_RATES, _COMMON_RATES = (5, 130), (24, 25, 30, 50, 60)
# The least shift in seconds, and how far the shifts of pairs are apart that agree on it.
_LEAST_SHIFT, _WINDOW = 1.0, 2.0


def examine(truth: Examined, detections: Detections[Any] | None, path: str, cures: Cures = FILES) -> list[Finding]:
    """All findings; `path` is the path of the detections."""
    located = Located.of(truth, detections)
    objects = _ends(truth, truth.targets.boxes)
    files = [("ground truth", str(truth.path), objects, located.objects)]
    columns = [objects, np.asarray(truth.targets.labels), np.asarray(truth.targets.images)]
    found = [*_rows.classes(truth), *_no_actions(truth, cures), *_rows.duplicates("objects", str(truth.path), *columns)]
    if detections is not None:
        detected = _ends(truth, detections.boxes)
        files.append(("detections", path, detected, located.detections))
        counts = located.object_counts, located.detection_counts
        columns = [detected, *(np.asarray(getattr(detections, name)) for name in ("labels", "images", "scores"))]
        found += [
            *_images.without_detections(*counts, path, truth.geometry.words.holder),
            *_scores.check(detections, path, cures),
            *_rows.duplicates("detections", path, *columns),
        ]
        if len(located.chosen):
            sample = _sample.take(truth, detections, located, (objects, detected))
            if unit := _trial(sample).findings(_units(sample, _durations(truth)[sample.detections.images], path)):
                return [*unit, *found]  # what leaves its video follows from it
    return [*(x for file in files for x in _beyond(truth, *file)), *found]


def _ends(truth: Examined, given: Any) -> Column:
    """Begin and end of each (N, 2)."""
    return _sample.corners(truth.geometry, np.asarray(given, dtype=np.float64), truth.format)


def _durations(truth: Examined) -> Column:
    """Durations of the videos by rising id, NaN where unknown."""
    order = np.argsort(truth.images)
    return np.full(len(order), np.nan) if truth.durations is None else np.asarray(truth.durations)[order]


def _beyond(truth: Examined, what: str, path: str, ends: Column, at: Column) -> list[Finding]:
    """Intervals that begin before their video, or end after it."""
    of_video = np.concatenate([_durations(truth), [np.nan]])[at]
    out = (ends[:, 0] < -_SLACK) | (ends[:, 1] > of_video + _SLACK)
    if out.sum() <= _BEYOND[what] * len(out):
        return []
    far = np.maximum(-ends[:, 0], np.nan_to_num(ends[:, 1] - of_video))
    row = int(np.argmax(np.where(out, far, -np.inf)))
    begin, end = ends[row].tolist()
    known = "" if np.isnan(of_video[row]) else f" in a video of {of_video[row]:g} s"
    text = f"{int(out.sum())} of {len(ends)} intervals of the {what} reach beyond their video"
    evidence = f"one is from {begin:g} to {end:g} s{known}"
    hint = "omniou clips nothing, like the official evaluations: clip them if they should end with the video"
    return [Finding(code="intervals-beyond", text=text, evidence=evidence, hint=hint, path=path)]


def _no_actions(truth: Examined, cures: Cures) -> list[Finding]:
    """Classes that are not actions, and count as if they were."""
    names = [x for x in truth.categories.values() if "".join(c for c in x.casefold() if c.isalnum()) in _NO_ACTIONS]
    if not names:
        return []
    listed = ", ".join(map(repr, names))
    hint = f"--except-classes {','.join(names)} excludes it" if cures is FILES else "`classes` excludes it"
    text = f"{listed} counts as a class like any other"
    return [Finding(code="classes-no-actions", text=text, hint=hint, path=str(truth.path))]


def _trial(sample: Sample) -> Trial[Column]:
    """How other ends of the detections are compared."""
    ends, objects = sample.detections.boxes, sample.objects.boxes
    return Trial(
        given=ends,
        total=len(ends),
        matches=lambda x: matched(sample.best(x, objects)),
        by_chance=lambda x: matched(sample.best(x, objects, sample.elsewhere())),
        measure=f"tIoU >= {_sample.THRESHOLD} with an object of the video",
    )


def _units(sample: Sample, durations: Column, path: str) -> Iterator[Reading]:
    """Fractions of the duration, where it is known; units and frame rates; the shift that most pairs agree on."""

    def unit(factors: Column | float, hint: str, words: str) -> Reading:
        text = "intervals of the detections seem to be in another unit than the objects"
        return Reading("intervals-unit", text, hint, lambda ends: ends * factors, words, path)

    if not np.isnan(durations).all():
        yield unit(durations[:, None], "are they fractions? write seconds", "times the duration of their video")
    for factor in (0.001, 1000.0, _factor(sample)):
        if not 1 / _LEAST_FACTOR < factor < _LEAST_FACTOR:
            yield unit(factor, _unit_of(factor), f"times {factor:.3g}")
    for ratio in sorted({a / b for a in _COMMON_RATES for b in _COMMON_RATES if a != b}):
        hint = f"are they frames that were divided by another frame rate? multiply them by {ratio:.4g}"
        yield unit(ratio, hint, f"times {ratio:.4g}")
    if shift := _shift(sample):
        text = f"intervals of the detections seem to be {abs(shift):g} s too {'late' if shift > 0 else 'early'}"
        hint = f"{'subtract' if shift > 0 else 'add'} {abs(shift):g} s"
        yield Reading("intervals-shifted", text, hint, lambda ends: ends - shift, f"{-shift:+g} s", path)


def _unit_of(factor: float) -> str:
    """What to do about detections whose times, times this factor, are those of the objects."""
    for which, rate in (("they", 1 / factor), ("the objects", factor)):
        if _RATES[0] <= rate <= _RATES[1]:
            return f"are {which} frames? divide them by the frame rate, about {rate:.3g}"
        if 1000 / _NEAR_FACTOR < rate < 1000 * _NEAR_FACTOR:
            return f"are {which} milliseconds? divide them by 1000"
    return f"are they {'frames' if factor < 1 else 'of another scale'}? write seconds"


def _shift(sample: Sample) -> float:
    """The seconds by which most pairs of similar length differ; 0 where that is too little."""
    rows, targets = sample.pairs()
    detected, objects = sample.detections.boxes[rows], sample.objects.boxes[targets]
    alike = np.abs(np.log((detected[:, 1] - detected[:, 0]) / (objects[:, 1] - objects[:, 0]))) < _AGREEMENT
    every = np.sort((detected - objects)[alike].mean(axis=1))
    if not len(every):
        return 0.0
    counts = np.searchsorted(every, every + _WINDOW, side="right") - np.arange(len(every))
    start = int(counts.argmax())
    shift = round(median(every[start : start + counts[start]]), 1)
    return shift if abs(shift) >= _LEAST_SHIFT else 0.0


def _factor(sample: Sample) -> float:
    """The factor that most pairs agree on; 1 where none do."""
    rows, targets = sample.pairs()
    (centre, length), (of_centre, of_length) = (
        np.stack([x.mean(axis=1), x[:, 1] - x[:, 0]])
        for x in (sample.detections.boxes[rows], sample.objects.boxes[targets])
    )
    positive = (centre > 0) & (of_centre > 0)
    ratios = np.log(np.stack([of_centre / centre, of_length / length])[:, positive])
    ratios = ratios[:, np.ptp(ratios, axis=0) < _AGREEMENT].mean(axis=0)
    if not len(ratios):
        return 1.0
    bins, counts = np.unique(np.round(ratios / _BIN), return_counts=True)
    near = ratios[np.abs(ratios - bins[counts.argmax()] * _BIN) <= 2 * _BIN]
    return float(np.exp(median(near)))
