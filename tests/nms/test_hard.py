"""Hard suppression: reports of users, groups, fixed sizes, scores and geometries."""

import re
from pathlib import Path

import numpy as np
import pytest

from omniou import boxes, boxes3d, masks, nms, polygons, rotated
from tests.helpers import array, numbers
from tests.nms.reference import crowd, listed
from tests.nms.reports import HARD, U

B = [U, [0, 0, 10, 6], [20, 20, 30, 30], [0, 0, 10, 9]]
S = [0.9, 0.8, 0.7, 0.95]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("report", HARD, ids=lambda x: x.where)
@pytest.mark.computes("sizes of results depend on values")
def test_hard_of_reports(xp, report, dtype):
    options = dict(report.given)
    if "groups" in options:
        options["groups"] = array(xp, options["groups"], "int64")
    x, scores = array(xp, report.boxes, dtype), array(xp, report.scores, dtype)
    kept = nms.hard(x, scores, report.threshold, **options)
    assert listed(kept) == report.kept
    assert type(kept) is type(x)
    mask = nms.hard(x, scores, report.threshold, output="mask", **options)
    assert np.nonzero(numbers(mask))[0].tolist() == sorted(report.kept)


@pytest.mark.computes("sizes of results depend on values")
def test_hard_with_size_pads_and_counts(xp):
    x, s = array(xp, [U]), array(xp, [0.5])
    out = nms.hard(x, s, 0.5, size=4)
    assert listed(out.indices) == [0, -1, -1, -1]
    assert numbers(out.scores).tolist() == [0.5, 0, 0, 0]
    assert int(out.count) == 1
    short = nms.hard(array(xp, B), array(xp, S), 0.95, size=2)
    assert listed(short.indices) == [3, 0]
    assert int(short.count) == 4
    assert numbers(short.mask).all()


@pytest.mark.computes("sizes of results depend on values")
def test_hard_of_no_boxes_is_empty(xp):
    x, s = array(xp, np.zeros((0, 4))), array(xp, [])
    out = nms.hard(x, s, 0.5)
    assert out.shape == (0,)
    assert xp.isdtype(out.dtype, "signed integer")
    assert nms.hard(x, s, 0.5, output="mask").shape == (0,)
    assert listed(nms.hard(x, s, 0.5, size=2).indices) == [-1, -1]
    assert nms.hard([], [], 0.5).tolist() == []


@pytest.mark.computes("sizes of results depend on values")
def test_hard_of_images_equals_each_image(xp):
    x, s = (np.stack(x) for x in zip(*(crowd(k, 12) for k in range(4)), strict=True))
    x, s = x.reshape(2, 2, 12, 4), s.reshape(2, 2, 12)
    out = nms.hard(array(xp, x), array(xp, s), 0.3, size=6, limit=5)
    mask = nms.hard(array(xp, x), array(xp, s), 0.3, output="mask", limit=5)
    for i, j in np.ndindex(2, 2):
        one = nms.hard(x[i, j], s[i, j], 0.3, size=6, limit=5)
        for got, expected in zip(out, one, strict=True):
            assert numbers(got)[i, j].tolist() == numbers(expected).tolist()
        assert numbers(mask)[i, j].tolist() == one.mask.tolist()
    none = nms.hard(array(xp, np.zeros((0, 3, 4))), array(xp, np.zeros((0, 3))), 0.3, size=6)
    assert none.indices.shape == (0, 6)
    assert none.mask.shape == (0, 3)


@pytest.mark.computes("sizes of results depend on values")
def test_hard_with_image_and_class(xp):
    x, s = array(xp, [U] * 5), array(xp, [0.5, 0.6, 0.7, 0.8, 0.9])
    images, classes = array(xp, [0, 0, 1, 1, 1], "int64"), array(xp, [0, 1, 0, 0, 1], "int64")
    assert listed(nms.hard(x, s, 0.5, groups=(images, classes))) == [4, 3, 1, 0]
    assert listed(nms.hard(x, s, 0.5, groups=images)) == [4, 1]


@pytest.mark.computes("sizes of results depend on values")
def test_hard_by_any_score_and_geometry(xp):
    s = array(xp, [0.9, 0.8, 0.7])
    x = array(xp, [U, [0, 0, 10, 6], [20, 20, 30, 30]])
    # DIoU of the first two is .6 less the square of 2, over 200.
    assert listed(nms.hard(x, s, 0.57, score=boxes.diou)) == [0, 2]
    assert listed(nms.hard(x, s, 0.59, score=boxes.diou)) == [0, 1, 2]
    assert listed(nms.hard(x, s, 0.9, score=lambda kept, other: boxes.iof(other, kept))) == [0, 2]
    corners = array(xp, [[[0, 0], [10, 0], [10, h], [0, h]] for h in (10, 6, 1)])
    assert listed(nms.hard(corners, s, 0.55, score=polygons.iou)) == [0, 2]
    turned = array(xp, [[5, 5, 10, 10, 0.1], [5, 5, 10, 9, 0.1], [5, 5, 10, 1, 0.1]])
    assert listed(nms.hard(turned, s, 0.5, score=rotated.iou)) == [0, 2]
    solid = array(xp, [[0, 0, 0, 4, 4, 4, 0], [0, 0, 1, 4, 4, 4, 0], [0, 0, 4, 4, 4, 4, 0]])
    assert listed(nms.hard(solid, s, 0.5, score=boxes3d.iou)) == [0, 2]
    assert listed(nms.hard(array(xp, [[0, 10], [0, 8], [9, 20]]), s, 0.5)) == [0, 2]
    pixels = xp.asarray(np.arange(18)[None, :] < np.asarray([18, 12, 3])[:, None])[:, None, :]
    assert listed(nms.hard(pixels, s, 0.5, score=masks.iou)) == [0, 2]


