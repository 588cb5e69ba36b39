"""`omniou check` lists all faults of its files."""

import json

import pytest

from omniou.data import _faults
from tests.cli.test_check import run

IMAGES, CATEGORIES = [{"id": 1, "width": 10, "height": 10}], [{"id": 1, "name": "cat"}]


def coco(path, annotations, images=IMAGES, categories=CATEGORIES):
    path.write_text(json.dumps({"images": images, "annotations": annotations, "categories": categories}))
    return path


def faults(*arguments):
    done = run("check", *arguments)
    assert done.exit_code == 3
    return [x.removeprefix("Error: ") for x in done.stderr.splitlines() if x.startswith("Error: ")]


def good(**fields):
    return {"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]} | fields


def test_each_record_with_a_fault_is_named(tmp_path):
    records = [good(), good(bbox=[1, 2, 3]), good(id=7, bbox=[1, 2, 3, "a"]), good(image_id=9), good(category_id=4)]
    path = coco(tmp_path / "truth.json", records)
    assert faults(path) == [
        f"{path}: annotations[1].bbox: expected 4 numbers, got 3",
        f"{path}: annotations[2].bbox[3]: expected number, got string (id 7)",
        f"{path}: annotations[3].image_id: 9 is not among the images",
        f"{path}: annotations[4].category_id: 4 is not among the categories",
    ]


def test_faults_of_both_files_are_named(tmp_path):
    truth = coco(tmp_path / "truth.json", [good(), good(bbox=None)])
    path = tmp_path / "found.json"
    path.write_text(json.dumps([good(), good(score="x"), good(score=0.5, image_id=5), good(score=0.5)]))
    assert faults(truth, path) == [
        f"{truth}: annotations[1].bbox: expected list, got null",
        f"{path}: [0].score: missing: 2 of 4 detections have one. All must, or none",
        f"{path}: [1].score: expected number, got string",
        f"{path}: [2].image_id: 5 is not among the images of {truth}",
    ]


def test_other_names_of_fields_are_told(tmp_path):
    truth = coco(tmp_path / "truth.json", [good()])
    path = tmp_path / "found.json"
    path.write_text(json.dumps([{"image_id": 1, "category": 1, "box": [1, 2, 3, 4], "score": 0.5}] * 3))
    (found,) = faults(truth, path)
    assert found.startswith(f"{path}: [0].category_id: missing: is it 'category'? Rename it")
    assert found.endswith("(and 2 more such faults)")


@pytest.mark.parametrize(
    ("name", "record", "fault"),
    [
        ("categories", {"id": 2, "name": 5}, "categories[1].name: expected string or null, got integer (id 2)"),
        ("images", {"id": 2, "width": "x"}, "images[1].width: expected number or null, got string (id 2)"),
    ],
)
def test_records_that_refer_to_a_fault_have_none(tmp_path, name, record, fault):
    lists = {"images": [*IMAGES, {"id": 2}], "categories": [*CATEGORIES, {"id": 2}]}
    lists[name][1] = record
    annotations = [good(image_id=2), good(category_id=2), good(bbox=[1])]
    path = coco(tmp_path / "truth.json", annotations, **lists)
    assert sorted(faults(path)) == [f"{path}: annotations[2].bbox: expected 4 numbers, got 1", f"{path}: {fault}"]


def test_masks_of_several_records_are_named(tmp_path):
    mask = [[1, 1, 4, 1, 4, 4]]
    records = [good(segmentation=x) for x in ([[1, 2]], mask, "x", [[1, 2, 3, 4]])]
    found = faults(coco(tmp_path / "truth.json", records), "--kind", "segm")
    assert sorted(x.partition("annotations")[2][:3] for x in found) == ["[0]", "[2]"]
    assert any(x.endswith("(and 1 more such fault)") for x in found)


def test_each_line_with_a_fault_is_named(tmp_path):
    (tmp_path / "a.txt").write_text("cat 1 2 3 4\ncat 1 2 x 4\n\ndog 1 2\ncat 1 2 3 4\n")
    (tmp_path / "b.txt").write_text("cat 1 2 3 4\ncat 1,5 2 3 4\ndog 1 2 3 inf\n")
    found = [x.removeprefix(f"{tmp_path}") for x in faults(tmp_path)]
    assert [x[:14] for x in found] == ["/a.txt: line 2", "/a.txt: line 4", "/b.txt: line 2", "/b.txt: line 3"]


def test_each_element_with_a_fault_is_named(tmp_path):
    (tmp_path / "a.xml").write_text(
        "<annotation><object><name>cat</name><bndbox><xmin>1</xmin><ymin>q</ymin><xmax>3</xmax></bndbox></object>"
        "<object><name>dog</name></object></annotation>"
    )
    assert [x.partition(".xml: ")[2] for x in faults(tmp_path)] == [
        "object 1, ymin: expected number, got 'q'",
        "object 1, ymax: missing",
        "object 2, bndbox: missing",
    ]


def test_what_other_tools_trip_over_is_told_too(tmp_path):
    """hotcoco's five: two images and two annotations of one id, an unknown image and category, a height of 0."""
    images = [{"id": 1}, {"id": 1}, {"id": 2, "width": 5, "height": 0}]
    path = coco(tmp_path / "truth.json", [good(id=1), good(id=1), good(image_id=9), good(category_id=9)], images)
    done = run("check", path)
    assert done.exit_code == 3
    assert [x.partition("truth.json: ")[2] for x in done.stderr.splitlines()[:5]] == [
        "images[1].id: 1 is already the id of images[0]",
        "annotations[2].image_id: 9 is not among the images",
        "annotations[3].category_id: 9 is not among the categories",
        "ids of annotations occur several times: 1; number them: pycocotools loses one",
        "images have a width or a height of 0: 2; write their sizes",
    ]
    assert done.stderr.splitlines()[5] == "3 faults."


def test_faults_as_json(tmp_path):
    path = coco(tmp_path / "truth.json", [good(image_id=9)])
    record = json.loads(run("check", path, "--format", "json").stdout)
    assert record["faults"] == [
        {"path": str(path), "place": "annotations[0].image_id", "fault": "9 is not among the images", "count": 1}
    ]


def test_a_kind_of_fault_has_one_line_with_its_count_and_first_place(tmp_path):
    records = [good(), *(good(image_id=k, category_id=k) for k in range(7, 207)), good(bbox=[1, float("inf"), 1, 1])]
    path = coco(tmp_path / "truth.json", records)
    path.write_text(path.read_text().replace("Infinity", "1e200"))
    assert faults(path) == [
        f"{path}: annotations[201].bbox[1]: expected number within 1e+150, got 1e+200",
        f"{path}: annotations[1].image_id: 7 is not among the images (and 199 more such faults)",
        f"{path}: annotations[1].category_id: 7 is not among the categories (and 199 more such faults)",
    ]
    assert run("check", path).stderr.splitlines()[-1] == "401 faults."
    record = json.loads(run("check", path, "--format", "json").stdout)
    assert [x["count"] for x in record["faults"]] == [1, 200, 200]


def test_faults_are_listed_up_to_a_number_of_kinds_and_of_readings(tmp_path, monkeypatch):
    monkeypatch.setattr(_faults, "MOST", 3)
    path = tmp_path / "a.txt"
    path.write_text("cat 1 2 3 4\n" + "cat 1 2 x 4\n" * 10)
    done = run("check", path)
    first, last = done.stderr.splitlines()
    assert first.startswith(f"Error: {path}: line 2")
    assert first.endswith("(and 2 more such faults)")
    assert last == "3 faults, and there may be more."


def test_evaluation_stops_at_the_first_fault(tmp_path):
    path = coco(tmp_path / "truth.json", [good(image_id=9), good(image_id=8)])
    done = run("eval", path, path)
    assert done.exit_code == 3
    assert done.stderr.count("Error: ") == 1


@pytest.mark.parametrize("style", ["table", "json"])
def test_notes_are_no_findings(tmp_path, style):
    done = run("check", coco(tmp_path / "truth.json", [good()]), "--format", style)
    assert done.exit_code == 0
    assert "no class has 10 objects or more: AP is uncertain" in done.stdout + done.stderr


def test_decimals_for_integers_are_no_faults_beside_others(tmp_path):
    path = coco(tmp_path / "truth.json", [good(category_id=1.0, iscrowd=0.0), good(bbox=[1, 2, 3]), good(image_id=1.0)])
    found = tmp_path / "found.json"
    found.write_text(json.dumps([good(score=0.5, image_id=1.0), good(score="x", category_id=1.0)]))
    assert faults(path, found) == [
        f"{path}: annotations[1].bbox: expected 4 numbers, got 3",
        f"{found}: [1].score: expected number, got string",
    ]
