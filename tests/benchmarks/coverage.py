"""How often intervals hold the truth, and p-values under the null: `python -m tests.benchmarks.coverage`.

A simulated detector is scored on small sets, whose bootstrap intervals are compared with its AP over 20,000 images.
Sequences of trackers and images of segmentation models are drawn from a population whose numbers are known exactly.
docs/intervals.md has the tables. `--methods` compares ways to make an interval of the samples. `--seconds` bounds the
time of a case: the table says how many sets it had. `--smoke` is small: only to see that it runs.
"""

import argparse
import concurrent.futures
import functools
import itertools
import math
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from omniou import detection
from omniou._results import comparing
from omniou.report._comparison import bounds
from tests.results import simulated as units

POPULATION, SAMPLES, REPETITIONS, CONFIDENCE = 20_000, 200, 300, 0.95
OBJECTS, FALSE_POSITIVES, SIDE, SLOT = 2.0, 2.0, 40.0, 200.0
Z = statistics.NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)


class Case(NamedTuple):
    """What is simulated.

    Images are "even": objects are spread over images and classes by chance. "clustered": a fifth of the images has most
    objects, and three quarters of the objects of an image are of one class. "unequal": class k has a share of 1 / k.
    "rare": the last class has a share of 4 %.
    """

    images_are: str
    classes: int
    images: int


CASES = (
    Case("even", 1, 10),
    Case("even", 1, 20),
    Case("even", 1, 40),
    Case("even", 1, 150),
    Case("even", 5, 60),
    Case("even", 5, 150),
    Case("even", 20, 150),
    Case("even", 20, 1000),
    Case("even", 80, 1000),
    Case("rare", 2, 40),
    Case("rare", 2, 400),
    Case("unequal", 5, 150),
    Case("unequal", 20, 1000),
    Case("clustered", 1, 60),
    Case("clustered", 5, 150),
    Case("clustered", 5, 400),
)
# Two detectors that are equally good.
ALIKE = (
    Case("even", 1, 10),
    Case("even", 1, 60),
    Case("even", 5, 60),
    Case("even", 5, 150),
    Case("rare", 2, 40),
    Case("clustered", 5, 150),
)
# More detectors than two, and how many.
SEVERAL = ((Case("even", 1, 60), 3), (Case("even", 1, 60), 5), (Case("even", 5, 60), 3))
START = ("images are", "classes", "images")
# Kind, classes, and how many sequences or images.
UNITS = (
    ("tracks", 1, 30),
    ("tracks", 1, 100),
    ("tracks", 2, 60),
    ("semantic", 3, 30),
    ("semantic", 3, 100),
    ("semantic", 10, 300),
    ("semantic", 30, 500),
)
UNITS_POPULATION = 2_000
# Of 100 permutations 4 may be as far as the observed one, where p is below 0.05: 5 / 101.
PERMUTATIONS = 100
T = TypeVar("T")


class Set(NamedTuple):
    """Ground truth, and the detections of two or more detectors that are equally good."""

    targets: detection.Targets[Any]
    detections: Sequence[detection.Detections[Any]]


def simulated(rng: np.random.Generator, kind: Case, models: int = 2) -> Set:
    """Images differ in difficulty, which all detectors share; the rest of their luck is their own."""
    classes, images = kind.classes, kind.images
    crowded = rng.random(images) < 0.2 if kind.images_are == "clustered" else None
    counts = rng.poisson(OBJECTS if crowded is None else np.where(crowded, 4 * OBJECTS, OBJECTS / 4), images)
    image = np.repeat(np.arange(images), counts)
    slot = np.arange(len(image)) - np.repeat(np.cumsum(counts) - counts, counts)
    label = rng.choice(classes, len(image), p=shares(kind))
    if crowded is not None:
        main = rng.integers(classes, size=images)
        label = np.where(rng.random(len(image)) < 0.75, main[image], label)
    difficulty = rng.normal(size=images)
    targets = detection.Targets(_boxes(slot, np.ones(len(slot))), label, image)
    return Set(targets, [_detected(rng, difficulty, image, slot, label, kind) for _ in range(models)])


def shares(kind: Case) -> Any:
    """(K,) of the classes among objects."""
    if kind.images_are == "rare":
        return np.asarray([0.96 / (kind.classes - 1)] * (kind.classes - 1) + [0.04])
    weights = 1 / np.arange(1, kind.classes + 1) if kind.images_are == "unequal" else np.ones(kind.classes)
    return weights / weights.sum()


