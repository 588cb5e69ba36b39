"""Precision, recall and F1 that `update` returns, to log at each step."""

import copy
import math
import pickle

import lightning
import pytest
import torch
from torch.utils.data import DataLoader
from torchmetrics import MetricCollection

from omniou.detection._matcher import Matcher
from omniou_integrations.torchmetrics import BootStrapper, KeypointAveragePrecision, MeanAveragePrecision, scalars
from tests.integrations.samples import images

LABEL = torch.tensor([0, 0])
BOXES = torch.tensor([[0.0, 0, 10, 10], [20, 20, 30, 30]])
TARGET = [
    {"boxes": BOXES, "labels": LABEL, "iscrowd": torch.tensor([0, 1])},
    {"boxes": BOXES[:1], "labels": LABEL[:1], "iscrowd": torch.tensor([0])},
    {"boxes": BOXES[:0], "labels": LABEL[:0], "iscrowd": torch.tensor([])},
]
# A true positive, and one in a crowd; one of IoU 0.6, and padding; a false positive, and one below 0.5.
PADDED = torch.tensor([[0.0, 0, 10, 6], [0, 0, 0, 0]])
PREDS = [
    {"boxes": BOXES, "scores": torch.tensor([0.9, 0.8]), "labels": LABEL},
    {"boxes": PADDED, "scores": torch.tensor([0.5, 0.9]), "labels": torch.tensor([0, -1])},
    {"boxes": BOXES, "scores": torch.tensor([0.7, 0.25]), "labels": LABEL},
]


def same(result, expected):
    torch.testing.assert_close(result, expected, rtol=0, atol=0, equal_nan=True)


def with_points(samples, **more):
    points = [torch.stack([x["boxes"][:, :2], x["boxes"][:, 2:]], dim=1) for x in samples]
    return [
        {name: x for name, x in row.items() if name != "boxes"}
        | {"keypoints": x}
        | {name: torch.full((len(x),), value) for name, value in more.items()}
        for row, x in zip(samples, points, strict=True)
    ]


def test_summary_by_hand():
    metric = MeanAveragePrecision()
    summary = metric.update(PREDS, TARGET, batch_summary=True)
    assert summary == {"precision": 2 / 3, "recall": 1.0, "f1": pytest.approx(0.8)}
    assert metric.update(PREDS, TARGET, batch_summary=True, iou_threshold=0.75)["recall"] == 0.5
    assert metric.update(PREDS, TARGET, batch_summary=True, score_threshold=0.2)["precision"] == 0.5
    assert metric.update(PREDS, TARGET) is None
    assert metric.update_count == 4
    nothing = metric.update(PREDS[2:], TARGET[2:], batch_summary=True)
    assert nothing["precision"] == 0
    assert math.isnan(nothing["recall"])
    assert all(map(math.isnan, metric.update([], [], batch_summary=True).values()))
    assert set(scalars(summary, "train_")) == {"train_precision", "train_recall", "train_f1"}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"class_metrics": True, "average": "micro", "num_classes": 2},
        {"extended_summary": True},
        {"iou_thresholds": [0.7, 0.6]},
        {"iou_type": ("bbox", "segm")},
        {"iou_type": "segm", "box_format": "xywh"},
        {"keep_boxes": True},
        {"tie_policy": "file"},
    ],
)
def test_result_is_the_same_with_summaries(options):
    plain, told = MeanAveragePrecision(**options), MeanAveragePrecision(**options)
    for k in range(4):
        preds, target = images(k, count=3, classes=2)
        plain.update(preds, target)
        summary = told.update(preds, target, batch_summary=k != 2)
        assert (summary is None) == (k == 2)
        told = pickle.loads(pickle.dumps(told)) if k == 1 else copy.deepcopy(told)  # noqa: S301
    assert set(summary) == {
        f"{kind}{name}"
        for name in ("precision", "recall", "f1")
        for kind in (("bbox_", "segm_") if isinstance(options.get("iou_type"), tuple) else ("",))
    }
    same(told.compute(), plain.compute())


