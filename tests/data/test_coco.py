"""Reading COCO's files, and the error message of each kind of invalid file."""

import copy
import gzip
import json
import re
from pathlib import Path

import numpy as np
import pytest

from omniou import data
from omniou.data import InputError, InputWarning, Options, _json
from omniou.data._formats import coco_records

TRUTH = {
    "info": {"year": 2026},
    "images": [{"id": 10, "file_name": "a.jpg"}, {"id": 2**53 + 1}, {"id": 12}],
    "categories": [{"id": 1, "name": "cat"}, {"id": 90, "name": "dog", "supercategory": "animal"}],
    "annotations": [
        {"id": 5, "image_id": 10, "category_id": 90, "bbox": [0, 1.5, 10, 20], "area": 150.5, "iscrowd": 0},
        {"id": 0, "image_id": 2**53 + 1, "category_id": 1, "bbox": [0, 0, 3, 4], "segmentation": [[0, 0, 3, 0, 3, 4]]},
        {"id": 7, "image_id": 10, "category_id": 1, "bbox": [0, 0, 3, 4], "iscrowd": 1, "ignore": 1},
        {"id": 8, "image_id": 10, "category_id": 1, "bbox": [1, 1, 1, 1], "iscrowd": False, "ignore": True},
    ],
}
DETECTIONS = [
    {"image_id": 10, "category_id": 90, "bbox": [0, 1, 10, 20], "score": 0.25, "segmentation": {"counts": "x"}},
    {"image_id": 12, "category_id": 1, "bbox": [0, 0, 3.5, 4], "score": 1},
]


@pytest.fixture
def files(tmp_path):
    """Writes both files, from objects or text, and reads them."""

    def read(truth=TRUTH, detections=DETECTIONS):
        paths = tmp_path / "truth.json", tmp_path / "detections.json"
        for path, content in zip(paths, (truth, detections), strict=True):
            text = content if isinstance(content, str | bytes) else json.dumps(content)
            path.write_bytes(text.encode() if isinstance(text, str) else text)
        known = data.read_ground_truth(paths[0], "coco")
        return known, data.read_detections(paths[1], known, "coco")

    return read


def changed(record, **fields):
    """The ground truth with fields of one annotation replaced, or removed where None."""
    truth = copy.deepcopy(TRUTH)
    for name, value in fields.items():
        truth["annotations"][record][name] = value
        if value is None:
            del truth["annotations"][record][name]
    return truth


def test_read_columns_of_both_files(files):
    truth, detections = files()

    assert truth.images.tolist() == [10, 2**53 + 1, 12]
    assert truth.categories == {1: "cat", 90: "dog"}
    assert truth.targets.boxes.tolist() == [[0, 1.5, 10, 20], [0, 0, 3, 4], [0, 0, 3, 4], [1, 1, 1, 1]]
    assert truth.targets.area.tolist() == [150.5, 12, 12, 1]
    assert truth.targets.labels.tolist() == [90, 1, 1, 1]
    assert truth.targets.crowd.tolist() == [False, False, True, False]
    assert truth.targets.ignore is None
    assert truth.flagged.tolist() == [False, False, True, True]
    assert detections.boxes.tolist() == [[0, 1, 10, 20], [0, 0, 3.5, 4]]
    assert detections.scores.tolist() == [0.25, 1]
    assert detections.images.tolist() == [10, 12]
    assert [x.dtype for x in (detections.boxes, detections.scores, detections.labels)] == [
        np.float64,
        np.float64,
        np.int64,
    ]


def test_read_empty_lists(files):
    truth, detections = files({"images": [], "categories": [], "annotations": []}, [])

    assert truth.targets.boxes.shape == detections.boxes.shape == (0, 4)
    assert detections.scores.shape == (0,)


def test_read_ground_truth_with_byte_order_mark(files):
    truth, _ = files(b"\xef\xbb\xbf" + json.dumps(TRUTH).encode())

    assert len(truth.flagged) == 4


def test_category_without_name_is_named_by_id(files):
    truth, _ = files(TRUTH | {"categories": [{"id": 1}, {"id": 90, "name": None}]})

    assert truth.categories == {1: "1", 90: "90"}


