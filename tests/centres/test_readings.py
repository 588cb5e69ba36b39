"""What an evaluation by centres says of misread boxes: axes, units and frames of places, sizes and yaws."""

import dataclasses

import numpy as np
import pytest

from omniou import centres
from omniou.centres import CentreDetections, CentreTargets
from tests.benchmarks.spatial import (
    DAMAGES,
    DOUBTFUL,
    RULES,
    SCENES,
    TRUTH_DAMAGES,
    SpatialScene,
    codes_by_centres,
    draw,
)

CASES = [
    (format, name) for format in ("nuscenes", "xyzlwhr", "kitti") for name in DAMAGES[format] if name not in DOUBTFUL
]


@pytest.mark.parametrize(("format", "name"), CASES)
def test_damage_is_found(format, name):
    code, damage = DAMAGES[format][name]
    targets, found = draw(SpatialScene(), 0, format)
    said = codes_by_centres(targets, dataclasses.replace(found, boxes=damage(found.boxes)), format)
    if "lidar" in name:
        code = "boxes-axes"
    elif name == "both" and format == "kitti":
        code = "boxes-sizes"
    # The distance of centres on the ground does not depend on heights.
    assert said == ([] if code == "boxes-bottom" else [code])


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("format", ["nuscenes", "xyzlwhr"])
def test_poor_sets_are_not_accused(name, format):
    scene = SCENES[name]._replace(yaw_noise=min(1.0, SCENES[name].yaw_noise))
    assert codes_by_centres(*draw(scene, 1, format), format) == []


def test_quaternions_of_the_ground_truth():
    targets, found = draw(SpatialScene(), 0, "nuscenes")
    damaged = dataclasses.replace(targets, boxes=TRUTH_DAMAGES["nuscenes"]["quaternions x, y, z, w"][1](targets.boxes))
    assert codes_by_centres(damaged, found, "nuscenes") == ["boxes-quaternion"]


def test_frame_of_the_vehicle_next_to_the_global_one():
    targets, found = draw(SpatialScene(), 0, "nuscenes")
    ego = np.array([600.0, 1500.0])

    def doubts(boxes):
        objects = targets.boxes + np.pad(ego, (0, 8))
        truth = CentreTargets(objects, targets.labels, targets.images, from_ego=objects[:, :2] - ego)
        detections = CentreDetections(boxes, found.scores, found.labels, found.images, from_ego=boxes[:, :2] - ego)
        return [x.code for x in centres.evaluate(truth, detections, format="nuscenes").doubts]

    assert doubts(found.boxes + np.pad(ego, (0, 8))) == []
    assert doubts(found.boxes) == ["boxes-frame"]


def test_results_of_other_samples_keep_what_was_found_once():
    targets, found = draw(SpatialScene(), 0, "nuscenes")
    damaged = dataclasses.replace(found, boxes=DAMAGES["nuscenes"]["length, width, height"][1](found.boxes))
    results = []
    for start in (0, 100):
        objects = CentreTargets(targets.boxes, targets.labels, targets.images + start)
        detections = CentreDetections(damaged.boxes, found.scores, found.labels, found.images + start)
        results.append(centres.evaluate(objects, detections, rules=RULES, format="nuscenes"))
    assert [x.code for x in sum(results).findings if x.code.startswith("boxes")] == ["boxes-sizes"]


def test_classes_and_samples_apart_say_nothing():
    box = [0.0, 0, 0, 4, 2, 1.5, 0]
    found = CentreDetections([box], [0.5], [1], [1])
    assert centres.evaluate(CentreTargets([box], [0], [1]), found, rules=RULES).doubts == ()
    assert centres.evaluate(CentreTargets([box], [1], [0]), found, rules=RULES).doubts == ()
