"""Simulated trackers and segmentation models whose true numbers are known: those of a whole population of units.

A population of sequences or images is evaluated once. A data set is drawn from it with replacement, so the number of
the population is what its intervals are about. In each unit of a data set two models change places or not, by chance:
then they are equally good, exactly.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from omniou import segmentation, tracking
from omniou._results import comparing, resampling
from omniou.data.semantic import LabelCounts

CONFIDENCE = 0.95
# Two models that are equally good, and a better one.
MODELS, BETTER = 3, 2
_FRAMES, _SIDE = 6, 24
_NAMES = ("car", "person", "bike")


class Population(NamedTuple):
    """Units of `MODELS` models (P,), a function that makes the result of some of them, and the number in question."""

    units: Sequence[Sequence[Any]]
    result: Callable[[Sequence[Any]], Any]
    number: str

    def truth(self) -> float:
        """The number of the first two models together, one unit of each with even chance."""
        first, second = (list(x) for x in list(zip(*self.units, strict=True))[:BETTER])
        return float(self.result(first + second).summary[self.number])


@functools.cache
def tracks(classes: int, size: int, seed: int = 0) -> Population:
    """Sequences of different length and difficulty, which all trackers share; the rest of their luck is their own."""
    rng, names = np.random.default_rng((1, classes, size, seed)), _NAMES[:classes]
    scenes = [(rng.poisson(3) + 1, rng.integers(3, 2 * _FRAMES), rng.normal()) for _ in range(size)]
    states = []
    for which in range(MODELS):
        evaluator = tracking.Evaluator(classes=names)
        for k, (objects, frames, difficulty) in enumerate(scenes):
            labels = [names[(k + n) % classes] for n in range(objects)]
            quality = 1 / (1 + np.exp(-(1.0 - 0.7 * difficulty + 0.4 * (which == BETTER))))
            shift = rng.normal(size=objects) * (1.5 - quality)
            number = np.arange(objects)
            for frame in range(frames):
                boxes = [[40 * n + frame, 0, 40 * n + frame + 20, 20] for n in range(objects)]
                number = np.where(rng.random(objects) < 0.15 * (1.2 - quality), number + 100, number)
                found = np.flatnonzero(rng.random(objects) < quality)
                evaluator.update(
                    {"ids": list(range(objects)), "labels": labels, "boxes": boxes},
                    {
                        "ids": number[found].tolist(),
                        "labels": [labels[n] for n in found],
                        "boxes": [[x + 4 * shift[n] for x in boxes[n]] for n in found],
                    },
                    sequence=k,
                )
        states.append(evaluator.state)

    def units_of(state: tracking.State, k: int) -> Any:
        return state.sequences[k], {name: state.rows[k, name] for name in names if (k, name) in state.rows}

    def result(units: Sequence[Any]) -> tracking.Result:
        sequences = {k: frames for k, (frames, _) in enumerate(units)}
        rows = {(k, name): row for k, (_, of_classes) in enumerate(units) for name, row in of_classes.items()}
        return tracking.compute([tracking.State(states[0].rules, sequences, names, rows)])

    return Population([[units_of(state, k) for state in states] for k in range(size)], result, "HOTA")


@functools.cache
def maps(classes: int, size: int, seed: int = 0) -> Population:
    """Images of different difficulty with one to three classes each; rare classes are in few images."""
    rng = np.random.default_rng((2, classes, size, seed))
    shares = 1 / np.sqrt(np.arange(1, classes + 1))
    units = []
    for _ in range(size):
        there = rng.choice(classes, size=rng.integers(1, min(3, classes) + 1), replace=False, p=shares / shares.sum())
        target, difficulty = rng.choice(there, size=(_SIDE, _SIDE)), rng.normal()
        models = []
        for which in range(MODELS):
            quality = 1.5 - difficulty + 0.5 * (which == BETTER) + rng.normal()
            wrong = rng.random(target.shape) < 1 / (1 + np.exp(quality))
            prediction = np.where(wrong, rng.choice(classes, size=target.shape), target)
            models.append(segmentation.confusion(target, prediction, classes, outside="column"))
        units.append(models)

    def result(tables: Sequence[Any]) -> LabelCounts:
        of_images = {
            f"{k:06}": np.stack([x.diagonal(), x.sum(axis=1), x[:, :-1].sum(axis=0)], axis=1)
            for k, x in enumerate(tables)
        }
        return LabelCounts({k: str(k) for k in range(classes)}, sum(tables), of_images, listed=True)

    return Population(units, result, "mIoU")


POPULATIONS = {"tracks": tracks, "semantic": maps}


class SetOutcome(NamedTuple):
    """What is said of one data set: an interval, and p-values of models that are alike and that differ."""

    interval: resampling.Interval
    alike: float
    better: float
    records: float  # of the models that are alike, from the samples of two records; NaN with too few units


def trial(
    kind: str,
    classes: int,
    many: int,
    size: int,
    samples: int,
    permutations: int,
    seed: int,
    *,
    confidence: float = CONFIDENCE,
) -> SetOutcome:
    """Draw a data set of so many units from a population of so many, and test on it."""
    population = POPULATIONS[kind](classes, many)
    rng, name = np.random.default_rng((seed, size)), population.number
    drawn = [population.units[k] for k in rng.integers(len(population.units), size=size)]
    swapped = rng.random(size) < 0.5
    one, other = (
        population.result([unit[int(x)] for unit, x in zip(drawn, side, strict=True)]) for side in (swapped, ~swapped)
    )
    best = population.result([unit[BETTER] for unit in drawn])
    values, others = resampling.drawn([one, other], [name], samples=samples, confidence=confidence, seed=seed)
    many = one.units.per_class(name)
    interval = resampling.interval(one.summary[name], values[name], confidence, many)
    pairs = (one.summary[name], values[name]), (other.summary[name], others[name])
    records = comparing.paired(*pairs, confidence, many).p_value
    p_values = []
    for second in (other, best):
        gap = comparing.exchanged(one, second, [name], samples=permutations, seed=seed)[name]
        p_values.append(comparing.tested([gap], confidence)[0][2])
    return SetOutcome(interval, *p_values, records)


def truth(kind: str, classes: int, many: int) -> float:
    """The number of a population."""
    return POPULATIONS[kind](classes, many).truth()
