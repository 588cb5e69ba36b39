"""Variants of scores and losses: power, inner, focal, normalizer, versions of Wise-IoU, and losses of coordinates."""

import functools
import math

import numpy as np
import pytest

from omniou import boxes, losses, pairwise, polygons, rotated
from tests.contract.test_gradients import GRADIENTS
from tests.hand_worked import PRED, TARGET
from tests.helpers import array, assert_close, numbers, random_boxes


def test_giou_loss_with_power_by_hand(xp):
    pred, target = array(xp, PRED), array(xp, TARGET)
    # IoU 4 / 10 and 0, of the hull 2 / 12 and 2 / 4 are empty.
    expected = [1 - 0.4**3 + (2 / 12) ** 3, 1 + 0.5**3, 0, 1]
    assert_close(losses.giou(pred, target, power=3.0), expected, like=pred)
    assert_close(losses.iou(pred, target, power=0.5), [1 - math.sqrt(0.4), 1, 0, 1], like=pred)
    assert_close(boxes.diou(pred, target, power=2.0), [0.4**2 - (0.25 / 25) ** 2, -((2 / 8) ** 2), 1, 0], like=pred)
    assert_close(losses.giou(pred, target, power=1.0), numbers(losses.giou(pred, target)), ulp=0)


def test_inner_iou_by_hand(xp):
    pred, target = array(xp, PRED), array(xp, TARGET)
    # Halved about their centres: [1, .5, 3, 1.5] and [1.5, .75, 2.5, 2.25], areas 2 and 1.5, intersection 1 * .75.
    inner = 0.75 / (2 + 1.5 - 0.75)
    assert_close(boxes.iou(pred, target, inner=0.5), [inner, 0, 1, 0], like=pred)
    assert_close(boxes.giou(pred, target, inner=0.5), [inner - 2 / 12, -2 / 4, 1, 0], like=pred)
    # Doubled: [-2, -1, 6, 3] and [0, -1.5, 4, 4.5], areas 32 and 24, intersection 4 * 4; corners overlap by 1 * 1.
    assert_close(boxes.iou(pred, target, inner=2.0), [16 / 40, 1 / 7, 1, 0], like=pred)


def test_inner_iou_of_rectangles_equals_scaled_rectangles(xp):
    rng = np.random.default_rng(0)
    a, b = (
        np.stack([*rng.normal(0, 2, (2, 40)), *rng.uniform(1, 6, (2, 40)), rng.uniform(-4, 4, 40)], 1) for _ in "ab"
    )
    wider = [x * np.asarray([1, 1, 1.4, 1.4, 1]) for x in (a, b)]
    expected = rotated.iou(*wider)
    assert_close(rotated.iou(array(xp, a), array(xp, b), inner=1.4), expected, ulp=64)
    # Rectangles that do not overlap, but whose scaled ones do, are pairs too.
    out = pairwise(rotated.iou, array(xp, np.tile(a, (9, 1))), array(xp, np.tile(b, (9, 1))), inner=1.4)
    np.testing.assert_allclose(numbers(out)[:40, :40], pairwise(rotated.iou, *wider), atol=1e-13)


def test_power_and_inner_of_polygons():
    square, half = [[0, 0], [1, 0], [1, 1], [0, 1]], [[0, 0], [1, 0], [1, 0.5], [0, 0.5]]
    assert float(polygons.iou(square, half, power=2.0)) == 1 / 4
    with pytest.raises(TypeError, match=r"iou\(\) got an unexpected keyword argument 'inner'"):
        polygons.iou(square, half, inner=0.5)


@pytest.mark.parametrize("name", ["power", "inner"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan])
def test_power_and_inner_outside_their_range_raise(name, value):
    with pytest.raises(ValueError, match=f"`{name}` must be "):
        boxes.iou([0, 0, 1, 1], [0, 0, 1, 1], **{name: value})


@pytest.mark.compiles("giou")
@pytest.mark.parametrize("gradient", GRADIENTS)
@pytest.mark.parametrize("options", [{"power": 3.0}, {"power": 0.5}, {"inner": 0.7}, {"inner": 1.3, "power": 2.0}])
@pytest.mark.parametrize("name", ["iou", "giou", "eiou", "siou"])
def test_gradients_of_variants_equal_finite_differences(gradient, name, options):
    rng = np.random.default_rng(1)
    low = rng.uniform(0, 3, (2, 40, 2))
    a, b = np.concatenate([low, low + rng.uniform(2, 5, (2, 40, 2))], axis=-1)
    score = functools.partial(getattr(boxes, name), **options)
    step = 1e-6
    expected = np.stack([(score(a + d, b) - score(a - d, b)) / (2 * step) for d in step * np.eye(4)], axis=-1)
    # Where nothing overlaps, a power below 1 has an infinite slope on one side, and 0 is given.
    some = boxes.iou(a, b, inner=options.get("inner", 1.0)) > 0.01
    np.testing.assert_allclose(gradient(score, a, b, "float64")[some], expected[some], atol=1e-6)


