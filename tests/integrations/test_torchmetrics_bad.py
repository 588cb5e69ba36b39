"""Invalid input and options raise with the name of the argument, and leave the state unchanged."""

import pytest
import torch

from omniou_integrations.torchmetrics import BoxScore, IntersectionOverUnion, MeanAveragePrecision
from tests.integrations.samples import sample

TWO = [[0, 0, 10, 10], [20, 20, 30, 30]]


def full(boxes, labels=None):
    """With all keys that any metric asks for."""
    masks = torch.ones(len(boxes), 4, 6, dtype=torch.bool)
    return sample(boxes, labels) | {"masks": masks, "scores": torch.ones(len(boxes))}


GOOD = full(TWO)

# Argument, its samples, error type and message; for every metric.
BAD = [
    ("preds", "x", TypeError, "`preds` must be a list of dictionaries, one for each image, got str"),
    ("target", GOOD, TypeError, "`target` must be a list of dictionaries, one for each image, got dict"),
    ("preds", [], ValueError, "`preds` and `target` must have one entry for each image, got 0 and 2"),
    ("target", [GOOD, None], TypeError, "`target[1]` must be a dictionary with 'boxes',"),
    ("preds", [GOOD, {"boxes": TWO, "scores": 1}], TypeError, "`preds[1]['boxes']` must be a tensor, got list"),
    ("target", [{"labels": torch.ones(1)}] * 2, ValueError, "`target[0]` must have the key 'boxes', got 'labels'"),
    (
        "preds",
        [GOOD, GOOD | {"boxes": torch.ones(2, 5)}],
        ValueError,
        "`preds[1]['boxes']` must have shape (N, 4), got (2, 5)",
    ),
    (
        "target",
        [GOOD | {"labels": torch.ones(3)}, GOOD],
        ValueError,
        "`target[0]['labels']` must have shape (2,) as there are boxes, got (3,)",
    ),
    (
        "target",
        [GOOD, GOOD | {"labels": torch.ones(2)}],
        TypeError,
        "`target[1]['labels']` must hold integers, got dtype torch.float32",
    ),
    (
        "preds",
        [GOOD, GOOD | {"boxes": torch.ones(2, 4, dtype=torch.bool)}],
        TypeError,
        "`preds[1]['boxes']` must hold integers or real floating numbers, got dtype torch.bool",
    ),
    ("preds", [GOOD, full(TWO, [0, 2])], ValueError, "`preds[1]['labels']` must lie in 0 ... 1, got 0 ... 2"),
]
# For mean average precision alone.
BAD_AP = [
    (
        "preds",
        [GOOD, sample(TWO) | {"masks": GOOD["masks"]}],
        ValueError,
        "`preds[1]` must have the key 'scores', got 'boxes', 'labels', 'masks'",
    ),
    (
        "target",
        [GOOD, sample(TWO)],
        ValueError,
        "`target[1]` must have the key 'masks', got 'boxes', 'labels'",
    ),
    (
        "preds",
        [GOOD | {"scores": torch.ones(2, 1)}, GOOD],
        ValueError,
        "`preds[0]['scores']` must have shape (2,) as there are boxes, got (2, 1)",
    ),
    (
        "preds",
        [GOOD, GOOD | {"masks": torch.rand(2, 1, 4, 6)}],
        ValueError,
        "`preds[1]['masks']` must have shape (2, height, width) as there are boxes, got (2, 1, 4, 6)",
    ),
    (
        "preds",
        [GOOD, GOOD | {"masks": torch.rand(2, 4, 6)}],
        TypeError,
        "`preds[1]['masks']` must hold booleans or integers, say `x > 0.5`, got dtype torch.float32",
    ),
    (
        "target",
        [GOOD | {"masks": torch.ones(2, 6, 4, dtype=torch.bool)}, GOOD],
        ValueError,
        "`preds[0]['masks']` and `target[0]['masks']` must have one height and width, got (4, 6) and (6, 4)",
    ),
    (
        "target",
        [GOOD, GOOD | {"iscrowd": torch.zeros(1)}],
        ValueError,
        "`target[1]['iscrowd']` must have shape (2,) as there are boxes, got (1,)",
    ),
    (
        "target",
        [GOOD, GOOD | {"iscrowd": torch.zeros(2)}],
        TypeError,
        "`target[1]['iscrowd']` must hold booleans or integers, got dtype torch.float32",
    ),
    (
        "target",
        [GOOD, GOOD | {"area": [1, 2]}],
        TypeError,
        "`target[1]['area']` must be a tensor, got list",
    ),
    (
        "target",
        [GOOD, GOOD | {"area": torch.tensor([1, torch.nan])}],
        ValueError,
        "`target[1]['area']` must be finite, got nan",
    ),
    (
        "preds",
        [GOOD, GOOD | {"scores": torch.tensor([0.5, torch.nan])}],
        ValueError,
        "`preds[1]['scores']` must be numbers, got nan",
    ),
    (
        "preds",
        [GOOD, GOOD | {"boxes": torch.tensor([[0, 0, 1, 1], [0, 0, torch.inf, 1]])}],
        ValueError,
        "`preds[1]['boxes']` must be finite, got [0.0, 0.0, inf, 1.0]",
    ),
]

