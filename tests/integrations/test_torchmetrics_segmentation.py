"""Metrics of segmentation: values of torchmetrics' own classes, their contract, and several processes."""

import copy
import math
import pickle
import warnings
from functools import partial

import pytest
import torch
from torchmetrics import MetricCollection

from omniou_integrations import torchmetrics as ours
from tests import fake_device
from tests.integrations.processes import results_of
from tests.integrations.segmentation_devices import computed
from tests.integrations.segmentation_metrics import COUNT, EVERY, IGNORED, inputs
from tests.integrations.segmentation_ranks import SHARDS, filled

every = pytest.mark.parametrize("name", EVERY)


def assert_same(actual, expected, tolerance=0.0):
    torch.testing.assert_close(actual, expected, rtol=0, atol=tolerance, equal_nan=True)


def whole(name, step=12):
    case = EVERY[name]
    return filled(case.make(), case.kind, range(12), step)


@pytest.mark.parametrize("name", [name for name, case in EVERY.items() if case.theirs])
@pytest.mark.filterwarnings("ignore:DiceScore metric currently defaults")
def test_values_equal_those_of_torchmetrics(name):
    case = EVERY[name]
    metric = case.theirs(**case.options)
    preds, target = inputs(case.kind)
    for k in range(0, 12, 4):
        metric.update(preds[k : k + 4], target[k : k + 4])
    expected = metric.compute()
    actual = filled(case.make(), case.kind, range(12), 4).compute()
    assert actual.dtype == expected.dtype
    assert_same(actual, expected.reshape(actual.shape), 2e-6)


@every
def test_result_does_not_depend_on_batches(name):
    case = EVERY[name]
    expected = whole(name).compute()
    forward, merged = case.make(), case.make()
    preds, target = inputs(case.kind)
    for k in range(0, 12, 5):
        alone = case.make()
        alone.update(preds[k : k + 5], target[k : k + 5])
        assert_same(forward(preds[k : k + 5], target[k : k + 5]), alone.compute())
        merged.merge_state(alone)
    for metric in (forward, merged, whole(name, 1), filled(case.make(), case.kind, range(11, -1, -1))):
        assert_same(metric.compute(), expected)


@every
def test_metric_is_copied_saved_and_reset(name):
    metric = whole(name)
    expected = metric.compute()
    for other in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):  # noqa: S301  (its own)
        assert_same(other.compute(), expected)
    metric.persistent(mode=True)
    loaded = EVERY[name].make()
    loaded.persistent(mode=True)
    if "None, " not in name:  # whose number of rows is not known yet
        loaded.load_state_dict(metric.state_dict())
        loaded._update_count = 1
        assert_same(loaded.compute(), expected)
    metric.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `compute()` before `update()`
        assert metric.compute().isnan().any() or not metric.compute().any() or (metric.compute() == -1).all()
    assert_same(filled(metric, EVERY[name].kind, range(12)).compute(), expected)


@every
def test_half_precision_does_not_reach_the_state(name):
    metric = EVERY[name].make().set_dtype(torch.float16)
    metric.half()
    assert_same(filled(metric, EVERY[name].kind, range(12)).compute().double(), whole(name).compute().double(), 1e-3)
    assert all(x.dtype == torch.int64 for x in metric.metric_state.values())


def test_metrics_of_a_collection_share_no_state_by_mistake():
    """All score 1 on the first batch, and differ on the second."""
    target = inputs("one-hot")[1]
    metrics = {
        "iou": ours.MeanIoU(COUNT),
        "dice": ours.DiceScore(COUNT),
        "generalised": ours.GeneralizedDiceScore(COUNT),
        "global": ours.DiceScore(COUNT, aggregation_level="global"),
        "foreground": ours.MeanIoU(COUNT, include_background=False),
    }
    collection = MetricCollection({name: copy.deepcopy(metric) for name, metric in metrics.items()})
    for preds in (target, inputs("one-hot")[0]):
        collection.update(preds, target)
        for metric in metrics.values():
            metric.update(preds, target)
    actual = collection.compute()
    assert {name: actual[name] for name in metrics} == {name: metric.compute() for name, metric in metrics.items()}


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    """Results of each of three processes."""
    return results_of("tests.integrations.segmentation_ranks", [0, 0, 0], tmp_path_factory.mktemp("ranks"))


