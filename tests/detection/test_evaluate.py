"""COCO's rules, one by one, with numbers worked out by hand; on every array library."""

import dataclasses
import functools
import json
import math

import array_api_compat as compat
import numpy as np
import pytest

from omniou import detection
from omniou.detection import COCO, Detections, Targets
from tests.helpers import numbers
from tests.places import EXAMPLE

pytestmark = pytest.mark.computes("values decide the shapes of an evaluation")

# Published with the detections, in full precision by pycocotools 2.0.11.
PUBLISHED = {
    "AP": 0.5045806987249628,
    "AP50": 0.6969727247299577,
    "AP75": 0.5729816669904824,
    "APs": 0.5856257209410443,
    "APm": 0.5193996948036719,
    "APl": 0.5013978986347466,
    "AR1": 0.38681277964578054,
    "AR10": 0.5936795762842003,
    "AR100": 0.595352982877607,
    "ARs": 0.6398109626113442,
    "ARm": 0.5664205978994309,
    "ARl": 0.5642905982905982,
}

A, B, DISJOINT = [0, 0, 10, 10], [20, 20, 30, 30], [70, 70, 80, 80]


def columns(xp, kind, rows, **more):
    """One class and image where no other is given, as arrays of the library."""
    given = {"boxes": rows, "labels": [1] * len(rows), "images": [1] * len(rows)} | more
    if kind is Detections and "scores" not in given:
        given["scores"] = [1 - 0.01 * k for k in range(len(rows))]
    floats = {"boxes", "scores", "area"}
    arrays = {k: xp.asarray(v, dtype=xp.float64 if k in floats else xp.int64) for k, v in given.items()}
    for name in {"crowd", "ignore"} & given.keys():
        arrays[name] = xp.asarray(given[name], dtype=xp.bool)
    arrays["boxes"] = xp.reshape(arrays["boxes"], (-1, 4))
    return kind(**arrays)


def summary(xp, truth, detections, *, truth_more=(), detections_more=(), **options):
    targets = columns(xp, Targets, truth, **dict(truth_more))
    return detection.evaluate(targets, columns(xp, Detections, detections, **dict(detections_more)), **options).summary


def close(value):
    return pytest.approx(value, abs=1e-12, nan_ok=True)


def test_evaluate_of_perfect_detections(xp):
    s = summary(xp, [A, B], [A, B])

    assert s["AP"] == close(1)
    assert s["AR100"] == 1
    assert s["AR1"] == 0.5  # one detection for two objects
    assert s["APs"] == close(1)
    assert math.isnan(s["APm"])


@pytest.mark.proves("eager", "detection.evaluate")
def test_ap_of_two_of_three_objects_is_67_of_101(xp):
    # cocoapi#683: "should be 1"; the third object is missed, and precision is 0 at recalls above 2/3.
    assert summary(xp, [A, B, DISJOINT], [A, B])["AP"] == close(67 / 101)


@pytest.mark.parametrize(("first", "ap"), [("hit", 1.0), ("miss", 0.5)])
def test_equal_scores_are_ranked_in_input_order(xp, first, ap):
    # cocoapi#650
    detections = [A, DISJOINT] if first == "hit" else [DISJOINT, A]

    assert summary(xp, [A], detections, detections_more={"scores": [0.5, 0.5]})["AP"] == close(ap)


def test_equal_scores_are_ranked_by_image_first(xp):
    # The false positive of image 1 ranks before the hit of image 2, though it comes last in the input.
    s = summary(
        xp, [A], [A, DISJOINT], truth_more={"images": [2]}, detections_more={"images": [2, 1], "scores": [0.5, 0.5]}
    )

    assert s["AP"] == close(0.5)


def test_detection_in_image_without_objects_is_false_positive(xp):
    # supervision#1836
    s = summary(xp, [A], [A, A], detections_more={"images": [1, 2], "scores": [0.9, 0.95]})

    assert s["AP"] == close(0.5)


def test_class_without_objects_is_excluded_from_ap(xp):
    s = summary(xp, [A], [A, A], detections_more={"labels": [1, 5], "scores": [0.9, 0.95]})

    assert s["AP"] == close(1)


@pytest.mark.parametrize(("side", "ap"), [(6, 0.3), (7, 0.5), (8, 0.7), (9, 0.9)])
def test_iou_equal_to_threshold_matches(xp, side, ap):
    # In float32, 0.6 and 0.8 are rounded up.
    assert summary(xp, [A], [[0, 0, side, 10]])["AP"] == close(ap)


