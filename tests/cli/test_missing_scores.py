"""`omniou eval --missing-scores`, and what files of detections without scores are told without it."""

import json

import numpy as np
import pytest

from omniou import data
from tests.cli.cases import run

BOX = [10, 10, 20, 20]
TRUTH = {
    "images": [{"id": k, "file_name": f"{name}.jpg", "width": 100, "height": 100} for k, name in enumerate("ab")],
    "categories": [{"id": 0, "name": "cat"}, {"id": 1, "name": "dog"}],
    "annotations": [{"id": k + 1, "image_id": k, "category_id": k, "bbox": BOX} for k in range(2)],
}
RECORDS = [{"image_id": k, "category_id": k, "bbox": BOX} for k in range(2)]
KITTI = "-1 -1 -10 10 10 30 30 -1 -1 -1 -1000 -1000 -1000 -10"
SHAPE = {"points": [[10, 10], [30, 30]], "shape_type": "rectangle"}
XML = "<bndbox><xmin>10</xmin><ymin>10</ymin><xmax>30</xmax><ymax>30</ymax></bndbox>"
# Files of the same two detections, without scores, and of these with one score.
FILES = {
    "coco": ({"x.json": json.dumps(RECORDS)}, {"x.json": json.dumps([RECORDS[0], RECORDS[1] | {"score": 0.5}])}),
    "null": ({"x.json": json.dumps([x | {"score": None} for x in RECORDS])}, None),
    "data set": ({"x.json": json.dumps(TRUTH)}, None),
    "yolo": (
        {"a.txt": "0 .2 .2 .2 .2", "b.txt": "1 .2 .2 .2 .2"},
        {"a.txt": "0 .2 .2 .2 .2\n1 .2 .2 .2 .2 .5"},
    ),
    "text": (
        {"a.txt": "cat 10 10 30 30", "b.txt": "dog 10 10 30 30"},
        {"a.txt": "cat 10 10 30 30\ncat .5 10 10 30 30"},
    ),
    "kitti": ({"a.txt": f"cat {KITTI}", "b.txt": f"dog {KITTI}"}, {"a.txt": f"cat {KITTI}\ncat {KITTI} .5"}),
    "csv": (
        {"x.csv": "image,class,x1,y1,x2,y2\na,cat,10,10,30,30\nb,dog,10,10,30,30"},
        {"x.csv": "image,class,score,x1,y1,x2,y2\na,cat,,10,10,30,30\nb,dog,.5,10,10,30,30"},
    ),
    "voc": (
        {
            f"{image}.xml": f"<annotation><object><name>{name}</name>{XML}</object></annotation>"
            for image, name in (("a", "cat"), ("b", "dog"))
        },
        None,
    ),
    "labelme": (
        {
            f"{image}.json": json.dumps({"imagePath": f"{image}.jpg", "shapes": [SHAPE | {"label": name}]})
            for image, name in (("a", "cat"), ("b", "dog"))
        },
        {
            "a.json": json.dumps(
                {"imagePath": "a.jpg", "shapes": [SHAPE | {"label": "cat", "score": x} for x in (0.5, None)]}
            )
        },
    ),
}


@pytest.fixture
def truth(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "truth.json").write_text(json.dumps(TRUTH))
    return "truth.json"


def written(folder, files):
    (folder / "found").mkdir()
    for name, text in files.items():
        (folder / "found" / name).write_text(text)
    return f"found/{name}" if len(files) == 1 else "found"


@pytest.mark.parametrize("name", FILES)
def test_files_without_scores_are_one_operating_point(tmp_path, truth, name):
    path = written(tmp_path, FILES[name][0])
    done = run("eval", truth, path, "--missing-scores", "--format", "json")
    assert done.exit_code == 0, done.stderr
    record = json.loads(done.stdout)
    assert list(record["summary"])[:3] == ["F1", "precision", "recall"]
    assert (record["summary"]["F1"], record["counts"]["detections"]) == (1.0, 2)
    assert record["words"]["AP50"] == "IoU 0.5, all detections at once"
    point = record["analyses"]["one_point"]
    assert [x["name"] for x in point["per_class"]] == ["cat", "dog"]
    assert [(x["name"], x["mean_iou"]) for x in point["per_image"]] == [("a.jpg", 1.0), ("b.jpg", 1.0)]
    refused = run("eval", truth, path)
    assert refused.exit_code in {2, 3}
    if name != "data set":  # which is most likely the ground truth
        assert "is this the ground truth? --missing-scores evaluates detections without scores" in refused.stderr


@pytest.mark.parametrize("option", [[], ["--missing-scores"]])
@pytest.mark.parametrize("name", [name for name, (_, mix) in FILES.items() if mix is not None])
def test_mix_of_detections_with_and_without_scores_is_refused(tmp_path, truth, name, option):
    files = FILES[name][1]
    written(tmp_path, files)
    done = run("eval", truth, f"found/{next(iter(files))}", *option)
    assert done.exit_code == 3, done.stdout
    if name not in {"yolo", "kitti", "text"} or not option:
        assert "1 of 2" in done.stderr
    assert "Traceback" not in done.stderr


