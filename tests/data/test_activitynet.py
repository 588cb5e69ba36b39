"""ActivityNet's JSON of videos and of results."""

import json

import numpy as np
import pytest

from omniou import data, detection
from omniou.boxes import INTERVALS
from omniou.data import InputError, InputWarning, OptionError, Options, _recognise

KIND = Options(kind="intervals")


def video(*segments, subset="validation", duration=60.0):
    annotations = [{"segment": [begin, end], "label": label} for begin, end, label in segments]
    return {"subset": subset, "duration": duration, "url": "", "annotations": annotations}


def predictions(*segments):
    return [{"segment": [begin, end], "label": label, "score": score} for begin, end, label, score in segments]


@pytest.fixture
def write(tmp_path):
    def write(name, **content):
        path = tmp_path / name
        path.write_text(json.dumps({"version": "VERSION 1.3"} | content))
        return path

    return write


@pytest.fixture
def truth_path(write):
    return write(
        "gt.json",
        taxonomy=[{"nodeName": "Root", "nodeId": 0, "parentId": None}],
        database={
            "v2": video((3, 9, "Golf"), (20.5, 30, "Diving")),
            "v1": video((1, 2, "Golf"), duration=None),
            "v3": video((4, 5, "Sumo"), subset="training"),
            "v4": video(subset="testing"),
        },
    )


def test_ground_truth_of_the_subset(truth_path):
    truth = data.read_ground_truth(truth_path, options=KIND)

    assert _recognise.ground_truth(truth_path, "intervals") == "activitynet"
    assert (truth.format, truth.geometry, truth.subset) == ("xx", INTERVALS, "validation")
    assert truth.image_names == {0: "v1", 1: "v2"}
    assert truth.categories == {0: "Diving", 1: "Golf"}
    assert truth.targets.boxes.tolist() == [[3, 9], [20.5, 30], [1, 2]]
    assert truth.targets.labels.tolist() == [1, 0, 1]
    assert truth.targets.images.tolist() == [1, 1, 0]
    np.testing.assert_array_equal(truth.durations, [np.nan, 60])


def test_other_subset_is_read_in_any_case(truth_path):
    truth = data.read_ground_truth(truth_path, options=Options(kind="intervals", subset="Training"))

    assert truth.image_names == {0: "v3"}
    message = r"`subset` must be one of 'validation' \(2 videos\), 'training' \(1 video\).*got 'val'"
    with pytest.raises(OptionError, match=message):
        data.read_ground_truth(truth_path, options=Options(kind="intervals", subset="val"))


def test_subset_that_is_not_clear_raises(write):
    thumos = {"a": video((1, 2, "Diving"), subset="Validation"), "b": video((1, 2, "Diving"), subset="Test")}
    with pytest.raises(InputError, match=r"gt\.json: database: several subsets .*'Validation' \(1 video\).*--subset"):
        data.read_ground_truth(write("gt.json", database=thumos), options=KIND)
    with pytest.raises(InputError, match=r"gt\.json: database: no video has annotations"):
        data.read_ground_truth(write("gt.json", database={"a": video()}), options=KIND)
    only = data.read_ground_truth(write("gt.json", database={"a": video((1, 2, "x"), subset="")}), options=KIND)
    assert only.subset == ""


@pytest.mark.parametrize("text", ['["v2", "v9"]', "v2\nv9\n"])
def test_blocked_videos_are_left_out(truth_path, tmp_path, text):
    (tmp_path / "blocked").write_text(text)
    truth = data.read_ground_truth(truth_path, options=Options(kind="intervals", blocked=tmp_path / "blocked"))

    assert truth.image_names == {0: "v1"}
    found = tmp_path / "found.json"
    row = predictions((1, 2, "Golf", 0.5))
    found.write_text(json.dumps({"results": {"v1": row, "v2": row}}))
    with pytest.warns(InputWarning, match=r"1 detection excluded: 'v2' not among the videos of"):
        assert data.read_detections(found, truth, options=KIND).images.tolist() == [0]


def test_detections_in_the_order_of_the_file(truth_path, write):
    path = write(
        "found.json",
        external_data={},
        results={"v2": predictions((3, 8, "Golf", 0.5), (2, 9, "Diving", 0.25)), "v1": predictions((1, 2, "Golf", 1))},
    )
    truth = data.read_ground_truth(truth_path, options=KIND)

    found = data.read_detections(path, truth, options=KIND)

    assert found.boxes.tolist() == [[3, 8], [2, 9], [1, 2]]
    assert found.scores.tolist() == [0.5, 0.25, 1]
    assert (found.labels.tolist(), found.images.tolist()) == ([1, 0, 1], [1, 1, 0])
    assert detection.evaluate(truth, found).protocol == detection.ACTIVITYNET
    empty = data.read_detections(write("none.json", results={}), truth, options=KIND)
    assert empty.boxes.shape == (0, 2)


