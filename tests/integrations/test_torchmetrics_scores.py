"""Means of IoU, GIoU, DIoU and CIoU: values worked out by hand."""

import math
import pickle

import pytest
import torch

from omniou import boxes
from omniou_integrations.torchmetrics import (
    BoxScore,
    CompleteIntersectionOverUnion,
    DistanceIntersectionOverUnion,
    GeneralizedIntersectionOverUnion,
    IntersectionOverUnion,
)
from tests.integrations.samples import sample

CLASSES = {
    "iou": IntersectionOverUnion,
    "giou": GeneralizedIntersectionOverUnion,
    "diou": DistanceIntersectionOverUnion,
    "ciou": CompleteIntersectionOverUnion,
}
NOTHING = [[], []]
TWO = [[0, 0, 10, 10], [20, 20, 30, 30]]


def value(metric, *images):
    """Result for (predicted boxes, their labels, target boxes, their labels) of each image."""
    preds = [sample(image[0], image[1]) for image in images]
    target = [sample(image[2], image[3]) for image in images]
    return {key: x.item() for key, x in metric(preds, target).items()}


# Predicted boxes and labels, target boxes and labels of each image. An unpaired box scores -1, for IoU 0.
MATCHED = {
    "perfect": ([(TWO, [0, 0], TWO, [0, 0])], {"iou": 1, "giou": 1, "diou": 1, "ciou": 1}),
    "perfect in another order": ([(TWO[::-1], [0, 0], TWO, [0, 0])], {"iou": 1, "giou": 1, "diou": 1, "ciou": 1}),
    "a quarter": ([([[0, 0, 1, 1]], [0], [[0, 0, 2, 2]], [0])], {"iou": 1 / 4, "giou": 1 / 4}),
    "disjoint": (
        [([[0, 0, 2, 2]], [0], [[2, 0, 4, 2]], [0])],
        {"iou": 0, "giou": 0, "diou": -4 / 20, "ciou": -4 / 20},
    ),
    "one perfect, two targets without predictions": (
        [([TWO[0]], [0], [TWO[0]], [0]), ([], [], TWO, [0, 0])],
        {"iou": 1 / 3, "giou": -1 / 3, "diou": -1 / 3, "ciou": -1 / 3},
    ),
    "one perfect, two predictions without targets": (
        [(TWO, [0, 0], [], []), ([TWO[0]], [0], [TWO[0]], [0])],
        {"iou": 1 / 3, "giou": -1 / 3},
    ),
    "a duplicate": ([([TWO[0], TWO[0]], [0, 0], [TWO[0]], [0])], {"iou": 1 / 2, "giou": 0}),
    "another label": ([([TWO[0]], [1], [TWO[0]], [0])], {"iou": 0, "giou": -1}),
    # Both predictions overlap the left target: the better is paired with it, the other with the right target, IoU 0.
    "contested": (
        [([[0, 0, 1, 1], [0, 0, 2, 1]], [0, 0], [[0, 0, 2, 1], [2, 0, 3, 1]], [0, 0])],
        {"iou": (1 + 0) / 2, "giou": (1 - 1 / 3) / 2},
    ),
    "degenerate": ([([[3, 3, 3, 3]], [0], [[3, 3, 3, 3]], [0])], {"iou": 0, "giou": 0}),
}


@pytest.mark.parametrize(("images", "expected"), MATCHED.values(), ids=MATCHED)
@pytest.mark.parametrize("key", CLASSES)
def test_matched_pairing_by_hand(key, images, expected):
    if key in expected:
        assert value(CLASSES[key](), *images) == pytest.approx({key: expected[key]}, abs=1e-7)


@pytest.mark.parametrize("key", CLASSES)
@pytest.mark.parametrize("images", [[], [(*NOTHING, *NOTHING)]])
@pytest.mark.parametrize("pairing", ["matched", "all"])
def test_mean_without_boxes_is_nan(key, images, pairing):
    assert value(CLASSES[key](pairing=pairing), *images) == pytest.approx({key: math.nan}, nan_ok=True)


