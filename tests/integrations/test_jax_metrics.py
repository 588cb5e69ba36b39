"""Checks of every metric state of the table `jax_cases`."""

import functools
import os
import pickle
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import omniou_integrations.jax
from omniou import boxes
from omniou_integrations.jax import BoxScore, DetectionAP, MeanIoU
from tests.integrations.jax_cases import NAMES, SOME, by_functions, cases, cast, joined, number
from tests.places import ROOT

NUMBERS = [(int, float), (np.int64, np.float32), (np.asarray, np.asarray)]
every_metric = pytest.mark.parametrize("name", NAMES)
some_metrics = pytest.mark.parametrize("name", SOME)


# Without `jax.enable_x64`, the default, and with it.
in_both_modes = pytest.mark.parametrize("case", [False, True], indirect=True, ids=["x32", "x64"])


@pytest.fixture
def case(request, name):
    with jax.enable_x64(getattr(request, "param", False)):
        yield cases()[name]


def assert_same(a, b):
    """Equal options; integers exactly, floats to 1e-6."""
    assert jax.tree.structure(a) == jax.tree.structure(b)
    for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True):
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        np.testing.assert_allclose(x, y, rtol=0 if jnp.isdtype(x.dtype, "integral") else 1e-6)


def merged(states):
    return functools.reduce(lambda a, b: a.merge(b), states)


@every_metric
@in_both_modes
def test_compute_equals_hand_worked_values(case):
    assert number(merged(case.states()).compute()) == pytest.approx(case.expected, abs=1e-6)


@every_metric
def test_compute_equals_functions(case):
    assert number(merged(case.states()).compute()) == pytest.approx(float(by_functions(case)), abs=1e-6)


@some_metrics
@in_both_modes
def test_merged_and_reduced_states_equal_joined_batches(case):
    states = case.states()
    whole = case.empty().update(**joined(case.batches))
    one_by_one = case.empty()
    for batch in case.batches:
        one_by_one = one_by_one.update(**batch)

    assert len(states) == 2
    assert_same(one_by_one, whole)
    assert_same(merged(states), whole)
    assert_same(merged(states[::-1]), whole)
    assert_same(case.empty().merge(whole), whole)
    assert_same(jax.tree.map(lambda *x: jnp.stack(x), *states).reduce(), whole)
    with pytest.raises(AssertionError):
        assert_same(states[0], whole)


@some_metrics
@in_both_modes
def test_jit_scan_and_vmap_equal_joined_batches(case):
    traces = 0

    def add(state, batch):
        nonlocal traces
        traces += 1
        return state.update(**batch), None

    compiled = jax.jit(lambda state, batch: add(state, batch)[0], donate_argnums=0)
    by_jit = case.empty()
    for batch in [*case.batches, case.batches[0]]:
        by_jit = compiled(by_jit, batch)
    assert traces == 1  # of three batches

    stacked = jax.tree.map(lambda *x: jnp.stack(x), *case.batches, case.batches[0])
    by_scan = jax.jit(lambda batches: jax.lax.scan(add, case.empty(), batches)[0])(stacked)
    by_vmap = jax.vmap(lambda batch: case.empty().update(**batch).reduce("batch"), axis_name="batch")(stacked)
    whole = case.empty().update(**joined([*case.batches, case.batches[0]]))
    assert_same(by_jit, whole)
    assert_same(by_scan, whole)
    assert_same(jax.tree.map(lambda x: x[0], by_vmap), whole)
    assert number(jax.jit(lambda state: state.compute())(by_scan)) == pytest.approx(number(whole.compute()))


@some_metrics
def test_eager_update_compiles_once(case):
    state = case.empty().update(**case.batches[0])

    with jax.no_tracing():
        state.update(**case.batches[1])
        with pytest.raises(RuntimeError, match="no_tracing"):  # another shape is traced: the check works
            state.update(**joined(case.batches, images=7))


@some_metrics
def test_pickle_round_trip(case):
    state = case.states()[0]
    loaded = pickle.loads(pickle.dumps(state))  # noqa: S301

    assert_same(loaded, state)
    assert_same(loaded.update(**case.batches[1]), state.update(**case.batches[1]))
    assert repr(loaded) == repr(state)


@some_metrics
@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16])
def test_update_in_half_precision(case, dtype):
    states = case.states([cast(batch, dtype) for batch in case.batches])

    assert [x.dtype for x in jax.tree.leaves(states[0])] == [x.dtype for x in jax.tree.leaves(case.empty())]
    assert number(merged(states).compute()) == pytest.approx(case.expected, abs=2e-3)


