"""Mean average precision: values worked out by hand, and equality with `omniou.detection`.

`tests/oracles/test_torchmetrics.py` compares with torchmetrics' own class.
"""

import copy
import functools
import math

import numpy as np
import pytest
import torch

from omniou_integrations.torchmetrics import MeanAveragePrecision, _map
from tests.integrations.metrics import NUMBERS, evaluate
from tests.integrations.samples import images, sample

KEYS = [*NUMBERS, "map_per_class", "mar_100_per_class", "classes"]
BOX = [[0, 0, 10, 10]]


def predicted(boxes, labels=None, scores=None):
    one = sample(boxes, labels)
    return one | {"scores": torch.tensor(scores or [1.0] * len(boxes))}


def value(preds, target, **options):
    return {key: x.tolist() for key, x in MeanAveragePrecision(**options)(preds, target).items()}


def test_result_keys_and_dtypes():
    result = MeanAveragePrecision()([predicted(BOX)], [sample(BOX, [3])])

    assert list(result) == KEYS
    assert {key: x.dtype for key, x in result.items()} == dict.fromkeys(KEYS, torch.float32) | {"classes": torch.int32}
    both = MeanAveragePrecision(iou_type=("segm", "bbox"), max_detection_thresholds=[7, 5])
    assert list(both([], []))[:9] == [
        *(f"segm_{key}" for key in KEYS[:6]),
        "segm_mar_5",
        "segm_mar_7",
        "segm_mar_small",
    ]


def test_class_metrics_and_micro_average_by_hand():
    """Class 0 is detected in both images, class 1 in one of two, class 2 in none; class 3 has no objects."""
    preds = [
        predicted([*BOX, [50, 50, 60, 60]], [0, 1], [0.9, 0.8]),
        predicted([*BOX, [70, 70, 80, 80]], [0, 3], [0.7, 0.6]),
    ]
    target = [sample([*BOX, [50, 50, 60, 60]], [0, 1]), sample([*BOX, [50, 50, 60, 60], [0, 50, 10, 60]], [0, 1, 2])]

    result = value(preds, target, class_metrics=True)

    # Half of the recall is 51 of 101 points.
    assert result["map_per_class"] == pytest.approx([1, 51 / 101, 0, math.nan], nan_ok=True)
    assert result["mar_100_per_class"] == pytest.approx([1, 0.5, 0, math.nan], nan_ok=True)
    assert result["classes"] == [0, 1, 2, 3]
    assert result["map"] == pytest.approx((1 + 51 / 101) / 3)
    assert result["map_small"] == pytest.approx(result["map"])
    assert math.isnan(result["map_medium"])
    # As one class: 3 of 5 objects, 61 of 101 points, and a false positive ranked last.
    micro = value(preds, target, average="micro", class_metrics=True)
    assert micro["map"] == pytest.approx(61 / 101)
    assert micro["map_per_class"] == pytest.approx(result["map_per_class"], nan_ok=True)
    assert micro["classes"] == [0, 1, 2, 3]


def test_no_data_is_nan_in_all_results():
    for preds, target in (([], []), ([predicted([])], [sample([])]), ([predicted(BOX)], [sample([])])):
        result = value(preds, target)
        assert all(math.isnan(result[key]) for key in KEYS[:-1])
    assert value([predicted([])], [sample(BOX)])["map"] == 0


def test_iou_equal_to_threshold_matches():
    """An IoU of 6/10 reaches 0.5, 0.55 and 0.6."""
    at = [predicted([[0, 0, 10, 6]])], [sample(BOX)]

    assert value(*at)["map"] == pytest.approx(0.3)
    assert value(*at, compat=True)["map"] == pytest.approx(0.2)
    assert value(*at, iou_thresholds=[0.6])["map"] == 1
    assert math.isnan(value(*at, iou_thresholds=[0.6])["map_50"])
    assert value(*at, iou_thresholds=[0.5])["map_50"] == 1


def test_last_limit_applies_to_map():
    at = [predicted(BOX)], [sample(BOX)]
    limits = {"max_detection_thresholds": [10, 50, 1], "class_metrics": True}

    assert value(*at, **limits)["map"] == 1
    assert value(*at, **limits)["mar_50_per_class"] == 1
    assert value(*at, **limits, compat=True)["map"] == -1
    assert value(*at, **limits, compat=True, backend="faster_coco_eval")["map"] == 1


def test_warning_of_detections_above_limit():
    metric = MeanAveragePrecision(max_detection_thresholds=[2])
    many = [predicted(BOX * 3)], [sample(BOX)]

    with pytest.warns(UserWarning, match="1 detection excluded: beyond the limit of 2 for an image and class"):
        metric.update(*many)
    metric.warn_on_many_detections = False
    metric.update(*many)
    # The limit is for each class: three detections of three classes are within it.
    metric.warn_on_many_detections = True
    metric.update([predicted(BOX * 3, [0, 1, 2])], [sample(BOX)])


