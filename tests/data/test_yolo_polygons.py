"""Polygons in YOLO's text files: ``class x1 y1 x2 y2 x3 y3 ... [score]``, relative to the image."""

import json

import numpy as np
import pytest

from omniou import data, detection
from omniou.data import InputError, InputWarning, Options

SIZE = (10, 20)
MASKS = Options(kind="segm", image_size=SIZE)
BOXES = Options(image_size=SIZE)
# In pixels: columns 2 to 10 and rows 2 to 8; columns 0 to 4 and rows 0 to 10.
FIRST, SECOND = "0 .1 .2 .5 .2 .5 .8 .1 .8", "1 0 0 .2 0 .2 1 0 1"
TRIANGLE = "2 0 0 1 0 0 1"


@pytest.fixture
def write(tmp_path):
    def write(name, **files):
        (tmp_path / name).mkdir(exist_ok=True)
        for stem, content in files.items():
            (tmp_path / name / f"{stem}.txt").write_text(content, "utf-8")
        return tmp_path / name

    return write


def rectangle(columns, rows):
    drawn = np.zeros(SIZE, dtype=bool)
    drawn[slice(*rows), slice(*columns)] = True
    return drawn


def test_read_polygons_as_masks(write):
    truth = data.read_ground_truth(write("gt", a=f"{FIRST}\n{SECOND}"), options=MASKS)
    detections = data.read_detections(write("dt", a=f"{SECOND} 0.25\n\n{FIRST} .5"), truth, options=MASKS)

    first, second = rectangle((2, 10), (2, 8)), rectangle((0, 4), (0, 10))
    np.testing.assert_array_equal(truth.targets.masks.to_dense(), [first, second])
    np.testing.assert_array_equal(detections.masks.to_dense(), [second, first])
    assert truth.targets.labels.tolist() == [0, 1]
    assert detections.scores.tolist() == [0.25, 0.5]
    assert detections.boxes.tolist() == [[2, 5, 4, 10], [6, 5, 8, 6]]
    assert truth.format == "cxcywh"


def test_average_precision_of_polygons(write):
    truth = data.read_ground_truth(write("gt", a=f"{FIRST}\n{SECOND}"), options=MASKS)
    # Three of the six rows: IoU 1/2, which reaches one threshold of ten.
    half = "0 .1 .2 .5 .2 .5 .5 .1 .5"
    detections = data.read_detections(write("dt", a=f"{SECOND} 1\n{half} 1"), truth, options=MASKS)
    result = detection.evaluate(truth.targets, detections, kind="segm", format=truth.format)

    assert result.per_class["AP"].tolist() == pytest.approx([1 / 10, 1])


def test_read_polygons_as_boxes(write):
    truth = data.read_ground_truth(write("gt", a=f"{TRIANGLE}\n3 .5 .5 1 .5"), options=BOXES)
    detections = data.read_detections(write("dt", a=f"{TRIANGLE} .75\n3 .5 .5 1 .5 .5"), truth)

    assert truth.targets.boxes.tolist() == [[10, 5, 20, 10], [10, 5, 20, 5]]
    assert detections.boxes.tolist() == [[10, 5, 20, 10], [10, 5, 20, 5]]
    assert detections.scores.tolist() == [0.75, 0.5]
    assert truth.targets.masks is detections.masks is None


def test_polygons_with_as_many_fields_as_kitti_and_dota(write):
    # As many fields as KITTI's and DOTA's lines have.
    seven = "0 " + " ".join(["0.1 0.1", "0.9 0.1", "0.9 0.9"] * 2 + ["0.1 0.9"])
    truth = data.read_ground_truth(write("gt", a=seven), options=BOXES)
    assert truth.targets.boxes.tolist() == [pytest.approx([10, 5, 16, 8])]

    for name, content in (("seven", f"{seven} .5"), ("four", f"{FIRST} .5")):
        assert data.read_detections(write(name, a=content), truth).scores.tolist() == [0.5]


