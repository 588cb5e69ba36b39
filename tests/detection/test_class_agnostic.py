"""`class_agnostic=True`: all classes are one."""

import dataclasses
import json

import numpy as np
import pytest

from omniou import detection
from omniou.data import states
from omniou.detection import Detections, Targets
from omniou.rle import Masks

pytestmark = pytest.mark.computes("values decide the shapes of an evaluation")

A, B, C = [0, 0, 10, 10], [20, 0, 30, 10], [40, 0, 50, 10]


def test_evaluate_class_agnostic_matches_across_classes():
    targets, found = Targets([A, B], labels=[1, 2], images=[0, 0]), Detections([A, B], [0.9, 0.8], [2, 1], [0, 0])

    assert detection.evaluate(targets, found).summary["AP"] == 0
    result = detection.evaluate(targets, found, class_agnostic=True)

    assert result.summary["AP"] == result.summary["AR1"] * 2 == 1
    assert result.classes.tolist() == [0]
    assert result.objects[:, 0].tolist() == [2]
    assert result.protocol == dataclasses.replace(detection.COCO, class_agnostic=True)
    assert result.to_dict()["per_class"] == [
        {"id": 0, "name": "any class", "objects": 2, **result.to_dict()["summary"]}
    ]


def test_evaluate_class_agnostic_breaks_ties_by_class():
    # Both score 0.5. The false positive comes first in the file, and its class is the higher one: the hit comes first.
    targets = Targets([A], labels=[1], images=[0])
    found = Detections([C, A], [0.5, 0.5], [2, 1], [0, 0])

    assert detection.evaluate(targets, found, class_agnostic=True).summary["AP"] == pytest.approx(1)
    swapped = dataclasses.replace(found, labels=[1, 2])
    assert detection.evaluate(targets, swapped, class_agnostic=True).summary["AP"] == pytest.approx(0.5)


def test_evaluate_class_agnostic_of_equal_overlaps_takes_the_object_of_the_last_class():
    # The detection overlaps both objects alike, and takes the later one. Rows come in the order of classes: 2 is last.
    targets = Targets([A, A], labels=[2, 1], images=[0, 0])
    result = detection.evaluate(targets, Detections([A], [0.5], [1], [0]), class_agnostic=True)

    assert result.matches.objects[0].tolist() == [0]


def test_evaluate_class_agnostic_limit_is_for_the_image():
    rules = dataclasses.replace(detection.COCO, max_detections=(1,))
    targets = Targets([A, B], labels=[1, 2], images=[0, 0])
    found = Detections([A, B], [0.5, 0.5], [2, 1], [0, 0])

    assert detection.evaluate(targets, dataclasses.replace(found, labels=[1, 2]), protocol=rules).summary["AR1"] == 1
    result = detection.evaluate(targets, found, protocol=rules, class_agnostic=True)
    assert (result.summary["AR1"], result.surplus) == (0.5, 1)
    # Of equal scores the lower class stays.
    assert result.matches.counts[0].tolist() == [False, True]


FEDERATED = Targets([A, B], labels=[1, 2], images=[0, 1], negative=[(0, 3)], not_exhaustive=[(1, 2)])


def test_evaluate_class_agnostic_of_federated_annotation_excludes_by_class_first():
    # In image 0, class 1 has an object, class 3 is verified absent, and of class 4 nothing is known.
    def ap(label):
        found = Detections([A, C, B], [0.5, 0.9, 0.5], [1, label, 2], [0, 0, 1])
        return detection.evaluate(FEDERATED, found, protocol="lvis", class_agnostic=True, classes=[1, 2, 3, 4])

    assert ap(4).summary["AP"] == 1  # excluded
    assert ap(3).summary["AP"] == pytest.approx(2 / 3)  # a false positive before two true positives: 1/2, then 2/3
    assert ap(1).summary["AP"] == pytest.approx(2 / 3)


def test_evaluate_class_agnostic_of_classes_that_are_not_exhaustive_ignores_unmatched_detections():
    # In image 1 not all objects of class 2 are annotated: its detection that matches nothing does not count.
    found = Detections([A, C, B], [0.5, 0.9, 0.5], [1, 2, 2], [0, 1, 1])
    result = detection.evaluate(FEDERATED, found, protocol="lvis", class_agnostic=True)

    assert result.summary["AP"] == 1
    assert result.matches.counts[0].tolist() == [True, False, True]


def test_evaluate_class_agnostic_limit_of_a_class_holds_after_exclusion():
    # Excluded detections do not use up the limit of one, except where the limit is for the image, as in LVIS's tool.
    found = Detections([C, A, B], [0.9, 0.5, 0.5], [4, 1, 2], [0, 0, 1])
    rules = dataclasses.replace(detection.COCO, max_detections=(1,))
    options = {"class_agnostic": True, "classes": [1, 2, 4]}
    assert detection.evaluate(FEDERATED, found, protocol=rules, **options).summary["AR1"] == 1
    of_image = dataclasses.replace(rules, limit_per="image")
    assert detection.evaluate(FEDERATED, found, protocol=of_image, **options).summary["AR1"] == 0.5


