"""LabelMe: boxes, polygons, rotated boxes, scores, and what has no area."""

import pytest

from omniou import data
from omniou.data import InputError, InputWarning, Options

BOXES = Options()
MASKS, ROTATED = Options(kind="segm"), Options(kind="rotated")


def shape(points, kind="polygon", label="cat", **more):
    return {"label": label, "points": points, "shape_type": kind, "flags": {}} | more


def file_of_labelme(*shapes):
    return {"version": "5.4.1", "shapes": shapes, "imagePath": "a.jpg", "imageHeight": 50, "imageWidth": 60}


TRIANGLE = [[0, 0], [8, 0], [8, 8]]


def test_labelme_boxes(write):
    path = write(
        "a.json",
        file_of_labelme(
            shape([[30, 4], [10, 24]], "rectangle"),
            shape(TRIANGLE),
            shape([[20, 20], [23, 24]], "circle"),
            shape([[20, 5], [30, 15], [20, 25], [10, 15]], "rotation", difficult=True),
        ),
    )
    truth = data.read_ground_truth(path)

    # The point of the circle is 5 pixels from its centre.
    assert truth.targets.boxes.tolist() == [[10, 4, 30, 24], [0, 0, 8, 8], [15, 15, 25, 25], [10, 5, 30, 25]]
    assert truth.targets.ignore.tolist() == [False, False, False, True]
    assert (truth.image_names, truth.categories, truth.sizes.tolist()) == ({0: "a"}, {0: "cat"}, [[50, 60]])


def test_labelme_masks_join_the_shapes_of_a_group(write):
    other = [[20, 0], [28, 0], [28, 8], [20, 8]]
    shapes = [shape(TRIANGLE, group_id=1), shape(other, group_id=1), shape(other, group_id=1, label="dog")]
    path = write("a.json", file_of_labelme(*shapes, shape([[40, 10], [30, 20]], "rectangle")))
    truth = data.read_ground_truth(path, options=MASKS)

    assert truth.targets.labels.tolist() == [0, 1, 0]
    triangle = data.read_ground_truth(write("t.json", file_of_labelme(shape(TRIANGLE))), options=MASKS)
    alone = int(triangle.targets.masks.area()[0])
    assert truth.targets.masks.area().tolist() == [alone + 64, 64, 100]
    assert data.read_ground_truth(path).targets.boxes.tolist()[0] == [0, 0, 28, 8]


def test_labelme_scores_of_x_anylabeling(write, tmp_path):
    truth = data.read_ground_truth(write("gt/a.json", file_of_labelme(shape([[0, 0], [9, 9]], "rectangle"))).parent)
    # Rectangles of four corners.
    corners = [[0, 0], [9, 0], [9, 9], [0, 9]]
    write("dt/a.json", file_of_labelme(shape(corners, "rectangle", score=0.75)))
    found = data.read_detections(tmp_path / "dt", truth)

    assert (found.scores.tolist(), found.boxes.tolist()) == ([0.75], [[0, 0, 9, 9]])
    with pytest.raises(InputError, match=r"a\.json: shapes\[0\]\.score: missing: is this the ground truth\?"):
        data.read_detections(tmp_path / "gt", truth)


@pytest.mark.parametrize(
    ("given", "options", "fault"),
    [
        (shape([[0, 0], [1, 1]]), BOXES, r"shapes\[0\]\.points: expected 3 points or more of a polygon, got 2"),
        (shape([[0, 0]], "cube"), BOXES, r"shapes\[0\]\.points: expected 2 points or more of a cube, got 1"),
        (shape([[0, 0], [1, 1]], "cube"), BOXES, r"shapes\[0\]\.shape_type: expected one of polygon, .*, got 'cube'"),
        (shape([[0, 0], [1, "b"]], "rectangle"), BOXES, r"shapes\[0\]\.points\[1\]\[1\]: expected number, got string"),
        (shape(TRIANGLE), ROTATED, r"shapes\[0\]: expected four points, got 3 points: --kind segm reads masks"),
        (shape([[0, 0], [1, 1]], "mask"), MASKS, r"shapes\[0\]: is a mask, whose pixels are not read"),
        (shape([[0, 0]], "point"), BOXES, "has no boxes, polygons or masks, only 1 point"),
        (shape([[0, 0], [0, float("nan")]], "rectangle"), BOXES, "expected number, got NaN"),
    ],
)
def test_labelme_faults(write, given, options, fault):
    with pytest.raises(InputError, match=fault):
        data.read_ground_truth(write("a.json", file_of_labelme(given)), options=options)


def test_what_has_no_area_is_left_out_with_a_warning(write):
    path = write("a.json", file_of_labelme(shape([[0, 0]], "point"), shape([[0, 0], [9, 9]], "rectangle")))
    with pytest.warns(InputWarning, match=r"a\.json: 1 point skipped"):
        assert len(data.read_ground_truth(path).targets.labels) == 1


def test_labelme_image_set_and_images_without_objects(write, tmp_path):
    write("gt/a.json", file_of_labelme(shape([[0, 0], [9, 9]], "rectangle")))
    write("gt/b.json", file_of_labelme())
    assert data.read_ground_truth(tmp_path / "gt").image_names == {0: "a", 1: "b"}
    chosen = data.read_ground_truth(tmp_path / "gt", options=Options(image_set=("b",)))
    assert (chosen.image_names, len(chosen.targets.labels)) == ({0: "b"}, 0)
