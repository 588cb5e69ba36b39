"""`compat=True` against torchmetrics' own classes, with either of its backends."""

import math

import pytest
import torch

import tests.torchvision_ops  # noqa: F401  (before torchmetrics, which imports torchvision)

pytest.importorskip("torchmetrics", reason="torchmetrics is not installed")

from torchmetrics import detection as theirs

from omniou_integrations import torchmetrics as ours
from tests.integrations.samples import images, sample

SCORES = (
    "IntersectionOverUnion",
    "GeneralizedIntersectionOverUnion",
    "DistanceIntersectionOverUnion",
    "CompleteIntersectionOverUnion",
)


def assert_equal(actual, expected):
    assert list(actual) == list(expected)
    for key, value in expected.items():
        if key.endswith("ious"):
            assert_ious(actual[key], value)
            continue
        assert actual[key].dtype == value.dtype, key
        torch.testing.assert_close(actual[key], value, rtol=1e-6, atol=1e-6, msg=lambda text, key=key: f"{key}: {text}")


def assert_ious(actual, expected):
    assert set(actual) == set(expected)
    for group, value in expected.items():
        if isinstance(value, torch.Tensor):
            torch.testing.assert_close(actual[group], value, rtol=0, atol=1e-6)
        else:
            assert list(actual[group]) == list(value) == []


def compare(name, preds, target, batches=1, **options):
    adapter = getattr(ours, name)(compat=True, **options)
    oracle = getattr(theirs, name)(**options)
    for metric in (adapter, oracle):
        metric.warn_on_many_detections = False
        for k in range(batches):
            metric.update(preds[k::batches], target[k::batches])
    assert_equal(adapter.compute(), oracle.compute())


OPTIONS = {
    "default": {},
    "classes": {"class_metrics": True},
    "micro": {"average": "micro"},
    "micro, classes": {"average": "micro", "class_metrics": True},
    "extended": {"extended_summary": True},
    "extended, micro": {"extended_summary": True, "average": "micro", "class_metrics": True},
    "one threshold": {"iou_thresholds": [0.5], "class_metrics": True},
    "thresholds in any order": {"iou_thresholds": [0.75, 0.3, 0.6], "extended_summary": True},
    "no usual threshold": {"iou_thresholds": [0.1, 1.0], "rec_thresholds": [0.0, 0.5, 0.7], "extended_summary": True},
    "limits": {"max_detection_thresholds": [100, 1, 2], "class_metrics": True},
    "limits without 100": {"max_detection_thresholds": [1, 2, 3], "class_metrics": True, "extended_summary": True},
}


@pytest.mark.parametrize(
    ("iou_type", "backend"),
    [("bbox", "pycocotools"), ("segm", "faster_coco_eval"), (("bbox", "segm"), "pycocotools")],
    ids=str,
)
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_compat_map_equals_torchmetrics(options, iou_type, backend):
    for seed in range(2):
        compare("MeanAveragePrecision", *images(seed, 8), batches=3, iou_type=iou_type, backend=backend, **options)


@pytest.mark.parametrize("box_format", ["xyxy", "xywh", "cxcywh"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_compat_map_of_formats_and_dtypes_equals_torchmetrics(box_format, dtype):
    for seed in range(2):
        preds, target = images(seed, 8, grid=4.3)
        for one in (*preds, *target):
            one["boxes"] = one["boxes"].to(dtype)
        compare("MeanAveragePrecision", preds, target, box_format=box_format)


def test_compat_map_without_boxes_equals_torchmetrics():
    nothing = sample([]) | {"scores": torch.zeros(0), "masks": torch.zeros(0, 9, 9, dtype=torch.bool)}
    something = sample([[0, 0, 9, 9]], [3]) | {"scores": torch.ones(1), "masks": torch.ones(1, 9, 9, dtype=torch.bool)}
    cases = [([], []), ([nothing], [nothing]), ([nothing], [something]), ([something], [nothing])]
    for preds, target in cases:
        for iou_type in ("bbox", "segm"):
            compare("MeanAveragePrecision", preds, target, iou_type=iou_type, class_metrics=True)
    # torchmetrics counts detections in images without objects for boxes, but not for masks.
    for iou_type in ("bbox", "segm"):
        compare("MeanAveragePrecision", [something] * 2, [something, nothing], iou_type=iou_type, extended_summary=True)


def test_results_that_torchmetrics_gets_wrong():
    """Results of torchmetrics 1.9 that `compat=True` reproduces, beside the correct ones."""
    box = sample([[0, 0, 100, 100]])
    pred = box | {"scores": torch.ones(1)}
    at = {"preds": [pred], "target": [box]}

    limits = {"max_detection_thresholds": [1, 10, 50]}
    assert theirs.MeanAveragePrecision(**limits)(**at)["map"] == -1
    assert ours.MeanAveragePrecision(**limits)(**at)["map"] == 1

    pred = sample([[0, 0, 10, 6]]) | {"scores": torch.ones(1)}
    at = {"preds": [pred], "target": [sample([[0, 0, 10, 10]])]}
    assert theirs.MeanAveragePrecision()(**at)["map"] == pytest.approx(0.2)
    assert ours.MeanAveragePrecision()(**at)["map"] == pytest.approx(0.3)

    mask = {"masks": torch.ones(1, 9, 9, dtype=torch.bool), "labels": torch.zeros(1, dtype=torch.int64)}
    none = {"masks": torch.zeros(0, 9, 9, dtype=torch.bool), "labels": torch.zeros(0, dtype=torch.int64)}
    at = {"preds": [mask | {"scores": torch.tensor([x])} for x in (0.5, 0.9)], "target": [mask, none]}
    assert theirs.MeanAveragePrecision(iou_type="segm")(**at)["map"] == 1  # the false positive is ignored
    assert ours.MeanAveragePrecision(iou_type="segm")(**at)["map"] == 0.5

    perfect = sample([[0, 0, 10, 10], [20, 20, 30, 30]])
    assert theirs.IntersectionOverUnion()([perfect], [perfect])["iou"] == 0.5
    assert ours.IntersectionOverUnion()([perfect], [perfect])["iou"] == 1

    assert theirs.IntersectionOverUnion()([], [])["iou"] == 0
    assert math.isnan(ours.IntersectionOverUnion()([], [])["iou"])


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("respect_labels", [True, False])
@pytest.mark.parametrize("iou_threshold", [None, 0.3])
@pytest.mark.parametrize("box_format", ["xyxy", "xywh", "cxcywh"])
def test_compat_scores_equal_torchmetrics(name, respect_labels, iou_threshold, box_format):
    options = {"respect_labels": respect_labels, "iou_threshold": iou_threshold, "box_format": box_format}
    for seed in range(2):
        preds, target = images(seed, 8)
        compare(name, preds, target, batches=3, **options)
        # With classes torchmetrics takes no image that has predictions and no target: an IndexError.
        both = [(p, t) for p, t in zip(preds, target, strict=True) if len(t["labels"]) or not len(p["labels"])]
        compare(name, *map(list, zip(*both, strict=True)), batches=2, class_metrics=True, **options)


@pytest.mark.parametrize("name", SCORES)
def test_compat_scores_without_boxes_equal_torchmetrics(name):
    nothing, something = sample([]), sample([[0, 0, 9, 9], [0, 0, 5, 5]], [3, 4])
    for preds, target in (([], []), ([nothing], [nothing]), ([nothing], [something]), ([something], [nothing])):
        for respect_labels in (True, False):
            compare(name, preds, target, respect_labels=respect_labels)
