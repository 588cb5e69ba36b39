"""`omniou eval --kind semantic`, `--kind panoptic` and `--kind components`."""

import json

import numpy as np
import pytest

from omniou import panoptic
from tests.cli import cases
from tests.cli.test_eval import run

image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")


@pytest.fixture
def semantic(tmp_path):
    maps = {"truth": [[0, 0, 1], [0, 1, 1], [0, 255, 255]], "found": [[0, 0, 1], [1, 1, 1], [0, 1, 1]]}
    for name, labels in maps.items():
        (tmp_path / name).mkdir(exist_ok=True)
        image.fromarray(np.asarray(labels, np.uint8)).save(tmp_path / name / "1.png")
    classes = tmp_path / "classes.json"
    classes.write_text('{"0": "[red]road", "1": "car", "5": "sky"}')
    return [tmp_path / "truth", tmp_path / "found", "--kind", "semantic", "--classes", classes, "--ignore-label", 255]


@pytest.fixture
def segments(tmp_path):
    ids = np.array([[7, 7, 9], [7, 9, 9]])
    categories = [{"id": 1, "name": "car", "isthing": 1}, {"id": 2, "name": "road", "isthing": 0}]
    categories.append({"id": 3, "name": "sky", "isthing": 0})
    for name, found in (("truth", ids), ("found", np.array([[7, 7, 9], [9, 9, 9]]))):
        (tmp_path / name).mkdir(exist_ok=True)
        image.fromarray(panoptic.to_rgb(found)).save(tmp_path / name / "1.png")
        records = [{"id": 7, "category_id": 1}, {"id": 9, "category_id": 2}]
        annotation = {"image_id": 1, "file_name": "1.png", "segments_info": records}
        content = {"annotations": [annotation], "categories": categories}
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    return [tmp_path / "truth.json", tmp_path / "found.json", "--kind", "panoptic"]


@pytest.fixture
def lesions(tmp_path):
    """Of three lesions one is found whole and one half; a prediction is false. The second image has none."""
    pytest.importorskip("scipy", reason="SciPy is not installed")
    truth = [[1, 1, 0, 0, 1, 1], [1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]]
    found = [[1, 1, 0, 0, 1, 0], [1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1]]
    for name, mask in (("truth", truth), ("found", found)):
        (tmp_path / name).mkdir()
        image.fromarray(np.asarray(mask, np.uint8) * 255).save(tmp_path / name / "1.png")
        image.fromarray(np.zeros((2, 2), np.uint8)).save(tmp_path / name / "2.png")
    return [tmp_path / "truth", tmp_path / "found", "--kind", "components"]


def test_components_table(lesions):
    done = run(*lesions)
    assert (done.exit_code, done.stderr) == (0, "")
    title, _, *lines = done.stdout.split("\n\n")[0].splitlines()
    assert title == "2 images, 2 true positives, 1 false positive, 1 false negative (components)"
    assert [line.split()[:2] for line in lines] == [
        ["PQ", "0.500"],
        ["SQ", "0.750"],
        ["RQ", "0.667"],
        ["precision", "0.667"],
        ["recall", "0.667"],
        ["dice", "0.833"],
    ]
    each = run(*lesions, "--per-class").stdout.split("\n\n")[1].splitlines()
    assert [line.split()[0] for line in each] == ["Each", "name", "1", "2"]


def test_components_json(lesions):
    record = json.loads(run(*lesions, "--format", "json").stdout)
    assert record["counts"] == {"images": 2, "true_positives": 2, "false_positives": 1, "false_negatives": 1}
    assert [(x["name"], x["PQ"], x["false_negatives"]) for x in record["per_image"]] == [("1", 0.5, 1), ("2", None, 0)]


def test_faults_of_components(lesions, tmp_path):
    image.fromarray(np.asarray([[0, 1], [2, 2]], np.uint8)).save(tmp_path / "found" / "2.png")
    done = run(*lesions)
    assert done.exit_code == 3
    assert "2.png: a mask has 0 and one other number, got 1, 2: if these are classes or instances" in done.stderr
    (tmp_path / "found" / "2.png").unlink()
    assert "no prediction for" in run(*lesions).stderr
    assert "--classes is not for --kind components" in run(*lesions, "--classes", "x").stderr


