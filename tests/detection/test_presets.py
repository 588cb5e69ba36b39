"""The VOC, LVIS and Open Images protocols, with numbers worked out by hand, and as published."""

import dataclasses
import json

import numpy as np
import pytest

from omniou import detection
from omniou.detection import LVIS, OPEN_IMAGES, VOC2007, VOC2010, Detections, Targets
from tests import places

A, B, DISJOINT = [0, 0, 10, 10], [0, 2, 10, 12], [50, 50, 60, 60]
# Overlaps A by 95 of 105, B by 85 of 115.
BETWEEN = [0, 0.5, 10, 10.5]


def summary(truth, boxes, protocol, *, scores=None, **more):
    targets = Targets(truth, [1] * len(truth), [1] * len(truth), **more)
    scores = [1 - 0.1 * k for k in range(len(boxes))] if scores is None else scores
    detections = Detections(boxes, scores, [1] * len(boxes), [1] * len(boxes))
    return detection.evaluate(targets, detections, protocol=protocol).summary


def test_voc_assigns_detection_to_object_of_highest_iou():
    assert summary([A, B], [A, BETWEEN], VOC2010)["AP"] == pytest.approx(0.5)
    assert summary([A, B], [A, BETWEEN], dataclasses.replace(VOC2010, assignment="free"))["AP"] == pytest.approx(1)


def test_voc_assigns_detection_to_first_object_of_equal_iou():
    # The second detection is assigned to the first object, which is matched already: a false positive. The third hits.
    assert summary([A, A, DISJOINT], [A, A, DISJOINT], VOC2010)["AP"] == pytest.approx((1 + 2 / 3) / 3)


def test_voc_ignores_difficult_objects():
    s = summary([A, DISJOINT], [A, BETWEEN, DISJOINT], VOC2010, ignore=[True, False])
    assert s["AP"] == pytest.approx(1)


GROUP, INSIDE, INSIDE_TOO = [20, 0, 60, 40], [25, 0, 35, 10], [45, 0, 55, 10]


def test_open_images_challenge_counts_group_as_one_object():
    def ap(boxes, protocol, **more):
        return summary([A, GROUP], boxes, protocol, crowd=[False, True], **more)["AP"]

    # The highest-scoring detection inside is a hit, the other is ignored; only the challenge counts groups as objects.
    assert ap([INSIDE, A, INSIDE_TOO], "open_images_challenge") == pytest.approx(1)
    assert ap([A], "open_images_challenge") == pytest.approx(1 / 2)
    assert ap([A], "open_images") == pytest.approx(1)
    # A false positive before both: hits at precisions of 1/2 and 2/3.
    assert ap([DISJOINT, INSIDE, A], "open_images_challenge") == pytest.approx(2 / 3)
    assert ap([DISJOINT, INSIDE, A], "open_images") == pytest.approx(1 / 2)
    # Further detections inside a matched group are ignored.
    assert ap([INSIDE, INSIDE_TOO, A], "open_images_challenge") == pytest.approx(1)


def test_open_images_challenge_matches_object_before_its_group():
    truth = [GROUP, INSIDE]
    for ignore, ap in ((False, 1 / 2), (True, 0)):
        s = summary(truth, [INSIDE], "open_images_challenge", crowd=[True, False], ignore=[False, ignore])
        assert s["AP"] == pytest.approx(ap)
    # A second detection of the object matches the group.
    s = summary(truth, [INSIDE, INSIDE], "open_images_challenge", crowd=[True, False])
    assert s["AP"] == pytest.approx(1)


def test_open_images_challenge_matches_of_group():
    targets = Targets([A, GROUP], [1, 1], [1, 1], crowd=[False, True])
    detections = Detections([INSIDE, A, INSIDE_TOO], [0.9, 0.8, 0.7], [1] * 3, [1] * 3)
    result = detection.evaluate(targets, detections, protocol="open_images_challenge")
    assert result.matches.objects.tolist() == [[1, 0, 1]]
    assert result.matches.counts.tolist() == [[True, True, False]]
    assert result.matches.detections.tolist() == [[1, 0]]
    assert result.objects.tolist() == [[2]]


def test_voc_ap_by_area_and_by_eleven_points():
    assert summary([A, DISJOINT], [A], VOC2010)["AP"] == pytest.approx(1 / 2)
    assert summary([A, DISJOINT], [A], VOC2007)["AP"] == pytest.approx(6 / 11)
    # Hits of precision 1 and 2/3, at recall 1/2 and 1.
    assert summary([A, DISJOINT], [A, [90, 90, 95, 95], DISJOINT], VOC2010)["AP"] == pytest.approx((1 + 2 / 3) / 2)
    assert summary([A, DISJOINT], [A, [90, 90, 95, 95], DISJOINT], VOC2007)["AP"] == pytest.approx((6 + 5 * 2 / 3) / 11)


def test_summary_names_of_single_threshold():
    assert list(summary([A], [A], "voc2007")) == ["AP", "AR"]


