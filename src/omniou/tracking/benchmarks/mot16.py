"""MOT16: pedestrians; tracks on distractors are neither rewarded nor punished."""

from omniou.tracking.benchmarks._benchmark import Benchmark
from omniou.tracking.benchmarks._mot_challenge import CLASSES, DISTRACTORS, with_distractors

__all__ = ["BENCHMARK"]

BENCHMARK = Benchmark(
    "mot16",
    "MOT16: pedestrians, tracks on distractors are left out",
    with_distractors(DISTRACTORS),
    CLASSES,
    sequences=r"MOT16-\d+(-\w+)?",
)
