"""What torchmetrics promises of a metric, of every metric of ours: a table of checks, as of its own `MetricTester`.

Processes are in `test_torchmetrics_processes.py`, Lightning is in `test_torchmetrics_lightning.py`.
"""

import copy
import pickle

import numpy as np
import pytest
import torch
from matplotlib import pyplot as plt
from torchmetrics import ClasswiseWrapper, MetricCollection, MetricTracker

import omniou_integrations.torchmetrics as package
from omniou_integrations.torchmetrics import (
    DistanceIntersectionOverUnion,
    GeneralizedIntersectionOverUnion,
    IntersectionOverUnion,
    MeanAveragePrecision,
)
from tests.integrations.metrics import EVERY, NUMBERS, data
from tests.integrations.samples import sample

TWO = [[0, 0, 10, 10], [20, 20, 30, 30]]

every = pytest.mark.parametrize("name", EVERY)


def batches(step=5):
    preds, target = data()
    return [(preds[k : k + step], target[k : k + step]) for k in range(0, len(preds), step)]


def filled(name):
    metric = EVERY[name].make()
    for batch in batches():
        metric.update(*batch)
    return metric


def assert_same(found, expected, tolerance=0.0):
    torch.testing.assert_close(found, expected, rtol=tolerance, atol=tolerance, equal_nan=True)


def test_every_metric_is_here():
    assert {type(case.make()).__name__ for case in EVERY.values()} | {"BootStrapper"} == set(package.__all__)


@every
def test_update_against_reference(name):
    metric = EVERY[name].make().set_dtype(torch.float64)
    for batch in batches():
        metric.update(*batch)
    found, expected = metric.compute(), EVERY[name].expected(*data())
    if not getattr(metric, "class_metrics", False):
        expected = {key: x for key, x in expected.items() if "/" not in key}

    assert {key: found[key].item() for key in expected} == pytest.approx(expected, abs=1e-7, nan_ok=True)


@every
def test_batches_and_merges_add_up(name):
    whole, forward, merged = (EVERY[name].make() for _ in range(3))
    whole.update(*data())
    for batch in batches():
        alone = EVERY[name].make()
        alone.update(*batch)
        assert_same(forward(*batch), alone.compute())
        merged.merge_state(alone)

    for metric in (forward, merged, filled(name)):
        assert_same(metric.compute(), whole.compute())
    # By name, and after a result was asked for.
    merged.merge_state(whole.metric_state)
    twice = filled(name)
    twice.update(*data())
    assert_same(merged.compute(), twice.compute())


@every
def test_copies(name):
    metric = filled(name)
    saved = EVERY[name].make()
    metric.persistent(mode=True)
    saved.persistent(mode=True)
    saved.load_state_dict(copy.deepcopy(metric.state_dict()))
    saved.update([], [])  # torchmetrics warns where nothing was added since
    by_pickle = pickle.loads(pickle.dumps(metric))  # noqa: S301  (our own)

    for other in (by_pickle, metric.clone(), copy.deepcopy(metric), saved):
        assert_same(other.compute(), metric.compute())
        other.update(*data())
        twice = filled(name)
        twice.update(*data())
        assert_same(other.compute(), twice.compute())


@every
def test_reset(name):
    metric = filled(name)
    metric.reset()

    assert_same(EVERY[name].make()([], []), metric([], []))
    metric.reset()
    for batch in batches():
        metric.update(*batch)
    assert_same(metric.compute(), filled(name).compute())


@every
@pytest.mark.parametrize("move", [lambda m: m.half(), lambda m: m.to(torch.bfloat16), lambda m: m.to("cpu").float()])
def test_a_module_of_another_precision(name, move):
    """Also "bf16-true" of Lightning must leave the state its digits."""
    module = torch.nn.Module()
    module.metric = EVERY[name].make()
    module.metric.update(*batches()[0])
    move(module)
    for batch in batches()[1:]:
        module.metric.update(*batch)

    assert_same(module.metric.compute(), filled(name).compute())


@every
def test_predictions_in_half_precision(name):
    metric = EVERY[name].make()
    for preds, target in batches():
        narrow = [x | {"boxes": x["boxes"].half(), "scores": x["scores"].bfloat16()} for x in preds]
        metric.update(narrow, target)

    # Whole numbers below 2048, and eighths.
    assert_same(metric.compute(), filled(name).compute(), 1e-3)


@every
def test_validation_before_training(name):
    """Lightning validates in inference mode, and what is made there cannot be changed in place outside."""
    metric = EVERY[name].make()
    for mode in (True, False):
        with torch.inference_mode(mode):
            metric.update(*data())
            metric.compute()
            metric(*data())
    twice = EVERY[name].make()
    for _ in range(4):
        twice.update(*data())

    assert_same(metric.compute(), twice.compute())


@every
def test_gradients_stop(name):
    preds, target = data()
    for one in preds:
        one["boxes"], one["scores"] = (one[key].clone().requires_grad_() for key in ("boxes", "scores"))

    assert_same(EVERY[name].make()(preds, target), filled(name).compute())


@every
def test_compiled(name):
    metric = EVERY[name].make()
    update = torch.compile(metric.update, backend="eager")
    for batch in batches():
        update(*batch)

    assert_same(metric.compute(), filled(name).compute())


@every
def test_class_attributes_and_plot(name):
    metric = filled(name)
    cls = type(metric)

    assert (cls.is_differentiable, cls.higher_is_better, cls.full_state_update) == (False, True, False)
    metric.plot()
    metric.plot([metric.compute(), metric.compute()])
    plt.close("all")


