"""The nnx metrics, which update the states of the JAX metrics in place; over the table of `jax_cases`."""

import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx, serialization

import omniou_integrations.flax as module
from omniou_integrations import jax as states
from omniou_integrations.flax import BoxScore, DetectionAP, MeanIoU
from tests.integrations.jax_cases import NAMES, SOME, by_functions, cases, cast, joined, number

every_metric = pytest.mark.parametrize("name", NAMES)
some_metrics = pytest.mark.parametrize("name", SOME)


@pytest.fixture
def case(name):
    return cases()[name]


def metric_of(case):
    return getattr(module, case.metric.__name__)(**case.options)


def updated(case, batches=None):
    metric = metric_of(case)
    for batch in batches or case.batches:
        metric.update(**batch)
    return metric


def assert_same(metric, state):
    """Equal states: integers exactly, floats to 1e-6."""
    mine = metric.state.get_value()
    assert jax.tree.structure(mine) == jax.tree.structure(state)
    for x, y in zip(jax.tree.leaves(mine), jax.tree.leaves(state), strict=True):
        np.testing.assert_allclose(x, y, rtol=0 if jnp.isdtype(x.dtype, "integral") else 1e-6)


def test_cases_cover_every_public_metric():
    assert {case.metric.__name__ for case in cases().values()} | {"MeanIoU"} == set(module.__all__)


@every_metric
def test_compute_equals_hand_worked_values(case):
    metric = updated(case)

    assert isinstance(metric, nnx.Metric)
    assert number(metric.compute()) == pytest.approx(case.expected, abs=1e-6)
    assert number(metric.compute()) == pytest.approx(float(by_functions(case)), abs=1e-6)
    assert_same(metric, case.empty().update(**joined(case.batches)))


@some_metrics
def test_reset_gives_empty_state(case):
    metric = updated(case)
    metric.reset()

    assert np.isnan(number(metric.compute()))
    assert_same(metric, case.empty())


@some_metrics
def test_merge_equals_joined_batches(case):
    one, other = (updated(case, [batch]) for batch in case.batches)
    one.state.set_value(one.state.get_value().merge(other.state.get_value()))

    assert_same(one, case.empty().update(**joined(case.batches)))


@some_metrics
def test_jit_compiles_once_for_all_batches(case):
    traces = 0

    @nnx.jit
    def step(metric, batch):
        nonlocal traces
        traces += 1
        metric.update(**batch)

    metric = metric_of(case)
    for batch in case.batches:
        step(metric, batch)
    metric.reset()
    for batch in case.batches:
        step(metric, batch)

    assert traces == 1
    assert number(nnx.jit(lambda metric: metric.compute())(metric)) == pytest.approx(case.expected, abs=1e-6)


@some_metrics
def test_scan_and_split_equal_joined_batches(case):
    def step(metric, batch):
        metric.update(**batch)
        return metric

    stacked = jax.tree.map(lambda *x: jnp.stack(x), *case.batches)
    scanned = nnx.scan(step, in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)(metric_of(case), stacked)
    assert_same(scanned, case.empty().update(**joined(case.batches)))

    graph, leaves = nnx.split(scanned)
    assert_same(
        nnx.merge(graph, jax.tree.map(lambda x: x + x, leaves)), case.empty().update(**joined(case.batches * 2))
    )


@some_metrics
def test_pickle_round_trip(case):
    metric = updated(case, case.batches[:1])
    loaded = pickle.loads(pickle.dumps(metric))  # noqa: S301
    loaded.update(**case.batches[1])

    assert_same(loaded, case.empty().update(**joined(case.batches)))


@some_metrics
@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16])
def test_update_in_half_precision(case, dtype):
    metric = updated(case, [cast(batch, dtype) for batch in case.batches])

    assert number(metric.compute()) == pytest.approx(case.expected, abs=2e-3)


@some_metrics
def test_multi_metric_of_metric_and_loss(case):
    metrics = nnx.MultiMetric(ours=metric_of(case), loss=nnx.metrics.Average("loss"))
    for batch, loss in zip(case.batches, (1.0, 3.0), strict=True):
        metrics.update(**batch, loss=loss)

    assert {name: number(x) for name, x in metrics.compute().items()} == pytest.approx(
        {"ours": case.expected, "loss": 2.0}, abs=1e-6
    )


