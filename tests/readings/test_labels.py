"""Label maps and masks that could be read in two ways, and labels that do not count, in every library."""

import functools

import numpy as np
import pytest

from omniou import masks, pairwise, panoptic, segmentation
from tests.helpers import array, assert_close, numbers


@pytest.mark.parametrize("ignored", [[2, 255], (255, 2, 2), {2, 255}])
def test_several_labels_are_left_out_of_counts(xp, ignored):
    target, prediction = array(xp, [0, 0, 1, 2, 255, 2], "int64"), array(xp, [0, 2, 1, 2, 0, 0], "int64")
    counts = segmentation.confusion(target, prediction, 3, ignore_index=ignored)
    assert numbers(counts).tolist() == [[1, 0, 1], [0, 1, 0], [0, 0, 0]]
    weighed = segmentation.confusion(target, prediction, 3, ignore_index=ignored, weight=array(xp, [0.5]))
    assert numbers(weighed).tolist() == [[0.5, 0, 0.5], [0, 0.5, 0], [0, 0, 0]]


def test_check_names_all_ignored_labels():
    segmentation.check([0, 2, 255], [0, 0, 7], 2, ignore_index=[2, 255])
    with pytest.raises(
        ValueError, match=r"class from 0 to 1 or 2, 255, which are ignored, got 3 \(as are 1 of 3 pixels\)"
    ):
        segmentation.check([0, 3, 255], [0, 0, 7], 2, ignore_index=[255, 2])


@pytest.mark.parametrize("ignored", ["255", True, 2.0, [None]])
def test_ignored_labels_are_integers(ignored):
    for function in (segmentation.confusion, segmentation.check):
        with pytest.raises(TypeError, match="`ignore_index` must be an integer, got"):
            function([0, 1], [0, 1], 2, ignore_index=ignored)


def test_one_score_has_no_highest():
    with pytest.raises(ValueError, match=r"`class_axis` needs two classes or more: .* pass `prediction > threshold`"):
        segmentation.confusion([0, 0], [[0.2], [0.7]], 1, class_axis=1)


@pytest.mark.parametrize("shape", [(2, 8, 8, 1), (8, 8, 1), (2, 8, 8, 3)])
def test_masks_with_channels_last_raise(xp, shape):
    x = xp.ones(shape, dtype=xp.float64)
    for call in (
        lambda: masks.iou(x, x),
        lambda: masks.soft_dice(x, x),
        lambda: masks.area(x),
        lambda: masks.boundary(x),
    ):
        with pytest.raises(ValueError, match=r"must have height and width last, got .*: for channels on the last axis"):
            call()


def test_narrow_masks_that_can_be_nothing_else_are_masks(xp):
    # One mask of a column, one row of masks, sets of one mask, and pairs of columns.
    column, on = array(xp, [[1.0], [1.0], [0.0]]) > 0, functools.partial(xp.ones, dtype=xp.bool)
    assert_close(masks.iou(column, column), 1.0)
    assert_close(masks.iou(column[None, ...], column), [1.0])
    assert_close(masks.iou(on((3, 1, 1)), on((3, 1, 1))), [1.0] * 3)
    assert_close(pairwise(masks.iou, on((3, 2, 1)), on((1, 2, 1))), [[1.0]] * 3)


@pytest.mark.parametrize("dtype", ["uint8", "int64"])
def test_integers_are_masks_for_soft_scores_as_for_others(xp, dtype):
    p, mask = array(xp, [[1.0, 0.5, 0.5, 0.0]]), array(xp, [[255, 255, 0, 0]], "int64")
    mask = xp.astype(mask, getattr(xp, dtype))
    assert_close(masks.soft_dice(p, mask), 0.75, like=p)
    assert_close(pairwise(masks.soft_dice, p[None, ...], mask[None, ...]), [[0.75]], like=p)


@pytest.mark.computes("shapes depend on values")
def test_one_image_of_pairs_needs_its_axis_of_images(xp):
    image = np.zeros((6, 7, 2), dtype=np.int64) + 1
    image[3:, :, 1] = 2  # two things, of three rows each
    options = {"things": {1}, "stuff": ()}
    given = xp.asarray(image)
    with pytest.raises(
        ValueError, match=r"one image of 6 x 7 pixels .* or 6 images of 7 pixels: pass `x\[None\]` for the"
    ):
        panoptic.count(given, given, **options)
    assert numbers(panoptic.count(given[None, ...], given[None, ...], **options).true_positives).tolist() == [2]
    rows = given[:, None, ...]
    assert numbers(panoptic.count(rows, rows, **options).true_positives).tolist() == [6]
    # Two rows are no image of 40 columns, but two images, as documented; 100 rows of 400 are one.
    wide = xp.ones((2, 40, 2), dtype=xp.int64)
    assert numbers(panoptic.count(wide, wide, **options).true_positives).tolist() == [2]
    large = xp.ones((100, 400, 2), dtype=xp.int64)
    with pytest.raises(ValueError, match="one image of 100 x 400 pixels"):
        panoptic.count(large, large, **options)
