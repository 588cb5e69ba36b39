"""Masks in COCO's files."""

import json

import numpy as np
import pytest

from omniou import data
from omniou.data import InputError, Options
from omniou.data._formats import segmentations

pytestmark = pytest.mark.usefixtures("mask_kernels")

MASKS = Options(kind="segm")
LENGTHS = {"size": [4, 5], "counts": [5, 2, 2, 2, 9]}
SQUARE = [[1, 1, 3, 1, 3, 3, 1, 3]]


def written(tmp_path, truth_masks, detection_masks, **image):
    image = {"id": 7, "height": 4, "width": 5} | image
    rows = [
        {"id": k, "image_id": 7, "category_id": 1, "bbox": [0, 0, 1, 1], "segmentation": x}
        for k, x in enumerate(truth_masks)
    ]
    truth = {"images": [image], "categories": [{"id": 1}], "annotations": rows}
    detections = [{"image_id": 7, "category_id": 1, "score": 0.5, "segmentation": x} for x in detection_masks]
    for name, content in (("truth.json", truth), ("detections.json", detections)):
        (tmp_path / name).write_text(json.dumps(content))
    return tmp_path / "truth.json", tmp_path / "detections.json"


def test_read_run_lengths_and_polygons_in_file_order(tmp_path):
    three = {"size": [4, 5], "counts": [2, 3, 15]}
    path, other = written(tmp_path, [SQUARE, three, SQUARE], [LENGTHS, {"size": [4, 5], "counts": "52207"}])
    truth = data.read_ground_truth(path, "coco", MASKS)
    detections = data.read_detections(other, truth, "coco", MASKS)

    assert truth.targets.masks.area().tolist() == [4, 3, 4]
    assert truth.targets.area.tolist() == [4, 3, 4]  # the file has none: not that of the box
    assert detections.masks.area().tolist() == [4, 4]
    np.testing.assert_array_equal(detections.boxes, [[1, 1, 2, 2]] * 2)


def test_read_ground_truth_without_masks_option_skips_masks(tmp_path):
    path, _ = written(tmp_path, [{"size": "none"}], [])
    assert data.read_ground_truth(path, "coco").targets.masks is None


@pytest.mark.parametrize(
    ("masks", "image", "message"),
    [
        ([LENGTHS, {"size": [4, 5], "counts": [5]}], {}, r"annotations\[1\].segmentation.counts: "),
        ([{"size": [4, 5], "counts": "5220"}], {}, r"annotations\[0\].segmentation.counts: .*\(id 0\)"),
        ([{"size": [5, 4], "counts": [20]}], {}, r"segmentation.size: expected the image's height and width, \[4, 5\]"),
        ([{"size": [10**9, 10**9], "counts": [10**18]}], {}, r"annotations\[0\].segmentation.size: "),
        ([{"counts": [20]}], {}, r"annotations\[0\].segmentation.size: missing"),
        ([SQUARE, {"size": [4, 5], "counts": [5]}], {}, r"annotations\[1\].segmentation.counts: runs add up to 5"),
        ([SQUARE, {"size": [5, 4], "counts": [20]}], {}, r"annotations\[1\].segmentation.size: expected the image's"),
        ([SQUARE, {"size": [4, 5], "counts": "o"}], {}, r"annotations\[1\].segmentation.counts: the text ends inside"),
        ([SQUARE], {"height": None}, "polygons need the height and width of their image"),
        ([SQUARE], {"height": 4.5}, "polygons need .* of their image in whole pixels, got 4.5 and 5"),
        ([SQUARE], {"width": 2**40}, r"annotations\[0\].segmentation.size: 4 x 1099511627776 is more than"),
        ([SQUARE], {"width": 1e300}, "polygons need .* in whole pixels, got 4 and 1e\\+300"),
        ([LENGTHS], {"height": 4.5}, r"expected the image's height and width, \[4.5, 5\], got \[4, 5\]"),
        ([3], {}, r"annotations\[0\].segmentation: expected"),
        ([SQUARE, [[1, 1, 3, "1", 3, 3]]], {}, r"annotations\[1\].segmentation\[0\]\[3\]: expected number, got string"),
        ([SQUARE, [[10**400]]], {}, r"annotations\[1\].segmentation\[0\]\[0\]: number out of range \(id 1\)"),
        ([SQUARE, {"size": [4, 5.5], "counts": "5"}], {}, r"segmentation.size\[1\]: expected integer, got number"),
    ],
)
def test_read_ground_truth_of_invalid_masks_raises(tmp_path, masks, image, message):
    path, _ = written(tmp_path, masks, [], **image)
    with pytest.raises(InputError, match=message):
        data.read_ground_truth(path, "coco", MASKS)


