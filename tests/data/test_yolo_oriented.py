"""YOLO's oriented boxes, ``class x1 y1 ... x4 y4 [score]``, and the track ids that trackers write behind the others."""

import numpy as np
import pytest

from omniou import data, detection
from omniou.data import InputError, OptionError, Options

SIZE = (100, 200)
# In pixels: a rectangle from (20, 10) to (100, 30); a diamond around (100, 50) that reaches 20 pixels to each side.
UPRIGHT, DIAMOND = "0 .1 .1 .5 .1 .5 .3 .1 .3", "1 .5 .3 .6 .5 .5 .7 .4 .5"
PIXELS = [[20, 10, 100, 10, 100, 30, 20, 30], [100, 30, 120, 50, 100, 70, 80, 50]]


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "a.txt").write_text(content, "utf-8")
        return tmp_path / name

    return write


@pytest.mark.parametrize(("kind", "format"), [("rotated", "xyxyxyxy"), ("polygons", "vertices")])
def test_read_oriented_boxes(write, kind, format):
    options = Options(kind=kind, image_size=SIZE)
    truth = data.read_ground_truth(write("gt", f"{UPRIGHT}\n{DIAMOND}"), options=options)
    # The lower half of the rectangle: IoU 1/2, which reaches one threshold of ten.
    half = "0 .1 .2 .5 .2 .5 .3 .1 .3 .8"
    found = data.read_detections(write("dt", f"{DIAMOND} 0.25\n{half}"), truth, options=options)

    assert truth.format == format
    np.testing.assert_allclose(truth.targets.boxes, PIXELS, rtol=1e-15)
    assert found.scores.tolist() == [0.25, 0.8]
    result = detection.evaluate(truth, found, kind=kind)
    assert result.per_class["AP"].tolist() == pytest.approx([0.1, 1])


def test_quadrilaterals_need_no_sizes_and_rectangles_do(write):
    folder = write("gt", f"{UPRIGHT}\n{DIAMOND}")
    truth = data.read_ground_truth(folder, options=Options(kind="polygons"))
    found = data.read_detections(write("dt", f"{UPRIGHT} .5\n{DIAMOND} .5"), truth, options=Options(kind="polygons"))

    assert truth.relative
    assert detection.evaluate(truth, found, kind="polygons").summary["AP"] == pytest.approx(1)
    with pytest.raises(InputError, match=r"gt: oriented boxes are relative, and the sizes .* --image-size gives them"):
        data.read_ground_truth(folder, options=Options(kind="rotated"))


@pytest.mark.parametrize("kind", ["rotated", "polygons"])
def test_oriented_boxes_are_written_as_they_were_read(write, tmp_path, kind):
    options = Options(kind=kind, image_size=SIZE)
    truth = data.read_ground_truth(write("gt", f"{UPRIGHT}\n{DIAMOND}"), options=options)
    found = data.read_detections(write("dt", f"{DIAMOND} 0.25"), truth, options=options)
    data.write_ground_truth(truth, tmp_path / "written", "yolo")
    data.write_detections(found, truth, tmp_path / "found", "yolo")

    lines = (tmp_path / "written" / "a.txt").read_text("utf-8").splitlines()
    assert [[float(x) for x in line.split()] for line in lines] == [
        [0, 0.1, 0.1, 0.5, 0.1, 0.5, 0.3, 0.1, 0.3],
        [1, 0.5, 0.3, 0.6, 0.5, 0.5, 0.7, 0.4, 0.5],
    ]
    assert (tmp_path / "found" / "a.txt").read_text("utf-8").split()[-1] == "0.25"


def test_writing_rotated_boxes_without_sizes_raises(tmp_path):
    (tmp_path / "P1.txt").write_text("20 10 100 10 100 30 20 30 plane 0", "utf-8")
    truth = data.read_ground_truth(tmp_path / "P1.txt", options=Options(kind="rotated"))

    with pytest.raises(OptionError, match="the sizes of images are needed to write fractions"):
        data.write_ground_truth(truth, tmp_path / "out", "yolo")


@pytest.mark.parametrize(
    ("line", "got"),
    [("0 .5 .5 .2 .2", "a box"), ("0 0 0 1 0 1 1", "3 points"), ("0 0 0 1 0 1 1 .5 1 0 .5", "5 points")],
)
def test_other_shapes_than_oriented_boxes_raise(write, line, got):
    with pytest.raises(InputError, match=rf"a\.txt: line 2, x1: expected four corners, got {got}: --kind (bbox|segm)"):
        data.read_ground_truth(write("gt", f"{UPRIGHT}\n{line}"), options=Options(kind="rotated", image_size=SIZE))


def test_track_ids_play_no_part(write):
    size = Options(image_size=SIZE)
    truth = data.read_ground_truth(write("gt", "0 .5 .5 .2 .2 17\n0 .25 .25 .1 .1 3"), options=size)
    found = data.read_detections(write("dt", "0 .5 .5 .2 .2 .75 17\n0 .25 .25 .1 .1 .5 3"), truth)

    assert truth.targets.boxes.tolist() == [[100, 50, 40, 20], [50, 25, 20, 10]]
    assert found.scores.tolist() == [0.75, 0.5]
    polygons = data.read_ground_truth(write("polygons", f"{UPRIGHT} 12\n{DIAMOND} 13"), options=size)
    np.testing.assert_allclose(polygons.targets.boxes, [[60, 20, 80, 20], [100, 50, 40, 40]], rtol=1e-14)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("0 .5 .5 .2 .2 17\n0 .4 .4 .1 .1 3", "a box and a whole number such as 17: a track id, or a score in percent"),
        (f"{UPRIGHT}\n{DIAMOND}", "line 1: expected class cx cy w h score, .*: no score: is this the ground truth?"),
    ],
)
def test_detections_without_score_raise(write, content, fault):
    truth = data.read_ground_truth(write("gt", "0 .5 .5 .2 .2"), options=Options(image_size=SIZE))
    format = "yolo" if "expected" in fault else None
    with pytest.raises(InputError, match=fault):
        data.read_detections(write("dt", content), truth, format)


def test_score_in_percent_is_read_where_the_format_is_named(write):
    truth = data.read_ground_truth(write("gt", "0 .5 .5 .2 .2"), options=Options(image_size=SIZE))

    assert data.read_detections(write("dt", "0 .5 .5 .2 .2 87"), truth, "yolo").scores.tolist() == [87]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("0 .5 .5 .2 .2 .87", "a box and one field more, such as .87: a score. Are these the detections.$"),
        ("0 .5 .5 .2 .2 1", "0 or 1, a track id or a mark of difficult objects: --gt-format yolo reads a track id"),
    ],
)
def test_sixth_field_of_ground_truth_that_may_be_another_raises(write, line, fault):
    with pytest.raises(InputError, match=fault):
        data.read_ground_truth(write("gt", line))


def test_oriented_boxes_are_written_as_json_of_coco(write, tmp_path):
    truth = data.read_ground_truth(write("gt", UPRIGHT), options=Options(kind="rotated", image_size=SIZE))
    data.write_ground_truth(truth, tmp_path / "gt.json", "coco")
    again = data.read_ground_truth(tmp_path / "gt.json", options=Options(kind="rotated"))

    np.testing.assert_allclose(again.targets.boxes, [[60, 20, 80, 20, 0]], atol=1e-12)