def test_other_names_of_scores_and_files_with_scores_are_refused(tmp_path, truth):
    path = tmp_path / "found.json"
    path.write_text(json.dumps([x | {"confidence": 0.5} for x in RECORDS]))
    done = run("eval", truth, path, "--missing-scores")
    assert done.exit_code == 3
    assert "[0].score: missing: is it 'confidence'? Rename it" in done.stderr
    path.write_text(json.dumps([x | {"score": 0.5} for x in RECORDS]))
    assert (
        "all 2 detections have a score: remove --missing-scores" in run("eval", truth, path, "--missing-scores").stderr
    )


def test_shuffled_files_give_the_same_record(tmp_path, truth):
    rows = [{"image_id": k % 2, "category_id": k % 2, "bbox": [10 + k % 5, 10, 20, 20 - k % 3]} for k in range(30)]
    numbers = set()
    for seed in range(3):
        shuffled = [rows[k] for k in np.random.default_rng(seed).permutation(len(rows))]
        (tmp_path / "found.json").write_text(json.dumps(shuffled))
        record = json.loads(run("eval", truth, "found.json", "--missing-scores", "--format", "json").stdout)
        numbers.add(json.dumps([record[name] for name in ("summary", "per_class", "analyses")]))
    assert len(numbers) == 1


def test_outputs_and_options_of_detections_without_scores(tmp_path, truth):
    path = written(tmp_path, FILES["coco"][0])
    done = run("eval", truth, path, "--missing-scores", "--html", "page.html", "--fail-under", "cat.recall>=1")
    assert done.exit_code == 0, done.stderr
    assert "no scores)" in done.stdout
    assert "All detections at once, at IoU 0.5" in done.stdout
    page = (tmp_path / "page.html").read_text()
    assert "All detections at once" in page
    assert "Precision over recall" not in page
    assert "F1 over scores" not in page
    assert "score at least" not in page
    assert "Score ≥" not in page
    assert "calibration</h2>" not in page
    for options, told in (
        (["--max-detections", "10"], "remove --max-detections or --missing-scores"),
        (["--tie-policy", "file"], "remove --tie-policy or --missing-scores"),
        (["--pr"], "--pr is for detections with scores: remove it"),
    ):
        refused = run("eval", truth, path, "--missing-scores", *options)
        assert (refused.exit_code, told in refused.stderr) == (2, True), refused.stderr
    assert "is for eval, compare, check and convert: nms needs scores" in run("nms", path, "--missing-scores").stderr
    compared = run("compare", truth, path, path, "--missing-scores")
    assert compared.exit_code == 0
    assert "F1" in compared.stdout
    assert "No mistakes found" in run("check", truth, path, "--missing-scores").stdout


@pytest.mark.parametrize("name", ["found.json", "found.csv", "yolo", "text", "kitti"])
def test_detections_without_scores_are_converted(tmp_path, truth, name):
    path = written(tmp_path, FILES["coco"][0])
    target = [] if "." in name else ["--to", name]
    assert run("convert", truth, path, name, *target, "--missing-scores").exit_code == 0
    done = run("eval", truth, name, "--missing-scores", "--format", "json")
    assert json.loads(done.stdout)["summary"]["F1"] == 1.0
    if name == "found.csv":  # without the flags of objects
        assert (tmp_path / name).read_text().startswith("filename,width,height,class,xmin,ymin,xmax,ymax\n")
    refused = run("convert", truth, path, "voc", "--to", "voc", "--missing-scores")
    assert "have a score, and the detections have none: write coco, csv or text" in refused.stderr


def test_detections_that_are_not_recognised_name_their_own_option(truth, tmp_path):
    (tmp_path / "found.txt").write_text("I am sorry, there is nothing here.")
    assert "--dt-format names it" in run("eval", truth, "found.txt", "--missing-scores").stderr


def test_reader_of_detections_without_scores(tmp_path, truth):
    path = written(tmp_path, FILES["coco"][0])
    read = data.read_ground_truth(truth)
    assert data.read_detections(path, read, options=data.Options(missing_scores=True)).scores is None
    with pytest.raises(data.InputError, match=r"\[0\]\.score: missing: is this the ground truth\? --missing-scores"):
        data.read_detections(path, read)


def test_referring_expressions_are_classes_in_images(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = ["a.jpg,left cup,0,0,10,10", "a.jpg,red cup,20,20,30,30", "b.jpg,left cup,5,5,15,15"]
    head = "image,class,xmin,ymin,xmax,ymax"
    (tmp_path / "phrases.csv").write_text("\n".join([head, *rows]))
    (tmp_path / "found.csv").write_text(
        "\n".join([head, rows[0].replace(",10,10", ",10,8"), "b.jpg,left cup,50,5,65,15"])
    )
    done = run("eval", "phrases.csv", "found.csv", "--missing-scores", "--referring", "--format", "json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)["analyses"]["referring"]
    assert [round(found["summary"][name], 3) for name in ("Acc50", "mean_iou", "centre_inside")] == [
        0.333,
        0.267,
        0.333,
    ]
    assert found["per_phrase"][0] == {"image": "a.jpg", "name": "left cup", "iou": 0.8, "centre_inside": True}
    assert (
        "Referring expressions: 3 phrases"
        in run("eval", "phrases.csv", "found.csv", "--missing-scores", "--referring").stdout
    )
    with (tmp_path / "found.csv").open("a") as file:
        file.write("\na.jpg,left cup,1,1,9,9")
    refused = run("eval", "phrases.csv", "found.csv", "--missing-scores", "--referring")
    assert refused.exit_code == 3
    assert "must have one of the detections: 'left cup' has 2 in image 'a.jpg'" in refused.stderr
