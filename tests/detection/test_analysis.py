"""Matches, LRP, confusion, errors and calibration of one image worked out by hand; on every array library."""

import dataclasses
import math

import numpy as np
import pytest

from omniou import detection
from omniou.detection import COCO, Detections, Evaluator, Targets
from tests.detection.test_evaluate import close
from tests.helpers import array, numbers

pytestmark = pytest.mark.computes("values decide the shapes of an evaluation")

TRUTH = {
    "boxes": [[0, 0, 10, 10], [20, 0, 30, 10], [40, 0, 50, 10]],
    "labels": [1, 1, 2],
    "images": [7, 7, 7],
}
DETECTIONS = {
    "boxes": [
        [0, 0, 10, 10],  # matches the first object
        [0, 0, 10, 9],  # duplicate of the first object
        [40, 0, 50, 10],  # on the third object, of another class
        [20, 0, 30, 4],  # IoU 0.4 with the second object
        [60, 60, 70, 70],  # background
        [40, 0, 50, 6],  # matches the third object: IoU 0.6
        [0, 0, 10, 4],  # IoU 0.4 with the first object, of another class
    ],
    "scores": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3],
    "labels": [1, 1, 1, 1, 2, 2, 2],
    "images": [7] * 7,
}
# Two IoU thresholds: at 0.75 only the first detection hits.
RULES = dataclasses.replace(COCO, iou_thresholds=(0.5, 0.75))


def assert_same(actual, expected):
    np.testing.assert_allclose(numbers(actual), expected, rtol=0, atol=1e-12)


def table(xp, kind, columns):
    floats = {"boxes", "scores", "area"}
    return kind(**{k: xp.asarray(v, dtype=xp.float64 if k in floats else xp.int64) for k, v in columns.items()})


def scene(xp, **options):
    given = table(xp, Targets, TRUTH), table(xp, Detections, DETECTIONS)
    return detection.evaluate(*given, **{"protocol": RULES} | options)


def test_matches_by_hand(xp):
    matches = scene(xp).matches
    assert matches.thresholds == (0.5, 0.75)
    assert numbers(matches.objects).tolist() == [[0, -1, -1, -1, -1, 2, -1], [0, -1, -1, -1, -1, -1, -1]]
    assert numbers(matches.overlaps).tolist() == [[1, 0, 0, 0, 0, 0.6, 0], [1, 0, 0, 0, 0, 0, 0]]
    assert numbers(matches.detections).tolist() == [[0, -1, 5], [0, -1, -1]]
    assert numbers(matches.counts).all()
    assert numbers(matches.target_counts).all()
    assert numbers(matches.hits).sum(axis=1).tolist() == [2, 1]
    assert numbers(matches.false_alarms).sum(axis=1).tolist() == [5, 6]
    assert numbers(matches.misses).tolist() == [[0, 1, 0], [0, 1, 1]]
    assert type(matches.objects) is type(matches.scores) is type(xp.zeros(1))


def test_mean_iou_by_hand(xp):
    assert_same(scene(xp).mean_iou, [[1, 0.6], [1, math.nan]])


def test_lrp_by_hand(xp):
    lrp = scene(xp).lrp()
    # Class 1, first detection alone: no localisation error, no false positive, one of two objects missed.
    # Class 2, all detections down to the hit, whose 1 - IoU is 0.4 of 0.5: (0.8 + 1) / 2.
    assert_same(lrp.optimal, [[0.5, 0.9], [0.5, 1]])
    assert_same(lrp.all, [[(3 + 1) / 5, (0.8 + 2) / 3], [(3 + 1) / 5, 1]])
    assert_same(lrp.score, [[0.9, 0.4], [0.9, math.nan]])
    assert_same(lrp.localisation, [[0, 0.4], [0, math.nan]])
    assert_same(lrp.false_positives, [[0, 0.5], [0, math.nan]])
    assert_same(lrp.false_negatives, [[0.5, 0], [0.5, 1]])
    assert lrp.summary == {
        "oLRP": close(0.7),
        "oLRP_localisation": close(0.2),
        "oLRP_false_positives": close(0.25),
        "oLRP_false_negatives": close(0.25),
    }


