"""`omniou eval` with other protocols than COCO's, and with masks."""

import json

import pytest

from tests import places
from tests.cli.test_eval import run

EXAMPLE = places.EXAMPLE


def numbers(*args):
    done = run(*args, "--format", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["summary"]


@pytest.mark.parametrize(("kind", "ap"), [("segm", 0.3195452758576433), ("boundary", 0.22639400050237551)])
def test_eval_of_masks_by_segm_and_boundary(kind, ap):
    names = "instances_val2014_100.json", "instances_val2014_fakesegm100_results.json"
    files = [places.shared("coco-val2014-100", name) for name in names]
    assert numbers(*files, "--kind", kind)["AP"] == pytest.approx(ap, abs=1e-12)


def test_eval_tie_policy(tmp_path):
    truth = {"images": [{"id": 1}], "categories": [{"id": 1}]}
    truth["annotations"] = [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 10]}]
    detections = [{"image_id": 1, "category_id": 1, "bbox": [x, 0, 10, 10], "score": 0.5} for x in (0, 50)]
    for name, content in (("truth", truth), ("detections", detections)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    files = tmp_path / "truth.json", tmp_path / "detections.json"
    assert numbers(*files)["AP"] == pytest.approx(1, abs=1e-12)
    assert numbers(*files, "--tie-policy", "invariant")["AP"] == pytest.approx(0.5, abs=1e-12)


def test_eval_lvis_protocol():
    folder = places.shared("lvis-val-100")
    files = folder / "lvis_val_100.json", folder / "derived_dt_bbox.json"
    summary = numbers(*files, "--protocol", "lvis")
    assert summary["AP"] == pytest.approx(0.3945477817330607, abs=1e-12)
    assert summary["APc"] == pytest.approx(0.4531787547802399, abs=1e-12)
    lines = run(*files, "--protocol", "lvis", "--format", "coco").stdout
    assert "maxDets=300 | classes=r ] = 0.000" in lines


def test_eval_class_agnostic_of_lvis():
    # What lvis 0.5.3 gives with `use_cats=0`, where it looks up the rows of all classes instead of those of class -1.
    folder = places.shared("lvis-val-100")
    files = folder / "lvis_val_100.json", folder / "derived_dt_bbox.json"
    summary = numbers(*files, "--protocol", "lvis", "--class-agnostic")
    assert summary["AP"] == pytest.approx(0.2543229788448787, abs=1e-12)
    assert summary["AR300"] == pytest.approx(0.43991811668372555, abs=1e-12)


def test_eval_class_agnostic_of_federated_files_excludes_unverified_classes(tmp_path):
    # In the image, class 1 has an object, class 2 is verified absent, and of class 3 nothing is known.
    truth = {"images": [{"id": 1, "neg_category_ids": [2], "not_exhaustive_category_ids": []}]}
    truth["categories"] = [{"id": k, "name": str(k), "frequency": "f"} for k in (1, 2, 3)]
    truth["annotations"] = [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 10], "area": 100}]
    (tmp_path / "truth.json").write_text(json.dumps(truth), encoding="utf-8")
    for label, ap in ((3, 1), (2, 0.5)):
        rows = [(label, 50, 0.9), (1, 0, 0.5)]
        found = [{"image_id": 1, "category_id": k, "bbox": [x, 0, 10, 10], "score": s} for k, x, s in rows]
        (tmp_path / "found.json").write_text(json.dumps(found), encoding="utf-8")
        files = tmp_path / "truth.json", tmp_path / "found.json", "--gt-format", "lvis", "--protocol", "lvis"
        assert numbers(*files, "--class-agnostic")["AP"] == pytest.approx(ap, abs=1e-12)


def test_eval_voc2010_protocol_with_offset():
    folder = places.shared("cartucho-voc")
    files = folder / "input" / "ground-truth", folder / "input" / "detection-results"
    expected = json.loads((folder / "expected.json").read_text())["voc"]["plus1"]["0.5"]
    options = ("--protocol", "voc2010", "--offset", "1")
    assert numbers(*files, *options)["AP"] == pytest.approx(expected["mAP_area"], abs=1e-12)
    shown = run(*files, *options, "--format", "coco").stdout
    assert "@[ IoU=0.50      | area=   all | maxDets=any ] = 0.310" in shown


def test_eval_warns_of_detections_above_limit(tmp_path):
    box = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9]}
    truth = {"images": [{"id": 1}], "categories": [{"id": 1}], "annotations": [box | {"id": 1}]}
    found = [box | {"bbox": [0, 0, 9, 9 * 1.1**k], "score": k / 200} for k in range(130)]  # no two alike
    for name, content in (("a.json", truth), ("b.json", found)):
        (tmp_path / name).write_text(json.dumps(content))
    done = run(tmp_path / "a.json", tmp_path / "b.json")
    assert done.exit_code == 0
    told = "30 detections over the limit of 100 excluded; set the limit with --max-detections"
    assert done.stderr == f"Warning: {tmp_path / 'b.json'}: {told}\n"