@pytest.mark.parametrize("gradient", GRADIENTS)
@pytest.mark.parametrize("options", [{"power": 0.5}, {"inner": 0.7}, {"focal": 0.5}])
@pytest.mark.parametrize("name", ["iou", "giou", "ciou"])
def test_gradients_of_variants_are_finite_for_degenerate_boxes(gradient, name, options):
    from tests.contract.test_gradients import PAIRS

    a, b = (np.asarray(x, dtype=float) for x in zip(*PAIRS.values(), strict=True))
    loss = functools.partial(getattr(losses, name), **options)
    for scale in (1e-9, 1, 1e9):
        assert np.isfinite(gradient(loss, a * scale, b * scale, "float32")).all()


def test_focal_eiou_loss_by_hand(xp):
    pred, target = array(xp, PRED), array(xp, TARGET)
    eiou = 4 / 10 - 0.25 / 25 - 1 / 4 - 1 / 9
    assert_close(losses.eiou(pred, target, focal=0.5), [math.sqrt(0.4) * (1 - eiou), 0, 0, 0], like=pred)


@pytest.mark.parametrize("gradient", GRADIENTS)
def test_focal_factor_has_no_gradient(gradient):
    a, b = np.asarray(PRED[:1]), np.asarray(TARGET[:1])
    plain, focal = (gradient(functools.partial(losses.giou, focal=x), a, b, "float64") for x in (0.0, 2.0))
    np.testing.assert_allclose(focal, 0.4**2 * plain, rtol=1e-12)


@pytest.mark.parametrize("gradient", GRADIENTS)
def test_focal_loss_turns_an_inverted_box_round(gradient):
    """Its IoU is 0, and so is the factor; the penalty is not multiplied by it."""
    slope = gradient(functools.partial(losses.iou, focal=1.0), [[2.0, 0, 0, 2]], [[0.0, 0, 4, 2]], "float64")
    assert slope[0, 0] > 0
    assert slope[0, 2] < 0


def test_wise_iou_versions_by_hand(xp):
    pred, target = array(xp, PRED), array(xp, TARGET)
    first = np.asarray([math.exp(0.25 / 25) * 0.6, math.exp(2 / 8), 0, 1])
    outlier = np.asarray([0.6, 1, 0, 1]) / 0.5
    assert_close(losses.wiou(pred, target), first, like=pred)
    out = losses.wiou(pred, target, version=2, running_mean=0.5)
    assert_close(out, first * np.sqrt(outlier), like=pred)
    out = losses.wiou(pred, target, version=3, running_mean=array(xp, 0.5))
    assert_close(out, first * outlier / (3 * 1.9 ** (outlier - 3)), like=pred, ulp=8)


@pytest.mark.proves("eager", "losses.running_mean")
def test_running_mean_by_hand(xp):
    pred, target = array(xp, PRED), array(xp, TARGET)
    mean = losses.running_mean(array(xp, 1.0), pred, target, momentum=0.1)
    assert_close(mean, 0.9 + 0.1 * (0.6 + 1 + 0 + 1) / 4)
    where = xp.asarray([True, False, True, False])
    assert_close(losses.running_mean(mean, pred, target, where=where, momentum=1.0), 0.6 / 2)
    nothing = losses.running_mean(mean, pred, target, where=xp.asarray([False] * 4))
    assert_close(nothing, numbers(mean))
    # Of two processes with the same batch, and of one whose other has none.
    assert_close(losses.running_mean(1.0, pred, target, add=lambda x: 2 * x, momentum=1.0), 2.6 / 4)
    with pytest.raises(ValueError, match=r"`momentum` must lie in \(0, 1\], got 2"):
        losses.running_mean(1.0, pred, target, momentum=2.0)


def test_training_with_wise_iou_in_jit():
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    target = jnp.asarray(TARGET[:3])

    @jax.jit
    def step(pred, mean):
        def loss(pred):
            return losses.wiou(pred, target, version=3, running_mean=mean, reduction="mean")

        return pred - 0.1 * jax.grad(loss)(pred), losses.running_mean(mean, pred, target, momentum=0.05)

    pred, mean = jnp.asarray(PRED[:3]) + 0.5, jnp.ones(())
    before = float(boxes.iou(pred, target).mean())
    for _ in range(200):
        pred, mean = step(pred, mean)
    assert step._cache_size() == 1
    assert float(boxes.iou(pred, target).mean()) > max(0.9, before)
    assert float(mean) < 0.3


