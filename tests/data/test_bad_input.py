"""Input that was tried and went wrong: each is one error that names the file, what it is, and the way out."""

import gzip
import io
import json
import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("msgspec", reason="the extra cli is not installed")

from omniou import data
from omniou.data import InputError, OptionError, Options, _json

TRUTH = {
    "images": [{"id": 1, "width": 100, "height": 100}],
    "categories": [{"id": 3, "name": "cat"}, {"id": 5, "name": "dog"}],
    "annotations": [{"image_id": 1, "category_id": 3, "bbox": [0, 0, 10, 10]}],
}
FOUND = [{"image_id": 1, "category_id": 3, "bbox": [0, 0, 10, 10], "score": 0.5}]


@pytest.fixture
def truth(tmp_path):
    path = tmp_path / "truth.json"
    path.write_text(json.dumps(TRUTH))
    return data.read_ground_truth(path)


def zipped():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("x.json", json.dumps(TRUTH))
    return out.getvalue()


OTHERS = {
    "zip": (zipped(), "is a ZIP archive: unpack it first"),
    "pickle": (pickle.dumps(TRUTH), "is a pickle, which is not read since it may run code"),
    "utf-16": (json.dumps(TRUTH).encode("utf-16"), "is text in UTF-16: convert it to UTF-8"),
    "json lines": (b'{"image_id": 1}\n{"image_id": 2}\n', r"is JSON Lines, a value in each line: .*jq -s"),
    "blanks": (b" \n\t\n ", "the file has only blanks"),
    "numpy": (b"\x93NUMPY\x01\x00", "is an array of NumPy"),
}


@pytest.mark.parametrize(("content", "message"), OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("role", ["truth", "detections"])
def test_other_kinds_of_files_are_named(truth, tmp_path, content, message, role):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        data.read_ground_truth(path) if role == "truth" else data.read_detections(path, truth)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("a\0b", r"a\\x00b: is not a path: .*embedded null"),
        ("x" * 5000, r"x{200}\.\.\.: cannot be read: File name too long"),
        ("nowhere/x", "nowhere/x: no such file"),
    ],
)
def test_paths_that_lead_nowhere(path, message):
    with pytest.raises(InputError, match=message):
        data.read_ground_truth(path)


def test_path_through_a_file(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="no such file: a part of the path is not a directory"):
        data.read_ground_truth(tmp_path / "file" / "x")


@pytest.mark.parametrize("content", [b"[" * 10, b" "], ids=["lists", "blanks"])
def test_archive_that_unpacks_to_too_much_is_refused(truth, tmp_path, content):
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(gzip.compress(b"[" + content * (2**27 // len(content))))
    assert path.stat().st_size < 2**20
    with pytest.raises(InputError, match=r"unpacks to more than 67 MB: .* --max-unpacked"):
        data.read_detections(path, truth)


def test_file_of_many_empty_lists_is_refused_at_once(truth, tmp_path, monkeypatch):
    monkeypatch.setattr(_json, "_MANY_LISTS", 100)
    monkeypatch.setattr(_json, "shape_of", lambda _: pytest.fail("decodes all of them"))
    (tmp_path / "found.json").write_text("[" + "[]," * 200 + "[]]")
    with pytest.raises(InputError, match=r"\[0\]: expected object, got list"):
        data.read_detections(tmp_path / "found.json", truth)


def test_archive_within_the_limit_is_read(tmp_path):
    path = tmp_path / "truth.json.gz"
    path.write_bytes(gzip.compress(json.dumps(TRUTH).encode()))

    assert len(data.read_ground_truth(path).targets.labels) == 1
    with pytest.raises(InputError, match=r"unpacks to more than 0 MB"):
        data.read_ground_truth(path, options=Options(max_unpacked=10))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"boxes": "xyhw"}, "`boxes` must be one of 'xyxy', .*, got 'xyhw'; did you mean 'xywh'?"),
        ({"kind": "box"}, "`kind` must be one of 'bbox', .*, got 'box'; did you mean 'bbox'?"),
        ({"angle_unit": "deg"}, "`angle_unit` must be one of 'radians', 'degrees', got 'deg'"),
        ({"difficulty": "harder"}, "`difficulty` must be one of 'easy', .* did you mean 'hard'?"),
    ],
)
def test_options_check_their_words(options, message):
    with pytest.raises(OptionError, match=message):
        Options(**options)


