"""3-D detections by the distance of centres, beside nuScenes' devkit."""

import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from omniou import centres
from tests.benchmarks.measure import Run

Case = tuple[str, dict[str, Run]]
# Shares of the classes, about as in nuScenes.
SHARES = (0.4, 0.08, 0.02, 0.02, 0.01, 0.2, 0.01, 0.01, 0.1, 0.15)


def cases(*, smoke: bool) -> Iterator[Case]:
    """The case of docs/benchmarks.md."""
    yield from of_samples(*((2, 5, 20) if smoke else (100, 30, 200)))


def of_samples(samples: int, objects: int, found: int) -> Iterator[Case]:
    """Ten classes at four distances; each detection is near an object."""
    rng = np.random.default_rng(0)
    n, m = samples * objects, samples * found
    near = np.repeat(np.arange(n), found // objects + 1)[:m]
    rows = np.concatenate([rng.uniform(-45, 45, (n, 2)), np.zeros((n, 1)), rng.uniform(0.5, 5, (n, 3))], axis=1)
    rows = np.concatenate([rows, rng.uniform(-math.pi, math.pi, (n, 1))], axis=1)
    moved = rows[near] + np.pad(rng.normal(0, 1.5, (m, 2)), ((0, 0), (0, 5)))
    labels, sample = rng.choice(len(SHARES), n, p=SHARES), np.repeat(np.arange(samples), objects)
    columns = {"velocities": rng.normal(0, 3, (n, 2)), "attributes": rng.integers(0, 8, n)}
    targets = centres.CentreTargets(rows, labels, sample, **columns, from_ego=rows[:, :2])
    taken = {name: x[near] for name, x in columns.items()}
    scores = rng.random(m)
    detections = centres.CentreDetections(moved, scores, labels[near], sample[near], **taken, from_ego=moved[:, :2])
    boxes = [_devkit(x) for x in (targets, detections)]
    runs: dict[str, Run] = {
        "omniou": lambda: centres.evaluate(targets, detections).summary,
        "nuscenes-devkit": functools.partial(_official, *boxes),
    }
    yield f"NDS of {samples} samples, {n:,} objects, {m:,} detections", runs


def _devkit(table: Any) -> Any:
    """The devkit's boxes of a table, those in the range of their class."""
    from nuscenes.eval.common.data_classes import EvalBoxes
    from nuscenes.eval.detection.data_classes import DetectionBox

    rules, out = centres.NUSCENES, EvalBoxes()
    scores = getattr(table, "scores", np.full(len(table.labels), -1.0)).tolist()
    columns = (table.boxes, table.labels, table.samples, table.velocities, table.attributes, scores)
    for row, label, sample, velocity, attribute, score in zip(*columns, strict=True):
        if math.hypot(row[0], row[1]) >= (rules.classes[label].range or math.inf):
            continue
        box = DetectionBox(
            sample_token=str(sample),
            translation=tuple(row[:3]),
            size=(row[4], row[3], row[5]),
            rotation=(math.cos(row[6] / 2), 0.0, 0.0, math.sin(row[6] / 2)),
            velocity=tuple(velocity),
            detection_name=rules.names[label],
            detection_score=score,
            attribute_name=rules.attributes[attribute],
        )
        out.add_boxes(str(sample), [box])
    return out


def _official(truth: Any, found: Any) -> float:
    """AP and errors of all classes, as `DetectionEval.evaluate`."""
    from nuscenes.eval.common.utils import center_distance
    from nuscenes.eval.detection import algo
    from nuscenes.eval.detection.constants import TP_METRICS

    total = 0.0
    for name in centres.NUSCENES.names:
        for distance in centres.NUSCENES.distances:
            data = algo.accumulate(truth, found, name, center_distance, distance)
            total += algo.calc_ap(data, 0.1, 0.1)
            if distance == centres.NUSCENES.error_distance:
                total += sum(algo.calc_tp(data, 0.1, error) for error in TP_METRICS)
    return total
