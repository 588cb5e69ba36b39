"""Mean IoU of label maps as a pytree."""

import functools
import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from omniou import segmentation
from omniou.segmentation import SplitCounts
from omniou_integrations.jax import BoxScore, MeanIoU
from tests.places import ROOT

in_both_modes = pytest.mark.parametrize("x64", [False, True], ids=["x32", "x64"])


@pytest.fixture(autouse=True)
def mode(request):
    with jax.enable_x64(request.node.callspec.params.get("x64", False) if hasattr(request.node, "callspec") else False):
        yield


def maps():
    rng = np.random.default_rng(0)
    pred, target = rng.integers(0, 4, (2, 6, 5, 7)).astype(np.int32)
    return pred, target % 3


def expected(target, pred, **options):
    return segmentation.confusion(target, pred, 3, outside="column", **options)


def test_several_labels_are_ignored_and_one_score_has_no_highest():
    pred, target = jnp.asarray([[0, 1, 2, 0, 1]]), jnp.asarray([[0, 1, 1, 2, 255]])
    state = MeanIoU.empty(3, ignore_index=[2, 255])
    assert hash(state.ignore_index) == hash((2, 255))
    state = jax.jit(lambda s, *batch: s.update(*batch))(state, pred, target)
    assert state.counts.tolist() == [[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0]]
    assert MeanIoU.empty(3, ignore_index=[255]).ignore_index == 255
    with pytest.raises(TypeError, match="`ignore_index` must be an integer, got '255'"):
        MeanIoU.empty(3, ignore_index="255")
    with pytest.raises(ValueError, match="`class_axis` needs two classes or more"):
        MeanIoU.empty(1).update(jnp.ones((1, 5, 1)), target * 0, class_axis=-1)


@in_both_modes
def test_updates_merge_to_the_mean_iou_of_the_data_set(x64):
    pred, target = maps()  # the predicted label 3 is no class
    states = [MeanIoU.empty(3, ignore_index=0).update(pred[k], target[k]) for k in range(6)]
    state = functools.reduce(lambda a, b: a.merge(b), states)
    counts = expected(target, pred, ignore_index=0)
    assert state.counts.tolist() == counts.tolist()
    assert isinstance(state.counts, SplitCounts) is not x64
    assert float(state.compute()) == pytest.approx(float(segmentation.iou(counts, average="macro")), abs=1e-6)
    np.testing.assert_allclose(state.per_class(score="dice"), segmentation.dice(counts), rtol=1e-6)


@in_both_modes
def test_update_is_compiled_once_and_scanned(x64):  # noqa: ARG001  (the fixture reads it)
    pred, target = maps()
    traced = []

    @jax.jit
    def step(state, pair):
        traced.append(0)
        return state.update(*pair), None

    state = MeanIoU.empty(3)
    for k in range(6):
        state, _ = step(state, (pred[k], target[k]))
    assert len(traced) == 1
    scanned, _ = jax.lax.scan(step, MeanIoU.empty(3), (pred, target))
    assert scanned.counts.tolist() == state.counts.tolist() == expected(target, pred).tolist()


@in_both_modes
def test_reduce_of_stacked_and_named_states(x64):  # noqa: ARG001
    pred, target = maps()
    stacked = jax.vmap(MeanIoU.empty(3).update)(pred, target)
    assert stacked.reduce().counts.tolist() == expected(target, pred).tolist()
    named = jax.vmap(lambda p, t: MeanIoU.empty(3).update(p, t).reduce("images"), axis_name="images")(pred, target)
    assert jax.tree.map(lambda x: x[0], named).counts.tolist() == expected(target, pred).tolist()
    with pytest.raises(ValueError, match="`axis_name` must be given where states are not stacked"):
        MeanIoU.empty(3).reduce()


def test_counts_do_not_wrap_at_2_to_31():
    state = MeanIoU.empty(1).update(jnp.zeros(3, dtype=jnp.int32), jnp.zeros(3, dtype=jnp.int32))
    for _ in range(40):
        state = state.merge(state)
    assert state.counts.tolist() == [[3 * 2**40, 0]]
    assert float(state.compute()) == 1


def test_reduced_counts_are_carried():
    state = MeanIoU(SplitCounts.of(jnp.full((3, 1, 2), 2**20 - 1, dtype=jnp.int32)), 1, None)
    counts = state.reduce().counts
    assert counts.tolist() == [[3 * (2**20 - 1)] * 2]
    assert int(jnp.max(counts.low)) < 2**20


def test_update_takes_scores_and_leaves_padding_out():
    scores = jnp.asarray([[[0.1, 0.9], [2.0, -1.0], [jnp.nan, 0.0]]])
    target = jnp.asarray([[1, 1, 0]])
    where = jnp.asarray([[True, True, False]])
    state = MeanIoU.empty(2).update(scores, target, where=where, class_axis=-1)
    assert state.counts.tolist() == [[0, 0, 0], [1, 1, 0]]


def test_subclass_is_made_of_the_output_of_a_model():
    @jax.tree_util.register_dataclass
    class OfTwo(MeanIoU):
        @classmethod
        def empty(cls):
            return super().empty(2)

    output = {"pred": [0, 1, 1], "target": [0, 1, 0], "mask": [True, True, False], "loss": 0.5}
    arrays = {name: jnp.asarray(x) for name, x in output.items()}
    assert float(OfTwo.from_model_output(**arrays).compute()) == 1


def test_states_that_do_not_fit_raise():
    state = MeanIoU.empty(3)
    with pytest.raises(TypeError, match="`other` must be a MeanIoU, got BoxScore"):
        state.merge(BoxScore.empty())
    with pytest.raises(ValueError, match=r"shape of `counts` of this state, \(3, 4\), got \(4, 5\)"):
        state.merge(MeanIoU.empty(4))
    with pytest.raises(ValueError, match="`ignore_index` of this state, None, got 255"):
        state.merge(MeanIoU.empty(3, ignore_index=255))
    with pytest.raises(TypeError, match="`prediction` must hold labels"):
        state.update(jnp.zeros(3), jnp.zeros(3, dtype=jnp.int32))


def test_states_of_devices_add_to_those_of_one():
    program = """
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, PartitionSpec as P
from omniou_integrations.jax import MeanIoU
mesh = jax.make_mesh((4,), ("data",), axis_types=(AxisType.Auto,))
rng = np.random.default_rng(0)
pred, target = rng.integers(0, 3, (2, 8, 50)).astype(np.int32)
def step(pred, target):
    return MeanIoU.empty(3).update(pred, target).reduce("data")
step = jax.shard_map(step, mesh=mesh, in_specs=P("data"), out_specs=P())
sharded, alone = jax.jit(step)(pred, target), MeanIoU.empty(3).update(pred, target)
assert sharded.counts.tolist() == alone.counts.tolist(), (sharded, alone)
print(len(jax.devices()))
"""
    env = os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "4", done.stderr