METRICS = {
    "iou": lambda: IntersectionOverUnion(class_metrics=True, num_classes=2),
    "map": lambda: MeanAveragePrecision(iou_type=("bbox", "segm"), num_classes=2),
}


@pytest.mark.parametrize("call", ["update", "forward"])
@pytest.mark.parametrize(
    ("name", "side", "samples", "error", "message"),
    [*((name, *bad) for name in METRICS for bad in BAD), *(("map", *bad) for bad in BAD_AP)],
)
def test_invalid_input_leaves_state_unchanged(name, side, samples, error, message, call):
    metric = METRICS[name]()
    good = {"preds": [GOOD, full([])], "target": [full(TWO[:1]), GOOD]}
    metric.update(**good)
    before = metric.compute()

    with pytest.raises(error) as raised:
        getattr(metric, call)(**good | {side: samples})

    assert message in str(raised.value)
    assert metric.update_count == 1
    again, merged = metric.compute(), METRICS[name]()
    metric._computed = None
    merged.merge_state(metric)
    for result in (again, metric.compute(), merged.compute()):
        torch.testing.assert_close(result, before, rtol=0, atol=0, equal_nan=True)


def test_aligned_pairing_of_different_lengths_raises():
    metric = IntersectionOverUnion(pairing="aligned")
    message = r"`preds\[1\]\['boxes'\]` and `target\[1\]\['boxes'\]` must be aligned: of one length, got 2 and 1"

    with pytest.raises(ValueError, match=message):
        metric.update([GOOD, GOOD], [GOOD, full(TWO[:1])])