def test_running_mean_of_two_devices_is_that_of_all_boxes():
    jax = pytest.importorskip("jax")
    pred, target = (jax.numpy.asarray(x).reshape(2, 2, 4) for x in (PRED, TARGET))

    def mean(pred, target):
        return losses.running_mean(1.0, pred, target, momentum=1.0, add=lambda x: jax.lax.psum(x, "data"))

    out = jax.vmap(mean, axis_name="data")(pred, target)
    np.testing.assert_allclose(out, [2.6 / 4] * 2, rtol=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"version": 4}, "`version` must be one of 1, 2, 3, got 4"),
        ({"version": True}, "`version` must be one of 1, 2, 3, got True"),
        ({"version": 3}, "`running_mean` must be given for `version` 3, got None"),
        (
            {"version": 2, "running_mean": [1.0, 2.0]},
            r"`running_mean` must be a number or .* of shape \(\), got \(2,\)",
        ),
        ({"gamma": -1.0}, "`gamma` must be finite and at least 0, got -1"),
        ({"delta": 0.0}, "`delta` must be above 0, got 0"),
    ],
)
def test_wise_iou_of_invalid_options_raises(options, message):
    with pytest.raises(ValueError, match=message):
        losses.wiou(np.asarray(PRED), TARGET, **options)


@pytest.mark.parametrize("name", ["iou", "giou", "l1"])
def test_normalizer_divides_the_sum(xp, name):
    pred, target = array(xp, PRED), array(xp, TARGET)
    loss = getattr(losses, name)
    total = float(loss(pred, target, reduction="sum"))
    for normalizer in (8, 8.0, array(xp, 8.0)):
        assert_close(loss(pred, target, reduction="mean", normalizer=normalizer), total / 8)
    assert_close(loss(pred, target, reduction="mean", normalizer=0), 0)
    with pytest.raises(ValueError, match="`normalizer` divides the sum of `reduction` 'mean', got 'sum'"):
        loss(pred, target, reduction="sum", normalizer=8)
    with pytest.raises(ValueError, match=r"`normalizer` must be a number or an array of shape \(\), got \(4,\)"):
        loss(pred, target, reduction="mean", normalizer=array(xp, [1.0, 2, 3, 4]))


@pytest.mark.proves("eager", "losses.l1", "losses.smooth_l1", "losses.balanced_l1")
def test_losses_of_coordinates_by_hand(xp):
    pred, target = array(xp, [[0.0, 0, 2, 2], [0.5, -0.5, 0, 0]]), array(xp, [[0.0, 0, 1, 4], [0, 0, 0, 0]])
    assert_close(losses.l1(pred, target), [3, 1], like=pred)
    assert_close(losses.smooth_l1(pred, target), [0.5 + 1.5, 0.125 * 2], like=pred)
    assert_close(losses.smooth_l1(pred, target, beta=2.0), [0.25 + 1, 2 * 0.0625], like=pred)
    b = math.exp(3) - 1
    near = 0.5 / b * (b / 2 + 1) * math.log(b / 2 + 1) - 0.25
    far = [1.5 * d + 1.5 / b - 0.5 for d in (1, 2)]
    assert_close(losses.balanced_l1(pred, target), [sum(far), 2 * near], like=pred)
    assert_close(losses.l1(pred, target, reduction="mean"), 2)
    assert_close(losses.l1(pred, target, weight=array(xp, [1.0, 3]), reduction="mean"), (3 + 3) / 4)
    holes = array(xp, [[0.0, 0, 2, 2], [math.nan] * 4])
    assert_close(losses.l1(holes, target, where=xp.asarray([True, False]), reduction="mean"), 3)
    assert_close(losses.l1(pred[:0, :], target[:0, :], reduction="mean"), 0)
    with pytest.raises(ValueError, match=r"`pred` and `target` must have equal last axes, got \(2, 4\) and \(2, 3\)"):
        losses.l1(pred, target[:, :3])


@pytest.mark.parametrize("gradient", GRADIENTS)
@pytest.mark.parametrize("name", ["l1", "smooth_l1", "balanced_l1"])
def test_gradients_of_coordinate_losses(gradient, name):
    a, b = np.asarray([[0.0, 0.3, 2, 5]]), np.zeros((1, 4))
    out = gradient(getattr(losses, name), a, b, "float64")[0]
    step, loss = 1e-6, getattr(losses, name)
    expected = [float((loss(a + d, b) - loss(a - d, b))[0]) / (2 * step) for d in step * np.eye(4)]
    np.testing.assert_allclose(out, expected, atol=1e-6)
    assert out[0] == 0


def test_get_finds_losses_by_name():
    assert losses.get("giou") is losses.giou
    assert losses.get("smooth_l1") is losses.smooth_l1
    with pytest.raises(ValueError, match=r"`name` must be one of .*'iou', .*'balanced_l1', got 'jaccard'"):
        losses.get("jaccard")