def test_semantic_table(semantic):
    done = run(*semantic, "--per-class")
    assert (done.exit_code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "1 image, 3 classes, 7 pixels (semantic)"
    assert lines[2].split() == ["mIoU", "0.750", "mean", "IoU", "of", "classes"]
    assert lines[5].split() == ["aAcc", "0.857", "accuracy", "of", "pixels"]
    assert [line.split() for line in lines[8:13]] == [
        ["Each", "class"],
        ["name", "id", "pixels", "IoU", "Dice", "precision", "recall"],
        ["[red]road", "0", "4", "0.750", "0.857", "1.000", "0.750"],
        ["car", "1", "3", "0.750", "0.857", "0.750", "1.000"],
        ["sky", "5", "0", "-", "-", "-", "-"],
    ]


def test_several_labels_are_ignored(semantic):
    done = run(*semantic[:-1], "1,255", "--format", "json")
    # 3 of 4 pixels of class 0 are right, and one is predicted as an ignored label, which is wrong.
    assert json.loads(done.stdout)["confusion"] == [[3, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]]
    done = run(*semantic[:-1], "road")
    assert "'road' is not like 255 or 0,255: integers" in done.stderr


def test_semantic_json(semantic):
    record = json.loads(run(*semantic, "--format", "json", "--per-class").stdout)
    assert record["kind"] == "semantic"
    assert record["summary"]["mIoU"] == 0.75
    assert record["summary"]["fwIoU"] == 0.75
    assert record["counts"] == {"images": 1, "classes": 3, "pixels": 7}
    assert record["confusion"] == [[3, 1, 0, 0], [0, 3, 0, 0], [0, 0, 0, 0]]
    assert record["per_class"][2] == {
        "id": 5,
        "name": "sky",
        "pixels": 0,
        "IoU": None,
        "Dice": None,
        "precision": None,
        "recall": None,
    }


def test_semantic_gates_and_other_outputs(semantic):
    passed = run(*semantic, "--fail-under", "mIoU>=0.7", "--fail-under", "car.IoU>0.7", "--format", "junit")
    assert (passed.exit_code, 'tests="2" failures="0"' in passed.stdout) == (0, True)
    failed = run(*semantic, "--fail-under", "car.IoU>=0.8", "--format", "csv")
    assert (failed.exit_code, failed.stderr) == (1, "Gate failed: car.IoU >= 0.8: got 0.750000\n")
    assert failed.stdout.splitlines()[:2] == ["number,value,low,high", "mIoU,0.75,,"]
    assert "| mIoU | 0.750 | mean IoU of classes |" in run(*semantic, "--format", "md").stdout
    no_data = run(*semantic, "--fail-under", "sky.IoU>=0")
    assert (no_data.exit_code, "sky.IoU >= 0: no data" in no_data.stderr) == (1, True)
    for condition, fault in (
        ("mIOU>=0.5", "there is no number 'mIOU': did you mean 'mIoU'?"),
        ("cat.IoU>=0.5", "there is no 'cat': did you mean 'car'?"),
        ("mIoU", "'mIoU' is not like 'AP50>=0.6'"),
    ):
        done = run(*semantic, "--fail-under", condition)
        assert (done.exit_code, fault in done.stderr) == (2, True)


def test_page_of_label_maps(semantic, tmp_path):
    done = run(*semantic, "--html", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert done.exit_code == 0
    assert "<title>Report on found</title>" in page
    assert "<b>0.750</b><span>mean IoU of classes</span>" in page
    assert "<caption>Each class</caption>" in page
    assert "[red]road" in page
    assert '"summary":' in page.replace(" ", "")


def test_html_of_the_name_of_a_class_is_text(semantic, tmp_path):
    semantic[5].write_text('{"0": "</script><b>", "1": "car", "5": "sky"}')
    run(*semantic, "--html", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "</script><b>" not in page
    assert "&lt;/script&gt;&lt;b&gt;" in page


def test_panoptic_table(segments):
    done = run(*segments, "--per-class")
    assert (done.exit_code, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[2][:2] == ["PQ", "0.708"]
    assert lines[7:11] == [
        ["name", "PQ", "SQ", "RQ", "n", *["true", "positives", "false", "positives", "false", "negatives"]],
        ["all", "0.708", "0.708", "1.000", "2", "2", "0", "0"],
        ["things", "0.667", "0.667", "1.000", "1", "1", "0", "0"],
        ["stuff", "0.750", "0.750", "1.000", "1", "1", "0", "0"],
    ]
    assert lines[14] == ["car", "1", "yes", "0.667", "0.667", "1.000", "1", "0", "0"]
    assert lines[16] == ["sky", "3", "no", "-", "-", "-", "0", "0", "0"]


def test_panoptic_json(segments, tmp_path):
    (tmp_path / "found").rename(tmp_path / "pictures")
    record = json.loads(run(*segments, "--dt-folder", tmp_path / "pictures", "--format", "json").stdout)
    assert record["summary"]["PQ"] == pytest.approx((2 / 3 + 3 / 4) / 2)
    assert record["counts"] == {"images": 1, "categories": 3}


def test_faults_of_files_exit_with_3(semantic, segments, tmp_path):
    (tmp_path / "found" / "1.png").unlink()
    done = run(*segments)
    assert (done.exit_code, done.stdout) == (3, "")
    assert done.stderr.strip() == f"Error: {tmp_path}/found/1.png: no such file"
    assert run(*semantic).exit_code == 3


@pytest.fixture
def nothing(tmp_path):
    image.fromarray(np.full((2, 2), 255, np.uint8)).save(tmp_path / "void.png")
    return [tmp_path / "void.png"] * 2


def test_nothing_to_score_exits_with_3(nothing, tmp_path):
    done = run(*nothing, "--kind", "semantic", "--ignore-label", 255)
    assert done.exit_code == 3
    assert "void.png: nothing to score: no pixel has a class that counts" in done.stderr
    path = tmp_path / "empty.json"
    path.write_text('{"annotations": [], "categories": [{"id": 1, "isthing": 1}]}')
    done = run(path, path, "--kind", "panoptic")
    assert (done.exit_code, "empty.json: nothing to score: no segments" in done.stderr) == (3, True)
    image.fromarray(np.zeros((2, 2), np.uint8)).save(tmp_path / "empty.png")
    done = run(tmp_path / "empty.png", nothing[0], "--kind", "components")
    assert (done.exit_code, "nothing to score: all masks of the ground truth are empty" in done.stderr) == (3, True)


@pytest.mark.parametrize(
    ("kind", "option"),
    [
        ("semantic", ["--boxes", "xyxy"]),
        ("semantic", ["--gt-folder", "x"]),
        ("panoptic", ["--classes", "x"]),
        ("panoptic", ["--protocol", "coco"]),
        ("bbox", ["--ignore-label", "3"]),
        ("segm", ["--dt-folder", "x"]),
    ],
)
def test_options_of_other_kinds_are_refused(kind, option):
    done = run("a", "b", "--kind", kind, *option)
    assert done.exit_code == 2
    assert f"{option[0]} is not for --kind {kind}" in done.stderr


def test_warnings_are_lines(semantic, tmp_path):
    image.fromarray(np.zeros((2, 2), np.uint8)).save(tmp_path / "found" / "2.png")
    done = run(*semantic)
    assert done.exit_code == 0
    assert done.stderr.startswith(f"Warning: {tmp_path}/found: 1 picture excluded: not in {tmp_path}/truth")


def test_missing_pillow_is_named(semantic, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "PIL" else object())
    done = run(*semantic)
    assert done.exit_code == 2
    assert "reading label maps needs PIL: pip install pillow" in done.stderr


def test_protocol_of_another_kind_is_refused(semantic):
    done = run(*semantic, "--protocol", "coco")
    assert (done.exit_code, "--protocol is not for --kind semantic" in done.stderr) == (2, True)


def test_models_of_other_classes_are_not_compared(tmp_path):
    for name, last in (("truth", 1), ("good", 1), ("poor", 9)):
        (tmp_path / name).mkdir()
        image.fromarray(np.asarray([[0, 1, last]], np.uint8)).save(tmp_path / name / "1.png")
    done = cases.run("compare", *(tmp_path / x for x in ("truth", "good", "poor")), "--kind", "semantic")
    assert done.exit_code == 3
    assert "must be of the same classes, got 2 and 3; only the second has 9." in done.stderr