def test_mean_of_class_without_boxes_is_nan():
    metric = IntersectionOverUnion(class_metrics=True, num_classes=3)
    image = ([*TWO, [0, 0, 1, 1]], [0, 2, 2], [TWO[0], [20, 20, 30, 25]], [0, 2])

    expected = {"iou": 1.5 / 3, "iou/cl_0": 1, "iou/cl_1": math.nan, "iou/cl_2": 0.5 / 2}
    assert value(metric, image) == pytest.approx(expected, nan_ok=True)


def test_pair_of_two_labels_is_in_mean_of_target_class():
    metric = IntersectionOverUnion(class_metrics=True, num_classes=2, respect_labels=False)

    assert value(metric, ([TWO[0]], [1], TWO, [0, 0])) == pytest.approx(
        {"iou": 1 / 2, "iou/cl_0": 1 / 2, "iou/cl_1": math.nan}, nan_ok=True
    )


def test_empty_target_with_class_metrics():  # an IndexError in torchmetrics 1.9
    metric = IntersectionOverUnion(class_metrics=True, num_classes=1)

    assert value(metric, (TWO, [0, 0], *NOTHING)) == {"iou": 0, "iou/cl_0": 0}


def test_iou_threshold_drops_pairs_below_it():
    image = ([[0, 0, 2, 2], [5, 5, 6, 6]], [0, 0], [[0, 0, 2, 1], [5, 5, 6, 6]], [0, 0])

    assert value(IntersectionOverUnion(iou_threshold=0.5), image) == {"iou": (0.5 + 1) / 2}
    assert value(IntersectionOverUnion(iou_threshold=0.51), image) == pytest.approx({"iou": (0 + 0 + 1) / 3})
    assert value(IntersectionOverUnion(iou_threshold=0.51, pairing="all"), image) == {"iou": 1}


# Values from the documentation of torchmetrics, and its results for two perfect boxes.
DOCUMENTED = [[296.55, 93.96, 314.97, 152.79], [298.55, 98.96, 314.97, 151.79]]
DOCUMENTED_TARGET = [300.0, 100.0, 315.0, 150.0]
ALL = [
    ("iou", {}, (DOCUMENTED, [4, 5], [DOCUMENTED_TARGET], [5]), {"iou": 0.8614}),
    ("giou", {}, (DOCUMENTED, [4, 5], [DOCUMENTED_TARGET], [5]), {"giou": 0.8613}),
    ("diou", {}, (DOCUMENTED, [4, 5], [DOCUMENTED_TARGET], [5]), {"diou": 0.8611}),
    ("ciou", {}, (DOCUMENTED, [4, 5], [DOCUMENTED_TARGET], [5]), {"ciou": 0.8611}),
    (
        "iou",
        {"class_metrics": True, "num_classes": 6},
        (DOCUMENTED, [4, 5], [DOCUMENTED_TARGET, DOCUMENTED_TARGET], [4, 5]),
        {"iou": 0.7756, "iou/cl_4": 0.6898, "iou/cl_5": 0.8614},
    ),
    ("iou", {}, (TWO, [0, 0], TWO, [0, 0]), {"iou": 0.5}),
    ("giou", {}, (TWO, [0, 0], TWO, [0, 0]), {"giou": 0.1111}),
    ("iou", {"respect_labels": False}, (TWO, [0, 1], TWO, [1, 0]), {"iou": 0.5}),
]


@pytest.mark.parametrize(("key", "options", "image", "expected"), ALL)
def test_all_pairs_equal_documented_values_of_torchmetrics(key, options, image, expected):
    actual = value(CLASSES[key](pairing="all", **options), image)

    assert {key: x for key, x in actual.items() if not math.isnan(x)} == pytest.approx(expected, abs=5e-5)


def test_all_pairs_with_image_without_predictions():
    images = ([TWO[0]], [0], [TWO[0]], [0]), ([], [], TWO, [0, 0])

    assert value(IntersectionOverUnion(pairing="all"), *images) == pytest.approx({"iou": 1 / 3})


@pytest.mark.parametrize(
    ("box_format", "box"), [("yxyx", [0, 1, 2, 4]), ("xywh", [1, 0, 3, 2]), ("cxcywh", [2.5, 1, 3, 2])]
)
def test_iou_in_every_box_format(box_format, box):
    image = ([box], [0], [box], [0])
    half = [box[0], box[1], box[2], box[3]]
    half[2 if box_format == "yxyx" else 3] = 1  # the upper half, or half the height around the same centre

    assert value(IntersectionOverUnion(box_format), image) == {"iou": 1}
    assert value(IntersectionOverUnion(box_format), ([half], [0], [box], [0])) == {"iou": 0.5}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64, torch.int32, torch.uint8])