def test_videos_and_classes_that_the_truth_lacks_are_counted(truth_path, write):
    truth = data.read_ground_truth(truth_path, options=KIND)
    rows = predictions((3, 8, "Golf", 0.5), (3, 8, "Sumo", 0.5))
    path = write("found.json", results={"v2": rows, "v3": rows[:1], "v9": rows[:1]})

    with pytest.warns(InputWarning) as caught:
        found = data.read_detections(path, truth, options=KIND)

    assert found.boxes.tolist() == [[3, 8]]
    told = [x.message.finding.text for x in caught]
    assert "2 detections excluded: 'v3', 'v9' not among the videos of" in told[0]
    assert "1 detection excluded: 'Sumo' not among the categories of" in told[1]
    fault = r"none of the videos \('v3'\) is in .*gt\.json, subset 'validation'; --subset names another"
    with pytest.raises(InputError, match=fault):
        data.read_detections(write("found.json", results={"v3": rows[:1]}), truth, options=KIND)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"segment": [9, 3]}, r"database\.v1\.annotations\[0\]\.segment\[1\]: must end after it begins, got 9, 3"),
        ({"segment": [5, 5]}, r"database\.v1\.annotations\[0\]\.segment\[1\]: must end after it begins, got 5, 5"),
        ({"segment": [5]}, r"database\.v1\.annotations\[0\]\.segment: expected 2 numbers"),
        ({"segment": ["5", 6]}, r"database\.v1\.annotations\[0\]\.segment\[0\]: expected number, got string"),
        ({"segment": None}, r"database\.v1\.annotations\[0\]\.segment: expected list, got null"),
        ({"segment": [float("nan"), 6]}, r"database\.v1\.annotations\[0\]\.segment\[0\]: expected number, got NaN"),
        ({"label": None}, r"database\.v1\.annotations\[0\]\.label: expected"),
    ],
)
def test_faults_of_segments_name_video_record_and_field(write, change, message):
    content = {"v1": video((1, 2, "Golf"))}
    content["v1"]["annotations"][0] |= change
    with pytest.raises(InputError, match=r"gt\.json: " + message):
        data.read_ground_truth(write("gt.json", database=content), options=KIND)


def test_faults_of_results_name_video_record_and_field(truth_path, write):
    truth = data.read_ground_truth(truth_path, options=KIND)
    for row, message in (
        ({"segment": [1, 2], "label": "Golf"}, r"results\.v1\[0\]\.score: missing"),
        ({"segment": [2, 1], "score": 1, "label": "Golf"}, r"results\.v1\[0\]\.segment\[1\]: must end after"),
    ):
        with pytest.raises(InputError, match=r"found\.json: " + message):
            data.read_detections(write("found.json", results={"v1": [row]}), truth, options=KIND)
    with pytest.raises(InputError, match=r"found\.json: results: missing"):
        data.read_detections(write("found.json", database={}), truth, "activitynet", KIND)
    with pytest.raises(InputError, match=r"found\.json: results: missing: it has 'predictions'$"):
        data.read_detections(write("found.json", predictions={}, version="1"), truth, "activitynet", KIND)


def test_options_that_do_not_fit_raise(truth_path, tmp_path):
    with pytest.raises(OptionError, match=r"`kind` 'bbox' is for formats that have it.*'activitynet' has not"):
        data.read_ground_truth(truth_path)
    (tmp_path / "a.txt").write_text("cat 1 2 3 4")
    with pytest.raises(OptionError, match="`subset` is for ground truth of formats that have subsets, 'activitynet'"):
        data.read_ground_truth(tmp_path / "a.txt", options=Options(subset="test"))


def test_writer_keeps_order_subset_and_durations(truth_path, write, tmp_path):
    truth = data.read_ground_truth(truth_path, options=KIND)
    path = write("found.json", results={"v2": predictions((3, 8, "Golf", 0.5), (2, 9.25, "Diving", 0.25))})
    found = data.read_detections(path, truth, options=KIND)

    data.write_ground_truth(truth, tmp_path / "again.json", "activitynet")
    data.write_detections(found, truth, tmp_path / "found again.json", "activitynet")

    again = data.read_ground_truth(tmp_path / "again.json", options=KIND)
    assert (again.image_names, again.categories, again.subset) == (truth.image_names, truth.categories, truth.subset)
    assert sorted(again.targets.boxes.tolist()) == sorted(truth.targets.boxes.tolist())
    np.testing.assert_array_equal(again.durations, truth.durations)
    found_again = data.read_detections(tmp_path / "found again.json", again, options=KIND)
    assert found_again.boxes.tolist() == found.boxes.tolist()
    assert found_again.scores.tolist() == found.scores.tolist()


