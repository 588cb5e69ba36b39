"""Which images have most errors, what is drawn of them, and which labels may be wrong."""

import dataclasses

import numpy as np
import pytest

from omniou import detection, report, rle
from omniou.keypoints import Skeleton
from omniou.report._charts.svg import outline as outline_path
from omniou.report._charts.svg import skeleton as skeleton_path
from omniou.report._record import images, series
from omniou.report._record import label_errors as labels

# Image 5: one object found, one missed, one detection too many. Image 7: all right. Image 9: two objects, one of which
# is called something else, and a crowd.
TARGETS = detection.Targets(
    boxes=[[0, 0, 20, 20], [50, 0, 90, 20], [0, 0, 20, 20], [0, 0, 20, 20], [40, 40, 60, 60], [0, 100, 99, 199]],
    labels=[1, 1, 1, 1, 2, 1],
    images=[5, 5, 7, 9, 9, 9],
    crowd=[False, False, False, False, False, True],
)
DETECTIONS = detection.Detections(
    boxes=[
        [0, 0, 20, 20],
        [200, 200, 220, 220],
        [0, 0, 20, 20],
        [0, 0, 20, 20],
        [40, 40, 60, 60],
        [10, 110, 30, 130],
        [300, 300, 310, 310],
    ],
    scores=[0.9, 0.8, 0.7, 0.95, 0.6, 0.5, 0.05],
    labels=[1, 1, 1, 1, 1, 1, 1],
    images=[5, 5, 7, 9, 9, 9, 9],
)
NAMES = {5: "five.jpg", 7: "seven.jpg"}


@pytest.fixture
def result():
    return detection.evaluate(TARGETS, DETECTIONS)


def test_worst_images_are_those_with_most_errors(result):
    data = images.worst(result, names=NAMES, sizes={5: (300.0, 400.0), 9: (float("nan"), 400.0)})
    assert (data["iou_threshold"], data["with_errors"]) == (0.5, 2)
    # The mean F1 is best where the detection of 0.05 is not shown, and the true ones are.
    assert 0.05 < data["score"] <= 0.7
    five, nine = data["images"]
    assert (five["id"], five["name"], five["size"]) == (5, "five.jpg", [300.0, 400.0])
    assert (nine["id"], nine["name"], nine["size"]) == (9, "9", None)
    counts = ("missed", "false_positives", "true_positives")
    assert [five[name] for name in counts] == [1, 1, 1]
    assert [nine[name] for name in counts] == [1, int(data["score"] <= 0.6), 1]


def test_classes_are_found_once_for_all_images(monkeypatch, result):
    calls, search = [], np.searchsorted
    monkeypatch.setattr(np, "searchsorted", lambda *args: calls.append(args) or search(*args))
    numbers = []
    for most in (1, 2):
        calls.clear()
        assert len(images.worst(result, names={}, sizes={}, most=most)["images"]) == most
        numbers.append(len(calls))
    assert numbers[0] == numbers[1]


def test_worst_images_shapes_by_outcome(result):
    (five, _) = images.worst(result, names={}, sizes={})["images"]
    assert five["shapes"] == {
        "found": [[0, None, [0, 0, 20, 20]]],
        "missed": [[0, None, [50, 0, 90, 20]]],
        "hit": [[0, 0.9, [0, 0, 20, 20]]],
        "false": [[0, 0.8, [200, 200, 220, 220]]],
    }
    assert five["more"] == 0


def test_errors_are_drawn_first_and_counted_in_full(result, monkeypatch):
    monkeypatch.setattr(images, "MOST_SHAPES", 3)
    (five,) = images.worst(result, names={}, sizes={}, most=1)["images"]
    assert {name: len(rows) for name, rows in five["shapes"].items()} == {"missed": 1, "false": 1, "hit": 1}
    assert five["more"] == 1
    monkeypatch.setattr(images, "MOST_SHAPES", 0)
    (five,) = images.worst(result, names={}, sizes={}, most=1)["images"]
    assert (five["shapes"], five["more"]) == ({}, 4)
    assert (five["missed"], five["false_positives"], five["missed_classes"]) == (1, 1, [[0, 1]])


