"""KITTI MOTS: cars and pedestrians as masks."""

from omniou.tracking.benchmarks._benchmark import Benchmark
from omniou.tracking.benchmarks._mots import CAR, PEDESTRIAN, of_classes

__all__ = ["BENCHMARK"]

CLASSES = (CAR, PEDESTRIAN)

BENCHMARK = Benchmark(
    "kitti_mots",
    "KITTI MOTS: cars and pedestrians as masks",
    of_classes(CLASSES),
    CLASSES,
    files="mots",
    first_frame=0,
    sequences=r"\d{4}",
)
