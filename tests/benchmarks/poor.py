"""Detections that are worse than they were, in ways that are no fault of a file: for false alarms of the doctor."""

import dataclasses

import numpy as np

from omniou import boxes
from tests.benchmarks.damages import Damage, Pair, repeat, sides


def jittered(by: float) -> Damage:
    """Centres and sides of detections move by a normal share of the sides."""

    def worse(pair: Pair, rng: np.random.Generator) -> Pair:
        x = boxes.convert(pair.detections.boxes, pair.truth.format, "cxcywh")
        noise = rng.normal(0, by, x.shape)
        moved = np.concatenate([x[:, :2] + noise[:, :2] * x[:, 2:], x[:, 2:] * np.exp(noise[:, 2:])], axis=1)
        return pair.with_detections(boxes=boxes.convert(moved, "cxcywh", pair.truth.format))

    return worse


def fewer(share: float) -> Damage:
    return lambda pair, rng: pair.rows(rng.random(len(pair.detections.scores)) < share)


def confused(share: float) -> Damage:
    def worse(pair: Pair, rng: np.random.Generator) -> Pair:
        wrong = rng.random(len(pair.detections.labels)) < share
        other = rng.choice(list(pair.truth.categories), len(pair.detections.labels))
        return pair.with_detections(labels=np.where(wrong, other, pair.detections.labels))

    return worse


def more(times: int) -> Damage:
    """So many boxes for each detection, anywhere in any image, of any class and any score."""

    def worse(pair: Pair, rng: np.random.Generator) -> Pair:
        n = len(pair.detections.scores)
        every = repeat(pair, times + 1)
        rows = rng.integers(n, size=n * times)
        wild = boxes.convert(pair.detections.boxes, pair.truth.format, "cxcywh")[rows]
        where = rng.choice(pair.truth.images, n * times)
        wild[:, :2] = rng.uniform(0, sides(pair, where)[:, :2])
        images = np.concatenate([pair.detections.images, where])
        scores = np.concatenate([pair.detections.scores, rng.random(n * times)])
        labels = np.concatenate([pair.detections.labels, pair.detections.labels[rng.permutation(rows)]])
        numbers = np.concatenate([pair.detections.boxes, boxes.convert(wild, "cxcywh", pair.truth.format)])
        return every.with_detections(boxes=numbers, scores=scores, images=images, labels=labels)

    return worse


def thresholded(pair: Pair, _: np.random.Generator) -> Pair:
    return pair.rows(pair.detections.scores >= np.quantile(pair.detections.scores, 0.7))


def both(*parts: Damage) -> Damage:
    def worse(pair: Pair, rng: np.random.Generator) -> Pair | None:
        for part in parts:
            pair = part(pair, rng) or pair
        return pair

    return worse


HARMLESS: dict[str, Damage] = {
    "unchanged": lambda pair, _: pair,
    "jitter of 0.1 sides": jittered(0.1),
    "jitter of 0.2 sides": jittered(0.2),
    "jitter of 0.4 sides": jittered(0.4),
    "half of the detections": fewer(0.5),
    "a fifth of the detections": fewer(0.2),
    "a twentieth of the detections": fewer(0.05),
    "the best 30 % of scores": thresholded,
    "a third of classes wrong": confused(0.33),
    "two thirds of classes wrong": confused(0.67),
    "three random boxes for each": more(3),
    "ten random boxes for each": more(10),
    "random scores": lambda pair, rng: pair.with_detections(scores=rng.random(len(pair.detections.scores))),
    "jitter 0.2, half, a third of classes wrong, ten random": both(jittered(0.2), fewer(0.5), confused(0.33), more(10)),
    "a quarter of the images": lambda pair, rng: some_images(pair, rng, 0.25),
    "ten images": lambda pair, rng: some_images(pair, rng, 10 / len(pair.truth.images)),
}


def some_images(pair: Pair, rng: np.random.Generator, share: float) -> Pair:
    truth, targets = pair.truth, pair.truth.targets
    kept = np.sort(rng.permutation(len(truth.images))[: round(share * len(truth.images))])
    ids = truth.images[kept]
    rows = np.isin(targets.images, ids)
    columns = {
        f.name: getattr(targets, f.name)[rows]
        for f in dataclasses.fields(targets)
        if f.name in {"boxes", "labels", "images", "crowd", "area", "ignore"} and getattr(targets, f.name) is not None
    }
    sizes = None if truth.sizes is None else truth.sizes[kept]
    part = Pair(dataclasses.replace(truth, images=ids, sizes=sizes, flagged=truth.flagged[rows]), pair.detections)
    return part.with_truth(**columns).rows(np.isin(pair.detections.images, ids))
