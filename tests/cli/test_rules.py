"""Other rules than COCO's, and masks, from the shell."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.test_eval import run

DATA = Path(__file__).parents[2].parent / "shared" / "data"
EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "coco-val2014-100"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data lies beside a checkout only here and there")


def numbers(*args):
    done = run(*args, "--format", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["summary"]


@needs_data
@pytest.mark.parametrize(("kind", "ap"), [("segm", 0.3195452758576433), ("boundary", 0.22639400050237551)])
def test_masks(kind, ap):
    pytest.importorskip("pycocotools", reason="polygons need it")
    folder = DATA / "coco-val2014-100"
    files = folder / "instances_val2014_100.json", folder / "instances_val2014_fakesegm100_results.json"
    assert numbers(*files, "--kind", kind)["AP"] == pytest.approx(ap, abs=1e-12)


@needs_data
def test_lvis():
    folder = DATA / "lvis-val-100"
    files = folder / "lvis_val_100.json", folder / "derived_dt_bbox.json"
    found = numbers(*files, "--protocol", "lvis")
    assert found["AP"] == pytest.approx(0.3945477817330607, abs=1e-12)
    assert found["APc"] == pytest.approx(0.4531787547802399, abs=1e-12)
    assert "maxDets=300 | classes=r ] = 0.000" in run(*files, "--protocol", "lvis").stdout


@needs_data
def test_voc():
    folder = DATA / "cartucho-voc"
    files = folder / "input" / "ground-truth", folder / "input" / "detection-results"
    expected = json.loads((folder / "expected.json").read_text())["voc"]["plus1"]["0.5"]
    options = ("--protocol", "voc2010", "--offset", "1")
    assert numbers(*files, *options)["AP"] == pytest.approx(expected["mAP_area"], abs=1e-12)
    shown = run(*files, *options, "--per-class").stdout
    assert "@[ IoU=0.50      | area=   all | maxDets=any ] = 0.310" in shown


def test_detections_above_the_limit_are_reported(tmp_path):
    box = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9]}
    truth = {"images": [{"id": 1}], "categories": [{"id": 1}], "annotations": [box | {"id": 1}]}
    for name, content in (("a.json", truth), ("b.json", [box | {"score": k / 200} for k in range(130)])):
        (tmp_path / name).write_text(json.dumps(content))
    done = run(tmp_path / "a.json", tmp_path / "b.json")
    assert done.exit_code == 0
    assert done.stderr == f"Warning: {tmp_path / 'b.json'}: 30 detections beyond the best 100 do not count\n"


def test_masks_of_a_format_without_them(tmp_path):
    (tmp_path / "a.csv").write_text("ImageID,LabelName,XMin,XMax,YMin,YMax,IsGroupOf\nx,cat,0,1,0,1,0\n")
    (tmp_path / "b.csv").write_text("ImageID,LabelName,Confidence,XMin,XMax,YMin,YMax\nx,cat,1,0,1,0,1\n")
    done = run(tmp_path / "a.csv", tmp_path / "b.csv", "--kind", "segm")
    assert done.exit_code == 2
    assert "`masks` is for formats that have them, 'coco', 'lvis': 'open-images' has not" in done.stderr


def test_masks_that_the_file_lacks():
    pytest.importorskip("pycocotools", reason="the example's polygons need it")
    done = run(EXAMPLE / "ground_truth.json", EXAMPLE / "detections.json", "--kind", "segm")
    assert done.exit_code == 3
    assert "segmentation: missing" in done.stderr


def test_polygons_without_their_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "pycocotools", None)
    monkeypatch.setitem(sys.modules, "pycocotools.mask", None)
    done = run(EXAMPLE / "ground_truth.json", EXAMPLE / "detections.json", "--kind", "segm")
    assert done.exit_code == 2
    assert "pip install 'omniou[coco]'" in done.stderr
