"""The doctor of moments in time: try other units, shifts and halves of the predictions."""

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from omniou._doctor.engine import Reading, Trial
from omniou._lib.findings import Finding
from omniou.spotting import Events

__all__ = ["findings"]

Column = npt.NDArray[Any]

# A prediction is near an action of its class and video up to so many seconds: half of SoccerNet's largest tight one.
_NEAR = 2.5
# So many times as many pairs agree on a shift as on any other: poor predictions agree by chance.
_PEAK = 2
# The share of actions that another reading finds at the least: there are many readings.
_LEAST = 0.1
# Videos whose actions are compared, the first ones.
_VIDEOS = 100
# Milliseconds are read. Factors for seconds, and for frames at the rates of videos and of SoccerNet's features.
_RATES = (1, 2, 5, 10, 12.5, 15, 24, 25, 30, 50, 60)
_UNITS = {1000.0: "seconds", 0.001: "microseconds", 60_000.0: "minutes"} | {
    1000 / rate: f"frames, {rate:g} a second" for rate in _RATES[1:]
}
# Factors of frames at one rate that were divided by another rate.
_RATIOS = sorted({a / b for a in (24, 25, 30, 50, 60) for b in (24, 25, 30, 50, 60)} - {1.0})
# Seconds that a half has at the least, where its times count from the start of the game.
_HALF_TIME = 45 * 60.0


class _Moments(NamedTuple):
    """Times of predictions and the numbers of their videos (M,)."""

    times: Column
    videos: Column


class _Sample(NamedTuple):
    """Actions of some videos, and as many predictions of the highest scores as each video and class has actions."""

    truth: _Moments
    labels: Column  # (N,) of the actions
    found: _Moments
    found_labels: Column  # (M,)
    last: Column  # (V,) the last time in each video

    def of(self, videos: Column) -> "_Sample":
        """The actions and predictions of some videos, of a mask (V,)."""
        own, other = videos[self.truth.videos], videos[self.found.videos]
        truth, found = _Moments(*(x[own] for x in self.truth)), _Moments(*(x[other] for x in self.found))
        return _Sample(truth, self.labels[own], found, self.found_labels[other], self.last)

    def near(self, found: _Moments, *, mirrored: bool = False) -> int:
        """How many actions have a prediction of their class and video near them."""
        times = self.last[found.videos] - found.times if mirrored else found.times
        labels = max(self.labels.max(initial=0), self.found_labels.max(initial=0)) + 1
        span = 4 * (max(np.abs(times).max(initial=0), self.truth.times.max(initial=0)) + _NEAR + 1)
        places = np.sort((found.videos * labels + self.found_labels) * span + times)
        wanted = (self.truth.videos * labels + self.labels) * span + self.truth.times
        first = np.searchsorted(places, wanted - _NEAR, side="left")
        return int((np.searchsorted(places, wanted + _NEAR, side="right") > first).sum())


def findings(truth: Events, predictions: Events, halves: Callable[[str], tuple[str, str]]) -> list[Finding]:
    """The reading of the predictions that finds more actions; `halves` parts a video's name in game and half."""
    named = [list(x.videos) for x in (truth, predictions)]
    names = list(dict.fromkeys([*named[0], *named[1]]))
    if not named[0] or not named[1]:
        return []
    sample = _sample(truth, predictions, names)
    second = np.array([halves(name)[1] == "2" for name in names], dtype=bool)
    return _best(sample, _readings(sample, names, halves)) or _best(sample.of(second), _cumulative())


def _best(sample: _Sample, readings: Iterator[Reading]) -> list[Finding]:
    trial = Trial(
        given=sample.found,
        total=len(sample.labels),
        matches=sample.near,
        by_chance=functools.partial(sample.near, mirrored=True),
        measure=f"a prediction within {_NEAR:g} s",
        of="actions",
    )
    best = trial.best(readings)
    return [best.finding] if best and sample.near(best.value) >= _LEAST * len(sample.labels) else []


def _sample(truth: Events, predictions: Events, names: list[str]) -> _Sample:
    labels = {label: k for k, label in enumerate(dict.fromkeys([*truth.labels, *predictions.labels]))}
    code = {name: k for k, name in enumerate(names)}
    tables: list[list[Column]] = []
    for events in (truth, predictions):
        videos = np.array([code[x] for x in events.videos], dtype=np.int64)
        own = np.array([labels[x] for x in events.labels], dtype=np.int64)
        columns = (np.asarray(events.times, dtype=np.float64), videos, own)
        tables.append([x[videos < _VIDEOS] for x in columns])
    (times, places, classes), (found_times, found_places, found_classes) = tables
    scores = np.asarray(predictions.scores, dtype=np.float64)[[code[x] < _VIDEOS for x in predictions.videos]]
    rows = _highest(scores, found_classes, classes)
    last = np.zeros(len(names))
    np.maximum.at(last, places, times)
    found = _Moments(found_times[rows], found_places[rows])
    return _Sample(_Moments(times, places), classes, found, found_classes[rows], last)


