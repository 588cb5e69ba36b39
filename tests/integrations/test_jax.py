import os
import subprocess
import sys
from fractions import Fraction
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import omniou_integrations.jax as adapter
from omniou import scores
from omniou._catalogue.gaussian_scores import GAUSSIANS
from omniou_integrations.jax import ciou_loss, diou_loss, giou_loss, iou_loss, mean, sum_and_count
from tests.hand_worked import LOSS_VALUES, NEEDED, PRED, TARGET

LOSSES = {name: getattr(adapter, f"{name}_loss") for name in scores}
NAN = float("nan")
VALUES = LOSS_VALUES


def iou_gradient(pred, target):
    """Gradient of 1 - IoU by `pred` in exact arithmetic, for overlapping boxes without equal coordinates."""
    a, b = [Fraction(x) for x in pred], [Fraction(x) for x in target]
    sides = [min(a[k + 2], b[k + 2]) - max(a[k], b[k]) for k in (0, 1)]
    inter, areas = sides[0] * sides[1], [(x[2] - x[0]) * (x[3] - x[1]) for x in (a, b)]
    union = sum(areas) - inter
    gradient = []
    for k in range(4):
        axis, sign = k % 2, 1 if k >= 2 else -1
        inside = a[k] < b[k] if k >= 2 else a[k] > b[k]
        d_inter = sign * sides[1 - axis] if inside else 0
        d_area = sign * (a[3 - axis] - a[1 - axis])
        gradient.append(-float((d_inter * union - inter * (d_area - d_inter)) / union**2))
    return gradient


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("wrap", [lambda f: f, lambda f: jax.jit(jax.vmap(f))], ids=["eager", "jit and vmap"])
def test_losses_by_hand(name, wrap):
    actual = wrap(partial(LOSSES[name], **NEEDED.get(name, {})))(jnp.asarray(PRED), jnp.asarray(TARGET))

    assert actual == pytest.approx(VALUES[name], abs=1e-6)


@pytest.mark.parametrize("name", ["iou", "giou", "ciou", "probiou"])  # each takes seconds to compile
@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16])
def test_losses_in_half_precision(name, dtype):
    pred, target = 100 * jnp.asarray(PRED, dtype), 100 * jnp.asarray(TARGET, dtype)  # areas up to 80,000

    each = LOSSES[name](pred, target)
    average, gradient = jax.value_and_grad(lambda x: LOSSES[name](x, target, reduction="mean"))(pred)

    assert (each.dtype, average.dtype, gradient.dtype) == (dtype, jnp.float32, dtype)
    assert each.astype(jnp.float32) == pytest.approx(VALUES[name], abs=1e-2)
    assert float(average) == pytest.approx(sum(VALUES[name]) / 4, abs=1e-2)
    assert jnp.all(jnp.isfinite(gradient))


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit])
def test_iou_gradient_equals_exact_arithmetic(wrap):
    pred, target = [0.0, 0.0, 4.0, 2.0], [1.0, -1.0, 3.0, 1.5]
    actual = wrap(jax.grad(iou_loss))(jnp.asarray(pred), jnp.asarray(target))

    assert actual == pytest.approx(iou_gradient(pred, target), abs=1e-6)


# Where a loss is the root of a distance, its tip is a cone, and rounding of float32 chooses a side of it.
CONES = {"probiou", "hellinger"}
GAUSSIAN = {x.name for x in GAUSSIANS}


@pytest.mark.parametrize("name", [name for name, score in scores.items() if score.symmetric and name not in CONES])
def test_gradient_at_perfect_match_is_zero(name):
    box = jnp.asarray([3.0, 4.0, 5.0, 7.0])

    gradient = jax.grad(partial(LOSSES[name], **NEEDED.get(name, {})))(box, box)

    # Logarithms of the sides, which Gaussians have, are rounded.
    assert gradient == pytest.approx([0, 0, 0, 0], abs=1e-7 if name in GAUSSIAN else 0)