@every
@pytest.mark.parametrize("shards", SHARDS)
def test_processes_equal_single_process(ranks, shards, name):
    for saved in ranks:
        assert_same(saved[shards, name], whole(name).compute())
    case = EVERY[name]
    twice = filled(filled(case.make(), case.kind, range(12)), case.kind, range(12)).compute()
    for saved in ranks:
        assert_same(saved[shards, name, "twice"], twice)


@pytest.fixture(scope="module")
def on_device(tmp_path_factory):
    """Results on a fake device, which refuses to compute with tensors of the CPU."""
    (results,) = results_of("tests.integrations.segmentation_devices", [0], tmp_path_factory.mktemp("devices"))
    return results


@pytest.mark.parametrize("name", [name for name, case in EVERY.items() if case.ours is not ours.HausdorffDistance])
def test_metrics_on_fake_device_equal_cpu(on_device, name):
    result, device = on_device[name]
    assert_same(result, whole(name).compute())
    assert device == fake_device.NAME


def test_counts_on_fake_device_equal_cpu(on_device):
    assert set(on_device["devices"].values()) == {fake_device.NAME}
    expected = computed(inputs("labels"), inputs("panoptic"))
    torch.testing.assert_close(on_device["computed"], expected, rtol=1e-12, atol=0, equal_nan=True)


def test_generalised_dice_by_hand():
    metric = ours.GeneralizedDiceScore(3, input_format="index")
    # Class 2 is missing from the target, and weighs as much as class 0: 1 / 4.
    metric.update(torch.tensor([[[0, 0, 1, 1, 2]]]), torch.tensor([[[0, 0, 1, 1, 1]]]))
    over = 2 * (2 / 4 + 2 / 9)
    under = 4 / 4 + 5 / 9 + 1 / 4
    assert metric.compute().item() == pytest.approx(over / under)


def test_jaccard_counts_beyond_the_integers_of_float32():
    metric = ours.BinaryJaccardIndex()
    metric.update(torch.tensor([1, 0]), torch.tensor([1, 1]))
    for _ in range(40):
        metric.merge_state(copy.deepcopy(metric))
    metric.update(torch.tensor([1]), torch.tensor([1]))
    assert metric.counts.tolist() == [[0, 0, 0], [2**40, 2**40 + 1, 0]]
    assert metric.set_dtype(torch.float64).compute().item() == (2**40 + 1) / (2**41 + 1)


def test_exact_sums_are_carried():
    metric = whole("mean iou, 5, True, False")
    expected = metric.compute()
    for _ in range(40):
        metric.merge_state(copy.deepcopy(metric))
    assert_same(metric.compute(), expected)


def test_predictions_of_the_ignored_label_are_missed():
    metric = ours.MulticlassJaccardIndex(2, average="none", ignore_index=IGNORED)
    metric.update(torch.tensor([0, IGNORED, 1]), torch.tensor([0, 0, IGNORED]))
    assert metric.compute().tolist() == [0.5, 0.0]


# Scores against a threshold of 0.5: sigmoid(0.3) is 0.57, so that 0.3 is positive as a logit only.
@pytest.mark.parametrize(
    ("preds", "positive"),
    [
        ([0.3, 0.6, 0.0, 1.0], [0, 1, 0, 1]),  # 0 and 1 are probabilities
        ([0.3, 0.6, -0.1, 0.0], [1, 1, 0, 0]),  # one logit below 0 makes all logits; sigmoid(0) is not above 0.5
        ([0.3, 0.6, 0.0, 1.1], [1, 1, 0, 1]),  # one above 1
        ([0.5, 0.4, 0.6, 0.5], [0, 0, 1, 0]),  # equal to the threshold is negative
    ],
)
def test_jaccard_of_scores_by_hand(preds, positive):
    preds, target = torch.tensor(preds), torch.tensor(positive)
    metric = ours.BinaryJaccardIndex()
    metric.update(preds, target)
    right = sum(positive)
    assert metric.counts.tolist() == [[4 - right, 0, 0], [0, right, 0]]
    labels = ours.MultilabelJaccardIndex(2, average="none")
    assert labels(preds.reshape(2, 2), target.reshape(2, 2)).tolist() == [float(x.any()) for x in target.view(2, 2).T]


