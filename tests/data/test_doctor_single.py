"""Single boxes, scores and sizes that the doctor doubts, in data sets of any size: worked out by hand."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from omniou import boxes, data
from omniou.data import GroundTruth
from omniou.detection import Detections, Targets
from omniou.detection.doctor import _scores
from tests.benchmarks import damages
from tests.places import shared


def truth_of(numbers, *, images=None, labels=None, size=(100, 200), **columns):
    """Objects as corners in images of height x width, by default each in its own."""
    numbers = np.asarray(numbers, dtype=np.float64)
    images = np.arange(len(numbers)) if images is None else np.asarray(images)
    labels = np.zeros(len(numbers), np.int64) if labels is None else np.asarray(labels)
    ids = np.unique(images)
    return GroundTruth(
        path=Path("truth"),
        targets=Targets(numbers, labels, images, **columns),
        images=ids,
        categories={0: "cat", 1: "dog"},
        flagged=np.zeros(len(numbers), bool),
        format="xyxy",
        sizes=np.tile(np.asarray(size, dtype=np.float64), (len(ids), 1)),
    )


def found(*given, **options):
    return {x.code: x for x in data.diagnose(*given, **options)}


PROPER = [[10, 10, 40, 30], [50, 20, 90, 60], [5, 5, 25, 45], [100, 10, 180, 90]]


def test_whole_objects_are_not_accused():
    assert found(truth_of(PROPER)) == {}


def test_health_check_of_hotcoco_is_matched_but_for_small_classes():
    path = shared("hotcoco-fixtures", "crates", "hotcoco", "tests", "fixtures", "healthcheck_quality.json")
    codes = found(data.read_ground_truth(path))
    # degenerate_bbox, extreme_aspect_ratio, near_duplicate, bbox_out_of_bounds
    assert list(codes) == ["boxes-flat", "boxes-thin", "near-copies", "boxes-beyond"]
    assert codes["boxes-beyond"].text.startswith("2 of 4 boxes")


@pytest.mark.parametrize("box", [[10, 10, 10, 30], [10, 10, 40, 10], [10, 10, 10, 10]])
def test_side_of_zero_is_found(box):
    finding = found(truth_of([*PROPER, box]))["boxes-flat"]
    assert finding.text == "1 of 5 boxes of the ground truth have a side of 0, and overlap nothing"
    assert finding.hint.endswith("the first is box 5")


@pytest.mark.parametrize(("right", "said"), [(203.9, False), (204.1, True)])  # 2 % of 200
def test_object_beyond_its_image_is_found(right, said):
    assert ("boxes-beyond" in found(truth_of([*PROPER, [150, 10, right, 50]]))) == said


@pytest.mark.parametrize(("box", "said"), [([10, 10, 12, 90], True), ([10, 10, 12.1, 90], False)])
def test_line_is_found(box, said):
    """40 times as long as wide, where the others are at most 2 times."""
    assert ("boxes-thin" in found(truth_of([*PROPER, box]))) == said


# 100 x 50, and moved by 2: 98 / 102 = 0.961 of the area is shared; by 3: 97 / 103 = 0.942.
@pytest.mark.parametrize(
    ("by", "label", "image", "said"), [(2, 0, 0, True), (3, 0, 0, False), (2, 1, 0, False), (2, 0, 1, False)]
)
def test_near_copy_of_an_object_is_found(by, label, image, said):
    pair = [[10, 10, 110, 60], [10 + by, 10, 110 + by, 60]]
    codes = found(truth_of([*pair, *PROPER], labels=[0, label, 0, 0, 0, 0], images=[0, image, 2, 3, 4, 5]))
    assert ("near-copies" in codes) == said


def test_copies_by_chance_are_not_accused():
    """Every object has the same place in all images, so two in one image are no surprise."""
    rng = np.random.default_rng(0)
    numbers = np.tile([[20.0, 20, 120, 80]], (100, 1)) + rng.normal(0, 1, (100, 4))
    assert "near-copies" not in found(truth_of(numbers, images=np.repeat(np.arange(50), 2)))


@pytest.mark.parametrize(
    ("area", "code"),
    [
        ([7, 7, 7, 7], "areas-equal"),
        ([600, 1600, 800, 6400], None),
        ([300, 900, 500, 3000], None),
        ([1200, 3200, 1600, 12800], "areas-larger"),
    ],
)
def test_areas(area, code):
    codes = found(truth_of(PROPER, area=np.array(area, dtype=np.float64)))
    assert list(codes) == ([code] if code else [])


@pytest.mark.parametrize("wrong", [[0], [0, 1, 2, 3]])
def test_images_that_are_turned_are_named(wrong):
    """Objects at x = 150 of 200 x 100; of images that are said to be 100 x 200 they are outside."""
    numbers = np.tile([[150.0, 10, 190, 60]], (4, 1)) + np.arange(4)[:, None]
    truth = truth_of(numbers)
    truth.sizes[wrong] = truth.sizes[wrong][:, ::-1]
    (finding,) = data.diagnose(truth)
    which = "of all images" if len(wrong) == 4 else "of 1 of 4 images, and perhaps more,"
    assert finding.code == "sizes-swapped"
    assert finding.text.startswith(f"width and height {which} seem to be swapped: 0")


def test_images_turned_for_fractions_are_told_by_the_matches():
    """Objects that fit an image either way, and detections as fractions, multiplied by the swapped sides."""
    numbers = np.tile([[20.0, 20, 80, 60]], (12, 1)) + np.arange(12)[:, None]
    truth = truth_of(numbers)
    truth.sizes[:4] = truth.sizes[:4][:, ::-1]
    read = numbers / np.tile([200, 100], 2) * np.tile(truth.sizes[:, ::-1], 2)
    detections = Detections(read, np.linspace(0.1, 1, 12), np.zeros(12, np.int64), np.arange(12))
    codes = found(truth, detections, formats=("xyxy", "rel_xyxy"))
    assert codes["sizes-swapped"].evidence == "detections of 4 of 12 images match objects only after the swap"
    assert "of 4 of 12 images" in codes["sizes-swapped"].text


@pytest.fixture(scope="module")
def example():
    return damages.example()


@pytest.mark.parametrize("of", ["detections", "ground truth"])
def test_two_formats_in_one_file(example, of):
    table = example.detections if of == "detections" else example.truth.targets
    numbers = table.boxes.copy()
    numbers[:300] = boxes.convert(numbers[:300], "xywh", "xyxy")
    pair = example.with_detections(boxes=numbers) if of == "detections" else example.with_truth(boxes=numbers)
    (finding,) = data.diagnose(*pair)
    assert finding.code == "boxes-mixed"
    assert finding.text == f"some boxes of the {of} seem to be xyxy, and the others xywh"


def test_fractions_among_pixels(example):
    numbers = example.detections.boxes.copy()
    numbers[5:105] /= damages.sides(example, example.detections.images)[5:105]
    finding = found(*example.with_detections(boxes=numbers))["boxes-mixed"]
    assert finding.text == "100 of 734 boxes of the detections seem to be fractions, and the others pixels"


@pytest.mark.parametrize(("decimals", "said"), [(0, True), (1, False)])
def test_coordinates_in_whole_pixels(example, decimals, said):
    codes = found(*example.with_detections(boxes=np.round(example.detections.boxes, decimals)))
    assert set(codes) == ({"boxes-rounded"} if said else set())


def test_detections_without_scores_may_be_whole(example):
    assert found(*example.with_detections(boxes=np.round(example.detections.boxes), scores=None)) == {}


def test_detections_may_be_whole_where_objects_are(example):
    whole = example.with_truth(boxes=np.round(example.truth.targets.boxes))
    assert found(*whole.with_detections(boxes=np.round(example.detections.boxes))) == {}


@pytest.mark.parametrize("at", [0.05, 0.1, 0.25, 0.3, 0.5])
def test_detections_that_are_cut_off(example, at):
    (finding,) = data.diagnose(*example.rows(example.detections.scores >= at))
    assert finding.code == "scores-cut"
    assert finding.text.startswith(f"detections seem to be cut off at a score of {at:g}:")


@pytest.mark.parametrize(
    ("scores", "at"),
    [
        # 100 scores from 0.3 to 1: were they as dense below, 0.3 / 0.0707 * 10 = 42 would be missing.
        (0.3 + 0.7 * np.arange(100) / 99, 0.3),
        (0.31 + 0.69 * np.arange(100) / 99, 0.3),
        (0.34 + 0.66 * np.arange(100) / 99, None),  # at no number that one would cut at
        (0.3 + 0.7 * np.arange(19) / 18, None),  # too few
        (np.arange(100) / 99, None),
        (3.0 + np.arange(100), None),
        (0.5 * np.ones(100), None),
        (0.06 + 0.94 * np.arange(20) / 19, None),  # of 20 from 0 to 1 the lowest is often so high
    ],
)
def test_cut_of_scores(scores, at):
    cut = _scores.cut(scores)
    assert (cut and cut.score) == at


def test_no_class_of_detections_is_that_of_an_object():
    """In a set that is too small to tell a list of classes."""
    numbers = np.array(PROPER, dtype=np.float64)
    truth = dataclasses.replace(truth_of(numbers, labels=[0, 1, 0, 1]), categories={k: str(k) for k in (0, 1, 7, 8)})
    detections = Detections(numbers, np.linspace(0.2, 0.8, 4), np.array([7, 8, 8, 7]), np.arange(4))
    finding = found(truth, detections)["classes-apart"]
    assert finding.evidence == ("4 detections have IoU >= 0.5 with an object; no object has the class of any detection")
    right = dataclasses.replace(detections, labels=np.array([0, 1, 0, 1]))
    assert found(truth, right) == {}