def test_detection_matches_object_of_highest_iou(xp):
    near, exact = [0, 0, 10, 9], A

    assert summary(xp, [near, exact], [exact, near])["AP"] == close(1)
    assert summary(xp, [exact, near], [exact, near])["AP"] == close(1)


@pytest.mark.parametrize("later", ["right", "left"])
def test_later_object_of_equal_iou_is_matched(xp, later):
    # The first detection overlaps both objects by 9/11, the second is the right one exactly and has 8/12 with the left.
    left, right, middle = [0, 0, 10, 10], [2, 0, 12, 10], [1, 0, 11, 10]
    truth = [left, right] if later == "right" else [right, left]
    half = 51 / 101
    # With the right object matched by the first, the second detection matches the left one up to .65, no object up
    # to .8, and the right one from .85.
    expected = (4 * 1 + 3 * half + 3 * half / 2) / 10 if later == "right" else (7 * 1 + 3 * half / 2) / 10

    assert summary(xp, truth, [middle, right])["AP"] == close(expected)


def test_object_is_matched_once(xp):
    assert summary(xp, [A], [A, A])["AP"] == close(1)  # the duplicate ranks after full recall
    assert summary(xp, [A, B], [A, A, B])["AP"] == close((51 + 50 * 2 / 3) / 101)


def test_crowd_matches_any_number_of_detections(xp):
    # The overlap with a crowd is intersection over detection area; detections matched to it are ignored.
    s = summary(xp, [A, [0, 0, 60, 60]], [B, B, A], truth_more={"crowd": [False, True]})

    assert s["AP"] == close(1)


def test_ignored_object_matches_one_detection(xp):
    # cocoapi#322: the second detection of it is a false positive, ranked above the hit.
    s = summary(xp, [A, B], [B, B, A], truth_more={"ignore": [False, True]})

    assert s["AP"] == close(0.5)
    assert s["AR100"] == 1


def test_matching_prefers_objects_that_are_not_ignored(xp):
    # The ignored object has the higher overlap, and so has the crowd.
    for kind in ("ignore", "crowd"):
        s = summary(xp, [[0, 0, 10, 9], A], [A], truth_more={kind: [False, True]})
        assert s["AP"] == close(0.9)  # up to .9 it matches the counted object, at .95 the ignored one


def test_area_ranges_include_both_bounds(xp):
    s = summary(xp, [[0, 0, 32, 32]], [[0, 0, 32, 32]])

    assert s["APs"] == s["APm"] == close(1)
    assert math.isnan(s["APl"])


def test_area_column_decides_area_range(xp):
    s = summary(xp, [A], [A], truth_more={"area": [5000.0]})

    assert s["APm"] == close(1)
    assert math.isnan(s["APs"])


def test_unmatched_detections_outside_area_range_are_ignored(xp):
    s = summary(xp, [A], [[40, 40, 90, 90], A])

    assert s["AP"] == close(0.5)
    assert s["APs"] == close(1)


@pytest.mark.parametrize("limits", [(1, 10, 50), (3,), (1, 10, 100, 1000)])
def test_max_detections_of_any_length(xp, limits):
    # torchmetrics#1153: pycocotools gives -1 unless the third limit is 100.
    s = summary(xp, [A], [A], protocol=dataclasses.replace(COCO, max_detections=limits))

    assert s["AP"] == close(1)
    assert [name for name in s if name[2:].isdigit() and name.startswith("AR")] == [f"AR{n}" for n in limits]


def test_detections_above_max_detections_are_dropped(xp):
    detections = [DISJOINT] * 100 + [A]

    assert summary(xp, [A], detections, detections_more={"scores": [0.5] * 101})["AR100"] == 0
    assert summary(xp, [A], detections, detections_more={"scores": [0.5] * 100 + [0.6]})["AR100"] == 1


