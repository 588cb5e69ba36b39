"""Every metric inside every wrapper of torchmetrics, made on the meta device, and beside a narrow default dtype.

`FeatureShare` is for metrics that have a network.
"""

import copy
import pickle

import pytest
import torch
from torchmetrics import MetricCollection, MetricTracker, MinMaxMetric, MultitaskWrapper
from torchmetrics.wrappers import BootStrapper, ClasswiseWrapper, LambdaInputTransformer, MultioutputWrapper, Running

from omniou_integrations.torchmetrics import HOTA, IDF1, ClearMOT
from tests.integrations import metrics, segmentation_metrics, tracking_ranks

MAKE = {name: case.make for name, case in metrics.EVERY.items()}
MAKE |= {name: case.make for name, case in segmentation_metrics.EVERY.items()}
MAKE |= {kind.__name__: kind for kind in (HOTA, ClearMOT, IDF1)}
SIZE = 4

every = pytest.mark.parametrize("name", MAKE)


def batches(name):
    """Three batches of four images or frames."""
    if name in metrics.EVERY:
        both = metrics.data()
    elif name in segmentation_metrics.EVERY:
        both = segmentation_metrics.inputs(segmentation_metrics.EVERY[name].kind)
    else:
        both = tracking_ranks.data()
    return [tuple(side[k : k + SIZE] for side in both) for k in range(0, 3 * SIZE, SIZE)]


def result(name, parts):
    metric = MAKE[name]()
    for part in parts:
        metric.update(*part)
    return metric.compute()


def assert_same(actual, expected):
    torch.testing.assert_close(actual, expected, rtol=0, atol=0, equal_nan=True)


def numbers(found):
    """Without the overlaps of each image, which a ring of batches numbers in its own order."""
    return {key: x for key, x in found.items() if "ious" not in key} if isinstance(found, dict) else found


@every
@pytest.mark.parametrize("forward", [False, True])
def test_running_is_the_result_of_the_last_batches(name, forward):
    running, parts = Running(MAKE[name](), window=2), batches(name)
    for k, part in enumerate(parts):
        if forward:
            assert_same(running(*part), result(name, [part]))
        else:
            running.update(*part)
        if k:
            assert_same(numbers(running.compute()), numbers(result(name, parts[k - 1 : k + 1])))
    running.reset()
    for part in parts[:2]:
        running.update(*part)
    assert_same(numbers(running.compute()), numbers(result(name, parts[:2])))


@every
def test_reset_leaves_what_others_hold(name):
    metric, (part, *_) = MAKE[name](), batches(name)
    metric.update(*part)
    held = {key: getattr(metric, key) for key in metric.metric_state}
    copies = {key: [y.clone() for y in x] if isinstance(x, list) else x.clone() for key, x in held.items()}
    metric.reset()
    assert held.keys() == copies.keys()
    for key, x in held.items():
        assert_same(x, copies[key])


@every
def test_tracker_and_multitask_give_the_results_of_steps(name):
    first, second, _ = batches(name)
    tracker, tasks = (
        MetricTracker(MAKE[name](), maximize=True),
        MultitaskWrapper({"a": MAKE[name](), "b": MAKE[name]()}),
    )
    for part in (first, second):
        tracker.increment()
        tracker.update(*part)
        assert_same(tracker.compute(), result(name, [part]))
    tasks.update({"a": first[0], "b": second[0]}, {"a": first[1], "b": second[1]})
    assert_same(tasks.compute(), {"a": result(name, [first]), "b": result(name, [second])})


@every
def test_minimum_and_maximum_of_a_number(name):
    parts, results, metric = batches(name)[:2], [], MinMaxMetric(MAKE[name]())
    for part in parts:
        results.append(result(name, [part]))
        metric.update(*part)
        if not isinstance(results[0], torch.Tensor) or results[0].ndim > 0:
            with pytest.raises(RuntimeError, match="should be a float or scalar tensor"):
                metric.compute()
            return
        metric.compute()
        metric._base_metric.reset()
    assert {metric.min_val.item(), metric.max_val.item()} == {x.item() for x in results}


def source(name):
    """What `update` takes, which metrics of one collection share."""
    if name in segmentation_metrics.EVERY:
        return segmentation_metrics.EVERY[name].kind
    return "images" if name in metrics.EVERY else "frames"


