"""Run-length masks: construction, conversion, overlaps and boundaries."""

import tracemalloc

import pytest

np = pytest.importorskip("numpy")
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from hypothesis.extra import numpy as arrays  # noqa: E402

from omniou import rle  # noqa: E402
from omniou._lib import accel  # noqa: E402
from omniou.rle import _coco, _columns, _overlap  # noqa: E402
from tests.helpers import lengths, same  # noqa: E402

pytestmark = pytest.mark.usefixtures("mask_kernels")

# Rows top to bottom; columns of 4 pixels.
SQUARE = [[0, 0, 0, 0, 0], [0, 1, 1, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 0, 0]]
CORNERS = [[1, 0, 0, 0, 1], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [1, 0, 0, 0, 1]]
FULL, EMPTY = [[1] * 5] * 4, [[0] * 5] * 4
FOUR = np.asarray([SQUARE, CORNERS, FULL, EMPTY])
RUNS = [[5, 2, 2, 2, 9], [0, 1, 2, 1, 12, 1, 2, 1], [0, 20], [20]]
# By hand: each length as it is, from the fourth on less the one two before it; 16 and more take two characters.
TEXT = ["52207", "0120:0F0", "0d0", "d0"]


def masks(*runs, size=(4, 5)):
    return rle.Masks.from_coco([{"size": list(size), "counts": list(x)} for x in runs])


def stacks(most=4, side=9):
    shapes = st.tuples(st.integers(1, most), st.integers(1, side), st.integers(1, side))
    return shapes.flatmap(lambda shape: arrays.arrays(bool, shape))


def test_from_dense_counts_down_columns_from_off():
    table = rle.Masks.from_dense(FOUR)
    assert len(table) == 4
    assert lengths(table) == RUNS
    assert table.sizes.tolist() == [[4, 5]] * 4
    assert table.start.dtype == table.end.dtype == np.int32


def test_area_and_boxes():
    table = rle.Masks.from_dense(FOUR)
    assert table.area().tolist() == [4, 4, 20, 0]
    assert table.boxes().tolist() == [[1, 1, 3, 3], [0, 0, 5, 4], [0, 0, 5, 4], [0, 0, 0, 0]]
    assert table.boxes("xywh").tolist() == [[1, 1, 2, 2], [0, 0, 5, 4], [0, 0, 5, 4], [0, 0, 0, 0]]
    with pytest.raises(ValueError, match="`format` must be one of 'xyxy', 'xywh', got 'cxcywh'"):
        table.boxes("cxcywh")


@pytest.mark.parametrize("kind", [str, bytes])
def test_from_coco_and_to_coco_text_by_hand(kind):
    records = [{"size": [4, 5], "counts": text.encode() if kind is bytes else text} for text in TEXT]
    table = rle.Masks.from_coco(records)
    assert (table.to_dense() == FOUR).all()
    assert table.to_coco() == [{"size": [4, 5], "counts": text} for text in TEXT]


def test_from_coco_of_mixed_texts_and_lists():
    counts = [TEXT[0], RUNS[1], TEXT[2].encode(), RUNS[3]]
    table = rle.Masks.from_coco([{"size": [4, 5], "counts": x} for x in counts])
    assert (table.to_dense() == FOUR).all()


@given(stacks())
def test_from_dense_and_to_dense_round_trip(pixels):
    table = rle.Masks.from_dense(pixels)
    assert (table.to_dense() == pixels).all()
    again = rle.Masks.from_coco(table.to_coco())
    assert same(again, table)
    assert table.area().tolist() == pixels.sum(axis=(1, 2)).tolist()


@given(stacks(), st.integers(1, 60))
def test_coco_and_pairwise_iou_do_not_depend_on_tile_size(pixels, size):
    table = rle.Masks.from_dense(pixels)
    with pytest.MonkeyPatch.context() as patch:
        for module in (_columns, _coco, _overlap):
            patch.setattr(module, "TILE", size)
        again = rle.Masks.from_coco(table.to_coco())
        assert same(again, table)
        pairs = rle.pairwise_iou(again, again)
    assert (pairs == rle.pairwise_iou(table, table)).all()


