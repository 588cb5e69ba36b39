"""Results in JSON as Ultralytics writes them: ids of images are numbers in the names of files, which stand beside."""

import json

import pytest

from omniou import data
from omniou.data import InputError, InputWarning, Options

TRUTH = {
    "images": [{"id": 0, "file_name": "0001.jpg"}, {"id": 1, "file_name": "0002.jpg"}],
    "categories": [{"id": 1, "name": "cat"}],
    "annotations": [{"image_id": 0, "category_id": 1, "bbox": [0, 0, 9, 9]}],
}


@pytest.fixture
def read(tmp_path):
    """Images of detections that have these fields."""

    def read(*rows):
        (tmp_path / "gt.json").write_text(json.dumps(TRUTH), "utf-8")
        rows = [{"category_id": 1, "bbox": [0, 0, 9, 9], "score": 0.5} | row for row in rows]
        (tmp_path / "dt.json").write_text(json.dumps(rows), "utf-8")
        return data.read_detections(tmp_path / "dt.json", data.read_ground_truth(tmp_path / "gt.json")).images.tolist()

    return read


@pytest.mark.parametrize(
    "rows",
    [
        [{"image_id": 1, "file_name": "0001.jpg"}, {"image_id": 2, "file_name": "0002.jpg"}],
        [{"image_id": "0001", "file_name": "0001.jpg"}, {"image_id": "0002", "file_name": "0002.jpg"}],
        [{"image_id": 0}, {"image_id": 1}],
        [{"image_id": 0, "file_name": "renamed.jpg"}, {"image_id": 1, "file_name": None}],
    ],
    ids=["file names", "names of files that are no numbers", "ids", "unknown file names"],
)
def test_images_of_detections(read, rows):
    assert read(*rows) == [0, 1]


def test_numbers_of_files_that_are_no_ids_are_read_with_a_warning(read):
    with pytest.warns(
        InputWarning, match="image_id has no ids of the ground truth's images, but the numbers in the names"
    ):
        assert read({"image_id": 1}, {"image_id": 2}) == [0, 1]


def test_id_and_file_name_of_two_images_raise(read):
    fault = r"dt\.json: \[1\]\.image_id: 0 is the id of '0001\.jpg', and its file_name is '0002\.jpg': remove"
    with pytest.raises(InputError, match=fault):
        read({"image_id": 1, "file_name": "0002.jpg"}, {"image_id": 0, "file_name": "0002.jpg"})


def test_unknown_number_raises(read):
    with pytest.raises(InputError, match=r"\[1\]\.image_id: 7 is not among the images"):
        read({"image_id": 1}, {"image_id": 7})


def test_number_of_a_file_in_a_data_set_of_yolo(tmp_path):
    (tmp_path / "labels").mkdir()
    (tmp_path / "labels" / "000042.txt").write_text("0 .5 .5 .2 .2", "utf-8")
    rows = [{"image_id": 42, "category_id": 0, "bbox": [40, 40, 20, 20], "score": 0.5}]
    (tmp_path / "dt.json").write_text(json.dumps(rows), "utf-8")
    truth = data.read_ground_truth(tmp_path / "labels", options=Options(image_size=(100, 100)))

    assert data.read_detections(tmp_path / "dt.json", truth).images.tolist() == [0]


def test_oriented_boxes_of_ultralytics(tmp_path):
    annotation = {"image_id": 0, "category_id": 1, "bbox": [50, 40, 20, 10, 0.5]}
    (tmp_path / "gt.json").write_text(json.dumps(TRUTH | {"annotations": [annotation]}), "utf-8")
    row = {"image_id": 1, "file_name": "0001.jpg", "category_id": 1, "score": 0.5, "rbox": [50, 40, 20, 10, 0.5]}
    (tmp_path / "dt.json").write_text(json.dumps([row | {"poly": [0] * 8}]), "utf-8")
    options = Options(kind="rotated")
    found = data.read_detections(
        tmp_path / "dt.json", data.read_ground_truth(tmp_path / "gt.json", options=options), options=options
    )

    assert found.boxes.tolist() == [[50, 40, 20, 10, 0.5]]


@pytest.fixture
def splits(tmp_path):
    def splits(*names, file="_annotations.coco.json"):
        for name in names:
            (tmp_path / "set" / name).mkdir(parents=True)
            (tmp_path / "set" / name / file).write_text(json.dumps(TRUTH), "utf-8")
        return tmp_path / "set"

    return splits


def test_one_split_of_a_folder_of_roboflow_is_read(splits):
    folder = splits("valid")

    assert data.read_ground_truth(folder).image_names == {0: "0001.jpg", 1: "0002.jpg"}
    assert len(data.read_ground_truth(folder / "valid").images) == 2


def test_several_splits_raise_with_their_names(splits):
    with pytest.raises(InputError, match="set: has several splits, train, valid, test: name one of these directories"):
        data.read_ground_truth(splits("test", "train", "valid"))


def test_several_splits_of_yolo_raise_with_their_names(tmp_path):
    (tmp_path / "data.yaml").write_text("nc: 1", "utf-8")
    for name in ("train", "valid"):
        (tmp_path / name / "labels").mkdir(parents=True)
        (tmp_path / name / "labels" / "a.txt").write_text("0 .5 .5 .2 .2", "utf-8")

    with pytest.raises(InputError, match="has several splits, train, valid: name one of these directories"):
        data.read_ground_truth(tmp_path)
    (tmp_path / "valid" / "labels" / "a.txt").unlink()
    (tmp_path / "valid" / "labels").rmdir()
    assert data.read_ground_truth(tmp_path, options=Options(image_size=(10, 10))).targets.labels.tolist() == [0]
