"""Random sets of 3-D and rotated boxes, and damages to them, each with the code of the doctor that says so.

`draw` makes a scene, right but as poor as asked; `DAMAGES` change the rows of its detections.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from omniou import boxes3d, centres, rotated
from omniou.detection import Detections, Targets, check

# Formats of rotated boxes.
FLAT = ("cxcywhr", "xyxyxyxy")
CAR, PEDESTRIAN, CYCLIST, TRUCK = (3.9, 1.65, 1.55), (0.8, 0.6, 1.75), (1.8, 0.6, 1.7), (12.0, 2.5, 3.5)


class SpatialScene(NamedTuple):
    """What is drawn: metres, radians, and shares of the objects."""

    images: int = 20
    objects: float = 6.0  # in an image
    kinds: tuple[tuple[float, float, float], ...] = (CAR, PEDESTRIAN, CYCLIST)
    noise: float = 0.1
    yaw_noise: float = 0.1
    missed: float = 0.2
    false: float = 0.3
    reach: float = 60.0
    bias: float = 0.0  # of the heights of all detections
    parallel: bool = False  # all in one direction


SCENES = {
    "plain": SpatialScene(),
    "exact yaws": SpatialScene(yaw_noise=0.0),
    "crowded": SpatialScene(objects=20, reach=15),
    "tiny": SpatialScene(kinds=((0.2, 0.2, 0.3),), noise=0.02),
    "few objects": SpatialScene(images=3, objects=1),
    "one image": SpatialScene(images=1, objects=12),
    "a weak detector": SpatialScene(noise=0.4, missed=0.6, false=3),
    "a very weak detector": SpatialScene(images=60, noise=0.6, missed=0.8, false=3),
    "yaws are guessed": SpatialScene(yaw_noise=3.0),
    "parallel traffic": SpatialScene(parallel=True, yaw_noise=0.05, kinds=(CAR, TRUCK)),
    "parallel traffic, yaws are guessed": SpatialScene(parallel=True, yaw_noise=3.0, kinds=(CAR, TRUCK)),
    "square objects": SpatialScene(kinds=((1.0, 1.0, 1.0),)),
    "all too low": SpatialScene(bias=-0.3),
}


def draw(scene: SpatialScene, seed: int, format: str = "xyzlwhr") -> tuple[Targets[Any], Detections[Any]]:
    """Objects and detections in a format of `omniou.boxes3d`; one of `FLAT` for footprints as rotated boxes."""
    rng = np.random.default_rng(seed)
    images = np.repeat(np.arange(scene.images), rng.poisson(scene.objects, scene.images))
    labels = rng.integers(len(scene.kinds), size=len(images))
    sizes = np.array(scene.kinds)[labels] * rng.lognormal(0, 0.08, (len(images), 3))
    places = rng.uniform((5, -scene.reach / 3, 0), (scene.reach, scene.reach / 3, 0), (len(images), 3))
    places[:, 2] = sizes[:, 2] / 2 - 1.7
    yaws = np.zeros(len(images)) if scene.parallel else rng.uniform(-np.pi, np.pi, len(images))
    objects = np.column_stack([places, sizes, yaws])
    found = rng.random(len(images)) >= scene.missed
    right, false = objects[found], objects[rng.random(len(images)) < scene.false].repeat(int(max(1, scene.false)), 0)
    right[:, :3] += rng.normal(0, scene.noise, (len(right), 3))
    right[:, 2] += scene.bias
    right[:, 3:6] *= rng.lognormal(0, 0.05, (len(right), 3))
    right[:, 6] += rng.normal(0, scene.yaw_noise, len(right))
    false[:, :2] += rng.normal(0, 10, (len(false), 2))
    rows = np.concatenate([right, false])
    of_false = rng.integers(len(scene.kinds), size=len(false)), rng.integers(scene.images, size=len(false))
    detections = Detections(
        written(rows, format),
        rng.random(len(rows)),
        np.concatenate([labels[found], of_false[0]]),
        np.concatenate([images[found], of_false[1]]),
    )
    return Targets(written(objects, format), labels, images), detections


def written(rows: Any, format: str) -> Any:
    if format in FLAT:
        return rotated.convert(rows[:, [0, 1, 3, 4, 6]] * [10, 10, 10, 10, 1], "cxcywhr", format)
    return boxes3d.convert(rows, "xyzlwhr", format)


def ordered(*columns: int) -> Callable[[Any], Any]:
    return lambda rows: rows[:, list(columns)]


def with_column(column: int, change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def damage(rows: Any) -> Any:
        rows = rows.copy()
        rows[:, column] = change(rows)
        return rows

    return damage


def of_boxes(damage: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The damage to rotated boxes, of their corners."""
    return lambda rows: rotated.convert(damage(rotated.convert(rows, "xyxyxyxy", "cxcywhr")), "cxcywhr", "xyxyxyxy")


def lidar(rows: Any) -> Any:
    """KITTI's numbers with lidar's axes, centres, and yaws: x forward, y left, z up."""
    height, width, length, x, y, z, rotation = rows.T
    return np.column_stack([height, width, length, z, -x, height / 2 - y, -rotation - np.pi / 2])


