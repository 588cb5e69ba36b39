"""Reading LVIS's ground truth: COCO's, with the verified categories of each image."""

import json

import pytest
from click.testing import CliRunner

from omniou import data, detection
from omniou.cli._commands import omniou
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


def test_evaluation_is_by_the_rules_of_lvis(tmp_path):
    # Two classes of 200 objects each in an image, all detected: LVIS counts 300 of 400, class 2 first by its scores.
    boxes = [[20 * k, 0, 10, 10] for k in range(200)]
    rows = [{"image_id": 7, "category_id": c, "bbox": x, "area": 100} for c in (1, 2) for x in boxes]
    image = {"id": 7, "neg_category_ids": [], "not_exhaustive_category_ids": []}
    names = [{"id": 1, "name": "acorn", "frequency": "f"}, {"id": 2, "name": "bean", "frequency": "f"}]
    annotations = [x | {"id": k + 1} for k, x in enumerate(rows)]
    path, results = tmp_path / "gt.json", tmp_path / "dt.json"
    path.write_text(json.dumps({"images": [image], "categories": names, "annotations": annotations}))
    results.write_text(json.dumps([x | {"score": 0.1 + 0.4 * x["category_id"]} for x in rows]))

    truth = data.read_ground_truth(path)
    found = data.read_detections(results, truth)
    assert (truth.protocol, truth.targets.protocol) == ("lvis", "lvis")
    for targets in (truth, truth.targets):
        result = detection.evaluate(targets, found)
        assert (result.surplus, result.summary["AR300"]) == (100, 0.75)
        assert result.matches.misses.sum() == 0  # the others are over the limit
        # COCO counts 100 of each class; LVIS's first class has 100 of 200 objects: 51 of 101 points.
        assert result.summary["AP"] == pytest.approx((1 + 51 / 101) / 2)
        assert detection.evaluate(targets, found, protocol="coco").summary["AR100"] == 0.5
    # As a file of COCO, it is evaluated by COCO's rules.
    assert data.read_ground_truth(path, "coco").protocol is None
    for args, rules in (((), "lvis"), (("--protocol", "coco"), "coco"), (("--gt-format", "coco"), "coco")):
        done = CliRunner().invoke(omniou, ["eval", str(path), str(results), *args, "--fail-under", "AP>=0"])
        assert f"(bbox, the rules of {rules})" in done.stdout
    compared = CliRunner().invoke(omniou, ["compare", *map(str, (path, results, results)), "--format", "json"])
    assert json.loads(compared.stdout)["numbers"][0]["first"] == pytest.approx((1 + 51 / 101) / 2)
    wrong = CliRunner().invoke(omniou, ["eval", str(path), str(results), "--fail-under", "AR100>=0"])
    assert wrong.exit_code == 2
    assert "there is no number 'AR100': did you mean 'AR300'?" in wrong.output