def siou_of_pair(a, b):
    """As the paper has it, by the angle itself."""
    w, h, s, t = a[2] - a[0], a[3] - a[1], b[2] - b[0], b[3] - b[1]
    dx, dy = ((b[k] + b[k + 2] - a[k] - a[k + 2]) / 2 for k in (0, 1))
    sigma = math.hypot(dx, dy)
    angle = 1 - 2 * math.sin(math.asin(min(1.0, abs(dy) / sigma)) - math.pi / 4) ** 2
    hull = [max(a[k + 2], b[k + 2]) - min(a[k], b[k]) for k in (0, 1)]
    distance = sum(1 - math.exp(-(2 - angle) * (d / c) ** 2) for d, c in zip((dx, dy), hull, strict=True))
    shape = sum((1 - math.exp(-abs(p - q) / max(p, q))) ** 4 for p, q in ((w, s), (h, t)))
    return float(boxes.iou(a, b)) - (distance + shape) / 2


def shape_iou_of_pair(a, b, scale):
    w, h, s, t = a[2] - a[0], a[3] - a[1], b[2] - b[0], b[3] - b[1]
    ww, hh = (2 * x**scale / (s**scale + t**scale) for x in (s, t))
    dx, dy = ((b[k] + b[k + 2] - a[k] - a[k + 2]) / 2 for k in (0, 1))
    c = sum((max(a[k + 2], b[k + 2]) - min(a[k], b[k])) ** 2 for k in (0, 1))
    unlike = hh * abs(w - s) / max(w, s), ww * abs(h - t) / max(h, t)
    shape = sum((1 - math.exp(-x)) ** 4 for x in unlike)
    return float(boxes.iou(a, b)) - (hh * dx * dx + ww * dy * dy) / c - shape / 2


def test_siou_and_shape_iou_equal_papers_formulas(xp):
    rng = np.random.default_rng(2)
    low = rng.uniform(0, 5, (2, 50, 2))
    a, b = np.concatenate([low, low + rng.uniform(0.5, 5, (2, 50, 2))], axis=-1)
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    assert_close(boxes.siou(array(xp, a), array(xp, b)), [siou_of_pair(p, q) for p, q in pairs], ulp=64)
    for scale in (0.0, 0.5, 1.5):
        expected = [shape_iou_of_pair(p, q, scale) for p, q in pairs]
        assert_close(boxes.shape_iou(array(xp, a), array(xp, b), scale=scale), expected, ulp=64)


def test_mpdiou_with_sizes_of_images(xp):
    pred, target = array(xp, PRED[:2]), array(xp, TARGET[:2])
    sizes = array(xp, [[6, 8], [3, 4]])
    assert_close(boxes.mpdiou(pred, target, image_size=sizes), [0.4 - 3 / 100, -4 / 25], like=pred)
    out = pairwise(boxes.mpdiou, pred, target, image_size=(6, 8))
    assert_close(out[0, 0], 0.4 - 3 / 100)
    relative = array(xp, np.asarray(PRED[:2]) / [8, 6, 8, 6])
    others = array(xp, np.asarray(TARGET[:2]) / [8, 6, 8, 6])
    assert_close(boxes.mpdiou(relative, others, format="rel_xyxy", image_size=(6, 8)), [0.37, -0.04], ulp=16)
    with pytest.raises(
        ValueError, match=r"`image_size` must be given as \(height, width\) for score 'mpdiou', got None"
    ):
        boxes.mpdiou(pred, target)


def test_tracking_iou_equals_powerboxes():
    powerboxes = pytest.importorskip("powerboxes", reason="needs powerboxes")
    rng = np.random.default_rng(3)
    low = rng.uniform(0, 5, (2, 40, 2))
    a, b = np.concatenate([low, low + rng.uniform(0.5, 5, (2, 40, 2))], axis=-1)
    np.testing.assert_allclose(pairwise(boxes.tiou, a, b), 1 - powerboxes.tiou_distance(a, b), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["siou", "shape_iou", "probiou"])
def test_scores_of_two_dimensions_refuse_others(name):
    with pytest.raises(ValueError, match=f"score '{name}' is of boxes in 2 dimensions, got 3"):
        getattr(boxes, name)([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize("dims", [1, 3])
def test_scores_in_one_and_three_dimensions_are_bounded(dims):
    rng = np.random.default_rng(4)
    a, b = random_boxes(rng, 200, dims=dims), random_boxes(rng, 200, dims=dims)
    for name in ("tiou", "wiou", "mpdiou"):
        size = {"image_size": (40,) * dims} if name == "mpdiou" else {}
        out = getattr(boxes, name)(a, b, **size)
        assert (out <= 1).all()
        assert (out >= -2).all()
