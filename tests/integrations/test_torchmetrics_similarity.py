"""`MeanAveragePrecision` by similarities and distances of the caller's."""

import math
import pickle

import pytest
import torch
from torchmetrics import MetricCollection

from omniou_integrations._shared.parts import interleaved, pack, unpack
from omniou_integrations.torchmetrics import MeanAveragePrecision

LABELS = [[1, 1, 2], [1], []]
FOUND = [([1, 1, 2, 1], [0.9, 0.8, 0.7, 0.6]), ([1, 2], [0.5, 0.4]), ([1], [0.3])]
# 0.7 of float32 is less than 0.7 of float64, and is the threshold.
MATRICES = [
    torch.tensor([[0.9, 0.2, 0.0, 0.3], [0.1, 0.7, 0.3, 0.4], [0.5, 0.6, 0.55, 0.7]]),
    torch.tensor([[0.4, 0.9]]),
    torch.zeros(0, 1),
]
TARGET = [{"labels": torch.tensor(x, dtype=torch.int64)} for x in LABELS]
PREDS = [{"labels": torch.tensor(x), "scores": torch.tensor(s)} for x, s in FOUND]
AP50 = (67 / 101 + 1) / 2
AP70 = (67 / 101 + 0) / 2


def of_payloads(objects, detections):
    return torch.stack([torch.stack([MATRICES[i][g, d] for _, d in detections]) for i, g in objects])


def with_payload(samples):
    return [x | {"payload": [(i, k) for k in range(len(x["labels"]))]} for i, x in enumerate(samples)]


def test_matrices_of_batches_by_hand():
    metric = MeanAveragePrecision(iou_type="similarity", iou_thresholds=[0.5, 0.7], class_metrics=True)
    for part in (slice(0, 1), slice(1, 3)):
        metric.update(PREDS[part], TARGET[part], similarity=MATRICES[part])
        metric = pickle.loads(pickle.dumps(metric))  # noqa: S301
    result = metric.compute()
    assert result["map_50"] == pytest.approx(AP50)
    assert result["map"] == pytest.approx((AP50 + AP70) / 2)
    assert math.isnan(result["map_small"])
    assert result["classes"].tolist() == [1, 2]
    assert result["map_per_class"].tolist() == pytest.approx([67 / 101, 0.5])


def test_distances_of_a_function_and_summary_of_a_batch():
    metric = MeanAveragePrecision(
        similarity=lambda a, b: 1 - of_payloads(a, b), iou_thresholds=[0.15, 0.5], higher_is_better=False
    )
    summary = metric.update(with_payload(PREDS), with_payload(TARGET), batch_summary=True, score_threshold=0.35)
    # At a distance of 0.5, four objects and three of six detections.
    assert summary == {"precision": 0.5, "recall": 0.75, "f1": pytest.approx(0.6)}
    result = metric.compute()
    assert result["map@0.5"] == pytest.approx(AP50)
    assert result["map@0.15"] == pytest.approx((34 / 101 + 0) / 2)
    assert math.isnan(result["map_50"])


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_parts_of_processes_give_the_numbers_of_one(average):
    whole, *ranks = (MeanAveragePrecision(iou_type="similarity", average=average) for _ in range(3))
    whole.update(PREDS, TARGET, similarity=MATRICES)
    for rank, metric in enumerate(ranks):
        metric.update(PREDS[rank::2], TARGET[rank::2], similarity=MATRICES[rank::2])
    rules = whole._settings.rules()
    joined = interleaved([unpack(pack(x._joined()), rules) for x in ranks])
    expected = whole._joined()
    for name, state in expected.states.items():
        assert joined.states[name].images.tolist() == state.images.tolist()
        assert joined.states[name].scores.tolist() == state.scores.tolist()
        assert [x.tolist() for x in joined.states[name].matched] == [x.tolist() for x in state.matched]
    together = MetricCollection([whole])
    assert together.compute()["map"] == whole.compute()["map"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"iou_type": "similarity", "compat": True}, "`compat` is for shapes"),
        ({"iou_type": "similarity", "keep_boxes": True}, "`keep_boxes` is for shapes"),
        ({"iou_type": "similarity", "extended_summary": True}, "`extended_summary` is for shapes"),
        ({"iou_type": "similarity", "higher_is_better": False}, "`iou_thresholds` must be given for distances"),
        ({"iou_type": "rotated", "similarity": of_payloads}, "`iou_type` is for shapes"),
        ({"similarity": MATRICES}, "`similarity` must be a function, or given to `update`"),
        ({"higher_is_better": False}, "`higher_is_better` is for `similarity`"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        MeanAveragePrecision(**options)


def test_bad_matrices_name_the_sample_and_leave_the_state():
    metric = MeanAveragePrecision(iou_type="similarity", num_classes=3)
    metric.update(PREDS, TARGET, similarity=MATRICES)
    before = metric.compute()["map"]
    for preds, target, similarity, message in (
        (PREDS, TARGET, None, "`similarity` must be given"),
        (PREDS, TARGET, MATRICES[:2], "a matrix for each image, 3, got 2"),
        (PREDS[:1], TARGET[:1], [MATRICES[0].T], r"`similarity\[0\]` must have shape \(3, 4\).*its transpose fits"),
        ([{"labels": torch.tensor([1])}], TARGET[1:2], MATRICES[1:2], r"`preds\[0\]` must have the key 'scores'"),
        ([PREDS[2] | {"labels": torch.tensor([3])}], TARGET[1:2], [[[0.5]]], "must be below `num_classes`, 3, got 3"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            metric.update(preds, target, similarity=similarity)
    assert metric.compute()["map"] == before
    with pytest.raises(ValueError, match='`similarity` is for `iou_type="similarity"`'):
        MeanAveragePrecision().update([], [], similarity=[])
