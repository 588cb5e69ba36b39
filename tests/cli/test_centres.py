"""`omniou eval --kind centres`: tables, JSON, gates, pages, and what `omniou check` says."""

import json
import re

import pytest

from omniou import centres
from tests.centres import scenes
from tests.cli.cases import run

SAMPLES = 5
CODES = {"classes-without-objects", "true-positives-of-score-0", "unknown-velocity", "unknown-attribute"}


@pytest.fixture
def files(tmp_path):
    """Cars and pedestrians, with their bicycle racks."""
    rows = scenes.scene(4, samples=SAMPLES, names=["car", "pedestrian"])
    poses = {scenes.token(k): [*scenes.EGO, 0] for k in range(SAMPLES)}
    more = [{"ego_poses": poses, "bicycle_racks": {}}, {}]
    for name, side, extra in zip(("truth", "found"), rows, more, strict=True):
        (tmp_path / f"{name}.json").write_text(json.dumps(scenes.content(side, SAMPLES) | extra))
    return [tmp_path / "truth.json", tmp_path / "found.json", "--kind", "centres"]


def expected():
    return centres.evaluate(*scenes.tables(*scenes.scene(4, samples=SAMPLES, names=["car", "pedestrian"])))


def test_json_has_all_numbers(files):
    done = run("eval", *files, "--format", "json")
    assert not done.exit_code, done.output
    values, result = json.loads(done.stdout), expected()
    assert values["kind"] == "centres"
    assert values["protocol"] == "nuscenes"
    assert list(values["summary"])[:2] == ["NDS", "mAP"]
    assert values["summary"] == pytest.approx(result.summary)
    car = values["per_class"][0]
    assert car["name"] == "car"
    assert car["ATE"] == pytest.approx(result.mean_errors[0, 0])
    assert values["per_class"][8]["AVE"] is None  # of traffic cones
    assert [x["name"] for x in values["per_range"]] == ["0-20 m", "20-30 m", "30-40 m", "40-50 m"]
    near = next(x for x in values["per_class_and_range"] if x["name"] == "car, 20-30 m")
    assert near["AP"] == pytest.approx(result.within(20, 30).per_class["AP"][0])
    assert values["dropped"]["objects without points"] == result.counts["objects without points"]
    assert {x["code"] for x in values["warnings"]} <= CODES
    assert values["assumptions"] == []


def test_table_shows_score_classes_ranges_and_what_is_dropped(files):
    text = run("eval", *files).stdout
    lines = text.splitlines()
    assert lines[2].split()[:2] == ["NDS", f"{expected().summary['NDS']:.3f}"]
    for title in ("Each class", "Each range", "Dropped by the rules", "Warnings"):
        assert title in lines
    assert "AP of each class and range" not in lines
    assert "AP of each class and range" in run("eval", *files, "--per-class").stdout


def test_ranges_are_an_option(files):
    values = json.loads(run("eval", *files, "--ranges", "0,25,50", "--format", "json").stdout)
    assert [x["name"] for x in values["per_range"]] == ["0-25 m", "25-50 m"]
    done = run("eval", *files, "--ranges", "25,0")
    assert done.exit_code == 2
    assert "'25,0' is not like 0,20,50: rising numbers from 0 on" in done.output


def test_gates_on_numbers_classes_and_ranges(files):
    gates = ["NDS>=0.01", "AP@4m>=0.01", "car.AP@0.5m>=0", "20-30 m.mAP>=0"]
    assert run("eval", *files, *(word for gate in gates for word in ("--fail-under", gate))).exit_code == 0
    done = run("eval", *files, "--fail-under", "car.AP@0.5m>=0.99")
    assert done.exit_code == 1
    assert "Gate failed: car.AP@0.5m >= 0.99" in done.stderr


def test_page_has_the_curves(files, tmp_path):
    assert run("eval", *files, "--html", tmp_path / "page.html").exit_code == 0
    assert "Precision over recall at each distance" in (tmp_path / "page.html").read_text("utf-8")


def test_missing_racks_are_an_assumption(files):
    content = json.loads(files[0].read_text())
    del content["bicycle_racks"]
    files[0].write_text(json.dumps(content))
    text = run("eval", *files).stdout
    assert "The file has no list of bicycle racks" in text
    assert next(x for x in text.splitlines() if x.startswith("in racks")).split() == ["in", "racks", "-", "-"]


def test_unknown_numbers_of_points_are_an_assumption(files):
    content = json.loads(files[0].read_text())
    boxes = next(x for x in content["results"].values() if x)
    boxes[0]["num_pts"] = -1
    files[0].write_text(json.dumps(content))
    assert "1 object without a number of points included." in run("eval", *files).stdout


def test_fault_of_a_file_is_one_line(files):
    content = json.loads(files[1].read_text())
    del content["results"]["sample-3"]
    files[1].write_text(json.dumps(content))
    done = run("eval", *files)
    assert done.exit_code == 3
    assert done.stdout == ""
    assert "found.json: results: 1 sample of the ground truth missing: 'sample-3'" in done.stderr


def test_ground_truth_of_which_nothing_counts(files):
    content = json.loads(files[0].read_text())
    for boxes in content["results"].values():
        for box in boxes:
            box["num_pts"] = 0
    files[0].write_text(json.dumps(content))
    done = run("eval", *files)
    assert done.exit_code == 3
    assert re.search(r"truth.json: nothing to score: all objects are dropped, .*\d+ without points\n", done.stderr)
    for paths in (files[:2], files[:1]):
        checked = run("check", *paths, "--kind", "centres")
        assert (checked.exit_code, "[nothing-to-score] nothing to score: all objects" in checked.stdout) == (4, True)


def test_check_lists_findings(files):
    done = run("check", *files)
    assert done.exit_code == 4
    assert "[classes-without-objects] 8 of 10 classes have no objects" in done.stdout
    alone = run("check", *files[:1], *files[2:])
    assert alone.exit_code == 0, alone.output


def test_check_names_the_order_of_sizes(tmp_path):
    """A hundred cars; the detections have length, width, height. nuScenes has width, length, height."""
    tokens = [f"s{k}" for k in range(5)]

    def content(size):
        boxes = [
            {"translation": [10 + 2.0 * k, 5, 1], "size": size, "rotation": [1, 0, 0, 0], "velocity": [0, 0]}
            | {
                "detection_name": "car",
                "attribute_name": "vehicle.parked",
                "num_pts": 9,
                "detection_score": 0.5 + k / 99,
            }
            for k in range(20)
        ]
        results = {token: [x | {"sample_token": token} for x in boxes] for token in tokens}
        return {"meta": {}, "results": results, "ego_poses": {token: [0, 0, 0] for token in tokens}}

    (tmp_path / "truth.json").write_text(json.dumps(content([1.8, 4.2, 1.5])))
    (tmp_path / "found.json").write_text(json.dumps(content([4.2, 1.8, 1.5])))
    done = run("check", tmp_path / "truth.json", tmp_path / "found.json", "--kind", "centres", "--format", "json")
    (finding,) = [x for x in json.loads(done.stdout)["findings"] if x["code"].startswith("boxes")]

    assert finding["text"].startswith(
        "sizes of the detections seem to be length, width, height, where the ground truth has width, length, height"
    )
    assert finding["evidence"].endswith(
        "0.0% of true positives of long objects as read, 100.0% as length, width, height"
    )
