"""Metrics in a training of Lightning."""

import functools
import importlib.util

import lightning
import pytest
import torch
from torch.utils.data import DataLoader
from torchmetrics import MetricCollection

from omniou import boxes, detection
from omniou_integrations.torchmetrics import (
    BootStrapper,
    BoxScore,
    DetectionEvaluation,
    GeneralizedIntersectionOverUnion,
    IntersectionOverUnion,
    MaskScore,
    MeanAveragePrecision,
    MeanIoU,
    MulticlassJaccardIndex,
    PanopticQuality,
)
from tests import places

EXAMPLE = places.DOCS / "examples" / "lightning_shapes" / "train.py"

pytestmark = [
    # Lightning's own: it reads an attribute of trees that PyTorch has renamed, and asks for worker processes.
    pytest.mark.filterwarnings("ignore:.*LeafSpec.*:FutureWarning"),
    pytest.mark.filterwarnings("ignore:.*does not have many workers.*"),
]
QUIET = {"accelerator": "cpu", "devices": 1, "enable_progress_bar": False, "enable_model_summary": False}


# One of each class that adds a `forward`, properties or annotations.
METRICS = {
    "mAP": MeanAveragePrecision,
    "IoU": IntersectionOverUnion,
    "evaluation": DetectionEvaluation,
    "mean IoU": functools.partial(MeanIoU, num_classes=3),
    "Jaccard": functools.partial(MulticlassJaccardIndex, num_classes=3),
    "panoptic": functools.partial(PanopticQuality, things={1}, stuffs={0}),
    "score of boxes": functools.partial(BoxScore, boxes.giou),
    "score of masks": MaskScore,
    "bootstrap": lambda: BootStrapper(IntersectionOverUnion(), num_bootstraps=2),
}


class Detector(lightning.LightningModule):
    """Predicts one box for each image: its parameter, whose initial value overlaps half of the target."""

    def __init__(self):
        super().__init__()
        self.box = torch.nn.Parameter(torch.tensor([[0.0, 0.0, 2.0, 1.0]]))
        self.iou = IntersectionOverUnion(output="tensor")
        self.map = MeanAveragePrecision(output="tensor")
        self.scores = MetricCollection([IntersectionOverUnion(), GeneralizedIntersectionOverUnion()])
        self.table = MeanAveragePrecision(class_metrics=True, num_classes=2)

    def training_step(self, batch):
        return ((self.box - batch["boxes"][:, 0]) ** 2).mean()

    def validation_step(self, batch):
        label = torch.tensor([0])
        preds = [{"boxes": self.box, "labels": label, "scores": torch.tensor([0.5])} for _ in batch["boxes"]]
        target = [{"boxes": boxes, "labels": label} for boxes in batch["boxes"]]
        self.log("step_iou", self.iou(preds, target), on_step=True, on_epoch=False)
        self.log("val_iou", self.iou)
        self.map.update(preds, target)
        self.log("val_map", self.map)
        self.scores.update(preds, target)
        self.table.update(preds, target)

    def on_validation_epoch_end(self):
        self.log_dict({f"all_{key}": x for key, x in self.scores.compute().items()})
        self.scores.reset()
        result = self.table.compute()
        self.log("map_of_0", result["map_per_class"][0])
        self.log("map_50", result["map_50"])
        self.table.reset()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=1.0)


@pytest.mark.parametrize("precision", ["32-true", "bf16-true"])
def test_logged_metrics_of_training(tmp_path, precision):
    model = Detector()
    images = [{"boxes": torch.tensor([[0.0, 0.0, 2.0, 2.0]])} for _ in range(10)]
    loader = DataLoader(images, batch_size=4)
    stop = lightning.pytorch.callbacks.EarlyStopping("val_map", mode="max", patience=2)
    trainer = lightning.Trainer(
        max_epochs=8,
        callbacks=[stop],
        logger=False,
        enable_checkpointing=False,
        default_root_dir=tmp_path,
        precision=precision,
        **QUIET,
    )

    (before,) = trainer.validate(model, loader, verbose=False)
    trainer.fit(model, loader, loader)
    (after,) = trainer.validate(model, loader, verbose=False)

    # An IoU of 1/2 reaches one threshold of ten.
    expected = {"val_iou": 0.5, "val_map": 0.1, "all_iou": 0.5, "all_giou": 0.5, "map_of_0": 0.1, "map_50": 1}
    assert before == pytest.approx(expected)
    assert after["val_iou"] > 0.95
    assert after["val_map"] == after["map_of_0"] == 1
    assert stop.best_score.item() == 1
    assert 0 < stop.stopped_epoch < 7


@pytest.mark.filterwarnings("ignore:.*torch.jit.(script|interface).*:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:.*to_torchscript. has been deprecated")
@pytest.mark.filterwarnings("ignore:This property will be removed:DeprecationWarning")
@pytest.mark.parametrize("name", METRICS)
def test_module_with_a_metric_becomes_torchscript(name):
    class Model(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.metric = METRICS[name]()
            self.layer = torch.nn.Linear(1, 1)

        def forward(self, x):
            return self.layer(x)

    model = Model()
    x = torch.tensor([[2.0]])
    torch.testing.assert_close(model.to_torchscript()(x), model(x))


@pytest.fixture
def one_thread():
    """Threads are slower than one for such small images."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.usefixtures("one_thread")
@pytest.mark.filterwarnings("ignore:The number of training batches .* is smaller than the logging interval")
def test_example_logs_ap_of_all_images(tmp_path):
    spec = importlib.util.spec_from_file_location("lightning_shapes", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)

    trainer, stop = example.main(default_root_dir=tmp_path, **QUIET)

    assert stop.stopped_epoch > 0
    assert stop.best_score > 0.6
    # The last logged AP equals an evaluation of all images at once.
    model, truth, predictions = trainer.lightning_module.eval(), [], []
    model.map.update = lambda preds, target: (predictions.extend(preds), truth.extend(target))
    model.log = lambda *_: None
    with torch.no_grad():
        for batch in example.scenes(10_000, 64):
            model.validation_step(batch)
    expected = detection.evaluate(truth, predictions).summary["AP"]
    assert trainer.callback_metrics["val_map"].item() == pytest.approx(expected, abs=1e-6)