def test_masks_are_drawn_as_outlines_of_all_their_parts():
    masks = np.zeros((1, 40, 60), dtype=bool)
    masks[0, 5:15, 10:30], masks[0, 20:30, 40:50] = True, True
    masks[0, 8:10, 15:20] = False
    targets = detection.Targets(None, [1], [0], masks=rle.Masks.from_dense(masks))
    found = detection.Detections(None, [], [], [], masks=rle.Masks.from_coco([]))
    data = images.worst(detection.evaluate(targets, found, kind="segm"), names={}, sizes={})
    ((_, _, points),) = data["images"][0]["shapes"]["missed"]
    parts = " ".join("|" if x is None else f"{x:g}" for x in points).split(" | | ")
    assert parts == ["10 5 30 5 30 15 10 15", "40 20 50 20 50 30 40 30", "15 10 20 10 20 8 15 8"]
    assert outline_path(points) == "M10 5l20 0 0 10-20 0zM40 20l10 0 0 10-10 0zM15 10l5 0 0-2-5 0z"


def test_object_found_below_the_threshold_of_scores_is_missed():
    # The second object is found by a detection that false ones of a higher score come before.
    targets = detection.Targets(boxes=[[0, 0, 9, 9], [20, 0, 29, 9]], labels=[1, 1], images=[0, 0])
    false = [[x, 50, x + 5, 55] for x in range(0, 60, 10)]
    found = detection.Detections(
        boxes=[[0, 0, 9, 9], *false, [20, 0, 29, 9]], scores=[0.9, *[0.5] * 6, 0.1], labels=[1] * 8, images=[0] * 8
    )
    data = images.worst(detection.evaluate(targets, found), names={}, sizes={})
    assert data["score"] > 0.5
    (only,) = data["images"]
    assert (only["missed"], only["false_positives"], only["true_positives"]) == (1, 0, 1)


def test_label_errors(result):
    data = labels.label_errors(result, names=NAMES, sizes={5: (300.0, 400.0)}, score=0.5)
    assert data["counts"] == {"unmatched": 1, "other_class": 1, "unfound": 1}
    (alone,) = data["unmatched"]
    assert alone == {
        "image": 5,
        "name": "five.jpg",
        "size": [300.0, 400.0],
        "class": 0,
        "score": pytest.approx(0.8),
        "points": [200, 200, 220, 220],
        "near": {},
    }
    (other,) = data["other_class"]
    assert (other["class"], other["labelled"], other["labelled_points"]) == (0, 1, [40, 40, 60, 60])
    (unfound,) = data["unfound"]
    assert (unfound["image"], unfound["points"]) == (5, [50, 0, 90, 20])
    # The last detection meets nothing, but nobody would trust it.
    every = labels.label_errors(result, names={}, score=0.01)["unmatched"]
    assert [x["score"] for x in every] == pytest.approx([0.8, 0.05])
    assert labels.label_errors(result, names={}, most=0)["unmatched"] == []


def test_worst_images_know_the_reason_of_each_error(result):
    five, nine = images.worst(result, names={}, sizes={})["images"]
    assert five["reasons"] == {"missed": ["missed"], "false": [["background", None]]}
    # The object of class 2, at place 1, was called 1.
    assert nine["reasons"]["missed"] == ["classification"]
    assert nine["reasons"]["false"] in ([["classification", 1]], [])


def test_object_whose_detection_scores_too_little_is_below():
    targets = detection.Targets(boxes=[[0, 0, 9, 9], [20, 0, 29, 9]], labels=[1, 1], images=[0, 0])
    false = [[x, 50, x + 5, 55] for x in range(0, 60, 10)]
    found = detection.Detections(
        boxes=[[0, 0, 9, 9], *false, [20, 0, 29, 9]], scores=[0.9, *[0.5] * 6, 0.1], labels=[1] * 8, images=[0] * 8
    )
    (only,) = images.worst(detection.evaluate(targets, found), names={}, sizes={})["images"]
    assert only["reasons"] == {"missed": ["below"], "false": []}


def test_missed_objects_leave_room_for_false_positives(monkeypatch):
    monkeypatch.setattr(images, "MOST_SHAPES", 6)
    boxes = [[x, 0, x + 5, 5] for x in range(0, 100, 10)]
    targets = detection.Targets(boxes=[*boxes, [0, 80, 9, 89]], labels=[1] * 11, images=[0] * 11)
    false = [[x, 50, x + 5, 55] for x in range(0, 50, 10)]
    found = detection.Detections(boxes=[[0, 80, 9, 89], *false], scores=[0.9] * 6, labels=[1] * 6, images=[0] * 6)
    (only,) = images.worst(detection.evaluate(targets, found), names={}, sizes={})["images"]
    assert {name: len(rows) for name, rows in only["shapes"].items()} == {"missed": 4, "false": 2}
    assert only["more"] == 6 + 3 + 1 + 1
    assert {name: len(rows) for name, rows in only["reasons"].items()} == {"missed": 4, "false": 2}