@some_metrics
def test_mask_argument_is_where(case):
    batch = {name: x for name, x in case.batches[0].items() if name != "where"}
    mask = case.batches[0].get("where", jnp.asarray([False]))
    metrics = nnx.MultiMetric(ours=metric_of(case))
    metrics.update(**batch, mask=mask)

    assert_same(metrics.ours, case.empty().update(**batch, where=mask))
    with pytest.raises(ValueError, match="`where` and `mask` mean the same, got both"):
        metric_of(case).update(**batch, where=mask, mask=mask)


def test_summary_by_hand():
    targets = {"boxes": jnp.asarray([[[0.0, 0, 10, 10]]]), "labels": jnp.asarray([[0]])}
    detections = {
        "boxes": jnp.asarray([[[0.0, 0, 10, 6]]]),
        "labels": jnp.asarray([[0]]),
        "scores": jnp.asarray([[0.5]]),
    }
    metric = DetectionAP(1, bins=8)
    metric.update(targets=targets, detections=detections)

    # An IoU of 0.6 reaches three thresholds of ten.
    assert {name: float(x) for name, x in metric.summary().items()} == pytest.approx(
        {"AP": 0.3, "AP50": 1, "AP75": 0, "AR": 0.3}
    )


def test_mean_iou_of_segmentation_by_hand():
    """Class 0 has 1 of 2 pixels, class 1 has 2 of 3; the ignored and the masked pixel do not count."""
    target = jnp.asarray([[0, 0, 1, 1, 255, 0]])
    scores = jnp.asarray([[[0.9, 0.2, 0.3, 0.1, 0.9, 0.0], [0.1, 0.8, 0.7, 0.9, 0.1, 1.0]]])
    batch = {"pred": scores, "target": target, "mask": jnp.asarray([[True] * 5 + [False]])}
    metrics = nnx.MultiMetric(iou=MeanIoU(2, ignore_index=255, class_axis=1), loss=nnx.metrics.Average("loss"))

    @nnx.jit
    def step(metrics, batch):
        metrics.update(**batch, loss=jnp.asarray(1.0))

    for _ in range(2):
        step(metrics, batch)
    assert float(metrics.compute()["iou"]) == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert metrics.iou.per_class(score="precision").tolist() == pytest.approx([1.0, 2 / 3])
    metrics.reset()
    assert np.isnan(float(metrics.iou.compute()))


def test_invalid_arguments_raise():
    with pytest.raises(TypeError, match="`score` must be a function"):
        BoxScore("giou")
    with pytest.raises(ValueError, match="`classes` must be a positive integer, got 0"):
        DetectionAP(0)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'target'"):
        BoxScore().update(pred=jnp.zeros((1, 4)))


@every_metric
def test_bytes_of_a_state_come_back_equal(case):
    state = case.empty().update(**case.batches[0])
    held = {"metric": state, "step": 3}
    restored = serialization.from_bytes({"metric": case.empty(), "step": 0}, serialization.to_bytes(held))["metric"]

    assert type(restored) is type(state)
    assert jax.tree.structure(restored) == jax.tree.structure(state)
    for x, y in zip(jax.tree.leaves(restored), jax.tree.leaves(state), strict=True):
        assert isinstance(x, jax.Array)
        assert x.dtype == y.dtype
        np.testing.assert_array_equal(x, y)


def test_bytes_of_another_state_are_refused():
    saved = serialization.to_bytes(states.MeanIoU.empty(3))
    with pytest.raises(ValueError, match=r"of a saved MeanIoU must have shape \(4, 5\), .*, got \(3, 4\): .* options"):
        serialization.from_bytes(states.MeanIoU.empty(4), saved)
    with pytest.raises(ValueError, match=r"a saved BoxScore must have the arrays \['count'\], \['total'\], got"):
        serialization.from_bytes(states.BoxScore.empty(), saved)
    many = {"total": np.float64(1), "count": np.int64(2**40)}
    if not jax.config.jax_enable_x64:
        with pytest.raises(ValueError, match="the saved counts must fit int32, got 1099511627776"):
            serialization.from_state_dict(states.BoxScore.empty(), many)
