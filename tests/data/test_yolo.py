"""YOLO's text files: ``class cx cy w h [score]``, relative to the image."""

import collections
import sys

import numpy as np
import pytest

from omniou import data, detection
from omniou.data import InputError, InputWarning, Options

Image = pytest.importorskip("PIL.Image", reason="needs pillow")


@pytest.fixture
def write(tmp_path):
    """Writes text files into a directory."""

    def write(name, **files):
        folder = tmp_path / name
        folder.mkdir(parents=True, exist_ok=True)
        for stem, content in files.items():
            (folder / f"{stem}.txt").write_text(content, "utf-8")
        return folder

    return write


@pytest.fixture
def draw(tmp_path):
    """Writes black pictures of some width and height."""

    def draw(name, **sizes):
        folder = tmp_path / name
        folder.mkdir(parents=True, exist_ok=True)
        for stem, size in sizes.items():
            Image.new("L", size).save(folder / f"{stem}.png")
        return folder

    return draw


LABELS = {"a": "1 0.5 0.5 0.5 0.25\n", "b": "0 0.25 0.5 0.5 1"}


def test_read_ground_truth_with_image_size(write):
    truth = data.read_ground_truth(write("labels", **LABELS), "yolo", Options(image_size=(100, 200)))

    assert (truth.format, truth.relative) == ("cxcywh", False)
    assert truth.targets.boxes.tolist() == [[100, 50, 100, 25], [50, 50, 100, 100]]
    assert truth.targets.labels.tolist() == [1, 0]
    assert truth.categories == {0: "0", 1: "1"}
    assert truth.sizes.tolist() == [[100, 200]] * 2


def test_read_ground_truth_with_sizes_of_images(write, draw):
    draw("set/images/val", a=(200, 100), b=(20, 10), empty=(7, 5))

    truth = data.read_ground_truth(write("set/labels/val", **LABELS), "yolo")

    assert truth.image_names == {0: "a", 1: "b", 2: "empty"}
    assert truth.images.tolist() == [0, 1, 2]
    assert truth.sizes.tolist() == [[100, 200], [10, 20], [5, 7]]
    assert truth.targets.boxes.tolist() == [[100, 50, 100, 25], [5, 5, 10, 10]]


def test_read_ground_truth_with_images_beside_labels(write, draw):
    draw("both", a=(200, 100), b=(20, 10))

    assert data.read_ground_truth(write("both", **LABELS), "yolo").sizes.tolist() == [[100, 200], [10, 20]]