def test_from_coco_joins_runs_of_length_zero():
    """Runs of length 0 join their neighbours; a mask without runs has no pixels."""
    table = masks([5, 2, 0, 0, 2, 2, 9, 0], [0, 0, 5, 0, 15], [0, 0, 0, 20, 0], [20, 0])
    assert lengths(table) == [[5, 2, 2, 2, 9], [20], [0, 20], [20]]
    assert table.boxes().tolist() == [[1, 1, 3, 3], [0, 0, 0, 0], [0, 0, 5, 4], [0, 0, 0, 0]]
    # One mask starts where the one before it ends, in an image of another size.
    apart = rle.Masks.from_coco([{"size": [4, 5], "counts": [0, 20, 0]}, {"size": [6, 5], "counts": [20, 10]}])
    assert lengths(apart) == [[0, 20], [20, 10]]
    none = rle.Masks.from_coco([{"size": [0, 7], "counts": ""}, {"size": [0, 0], "counts": []}])
    assert none.area().tolist() == [0, 0]
    assert none.boxes().tolist() == [[0, 0, 0, 0]] * 2
    assert rle.iou(none, none).tolist() == [0, 0]


def test_take_and_concat():
    table = rle.Masks.concat([rle.Masks.from_dense(FOUR), masks([6], size=(2, 3))])
    assert len(table) == 5
    taken = table.take([4, 1, 1])
    assert taken.sizes.tolist() == [[2, 3], [4, 5], [4, 5]]
    assert lengths(taken) == [[6], RUNS[1], RUNS[1]]
    assert len(table.take(np.asarray([False, True, False, False, True]))) == 2
    assert len(table.take([])) == len(rle.Masks.concat([])) == len(rle.Masks.from_coco([])) == 0
    for rows in ([5], [-1], [[0]], [0.5]):
        with pytest.raises(ValueError, match="`rows` must be"):
            table.take(rows)
    with pytest.raises(ValueError, match=r"must have one size .*, got \(4, 5\) and \(2, 3\) in row 4"):
        table.to_dense()


def test_merge_and_complement_by_hand():
    table = masks([5, 2, 2, 2, 9], [0, 20], [20], [0, 6, 14])
    assert lengths(table.complement()) == [[0, 5, 2, 2, 2, 9], [20], [0, 20], [6, 14]]
    assert lengths(table.merge()) == [[0, 20]]
    assert lengths(table.merge(intersect=True)) == [[20]]
    assert lengths(table.merge([5, -1, -1, 5])) == [[0, 20], [0, 7, 2, 2, 9]]
    assert lengths(table.merge([5, -1, -1, 5], intersect=True)) == [[20], [5, 1, 14]]
    assert table.merge([5, -1, -1, 5]).sizes.tolist() == [[4, 5]] * 2


@given(stacks(), st.data())
def test_merge_and_complement_equal_those_of_pixels(pixels, data):
    table = rle.Masks.from_dense(pixels)
    assert same(table.complement(), rle.Masks.from_dense(~pixels))
    groups = np.asarray(data.draw(st.lists(st.integers(-2, 2), min_size=len(pixels), max_size=len(pixels))), dtype=int)
    for intersect, of_pixels in ((False, np.any), (True, np.all)):
        expected = np.stack([of_pixels(pixels[groups == g], axis=0) for g in np.unique(groups)])
        assert same(table.merge(groups, intersect=intersect), rle.Masks.from_dense(expected))


