"""Detections without scores: one operating point."""

import dataclasses
import math

import numpy as np
import pytest

from omniou import detection
from omniou.detection import Detections, Targets

# A, B and D overlap such that D takes either of two objects, and E only one of them.
A, B, D, E = [1, 0, 5, 2], [2, 0, 6, 2], [1.5, 0, 5.5, 2], [0, 0, 4, 2]


def iou(a, b):
    width, height = (max(0.0, min(a[k + 2], b[k + 2]) - max(a[k], b[k])) for k in (0, 1))
    areas = [(x[2] - x[0]) * (x[3] - x[1]) for x in (a, b)]
    union = sum(areas) - width * height
    return width * height / union if union else 0.0


def pairs_of(targets, found, threshold):
    """Rows that match in one group: the detection of highest overlap chooses first; of ties the last of the content."""
    targets, found = sorted(targets), sorted(found)
    order = sorted(range(len(found)), key=lambda k: -max((iou(found[k], t) for t in targets), default=0.0))
    free, out = set(range(len(targets))), []
    for k in order:
        best = max(free, key=lambda j: (iou(found[k], targets[j]), j), default=None)
        if best is not None and iou(found[k], targets[best]) >= threshold:
            free.remove(best)
            out.append((found[k], targets[best]))
    return out


def a_set(seed):
    rng = np.random.default_rng(seed)

    def table(count):
        corners, sides = rng.integers(0, 40, (count, 2)), rng.integers(20, 30, (count, 2))
        # Areas differ, so that the order of the content is that of the corners.
        shapes = np.concatenate([corners, corners + sides], axis=1) + rng.random((count, 4))
        return shapes, rng.integers(0, 2, count), rng.integers(0, 3, count)

    return table(rng.integers(1, 12)), table(rng.integers(0, 12))


@pytest.mark.parametrize("seed", range(25))
def test_one_point_equals_brute_force(seed):
    targets, found = a_set(seed)
    result = detection.evaluate(
        Targets(*targets), Detections(found[0], None, *found[1:]), missing_scores=True, classes=[0, 1], images=[0, 1, 2]
    )
    matched = {
        (label, image): pairs_of(
            *(x[(labels == label) & (at == image)].tolist() for x, labels, at in (targets, found)), 0.5
        )
        for label in (0, 1)
        for image in (0, 1, 2)
    }
    point = result.one_point()
    every = [pair for some in matched.values() for pair in some]
    hits, count, objects = len(every), len(found[0]), len(targets[0])
    assert point.summary["true_positives"] == hits
    assert point.summary["precision"] == pytest.approx(hits / count if count else math.nan, nan_ok=True)
    assert point.summary["recall"] == point.summary["Acc50"] == result.summary["recall"] == hits / objects
    assert point.summary["F1"] == result.summary["F1"] == pytest.approx(2 * hits / (count + objects))
    overlaps = [iou(a, b) for a, b in every]
    assert point.summary["mean_iou"] == pytest.approx(sum(overlaps) / hits if hits else math.nan, nan_ok=True)
    inside = [all(b[k] <= (a[k] + a[k + 2]) / 2 <= b[k + 2] for k in (0, 1)) for a, b in every]
    assert point.summary["centre_inside"] == sum(inside) / objects
    for label in (0, 1):
        in_class = sum(len(pairs) for (known, _), pairs in matched.items() if known == label)
        assert point.per_class["true_positives"][label] == in_class
        precision, recall = result.per_class["precision"][label], result.per_class["recall"][label]
        if not math.isnan(recall):
            reached = sum(k / 100 <= recall + 1e-9 for k in range(101)) if in_class else 0
            assert result.per_class["AP50"][label] == pytest.approx(reached / 101 * np.nan_to_num(precision))
    for image in (0, 1, 2):
        in_image = sum(len(pairs) for (_, known), pairs in matched.items() if known == image)
        assert point.per_image["true_positives"][image] == in_image


@pytest.mark.parametrize("seed", range(4))
def test_order_of_rows_has_no_effect(seed):
    rng = np.random.default_rng(seed)
    targets, found = (
        [np.asarray([*ties, *x]) for ties, x in zip(extra, side, strict=True)]
        for extra, side in zip([([A, B], [0, 0], [0, 0]), ([D, E], [0, 0], [0, 0])], a_set(seed), strict=True)
    )

    def numbers():
        of_targets, of_found = rng.permutation(len(targets[0])), rng.permutation(len(found[0]))
        boxes, labels, images = (x[of_found] for x in found)
        result = detection.evaluate(
            Targets(*(x[of_targets] for x in targets)), Detections(boxes, None, labels, images), missing_scores=True
        )
        point = result.one_point()
        of_rows = [{name: x.tolist() for name, x in table.items()} for table in (point.per_class, point.per_image)]
        return repr((result.summary, point.summary, of_rows))

    assert len({numbers() for _ in range(6)}) == 1


def test_shuffled_objects_of_equal_overlap_do_not_change_ap_of_the_invariant_policy():
    rules = dataclasses.replace(detection.COCO, tie_policy="invariant")
    found = [{"boxes": [D, E], "labels": [1, 1], "scores": [0.9, 0.9]}]
    numbers = [
        detection.evaluate([{"boxes": truth, "labels": [1, 1]}], found, protocol=rules).summary["AP50"]
        for truth in ([A, B], [B, A])
    ]
    assert numbers == [1.0, 1.0]


