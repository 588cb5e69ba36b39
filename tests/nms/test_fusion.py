"""Merging and weighted fusion: reports of users, the rules written out, and errors."""

import numpy as np
import pytest

from omniou import boxes, masks, nms, rle, rotated
from tests.helpers import array, assert_close, numbers
from tests.nms.reference import crowd, listed

U = [0, 0, 10, 10]
SHIFTED = [U, [3, 0, 13, 10], [6, 0, 16, 10]]
pytestmark = pytest.mark.computes("sizes of results depend on values")


def fused_by_hand(x, scores, models, weights, groups, threshold):
    """The rule of weighted fusion, written out: clusters of rows, and their fused boxes."""
    value = scores * weights[models]
    clusters = []
    for k in sorted(range(len(scores)), key=lambda k: (-value[k], k)):
        best, most = None, threshold
        for cluster in clusters:
            overlap = float(boxes.iou(cluster["box"], x[k]))
            if groups[cluster["rows"][0]] == groups[k] and overlap > most:
                best, most = cluster, overlap
        if best is None:
            clusters.append({"rows": [k], "box": x[k]})
            continue
        best["rows"].append(k)
        best["box"] = np.average(x[best["rows"]], axis=0, weights=value[best["rows"]])
    return clusters


@pytest.mark.parametrize(
    ("method", "expected", "clusters"),
    [("greedy", [[0, 0, 13, 10], [6, 0, 16, 10]], [0, 0, 1]), ("transitive", [[0, 0, 16, 10]], [0, 0, 0])],
)
def test_merge_has_each_box_in_one_result(xp, method, expected, clusters):
    # SAHI loses the third: it is grouped with the second, and then not merged.
    x, s = array(xp, SHIFTED), array(xp, [0.9, 0.8, 0.7])
    out = nms.merge(x, s, 0.5, method=method)
    assert_close(out.boxes, expected, like=x)
    assert listed(out.clusters) == clusters
    assert listed(out.indices) == sorted({clusters.index(k) for k in clusters})


@pytest.mark.proves("eager", "nms.merge")
def test_merge_of_equal_scores_is_one_result(xp):
    # sahi 1416.
    out = nms.merge(array(xp, [U, [0, 0, 10, 9]]), array(xp, [0.5, 0.5]), 0.5)
    assert numbers(out.boxes).tolist() == [U]
    assert listed(out.clusters) == [0, 0]


def test_merge_does_not_grow_the_candidate(xp):
    # supervision 1774: its masks grow, its boxes do not.
    x, s = array(xp, [[0, 12], [3, 15], [6, 18]]), array(xp, [0.9, 0.8, 0.7])
    assert listed(nms.merge(x, s, 0.5).clusters) == [0, 0, 1]
    assert listed(nms.merge(x, s, 0.5, method="transitive").clusters) == [0, 0, 0]


@pytest.mark.parametrize("kind", ["pixels", "runs"])
def test_merge_of_masks_is_their_union(xp, kind):
    # supervision 1774 again: three masks of a row of 18 pixels; the third overlaps the first by a third.
    pixels = np.asarray([[[start <= k < start + 12 for k in range(18)]] for start in (0, 3, 6)])
    shapes = rle.Masks.from_dense(pixels) if kind == "runs" else array(xp, pixels, "bool")
    score, s = (rle.iou if kind == "runs" else masks.iou), array(xp, [0.9, 0.8, 0.7])
    for method, ends, clusters in (("greedy", [(0, 15), (6, 18)], [0, 0, 1]), ("transitive", [(0, 18)], [0, 0, 0])):
        out = nms.merge(shapes, s, 0.5, method=method, score=score, confidence="area")
        expected = [[[low <= k < high for k in range(18)]] for low, high in ends]
        united = out.boxes.to_dense() if kind == "runs" else numbers(out.boxes)
        assert united.tolist() == expected
        assert listed(out.clusters) == clusters
        assert_close(out.scores, [0.85, 0.7] if method == "greedy" else [0.8], like=s)
    assert listed(nms.merge(shapes, s, 0.5, score=score, limit=1).indices) == [0]


def test_merge_of_masks_needs_a_score_of_masks():
    pixels = np.ones((2, 3, 4), dtype=bool)
    for shapes in (pixels, rle.Masks.from_dense(pixels)):
        with pytest.raises(TypeError, match="`score` must compare masks, such as "):
            nms.merge(shapes, [0.5, 0.5], 0.5)
    empty = nms.merge(rle.Masks.from_dense(pixels[:0]), [], 0.5, score=rle.iou)
    assert (len(empty.boxes), empty.scores.shape) == (0, (0,))