def test_jaccard_of_ignored_scores_by_hand():
    preds, target = torch.tensor([[0.3, 0.6], [7.0, 0.2]]), torch.tensor([[0, 1], [IGNORED, 0]])
    metric = ours.BinaryJaccardIndex(ignore_index=IGNORED)
    metric.update(preds, target)
    # The only logit is ignored, so that the others are probabilities.
    assert metric.counts.tolist() == [[2, 0, 0], [0, 1, 0]]
    # Of labels, as in torchmetrics, an ignored logit counts as one: sigmoid(0.3) and sigmoid(0.2) are positive.
    labels = ours.MultilabelJaccardIndex(2, average="none", ignore_index=IGNORED)
    assert labels(preds, target).tolist() == [0.0, 0.5]


# Images, classes and columns are two of each, so that a maximum along another axis has the same shape.
SCORES = torch.tensor([[[0.9, 0.2], [0.8, 0.3]], [[0.1, 0.6], [0.7, 0.5]]])
WINNERS = torch.tensor([[0, 1], [1, 0]])


@pytest.mark.parametrize(
    ("metric", "target"),
    [
        (ours.MulticlassJaccardIndex(2), WINNERS),
        (ours.MeanIoU(2), torch.stack([1 - WINNERS, WINNERS], dim=1)),
        (ours.MeanIoU(2, input_format="mixed"), WINNERS),
        (ours.DiceScore(2, average="macro"), torch.stack([1 - WINNERS, WINNERS], dim=1)),
        (ours.GeneralizedDiceScore(2, input_format="mixed"), WINNERS),
    ],
)
def test_class_with_the_highest_score_wins(metric, target):
    scores = 4 * SCORES - 2  # logits; of masks, probabilities that do not sum to 1 are those of independent classes
    assert metric(scores, target) == 1
    assert metric(scores.flip(1), target) == 0


def test_labels_say_that_classes_exclude_each_other():
    assert ours.DiceScore(2, average="macro", input_format="mixed")(SCORES, WINNERS) == 1


def test_first_of_equal_scores_wins():
    metric = ours.MulticlassJaccardIndex(3, average="none")
    assert metric(torch.tensor([[0.2, 0.4, 0.4]]), torch.tensor([1])).tolist() == [0, 1, 0]


