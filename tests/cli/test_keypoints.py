"""`omniou eval` and `omniou check` of keypoints, and what comes along: report, states, comparison, gates."""

import json
import re

import pytest

from omniou import detection, report
from omniou.report._charts.plots import CHARTS
from omniou.report._logging.figures import charts_of
from tests import places
from tests.cli.cases import run


def files(folder, *, shift=0.0, swapped=False, levels=False, images=40):
    """One object of four points in each image, and a detection that is off by `shift`."""
    at = [[10, 10], [30, 12], [28, 60], [11, 64]]
    truth = {
        "images": [
            {
                "id": k,
                "file_name": f"{k}.jpg",
                "width": 200,
                "height": 100,
                **({"crowdIndex": k / 40} if levels else {}),
            }
            for k in range(images)
        ],
        "annotations": [
            {
                "id": k + 1,
                "image_id": k,
                "category_id": 1,
                "keypoints": [z for x, y in at for z in (x + k, y, 2)],
                "bbox": [10 + k, 10, 20, 54],
                "area": 700.0,
            }
            for k in range(images)
        ],
        "categories": [
            {"id": 1, "name": "pen", "keypoints": ["a", "b", "c", "d"], "skeleton": [[1, 2], [2, 3], [3, 4]]}
        ],
    }
    found = [
        {
            "image_id": k,
            "category_id": 1,
            "keypoints": [
                z for x, y in at for z in ((y, x + k + shift, 1) if swapped else (x + k + shift * (k % 2), y, 1))
            ],
            "score": 0.9 - k / 100,
        }
        for k in range(images)
    ]
    paths = folder / "truth.json", folder / "found.json"
    for path, content in zip(paths, (truth, found), strict=True):
        path.write_text(json.dumps(content))
    return paths


OWN = ("--kind", "keypoints", "--sigmas", "0.05,0.05,0.05,0.05")


def test_eval_with_two_words():
    files = [places.shared("fce-keypoints", name) for name in ("gt.json", "dt.json")]
    done = run("eval", *files, "--kind", "keypoints", "--format", "json")
    record = json.loads(done.stdout)
    assert list(record["summary"].values()) == pytest.approx(places.expected("fce-keypoints")["values"], abs=1e-12)
    assert (record["kind"], record["protocol"]["name"]) == ("keypoints: coco", "coco_keypoints")
    assert "OKS" in " ".join(record["assumptions"])
    lines = run("eval", *files, "--kind", "keypoints", "--format", "coco").stdout
    assert " Average Recall     (AR) @[ IoU=0.75      | area=   all | maxDets= 20 ] = 0.636" in lines


def test_eval_of_own_sigmas_with_report_state_and_gate(tmp_path):
    paths = files(tmp_path, shift=0.5)
    found = json.loads(paths[1].read_text())
    paths[1].write_text(json.dumps(found[1:]))  # the object of the first image is missed
    page, state = tmp_path / "page.html", tmp_path / "state.omniou"
    done = run("eval", *paths, *OWN, "--html", page, "--state", state, "--fail-under", "AR50>=0.9")
    assert done.exit_code == 0, done.output
    assert re.search(r"AR50 +0\.975", done.stdout)
    # Three lines and four marks of each skeleton.
    (drawn,) = re.findall(r'class="shape missed"><path data-of="[^"]*" d="(M10[^"]*)"', page.read_text())
    assert drawn.startswith("M10 10L30 12M30 12L28 60M28 60L11 64M")
    assert drawn.count("Z") == 4
    again = run("eval", "--from-state", state, "--format", "json")
    assert json.loads(again.stdout)["kind"].startswith("keypoints: 4 points")


def test_eval_of_groups_of_images(tmp_path):
    paths = files(tmp_path, shift=9.0, levels=True)
    done = run("eval", *paths, *OWN, "--intervals", "--format", "json", "--fail-under", "APeasy>=0.1")
    assert done.exit_code == 0, done.output
    record = json.loads(done.stdout)
    assert list(record["summary"])[-3:] == ["APeasy", "APmedium", "APhard"]
    assert "APeasy" not in record["intervals"]["numbers"]
    compared = run("compare", *paths, paths[1], *OWN)
    assert compared.exit_code == 0, compared.output


def test_eval_of_a_class_with_its_own_points(tmp_path):
    truth, found = files(tmp_path)
    content = json.loads(truth.read_text())
    content["categories"].append({"id": 2, "name": "cat", "keypoints": ["e", "f"]})
    content["annotations"][0] |= {"category_id": 2, "keypoints": [5, 5, 2, 6, 6, 2]}
    truth.write_text(json.dumps(content))
    outcome = run("eval", truth, found, *OWN)
    assert (outcome.exit_code, "`omniou eval --only-classes pen` evaluates it by" in outcome.stderr) == (3, True)
    assert run("check", truth, found, *OWN).exit_code == 3
    assert run("check", truth, found, *OWN, "--only-classes", "pen").exit_code in {0, 4}
    outcome = run("eval", truth, found, *OWN, "--only-classes", "pen", "--format", "json")
    assert json.loads(outcome.stdout)["summary"]["AR"] == pytest.approx(1.0)


def test_ground_truth_without_labelled_points_has_nothing_to_score(tmp_path):
    truth, found = files(tmp_path)
    content = json.loads(truth.read_text())
    for x in content["annotations"]:
        x["keypoints"] = []
    truth.write_text(json.dumps(content))
    outcome = run("eval", truth, found, *OWN)
    assert (outcome.exit_code, "nothing to score: all annotations are ignored" in outcome.stderr) == (3, True)