def test_merge_of_several_image_sizes():
    table = rle.Masks.concat([masks([3, 1], size=(2, 2)), masks([0, 6], size=(2, 3)), masks([0, 1, 3], size=(2, 2))])
    assert table.merge([0, 1, 0]).sizes.tolist() == [[2, 2], [2, 3]]
    assert lengths(table.merge([0, 1, 0])) == [[0, 1, 2, 1], [0, 6]]
    with pytest.raises(ValueError, match=r"one image size, got \[2, 2\] in row 0 and \[2, 3\] in row 1"):
        table.merge()
    for groups in ([0, 1], [0.0, 1.0, 0.0], [[0], [1], [0]]):
        with pytest.raises(ValueError, match=r"`groups` must be integers of shape \(3,\), got shape"):
            table.merge(groups)


def test_merge_and_complement_without_masks_and_of_images_without_pixels():
    none = rle.Masks.from_coco([])
    assert len(none.merge()) == len(none.merge([])) == len(none.complement()) == 0
    flat = rle.Masks.from_dense(np.zeros((2, 0, 5)))
    assert flat.complement().area().tolist() == [0, 0]
    assert flat.merge(intersect=True).area().tolist() == [0]


def test_merge_of_images_beyond_2_31_pixels():
    side = 2**16
    table = rle.Masks.from_coco([{"size": [side, side], "counts": x} for x in ([2**32 - 3, 3], [2**32 - 4, 2, 2])])
    assert table.merge().area().tolist() == [4]
    assert table.complement().area().tolist() == [2**32 - 3, 2**32 - 2]
    assert table.merge(intersect=True).start.tolist() == [2**32 - 3]


def test_to_coco_as_lists_of_lengths():
    table = rle.Masks.from_dense(FOUR)
    assert table.to_coco(compressed=False) == [{"size": [4, 5], "counts": x} for x in RUNS]


def test_methods_and_overlaps_without_masks():
    none = rle.Masks.from_coco([])
    some = rle.Masks.from_dense(FOUR)
    assert none.to_coco() == []
    assert none.area().shape == (0,)
    assert none.boxes().shape == (0, 4)
    assert none.to_dense().shape == (0, 0, 0)
    assert len(none.boundary()) == 0
    assert rle.pairwise_iou(none, some).shape == (0, 4)
    assert rle.pairwise_iou(some, none).shape == (4, 0)
    assert rle.iou(none, none).shape == rle.overlap(some, [], none, []).shape == (0,)
    assert len(rle.Masks.from_dense(np.zeros((0, 3, 4)))) == 0


# ---- overlap


def test_iou_pairwise_iou_overlap_by_hand():
    table = rle.Masks.from_dense(FOUR)
    left = masks([4, 8, 8])  # columns 1 and 2: twice the square
    assert rle.pairwise_iou(table, left).tolist() == [[0.5], [0.0], [0.4], [0.0]]
    # The share of the first mask that the crowd covers.
    assert rle.pairwise_iou(table, left, crowd=[True]).tolist() == [[1.0], [0.0], [0.4], [0.0]]
    assert rle.iou(table, table).tolist() == [1, 1, 1, 0]
    assert rle.iou(table, table, crowd=[0, 1, 1, 1]).tolist() == [1, 1, 1, 0]
    assert rle.overlap(table, [2, 0], left, [0, 0]).tolist() == [0.4, 0.5]
    assert rle.overlap(table, [2, 0], left, [0, 0], [False, True]).tolist() == [0.4, 1.0]
    assert rle.overlap(table, [2, 0], left, [0, 0], least=0.45).tolist() == [0.0, 0.5]


def dense_iou(a, b):
    inter, union = ((a[:, None] & b).sum(axis=(2, 3)), (a[:, None] | b).sum(axis=(2, 3)))
    return inter / np.maximum(union, 1)