def test_label_errors_know_what_is_near():
    # A window around 40, 40, 60, 60 goes from 30 to 70.
    targets = detection.Targets(
        boxes=[[40, 40, 60, 60], [0, 0, 31, 31], [0, 0, 29, 29], [69, 69, 80, 80]], labels=[1] * 4, images=[0, 0, 0, 1]
    )
    found = detection.Detections(boxes=[[65, 40, 90, 60]], scores=[0.9], labels=[1], images=[0])
    third = labels.label_errors(detection.evaluate(targets, found), names={})["unfound"][2]
    assert third["points"] == [40, 40, 60, 60]
    assert third["near"] == {"found": [[0, None, [0, 0, 31, 31]]], "hit": [[0, 0.9, [65, 40, 90, 60]]]}


def test_label_errors_of_scores_beyond_one():
    scaled = detection.Detections(DETECTIONS.boxes, [90, 80, 70, 95, 60, 50, 5], DETECTIONS.labels, DETECTIONS.images)
    result = detection.evaluate(TARGETS, scaled)
    data = labels.label_errors(result, names={})
    assert data["score"] == images.worst(result, names={}, sizes={})["score"] == result.least_score() == 70
    assert data["counts"] == {"unmatched": 1, "other_class": 0, "unfound": 1}


def test_images_of_masks_and_of_other_libraries(xp):
    if xp.__name__.endswith("dask.array"):
        pytest.skip("the evaluator takes no Dask arrays")
    floats, integers = (lambda x: xp.asarray(x, dtype=xp.float64)), (lambda x: xp.asarray(x, dtype=xp.int64))
    targets = detection.Targets(floats([[0, 0, 20, 20]]), integers([1]), integers([3]))
    found = detection.Detections(floats([[50, 50, 60, 60]]), floats([0.5]), integers([1]), integers([3]))
    data = images.worst(detection.evaluate(targets, found), names={}, sizes={})
    assert data["images"][0]["shapes"] == {"missed": [[0, None, [0, 0, 20, 20]]], "false": [[0, 0.5, [50, 50, 60, 60]]]}

    masks = np.zeros((2, 30, 40), dtype=bool)
    masks[0, 5:10, 10:20], masks[1, 20:25, 0:10] = True, True
    first, second = (rle.Masks.from_dense(masks[k : k + 1]) for k in range(2))
    targets = detection.Targets(None, [1], [0], masks=first)
    found = detection.Detections(None, [0.5], [1], [0], masks=second)
    data = images.worst(detection.evaluate(targets, found, kind="segm"), names={}, sizes={})
    assert data["images"][0]["shapes"]["missed"] == [[0, None, [10, 5, 20, 5, 20, 10, 10, 10]]]


def test_points_of_normalised_and_rotated_boxes():
    small = detection.Targets([[0.12344, 0.2, 0.5, 0.6]], [1], [0])
    none = detection.Detections(np.zeros((0, 4)), [], [], [])
    data = images.worst(detection.evaluate(small, none), names={}, sizes={})
    assert data["images"][0]["shapes"]["missed"] == [[0, None, [0.1234, 0.2, 0.5, 0.6]]]

    turned = detection.Targets([[50, 50, 40, 20, np.pi / 6]], [1], [0])
    none = detection.Detections(np.zeros((0, 5)), [], [], [])
    data = images.worst(detection.evaluate(turned, none, kind="rotated"), names={}, sizes={})
    ((_, _, points),) = data["images"][0]["shapes"]["missed"]
    assert points == [37.7, 31.3, 72.3, 51.3, 62.3, 68.7, 27.7, 48.7]


def test_tables_of_curves_have_a_row_for_each_tenth(result):
    pytest.importorskip("msgspec", reason="the extra cli is not installed")
    made = report.Record(kind="bbox", summary={}, words={})
    (table,) = series.precision_recall_tables(series.precision_recall(result), made)
    assert [row[0] for row in table.rows] == [f"{k / 10:.2f}" for k in range(11)]
    assert table.headings == ("recall", "IoU 0.50", "IoU 0.75", "mean of all")
    # Every hit is exact, and the second class has none.
    assert table.rows[0] == ("0.00", 0.5, 0.5, 0.5)
    assert series.mean_of_all([[1.0, 0.5, None], [0.0, None, None]]) == [0.5, 0.5, None]
    (table,) = series.f1_tables(series.f1(result.operating_points()), made)
    assert len(table.rows) == 11
    (table,) = series.score_tables(series.scores(result, 4), made)
    assert table.rows[-1] == ("0.75 to 1", 2, 1)


