"""MOT17: pedestrians; tracks on distractors are neither rewarded nor punished."""

from omniou.tracking.benchmarks._benchmark import Benchmark
from omniou.tracking.benchmarks._mot_challenge import CLASSES, DISTRACTORS, with_distractors

__all__ = ["BENCHMARK"]

BENCHMARK = Benchmark(
    "mot17",
    "MOT17: pedestrians, tracks on distractors are left out",
    with_distractors(DISTRACTORS),
    CLASSES,
    sequences=r"MOT17-\d+(-\w+)?",
)