@given(stacks(most=6, side=7), st.booleans(), st.booleans())
@settings(max_examples=200)
def test_pairwise_iou_equals_iou_of_pixels(pixels, extents_are_known, columns_are_many):
    """With both algorithms, and with and without known bounding boxes."""
    half = len(pixels) // 2
    a, b = (rle.Masks.from_dense(x) for x in (pixels[:half], pixels[half:]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_overlap, "MANY", 0 if extents_are_known else 10**9)
        patch.setattr(_overlap, "WIDE", 0 if columns_are_many else 16)
        assert (rle.pairwise_iou(a, b) == dense_iou(pixels[:half], pixels[half:])).all()


@pytest.mark.parametrize(("share", "is_noisy"), [(0.001, False), (0.5, True), (0.999, False)])
def test_pairwise_iou_of_noise_compares_by_sorting(share, is_noisy, monkeypatch):
    """With many runs in every column, the pairs of runs would outnumber the runs by far, so runs are sorted instead."""
    monkeypatch.setattr(accel, "SWITCH", "on")
    sorted_pairs = []
    by_sorting = _overlap._by_sorting
    monkeypatch.setattr(_overlap, "_by_sorting", lambda *x: sorted_pairs.append(x[2].a.size) or by_sorting(*x))
    pixels = np.random.default_rng(0).random((3, 200, 30)) < share
    table = rle.Masks.from_dense(pixels)
    assert (rle.pairwise_iou(table, table) == dense_iou(pixels, pixels)).all()
    assert bool(sorted_pairs) == is_noisy


def test_masks_of_more_than_2_31_pixels():
    """Areas and positions beyond 2**31, in few runs and many columns."""
    side, half = 100_000, 50_000 * 100_000
    table = masks([0, side * side], [half, half], [0, half, half], size=(side, side))
    assert table.start.dtype == table.end.dtype == np.int64
    assert table.area().tolist() == [side * side, half, half]
    assert table.boxes().tolist() == [[0, 0, side, side], [50_000, 0, side, side], [0, 0, 50_000, side]]
    assert rle.pairwise_iou(table, table).tolist() == [[1, 0.5, 0.5], [0.5, 1, 0], [0.5, 0, 1]]
    again = rle.Masks.from_coco(table.to_coco())
    assert same(again, table)


def test_pairwise_iou_of_one_row_with_billions_of_columns():
    table = masks([0, 2**33], [2**32, 2**32], size=(1, 2**33))
    assert rle.pairwise_iou(table, table).tolist() == [[1, 0.5], [0.5, 1]]


@pytest.mark.parametrize("rows", [[5, 6], [0, 39], [7] * 4, list(range(0, 40, 2))])
def test_overlap_of_selected_rows_equals_iou_of_pixels(rows):
    """Rows of a table, adjacent or distant, repeated or not."""
    pixels = np.random.default_rng(0).random((40, 8, 9)) < np.linspace(0, 1, 40)[:, None, None]
    table, other = rle.Masks.from_dense(pixels), rle.Masks.from_dense(pixels[::-1])
    expected = dense_iou(pixels, pixels[::-1])[rows, rows[::-1]]
    assert (rle.overlap(table, rows, other, rows[::-1]) == expected).all()


@pytest.mark.parametrize("order", [[0, 1, 2], [0, 2, 1], [0, 0, 0, 1]])
def test_pairwise_iou_memory_depends_on_runs_not_pixels(order):
    """No table of columns is allocated for a mask with as many columns as pixels."""
    size = (1, 2**28)
    table = masks([5, 2, 2**28 - 7], [0, 2**28], [6, 2, 2**28 - 8], size=size).take(order)
    tracemalloc.start()
    actual = rle.pairwise_iou(table, table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    small = [number for number, row in enumerate(order) if row != 1]
    expected = [[1 if order[i] == order[j] else 1 / 3 for j in small] for i in small]
    assert actual[np.ix_(small, small)].tolist() == expected
    assert peak < 2**26


def test_iou_and_overlap_of_mismatched_arguments_raise():
    a, b = masks([20], [20]), masks([6], size=(2, 3))
    with pytest.raises(ValueError, match=r"one image size, got \[4, 5\] in `a\[0\]` and \[2, 3\] in `b\[0\]`"):
        rle.pairwise_iou(a, b)
    with pytest.raises(ValueError, match="`a` and `b` must have one length, got 2 and 1"):
        rle.iou(a, b)
    with pytest.raises(ValueError, match=r"`crowd` must have shape \(2,\), got \(1,\)"):
        rle.iou(a, a, crowd=[True])
    with pytest.raises(ValueError, match="`rows_b` must be at least 0 and less than 1, got 0 to 1"):
        rle.overlap(a, [0, 0], b, [0, 1])
    with pytest.raises(ValueError, match="`rows_a` and `rows_b` must have one length, got 1 and 2"):
        rle.overlap(a, [0], a, [0, 1])
    with pytest.raises(TypeError, match=r"`a` must be a table of masks, `rle.Masks`, got list"):
        rle.iou([], [])


# ---- boundary


def test_boundary_by_hand():
    """A radius of one pixel in an image of 6 x 6; the border of the image counts as an edge of the mask."""
    pixels = np.zeros((2, 6, 6), dtype=bool)
    pixels[0, 1:5, 0:4] = True
    pixels[1] = True
    expected = pixels.copy()
    expected[0, 2:4, 1:3] = False
    expected[1, 1:5, 1:5] = False
    assert (rle.Masks.from_dense(pixels).boundary().to_dense() == expected).all()
    # A radius of two pixels: the boundary is the whole first mask.
    expected = pixels.copy()
    expected[1, 2:4, 2:4] = False
    assert (rle.Masks.from_dense(pixels).boundary(2 / 72**0.5).to_dense() == expected).all()


def test_boundary_of_large_ratio_is_the_whole_mask():
    pixels = np.arange(35).reshape(1, 5, 7) % 3 > 0
    for ratio in (1, 1.5, 1e308):
        assert (rle.Masks.from_dense(pixels).boundary(ratio).to_dense() == pixels).all()


def eroded(pixels, radius):
    padded = np.pad(pixels, radius)
    height, width = pixels.shape
    windows = [padded[y : y + height, x : x + width] for y in range(2 * radius + 1) for x in range(2 * radius + 1)]
    return np.all(windows, axis=0)


@given(stacks(side=14), st.integers(1, 3))
def test_boundary_equals_erosion_of_pixels(pixels, radius):
    actual = rle.Masks.from_dense(pixels).boundary(radius / np.hypot(*pixels.shape[1:]))
    assert (actual.to_dense() == [x & ~eroded(x, radius) for x in pixels]).all()
    assert same(actual, rle.Masks.from_dense(actual.to_dense()))


def test_boundary_of_mixed_sizes_keeps_row_order():
    """Boxes of many sizes and positions, in images of two sizes, and so with two radii."""
    rng = np.random.default_rng(0)
    pixels = [np.zeros((height, 90), dtype=bool) for height in (80, 230) for _ in range(12)]
    for image in pixels:
        y, x = rng.integers(0, 60, 2)
        image[y : y + rng.integers(2, 150), x : x + rng.integers(2, 40)] = True
        image[y + 3 : y + 5, x + 2 : x + 4] = False
    table = rle.Masks.concat([rle.Masks.from_dense(image[None]) for image in pixels])
    actual = table.boundary()
    for number, image in enumerate(pixels):
        radius = round(0.02 * float(np.hypot(*image.shape)))
        assert (actual.take([number]).to_dense()[0] == image & ~eroded(image, radius)).all()


def test_coco_text_of_largest_run():
    """2**34 takes eight characters: seven hold 34 bits and a sign."""
    records = [{"size": [2**17, 2**17], "counts": [0, 2**34]}]
    table = rle.Masks.from_coco(records)
    assert (table.start.tolist(), table.end.tolist()) == ([0], [2**34])
    assert table.to_coco() == [{"size": [2**17, 2**17], "counts": "0PPPPPP`0"}]
    assert rle.Masks.from_coco(table.to_coco()).end.tolist() == [2**34]
