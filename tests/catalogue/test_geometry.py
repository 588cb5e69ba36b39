"""A geometry of a user, discs (x, y, radius), in scores, all pairs and losses."""

import math

import numpy as np
import pytest

from omniou import geometry, losses, pairwise, scores
from omniou._catalogue.sources.shapes import score_function
from tests.discs import DISCS
from tests.helpers import array, assert_close

IOU, IOU_LOSS = geometry.functions(DISCS)["iou"], geometry.losses(DISCS)["iou"]
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


def test_scores_of_discs_of_missing_term_or_wrong_shape_raise(xp):
    a = array(xp, [[0, 0, 1]])
    with pytest.raises(TypeError, match="score 'giou' needs the term 'hull', which discs do not have"):
        score_function(scores["giou"], DISCS)(a, a)
    with pytest.raises(ValueError, match=r"`b` must have shape \(..., 3\) for format 'xyr', got \(4,\)"):
        IOU(a, array(xp, [0, 0, 1, 1]))


def test_iou_of_discs_with_option_of_boxes_raises():
    with pytest.raises(TypeError, match="unexpected keyword argument 'offset'"):
        IOU([0, 0, 1], [0, 0, 1], offset=1)
    assert losses.iou(np.array([0.0, 0, 1, 1]), [0, 0, 1, 1]) == 0