def test_ciou_gradient_with_detached_and_attached_alpha():
    box, target = jnp.asarray([0.0, 0.0, 4.0, 2.0]), jnp.asarray([1.0, 0.0, 3.0, 3.0])

    # Gradients of torchvision, which detaches alpha, and of Keras, which does not.
    assert jax.grad(ciou_loss)(box, target) == pytest.approx([-0.08328, -0.02584, 0.08328, -0.15296], abs=1e-5)
    attached = jax.grad(lambda x: ciou_loss(x, target, detach_alpha=False))(box)
    assert attached == pytest.approx([-0.08687, -0.01440, 0.08687, -0.16108], abs=1e-5)


@pytest.mark.parametrize(
    ("name", "axis", "wrap"),
    [("iou", None, jax.jit), ("giou", None, None), ("diou", 0, jax.jit), ("ciou", None, jax.jit), ("ciou", -1, None)],
)
def test_losses_with_nan_padding(name, wrap, axis):
    pred = jnp.asarray([*PRED, [NAN] * 4])
    target = jnp.asarray([*TARGET, [NAN] * 4])
    where = jnp.asarray([True, False, True, True, False])

    def loss(pred, target, where):
        return LOSSES[name](pred, target, where=where, axis=axis, reduction="mean")

    with jax.debug_nans(True):
        value, gradient = (wrap or (lambda f: f))(jax.value_and_grad(loss))(pred, target, where)

    assert float(value) == pytest.approx(sum(VALUES[name][i] for i in (0, 2, 3)) / 3, abs=1e-6)
    assert jnp.all(jnp.isfinite(gradient))
    assert gradient[jnp.asarray([1, 4])].tolist() == [[0] * 4] * 2


@pytest.mark.parametrize(("name", "axis"), [("iou", None), ("giou", 0), ("diou", (0, 1)), ("ciou", None)])
def test_mean_without_boxes_is_zero(name, axis):
    def loss(pred):
        return LOSSES[name](pred, pred, where=jnp.zeros(pred.shape[:-1], bool), axis=axis, reduction="mean").sum()

    value, gradient = jax.value_and_grad(loss)(jnp.full((3, 2, 4), NAN))

    assert float(value) == 0
    assert not gradient.any()
    assert LOSSES[name](jnp.ones((0, 4)), jnp.ones((0, 4)), axis=axis and 0, reduction="mean") == 0


# Losses 0.5, 0, 0.75 and 1 of a (2, 2) batch.
GRID = (
    jnp.asarray([[[0.0, 0, 2, 2], [0, 0, 2, 1]], [[0, 0, 8, 1], [5, 5, 6, 6]]]),
    jnp.asarray([0.0, 0, 2, 1]),
)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [[0.5, 0], [0.75, 1]]),
        ({"reduction": "sum"}, 2.25),
        ({"reduction": "mean"}, 0.5625),
        ({"reduction": "sum", "axis": 0}, [1.25, 1]),
        ({"reduction": "mean", "axis": 1}, [0.25, 0.875]),
        ({"reduction": "mean", "axis": (0, 1)}, 0.5625),
        ({"reduction": "mean", "axis": -1, "where": jnp.asarray([[True, False]])}, [0.5, 0.75]),
        ({"reduction": "mean", "axis": 1, "where": jnp.asarray([[True], [False]])}, [0.25, 0]),
        ({"reduction": "mean", "axis": 1, "weight": jnp.asarray([3, 1])}, [1.5 / 4, 3.25 / 4]),
        ({"reduction": "mean", "weight": np.asarray([0.75, 0.25])}, (1.5 + 3.25) / 8),
        (
            {"reduction": "sum", "axis": 0, "weight": jnp.asarray([2, NAN]), "where": np.asarray([True, False])},
            [2.5, 0],
        ),
        ({"weight": 2.0}, [[1, 0], [1.5, 2]]),
    ],
)
def test_reductions_axes_and_weights(options, expected):
    actual = iou_loss(*GRID, **options)

    assert isinstance(actual, jax.Array)
    assert actual.dtype == jnp.float32
    assert np.asarray(actual) == pytest.approx(np.asarray(expected))


def test_giou_loss_of_numpy_and_lists_is_jax_array():
    assert isinstance(giou_loss(np.asarray(PRED, np.float32), np.asarray(TARGET)), jax.Array)
    assert giou_loss(PRED, TARGET) == pytest.approx(VALUES["giou"], abs=1e-6)