def test_voc_has_no_max_detections():
    many = [[k, 0, k + 1, 1] for k in range(150)]
    assert summary(many, many, VOC2010, scores=[0.5] * 150)["AP"] == pytest.approx(1)
    assert summary(many, many, "coco", scores=[0.5] * 150)["AR100"] == pytest.approx(100 / 150)


def test_open_images_group_matches_detections_without_own_object():
    # The first two detections lie inside the group; the third matches the single object.
    s = summary([[0, 0, 40, 40], DISJOINT], [[1, 1, 5, 5], [2, 2, 9, 9], DISJOINT], OPEN_IMAGES, crowd=[True, False])
    assert s["AP"] == pytest.approx(1)


def evaluate_two_classes(protocol, **more):
    """Objects of class 1 in image 1; detections of classes 1 and 2 in images 1 and 2, one of them right."""
    targets = Targets([A], [1], [1], **more)
    detections = Detections([DISJOINT, DISJOINT, DISJOINT, A], [0.9, 0.8, 0.7, 0.6], [1, 2, 1, 1], [1, 1, 2, 1])
    return detection.evaluate(targets, detections, protocol=protocol, images=[1, 2])


def test_lvis_ignores_detections_in_unverified_images():
    # Class 1 is not verified in image 2: its detection is ignored. The one in image 1 counts.
    assert evaluate_two_classes(LVIS, negative=[]).summary["AP50"] == pytest.approx(1 / 2)
    assert evaluate_two_classes(LVIS, negative=[(2, 1)]).summary["AP50"] == pytest.approx(1 / 3)
    assert evaluate_two_classes(LVIS).summary["AP50"] == pytest.approx(1 / 3)


def test_lvis_ignores_unmatched_detections_of_not_exhaustive_classes():
    s = evaluate_two_classes(LVIS, negative=[], not_exhaustive=[(1, 1)]).summary
    assert s["AP50"] == pytest.approx(1)
    assert evaluate_two_classes(LVIS, not_exhaustive=[(2, 1)]).summary["AP50"] == pytest.approx(1 / 2)


def test_lvis_max_detections_is_per_image():
    one = dataclasses.replace(LVIS, max_detections=(2,))
    assert np.isclose(evaluate_two_classes(one, negative=[]).summary["AP50"], 0)
    assert evaluate_two_classes(one, negative=[]).surplus == 1


def test_invalid_negative_pairs_raise():
    with pytest.raises(ValueError, match=r"`targets.negative` must have shape \(N, 2\), got \(3,\)"):
        evaluate_two_classes(LVIS, negative=[1, 2, 3])


def test_lvis_stats_equal_published():
    folder = places.shared("lvis-val-100")
    truth = json.loads((folder / "lvis_val_100.json").read_text())
    expected = json.loads((folder / "expected.json").read_text())["lvis_api_bbox"]
    rows, images = truth["annotations"], truth["images"]
    detections = json.loads((folder / "derived_dt_bbox.json").read_text())
    result = detection.evaluate(
        Targets(
            *columns(rows, "bbox", "category_id", "image_id"),
            area=columns(rows, "area")[0],
            **{
                name: [(i["id"], c) for i in images for c in i[f"{key}_category_ids"]]
                for name, key in (("negative", "neg"), ("not_exhaustive", "not_exhaustive"))
            },
        ),
        Detections(*columns(detections, "bbox", "score", "category_id", "image_id")),
        protocol="lvis",
        format="xywh",
        classes=[c["id"] for c in truth["categories"]],
        images=[i["id"] for i in images],
        groups={f: [c["id"] for c in truth["categories"] if c["frequency"] == f] for f in "rcf"},
    )
    for name, value in result.summary.items():
        published = expected.get(name, expected.get(name.replace("AR300", "AR@300"), expected.get(f"{name}@300")))
        assert value == pytest.approx(published, abs=1e-12), name


@pytest.mark.parametrize("threshold", [0.5, 0.75])
def test_voc_ap_equals_published(threshold):
    folder = places.shared("rafael-toy")
    truth = json.loads((folder / "coco_gt.json").read_text())["annotations"]
    detections = json.loads((folder / "coco_dt.json").read_text())
    expected = json.loads((folder / "expected.json").read_text())["voc"]["plus0"][str(threshold)]
    for protocol, name in ((VOC2010, "mAP_area"), (VOC2007, "mAP_11pt")):
        result = detection.evaluate(
            Targets(*columns(truth, "bbox", "category_id", "image_id")),
            Detections(*columns(detections, "bbox", "score", "category_id", "image_id")),
            protocol=dataclasses.replace(protocol, iou_thresholds=(threshold,)),
            format="xywh",
        )
        assert result.summary["AP"] == pytest.approx(expected[name], abs=1e-12)


def columns(rows, *names):
    return [np.asarray([row[name] for row in rows]) for name in names]


def test_kitti_has_40_points_of_recall_without_0():
    # One of two found: precision 1 up to a recall of 1/2, at 20 of 40 points; a point at recall 0 would add to it.
    s = summary([A, DISJOINT], [A], "kitti")
    assert (s["AP50"], s["AP70"]) == (pytest.approx(20 / 40), pytest.approx(20 / 40))
    # A match, a false positive, a match: 1 up to a recall of 1/3, 13 points, and 2/3 up to 2/3, 13 points more.
    s = summary([A, DISJOINT, [90, 90, 99, 99]], [A, [70, 0, 80, 9], DISJOINT], "kitti")
    assert s["AP70"] == pytest.approx((13 + 13 * 2 / 3) / 40)


