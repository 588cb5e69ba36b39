"""MOTS (MOTSChallenge): pedestrians as masks."""

from omniou.tracking.benchmarks._benchmark import Benchmark
from omniou.tracking.benchmarks._mots import PEDESTRIAN, of_classes

__all__ = ["BENCHMARK"]

CLASSES = (PEDESTRIAN,)

BENCHMARK = Benchmark(
    "mots", "MOTSChallenge: pedestrians as masks", of_classes(CLASSES), CLASSES, files="mots", sequences=r"MOTS20-\d+"
)
