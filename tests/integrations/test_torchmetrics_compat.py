"""Errors are of torchmetrics' type and of ours, and a state says which options it was made with."""

import inspect
import io
import pickle

import pytest
import torch
import torchmetrics
from torch import IntTensor, Tensor
from torchmetrics import classification, segmentation
from torchmetrics.detection import ModifiedPanopticQuality, PanopticQuality

from omniou_integrations import torchmetrics as ours

THEIRS = {
    name: getattr(module, name)
    for module, names in (
        (classification, ("BinaryJaccardIndex", "MulticlassJaccardIndex", "MultilabelJaccardIndex", "JaccardIndex")),
        (segmentation, ("MeanIoU", "DiceScore", "GeneralizedDiceScore", "HausdorffDistance")),
    )
    for name in names
} | {"PanopticQuality": PanopticQuality, "ModifiedPanopticQuality": ModifiedPanopticQuality}
SEGMENTATION = ["MeanIoU", "DiceScore", "GeneralizedDiceScore", "HausdorffDistance"]
DETECTION = ["MeanAveragePrecision", "IntersectionOverUnion", "GeneralizedIntersectionOverUnion"]
DETECTION += ["DistanceIntersectionOverUnion", "CompleteIntersectionOverUnion"]


def raised(call):
    with pytest.raises(Exception) as caught:  # noqa: PT011  (which one is what is asked)
        call()
    return caught.value


def assert_follows(mine, theirs):
    assert isinstance(mine, type(theirs))
    assert isinstance(mine, TypeError | ValueError)
    assert " ".join(str(theirs).split())[:300] in str(mine)
    assert (type(pickle.loads(pickle.dumps(mine))), str(pickle.loads(pickle.dumps(mine)))) == (type(mine), str(mine))  # noqa: S301


OPTIONS = [
    *((name, {"num_classes": -1}) for name in SEGMENTATION),
    *((name, {"num_classes": 3, "include_background": 1}) for name in SEGMENTATION),
    *((name, {"num_classes": 3, "input_format": "dense"}) for name in SEGMENTATION),
    ("MeanIoU", {"input_format": "index"}),
    ("MeanIoU", {"num_classes": 3, "per_class": "yes"}),
    ("DiceScore", {"num_classes": 3, "average": "mean"}),
    ("DiceScore", {"num_classes": 3, "aggregation_level": "all"}),
    ("GeneralizedDiceScore", {"num_classes": 3, "weight_type": "cube"}),
    ("HausdorffDistance", {"num_classes": 3, "distance_metric": "manhattan"}),
    ("HausdorffDistance", {"num_classes": 3, "directed": 1}),
    ("BinaryJaccardIndex", {"threshold": 2.0}),
    ("BinaryJaccardIndex", {"ignore_index": 0.5}),
    ("MulticlassJaccardIndex", {"num_classes": 3, "average": "mean"}),
    ("MulticlassJaccardIndex", {"num_classes": 3, "ignore_index": "0"}),
    ("MultilabelJaccardIndex", {"num_labels": 3, "threshold": -1.0}),
    ("JaccardIndex", {"task": "many"}),
    ("JaccardIndex", {"task": "multiclass"}),
    ("JaccardIndex", {"task": "multilabel", "num_labels": 3.5}),
    ("PanopticQuality", {"things": {0}, "stuffs": {0}}),
    ("PanopticQuality", {"things": {0}, "stuffs": {"sky"}}),
    ("ModifiedPanopticQuality", {"things": {"a"}, "stuffs": {1}}),
]


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_option_errors_are_torchmetrics_too(name, options):
    assert_follows(raised(lambda: getattr(ours, name)(**options)), raised(lambda: THEIRS[name](**options)))


MAPS, ZEROS = torch.zeros(2, 3, 4, 4, dtype=torch.int64), torch.zeros(2, 4, 4, dtype=torch.int64)
PAIRS = torch.zeros(2, 4, 2, dtype=torch.int64)
PANOPTIC = {"things": {0}, "stuffs": {6}}
INPUTS = [
    *((name, {"num_classes": 3}, MAPS, MAPS[..., :2]) for name in SEGMENTATION),
    *((name, {"num_classes": 3}, [], MAPS) for name in SEGMENTATION),
    ("DiceScore", {"num_classes": 3, "input_format": "mixed"}, MAPS, ZEROS[:1]),
    ("BinaryJaccardIndex", {}, ZEROS, ZEROS[:1]),
    ("BinaryJaccardIndex", {}, ZEROS + 5, ZEROS),
    ("MulticlassJaccardIndex", {"num_classes": 3}, ZEROS, ZEROS[:1]),
    ("MulticlassJaccardIndex", {"num_classes": 2}, ZEROS, torch.arange(32).reshape(2, 4, 4)),
    ("MulticlassJaccardIndex", {"num_classes": 3}, torch.zeros(2, 5, 4, 4), ZEROS),
    ("MultilabelJaccardIndex", {"num_labels": 3}, MAPS[:, :2], MAPS[:, :2]),
    ("MultilabelJaccardIndex", {"num_labels": 3}, MAPS, MAPS + 7),
    ("PanopticQuality", PANOPTIC, [], PAIRS),
    ("PanopticQuality", PANOPTIC, PAIRS, PAIRS[:1]),
    ("PanopticQuality", PANOPTIC, PAIRS + 3, PAIRS),
    ("ModifiedPanopticQuality", PANOPTIC, ZEROS[:, 0], ZEROS[:, 0]),
]


