"""Millions of detections: time, memory, saved states, bootstrap samples."""

import dataclasses
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hotcoco
import numpy as np

from omniou import detection
from omniou.data.shards import states
from tests.benchmarks import detections as synthetic
from tests.benchmarks import measure
from tests.benchmarks.cases import Case
from tests.benchmarks.evaluation import CLASSES, IMAGES, evaluation, evaluator_of, ours, written_truth

SETUP = """
from tests.benchmarks import detections
from tests.benchmarks.evaluation import evaluation
run = evaluation(detections.data({count}))
evaluation(detections.data(1000))()
"""

# One image and class in which nearly every detection overlaps nearly every object.
CROWDED = """
import numpy as np
from omniou import detection
rng = np.random.default_rng(0)
def boxes(count):
    low = rng.uniform(0, 60, (count, 2))
    return np.concatenate([low, low + 100], axis=1)
def run(count, objects):
    targets = detection.Targets(boxes(objects), *np.zeros((2, objects), int))
    found = detection.Detections(boxes(count), rng.random(count), *np.zeros((2, count), int))
    return detection.evaluate(targets, found, protocol="voc2010").summary
run(10, 10)
"""


def cases(*, smoke: bool) -> Iterator[Case]:
    """Against hotcoco, the fastest other library, which reads its detections from an array."""
    count = 2_000 if smoke else 5_000_000
    data_set = synthetic.data(count)
    with tempfile.TemporaryDirectory() as folder:
        truth = hotcoco.COCO(written_truth(data_set, Path(folder)))
    d: Any = data_set.detections
    results = truth.load_res(np.column_stack([d.images, d.boxes, d.scores, d.labels]))

    def peer() -> None:
        evaluator = evaluator_of(truth, results)
        evaluator.evaluate()
        evaluator.accumulate()

    yield f"COCO's numbers, {count:,} detections, NumPy", {**ours(data_set), "hotcoco": peer}


def table(*, smoke: bool) -> list[str]:
    """Rows without another library to compare with."""
    few, many, shards = (1_000, 10_000, 3) if smoke else (500_000, 5_000_000, 10)
    lines = ["| scale | |", "|---|---:|"]
    small, large = (_least_time(evaluation(synthetic.data(count))) for count in (few, many))
    lines.append(f"| time at {many:,} detections, times that at {few:,} | {large / small:.1f} |")
    for count in (few,) if smoke else (180_000, few, many):
        peak = measure.peak_bytes(SETUP.format(count=count), "run()")
        lines.append(f"| peak memory at {count:,} detections, bytes a detection | {peak / count:.0f} |")
    crowded, objects = (100, 20) if smoke else (10_000, 2_000)
    peak = measure.peak_bytes(CROWDED, f"run({crowded}, {objects})")
    lines.append(f"| peak memory of an image of {crowded:,} by {objects:,} boxes that overlap | {peak / 1e6:.0f} MB |")
    lines += _saved(many, shards)
    state = detection.compute([_state(few if smoke else 180_000)])
    start = time.perf_counter()
    detection.bootstrap(state, samples=10)
    seconds = (time.perf_counter() - start) / 10
    lines.append(f"| a sample of the bootstrap, {len(state.state.scores):,} detections | {1e3 * seconds:.0f} ms |")
    return lines


def _saved(count: int, shards: int) -> list[str]:
    """A data set in shards, from files to the numbers."""
    state = _state(count)
    with tempfile.TemporaryDirectory() as folder:
        for k in range(shards):
            moved = dataclasses.replace(state, images=state.images + k * synthetic.IMAGES)
            states.save(moved, Path(folder, f"{k:02}.npz"))
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
        start = time.perf_counter()
        _ = detection.compute([states.load(path) for path in sorted(Path(folder).iterdir())]).summary
        seconds = time.perf_counter() - start
    whole = count * shards
    return [
        f"| {whole:,} detections from {shards} saved states | {seconds:.3g} s |",
        f"| bytes a detection in these files | {size / whole:.1f} |",
    ]


def _state(count: int) -> Any:
    evaluator: Any = detection.Evaluator(format="xywh", classes=CLASSES)
    evaluator.update(*synthetic.data(count), images=IMAGES)
    return evaluator.state


def _least_time(run: measure.Run) -> float:
    return measure.seconds({"omniou": run}, rounds=3)["omniou"]