def test_result_shapes_and_scores(xp):
    result = detection.evaluate(
        columns(xp, Targets, [A, B], labels=[3, 7]),
        columns(xp, Detections, [A, DISJOINT], labels=[3, 3], scores=[0.75, 0.5]),
    )

    assert [int(k) for k in result.classes] == [3, 7]
    assert tuple(result.precision.shape) == tuple(result.scores.shape) == (10, 101, 2, 4, 3)
    assert tuple(result.recall.shape) == (10, 2, 4, 3)
    assert numbers(result.objects).tolist() == [[1, 1, 0, 0], [1, 1, 0, 0]]
    assert (numbers(result.scores)[:, :, 0, 0, 2] == 0.75).all()
    assert (numbers(result.scores)[:, :, 1, 0, 2] == 0).all()
    assert numbers(result.per_class["AP"]) == close(np.asarray([1, 0]))
    assert np.isnan(numbers(result.precision)[:, :, :, 2:]).all()
    assert (numbers(result.with_minus_one()["precision"])[:, :, :, 2:] == -1).all()
    assert result.with_minus_one()["stats"][4] == -1


def test_evaluate_without_detections(xp):
    s = summary(xp, [A, B], [])

    assert s["AP"] == s["AP50"] == s["APs"] == s["AR1"] == s["AR100"] == 0
    assert math.isnan(s["APl"])


@pytest.mark.parametrize("detections", [[], [A, B]])
def test_evaluate_without_objects(xp, detections):
    assert all(math.isnan(value) for value in summary(xp, [], detections).values())


def test_evaluate_of_crowds_only(xp):
    assert all(math.isnan(value) for value in summary(xp, [A], [A], truth_more={"crowd": [True]}).values())


def test_evaluate_with_classes_and_images_options(xp):
    targets = columns(xp, Targets, [A, A, A], labels=[1, 2, 1], images=[1, 1, 9])
    detections = columns(xp, Detections, [A], labels=[1], images=[1])

    result = detection.evaluate(targets, detections, classes=[4, 1], images=xp.asarray([1, 3]))

    assert [int(k) for k in result.classes] == [1, 4]
    assert result.summary["AP"] == close(1)
    assert detection.evaluate(targets, detections).summary["AP"] == close(51 / 101 / 2)


@pytest.mark.parametrize(
    ("format", "truth", "detections"),
    [
        ("xyxy", [0, 2, 10, 12], [0, 2, 6, 12]),
        ("yxyx", [2, 0, 12, 10], [2, 0, 12, 6]),
        ("xywh", [0, 2, 10, 10], [0, 2, 6, 10]),
        ("cxcywh", [5, 7, 10, 10], [3, 7, 6, 10]),
    ],
)
def test_evaluate_in_every_box_format(xp, format, truth, detections):
    assert summary(xp, [truth], [detections], format=format)["AP"] == close(0.3)


def test_evaluate_with_offset(xp):
    # 5 x 10 of 10 x 10 pixels: with sides of 4 + 1 and 9 + 1 the overlap is a half, without it 36 / 81.
    assert summary(xp, [[0, 0, 9, 9]], [[0, 0, 4, 9]], offset=1)["AP"] == close(0.1)
    assert summary(xp, [[0, 0, 9, 9]], [[0, 0, 4, 9]])["AP"] == 0


def test_evaluate_of_narrow_dtypes(xp):
    targets = Targets(
        boxes=xp.asarray([[0, 0, 200, 200]], dtype=xp.uint8),
        labels=xp.asarray([1], dtype=xp.int32),
        images=xp.asarray([0], dtype=xp.uint8),
        crowd=xp.asarray([0], dtype=xp.uint8),
    )
    detections = Detections(
        boxes=xp.asarray([[0.0, 0, 120, 200]], dtype=xp.float32),
        scores=xp.asarray([0.5], dtype=xp.float32),
        labels=xp.asarray([1], dtype=xp.int64),
        images=xp.asarray([0], dtype=xp.int32),
    )

    result = detection.evaluate(targets, detections)

    assert result.summary["AP"] == close(0.3)
    assert result.precision.dtype == xp.float64
    for x in (result.precision, result.recall, result.classes, result.objects, *result.per_class.values()):
        assert compat.array_namespace(x) is compat.array_namespace(detections.boxes)


def test_evaluate_of_lists():
    result = detection.evaluate(
        Targets(boxes=[A, B], labels=[1, 1], images=[0, 0], crowd=[False, True]),
        Detections(boxes=[A], scores=[1], labels=[1], images=[0]),
    )

    assert result.summary["AP"] == close(1)
    assert isinstance(result.precision, np.ndarray)


def test_evaluate_of_lists_beside_arrays(xp):
    detections = columns(xp, Detections, [A])

    result = detection.evaluate(Targets(boxes=[A], labels=[1], images=[1]), detections)

    assert result.summary["AP"] == close(1)
    assert compat.array_namespace(result.recall) is compat.array_namespace(detections.boxes)