# Of these, readers or evaluations say that angles or sides are doubtful, too, or refuse them.
DOUBTFUL = {"degrees", "the place before the sizes", "x, y, z, length, width, height", "corners line by line"}
# Format -> damage -> (code, what is done to the rows of detections).
DAMAGES: dict[str, dict[str, tuple[str, Callable[[Any], Any]]]] = {
    "kitti": {
        "length, width, height": ("boxes-sizes", ordered(2, 1, 0, 3, 4, 5, 6)),
        "y of the centre": ("boxes-bottom", with_column(4, lambda x: x[:, 4] - x[:, 0] / 2)),
        "both": (
            "boxes-sizes",
            lambda x: with_column(4, lambda y: y[:, 4] - y[:, 2] / 2)(x[:, [2, 1, 0, 3, 4, 5, 6]]),
        ),
        "lidar's axes": ("boxes-axes", lidar),
        "lidar's axes, and length, width, height": ("boxes-sizes", lambda x: lidar(x)[:, [2, 1, 0, 3, 4, 5, 6]]),
        "the sign of yaws": ("boxes-yaw", with_column(6, lambda x: -x[:, 6])),
        "alpha for rotation_y": ("boxes-yaw", with_column(6, lambda x: x[:, 6] - np.arctan2(x[:, 3], x[:, 5]))),
        "degrees": ("boxes-yaw", with_column(6, lambda x: np.rad2deg(x[:, 6]))),
        "the place before the sizes": ("boxes-sizes", ordered(3, 4, 5, 0, 1, 2, 6)),
        "x, y, z, length, width, height": ("boxes-sizes", ordered(3, 4, 5, 2, 1, 0, 6)),
    },
    "xyzlwhr": {
        "width, length, height": ("boxes-sizes", ordered(0, 1, 2, 4, 3, 5, 6)),
        "a quarter turn": ("boxes-sizes", with_column(6, lambda x: x[:, 6] + np.pi / 2)),
        "z of the bottom": ("boxes-bottom", with_column(2, lambda x: x[:, 2] - x[:, 5] / 2)),
        "x and y exchanged": ("boxes-axes", ordered(1, 0, 2, 3, 4, 5, 6)),
        "centimetres": ("boxes-unit", lambda x: x * [100, 100, 100, 100, 100, 100, 1]),
    },
    "nuscenes": {
        "length, width, height": ("boxes-sizes", ordered(0, 1, 2, 4, 3, 5, 6, 7, 8, 9)),
        "quaternions x, y, z, w": ("boxes-quaternion", ordered(0, 1, 2, 3, 4, 5, 7, 8, 9, 6)),
        "both": ("boxes-quaternion", ordered(0, 1, 2, 4, 3, 5, 7, 8, 9, 6)),
        "the sign of yaws": ("boxes-yaw", with_column(9, lambda x: -x[:, 9])),
    },
    "cxcywhr": {
        "x and y exchanged": ("boxes-axes", ordered(1, 0, 3, 2, 4)),
        "the other sense": ("boxes-angle", with_column(4, lambda x: -x[:, 4])),
        "width and height exchanged": ("boxes-angle", ordered(0, 1, 3, 2, 4)),
        "degrees": ("boxes-angle", with_column(4, lambda x: np.rad2deg(x[:, 4]))),
        "half scale": ("boxes-scale", lambda x: x * [0.5, 0.5, 0.5, 0.5, 1]),
    },
    "xyxyxyxy": {
        "x and y exchanged": ("boxes-axes", ordered(1, 0, 3, 2, 5, 4, 7, 6)),
        "corners line by line": ("boxes-order", ordered(0, 1, 2, 3, 6, 7, 4, 5)),
        "corners by columns": ("boxes-order", ordered(0, 1, 4, 5, 2, 3, 6, 7)),
        "the other sense": ("boxes-angle", of_boxes(lambda x: x * [1, 1, 1, 1, -1])),
        "width and height exchanged": ("boxes-angle", of_boxes(ordered(0, 1, 3, 2, 4))),
    },
}
# What is done to the rows of the ground truth.
TRUTH_DAMAGES: dict[str, dict[str, tuple[str, Callable[[Any], Any]]]] = {
    "kitti": {
        "lidar's axes": ("boxes-axes", lidar),
        "alpha for rotation_y": ("boxes-yaw", DAMAGES["kitti"]["alpha for rotation_y"][1]),
    },
    "nuscenes": {"quaternions x, y, z, w": DAMAGES["nuscenes"]["quaternions x, y, z, w"]},
}


# Rules without ranges, for which no position of the vehicle is needed.
RULES = dataclasses.replace(
    centres.NUSCENES, classes=tuple(dataclasses.replace(x, range=None) for x in centres.NUSCENES.classes)
)


def codes(targets: Targets[Any], found: Detections[Any], format: str, kind: str = "") -> list[str]:
    """Codes of the doctor's findings."""
    kind = kind or ("rotated" if format in FLAT else "boxes3d")
    return [x.code for x in check(targets, found, kind=kind, format=format)]


def codes_by_centres(targets: Targets[Any], found: Detections[Any], format: str) -> list[str]:
    """Codes of what an evaluation by centres doubts."""
    objects = centres.CentreTargets(targets.boxes, targets.labels, targets.images)
    detections = centres.CentreDetections(found.boxes, found.scores, found.labels, found.images)
    return [x.code for x in centres.evaluate(objects, detections, rules=RULES, format=format).doubts]