def test_false_positives_of_classes_without_objects_count():
    truth = [{"boxes": [[0, 0, 10, 10], [20, 20, 30, 30]], "labels": [1, 2]}]
    found = [{"boxes": [[0, 0, 10, 8], [50, 50, 60, 60]], "labels": [1, 3]}]
    result = detection.evaluate(truth, found, missing_scores=True)
    assert list(result.summary)[:3] == ["F1", "precision", "recall"]
    assert [result.summary[name] for name in ("F1", "precision", "recall")] == [0.5, 0.5, 0.5]
    point = result.one_point()
    assert point.per_class["precision"].tolist()[0] == 1.0
    assert point.per_class["precision"].tolist()[2] == 0.0
    assert point.summary["mean_iou"] == 0.8
    assert result.one_point(0.95).summary["recall"] == 0.0
    assert str(point) == "OnePoint: F1 0.500, precision 0.500, recall 0.500, mean_iou 0.800 at IoU 0.50"
    assert "scores-equal" not in [x.code for x in result.findings]


def test_centre_on_the_edge_is_inside_and_other_shapes_have_none():
    truth, found = [[0, 0, 10, 10]], [[0, 0, 20, 10]]
    tables = Targets(truth, [0], [0]), Detections(found, None, [0], [0])
    assert detection.evaluate(*tables, missing_scores=True).one_point().summary["centre_inside"] == 1.0
    rotated = [[[5.0, 5, 10, 10, 0.5]]] * 2
    tables = Targets(rotated[0], [0], [0]), Detections(rotated[1], None, [0], [0])
    point = detection.evaluate(*tables, kind="rotated", missing_scores=True).one_point()
    assert point.summary["recall"] == 1.0
    assert math.isnan(point.summary["centre_inside"])


def test_evaluator_and_states_keep_the_rule():
    truth, found = [{"boxes": [[0, 0, 9, 9]], "labels": [1]}], [{"boxes": [[0, 0, 9, 9]], "labels": [1]}]
    evaluators = [detection.Evaluator(missing_scores=True, keep_boxes=True) for _ in range(2)]
    for evaluator in evaluators:
        evaluator.update(truth, found)
    evaluators[0].merge(evaluators[1])
    result = evaluators[0].compute()
    assert result.summary["F1"] == 1.0
    assert result.one_point().per_image["recall"].tolist() == [1.0, 1.0]
    scored = detection.Evaluator(evaluators[0].protocol, missing_scores=False)
    with pytest.raises(ValueError, match=r"`detections.scores` must be None with `missing_scores`"):
        scored.update(truth, [found[0] | {"scores": [0.5]}])
    assert math.isnan(detection.Evaluator(missing_scores=True).compute().summary["F1"])


@pytest.mark.parametrize(
    ("scores", "missing", "error"),
    [
        (
            [None, None],
            False,
            r"`detections\[0\]` must have the key 'scores'.*`missing_scores=True` evaluates detections",
        ),
        ([[0.5], [0.5]], True, r"`detections.scores` must be None with `missing_scores`: remove one of both"),
        ([[0.5], None], True, r"`detections\[1\]` must have the key 'scores', as others have"),
    ],
)
def test_scores_that_are_missing_or_not_are_refused(scores, missing, error):
    truth = [{"boxes": [[0, 0, 9, 9]], "labels": [1]}] * 2
    found = [x | ({} if score is None else {"scores": score}) for x, score in zip(truth, scores, strict=True)]
    with pytest.raises(ValueError, match=error):
        detection.evaluate(truth, found, missing_scores=missing)


def test_column_of_scores_that_is_missing_names_the_option():
    with pytest.raises(
        TypeError, match=r"`detections.scores` must be given, got None: `missing_scores=True` evaluates"
    ):
        detection.evaluate(Targets([[0, 0, 1, 1]], [0], [0]), Detections([[0, 0, 1, 1]], None, [0], [0]))


def test_protocol_without_scores_has_no_order():
    with pytest.raises(
        ValueError, match=r"`missing_scores` needs the tie policy 'invariant' and no limit of detections"
    ):
        dataclasses.replace(detection.COCO, missing_scores=True)


def test_records_and_pages_have_no_scores():
    pytest.importorskip("msgspec", reason="the extra cli is not installed")
    pytest.importorskip("jinja2", reason="the extra cli is not installed")
    from omniou import report

    found = Detections([[9, 9, 12, 12]], None, [1], [0])
    result = detection.evaluate(Targets([A], [1], [0]), found, missing_scores=True)
    record = report.record(result, analyses=["worst_images", "confusion"])
    assert [x[1] for x in record.analyses["worst_images"]["images"][0]["shapes"]["false"]] == [None]
    assert record.analyses["confusion"]["score"] is None
    assert "1 missed (IoU ≥ 0.50)" in str(result.confusion())
    assert "1 1.00" not in report.html(record)


@pytest.mark.parametrize(
    "name", ["calibration", "empty_images", "froc", "miss_rate", "operating_points", "proposals", "top_k"]
)
def test_analyses_that_need_scores_name_it(name):
    result = detection.evaluate(Targets([A], [1], [0]), Detections([B], None, [1], [0]), missing_scores=True)
    with pytest.raises(ValueError, match=rf"`{name}` needs the scores of detections: `one_point\(\)` evaluates"):
        getattr(result, name)()
