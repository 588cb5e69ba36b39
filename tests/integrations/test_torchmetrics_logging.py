"""Scalars for `log_dict`, and figures for loggers."""

import math
from types import SimpleNamespace

import lightning
import pytest
import torch
from lightning.pytorch.loggers import CSVLogger
from torch import tensor
from torch.utils.data import DataLoader

from omniou import report
from omniou_integrations.torchmetrics import (
    DetectionEvaluation,
    MeanAveragePrecision,
    PrecisionRecallF1,
    log_figures,
    scalars,
)

BOX, LABEL = tensor([[0.0, 0, 10, 10]]), tensor([3])
TRUTH = [{"boxes": BOX, "labels": LABEL}]
FOUND = [{"boxes": BOX, "labels": LABEL, "scores": tensor([0.9])}]

pytestmark = [
    # Lightning's own: it reads an attribute of trees that PyTorch has renamed, and asks for worker processes.
    pytest.mark.filterwarnings("ignore:.*LeafSpec.*:FutureWarning"),
    pytest.mark.filterwarnings("ignore:.*does not have many workers.*"),
]


@pytest.fixture
def metric():
    made = DetectionEvaluation()
    made.update(FOUND, TRUTH)
    return made


def test_scalars_have_no_vectors_and_nan_without_data():
    given = {
        "map": tensor([0.5]),
        "map_large": tensor(math.nan),
        "map_per_class": tensor([0.25, math.nan, 0.75]),
        "classes": tensor([1, 4, 7]),
        "ious": {(0, 0): tensor([1.0])},
        "precision": torch.zeros((2, 3)),
        "count": 3,
    }
    of_all = {name: x.item() for name, x in scalars(given, "val_").items()}
    assert of_all == pytest.approx({"val_map": 0.5, "val_map_large": math.nan, "val_count": 3}, nan_ok=True)
    each, nan = scalars(given, per_class=True), math.nan
    classes = {"map/cl_1": 0.25, "map/cl_4": nan, "map/cl_7": 0.75}
    expected = {"map": 0.5, "map_large": nan, "count": 3} | classes
    assert {name: x.item() for name, x in each.items()} == pytest.approx(expected, nan_ok=True)
    assert all(x.ndim == 0 for x in each.values())
    # The same numbers, in the other names of loggers.
    others = {name.replace("/cl_", "/"): x for name, x in expected.items()}
    assert report.scalars(given) == pytest.approx(others, nan_ok=True)
    one = MeanAveragePrecision(class_metrics=True)(FOUND, TRUTH)
    assert scalars(one, per_class=True)["map/cl_3"] == 1
    assert "map_per_class" not in scalars(MeanAveragePrecision()(FOUND, TRUTH))
    with pytest.raises(TypeError, match="`result` must be a dictionary of results, got Tensor"):
        scalars(tensor(1.0))


class Experiment:
    """What loggers call."""

    def __init__(self, *names):
        self.calls = []
        for name in names:
            setattr(self, name, lambda *given, name=name, **options: self.calls.append((name, given, options)))


def test_each_logger_gets_figures(metric, tmp_path):
    board, comet, flow, wandb = (
        Experiment("add_figure"),
        Experiment("log_figure"),
        Experiment("log_figure"),
        Experiment(),
    )
    images = Experiment("log_image")
    loggers = [
        SimpleNamespace(experiment=board),
        SimpleNamespace(experiment=comet),
        SimpleNamespace(experiment=flow, run_id="run"),
        SimpleNamespace(experiment=wandb, log_image=images.log_image),
        SimpleNamespace(experiment=None, log_dir=str(tmp_path)),
    ]
    log_figures(loggers, metric, prefix="val/", step=7)
    names = ["val/pr", "val/f1", "val/confusion"]
    assert [given[0] for _, given, _ in board.calls] == names
    assert board.calls[0][2]["global_step"] == 7
    assert [options["figure_name"] for _, _, options in comet.calls] == names
    assert [given[::2] for _, given, _ in flow.calls] == [("run", f"{x.replace('/', '_')}-7.png") for x in names]
    assert [given[0] for _, given, _ in images.calls] == names
    assert images.calls[0][1][1][0].shape[2] == 4
    assert sorted(x.name for x in (tmp_path / "figures").iterdir()) == sorted(
        f"{x.replace('/', '_')}-7.png" for x in names
    )
    with pytest.warns(UserWarning, match="SimpleNamespace takes no figures and has no directory: 'pr' is not logged"):
        log_figures(SimpleNamespace(), metric.result(), kinds=["pr"])
    with pytest.raises(ValueError, match="`kinds` must be one of 'errors', 'confusion'"):
        log_figures([], metric, kinds=["roc"])


class Detector(lightning.LightningModule):
    """Finds its parameter in each image."""

    def __init__(self):
        super().__init__()
        self.box = torch.nn.Parameter(BOX.clone())
        self.map, self.every, self.f1 = (
            MeanAveragePrecision(class_metrics=True),
            DetectionEvaluation(),
            PrecisionRecallF1(),
        )

    def validation_step(self, batch):  # noqa: ARG002  (Lightning's signature)
        for metric in (self.map, self.every):
            metric.update(FOUND, TRUTH)
        self.log_dict(scalars(self.f1(FOUND, TRUTH), "step_"), on_step=True, on_epoch=False)

    def on_validation_epoch_end(self):
        self.log_dict(scalars(self.map.compute(), "val_", per_class=True))
        log_figures(self.loggers, self.every, kinds=["f1"], step=self.global_step)


def test_validation_of_lightning(tmp_path):
    trainer = lightning.Trainer(
        accelerator="cpu",
        devices=1,
        logger=CSVLogger(tmp_path),
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    (logged,) = trainer.validate(Detector(), DataLoader([0, 1]), verbose=False)
    assert logged["val_map"] == 1
    assert math.isnan(logged["val_map_large"])
    assert logged["val_map/cl_3"] == 1
    assert [x.name for x in tmp_path.rglob("*.png")] == ["f1-0.png"]