def _detected(
    rng: np.random.Generator, difficulty: Any, image: Any, slot: Any, label: Any, kind: Case
) -> detection.Detections[Any]:
    """Each object may be found, loosely or well, some under another class; beside them are false positives."""
    quality = 0.6 - 0.8 * difficulty[image] + rng.normal(size=len(image))
    found = rng.random(len(image)) < _sigmoid(quality)
    overlap = np.clip(0.7 + 0.1 * quality + 0.12 * rng.normal(size=len(image)), 0.05, 1.0)
    confused = np.where(rng.random(len(image)) < 0.1, rng.choice(kind.classes, len(image), p=shares(kind)), label)
    score = _sigmoid(quality + rng.normal(size=len(image)))
    many = rng.poisson(FALSE_POSITIVES, len(difficulty))
    other = np.repeat(np.arange(len(difficulty)), many)
    empty = 100 + np.arange(len(other))
    noise = _sigmoid(rng.normal(-1, 1, len(other)))
    return detection.Detections(
        np.concatenate([_boxes(slot, overlap)[found], _boxes(empty, np.ones(len(empty)))]),
        np.concatenate([score[found], noise]),
        np.concatenate([confused[found], rng.choice(kind.classes, len(other), p=shares(kind))]),
        np.concatenate([image[found], other]),
    )


def _boxes(slot: Any, overlap: Any) -> Any:
    """(N, 4) boxes of one size, each in a slot of its own, shifted until they overlap the object there by so much."""
    low = slot * SLOT + SIDE * (1 - overlap) / (1 + overlap)
    zero = np.zeros_like(low)
    return np.stack([low, zero, low + SIDE, zero + SIDE], axis=1)


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _evaluated(data: Set, which: int, kind: Case) -> Any:
    found = data.detections[which]
    return detection.evaluate(data.targets, found, classes=range(kind.classes), images=range(kind.images))


Bounds = tuple[float, float]