def assert_collected(found, names, parts, prefix):
    """Equal results; a collection names numbers of a dictionary by their keys, and by the metric if keys are equal."""
    expected = {}
    for k, name in enumerate(names):
        one = result(name, parts)
        for key, x in one.items() if isinstance(one, dict) else [(f"m{k}", one)]:
            own = [y for y in (f"{prefix}m{k}_{key}", f"{prefix}{key}") if y in found]
            expected[own[0]] = x
    assert found.keys() == expected.keys()
    assert_same(numbers(found), numbers(expected))


@pytest.mark.parametrize("kind", dict.fromkeys(map(source, MAKE)))
def test_collection_of_all_metrics_of_an_input(kind):
    """Metrics whose states were equal after the first batch share one from the second on."""
    names = [name for name in MAKE if source(name) == kind]
    made = MetricCollection({f"m{k}": MAKE[name]() for k, name in enumerate(names)}, prefix="val_")
    parts, tracker = batches(names[0]), MetricTracker(made.clone(), maximize=[True] * len(names))
    for part in parts[:2]:
        made.update(*part)
        tracker.increment()
        tracker.update(*part)
        assert_collected(tracker.compute(), names, [part], "val_")
    assert_collected(made.compute(), names, parts[:2], "val_")
    others = {"test_": made.clone(prefix="test_"), "val_": pickle.loads(pickle.dumps(made))}  # noqa: S301  (our own)
    made.persistent(mode=True)
    loaded = MetricCollection({f"m{k}": MAKE[name]() for k, name in enumerate(names)}, compute_groups=False)
    loaded.load_state_dict(copy.deepcopy(made.state_dict()))
    for prefix, other in (others | {"": loaded}).items():
        other.update(*parts[2])
        assert_collected(other.compute(), names, parts, prefix)
    made.reset()
    assert_collected(made(*parts[2]), names, parts[2:], "val_")


def reverse(x):
    return x[::-1] if isinstance(x, list) else x.flip(0)


@every
def test_transformer_and_classwise(name):
    first, second, _ = batches(name)
    transformer = LambdaInputTransformer(MAKE[name](), transform_pred=reverse)
    transformer.update(reverse(first[0]), first[1])
    transformer = copy.deepcopy(transformer)
    transformer.update(reverse(second[0]), second[1])
    expected = result(name, [first, second])
    assert_same(transformer.compute(), expected)
    if isinstance(expected, torch.Tensor) and expected.ndim == 1:
        classwise = ClasswiseWrapper(MAKE[name](), prefix="of_")
        classwise.update(*first)
        classwise = pickle.loads(pickle.dumps(classwise))  # noqa: S301  (our own)
        classwise.update(*second)
        assert_same(classwise.compute(), {f"of_{k}": x for k, x in enumerate(expected)})


@every
def test_bootstrap_and_outputs(name):
    part = batches(name)[0]
    if not all(isinstance(x, torch.Tensor) for x in part):  # lists of images: omniou has a BootStrapper of its own
        return
    drawn = BootStrapper(MAKE[name](), num_bootstraps=2, raw=True, sampling_strategy="multinomial")
    torch.manual_seed(0)
    drawn.update(*part)
    torch.manual_seed(0)
    rows = [torch.multinomial(torch.ones(SIZE), num_samples=SIZE, replacement=True) for _ in range(2)]
    samples = [result(name, [[x[chosen] for x in part]]) for chosen in rows]
    assert_same(drawn.compute()["raw"], torch.stack(samples))
    outputs = MultioutputWrapper(MAKE[name](), num_outputs=2, remove_nans=False)
    outputs.update(*(torch.stack([x, x.flip(0)], dim=-1) for x in part))
    assert_same(outputs.compute(), torch.stack([result(name, [part]), result(name, [[x.flip(0) for x in part]])]))


@every
@pytest.mark.parametrize("module", [False, True])
def test_metric_made_on_the_meta_device(name, module):
    """As `init_module(empty_init=True)`, FSDP and DeepSpeed make it: `to_empty` leaves what the memory held."""
    with torch.device("meta"):
        metric = MAKE[name]()
    owner = torch.nn.Module()
    owner.metric = metric
    torch.full((1 << 14,), 7)  # memory that is given back with values in it
    (owner if module else metric).to_empty(device="cpu")
    if not module:
        metric.reset()
    parts = batches(name)
    for part in parts:
        metric.update(*part)
    assert_same(metric.compute(), result(name, parts))


@every
def test_default_dtype_of_16_bits_narrows_no_result(name):
    expected, parts = result(name, batches(name)), batches(name)
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.bfloat16)
    try:
        assert_same(result(name, parts), expected)
    finally:
        torch.set_default_dtype(before)