def test_warning_with_compat_counts_detections_of_an_image():
    """As in torchmetrics, detections of all classes are counted, boxes or masks."""
    masks = {"masks": torch.ones(101, 2, 2, dtype=torch.bool), "labels": torch.arange(101)}
    for kind, one in (("bbox", predicted(BOX * 101, [*range(101)])), ("segm", masks | {"scores": torch.ones(101)})):
        metric = MeanAveragePrecision(iou_type=kind, compat=True)
        with pytest.warns(UserWarning, match="Encountered more than 100 detections in a single image"):
            metric.update([one], [one])


@pytest.mark.parametrize("limits", [[1, 10], [1, 10, 50, 100]])
def test_compat_without_three_limits_raises(limits):
    with pytest.raises(ValueError, match="max detection thresholds it should have length 3"):
        MeanAveragePrecision(max_detection_thresholds=limits, compat=True)
    assert MeanAveragePrecision(max_detection_thresholds=limits).max_detection_thresholds == limits


def test_false_positives_in_images_without_objects():
    mask = torch.ones(1, 4, 4, dtype=torch.bool)
    label = torch.zeros(1, dtype=torch.int64)
    hit, alarm = ({"masks": mask, "labels": label, "scores": torch.tensor([x])} for x in (0.5, 0.9))
    target = [{"masks": mask, "labels": label}, {"masks": mask[:0], "labels": label[:0]}]

    assert value([hit, alarm], target, iou_type="segm")["map"] == 0.5
    assert value([hit, alarm], target, iou_type="segm", compat=True)["map"] == 1


def test_tied_scores_do_not_depend_on_order():
    first, second = predicted([*BOX, [50, 50, 60, 60]]), predicted([[50, 50, 60, 60], *BOX])
    target = [sample(BOX)]

    assert value([first], target)["map"] == value([second], target)["map"] == 0.5
    assert value([first], target, tie_policy="file")["map"] == 1
    assert value([second], target, compat=True)["map"] == 0.5


def test_areas_of_objects():
    """Without an area, or with 0, the area is that of the mask, else of the box."""
    small, large = [[0, 0, 10, 10]], [[0, 0, 100, 100]]
    target = [sample(small) | {"area": torch.tensor([2000])}, sample(large), sample(large) | {"area": torch.zeros(1)}]
    preds = [predicted(small), predicted(large), predicted(large)]
    result = value(preds, target)
    assert (result["mar_small"], result["mar_medium"], result["mar_large"]) == pytest.approx(
        (math.nan, 1, 1), nan_ok=True
    )

    masks = {"masks": torch.ones(1, 10, 10, dtype=torch.bool)}
    result = value([predicted(large) | masks], [sample(large) | masks], iou_type=("bbox", "segm"))
    assert (result["bbox_map_small"], result["segm_map_small"]) == (1, 1)
    assert math.isnan(result["bbox_map_large"])


def test_num_classes_gives_all_classes():
    metric = MeanAveragePrecision(class_metrics=True, num_classes=4, output="tensor")

    assert metric([predicted(BOX, [2])], [sample(BOX, [2])]).tolist() == pytest.approx(
        [math.nan] * 2 + [1, math.nan], nan_ok=True
    )


def test_summary_tables():
    """One class of three; IoU 1 and 1/2 with the first of two objects, none with the second."""
    preds = [predicted([], []), predicted([[0, 0, 10, 10], [0, 0, 10, 5], [0, 0, 9, 9]], [5, 5, 3], [0.4, 0.9, 0.2])]
    target = [sample(BOX, [4]), sample([*BOX, [20, 20, 30, 30]], [5, 5]) | {"iscrowd": torch.tensor([0, 1])}]
    metric = MeanAveragePrecision(extended_summary=True, iou_thresholds=[0.9, 0.5])
    for k in range(2):
        metric.update(preds[k : k + 1], target[k : k + 1])
    result = metric.compute()

    assert list(result["ious"]) == [(i, k) for i in (0, 1) for k in (3, 4, 5)]
    assert result["ious"][1, 5].tolist() == [[0.5, 0], [1, 0]]
    assert [list(result["ious"][key]) for key in ((0, 4), (1, 3), (1, 4))] == [[], [], []]
    assert result["precision"].shape == (2, 101, 3, 4, 3)
    # Thresholds keep their order. Of class 5, the detection of IoU 1 matches at 0.9, that of higher score at 0.5.
    assert result["recall"][:, 2, 0, 2].tolist() == [1, 1]
    assert result["precision"][:, 0, 2, 0, 2].tolist() == pytest.approx([0.5, 1])
    assert result["scores"][:, 100, 2, 0, 2].tolist() == pytest.approx([0.4, 0.9])


