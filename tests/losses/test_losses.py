"""Losses: values, masks, weights, reductions, on every array library."""

import functools
import math

import numpy as np
import pytest

from omniou import losses
from tests.hand_worked import LOSS_VALUES, NEEDED, PRED, TARGET
from tests.helpers import array, assert_close, numbers

VALUES = LOSS_VALUES


def loss_of(name):
    """The loss of a score, with what it needs beside the boxes."""
    return functools.partial(getattr(losses, name), **NEEDED.get(name, {}))


@pytest.mark.proves("eager", "losses.{name}")
@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_losses_and_reductions_by_hand(xp, name, dtype):
    loss, expected = loss_of(name), VALUES[name]
    pred, target = array(xp, PRED, dtype), array(xp, TARGET, dtype)
    assert_close(loss(pred, target), expected, like=pred, ulp=8)
    assert_close(loss(pred, target, reduction="sum"), sum(expected), like=pred, ulp=8)
    assert_close(loss(pred, target, reduction="mean"), sum(expected) / 4, like=pred)


@pytest.mark.parametrize("name", VALUES)
def test_losses_with_weight_and_where(xp, name):
    loss, expected = loss_of(name), np.asarray(VALUES[name])
    pred, target = array(xp, PRED), array(xp, TARGET)
    weight, where = np.asarray([1.0, 2, 3, 4]), np.asarray([True, True, False, True])
    options = {"weight": array(xp, weight), "where": xp.asarray(where.tolist())}
    kept = weight * where
    assert_close(loss(pred, target, **options), kept * expected)
    assert_close(loss(pred, target, reduction="sum", **options), (kept * expected).sum())
    assert_close(loss(pred, target, reduction="mean", **options), (kept * expected).sum() / 7)
    options = {"where": options["where"], "reduction": "mean"}
    assert_close(loss(pred, target, **options), (where * expected).sum() / 3)
    options = {"weight": array(xp, [2.0]), "reduction": "mean"}
    assert_close(loss(pred, target, **options), expected.mean())


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_losses_of_masked_nan_rows_are_zero(xp, name, reduction):
    nan = [math.nan] * 4
    pred, target = array(xp, [PRED[1], nan, [0, 0, math.inf, 1]]), array(xp, [TARGET[1], nan, nan])
    where = xp.asarray([True, False, False])
    weight = array(xp, [1.0, math.nan, math.inf])
    out = loss_of(name)(pred, target, where=where, weight=weight, reduction=reduction)
    one = VALUES[name][1]
    assert_close(out, [one, 0, 0] if reduction == "none" else one)


@pytest.mark.parametrize("name", VALUES)
def test_losses_without_boxes_are_zero(xp, name):
    loss = loss_of(name)
    none = array(xp, np.zeros((0, 4)), "float32")
    assert_close(loss(none, none), np.zeros(0), like=none)
    assert_close(loss(none, none, reduction="sum"), 0, like=none)
    assert_close(loss(none, none, reduction="mean"), 0, like=none)
    pred = array(xp, PRED)
    nowhere = xp.asarray([False] * 4)
    assert_close(loss(pred, pred, where=nowhere, reduction="mean"), 0, like=pred)


def test_iou_log_loss_by_hand(xp):
    pred, target = array(xp, PRED), array(xp, TARGET)
    floor = -math.log(1e-6)
    assert_close(losses.iou(pred, target, log=True), [-math.log(0.4), floor, 0, floor], like=pred)
    assert_close(losses.iou(pred, target, log=True, floor=0.5), [math.log(2), math.log(2), 0, math.log(2)])


def test_losses_with_offset_and_relative_format(xp):
    pred, target = array(xp, [[50, 50, 150, 150]]), array(xp, [[75, 75, 160, 160]])
    inter, areas = 76 * 76, 101 * 101 + 86 * 86
    assert_close(losses.iou(pred, target, offset=1), [1 - inter / (areas - inter)])
    pred, target = array(xp, [[0.1, 0.1, 0.2, 0.2]]), array(xp, [[0.1, 0.1, 0.2, 0.1]])
    out = losses.iou(pred, target, format="rel_xywh", image_size=(100, 50))
    assert_close(out, [0.5])


def test_losses_broadcast_leading_axes(xp):
    pred, target = array(xp, [PRED, PRED]), array(xp, TARGET)
    assert_close(losses.giou(pred, target), [VALUES["giou"]] * 2)
    where = xp.asarray([[True], [False]])
    assert_close(losses.giou(pred, target, where=where), [VALUES["giou"], [0] * 4])
    assert losses.giou(array(xp, [[PRED[0]], [PRED[1]]]), target).shape == (2, 4)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_giou_loss_of_half_precision(xp, dtype):
    kind = getattr(xp, dtype, None)
    if kind is None:
        pytest.skip(f"this library has no {dtype}")
    pred, target = (xp.astype(array(xp, x), kind) for x in (PRED, TARGET))
    assert losses.giou(pred, target).dtype == kind
    out = losses.giou(pred, target, reduction="sum")
    assert out.dtype == xp.float32
    assert float(out) == pytest.approx(sum(VALUES["giou"]), rel=1e-2)


