"""The rules of other challenges than COCO, with numbers worked out by hand, and as published."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from omniou import detection
from omniou.detection import LVIS, OPEN_IMAGES, VOC2007, VOC2010, Detections, Targets

DATA = Path(__file__).parents[2].parent / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data lies beside a checkout only here and there")

A, B, FAR = [0, 0, 10, 10], [0, 2, 10, 12], [50, 50, 60, 60]
# Overlaps A by 95 of 105, B by 85 of 115.
BETWEEN = [0, 0.5, 10, 10.5]


def summary(truth, found, protocol, *, scores=None, **more):
    targets = Targets(truth, [1] * len(truth), [1] * len(truth), **more)
    scores = [1 - 0.1 * k for k in range(len(found))] if scores is None else scores
    detections = Detections(found, scores, [1] * len(found), [1] * len(found))
    return detection.evaluate(targets, detections, protocol=protocol).summary


def test_a_detection_is_held_to_the_object_it_overlaps_most():
    assert summary([A, B], [A, BETWEEN], VOC2010)["AP"] == pytest.approx(0.5)
    assert summary([A, B], [A, BETWEEN], dataclasses.replace(VOC2010, assignment="free"))["AP"] == pytest.approx(1)


def test_of_equal_overlaps_the_first_object_is_the_best():
    # The second detection finds the first object taken; a third on the second object is a hit again.
    assert summary([A, A, FAR], [A, A, FAR], VOC2010)["AP"] == pytest.approx((1 + 2 / 3) / 3)


def test_difficult_objects_count_neither_way():
    s = summary([A, FAR], [A, BETWEEN, FAR], VOC2010, ignore=[True, False])
    assert s["AP"] == pytest.approx(1)


GROUP, INSIDE, INSIDE_TOO = [20, 0, 60, 40], [25, 0, 35, 10], [45, 0, 55, 10]


def test_a_group_is_to_be_found_once():
    def of(found, protocol, **more):
        return summary([A, GROUP], found, protocol, crowd=[False, True], **more)["AP"]

    # The best inside is a hit, the other one counts neither way; the challenges' rules alone want the group at all.
    assert of([INSIDE, A, INSIDE_TOO], "open_images_challenge") == pytest.approx(1)
    assert of([A], "open_images_challenge") == pytest.approx(1 / 2)
    assert of([A], "open_images") == pytest.approx(1)
    # A false alarm before both: hits at precisions of 1/2 and 2/3.
    assert of([FAR, INSIDE, A], "open_images_challenge") == pytest.approx(2 / 3)
    assert of([FAR, INSIDE, A], "open_images") == pytest.approx(1 / 2)
    # What is inside a group that was found is no false alarm.
    assert of([INSIDE, INSIDE_TOO, A], "open_images_challenge") == pytest.approx(1)


def test_an_object_comes_before_the_group_that_it_is_in():
    truth = [GROUP, INSIDE]
    for ignore, ap in ((False, 1 / 2), (True, 0)):
        s = summary(truth, [INSIDE], "open_images_challenge", crowd=[True, False], ignore=[False, ignore])
        assert s["AP"] == pytest.approx(ap)
    # What finds the object a second time finds the group.
    s = summary(truth, [INSIDE, INSIDE], "open_images_challenge", crowd=[True, False])
    assert s["AP"] == pytest.approx(1)


def test_what_found_a_group():
    targets = Targets([A, GROUP], [1, 1], [1, 1], crowd=[False, True])
    detections = Detections([INSIDE, A, INSIDE_TOO], [0.9, 0.8, 0.7], [1] * 3, [1] * 3)
    result = detection.evaluate(targets, detections, protocol="open_images_challenge")
    assert result.matches.objects.tolist() == [[1, 0, 1]]
    assert result.matches.counts.tolist() == [[True, True, False]]
    assert result.matches.detections.tolist() == [[1, 0]]
    assert result.objects.tolist() == [[2]]


def test_area_and_points():
    assert summary([A, FAR], [A], VOC2010)["AP"] == pytest.approx(1 / 2)
    assert summary([A, FAR], [A], VOC2007)["AP"] == pytest.approx(6 / 11)
    # Hits of precision 1 and 2/3, at recall 1/2 and 1.
    assert summary([A, FAR], [A, [90, 90, 95, 95], FAR], VOC2010)["AP"] == pytest.approx((1 + 2 / 3) / 2)
    assert summary([A, FAR], [A, [90, 90, 95, 95], FAR], VOC2007)["AP"] == pytest.approx((6 + 5 * 2 / 3) / 11)


def test_names_of_a_single_threshold():
    assert list(summary([A], [A], "voc2007")) == ["AP", "AR"]


def test_no_limit():
    many = [[k, 0, k + 1, 1] for k in range(150)]
    assert summary(many, many, VOC2010, scores=[0.5] * 150)["AP"] == pytest.approx(1)
    assert summary(many, many, "coco", scores=[0.5] * 150)["AR100"] == pytest.approx(100 / 150)


def test_groups_of_objects_take_what_no_single_object_takes():
    # The second and third lie inside the group; the third has a single object of its own.
    s = summary([[0, 0, 40, 40], FAR], [[1, 1, 5, 5], [2, 2, 9, 9], FAR], OPEN_IMAGES, crowd=[True, False])
    assert s["AP"] == pytest.approx(1)


def evaluate_two_classes(protocol, **more):
    """Objects of class 1 in image 1; detections of classes 1 and 2 in images 1 and 2, one of them right."""
    targets = Targets([A], [1], [1], **more)
    detections = Detections([FAR, FAR, FAR, A], [0.9, 0.8, 0.7, 0.6], [1, 2, 1, 1], [1, 1, 2, 1])
    return detection.evaluate(targets, detections, protocol=protocol, images=[1, 2])


def test_federated_annotation():
    # Of image 2 nothing is known: its detection does not count. The one in image 1 does.
    assert evaluate_two_classes(LVIS, negative=[]).summary["AP50"] == pytest.approx(1 / 2)
    assert evaluate_two_classes(LVIS, negative=[(2, 1)]).summary["AP50"] == pytest.approx(1 / 3)
    assert evaluate_two_classes(LVIS).summary["AP50"] == pytest.approx(1 / 3)


def test_classes_that_are_not_annotated_to_the_end():
    s = evaluate_two_classes(LVIS, negative=[], not_exhaustive=[(1, 1)]).summary
    assert s["AP50"] == pytest.approx(1)
    assert evaluate_two_classes(LVIS, not_exhaustive=[(2, 1)]).summary["AP50"] == pytest.approx(1 / 2)


def test_the_limit_of_an_image():
    one = dataclasses.replace(LVIS, max_detections=(2,))
    assert np.isclose(evaluate_two_classes(one, negative=[]).summary["AP50"], 0)
    assert evaluate_two_classes(one, negative=[]).surplus == 1


def test_pairs_that_are_bad():
    with pytest.raises(ValueError, match=r"`targets.negative` must have shape \(N, 2\), got \(3,\)"):
        evaluate_two_classes(LVIS, negative=[1, 2, 3])


@needs_data
def test_lvis_is_as_published():
    folder = DATA / "lvis-val-100"
    truth = json.loads((folder / "lvis_val_100.json").read_text())
    expected = json.loads((folder / "expected.json").read_text())["lvis_api_bbox"]
    rows, images = truth["annotations"], truth["images"]
    found = json.loads((folder / "derived_dt_bbox.json").read_text())
    result = detection.evaluate(
        Targets(
            *columns(rows, "bbox", "category_id", "image_id"),
            area=columns(rows, "area")[0],
            **{
                name: [(i["id"], c) for i in images for c in i[f"{key}_category_ids"]]
                for name, key in (("negative", "neg"), ("not_exhaustive", "not_exhaustive"))
            },
        ),
        Detections(*columns(found, "bbox", "score", "category_id", "image_id")),
        protocol="lvis",
        format="xywh",
        classes=[c["id"] for c in truth["categories"]],
        images=[i["id"] for i in images],
        groups={f: [c["id"] for c in truth["categories"] if c["frequency"] == f] for f in "rcf"},
    )
    for name, value in result.summary.items():
        published = expected.get(name, expected.get(name.replace("AR300", "AR@300"), expected.get(f"{name}@300")))
        assert value == pytest.approx(published, abs=1e-12), name


@needs_data
@pytest.mark.parametrize("threshold", [0.5, 0.75])
def test_voc_is_as_published(threshold):
    folder = DATA / "rafael-toy"
    truth = json.loads((folder / "coco_gt.json").read_text())["annotations"]
    found = json.loads((folder / "coco_dt.json").read_text())
    expected = json.loads((folder / "expected.json").read_text())["voc"]["plus0"][str(threshold)]
    for protocol, name in ((VOC2010, "mAP_area"), (VOC2007, "mAP_11pt")):
        result = detection.evaluate(
            Targets(*columns(truth, "bbox", "category_id", "image_id")),
            Detections(*columns(found, "bbox", "score", "category_id", "image_id")),
            protocol=dataclasses.replace(protocol, iou_thresholds=(threshold,)),
            format="xywh",
        )
        assert result.summary["AP"] == pytest.approx(expected[name], abs=1e-12)


def columns(rows, *names):
    return [np.asarray([row[name] for row in rows]) for name in names]
