"""CVAT: boxes, polygons, rotated boxes, run lengths and scores."""

import numpy as np
import pytest

from omniou import data
from omniou.data import InputError, Options

MASKS, ROTATED, POLYGONS = Options(kind="segm"), Options(kind="rotated"), Options(kind="polygons")
# A box of 20 x 10 around (20, 15), turned by 90 degrees: 10 x 20.
TURNED = [15, 5, 25, 25]


def xml(*shapes, meta=""):
    image = f'<image id="0" name="sub/a.jpg" width="60" height="50">{"".join(shapes)}</image>'
    return f'<?xml version="1.0" encoding="utf-8"?>\n<annotations><version>1.1</version>{meta}{image}</annotations>'


BOX = '<box label="cat" source="manual" occluded="0" xtl="10" ytl="10" xbr="30" ybr="20"{}>{}</box>'


def test_cvat_boxes(write):
    shapes = [
        BOX.format("", ""),
        BOX.format(' rotation="90.0"', '<attribute name="difficult">true</attribute>'),
        '<polygon label="dog" points="0,0;8,0;8,8" occluded="0"/>',
        '<ellipse label="dog" cx="20" cy="30" rx="4" ry="2" rotation="90"/>',
        '<mask label="dog" rle="1, 2, 1" left="2" top="3" width="2" height="2"/>',
    ]
    truth = data.read_ground_truth(write("annotations.xml", xml(*shapes)))

    expected = [[10, 10, 30, 20], TURNED, [0, 0, 8, 8], [18, 26, 22, 34], [2, 3, 4, 5]]
    np.testing.assert_allclose(truth.targets.boxes, expected, atol=1e-12)
    assert truth.targets.ignore.tolist() == [False, True, False, False, False]
    assert (truth.image_names, truth.sizes.tolist()) == ({0: "sub/a.jpg"}, [[50, 60]])


def test_cvat_masks(write):
    # By rows from the first pixel of the part: 1 outside, 2 inside, 1 outside.
    mask = '<mask label="dog" rle="1, 2, 1" left="2" top="3" width="2" height="2"/>'
    truth = data.read_ground_truth(write("a.xml", xml(BOX.format("", ""), mask)), options=MASKS)

    assert truth.targets.masks.area().tolist() == [200, 2]
    rows, columns = np.nonzero(truth.targets.masks.to_dense()[1])
    assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == [(3, 3), (4, 2)]


@pytest.mark.parametrize(("options", "format"), [(ROTATED, "xyxyxyxy"), (POLYGONS, "vertices")])
def test_cvat_rotated_boxes(write, options, format):
    truth = data.read_ground_truth(write("a.xml", xml(BOX.format(' rotation="90"', ""))), options=options)

    assert truth.format == format
    np.testing.assert_allclose(truth.targets.boxes, [[25, 5, 25, 25, 15, 25, 15, 5]], atol=1e-12)


def test_cvat_scores_and_classes_of_the_task(write):
    meta = "<meta><task><labels><label><name>cat</name></label><label><name>cow</name></label></labels></task></meta>"
    truth = data.read_ground_truth(write("gt.xml", xml(BOX.format("", ""), meta=meta)))
    assert truth.categories == {0: "cat", 1: "cow"}
    score = '<attribute name="confidence">0.25</attribute>'
    found = data.read_detections(write("dt.xml", xml(BOX.format("", score), BOX.format(' score="0.5"', ""))), truth)
    assert found.scores.tolist() == [0.25, 0.5]
    with pytest.raises(InputError, match=r"image 1 \(sub/a\.jpg\), box 1, score: missing: is this the ground truth\?"):
        data.read_detections(write("dt.xml", xml(BOX.format("", ""))), truth)


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ('<box label="cat" xtl="1" ytl="1" xbr="x" ybr="2"/>', r"image 1 \(.*\), box 1, xbr: expected number, got 'x'"),
        ('<box label="cat" xtl="1" ytl="1" xbr="2"/>', "box 1, ybr: missing"),
        ('<polygon label="cat" points="0,0;8"/>', "polygon 1, points: expected points such as .*, got '0,0;8'"),
        ('<box xtl="1" ytl="1" xbr="2" ybr="2"/>', "box 1, label: missing"),
        ('<polyline label="cat" points="0,0;8,1"/>', "has no boxes, polygons or masks, only 1 polyline"),
    ],
)
def test_cvat_faults(write, given, fault):
    with pytest.raises(InputError, match=fault):
        data.read_ground_truth(write("a.xml", xml(given)))


@pytest.mark.parametrize("rle", ["1,2", "1,-2,5", "1,x", "5,5"])
def test_cvat_run_lengths_that_do_not_fit_raise(write, rle):
    mask = f'<mask label="dog" rle="{rle}" left="2" top="3" width="2" height="2"/>'
    with pytest.raises(InputError, match="mask 1, rle: "):
        data.read_ground_truth(write("a.xml", xml(mask)), options=MASKS)


def test_cvat_image_that_occurs_twice_raises(write, tmp_path):
    for name in ("a", "b"):
        write(f"gt/{name}.xml", xml(BOX.format("", "")))
    with pytest.raises(
        InputError, match=r"b\.xml: image 1, name: 'sub/a\.jpg' is already the name of an image of .*a\.xml"
    ):
        data.read_ground_truth(tmp_path / "gt", "cvat")