def test_iou_of_every_dtype(dtype):
    metric = IntersectionOverUnion()
    metric.update([sample([[0, 0, 100, 200]], dtype=dtype)], [sample([[0, 0, 100, 100]], dtype=dtype)])
    # Empty tensors often have another dtype than the others.
    metric.update([sample([[0, 0, 100, 100]], dtype=dtype), sample([])], [sample([[0, 0, 100, 100]])] * 2)

    assert metric.compute()["iou"].dtype == torch.float32
    assert metric.compute()["iou"].item() == pytest.approx((0.5 + 1 + 0) / 3)


def test_empty_image_does_not_narrow_dtype_of_others():
    large = 2**25  # float32 cannot represent odd numbers there
    image = sample([[large, 0, large + 1, 1]], dtype=torch.int64)

    assert IntersectionOverUnion()([image, sample([])], [image, sample([])]) == {"iou": torch.tensor(1.0)}


def test_labels_are_optional_without_respect_labels():
    metric = IntersectionOverUnion(respect_labels=False)

    assert metric([{"boxes": torch.tensor(TWO)}], [{"boxes": torch.tensor(TWO)}]) == {"iou": torch.tensor(1.0)}


def test_flat_empty_tensor_is_no_boxes():
    empty = {"boxes": torch.tensor([]), "labels": torch.tensor([])}

    assert IntersectionOverUnion()([empty], [sample(TWO)]) == {"iou": torch.tensor(0.0)}


def test_nan_score_gives_nan():
    broken = [[math.nan, 0, 1, 1], TWO[1]]
    metric = IntersectionOverUnion(class_metrics=True, num_classes=2)

    expected = {"iou": math.nan, "iou/cl_0": math.nan, "iou/cl_1": 1}
    assert value(metric, (broken, [0, 1], TWO, [0, 1])) == pytest.approx(expected, nan_ok=True)


CONTESTED = [[0, 0, 3, 1], [0, 0, 2, 1]]
TARGETS = [[0, 0, 1, 1], [2, 0, 3, 1]]


def test_pairing_options_by_hand():
    """IoU is 1/3 and 1/3 for the first prediction, 1/2 and 0 for the second."""
    image = (CONTESTED, [0, 0], TARGETS, [0, 0])

    # The best pair first; the first prediction is then paired with the second target.
    assert value(IntersectionOverUnion(pairing="matched"), image) == pytest.approx({"iou": (1 / 2 + 1 / 3) / 2})
    assert value(IntersectionOverUnion(pairing="aligned"), image) == pytest.approx({"iou": (1 / 3 + 0) / 2})
    assert value(IntersectionOverUnion(pairing="all"), image) == pytest.approx({"iou": (1 / 3 + 1 / 3 + 1 / 2 + 0) / 4})


def test_hungarian_has_highest_sum():
    pytest.importorskip("scipy", reason="assignment is SciPy's")
    # IoU 3/4 and 2/3 for the first, 1/2 and 0 for the second: greedy pairing has a sum of 3/4 + 0, less than 2/3 + 1/2.
    image = ([[0, 0, 3, 1], [0, 0, 2, 1]], [0, 0], [[0, 0, 4, 1], [1, 0, 3, 1]], [0, 0])
    assert value(IntersectionOverUnion(), image) == pytest.approx({"iou": (3 / 4 + 1 / 3) / 2})
    assert value(IntersectionOverUnion(pairing="hungarian"), image) == pytest.approx({"iou": (2 / 3 + 1 / 2) / 2})
    # A pair below the threshold is dropped; its boxes count 0.
    strict = IntersectionOverUnion(pairing="hungarian", iou_threshold=0.6)
    assert value(strict, image) == pytest.approx({"iou": (3 / 4 + 0 + 0) / 3})


