"""`omniou check` and `eval` find nothing in public sets, whose files are right."""

import pytest

from tests.cli.cases import run
from tests.places import shared

BOXES, MASKS = "instances_val2014_fakebbox100_results.json", "instances_val2014_fakesegm100_results.json"
COCO, BDD = ("coco-val2014-100", "instances_val2014_100.json"), ("bdd100k-eval", "tests", "eval", "testcases")
TOY, HOT = ("rafael-toy", "toyexample"), ("hotcoco-fixtures", "crates", "hotcoco", "tests", "fixtures")
SETS = {
    "boxes": (COCO, (*COCO[:1], BOXES)),
    "masks": (COCO, (*COCO[:1], MASKS), "--kind", "segm"),
    "boundaries": (COCO, (*COCO[:1], MASKS), "--kind", "boundary"),
    "lvis": (("lvis-val-100", "lvis_val_100.json"), ("lvis-val-100", "derived_dt_bbox.json")),
    "polygons": (("fce-custom", "gt_dataset.json"), ("fce-custom", "dt_dataset.json"), "--kind", "segm"),
    "ignored": (("fce-custom", "gt_ignore_test.json"), ("fce-custom", "dt_ignore_test.json")),
    "keypoints": (("fce-keypoints", "gt.json"), ("fce-keypoints", "dt.json"), "--kind", "keypoints"),
    "tracks": (("tud-campus", "gt.txt"), ("tud-campus", "test.txt"), "--kind", "tracks"),
    "voc": ((*TOY, "gts_vocpascal_format"), (*TOY, "dets_classname_abs_xywh"), "--dt-boxes", "xywh"),
    "corners": ((*TOY, "gts_vocpascal_format"), (*TOY, "dets_classname_abs_xyx2y2"), "--dt-boxes", "xyxy"),
    "toy": (("rafael-toy", "coco_gt.json"), ("rafael-toy", "coco_dt.json")),
    "text": (*(("rafael-tests", "tests", "test_case_1", x) for x in ("gts", "dets")), "--boxes", "xywh"),
    "tiny": ((*HOT, "gt.json"), (*HOT, "dt.json")),
    "edge": ((*HOT, "edge_gt.json"), (*HOT, "edge_dt.json")),
    "zero": ((*HOT, "zero_gt.json"), (*HOT, "zero_dt.json")),
    "dota": (("dota-devkit-example", "example", "labelTxt"), None),
    "polygons of dota": (("dota-devkit-example", "example", "labelTxt"), None, "--kind", "polygons"),
    "mmrotate": (("mmrotate-sample",), None),
    "label maps": ((*BDD, "seg", "gt"), (*BDD, "seg", "pred"), "--kind", "semantic", "--ignore-label", "255"),
}


# `eval` says that 108 detections are over the limit of 20.
LOUD = {"keypoints"}


@pytest.mark.parametrize("name", SETS)
def test_nothing_is_found_in_right_files(name):
    truth, found, *options = SETS[name]
    paths = [shared(*path) for path in (truth, found) if path is not None]
    done = run("check", *paths, *options)
    assert done.exit_code == 0, done.output
    assert "No mistakes found" in done.stdout
    if found is not None and name not in LOUD:
        assert run("eval", *paths, *options).stderr == ""
