"""`omniou eval --state`, `--from-state` and `omniou info STATE`."""

import json

import numpy as np
import pytest

from omniou import detection
from omniou.data.shards import states
from tests.cli.cases import files, run


@pytest.fixture
def shards(tmp_path):
    """Two runs: the halves of a data set, and both together."""
    whole = files(tmp_path)
    made = []
    for k in range(2):
        folder = tmp_path / f"half{k}"
        folder.mkdir()
        truth, found = (json.loads(path.read_text()) for path in whole)
        mine = [row["id"] for row in truth["images"] if row["id"] % 2 == k]
        truth["images"] = [row for row in truth["images"] if row["id"] in mine]
        truth["annotations"] = [row for row in truth["annotations"] if row["image_id"] in mine]
        (folder / "truth.json").write_text(json.dumps(truth))
        (folder / "found.json").write_text(json.dumps([row for row in found if row["image_id"] in mine]))
        made.append([folder / "truth.json", folder / "found.json"])
    return [*made, list(whole)]


@pytest.mark.parametrize("ending", ["npz", "arrow"])
def test_numbers_from_states_of_several_runs(tmp_path, shards, ending):
    if ending == "arrow":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    kept = [tmp_path / f"{k}.{ending}" for k in range(2)]
    for pair, path in zip(shards, kept, strict=False):
        assert run("eval", *pair, "--state", path).exit_code == 0
    from_states, whole = (
        json.loads(run("eval", *args, "--format", "json").stdout) for args in (["--from-state", *kept], shards[2])
    )
    for name in ("summary", "per_class", "areas", "images", "kind", "protocol", "intervals"):
        assert from_states[name] == whole[name]
    assert [x["role"] for x in from_states["inputs"]] == ["state", "state"]
    assert from_states["per_class"][1]["name"] == "traffic light"
    gate = run("eval", "--from-state", *kept, "--fail-under", "traffic light.AP50>=0.99")
    assert gate.exit_code == 0


def test_info_of_a_state(tmp_path, shards):
    path = tmp_path / "a.npz"
    run("eval", *shards[2], "--state", path)
    facts = json.loads(run("info", path, "--format", "json").stdout)
    assert {
        name: facts[name] for name in ("version", "protocol", "kind", "images", "classes", "objects", "detections")
    } == {
        "version": 2,
        "protocol": "coco",
        "kind": "bbox",
        "images": 40,
        "classes": 2,
        "objects": 40,
        "detections": 40,
    }
    assert facts["class_names"] == ["cat", "traffic light"]
    assert facts["bytes"] == path.stat().st_size
    table = run("info", path).stdout
    assert "detections  40" in table
    assert "traffic light" in table


def test_states_that_do_not_go_together_are_named(tmp_path, shards):
    paths = [tmp_path / f"{k}.npz" for k in range(3)]
    run("eval", *shards[0], "--state", paths[0])
    run("eval", *shards[1], "--state", paths[1], "--protocol", "voc2010")
    run("eval", *shards[1], "--state", paths[2], "--max-detections", "1,10")
    for other, message in (
        (1, "iou_thresholds is (0.5,), and (0.5, 0.55"),
        (2, "max_detections is (1, 10), and (1, 10, 100)"),
    ):
        done = run("eval", "--from-state", paths[0], paths[other])
        assert done.exit_code == 3
        assert f"{paths[other]}: its protocol differs from {paths[0]}: " in done.stderr
        assert message in done.stderr
    done = run("eval", "--from-state", paths[0], paths[0])
    assert done.exit_code == 3
    assert f"image '0' is in {paths[0]} and {paths[0]}" in done.stderr


def test_bad_files_of_states(tmp_path, shards):
    path = tmp_path / "a.npz"
    run("eval", *shards[0], "--state", path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    for command in (["eval", "--from-state"], ["info"]):
        done = run(*command, path)
        assert done.exit_code == 3
        assert f"{path}: not the state of an evaluation, or damaged" in done.stderr
    head = np.frombuffer(b'{"kind": "omniou detection state", "version": 3, "checksum": ""}', dtype=np.uint8)
    np.savez(path, head=head)
    assert "version 3 is not 2" in run("eval", "--from-state", path).stderr
    head = np.frombuffer(b'{"kind": "something", "version": 1, "checksum": ""}', dtype=np.uint8)
    np.savez(path, head=head)
    assert "expected 'omniou detection state', got 'something'" in run("eval", "--from-state", path).stderr
    assert "no such file" in run("eval", "--from-state", tmp_path / "b.npz").stderr


def test_options_that_have_no_use_for_states(tmp_path, shards):
    path = tmp_path / "a.npz"
    run("eval", *shards[0], "--state", path)
    done = run("eval", "--from-state", path, "--protocol", "voc2010")
    assert done.exit_code == 2
    assert "--protocol is not for --from-state: the states fix the rules" in done.stderr
    assert run("eval", "--from-state").exit_code == 2
    assert run("eval", path).stderr.endswith("Missing argument 'DETECTIONS'.\n")
    assert "unexpected extra argument" in run("eval", path, path, path).stderr
    done = run("eval", *shards[0], "--state", tmp_path / "none" / "a.npz")
    assert done.exit_code == 3
    assert "--state" in done.stderr


def test_analyses_of_boxes_are_not_of_states(tmp_path, shards):
    path = tmp_path / "a.npz"
    run("eval", *shards[0], "--state", path)
    plain = json.loads(run("eval", "--from-state", path, "--format", "json").stdout)
    assert plain["analyses"] == {}
    assert plain["warnings"] == []
    asked = json.loads(run("eval", "--from-state", path, "--errors", "--f1", "--format", "json").stdout)
    assert list(asked["analyses"]) == ["f1"]
    assert [x["code"] for x in asked["warnings"]] == ["no-errors"]


def test_state_keeps_groups_of_lvis(tmp_path):
    evaluator = detection.Evaluator(groups={"r": [1], "c": [2]})
    truth = [{"boxes": [[0, 0, 9, 9], [20, 20, 30, 30]], "labels": [1, 2]}]
    evaluator.update(truth, [{"boxes": [[0, 0, 9, 9]], "labels": [1], "scores": [0.5]}])
    states.save(evaluator.state, tmp_path / "a.npz")
    summary = detection.compute([states.load(tmp_path / "a.npz")]).summary
    assert (summary["APr"], summary["APc"]) == (pytest.approx(1.0), 0.0)
    told = json.loads(run("eval", "--from-state", tmp_path / "a.npz", "--format", "json").stdout)
    assert told["summary"]["APr"] == summary["APr"]