@some_metrics
@in_both_modes
def test_gradients_are_finite_and_zero_at_padding(case):
    whole = joined(case.batches)
    floats = {k: x for k, x in enumerate(jax.tree.leaves(whole)) if jnp.isdtype(x.dtype, "real floating")}

    def value(floats):
        leaves = [floats.get(k, x) for k, x in enumerate(jax.tree.leaves(whole))]
        batch = jax.tree.unflatten(jax.tree.structure(whole), leaves)
        result = case.empty().update(**batch).compute()
        return result["AP"] if isinstance(result, dict) else result

    with jax.debug_nans(True):
        number, gradient = jax.jit(jax.value_and_grad(value))(floats)

    assert float(number) == pytest.approx(case.expected, abs=1e-6)
    assert sum(int(jnp.isnan(x).sum()) for x in floats.values()) > 0
    for k, x in floats.items():
        assert jnp.all(jnp.isfinite(gradient[k]))
        assert not gradient[k][jnp.isnan(x)].any()
    assert any(bool(x.any()) for x in gradient.values()) == case.follows_gradients


@some_metrics
def test_compute_under_debug_nans(case):
    with jax.debug_nans(True):
        assert number(merged(case.states()).compute()) == pytest.approx(case.expected, abs=1e-6)


@some_metrics
def test_compute_without_updates_is_nan(case):
    whole = joined(case.batches)
    nothing = jax.tree.map(lambda x: x[:0], whole)

    assert np.isnan(number(case.empty().compute()))
    assert np.isnan(number(case.empty().update(**nothing).compute()))


@some_metrics
def test_clu_metric_protocol(case):
    """clu's `Collection` calls class methods of its metrics."""

    @jax.tree_util.register_dataclass
    class Metric(case.metric):
        @classmethod
        def empty(cls):
            return super().empty(**case.options)

    @functools.partial(jax.vmap, axis_name="devices", in_axes=0)
    def gathered(outputs):
        return jax.lax.all_gather(Metric.from_model_output(**outputs, loss=0.5), "devices").reduce()

    devices = jax.tree.map(lambda *x: jnp.stack(x), *case.batches)
    seen = Metric.empty().merge(jax.tree.map(lambda x: x[0], gathered(devices)))

    assert type(seen) is Metric
    assert number(seen.compute()) == pytest.approx(case.expected, abs=1e-6)
    batch = {name: x for name, x in case.batches[0].items() if name != "where"}
    mask = case.batches[0].get("where", jnp.asarray([True]))
    assert_same(Metric.from_model_output(**batch, mask=mask), Metric.from_model_output(**batch, where=mask))
    with pytest.raises(ValueError, match="`where` and `mask` mean the same, got both"):
        Metric.from_model_output(**batch, mask=mask, where=mask)


SHARDED = """
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, PartitionSpec as P
from tests.integrations.jax_cases import SOME, cases, joined, number

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
for case in map(cases().get, SOME):
    # Most devices have padding alone, the others have different images.
    batch = joined(case.batches, 8)

    def step(state, batch):
        return state.merge(case.empty().update(**batch).reduce("data"))

    def scan(state, batches):
        part = jax.lax.scan(lambda state, batch: (state.merge(case.empty().update(**batch)), None),
                            jax.tree.map(lambda x: jax.lax.pcast(x, "data", to="varying"), case.empty()), batches)[0]
        return state.merge(part.reduce("data"))

    sharded = jax.jit(jax.shard_map(step, mesh=mesh, in_specs=(P(), P("data")), out_specs=P()))
    scanned = jax.jit(jax.shard_map(scan, mesh=mesh, in_specs=(P(), P(None, "data")), out_specs=P()))
    placed = jax.device_put(batch, jax.NamedSharding(mesh, P("data")))
    alone = case.empty().update(**batch)
    twice = alone.merge(alone)
    for actual in (
        sharded(alone, batch),
        scanned(case.empty(), jax.tree.map(lambda x: jnp.stack([x, x]), batch)),
        jax.jit(lambda state, batch: state.update(**batch))(alone, placed),
    ):
        for x, y in zip(jax.tree.leaves(actual), jax.tree.leaves(twice), strict=True):
            np.testing.assert_allclose(x, y, rtol=0 if x.dtype.kind == "i" else 1e-6)
        np.testing.assert_allclose(number(actual.compute()), case.expected, atol=1e-6)
print(jax.device_count())
"""


@pytest.mark.parametrize("x64", ["0", "1"])
def test_shard_map_on_eight_devices(x64):
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=8", "JAX_PLATFORMS": "cpu", "JAX_ENABLE_X64": x64}
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SHARDED],
        env=os.environ | flags | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout.strip() == "8", done.stderr