def test_lrp_of_high_thresholds_by_hand(xp):
    boxes = {"labels": [1, 2], "images": [7, 7]}
    truth = {"boxes": [[0, 0, 10, 10], [20, 0, 30, 10]]} | boxes
    predicted = {"boxes": [[0, 0, 10, 9.6], [20, 0, 30, 10]], "scores": [0.9, 0.8]} | boxes
    given = table(xp, Targets, truth), table(xp, Detections, predicted)
    rules = dataclasses.replace(COCO, iou_thresholds=(0.875, 0.9, 0.95, 1.0))
    lrp = detection.evaluate(*given, protocol=rules).lrp()
    # One hit of one object: 1 - IoU, 0.04, over 1 - threshold. At 1 only the second class has a hit, without an error.
    assert_same(lrp.all, [[0.32, 0], [0.4, 0], [0.8, 0], [1, 0]])
    assert_same(lrp.optimal, [[0.32, 0], [0.4, 0], [0.8, 0], [1, 0]])
    assert_same(lrp.localisation, [[0.04, 0], [0.04, 0], [0.04, 0], [math.nan, 0]])


def test_confusion_by_hand(xp):
    confusion = scene(xp).confusion(0.25)
    assert numbers(confusion.classes).tolist() == [1, 2]
    # Pairs of equal class are matched first: the third object to the sixth detection, not to the third.
    assert numbers(confusion.counts).tolist() == [[1, 0, 1], [0, 1, 0], [3, 2, 0]]
    # From 0.4 on, F1 of the classes is 2 / 6 and 2 / 3: no score has a higher mean.
    unasked = scene(xp).confusion()
    assert unasked.score == scene(xp).least_score() == close(0.4)
    assert numbers(unasked.counts).tolist() == [[1, 0, 1], [0, 1, 0], [3, 1, 0]]
    assert numbers(scene(xp).confusion(0.45).counts).tolist() == [[1, 0, 1], [1, 0, 0], [2, 1, 0]]
    assert numbers(scene(xp).confusion(0.95).counts).tolist() == [[0, 0, 2], [0, 0, 1], [0, 0, 0]]
    assert numbers(scene(xp).confusion(0, 0.75).counts).tolist() == [[1, 0, 1], [1, 0, 0], [2, 3, 0]]


def test_errors_by_hand(xp):
    errors = scene(xp).errors()
    ap = (51 / 101 + 1 / 2) / 2
    assert errors.ap == close(ap)
    assert errors.counts == {
        "classification": 1,
        "localisation": 1,
        "both": 1,
        "duplicate": 1,
        "background": 1,
        "missed": 0,
    }
    assert numbers(errors.kinds).tolist() == [-1, 3, 0, 1, 4, -1, 2]
    assert numbers(errors.objects).tolist() == [-1, 0, 2, 1, -1, -1, -1]
    assert not numbers(errors.missed).any()
    assert errors.cost == {
        "classification": close(0),  # is removed, and ranked below the hit
        "localisation": close(50 / 2 / 101 / 2),  # becomes a hit on the second object at a precision of 1 / 2
        "both": close(0),
        "duplicate": close(0),
        "background": close(1 / 4),  # ranked above the only hit of its class
        "missed": close(0),
        "false_positives": close(1 / 4),
        "false_negatives": close((1 - 51 / 101) / 2),  # the second object is no longer counted
    }


def test_operating_points_by_hand(xp):
    points = scene(xp).operating_points(scores=[0.1, 0.45, 0.85, 0.95])
    assert_same(points.precision, [[1 / 4, 1 / 4, 1, math.nan], [1 / 3, 0, math.nan, math.nan]])
    assert_same(points.recall, [[1 / 2, 1 / 2, 1 / 2, 0], [1, 0, 0, 0]])
    assert_same(points.f1, [[2 / 6, 2 / 6, 2 / 3, 0], [2 / 4, 0, 0, 0]])
    assert_same(points.best_f1, [2 / 3, 2 / 3])
    assert_same(points.best_score, [0.9, 0.4])
    assert (points.common_f1, points.common_score) == (close((2 / 6 + 2 / 4) / 2), 0.1)
    assert_same(scene(xp).operating_points(0.75).best_f1, [2 / 3, math.nan])


def test_operating_points_of_equal_scores(xp):
    equal = table(xp, Detections, DETECTIONS | {"scores": [0.5] * 7})
    points = detection.evaluate(table(xp, Targets, TRUTH), equal, protocol=RULES).operating_points(scores=[0.5])
    assert_same(points.f1, [[2 / 6], [2 / 4]])
    assert_same(points.best_f1, [2 / 6, 2 / 4])