def test_kitti_has_a_threshold_for_cars_and_one_for_others():
    # B overlaps A by 80 of 120.
    s = summary([A], [B], "kitti")
    assert s == pytest.approx({"AP": 1 / 2, "AP50": 1, "AP70": 0, "AR": 1 / 2})


FALSE = [90, 0, 95, 5]


@pytest.mark.parametrize(
    ("boxes", "ap", "tail"),
    [
        # One of two: precision 1 at recalls of 0 to 0.49, 0 from 0.5 on; with the tail a line from there to (1, 0).
        ([A], 0.495, 0.75),
        # The last recall has its last precision: the line starts at 1 / 2.
        ([A, FALSE], 0.495, 0.49 + 0.01 * 3 / 4 + 0.5 / 4),
        ([FALSE, A], 0.2475, 0.25 + 0.5 / 4),
        # 50 points of precision 1, 50 of 2 / 3, and 0 at a recall of 1.
        (
            [A, FALSE, DISJOINT],
            0.49 + 0.01 * 5 / 6 + 0.49 * 2 / 3 + 0.01 / 3,
            0.49 + 0.01 * 5 / 6 + 0.98 / 3 + 0.01 / 3,
        ),
        ([FALSE], 0, 0),
        ([], 0, 0),
    ],
)
@pytest.mark.parametrize("tie_policy", ["file", "invariant"])
def test_ultralytics_ap_by_trapezoids(boxes, ap, tail, tie_policy):
    for name, expected in (("ultralytics", ap), ("ultralytics_8_3", tail)):
        rules = dataclasses.replace(detection.PRESETS[name], tie_policy=tie_policy)
        found = summary([A, DISJOINT], boxes, rules)
        assert (found["AP"], found["AP50"]) == (pytest.approx(expected), pytest.approx(expected))


def test_trapezoids_of_area_range_and_limit():
    # In "big", the object DISJOINT and detections of FALSE's size are ignored; 1 of 1 object is found.
    ranges = (detection.AreaRange("all", 0, 1e5, ""), detection.AreaRange("big", 150, 1e5, "b"))
    rules = dataclasses.replace(detection.ULTRALYTICS_8_3, area_ranges=ranges, max_detections=(1, 3))
    big, wrong = [0, 0, 20, 10], [200, 0, 220, 10]
    found = [big, FALSE, wrong, DISJOINT]
    s = summary([big, DISJOINT, [300, 0, 330, 10]], found, rules)
    # Of three objects the first is found, then two false positives; the limit leaves out the last detection. The line
    # falls from (1 / 3, 1 / 3): at the points 0.34 to 1 it has (1 - recall) / 2.
    falling = sum(0.01 * (a + a - 0.01) / 4 for a in (k / 100 for k in range(66, 0, -1)))
    assert s["AP50"] == pytest.approx(0.33 + 0.01 * (1 + 0.33) / 2 + falling)
    # One of two, and one false positive: the line falls from (1 / 2, 1 / 2).
    assert s["APb"] == pytest.approx(0.49 + 0.01 * 1.5 / 2 + 0.5 / 4)


def test_left_out_crowds_are_neither_objects_nor_ignored():
    truth, crowd = [A, [20, 0, 60, 40]], [False, True]
    # The detection inside the crowd is a false positive before the match: precision 1 / 2.
    rules = dataclasses.replace(detection.COCO, crowds="left_out")
    s = summary(truth, [[25, 0, 35, 10], A], rules, crowd=crowd)
    assert (s["AP50"], s["AR100"]) == (pytest.approx(1 / 2), pytest.approx(1))
    result = detection.evaluate(
        Targets(truth, [1, 1], [1, 1], crowd=crowd), Detections([truth[1]], [0.9], [1], [1]), protocol=rules
    )
    assert result.objects.tolist() == [[1, 1, 0, 0]]
    assert result.matches.counts.tolist()[0] == [True]
    assert result.matches.objects.tolist()[0] == [-1]
    assert result.errors().counts["background"] == 1


def test_trapezoids_need_two_points():
    with pytest.raises(ValueError, match="`recall_points` must be at least two for trapezoids"):
        dataclasses.replace(detection.ULTRALYTICS, recall_points=(0.5,))


def test_thresholds_singled_out():
    three = dataclasses.replace(detection.COCO, iou_thresholds=(0.3, 0.6, 0.9), singled_out=(0.3, 0.9))
    s = summary([A], [B], three)
    assert list(s)[:3] == ["AP", "AP30", "AP90"]
    assert [s[name] for name in list(s)[:3]] == pytest.approx([2 / 3, 1, 0])
    none = dataclasses.replace(three, singled_out=())
    assert list(summary([A], [B], none))[:2] == ["AP", "APs"]
    with pytest.raises(ValueError, match="`singled_out` must be rising numbers"):
        dataclasses.replace(three, singled_out=(0.9, 0.3))
