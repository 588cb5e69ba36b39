"""The rules of nuScenes' detection task, as of its configuration `detection_cvpr_2019`."""

import math

from omniou.centres._rules import CentreClass, CentreRules

_ALL = ("ATE", "ASE", "AOE", "AVE", "AAE")
# The nearer the range, the fewer lidar points a class has.
_VEHICLES = ("car", "truck", "bus", "trailer", "construction_vehicle")

NUSCENES = CentreRules(
    classes=(
        *(CentreClass(name=name, range=50.0, errors=_ALL) for name in _VEHICLES),
        CentreClass(name="pedestrian", range=40.0, errors=_ALL),
        # Those in bicycle racks are not annotated one by one.
        CentreClass(name="motorcycle", range=40.0, errors=_ALL, in_racks=True),
        CentreClass(name="bicycle", range=40.0, errors=_ALL, in_racks=True),
        # A cone looks the same from all sides, a barrier from two; neither moves.
        CentreClass(name="traffic_cone", range=30.0, errors=("ATE", "ASE")),
        CentreClass(name="barrier", range=30.0, errors=("ATE", "ASE", "AOE"), period=math.pi),
    ),
    attributes=(
        "pedestrian.moving",
        "pedestrian.sitting_lying_down",
        "pedestrian.standing",
        "cycle.with_rider",
        "cycle.without_rider",
        "vehicle.moving",
        "vehicle.parked",
        "vehicle.stopped",
    ),
    distances=(0.5, 1.0, 2.0, 4.0),
    error_distance=2.0,
    min_recall=0.1,
    min_precision=0.1,
    max_detections=500,
    ap_weight=5.0,
)