@pytest.mark.parametrize(("confidence", "expected"), [("max", 0.9), ("area", (60 + 81) / 190), ("mean", 0.75)])
def test_merge_by_confidence(xp, confidence, expected):
    x, s = array(xp, [U, [0, 0, 10, 9]]), array(xp, [0.6, 0.9])
    out = nms.merge(x, s, 0.5, confidence=confidence)
    assert_close(out.scores, [expected], like=s)
    assert listed(out.indices) == [1]
    assert numbers(out.boxes).tolist() == [U]


def test_merge_with_groups_formats_and_limits(xp):
    x, s = array(xp, [[0, 0, 10, 10], [0, 0, 10, 9], [3, 0, 10, 10]]), array(xp, [0.6, 0.9, 0.8])
    out = nms.merge(x, s, 0.5, groups=array(xp, [0, 1, 0], "int64"), format="xywh")
    assert numbers(out.boxes).tolist() == [[0, 0, 10, 9], [0, 0, 13, 10]]
    assert listed(out.clusters) == [1, 0, 1]
    limited = nms.merge(x, s, 0.5, groups=array(xp, [0, 1, 0], "int64"), format="xywh", limit=1, score_threshold=0.7)
    assert numbers(limited.boxes).tolist() == [[0, 0, 10, 9]]
    assert listed(limited.clusters) == [-1, 0, -1]


@pytest.mark.parametrize("method", ["greedy", "transitive"])
@pytest.mark.parametrize("seed", range(4))
def test_merge_of_random_boxes_is_a_partition(seed, method):
    x, s = crowd(seed, 60)
    out = nms.merge(x, s, 0.2, method=method)
    assert set(out.clusters.tolist()) == set(range(len(out.scores)))
    overlap = boxes.pairwise_iou(x, x) > 0.2
    for k in range(len(out.scores)):
        rows = np.nonzero(out.clusters == k)[0]
        np.testing.assert_array_equal(out.boxes[k], [*x[rows, :2].min(0), *x[rows, 2:].max(0)])
        assert out.scores[k] == s[rows].max()
        if method == "transitive":
            assert not overlap[rows][:, out.clusters != k].any()
    if method == "greedy":
        assert sorted(out.indices.tolist()) == sorted(nms.hard(x, s, 0.2).tolist())


@pytest.mark.parametrize(
    ("confidence", "expected"),
    [
        ("avg", 16 / 15),
        ("max", 0.9),
        ("box_and_model_avg", 8 / 15),
        ("absent_model_aware_avg", 0.64),
        ("avg_overflow", 16 / 15),
    ],
)
def test_weighted_fusion_by_confidence(xp, confidence, expected):
    # WBF 40: weights 2 and 1, one box twice from the first model, none from the second.
    x, s, models = array(xp, [U, U]), array(xp, [0.9, 0.7]), array(xp, [0, 0], "int64")
    out = nms.weighted_fusion(x, s, 0.5, models=models, weights=[2, 1], confidence=confidence)
    assert_close(out.scores, [expected], like=s)
    assert numbers(out.boxes).tolist() == [U]


@pytest.mark.proves("eager", "nms.weighted_fusion")
def test_weighted_fusion_compares_with_the_fused_box(xp):
    x, s = array(xp, [[0, 0, 0.4, 1], [0.1, 0, 0.5, 1], [0.2, 0, 0.6, 1]]), array(xp, [0.9, 0.8, 0.7])
    out = nms.weighted_fusion(x, s, 0.5, models=array(xp, [0, 1, 2], "int64"), confidence="avg")
    shift = 0.08 / 1.7
    assert_close(out.boxes, [[shift, 0, 0.4 + shift, 1], [0.2, 0, 0.6, 1]], like=x)
    assert_close(out.scores, [1.7 / 3, 0.7 / 3], like=s)


def test_weighted_fusion_leaves_out_models_of_weight_zero(xp):
    # WBF 35: NaN coordinates.
    x, s = array(xp, [U, [0, 0, 10, 8], [0, 0, 10, 8]]), array(xp, [0.9, 0.8, 0.8])
    out = nms.weighted_fusion(x, s, 0.5, models=array(xp, [0, 1, 1], "int64"), weights=[1, 0])
    assert numbers(out.boxes).tolist() == [U]
    assert listed(out.clusters) == [0, -1, -1]
    nothing = nms.weighted_fusion(x, array(xp, [0.0, 0, 0]), 0.5)
    assert np.isfinite(numbers(nothing.boxes)).all()
    assert numbers(nothing.scores).tolist() == [0]