@pytest.mark.parametrize("scores", [[90, 80, 70, 60, 50, 40, 30], [3, 2.5, 0.5, 0.25, -1, -2, -8]])
def test_operating_points_of_percents_and_logits(xp, scores):
    given = table(xp, Detections, DETECTIONS | {"scores": scores})
    result = detection.evaluate(table(xp, Targets, TRUTH), given, protocol=RULES)
    points = result.operating_points()
    # The scores are the thresholds: with all down to the sixth F1 is 2 / 6 and 2 / 4, as of probabilities.
    assert_same(points.scores, sorted(scores))
    assert_same(points.best_f1, [2 / 3, 2 / 3])
    assert_same(points.best_score, [scores[0], scores[5]])
    assert (points.common_f1, points.common_score) == (close((2 / 6 + 2 / 3) / 2), scores[5])
    assert result.least_score() == scores[5]
    assert numbers(result.confusion().counts).tolist() == [[1, 0, 1], [0, 1, 0], [3, 1, 0]]
    assert numbers(result.confusion(scores[4]).counts).tolist() == [[1, 0, 1], [1, 0, 0], [2, 1, 0]]


def test_operating_points_of_many_logits(xp):
    rows = [(k - 100.0, k % 2 == 0, 1) for k in range(201)]
    points = certain(xp, rows).operating_points()
    assert numbers(points.scores).tolist() == [2.0 * k - 100 for k in range(101)]


def test_confusion_of_score_on_another_scale_raises(xp):
    percents = certain(xp, [(90.0, True, 1), (10.0, False, 1)])
    with pytest.raises(ValueError, match="if they are percents, give 25; for all detections, give 0"):
        percents.confusion(0.25)
    assert numbers(percents.confusion(25).counts).tolist() == [[1, 0], [0, 0]]
    assert numbers(percents.confusion(0).counts).tolist() == [[1, 0], [1, 0]]
    with pytest.raises(
        ValueError, match=r"`score` is 50, but scores go from 0.1 to 0.9: for percents, divide it by 100"
    ):
        certain(xp, [(0.9, True, 1), (0.1, False, 1)]).confusion(50)


def test_least_score_where_nothing_is_found(xp):
    assert certain(xp, [(0.9, False, 1), (0.1, False, 1)]).least_score() == 0
    assert certain(xp, [(-2.0, False, 1), (7.0, False, 1)]).least_score() == -2


