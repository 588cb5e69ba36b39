"""The contract of torchmetrics for every metric: a table of checks, as in its `MetricTester`.

Processes are in `test_torchmetrics_processes.py`, Lightning is in `test_torchmetrics_lightning.py`.
"""

import copy
import inspect
import math
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
from omniou_integrations.torchmetrics._base import described
from tests.integrations.metrics import EVERY, NUMBERS, data
from tests.integrations.samples import sample
from tests.integrations.segmentation_metrics import EVERY as OF_SEGMENTATION

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


def assert_same(actual, expected, tolerance=0.0):
    torch.testing.assert_close(actual, expected, rtol=tolerance, atol=tolerance, equal_nan=True)


def test_cases_cover_every_public_metric():
    covered = {type(case.make()).__name__ for case in (*EVERY.values(), *OF_SEGMENTATION.values())}
    others = {"BootStrapper", "JaccardIndex", "log_figures", "scalars"}
    of_tracks = {"HOTA", "ClearMOT", "IDF1"}  # which take frames: test_torchmetrics_tracking.py
    assert covered | others | of_tracks == set(package.__all__)


@every
def test_compute_equals_reference(name):
    metric = EVERY[name].make().set_dtype(torch.float64)
    for batch in batches():
        metric.update(*batch)
    actual, expected = metric.compute(), EVERY[name].expected(*data())
    if not getattr(metric, "class_metrics", False):
        expected = {key: x for key, x in expected.items() if "/" not in key}

    assert {key: actual[key].item() for key in expected} == pytest.approx(expected, abs=1e-7, nan_ok=True)


@every
def test_forward_and_merge_equal_single_update(name):
    whole, forward, merged = (EVERY[name].make() for _ in range(3))
    whole.update(*data())
    for batch in batches():
        alone = EVERY[name].make()
        alone.update(*batch)
        assert_same(forward(*batch), alone.compute())
        merged.merge_state(alone)

    for metric in (forward, merged, filled(name)):
        assert_same(metric.compute(), whole.compute())
    # From a state dictionary, and after `compute`.
    merged.merge_state(whole.metric_state)
    twice = filled(name)
    twice.update(*data())
    assert_same(merged.compute(), twice.compute())


@every
def test_pickle_clone_and_state_dict(name):
    metric = filled(name)
    saved = EVERY[name].make()
    metric.persistent(mode=True)
    saved.persistent(mode=True)
    saved.load_state_dict(copy.deepcopy(metric.state_dict()))
    saved.update([], [])  # torchmetrics warns where `compute` follows no update
    by_pickle = pickle.loads(pickle.dumps(metric))  # noqa: S301  (our own)

    for other in (by_pickle, metric.clone(), copy.deepcopy(metric), saved):
        assert_same(other.compute(), metric.compute())
        other.update(*data())
        twice = filled(name)
        twice.update(*data())
        assert_same(other.compute(), twice.compute())


def padded(side, rows):
    """More rows of padding, in which anything may stand."""
    out = []
    for one in side:
        more = {key: x.new_full((rows, *x.shape[1:]), 0 if x.dtype == torch.bool else 7) for key, x in one.items()}
        more["labels"] = more["labels"] * 0 - 100
        out.append({key: torch.cat([more[key], x, more[key]]) for key, x in one.items()})
    return out


@every
@pytest.mark.parametrize("sides", [(1, 0), (0, 2), (1, 1)])
def test_padding_changes_nothing(name, sides):
    metric = EVERY[name].make()
    given = [padded(side, rows) for side, rows in zip(data(), sides, strict=True)]
    if getattr(metric, "pairing", "") == "aligned":
        with pytest.raises(ValueError, match="marks padding: leave these pairs out on both sides"):
            metric.update(*given)
        return
    metric.update(*given)
    assert_same(metric.compute(), filled(name).compute())


def test_padding_is_refused_with_compat():
    preds, target = data()
    message = r"`target\[0\]\['labels'\]` must not be .* torchmetrics counts it as a class"
    for made in (MeanAveragePrecision(compat=True), IntersectionOverUnion(compat=True)):
        with pytest.raises(ValueError, match=message):
            made.update(preds, padded(target, 1))


@every
def test_reset_gives_initial_state(name):
    metric = filled(name)
    metric.reset()

    assert_same(EVERY[name].make()([], []), metric([], []))
    metric.reset()
    for batch in batches():
        metric.update(*batch)
    assert_same(metric.compute(), filled(name).compute())


@every
@pytest.mark.parametrize("move", [lambda m: m.half(), lambda m: m.to(torch.bfloat16), lambda m: m.to("cpu").float()])
def test_module_cast_leaves_state_unchanged(name, move):
    """Lightning's "bf16-true" casts modules; integer states keep their precision."""
    module = torch.nn.Module()
    module.metric = EVERY[name].make()
    module.metric.update(*batches()[0])
    move(module)
    for batch in batches()[1:]:
        module.metric.update(*batch)

    assert_same(module.metric.compute(), filled(name).compute())