def test_record_without_boxes_says_what_it_lacks():
    report = pytest.importorskip("omniou.report._record.make", reason="the extra cli is not installed")
    state = detection.evaluate(TARGETS, DETECTIONS).state
    record = report.record(detection.compute([state]), analyses=["pr", "worst_images", "label_errors"])
    assert list(record.analyses) == ["pr"]
    assert [x.code for x in record.warnings] == ["no-worst_images", "no-label_errors"]


def test_keypoints_are_drawn_with_their_edges():
    skeleton = Skeleton(name="pen", sigmas=(0.1, 0.1, 0.1), edges=((0, 1), (1, 2)))
    points = np.array([[[10.0, 10, 2], [20, 12, 2], [0, 0, 0]], [[50, 50, 1], [60, 50, 1], [60, 70, 2]]])
    targets = detection.Targets(None, [1, 1], [0, 0], area=[900.0, 900.0], keypoints=points)
    found = detection.Detections(
        None, [0.9], [1], [0], keypoints=points[:1, :, :2] + np.array([[[1.0, 0], [0, 0], [5, 5]]])
    )
    result = detection.evaluate(targets, found, kind=skeleton)
    value = images.worst(result, names={0: "a.jpg"}, sizes={})
    assert value["edges"] == [[0, 1], [1, 2]]
    (image,) = value["images"]
    assert image["shapes"]["found"] == [[0, None, [10.0, 10.0, 20.0, 12.0, None, None]]]
    assert image["shapes"]["hit"] == [[0, 0.9, [11.0, 10.0, 20.0, 12.0, 5.0, 5.0]]]
    assert skeleton_path(image["shapes"]["found"][0][2], value["edges"]).startswith("M10 10L20 12M9.85 10L10 9.85")
    assert skeleton_path([None] * 6, value["edges"]) == ""
    axes = report.draw(None, targets, found, result.matches, kind=skeleton)
    # Two lines of the missed object, one of the other, two of the detection, and their marks.
    drawn = [line for line in axes.lines if len(line.get_xdata()) and not np.isnan(line.get_xdata()).any()]
    assert len(drawn) == 7
    assert [text.get_text() for text in axes.texts] == ["1", "1 0.90"]


@pytest.mark.parametrize("limit_per", ["class", "image"])
@pytest.mark.parametrize("tie_policy", ["file", "last", "invariant"])
def test_object_of_a_detection_over_the_limit_is_not_missed(limit_per, tie_policy):
    # Four objects, of which three are detected, and a limit of two: one is over the limit, one is missed.
    boxes = np.asarray([[0, 0, 10, 10], [20, 0, 30, 10], [40, 0, 50, 10], [60, 0, 70, 10]], float)
    rules = dataclasses.replace(detection.COCO, max_detections=(2,), limit_per=limit_per, tie_policy=tie_policy)
    result = detection.evaluate(
        detection.Targets(boxes, [1] * 4, [0] * 4),
        detection.Detections(boxes[:3], [0.9, 0.8, 0.7], [1] * 3, [0] * 3),
        protocol=rules,
    )
    assert result.surplus == 1
    assert result.summary["AR2"] == 0.5  # the number is of the two that count
    assert result.matches.misses[0].tolist() == [False, False, False, True]
    assert result.matches.over_limit[0].tolist() == [-1, -1, 2, -1]
    assert result.errors().counts["missed"] == 1
    assert result.errors().missed.tolist() == [False, False, False, True]
    assert result.confusion(score=0.7).counts.tolist() == [[2, 1], [0, 0]]
    assert result.confusion(score=0.75).counts.tolist() == [[2, 2], [0, 0]]  # too low, whatever the limit
    assert images.judged(result, 0.7).outcomes[0].tolist() == ["found", "found", "found", "missed"]
    assert images.judged(result, 0.75).outcomes[0].tolist() == ["found", "found", "missed", "missed"]
    assert labels.label_errors(result, names={}, sizes={}, score=0.7)["counts"]["unfound"] == 1
