"""The evaluator on discs, rotated rectangles and polygons."""

import math

import pytest

from omniou import detection, polygons, rotated, scores
from omniou._functions import score_function
from tests.discs import DISCS
from tests.helpers import array

IOU = score_function(scores["iou"], DISCS)


@pytest.mark.computes("detection looks at values")
@pytest.mark.parametrize("score", [None, "iof", IOU])
def test_evaluate_discs(xp, score):
    # The first detection overlaps its target, the second none, the third lies in a disc of twice its radius.
    targets = {"boxes": array(xp, [[0, 0, 1], [9, 9, 2]]), "labels": xp.asarray([0, 0])}
    detections = {"boxes": array(xp, [[0.1, 0, 1], [30, 9, 1], [9, 9, 1]]), "scores": array(xp, [0.9, 0.8, 0.7])}
    result = detection.evaluate([targets], [detections | {"labels": xp.asarray([0, 0, 0])}], kind=DISCS, score=score)
    inside = score == "iof"  # the smaller disc lies inside its target
    assert result.summary["AP50"] == pytest.approx((51 + 50 * 2 / 3) / 101 if inside else 51 / 101)
    overlap = 2 * math.acos(0.05) - 0.05 * math.sqrt(3.99)
    first = overlap / math.pi if inside else overlap / (2 * math.pi - overlap)
    assert [float(x) for x in result.matches.overlaps[0, :]] == pytest.approx([first, 0, float(inside)], rel=1e-5)


def test_evaluate_discs_with_invalid_shape_score_or_format_raises():
    rows = detection.Targets([[0, 0, 1, 1]], [0], [0]), detection.Detections([[0, 0, 1, 1]], [0.5], [0], [0])
    with pytest.raises(ValueError, match=r"`targets.boxes` must have shape \(N, 3\), got \(1, 4\)"):
        detection.evaluate(*rows, kind=DISCS)
    with pytest.raises(TypeError, match="score 'giou' needs the term 'hull', which discs do not have"):
        detection.evaluate(*rows, kind=DISCS, score="giou")
    with pytest.raises(ValueError, match="`format` must be one of 'xyr', got 'xyxy'"):
        detection.evaluate(*rows, kind=DISCS, format="xyxy")


@pytest.mark.computes("detection looks at values")
def test_evaluate_rectangles(xp):
    # Turned by a quarter and with its sides exchanged, the first is its target; the second crosses its own.
    targets = {"boxes": array(xp, [[5, 5, 8, 2, 0.4], [50, 50, 9, 3, 1.0]]), "labels": xp.asarray([0, 0])}
    detections = array(xp, [[5, 5, 2, 8, 0.4 + math.pi / 2], [50, 50, 9, 3, 1.0 + math.pi / 2]])
    detections = {"boxes": detections, "scores": array(xp, [0.9, 0.8]), "labels": xp.asarray([0, 0])}
    result = detection.evaluate([targets], [detections], kind=rotated.GEOMETRY)
    assert result.summary["AP50"] == pytest.approx(51 / 101)
    corners = [{**x, "boxes": rotated.convert(x["boxes"], "cxcywhr", "xyxyxyxy")} for x in (targets, detections)]
    again = detection.evaluate(corners[:1], corners[1:], kind=rotated.GEOMETRY, format="xyxyxyxy", score="giou")
    assert again.summary["AP50"] == pytest.approx(51 / 101)
    flat = detection.evaluate(corners[:1], corners[1:], kind=polygons.GEOMETRY)
    assert flat.summary["AP50"] == pytest.approx(51 / 101)
