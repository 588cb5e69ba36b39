"""A geometry of one's own, discs (x, y, radius), through scores, all pairs, losses and the evaluator."""

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

from omniou import losses, pairwise, scores
from omniou._functions import loss_function, score_function
from omniou._geometry import Geometry
from omniou._kernels.boxes import Boxes
from tests.helpers import array, assert_close


class Discs(NamedTuple):
    x: Any
    y: Any
    radius: Any


class DiscTerms:
    """Of two discs: areas, the exact area of the lens that they share, and the disc around both."""

    def __init__(self, a, b, /, *, xp):
        self._a, self._b, self._xp = a, b, xp
        self.area_a, self.area_b = math.pi * a.radius**2, math.pi * b.radius**2

    def intersection(self):
        (a, b), xp = (self._a, self._b), self._xp
        d2 = (a.x - b.x) ** 2 + (a.y - b.y) ** 2
        d = xp.sqrt(xp.where(d2 > 0, d2, 1.0))
        cut = (d2 < (a.radius + b.radius) ** 2) & (d2 > (a.radius - b.radius) ** 2)  # neither apart nor one inside
        d, d2 = xp.where(cut, d, 1.0), xp.where(cut, d2, 1.0)
        p, q = xp.where(cut, a.radius, 1.0), xp.where(cut, b.radius, 1.0)
        along = (d2 + p**2 - q**2) / (2 * d)
        kite = xp.sqrt((-d + p + q) * (d + p - q) * (d - p + q) * (d + p + q)) / 2
        lens = p**2 * xp.acos(along / p) + q**2 * xp.acos((d - along) / q) - kite
        inside = (a.x - b.x) ** 2 + (a.y - b.y) ** 2 <= (a.radius - b.radius) ** 2
        return xp.where(cut, lens, xp.where(inside, xp.minimum(self.area_a, self.area_b), 0.0))


def canonical(columns, _sides, /, *, layout, xp):  # noqa: ARG001
    return Discs(columns[0, ...], columns[1, ...], columns[2, ...])


def bounds(discs, /, *, xp):
    low, high = (xp.stack([discs.x + sign * discs.radius, discs.y + sign * discs.radius]) for sign in (-1, 1))
    return Boxes(low, high, math.pi * discs.radius**2)


DISCS = Geometry(
    name="discs",
    formats={"xyr": (3,)},
    canonical=canonical,
    terms=DiscTerms,
    bounds=bounds,
    harmless=lambda _: (0.0, 0.0, 1.0),
)
# Two unit discs at a distance of 1 share 2 pi / 3 - sqrt(3) / 2.
LENS = 2 * math.pi / 3 - math.sqrt(3) / 2


def test_iou_and_iof_of_discs_by_hand(xp):
    a, b = array(xp, [[0, 0, 1], [0, 0, 2], [0, 0, 1]]), array(xp, [[1, 0, 1], [0.5, 0, 1], [3, 0, 1]])
    assert_close(score_function(scores["iou"], DISCS)(a, b), [LENS / (2 * math.pi - LENS), 1 / 4, 0], like=a, ulp=16)
    assert_close(score_function(scores["iof"], DISCS)(a, b), [LENS / math.pi, 1 / 4, 0], like=a, ulp=16)


def test_pairwise_iou_of_discs_by_hand(xp):
    a, b = array(xp, [[0, 0, 1], [0, 0, 2]]), array(xp, [[0, 0, 1], [9, 9, 1], [0, 0, 2]])
    assert_close(pairwise(score_function(scores["iou"], DISCS), a, b), [[1, 0, 1 / 4], [1 / 4, 0, 1]], like=a)


def test_iou_loss_of_discs_with_where(xp):
    pred, target = array(xp, [[0, 0, 1], [math.nan] * 3]), array(xp, [[0, 0, 2], [0, 0, 1]])
    where = xp.asarray([True, False])
    loss = loss_function(scores["iou"], DISCS)
    assert_close(loss(pred, target, where=where), [3 / 4, 0], like=pred)
    assert_close(loss(pred, target, where=where, reduction="mean"), 3 / 4)


def test_score_with_missing_term_raises_naming_score_and_geometry(xp):
    a = array(xp, [[0, 0, 1]])
    with pytest.raises(TypeError, match="score 'giou' needs the term 'hull', which discs do not have"):
        score_function(scores["giou"], DISCS)(a, a)
    with pytest.raises(ValueError, match=r"`b` must have shape \(..., 3\) for format 'xyr', got \(4,\)"):
        score_function(scores["iou"], DISCS)(a, array(xp, [0, 0, 1, 1]))


def test_unsupported_option_of_discs_raises():
    with pytest.raises(TypeError, match="unexpected keyword argument 'offset'"):
        score_function(scores["iou"], DISCS)([0, 0, 1], [0, 0, 1], offset=1)
    assert losses.iou(np.array([0.0, 0, 1, 1]), [0, 0, 1, 1]) == 0
