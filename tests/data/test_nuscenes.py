"""Files of nuScenes' detection task, as its devkit and its users write them, and each fault in them."""

import gzip
import itertools
import json

import numpy as np
import pytest

from omniou import centres
from omniou.data import InputError, nuscenes
from tests.centres import scenes

SAMPLES = 4
POSES = {scenes.token(k): [*scenes.EGO, 0.0] for k in range(SAMPLES)}


@pytest.fixture
def files(tmp_path):
    """What both files hold, and a function that writes and reads them."""
    truth, found = scenes.scene(7, samples=SAMPLES)
    contents = {"truth": scenes.content(truth, SAMPLES) | {"ego_poses": dict(POSES), "bicycle_racks": {}}}
    contents["found"] = scenes.content(found, SAMPLES)

    def read():
        paths = {name: tmp_path / f"{name}.json" for name in contents}
        for name, path in paths.items():
            path.write_text(json.dumps(contents[name]))
        ground_truth = nuscenes.read_ground_truth(paths["truth"])
        return ground_truth, nuscenes.read_detections(paths["found"], ground_truth)

    return contents, read


def first(content):
    """The first box of a file, and its sample."""
    token = next(token for token, boxes in content["results"].items() if boxes)
    return content["results"][token][0], token


def test_files_give_the_result_of_their_columns(files):
    _, read = files
    truth, found = read()
    expected = centres.evaluate(*scenes.tables(*scenes.scene(7, samples=SAMPLES)))
    result = nuscenes.evaluate(truth, found)
    assert truth.tokens == tuple(POSES)
    assert np.array_equal(result.matches, expected.matches)
    np.testing.assert_allclose(result.mean_errors, expected.mean_errors, rtol=0, atol=1e-12)
    assert result.counts == expected.counts


def test_samples_in_another_order_give_the_same(files):
    contents, read = files
    expected = nuscenes.evaluate(*read()).summary
    for content in contents["truth"], contents["truth"]["ego_poses"]:
        inner = content.get("results", content)
        turned = dict(reversed(inner.items()))
        inner.clear()
        inner.update(turned)
    assert nuscenes.evaluate(*read()).summary == expected


def test_lidar_and_radar_points_are_added(files):
    contents, read = files
    expected = read()[0].targets.points.tolist()
    for boxes in contents["truth"]["results"].values():
        for box in boxes:
            many = box.pop("num_pts")
            box |= {"num_lidar_pts": many // 2, "num_radar_pts": many - many // 2}
    assert read()[0].targets.points.tolist() == expected


def test_positions_relative_to_the_ego_vehicle_stand_in_for_its_poses(files):
    contents, read = files
    expected = nuscenes.evaluate(*read()).summary
    del contents["truth"]["ego_poses"]
    for boxes in contents["truth"]["results"].values():
        for box in boxes:
            x, y, _ = box["translation"]
            box["ego_translation"] = [x - scenes.EGO[0], y - scenes.EGO[1], 0.0]
    assert nuscenes.evaluate(*read()).summary == expected


def test_positions_of_0_are_not_computed_yet(files):
    contents, read = files
    expected = nuscenes.evaluate(*read()).summary
    for content in contents.values():
        for box in itertools.chain(*content["results"].values()):
            box["ego_translation"] = [0.0, 0.0, 0.0]
    assert nuscenes.evaluate(*read()).summary == expected
    del contents["truth"]["ego_poses"]
    with pytest.raises(InputError, match=r'ego_translation: missing, or 0 in all boxes, .*: add "ego_poses"'):
        read()


def test_contradicting_positions_are_refused(files):
    contents, read = files
    first(contents["found"])[0]["ego_translation"] = [1.0, 2.0, 0.0]
    with pytest.raises(InputError, match=r"found.json: results.*\[0\].ego_translation: \[1.0, 2.0\] contradicts"):
        read()


def test_racks_hide_bicycles(files):
    contents, read = files
    rack = {"translation": [0, 0, 0], "size": [99, 99, 9], "rotation": [1, 0, 0, 0], "token": "unused"}
    contents["truth"]["bicycle_racks"] = {scenes.token(2): [rack]}
    truth, found = read()
    hidden = nuscenes.evaluate(truth, found).counts
    rows = [x for x in scenes.scene(7, samples=SAMPLES)[1] if x["sample"] == 2]
    kept = [x for x in rows if x["name"] in {"bicycle", "motorcycle"}]
    near = [x for x in kept if np.hypot(x["x"] - scenes.EGO[0], x["y"] - scenes.EGO[1]) < 40]
    assert hidden["detections in racks"] == len(near) > 0


def test_compressed_files_and_unknown_velocities_are_read(tmp_path, files):
    contents, _ = files
    box, _ = first(contents["truth"])
    box["velocity"] = [float("nan")] * 2  # as Python's json writes it
    text = json.dumps(contents["truth"])
    assert "NaN" in text
    path = tmp_path / "truth.json.gz"
    path.write_bytes(gzip.compress(text.encode()))
    assert np.isnan(nuscenes.read_ground_truth(path).targets.velocities[0]).all()


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("detection_score", float("nan"), "detection_score: expected number, got NaN"),
        ("detection_score", -1.0, "detection_score: must be at least 0, ground truth has -1, got -1.0"),
        ("detection_score", None, "detection_score: expected number, got null"),
        ("size", [1, 0, 1], r"size: sides must be above 0, got \[1.0, 0.0, 1.0\]"),
        ("size", [1, 1], "size: expected 3 numbers"),
        ("rotation", [0, 0, 0, 0], "rotation: a quaternion must not be 0"),
        ("translation", ["1", 0, 0], r"translation\[0\]: expected number, got string"),
        ("detection_name", "cra", "detection_name: unknown name 'cra'; did you mean 'car'?"),
        ("attribute_name", "vehicle.parkd", "attribute_name: unknown name 'vehicle.parkd'; did you mean"),
        ("sample_token", "another", "sample_token: must be the sample that lists the box, 'sample-.', got 'another'"),
    ],
)
def test_bad_field_is_named_by_sample_and_record(files, field, value, message):
    contents, read = files
    box, token = first(contents["found"])
    box[field] = value
    with pytest.raises(InputError, match=rf"found.json: results.{token}\[0\].{message}"):
        read()


