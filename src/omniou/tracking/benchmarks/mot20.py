"""MOT20: as MOT17, and non-motorised vehicles are distractors, too."""

from omniou.tracking.benchmarks._benchmark import Benchmark
from omniou.tracking.benchmarks._mot_challenge import CLASSES, DISTRACTORS, with_distractors

__all__ = ["BENCHMARK"]

NON_MOTORISED_VEHICLE = 6

BENCHMARK = Benchmark(
    "mot20",
    "MOT20: as MOT17, and non-motorised vehicles (class 6) are distractors",
    with_distractors(DISTRACTORS | {NON_MOTORISED_VEHICLE}),
    CLASSES,
    sequences=r"MOT20-\d+",
)