def test_losses_with_options():
    pred, target = jnp.asarray([0.1, 0.1, 0.2, 0.2]), jnp.asarray([0.1, 0.1, 0.2, 0.1])
    rel = {"format": "rel_xywh", "image_size": (10, 30)}

    assert float(iou_loss(pred, target, **rel)) == pytest.approx(0.5)
    assert float(iou_loss(pred, target, log=True, format="xywh")) == pytest.approx(0.693147, abs=1e-6)
    assert float(iou_loss(pred, pred + 9, log=True, floor=1e-2)) == pytest.approx(4.605170, abs=1e-5)
    assert float(giou_loss(jnp.zeros(4), jnp.zeros(4), offset=1)) == 0
    assert float(diou_loss(jnp.asarray([0.0, 0, 1, 1]), jnp.asarray([0.0, 0, 1, 1]), eps=1.0)) == 0.5


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: giou_loss(PRED, TARGET, axis=0), ValueError, "`reduction` must be 'mean' or 'sum' where `axis` is"),
        (lambda: giou_loss(PRED, TARGET, reduction="max"), ValueError, "`reduction` must be one of"),
        (lambda: giou_loss([[0, 0, 1, 1]], TARGET), TypeError, "`pred` must have a floating dtype"),
        (lambda: giou_loss(PRED, TARGET[:3]), ValueError, "leading axes must broadcast"),
        (lambda: giou_loss(PRED, TARGET, where=[1, 0, 0, 0]), TypeError, "`where` must hold booleans"),
        (lambda: iou_loss(PRED, TARGET, format="xxyy"), ValueError, "`format` must be one of"),
    ],
)
def test_invalid_arguments_raise(call, error, message):
    with pytest.raises(error) as raised:
        call()

    assert message in str(raised.value)


def test_jit_compiles_once_for_all_batches():
    traces = 0

    @jax.jit
    def step(pred, target, where):
        nonlocal traces
        traces += 1
        return jax.value_and_grad(lambda x: giou_loss(x, target, where=where, reduction="mean"))(pred)

    for count in range(6):
        where = jnp.arange(5) < count
        step(jnp.full((5, 4), float(count)), jnp.ones((5, 4)), where)

    assert traces == 1


def test_eager_losses_compile_once():
    target = jnp.asarray(TARGET)
    batches = [jnp.asarray(PRED) + shift for shift in range(3)]
    giou_loss(batches[0], target, reduction="mean")

    with jax.no_tracing():
        for pred in batches:
            giou_loss(pred, target, reduction="mean")
        with pytest.raises(RuntimeError, match="no_tracing"):  # another shape is traced: the check works
            giou_loss(batches[0][:1], target[:1], reduction="mean")


def train(loss, steps=300):
    """GIoU after training boxes that are disjoint from their targets, in one compiled loop with padding."""
    start = jnp.asarray([[0.0, 0.0, 1.0, 1.0], [8.0, 8.0, 9.0, 9.5], [NAN] * 4])
    target = jnp.asarray([[3.0, 2.0, 5.0, 5.0], [4.0, 1.0, 7.0, 3.0], [NAN] * 4])
    where = jnp.asarray([True, True, False])
    adam = optax.adam(0.05)

    @jax.jit
    def run(pred):
        def step(carry, _):
            pred, state = carry
            value, gradient = jax.value_and_grad(lambda x: loss(x, target, where=where, reduction="mean"))(pred)
            updates, state = adam.update(gradient, state, pred)
            return (optax.apply_updates(pred, updates), state), value

        return jax.lax.scan(step, (pred, adam.init(pred)), length=steps)

    (pred, _), values = run(start)
    return 1 - giou_loss(pred, target)[:2], values


@pytest.mark.mixes  # optax promotes
def test_training_from_disjoint_starts_converges_except_iou():
    for loss in (giou_loss, diou_loss, ciou_loss):
        reached, values = train(loss)
        assert float(reached.min()) > 0.9
        assert jnp.all(jnp.isfinite(values))

    reached, values = train(iou_loss)
    assert float(reached.max()) < 0  # the gradient of disjoint boxes is 0
    assert jnp.all(values == 1)