def percentile(_: float, samples: Sequence[float]) -> Bounds:
    low, high = np.quantile(samples, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def moved(value: float, samples: Sequence[float], times: int = 1) -> Bounds:
    low, high = percentile(value, samples)
    bias = times * (statistics.fmean(samples) - value)
    return low - bias, high - bias


def pivotal(value: float, samples: Sequence[float]) -> Bounds:
    low, high = percentile(value, samples)
    return 2 * value - high, 2 * value - low


def normal(value: float, samples: Sequence[float]) -> Bounds:
    centre = 2 * value - statistics.fmean(samples)
    return centre - Z * statistics.stdev(samples), centre + Z * statistics.stdev(samples)


def bias_corrected(value: float, samples: Sequence[float]) -> Bounds:
    """Efron's BC: percentiles whose shares are moved by the share of samples below the value."""
    law = statistics.NormalDist()
    share = min(max(sum(x < value for x in samples) / len(samples), 0.5 / len(samples)), 1 - 0.5 / len(samples))
    shift = 2 * law.inv_cdf(share)
    low, high = np.quantile(samples, [law.cdf(shift - Z), law.cdf(shift + Z)])
    return float(low), float(high)


METHODS: dict[str, Callable[[float, Sequence[float]], Bounds]] = {
    "percentile": percentile,
    "percentile, moved by the bias": moved,
    "percentile, moved by twice the bias": functools.partial(moved, times=2),
    "bias-corrected percentile (BC)": bias_corrected,
    "pivotal, before it is cut off at 0 and 1": pivotal,
    "normal around the bias-corrected value": normal,
}


def bootstrapped(kind: Case, samples: int, seed: int) -> detection.Interval:
    """The interval of one small set."""
    data = simulated(np.random.default_rng((kind.classes, kind.images, seed)), kind)
    return detection.bootstrap(_evaluated(data, 0, kind), samples=samples, confidence=CONFIDENCE, seed=seed)


class Outcome(NamedTuple):
    """What is said of two detectors that are equally good."""

    p_value: float
    difference: Bounds
    of_records: float  # p-value from the samples of two records, NaN where they have too few images


def compared(kind: Case, samples: int, seed: int) -> Outcome:
    data = simulated(np.random.default_rng((kind.classes, kind.images, seed)), kind)
    first, second = (_evaluated(data, which, kind) for which in (0, 1))
    outcome = detection.compare_number(first, second, samples=samples, seed=seed)
    one, other = outcome.first, outcome.second
    saved = comparing.paired((one.value, one.samples), (other.value, other.samples), CONFIDENCE, one.units_per_class)
    return Outcome(outcome.p_value, (outcome.difference.low, outcome.difference.high), saved.p_value)


class Told(NamedTuple):
    """Whether any of several detectors, which are equally good, is told apart."""

    from_first: bool
    from_best: bool


def several(kind: Case, models: int, samples: int, seed: int) -> Told:
    data = simulated(np.random.default_rng((kind.classes, kind.images, seed)), kind, models)
    results = [_evaluated(data, which, kind) for which in range(models)]
    known = bounds.of_results(results, ["AP"], samples=samples, seed=seed, confidence=CONFIDENCE, track=iter)
    return Told(
        any(x.p_value < bounds.LEVEL for x in known.numbers["AP"]),
        any(x.p_value < bounds.LEVEL for x in known.against_best.values()),
    )


def truth(kind: Case, population: int) -> float:
    """AP over many images, the mean of both detectors."""
    many = kind._replace(images=population)
    data = simulated(np.random.default_rng((kind.classes, 0)), many)
    return float(np.mean([_evaluated(data, which, many).summary["AP"] for which in (0, 1)]))


def repeated(pool: Any, trial: Callable[[int], T], repetitions: int, seconds: float) -> list[T]:
    """As many trials as the time allows, in the order of their seeds."""
    end, seeds, out = time.monotonic() + seconds, iter(range(repetitions)), list[T]()
    while (batch := list(itertools.islice(seeds, 8))) and (not out or time.monotonic() < end):
        out += pool.map(trial, batch)
    return out


def percent(part: Sequence[bool]) -> str:
    """The share of what is true."""
    return f"{sum(part) / len(part):.1%}" if part else "-"


def interval_row(kind: Case, known: float, intervals: Sequence[detection.Interval]) -> tuple[Any, ...]:
    held = [x.low <= known <= x.high for x in intervals]
    plain, corrected = (
        statistics.fmean((x - known) ** 2 for x in values) ** 0.5
        for values in ([x.value for x in intervals], [x.corrected for x in intervals])
    )
    return (
        *kind,
        f"{statistics.fmean(x.units_per_class for x in intervals):.0f}",
        percent(held),
        percent([known < x.low for x in intervals]),
        percent([known > x.high for x in intervals]),
        f"{statistics.fmean(x.high - x.low for x in intervals):.3f}",
        percent([x.doubtful for x in intervals]),
        percent([fine for fine, x in zip(held, intervals, strict=True) if not x.doubtful]),
        f"{plain:.3f}",
        f"{corrected:.3f}",
        len(intervals),
    )


def comparison_row(kind: Case, done: Sequence[Outcome]) -> tuple[Any, ...]:
    saved = [x.of_records for x in done if not math.isnan(x.of_records)]
    return (
        *kind,
        *(percent([x.p_value < at for x in done]) for at in (0.05, 0.2, 0.5)),
        percent([low <= 0 <= high for low, high in (x.difference for x in done)]),
        percent([p < 0.05 for p in saved]),
        len(done),
    )


def method_rows(kind: Case, known: float, intervals: Sequence[detection.Interval]) -> list[tuple[Any, ...]]:
    rows = []
    for name, method in METHODS.items():
        ends = [method(x.value, x.samples) for x in intervals]
        below, above = ([known < low for low, _ in ends], [known > high for _, high in ends])
        held = [low <= known <= high for low, high in ends]
        width = statistics.fmean(high - low for low, high in ends)
        rows.append((*kind, name, *map(percent, (held, below, above)), f"{width:.3f}"))
    return rows


def table(headings: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    lines = [headings, ["---"] + ["---:"] * (len(headings) - 1), *rows]
    print("", *("| " + " | ".join(map(str, line)) + " |" for line in lines), sep="\n", flush=True)


def intervals_tables(pool: Any, repetitions: int, samples: int, population: int, told: argparse.Namespace) -> None:
    rows, methods = [], []
    for kind in CASES[1::5] if told.smoke else CASES:
        known = pool.submit(truth, kind, population).result()
        found = repeated(pool, functools.partial(bootstrapped, kind, samples), repetitions, told.seconds)
        intervals = [x for x in found if not math.isnan(x.low)]  # a set may be without objects
        rows.append(interval_row(kind, known, intervals))
        methods += method_rows(kind, known, intervals)
        print(*rows[-1], file=sys.stderr, flush=True)
    more = ["images a class", "held", "truth below", "truth above", "mean width", "doubtful", "held, not doubtful"]
    table([*START, *more, "error of AP", "of bias-corrected AP", "sets"], rows)
    if told.methods:
        table([*START, "interval", "held", "truth below", "truth above", "mean width"], methods)


def units_row(kind: str, classes: int, size: int, known: float, done: Sequence[units.SetOutcome]) -> tuple[Any, ...]:
    intervals = [x.interval for x in done]
    return (
        f"{kind}: {'sequences' if kind == 'tracks' else 'images'}",
        classes,
        size,
        f"{statistics.fmean(x.units_per_class for x in intervals):.0f}",
        percent([x.low <= known <= x.high for x in intervals]),
        percent([known < x.low for x in intervals]),
        percent([known > x.high for x in intervals]),
        f"{statistics.fmean(x.high - x.low for x in intervals):.3f}",
        percent([x.doubtful for x in intervals]),
        *(percent([x.alike < at for x in done]) for at in (0.05, 0.2, 0.5)),
        percent([x.records < 0.05 for x in done if not math.isnan(x.records)]),
        percent([x.better < 0.05 for x in done]),
        len(done),
    )


def units_tables(pool: Any, repetitions: int, samples: int, population: int, told: argparse.Namespace) -> None:
    rows = []
    for kind, classes, size in UNITS[::4] if told.smoke else UNITS:
        known = pool.submit(units.truth, kind, classes, population).result()
        drawn = functools.partial(units.trial, kind, classes, population, size, samples, min(samples, PERMUTATIONS))
        rows.append(units_row(kind, classes, size, known, repeated(pool, drawn, repetitions, told.seconds)))
        print(*rows[-1], file=sys.stderr, flush=True)
    intervals = ["units a class", "held", "truth below", "truth above", "mean width", "doubtful"]
    tests = ["p < .05", "p < .2", "p < .5", "records: p < .05", "better model: p < .05"]
    table(["units", "classes", "number of units", *intervals, *tests, "sets"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.coverage", description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="small and once: only to see that it runs")
    parser.add_argument("--methods", action="store_true", help="also other ways to make an interval of the samples")
    parser.add_argument("--comparisons", action="store_true", help="only those, no intervals")
    parser.add_argument("--units", action="store_true", help="only sequences of trackers and images of label maps")
    parser.add_argument("--seconds", type=float, default=300.0, help="of each case, at most")
    parser.add_argument("--workers", type=int, default=min(os.cpu_count() or 1, 16), help="processes")
    told = parser.parse_args()
    repetitions, samples, population = (4, 20, 200) if told.smoke else (REPETITIONS, SAMPLES, POPULATION)
    with concurrent.futures.ProcessPoolExecutor(told.workers) as pool:
        units_tables(pool, repetitions, samples, min(population, UNITS_POPULATION), told)
        if told.units:
            return
        if not told.comparisons:
            intervals_tables(pool, repetitions, samples, population, told)
        rows = []
        for kind in ALIKE[::3] if told.smoke else ALIKE:
            trial = functools.partial(compared, kind, min(samples, PERMUTATIONS))
            rows.append(comparison_row(kind, repeated(pool, trial, repetitions, told.seconds)))
            print(*rows[-1], file=sys.stderr, flush=True)
        table([*START, "p < .05", "p < .2", "p < .5", "interval held 0", "records: p < .05", "sets"], rows)
        rows = []
        for kind, models in SEVERAL[:1] if told.smoke else SEVERAL:
            told_apart = functools.partial(several, kind, models, min(samples, PERMUTATIONS))
            done = repeated(pool, told_apart, repetitions, told.seconds)
            shares_of = [percent([x.from_first for x in done]), percent([x.from_best for x in done])]
            rows.append((*kind, models, *shares_of, len(done)))
            print(*rows[-1], file=sys.stderr, flush=True)
        table([*START, "models", "any from the first", "any from the best", "sets"], rows)


if __name__ == "__main__":
    main()
