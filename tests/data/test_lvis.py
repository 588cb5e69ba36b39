"""Reading LVIS's ground truth: COCO's, with the verified categories of each image."""

import json

import pytest

from omniou import data, detection
from omniou.data import InputError
from tests import places

IMAGE = {"id": 7, "neg_category_ids": [3, 1], "not_exhaustive_category_ids": [2]}
OTHER = {"id": 5, "neg_category_ids": [2], "not_exhaustive_category_ids": []}
TRUTH = {
    "images": [IMAGE, OTHER],
    "categories": [{"id": 1, "name": "acorn", "frequency": "r"}, {"id": 2, "frequency": "f"}, {"id": 3}],
    "annotations": [{"id": 1, "image_id": 7, "category_id": 2, "bbox": [0, 0, 3, 4], "area": 10.5}],
}


@pytest.fixture
def read(tmp_path):
    def read(content):
        path = tmp_path / "truth.json"
        path.write_text(json.dumps(content), "utf-8")
        return data.read_ground_truth(path, "lvis")

    return read


def test_read_ground_truth_columns(read):
    truth = read(TRUTH)

    assert truth.targets.negative.tolist() == [[7, 3], [7, 1], [5, 2]]
    assert truth.targets.not_exhaustive.tolist() == [[7, 2]]
    assert truth.frequency == {1: "r", 2: "f"}
    assert truth.categories == {1: "acorn", 2: "2", 3: "3"}
    assert truth.targets.area.tolist() == [10.5]
    assert truth.targets.crowd.tolist() == [False]


def test_read_ground_truth_without_negative_categories(read):
    images = [IMAGE | {"neg_category_ids": [], "not_exhaustive_category_ids": []}]
    truth = read(TRUTH | {"images": images, "categories": [{"id": 2}]})

    assert truth.targets.negative.shape == truth.targets.not_exhaustive.shape == (0, 2)
    assert truth.frequency is None


@pytest.mark.parametrize(
    ("images", "message"),
    [
        ([IMAGE, {"id": 9}], r"images\[1\]\.neg_category_ids: missing \(id 9\)"),
        (
            [IMAGE, OTHER | {"neg_category_ids": ["a"]}],
            r"images\[1\]\.neg_category_ids\[0\]: expected integer, got str",
        ),
        ([IMAGE, OTHER | {"neg_category_ids": [1, 4]}], r"images\[1\]\.neg_category_ids\[1\]: 4 is not among the cat"),
        ([IMAGE | {"not_exhaustive_category_ids": [9]}], r"images\[0\]\.not_exhaustive_category_ids\[0\]: 9 is not"),
    ],
)
def test_read_ground_truth_of_invalid_images_raises(read, images, message):
    with pytest.raises(InputError, match=rf"truth\.json: {message}"):
        read(TRUTH | {"images": images})


def test_evaluate_equals_published_lvis_api_values():
    folder, expected = places.shared("lvis-val-100"), places.expected("lvis-val-100")["lvis_api_bbox"]
    truth = data.read_ground_truth(folder / "lvis_val_100.json", "lvis")
    detections = data.read_detections(folder / "derived_dt_bbox.json", truth, "coco")
    groups = {
        name: [id for id, rated in truth.frequency.items() if rated == letter]
        for name, letter in (("r", "r"), ("c", "c"), ("f", "f"))
    }
    images, classes = truth.images.tolist(), list(truth.categories)

    result = detection.evaluate(
        truth.targets, detections, protocol="lvis", format=truth.format, classes=classes, images=images, groups=groups
    )

    assert len(truth.targets.labels) == 977
    assert result.summary["AP"] == pytest.approx(expected["AP"], abs=1e-12)
    assert result.summary["APl"] == pytest.approx(expected["APl"], abs=1e-12)
    assert result.summary["APc"] == pytest.approx(expected["APc"], abs=1e-12)