def test_read_ground_truth_with_images_option_and_rotated_image(write, tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    turned = Image.Exif()
    turned[0x0112] = 6
    Image.new("L", (100, 200)).save(folder / "a.jpg", exif=turned)

    truth = data.read_ground_truth(write("labels", a=LABELS["a"]), "yolo", Options(images=folder))

    assert truth.sizes.tolist() == [[100, 200]]


def test_read_without_image_size_stays_relative(write):
    truth = data.read_ground_truth(write("labels", **LABELS), "yolo")
    detections = data.read_detections(write("dt", a="1 0.5 0.5 0.5 0.25 0.75"), truth, "yolo")

    assert (truth.format, truth.relative, truth.sizes) == ("cxcywh", True, None)
    assert truth.targets.boxes.tolist() == [[0.5, 0.5, 0.5, 0.25], [0.25, 0.5, 0.5, 1]]
    assert detections.boxes.tolist() == [[0.5, 0.5, 0.5, 0.25]]
    assert detections.scores.tolist() == [0.75]
    result = detection.evaluate(truth.targets, detections, format=truth.format)
    assert result.summary["AP"] == pytest.approx(0.5)


def test_read_ground_truth_with_missing_image_size_raises(write, draw):
    draw("set/images", a=(200, 100))

    with pytest.raises(InputError, match=r"b\.txt: line 1, box: is relative, and the size of image 'b' is not known"):
        data.read_ground_truth(write("set/labels", **LABELS), "yolo")


def test_read_ground_truth_with_invalid_image_raises(write, draw):
    (draw("set/images", a=(200, 100)) / "b.jpg").write_text("GIF?", "utf-8")

    with pytest.raises(InputError, match=r"b\.jpg: not a picture that Pillow can read"):
        data.read_ground_truth(write("set/labels", **LABELS), "yolo")


def test_read_ground_truth_with_truncated_image_raises(write, tmp_path):
    folder = tmp_path / "set" / "images"
    folder.mkdir(parents=True)
    Image.new("L", (200, 100)).save(folder / "a.png")
    (folder / "a.png").write_bytes((folder / "a.png").read_bytes()[:20])

    with pytest.raises(InputError, match=r"a\.png: (cannot be read|not a picture)"):
        data.read_ground_truth(write("set/labels", a=LABELS["a"]), "yolo")


@pytest.mark.parametrize("place", ["labels/classes.txt", "coco.names"])
def test_names_file_beside_labels_is_found(write, tmp_path, place):
    folder = write("labels", **LABELS)
    (tmp_path / place).write_text("cat\npotted plant\ncow\n", "utf-8")
    truth = data.read_ground_truth(folder, "yolo")

    assert truth.categories == {0: "cat", 1: "potted plant", 2: "cow"}
    with pytest.raises(InputError, match=r"a\.txt: line 1, class: 3 is not among the 3 names, counted from 0"):
        data.read_ground_truth(write("labels", a="3 0.5 0.5 0.5 0.25"), "yolo")


def test_detections_of_unknown_class_are_left_out_with_warning(write):
    truth = data.read_ground_truth(write("labels", **LABELS), "yolo")

    with pytest.warns(InputWarning, match="dt: 1 detection excluded: '2' not among the categories"):
        detections = data.read_detections(write("dt", a="2 .5 .5 .5 .25 .7\n0 .5 .5 .5 .25 .7"), truth, "yolo")

    assert detections.labels.tolist() == [0]


@pytest.mark.parametrize("number", ["1048576", "999999999999", "7" * 5000])
def test_read_ground_truth_of_too_large_class_number_raises(write, tmp_path, number):
    labels = write("labels", a=f"1 .5 .5 .5 .25\n{number} .5 .5 .5 .25")
    with pytest.raises(InputError, match=r"a\.txt: line 2, class: expected a number below 1048576, got "):
        data.read_ground_truth(labels, "yolo")

    (tmp_path / "classes.txt").write_text("cat\ndog", "utf-8")
    with pytest.raises(InputError, match=r"a\.txt: line 2, class: \d+ is not among the 2 names"):
        data.read_ground_truth(labels, "yolo")


def test_read_ground_truth_with_class_names(write):
    truth = data.read_ground_truth(write("labels", a="dog .5 .5 .5 .25\ncat .5 .5 .5 .25"), "yolo")

    assert truth.categories == {0: "cat", 1: "dog"}
    assert truth.targets.labels.tolist() == [1, 0]


@pytest.fixture
def truth(tmp_path):
    path = tmp_path / "coco.json"
    path.write_text(
        '{"images": [{"id": 7, "file_name": "val/a.jpg", "width": 200, "height": 100}, {"id": 8, "width": 0}],'
        '"categories": [{"id": 3, "name": "cat"}, {"id": 1, "name": "dog"}], "annotations": []}',
        "utf-8",
    )
    return data.read_ground_truth(path, "coco")


def test_read_detections_with_sizes_of_coco_ground_truth(write, truth, tmp_path):
    folder = write("dt", a="0 0.5 0.5 0.5 0.25 0.75")
    with pytest.raises(InputError, match="dt: classes are numbers that count names from 0, and the file of these"):
        data.read_detections(folder, truth, "yolo")

    (tmp_path / "classes.txt").write_text("cat\ndog", "utf-8")
    detections = data.read_detections(folder, truth, "yolo")

    assert detections.images.tolist() == [7]
    assert detections.labels.tolist() == [3]
    np.testing.assert_array_equal(detections.boxes, [[50, 37.5, 100, 25]])


def test_read_detections_of_unknown_image_size_raises(write, truth):
    detections = write("dt", **{"8": "cat 0.5 0.5 0.5 0.25 0.75"})

    with pytest.raises(InputError, match=r"8\.txt: line 1, box: is relative, and the size of image '8' is not known"):
        data.read_detections(detections, truth, "yolo")


def test_read_detections_without_score_raises(write, truth):
    detections = write("dt", a="cat 0.5 0.5 0.5 0.25")

    with pytest.raises(InputError, match=r"a\.txt: line 1: expected class cx cy w h score, or .*, got 5 fields"):
        data.read_detections(detections, truth, "yolo")


def test_read_detections_of_empty_file(write, truth):
    assert data.read_detections(write("dt", a=""), truth, "yolo").boxes.shape == (0, 4)


def test_read_ground_truth_in_pixels(write):
    truth = data.read_ground_truth(write("labels", a="0 5 5 10 10"), "yolo", Options(boxes="cxcywh"))

    assert (truth.relative, truth.targets.boxes.tolist()) == (False, [[5, 5, 10, 10]])


def test_calls_of_functions_for_each_file(write):
    """Paths are not compared, and no function is called for each number."""
    folder = write("labels", **{f"{k:03}": "1 0.5 0.5 0.5 0.25\n" * 20 for k in range(50)})
    data.read_ground_truth(folder)  # which imports
    counter = collections.Counter()
    sys.setprofile(lambda _, event, __: counter.update([event]))
    try:
        data.read_ground_truth(folder)
    finally:
        sys.setprofile(None)

    assert counter["call"] < 400 * 50
