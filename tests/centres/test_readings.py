"""What an evaluation by centres says of misread boxes: axes, units and frames of places, sizes and yaws."""

import dataclasses

import numpy as np
import pytest

from omniou import centres
from omniou.centres import CentreDetections, CentreTargets
from tests.benchmarks.spatial import DAMAGES, SCENES, SpatialScene, draw

RULES = dataclasses.replace(
    centres.NUSCENES, classes=tuple(dataclasses.replace(x, range=None) for x in centres.NUSCENES.classes)
)
CASES = [(format, name) for format in ("nuscenes", "xyzlwhr", "kitti") for name in DAMAGES[format] if name != "degrees"]


def doubts(targets, found, format, rules=RULES, ego=None):
    away = {} if ego is None else {"from_ego": targets.boxes[:, :2] - ego}
    objects = CentreTargets(targets.boxes, targets.labels, targets.images, **away)
    away = {} if ego is None else {"from_ego": found.boxes[:, :2] - ego}
    detections = CentreDetections(found.boxes, found.scores, found.labels, found.images, **away)
    return centres.evaluate(objects, detections, rules=rules, format=format).doubts


@pytest.mark.parametrize(("format", "name"), CASES)
def test_damage_is_found(format, name):
    code, damage = DAMAGES[format][name]
    targets, found = draw(SpatialScene(), 0, format)
    said = [x.code for x in doubts(targets, dataclasses.replace(found, boxes=damage(found.boxes)), format)]
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
    assert doubts(*draw(scene, 1, format), format) == ()


def test_frame_of_the_vehicle_next_to_the_global_one():
    targets, found = draw(SpatialScene(), 0, "nuscenes")
    ego = np.array([600.0, 1500.0])
    moved = dataclasses.replace(targets, boxes=targets.boxes + np.pad(ego, (0, 8)))
    right = dataclasses.replace(found, boxes=found.boxes + np.pad(ego, (0, 8)))
    assert doubts(moved, right, "nuscenes", centres.NUSCENES, ego) == ()
    (finding,) = doubts(moved, found, "nuscenes", centres.NUSCENES, ego)
    assert finding.code == "boxes-frame"


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
