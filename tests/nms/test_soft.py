"""Soft and matrix suppression: reports of users, by hand."""

import collections
import math
import sys

import numpy as np
import pytest

from omniou import masks, nms
from tests.helpers import array, assert_close, numbers
from tests.nms.reference import listed

U = [0, 0, 10, 10]
THREE, SCORES = [U, [0, 0, 10, 5], [0, 0, 10, 9]], [0.9, 0.8, 0.85]


@pytest.mark.computes("sizes of results depend on values")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        # supervision does not choose the best anew: .1682 for the third.
        ({}, [0.9, 0.8 * math.exp(-0.5), 0.85 * math.exp(-(0.9**2) / 0.5 - (5 / 9) ** 2 / 0.5)]),
        # TensorFlow and OpenVINO: exp(-s^2 / (2 sigma)).
        ({"sigma": 1.0}, [0.9, 0.8 * math.exp(-0.25), 0.85 * math.exp(-0.81 - (5 / 9) ** 2)]),
        ({"method": "linear"}, [0.9, 0.4, 0.85 * 0.1 * (1 - 5 / 9)]),
        ({"method": "linear", "threshold": 0.5}, [0.9, 0.8, 0.85 * 0.1 * (1 - 5 / 9)]),
        ({"method": "linear", "threshold": 0.5, "inclusive": True}, [0.9, 0.4, 0.85 * 0.1 * (1 - 5 / 9)]),
    ],
)
@pytest.mark.proves("eager", "nms.soft")
def test_soft_by_hand(xp, given, expected):
    x, s = array(xp, THREE), array(xp, SCORES)
    assert_close(nms.soft(x, s, output="scores", **given), expected, like=s)
    kept = nms.soft(x, s, **given)
    order = np.argsort(-np.asarray(expected))
    assert listed(kept.indices) == order.tolist()
    assert_close(kept.scores, np.asarray(expected)[order], like=s)


@pytest.mark.computes("sizes of results depend on values")
@pytest.mark.parametrize(
    ("method", "expected"), [("linear", [0.9, 0.32, 0.7 * 5 / 12]), ("gaussian", [0.9, 0.389402, 0.358593])]
)
@pytest.mark.proves("eager", "nms.matrix")
def test_matrix_by_hand(xp, method, expected):
    # Intervals of IoU 3/5, 1/2 and 5/6.
    x, s = array(xp, [[0, 10], [0, 6], [0, 5]]), array(xp, [0.9, 0.8, 0.7])
    assert np.allclose(numbers(nms.matrix(x, s, method=method, output="scores")), expected, atol=1e-6)
    assert listed(nms.matrix(x, s, method=method).indices) == [0, 1, 2]


@pytest.mark.computes("sizes of results depend on values")
def test_matrix_of_equal_shapes_is_zero_and_of_empty_ones_unchanged(xp):
    pixels = xp.asarray(np.ones((3, 2, 2), bool))
    s = array(xp, [0.9, 0.8, 0.7])
    for size in (None, 3):
        kept = nms.matrix(pixels, s, method="linear", score=masks.iou, size=size)
        assert numbers(kept.scores).tolist() == [0.9, 0, 0]
    # The second is gone: the third is lowered by the first only.
    twice = array(xp, [[0, 10], [0, 10], [0, 5]])
    for size in (None, 3):
        assert_close(nms.matrix(twice, s, method="linear", size=size).scores, [0.9, 0.35, 0.0], like=s)
    none = xp.asarray(np.zeros((3, 2, 2), bool))
    for method in ("linear", "gaussian"):
        assert numbers(nms.matrix(none, s, method=method, score=masks.iou).scores).tolist() == [0.9, 0.8, 0.7]


@pytest.mark.computes("sizes of results depend on values")
@pytest.mark.parametrize("function", [nms.soft, nms.matrix])
def test_threshold_of_new_scores_and_limit(xp, function):
    x, s = array(xp, THREE), array(xp, SCORES)
    assert listed(function(x, s, score_threshold=0.4).indices) == [0, 1]
    assert listed(function(x, s, limit=1).indices) == [0]
    assert numbers(function(x, s, score_threshold=0.4, output="mask")).tolist() == [1, 1, 0]
    fixed = function(x, s, score_threshold=0.4, size=3)
    assert listed(fixed.indices) == [0, 1, -1]
    assert int(fixed.count) == 2
    # The best is tested as well.
    assert listed(function(array(xp, [U, U]), array(xp, [0.25, 0.2]), score_threshold=0.3).indices) == []
    assert function(array(xp, np.zeros((0, 4))), array(xp, [])).scores.shape == (0,)


def test_infinite_scores_keep_their_value():
    lowered = nms.soft([U, U, THREE[2]], [math.inf, 0.5, math.inf], method="linear", output="scores")
    assert lowered.tolist() == [math.inf, 0, math.inf]


def test_soft_calls_only_the_heap_for_each_box():
    generator, calls = np.random.default_rng(0), collections.Counter()
    low = generator.uniform(0, 60, (300, 2))
    boxes, scores = np.concatenate([low, low + 20], axis=1), generator.random(300)

    def count(frame, event, called):
        if event == "c_call" and frame.f_code.co_name == "_softly":
            calls[called.__name__] += 1

    sys.setprofile(count)
    try:
        nms.soft(boxes, scores)
    finally:
        sys.setprofile(None)
    assert calls.pop("heappop") == 300
    assert calls.pop("item") == 300 + calls.pop("heapreplace")
    assert sum(calls.values()) < 30