def test_limits_of_a_plot():
    for name, axes in (("iou", (0, 1)), ("map", (0, 1)), ("giou", (-1, 1))):
        low, high = filled(name).plot()[1].get_ylim()
        assert low <= axes[0] < axes[1] <= high


@pytest.mark.parametrize("several", [False, True])
def test_plot_leaves_out_what_is_no_score(several):
    """Neither class ids nor tables: what is drawn is between 0 and 1."""
    metric = filled("map, all")
    _, axes = metric.plot([metric.compute(), metric.compute()] if several else None)

    drawn = dict.fromkeys(x for line in axes.get_lines() if not (x := line.get_label()).startswith("_"))
    names = [*NUMBERS, "map_per_class", "mar_100_per_class"]
    assert list(drawn)[: 2 * len(names)] == [f"{kind}_{name}" for kind in ("bbox", "segm") for name in names]
    values = np.concatenate([np.ravel(line.get_ydata()) for line in axes.get_lines()])
    assert np.nanmax(values) <= 1
    plt.close("all")


def test_plot_leaves_out_counts():
    _, axes = filled("kinds of errors, masks").plot()

    assert not [line.get_label() for line in axes.get_lines() if "count" in line.get_label()]
    plt.close("all")


def test_collection():
    """Metrics whose states are equal after the first batch share them from then on: wrongly, if they are not alike."""
    options = [{}, {"iou_threshold": 0.6}, {"pairing": "all"}, {"respect_labels": False}]
    scores = {"giou": GeneralizedIntersectionOverUnion(), "diou": DistanceIntersectionOverUnion()}
    others = {f"iou {i}": IntersectionOverUnion(output="tensor", **option) for i, option in enumerate(options)}
    metrics = MetricCollection(scores | others)
    metrics.update([sample([])], [sample(TWO)])
    metrics.update([sample([[0, 0, 2, 2]], [1])], [sample([[2, 0, 4, 2]], [1])])
    metrics.update([sample([[0, 0, 2, 2], [5, 5, 6, 6]])], [sample([[0, 0, 2, 1], [5, 5, 6, 6]], [0, 1])])

    # Three misses in the last image where labels count; else two pairs of the same boxes, of IoU 1/2 and 1.
    expected = {
        "giou": (-2 + 0 + 0.5 - 2) / 6,
        "diou": (-2 - 4 / 20 + (0.5 - 0.25 / 8) - 2) / 6,
        "iou 0": 0.5 / 6,
        "iou 1": 0,
        "iou 2": 0.5 / 5,
        "iou 3": 1.5 / 5,
    }
    assert {key: x.item() for key, x in metrics.compute().items()} == pytest.approx(expected)


def test_collection_of_average_precision():
    """What is only said differently shares a state; what is kept differently does not."""
    options = [
        {},
        {"rec_thresholds": [0.5]},
        {"average": "micro"},
        {"box_format": "xywh"},
        {"compat": True},
        {"backend": "faster_coco_eval"},
    ]
    alone = [MeanAveragePrecision(output="tensor", **option) for option in options]
    metrics = MetricCollection({str(i): metric.clone() for i, metric in enumerate(alone)})
    for batch in [([], []), *batches()]:
        metrics.update(*batch)
        for metric in alone:
            metric.update(*batch)

    assert [sorted(group) for group in metrics.compute_groups.values()] == [["0", "5"], ["1"], ["2"], ["3"], ["4"]]
    assert_same([*metrics.compute().values()], [metric.compute() for metric in alone])
    metrics.reset()
    assert metrics(*data())["2"] == alone[2].compute()


def test_tracker():
    tracker = MetricTracker(MeanAveragePrecision(output="tensor"), maximize=True)
    perfect = [one | {"scores": torch.ones(len(one["labels"]))} for one in data()[1]]
    for preds in (data()[0], perfect):
        tracker.increment()
        tracker.update(preds, [{k: x for k, x in one.items() if k != "iscrowd"} for one in data()[1]])

    assert tracker.best_metric(return_step=True) == (1.0, 1)
    assert tracker.compute_all().shape == (2,)


@pytest.mark.parametrize("cls", [IntersectionOverUnion, MeanAveragePrecision])
def test_classwise(cls):
    metric = ClasswiseWrapper(
        cls(class_metrics=True, num_classes=3, output="tensor"), labels=["ant", "bee", "cat"], prefix="of_"
    )
    one = sample(TWO[:1], [1]) | {"scores": torch.ones(1)}

    found = {key: x.item() for key, x in metric([one], [one]).items()}
    assert found == pytest.approx({"of_ant": torch.nan, "of_bee": 1, "of_cat": torch.nan}, nan_ok=True)


@every
def test_states_are_of_integers(name):
    """So that neither half precision nor a device without float64 takes digits from them."""
    for state in filled(name).metric_state.values():
        assert not any(x.is_floating_point() for x in (state if isinstance(state, list) else [state]))


def test_dtype_on_request():
    metric = IntersectionOverUnion().set_dtype(torch.float64)

    boxes = torch.tensor([[[0, 0, 3, 1]], [[0, 0, 1, 1]]], dtype=torch.float64)
    (found,) = metric(*([{"boxes": x, "labels": torch.tensor([0])}] for x in boxes)).values()
    assert found.item() == 1 / 3