def test_string_ids_are_numbered_by_name(files):
    images = [{"id": "b"}, {"id": "a"}, {"id": "12"}]
    truth, detections = files(
        TRUTH | {"images": images, "annotations": [{"image_id": "a", "category_id": 1, "bbox": [0, 0, 3, 4]}]},
        [DETECTIONS[1] | {"image_id": "b.jpg", "category_id": "dog"}, DETECTIONS[1] | {"category_id": "90"}],
    )

    assert truth.images.tolist() == [0, 1, 12]
    assert truth.image_names == {0: "b", 1: "a", 12: "12"}
    assert truth.targets.images.tolist() == [1]
    assert detections.images.tolist() == [0, 12]
    assert detections.labels.tolist() == [90, 90]


@pytest.mark.parametrize("id", [str(2**63), "20261122101500123456", "7" * 5000, "007"])
def test_string_of_digits_beyond_int64_is_a_name(files, id):
    images = [{"id": str(2**63 - 1)}, {"id": id}, {"id": 0}]
    annotation = {"image_id": id, "category_id": 1, "bbox": [0, 0, 3, 4]}
    truth, detections = files(
        TRUTH | {"images": images, "annotations": [annotation]}, [DETECTIONS[1] | {"image_id": id}]
    )

    assert truth.image_names == {2**63 - 1: str(2**63 - 1), 1: id, 0: "0"}
    assert truth.targets.images.tolist() == detections.images.tolist() == [1]


def test_unknown_category_of_many_digits_raises(files):
    with pytest.raises(InputError, match=r"detections.json: \[0\].category_id: '7777.* is not among the categories"):
        files(detections=[DETECTIONS[1] | {"category_id": "7" * 5000}])


@pytest.mark.parametrize("name", ["a", "there/a.jpg"])
def test_image_id_matches_file_name_without_folder_and_extension(files, name):
    _, detections = files(detections=[DETECTIONS[0] | {"image_id": name}])

    assert detections.images.tolist() == [10]


def test_read_detections_with_boxes_option_xyxy(files, tmp_path):
    truth, _ = files()
    detections = data.read_detections(tmp_path / "detections.json", truth, "coco", Options(boxes="xyxy"))

    assert detections.boxes.tolist() == [[0, 1, 10, 19], [0, 0, 3.5, 4]]


def test_read_detections_of_inverted_corners_warns(files, tmp_path):
    truth, _ = files(detections=[DETECTIONS[0] | {"bbox": [20, 0, 10, 10]}])

    with pytest.warns(InputWarning, match=r"detections\.json: 1 of 1 boxes end before they begin: are they xyxy\?"):
        data.read_detections(tmp_path / "detections.json", truth, "coco", Options(boxes="xyxy"))


def test_read_gzip_files(files):
    truth, detections = files(gzip.compress(json.dumps(TRUTH).encode()), gzip.compress(json.dumps(DETECTIONS).encode()))

    assert truth.targets.labels.tolist() == [90, 1, 1, 1]
    assert detections.images.tolist() == [10, 12]


def test_read_detections_from_directory_of_shards(files, tmp_path):
    truth, _ = files()
    folder = tmp_path / "shards"
    folder.mkdir()
    (folder / "b.json").write_text(json.dumps(DETECTIONS[:1]), "utf-8")
    (folder / "a.json.gz").write_bytes(gzip.compress(json.dumps(DETECTIONS[1:] * 2).encode()))
    (folder / "readme.md").write_text("about", "utf-8")

    assert data.read_detections(folder, truth, "coco").images.tolist() == [12, 12, 10]

    (folder / "c.json").write_text(json.dumps([*DETECTIONS, DETECTIONS[0] | {"image_id": 5}]), "utf-8")
    with pytest.raises(InputError, match=r"c\.json: \[2\]\.image_id: 5 is not among the images of .*truth\.json"):
        data.read_detections(folder, truth, "coco")