def test_ties_invariant_of_open_ended_classes_stay_with_their_detections():
    # Of both, which score 0.5, the one of higher overlap swaps places with the one of class 1. The latter still counts:
    # a false positive of the same score halves the precision. Of class 2 it would not count.
    targets = Targets([A], labels=[1], images=[1], negative=[(1, 2)], not_exhaustive=[(1, 2)])
    found = Detections([C, A], [0.5, 0.5], [1, 2], [1, 1])
    rules = dataclasses.replace(detection.COCO, tie_policy="invariant", class_agnostic=True)

    assert detection.evaluate(targets, found, protocol=rules).summary["AP"] == pytest.approx(0.5)
    swapped = dataclasses.replace(found, labels=[2, 1])
    assert detection.evaluate(targets, swapped, protocol=rules).summary["AP"] == pytest.approx(1)


def test_evaluate_class_agnostic_leaves_out_other_classes():
    targets, found = Targets([A, B], labels=[1, 2], images=[0, 0]), Detections([A, B], [0.9, 0.8], [2, 3], [0, 0])
    result = detection.evaluate(targets, found, class_agnostic=True, classes=[1, 2])

    assert result.state.counts == {"images": 1, "classes": 1, "objects": 2, "detections": 1}
    assert result.summary["AR100"] == 0.5


def test_evaluate_class_agnostic_of_masks():
    size = np.zeros((2, 4, 4), dtype=np.uint8)
    size[0, :2], size[1, 2:] = 1, 1
    masks = Masks.from_dense(size)
    targets = Targets(None, labels=[1, 2], images=[0, 0], masks=masks)
    found = Detections(None, [0.9, 0.8], [2, 1], [0, 0], masks=masks)

    assert detection.evaluate(targets, found, kind="segm").summary["AP"] == 0
    assert detection.evaluate(targets, found, kind="segm", class_agnostic=True).summary["AP"] == 1


def test_analyses_of_class_agnostic_know_one_class():
    targets, found = Targets([A, B], labels=[1, 2], images=[0, 0]), Detections([A, C], [0.9, 0.8], [2, 1], [0, 0])
    result = detection.evaluate(targets, found, class_agnostic=True)

    assert result.confusion(0.25).counts.tolist() == [[1, 1], [1, 0]]
    assert result.errors().counts["classification"] == 0
    assert result.errors().counts["background"] == 1
    assert result.mean_iou[0].tolist() == [1.0]
    assert result.lrp().all[0].tolist() == [2 / 3]
    assert result.matches.labels.tolist() == [0, 0]


def test_evaluator_class_agnostic_in_parts_equals_evaluate():
    rng = np.random.default_rng(0)
    low = rng.integers(0, 8, (60, 2))
    boxes = np.concatenate([low, low + rng.integers(2, 9, (60, 2))], axis=1)
    labels, images, scores = rng.integers(4, size=60), rng.integers(6, size=60), rng.integers(4, size=60) / 4
    whole = detection.evaluate(
        Targets(boxes, labels, images), Detections(boxes[::-1], scores, labels, images[::-1]), class_agnostic=True
    )
    evaluator, other = (detection.Evaluator(class_agnostic=True, keep_boxes=True) for _ in range(2))
    for part, image in enumerate(range(6)):
        here, there = images == image, images[::-1] == image
        (evaluator, other)[part % 2].update(
            Targets(boxes[here], labels[here], images[here]),
            Detections(boxes[::-1][there], scores[there], labels[there], images[::-1][there]),
            images=[image],
        )
    evaluator.merge(other)
    result = evaluator.compute()

    np.testing.assert_array_equal(result.precision, whole.precision)
    assert result.names == {0: "any class"}
    assert result.errors().counts == whole.errors().counts


def test_state_of_class_agnostic_survives_a_file(tmp_path):
    targets, found = Targets([A], ["dog"], ["x"]), Detections([A], [0.9], ["cat"], ["x"])
    result = detection.evaluate(targets, found, class_agnostic=True)
    states.save(result.state, tmp_path / "state.npz")
    again = detection.compute([states.load(tmp_path / "state.npz")])

    assert again.summary["AP"] == result.summary["AP"] == pytest.approx(1)
    assert (again.protocol, again.names) == (result.protocol, {0: "any class"})
    assert states.describe(tmp_path / "state.npz").protocol == "coco, all classes as one"
    with_classes = detection.evaluate(targets, found).state
    with pytest.raises(ValueError, match="states must have the same protocol"):
        detection.compute([result.state, with_classes])


def test_record_of_class_agnostic_says_so():
    from omniou import report

    result = detection.evaluate(Targets([A], [1], [0]), Detections([A], [0.9], [2], [0]), class_agnostic=True)
    record = report.record(result)
    protocol = json.loads(record.to_json())["protocol"]
    assert (protocol["name"], protocol["class_agnostic"]) == ("coco", True)
    assert "the rules of coco, all classes as one" in record.title


def test_bad_class_agnostic_raises():
    targets, found = Targets([A], [1], [0]), Detections([A], [0.9], [2], [0])
    with pytest.raises(TypeError, match="`class_agnostic` must be True or False, got str"):
        detection.evaluate(targets, found, class_agnostic="yes")
    with pytest.raises(ValueError, match="`groups` name some of the classes"):
        detection.evaluate(targets, found, class_agnostic=True, groups={"r": [1]})
    with pytest.raises(ValueError, match="`groups` name some of the classes"):
        detection.Evaluator(class_agnostic=True, groups={"r": [1]})


def test_evaluate_class_agnostic_of_nothing():
    result = detection.evaluate(Targets([], [], []), Detections([], [], [], []), class_agnostic=True)

    assert result.classes.tolist() == [0]
    assert np.isnan(result.summary["AP"])