def test_evaluate_of_example_equals_pycocotools(xp):
    truth = json.loads((EXAMPLE / "ground_truth.json").read_text("utf-8"))
    detections = json.loads((EXAMPLE / "detections.json").read_text("utf-8"))
    names = {"boxes": "bbox", "labels": "category_id", "images": "image_id"}
    more = {"crowd": "iscrowd", "area": "area"}
    tables = (
        columns(xp, Targets, **_columns(truth["annotations"], names | more)),
        columns(xp, Detections, **_columns(detections, names | {"scores": "score"})),
    )

    result = detection.evaluate(*tables, format="xywh", classes=[c["id"] for c in truth["categories"]])

    assert result.summary == close(PUBLISHED)


def _columns(records, names):
    detections = {column: [record[field] for record in records] for column, field in names.items()}
    return detections | {"rows": detections.pop("boxes")}


def test_evaluate_of_jax_without_x64():
    jax = pytest.importorskip("jax", reason="needs JAX")
    with jax.enable_x64(False):
        tables = columns32(jax.numpy, [[0, 0, 10, 10]], [[0, 0, 6, 10]])
        result = detection.evaluate(*tables)

        assert result.summary["AP"] == close(0.3)  # decided in 64 bits
        assert result.precision.dtype == jax.numpy.float32
        assert result.precision.device == tables[0].boxes.device


def columns32(xp, truth, detections):
    one = xp.asarray([1])
    return (
        Targets(boxes=xp.asarray(truth, dtype=xp.float32), labels=one, images=one),
        Detections(boxes=xp.asarray(detections, dtype=xp.float32), scores=xp.asarray([0.5]), labels=one, images=one),
    )


def test_evaluate_of_tensors_that_require_grad():
    torch = pytest.importorskip("torch", reason="needs torch")
    targets, detections = columns32(torch, [[0.0, 0, 10, 10]], [[0.0, 0, 6, 10]])
    detections.boxes.requires_grad_()
    detections.scores.requires_grad_()

    result = detection.evaluate(targets, detections)

    assert result.summary["AP"] == close(0.3)
    assert not result.scores.requires_grad


def test_precision_of_adjacent_classes_is_separate(xp):
    """Without a recall point of 0, the first hit of the second class contributes to none of its points."""
    protocol = dataclasses.replace(COCO, iou_thresholds=(0.5,), recall_points=(0.9,))
    # Class 1: a false positive before its only hit. Class 2: a hit, two false positives, a hit.
    truth, detections = [A, A, B], [DISJOINT, A, A, DISJOINT, DISJOINT, B]
    result = detection.evaluate(
        columns(xp, Targets, truth, labels=[1, 2, 2]),
        columns(xp, Detections, detections, labels=[1, 1, 2, 2, 2, 2]),
        protocol=protocol,
    )
    assert numbers(result.precision)[0, 0, :, 0, 2].tolist() == close([1 / 2, 2 / 4])


def test_result_does_not_change_when_input_is_overwritten():
    boxes, scores, labels = np.array([[0.0, 0, 10, 10], [20, 20, 30, 30]]), np.array([0.9, 0.8]), np.array([1, 1])
    images = np.array([0, 1])
    truth = detection.Targets(boxes.copy(), labels, images)
    columns = {"boxes": boxes, "scores": scores, "labels": labels.copy(), "images": images.copy()}
    result = detection.evaluate(truth, detection.Detections(**columns))
    for column in columns.values():
        column[...] = 7
    assert result.matches.overlaps[0].tolist() == [1, 1]
    assert result.summary["AP"] == 1


@pytest.mark.parametrize(
    ("option", "given", "nearest"),
    [
        ("protocol", "voc", "voc2010"),
        ("protocol", "pascal_voc", "voc2010"),
        ("protocol", "COCO", "coco"),
        ("kind", "mask", "segm"),
        ("kind", "boxes", "bbox"),
        ("kind", "3d", "boxes3d"),
        ("score", "GIoU", "giou"),
        ("format", "xyhw", "xywh"),
    ],
)
def test_unknown_choice_names_the_nearest(option, given, nearest):
    message = f"^`{option}` must be one of '.*', got '{given}'; did you mean '{nearest}'\\?$"
    for call in (detection.Evaluator, functools.partial(detection.evaluate, [], [])):
        with pytest.raises(ValueError, match=message):
            call(**{option: given})