SHARDED = """
import functools
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, PartitionSpec as P
from omniou_integrations.jax import giou_loss, mean, sum_and_count

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
# The first shard has four boxes, the second has one, the others have padding alone.
pred = jnp.full((32, 4), jnp.nan).at[:5].set(jnp.asarray([0.0, 0.0, 1.0, 1.0]))
target = jnp.full((32, 4), jnp.nan).at[:4].set(jnp.asarray([1.0, 1.0, 2.0, 2.0])).at[4].set(pred[4])
where = jnp.arange(32) < 5
shift = jnp.zeros(4)

def loss(shift, pred, target, where):
    return mean(giou_loss(pred + shift, target, where=where), where=where, axis_name="data")

in_specs = (P(), P("data"), P("data"), P("data"))
sharded = jax.jit(jax.shard_map(jax.value_and_grad(loss), mesh=mesh, in_specs=in_specs, out_specs=(P(), P())))
outside = jax.jit(jax.value_and_grad(jax.shard_map(loss, mesh=mesh, in_specs=in_specs, out_specs=P())))

def unsharded(shift, pred, target, where):
    return giou_loss(pred + shift, target, where=where, reduction="mean")

expected, gradient = jax.value_and_grad(unsharded)(shift, pred[:5], target[:5], where[:5])
placed = jax.device_put(pred, jax.NamedSharding(mesh, P("data")))
for run, boxes in ((sharded, pred), (outside, pred), (jax.jit(jax.value_and_grad(unsharded)), placed)):
    value, actual = run(shift, boxes, target, where)
    assert abs(float(value) - 1.2) < 1e-6, value  # four losses of 1.5, one of 0
    assert abs(float(expected) - 1.2) < 1e-6, expected
    assert np.allclose(actual, gradient) and float(abs(gradient).max()) > 0.1, (actual, gradient)
print(jax.device_count())
"""


def test_mean_loss_under_shard_map_on_eight_devices():
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=8", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SHARDED],
        env=os.environ | flags,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout.strip() == "8", done.stderr


def test_sum_and_count_beyond_float16():
    x = jnp.ones(70_000, jnp.float16)

    total, count = sum_and_count(x)
    assert (total.dtype, float(total), float(count)) == (jnp.float32, 70_000, 70_000)
    assert (mean(x).dtype, float(mean(x))) == (jnp.float32, 1)


def test_mean_of_summed_batches():
    parts = [sum_and_count(jnp.asarray(x)) for x in ([1.0, 2.0, 6.0], [3.0])]
    total, count = jax.tree.map(lambda *x: sum(x), *parts)

    assert float(total / count) == 3
    assert float(mean(jnp.asarray([1, 2, 6, 4]), where=jnp.asarray([True] * 3 + [False]))) == 3


@pytest.mark.mixes  # optax promotes
@pytest.mark.parametrize("inverted", ["penalise", "empty"])
def test_training_with_penalty_ends_without_inverted_boxes(inverted):
    rng = np.random.default_rng(0)
    low = rng.uniform(0, 0.6, (64, 2))
    target = jnp.asarray(np.concatenate([low, low + rng.uniform(0.1, 0.4, (64, 2))], axis=-1))
    features = jnp.asarray(target @ rng.normal(size=(4, 8)))
    params = {"a": jnp.asarray(rng.normal(size=(8, 32)) / 3), "b": jnp.asarray(rng.normal(size=(32, 4)) / 6)}

    def predicted(params):
        return jnp.maximum(features @ params["a"], 0) @ params["b"]

    def loss(params):
        return adapter.giou_loss(predicted(params), target, inverted=inverted, reduction="mean")

    optimizer = optax.adam(0.01)

    @jax.jit
    def step(carry, _):
        params, state = carry
        updates, state = optimizer.update(jax.grad(loss)(params), state)
        return (optax.apply_updates(params, updates), state), None

    (params, _), _ = jax.lax.scan(step, (params, optimizer.init(params)), length=300)
    pred = predicted(params)
    assert bool((pred[:, :2] > pred[:, 2:]).any()) == (inverted == "empty")
