"""`omniou convert`, `formats`, `info` and the group of commands."""

import json
import subprocess
import sys

import pytest

from omniou import __version__
from omniou.data import FORMATS, TRACK_FORMATS, WRITERS
from tests.cli.cases import files, run


@pytest.fixture
def paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return files(tmp_path)


def test_convert_ground_truth_and_detections_to_yolo(paths, tmp_path):
    done = run("convert", paths[0], "labels", "--to", "yolo")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "labels" / "1.txt").read_text() == "1 0.05 0.05 0.1 0.1\n"

    assert run("convert", *paths, "found", "--to", "yolo").exit_code == 0
    numbers = run("eval", "labels", "found", "--image-size", "100x100", "--format", "json")
    before = run("eval", *paths, "--format", "json")
    assert json.loads(numbers.stdout)["summary"] == pytest.approx(json.loads(before.stdout)["summary"], nan_ok=True)


def test_convert_to_standard_output(paths):
    command = [sys.executable, "-m", "omniou", "convert", *map(str, paths), "-", "--to", "coco"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert len(json.loads(done.stdout)) == 40


def test_convert_says_what_gets_lost(paths):
    done = run("convert", paths[0], "out", "--to", "text")

    assert done.exit_code == 0
    assert "1 class name had blanks, which became underscores" in done.stderr


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["truth.json", "--to", "yolo"], 2, "expected GROUND_TRUTH [DETECTIONS] OUTPUT"),
        (
            ["truth.json", "-", "--to", "yolo"],
            2,
            "yolo is a directory of files: name a directory as OUTPUT",
        ),
        (["truth.json", "out", "--to", "yollo"], 2, "Did you mean 'yolo'?"),
        (["truth.json", "found.json", "out", "--to", "lvis"], 2, "'lvis' is not a format of detections"),
        (["truth.json", "no/out.json", "--to", "coco"], 3, "no is not a directory that can be written to"),
        (["truth.json", "no/out", "--to", "yolo"], 3, "OUTPUT no/out: no is not a directory that can be written to"),
        (["truth.json", ".", "--to", "yolo"], 2, "must be a directory that is new or empty"),
        (["nowhere.json", "out", "--to", "yolo"], 3, "nowhere.json: no such file"),
    ],
)
@pytest.mark.usefixtures("paths")
def test_convert_fails_and_leaves_nothing(tmp_path, args, code, message):
    done = run("convert", *args)

    assert done.exit_code == code, done.output
    assert message in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["found.json", "truth.json"]


def test_formats_lists_all_that_are_read_and_written():
    rows = {row["name"]: row for row in json.loads(run("formats", "--format", "json").stdout)}

    assert set(rows) == {*FORMATS, *TRACK_FORMATS} > WRITERS.keys()
    assert rows["lvis"]["read"] == ["gt", "dt"]
    assert rows["lvis"]["written"] == ["gt"]
    assert rows["parquet"]["needs"] == "pyarrow"
    assert "yolo" in run("formats").stdout
    assert "| yolo |" in run("formats", "--format", "md").stdout


def test_info_has_versions():
    facts = json.loads(run("info", "--format", "json").stdout)

    assert facts["omniou"] == __version__
    assert facts["libraries"]["numpy"]
    assert "numpy" in run("info").stdout


def test_group_lists_commands_and_suggests_one():
    shown = run("--help").stdout
    assert "eval     Compute mAP, HOTA, mean IoU and other numbers of files." in shown
    done = run("evla")
    assert (done.exit_code, "did you mean 'eval'?" in done.stderr) == (2, True)
    assert "the commands are eval, " in run("xyzzy").stderr


def test_help_of_the_group_imports_no_command():
    code = (
        "import sys\nfrom omniou.cli import main\nsys.argv = ['omniou', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    loaded = set(done.stdout.splitlines()[-1].split())
    assert not loaded & {"numpy", "rich", "msgspec", "omniou.boxes", "omniou.detection", "omniou.cli._eval"}
    assert len([x for x in loaded if x.partition(".")[0] == "omniou"]) <= 8


def test_fault_of_omniou_is_none_of_the_documented_codes():
    code = (
        "import sys\nfrom omniou.cli import main, _info\ndef fail(*_): raise RuntimeError('boom')\n"
        "_info._version = fail\nsys.argv = ['omniou', 'info']\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 70
    assert "RuntimeError: boom" in done.stderr
    assert "This is a bug in omniou" in done.stderr


@pytest.mark.parametrize("kind", ["bbox", "segm"])
def test_coco_to_coco_keeps_everything(tmp_path, kind):
    shape = {"bbox": [10, 10, 40, 40.5], "segmentation": [[10, 10, 50, 10, 50, 50, 10, 50]], "track_id": 7}
    image = {"id": 1, "file_name": "a.jpg", "height": 100, "width": 100}
    truth = {
        "info": {"year": 2026},
        "images": [image | {"license": 3}, image | {"id": 2, "file_name": "b.jpg"}],
        "annotations": [
            {"id": 77, "image_id": 1, "category_id": 3, "area": 1600, "iscrowd": 0, **shape, "extra": None},
            {"id": 5, "image_id": 2, "category_id": 3, "area": 9.5, "iscrowd": 0, **shape},
        ],
        "categories": [{"id": 3, "name": "cat", "supercategory": "animal"}],
    }
    found = [{"image_id": 2, "category_id": 3, "score": 0.5, **shape}]
    paths = [tmp_path / name for name in ("truth.json", "found.json", "out.json")]
    for path, content in zip(paths, (truth, found), strict=False):
        path.write_text(json.dumps(content))
    assert run("convert", paths[0], paths[2], "--to", "coco", "--kind", kind).stderr == ""
    assert json.loads(paths[2].read_text()) == truth
    assert run("convert", *paths, "--to", "coco", "--kind", kind).stderr == ""
    assert json.loads(paths[2].read_text()) == found
    chosen = tmp_path / "set.txt"
    chosen.write_text("b\n")
    run("convert", paths[0], paths[2], "--to", "coco", "--kind", kind, "--image-set", chosen)
    assert json.loads(paths[2].read_text())["annotations"] == truth["annotations"][1:]