@pytest.mark.parametrize("value", [1e308, 1e-3, 5e-324])
@pytest.mark.parametrize("weight", [1e308, 1.0, 5e-324])
def test_means_of_the_largest_and_smallest_scores(value, weight):
    x, s = np.asarray([U, [2, 0, 12, 10], [50, 50, 61, 61]], float), [value] * 3
    out = nms.weighted_fusion(x, s, 0.5, models=[0, 1, 0], weights=[weight, weight])
    np.testing.assert_allclose(out.boxes, [[1, 0, 11, 10], [50, 50, 61, 61]])
    np.testing.assert_allclose(out.scores, [value, value / 2])
    for confidence in ("mean", "area"):
        assert nms.merge(x, s, 0.5, confidence=confidence).scores.tolist() == [value, value]


def test_mean_of_float16_scores_whose_sum_overflows():
    x, s = np.asarray([U, U], np.float16), np.asarray([60000, 60000], np.float16)
    assert nms.merge(x, s, 0.5, confidence="mean").scores.tolist() == [60000]
    assert nms.weighted_fusion(x, s, 0.5).scores.tolist() == [60000]


@pytest.mark.parametrize("confidence", ["area", "mean"])
def test_infinite_scores_have_no_mean(confidence):
    # `hard`, `soft`, `matrix` and the highest score of `merge` only order them.
    for infinite in (np.inf, -np.inf):
        with pytest.raises(ValueError, match=rf"`scores` must be finite, got {infinite} at \[1\]"):
            nms.merge(SHIFTED, [0.9, infinite, 0.7], 0.5, confidence=confidence)
    with pytest.raises(ValueError, match=r"`scores` must be finite and at least 0, got inf at \[1\]"):
        nms.weighted_fusion(SHIFTED, [0.9, np.inf, 0.7], 0.5)
    assert nms.merge(SHIFTED, [0.9, np.inf, 0.7], 0.5).scores.tolist() == [np.inf]


def test_box_alone_is_the_same_to_the_last_bit():
    x = np.random.default_rng(0).uniform(0, 1, (50, 4)) + 10.0 * np.arange(50)[:, None]
    s = np.random.default_rng(1).uniform(0.1, 1, 50)
    out = nms.weighted_fusion(np.sort(x), s, 0.5)
    np.testing.assert_array_equal(out.boxes, np.sort(x)[out.indices])


def test_weighted_fusion_of_pixels(xp):
    # WBF 35: clipped to 1, and then of no area.
    x, s = array(xp, [[10, 10, 50, 50], [12, 10, 50, 50]]), array(xp, [0.5, 0.5])
    assert numbers(nms.weighted_fusion(x, s, 0.5).boxes).tolist() == [[11, 10, 50, 50]]
    sides = array(xp, [[10, 10, 40, 40], [12, 10, 38, 40]])
    assert numbers(nms.weighted_fusion(sides, s, 0.5, format="xywh").boxes).tolist() == [[11, 10, 39, 40]]


def test_weighted_fusion_at_thresholds(xp):
    x, s = array(xp, [U, [0, 0, 10, 5]]), array(xp, [0.9, 0.4])
    models = array(xp, [0, 1], "int64")
    assert nms.weighted_fusion(x, s, 0.5).scores.shape == (2,)
    assert nms.weighted_fusion(x, s, 0.5, inclusive=True).scores.shape == (1,)
    # Scores are compared before they are weighted.
    kept = nms.weighted_fusion(x, s, 0.5, models=models, weights=[1, 0.5], score_threshold=0.3)
    assert listed(kept.clusters) == [0, 1]


def test_fusion_of_no_boxes_is_empty(xp):
    x, s = array(xp, np.zeros((0, 4))), array(xp, [])
    for out in (nms.weighted_fusion(x, s, 0.5), nms.merge(x, s, 0.5), nms.merge(x, s, 0.5, method="transitive")):
        assert [tuple(y.shape) for y in out] == [(0, 4), (0,), (0,), (0,)]


