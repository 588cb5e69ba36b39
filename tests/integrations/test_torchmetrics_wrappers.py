"""Every metric inside every wrapper of torchmetrics, made on the meta device, and beside a narrow default dtype."""

import pytest
import torch
from torchmetrics import MetricTracker, MinMaxMetric, MultitaskWrapper
from torchmetrics.wrappers import Running

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