def test_summary_of_keypoints():
    area = {"area": 100.0}
    preds, target = with_points(PREDS), with_points(TARGET, **area)
    plain, told = (KeypointAveragePrecision([0.1, 0.1]) for _ in range(2))
    plain.update(preds, target)
    summary = told.update(preds, target, batch_summary=True)
    assert summary == {"precision": 2 / 3, "recall": 1.0, "f1": pytest.approx(0.8)}
    same(told.compute(), plain.compute())


def test_batch_is_matched_once(monkeypatch):
    calls = []
    matched = Matcher.matched
    monkeypatch.setattr(Matcher, "matched", lambda *x: calls.append(0) or matched(*x))
    metric = MeanAveragePrecision()
    for _ in range(3):
        metric.update(PREDS, TARGET, batch_summary=True)
    metric.compute()
    assert len(calls) == 3


@pytest.mark.parametrize("compat", [False, True])
def test_wrong_options_change_nothing(compat):
    metric = MeanAveragePrecision(compat=compat)
    with pytest.raises(ValueError, match="`iou_threshold` must be one of the protocol's"):
        metric.update(PREDS[:1], TARGET[:1], batch_summary=True, iou_threshold=0.99)
    with pytest.raises(ValueError, match="`score_threshold` is for a summary"):
        metric.update(PREDS[:1], TARGET[:1], score_threshold=0.99)
    with pytest.raises(TypeError, match="`batch_summary` is for `update`"):
        metric(PREDS[:1], TARGET[:1], batch_summary=True)
    assert metric.update_count == 0
    assert metric.update(PREDS[:1], TARGET[:1], batch_summary=True)["f1"] == 1


def test_wrappers_take_the_option():
    together = MetricCollection({"map": MeanAveragePrecision()})
    drawn = BootStrapper(MeanAveragePrecision(), num_bootstraps=2)
    for metric in (together, drawn):
        metric.update(PREDS, TARGET, batch_summary=True)
    plain = MeanAveragePrecision()
    plain.update(PREDS, TARGET)
    assert together.compute()["map"] == plain.compute()["map"]
    assert "map_mean" in drawn.compute()


class Detector(lightning.LightningModule):
    """Predicts one box, which moves onto the target."""

    def __init__(self):
        super().__init__()
        self.box = torch.nn.Parameter(torch.tensor([[0.0, 0.0, 10.0, 4.0]]))
        self.map = MeanAveragePrecision(output="tensor")
        self.steps = []

    def training_step(self, batch):
        preds = [{"boxes": self.box, "labels": LABEL[:1], "scores": torch.tensor([0.9])} for _ in batch]
        target = [{"boxes": box, "labels": LABEL[:1]} for box in batch]
        summary = self.map.update(preds, target, batch_summary=True)
        self.log_dict({f"train_{name}": x for name, x in summary.items()}, on_step=True, on_epoch=True)
        self.log("train_map", self.map, on_step=False, on_epoch=True)
        self.steps.append(summary["f1"])
        return ((self.box - batch[:, 0]) ** 2).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.5)


@pytest.mark.filterwarnings("ignore:.*LeafSpec.*:FutureWarning")
@pytest.mark.filterwarnings("ignore:.*does not have many workers.*")
def test_summary_is_logged_at_each_step_of_a_training(tmp_path):
    model, data = Detector(), torch.tensor([[[0.0, 0, 10, 10]]] * 8)
    trainer = lightning.Trainer(
        max_epochs=1,
        logger=False,
        enable_checkpointing=False,
        default_root_dir=tmp_path,
        accelerator="cpu",
        devices=1,
        enable_progress_bar=False,
        enable_model_summary=False,
        log_every_n_steps=1,
    )
    trainer.fit(model, DataLoader(data, batch_size=2))
    # IoU is 0.4, then 0.55, ...: the box moves a quarter of the way at each step.
    assert model.steps == [0, 1, 1, 1]
    logged = {name: x.item() for name, x in trainer.logged_metrics.items()}
    assert logged["train_f1_step"] == 1
    assert logged["train_f1_epoch"] == logged["train_recall_epoch"] == 0.75
    assert 0 < logged["train_map"] < 0.75
