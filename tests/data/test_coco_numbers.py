"""COCO's metrics from the file to the summary, compared with published numbers and those of the files' authors."""

import json

import pytest

from omniou import data, detection
from tests.places import EXAMPLE, shared


def evaluated(truth_path, detections_path):
    truth = data.read_ground_truth(truth_path, "coco")
    detections = data.read_detections(detections_path, truth, "coco")
    images, classes = truth.images.tolist(), list(truth.categories)
    return truth, detection.evaluate(truth.targets, detections, format="xywh", classes=classes, images=images)


def test_evaluate_example_equals_pycocotools_per_category():
    expected = json.loads(shared("coco-val2014-100", "expected.json").read_text("utf-8"))["bbox"]
    truth, result = evaluated(EXAMPLE / "ground_truth.json", EXAMPLE / "detections.json")

    assert result.summary == pytest.approx(expected["stats"], abs=1e-12)
    place = {label: k for k, label in enumerate(result.classes.tolist())}
    assert expected["per_category"]
    for label, numbers in expected["per_category"].items():
        assert truth.categories[int(label)] == numbers["name"]
        for name in ("AP", "AP50", "AP75", "AR100"):
            assert result.per_class[name][place[int(label)]] == pytest.approx(numbers[name], abs=1e-12)


@pytest.mark.parametrize("name", ["plain", "edge"])
def test_evaluate_hotcoco_fixtures_equals_expected(name):
    folder = shared("hotcoco-fixtures")
    expected = json.loads((folder / "expected.json").read_text("utf-8"))[name]["stats"]
    folder, prefix = folder / "crates" / "hotcoco" / "tests" / "fixtures", "" if name == "plain" else f"{name}_"

    _, result = evaluated(folder / f"{prefix}gt.json", folder / f"{prefix}dt.json")

    assert result.with_minus_one()["stats"] == pytest.approx(list(expected.values()), abs=1e-12)


def test_evaluate_annotation_id_zero_is_matched():
    # cocoapi#664: pycocotools reads annotation id 0 as "unmatched" and answers .4422.
    folder = shared("hotcoco-fixtures") / "crates" / "hotcoco" / "tests" / "fixtures"

    _, result = evaluated(folder / "zero_gt.json", folder / "zero_dt.json")

    assert result.summary["AP"] == pytest.approx(1, abs=1e-12)


def test_evaluate_fce_file_with_crowds_and_ignored():
    folder = shared("fce-custom")
    expected = json.loads((folder / "expected.json").read_text("utf-8"))["ignore_bbox_all_dets"]["stats"]

    _, result = evaluated(folder / "gt_ignore_test_intids.json", folder / "dt_ignore_test.json")

    assert result.with_minus_one()["stats"] == pytest.approx(list(expected.values()), abs=1e-12)


def test_evaluate_fce_file_with_string_ids():
    # In this file all ids of images are strings, and some of the annotations' `image_id`.
    folder = shared("fce-custom")
    expected = json.loads((folder / "expected.json").read_text("utf-8"))["ignore_bbox_all_dets"]["stats"]

    _, result = evaluated(folder / "gt_ignore_test.json", folder / "dt_ignore_test.json")

    assert result.with_minus_one()["stats"] == pytest.approx(list(expected.values()), abs=1e-12)
