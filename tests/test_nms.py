"""Hard suppression: reports of users, brute force, groups, fixed sizes, tracing and errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omniou import boxes, boxes3d, masks, nms, polygons, rle, rotated
from tests.helpers import array, numbers
from tests.nms_reports import HARD, U

B = [U, [0, 0, 10, 6], [20, 20, 30, 30], [0, 0, 10, 9]]
S = [0.9, 0.8, 0.7, 0.95]


def listed(x):
    return numbers(x).astype(int).tolist()


def by_hand(overlap, scores, threshold, *, groups=None, inclusive=False):
    """The rule, written out."""
    kept = []
    for k in sorted(range(len(scores)), key=lambda k: (-scores[k], k)):
        limit = np.asarray(threshold, dtype=overlap.dtype)
        for i in kept:
            if groups is not None and groups[i] != groups[k]:
                continue
            if overlap[i, k] > limit or (inclusive and overlap[i, k] == limit):
                break
        else:
            kept.append(k)
    return kept


def crowd(seed, n, side=40.0):
    rng = np.random.default_rng(seed)
    low = rng.uniform(0, side, (n, 2))
    # Few different scores: many ties.
    return np.concatenate([low, low + rng.uniform(2, 15, (n, 2))], axis=1), rng.integers(0, 9, n) / 8


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


@pytest.mark.parametrize("report", HARD, ids=lambda x: x.where)
def test_hard_of_reports_inside_jax_jit(report):
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    options = dict(report.given)
    groups = options.pop("groups", [0] * len(report.boxes))
    call = jax.jit(lambda x, s, g: nms.hard(x, s, report.threshold, groups=g, size=3, **options))
    arrays = (jnp.asarray(report.boxes, jnp.float32), jnp.asarray(report.scores), jnp.asarray(groups))
    out = call(*arrays)
    assert out.indices.tolist() == (report.kept + [-1] * 3)[:3]
    assert out.count == len(report.kept)
    assert np.nonzero(out.mask)[0].tolist() == sorted(report.kept)


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


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), n=st.integers(0, 40), threshold=st.sampled_from([0.0, 0.1, 0.5, 0.9]), groups=st.booleans())
def test_hard_equals_brute_force(seed, n, threshold, groups):
    x, s = crowd(seed, n)
    ids = np.random.default_rng(seed).integers(0, 3, n) if groups else None
    expected = by_hand(boxes.pairwise_iou(x, x), s, threshold, groups=ids)
    assert nms.hard(x, s, threshold, groups=ids).tolist() == expected
    for inclusive in (False, True):
        y = np.round(x / 10) * 10  # overlaps that equal the threshold
        expected = by_hand(boxes.pairwise_iou(y, y), s, threshold, groups=ids, inclusive=inclusive)
        assert nms.hard(y, s, threshold, groups=ids, inclusive=inclusive).tolist() == expected


@pytest.mark.parametrize(("n", "side"), [(1500, 30.0), (3000, 1000.0), (3000, 300.0)])
@pytest.mark.parametrize("count", [1, 20])
def test_hard_of_many_boxes_equals_brute_force(n, side, count):
    x, s = crowd(n, n, side)
    ids = np.random.default_rng(n).integers(0, count, n)
    expected = by_hand(boxes.pairwise_iou(x, x), s, 0.4, groups=ids)
    assert nms.hard(x, s, 0.4, groups=ids).tolist() == expected


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


def test_hard_of_run_lengths():
    pixels = np.arange(18)[None, :] < np.asarray([18, 12, 3])[:, None]
    table = rle.Masks.from_dense(pixels[:, None, :])
    assert nms.hard(table, [0.9, 0.8, 0.7], 0.5, score=rle.iou).tolist() == [0, 2]
    assert nms.hard(table, [0.9, 0.8, 0.7], 0.5, score=rle.iou, output="mask").tolist() == [True, False, True]


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


class TestTracing:
    def test_jax_jit_and_vmap_equal_eager(self):
        jax = pytest.importorskip("jax")
        x, s = (np.stack(x).astype(np.float32) for x in zip(*(crowd(k, 20) for k in range(3)), strict=True))
        g = np.random.default_rng(0).integers(0, 2, (3, 20))
        out = jax.jit(jax.vmap(lambda x, s, g: nms.hard(x, s, 0.3, size=6, limit=9, groups=g)))(x, s, g)
        expected = nms.hard(x, s, 0.3, size=6, limit=9, groups=g)
        for got, want in zip(out, expected, strict=True):
            np.testing.assert_array_equal(got, want)
        mask = jax.jit(lambda x, s: nms.hard(x, s, 0.3, output="mask"))(x[0], s[0])
        np.testing.assert_array_equal(mask, nms.hard(x[0], s[0], 0.3, output="mask"))

    def test_torch_compile_and_vmap_equal_eager(self):
        torch = pytest.importorskip("torch")
        x, s = (np.stack(x) for x in zip(*(crowd(k, 20) for k in range(3)), strict=True))
        x, s = torch.tensor(x), torch.tensor(s)

        def call(x, s):
            return nms.hard(x, s, 0.3, size=6, limit=9)

        torch.compiler.reset()
        expected = call(x, s)
        for out in (torch.compile(call, fullgraph=True, backend="aot_eager")(x, s), torch.func.vmap(call)(x, s)):
            for got, want in zip(out, expected, strict=True):
                torch.testing.assert_close(got, want)

    def test_nan_score_is_never_kept_under_tracers(self):
        jax = pytest.importorskip("jax")
        x, s = np.asarray([U, U, U, U], np.float32), np.asarray([0.9, np.nan, 0.8, np.nan], np.float32)
        out = jax.jit(lambda x, s: nms.hard(x, s, 0.5, size=3))(x, s)
        assert out.indices.tolist() == [0, -1, -1]
        alone = jax.jit(lambda x, s: nms.hard(x, s, 0.5, size=3))(x[1:2], s[1:2])
        assert alone.count == 0

    def test_indices_without_size_raise_under_tracers(self):
        jax = pytest.importorskip("jax")
        with pytest.raises(TypeError, match="`size` must be given where values are traced"):
            jax.jit(lambda x, s: nms.hard(x, s, 0.5))(np.asarray(B, float), np.asarray(S))

    def test_gradient_of_fixed_scores(self):
        torch = pytest.importorskip("torch")
        s = torch.tensor(S, requires_grad=True)
        nms.hard(torch.tensor(B).float(), s, 0.5, size=3).scores.sum().backward()
        assert s.grad.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"threshold": 1.5}, r"`threshold` must be in \[0, 1\], got 1.5"),
        ({"threshold": -0.1}, "`threshold` must be finite and at least 0, got -0.1"),
        ({"threshold": "0.5"}, "`threshold` must be a number, got str"),
        ({"scores": [0.5]}, r"`scores` must have shape \(4,\), a score for each of `boxes`, got \(1,\)"),
        ({"scores": 0.5}, r"`scores` must have shape \(4,\)"),
        ({"groups": [0, 1]}, r"`groups` must have shape \(4,\), a group for each of `boxes`, got \(2,\)"),
        ({"groups": [0.0] * 4}, "`groups` must hold integers, got dtype float64"),
        ({"groups": ([0] * 4, [0])}, r"`groups\[1\]` must have shape \(4,\)"),
        ({"limit": 0}, "`limit` must be a positive integer, got 0"),
        ({"size": -1}, "`size` must be a positive integer, got -1"),
        ({"output": "keep"}, "`output` must be one of 'indices', 'mask', got 'keep'"),
        ({"inclusive": 1}, "`inclusive` must be a boolean, got int"),
        ({"score": "iou"}, "`score` must be a score, such as `boxes.iou`, got 'iou'"),
        ({"score_threshold": float("nan")}, "`score_threshold` must be finite, got nan"),
        ({"fromat": "xywh"}, "fromat"),
        ({"boxes": [[0, 0, 1]] * 4}, "must have shape"),
    ],
)
def test_bad_arguments_raise(given, message):
    arguments = {"boxes": B, "scores": S, "threshold": 0.5} | given
    x, scores, threshold = (arguments.pop(name) for name in ("boxes", "scores", "threshold"))
    with pytest.raises((TypeError, ValueError), match=message):
        nms.hard(x, scores, threshold, **arguments)


def test_several_images_without_size_raise():
    with pytest.raises(TypeError, match="`size` must be given for `scores` of several axes"):
        nms.hard([B, B], [S, S], 0.5)


@pytest.mark.mixes
def test_arrays_of_two_libraries_raise():
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match="must be arrays of one library"):
        nms.hard(np.asarray(B, float), torch.tensor(S), 0.5)
