"""Suppression equals its rules, written out; bad arguments raise."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omniou import boxes, masks, nms, rle
from omniou.nms import _greedy
from tests.nms.reference import at_once, by_hand, crowd, softly
from tests.nms.reports import U

B = [U, [0, 0, 10, 6], [20, 20, 30, 30], [0, 0, 10, 9]]
S = [0.9, 0.8, 0.7, 0.95]
THREE, SCORES = [U, [0, 0, 10, 5], [0, 0, 10, 9]], [0.9, 0.8, 0.85]


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(0, 40),
    threshold=st.sampled_from([0.0, 0.1, 0.5, 0.9]),
    groups=st.booleans(),
)
def test_hard_equals_brute_force(seed, n, threshold, groups):
    x, s = crowd(seed, n)
    ids = np.random.default_rng(seed).integers(0, 3, n) if groups else None
    expected = by_hand(boxes.pairwise_iou(x, x), s, threshold, groups=ids)
    assert nms.hard(x, s, threshold, groups=ids).tolist() == expected
    for inclusive in (False, True):
        y = np.round(x / 10) * 10  # overlaps that equal the threshold
        expected = by_hand(boxes.pairwise_iou(y, y), s, threshold, groups=ids, inclusive=inclusive)
        assert nms.hard(y, s, threshold, groups=ids, inclusive=inclusive).tolist() == expected


@pytest.mark.parametrize(("n", "side"), [(900, 30.0), (900, 300.0), (2500, 150.0)])
@pytest.mark.parametrize("count", [1, 20])
def test_hard_of_many_boxes_equals_brute_force(n, side, count):
    x, s = crowd(n, n, side)
    ids = np.random.default_rng(n).integers(0, count, n)
    expected = by_hand(boxes.pairwise_iou(x, x), s, 0.4, groups=ids)
    assert nms.hard(x, s, 0.4, groups=ids).tolist() == expected


def test_hard_of_run_lengths():
    pixels = np.arange(18)[None, :] < np.asarray([18, 12, 3])[:, None]
    table = rle.Masks.from_dense(pixels[:, None, :])
    assert nms.hard(table, [0.9, 0.8, 0.7], 0.5, score=rle.iou).tolist() == [0, 2]
    assert nms.hard(table, [0.9, 0.8, 0.7], 0.5, score=rle.iou, output="mask").tolist() == [True, False, True]


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
        ({"inclusive": 1}, "`inclusive` must be True or False, got int"),
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


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), n=st.integers(0, 30), method=st.sampled_from(["gaussian", "linear"]))
def test_soft_and_matrix_equal_brute_force(seed, n, method):
    x, s = crowd(seed, n)
    groups = np.random.default_rng(seed).integers(0, 2, n)
    overlap = boxes.pairwise_iou(x, x)
    factor = (lambda v: math.exp(-v * v / 0.5)) if method == "gaussian" else (lambda v: 1 - v if v > 0.3 else 1.0)
    out = nms.soft(x, s, method=method, groups=groups, output="scores")
    np.testing.assert_allclose(out, softly(overlap, s, factor, groups), atol=1e-12)
    f = (lambda v: math.exp(-2 * v * v)) if method == "gaussian" else (lambda v: 1 - v)
    out = nms.matrix(x, s, method=method, groups=groups, output="scores")
    np.testing.assert_allclose(out, at_once(overlap, s, f, groups), atol=1e-12)


@pytest.mark.parametrize("function", [nms.soft, nms.matrix])
def test_many_run_lengths(function):
    pixels = np.arange(20)[None, :] < np.arange(1, 301)[:, None] % 20
    table, s = rle.Masks.from_dense(pixels[:, None, :]), np.linspace(1, 0.5, 300)
    dense = function(pixels[:, None, :], s, score=masks.iou, output="scores")
    np.testing.assert_allclose(function(table, s, score=rle.iou, output="scores"), dense)


@pytest.mark.parametrize(
    ("function", "given", "message"),
    [
        (nms.soft, {"method": "cosine"}, "`method` must be one of 'gaussian', 'linear', got 'cosine'"),
        (nms.soft, {"threshold": 0.5}, "`threshold` belongs to `method` 'linear', got 0.5"),
        (nms.soft, {"method": "linear", "sigma": 0.5}, "`sigma` belongs to `method` 'gaussian', got 0.5"),
        (nms.matrix, {"method": "linear", "sigma": 0.5}, "`sigma` belongs to `method` 'gaussian', got 0.5"),
        (nms.soft, {"sigma": 0}, "`sigma` must be above 0, got 0"),
        (nms.soft, {"method": "linear", "threshold": 2}, r"`threshold` must be in \[0, 1\], got 2"),
        (nms.soft, {"output": "all"}, "`output` must be one of 'indices', 'scores', 'mask', got 'all'"),
        (nms.matrix, {"size": 0}, "`size` must be a positive integer, got 0"),
    ],
)
def test_bad_arguments_of_soft_and_matrix_raise(function, given, message):
    with pytest.raises(ValueError, match=message):
        function(THREE, SCORES, **given)


@pytest.mark.parametrize("function", [nms.soft, nms.matrix])
def test_bad_scores_raise(function):
    with pytest.raises(ValueError, match=r"`scores` must be at least 0, got -1.0 at \[2\]"):
        function(THREE, [0.5, 0.5, -1], size=1)
    with pytest.raises(ValueError, match=r"`scores` must be at least 0, got nan at \[0\]"):
        function(THREE, [math.nan, 0.5, 0.5])


@pytest.mark.parametrize("side", [15.0, 60.0, 300.0])
@pytest.mark.parametrize(("pairs", "block"), [(2**22, 2**11), (2000, 64), (1, 32)])
def test_hard_in_blocks_equals_brute_force(monkeypatch, side, pairs, block):
    for name, x in (("_PAIRS", 1), ("_FEWEST_PAIRS", pairs), ("_BLOCK", block)):
        monkeypatch.setattr(_greedy, name, x)
    x, s = crowd(7, 600, side)
    # The sample takes each second: a crowd in the others is not seen.
    x[1::2] = x[1::2] * 0.05
    ids = np.random.default_rng(7).integers(0, 2, 600)
    expected = by_hand(boxes.pairwise_iou(x, x), s, 0.4, groups=ids)
    assert nms.hard(x, s, 0.4, groups=ids).tolist() == expected


def test_hard_of_a_long_chain_equals_brute_force():
    # Each suppresses the next: every second is kept.
    low = np.arange(400.0)
    x = np.stack([low, low * 0, low + 2.5, low * 0 + 1], axis=1)
    s = np.linspace(1, 0.1, 400)
    assert nms.hard(x, s, 0.3).tolist() == list(range(0, 400, 2))


@pytest.mark.parametrize("n", [256, 257])
def test_iof_is_of_the_kept_one(n):
    # The small boxes are inside the large one, which comes first: it is not inside them.
    x = np.tile([[4.0, 4, 5, 5]], (n, 1)) + 0.001 * np.arange(n)[:, None]
    x[-1] = [0, 0, 10, 10]
    s = np.linspace(0.1, 1, n)
    assert nms.hard(x, s, 0.5, score=boxes.iof)[:2].tolist() == [n - 1, n - 2]
    assert nms.hard(x, s, 0.5, score=lambda kept, other: boxes.iof(other, kept)).tolist() == [n - 1]


def test_distance_raises():
    with pytest.raises(ValueError, match="`score` must be higher the more two overlap, got the distance 'gwd'"):
        nms.hard(B, S, 0.5, score=boxes.gwd)


@pytest.mark.parametrize("n", [200, 300])
def test_iof_of_a_kept_one_that_starts_later(n):
    # The best is inside the large one, and apart from all others.
    x = np.asarray([[0, 0, 10, 10], [4, 4, 5, 5], *([20.0 * k, 20, 20 * k + 10, 30] for k in range(1, n))], float)
    s = np.asarray([0.5, 0.9, *np.linspace(0.4, 0.1, n - 1)])
    assert nms.hard(x, s, 0.5, score=boxes.iof).tolist() == list(range(1, n + 1))
    assert nms.hard(x, s, 0.5, score=lambda kept, other: boxes.iof(other, kept)).tolist() == [1, 0, *range(2, n + 1)]


@pytest.mark.parametrize("block", [8, 2**11], ids=["blocks", "at-once"])
def test_owner_in_a_crowd_is_the_best_of_those_that_suppress(monkeypatch, block):
    # A crowd is taken in blocks: what an earlier block suppresses belongs to the best one that does so.
    for name, x in {"_FEW": 0, "_BLOCK": block, "_PAIRS": 0, "_FEWEST_PAIRS": block * block}.items():
        monkeypatch.setattr(_greedy, name, x)
    for seed in range(4):
        x, s = crowd(seed, 120)
        overlap = boxes.pairwise_iou(x, x)
        kept = by_hand(overlap, s, 0.1)  # the best first
        out = nms.merge(x, s, 0.1)
        for k in set(range(120)) - set(kept):
            better = [i for i in kept if overlap[i, k] > 0.1 and (-s[i], i) < (-s[k], k)]
            assert int(out.indices[out.clusters[k]]) == better[0]