@pytest.mark.parametrize("seed", range(6))
def test_weighted_fusion_equals_the_rule(seed):
    x, s = crowd(seed, 60)
    rng = np.random.default_rng(seed)
    models, weights, groups = rng.integers(0, 3, 60), np.asarray([2.0, 1.0, 0.5]), rng.integers(0, 2, 60)
    s = s + 0.01
    out = nms.weighted_fusion(x, s, 0.3, models=models, weights=weights, groups=groups, confidence="avg_overflow")
    expected = fused_by_hand(x, s, models, weights, groups, 0.3)
    assert len(out.scores) == len(expected)
    for cluster in expected:
        k = out.clusters[cluster["rows"][0]]
        assert sorted(cluster["rows"]) == np.nonzero(out.clusters == k)[0].tolist()
        np.testing.assert_allclose(out.boxes[k], cluster["box"])
        np.testing.assert_allclose(out.scores[k], (s * weights[models])[cluster["rows"]].sum() / 3.5)
        assert out.indices[k] == cluster["rows"][0]
    assert (np.diff(out.scores) <= 0).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"models": [0, 1]}, r"`models` must have shape \(3,\), the model of each box, got \(2,\)"),
        ({"models": [0.0, 0.0, 1.0]}, "`models` must hold integers, got dtype float64"),
        ({"models": [0, 1, 2], "weights": [1, 1]}, "`models` must be from 0 to 1, as there are 2 weights, got 2"),
        ({"weights": [0]}, r"`weights` must have one above 0, got \[0.0\]"),
        ({"weights": [-1.0]}, r"`weights\[0\]` must be finite and at least 0, got -1.0"),
        ({"weights": 1}, "`weights` must be a list of numbers, got 1"),
        ({"confidence": "mean"}, "`confidence` must be one of 'box_and_model_avg'"),
    ],
)
def test_bad_arguments_of_fusion_raise(given, message):
    with pytest.raises((TypeError, ValueError), match=message):
        nms.weighted_fusion(SHIFTED, [0.9, 0.8, 0.7], 0.5, **given)


@pytest.mark.parametrize("function", [nms.weighted_fusion, nms.merge])
def test_shapes_without_a_mean_raise(function):
    with pytest.raises(TypeError, match="`boxes` must be upright boxes, of which a mean has a meaning"):
        function([[5, 5, 2, 2, 0]], [0.5], 0.5, score=rotated.iou)
    with pytest.raises(TypeError, match=r"`boxes` must have shape \(N, 4\), got \(1, 3, 4\)"):
        function([SHIFTED[:1] * 3], [[0.5] * 3], 0.5)
    with pytest.raises(ValueError, match="`format` must be one of"):
        function(SHIFTED, [0.9, 0.8, 0.7], 0.5, format="xyz")


@pytest.mark.parametrize("far", [0, 300])
def test_box_that_overlaps_two_joins_the_best(far):
    # Few boxes are compared by a matrix, many by a search.
    x = [[1000.0 + 20 * k, 0, 1010 + 20 * k, 10] for k in range(far)]
    x = np.asarray([[5, 0, 15, 10], *x, [10, 0, 20, 10], U], float)
    s = np.linspace(0.1, 1, far + 3)
    for out in (nms.merge(x, s, 0.3), nms.weighted_fusion(x, s, 0.3)):
        assert out.clusters[0] == out.clusters[-1]
        assert out.scores.shape == (far + 2,)


def test_one_box_is_unchanged_and_never_clipped(xp):
    # tensorflow/models 9053: a box in pixels was clipped to fractions; WBF 35: "zero area".
    x, s = array(xp, [[10, 10, 50, 50]]), array(xp, [0.9])
    for out in (nms.merge(x, s, 0.5), nms.weighted_fusion(x, s, 0.5)):
        assert numbers(out.boxes).tolist() == [[10, 10, 50, 50]]
        assert_close(out.scores, [0.9], like=s)


def test_mean_by_areas_that_are_all_zero_is_plain():
    out = nms.merge([[5, 5, 5, 5], [5, 5, 5, 5]], [0.8, 0.6], 0.0, inclusive=True, confidence="area")
    assert out.scores.tolist() == [pytest.approx(0.7)]


def test_results_of_equal_scores_are_in_the_order_of_their_best_boxes():
    # Groups are fused by number, group 0 first.
    for fuse in (nms.weighted_fusion, nms.merge):
        assert fuse([U, [50, 0, 60, 10]], [0.5, 0.5], 0.5, groups=[1, 0]).indices.tolist() == [0, 1]
