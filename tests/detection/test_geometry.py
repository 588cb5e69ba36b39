"""Intervals and solids in place of boxes, and other scores in place of IoU; on every array library."""

import numpy as np
import pytest

from omniou import boxes, detection
from omniou.detection import Detections, Evaluator, Targets
from tests.detection.tables import tied
from tests.detection.test_evaluate import close

pytestmark = pytest.mark.computes("values decide the shapes of an evaluation")


def evaluated(xp, truth, found, **options):
    def column(x, dtype="float64"):
        return xp.asarray(x, dtype=getattr(xp, dtype))

    ones = column([1], "int64")
    return detection.evaluate(
        Targets(column([truth]), ones, ones), Detections(column([found]), column([0.5]), ones, ones), **options
    ).summary["AP"]


@pytest.mark.parametrize(("dimensions", "thresholds"), [(1, 6), (2, 2), (3, 0)])
def test_dimensions(xp, dimensions, thresholds):
    # Sides of 3 in sides of 4: 0.75, 0.5625 and 0.42 are at least as much as so many of the thresholds from 0.5 on.
    truth, found = [0] * dimensions + [4] * dimensions, [0] * dimensions + [3] * dimensions
    assert evaluated(xp, truth, found) == close(thresholds / 10)
    assert evaluated(xp, truth, found, format="xywh") == close(thresholds / 10)


def test_scores(xp):
    # The upper 6 of 10: IoU 0.6, Dice 0.75; the centres are 2 apart, of a diagonal of 10 * sqrt(2): 0.6 - 4 / 200.
    truth, found = [0, 0, 10, 10], [0, 0, 10, 6]
    assert evaluated(xp, truth, found) == close(0.3)
    assert evaluated(xp, truth, found, score=boxes.dice) == close(0.6)
    assert evaluated(xp, truth, found, score=boxes.diou) == close(0.2)
    assert evaluated(xp, truth, found, score=boxes.giou) == close(0.3)


def test_formats_of_one_number_of_dimensions(xp):
    assert evaluated(xp, [0, 4], [0, 3], format="xx") == close(0.6)
    assert evaluated(xp, [2, 4], [1.5, 3], format="cxw") == close(0.6)
    assert evaluated(xp, [0, 0, 0, 4, 4, 4], [0, 0, 0, 4, 4, 2], format="xyzwhd") == close(0.1)


def test_nothing_has_any_number_of_dimensions():
    evaluator = Evaluator()
    evaluator.update(Targets([], [], []), Detections([], [], [], []), images=[7])
    evaluator.update(Targets([[0, 4]], [1], [0]), Detections([[0, 3]], [0.5], [1], [0]))
    evaluator.update(Targets([], [], []), Detections([[0, 3]], [0.5], [1], [1]))
    assert evaluator.compute().summary["AP"] == close(0.6)


def test_a_score_leaves_crowds_alone():
    targets, detections = tied(0)
    usual = detection.evaluate(targets, detections)
    again = detection.evaluate(targets, detections, score=boxes.iou)
    np.testing.assert_allclose(again.precision, usual.precision, atol=1e-12)
    assert (again.state.kind, usual.state.kind) == ("bbox: iou", "bbox")


def test_states_of_two_kinds():
    targets, detections = tied(0)
    states = [
        detection.evaluate(targets, detections, images=[k], score=score).state
        for k, score in enumerate([None, boxes.giou])
    ]
    with pytest.raises(ValueError, match="states must be of one kind, got 'bbox', 'bbox: giou'"):
        detection.compute(states)


@pytest.mark.parametrize(
    ("boxes_", "options", "error", "message"),
    [
        ([[0, 3]], {}, ValueError, r"`detections.boxes` must have shape \(N, 4\), got \(1, 2\)"),
        ([[0, 3, 4]], {}, ValueError, r"`detections.boxes` must have shape \(N, 4\), got \(1, 3\)"),
        ([[0, 0, 3, 3]], {"score": 3}, TypeError, "`score` must be a function of two arrays of boxes, .* 3"),
        (
            [[0, 0, 3, 3]],
            {"score": boxes.iou, "kind": "segm"},
            ValueError,
            "`kind` must then be .*, got 'segm'",
        ),
    ],
)
def test_bad(boxes_, options, error, message):
    with pytest.raises(error, match=message):
        detection.evaluate(Targets([[0, 0, 4, 4]], [1], [0]), Detections(boxes_, [0.5], [1], [0]), **options)
