"""Text files for each image: ``class [score] x1 y1 x2 y2``."""

import json

import pytest

from omniou import data, detection
from omniou.data import InputError, InputWarning, Options
from tests.places import shared


@pytest.fixture
def folder(tmp_path):
    def write(name, **files):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        for stem, content in files.items():
            (folder / f"{stem}.txt").write_text(content, "utf-8")
        return folder

    return write


TRUTH = {"b": "dog 0 0 10 20\ncat 1 2 3 4.5 1\n\n", "a": "", "c": "cat 5 5 9 9 0"}


@pytest.fixture
def truth(folder):
    return data.read_ground_truth(folder("gt", **TRUTH), "text")


def test_read_ground_truth_columns(truth):
    assert truth.format == "xyxy"
    assert truth.image_names == {0: "a", 1: "b", 2: "c"}
    assert truth.categories == {0: "cat", 1: "dog"}
    assert truth.targets.images.tolist() == [1, 1, 2]
    assert truth.targets.labels.tolist() == [1, 0, 0]
    assert truth.targets.boxes.tolist() == [[0, 0, 10, 20], [1, 2, 3, 4.5], [5, 5, 9, 9]]
    assert truth.targets.ignore.tolist() == [False, True, False]
    assert not truth.relative


def test_read_empty_files(folder):
    truth = data.read_ground_truth(folder("gt", a=""), "text")
    detections = data.read_detections(folder("dt", a=""), truth, "text")

    assert truth.images.tolist() == [0]
    assert truth.targets.boxes.shape == detections.boxes.shape == (0, 4)


def test_read_detections_columns(folder, truth):
    detections = data.read_detections(
        folder("dt", c="dog .5 1 2 3 4", b="cat 1 0 0 5 5\r\ncat 0.25 1 1 2 2"), truth, "text"
    )

    assert detections.images.tolist() == [1, 1, 2]
    assert detections.labels.tolist() == [0, 0, 1]
    assert detections.scores.tolist() == [1, 0.25, 0.5]
    assert detections.boxes.tolist() == [[0, 0, 5, 5], [1, 1, 2, 2], [1, 2, 3, 4]]


def test_read_class_numbers_with_classes_file(folder, tmp_path):
    (tmp_path / "names").write_text("bird\ncat\ndog\n", "utf-8")
    options = Options(classes=tmp_path / "names")
    truth = data.read_ground_truth(folder("gt", a="2 0 0 9 9\ncat 0 0 9 9"), "text", options)
    detections = data.read_detections(folder("dt", a="1 .5 0 0 9 9"), truth, "text", options)

    assert truth.categories == {0: "bird", 1: "cat", 2: "dog"}
    assert truth.targets.labels.tolist() == [2, 1]
    assert detections.labels.tolist() == [1]
    with pytest.raises(InputError, match=r"a\.txt: line 1, class: 3 is not among the 3 names, counted from 0"):
        data.read_detections(folder("dt", a="3 .5 0 0 9 9"), truth, "text", options)


def test_empty_classes_file_raises(folder, tmp_path):
    (tmp_path / "names").write_text("\n", "utf-8")

    with pytest.raises(InputError, match="names: the file is empty; a name in each line was expected"):
        data.read_ground_truth(folder("gt", a="2 0 0 9 9"), "text", Options(classes=tmp_path / "names"))


def test_read_with_boxes_option(folder):
    truth = data.read_ground_truth(folder("gt", a="cat 10 20 30 40"), "text", Options(boxes="xywh"))
    detections = data.read_detections(folder("dt", a="cat .5 20 10 60 40"), truth, "text", Options(boxes="yxyx"))

    assert (truth.format, truth.targets.boxes.tolist()) == ("xywh", [[10, 20, 30, 40]])
    assert detections.boxes.tolist() == [[10, 20, 30, 40]]


def test_read_ground_truth_of_inverted_corners_warns(folder):
    with pytest.warns(InputWarning, match="gt: 1 of 2 boxes end before they begin: are they xyxy"):
        data.read_ground_truth(folder("gt", a="cat 10 20 30 40\ncat 10 20 5 90"), "text")


def test_detections_of_unknown_classes_are_left_out_with_warning(folder, truth):
    lines = "\n".join(f"{name} .5 0 0 9 9" for name in ("cow", "cat", "elk", "cow"))
    with pytest.warns(InputWarning, match="dt: 3 detections excluded: 'cow', 'elk' not among the categories of .*gt"):
        detections = data.read_detections(folder("dt", a=lines), truth, "text")

    assert detections.labels.tolist() == [0]


def test_read_detections_without_common_class_raises(folder, truth):
    with pytest.raises(InputError, match=r"dt: none of the categories \('7'\) is in .*gt"):
        data.read_detections(folder("dt", a="7 .5 0 0 9 9"), truth, "text")


def test_relative_detections_of_unknown_image_size_raise(folder, truth):
    detections = folder("dt", a="cat .5 0 0 1 1")

    with pytest.raises(InputError, match=r"a\.txt: line 1, box: is relative, and the size of image 'a' is not known"):
        data.read_detections(detections, truth, "text", Options(boxes="rel_xyxy"))