def test_classes_of_format_that_lists_its_own_are_refused(tmp_path):
    (tmp_path / "names").write_text("cat\ndog")
    (tmp_path / "truth.json").write_text(json.dumps(TRUTH))
    with pytest.raises(OptionError, match="`classes` is for ground truth of formats that do not list their classes"):
        data.read_ground_truth(tmp_path / "truth.json", options=Options(classes=tmp_path / "names"))


def test_image_size_where_all_are_known_is_refused(tmp_path):
    (tmp_path / "truth.json").write_text(json.dumps(TRUTH))
    with pytest.raises(OptionError, match="`image_size` is for images whose sizes are not known"):
        data.read_ground_truth(tmp_path / "truth.json", options=Options(image_size=(480, 640)))


def test_detections_as_annotations_with_scores(truth, tmp_path):
    path = tmp_path / "found.json"
    path.write_text(json.dumps({"images": [], "annotations": FOUND, "categories": []}))

    assert data.read_detections(path, truth).scores.tolist() == [0.5]


def test_ground_truth_as_detections_is_taken_for_swapped(truth, tmp_path):
    with pytest.raises(InputError, match="of ground truth: are the two files swapped"):
        data.read_detections(tmp_path / "truth.json", truth)


def test_detections_whose_classes_count_another_list(truth, tmp_path):
    (tmp_path / "found.json").write_text(json.dumps([FOUND[0] | {"category_id": k} for k in (0, 1)]))
    (tmp_path / "names").write_text("dog\ncat\n")

    found = data.read_detections(tmp_path / "found.json", truth, options=Options(classes=tmp_path / "names"))

    assert found.labels.tolist() == [5, 3]
    (tmp_path / "names").write_text("dog\n")
    with pytest.raises(InputError, match=r"category_id: 1 is not among the 1 names of .*, counted from 0"):
        data.read_detections(tmp_path / "found.json", truth, options=Options(classes=tmp_path / "names"))


def test_decimal_commas_have_a_hint(tmp_path):
    (tmp_path / "a.txt").write_text("cat 0,5 0 1 1")
    with pytest.raises(InputError, match=r"line 1, x1: expected number, got '0,5': numbers have a point, not a comma"):
        data.read_ground_truth(tmp_path, "text")


@pytest.fixture
def darknet(tmp_path):
    """As annotation tools export it."""
    (tmp_path / "obj.data").write_text("classes = 2\ntrain = data/train.txt\nnames = data/obj.names\n")
    (tmp_path / "obj.names").write_text("cat\ndog\n")
    (tmp_path / "train.txt").write_text("data/obj_train_data/a.jpg\n")
    (tmp_path / "obj_train_data").mkdir()
    (tmp_path / "obj_train_data" / "a.txt").write_text("1 0.5 0.5 0.25 0.5\n")
    return tmp_path


def test_darknet_folder(darknet):
    for path in (darknet, darknet / "obj.data", darknet / "obj_train_data"):
        truth = data.read_ground_truth(path)
        assert (truth.categories, truth.image_names) == ({0: "cat", 1: "dog"}, {0: "a"})
        np.testing.assert_array_equal(truth.targets.boxes, [[0.5, 0.5, 0.25, 0.5]])


def test_darknet_folder_of_several_sets(darknet):
    (darknet / "obj_valid_data").mkdir()
    with pytest.raises(InputError, match="several sets, obj_train_data, obj_valid_data: name one"):
        data.read_ground_truth(darknet)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="only Linux has such a directory")
def test_directory_that_cannot_be_listed(monkeypatch, tmp_path):
    def refuse(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(InputError, match="cannot be read: Permission denied"):
        data.read_ground_truth(tmp_path)