def test_eval_segm_of_format_without_masks_fails(tmp_path):
    (tmp_path / "a.csv").write_text("ImageID,LabelName,XMin,XMax,YMin,YMax,IsGroupOf\nx,cat,0,1,0,1,0\n")
    (tmp_path / "b.csv").write_text("ImageID,LabelName,Confidence,XMin,XMax,YMin,YMax\nx,cat,1,0,1,0,1\n")
    done = run(tmp_path / "a.csv", tmp_path / "b.csv", "--kind", "segm")
    assert done.exit_code == 2
    assert "--kind 'segm' is for formats that have it, 'coco', 'lvis', " in done.stderr
    assert ", 'yolo': 'open-images' has not" in done.stderr


def test_eval_segm_of_file_without_masks_fails():
    done = run(EXAMPLE / "ground_truth.json", EXAMPLE / "detections.json", "--kind", "segm")
    assert done.exit_code == 3
    assert "segmentation: missing" in done.stderr


@pytest.fixture
def helmets(tmp_path):
    """Two helmets, one detected as a football helmet and one as a helmet; and a hierarchy."""
    kinds = [{"LabelName": "football"}, {"LabelName": "bicycle"}]
    tree = {"LabelName": "/m/0bl9f", "Subcategory": [{"LabelName": "helmet", "Subcategory": kinds}]}
    texts = {
        "gt.csv": "ImageID,LabelName,XMin,XMax,YMin,YMax\na,football,0,1,0,1\na,bicycle,2,3,2,3\n",
        "dt.csv": "ImageID,LabelName,Score,XMin,XMax,YMin,YMax\na,football,.9,0,1,0,1\na,helmet,.8,2,3,2,3\n",
        "tree.json": json.dumps(tree),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    return [tmp_path / name for name in texts]


def test_eval_hierarchy_and_expand_detections(helmets):
    truth, detections, tree = helmets
    options = ("--protocol", "open_images")
    # Football, bicycle, and with the hierarchy helmets: one of two, or both.
    assert numbers(truth, detections, *options)["AP"] == pytest.approx(1 / 2)
    assert numbers(truth, detections, *options, "--hierarchy", tree)["AP"] == pytest.approx((1 + 0 + 1 / 2) / 3)
    both = ("--hierarchy", tree, "--expand-detections")
    assert numbers(truth, detections, *options, *both)["AP"] == pytest.approx((1 + 0 + 1) / 3)
    table = run(truth, detections, *options, *both, "--per-class").stdout
    assert "helmet          2  1.000  1.000" in table


def test_eval_hierarchy_with_other_protocol_fails(helmets):
    truth, detections, tree = helmets
    done = run(truth, detections, "--hierarchy", tree)
    assert done.exit_code == 2
    assert "--hierarchy is for --protocol open_images, not coco" in done.stderr
    done = run(truth, detections, "--protocol", "open_images", "--expand-detections")
    assert done.exit_code == 2
    assert "--expand-detections needs --hierarchy" in done.stderr


def test_eval_of_invalid_hierarchy_fails(helmets):
    truth, detections, tree = helmets
    tree.write_text('{"LabelName": "x", "Subcategory": [{"Labelname": "helmet"}]}', "utf-8")
    done = run(truth, detections, "--protocol", "open_images", "--hierarchy", tree)
    assert done.exit_code == 3
    assert done.stderr == f"Error: {tree}: Subcategory[0].LabelName: missing\n"
    tree.write_text('{"LabelName": "x", "Subcategory": [{"LabelName": "cow"}]}', "utf-8")
    done = run(truth, detections, "--protocol", "open_images", "--hierarchy", tree)
    assert done.exit_code == 3
    assert "none of the categories ('bicycle', 'football') is in the hierarchy" in done.stderr


def test_eval_of_yolo_polygons(tmp_path):
    for name, content in (("gt", "0 0 0 .5 0 .5 1 0 1"), ("dt", "0 0 0 .5 0 .5 .7 0 .7 1")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(content, "utf-8")
    # Seven of ten rows: IoU 0.7 reaches five thresholds of ten, as the boxes around do.
    for kind in ("segm", "bbox"):
        summary = numbers(tmp_path / "gt", tmp_path / "dt", "--kind", kind, "--image-size", "20x10")
        assert summary["AP"] == pytest.approx(1 / 2)
    done = run(tmp_path / "gt", tmp_path / "dt", "--kind", "segm")
    assert done.exit_code == 3
    assert "a.txt: line 1, segmentation: polygons need the height and width of their image" in done.stderr