@pytest.mark.parametrize("how", [{"image_size": (100, 200)}, {"images": "pictures"}])
def test_relative_detections_of_known_image_size(folder, tmp_path, how):
    image = pytest.importorskip("PIL.Image", reason="needs pillow")
    (tmp_path / "pictures").mkdir()
    image.new("L", (200, 100)).save(tmp_path / "pictures" / "a.png")
    options = {name: tmp_path / value if name == "images" else value for name, value in how.items()}
    truth = data.read_ground_truth(folder("gt", a="cat 0 0 50 50"), "text", Options(**options))
    detections = data.read_detections(folder("dt", a="cat .5 0 0 .5 .25"), truth, "text", Options(boxes="rel_xyxy"))

    assert truth.targets.boxes.tolist() == [[0, 0, 50, 50]]
    assert detections.boxes.tolist() == [[0, 0, 100, 25]]


def test_read_detections_of_empty_class_files(folder, truth):
    files = folder("dt", det_cow="", det_cat="a .5 0 0 9 9")

    assert data.read_detections(files, truth).labels.tolist() == [0]
    assert data.read_detections(folder("none", det_cow=""), truth, "voc").labels.tolist() == []


def test_absolute_detections_with_relative_ground_truth_raise(folder):
    truth = data.read_ground_truth(folder("gt", a="cat 0 0 1 1"), "text", Options(boxes="rel_xyxy"))

    assert truth.relative
    with pytest.raises(InputError, match=r"a\.txt: line 1, box: is in pixels, and the ground truth relative to"):
        data.read_detections(folder("dt", a="cat .5 0 0 9 9"), truth, "text")


BAD = {
    "fields": ("cat 1 2 3", r"line 2: expected class x1 y1 x2 y2 \[difficult\], got 4 fields"),
    "many": ("cat 1 2 3 4 5 6", r"line 2: expected class x1 y1 x2 y2 \[difficult\], got 7 fields"),
    "word": ("cat 1 2 3 x", r"line 2, y2: expected number, got 'x'"),
    "flag": ("cat 1 2 3 4 easy", r"line 2, difficult: expected 0, 1 or the word 'difficult', got 'easy'"),
    "nan": ("cat nan 2 3 4", r"line 2, x1: expected finite number, got nan"),
    "huge": ("cat 1 1e200 3 4", r"line 2, y1: expected number within 1e\+150, got 1e\+200"),
}


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD)
def test_read_ground_truth_of_invalid_line_raises(folder, content, message):
    with pytest.raises(InputError, match=rf"bad\.txt: {message}"):
        data.read_ground_truth(folder("gt", bad=f"cat 0 0 9 9\n{content}\n", good="cat 0 0 9 9"), "text")


def test_read_ground_truth_of_invalid_utf8_raises(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"cat 0 0 9 9\n\xff")

    with pytest.raises(InputError, match=r"a\.txt: not UTF-8 text \(line 2, byte 12\)"):
        data.read_ground_truth(tmp_path, "text")


def test_read_detections_of_unknown_image_raises(folder, truth):
    with pytest.raises(InputError, match=r"z\.txt: line 1, image: 'z' is not among the images of .*gt"):
        data.read_detections(folder("dt", z="cat .5 0 0 9 9"), truth, "text")


def test_read_ground_truth_from_empty_directory_raises(tmp_path):
    with pytest.raises(InputError, match="the directory has no text files"):
        data.read_ground_truth(tmp_path, "text")


@pytest.mark.parametrize(("offset", "key"), [(0, "plus0"), (1, "plus1")])
def test_evaluate_equals_published_voc_values(offset, key):
    folder = shared("cartucho-voc")
    published = json.loads((folder / "expected.json").read_text("utf-8"))["voc"][key]["0.5"]
    truth = data.read_ground_truth(folder / "input" / "ground-truth")
    with pytest.warns(InputWarning, match="44 detections excluded: 'refrigerator', 'oven'"):
        detections = data.read_detections(folder / "input" / "detection-results", truth)

    result = detection.evaluate(truth.targets, detections, protocol="voc2010", offset=offset, format=truth.format)

    assert result.summary["AP"] == pytest.approx(published["mAP_area"], abs=1e-12)
    assert list(truth.categories.values()) == sorted(published["per_class"])


def test_read_published_files_in_xywh():
    folder = shared("rafael-tests") / "tests" / "test_case_1"
    truth = data.read_ground_truth(folder / "gts", options=Options(boxes="xywh"))
    detections = data.read_detections(folder / "dets", truth, options=Options(boxes="xywh"))

    assert truth.format == "xywh"
    assert (truth.targets.boxes.shape, detections.boxes.shape) == ((15, 4), (24, 4))
    assert truth.targets.boxes[0].tolist() == [25, 16, 38, 56]
    assert detections.boxes[0].tolist() == [5, 67, 31, 48]