@every
def test_update_in_half_precision(name):
    metric = EVERY[name].make()
    for preds, target in batches():
        narrow = [x | {"boxes": x["boxes"].half(), "scores": x["scores"].bfloat16()} for x in preds]
        metric.update(narrow, target)

    # Whole numbers below 2048, and eighths.
    assert_same(metric.compute(), filled(name).compute(), 1e-3)


@every
def test_update_in_and_out_of_inference_mode(name):
    """Lightning validates in inference mode; inference tensors cannot be updated in place outside it."""
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
def test_update_of_tensors_that_require_grad(name):
    preds, target = data()
    for one in preds:
        one["boxes"], one["scores"] = (one[key].clone().requires_grad_() for key in ("boxes", "scores"))

    assert_same(EVERY[name].make()(preds, target), filled(name).compute())


@every
def test_compiled_update_equals_eager(name):
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


def test_plot_limits_are_score_bounds():
    for name, low, high in (("iou", 0, 1), ("map", 0, 1), ("giou", -1, 1)):
        metric = filled(name)
        for limits in (metric.plot()[1].get_xlim(), metric.plot([metric.compute()] * 2)[1].get_ylim()):
            assert low - 0.2 < limits[0] <= low < high <= limits[1] < high + 0.2
    plt.close("all")


def test_plot_is_bars_with_names_and_numbers():
    """Class ids stand in the names, tables are left out, and what has no objects has no bar."""
    metric = filled("map, all")
    _, axes = metric.plot()

    names = [text.get_text() for text in axes.get_yticklabels()]
    classes = [f"map_per_class {k}" for k in range(4)] + [f"mar_100_per_class {k}" for k in range(4)]
    assert names == [f"{kind}_{name}" for kind in ("bbox", "segm") for name in [*NUMBERS, *classes]]
    bars = dict(zip(names, (bar.get_width() for bar in axes.patches), strict=True))
    results = metric.compute()
    assert bars["segm_map_per_class 2"] == results["segm_map_per_class"][2].item()
    assert math.isnan(results["bbox_map_large"])
    assert bars["bbox_map_large"] == 0
    assert axes.texts[names.index("bbox_map_large")].get_text().strip() == "-"
    plt.close("all")


def test_plot_of_several_results_is_lines_over_steps():
    """A legend has every line or is not there; only few lines can be told apart."""
    for name, in_legend in (("map", [*NUMBERS, "map_per_class", "mar_100_per_class"]), ("map, all", [])):
        metric = filled(name)
        _, axes = metric.plot([metric.compute()] * 3)
        lines, legend = axes.get_lines(), axes.get_legend()
        assert {len(line.get_ydata()) for line in lines} == {3}
        assert [x.get_text() for x in (legend.get_texts() if legend else ())] == in_legend
        assert in_legend in ([], [line.get_label() for line in lines])
    plt.close("all")


def test_plot_omits_counts():
    metric = filled("kinds of errors, masks")
    _, axes = metric.plot(metric.compute())

    names = [text.get_text() for text in axes.get_yticklabels()]
    assert "missed_cost" in names
    assert not [name for name in names if "count" in name]
    plt.close("all")


@pytest.mark.parametrize(
    ("numbers", "x_label"),
    [
        ("summary", "Recall"),
        ("errors", "AP that would be gained (number of errors)"),
        ("confusion", "Detected"),
        ("calibration", "Mean score"),
        ("operating_points", "Threshold of scores"),
        ("lrp", ""),
    ],
)
def test_plot_of_evaluation_is_a_picture_of_its_numbers(numbers, x_label):
    metric = package.DetectionEvaluation(numbers)
    metric.update([sample(TWO[:1]) | {"scores": torch.tensor([0.9])}], [sample(TWO)])
    _, given = plt.subplots()
    figure, axes = metric.plot(ax=given)

    assert axes is given
    assert figure is None
    assert metric.plot()[0] is not None
    assert axes.get_xlabel() == x_label
    plt.close("all")


def test_collection_of_scores_by_hand():
    """Torchmetrics groups metrics of equal state after the first batch; different options must not be grouped."""
    options = [{}, {"iou_threshold": 0.6}, {"pairing": "all"}, {"respect_labels": False}]
    scores = {"giou": GeneralizedIntersectionOverUnion(), "diou": DistanceIntersectionOverUnion()}
    others = {f"iou {i}": IntersectionOverUnion(output="tensor", **option) for i, option in enumerate(options)}
    metrics = MetricCollection(scores | others)
    metrics.update([sample([])], [sample(TWO)])
    metrics.update([sample([[0, 0, 2, 2]], [1])], [sample([[2, 0, 4, 2]], [1])])
    metrics.update([sample([[0, 0, 2, 2], [5, 5, 6, 6]])], [sample([[0, 0, 2, 1], [5, 5, 6, 6]], [0, 1])])

    # With labels, three unpaired boxes in the last image; without, two pairs of IoU 1/2 and 1.
    expected = {
        "giou": (-2 + 0 + 0.5 - 2) / 6,
        "diou": (-2 - 4 / 20 + (0.5 - 0.25 / 8) - 2) / 6,
        "iou 0": 0.5 / 6,
        "iou 1": 0,
        "iou 2": 0.5 / 5,
        "iou 3": 1.5 / 5,
    }
    assert {key: x.item() for key, x in metrics.compute().items()} == pytest.approx(expected)