def test_aligned_respects_labels():
    image = (TWO, [0, 1], TWO, [0, 2])

    assert value(IntersectionOverUnion(pairing="aligned"), image) == {"iou": pytest.approx(1 / 3)}
    assert value(IntersectionOverUnion(pairing="aligned", respect_labels=False), image) == {"iou": 1}


def test_class_metrics_of_observed_classes():
    metric = IntersectionOverUnion(class_metrics=True)
    image = ([*TWO, [0, 0, 1, 1]], [0, 70, 70], [TWO[0], [20, 20, 30, 25]], [0, 70])

    assert value(metric, image) == {"iou": 0.5, "iou/cl_0": 1, "iou/cl_70": 0.25}
    assert value(metric, ([], [], TWO[:1], [3])) == {"iou": 0, "iou/cl_3": 0}
    assert {k: x.item() for k, x in metric.compute().items()} == {
        "iou": 1.5 / 4,
        "iou/cl_0": 1,
        "iou/cl_3": 0,
        "iou/cl_70": 0.25,
    }
    # Classes without pairs are reported with NaN.
    pairs = IntersectionOverUnion(class_metrics=True, pairing="all")
    assert value(pairs, (TWO[:1], [1], TWO[:1], [2])) == pytest.approx(
        {"iou": math.nan, "iou/cl_1": math.nan, "iou/cl_2": math.nan}, nan_ok=True
    )


def test_tensor_output_of_class_means():
    metric = IntersectionOverUnion(class_metrics=True, num_classes=3, output="tensor")

    actual = metric([sample(TWO, [0, 2])], [sample(TWO[:1], [0])])
    assert actual.tolist() == pytest.approx([1, math.nan, 0], nan_ok=True)


def negative_squared_distance(a, b):
    """Of the centres."""
    return -((a[..., :2] + a[..., 2:] - b[..., :2] - b[..., 2:]) / 2).square().sum(-1)


def test_box_score_of_any_function():
    image = ([[0, 0, 2, 2], [4, 4, 6, 6]], [0, 0], [[3, 4, 5, 6], [0, 0, 2, 2], [9, 9, 9, 9]], [0, 0, 0])

    assert value(BoxScore(boxes.dice, key="dice"), image) == pytest.approx({"dice": (1 + 1 / 2 + 0) / 3})
    # The squared distances of centres are 0 and 1; the third target is unpaired.
    assert value(BoxScore(negative_squared_distance, miss=-100.0), image) == pytest.approx({"score": (0 - 1 - 100) / 3})
    giou = BoxScore(boxes.giou, box_format="xywh", miss=-1.0)
    same = GeneralizedIntersectionOverUnion("xywh")
    assert value(giou, image)["score"] == value(same, image)["giou"]


def test_box_score_of_cuboids():
    cubes = [torch.tensor([[0, 0, 0, 2, 2, 2.0]]), torch.tensor([[0, 0, 0, 2, 2, 1.0]])]
    preds, target = ([{"boxes": x, "labels": torch.tensor([0])}] for x in cubes)

    assert BoxScore(boxes.iou, numbers=6)(preds, target) == {"score": torch.tensor(0.5)}


def test_compat_equals_torchmetrics():
    images = ([TWO[0]], [0], [TWO[0]], [0]), ([], [], TWO, [0, 0])

    assert value(IntersectionOverUnion(compat=True)) == {"iou": 0}
    assert value(IntersectionOverUnion(compat=True), (TWO, [0, 0], TWO, [0, 0])) == {"iou": 0.5}
    assert value(GeneralizedIntersectionOverUnion(compat=True), *images) == pytest.approx({"giou": 1 / 3})
    # torchmetrics adds a square table of zeros for the two missed targets.
    free = IntersectionOverUnion(compat=True, respect_labels=False)
    assert value(free, *images) == pytest.approx({"iou": 1 / 5})


@pytest.mark.parametrize(
    ("score", "kind"), [("giou", "rotated"), ("kld", "rotated"), ("iou", "boxes3d"), ("iou", "bev")]
)
def test_scores_of_other_shapes_are_pickled(score, kind):
    metric = BoxScore(score, kind=kind, miss=0.0)
    again = pickle.loads(pickle.dumps(metric))  # noqa: S301  (our own)
    assert again.metric_state.keys() == metric.metric_state.keys()
    assert again([], []).keys() == metric([], []).keys()
