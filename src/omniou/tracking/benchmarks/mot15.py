"""MOT15 (2D MOT 2015): no classes; objects with confidence 0 do not count."""

from omniou.tracking.benchmarks._benchmark import Benchmark
from omniou.tracking.benchmarks._mot_challenge import CLASSES, without_classes

__all__ = ["BENCHMARK"]

# Of both halves: training and test.
_SEQUENCES = (
    "ADL-Rundle-[1368]",
    "AVG-TownCentre",
    "ETH-(Bahnhof|Crossing|Jelmoli|Linthescher|Pedcross2|Sunnyday)",
    r"KITTI-1[3679]",
    "PETS09-S2L[12]",
    "TUD-(Campus|Crossing|Stadtmitte)",
    "Venice-[12]",
)

BENCHMARK = Benchmark(
    "mot15",
    "MOT15: no classes, objects with confidence 0 do not count",
    without_classes,
    CLASSES,
    sequences="|".join(_SEQUENCES),
)