def test_thresholds_on_another_scale_raise(xp):
    percents, shares = certain(xp, [(90.0, True, 1), (10.0, False, 1)]), certain(xp, [(0.9, True, 1), (0.1, False, 1)])
    for call, message in (
        (lambda: percents.operating_points(scores=[0.25, 0.5]), "if they are percents, give 50"),
        (lambda: shares.operating_points(scores=[0, 10, 20]), r"`scores` is 20, but scores go from 0.1 to 0.9"),
        (lambda: shares.calibration(score=50), r"`score` is 50, but scores go from 0.1 to 0.9"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    assert numbers(shares.operating_points(scores=[0, 0.5, 1.0000000000000002]).f1).shape == (1, 3)


def test_calibration_by_hand(xp):
    calibration = scene(xp).calibration(bins=2)
    assert numbers(calibration.counts).tolist() == [2, 5]
    assert_same(calibration.confidence, [0.35, 0.7])
    assert_same(calibration.precision, [1 / 2, 1 / 5])
    assert (calibration.error, calibration.largest) == (close((2 * 0.15 + 5 * 0.5) / 7), close(0.5))
    assert_same(calibration.per_class, [math.nan, math.nan])  # of 4 and 3 detections


def certain(xp, rows, **columns):
    """Detections as (score, hit, how many), each in an image of its own; all of class 1."""
    scores = [score for score, _, many in rows for _ in range(many)]
    hits = [hit for _, hit, many in rows for _ in range(many)]
    found = [k for k, hit in enumerate(hits) if hit]
    truth = {"boxes": [[0, 0, 10, 10]] * len(found), "labels": [1] * len(found), "images": found}
    images = list(range(len(scores)))
    given = {"boxes": [[0, 0, 10, 10]] * len(scores), "scores": scores, "labels": [1] * len(scores), "images": images}
    return detection.evaluate(table(xp, Targets, truth), table(xp, Detections, given | columns), protocol="voc2010")


def test_calibration_error_by_chance_by_hand(xp):
    # Two of score 0.5 have 0, 1 or 2 hits in 1, 2 and 1 of 4 cases: 0.5 from 1 on average, which is 0.25 for each. One
    # of score 0.9 is 0.1 or 0.9 from its hit: 0.9 * 0.1 + 0.1 * 0.9.
    calibration = certain(xp, [(0.5, True, 2), (0.9, True, 1)]).calibration(bins=4)
    assert (calibration.error, calibration.by_chance) == (close((2 * 0.5 + 0.1) / 3), close((2 * 0.25 + 0.18) / 3))
    # Scores of 0 and 1 leave nothing to chance.
    assert certain(xp, [(0.0, False, 3), (1.0, True, 2)]).calibration(bins=1).by_chance == 0


def test_calibration_of_classes_with_100_detections(xp):
    rows = [(0.75, True, 50), (0.75, False, 49)]
    assert_same(certain(xp, rows).calibration().per_class, [math.nan])
    calibration = certain(xp, [*rows, (0.75, False, 1)]).calibration()
    assert_same(calibration.per_class, [0.25])
    # Mean of |k - 75| for k of 100 with probability 3 / 4, by its definition.
    chance = sum(math.comb(100, k) * 0.75**k * 0.25 ** (100 - k) * abs(k - 75) for k in range(101)) / 100
    np.testing.assert_allclose(numbers(calibration.per_class_by_chance), [chance], rtol=1e-10)


def test_calibration_above_least_score(xp):
    # Half of 4 detections of score 0.75 are right; 96 of score 0 that are wrong make that disappear.
    result = certain(xp, [(0.75, True, 2), (0.75, False, 2), (0.0, False, 96)])
    assert result.calibration().error == close(4 * 0.25 / 100)
    above = result.calibration(score=0.01)
    assert (above.error, numbers(above.counts).sum()) == (close(0.25), 4)


def test_results_without_boxes(xp):
    result = detection.evaluate(
        table(xp, Targets, {"boxes": [], "labels": [], "images": []}),
        table(xp, Detections, {"boxes": [], "scores": [], "labels": [], "images": []}),
    )
    assert numbers(result.matches.objects).shape == (10, 0)
    assert numbers(result.mean_iou).shape == numbers(result.lrp().optimal).shape == (10, 0)
    assert math.isnan(result.lrp().summary["oLRP"])
    assert numbers(result.confusion().counts).tolist() == [[0]]
    assert set(result.errors().counts.values()) == {0}
    assert math.isnan(result.calibration().error)
    assert math.isnan(result.operating_points().common_f1)
    assert math.isnan(detection.bootstrap(result, samples=3).low)


def test_matches_of_excluded_images_and_classes(xp):
    result = scene(xp, classes=[2])
    assert numbers(result.matches.objects)[0].tolist() == [-1, -1, -1, -1, -1, 2, -1]
    assert numbers(result.matches.counts)[0].tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert numbers(result.matches.target_counts).tolist() == [0, 0, 1]
    assert numbers(result.confusion(0.25).counts).tolist() == [[1, 0], [2, 0]]
    assert result.errors().counts["background"] == 2
    nothing = scene(xp, images=[8])
    assert not numbers(nothing.matches.counts).any()
    assert not numbers(nothing.matches.target_counts).any()


def test_matches_of_crowd_and_ignored_objects(xp):
    truth = TRUTH | {"crowd": [0, 0, 1], "ignore": [1, 0, 0]}
    given = table(xp, Targets, truth), table(xp, Detections, DETECTIONS)
    matches = detection.evaluate(*given, protocol=RULES).matches
    # The third object is a crowd that covers the sixth detection; the first object is ignored.
    assert numbers(matches.objects)[0].tolist() == [0, -1, -1, -1, -1, 2, -1]
    assert numbers(matches.overlaps)[0].tolist() == [1, 0, 0, 0, 0, 1, 0]
    assert numbers(matches.counts)[0].tolist() == [0, 1, 1, 1, 1, 0, 1]
    assert numbers(matches.target_counts).tolist() == [0, 1, 0]
    assert numbers(matches.detections)[0].tolist() == [-1, -1, -1]


def test_matches_of_merged_evaluators(xp):
    def part(columns, rows, image):
        picked = {name: [x[k] for k in rows] for name, x in columns.items()}
        return picked | {"images": [image] * len(rows)}

    evaluator, other = Evaluator(RULES, keep_boxes=True), Evaluator(RULES, keep_boxes=True)
    evaluator.update(table(xp, Targets, part(TRUTH, [0, 1], 1)), table(xp, Detections, part(DETECTIONS, [0, 1, 3], 1)))
    other.update(table(xp, Targets, part(TRUTH, [2], 2)), table(xp, Detections, part(DETECTIONS, [2, 4, 5], 2)))
    evaluator.merge(other)
    result = evaluator.compute()
    # Rows of the merged parts are concatenated.
    assert numbers(result.matches.objects)[0].tolist() == [0, -1, -1, -1, -1, 2]
    assert numbers(result.errors().kinds).tolist() == [-1, 3, 1, 0, 4, -1]


def test_matches_of_dictionaries(xp):
    def image(columns):
        floats = {"boxes", "scores"}
        return {k: array(xp, v, "float64" if k in floats else "int64") for k, v in columns.items() if k != "images"}

    result = detection.evaluate([image(TRUTH)], [image(DETECTIONS)], protocol=RULES)
    assert numbers(result.matches.objects)[0].tolist() == [0, -1, -1, -1, -1, 2, -1]
    assert result.lrp().summary["oLRP"] == close(0.7)
    assert result.errors().counts["duplicate"] == 1


@pytest.mark.parametrize("kind", ["bbox", "segm", "boundary"])
def test_state_and_errors_of_empty_evaluator(kind):
    evaluator = Evaluator(kind=kind, keep_boxes=True)
    assert evaluator.state.scores.shape == (0,)
    assert set(evaluator.compute().errors().counts.values()) == {0}


def test_invalid_arguments_of_results_raise():
    import array_api_compat.numpy as xp

    result = scene(xp)
    for call, message in (
        (lambda: result.errors(0.6), r"`iou_threshold` must be one of the protocol's, \(0.5, 0.75\), got 0.6"),
        (
            lambda: result.errors(background=0),
            "`background` must be above 0 and at most the IoU threshold of 0.5, got 0",
        ),
        (lambda: result.calibration(bins=0), "`bins` must be a positive integer, got 0"),
        (lambda: result.operating_points(scores=[0.5, 0.5]), r"`scores` must be rising numbers, got \[0.5, 0.5\]"),
        (lambda: result.operating_points(scores=[]), "`scores` must be rising numbers"),
        (lambda: detection.compute([result.state]).matches, "boxes are not kept: use `evaluate`, or an Evaluator with"),
        (lambda: detection.bootstrap(result, "AP60"), "`name` must be one of 'AP', .* got 'AP60'"),
        (lambda: detection.bootstrap(result, samples=0), "`samples` must be a positive integer, got 0"),
        (lambda: detection.bootstrap(result, confidence=1), "`confidence` must be between 0 and 1, got 1"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_arguments_of_wrong_type_raise():
    evaluator = detection.Evaluator()
    result = evaluator.compute()
    for call, message in (
        (lambda: result.operating_points(scores=0.5), "`scores` must be rising numbers, got float"),
        (lambda: detection.compute(evaluator.state), "`states` must be a list of states, got State"),
        (lambda: detection.compute([evaluator.state, evaluator]), r"`states\[1\]` must be a State, .* got Evaluator"),
        (lambda: evaluator.merge(evaluator.state), "`other` must be an Evaluator, got State"),
        (lambda: detection.bootstrap(evaluator.state), "`result` must be a Result, .* got State"),
        (lambda: detection.compare_number(result, None), "`second` must be a Result, .* got NoneType"),
    ):
        with pytest.raises(TypeError, match=message):
            call()


def test_calibration_of_scores_outside_unit_interval_raises(xp):
    detections = table(xp, Detections, DETECTIONS | {"scores": [k - 3.0 for k in range(7)]})
    result = detection.evaluate(table(xp, Targets, TRUTH), detections)
    with pytest.raises(ValueError, match=r"scores must be in \[0, 1\] .* got -3.0 to 3.0"):
        result.calibration()