@pytest.mark.parametrize(("name", "options", "preds", "target"), INPUTS)
def test_input_errors_are_torchmetrics_too(name, options, preds, target):
    mine, theirs = getattr(ours, name)(**options), THEIRS[name](**options)
    assert_follows(raised(lambda: mine.update(preds, target)), raised(lambda: theirs.update(preds, target)))
    assert mine.update_count == 0


EMPTY = {"boxes": Tensor(), "scores": Tensor(), "labels": IntTensor()}
# The message of torchmetrics 1.9, whose own metrics need torchvision.
SAMPLES = [
    (Tensor(), [], "Expected argument `preds` to be of type Sequence"),
    ([], Tensor(), "Expected argument `target` to be of type Sequence"),
    ([{}], [{}, {}], "Expected argument `preds` and `target` to have the same length, but got 1 and 2"),
    (
        [{"scores": Tensor(), "labels": IntTensor()}],
        [EMPTY],
        "Expected all dicts in `preds` to contain the `boxes` key",
    ),
    ([EMPTY], [{"boxes": IntTensor()}], "Expected all dicts in `target` to contain the `labels` key"),
    ([EMPTY | {"boxes": []}], [EMPTY], "Expected all boxes in `preds` to be of type Tensor"),
    ([EMPTY], [EMPTY | {"labels": []}], "Expected all labels in `target` to be of type Tensor"),
    ([EMPTY], [EMPTY | {"boxes": torch.ones(2, 4)}], "have a different length (expected 2 labels, got 0)"),
]


@pytest.mark.parametrize("name", DETECTION)
@pytest.mark.parametrize(("preds", "target", "message"), SAMPLES)
def test_sample_errors_are_torchmetrics_too_with_compat(name, preds, target, message):
    error = raised(lambda: getattr(ours, name)(compat=True).update(preds, target))
    assert isinstance(error, ValueError)
    assert message in str(error)
    plain = raised(lambda: getattr(ours, name)().update(preds, target))
    assert type(plain) in {TypeError, ValueError}
    assert str(error).startswith(str(plain))
    assert "torchmetrics" not in str(plain)


@pytest.mark.parametrize("name", DETECTION)
@pytest.mark.parametrize("option", ["box_format", "class_metrics"])
def test_detection_option_errors_are_value_errors_with_compat(name, option):
    error = raised(lambda: getattr(ours, name)(**{option: 5}, compat=True))
    assert isinstance(error, ValueError)
    assert f"`{option}` must be" in str(error)


def test_jaccard_index_is_a_metric_class():
    assert inspect.isclass(ours.JaccardIndex)
    assert issubclass(ours.JaccardIndex, torchmetrics.Metric)
    assert type(ours.JaccardIndex(task="multiclass", num_classes=3)) is ours.MulticlassJaccardIndex
    assert not inspect.isabstract(ours.JaccardIndex)  # LightningCLI makes no abstract class


def persistent(metric):
    metric.persistent(mode=True)
    return metric


STATES = [
    (ours.DiceScore(3), ours.DiceScore(3, average="micro"), "`average` is 'macro' here and 'micro' there"),
    (ours.MulticlassJaccardIndex(3), ours.MulticlassJaccardIndex(num_classes=4), "`num_classes` is 3 here and 4 there"),
    (ours.MeanIoU(3), ours.DiceScore(3), "`class` is MeanIoU here and DiceScore there"),
    (
        ours.IntersectionOverUnion(),
        ours.IntersectionOverUnion(iou_threshold=0.5, respect_labels=False),
        "`iou_threshold` is None here and 0.5 there, `respect_labels` is True here and False there",
    ),
    (ours.MeanAveragePrecision(), ours.MeanAveragePrecision(compat=True), "`compat` is False here and True there"),
    (
        ours.PanopticQuality({0}, {1}),
        ours.PanopticQuality({0}, {1}, unpredicted="count"),
        "`unpredicted` is 'ignore' here and 'count' there",
    ),
]


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(("here", "there", "message"), STATES, ids=lambda x: type(x).__name__)
def test_state_of_other_options_names_them(here, there, message, strict):
    file = io.BytesIO()
    torch.save(torch.nn.ModuleDict({"val": persistent(there)}).state_dict(), file)
    file.seek(0)
    module = torch.nn.ModuleDict({"val": persistent(here)})
    with pytest.raises(RuntimeError, match=message):
        module.load_state_dict(torch.load(file), strict=strict)
    with pytest.raises(ValueError, match=message):
        here.merge_state(there)


def test_state_of_same_options_loads_and_of_torchmetrics_does_not():
    first, second = (persistent(ours.MulticlassJaccardIndex(3)) for _ in range(2))
    first.update(torch.tensor([0, 1]), torch.tensor([0, 2]))
    second.load_state_dict(first.state_dict())
    assert second.counts.tolist() == first.counts.tolist()
    theirs = persistent(classification.MulticlassJaccardIndex(3))
    with pytest.raises(RuntimeError, match="of another class or of other options: it has confmat"):
        second.load_state_dict(theirs.state_dict())


def test_states_without_metadata_are_still_named():
    other = dict(persistent(ours.DiceScore(3)).state_dict())
    with pytest.raises(RuntimeError, match="of another class or of other options: it has sums_"):
        ours.DiceScore(4).load_state_dict(other, strict=False)
    # Keys of other parts of a module are no states.
    ours.DiceScore(4).load_state_dict({"layer.weight": torch.ones(1)}, strict=False)