MANY = [
    {"image_id": (10, 12, 2**53 + 1)[k % 3], "category_id": (1, 90)[k % 2], "bbox": [k, 0, 3, 4], "score": k / 50}
    for k in range(50)
]
AWKWARD = [
    one | {"parts": [{"a": 1}, {"b": [{}, {}]}], "note": 'see "x"},{"image_id": 10}, {', "id": k}
    for k, one in enumerate(MANY)
]


@pytest.mark.parametrize("block", [1, 100, 2**18])
@pytest.mark.parametrize("separators", [(",", ":"), (" ,\n ", ": ")])
@pytest.mark.parametrize("records", [MANY, AWKWARD])
def test_read_detections_does_not_depend_on_block_size(files, monkeypatch, records, separators, block):
    """Block ends anywhere in the list, also inside strings and nested lists."""
    monkeypatch.setattr(_json, "BLOCK", block)
    detections = files(detections=json.dumps(records, separators=separators))[1]
    assert detections.images.tolist() == [one["image_id"] for one in MANY]
    assert detections.labels.tolist() == [one["category_id"] for one in MANY]
    assert detections.boxes[:, 0].tolist() == list(range(50))
    assert detections.scores.tolist() == [k / 50 for k in range(50)]


def test_read_detections_in_blocks_with_names_and_ids(files, monkeypatch):
    monkeypatch.setattr(_json, "BLOCK", 1)
    named = [one | ({"category_id": "cat"} if k == 7 else {}) for k, one in enumerate(MANY)]
    assert files(detections=named)[1].labels.tolist() == [
        1 if k == 7 else one["category_id"] for k, one in enumerate(MANY)
    ]


