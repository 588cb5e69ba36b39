"""SportsMOT: files and rules of MOT17; all objects are players, written as class 1."""

from omniou.tracking.benchmarks._benchmark import Benchmark
from omniou.tracking.benchmarks._mot_challenge import CLASSES, DISTRACTORS, with_distractors

__all__ = ["BENCHMARK"]

BENCHMARK = Benchmark(
    "sportsmot",
    "SportsMOT: files and rules of MOT17",
    with_distractors(DISTRACTORS),
    CLASSES,
    sequences=r"v_[\w-]{11}_c\d+",
)