def _highest(scores: Column, labels: Column, of_truth: Column) -> Column:
    """Rows of the predictions with the highest scores, of each class as many as it has actions."""
    order = np.lexsort((-scores, labels))
    place = np.arange(len(order)) - np.searchsorted(labels[order], labels[order])
    return np.sort(order[place < np.bincount(of_truth, minlength=int(labels.max(initial=0)) + 1)[labels[order]]])


def _readings(sample: _Sample, names: list[str], halves: Callable[[str], tuple[str, str]]) -> Iterator[Reading]:
    for factor, unit in _UNITS.items():
        text = f"times of the predictions seem to be {unit}, not milliseconds"
        hint = f"multiply them by {factor:g}"
        yield Reading("times-unit", text, hint, functools.partial(_scaled, factor), f"times {factor:g}")
    for factor in _RATIOS:
        text = "times of the predictions seem to be frames that were divided by another frame rate"
        hint = f"multiply them by {factor:.4g}"
        yield Reading("times-rate", text, hint, functools.partial(_scaled, factor), f"times {factor:.4g}")
    for by in _shifts(sample):
        text = f"times of the predictions seem to be {abs(by):g} s too {'late' if by > 0 else 'early'}"
        hint = f"{'subtract' if by > 0 else 'add'} {abs(by):g} s"
        yield Reading("times-shifted", text, hint, functools.partial(_moved, -by), f"{-by:+g} s")
    code = {halves(name): k for k, name in enumerate(names)}
    for what, change in (("exchanged", {"1": "2", "2": "1"}), ("counted from 0", {"0": "1", "1": "2"})):
        others = [code.get((game, change.get(half, half)), k) for k, (game, half) in enumerate(map(halves, names))]
        yield Reading(
            code="halves-other",
            text=f"halves of the predictions seem to be {what}",
            hint="write half 1 for the first and 2 for the second",
            read=functools.partial(_in_other_half, np.array(others, dtype=np.int64)),
            words="with the other half",
        )


def _cumulative() -> Iterator[Reading]:
    """Second halves whose times count from the start of the game: the first halves are right."""
    text = "times of second halves of the predictions seem to count from the start of the game"
    hint = f"count each half from 0: subtract {_HALF_TIME:g} s"
    yield Reading("halves-cumulative", text, hint, functools.partial(_moved, -_HALF_TIME), f"{-_HALF_TIME:g} s")


def _scaled(factor: float, x: _Moments) -> _Moments:
    return x._replace(times=x.times * factor)


def _moved(by: float, x: _Moments) -> _Moments:
    return x._replace(times=x.times + by)


def _in_other_half(others: Column, x: _Moments) -> _Moments:
    return x._replace(videos=others[x.videos])


def _shifts(sample: _Sample) -> list[float]:
    """The difference of times that most pairs of a prediction and an action of its class and video have."""
    truth, found = sample.truth, sample.found
    groups = [np.stack(x) for x in ((truth.videos, sample.labels), (found.videos, sample.found_labels))]
    keys = np.unique(np.concatenate(groups, axis=1), axis=1, return_inverse=True)[1].reshape(-1)
    own, other = keys[: len(sample.labels)], keys[len(sample.labels) :]
    order = np.argsort(own, kind="stable")
    first, end = (np.searchsorted(own[order], other, side) for side in ("left", "right"))
    differences = [
        time - truth.times[order[a:b]] for time, a, b in zip(found.times.tolist(), first, end, strict=True) if b > a
    ]
    if not differences:
        return []
    every = np.sort(np.concatenate(differences))
    counts = np.searchsorted(every, every + 2 * _NEAR, "right") - np.arange(len(every))
    start = int(counts.argmax())
    elsewhere = counts[np.abs(every - every[start]) > 4 * _NEAR].max(initial=0)
    shift = round(float(np.median(every[start : start + counts[start]])), 1)
    return [shift] if abs(shift) >= _NEAR and counts[start] >= _PEAK * elsewhere else []
