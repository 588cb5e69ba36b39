"""`omniou fuse`: detections of several models as one."""

import json

import pytest

from tests.cli.cases import run
from tests.cli.test_nms import coco, kept


@pytest.fixture
def models(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    a = coco(tmp_path / "a.json", (7, 1, 10, 0.75), (7, 2, 4, 0.5))
    b = coco(tmp_path / "b.json", (7, 1, 8, 0.25), (3, 1, 6, 0.5))
    return a, b


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        # Of image 7: (10 * .75 + 8 * .25) / 1 = 9.5, score 1 / 2; alone in one of two models: .5 / 2.
        ([], [(3, 1, 6, 0.25), (7, 1, 9.5, 0.5), (7, 2, 4, 0.25)]),
        # Weights 3 and 1: (10 * 2.25 + 8 * .25) / 2.5 = 9.8, score 2.5 / 4; .5 * 3 / 4, and .5 * 1 / 4.
        (["--weights", "3,1"], [(3, 1, 6, 0.125), (7, 1, 9.8, 0.625), (7, 2, 4, 0.375)]),
        (["--threshold", "0.8"], [(3, 1, 6, 0.25), (7, 1, 10, 0.375), (7, 2, 4, 0.25), (7, 1, 8, 0.125)]),
        (["--confidence", "max"], [(3, 1, 6, 0.5), (7, 1, 9.5, 0.75), (7, 2, 4, 0.5)]),
        (["--limit", "1"], [(3, 1, 6, 0.25), (7, 1, 9.5, 0.5)]),
        (["--score-threshold", "0.25"], [(3, 1, 6, 0.25), (7, 1, 10, 0.375), (7, 2, 4, 0.25)]),
        # The box of 4 overlaps that of 10 by .4.
        (["--class-agnostic", "--threshold", "0.3"], [(3, 1, 6, 0.25), (7, 1, pytest.approx(11.5 / 1.5), 0.5)]),
    ],
)
def test_boxes_of_two_models_by_hand(models, args, expected):
    assert kept(run("fuse", *models, *args)) == expected


def test_models_of_several_formats(models, tmp_path):
    done = run("fuse", *models, "-o", "out.json")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "3 detections from 4 of 2 models\n")
    for folder, heights in (("c", (10, 6)), ("d", (8,))):
        (tmp_path / folder).mkdir()
        lines = [f"cat 0.5 0 0 10 {height}\n" for height in heights]
        (tmp_path / folder / "7.txt").write_text("".join(lines))
    (tmp_path / "e.csv").write_text("image,class,xmin,ymin,xmax,ymax,score\n7.jpg,cat,0,0,10,9,0.5\n")

    assert run("fuse", "c", "d", "e.csv", "-o", "text", "--threshold", "0.7").exit_code == 0
    assert (tmp_path / "text" / "7.txt").read_text() == "cat 0.5 0 0 10 9\ncat 0.16666666666666666 0 0 10 6\n"


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        ([], 2, "Missing argument 'DETECTIONS...'"),
        (["a.json", "nowhere.json"], 3, "nowhere.json: no such file"),
        (["a.json", "b.json", "--weights", "1"], 2, "--weights must have one number for each of the 2 models, got 1"),
        (["a.json", "b.json", "--weights", "0,0"], 2, "'0,0' is not made of numbers from 0 on, with one above 0"),
        (["a.json", "b.json", "--weights", "1,x"], 2, "'x' is not a finite number"),
        (["a.json", "b.json", "--threshold", "-1"], 2, "'-1' is not a number from 0 to 1"),
        (["a.json", "b.json", "--kind", "segm"], 2, "omniou averages upright boxes only."),
        (["a.json", "labels"], 3, "labels: images are names here, and numbers in a.json: the ground truth tells"),
    ],
)
@pytest.mark.usefixtures("models")
def test_fuse_fails_and_leaves_nothing(tmp_path, args, code, message):
    (tmp_path / "labels").mkdir()
    (tmp_path / "labels" / "1.txt").write_text("cat 0.5 0 0 10 9\n")
    done = run("fuse", *args)

    assert done.exit_code == code, done.output
    assert message in done.stderr
    assert done.stdout == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "b.json", "labels"]


def test_fused_json_can_be_read_again(models, tmp_path):
    assert run("fuse", *models, "-o", "out.json").exit_code == 0
    rows = json.loads((tmp_path / "out.json").read_text())
    assert [set(x) for x in rows] == [{"image_id", "category_id", "bbox", "score"}] * 3
    assert run("nms", "out.json").stderr == "3 of 3 detections kept\n"


def test_doubtful_boxes_and_scores_are_named(models, tmp_path):
    rows = json.loads((tmp_path / "b.json").read_text())
    rows[0]["bbox"] = [52, 50, -40, -40]
    rows[1]["score"] = 50
    (tmp_path / "b.json").write_text(json.dumps(rows))
    done = run("fuse", *models, "-o", "out.json")

    assert "1 of 2 boxes of the detections of " in done.stderr
    assert "b.json have a negative side, and overlap nothing" in done.stderr
    assert "scores reach 50, and scores of " in done.stderr
    assert "a.json are at most 1; divide them by 100" in done.stderr
    of_one = run("nms", models[1], "-o", "one.json")
    assert "have a negative side" in of_one.stderr
    assert "scores reach" not in of_one.stderr


def test_classes_apart_are_named_unless_they_do_not_count(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    paths = [coco(tmp_path / f"{k}.json", *((7 + j, k, 10, 0.5) for j in range(6))) for k in (1, 2)]
    done = run("fuse", *paths, "-o", "out.json")
    assert "2.json: no detection has the class of a box of the first model that it overlaps" in done.stderr
    assert "or --class-agnostic" in done.stderr
    assert "Warning" not in run("fuse", *paths, "-o", "other.json", "--class-agnostic").stderr


@pytest.mark.parametrize("command", ["fuse", "nms"])
def test_names_of_images_stay_names(tmp_path, command):
    row = {"category_id": 1, "bbox": [0, 0, 10, 10]}
    rows = [row | {"file_name": f"{name}.jpg", "score": score} for name, score in (("b", 0.75), ("a", 0.5))]
    (tmp_path / "found.json").write_text(json.dumps(rows))
    images = [{"id": k, "file_name": f"{name}.jpg"} for k, name in ((7, "a"), (9, "b"))]
    objects = [{"id": k, "image_id": k, "category_id": 1, "bbox": [0, 0, 10, 10], "area": 100} for k in (7, 9)]
    truth = {"images": images, "annotations": objects, "categories": [{"id": 1, "name": "cat"}]}
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    done = run(command, tmp_path / "found.json", "-o", tmp_path / "out.json")
    assert done.exit_code == 0, done.stderr
    written = json.loads((tmp_path / "out.json").read_text())
    assert {x["image_id"] for x in written} == {"a.jpg", "b.jpg"}
    record = json.loads(run("eval", tmp_path / "truth.json", tmp_path / "out.json", "--format", "json").stdout)
    assert record["summary"]["AP"] == pytest.approx(1)
