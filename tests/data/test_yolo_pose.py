"""YOLO's pose labels: boxes with points behind them, which are no polygons."""

import numpy as np
import pytest

from omniou import data, detection
from omniou.boxes import convert
from omniou.data import InputError, Options

# Centre and sides of two boxes in an image of 100 x 100, and points in them, as shares of the sides.
BOXES = [(0.3, 0.4, 0.2, 0.1), (0.7, 0.6, 0.1, 0.3)]
SHARES = [(0.1, -0.2), (-0.4, 0.3), (0.3, 0.4), (-0.2, -0.45), (0.0, 0.1), (0.45, -0.3)] * 3
IN_PIXELS = [[20, 35, 40, 45], [65, 45, 75, 75]]
QUADS = [[0.3, 0.4, 0.5, 0.4, 0.5, 0.45, 0.3, 0.45], [0.7, 0.6, 0.8, 0.7, 0.75, 0.75, 0.65, 0.65]]


def _line(box, points, flag, score):
    cx, cy, w, h = box
    pairs = [(cx + a * w, cy + b * h) for a, b in SHARES[:points]]
    numbers = [*box, *(x for pair in pairs for x in (*pair, *flag))]
    return " ".join(map(str, [0, *numbers, *score]))


def _write(folder, lines):
    folder.mkdir()
    (folder / "a.txt").write_text("\n".join(lines), "utf-8")
    return folder


def _read(path, options):
    truth = data.read_ground_truth(path, options=options)
    return truth.targets.boxes, truth.format


def _detected(path, options):
    read = data.read_detections_only([path], options=options)
    return read.detections[0].boxes, read.truth.format


@pytest.mark.parametrize("flag", [(), (2,), (0.83,)], ids=["x y", "flag", "confidence"])
@pytest.mark.parametrize("points", [1, 2, 3, 4, 17])
@pytest.mark.parametrize("score", [(), (0.9,), (0.9, 7)], ids=["truth", "detections", "tracked"])
def test_points_are_no_vertices(tmp_path, points, flag, score):
    poses = _write(tmp_path / "labels", [_line(box, points, flag, score) for box in BOXES])
    options = Options(image_size=(100, 100))
    with pytest.warns(data.InputWarning, match=f"a box and {points} points? x y.*YOLO pose"):
        boxes, format = _detected(poses, options) if score else _read(poses, options)
    np.testing.assert_allclose(convert(boxes, format, "xyxy"), IN_PIXELS, atol=1e-9)


def test_perfect_boxes_of_poses_have_ap_1(tmp_path):
    # Points that are not labelled may lie anywhere, or at 0.
    points = [".35 .38 2 .9 .9 0 0 0 0", ".7 .6 1 .05 .1 0 0 0 0"]
    lines = [f"0 {' '.join(map(str, box))} {more}" for box, more in zip(BOXES, points, strict=True)]
    truth_path = _write(tmp_path / "gt", [*lines, "0 .2 .2 .1 .1"])
    found = _write(tmp_path / "dt", [f"0 {' '.join(map(str, box))} .9" for box in [*BOXES, (0.2, 0.2, 0.1, 0.1)]])
    with pytest.warns(data.InputWarning, match="3 points x y v"):
        truth = data.read_ground_truth(truth_path)
    detections = data.read_detections(found, truth)
    assert detection.evaluate(truth, detections).summary["AP"] == 1


def test_shape_in_yaml_decides(tmp_path):
    # A box as it is between its only point and a triangle; both readings are plausible.
    lines = ["0 .5 .5 .6 .6 .4 .42"]
    (tmp_path / "set" / "labels").mkdir(parents=True)
    folder = _write(tmp_path / "set" / "labels" / "val", lines)
    (tmp_path / "set" / "data.yaml").write_text("names: [cat]\nkpt_shape: [1, 2]\n", "utf-8")
    with pytest.warns(data.InputWarning, match="1 point x y"):
        truth = data.read_ground_truth(folder, options=Options(image_size=(10, 10)))
    np.testing.assert_allclose(truth.targets.boxes, [[5, 5, 6, 6]])


@pytest.mark.parametrize("kind", ["segm", "rotated", "polygons", "boundary"])
def test_poses_are_no_masks(tmp_path, kind):
    poses = _write(tmp_path / "gt", [_line(box, 2, (), ()) for box in BOXES])
    with pytest.raises(InputError, match=r"expected a polygon, got a box and 2 points x y .YOLO pose"):
        data.read_ground_truth(poses, options=Options(kind=kind, image_size=(100, 100)))


def test_poses_next_to_polygons_are_named(tmp_path):
    lines = [_line(BOXES[0], 2, (), ()), "0 " + " ".join(map(str, QUADS[0]))]
    with pytest.raises(InputError, match=r"line 1: a box and 2 points x y .*and a polygon in a.txt, line 2"):
        data.read_ground_truth(_write(tmp_path / "gt", lines))


@pytest.mark.parametrize("score", [(), (0.9,)])
def test_corners_stay_corners(tmp_path, recwarn, score):
    # All corners of the small ones lie in the box that their first four numbers would be.
    lines = [" ".join(map(str, [0, *quad, *score])) for quad in QUADS]
    folder = _write(tmp_path / "labels", lines)
    options = Options(kind="polygons", image_size=(100, 100))
    boxes, _ = (_detected if score else _read)(folder, options)
    np.testing.assert_allclose(boxes, 100 * np.array(QUADS))
    assert not recwarn


def test_line_of_both_readings_is_told(tmp_path):
    line = "0 .5 .5 .4 .6 .45 .4 .55 .4"  # four corners of no parallelogram, or a box and two points in it
    with pytest.warns(data.InputWarning, match="read as polygons, and could be a box and 2 points x y"):
        truth = data.read_ground_truth(_write(tmp_path / "gt", [line]), options=Options(image_size=(100, 100)))
    np.testing.assert_allclose(truth.targets.boxes, [[47.5, 50, 15, 20]])


@pytest.mark.parametrize(("points", "flag", "told"), [(3, (), "3 points x y"), (17, (0.8,), "17 points x y v")])
def test_score_in_front_of_the_points_is_named(tmp_path, points, flag, told):
    words = [_line(box, points, flag, ()).split() for box in BOXES]
    lines = [" ".join([*x[:5], ".9", *x[5:]]) for x in words]
    with pytest.raises(InputError, match=f"the score seems to come before {told} .YOLO pose.: put it behind"):
        data.read_detections_only([_write(tmp_path / "dt", lines)])


@pytest.mark.parametrize(
    ("lines", "points"),
    [
        (["0 .5 .5 .2 .4 .4 .3 .6 .3 .6 .7 .4 .7"], "4 points x y"),  # the corners of the box, as of number plates
        (["0 .5 .5 .2 .4 0 0 0 0 0 0 0 0"], "4 points x y"),  # none is labelled
        (["0 .5 .5 .2 .4 .45 .45 .9 .55 .55 .8 .5 .5 .7"], "3 points x y v"),  # no polygon and track id
        (["0 .5 .5 .2 .4 .9 .1 2 .1 .9 1 .5 .5 2"], "3 points x y v"),  # outside the box, but with flags
    ],
)
def test_one_line_is_enough(tmp_path, lines, points):
    with pytest.warns(data.InputWarning, match=f"a box and {points} .YOLO pose"):
        boxes, _ = _read(_write(tmp_path / "gt", lines), Options(image_size=(10, 10)))
    np.testing.assert_allclose(boxes, [[5, 5, 2, 4]])