def test_unpredicted_pixels_as_panopticapi_has_them():
    preds, target = torch.tensor([[[1, 1]] * 2 + [[0, 0]] * 3]), torch.tensor([[[1, 1]] * 5])
    options = {"things": {1}, "stuffs": {2}, "allow_unknown_preds_category": True}
    assert ours.PanopticQuality(**options)(preds, target).item() == 1
    assert ours.PanopticQuality(**options, unpredicted="count")(preds, target).item() == 0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: ours.BinaryJaccardIndex()(x, x[0]), ValueError, r"`preds` must have the shape of `target`, \(4,\)"),
        (
            lambda x: ours.BinaryJaccardIndex()(x + 2, x),
            ValueError,
            r"`prediction\[0, 0\]` must be a class from 0 to 1",
        ),
        (lambda x: ours.BinaryJaccardIndex()(x * 1.0, x + 2), ValueError, r"`target\[0, 0\]` must be a class .* got 2"),
        (lambda _: ours.BinaryJaccardIndex(threshold=2), ValueError, "`threshold` must be from 0 to 1, got 2"),
        (lambda _: ours.BinaryJaccardIndex(ignore_index=0.5), TypeError, "`ignore_index` must be an integer or None"),
        (lambda _: ours.MulticlassJaccardIndex(0), ValueError, "`num_classes` must be a positive integer, got 0"),
        (lambda _: ours.MulticlassJaccardIndex(3, "mean"), ValueError, "`average` must be one of 'micro', 'macro'"),
        (lambda x: ours.MulticlassJaccardIndex(2)(x, x[0]), ValueError, r"must have the shape of `target`, \(4,\)"),
        (
            lambda x: ours.MulticlassJaccardIndex(1)(x, x + 1),
            ValueError,
            r"`target\[0, 0\]` must be a class from 0 to 0",
        ),
        (lambda x: ours.MultilabelJaccardIndex(3)(x, x), ValueError, r"must have shape \(N, 3, ...\), got \(2, 4\)"),
        (lambda _: ours.JaccardIndex("regression"), ValueError, "`task` must be one of 'binary', 'multiclass'"),
        (lambda _: ours.JaccardIndex("multiclass"), ValueError, "`num_classes` must be a positive integer, got None"),
        (
            lambda _: ours.MeanIoU(input_format="index"),
            ValueError,
            "`num_classes` must be a positive integer, got None",
        ),
        (lambda _: ours.MeanIoU(3, per_class=1), TypeError, "`per_class` must be a bool, got int"),
        (
            lambda x: ours.MeanIoU(3)(x, x),
            ValueError,
            r"must fit `input_format` 'one-hot': .* got \(2, 4\) and \(2, 4\)",
        ),
        (
            lambda x: ours.MeanIoU(3)(x[:, :, None], x[:, :, None]),
            ValueError,
            "must have 3 classes along axis 1, got 4",
        ),
        (
            lambda x: ours.DiceScore(3, input_format="index")(x + 3, x),
            ValueError,
            r"`prediction\[0, 0\]` must be a class from 0 to 2, got 3 \(as are 8 of 8 pixels\)",
        ),
        (
            lambda x: ours.DiceScore(3, input_format="mixed")(x[:, None].expand(2, 3, 4), x + 3),
            ValueError,
            r"`target\[0, 0\]` must be a class from 0 to 2, got 3",
        ),
        (lambda _: ours.DiceScore(3, aggregation_level="all"), ValueError, "`aggregation_level` must be one of"),
        (
            lambda _: ours.GeneralizedDiceScore(3, weight_type="cube"),
            ValueError,
            "`weight_type` must be one of 'square'",
        ),
        (lambda _: ours.PanopticQuality({1}, {1}), ValueError, "`things` and `stuffs` must have no category in common"),
        (
            lambda x: ours.PanopticQuality({1}, {2})(x.reshape(2, 2, 2), x.reshape(2, 2, 2)),
            ValueError,
            "`prediction` must have categories of `things` and `stuff` alone, got 0",
        ),
    ],
)
def test_bad_arguments_raise_and_change_nothing(call, error, message):
    with pytest.raises(error, match=message):
        call(torch.zeros((2, 4), dtype=torch.int64))


def test_no_data_is_what_torchmetrics_has():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `compute()` before `update()`
        assert ours.MulticlassJaccardIndex(2, average="none").compute().tolist() == [0, 0]
        assert math.isnan(ours.PanopticQuality({1}, {2}).compute())
        assert math.isnan(ours.MeanIoU(2).compute())


def test_metric_plots_its_value():
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    figure, _ = whole("jaccard of a task").plot()
    assert figure.axes


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize("metric", [ours.BinaryJaccardIndex, partial(ours.MultilabelJaccardIndex, 1)])
def test_logits_are_compared_before_their_sigmoid_is_rounded(dtype, metric):
    # The sigmoid of 1e-4 is 0.5 in 16 bits, and that of -1e-4, too.
    logits, target = torch.tensor([[1e-4], [-1e-4], [3.0], [-3.0]], dtype=dtype), torch.tensor([[1], [0], [1], [0]])
    assert metric()(logits, target) == 1
    # The logit of 0.9 is 2.197.
    assert metric(threshold=0.9)(logits, torch.tensor([[0], [0], [1], [0]])) == 1
