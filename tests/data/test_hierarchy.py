"""Open Images' class hierarchy: reading the file, and expanding ground truth and detections."""

import json

import numpy as np
import pytest

from omniou import data, detection
from omniou.data import InputError, Options, hierarchy


def node(name, *below, parts=()):
    """An object of the file."""
    entry = {"LabelName": name}
    if below:
        entry["Subcategory"] = list(below)
    if parts:
        entry["Part"] = [{"LabelName": x} for x in parts]
    return entry


FOOTBALL = node("football")
TREE = node(
    "/m/0bl9f",
    node("clothing", node("helmet", FOOTBALL, node("bicycle"), parts=["strap"])),
    node("sports", FOOTBALL, node("ball")),
    node("dog"),
)
ANCESTORS = {
    "ball": ["sports"],
    "bicycle": ["clothing", "helmet"],
    "clothing": [],
    "dog": [],
    "football": ["clothing", "helmet", "sports"],
    "helmet": ["clothing"],
    "sports": [],
}
BOXES = """ImageID,LabelName,Confidence,XMin,XMax,YMin,YMax,IsGroupOf
a,football,1,0,0.1,0,0.1,0
a,bicycle,1,0.2,0.3,0.2,0.3,1
b,dog,1,0,1,0,1,0
"""
LABELS = """b,helmet,0,,,,,
c,bicycle,1,,,,,
b,dog,1,,,,,
c,dog,0.6,,,,,
"""
DETECTIONS = """ImageID,LabelName,Score,XMin,XMax,YMin,YMax
a,football,0.5,0,0.1,0,0.1
b,ball,0.75,0,0.1,0,0.1
"""


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        return path

    return write


def test_read_ancestors_of_each_class(write):
    assert hierarchy.read(write("h.json", TREE)) == ANCESTORS


def test_read_class_with_subcategories_in_one_of_two_places(write):
    tree = node("root", node("a", node("b", node("c"))), node("d", node("b")))

    assert hierarchy.read(write("h.json", tree)) == {"a": [], "b": ["a", "d"], "c": ["a", "b", "d"], "d": []}


BAD = {
    "label": (node("x", node("a", {"Subcategory": []})), r"Subcategory\[0\]\.Subcategory\[0\]\.LabelName: missing"),
    "number": (node("x", node("a"), node(3)), r"Subcategory\[1\]\.LabelName: expected string, got integer"),
    "word": (node("x", node("a") | {"Subcategory": "b"}), r"Subcategory\[0\]\.Subcategory: expected list, got string"),
    "list": ([TREE], "expected object, got list"),
    "other": ({"images": [], "annotations": [], "categories": []}, "LabelName: missing"),
    "none": (node("x"), "Subcategory: has no classes"),
    "parts": (node("x", parts=["a"]), "Subcategory: has no classes"),
    "empty": ("", "the file is empty"),
    "cut off": (json.dumps(TREE)[:-9], r"the JSON ends inside a value \(line 1, byte \d+\): the file was cut off"),
    "table": (BOXES, r"not valid JSON: invalid character \(line 1, byte 0\)"),
    "own ancestor": (
        node("x", node("a", node("a"))),
        r"Subcategory\[0\]\.Subcategory\[0\]: a class .* ancestor: a > a",
    ),
    "deep": ('{"LabelName":"x","Subcategory":[' * 5000 + "]}" * 5000, "nested too deep"),
}


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD)
def test_read_invalid_file_raises(write, content, message):
    with pytest.raises(InputError, match=rf"h\.json: .*{message}"):
        hierarchy.read(write("h.json", content))


def test_read_cycle_over_two_branches_raises(write):
    tree = node("x", node("a", node("b")), node("b", node("a")))

    with pytest.raises(InputError, match=r"Subcategory\[[01]\]\.Subcategory\[0\]: .* ancestor: (a > b > a|b > a > b)$"):
        hierarchy.read(write("h.json", tree))


def pairs(truth, rows):
    """Names of image and class."""
    return [(truth.image_names[i], truth.categories[k]) for i, k in rows.tolist()]