@pytest.mark.parametrize("name", METRICS)
def test_failure_in_forward_leaves_state_unchanged(name, monkeypatch):
    metric = METRICS[name]()
    metric.update([GOOD], [GOOD])
    before = metric.compute()
    with monkeypatch.context() as patch:
        patch.setattr(metric, "compute", lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            metric([full([])], [GOOD])

    assert metric.update_count == 1
    metric._computed = None
    torch.testing.assert_close(metric.compute(), before, rtol=0, atol=0, equal_nan=True)
    metric.update([full([])], [GOOD])
    assert metric.update_count == 2


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("where", ["in the exchange", "after it"])
def test_failure_in_sync_leaves_state_unchanged(name, where, monkeypatch):
    """A fake `dist_sync_fn` returns the state twice, as of two processes with equal data."""
    broken = True

    def gather(x, group=None):  # noqa: ARG001
        if broken and where == "in the exchange":
            raise RuntimeError("Connection closed by peer")
        return [x, x]

    metric = METRICS[name]()
    metric.distributed_available_fn, metric.dist_sync_fn = lambda: True, gather
    metric.update([GOOD, GOOD], [GOOD, full([])])
    alone = METRICS[name]()
    alone.update([GOOD, GOOD, GOOD], [GOOD, full([]), GOOD])
    alone.update([GOOD, GOOD, GOOD], [GOOD, full([]), GOOD])
    if where == "after it":
        monkeypatch.setattr(type(metric), "dtype", property(lambda _: 1 / 0))

    with pytest.raises(RuntimeError if where == "in the exchange" else ZeroDivisionError):
        metric.compute()
    monkeypatch.undo()
    assert not metric._is_synced
    broken = False
    metric.update([GOOD], [GOOD])

    torch.testing.assert_close(metric.compute(), alone.compute(), rtol=0, atol=0, equal_nan=True)


OPTIONS = [
    (IntersectionOverUnion, {"box_format": "rel_xyxy"}, "`box_format` must be one of 'xyxy', 'yxyx', 'xywh', 'cxcywh'"),
    (IntersectionOverUnion, {"pairing": "best"}, "must be one of 'matched', 'hungarian', 'aligned', 'all', got 'best'"),
    (IntersectionOverUnion, {"pairing": "matched", "compat": True}, "`pairing` must be one of 'all', got 'matched'"),
    (IntersectionOverUnion, {"output": "list"}, "`output` must be one of 'dict', 'tensor', got 'list'"),
    (IntersectionOverUnion, {"num_classes": 0}, "`num_classes` must be a positive integer, got 0"),
    (IntersectionOverUnion, {"class_metrics": True, "output": "tensor"}, "`num_classes` must be given where"),
    (IntersectionOverUnion, {"class_metrics": 1}, "`class_metrics` must be a bool, got int"),
    (IntersectionOverUnion, {"respect_labels": None}, "`respect_labels` must be a bool, got NoneType"),
    (IntersectionOverUnion, {"whatever": 1}, "Unexpected keyword arguments: `whatever`"),
    (BoxScore, {"score": "iuo"}, "`score` must be one of 'iou', 'iof', "),
    (BoxScore, {"score": 3}, "`score` must be a name of `omniou.scores` or a function of two arrays, got int"),
    (MeanAveragePrecision, {"box_format": "xxyy"}, "`box_format` must be one of 'xyxy', 'yxyx', 'xywh', 'cxcywh'"),
    (
        MeanAveragePrecision,
        {"iou_type": "mask"},
        "'polygons', 'boxes3d', 'bev', 'intervals', got 'mask'",
    ),
    (MeanAveragePrecision, {"iou_type": ("bbox", "keypoints")}, "`iou_type` must be one of 'bbox', 'segm'"),
    (MeanAveragePrecision, {"iou_type": ()}, "`iou_type` must name at least one kind, got ()"),
    (MeanAveragePrecision, {"iou_thresholds": 0.5}, "`iou_thresholds` must be a list of numbers, got 0.5"),
    (MeanAveragePrecision, {"iou_thresholds": [0.5, 1.5]}, "`iou_thresholds` must be different numbers in [0, 1]"),
    (MeanAveragePrecision, {"iou_thresholds": []}, "`iou_thresholds` must be different numbers in [0, 1], got []"),
    (MeanAveragePrecision, {"rec_thresholds": [0.5, 0.5]}, "`rec_thresholds` must be different numbers in [0, 1]"),
    (MeanAveragePrecision, {"rec_thresholds": ["a"]}, "`rec_thresholds` must be a list of numbers, got ['a']"),
    (MeanAveragePrecision, {"max_detection_thresholds": [0, 1]}, "`max_detection_thresholds` must be positive"),
    (MeanAveragePrecision, {"max_detection_thresholds": [1.5]}, "`max_detection_thresholds` must be positive"),
    (MeanAveragePrecision, {"average": "weighted"}, "`average` must be one of 'macro', 'micro', got 'weighted'"),
    (MeanAveragePrecision, {"backend": "coco"}, "`backend` must be one of 'pycocotools', 'faster_coco_eval'"),
    (
        MeanAveragePrecision,
        {"tie_policy": "none"},
        "`tie_policy` must be one of 'file', 'last', 'invariant', got",
    ),
    (MeanAveragePrecision, {"output": "tensor", "iou_type": ("bbox", "segm")}, "`iou_type` must be one where"),
    (MeanAveragePrecision, {"extended_summary": "yes"}, "`extended_summary` must be a bool, got str"),
]


@pytest.mark.parametrize(("metric", "options", "message"), OPTIONS)
def test_invalid_options_raise(metric, options, message):
    with pytest.raises((TypeError, ValueError)) as raised:
        metric(**options)

    assert message in str(raised.value)