@pytest.mark.parametrize("kind", ["bbox", "segm"])
@pytest.mark.parametrize("policy", ["file", "invariant"])
def test_compute_equals_detection_evaluate(kind, policy):
    preds, target = images(7, 30, areas=False)
    result = evaluate(preds, target, kind, policy)
    metric = MeanAveragePrecision(
        iou_type=kind, tie_policy=policy, class_metrics=True, extended_summary=True
    ).set_dtype(torch.float64)
    for k in range(0, 30, 7):
        metric.update(preds[k : k + 7], target[k : k + 7])
    ours = metric.compute()

    np.testing.assert_array_equal([ours[key].item() for key in NUMBERS], list(result.summary.values()))
    for name in ("precision", "recall", "scores"):
        np.testing.assert_array_equal(ours[name].numpy(), np.asarray(getattr(result, name)))
    np.testing.assert_array_equal(ours["map_per_class"].numpy(), np.asarray(result.per_class["AP"]))


@pytest.mark.parametrize(
    ("box_format", "box"), [("yxyx", [0, 1, 2, 4]), ("xywh", [1, 0, 3, 2]), ("cxcywh", [2.5, 1, 3, 2])]
)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_formats_and_dtypes(box_format, box, dtype):
    half = [*box]
    half[2 if box_format == "yxyx" else 3] = 1
    one = predicted([half]) | {"boxes": torch.tensor([half], dtype=dtype), "scores": torch.tensor([0.5], dtype=dtype)}

    assert value([one], [sample([box], dtype=dtype)], box_format=box_format)["map"] == pytest.approx(0.1)


def test_flat_empty_tensors_are_no_boxes():
    nothing = {key: torch.tensor([]) for key in ("boxes", "labels", "scores", "masks")}
    truth = sample(BOX) | {"masks": torch.ones(1, 4, 4, dtype=torch.uint8)}

    result = value([nothing, nothing], [truth, nothing], iou_type=("bbox", "segm"))
    assert (result["bbox_map"], result["segm_map"]) == (0, 0)


def test_state_does_not_hold_masks():
    metric = MeanAveragePrecision(iou_type="segm")
    one = {"masks": torch.rand(10, 200, 200) < 0.5, "labels": torch.arange(10)}
    metric.update([one | {"scores": torch.rand(10)}], [one])

    (kept,) = metric.metric_state.values()
    assert sum(len(x) for x in kept) < 2000


@pytest.mark.parametrize("batches", [0, 1.5, math.inf])
@pytest.mark.parametrize("kinds", ["bbox", ("segm", "bbox")])
@pytest.mark.parametrize("tie_policy", ["file", "invariant"])
def test_pending_images_do_not_change_result(monkeypatch, batches, kinds, tie_policy):
    """Exactly equal results whether images are pending, matched, or some of each, between any calls."""
    make = functools.partial(MeanAveragePrecision, iou_type=kinds, tie_policy=tie_policy, extended_summary=True)
    preds, target = images(3, 24)
    at = [slice(k, k + 3) for k in range(0, 24, 3)]
    first, second, whole = make(), make(), make()
    whole.update(preds, target)
    first.update(preds[at[0]], target[at[0]])
    size = getattr(first, first._table)[0].shape[0]
    monkeypatch.setattr(_map, "PENDING_BYTES", batches * size)
    dtypes = set()
    for part in at[1:3]:
        first.update(preds[part], target[part])
        dtypes |= {x.dtype for x in getattr(first, first._table)}
    first(preds[at[3]], target[at[3]])
    for part in at[4:7]:
        second(preds[part], target[part])
        dtypes |= {x.dtype for x in getattr(second, second._table)}
    assert dtypes == {0: {torch.uint8}, 1.5: {torch.uint8, torch.int8}, math.inf: {torch.int8}}[batches]
    first.compute()
    first.merge_state(copy.deepcopy(second))
    first.persistent(mode=True)
    restored = make()
    restored.load_state_dict(copy.deepcopy(first.state_dict()))
    restored.update(preds[at[7]], target[at[7]])

    torch.testing.assert_close(restored.compute(), whole.compute(), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("way", ["update", "forward"])
def test_pending_images_are_bounded(monkeypatch, way):
    """Also where only `forward` is called, which starts a state for each batch."""
    monkeypatch.setattr(_map, "PENDING_BYTES", 20_000)
    metric, at, most = MeanAveragePrecision(iou_type="segm"), images(3, 4), 0
    for _ in range(20):
        getattr(metric, way)(*at)
        most = max(most, sum(x.shape[0] for x in getattr(metric, metric._table) if x.dtype == torch.int8))
    assert 10_000 < most < 20_000


def test_ids_of_classes_beyond_32_bits_are_kept():
    ids = torch.tensor([2**62 + 11, 2**63 - 1])
    rows = [{"boxes": torch.tensor([[0.0, 0, 9, 9], [20, 0, 29, 9]]), "labels": ids}]
    metric = MeanAveragePrecision()
    metric.update([rows[0] | {"scores": torch.tensor([0.5, 0.5])}], rows)
    result = metric.compute()
    assert (result["classes"].tolist(), result["map"].item()) == (ids.tolist(), 1.0)
