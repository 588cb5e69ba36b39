"""Box formats, conversion, checks, and boxes from masks."""

import math

import numpy as np
import pytest

from omniou import boxes
from tests.helpers import array, assert_close

# One rectangle, one interval and one cuboid, in every format; image sides 200 x 100 x 50 along x, y, z.
READINGS = {
    "xyxy": [20, 10, 60, 40],
    "yxyx": [10, 20, 40, 60],
    "xywh": [20, 10, 40, 30],
    "cxcywh": [40, 25, 40, 30],
    "rel_xyxy": [0.1, 0.1, 0.3, 0.4],
    "rel_yxyx": [0.1, 0.1, 0.4, 0.3],
    "rel_xywh": [0.1, 0.1, 0.2, 0.3],
    "rel_cxcywh": [0.2, 0.25, 0.2, 0.3],
}
INTERVALS = {
    "xyxy": [20, 60],
    "xx": [20, 60],
    "xw": [20, 40],
    "cxw": [40, 40],
    "xywh": [20, 40],
    "rel_xx": [0.1, 0.3],
    "rel_xw": [0.1, 0.2],
    "rel_cxw": [0.2, 0.2],
}
CUBOIDS = {
    "xyxy": [20, 10, 5, 60, 40, 10],
    "xyzxyz": [20, 10, 5, 60, 40, 10],
    "zyxzyx": [5, 10, 20, 10, 40, 60],
    "xyzwhd": [20, 10, 5, 40, 30, 5],
    "cxcyczwhd": [40, 25, 7.5, 40, 30, 5],
    "rel_xyzxyz": [0.1, 0.1, 0.1, 0.3, 0.4, 0.2],
    "rel_zyxzyx": [0.1, 0.1, 0.1, 0.2, 0.4, 0.3],
    "rel_xyzwhd": [0.1, 0.1, 0.1, 0.2, 0.3, 0.1],
    "rel_cxcyczwhd": [0.2, 0.25, 0.15, 0.2, 0.3, 0.1],
}
CASES = [
    (source, target, readings, size)
    for readings, size in ((READINGS, (100, 200)), (INTERVALS, (200,)), (CUBOIDS, (50, 100, 200)))
    for source in readings
    for target in readings
]


@pytest.mark.proves("eager", "boxes.convert")
@pytest.mark.parametrize(("source", "target", "readings", "size"), CASES)
def test_convert_between_all_formats(xp, source, target, readings, size):
    x = array(xp, [readings[source]] * 3)
    out = boxes.convert(x, source, target, image_size=size)
    assert_close(out, [readings[target]] * 3, like=x)


@pytest.mark.parametrize("format", READINGS)
def test_scores_of_every_format(xp, format):
    a, b = array(xp, READINGS[format]), array(xp, [20, 10, 60, 70])
    b = boxes.convert(b, "xyxy", format, image_size=(100, 200))
    options = {"format": format, "image_size": (100, 200)}
    assert_close(boxes.iou(a, b, **options), 1200 / 2400)
    assert_close(boxes.diou(a, b, **options), 0.5 - 15**2 / (40**2 + 60**2))
    assert_close(boxes.area(a, **options), 1200)
    assert_close(boxes.enclosing(a, b, **options), b)


def test_convert_with_image_size_per_image(xp):
    x = array(xp, [[[0.1, 0.1, 0.3, 0.4]], [[0.5, 0.5, 1.0, 1.0]]])
    sizes = array(xp, [[[100, 200]], [[10, 10]]])
    out = boxes.convert(x, "rel_xyxy", "xyxy", image_size=sizes)
    assert_close(out, [[[20, 10, 60, 40]], [[5, 5, 10, 10]]], like=x)


def test_convert_with_offset_changes_corners_only(xp):
    x = array(xp, [0, 0, 9, 4])
    assert_close(boxes.convert(x, "xyxy", "xywh", offset=1), [0, 0, 10, 5])
    assert_close(boxes.convert(array(xp, [0, 0, 10, 5]), "xywh", "xyxy", offset=1), [0, 0, 9, 4])
    assert_close(boxes.area(array(xp, [0, 0, 10, 5]), format="xywh", offset=1), 50)


def test_convert_keeps_shared_coordinates_bitwise(xp):
    x = array(xp, [1e8, 1e8, 0.1, 0.3], "float64")
    assert_close(boxes.convert(x, "xywh", "cxcywh")[2:], [0.1, 0.3], ulp=0)
    assert_close(boxes.convert(x, "xywh", "xywh"), x, ulp=0)


def test_convert_and_enclosing_return_contiguous_arrays():
    x = np.zeros((5, 3, 4))
    assert boxes.convert(x, "xyxy", "xywh").flags.c_contiguous
    assert boxes.enclosing(x, x).flags.c_contiguous
    torch = pytest.importorskip("torch")
    assert boxes.convert(torch.zeros(5, 4), "xyxy", "xywh").is_contiguous()


def test_convert_of_inverted_box_keeps_negative_sides(xp):
    x = array(xp, [3, 3, 1, 2])
    assert_close(boxes.convert(x, "xyxy", "xywh"), [3, 3, -2, -1])


@pytest.mark.computes("a check looks at values, and would hide the cost of computing them")
class TestCheck:
    @pytest.mark.parametrize("format", READINGS)
    def test_check_of_valid_boxes_passes(self, xp, format):
        x = array(xp, [[READINGS[format]] * 2] * 3)
        assert boxes.check(x, format=format, image_size=(100, 200)) is None
        assert boxes.check(array(xp, np.zeros((0, 4)))) is None

    @pytest.mark.parametrize(
        ("row", "fault"),
        [
            ([3, 0, 2, 1], "inverted"),
            ([0, 0, math.nan, 1], "not finite"),
            ([0, -math.inf, 1, 1], "not finite"),
            ([-1, 0, 2, 1], "out of the image"),
            ([0, 0, 200.5, 1], "out of the image"),
            ([0, 0, 1, 101], "out of the image"),
        ],
    )
    def test_check_names_first_bad_row(self, xp, row, fault):
        good = [0, 0, 200, 100]
        x = array(xp, [[good, good], [good, row], [row, good]])
        with pytest.raises(ValueError, match=rf"`x\[1, 1\]` is {fault}.*in \["):
            boxes.check(x, image_size=(100, 200))

    def test_check_of_relative_boxes_needs_image_size(self, xp):
        with pytest.raises(ValueError, match=r"`image_size` must be given as \(height, width\)"):
            boxes.check(array(xp, [0, 0, 1, 1]), format="rel_xyxy")


@pytest.mark.proves("eager", "boxes.from_masks")
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float32"])
def test_from_masks_by_hand(xp, dtype):
    masks = np.zeros((2, 2, 5, 8), dtype=int)
    masks[0, 0, 1:3, 2:7] = 1
    masks[0, 1, 4, 7] = 1
    masks[1, 0] = 1
    actual = boxes.from_masks(xp.asarray(masks.tolist(), dtype=getattr(xp, dtype)))
    expected = [[[2, 1, 7, 3], [7, 4, 8, 5]], [[0, 0, 8, 5], [0, 0, 0, 0]]]
    assert_close(actual, expected, like=array(xp, [1.0]))
    inclusive = boxes.from_masks(xp.asarray(masks[0].tolist(), dtype=getattr(xp, dtype)), offset=1)
    assert_close(inclusive, [[2, 1, 6, 2], [7, 4, 7, 4]])
    assert boxes.from_masks(xp.zeros((0, 5, 8), dtype=getattr(xp, dtype))).shape == (0, 4)