def test_writer_of_upright_boxes_raises(tmp_path):
    (tmp_path / "a.txt").write_text("cat 1 2 3 4")
    truth = data.read_ground_truth(tmp_path / "a.txt")
    with pytest.raises(OptionError, match="ActivityNet's JSON has intervals, got boxes"):
        data.write_ground_truth(truth, tmp_path / "again.json", "activitynet")


def test_results_without_a_ground_truth_come_back_the_same(write, tmp_path):
    rows = {"v1": predictions((3, 8, "Golf", 0.5)), "v2": predictions((2, 9.25, "Diving", 0.25), (1, 2, "Golf", 1.0))}
    read = data.read_detections_only([write("found.json", results=rows)], options=KIND)

    data.write_detections(read.detections[0], read.truth, tmp_path / "again.json", "activitynet")

    assert read.formats == ("activitynet",)
    assert json.loads((tmp_path / "again.json").read_text())["results"] == rows


def test_proposals_without_labels_are_of_the_first_class(truth_path, write):
    truth = data.read_ground_truth(truth_path, options=KIND)
    rows = [{"segment": [3, 9], "score": 0.5}, {"segment": [20.5, 30], "score": 0.25}]
    with pytest.warns(InputWarning, match="no label, and are taken for class 'Diving'.*--class-agnostic --proposals"):
        found = data.read_detections(write("found.json", results={"v2": rows}), truth, options=KIND)

    assert found.labels.tolist() == [0, 0]
    assert detection.evaluate(truth, found).proposals(1).recall[0, -1] == pytest.approx(2 / 3)
    mixed = [*rows, *predictions((1, 2, "Golf", 0.5))]
    with pytest.raises(InputError, match=r"found\.json: results\.v2\[0\]\.label: missing"):
        data.read_detections(write("found.json", results={"v2": mixed}), truth, options=KIND)


@pytest.mark.parametrize("indent", [None, 2])
def test_video_that_is_there_twice_raises(truth_path, tmp_path, indent):
    truth = data.read_ground_truth(truth_path, options=KIND)
    text = json.dumps({"results": {"v1": predictions((1, 2, "Golf", 0.5)), "v2": [], "vé": []}}, indent=indent)
    (tmp_path / "found.json").write_text(text.replace("v2", "v1"), "utf-8")
    with pytest.raises(InputError, match=r"found\.json: results: 'v1' is there 2 times in one object"):
        data.read_detections(tmp_path / "found.json", truth, options=KIND)
    (tmp_path / "found.json").write_text(text, "utf-8")
    assert len(data.read_detections(tmp_path / "found.json", truth, options=KIND).scores) == 1
    for wrong in ('{"results": []}', '{"database": 3}'):
        (tmp_path / "a.json").write_text(wrong, "utf-8")
        with pytest.raises(InputError, match=r"a\.json: (results: expected object, got list|results: missing)"):
            data.read_detections(tmp_path / "a.json", truth, "activitynet", KIND)


@pytest.mark.parametrize(
    ("own", "theirs"), [("v_a", "a"), ("a", "v_a"), ("a", "a.mp4"), ("v_a", "val/a.MKV"), ("v_a.mp4", "v_a")]
)
def test_names_of_videos_with_prefix_or_ending_are_matched(write, own, theirs):
    truth = data.read_ground_truth(write("gt.json", database={own: video((3, 9, "Golf"))}), options=KIND)
    path = write("dt.json", results={theirs: predictions((3, 9, "Golf", 0.9)), "c": predictions((1, 2, "Golf", 0.1))})
    with pytest.warns(InputWarning) as caught:
        found = data.read_detections(path, truth, options=KIND)
    assert (found.images.tolist(), found.scores.tolist()) == ([0], [0.9])
    assert f"names of 1 videos differ from the ground truth's: {theirs!r} is read as {own!r}" in str(caught[0].message)


def test_two_names_of_one_video_raise(write):
    truth = data.read_ground_truth(write("gt.json", database={"v_a": video((3, 9, "Golf"))}), options=KIND)
    path = write("dt.json", results={x: predictions((3, 9, "Golf", 0.9)) for x in ("a", "v_a")})
    with pytest.raises(InputError, match="'a' and 'v_a' are both the video 'v_a'"):
        data.read_detections(path, truth, options=KIND)


def test_videos_without_a_key_around_them_are_read(write):
    truth = data.read_ground_truth(write("gt.json", v1=video((3, 9, "Golf"))), options=KIND)
    path = write("dt.json", v1=predictions((3, 9, "Golf", 0.9)))
    assert data.read_detections(path, truth, options=KIND).boxes.tolist() == [[3, 9]]
    with pytest.raises(InputError, match="results: missing: it has 'database', are the two files swapped"):
        data.read_detections(write("other.json", database={}), truth, "activitynet", KIND)
