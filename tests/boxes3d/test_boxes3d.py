"""Upright 3-D boxes with a yaw: hand-worked scores, peers' failures, formats, degenerate boxes."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from omniou import boxes3d, losses, pairwise, rotated, scores
from tests.hand_worked import of_terms
from tests.helpers import array, assert_close, numbers

SCORES = [name for name in scores if name in boxes3d.__all__]
every_score = pytest.mark.parametrize("name", SCORES)
UNIT = [0.5, 0.5, 0.5, 1, 1, 1, 0]
OCTAGON = 2 * (math.sqrt(2) - 1)

# A box of 4 x 2 x 2 and one of 2 x 3 x 1 inside its span of z; unit cubes corner to corner; a perfect match; a point.
PRED = [[2, 1, 1, 4, 2, 2, 0], [0.5, 0.5, 0.5, 1, 1, 1, 0], [4, 5, 1, 2, 2, 3, 0.7], [2, 2, 2, 0, 0, 0, 0]]
TARGET = [[2, 1.5, 1.5, 2, 3, 1, 0], [1.5, 1.5, 1.5, 1, 1, 1, 0], [4, 5, 1, 2, 2, 3, 0.7], [2, 2, 2, 0, 0, 0, 0]]
# Of the first pair: footprints share 4, intervals of z 1; volumes are 16 and 6, the union 18; the footprints' hull is
# 4 x 3 less two triangles of 1/2, the span in z 2; centres are 1/2 apart in y and z; the box around both is 4 x 3 x 2.
HAND = {
    "iou": [4 / 18, 0, 1, 0],
    "iof": [4 / 16, 0, 1, 0],
    "iomin": [4 / 6, 0, 1, 0],
    "dice": [8 / 22, 0, 1, 0],
    # The hull of two squares corner to corner is 3, the span 2: 4 of 6 is empty.
    "giou": [4 / 18 - 4 / 22, -4 / 6, 1, 0],
    "diou": [4 / 18 - 0.5 / 29, -3 / 12, 1, 0],
    "tiou": [6 / 22, 1 / 6, 1, 0],
    "wiou": [1 - math.exp(0.5 / 29) * 14 / 18, 1 - math.exp(3 / 12), 1, 0],
}
TERMS = {
    "area_a": [16.0, 1.0, 12.0, 0.0],
    "area_b": [6.0, 1.0, 12.0, 0.0],
    "intersection": [4.0, 0.0, 12.0, 0.0],
    "hull": [22.0, 6.0, 12.0, 0.0],
    "hull_diagonal_squared": [29.0, 12.0, 17.0, 0.0],
    "centre_distance_squared": [0.5, 3.0, 0.0, 0.0],
}
VALUES = {name: of_terms(name, TERMS) for name in SCORES}
BEV_IOU = [4 / 10, 0, 1, 0]


def random_boxes3d(rng, n, turns=2.0):
    """Boxes (N, 7), many of which overlap."""
    sides = rng.uniform(0.2, 8, (n, 3))
    return np.concatenate([rng.normal(0, 3, (n, 3)), sides, rng.uniform(-turns, turns, (n, 1)) * np.pi], axis=1)


def test_scores_of_boxes3d():
    assert [name for name, x in scores.items() if boxes3d.GEOMETRY.has_terms(x.terms)] == SCORES
    assert {name: VALUES[name] for name in HAND} == {name: pytest.approx(x) for name, x in HAND.items()}


@pytest.mark.proves("eager", "boxes3d.{name}")
@pytest.mark.compiles("iou", "xyzlwhr")
@every_score
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("format", ["xyzlwhr", "kitti", "nuscenes"])
def test_hand_worked_scores(xp, name, dtype, format):
    pred, target = (boxes3d.convert(array(xp, x, dtype), "xyzlwhr", format) for x in (PRED, TARGET))
    assert_close(getattr(boxes3d, name)(pred, target, format=format), VALUES[name], like=pred, ulp=16)


@pytest.mark.proves("eager", "boxes3d.bev_iou")
def test_bev_iou_leaves_out_heights(xp):
    pred, target = (array(xp, x) for x in (PRED, TARGET))
    assert_close(boxes3d.bev_iou(pred, target), BEV_IOU, like=pred, ulp=8)
    lifted = xp.asarray(target, copy=True) + array(xp, [[0, 0, 100, 0, 0, 5, 0]])
    assert_close(boxes3d.bev_iou(pred, lifted), BEV_IOU, like=pred, ulp=8)
    assert_close(numbers(boxes3d.iou(pred, lifted)), [0.0] * 4)
    footprints = [x[:, None, :] for x in (pred, target)]
    assert_close(xp.reshape(pairwise(boxes3d.bev_iou, *footprints), (-1,)), BEV_IOU, like=pred, ulp=8)


def test_octagonal_prism_of_two_cubes(xp):
    # Unit cubes turned by 45 degrees against each other share a regular octagon of inradius 1/2, times the shared z.
    a = array(xp, [[0, 0, 0, 1, 1, 1, 0], [7, -3, 2, 1, 1, 1, math.pi / 8]])
    b = array(xp, [[0, 0, 0, 1, 1, 1, math.pi / 4], [7, -3, 2.5, 1, 1, 1, -math.pi / 8]])
    assert_close(boxes3d.iou(a, b), [OCTAGON / (2 - OCTAGON), OCTAGON / 2 / (2 - OCTAGON / 2)], like=a)
    assert_close(boxes3d.bev_iou(a, b), [OCTAGON / (2 - OCTAGON)] * 2, like=a)
    # The hull of both footprints has eight corners at a distance of sqrt(1/2): its area is sqrt(2).
    hulls = [math.sqrt(2), 1.5 * math.sqrt(2)]
    unions = [2 - OCTAGON, 2 - OCTAGON / 2]
    expected = [(2 - u) / u - (h - u) / h for h, u in zip(hulls, unions, strict=True)]
    assert_close(boxes3d.giou(a, b), expected, like=a, ulp=8)
    # Along either's sides the other is sqrt(2) wide.
    assert_close(boxes3d.diou(a, b)[1], (2 - unions[1]) / unions[1] - 0.25 / (2 + 2 + 1.5**2), like=a, ulp=8)


# Corners as they stand in issues of PyTorch3D: two of 1082, whose IoU it gave as 1.23788; of 1429, 0.6088.
LEVELS_1082 = ([-1.2441, 0.8192], [-1.25, 0.85])
CORNERS_1082 = (
    [[19.7804, -4.8337], [24.3597, -4.8431], [24.3648, -2.3689], [19.7855, -2.3595]],
    [[19.8159, -4.8659], [24.4267, -4.8794], [24.4341, -2.3641], [19.8233, -2.3506]],
)
LEVELS_1429 = ([-1.0, 1.0], [-1.0, 1.0])
CORNERS_1429 = (
    [[844.4573, 545.2485], [876.2981, 549.7680], [865.3027, 627.2315], [833.4619, 622.7120]],
    [[847.1049, 545.0182], [878.9629, 550.2360], [866.2220, 628.0273], [834.3640, 622.8095]],
)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("footprints", "levels"), [(CORNERS_1082, LEVELS_1082), (CORNERS_1429, LEVELS_1429)])
def test_boxes_of_pytorch3d(xp, dtype, footprints, levels):
    shapely = pytest.importorskip("shapely", reason="needs shapely")
    rows = []
    for outline, (low, high) in zip(footprints, levels, strict=True):
        x, y, length, w, yaw = rotated.convert(np.ravel(outline), "xyxyxyxy", "cxcywhr").tolist()
        rows.append([x, y, (low + high) / 2, length, w, high - low, yaw])
    p, q = (shapely.Polygon(outline) for outline in footprints)
    (low_a, high_a), (low_b, high_b) = levels
    shared = p.intersection(q).area * (min(high_a, high_b) - max(low_a, low_b))
    expected = shared / (p.area * (high_a - low_a) + q.area * (high_b - low_b) - shared)
    a, b = (array(xp, [x], dtype) for x in rows)
    # Corners are rounded to four places in the issues, so that they are not quite those of rectangles.
    assert float(boxes3d.iou(a, b)[0]) == pytest.approx(expected, abs=2e-4)
    assert float(boxes3d.iou(a, a)[0]) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_cubes_that_share_faces(xp, dtype):
    # PyTorch3D 1054: the second shares a quarter of the first, and both lie between the same planes.
    a = array(xp, [UNIT] * 5, dtype)
    b = array(xp, [[1, 1, 0.5], [0.5, 0.5, 1.5], [1.5, 0.5, 0.5], [0.5, 0.5, 0.75], [0.5, 0.5, 0.5]], dtype)
    b = xp.concat([b, a[:, 3:]], axis=1)
    assert_close(boxes3d.iou(a, b), [0.25 / 1.75, 0, 0, 0.75 / 1.25, 1], like=a)
    assert_close(boxes3d.iof(a, b), [0.25, 0, 0, 0.75, 1], like=a)


def test_inner_scales_boxes_about_their_centres(xp):
    # Halves of unit cubes a quarter apart in z share half of their height; the hull of the whole cubes is 1 x 1 x 1.25.
    a, b = array(xp, [UNIT]), array(xp, [[0.5, 0.5, 0.75, 1, 1, 1, 0]])
    assert_close(boxes3d.iou(a, b, inner=0.5), [1 / 3], like=a)
    assert_close(boxes3d.diou(a, b, inner=0.5), [1 / 3 - 0.25**2 / (1 + 1 + 1.25**2)], like=a)
    assert_close(boxes3d.bev_iou(a, b, inner=0.5), [1.0], like=a)
    assert_close(boxes3d.iou(a, b, power=3), [0.6**3], like=a)
    apart = array(xp, [[0.5, 0.5, 2, 1, 1, 1, 0]])
    assert_close(xp.reshape(pairwise(boxes3d.iou, a, apart, inner=2), (-1,)), [0.5 / 3.5], like=a)


def turned(row, turn, dx=0.0, dy=0.0, dz=0.0):
    cos, sin = math.cos(turn), math.sin(turn)
    x, y, z, *sides, yaw = row
    return [cos * x - sin * y + dx, sin * x + cos * y + dy, z + dz, *sides, yaw + turn]


NUMBER, SIDE = st.floats(-100, 100), st.floats(0, 100)
BOX = st.tuples(NUMBER, NUMBER, NUMBER, SIDE, SIDE, SIDE, st.floats(-7, 7))


@given(BOX, BOX, st.tuples(NUMBER, NUMBER, NUMBER), st.floats(-4, 4), st.integers(-20, 20))
def test_properties(a, b, shift, turn, power):
    a, b = np.asarray(a), np.asarray(b)
    iou, giou, diou = (float(getattr(boxes3d, name)(a, b)) for name in ("iou", "giou", "diou"))
    assert 0 <= iou <= 1
    assert iou <= float(boxes3d.iomin(a, b)) + 1e-15
    assert -1 - 1e-15 <= diou <= iou
    if min(*a[3:6], *b[3:6]) < 1e-3:
        return  # the rounding of corners is no longer small beside the volume
    assert -1 - 1e-9 <= giou <= iou + 1e-9
    for name in ("iou", "giou", "diou", "bev_iou"):
        score = getattr(boxes3d, name)
        value = float(score(a, b))
        assert float(score(b, a)) == pytest.approx(value, abs=1e-9)
        scaled = [x * np.asarray([2.0**power] * 6 + [1]) for x in (a, b)]
        assert float(score(*scaled)) == pytest.approx(value, abs=1e-9)
        assert float(score(*(turned(x, turn, *shift) for x in (a, b)))) == pytest.approx(value, abs=1e-7)
    for name in SCORES:
        assert float(getattr(boxes3d, name)(a, a)) == pytest.approx(1, abs=1e-15)


@pytest.mark.compiles("iou", "diou")
@every_score
def test_empty_and_inverted_boxes_score_zero(xp, name):
    sides = [[0, 2, 2], [2, 0, 2], [2, 2, 0], [-2, 2, 2], [2, -2, 2], [2, 2, -2], [0, 0, 0], [-1, -1, -1]]
    a = array(xp, [[0.2, 0, 0, *x, 0.3] for x in sides])
    b = array(xp, [[0, 0, 0, 4, 4, 4, 0]] * len(sides))
    score = getattr(boxes3d, name)
    for out in (score(a, b), score(b, a)):
        assert np.isfinite(numbers(out)).all()
        if name not in ("giou", "diou", "wiou"):
            assert (numbers(out) == 0).all()
    assert (numbers(score(a[6:, :], a[6:, :])) == 0).all()
    assert (numbers(boxes3d.volume(a)) == 0).all()


@pytest.mark.compiles("iou", "diou")
@every_score
@pytest.mark.parametrize("place", range(7))
def test_nan_stays_in_its_row(xp, name, place):
    row = [0, 0, 0, 2, 1, 1, 0.3]
    bad = [math.nan if k == place else x for k, x in enumerate(row)]
    a = array(xp, [row, bad, [5, 0, 0, 0, 1, 1, 0]])
    assert np.isnan(numbers(getattr(boxes3d, name)(a, a[:1, :]))).tolist() == [False, True, False]
    point = [math.nan if k == place else 0.0 for k in range(7)]
    assert np.isnan(numbers(getattr(boxes3d, name)(array(xp, point), array(xp, [0.0] * 7))))
    out = numbers(pairwise(getattr(boxes3d, name), a, a[:2, :]))
    assert np.isnan(out).tolist() == [[False, True], [True, True], [False, True]]


@pytest.mark.compiles("iou", "diou")
@every_score
@pytest.mark.parametrize("size", [0, 7, 400])
def test_pairwise_equals_each_pair(xp, name, size):
    if not size and name in ("giou", "tiou") and "dask" in xp.__name__:
        pytest.skip("Dask does not broadcast two empty blocks")
    rng = np.random.default_rng(5)
    a, b = random_boxes3d(rng, size), random_boxes3d(rng, 200)
    a[:, :3] *= 5  # most pairs are disjoint
    out = pairwise(getattr(boxes3d, name), array(xp, a), array(xp, b))
    assert tuple(out.shape) == (size, 200)
    expected = getattr(boxes3d, name)(a[:, None, :], b[None, :, :])
    np.testing.assert_allclose(numbers(out), expected, rtol=0, atol=1e-12)


@pytest.mark.proves("eager", "boxes3d.pairwise_iou", library="numpy")
def test_pairwise_iou_of_many_is_pruned_in_z():
    rng = np.random.default_rng(6)
    a, b = random_boxes3d(rng, 500), random_boxes3d(rng, 500)
    a[:, 2] *= 100  # most pairs overlap from above, and few in z
    a[3, 2], a[4, 6] = math.nan, math.nan
    out = boxes3d.pairwise_iou(a, b)
    expected = boxes3d.iou(a[:, None, :], b)
    np.testing.assert_allclose(out, expected, rtol=0, atol=1e-12)
    assert 0 < (out > 0).sum() < (boxes3d.bev_iou(a[:, None, :], b) > 0).sum()


def test_batches_and_narrow_dtypes(xp):
    rng = np.random.default_rng(7)
    x = random_boxes3d(rng, 12).reshape(3, 4, 7)
    for name in ("iou", "bev_iou"):
        score = getattr(boxes3d, name)
        out = score(array(xp, x[:, :1], "float32"), array(xp, x, "float32"))
        assert tuple(out.shape) == (3, 4)
        assert out.dtype == xp.float32
        np.testing.assert_allclose(numbers(out), score(x[:, :1], x), atol=1e-5)
    whole = xp.asarray([[100, 200, 0, 200, 200, 200, 0]], dtype=xp.uint8)
    assert float(boxes3d.iou(whole, whole)[0]) == 1
    assert float(boxes3d.volume(whole)[0]) == 8e6


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_computed_in_float32(dtype):
    torch = pytest.importorskip("torch")
    a = torch.tensor([[0, 0, 0, 300, 300, 2, 0]], dtype=getattr(torch, dtype))  # the volume is out of float16's range
    b = a + torch.tensor([150, 0, 0, 0, 0, 0, 0])
    out = boxes3d.iou(a, b)
    assert out.dtype == a.dtype
    assert float(out) == pytest.approx(1 / 3, rel=1e-2)


def test_no_boxes(xp):
    none, some = array(xp, np.zeros((0, 7))), array(xp, [UNIT])
    assert tuple(boxes3d.iou(none, none).shape) == (0,)
    assert tuple(pairwise(boxes3d.iou, none, some).shape) == (0, 1)
    assert tuple(boxes3d.corners(none).shape) == (0, 8, 3)
    assert tuple(boxes3d.convert(none, "xyzlwhr", "nuscenes").shape) == (0, 10)
    assert float(losses.boxes3d.giou(none, none, reduction="mean")) == 0
    boxes3d.check(np.zeros((0, 7)))


@pytest.mark.proves("eager", "boxes3d.volume")
def test_volume(xp):
    x = array(xp, [[1, 2, 3, 4, 2, 1.5, 0.3], [0, 0, 0, -1, -1, 1, 0]])
    assert_close(boxes3d.volume(x), [12, 0], like=x)
    kitti = array(xp, [1.5, 2, 4, 0, 0, 0, 1])
    assert_close(boxes3d.volume(kitti, format="kitti"), 12.0, like=kitti)


@pytest.mark.proves("eager", "boxes3d.enclosing")
def test_enclosing_holds_both(xp):
    rng = np.random.default_rng(8)
    a, b = (array(xp, random_boxes3d(rng, 50)) for _ in range(2))
    around = boxes3d.enclosing(a, b)
    for x in (a, b):
        assert (numbers(boxes3d.iof(x, around)) > 1 - 1e-12).all()
    # Turned as the first, the box around both is 2 x 2 x 2; turned as the second, sqrt(1/2) wider along both.
    first, second = array(xp, [0, 0, 0, 2, 2, 1, 0.2]), array(xp, [0, 0, 0.5, 1, 1, 2, 0.2 + math.pi / 4])
    assert_close(boxes3d.enclosing(first, second), [0, 0, 0.5, 2, 2, 2, 0.2], like=first)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda a: boxes3d.iou(a[:, :6], a), ValueError, r"`a` must have shape \(..., 7\) for format 'xyzlwhr'"),
        (lambda a: boxes3d.iou(a, a, format="nuscenes"), ValueError, r"shape \(..., 10\) for format 'nuscenes'"),
        (lambda a: boxes3d.iou(a, a, format="xyz"), ValueError, "`format` must be one of 'xyzlwhr', 'kitti', 'nusc"),
        (lambda a: boxes3d.bev_iou(a, a, format="xyz"), ValueError, "`format` must be one of 'xyzlwhr', 'kitti'"),
        (lambda a: boxes3d.convert(a, "waymo", "kitti"), ValueError, "`source` must be one of"),
        (lambda a: boxes3d.convert(a, "kitti", "waymo"), ValueError, "`target` must be one of"),
        (lambda a: boxes3d.iou(a, a, offset=1), TypeError, "unexpected keyword argument 'offset'"),
        (lambda a: boxes3d.check(a * 100), ValueError, r"`x\[0\]` has an angle beyond two turns, as degrees have"),
        (lambda a: boxes3d.check(a - 1), ValueError, r"`x\[0\]` has a side below 0 in \[-1.0, -1.0, -1.0, 1.0, 0.0, -"),
        (lambda a: boxes3d.check(a / 0), ValueError, r"`x\[0\]` is not finite"),
        (
            lambda a: boxes3d.check(a - 1, format="kitti"),
            ValueError,
            r"`x\[0\]` has a side below 0",
        ),
        (
            lambda _: boxes3d.check(
                [[0, 0, 0, 1, 1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1, 1, 0.1, 0, 0]], format="nuscenes"
            ),
            ValueError,
            r"`x\[1\]` has a quaternion that is no pure yaw",
        ),
        (
            lambda _: boxes3d.check([0, 0, 0, 1, 1, 1, 0, 0, 0, 0], format="nuscenes"),
            ValueError,
            "`x` has a quaternion of length 0",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value|divide by zero:RuntimeWarning")
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call(np.asarray([[0.0, 0, 0, 2, 1, 0.5, 0.5]]))


@pytest.mark.proves("eager", "losses.boxes3d.{name}")
@pytest.mark.compiles("iou", "diou")
@every_score
def test_losses_with_where(xp, name):
    pred, target = (array(xp, x) for x in (PRED, TARGET))
    where = xp.asarray([True, True, False, False])
    loss = getattr(losses.boxes3d, name)
    expected = [1 - x for x in VALUES[name][:2]]
    holes = xp.where(where[:, None], pred, xp.full_like(pred, math.nan))
    assert_close(loss(holes, target, where=where), [*expected, 0, 0], like=pred, ulp=8)
    assert_close(loss(holes, target, where=where, reduction="mean"), sum(expected) / 2, ulp=8)


@pytest.mark.parametrize("format", ["kitti", "nuscenes"])
def test_losses_with_where_in_other_formats(xp, format):
    pred, target = (boxes3d.convert(array(xp, x), "xyzlwhr", format) for x in (PRED, TARGET))
    where = xp.asarray([True, False, False, False])
    holes = xp.where(where[:, None], pred, xp.full_like(pred, math.nan))
    out = losses.boxes3d.diou(holes, target, where=where, reduction="mean", format=format)
    assert_close(out, 1 - HAND["diou"][0], ulp=16)