def test_collection_groups_metrics_of_equal_state():
    """Options that do not change the state share it; others do not."""
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


def test_tracker_best_step():
    tracker = MetricTracker(MeanAveragePrecision(output="tensor"), maximize=True)
    perfect = [one | {"scores": torch.ones(len(one["labels"]))} for one in data()[1]]
    for preds in (data()[0], perfect):
        tracker.increment()
        tracker.update(preds, [{k: x for k, x in one.items() if k != "iscrowd"} for one in data()[1]])

    assert tracker.best_metric(return_step=True) == (1.0, 1)
    assert tracker.compute_all().shape == (2,)


@pytest.mark.parametrize("cls", [IntersectionOverUnion, MeanAveragePrecision])
def test_classwise_wrapper_names_classes(cls):
    metric = ClasswiseWrapper(
        cls(class_metrics=True, num_classes=3, output="tensor"), labels=["ant", "bee", "cat"], prefix="of_"
    )
    one = sample(TWO[:1], [1]) | {"scores": torch.ones(1)}

    actual = {key: x.item() for key, x in metric([one], [one]).items()}
    assert actual == pytest.approx({"of_ant": torch.nan, "of_bee": 1, "of_cat": torch.nan}, nan_ok=True)


@every
def test_states_are_integers(name):
    """Integers keep their precision under `half()` and on devices without float64."""
    for state in filled(name).metric_state.values():
        assert not any(x.is_floating_point() for x in (state if isinstance(state, list) else [state]))


def test_set_dtype_to_float64():
    metric = IntersectionOverUnion().set_dtype(torch.float64)

    boxes = torch.tensor([[[0, 0, 3, 1]], [[0, 0, 1, 1]]], dtype=torch.float64)
    (actual,) = metric(*([{"boxes": x, "labels": torch.tensor([0])}] for x in boxes)).values()
    assert actual.item() == 1 / 3


NUMPY = {bool: np.bool_, int: np.int64, float: np.float64, str: np.str_}


def as_numpy(x):
    """The same option as NumPy has it."""
    if isinstance(x, (list, tuple, set)) and x:
        return type(x)(map(as_numpy, x))
    return NUMPY[type(x)](x) if type(x) in NUMPY else x


def options_of(metric):
    """The options of a metric by name, those at their defaults as well."""
    args, kwargs = metric.given
    bound = inspect.signature(type(metric).__init__).bind(metric, *args, **kwargs)
    bound.apply_defaults()
    _, *options = bound.arguments.items()
    return {name: x for name, x in options if name not in {"kwargs", "options"}} | bound.arguments.get("kwargs", {})


@pytest.mark.parametrize("case", [*EVERY.values(), *list(OF_SEGMENTATION.values())[::7]], ids=repr)
def test_options_of_numpy_give_the_same_metric(case):
    expected = case.make()
    options = options_of(expected)
    for name, x in options.items():
        made = type(expected)(**options | {name: as_numpy(x)})
        assert list(made._defaults) == list(expected._defaults), name
        assert described(made) == described(expected) | {name: repr(x)}, name
        if type(x) in {int, float}:
            made = type(expected)(**options | {name: torch.asarray(x, dtype=torch.float64 if x % 1 else torch.int64)})
            assert type(getattr(made, name, x)) in {int, float}, name


def test_thresholds_of_numpy():
    given = {
        "iou_thresholds": np.arange(0.5, 1, 0.25),
        "rec_thresholds": np.linspace(0, 1, 3, dtype=np.float32),
        "max_detection_thresholds": np.asarray([1, 10, 100]),
    }
    made, expected = (
        MeanAveragePrecision(**x, num_classes=classes)
        for x, classes in ((given, np.int64(4)), ({name: x.tolist() for name, x in given.items()}, 4))
    )
    assert list(made._defaults) == list(expected._defaults)
    for metric in (made, expected):
        metric.update(*data())
    assert_same(made.compute(), expected.compute())
    assert described(made) == described(expected)
    assert package.PrecisionRecallF1(score_threshold=np.float32(0.5)).given == ((), {"score_threshold": 0.5})
    with pytest.raises(ValueError, match="`num_classes` must be a positive integer, got"):
        MeanAveragePrecision(num_classes=np.float64(4))