def test_missing_fields_are_named(files):
    contents, read = files
    del first(contents["found"])[0]["detection_score"]
    with pytest.raises(InputError, match=r"results.sample-\d\[0\].detection_score: missing"):
        read()
    del first(contents["truth"])[0]["num_pts"]
    with pytest.raises(InputError, match=r"\[0\].num_pts: missing, .* are these the results of a detector\?"):
        read()
    contents["truth"] = contents["truth"]["results"]
    with pytest.raises(InputError, match=r"truth.json: results: missing: a file has"):
        read()


def test_samples_that_one_side_lacks_are_listed(files):
    contents, read = files
    del contents["found"]["results"]["sample-1"]
    contents["found"]["results"]["other"] = []
    message = (
        "results: 1 sample of the ground truth missing: 'sample-1'; "
        "1 sample not in the ground truth: 'other'; list every sample"
    )
    with pytest.raises(InputError, match=message):
        read()


@pytest.mark.parametrize("name", ["ego_poses", "bicycle_racks"])
def test_samples_of_other_fields_are_compared(files, name):
    contents, read = files
    contents["truth"][name]["other"] = [0, 0, 0] if name == "ego_poses" else []
    with pytest.raises(InputError, match=f"{name}: 1 sample not in the ground truth: 'other'"):
        read()


def test_more_than_500_detections_of_a_sample_are_refused(files):
    contents, read = files
    box, token = first(contents["found"])
    contents["found"]["results"][token] = [box] * 501
    with pytest.raises(InputError, match=f"results.{token}: at most 500 detections in a sample, got 501"):
        read()


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "the file is empty"), ("{", "the JSON ends inside a value"), ("[]", "expected object, got list")],
)
def test_other_files_are_refused(tmp_path, text, message):
    path = tmp_path / "truth.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        nuscenes.read_ground_truth(path)


def test_sample_that_is_listed_twice_is_refused(tmp_path, files):
    contents, _ = files
    _, token = first(contents["truth"])
    many = len(contents["truth"]["results"][token])
    path = tmp_path / "truth.json"
    path.write_text(json.dumps(contents["truth"]).replace('"results": {', f'"results": {{"{token}": [], ', 1))
    assert nuscenes.read_ground_truth(path).tokens[0] == token  # nothing is lost
    text = json.dumps(contents["truth"])
    path.write_text(text.replace('"sample-3": [', f'"{token}": [], "sample-3": [', 1))
    with pytest.raises(InputError, match=f"results: {many} of .* boxes are of a sample that is listed twice"):
        nuscenes.read_ground_truth(path)


def test_files_without_samples_are_refused(files):
    contents, read = files
    contents["truth"] = {"results": {}}
    contents["found"] = {"results": {}}
    with pytest.raises(InputError, match="results: no samples"):
        nuscenes.evaluate(*read())


def test_samples_without_boxes_score_0(files):
    contents, read = files
    for content in contents.values():
        content["results"] = dict.fromkeys(POSES, ())
    result = nuscenes.evaluate(*read())
    assert result.summary["NDS"] == 0
    assert result.counts["samples"] == SAMPLES