def test_masks_of_unknown_class_are_left_out_with_warning(write):
    truth = data.read_ground_truth(write("gt", a=FIRST), options=MASKS)
    with pytest.warns(InputWarning, match="dt: 1 detection excluded: '1' not among"):
        detections = data.read_detections(write("dt", a=f"{SECOND} .9\n{FIRST} .5"), truth, options=MASKS)

    np.testing.assert_array_equal(detections.masks.to_dense(), [rectangle((2, 10), (2, 8))])
    assert detections.scores.tolist() == [0.5]


def test_coco_mask_detections_with_yolo_ground_truth(write, tmp_path):
    truth = data.read_ground_truth(write("gt", a=FIRST), options=MASKS)
    rows = [
        {"image_id": "a", "category_id": name, "score": 0.5, "segmentation": {"size": [10, 20], "counts": counts}}
        for name, counts in (("cow", [200]), ("0", [22, 6, 4, 6, 162]))
    ]
    (tmp_path / "dt.json").write_text(json.dumps(rows), "utf-8")
    with pytest.warns(InputWarning, match="1 detection excluded: 'cow' not among"):
        detections = data.read_detections(tmp_path / "dt.json", truth, options=MASKS)

    np.testing.assert_array_equal(detections.masks.to_dense(), [rectangle((2, 4), (2, 8))])
    assert detections.boxes.tolist() == [[3, 5, 2, 6]]


BAD = {
    "points": ("0 0 0 1 0 0 1 1", "line 1: expected class cx cy w h, or class x1 y1 x2 y2 x3 y3 ..., got 8 fields"),
    "two points": ("0 0 0 1", "line 1: expected class cx cy w h, or .*, got 4 fields"),
    "word": (f"{FIRST}\n0 0 0 1 0 0 one", "line 2, y3: expected number, got 'one'"),
    "nan": ("0 0 0 1 0 0 nan", "line 1, y3: expected finite number, got nan"),
    "infinite": ("0 0 inf 1 0 0 1", "line 1, y1: expected finite number, got inf"),
    "box": (f"{FIRST}\n0 .5 .5 1 1", "line 2, x1: expected a polygon, got a box"),
    "outside": ("0 2 2 3 2 3 3", r"line 1, segmentation\[0\]: "),
}


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD)
def test_read_ground_truth_of_invalid_polygons_raises(write, content, message):
    with pytest.raises(InputError, match=rf"a\.txt: {message}"):
        data.read_ground_truth(write("gt", a=content), "yolo", MASKS)


BAD_DETECTIONS = {
    "no score": (FIRST, "line 1: expected class cx cy w h score, or class x1 y1 x2 y2 x3 y3 ... score, got 9 fields"),
    "score": (f"{FIRST} high", "line 1, score: expected number, got 'high'"),
    "box": ("0 .5 .5 1 1 1", "line 1, x1: expected a polygon, got a box"),
}


@pytest.mark.parametrize(("content", "message"), BAD_DETECTIONS.values(), ids=BAD_DETECTIONS)
def test_read_detections_of_invalid_polygons_raises(write, content, message):
    truth = data.read_ground_truth(write("gt", a=FIRST), "yolo", MASKS)
    with pytest.raises(InputError, match=rf"a\.txt: {message}"):
        data.read_detections(write("dt", a=content), truth, "yolo", MASKS)


def test_boxes_option_with_polygons_raises(write):
    with pytest.raises(InputError, match=r"a\.txt: line 1: expected class cx cy w h, got 9 fields"):
        data.read_ground_truth(write("gt", a=FIRST), "yolo", Options(boxes="rel_xyxy", image_size=SIZE))


def test_masks_without_image_size_raise(write):
    with pytest.raises(InputError, match=r"a\.txt: line 1, segmentation: polygons need the height and width of their"):
        data.read_ground_truth(write("gt", a=FIRST), "yolo", Options(kind="segm"))