def test_expand_truth_adds_ancestors(write):
    before = data.read_ground_truth(write("gt.csv", BOXES + LABELS), "open-images")
    truth = hierarchy.expand_truth(before, ANCESTORS)

    # Categories of the ground truth keep their ids.
    assert list(before.categories.values()) == ["bicycle", "dog", "football", "helmet"]
    assert list(truth.categories.values()) == ["bicycle", "dog", "football", "helmet", "ball", "clothing", "sports"]
    assert list(truth.categories) == [0, 1, 2, 3, 4, 5, 6]
    targets = truth.targets
    assert pairs(truth, np.stack([targets.images, targets.labels], axis=1)) == [
        *(("a", name) for name in ("football", "helmet", "clothing", "sports")),
        *(("a", name) for name in ("bicycle", "helmet", "clothing")),
        ("b", "dog"),
    ]
    assert targets.crowd.tolist() == [False] * 4 + [True] * 3 + [False]
    assert targets.boxes.tolist() == [[0, 0, 0.1, 0.1]] * 4 + [[0.2, 0.2, 0.3, 0.3]] * 3 + [[0, 0, 1, 1]]
    assert truth.flagged.tolist() == [False] * 8


def test_expand_truth_of_image_level_labels(write):
    before = data.read_ground_truth(write("gt.csv", BOXES + LABELS), "open-images")
    truth = hierarchy.expand_truth(before, ANCESTORS)

    # The dog of image b has a box; no person verified the one of image c.
    assert pairs(before, before.targets.negative) == [("b", "helmet"), ("c", "bicycle")]
    assert before.present.tolist() == [False, True]
    negative = pairs(truth, truth.targets.negative)
    assert sorted(negative[:3]) == [("b", "bicycle"), ("b", "football"), ("b", "helmet")]
    assert negative[3:] == [("c", "bicycle"), ("c", "helmet"), ("c", "clothing")]
    assert truth.present.tolist() == [False] * 3 + [True] * 3


def test_expand_truth_without_image_level_labels(write):
    truth = hierarchy.expand_truth(data.read_ground_truth(write("gt.csv", BOXES), "open-images"), ANCESTORS)

    assert truth.targets.negative is truth.present is None


def test_expand_detections_adds_ancestors(write):
    truth = hierarchy.expand_truth(data.read_ground_truth(write("gt.csv", BOXES + LABELS)), ANCESTORS)
    detections = data.read_detections(write("dt.csv", DETECTIONS), truth)
    copies = hierarchy.expand_detections(detections, truth, ANCESTORS)

    assert [truth.categories[k] for k in detections.labels] == ["football", "ball"]
    names = [truth.categories[k] for k in copies.labels]
    assert names == ["football", "helmet", "clothing", "sports", "ball", "sports"]
    assert copies.scores.tolist() == [0.5] * 4 + [0.75] * 2
    result = detection.evaluate(truth.targets, copies, protocol="open_images", format=truth.format)
    values = {truth.categories[int(k)]: v for k, v in zip(result.classes, result.per_class["AP"], strict=True)}
    # Sports is not annotated in image b, so the ball there is ignored.
    assert values["football"] == values["helmet"] == values["clothing"] == values["sports"] == pytest.approx(1)
    assert values["dog"] == 0


def test_expand_truth_of_coco_file_keeps_ids(write):
    content = {
        "images": [{"id": 7}],
        "categories": [{"id": 30, "name": "football"}, {"id": 10, "name": "sports"}],
        "annotations": [{"image_id": 7, "category_id": 30, "bbox": [0, 0, 9, 9], "ignore": 1, "area": 5}],
    }
    truth = hierarchy.expand_truth(data.read_ground_truth(write("gt.json", content)), ANCESTORS)

    assert (truth.categories[30], truth.categories[10]) == ("football", "sports")
    assert sorted(truth.categories) == [10, 30, 31, 32, 33, 34, 35]
    assert [truth.categories[k] for k in truth.targets.labels] == ["football", "sports", "clothing", "helmet"]
    assert truth.flagged.tolist() == [True] * 4
    assert truth.targets.area.tolist() == [5] * 4


def test_expand_truth_with_classes_file_keeps_its_order(write):
    names = write("names.txt", "dog\ncow\nbicycle\nfootball\nhelmet\n")
    truth = data.read_ground_truth(write("gt.csv", BOXES), "open-images", Options(classes=names))
    truth = hierarchy.expand_truth(truth, ANCESTORS)

    assert list(truth.categories.values())[:6] == ["dog", "cow", "bicycle", "football", "helmet", "ball"]


def test_expand_truth_without_common_class_raises(write):
    truth = data.read_ground_truth(write("gt.csv", BOXES), "open-images")

    with pytest.raises(InputError, match=r"gt\.csv: none of the categories \('bicycle', 'dog', .*\) is in the hier"):
        hierarchy.expand_truth(truth, {"cow": []})
    assert hierarchy.expand_truth(truth, {"dog": []}).categories == truth.categories
