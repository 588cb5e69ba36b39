"""How often intervals hold the truth, and p-values under the null: `python -m tests.benchmarks.coverage`.

A simulated detector is scored on small sets, whose bootstrap intervals are compared with its AP over 20,000 images.
docs/intervals.md has the table. `--smoke` is small: only to see that it runs.
"""

import argparse
import concurrent.futures
import functools
import os
import statistics
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from omniou import detection

POPULATION, SAMPLES, REPETITIONS, CONFIDENCE = 20_000, 400, 300, 0.95
# Classes, images.
CASES = ((1, 150), (5, 150), (20, 150), (20, 1000), (80, 1000))
OBJECTS, FALSE_POSITIVES, SIDE, SLOT = 2.0, 2.0, 40.0, 200.0
Z = statistics.NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)


class Set(NamedTuple):
    """Ground truth, and the detections of two detectors that are equally good."""

    targets: detection.Targets[Any]
    detections: tuple[detection.Detections[Any], detection.Detections[Any]]


def simulated(rng: np.random.Generator, classes: int, images: int) -> Set:
    """Images differ in difficulty, which both detectors share; the rest of their luck is their own."""
    counts = rng.poisson(OBJECTS, images)
    image = np.repeat(np.arange(images), counts)
    slot = np.arange(len(image)) - np.repeat(np.cumsum(counts) - counts, counts)
    label = rng.integers(classes, size=len(image))
    difficulty = rng.normal(size=images)
    targets = detection.Targets(_boxes(slot, np.ones(len(slot))), label, image)
    found = tuple(_detected(rng, difficulty, image, slot, label, classes) for _ in range(2))
    return Set(targets, (found[0], found[1]))


def _detected(
    rng: np.random.Generator, difficulty: Any, image: Any, slot: Any, label: Any, classes: int
) -> detection.Detections[Any]:
    """Each object may be found, loosely or well, some under another class; beside them are false positives."""
    quality = 0.6 - 0.8 * difficulty[image] + rng.normal(size=len(image))
    found = rng.random(len(image)) < _sigmoid(quality)
    overlap = np.clip(0.7 + 0.1 * quality + 0.12 * rng.normal(size=len(image)), 0.05, 1.0)
    confused = np.where(rng.random(len(image)) < 0.1, rng.integers(classes, size=len(image)), label)
    score = _sigmoid(quality + rng.normal(size=len(image)))
    many = rng.poisson(FALSE_POSITIVES, len(difficulty))
    other = np.repeat(np.arange(len(difficulty)), many)
    empty = 100 + np.arange(len(other))
    noise = _sigmoid(rng.normal(-1, 1, len(other)))
    return detection.Detections(
        np.concatenate([_boxes(slot, overlap)[found], _boxes(empty, np.ones(len(empty)))]),
        np.concatenate([score[found], noise]),
        np.concatenate([confused[found], rng.integers(classes, size=len(other))]),
        np.concatenate([image[found], other]),
    )


def _boxes(slot: Any, overlap: Any) -> Any:
    """(N, 4) boxes of one size, each in a slot of its own, shifted until they overlap the object there by so much."""
    low = slot * SLOT + SIDE * (1 - overlap) / (1 + overlap)
    zero = np.zeros_like(low)
    return np.stack([low, zero, low + SIDE, zero + SIDE], axis=1)


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _evaluated(data: Set, which: int, classes: int, images: int) -> Any:
    return detection.evaluate(data.targets, data.detections[which], classes=range(classes), images=range(images))


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
    "pivotal": pivotal,
    "normal around the bias-corrected value": normal,
}


class Trial(NamedTuple):
    """What one small set says."""

    value: float
    corrected: float
    samples: tuple[float, ...]
    shipped: Bounds
    p_value: float
    difference: Bounds
    smallest: float  # of the p-values of classes


def trial(classes: int, images: int, samples: int, seed: int) -> Trial:
    data = simulated(np.random.default_rng((classes, images, seed)), classes, images)
    first, second = (_evaluated(data, which, classes, images) for which in (0, 1))
    outcome = detection.compare(first, second, samples=samples, seed=seed)
    interval, gap = outcome.first, outcome.difference
    classwise = detection.compare_classes(first, second, samples=samples, seed=seed)
    return Trial(
        interval.value,
        interval.value - interval.bias,
        interval.samples,
        (interval.low, interval.high),
        outcome.p_value,
        (gap.low, gap.high),
        min((p for p in classwise.p_values if p == p), default=1.0),  # noqa: PLR0124  (NaN)
    )


def truth(classes: int, images: int) -> float:
    data = simulated(np.random.default_rng((classes, 0)), classes, images)
    return float(np.mean([_evaluated(data, which, classes, images).summary["AP"] for which in (0, 1)]))


def case(pool: Any, classes: int, images: int, *, smoke: bool) -> list[str]:
    """Rows of the table: a method each."""
    repetitions, samples, population = (4, 20, 200) if smoke else (REPETITIONS, SAMPLES, POPULATION)
    known = pool.submit(truth, classes, population)
    run = functools.partial(trial, classes, images, samples)
    trials = list(pool.map(run, range(repetitions)))
    target = known.result()
    objects = OBJECTS * images / classes
    mean = statistics.fmean(x.value for x in trials)
    corrected = statistics.fmean(x.corrected for x in trials)
    print(
        f"<!-- {classes} classes, {images} images: truth {target:.4f}, mean AP {mean:.4f}, "
        f"bias-corrected {corrected:.4f} -->",
        flush=True,
    )
    rows = []
    methods = {name: [method(x.value, x.samples) for x in trials] for name, method in METHODS.items()}
    for name, bounds in (methods | {"**`bootstrap`**": [x.shipped for x in trials]}).items():
        below, above = (sum(x) for x in zip(*((target < low, target > high) for low, high in bounds), strict=True))
        held = 1 - (below + above) / repetitions
        width = statistics.fmean(high - low for low, high in bounds)
        sides = f"{below / repetitions:.1%} | {above / repetitions:.1%}"
        rows.append(f"| {classes} | {images} | {objects:.0f} | {name} | {held:.1%} | {sides} | {width:.3f} |")
    shares = " ".join(f"{sum(x.p_value < at for x in trials) / repetitions:.1%}" for at in (0.05, 0.2, 0.5))
    held = sum(low <= 0 <= high for low, high in (x.difference for x in trials)) / repetitions
    any_class = sum(x.smallest < 0.05 for x in trials) / repetitions
    told = f"difference held {held:.1%}; p of any class below .05: {any_class:.1%}"
    print(f"<!-- compare: p below .05, .2, .5: {shares}; {told} -->", flush=True)
    print("\n".join(rows), flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.coverage", description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="small and once: only to see that it runs")
    smoke = parser.parse_args().smoke
    print("| classes | images | objects a class | interval | held | truth below | truth above | mean width |")
    print("|---:|---:|---:|---|---:|---:|---:|---:|")
    with concurrent.futures.ProcessPoolExecutor(min(os.cpu_count() or 1, 16)) as pool:
        for classes, images in CASES[:2] if smoke else CASES:
            case(pool, classes, images, smoke=smoke)


if __name__ == "__main__":
    main()