def test_losses_of_invalid_arguments_raise(xp):
    pred = array(xp, PRED)
    with pytest.raises(TypeError, match=r"`pred` must have a floating dtype.*got .*int"):
        losses.giou(xp.asarray([[0, 0, 1, 1]] * 4), pred)
    with pytest.raises(ValueError, match="`reduction` must be one of 'none', 'mean', 'sum', got 'avg'"):
        losses.giou(pred, pred, reduction="avg")
    with pytest.raises(TypeError, match=r"`where` must hold booleans, got dtype .*float64"):
        losses.giou(pred, pred, where=array(xp, [1.0] * 4))
    with pytest.raises(ValueError, match=r"`weight` must broadcast to the losses of shape \(4,\), got \(2, 4\)"):
        losses.giou(pred, pred, weight=array(xp, np.ones((2, 4))))
    with pytest.raises(ValueError, match="leading axes must broadcast"):
        losses.giou(pred, pred, where=xp.asarray([True] * 3))
    for bound in (0.0, 1.0):
        with pytest.raises(ValueError, match="`floor` must be above 0 and below 1, got"):
            losses.iou(pred, pred, floor=bound)
    with pytest.raises(ValueError, match="`floor` must be above 0 and below 1, got 2"):
        losses.iou(pred, pred, log=True, floor=2)


@pytest.mark.parametrize("inverted", ["penalise", "empty", "sort"])
def test_iou_loss_of_inverted_prediction(xp, inverted):
    """A box of which x is inverted by 2 in a hull of 4: the score calls it empty, and half of the hull is added."""
    pred, target = array(xp, [[2, 0, 0, 2], [0, 0, 2, 2]]), array(xp, [[0, 0, 4, 2], [0, 0, 4, 2]])
    expected = {"penalise": [1 + 2 / 4, 0.5], "empty": [1, 0.5], "sort": [0.5, 0.5]}
    assert_close(losses.iou(pred, target, inverted=inverted), expected[inverted], like=pred)
    assert_close(losses.iou(pred[:1, :], target[:1, :]), [1.5])


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("format", ["xyxy", "cxcywh", "xywh"])
def test_penalty_of_boxes_that_are_not_inverted_is_exactly_zero(xp, name, format):
    loss = loss_of(name)
    pred, target = (array(xp, [[1, 2, 3, 4], [0, 0, 0, 2], x, [5, 5, 9, 9]]) for x in ([1, 1, 2, 2], [1, 2, 2, 3]))
    one, other = (numbers(loss(pred, target, format=format, inverted=x)) for x in ("penalise", "empty"))
    assert (one == other).all()


def test_unknown_inverted_option_raises(xp):
    pred = array(xp, PRED)
    with pytest.raises(ValueError, match="`inverted` must be one of 'penalise', 'empty', 'sort', got 'flip'"):
        losses.iou(pred, pred, inverted="flip")


@pytest.mark.parametrize("name", ["iou", "giou", "diou", "ciou"])
def test_training_with_penalty_ends_without_inverted_boxes(name):
    """As `python -m tests.benchmarks.inverted`, smaller; the same net in JAX and Keras is in tests/integrations."""
    pytest.importorskip("torch")
    from tests.benchmarks.inverted import train

    assert train(name, "penalise", seed=0, steps=150)[0] == 0
    if name == "giou":
        assert any(train(name, "empty", seed, steps=150)[0] > 0 for seed in range(4))


def test_losses_of_one_formula_are_compiled_apart(xp):
    """Two that are made of the same score differ in what JAX compiles them by."""
    pred, target = array(xp, [2.0, 2, 4, 2, 0.3]), array(xp, [2.5, 2, 4, 2, 0.2])
    plain = float(losses.rotated.kfiou(pred, target))
    assert float(losses.rotated.kfiou(pred, target, fun="exp")) == pytest.approx(np.expm1(plain), rel=1e-12)


def test_where_and_weight_may_be_lists(xp):
    pred, target = array(xp, [[0, 0, 2, 2], [0, 0, 1, 1]]), array(xp, [[0, 0, 2, 1], [5, 5, 6, 6]])
    assert_close(losses.iou(pred, target, where=[True, False], weight=[2, 3]), [1.0, 0.0], like=pred)


@pytest.mark.parametrize("name", ["power", "inner", "eps", "focal", "offset"])
def test_option_of_none_raises_where_it_must_be_a_number(name):
    with pytest.raises(TypeError, match=f"`{name}` must be a number, got NoneType"):
        losses.iou(np.zeros((1, 4)), np.zeros((1, 4)), **{name: None})


def test_gradient_in_16_bits_is_that_in_32_bits_rounded_once():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    low = rng.uniform(0, 100, (2, 50, 2))
    pred, target = torch.tensor(np.concatenate([low, low + rng.uniform(-20, 80, low.shape)], axis=-1)).bfloat16()
    gradients = []
    for dtype in (torch.bfloat16, torch.float32):
        x = pred.to(dtype, copy=True).requires_grad_()
        losses.siou(x, target.to(dtype), reduction="none").float().sum().backward()
        gradients.append(x.grad.bfloat16())
    assert torch.equal(*gradients)