def test_cases_cover_every_public_metric():
    public = {getattr(omniou_integrations.jax, name) for name in omniou_integrations.jax.__all__}

    # Of label maps there are tests of their own.
    covered = {case.metric for case in cases().values()} | {omniou_integrations.jax.MeanIoU}
    assert covered == {x for x in public if isinstance(x, type)}


def test_import_of_jax_adapter_loads_no_flax():
    program = "import sys, omniou_integrations.jax; print('flax' in sys.modules, 'jax' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "True"]


def test_box_score_with_options():
    pred, target = [[1.0, 1.0, 2.0, 2.0]], [[1.0, 1.0, 2.0, 1.0]]
    state = BoxScore.empty(boxes.iou, format="rel_cxcywh", image_size=(10, 20))

    assert number(state.update(pred, target).compute()) == pytest.approx(0.5)
    assert number(BoxScore.empty(offset=1).update([0, 0, 0, 0], [0, 0, 1, 0]).compute()) == 0.5


@pytest.mark.mixes
def test_box_score_counts_beyond_float32():
    state = BoxScore.empty()
    full = jax.tree.unflatten(jax.tree.structure(state), [jnp.float32(0), jnp.int32(2**24)])

    assert int(full.update([0.0, 0, 1, 1], [0.0, 0, 1, 1]).count) == 2**24 + 1
    # float16 ends at 65504 and counts to 2048.
    each = BoxScore.empty().update(
        jnp.ones((70_000, 4), jnp.float16) * jnp.asarray([0, 0, 1, 1], jnp.float16), [0, 0, 1, 1]
    )
    assert (float(each.total), int(each.count)) == (70_000, 70_000)


@pytest.mark.mixes
def test_box_score_where_broadcasts():
    pred = jnp.zeros((3, 2, 4)) + jnp.asarray([0.0, 0, 1, 1])
    state = BoxScore.empty().update(pred, pred[0, 0], where=jnp.asarray([[True], [False], [True]]))

    assert (float(state.total), int(state.count)) == (4, 4)


BOX = [[0.0, 0, 1, 1]]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: BoxScore.empty("giou"), TypeError, "`score` must be a function such as `omniou.boxes.giou`, got"),
        (lambda: BoxScore.empty(image_size=[2, 3]), TypeError, "`image_size` must be hashable, such as a number or"),
        (lambda: BoxScore.empty().update(BOX, BOX, where=[1]), TypeError, "`where` must hold booleans, got dtype"),
        (
            lambda: BoxScore.empty().update(BOX, BOX, where=[True, False]),
            ValueError,
            "`where` must broadcast to the scores of shape (1,), got (2,)",
        ),
        (lambda: BoxScore.empty().update(BOX, [0.0] * 6), ValueError, "boxes must have equal last axes"),
        (lambda: BoxScore.empty(format="xxyy").update(BOX, BOX), ValueError, "`format` must be one of"),
        (lambda: BoxScore.empty().reduce(), ValueError, "`axis_name` must be given where states are not stacked"),
        (lambda: DetectionAP.empty(2).reduce(), ValueError, "`axis_name` must be given where states are not stacked"),
        (
            lambda: BoxScore.empty().merge(BoxScore.empty(boxes.giou)),
            ValueError,
            "`other` must have the `score` of this state, ",
        ),
        (
            lambda: BoxScore.empty().merge(BoxScore.empty(offset=1)),
            ValueError,
            "`other` must have the `options` of this state, (), got (('offset', 1),)",
        ),
        (
            lambda: DetectionAP.empty(2, bins=8).merge(DetectionAP.empty(2, bins=4)),
            ValueError,
            "`other` must have the shape of `hits` of this state, (10, 2, 8), got (10, 2, 4)",
        ),
        (
            lambda: DetectionAP.empty(2).merge(BoxScore.empty()),
            TypeError,
            "`other` must be a DetectionAP, got BoxScore",
        ),
    ],
)
def test_invalid_arguments_raise(call, error, message):
    with pytest.raises(error) as raised:
        call()

    assert message in str(raised.value)


def test_equal_options_of_numpy_compile_once():
    given = [
        [MeanIoU.empty(k(2), ignore_index=k(255)) for k in (int, np.int64, jnp.asarray)],
        [DetectionAP.empty(i(3), bins=i(8), low=f(0.0), offset=f(1.0)) for i, f in NUMBERS],
        [BoxScore.empty(boxes.giou, offset=f(1.0)) for _, f in NUMBERS],
    ]
    for states in given:
        traced = []
        step = jax.jit(lambda state: traced.append(1) or jax.tree.map(jnp.zeros_like, state))  # noqa: B023
        for state in states:
            step(state)
        assert len(traced) == 1
        assert len({*map(jax.tree.structure, states)}) == 1
        assert len({*(repr(x) for x in states)}) == 1
