"""Evaluation of intervals and cuboids, and with other scores than IoU; on every array library."""

import numpy as np
import pytest

from omniou import boxes, detection
from omniou.detection import Detections, Evaluator, Targets
from tests.detection.tables import tied
from tests.detection.test_evaluate import close

pytestmark = pytest.mark.computes("values decide the shapes of an evaluation")


def evaluated(xp, truth, pred, **options):
    def column(x, dtype="float64"):
        return xp.asarray(x, dtype=getattr(xp, dtype))

    ones = column([1], "int64")
    return detection.evaluate(
        Targets(column([truth]), ones, ones), Detections(column([pred]), column([0.5]), ones, ones), **options
    ).summary["AP"]


@pytest.mark.parametrize(("dimensions", "thresholds"), [(1, 6), (2, 2), (3, 0)])
def test_evaluate_in_one_two_and_three_dimensions(xp, dimensions, thresholds):
    # Sides of 3 in sides of 4: an IoU of 0.75, 0.5625 and 0.42 reaches 6, 2 and 0 of the ten thresholds.
    truth, pred = [0] * dimensions + [4] * dimensions, [0] * dimensions + [3] * dimensions
    assert evaluated(xp, truth, pred) == close(thresholds / 10)
    assert evaluated(xp, truth, pred, format="xywh") == close(thresholds / 10)


def test_evaluate_with_other_scores(xp):
    # The upper 6 of 10: IoU 0.6, Dice 0.75; the centres are 2 apart, of a diagonal of 10 * sqrt(2): 0.6 - 4 / 200.
    truth, pred = [0, 0, 10, 10], [0, 0, 10, 6]
    assert evaluated(xp, truth, pred) == close(0.3)
    assert evaluated(xp, truth, pred, score=boxes.dice) == close(0.6)
    assert evaluated(xp, truth, pred, score=boxes.diou) == close(0.2)
    assert evaluated(xp, truth, pred, score=boxes.giou) == close(0.3)


def test_evaluate_in_formats_of_intervals_and_cuboids(xp):
    assert evaluated(xp, [0, 4], [0, 3], format="xx") == close(0.6)
    assert evaluated(xp, [2, 4], [1.5, 3], format="cxw") == close(0.6)
    assert evaluated(xp, [0, 0, 0, 4, 4, 4], [0, 0, 0, 4, 4, 2], format="xyzwhd") == close(0.1)


def test_update_without_boxes_fits_any_dimension():
    evaluator = Evaluator()
    evaluator.update(Targets([], [], []), Detections([], [], [], []), images=[7])
    evaluator.update(Targets([[0, 4]], [1], [0]), Detections([[0, 3]], [0.5], [1], [0]))
    evaluator.update(Targets([], [], []), Detections([[0, 3]], [0.5], [1], [1]))
    assert evaluator.compute().summary["AP"] == close(0.6)


def test_score_function_keeps_overlap_of_crowds():
    targets, detections = tied(0)
    usual = detection.evaluate(targets, detections)
    again = detection.evaluate(targets, detections, score=boxes.iou)
    np.testing.assert_allclose(again.precision, usual.precision, atol=1e-12)
    assert (again.state.kind, usual.state.kind) == ("bbox: iou", "bbox")


def test_compute_of_states_of_two_kinds_raises():
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
def test_invalid_boxes_and_score_raise(boxes_, options, error, message):
    with pytest.raises(error, match=message):
        detection.evaluate(Targets([[0, 0, 4, 4]], [1], [0]), Detections(boxes_, [0.5], [1], [0]), **options)
