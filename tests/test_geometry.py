"""A geometry of one's own, discs (x, y, radius), through scores, all pairs, losses and the evaluator."""

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

from omniou import detection, losses, pairwise, scores
from omniou._functions import loss_function, score_function
from omniou._geometry import Geometry
from omniou._kernels.boxes import Boxes
from tests.helpers import array, assert_close


class Discs(NamedTuple):
    x: Any
    y: Any
    radius: Any


class DiscTerms:
    def __init__(self, a, b, /, *, xp):
        self._a, self._b, self._xp = a, b, xp
        self.area_a, self.area_b = math.pi * a.radius**2, math.pi * b.radius**2

    def intersection(self):
        (a, b), xp = (self._a, self._b), self._xp
        squared = (a.x - b.x) ** 2 + (a.y - b.y) ** 2
        crossing = (squared < (a.radius + b.radius) ** 2) & (squared > (a.radius - b.radius) ** 2)
        # Where the circles do not cross, two unit discs at a distance of 1 stand in, whose gradients are finite.
        d, p, q = (xp.where(crossing, x, 1.0) for x in (xp.sqrt(xp.where(crossing, squared, 1.0)), a.radius, b.radius))
        along = (d**2 + p**2 - q**2) / (2 * d)
        kite = xp.sqrt((-d + p + q) * (d + p - q) * (d - p + q) * (d + p + q)) / 2
        lens = p**2 * xp.acos(along / p) + q**2 * xp.acos((d - along) / q) - kite
        inside = squared <= (a.radius - b.radius) ** 2
        return xp.where(crossing, lens, xp.where(inside, xp.minimum(self.area_a, self.area_b), 0.0))


def bounds(discs, /, *, xp):
    low, high = (xp.stack([discs.x + sign * discs.radius, discs.y + sign * discs.radius]) for sign in (-1, 1))
    return Boxes(low, high, math.pi * discs.radius**2)


DISCS = Geometry(
    name="discs",
    formats={"xyr": (3,)},
    canonical=lambda columns, _, /, *, layout, xp: Discs(*(columns[k, ...] for k in range(3))),  # noqa: ARG005
    terms=DiscTerms,
    bounds=bounds,
    harmless=lambda _: (0.0, 0.0, 1.0),
)
IOU, IOU_LOSS = score_function(scores["iou"], DISCS), loss_function(scores["iou"], DISCS)
# Two unit discs at a distance of 1 share 2 pi / 3 - sqrt(3) / 2.
LENS = 2 * math.pi / 3 - math.sqrt(3) / 2


def test_scores_of_discs(xp):
    a, b = array(xp, [[0, 0, 1], [0, 0, 2], [0, 0, 1]]), array(xp, [[1, 0, 1], [0.5, 0, 1], [3, 0, 1]])
    assert_close(IOU(a, b), [LENS / (2 * math.pi - LENS), 1 / 4, 0], like=a, ulp=16)
    assert_close(score_function(scores["iof"], DISCS)(a, b), [LENS / math.pi, 1 / 4, 0], like=a, ulp=16)
    assert_close(pairwise(IOU, a[:2, :], a[:2, :]), [[1, 1 / 4], [1 / 4, 1]], like=a)


def test_losses_of_discs_with_where(xp):
    pred, target = array(xp, [[0, 0, 1], [math.nan] * 3]), array(xp, [[0, 0, 2], [0, 0, 1]])
    where = xp.asarray([True, False])
    assert_close(IOU_LOSS(pred, target, where=where), [3 / 4, 0], like=pred)
    assert_close(IOU_LOSS(pred, target, where=where, reduction="mean"), 3 / 4)


@pytest.mark.computes("detection looks at values")
@pytest.mark.parametrize("score", [None, "iof", IOU])
def test_evaluate_discs(xp, score):
    # The first overlaps its target by enough, the second one of another image, the third too little.
    targets = {"boxes": array(xp, [[0, 0, 1], [9, 9, 2]]), "labels": xp.asarray([0, 0])}
    guesses = {"boxes": array(xp, [[0.1, 0, 1], [30, 9, 1], [9, 9, 1]]), "scores": array(xp, [0.9, 0.8, 0.7])}
    result = detection.evaluate([targets], [guesses | {"labels": xp.asarray([0, 0, 0])}], kind=DISCS, score=score)
    inside = score == "iof"  # the smaller disc lies inside its target
    assert result.summary["AP50"] == pytest.approx((51 + 50 * 2 / 3) / 101 if inside else 51 / 101)
    overlap = 2 * math.acos(0.05) - 0.05 * math.sqrt(3.99)
    first = overlap / math.pi if inside else overlap / (2 * math.pi - overlap)
    assert [float(x) for x in result.matches.overlaps[0, :]] == pytest.approx([first, 0, float(inside)], rel=1e-5)


def test_evaluate_refuses_rows_that_are_no_discs():
    rows = detection.Targets([[0, 0, 1, 1]], [0], [0]), detection.Detections([[0, 0, 1, 1]], [0.5], [0], [0])
    with pytest.raises(ValueError, match=r"`targets.boxes` must have shape \(N, 3\), got \(1, 4\)"):
        detection.evaluate(*rows, kind=DISCS)
    with pytest.raises(TypeError, match="score 'giou' needs the term 'hull', which discs do not have"):
        detection.evaluate(*rows, kind=DISCS, score="giou")
    with pytest.raises(ValueError, match="`format` must be one of 'xyr', got 'xyxy'"):
        detection.evaluate(*rows, kind=DISCS, format="xyxy")


def test_a_term_that_discs_lack_is_an_error_that_names_both(xp):
    a = array(xp, [[0, 0, 1]])
    with pytest.raises(TypeError, match="score 'giou' needs the term 'hull', which discs do not have"):
        score_function(scores["giou"], DISCS)(a, a)
    with pytest.raises(ValueError, match=r"`b` must have shape \(..., 3\) for format 'xyr', got \(4,\)"):
        IOU(a, array(xp, [0, 0, 1, 1]))


def test_options_of_discs_are_those_that_they_have():
    with pytest.raises(TypeError, match="unexpected keyword argument 'offset'"):
        IOU([0, 0, 1], [0, 0, 1], offset=1)
    assert losses.iou(np.array([0.0, 0, 1, 1]), [0, 0, 1, 1]) == 0