@pytest.mark.parametrize("block", [1, 60, 200])
def test_read_masks_does_not_depend_on_block_size(tmp_path, monkeypatch, block):
    masks = [SQUARE, LENGTHS, SQUARE, SQUARE, {"size": [4, 5], "counts": "52207"}, LENGTHS, SQUARE]
    path, _ = written(tmp_path, masks, [])
    whole = data.read_ground_truth(path, "coco", MASKS).targets.masks.to_dense()
    monkeypatch.setattr(segmentations, "_BLOCK", block)
    np.testing.assert_array_equal(data.read_ground_truth(path, "coco", MASKS).targets.masks.to_dense(), whole)
    for number, bad in ((4, [SQUARE[0], [1, 1, 2, 2, 3, 3, 1]]), (6, {"size": [4, 5], "counts": [19]})):
        path, _ = written(tmp_path, [*masks[:number], bad, *masks[number + 1 :]], [])
        with pytest.raises(InputError, match=rf"annotations\[{number}\]\.segmentation.*\(id {number}\)"):
            data.read_ground_truth(path, "coco", MASKS)


def test_read_relative_polygons_and_absolute_run_lengths(tmp_path):
    # Lengths are in pixels, whatever the boxes are in.
    path, _ = written(tmp_path, [[[x / side for x, side in zip(SQUARE[0], [5, 4] * 4, strict=True)]], LENGTHS], [])
    truth = data.read_ground_truth(path, "coco", Options(kind="segm", boxes="rel_xywh"))
    first, second = truth.targets.masks.to_dense()
    assert (first == second).all()


@pytest.mark.parametrize("points", [[[1, 1, 3, 1]], [[1, 1, 3, 1, 900, 3]], [[1, 1, 3, 1, 3]]])
def test_read_ground_truth_of_invalid_polygons_raises(tmp_path, points):
    path, _ = written(tmp_path, [points], [])
    with pytest.raises(InputError, match=r"truth\.json: annotations\[0\]\.segmentation\[0\]"):
        data.read_ground_truth(path, "coco", MASKS)


def test_read_detections_of_invalid_masks_raises(tmp_path):
    path, other = written(tmp_path, [LENGTHS], [LENGTHS, {"size": [4, 5], "counts": [19]}])
    with pytest.raises(InputError, match=r"detections\.json: \[1\]\.segmentation\.counts: "):
        data.read_detections(other, data.read_ground_truth(path, "coco", MASKS), "coco", MASKS)


@pytest.mark.parametrize("size", [[8, 10], [5, 4]])
def test_masks_of_another_size_than_the_truth_raise_though_no_size_is_stated(tmp_path, size):
    other = {"size": size, "counts": [size[0] * size[1]]}
    unstated = {"height": None, "width": None}
    path, found = written(tmp_path, [LENGTHS], [LENGTHS, other], **unstated)
    whose = r"detections\.json: \[1\]\.segmentation\.size: expected .* the ground truth's masks .*, \[4, 5\], got"
    with pytest.raises(InputError, match=whose):
        data.read_detections(found, data.read_ground_truth(path, "coco", MASKS), "coco", MASKS)
    path, _ = written(tmp_path, [LENGTHS, other], [], **unstated)
    with pytest.raises(
        InputError, match=r"annotations\[1\]\.segmentation\.size: expected .* another mask of the image"
    ):
        data.read_ground_truth(path, "coco", MASKS)