@pytest.mark.parametrize("block", [1, 2**18])
def test_error_in_any_block_names_record(files, monkeypatch, block):
    monkeypatch.setattr(_json, "BLOCK", block)
    for bad, message in (
        ({"score": "high"}, r"detections.json: [41].score: expected number, got string"),
        ({"image_id": 99}, r"detections.json: [41].image_id: 99 is not among the images"),
        ({"bbox": [0, 0, 1e200, 1]}, r"detections.json: [41].bbox[2]: expected number within"),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            files(detections=[one | (bad if k == 41 else {}) for k, one in enumerate(MANY)])
    with pytest.raises(InputError, match="the file was cut off"):
        files(detections=json.dumps(MANY)[:-1])
    with pytest.raises(InputError, match="not valid JSON"):
        files(detections=json.dumps(MANY) + json.dumps(MANY))


def test_read_detections_from_empty_directory_raises(files, tmp_path):
    truth, _ = files()
    (tmp_path / "none").mkdir()

    with pytest.raises(InputError, match="none: the directory has no files"):
        data.read_detections(tmp_path / "none", truth, "coco")


def unquoted(old, new):
    """Text of the ground truth with the first `old` replaced, for what `json.dumps` cannot write."""
    text = json.dumps(TRUTH)
    assert old in text
    return text.replace(old, new, 1)


BAD_TRUTH = {
    "empty": ("", "the file is empty"),
    "blank": (" \n", "the file is empty"),
    "truncated": (
        json.dumps(TRUTH, indent=1)[:-40],
        r"the JSON ends inside a value \(line \d\d, byte \d+\): the file was cut off",
    ),
    "not JSON": ("<html>", r"not valid JSON: invalid character \(line 1, byte 0\)"),
    "trailing": (json.dumps(TRUTH) + "\n]", r"not valid JSON: trailing characters \(line 2, byte \d+\)"),
    "not UTF-8": (b'{"images":\n "\xff"}', r"not UTF-8 text \(line 2, byte 13\)"),
    "cut archive": (gzip.compress(b"[" * 100)[:-9], "the gzip archive is damaged or was cut off"),
    "invalid archive": (b"\x1f\x8b\x08", "the gzip archive is damaged or was cut off"),
    "UTF-16": (json.dumps(TRUTH).encode("utf-16"), r"is text in UTF-16: convert it to UTF-8"),
    "too deep": ("[" * 100_000, "."),
    "too deep inside": ('{"x": ' + "[" * 100_000, "lists or objects are nested too deep"),
    "a number": ("5", "expected object, got integer"),
    "a list": ([1], "expected ground truth, an object with lists of annotations; got a list$"),
    "detections": (
        DETECTIONS,
        "expected ground truth, an object .*; got a list of detections: are the two files swapped",
    ),
    "no list": ({"images": [], "categories": []}, "annotations: missing"),
    "no images": (TRUTH | {"images": 5}, "images: expected list, got integer"),
    "string": (changed(3, bbox=[0, 1, "2", 3]), r"annotations\[3\].bbox\[2\]: expected number, got string \(id 8\)"),
    "null": (changed(3, bbox=[0, 1, 2, None]), r"annotations\[3\].bbox\[3\]: expected number, got null \(id 8\)"),
    "three numbers": (changed(2, bbox=[0, 1, 2]), r"annotations\[2\].bbox: expected 4 numbers.* \(id 7\)"),
    "five numbers": (changed(2, bbox=[0, 1, 2, 3, 4]), r"annotations\[2\].bbox: expected 4 numbers.* \(id 7\)"),
    "an object": (changed(1, bbox={"x": 0}), r"annotations\[1\].bbox: expected list, got object \(id 0\)"),
    "no box": (changed(1, bbox=None), r"annotations\[1\].bbox: missing \(id 0\)"),
    "no image": (changed(0, image_id=None), r"annotations\[0\].image_id: missing \(id 5\)"),
    "string id": (changed(0, image_id="10.jpg"), r"annotations\[0\].image_id: '10.jpg' is not among the .*\(id 5\)"),
    "float id": (changed(0, category_id=1.5), r"annotations\[0\].category_id: expected integer, got number \(id 5\)"),
    "huge id": (changed(0, category_id=10**30), r"annotations\[0\].category_id: expected integer of 64 bits \(id 5\)"),
    "float id of an image": (TRUTH | {"images": [{"id": 1.5}]}, r"images\[0\].id: expected .*, got number$"),
    "string id of a category": (TRUTH | {"categories": [{"id": "a"}]}, r'categories\[0\].id: .*, got string \(id "a"'),
    "string area": (changed(1, area="1"), r"annotations\[1\].area: expected number or null, got string"),
    "string flag": (changed(1, iscrowd="dog"), r"annotations\[1\].iscrowd: expected 0 or 1, got 'dog'"),
    "a number as record": (TRUTH | {"annotations": [5]}, r"annotations\[0\]: expected object"),
    "two lists": (
        json.dumps(changed(3, bbox=[0, [], 2, 3]))[:-1] + ', "annotations": []}',
        r"annotations\[3\].bbox\[1\]: expected number, got list$",
    ),
    "NaN": (unquoted("[0, 1.5,", "[0, NaN,"), r"annotations\[0\].bbox\[1\]: expected number, got NaN \(JSON has"),
    "-Infinity": (unquoted("150.5", "-Infinity"), r"annotations\[0\].area: expected number, got -Infinity \("),
    "NaN elsewhere": (unquoted("2026", "NaN"), r"info.year: expected number, got NaN"),
    "NaN and more": (unquoted("2026", "NaN,,"), r"expected number, got NaN \(JSON has no such number; line 1"),
    "out of range": (unquoted("1.5", "1e999"), r"annotations\[0\].bbox\[1\]: number out of range \(id 5\)"),
    "too large": (unquoted("1.5", "1e200"), r"annotations\[0\].bbox\[1\]: expected number within 1e\+150, got"),
    "unknown image": (changed(2, image_id=11), r"annotations\[2\].image_id: 11 is not among the images \(id 7\)"),
    "unknown category": (changed(1, category_id=2), r"annotations\[1\].category_id: 2 is not among the categories"),
    "an image twice": (TRUTH | {"images": [{"id": 3}] * 2}, r"images\[1\].id: 3 is already the id of images\[0\]"),
    "a category twice": (TRUTH | {"categories": [{"id": 3}] * 2}, r"categories\[1\].id: 3 is already the id of"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "message"), BAD_TRUTH.values(), ids=BAD_TRUTH)
def test_read_ground_truth_of_invalid_file_raises(files, content, message):
    with pytest.raises(InputError, match=rf"truth\.json: .*{message}") as caught:
        files(content)

    assert "\n" not in str(caught.value)
    assert caught.value.path.name == "truth.json"


def record(**fields):
    """The detections with fields of the second replaced, or removed where None."""
    second = {k: v for k, v in (DETECTIONS[1] | fields).items() if v is not None}
    return [DETECTIONS[0], second]


BAD_DETECTIONS = {
    "empty": ("", "the file is empty"),
    "truncated": (json.dumps(DETECTIONS)[:-30], r"the JSON ends inside a value \(line 1, byte \d+\)"),
    "ground truth": (TRUTH, "expected a list of detections, got an object of ground truth: are the two files swapped"),
    "an object": ({"results": DETECTIONS}, "expected a list of detections, got an object with 'results'"),
    "an empty object": ({}, "expected a list of detections, got an object$"),
    "a string": ('"x"', "expected list, got string"),
    "no score": (record(score=None), r"\[1\].score: missing"),
    "null score": (
        json.dumps(DETECTIONS).replace('"score": 1', '"score": null'),
        r"\[1\].score: expected number, got null",
    ),
    "NaN score": (
        json.dumps(DETECTIONS).replace('"score": 1', '"score": NaN'),
        r"\[1\].score: expected number, got NaN",
    ),
    "string score": (record(score="high"), r"\[1\].score: expected number, got string"),
    "with an id": (record(score="high", id=77), r"\[1\].score: expected number, got string \(id 77\)"),
    "string image": (record(image_id="b.jpg"), r"\[1\].image_id: 'b.jpg' is not among the images of .*truth.json"),
    "string category": (record(category_id="cow"), r"\[1\].category_id: 'cow' is not among the categories of .*"),
    "three numbers": (record(bbox=[0, 1, 2]), r"\[1\].bbox: expected 4 numbers"),
    "no box": (record(bbox=None), r"\[1\].bbox: missing"),
    "unknown image": (record(image_id=11), r"\[1\].image_id: 11 is not among the images of .*truth.json"),
    "unknown category": (record(category_id=2), r"\[1\].category_id: 2 is not among the categories of .*truth.json"),
    "too large": (record(bbox=[0, 0, 1e200, 1e200]), r"\[1\].bbox\[2\]: expected number within 1e\+150, got 1e\+200"),
    "a list of lists": ([[10, 90, 1, 2, 3, 4, 0.5]], r"\[0\]: expected object, got list"),
}


@pytest.mark.parametrize(("content", "message"), BAD_DETECTIONS.values(), ids=BAD_DETECTIONS)
def test_read_detections_of_invalid_file_raises(files, content, message):
    with pytest.raises(InputError, match=rf"detections\.json: .*{message}") as caught:
        files(TRUTH, content)

    assert "\n" not in str(caught.value)


def test_read_ground_truth_of_missing_file_raises(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.json: no such file"):
        data.read_ground_truth(tmp_path / "nowhere.json", "coco")


def test_read_ground_truth_of_directory_raises(tmp_path):
    with pytest.raises(InputError, match="is a directory; a JSON file was expected"):
        data.read_ground_truth(str(tmp_path), "coco")


def test_read_ground_truth_without_permission_raises(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "a.json").touch()
    monkeypatch.setattr(Path, "open", refuse)

    with pytest.raises(InputError, match=r"a\.json: cannot be read: Permission denied"):
        data.read_ground_truth(tmp_path / "a.json", "coco")


@pytest.mark.parametrize(
    ("kind", "content", "place", "expected"),
    [
        (coco_records.Truth, changed(1, bbox=None), "annotations[...]", "annotations[1]"),
        (coco_records.Truth, changed(2, bbox=[1, 2, "3", 4]), "annotations[...].bbox[2]", "annotations[2].bbox[2]"),
        (list[coco_records.Detection], record(score="x"), "[...].score", "[1].score"),
    ],
)  # fmt: skip
def test_nth_record_finds_place_that_older_msgspec_omits(kind, content, place, expected):
    fault, at = _json._nth_record(json.dumps(content).encode(), kind, place)

    assert at == expected
    assert re.match("Expected|Object", fault)