def test_check_finds_images_that_are_shifted(tmp_path):
    paths = files(tmp_path)
    contents = [json.loads(path.read_text()) for path in paths]
    for row in (*contents[0]["annotations"], *contents[1]):
        away = row["image_id"] * 37 % 140
        row["keypoints"][::3] = [x + away for x in row["keypoints"][::3]]
        if "bbox" in row:
            row["bbox"][0] += away
        else:
            row["image_id"] = (row["image_id"] + 1) % 40
    for path, content in zip(paths, contents, strict=True):
        path.write_text(json.dumps(content))
    assert "[images-shifted]" in run("check", *paths, *OWN).stdout


def test_check_finds_swapped_axes(tmp_path):
    assert run("check", *files(tmp_path), *OWN).exit_code == 0
    done = run("check", *files(tmp_path, swapped=True), *OWN)
    assert done.exit_code == 4
    assert "[keypoints-axes] x and y of the detections are swapped" in done.stdout


def test_wrong_usage_is_named(tmp_path):
    paths = files(tmp_path)
    done = run("eval", *paths, "--kind", "keypoints")
    assert done.exit_code == 3
    assert (
        "the sigmas of 4 points ('a', 'b', 'c', ...) are not known: --sigmas coco, crowdpose, wholebody" in done.stderr
    )
    done = run("eval", *paths, "--kind", "keypoints", "--sigmas", "0.1,0.1,0.1")
    assert done.exit_code == 3
    assert "annotations[0].keypoints: expected 3 points" in done.stderr
    for options, words in (
        (("--kind", "keypoints", "--sigmas", "coccoo"), "did you mean 'coco'"),
        (("--kind", "keypoints", "--sigmas", "0.1,0"), "'0' is not a number above 0"),
        (("--sigmas", "coco"), "--sigmas is for kind 'keypoints', got kind 'bbox'"),
        (("--protocol", "crowdpose"), "--protocol crowdpose is for --kind keypoints, not bbox"),
        ((*OWN, "--offset", "1"), "`offset` is for kinds that compare boxes"),
    ):
        done = run("eval", *paths, *options)
        assert done.exit_code == 2, done.output
        assert words in done.stderr


def test_convert_writes_keypoints(tmp_path):
    paths = files(tmp_path)
    out = tmp_path / "again.json"
    done = run("convert", paths[0], out, "--to", "coco", *OWN)
    assert done.exit_code == 0, done.output
    assert json.loads(out.read_text())["annotations"][1]["keypoints"][:3] == [11, 10, 2]


def test_words_of_numbers_are_about_oks(tmp_path):
    lines = run("eval", *files(tmp_path), *OWN).stdout.splitlines()
    assert next(x for x in lines if x.startswith("AP50")).endswith("OKS 0.5")
    assert next(x for x in lines if x.startswith("AR75")).endswith(
        "recall at OKS 0.75, 20 detections in each image and class"
    )


ANALYSES = [x for x in report.ANALYSES if x not in {"slices", "proposals"}]


def test_outputs_of_keypoints_say_oks_not_iou(tmp_path):
    paths, page, other = files(tmp_path, shift=2.0), tmp_path / "page.html", tmp_path / "compared.html"
    # One point is for detections without scores, and phrases are classes of one object.
    flags = [f"--{x.replace('_', '-')}" for x in ANALYSES if x not in {"one_point", "referring"}]
    for form in ("table", "csv", "md"):
        text = run("eval", *paths, *OWN, *flags, "--full", "--format", form, "--html", page).stdout
        assert ("OKS" in text, "IoU" in text) == (form != "csv", False), text
    assert "IoU" not in run("compare", *paths, paths[1], *OWN, "--html", other).stdout
    for html in (page, other):
        assert ("OKS" in html.read_text(), "IoU" in html.read_text()) == (True, False)
    assert "IoU" not in run("check", *paths, *OWN).output


@pytest.mark.parametrize(
    ("options", "overlap"),
    [({"kind": "keypoints"}, "OKS"), ({"kind": "intervals"}, "tIoU"), ({"score": "giou"}, "GIoU"), ({}, "IoU")],
)
def test_charts_and_analyses_name_their_overlap(options, overlap):
    rows = {"keypoints": [[[5, 5, 2]] * 17], "intervals": [[0, 9]]}.get(options.get("kind"), [[0, 0, 9, 9]])
    key = "keypoints" if options.get("kind") == "keypoints" else "boxes"
    truth = [{key: rows, "labels": [1], "area": [80.0]}]
    result = detection.evaluate(truth, [{key: rows, "labels": [1], "scores": [0.5]}], **options)
    # Without sizes of images, and for one class, some analyses are not there.
    made = report.record(result, analyses=ANALYSES)
    charts = charts_of(made)
    told = [f"{x.title} {x.note} {x.x_label}" for name, x in charts.items() if name in CHARTS]
    told += map(
        str, (result.errors(), result.confusion(), result.calibration(), result.lrp(), result.operating_points())
    )
    told += [
        x.title
        for name in ANALYSES
        if name in made.analyses
        for x in report.ANALYSES[name].tables(made.analyses[name], made)
    ]
    named = [x for text in told for x in re.findall(r"\w*(?:IoU|OKS)\b", text)]
    assert len(named) >= 15
    assert set(named) == {overlap}
    assert charts["iou"].x_label == overlap


def test_points_are_for_keypoints(tmp_path):
    paths = files(tmp_path, shift=1.0)
    assert re.search(r"^a +40 +0\.\d+ +\d", run("eval", *paths, *OWN, "--points").stdout, re.MULTILINE)
    boxes = [{"image_id": k, "category_id": 1, "bbox": [10 + k, 10, 20, 54], "score": 0.5} for k in range(40)]
    paths[1].write_text(json.dumps(boxes))
    refused = run("eval", *paths, "--points")
    assert (refused.exit_code, "--points is for --kind keypoints, got bbox" in refused.stderr) == (2, True)
