"""`detection.check` of 3-D and rotated boxes: damages are recognised, poor sets are not accused."""

import dataclasses

import numpy as np
import pytest

from omniou import detection
from omniou.detection import Detections, Targets
from tests.benchmarks.spatial import CAR, DAMAGES, DOUBTFUL, FLAT, SCENES, TRUTH_DAMAGES, SpatialScene, codes, draw

CASES = [(format, name) for format, damages in DAMAGES.items() for name in damages]
HAS_NO_HEIGHT = {"boxes-bottom"}


def kinds(format):
    return ["rotated"] if format in FLAT else ["boxes3d", "bev"]


@pytest.mark.parametrize(("format", "name"), CASES)
def test_damage_is_found_and_nothing_else(format, name):
    code, damage = DAMAGES[format][name]
    for kind in kinds(format):
        targets, found = draw(SpatialScene(), 0, format)
        damaged = dataclasses.replace(found, boxes=damage(found.boxes))
        said = codes(targets, damaged, format, kind)
        if kind == "bev" and code in HAS_NO_HEIGHT:
            assert said == []
        else:
            assert said == [*(["doubtful-shapes"] if name in DOUBTFUL else []), code], kind


@pytest.mark.parametrize(("format", "name"), [(x, name) for x, damages in TRUTH_DAMAGES.items() for name in damages])
def test_damage_of_the_ground_truth_is_told_from_the_detections(format, name):
    code, damage = TRUTH_DAMAGES[format][name]
    for kind in kinds(format):
        targets, found = draw(SpatialScene(), 0, format)
        damaged = dataclasses.replace(targets, boxes=damage(targets.boxes))
        (finding,) = detection.check(damaged, found, kind=kind, format=format)
        assert (finding.code, "of the ground truth" in finding.text) == (code, True)


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("format", DAMAGES)
def test_poor_sets_are_not_accused(format, name):
    for kind in kinds(format):
        assert codes(*draw(SCENES[name], 1, format), format, kind) == [], kind


def test_finding_names_order_and_way_out():
    """Ten cars: KITTI has height, width, length, and y of the bottom."""
    row = [1.5, 1.7, 4.0, 0.0, 1.6, 20.0, 0.3]
    targets = Targets([row] * 10, [0] * 10, np.arange(10))
    written = [4.0, 1.7, 1.5, 0.0, 1.6 - 0.75, 20.0, 0.3]
    found = Detections([written] * 10, np.linspace(0.1, 0.9, 10), [0] * 10, np.arange(10))
    (finding,) = detection.check(targets, found, kind="boxes3d", format="kitti")

    assert finding.text == (
        "sizes of the detections seem to be length, width, height, where the ground truth has height, width, length; "
        "y of the detections seems to be the centre of the boxes, not the bottom"
    )
    assert finding.hint == "write height, width, length in both; write the bottom there: y + height / 2"
    assert finding.evidence.endswith("0.0% of detections as read, 100.0% as length, width, height and with the bottom")


def test_bottom_of_the_ground_truth_is_told_from_the_detections():
    targets, found = draw(SpatialScene(kinds=(CAR,)), 0, "kitti")
    boxes = targets.boxes.copy()
    boxes[:, 4] -= boxes[:, 0] / 2
    (finding,) = detection.check(dataclasses.replace(targets, boxes=boxes), found, kind="boxes3d", format="kitti")
    assert finding.text == "y of the ground truth seems to be the centre of the boxes, not the bottom"


def test_polygons_of_swapped_axes():
    rng = np.random.default_rng(0)
    corners = np.array([[0, 0], [40, 5], [35, 25], [0, 20]]) + rng.uniform(0, 400, (30, 1, 2))
    labels, images, swapped = np.zeros(30, int), np.arange(30) // 3, corners[:, :, ::-1]
    targets = Targets(corners.reshape(30, 8), labels, images)
    found = Detections(swapped.reshape(30, 8), np.linspace(0, 1, 30), labels, images)
    assert codes(targets, found, None, "polygons") == ["boxes-axes"]