@pytest.mark.proves("eager", "nms.hard")
@pytest.mark.computes("sizes of results depend on values")
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64"])
def test_hard_of_integers(xp, dtype):
    # 100 * 100 overflows 8 bits.
    x, s = array(xp, [[0, 0, 100, 100], [0, 0, 100, 60]], dtype), array(xp, [8, 9], dtype)
    assert listed(nms.hard(x, s, 0.6)) == [1, 0]
    assert listed(nms.hard(x, s, 0.59)) == [1]


@pytest.mark.computes("sizes of results depend on values")
def test_hard_of_16_bit_boxes_compares_in_float32(xp):
    if not hasattr(xp, "float16"):
        pytest.skip("array-api-strict has no float16")
    x, s = xp.asarray([U, [0, 0, 10, 6]], dtype=xp.float16), xp.asarray([0.9, 0.8], dtype=xp.float16)
    assert listed(nms.hard(x, s, 0.6)) == [0, 1]
    assert listed(nms.hard(x, s, 0.5999)) == [0]
    assert nms.hard(x, s, 0.5, size=1).scores.dtype == xp.float16


@pytest.mark.computes("sizes of results depend on values")
def test_nan_score_raises_and_nan_box_suppresses_nothing(xp):
    x = array(xp, [U, U, U])
    with pytest.raises(ValueError, match=r"`scores` must be numbers, got nan at \[1\]"):
        nms.hard(x, array(xp, [0.9, np.nan, 0.8]), 0.5)
    y = array(xp, [U, [0, 0, 10, np.nan], U])
    assert listed(nms.hard(y, array(xp, [0.9, 0.95, 0.8]), 0.5)) == [1, 0]


@pytest.mark.mixes
def test_arrays_of_two_libraries_raise():
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match="must be arrays of one library"):
        nms.hard(np.asarray(B, float), torch.tensor(S), 0.5)


@pytest.mark.computes("sizes of results depend on values")
def test_mask_of_images_that_keep_different_numbers(xp):
    boxes = xp.asarray(
        [[[0.0, 0, 10, 10], [0, 0, 10, 9], [0, 0, 10, 8]], [[0.0, 0, 10, 10], [20, 0, 30, 9], [40, 0, 50, 8]]]
    )
    scores = xp.asarray([[0.5, 0.75, 0.25], [0.5, 0.75, 0.25]])
    assert numbers(nms.hard(boxes, scores, 0.5, output="mask")).tolist() == [[False, True, False], [True, True, True]]
    lowered = nms.soft(boxes, scores, method="linear", threshold=0.5, output="scores")
    assert numbers(lowered[1, ...]).tolist() == [0.5, 0.75, 0.25]


def test_no_result_depends_on_a_clock():
    # ultralytics 7225: after a time limit the remaining images had no boxes.
    sources = [x.read_text("utf-8") for x in Path(nms.__file__).parent.glob("*.py")]
    assert len(sources) > 5
    assert not any(re.search(r"^\s*(import|from) (time|datetime)\b", x, re.MULTILINE) for x in sources)


@pytest.mark.parametrize(
    ("shape", "told"),
    [
        ((2, 5), r"got \(5,\): pass score=rotated.iou for rotated boxes"),
        ((2, 7), r"got \(7,\): pass score=boxes3d.iou for 3-D boxes"),
        ((2, 8), r'got \(8,\): pass score=rotated.iou, format="xyxyxyxy"'),
        ((2, 9, 9), r"got \(9, 9\): pass score=masks.iou for masks"),
        ((2, 4, 2), r"got \(4, 2\): pass score=polygons.iou for polygons"),
        ((2, 3), r"rows of `boxes` must have shape \(2 or 4 or 6,\) for boxes, got \(3,\)$"),
    ],
)
def test_rows_of_other_shapes_name_the_score_that_compares_them(shape, told):
    with pytest.raises(ValueError, match=told):
        nms.hard(np.zeros(shape), np.zeros(2), 0.5)
    with pytest.raises(ValueError, match=r"rows of `boxes` .* got \(.*\)$"):  # fusion takes no score of other shapes
        nms.weighted_fusion(np.zeros(shape), np.zeros(2), 0.5)


@pytest.mark.parametrize("score", [boxes.iou, rotated.iou, boxes3d.iou, polygons.iou])
def test_empty_list_is_no_shape_of_any_geometry(score):
    assert nms.hard([], [], 0.5, score=score).shape == (0,)
    assert nms.soft([], [], score=score).indices.shape == (0,)
